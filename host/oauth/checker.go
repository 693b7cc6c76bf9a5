package oauth

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	jose "github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/json"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/fcp-host/fcp-host/host/gate"
)

// Bounds of a token.
const (
	maxToken   = 16 << 10
	maxSubject = 255
	leeway     = 30 * time.Second // by which clocks may differ
)

// algorithms are all that a token may be signed with: those with a public key.
var algorithms = []jose.SignatureAlgorithm{jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512,
	jose.ES256, jose.ES384, jose.ES512, jose.EdDSA}

// Config says whose tokens are taken.
type Config struct {
	Issuers  []string // as tokens name them: see WrongIssuer
	Resource string   // that tokens have to be issued for: see Canonical
	// Plain takes tokens whose typ is JWT, or that have none, beside those that say
	// that they are access tokens.
	Plain bool
	Log   *slog.Logger
}

// Checker is a gate.Checker. Make it with New.
type Checker struct {
	c       Config
	issuers map[string]*issuer
	now     func() time.Time

	mu     sync.Mutex
	proofs map[[sha256.Size]byte]proof // of tokens, by their sum
}

// proof is what a token says that was checked. It holds as long as the keys of
// the issuer are those that it was checked with.
type proof struct {
	claims gate.Claims
	issuer *issuer
	keys   time.Time // when they were fetched
}

// maxProofs bounds the tokens that are remembered.
const maxProofs = 4096

// New makes a checker.
func New(c Config) (*Checker, error) {
	resource, err := Canonical(c.Resource)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Resource, err)
	}
	c.Resource = resource
	k := &Checker{c: c, issuers: map[string]*issuer{}, proofs: map[[sha256.Size]byte]proof{}, now: time.Now}
	client := &http.Client{
		// A transport of its own, which keeps nothing open between two fetches.
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, MaxResponseHeaderBytes: 32 << 10},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	for _, name := range c.Issuers {
		if err := WrongIssuer(name); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		k.issuers[name] = &issuer{url: name, client: client, log: c.Log, time: fetchTime, now: func() time.Time { return k.now() }}
	}
	return k, nil
}

// Err is why no token can be checked at the moment, nil when those of an issuer
// can. It has missing keys fetched.
func (k *Checker) Err() error {
	var errs []error
	for _, i := range k.issuers {
		if _, ok := i.current(); ok {
			return nil
		}
		errs = append(errs, fmt.Errorf("there are no keys of %s", i.url))
	}
	return errors.Join(errs...)
}

// claims are what is read of a token.
type claims struct {
	jwt.Claims
	Scope any             `json:"scope"`
	Scp   any             `json:"scp"`
	Cnf   json.RawMessage `json:"cnf"`
}

func deny(why string) error { return &gate.Denied{Why: why} }

// Check checks a token.
func (k *Checker) Check(ctx context.Context, text string) (gate.Claims, error) {
	if len(text) > maxToken {
		return gate.Claims{}, deny("the token is too long")
	}
	sum := sha256.Sum256([]byte(text))
	if c, ok := k.proven(sum); ok {
		return c, nil
	}
	t, err := jwt.ParseSigned(text, algorithms)
	if err != nil || len(t.Headers) != 1 {
		return gate.Claims{}, deny("the token is no JWT that is signed with a key pair")
	}
	// What costs nothing is looked at first; nothing is believed before the signature is.
	var c claims
	if err := t.UnsafeClaimsWithoutVerification(&c); err != nil {
		return gate.Claims{}, deny("the claims of the token cannot be read")
	}
	i := k.issuers[c.Issuer]
	if i == nil {
		return gate.Claims{}, deny("the token is of an unknown issuer")
	}
	if err := k.fits(t, &c); err != nil {
		return gate.Claims{}, err
	}
	with, err := i.signed(ctx, t)
	if err != nil {
		return gate.Claims{}, err
	}
	said := gate.Claims{Principal: principal(c.Issuer, c.Subject), Scopes: append(words(c.Scope), words(c.Scp)...), Until: c.Expiry.Time().Add(leeway)}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.proofs) >= maxProofs {
		clear(k.proofs)
	}
	k.proofs[sum] = proof{said, i, with.fetched}
	return said, nil
}

