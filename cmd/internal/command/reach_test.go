package command

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// worldKey is the secret of these tests.
const worldKey = "s3cret/Key+of=the~tests"

// seen records the requests that a test server received, as "METHOD path".
type seen struct {
	mu   sync.Mutex
	list []string
}

func (s *seen) add(r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = append(s.list, r.Method+" "+r.URL.EscapedPath())
}

// count returns how often a request was received.
func (s *seen) count(request string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.list {
		if r == request {
			n++
		}
	}
	return n
}

func (s *seen) all() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.list)
}

// serveRecorded runs a server on the loopback and records its requests.
func serveRecorded(t testing.TB, h http.HandlerFunc) (url string, s *seen) {
	t.Helper()
	s = &seen{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.add(r)
		h(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL, s
}

// echoRequest is a handler that answers with the request.
func echoRequest(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	fmt.Fprintf(w, "%s %s %s", r.Method, r.URL.Path, body)
}

// worldConfig writes a configuration with these settings for the world plugin and with the variables WORLD_URL and
// WORLD_KEY, and returns the arguments to use it.
func worldConfig(t testing.TB, url, key, settings string) (args []string) {
	t.Helper()
	dir := t.TempDir()
	for name, value := range map[string]string{"url": url, "key": key} {
		if value != "" {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(value+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	file := filepath.Join(dir, "fcp-host.toml")
	text := fmt.Sprintf("[variables]\nWORLD_URL = \"url\"\nWORLD_KEY = \"key\"\n[[plugin]]\nfile = %q\n%s\n", testwasm.World(t), settings)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"--config", file, "--plugin", testwasm.World(t)}
}

// askWorld calls a tool of the world plugin and returns the answer.
func (a *arena) askWorld(tool, text string) answer {
	a.t.Helper()
	key := "action"
	if strings.HasSuffix(tool, "_query") {
		key = "q"
	}
	return a.wait(a.send(tool, map[string]any{key: text}))
}

func TestADomainReachesWhatItWasGrantedAndNothingElse(t *testing.T) {
	t.Parallel()
	url, saw := serveRecorded(t, echoRequest)
	for _, tt := range []struct {
		name, settings string
		args           []string
		calls          []struct{ tool, text, want string }
		requests       int
	}{
		{"nothing is granted", "", nil, []struct{ tool, text, want string }{
			{"world_query", "get a", "get: it needs http:api, which is not granted; start fcp-host with --grant world=http:api"},
			{"world_session", "push a", "push: it needs http:api, which is not granted; start fcp-host with --grant world=http:api"},
			{"world_session", "export printed as:./p.txt", "export printed: it needs http:api, which is not granted"},
			{"world_query", "send GET a", "which is not granted; start fcp-host with --grant world=http:api (refused)"},
			{"world_query", "status", "wants: http:api, which is not granted"},
			{"world_query", "can", ""},
		}, 0},
		{"by the configuration", `grant = ["http:api"]`, nil, []struct{ tool, text, want string }{
			{"world_query", "get a b", "200 GET /a/b"},
			{"world_session", "push a body:hello", `pushed 200 POST /a {"text":"hello"}`},
			{"world_session", "export printed as:./p.txt", "exported p.txt"},
			{"world_query", "send POST a", "only reads"},
			{"world_session", "do-send DELETE a", "200 DELETE /a"},
			{"world_query", "send GET a endpoint:other", "does not list http:other"},
			{"world_query", "send GET a endpoint:mute", "it needs http:mute, which is not granted; start fcp-host with --grant world=http:mute"},
			{"world_query", "can", "http:api"},
			{"world_query", "status", "wants: http:api, which is granted"},
		}, 4},
		{"by a flag", "", []string{"--grant", "world=http:api", "--grant", "world=http:mute"}, []struct{ tool, text, want string }{
			{"world_query", "get a", "200 GET /a"},
			{"world_query", "send GET a endpoint:mute", "only reads may not use http:mute"},
			{"world_session", "do-send GET a endpoint:mute", "200 GET /a"},
		}, 2},
		{"narrowed", `grant = [{want = "http:api", base = "` + url + `/below", methods = ["GET", "PUT"], reads = false}]`, []string{"--grant", "world=http:api"}, []struct{ tool, text, want string }{
			{"world_query", "get a", "its grant has reads = false"},
			{"world_session", "do-get a", "200 GET /below/a"},
			{"world_session", "push a", "the grant of http:api does not allow the method POST, only GET, PUT"},
		}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := saw.all()
			a := startArena(t, append(worldConfig(t, url, worldKey, tt.settings), tt.args...)...)
			a.session("world", `new "W"`)
			for _, c := range tt.calls {
				if got := a.askWorld(c.tool, c.text); !strings.Contains(got.text, c.want) {
					t.Errorf("%s %s: %s\nwant %q", c.tool, c.text, got.text, c.want)
				}
			}
			if n := saw.all() - before; n != tt.requests {
				t.Errorf("the server saw %d requests, want %d: %q", n, tt.requests, saw.list[before:])
			}
			os.Remove(filepath.Join(a.dir, "p.txt"))
			a.checkUnharmed()
		})
	}
}

// A secret file that others can read is not used, and the error does not contain the secret.
func TestASecretFileMustBePrivate(t *testing.T) {
	t.Parallel()
	url, saw := serveRecorded(t, echoRequest)
	for _, tt := range []struct {
		name, key, want string
		change          func(path string) error
	}{
		{"others may open it", worldKey, "WORLD_KEY cannot be read: ", func(path string) error { return os.Chmod(path, 0o644) }},
		{"it is not there", worldKey, "WORLD_KEY cannot be read: ", os.Remove},
		{"it is empty", worldKey, "WORLD_KEY is not set", func(path string) error { return os.WriteFile(path, nil, 0o600) }},
		{"it is short", "short", "the value of WORLD_KEY is shorter than 8 characters", func(string) error { return nil }},
		{"it is two lines", worldKey + "\n" + worldKey, "the value of WORLD_KEY has characters other than visible ASCII", func(string) error { return nil }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			args := worldConfig(t, url, tt.key, `grant = ["http:api"]`)
			if err := tt.change(filepath.Join(filepath.Dir(args[1]), "key")); err != nil {
				t.Fatal(err)
			}
			a := startArena(t, args...)
			a.session("world", `new "W"`)
			if got := a.askWorld("world_query", "get a"); !strings.Contains(got.text, tt.want) || leaks(got.text) {
				t.Errorf("got %s", got.text)
			}
			if got := a.must("world_query", map[string]any{"q": "can"}); strings.Contains(got, "http:api") {
				t.Errorf("it can %s", got)
			}
		})
	}
	t.Cleanup(func() {
		if saw.all() != 0 {
			t.Errorf("the server saw %q", saw.list)
		}
	})
}
