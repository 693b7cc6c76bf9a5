package gate

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// Tokens of two principals.
const (
	annToken = "ann-0123456789abcdef"
	bobToken = "bob-0123456789abcdef"
)

func TestATokenIdentifiesItsPrincipal(t *testing.T) {
	own, _ := tokens(t, "# who", "", "ann "+annToken, "bob:"+bobToken, "bob  another-of-bob-0001", "nameless-0123456789==")
	s := start(t, Config{Tokens: own})
	for _, c := range []struct {
		header []string
		status int
		text   string
	}{
		{[]string{"Authorization", "Bearer " + annToken}, 200, "ann 2"},
		{[]string{"Authorization", "bearer " + bobToken}, 200, "bob 2"},
		{[]string{"Authorization", "Bearer another-of-bob-0001"}, 200, "bob 2"},
		{[]string{"Authorization", "Bearer nameless-0123456789=="}, 200, "user 2"},
		{nil, 401, ""},
		{[]string{"Authorization", annToken}, 401, ""},
		{[]string{"Authorization", "Basic " + annToken}, 401, ""},
		{[]string{"Authorization", "Bearer"}, 401, ""},
		{[]string{"Authorization", "Bearer "}, 401, ""},
		{[]string{"Authorization", "Bearer " + annToken[1:]}, 401, ""},
		{[]string{"Authorization", "Bearer " + annToken + "x"}, 401, ""},
		{[]string{"Authorization", "Bearer ann " + annToken}, 401, ""},
		{[]string{"Authorization", "Bearer " + annToken, "Authorization", "Bearer " + bobToken}, 401, ""},
	} {
		status, text, head := s.ask("POST", "/", "{}", c.header...)
		if status != c.status || status == 200 && text != c.text {
			t.Errorf("%v: %d %s", c.header, status, text)
		}
		if challenge := head.Get("WWW-Authenticate"); (challenge != "") != (status == 401) {
			t.Errorf("%v: WWW-Authenticate is %q", c.header, challenge)
		}
	}
	if status, _, _ := s.ask("POST", "/?token="+annToken+"&access_token="+annToken, "{}"); status != 401 {
		t.Errorf("a token in the address: %d", status)
	}
}

func TestWithoutTokensNobodyIsAdmittedUnlessTheGateIsOpen(t *testing.T) {
	if status, _, _ := start(t, Config{}).ask("POST", "/", "{}"); status != 401 {
		t.Errorf("closed: %d", status)
	}
	if status, text, _ := start(t, Config{Open: true}).ask("POST", "/", "{}"); status != 200 || text != "anyone 2" {
		t.Errorf("open: %d %s", status, text)
	}
}

func TestATokenFileIsReadAgainWhenItChanges(t *testing.T) {
	own, path := tokens(t, "ann "+annToken)
	s := start(t, Config{Tokens: own})
	status := func(token string) int {
		code, _, _ := s.ask("POST", "/", "{}", "Authorization", "Bearer "+token)
		return code
	}
	if status(annToken) != 200 || status(bobToken) != 401 {
		t.Fatal("before the change")
	}
	write(t, path, "bob "+bobToken)
	if status(annToken) != 401 || status(bobToken) != 200 {
		t.Error("after the change")
	}
	// With an unusable file all requests are refused, and /readyz reports it.
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, _ := s.ask("GET", "/readyz", ""); status(bobToken) != 401 || code != 503 {
		t.Errorf("with a broken file, readyz answers %d", code)
	}
	write(t, path, "bob "+bobToken)
	if code, _, _ := s.ask("GET", "/readyz", ""); status(bobToken) != 200 || code != 200 {
		t.Errorf("mended, readyz answers %d", code)
	}
}

