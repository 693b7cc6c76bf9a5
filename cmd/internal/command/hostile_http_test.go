package command

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// asNamed makes the test binary, run as fcp-host, resolve every name with the DNS server at this address.
const asNamed = "FCP_HOST_TEST_DNS"

// useDNSServer makes this process resolve names with the DNS server at an address.
func useDNSServer(at string) {
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", at)
	}}
}

// startDNSServer runs a DNS server on the loopback that answers every name with what next returns, and sets the environment
// so that a host uses it.
func startDNSServer(t *testing.T, next func() []netip.Addr) {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			conn.WriteTo(dnsAnswer(buf[:n], next), from)
		}
	}()
	t.Cleanup(func() { conn.Close(); <-done })
	t.Setenv(asNamed, conn.LocalAddr().String())
}

// dnsAnswer answers a DNS question with the addresses of its type.
func dnsAnswer(query []byte, next func() []netip.Addr) []byte {
	end := 12
	for query[end] != 0 {
		end += int(query[end]) + 1
	}
	end += 5
	kind := binary.BigEndian.Uint16(query[end-4:])
	out := append([]byte(nil), query[:end]...)
	out[2], out[3] = 0x81, 0x80
	binary.BigEndian.PutUint32(out[8:], 0)
	n := uint16(0)
	for _, a := range next() {
		if a.Is4() != (kind == 1) || kind != 1 && kind != 28 {
			continue
		}
		n++
		raw := a.AsSlice()
		out = append(out, 0xc0, 12, byte(kind>>8), byte(kind), 0, 1, 0, 0, 0, 0, 0, byte(len(raw)))
		out = append(out, raw...)
	}
	binary.BigEndian.PutUint16(out[6:], n)
	return out
}

// raw runs a server that answers each request with bytes that answer writes.
func raw(t testing.TB, answer func(w net.Conn, r *http.Request)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				in := bufio.NewReader(conn)
				for {
					r, err := http.ReadRequest(in)
					if err != nil {
						return
					}
					io.Copy(io.Discard, r.Body)
					answer(conn, r)
				}
			}()
		}
	}()
	return "http://" + l.Addr().String()
}

// forms returns the encodings of a secret that the host must remove from answers.
func forms(secret string) []string {
	out := []string{secret, url.QueryEscape(secret), url.PathEscape(secret), strings.ReplaceAll(secret, "/", `\/`), percents(secret), escapes(secret)}
	for _, before := range []string{"", "B", "Be", "Bearer "} {
		for _, e := range []*base64.Encoding{base64.StdEncoding, base64.RawURLEncoding} {
			out = append(out, e.EncodeToString([]byte(before+secret+"!")))
		}
	}
	return out
}

func percents(s string) (out string) {
	for _, c := range []byte(s) {
		out += fmt.Sprintf("%%%02x", c)
	}
	return out
}

func escapes(s string) (out string) {
	for _, c := range []byte(s) {
		out += fmt.Sprintf(`\u%04x`, c)
	}
	return out
}

// leaks reports whether text contains the secret in some form, including base64 of a longer text.
func leaks(text string) bool {
	for _, f := range forms(worldKey) {
		if strings.Contains(text, f) || len(f) > 16 && strings.Contains(text, f[8:len(f)-4]) {
			return true
		}
	}
	return false
}

// zeros returns a gzip stream of n zeros, repeated that many times.
func zeros(t testing.TB, n int64, times int) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.CopyN(z, zero{}, n); err != nil {
		t.Fatal(err)
	}
	z.Close()
	return bytes.Repeat(b.Bytes(), times)
}

type zero struct{}

