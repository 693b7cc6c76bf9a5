package web

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

func TestARequestArrivesAsItWasAsked(t *testing.T) {
	type seen struct {
		method, uri, host, body string
		header                  http.Header
	}
	got := make(chan seen, 1)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- seen{r.Method, r.RequestURI, r.Host, string(body), r.Header}
		w.Header().Set("ETag", `"1"`)
		w.WriteHeader(http.StatusCreated)
		fmt.Fprint(w, `{"id":1}`)
	})
	c := client(t, s.URL+"/api/v1")
	resp, f := c.Do(t.Context(), Request{
		Method: http.MethodPost, Path: []string{"flows", "a/b"}, Query: []KeyValue{{"x", "1 2"}},
		Headers: []KeyValue{{"content-type", "application/json"}, {"Idempotency-Key", "7"}}, Body: []byte(`{"name":"x"}`),
	}, false)
	if f != nil {
		t.Fatal(f)
	}
	if resp.Status != 201 || string(resp.Body) != `{"id":1}` || one(resp, "Etag") != `"1"` {
		t.Errorf("%+v", resp)
	}
	r := <-got
	if r.method != "POST" || r.uri != "/api/v1/flows/a%2Fb?x=1+2" || "http://"+r.host != s.URL || r.body != `{"name":"x"}` {
		t.Errorf("%+v", r)
	}
	for name, want := range map[string]string{"Authorization": "Bearer " + key, "Content-Type": "application/json", "Idempotency-Key": "7",
		"Accept-Encoding": "gzip", "User-Agent": "fcp-host", "Content-Length": "12"} {
		if got := r.header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if len(r.header) != 6 {
		t.Errorf("%v", r.header)
	}
}

func TestAForbiddenRequestIsRefusedBeforeItIsSent(t *testing.T) {
	var requests atomic.Int32
	s := serve(t, func(http.ResponseWriter, *http.Request) { requests.Add(1) })
	c := client(t, s.URL)
	header := func(kv ...KeyValue) Request { return Request{Method: http.MethodPost, Headers: kv} }
	query := func(key string) Request { return Request{Method: http.MethodGet, Query: []KeyValue{{key, "DELETE"}}} }
	for name, r := range map[string]Request{
		"no method":          {},
		"long method":        {Method: strings.Repeat("GET", 1000)},
		"CONNECT":            {Method: "CONNECT"},
		"TRACE":              {Method: "TRACE"},
		"OPTIONS":            {Method: "OPTIONS"},
		"lower case":         {Method: "get"},
		"method with a line": {Method: "GET / HTTP/1.1\r\nX: y\r\n\r\nGET"},
		"GET with a body":    {Method: http.MethodGet, Body: []byte("_method=DELETE")},
		"dots":               get("..", "users"),
		"host":               header(KeyValue{"Host", "b.example"}),
		"authorization":      header(KeyValue{"authorization", "Bearer mine"}),
		"cookie":             header(KeyValue{"Cookie", "a=b"}),
		"connection":         header(KeyValue{"Connection", "Authorization"}),
		"transfer-encoding":  header(KeyValue{"Transfer-Encoding", "chunked"}),
		"content-length":     header(KeyValue{"Content-Length", "5"}),
		"expect":             header(KeyValue{"Expect", "100-continue"}),
		"upgrade":            header(KeyValue{"Upgrade", "h2c"}),
		"override":           header(KeyValue{"X-HTTP-Method-Override", "DELETE"}),
		"proxy":              header(KeyValue{"Proxy-Authorization", "x"}),
		"forwarded":          header(KeyValue{"X-Forwarded-For", "127.0.0.1"}),
		"accept-encoding":    header(KeyValue{"Accept-Encoding", "br"}),
		"unknown":            header(KeyValue{"X-Anything", "x"}),
		"name with a line":   header(KeyValue{"Accept\r\nX-Evil", "x"}),
		"name with a colon":  header(KeyValue{"Accept:x", "x"}),
		"value with a line":  header(KeyValue{"Accept", "x\r\nX-Evil: 1"}),
		"value with LF":      header(KeyValue{"Accept", "x\nX-Evil: 1"}),
		"value with NUL":     header(KeyValue{"Accept", "x\x00"}),
		"long value":         header(KeyValue{"Accept", strings.Repeat("x", maxFieldValue+1)}),
		"twice":              header(KeyValue{"Accept", "x"}, KeyValue{"ACCEPT", "y"}),
		"many":               header(slices.Repeat([]KeyValue{{"Accept", "x"}}, maxHeaders+1)...),
		"override in query":  query("_method"),
		"PHP's dot":          query(".METHOD"),
		"PHP's array":        query("_method[]"),
		"Google's":           query("$httpMethod"),
		"header in query":    query("X-HTTP-Method-Override"),
	} {
		if _, f := c.Do(t.Context(), r, false); f == nil || f.Kind != Refused || f.Sent {
			t.Errorf("%s: %+v", name, f)
		}
	}
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		if _, f := c.Do(t.Context(), Request{Method: method}, true); f == nil || f.Kind != Refused || f.Sent || !strings.Contains(f.Text, "only reads") {
			t.Errorf("%s in a call that reads: %+v", method, f)
		}
	}
	if _, f := c.Do(t.Context(), Request{Method: http.MethodPost, Body: make([]byte, MaxBody+1)}, false); f == nil || f.Kind != TooLarge || f.Sent {
		t.Errorf("large body: %+v", f)
	}
	if n := requests.Load(); n != 0 {
		t.Errorf("%d requests arrived", n)
	}
	for _, r := range []Request{get(), {Method: http.MethodHead}, query("method")} {
		if _, f := c.Do(t.Context(), r, true); f != nil {
			t.Errorf("%+v: %+v", r, f)
		}
	}
}

