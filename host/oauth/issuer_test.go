package oauth

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/host/gate"
	"github.com/fcp-host/fcp-host/internal/testissuer"
)

func TestANewKeyIsFoundAndAnOldOneForgotten(t *testing.T) {
	i := testissuer.New(t)
	k, clock := checker(t, i, false)
	token := func(kid any) string {
		return i.Sign(t, i.Claims(resource, "fcp", map[string]any{"iat": clock.now().Unix(), "exp": clock.now().Add(time.Hour).Unix()}), map[string]any{"kid": kid})
	}
	old := token("k1")
	if _, err := k.Check(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	// However many tokens name unknown keys, the keys are fetched only now and then.
	for n := range 20 {
		refused(t, k, token(fmt.Sprint("no", n)), "unknown key")
	}
	if n := i.Fetched(); n != 1 {
		t.Errorf("the keys were fetched %d times within a moment", n)
	}
	clock.advance(pause)
	for n := range 20 {
		refused(t, k, token(fmt.Sprint("no", n)), "unknown key")
	}
	if n := i.Fetched(); n != 2 {
		t.Errorf("the keys were fetched %d times, want once more", n)
	}

	clock.advance(pause)
	i.Rotate(t, "k2")
	if _, err := k.Check(t.Context(), token("k2")); err != nil {
		t.Errorf("a new key: %v", err)
	}
	refused(t, k, old, "unknown key")
	// For a token without a key ID, new keys are fetched as well.
	clock.advance(pause)
	i.Rotate(t, "k3")
	if _, err := k.Check(t.Context(), token(nil)); err != nil {
		t.Errorf("a new key without a name: %v", err)
	}
}

func TestKeysAreUsedForAWhileWithoutTheirIssuer(t *testing.T) {
	i := testissuer.New(t)
	down := false
	var mu sync.Mutex
	i.Answer(func(w http.ResponseWriter, _ *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		if down {
			http.Error(w, "down", http.StatusBadGateway)
		}
		return down
	})
	set := func(v bool) { mu.Lock(); defer mu.Unlock(); down = v }
	k, clock := checker(t, i, false)
	check := func() error {
		_, err := k.Check(t.Context(), i.Sign(t, i.Claims(resource, "fcp", map[string]any{"iat": clock.now().Unix(), "exp": clock.now().Add(time.Hour).Unix()}), nil))
		return err
	}
	var denied *gate.Denied
	set(true)
	if err := check(); err == nil || errors.As(err, &denied) || k.Err() == nil {
		t.Errorf("without keys nobody can tell: %v", err)
	}
	clock.advance(pause)
	set(false)
	if err := check(); err != nil || k.Err() != nil {
		t.Fatal(err, k.Err())
	}
	set(true)
	clock.advance(stale - time.Second)
	if err := check(); err != nil {
		t.Errorf("old keys: %v", err)
	}
	clock.advance(time.Minute)
	if err := check(); err == nil || errors.As(err, &denied) || k.Err() == nil {
		t.Errorf("keys that are too old: %v", err)
	}
}

func TestBadAnswersOfAnIssuerAreNotUsed(t *testing.T) {
	const metadata = "/.well-known/oauth-authorization-server"
	i := testissuer.New(t)
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	var log bytes.Buffer
	for want, serve := range map[string]func(http.ResponseWriter, *http.Request) bool{
		"answered with more than 256 KiB": func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != "/jwks" {
				return false
			}
			for range 100 {
				if _, err := w.Write(make([]byte, 64<<10)); err != nil {
					break
				}
			}
			return true
		},
		"did not answer with JSON": func(w http.ResponseWriter, r *http.Request) bool {
			fmt.Fprint(w, "<html>")
			return true
		},
		"is the metadata of another issuer": func(w http.ResponseWriter, r *http.Request) bool {
			fmt.Fprintf(w, `{"issuer":"https://evil.example","jwks_uri":"%s/jwks"}`, i.URL)
			return r.URL.Path == metadata
		},
		"it must begin with https://": func(w http.ResponseWriter, r *http.Request) bool {
			fmt.Fprintf(w, `{"issuer":"%s","jwks_uri":"http://10.0.0.1/jwks"}`, i.URL)
			return true
		},
		"it is not a URL": func(w http.ResponseWriter, r *http.Request) bool {
			fmt.Fprintf(w, `{"issuer":"%s","jwks_uri":"file:///etc/passwd"}`, i.URL)
			return true
		},
		"302 Found": func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, "http://169.254.169.254/", http.StatusFound)
			return true
		},
		"holds no key that tokens may be signed with": func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != "/jwks" {
				return false
			}
			fmt.Fprint(w, `{"keys":[{"kty":"oct","kid":"k1","k":"c2VjcmV0"},{"kty":"new"},7,{"kty":"RSA","kid":"k1","n":"AQAB","e":"AQAB"}]}`)
			return true
		},
		"no key that tokens may be signed with": func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != "/jwks" {
				return false
			}
			key := i.Key()
			data, err := key.Public().MarshalJSON()
			if err != nil {
				t.Error(err)
			}
			// Keys that their owner uses for something else.
			for _, use := range []string{`"key_ops":["encrypt"]`, `"key_ops":[]`, `"key_ops":["sign","Verify"]`, `"key_ops":"verify"`, `"use":"enc"`} {
				other := strings.Replace(string(data), `"use":"sig"`, use, 1)
				if !strings.Contains(other, use) {
					t.Errorf("the key is %s", data)
				}
				data = append([]byte(other+","), data...)
			}
			fmt.Fprintf(w, `{"keys":[%s]}`, data[:bytes.LastIndexByte(data, '{')-1])
			return true
		},
		"holds more than 64 keys": func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != "/jwks" {
				return false
			}
			fmt.Fprintf(w, `{"keys":[0%s]}`, strings.Repeat(",0", maxKeys))
			return true
		},
		"deadline exceeded": func(http.ResponseWriter, *http.Request) bool { return false }, // below
	} {
		i.Answer(serve)
		k, _ := checker(t, i, false)
		own := k.issuers[i.URL]
		own.log = slog.New(slog.NewTextHandler(&log, nil))
		if want == "deadline exceeded" {
			own.time = time.Millisecond
			i.Answer(func(http.ResponseWriter, *http.Request) bool { <-release; return true })
		}
		_, err := k.Check(t.Context(), i.Sign(t, i.Claims(resource, "fcp", nil), nil))
		var denied *gate.Denied
		if err == nil || errors.As(err, &denied) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want: %s", err, want)
		}
	}
	if !strings.Contains(log.String(), "cannot be fetched") {
		t.Errorf("logged %s", log.String())
	}
}

