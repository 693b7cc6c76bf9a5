package oauth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	jose "github.com/go-jose/go-jose/v4"

	"github.com/fcp-host/fcp-host/host/gate"
	"github.com/fcp-host/fcp-host/internal/testissuer"
)

func TestAValidTokenNamesItsPrincipal(t *testing.T) {
	i := testissuer.New(t)
	k, _ := checker(t, i, false)
	ends := time.Now().Add(time.Minute).Truncate(time.Second)
	for _, c := range []struct{ claims, headers map[string]any }{
		{map[string]any{"exp": ends.Unix()}, nil},
		{map[string]any{"exp": ends.Unix(), "aud": []string{"other", "HTTPS://Edit.Example:443/mcp/"}}, map[string]any{"typ": "application/AT+JWT"}},
		{map[string]any{"exp": ends.Unix(), "scope": nil, "scp": []string{"fcp:midi:read", "profile"}}, nil},
		{map[string]any{"exp": ends.Unix(), "scope": nil, "scp": "fcp:midi:read profile"}, map[string]any{"kid": nil}},
	} {
		got, err := k.Check(t.Context(), i.Sign(t, i.Claims(resource, "fcp:midi:read profile", c.claims), c.headers))
		want := gate.Claims{Principal: i.URL + "#ann", Scopes: []string{"fcp:midi:read", "profile"}, Until: ends.Add(leeway)}
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%v: got %v %v, want %v", c.claims, got, err, want)
		}
	}
	if i.Fetched() != 1 {
		t.Errorf("the keys were fetched %d times", i.Fetched())
	}
}

func TestEachAlgorithmOfTheListIsAccepted(t *testing.T) {
	small, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	keys := map[jose.SignatureAlgorithm]crypto.Signer{jose.EdDSA: ed}
	for _, a := range algorithms[:6] {
		keys[a] = small
	}
	for a, curve := range map[jose.SignatureAlgorithm]elliptic.Curve{jose.ES256: elliptic.P256(), jose.ES384: elliptic.P384(), jose.ES512: elliptic.P521()} {
		if keys[a], err = ecdsa.GenerateKey(curve, rand.Reader); err != nil {
			t.Fatal(err)
		}
	}
	i := testissuer.New(t)
	for n, a := range algorithms {
		i.Keys(jose.JSONWebKey{Key: keys[a], KeyID: fmt.Sprint("k", n), Algorithm: string(a)})
		k, _ := checker(t, i, false)
		if _, err := k.Check(t.Context(), i.Sign(t, i.Claims(resource, "fcp", nil), nil)); err != nil {
			t.Errorf("%s: %v", a, err)
		}
	}
}

func TestInvalidTokensAreRefused(t *testing.T) {
	i := testissuer.New(t)
	k, _ := checker(t, i, false)
	now := time.Now()
	for why, c := range map[string]struct{ claims, headers map[string]any }{
		"unknown issuer":      {claims: map[string]any{"iss": "https://evil.example"}},
		"another resource":    {claims: map[string]any{"aud": "https://edit.example/other"}},
		"another resource ":   {claims: map[string]any{"aud": nil}},
		"no expiry":           {claims: map[string]any{"exp": nil}},
		"expired":             {claims: map[string]any{"exp": now.Add(-time.Minute).Unix()}},
		"not valid yet":       {claims: map[string]any{"nbf": now.Add(time.Minute).Unix()}},
		"when it was issued":  {claims: map[string]any{"iat": nil}},
		"in the future":       {claims: map[string]any{"iat": now.Add(time.Minute).Unix()}},
		"no subject":          {claims: map[string]any{"sub": nil}},
		"a very long one":     {claims: map[string]any{"sub": strings.Repeat("x", 256)}},
		"cnf":                 {claims: map[string]any{"cnf": map[string]any{"jkt": "x"}}},
		"cannot be read":      {claims: map[string]any{"exp": "tomorrow"}},
		"typ is not at+jwt":   {headers: map[string]any{"typ": "JWT"}},
		"typ is not at+jwt ":  {headers: map[string]any{"typ": nil}},
		"typ is not at+jwt  ": {headers: map[string]any{"typ": "logout+jwt"}},
		"unknown key":         {headers: map[string]any{"kid": "other"}},
		"too long":            {claims: map[string]any{"pad": strings.Repeat("x", maxToken)}},
	} {
		refused(t, k, i.Sign(t, i.Claims(resource, "fcp", c.claims), c.headers), strings.TrimSpace(why))
	}
	// Clocks may differ by a little.
	if _, err := k.Check(t.Context(), i.Sign(t, i.Claims(resource, "fcp", map[string]any{"exp": now.Add(-10 * time.Second).Unix(), "iat": now.Add(10 * time.Second).Unix()}), nil)); err != nil {
		t.Error(err)
	}
}