func TestAnUnsuitableTokenFileIsRefused(t *testing.T) {
	for _, c := range []struct {
		text, want string
		mode       os.FileMode
	}{
		{annToken, "others may open it", 0o640},
		{annToken, "others may open it", 0o602},
		{"", "no token", 0o600},
		{"# only a comment", "no token", 0o600},
		{"short", "at least 16 characters", 0o600},
		{"ann short", "at least 16 characters", 0o600},
		{"a/b " + annToken, "line 1: a principal's name", 0o600},
		{"anyone " + annToken, "line 1: anyone is the name", 0o600},
		{"ann " + annToken + "!", "line 1: a token consists of", 0o600},
		{"ann " + annToken + "\nbob " + annToken, "line 2: another principal has the same token", 0o600},
	} {
		path := filepath.Join(t.TempDir(), "tokens")
		if err := os.WriteFile(path, []byte(c.text), c.mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, c.mode); err != nil {
			t.Fatal(err)
		}
		_, err := NewTokens(path, slog.New(slog.DiscardHandler))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), annToken) {
			t.Errorf("%q with mode %o: %v", c.text, c.mode, err)
		}
	}
	if _, err := NewTokens(t.TempDir(), slog.New(slog.DiscardHandler)); err == nil {
		t.Error("a folder is taken for a token file")
	}
	large := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(large, []byte("ann "+annToken+"\n"+strings.Repeat("# comment\n", maxFile/10)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := NewTokens(large, slog.New(slog.DiscardHandler)); err == nil || !strings.HasSuffix(err.Error(), "it is larger than 1 MiB") {
		t.Errorf("a file of which the end would not be read: %v", err)
	}
}

func TestAForeignHostOrOriginIsRefusedBeforeAnythingElse(t *testing.T) {
	s := start(t, Config{Open: true, Hosts: []string{"music.example"}})
	for _, c := range []struct {
		name, value string
		status      int
	}{
		{"Host", "localhost:99", 200},
		{"Host", "music.example:8080", 200},
		{"Host", "evil.example", 403},
		{"Host", "127.0.0.1.evil.example", 403},
		{"Origin", "http://localhost:5173", 200},
		{"Origin", "https://music.example", 200},
		{"Origin", "https://evil.example", 403},
		{"Origin", "null", 403},
	} {
		for _, path := range []string{"/", "/metrics"} {
			if status, _, _ := s.ask("POST", path, "{}", c.name, c.value); status != c.status {
				t.Errorf("%s with %s %s: %d", path, c.name, c.value, status)
			}
		}
	}
	// Monitoring may use the server's address as the host name, and learns nothing.
	if status, text, _ := s.ask("GET", "/healthz", "", "Host", "10.0.0.7:8080"); status != 200 || text != "ok\n" {
		t.Errorf("healthz: %d %s", status, text)
	}
}

func TestHealthNeedsNoTokenAndMetricsDo(t *testing.T) {
	own, _ := tokens(t, "ann "+annToken)
	s := start(t, Config{Tokens: own})
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 200, "/metrics": 401, "/": 401} {
		if status, _, _ := s.ask("GET", path, ""); status != want {
			t.Errorf("%s: %d", path, status)
		}
	}
	s.ask("POST", "/session", "{}", "Authorization", "Bearer "+annToken)
	s.ask("POST", "/session?fail", "{}", "Authorization", "Bearer "+annToken)
	status, text, head := s.ask("GET", "/metrics", "", "Authorization", "Bearer "+annToken)
	if status != 200 || !strings.HasPrefix(head.Get("Content-Type"), "text/plain; version=0.0.4") {
		t.Errorf("metrics: %d %v", status, head)
	}
	for _, line := range []string{`fcp_http_requests_total{method="POST",code="200"} 2`, `fcp_http_refused_total{reason="caller"} 2`,
		`fcp_calls_total{tool="midi",outcome="failed"} 1`, `fcp_calls_total{tool="midi",outcome="ok"} 1`, "fcp_call_seconds_count 2",
		`fcp_call_seconds_bucket{le="+Inf"} 2`, "fcp_http_requests 0", "fcp_http_body_bytes 0"} {
		if !strings.Contains(text, "\n"+line+"\n") {
			t.Errorf("the metrics lack %q:\n%s", line, text)
		}
	}
	if strings.Contains(text, "ann") || strings.Contains(text, "Song") {
		t.Errorf("the metrics name a principal or a document:\n%s", text)
	}
}