func TestAnIssuerIsFoundByOpenIDDiscoveryToo(t *testing.T) {
	i := testissuer.New(t)
	base := i.URL
	i.URL += "/tenant"
	own := i.URL
	i.Answer(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/tenant/.well-known/openid-configuration" {
			fmt.Fprintf(w, `{"issuer":"%s","jwks_uri":"%s/jwks"}`, own, base)
			return true
		}
		return false
	})
	k, _ := checker(t, i, false)
	if _, err := k.Check(t.Context(), i.Sign(t, i.Claims(resource, "fcp", nil), nil)); err != nil {
		t.Error(err)
	}
	want := "[/.well-known/oauth-authorization-server/tenant /.well-known/openid-configuration/tenant /tenant/.well-known/openid-configuration /jwks]"
	if got := fmt.Sprint(i.Seen()); got != want {
		t.Errorf("asked %s, want %s", got, want)
	}
	if got := wellKnown("https://a.example/"); len(got) != 2 || got[1] != "https://a.example/.well-known/openid-configuration" {
		t.Errorf("with a slash at its end: %v", got)
	}
}

func TestAddressesOfIssuersAndResources(t *testing.T) {
	for text, ok := range map[string]bool{"https://auth.example": true, "https://auth.example/t/": true, "http://127.0.0.1:8": true, "http://localhost": true, "http://[::1]:8": true,
		"http://auth.example": false, "ftp://auth.example": false, "auth.example": false, "": false, "https://": false, "https://a@auth.example": false,
		"https://auth.example#x": false, "https://auth.example?x": false, "https://auth.example/\"": false, "https://auth.example/" + strings.Repeat("x", maxURL): false} {
		if err := WrongIssuer(text); (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
	for text, want := range map[string]string{"HTTPS://Edit.Example:443/MCP/": "https://edit.example/MCP", "http://127.0.0.1:8080/mcp": "http://127.0.0.1:8080/mcp",
		"https://edit.example:8443": "https://edit.example:8443", "https://edit.example/": "https://edit.example", "http://[::1]:80/mcp": "http://[::1]/mcp",
		"edit.example": "", "https://edit.example#": "", "https://edit.example?a": "", "urn:x": "", "https://u@edit.example": ""} {
		if got, _ := Canonical(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