// proven gives what a token says that was checked with the keys that there are.
func (k *Checker) proven(sum [sha256.Size]byte) (gate.Claims, bool) {
	k.mu.Lock()
	p, ok := k.proofs[sum]
	k.mu.Unlock()
	if !ok {
		return gate.Claims{}, false
	}
	now, ok := p.issuer.current()
	return p.claims, ok && now.fetched.Equal(p.keys) && k.now().Before(p.claims.Until)
}

// fits checks everything of a token but its signature.
func (k *Checker) fits(t *jwt.JSONWebToken, c *claims) error {
	typ, _ := t.Headers[0].ExtraHeaders[jose.HeaderType].(string)
	typ = strings.TrimPrefix(strings.ToLower(typ), "application/")
	now := k.now()
	switch {
	case typ != "at+jwt" && (!k.c.Plain || typ != "jwt" && typ != ""):
		return deny("the token is no access token (its typ is not at+jwt)")
	case !slices.ContainsFunc(c.Audience, func(a string) bool { own, err := Canonical(a); return err == nil && own == k.c.Resource }):
		return deny("the token was issued for another resource")
	case c.Expiry == nil:
		return deny("the token has no end (exp)")
	case !now.Before(c.Expiry.Time().Add(leeway)):
		return deny("the token has expired")
	case c.NotBefore != nil && now.Add(leeway).Before(c.NotBefore.Time()):
		return deny("the token is not valid yet")
	case c.IssuedAt == nil:
		return deny("the token does not say when it was issued (iat)")
	case now.Add(leeway).Before(c.IssuedAt.Time()):
		return deny("the token was issued in the future")
	case c.Subject == "" || len(c.Subject) > maxSubject:
		return deny("the token has no subject (sub), or a very long one")
	case len(c.Cnf) > 0 && string(c.Cnf) != "null":
		return deny("the token is bound to a key of its client (cnf), which this server cannot check")
	}
	return nil
}

// signed checks the signature of a token, and gives the keys that it was checked with.
func (i *issuer) signed(ctx context.Context, t *jwt.JSONWebToken) (set, error) {
	s, ok := i.current()
	known, err := verify(t, s.keys)
	if ok && (err == nil || known) {
		return s, err
	}
	if s, err = i.renewed(ctx); err != nil {
		return s, err // nobody can tell
	}
	_, err = verify(t, s.keys)
	return s, err
}

// verify checks a signature against the keys that it may be of. known is true
// where the token names one of them.
func verify(t *jwt.JSONWebToken, keys []jose.JSONWebKey) (known bool, err error) {
	h := t.Headers[0]
	err = deny("the token is signed with an unknown key")
	for n := range keys {
		key := &keys[n]
		if h.KeyID != "" && key.KeyID != h.KeyID || !slices.Contains(algorithmsOf(key), jose.SignatureAlgorithm(h.Algorithm)) {
			continue
		}
		known = h.KeyID != ""
		if t.Claims(key.Key) == nil {
			return known, nil
		}
		err = deny("the signature of the token is wrong")
	}
	return known, err
}

// words are those of a claim that is a text with blanks between them, or a list.
func words(claim any) (list []string) {
	switch claim := claim.(type) {
	case string:
		return strings.Fields(claim)
	case []any:
		for _, one := range claim {
			if text, ok := one.(string); ok {
				list = append(list, text)
			}
		}
	}
	return list
}

const maxPrincipal = 200

// principal is the name of an issuer's subject: auth.example#4711. No two
// subjects have the same, and no name of a token file has a #.
func principal(issuer, subject string) string {
	var b strings.Builder
	for _, c := range []byte(subject) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-._~@:+|", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	name := strings.TrimPrefix(issuer, "https://") + "#" + b.String()
	if len(name) > maxPrincipal {
		return fmt.Sprintf("##%x", sha256.Sum256([]byte(name)))
	}
	return name
}
