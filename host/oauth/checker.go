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

// Limits of a token.
const (
	maxToken   = 16 << 10
	maxSubject = 255
	leeway     = 30 * time.Second // maximum difference of clocks
)

// algorithms are the accepted signature algorithms, all of them with public keys.
var algorithms = []jose.SignatureAlgorithm{jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512,
	jose.ES256, jose.ES384, jose.ES512, jose.EdDSA}

// Config says which tokens are valid.
type Config struct {
	Issuers  []string // as in tokens: see WrongIssuer
	Resource string   // the audience that tokens must have: see Canonical
	// Plain also accepts tokens whose typ is JWT or missing, not only those declared as access tokens.
	Plain bool
	Log   *slog.Logger
}

// Checker implements gate.Checker. Make it with New.
type Checker struct {
	c       Config
	issuers map[string]*issuer
	now     func() time.Time

	mu     sync.Mutex
	proofs map[[sha256.Size]byte]proof // by the token's hash
}

// proof is the checked content of a token. It is valid as long as the issuer's keys are those it was checked with.
type proof struct {
	claims gate.Claims
	issuer *issuer
	keys   time.Time // when the keys were fetched
}

// maxProofs is how many proofs are cached. When there are more, the cache is cleared.
const maxProofs = 4096

// New returns a checker.
func New(c Config) (*Checker, error) {
	resource, err := Canonical(c.Resource)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Resource, err)
	}
	c.Resource = resource
	k := &Checker{c: c, issuers: map[string]*issuer{}, proofs: map[[sha256.Size]byte]proof{}, now: time.Now}
	client := &http.Client{
		// Its own transport keeps no connection open between fetches.
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

// Err returns why no token can be checked now, or nil if those of some issuer can. It starts fetching missing keys.
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

// claims are the fields of a token that are used.
type claims struct {
	jwt.Claims
	Scope any             `json:"scope"`
	Scp   any             `json:"scp"`
	Cnf   json.RawMessage `json:"cnf"`
}

func deny(why string) error { return &gate.Denied{Why: why} }

// Check implements gate.Checker.
func (k *Checker) Check(ctx context.Context, text string) (gate.Claims, error) {
	if len(text) > maxToken {
		return gate.Claims{}, deny("the token is too long")
	}
	sum := sha256.Sum256([]byte(text))
	if c, ok := k.cachedClaims(sum); ok {
		return c, nil
	}
	t, err := jwt.ParseSigned(text, algorithms)
	if err != nil || len(t.Headers) != 1 {
		return gate.Claims{}, deny("the token is not a JWT signed with a key pair")
	}
	// Cheap checks come first, but nothing is trusted before the signature is checked.
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
	with, err := i.checkSignature(ctx, t)
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

// cachedClaims returns the cached content of a token, if it was checked with the present keys.
func (k *Checker) cachedClaims(sum [sha256.Size]byte) (gate.Claims, bool) {
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
		return deny("the token is not an access token (its typ is not at+jwt)")
	case !slices.ContainsFunc(c.Audience, func(a string) bool { own, err := Canonical(a); return err == nil && own == k.c.Resource }):
		return deny("the token was issued for another resource")
	case c.Expiry == nil:
		return deny("the token has no expiry (exp)")
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

// checkSignature checks the signature of a token, and returns the keys that it was checked with.
func (i *issuer) checkSignature(ctx context.Context, t *jwt.JSONWebToken) (set, error) {
	s, ok := i.current()
	known, err := verify(t, s.keys)
	if ok && (err == nil || known) {
		return s, err
	}
	if s, err = i.renew(ctx); err != nil {
		return s, err // cannot be determined
	}
	_, err = verify(t, s.keys)
	return s, err
}

// verify checks a signature with the keys that it may be of. known is true if the token names one of them.
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

// words returns the words of a claim: a text with blanks between them, or a list.
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

// principal returns the name of an issuer's subject, such as auth.example#4711. No
// two subjects have the same name, and no name in a token file has a #.
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