func TestTheAuditLogSaysWhoDidWhatToWhat(t *testing.T) {
	own, _ := tokens(t, "ann "+annToken)
	s := start(t, Config{Tokens: own})
	s.ask("POST", "/session", `{"secret":"of the arguments"}`, "Authorization", "Bearer "+annToken)
	s.ask("POST", "/session?fail", "{}", "Authorization", "Bearer "+annToken)
	s.answer(s.dial(post("/", 2<<20, annToken))) // announced as too large
	s.ask("POST", "/", "{}")                     // without a token there is no principal to log
	var lines []map[string]any
	for line := range strings.Lines(s.log.String()) {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, m)
	}
	want := []string{"ann s1 tools/call midi Song ok", "ann s1 tools/call midi Song failed", "ann  POST   refused"}
	if len(lines) != len(want) {
		t.Fatalf("the log is\n%s", s.log)
	}
	for i, m := range lines {
		if got := fmt.Sprint(m["who"], " ", m["session"], " ", m["method"], " ", m["tool"], " ", m["document"], " ", m["outcome"]); got != want[i] || m["level"] != "INFO" {
			t.Errorf("%v, want %q", m, want[i])
		}
	}
	if strings.Contains(s.log.String(), "secret") || strings.Contains(s.log.String(), annToken) {
		t.Errorf("the log holds arguments or a token:\n%s", s.log)
	}
}

func TestAHeaderThatIsSlowOrHugeEndsItsConnection(t *testing.T) {
	s := start(t, Config{Open: true, Header: time.Millisecond})
	for _, half := range []string{"", "POST", "POST / HTTP/1.1\r\nHost: localhost\r\n", "POST / HTTP/1.1\r\nHost: localhost\r\nX-"} {
		said, err := io.ReadAll(s.dial(half)) // reads until the connection ends
		if err != nil || len(said) > 0 && !strings.HasPrefix(string(said), "HTTP/1.1 400") {
			t.Errorf("after %q: %q %v", half, said, err)
		}
	}
	s = start(t, Config{Open: true})
	bomb := "POST / HTTP/1.1\r\nHost: localhost\r\n" + strings.Repeat("X-A: "+strings.Repeat("a", 1000)+"\r\n", 40)
	if status := s.answer(s.dial(bomb)); status != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("a header of 40 KB: %d", status)
	}
}

func TestABodyThatIsSlowEndsItsRequest(t *testing.T) {
	own, _ := tokens(t, "ann "+annToken)
	s := start(t, Config{Tokens: own, Body: time.Millisecond})
	if status := s.answer(s.dial(post("/", 1000, annToken) + "some")); status != http.StatusRequestTimeout {
		t.Errorf("a body that stops: %d", status)
	}
	// net/http reads the rest of a body before it ends a refused request.
	c := s.dial(post("/", 1000, "no token of anybody") + "some")
	r := bufio.NewReader(c)
	res, err := http.ReadResponse(r, nil)
	if err != nil || res.StatusCode != http.StatusUnauthorized {
		t.Fatal(res, err)
	}
	io.Copy(io.Discard, res.Body)
	if _, err := r.ReadByte(); err == nil {
		t.Error("the connection lives on")
	}
}

func TestABodyOverItsLimitIsRefused(t *testing.T) {
	s := start(t, Config{Open: true})
	if status, text, _ := s.ask("POST", "/", strings.Repeat("x", 1<<20)); status != 200 || text != "anyone 1048576" {
		t.Errorf("of just 1 MiB: %d %s", status, text)
	}
	if status := s.answer(s.dial(post("/", 1<<20+1, ""))); status != http.StatusRequestEntityTooLarge {
		t.Errorf("announced: %d", status)
	}
	chunked := "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n100001\r\n" + strings.Repeat("x", 1<<20+1) + "\r\n0\r\n\r\n"
	if status := s.answer(s.dial(chunked)); status != http.StatusRequestEntityTooLarge {
		t.Errorf("in chunks: %d", status)
	}
}