func (zero) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// Whatever a server sends, the host bounds its size, stays within the grant and passes no secret on.
func TestAHostileServerHurtsNothingButItsOwnAnswer(t *testing.T) {
	t.Parallel()
	elsewhere, strayed := serveRecorded(t, echoRequest)
	bomb := zeros(t, 1<<20, 1<<10)
	secret := ""
	type path = map[string]http.HandlerFunc
	redirect := func(to string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) }
	}
	forever := func(before func(w http.ResponseWriter), chunk string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			before(w)
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, chunk); err != nil {
					return
				}
				w.(http.Flusher).Flush()
			}
		}
	}
	handlers := path{
		"/api/out":    redirect(elsewhere + "/stolen"),
		"/api/up":     redirect("/other/stolen"),
		"/api/dots":   redirect("/api/%2e%2e/stolen"),
		"/api/scheme": redirect("ftp://127.0.0.1/x"),
		"/api/user":   redirect("http://a:b@127.0.0.1/api/x"),
		"/api/circle": redirect("/api/circle"),
		"/api/within": redirect("/api/found"),
		"/api/found":  echoRequest,
		"/api/claims": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "2147483648")
			io.WriteString(w, "x")
		},
		"/api/endless": forever(func(http.ResponseWriter) {}, strings.Repeat("x", 1<<16)),
		"/api/slow": func(w http.ResponseWriter, r *http.Request) {
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		},
		"/api/never":  func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"/api/stream": forever(func(w http.ResponseWriter) { w.Header().Set("Content-Type", "text/event-stream") }, strings.Repeat("data: x\n\n", 1000)),
		"/api/bomb": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(bomb)
		},
		"/api/empties": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			for empties := zeros(t, 0, 1000); r.Context().Err() == nil; {
				if _, err := w.Write(empties); err != nil {
					return
				}
			}
		},
		"/api/brotli": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "br")
			io.WriteString(w, "x")
		},
		"/api/headers": func(w http.ResponseWriter, r *http.Request) {
			for i := range 2000 {
				w.Header().Set(fmt.Sprintf("X-%d", i), strings.Repeat("x", 100))
			}
		},
		"/api/cookies": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Set-Cookie", "a=b")
			io.WriteString(w, "no cookie")
		},
		"/api/big": func(w http.ResponseWriter, r *http.Request) { w.Write(make([]byte, 8<<20)) },
		"/api/echo": func(w http.ResponseWriter, r *http.Request) {
			secret = r.Header.Get("Authorization")
			for i, f := range forms(strings.TrimPrefix(secret, "Bearer ")) {
				w.Header().Set(fmt.Sprintf("X-E%d", i), f)
				fmt.Fprintln(w, f, `{"k":"`+f+`"}`)
			}
		},
	}
	base, saw := serveRecorded(t, func(w http.ResponseWriter, r *http.Request) {
		if h := handlers[r.URL.Path]; h != nil {
			h(w, r)
			return
		}
		echoRequest(w, r)
	})
	within := func(timeout string) *arena {
		a := startArena(t, append(worldConfig(t, base+"/api", worldKey, `grant = ["http:api"]`), "--request-timeout", timeout, "--limit", "call=2m", "--memory", "256", "--log-level", "debug")...)
		a.session("world", `new "W"`)
		return a
	}
	a, hasty := within("1m"), within("1s")
	for _, tt := range []struct{ name, ask, want string }{
		{"a redirect to another server", "send GET out", "outside of the grant"},
		{"a redirect to another path", "send GET up", "to a path outside of the grant"},
		{"a redirect with dots", "send GET dots", "to a path outside of the grant"},
		{"a redirect to another protocol", "send GET scheme", "outside of the grant"},
		{"a redirect with a user", "send GET user", "outside of the grant"},
		{"redirects in a circle", "send GET circle", "redirects more than 5 times"},
		{"a redirect within the grant", "send GET within", "200 GET /api/found"},
		{"two gigabytes that are claimed", "send GET claims", "more than 8 MiB"},
		{"a body without an end", "send GET endless", "more than 8 MiB"},
		{"a body that does not come", "send GET slow", "within the time of the call"},
		{"an answer that does not come", "send GET never", "within the time of the call"},
		{"events without an end", "send GET stream", "text/event-stream"},
		{"a gigabyte of zeros, compressed", "send GET bomb", "more than 8 MiB"},
		{"compressed nothing, without an end", "send GET empties", "more than 8 MiB"},
		{"another compression", "send GET brotli", "where gzip was offered"},
		{"two thousand headers", "send GET headers", "more than 64 KiB of headers"},
		{"a cookie", "send GET cookies", "200 no cookie"},
		{"a secret in every form", "send GET echo", "•••"},
		{"rounds without an end", "forever", "the limit of a call is 200"},
	} {
		asks := a
		if strings.Contains(tt.want, "the time of") {
			asks = hasty
		}
		got, _ := asks.attack("world_query", map[string]any{"q": tt.ask})
		if !strings.Contains(got.text, tt.want) {
			t.Errorf("%s: %.400s\nwant %q", tt.name, got.text, tt.want)
		}
		if leaks(string(got.raw)) {
			t.Errorf("%s: the secret came back: %.400s", tt.name, got.text)
		}
	}
	// A secret that the server repeats does not get into a document, the journal or the log.
	got := a.askWorld("world_session", "do-send POST echo")
	if got.failed || leaks(string(got.raw)) || secret != "Bearer "+worldKey {
		t.Errorf("the server got %q and the reply is %.300s", secret, got.text)
	}
	a.session("world", "save as:./w.world")
	saved, err := os.ReadFile(filepath.Join(a.dir, "w.world"))
	if err != nil || leaks(string(saved)) || !strings.Contains(string(saved), "•••") {
		t.Errorf("saved %.300q, %v", saved, err)
	}
	os.Remove(filepath.Join(a.dir, "w.world"))
	filepath.WalkDir(a.dir+"-journal", func(path string, e fs.DirEntry, err error) error {
		if data, err := os.ReadFile(path); err == nil && leaks(string(data)) {
			t.Errorf("%s holds the secret", path)
		}
		return nil
	})
	if strayed.all() != 0 || saw.count("GET /other/stolen") != 0 {
		t.Errorf("requests left the grant: %q, %q", strayed.list, saw.list)
	}
	a.checkUnharmed()
	for _, a := range []*arena{a, hasty} {
		if text := a.stop(); leaks(text) {
			t.Errorf("the log holds the secret: %s", text)
		}
	}
}

