package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/fcp-host/fcp-host/internal/testwasm"
)

func TestRedirectsOutOfTheGrantAreNotFollowed(t *testing.T) {
	elsewhere := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") })
	var location string
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/api/") {
			t.Errorf("%s was asked for", r.URL)
		}
		w.Header().Set("Location", location)
		w.WriteHeader(http.StatusFound)
	})
	c := client(t, s.URL+"/api")
	for _, location = range []string{
		elsewhere.URL + "/api/x", "//" + strings.TrimPrefix(elsewhere.URL, "http://") + "/api/x",
		"http://169.254.169.254/latest/meta-data/", "http://localhost/api/x", "file:///etc/passwd", "https" + strings.TrimPrefix(s.URL, "http") + "/api/x",
		"/users", "/api/../users", "/api/%2e%2e/users", "/apiary/x", "gopher://x", "::", "%zz",
		"/api/loop", s.URL + "/api/loop",
	} {
		_, f := c.Do(t.Context(), get("x"), true)
		if f == nil || f.Kind != Refused || !f.Sent || !strings.Contains(f.Text, "redirects") {
			t.Errorf("%q: %+v", location, f)
		}
	}
}

func TestUnracedInvalidResponsesFailByKind(t *testing.T) {
	testwasm.Unraced(t)
	ok := "HTTP/1.1 200 OK\r\n"
	for _, c := range []struct{ name, answer, kind, text string }{
		{"cut before the headers", "", Protocol, "broke off"},
		{"cut within the headers", ok + "Content-Ty", Protocol, "broke off"},
		{"cut within the body", ok + "Content-Length: 10\r\n\r\nhalf", Protocol, "ended before the answer did"},
		{"cut within a chunk", ok + "Transfer-Encoding: chunked\r\n\r\nff\r\nhalf", Protocol, "ended before the answer did"},
		{"garbage", "\x00\x01\x02 SSH-2.0-OpenSSH\r\n\r\n", Protocol, "something other than HTTP"},
		{"escapes", "\x1b[31mHTTP\u202e\r\n\r\n", Protocol, "something other than HTTP"},
		{"HTTP/2 without asking", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", Protocol, "something other than HTTP"},
		{"garbage for headers", ok + "no colon\r\n\r\n", Protocol, "something other than HTTP"},
		{"garbage for a chunk", ok + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", Protocol, "something other than HTTP"},
		{"two lengths", ok + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab", Protocol, "something other than HTTP"},
		{"negative length", ok + "Content-Length: -1\r\n\r\n", Protocol, "something other than HTTP"},
		{"huge length", ok + "Content-Length: 2147483648\r\n\r\nx", TooLarge, "more than 8 MiB"},
		{"huge header", ok + "X: " + strings.Repeat("x", 70<<10) + "\r\n\r\n", TooLarge, "more than 64 KiB"},
		{"many headers", ok + strings.Repeat("X: y\r\n", 300) + "\r\n", TooLarge, "more than 256"},
		{"endless 1xx", strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 10000), TooLarge, "more than 64 KiB"},
		{"another protocol", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", Protocol, "another protocol"},
		{"not gzip", ok + "Content-Encoding: gzip\r\nContent-Length: 20\r\n\r\nplain, with no header", Protocol, "gzip"},
		{"cut gzip", ok + "Content-Encoding: gzip\r\nContent-Length: 30\r\n\r\n" + zipped("hello, hello, hello and more of it")[:30], Protocol, "ended before the answer did"},
		{"br", ok + "Content-Encoding: br\r\nContent-Length: 1\r\n\r\nx", Protocol, "gzip was offered"},
		{"gzip twice", ok + "Content-Encoding: gzip, gzip\r\nContent-Length: 1\r\n\r\nx", Protocol, "gzip was offered"},
		{"gzip in two headers", ok + "Content-Encoding: gzip\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx", Protocol, "gzip was offered"},
		{"gzip bomb", ok + "Content-Encoding: gzip\r\n\r\n" + zipped(strings.Repeat("\x00", 64<<20)), TooLarge, "more than 8 MiB"},
	} {
		_, f := client(t, raw(t, says(c.answer))).Do(t.Context(), Request{Method: http.MethodPost, Body: []byte("x")}, false)
		if f == nil || f.Kind != c.kind || !f.Sent || !strings.Contains(f.Text, c.text) {
			t.Errorf("%s: %+v, want %s of %q", c.name, f, c.kind, c.text)
			continue
		}
		if strings.ContainsFunc(f.Text, func(r rune) bool { return !unicode.IsPrint(r) }) || len([]rune(f.Text)) > maxText+1 {
			t.Errorf("%s: %q", c.name, f.Text)
		}
	}
}

// What a server says of itself is cut, parsed and changed to one case before it is in a failure.
func TestNoPartOfASecretIsInAFailure(t *testing.T) {
	secret := "Ab/" + strings.Repeat("cDeF/", 14) + "?gH" // longer than what is quoted
	e, err := NewEndpoint("api", "http://127.0.0.1", nil, Options{Configured: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, answer := range []string{
		"302 Found\r\nLocation: http://" + secret, "302 Found\r\nLocation: https://x" + secret + ".example", "302 Found\r\nLocation: " + secret + "://x",
		"200 OK\r\nContent-Encoding: " + secret, "200 OK\r\nContent-Encoding: gzip\r\nContent-Encoding: " + strings.ToUpper(secret),
		"200 OK\r\n" + secret, "2" + secret, secret, "200 OK\r\nTransfer-Encoding: " + secret, "200 OK\r\nContent-Length: " + secret,
	} {
		c := client(t, raw(t, says("HTTP/1.1 "+answer+"\r\nContent-Length: 1\r\n\r\nx")))
		e.secrets = []string{secret}
		c.redactor = RedactorOf(e)
		_, f := c.Do(t.Context(), get("x"), true)
		if f == nil || strings.Contains(strings.ToLower(f.Text), "cdef") || strings.Contains(strings.ToLower(f.Text), "ab/") {
			t.Errorf("%q: %+v", answer, f)
		}
	}
}

func TestTheNameOfAHeaderIsRedactedInAnyCase(t *testing.T) {
	c := client(t, raw(t, says("HTTP/1.1 200 OK\r\nsk-LIVE-9fA3c1: 1\r\nContent-Length: 1\r\n\r\nx")))
	c.redactor = NewRedactor("sk-LIVE-9fA3c1")
	resp, f := c.Do(t.Context(), get("x"), true)
	if f != nil || len(resp.Headers) != 1 || resp.Headers[0].Key != mark {
		t.Errorf("%+v, %+v", resp.Headers, f)
	}
}

func zipped(s string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, s)
	z.Close()
	return b.String()
}

func TestAFailureIsOneLineOfBoundedLength(t *testing.T) {
	c := client(t, "http://127.0.0.1:1")
	if got := c.line("a\x1b[31m\r\nb\u202e" + key); got != "a [31m  b "+mark {
		t.Errorf("%q", got)
	}
	if got := c.line(strings.Repeat("é", 1000)); len([]rune(got)) != maxText+1 {
		t.Errorf("%q", got)
	}
}

func TestATooSmallContentLengthEndsTheBody(t *testing.T) {
	answer := "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
	base := raw(t, func(conn net.Conn, r *http.Request) bool {
		io.WriteString(conn, answer+"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
		return true
	})
	resp, f := client(t, base).Do(t.Context(), get(), true)
	if f != nil || string(resp.Body) != "ok" {
		t.Errorf("%s %v", resp.Body, f)
	}
}

func TestEndlessBodiesEndAtTheLimit(t *testing.T) {
	ok := "HTTP/1.1 200 OK\r\n"
	empty := zipped("")
	for _, c := range []struct{ name, head, more, text string }{
		{"until close", ok + "\r\n", strings.Repeat("x", 1<<16), "more than 8 MiB"},
		{"chunks", ok + "Transfer-Encoding: chunked\r\n\r\n", "10000\r\n" + strings.Repeat("x", 1<<16) + "\r\n", "more than 8 MiB"},
		{"empty gzip members", ok + "Content-Encoding: gzip\r\n\r\n", strings.Repeat(empty, 1000), "more than 8 MiB"},
		{"events", ok + "Content-Type: text/event-stream; charset=utf-8\r\n\r\n", strings.Repeat("event: token\ndata: x\n\n", 1000), "not streamed"},
		{"headers", ok, strings.Repeat("X: y\r\n", 1000), "more than 64 KiB"},
	} {
		ended := make(chan struct{})
		base := raw(t, func(conn net.Conn, r *http.Request) bool {
			defer close(ended)
			for _, err := io.WriteString(conn, c.head); err == nil; {
				_, err = io.WriteString(conn, c.more)
			}
			return false
		})
		if _, f := client(t, base).Do(t.Context(), get(), true); f == nil || f.Kind != TooLarge || !strings.Contains(f.Text, c.text) {
			t.Errorf("%s: %+v", c.name, f)
		}
		<-ended // the connection is closed, so that the server stops
	}
}

func TestServersThatStallEndAtTheDeadline(t *testing.T) {
	ok := "HTTP/1.1 200 OK\r\n"
	for name, part := range map[string]string{
		"nothing": "", "half a line": "HTTP/1.", "half the headers": ok + "X: y\r\n", "no body": ok + "Content-Length: 5\r\n\r\n",
		"half the body": ok + "Content-Length: 5\r\n\r\nha", "events": ok + "Content-Type: text/event-stream\r\n\r\ndata: x\n\n",
		"half a gzip": ok + "Content-Encoding: gzip\r\n\r\n" + zipped("hello")[:12],
	} {
		late := newDeadline()
		closed := make(chan struct{})
		base := raw(t, func(conn net.Conn, r *http.Request) bool {
			io.WriteString(conn, part)
			late.pass()
			conn.Read(make([]byte, 1))
			close(closed)
			return false
		})
		if _, f := client(t, base).Do(late, get(), true); f == nil || f.Kind != Timeout || !f.Sent {
			t.Errorf("%s: %+v", name, f)
		}
		<-closed
	}
	c := client(t, "http://127.0.0.1:1")
	late := newDeadline()
	late.pass()
	if f := c.explain(late, errors.New("x"), &trace{}, true); !strings.Contains(f.Text, "text/event-stream") || !strings.Contains(f.Text, "did not end") {
		t.Errorf("%+v", f)
	}
}

func TestACancelledRequestEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	base := raw(t, func(conn net.Conn, r *http.Request) bool {
		cancel()
		conn.Read(make([]byte, 1))
		return false
	})
	if _, f := client(t, base).Do(ctx, Request{Method: http.MethodDelete}, false); f == nil || f.Kind != Cancel || !f.Sent {
		t.Errorf("%+v", f)
	}
}

func TestAServerThatReadsNothingMayHaveSeenTheRequest(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	late := newDeadline()
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		conn.Read(make([]byte, 1))
		late.pass()
		<-t.Context().Done()
		conn.Close()
	}()
	body := bytes.Repeat([]byte("x"), MaxBody)
	if _, f := client(t, "http://"+l.Addr().String()).Do(late, Request{Method: http.MethodPut, Body: body}, false); f == nil || f.Kind != Timeout || !f.Sent {
		t.Errorf("%+v", f)
	}
}

func TestGuestsSeeNoAddressOfTheNetwork(t *testing.T) {
	base := raw(t, func(conn net.Conn, r *http.Request) bool {
		conn.(*net.TCPConn).SetLinger(0) // resets the connection
		return false
	})
	c := NewClient(endpoint(t, strings.Replace(base, "127.0.0.1", "localhost", 1)), nil)
	_, f := c.Do(t.Context(), get(), true)
	if f == nil || strings.Contains(f.Text, "127.0.0.1") || strings.Contains(f.Text, "->") {
		t.Errorf("%+v", f)
	}
}

func TestHTTP2HeadersAreBounded(t *testing.T) {
	s := newTLS(t, func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.URL.Path[1:])
		for i := range n {
			w.Header().Set(fmt.Sprintf("X-%d", i), strings.Repeat("x", 1000))
		}
	})
	c := NewClient(tlsEndpoint(t, s, s.URL), nil)
	// Far beyond the limit, net/http treats it as an attack on the connection.
	for n, kind := range map[int]string{66: TooLarge, 1000: Protocol} {
		if _, f := c.Do(t.Context(), get(fmt.Sprint(n)), true); f == nil || f.Kind != kind || !f.Sent {
			t.Errorf("%d KB: %+v", n, f)
		}
	}
}