func TestAnEndpointsHeaderIsNotReplaced(t *testing.T) {
	c := NewClient(endpoint(t, "http://127.0.0.1:1", KeyValue{"Accept", "application/json"}), nil)
	if _, f := c.Do(t.Context(), Request{Method: "GET", Headers: []KeyValue{{"accept", "text/html"}}}, true); f == nil || f.Kind != Refused {
		t.Errorf("%+v", f)
	}
}

func TestAResponseToHEADHasItsLengthAndNoBody(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Content-Length", "12345") })
	resp, f := client(t, s.URL).Do(t.Context(), Request{Method: http.MethodHead}, true)
	if f != nil || one(resp, "Content-Length") != "12345" || len(resp.Body) != 0 {
		t.Errorf("%+v %v", resp, f)
	}
}

func TestCookiesAndHopByHopHeadersAreDropped(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Cookie") != "" {
			t.Error("a cookie came back")
		}
		h := w.Header()
		h.Set("Connection", "X-Hop, keep-alive")
		h.Set("X-Hop", "1")
		h.Set("Keep-Alive", "timeout=5")
		h.Set("Proxy-Authenticate", "Basic")
		h.Add("Set-Cookie", "session=1")
		h.Add("Set-Cookie2", "session=1")
		h.Set("X-Kept", "yes")
		h["X-Broken"] = []string{"\xff\xfe"}
	})
	c := client(t, s.URL)
	for range 2 {
		resp, f := c.Do(t.Context(), get(), true)
		if f != nil {
			t.Fatal(f)
		}
		var names []string
		for _, h := range resp.Headers {
			names = append(names, h.Key)
		}
		if !slices.Equal(names, []string{"Date", "X-Broken", "X-Kept"}) || one(resp, "X-Broken") != "\uFFFD" {
			t.Errorf("%v", resp.Headers)
		}
	}
}

func TestGzipIsDecoded(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "GZIP")
		if r.URL.Path == "/none" {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		z := gzip.NewWriter(w)
		io.WriteString(z, "hello "+key)
		z.Close()
	})
	c := client(t, s.URL)
	resp, f := c.Do(t.Context(), get("some"), true)
	if f != nil || string(resp.Body) != "hello "+mark || one(resp, "Content-Encoding") != "" {
		t.Errorf("%+v %v", resp, f)
	}
	if resp, f := c.Do(t.Context(), get("none"), true); f != nil || resp.Status != 204 || len(resp.Body) != 0 {
		t.Errorf("%+v %v", resp, f)
	}
}

func TestRedirectsOfReadsAreFollowedWithinTheBase(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if code, to, ok := strings.Cut(strings.TrimPrefix(r.URL.Path, "/api/"), "-"); ok {
			var status int
			fmt.Sscan(code, &status)
			http.Redirect(w, r, to, status)
			return
		}
		fmt.Fprintf(w, "%s %s %s", r.Method, r.URL.Path, r.Header.Get("Referer"))
	})
	c := client(t, s.URL+"/api")
	for _, code := range []int{301, 302, 303, 307, 308} {
		resp, f := c.Do(t.Context(), get(fmt.Sprintf("%d-end", code)), true)
		if f != nil || string(resp.Body) != "GET /api/end " {
			t.Errorf("%d: %s %v", code, resp.Body, f)
		}
		// Redirects of other methods are not followed: the redirect is the response.
		resp, f = c.Do(t.Context(), Request{Method: http.MethodPost, Path: []string{fmt.Sprintf("%d-end", code)}, Body: []byte("x")}, false)
		if f != nil || resp.Status != code || one(resp, "Location") != "/api/end" {
			t.Errorf("POST %d: %+v %v", code, resp, f)
		}
	}
}