// An answer that is not HTTP is reported without its content.
func TestAServerThatSpeaksNoHTTPGivesNoSecretAway(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(w net.Conn, r *http.Request){
		"junk": func(w net.Conn, r *http.Request) { fmt.Fprintf(w, "%s\r\n\r\n", r.Header.Get("Authorization")) },
		"in the status": func(w net.Conn, r *http.Request) {
			fmt.Fprintf(w, "HTTP/1.1 %s\r\n\r\n", r.Header.Get("Authorization"))
		},
		"in a header": func(w net.Conn, r *http.Request) {
			fmt.Fprintf(w, "HTTP/1.1 200 OK\r\n%s\r\n\r\n", r.Header.Get("Authorization"))
		},
		"in a length": func(w net.Conn, r *http.Request) {
			fmt.Fprintf(w, "HTTP/1.1 200 OK\r\nContent-Length: %s\r\n\r\n", r.Header.Get("Authorization"))
		},
		"in a redirect": func(w net.Conn, r *http.Request) {
			fmt.Fprintf(w, "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: http://x/%s\r\n\r\n", url.PathEscape(r.Header.Get("Authorization")))
		},
		"after the answer": func(w net.Conn, r *http.Request) {
			fmt.Fprintf(w, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 %s\r\n", r.Header.Get("Authorization"))
		},
		"in half an answer": func(w net.Conn, r *http.Request) {
			fmt.Fprintf(w, "HTTP/1.1 200 OK\r\nContent-Length: 200\r\n\r\n%s", r.Header.Get("Authorization"))
			w.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := startArena(t, append(worldConfig(t, raw(t, answer), worldKey, `grant = ["http:api"]`), "--request-timeout", "2s", "--log-level", "debug")...)
			a.session("world", `new "W"`)
			for range 3 {
				if got := a.askWorld("world_query", "get a"); leaks(string(got.raw)) || got.text == "" {
					t.Errorf("got %s", got.text)
				}
			}
			a.checkUnharmed()
			if text := a.stop(); leaks(text) {
				t.Errorf("the log holds the secret: %s", text)
			}
		})
	}
}