func TestTheBytesOfBodiesAreBounded(t *testing.T) {
	own, _ := tokens(t, "ann "+annToken, "bob "+bobToken)
	ann, bob := []string{"Authorization", "Bearer " + annToken}, []string{"Authorization", "Bearer " + bobToken}
	s := start(t, Config{Tokens: own, Bodies: 1 << 20})
	// Ann uses most of her share and waits: her next request gets no room, but Bob's does.
	const most = 400 << 10
	held := s.dial(post("/", most+1, annToken) + strings.Repeat("x", most))
	s.waitFor(fmt.Sprintf("fcp_http_body_bytes %g", float64(most+2)), bob...)
	refused := s.dial(post("/", 200<<10, annToken)) // without the body, which would be sent while the server closes the connection
	answer, err := io.ReadAll(refused)
	if text := string(answer); err != nil || !strings.HasPrefix(text, "HTTP/1.1 503 ") || !strings.Contains(text, "\r\nRetry-After: ") {
		t.Errorf("of the same principal: %v %s", err, text)
	}
	if status, _, _ := s.ask("POST", "/", strings.Repeat("x", most), bob...); status != 200 {
		t.Errorf("of another: %d", status)
	}
	io.WriteString(held, "x")
	if status := s.answer(held); status != 200 {
		t.Errorf("the one that held them: %d", status)
	}
	if status, _, _ := s.ask("POST", "/", strings.Repeat("x", most), ann...); status != 200 {
		t.Errorf("when they are given back: %d", status)
	}
}

func TestTheRequestsOfAPrincipalAreBounded(t *testing.T) {
	own, _ := tokens(t, "ann "+annToken, "bob "+bobToken)
	s := start(t, Config{Tokens: own, Requests: 2})
	var inside []net.Conn
	for range 2 {
		c := s.dial("GET /hold HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + annToken + "\r\n\r\n")
		if status := s.answer(c); status != 200 {
			t.Fatal(status)
		}
		inside = append(inside, c)
	}
	status, text, head := s.ask("POST", "/", "{}", "Authorization", "Bearer "+annToken)
	if status != http.StatusTooManyRequests || head.Get("Retry-After") == "" || !strings.Contains(text, "2 requests") {
		t.Errorf("one more: %d %s", status, text)
	}
	if status, _, _ := s.ask("POST", "/", "{}", "Authorization", "Bearer "+bobToken); status != 200 {
		t.Errorf("of another: %d", status)
	}
	for _, c := range inside {
		c.Close()
	}
	s.waitFor("fcp_http_requests 0", "Authorization", "Bearer "+bobToken)
	if status, _, _ := s.ask("POST", "/", "{}", "Authorization", "Bearer "+annToken); status != 200 {
		t.Errorf("when they are done: %d", status)
	}
}

// A flood of idle connections displaces itself.
func TestOfTooManyConnectionsThatWaitTheOldestIsClosed(t *testing.T) {
	s := start(t, Config{Open: true})
	first := s.dial("POST / HTTP/1.1\r\n")
	for range maxWaiting {
		s.dial("POST / HTTP/1.1\r\n")
	}
	if status := s.answer(first); status != 0 {
		t.Errorf("the first one is answered with %d", status)
	}
	if status, _, _ := s.ask("POST", "/", "{}"); status != 200 {
		t.Errorf("who comes last: %d", status)
	}
}

func TestAnAmbiguousRequestIsRefused(t *testing.T) {
	s := start(t, Config{Open: true})
	for _, lengths := range []string{"Content-Length: 4\r\nContent-Length: 2", "Transfer-Encoding: chunked, identity", "Content-Length: +2"} {
		if status := s.answer(s.dial("POST / HTTP/1.1\r\nHost: localhost\r\n" + lengths + "\r\n\r\n{}{}")); status != 400 && status != 501 {
			t.Errorf("%s: %d", lengths, status)
		}
	}
}

// A server that is shutting down reports that it is not ready before it stops answering.
func TestAServerThatShutsDownReportsItFirst(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var down atomic.Bool
	s := &site{t: t, addr: l.Addr().String(), log: &logBuffer{}}
	c := Config{Open: true, Drain: time.Hour, Log: slog.New(slog.NewJSONHandler(s.log, nil)), Ready: func() error {
		if down.Load() {
			return errors.New("the store does not answer")
		}
		return nil
	}}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- New(c).Serve(ctx, l, http.HandlerFunc(echo), func() {}) }()
	ready := func() int { code, _, _ := s.ask("GET", "/readyz", ""); return code }
	if code := ready(); code != 200 {
		t.Errorf("it is ready: %d", code)
	}
	down.Store(true)
	if code := ready(); code != 503 {
		t.Errorf("without its store: %d", code)
	}
	down.Store(false)
	stop()
	for ready() == 200 {
		runtime.Gosched()
	}
	if code, _, _ := s.ask("POST", "/", "{}"); code != 200 {
		t.Errorf("a caller that came nevertheless: %d", code)
	}
	l.Close()
	<-ended
}
