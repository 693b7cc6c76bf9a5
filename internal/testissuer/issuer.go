// Package testissuer is an OAuth authorization server for tests: it authorizes everybody at once and signs any token
// that a test asks for.
package testissuer

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	jose "github.com/go-jose/go-jose/v4"
)

// Issuer is an authorization server. New makes one.
type Issuer struct {
	URL     string
	Subject string // subject of the tokens that its token endpoint issues

	// Grant returns the scopes to grant of those that a client asked for; nil grants all.
	Grant func(asked string) string

	mu      sync.Mutex
	instead func(http.ResponseWriter, *http.Request) bool
	keys    []jose.JSONWebKey // private; the last one signs
	fetched int               // how often the keys were fetched
	codes   map[string]url.Values
	seen    []string // paths of requests
}

// New starts an issuer on the loopback interface, which ends with the test.
func New(t testing.TB) *Issuer {
	t.Helper()
	i := &Issuer{Subject: "ann", codes: map[string]url.Values{}}
	i.Rotate(t, "k1")
	s := httptest.NewServer(http.HandlerFunc(i.serve))
	t.Cleanup(s.Close)
	i.URL = s.URL
	return i
}

// Rotate replaces all keys by a new one.
func (i *Issuer) Rotate(t testing.TB, kid string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	i.Keys(jose.JSONWebKey{Key: key, KeyID: kid, Algorithm: "ES256", Use: "sig"})
}

// Keys sets the private keys. The last one signs.
func (i *Issuer) Keys(keys ...jose.JSONWebKey) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.keys = keys
}

// Key returns the private key that signs.
func (i *Issuer) Key() jose.JSONWebKey {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.keys[len(i.keys)-1]
}

// Answer makes f answer requests before the issuer does. f returns false to leave a request to the issuer.
func (i *Issuer) Answer(f func(http.ResponseWriter, *http.Request) bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.instead = f
}

// Fetched returns how often the keys were fetched.
func (i *Issuer) Fetched() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.fetched
}

// Seen returns the paths of all requests so far.
func (i *Issuer) Seen() []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return append([]string(nil), i.seen...)
}

// Claims returns the claims of a valid token, with changes; a nil value removes a claim.
func (i *Issuer) Claims(resource, scope string, changes map[string]any) map[string]any {
	now := time.Now()
	c := map[string]any{"iss": i.URL, "aud": resource, "sub": i.Subject, "client_id": "test", "jti": rand.Text(),
		"iat": now.Unix(), "exp": now.Add(time.Hour).Unix(), "scope": scope}
	maps.Copy(c, changes)
	maps.DeleteFunc(c, func(_ string, v any) bool { return v == nil })
	return c
}

// Sign signs claims as an access token with the issuer's key and adds headers; a nil value removes typ.
func (i *Issuer) Sign(t testing.TB, claims map[string]any, headers map[string]any) string {
	t.Helper()
	token, err := i.sign(claims, headers)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func (i *Issuer) sign(claims map[string]any, headers map[string]any) (string, error) {
	key := i.Key()
	all := map[string]any{"typ": "at+jwt", "kid": key.KeyID}
	maps.Copy(all, headers)
	o := &jose.SignerOptions{ExtraHeaders: map[jose.HeaderKey]any{}}
	for name, v := range all {
		if v != nil && v != "" {
			o.ExtraHeaders[jose.HeaderKey(name)] = v
		}
	}
	s, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.SignatureAlgorithm(key.Algorithm), Key: key.Key}, o)
	if err != nil {
		return "", err
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		return "", err
	}
	jws, err := s.Sign(payload)
	if err != nil {
		return "", err
	}
	return jws.CompactSerialize()
}

func (i *Issuer) serve(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	i.seen = append(i.seen, r.URL.Path)
	instead := i.instead
	i.mu.Unlock()
	if instead != nil && instead(w, r) {
		return
	}
	say := func(v any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v) // the client may be gone
	}
	switch r.URL.Path {
	case "/.well-known/oauth-authorization-server":
		say(map[string]any{"issuer": i.URL, "jwks_uri": i.URL + "/jwks", "authorization_endpoint": i.URL + "/authorize", "token_endpoint": i.URL + "/token",
			"registration_endpoint": i.URL + "/register", "response_types_supported": []string{"code"}, "grant_types_supported": []string{"authorization_code"},
			"code_challenge_methods_supported": []string{"S256"}, "token_endpoint_auth_methods_supported": []string{"none"},
			"authorization_response_iss_parameter_supported": true})
	case "/jwks":
		i.mu.Lock()
		i.fetched++
		var set jose.JSONWebKeySet
		for _, k := range i.keys {
			set.Keys = append(set.Keys, k.Public())
		}
		i.mu.Unlock()
		say(set)
	case "/register":
		var asked map[string]any
		if json.NewDecoder(r.Body).Decode(&asked) != nil {
			http.Error(w, "no JSON", http.StatusBadRequest)
			return
		}
		asked["client_id"] = "client-" + rand.Text()
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(asked) // the client may be gone
	case "/authorize":
		i.authorize(w, r)
	case "/token":
		i.token(w, r, say)
	default:
		http.NotFound(w, r)
	}
}

// authorize redirects the browser back with a code, without asking anybody.
func (i *Issuer) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	to, err := url.Parse(q.Get("redirect_uri"))
	if err != nil || to.Host == "" || q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" || q.Get("code_challenge") == "" || q.Get("resource") == "" {
		http.Error(w, "an authorization request needs response_type=code, PKCE, a redirect and a resource", http.StatusBadRequest)
		return
	}
	code := rand.Text()
	i.mu.Lock()
	i.codes[code] = q
	i.mu.Unlock()
	back := to.Query()
	back.Set("code", code)
	back.Set("iss", i.URL)
	if state := q.Get("state"); state != "" {
		back.Set("state", state)
	}
	to.RawQuery = back.Encode()
	http.Redirect(w, r, to.String(), http.StatusFound)
}

// token exchanges a code for a token.
func (i *Issuer) token(w http.ResponseWriter, r *http.Request, say func(any)) {
	fail := func(kind string) {
		w.WriteHeader(http.StatusBadRequest)
		say(map[string]string{"error": kind})
	}
	if r.ParseForm() != nil || r.PostForm.Get("grant_type") != "authorization_code" {
		fail("unsupported_grant_type")
		return
	}
	code := r.PostForm.Get("code")
	i.mu.Lock()
	asked, ok := i.codes[code]
	delete(i.codes, code)
	i.mu.Unlock()
	sum := sha256.Sum256([]byte(r.PostForm.Get("code_verifier")))
	if !ok || asked.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(sum[:]) || asked.Get("redirect_uri") != r.PostForm.Get("redirect_uri") ||
		asked.Get("resource") != r.PostForm.Get("resource") || asked.Get("client_id") != r.PostForm.Get("client_id") {
		fail("invalid_grant")
		return
	}
	scope := asked.Get("scope")
	if i.Grant != nil {
		scope = i.Grant(scope)
	}
	token, err := i.sign(i.Claims(asked.Get("resource"), scope, map[string]any{"client_id": asked.Get("client_id")}), nil)
	if err != nil {
		http.Error(w, fmt.Sprint(err), http.StatusInternalServerError)
		return
	}
	say(map[string]any{"access_token": token, "token_type": "Bearer", "expires_in": 3600, "scope": strings.TrimSpace(scope)})
}
