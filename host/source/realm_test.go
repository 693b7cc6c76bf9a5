package source

import (
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/registry"
)

// A registry may name any server as the one that sells tokens for its password.
func TestAPasswordIsSentToAnotherServerOnlyAfterAsking(t *testing.T) {
	for _, secret := range []string{`"auth":"` + base64.StdEncoding.EncodeToString([]byte("me:secret")) + `"`, `"identitytoken":"secret"`} {
		s := newShop(t, &registry.Registry{})
		s.Manifest("thing", "1", imageManifest, manifestFor(s.Put(module), len(module), ""))
		config := `{"auths":{"r.example":{` + secret + `}}}`
		if err := os.WriteFile(filepath.Join(os.Getenv("DOCKER_CONFIG"), "config.json"), []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
		logins := 0
		s.o.Transport = world{
			"https://r.example": http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				if req.Header.Get("Authorization") != "Bearer tok" {
					w.Header().Set("WWW-Authenticate", `Bearer realm="https://t.example/token",service="r"`)
					w.WriteHeader(http.StatusUnauthorized)
					return
				}
				s.ServeHTTP(w, req)
			}),
			"https://t.example": http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				logins++
				io.WriteString(w, `{"token":"tok","access_token":"tok"}`)
			}),
		}
		if _, err := Fetch(ctx, "oci://r.example/thing:1", s.o); err == nil || !strings.Contains(err.Error(), "r.example wants its password to be sent to t.example") || logins != 0 {
			t.Errorf("%s: without asking: %v, %d logins", secret, err, logins)
		}
		asked := 0
		s.o.MaySend = func(home, server string) error {
			asked++
			if home != "r.example" || server != "t.example" {
				t.Errorf("asked for %s at %s", home, server)
			}
			return nil
		}
		if m, err := Fetch(ctx, "oci://r.example/thing:1", s.o); err != nil || len(m.Wasm) != len(module) || asked != 1 || logins == 0 {
			t.Errorf("%s: after a yes: %v, asked %d times, %d logins", secret, err, asked, logins)
		}
		s.o.MaySend, logins = func(string, string) error { return errors.New("no") }, 0
		if _, err := Fetch(ctx, "oci://r.example/thing:1", s.o); err == nil || logins != 0 {
			t.Errorf("%s: after a no: %v, %d logins", secret, err, logins)
		}
	}
}