func TestSignaturesThatProveNothingAreRefused(t *testing.T) {
	i := testissuer.New(t)
	k, _ := checker(t, i, false)
	good := i.Sign(t, i.Claims(resource, "fcp", nil), nil)
	parts := strings.Split(good, ".")
	header := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	refused(t, k, header(`{"alg":"none","typ":"at+jwt"}`)+"."+parts[1]+".", "not a JWT")
	refused(t, k, header(`{"alg":"None","typ":"at+jwt"}`)+"."+parts[1]+"."+parts[2], "not a JWT")
	refused(t, k, parts[0]+"."+parts[1]+".", "signature")
	refused(t, k, "", "not a JWT")
	refused(t, k, "ann-0123456789abcdef", "not a JWT")
	refused(t, k, parts[0]+"."+parts[1]+"."+parts[2][:len(parts[2])-4]+"AAAA", "signature")
	claims := header(`{"iss":"` + i.URL + `","aud":"` + resource + `","sub":"root","scope":"fcp","iat":1,"exp":99999999999}`)
	refused(t, k, parts[0]+"."+claims+"."+parts[2], "signature")

	// The public key, which everybody has, as the secret of HS256.
	signing := i.Key()
	public, err := json.Marshal(signing.Public())
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range [][]byte{public, []byte("k1"), nil} {
		s, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.HS256, Key: append(secret, make([]byte, 32)...)},
			(&jose.SignerOptions{}).WithType("at+jwt").WithHeader("kid", "k1"))
		if err != nil {
			t.Fatal(err)
		}
		body, _ := base64.RawURLEncoding.DecodeString(parts[1])
		jws, err := s.Sign(body)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := jws.CompactSerialize()
		refused(t, k, text, "not a JWT")
	}

	// A key of the attacker's own, which the token brings or names.
	evil := testissuer.New(t)
	own := evil.Key()
	text := evil.Sign(t, i.Claims(resource, "fcp", nil), map[string]any{"jwk": own.Public(), "jku": evil.URL + "/jwks", "x5u": evil.URL + "/x5u"})
	refused(t, k, text, "signature")
	text = evil.Sign(t, i.Claims(resource, "fcp", nil), map[string]any{"kid": "k2", "jku": evil.URL + "/jwks"})
	refused(t, k, text, "unknown key")
	if len(evil.Seen()) > 0 {
		t.Errorf("the token had %v fetched", evil.Seen())
	}
	// A header that has to be understood and is not.
	refused(t, k, i.Sign(t, i.Claims(resource, "fcp", nil), map[string]any{"crit": []string{"x"}, "x": 1}), "signature")
}

func TestPlainTokensAreAcceptedIfConfigured(t *testing.T) {
	i := testissuer.New(t)
	k, _ := checker(t, i, true)
	for _, typ := range []any{"JWT", nil, "at+jwt"} {
		if _, err := k.Check(t.Context(), i.Sign(t, i.Claims(resource, "fcp", nil), map[string]any{"typ": typ})); err != nil {
			t.Errorf("%v: %v", typ, err)
		}
	}
	refused(t, k, i.Sign(t, i.Claims(resource, "fcp", nil), map[string]any{"typ": "logout+jwt"}), "typ")
}

func TestACachedTokenExpiresInTime(t *testing.T) {
	i := testissuer.New(t)
	k, clock := checker(t, i, false)
	token := i.Sign(t, i.Claims(resource, "fcp", map[string]any{"exp": time.Now().Add(time.Minute).Unix()}), nil)
	for range 2 {
		if _, err := k.Check(t.Context(), token); err != nil {
			t.Fatal(err)
		}
	}
	clock.advance(time.Minute + leeway)
	refused(t, k, token, "expired")
	// The number of remembered tokens is limited.
	for n := range maxProofs + 10 {
		k.proofs[[32]byte{byte(n), byte(n >> 8), 1}] = proof{}
	}
	if _, err := k.Check(t.Context(), i.Sign(t, i.Claims(resource, "fcp", nil), nil)); err != nil || len(k.proofs) > maxProofs {
		t.Errorf("%d tokens are remembered, %v", len(k.proofs), err)
	}
}

func TestNoTwoSubjectsHaveOnePrincipal(t *testing.T) {
	long := strings.Repeat("ü", 120)
	seen := map[string]string{}
	for _, c := range [][2]string{{"https://a.example", "ann"}, {"https://a.example/t", "ann"}, {"http://127.0.0.1:1", "ann"}, {"https://a.example", "ann#2"},
		{"https://a.example", "ann%232"}, {"https://a.example", "an n"}, {"https://a.example", "\x1b[31mann\n"}, {"https://a.example", long}, {"https://a.example", long + "x"}, {"https://a.example", "Ann"}} {
		p := principal(c[0], c[1])
		if other, ok := seen[p]; ok {
			t.Errorf("%q is %q and %q", p, c, other)
		}
		seen[p] = fmt.Sprint(c)
		if !strings.Contains(p, "#") || len(p) > maxPrincipal || strings.ContainsFunc(p, func(r rune) bool { return r <= ' ' || r > '~' }) {
			t.Errorf("%q is the principal of %q", p, c)
		}
	}
	if got := principal("https://auth.example/t", "auth0|4711"); got != "auth.example/t#auth0|4711" {
		t.Error(got)
	}
}

// BenchmarkCheck measures what a token adds to a request.
func BenchmarkCheck(b *testing.B) {
	i := testissuer.New(b)
	k, err := New(Config{Issuers: []string{i.URL}, Resource: resource, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	token := i.Sign(b, i.Claims(resource, "fcp", nil), nil)
	for b.Loop() {
		clear(k.proofs)
		if _, err := k.Check(b.Context(), token); err != nil {
			b.Fatal(err)
		}
	}
}