func TestWhatIsSentOnceIsNotSentAgain(t *testing.T) {
	var mu sync.Mutex
	var arrived []string
	base := raw(t, func(conn net.Conn, r *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		again := slices.Contains(arrived, r.Method+r.URL.Path)
		arrived = append(arrived, r.Method+r.URL.Path)
		if r.URL.Path == "/dropped" && (!again || r.Method != http.MethodGet) {
			return false
		}
		io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
		return true
	})
	c := client(t, base)
	// do sends a request over a kept connection, where net/http repeats some
	// requests, and returns the requests that arrived.
	do := func(r Request) (*Failure, []string) {
		if _, f := c.Do(t.Context(), get("kept"), true); f != nil {
			t.Fatal(f)
		}
		mu.Lock()
		arrived = nil
		mu.Unlock()
		r.Path = []string{"dropped"}
		_, f := c.Do(t.Context(), r, false)
		mu.Lock()
		defer mu.Unlock()
		return f, slices.Clone(arrived)
	}
	for _, r := range []Request{
		{Method: http.MethodPost, Body: []byte("x")},
		{Method: http.MethodPost},
		{Method: http.MethodPost, Headers: []KeyValue{{"Idempotency-Key", "1"}}},
		{Method: http.MethodPut, Body: []byte("x")},
		{Method: http.MethodDelete},
	} {
		f, arrived := do(r)
		if f == nil || f.Kind != Protocol || !f.Sent || !strings.Contains(f.Error(), "not known") {
			t.Errorf("%s: %+v", r.Method, f)
		}
		if len(arrived) != 1 {
			t.Errorf("%s %v arrived %d times", r.Method, r.Headers, len(arrived))
		}
	}
	if f, arrived := do(get()); f != nil || len(arrived) != 2 {
		t.Errorf("GET on a dropped connection: %v, arrived %d times", f, len(arrived))
	}
}

func TestConcurrentRequestsReuseConnections(t *testing.T) {
	for _, h2 := range []bool{false, true} {
		t.Run(fmt.Sprintf("HTTP2=%v", h2), func(t *testing.T) {
			var conns, busy, requests atomic.Int32
			together := make(chan struct{})
			s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.ProtoMajor == 2 != h2 {
					t.Errorf("%s", r.Proto)
				}
				if n := busy.Add(1); n > maxConns && !h2 {
					t.Errorf("%d connections at a time", n)
				}
				defer busy.Add(-1)
				if requests.Add(1) == maxConns {
					close(together)
				}
				<-together
				fmt.Fprint(w, r.URL.Path)
			}))
			s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
				if state == http.StateNew {
					conns.Add(1)
				}
			}
			s.EnableHTTP2, s.Config.ErrorLog = h2, silent
			s.StartTLS()
			defer s.Close()
			c := NewClient(tlsEndpoint(t, s, s.URL), nil)
			defer c.Close()
			for range 2 {
				var all sync.WaitGroup
				for i := range 64 {
					all.Go(func() {
						resp, f := c.Do(t.Context(), get(fmt.Sprint(i)), true)
						if f != nil || string(resp.Body) != fmt.Sprintf("/%d", i) {
							t.Errorf("%d: %s %v", i, resp.Body, f)
						}
					})
				}
				all.Wait()
			}
			// A connection that was dialled for a request may be closed again if another connection was free first.
			if n := conns.Load(); n > 2*maxConns {
				t.Errorf("%d connections for %d requests", n, requests.Load())
			}
		})
	}
}

func TestEchoedSecretsAreRemoved(t *testing.T) {
	all := forms(key)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+key {
			t.Error("the secret did not arrive")
		}
		switch r.URL.Path {
		case "/redirect":
			w.Header().Set("Location", "https://evil.example/"+key)
			w.WriteHeader(302)
		case "/host":
			w.Header().Set("Location", "https://"+strings.ReplaceAll(key, "/", ".")+"/")
			w.WriteHeader(302)
		default:
			var body bytes.Buffer
			for name, form := range all {
				w.Header().Set("X-"+strings.ReplaceAll(name, " ", "-"), form)
				fmt.Fprintf(&body, "%s: %s\n", name, form)
			}
			w.Write(body.Bytes())
		}
	})
	c := client(t, s.URL)
	resp, f := c.Do(t.Context(), get(), true)
	if f != nil {
		t.Fatal(f)
	}
	text := fmt.Sprintf("%s %v", resp.Body, resp.Headers)
	_, f = c.Do(t.Context(), get("redirect"), true)
	text += f.Error()
	moved, f := c.Do(t.Context(), Request{Method: http.MethodPost, Path: []string{"redirect"}}, false)
	text += fmt.Sprint(moved, f)
	base := raw(t, says("HTTP/1.1 "+key+"\r\n\r\n"))
	_, f = client(t, base).Do(t.Context(), get(), true)
	text += f.Error()
	for name, form := range all {
		if strings.Contains(text, form) {
			t.Errorf("%s is left", name)
		}
	}
	if n := strings.Count(text, mark); n < 2*len(all)+2 {
		t.Errorf("%d secrets were found:\n%s", n, text)
	}
}

func BenchmarkRequest(b *testing.B) {
	s := serve(b, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, `{"id":"5f0e","name":"A flow"}`) })
	b.Run("web", func(b *testing.B) {
		c := client(b, s.URL+"/api/v1")
		for b.Loop() {
			if _, f := c.Do(b.Context(), get("chatflows", "5f0e"), true); f != nil {
				b.Fatal(f)
			}
		}
	})
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			resp, err := s.Client().Get(s.URL + "/api/v1/chatflows/5f0e")
			if err != nil {
				b.Fatal(err)
			}
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
	})
}
