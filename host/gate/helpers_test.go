package gate

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// site is a gate that serves on a loopback port.
type site struct {
	t    *testing.T
	addr string
	log  *logBuffer
}

// logBuffer collects log output.
type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (k *logBuffer) Write(b []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.buf.Write(b)
}

func (k *logBuffer) String() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.buf.String()
}

// echo answers with the principal and the length of the body, at most 1 MiB. The path /hold first answers that the request
// has arrived, then waits until the client disconnects.
func echo(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/hold":
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		return
	case "/session":
		Of(r.Context()).SetSession("s1")
		Of(r.Context()).SetMethod("tools/call")
		Of(r.Context()).SetResult("midi", "Song", r.URL.RawQuery == "fail")
	}
	body, ok := ReadBody(w, r, 1<<20)
	if ok {
		fmt.Fprintf(w, "%s %d", Of(r.Context()).Principal, len(body))
	}
}

func start(t *testing.T, c Config) *site {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return startOn(t, c, l)
}

func startOn(t *testing.T, c Config, l net.Listener) *site {
	t.Helper()
	s := &site{t: t, addr: l.Addr().String(), log: &logBuffer{}}
	c.Log = slog.New(slog.NewJSONHandler(s.log, nil))
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- New(c).Serve(ctx, l, http.HandlerFunc(echo), func() {}) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return s
}

func tokens(t *testing.T, lines ...string) (*Tokens, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tokens")
	write(t, path, lines...)
	own, err := NewTokens(path, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return own, path
}

// write replaces the file atomically, as an editor does.
func write(t *testing.T, path string, lines ...string) {
	t.Helper()
	if err := os.WriteFile(path+".new", []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

// ask sends a request and returns the status and the body of the answer.
func (s *site) ask(method, path, body string, header ...string) (status int, text string, head http.Header) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, "http://"+s.addr+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			req.Host = header[i+1]
			continue
		}
		req.Header.Add(header[i], header[i+1])
	}
	res, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return res.StatusCode, string(data), res.Header
}

// dial opens a connection and sends text.
func (s *site) dial(text string) net.Conn {
	s.t.Helper()
	c, err := net.Dial("tcp", s.addr)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { c.Close() })
	if _, err := io.WriteString(c, text); err != nil {
		s.t.Fatal(err)
	}
	return c
}

// answer returns the status of one answer, 0 if the connection ends without one.
func (s *site) answer(c net.Conn) int {
	s.t.Helper()
	line, _ := bufio.NewReader(c).ReadString('\n')
	if line == "" {
		return 0
	}
	status, err := strconv.Atoi(strings.Fields(line)[1])
	if err != nil {
		s.t.Fatal(line)
	}
	return status
}

func post(path string, length int, token string) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n", path, token, length)
}

// waitFor polls the metrics until they contain line.
func (s *site) waitFor(line string, header ...string) {
	s.t.Helper()
	for s.t.Context().Err() == nil {
		if _, text, _ := s.ask("GET", "/metrics", "", header...); strings.Contains(text, "\n"+line+"\n") {
			return
		}
		runtime.Gosched()
	}
	s.t.Fatalf("the metrics never hold %q", line)
}
