package gate

import (
	"crypto/rand"
	"crypto/sha256"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// LinkPath is the start of a link's path; a secret follows.
const LinkPath = "/files/"

const (
	linkLife = 10 * time.Minute
	maxLinks = 64 // of one principal at a time: one more ends the oldest

	// linkBearer is the principal of requests with an unknown link. No token may have this name.
	linkBearer = "?link"
)

// link lets its bearer do one thing as a principal.
type link struct {
	principal string
	until     time.Time
	target    any
}

// links are the links of all principals, by the hash of their secrets, so that the time of a search tells nothing about
// them.
type links struct {
	mu  sync.Mutex
	all map[[sha256.Size]byte]link
}

// add adds a link, and removes those that have expired.
func (k *links) add(secret string, l link) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.all == nil {
		k.all = map[[sha256.Size]byte]link{}
	}
	var own [][sha256.Size]byte
	for sum, other := range k.all {
		switch {
		case !time.Now().Before(other.until):
			delete(k.all, sum)
		case other.principal == l.principal:
			own = append(own, sum)
		}
	}
	if len(own) >= maxLinks {
		delete(k.all, slices.MinFunc(own, func(a, b [sha256.Size]byte) int { return k.all[a].until.Compare(k.all[b].until) }))
	}
	k.all[sha256.Sum256([]byte(secret))] = l
}

func (k *links) find(secret string) (l link, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	l, ok = k.all[sha256.Sum256([]byte(secret))]
	return l, ok && time.Now().Before(l.until)
}

func (k *links) remove(secret string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.all, sha256.Sum256([]byte(secret)))
}

// identifyLink makes the call that of the principal whose link the request has, if it still has one. It reports whether
// the request is for a link.
func (g *Gate) identifyLink(r *http.Request, call *Call) bool {
	secret, ok := strings.CutPrefix(r.URL.Path, LinkPath)
	if !ok {
		return false
	}
	call.Principal = linkBearer
	if l, ok := g.links.find(secret); ok && g.Knows(l.principal) {
		call.Principal, call.until, call.target = l.principal, l.until, l.target
	}
	return true
}

// Link makes a link by which its bearer, without a token, does what target says as the caller, for at most life and
// until the caller's own token expires. Its secret ends with mark. The link is "" if the caller is on this machine.
func (c *Call) Link(target any, mark string) (url string, life time.Duration) {
	if c == nil || c.site == "" {
		return "", 0
	}
	life = linkLife
	if !c.until.IsZero() {
		life = min(life, time.Until(c.until))
	}
	secret := rand.Text() + rand.Text() + mark
	c.g.links.add(secret, link{c.Principal, time.Now().Add(life), target})
	return c.site + LinkPath + secret, life
}

// Target is what the link of the request is for, nil if it has no valid link.
func (c *Call) Target() any {
	if c == nil {
		return nil
	}
	return c.target
}

// EndLink ends the link of a request.
func (g *Gate) EndLink(r *http.Request) { g.links.remove(strings.TrimPrefix(r.URL.Path, LinkPath)) }

// siteFor returns the address by which a caller from another machine reaches this server, "" for callers on this machine.
// Without TLS, a proxy ends it.
func siteFor(r *http.Request, c *conn) string {
	if c != nil && c.unix || Loopback(hostName(r.Host)) {
		return ""
	}
	if r.TLS == nil && r.Header.Get("X-Forwarded-Proto") == "http" {
		return "http://" + r.Host
	}
	return "https://" + r.Host
}
