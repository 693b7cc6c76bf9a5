package web

import (
	"bufio"
	"net/http"
	"net/url"
	"path"
	"strings"
	"testing"
)

func endpoint(t testing.TB, base string, headers ...KeyValue) *Endpoint {
	t.Helper()
	e, err := NewEndpoint("api", base, headers, Options{Configured: true, Lookup: variables(map[string]string{"KEY": key})})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestSegmentsAndQueriesAreEscaped(t *testing.T) {
	e := endpoint(t, "https://a.example/api/v1")
	for _, c := range []struct {
		path  []string
		query []KeyValue
		want  string
	}{
		{nil, nil, "https://a.example/api/v1"},
		{[]string{"chatflows", "a b"}, nil, "https://a.example/api/v1/chatflows/a%20b"},
		{[]string{"team/flow"}, nil, "https://a.example/api/v1/team%2Fflow"},
		{[]string{"a?b#c;d%e"}, nil, "https://a.example/api/v1/a%3Fb%23c%3Bd%25e"},
		{[]string{"100%", "é", "…x", ".env", "a..b"}, nil, "https://a.example/api/v1/100%25/%C3%A9/%E2%80%A6x/.env/a..b"},
		{[]string{"//x"}, nil, ""},
		{[]string{"x"}, []KeyValue{{"q", "a&b=c;d#e\r\n"}, {"q", ""}}, "https://a.example/api/v1/x?q=a%26b%3Dc%3Bd%23e%0D%0A&q="},
	} {
		u, err := e.url(c.path, c.query)
		if err != nil && c.want != "" || err == nil && u.String() != c.want {
			t.Errorf("%q: %v %v, want %s", c.path, u, err, c.want)
		}
	}
}

func TestSegmentsThatLeadElsewhereAreRefused(t *testing.T) {
	e := endpoint(t, "https://a.example/api/v1")
	for _, s := range []string{
		"", ".", "..", "../users", "a/../../users", "a/..", "./a", "a//b", "/a", "a/",
		"%2e%2e", "%2E.", "%252e%252e", "%252E%252E%252Fusers", "..%2fusers", "a%2f..%2f..", "a%252f..",
		`..\users`, `a\b`, "a%5cb", "a%255Cb", "a\x00", "a%00", "a%2500", "a\r\nHost: x", "a%0d%0aX", "a\x7f", "a\u0085",
		"..;x", "..;", ";x", "a/..;jsessionid=1/b", "..%3bx", ".. ", " ..", "...", " ", "%20", "\u00a0..",
		"\xff", "%c0%ae%c0%ae", "%ff", "%2e%2e%zz/..", "%2e%2e%2f%zz",
	} {
		if u, err := e.url([]string{"flows", s}, nil); err == nil {
			t.Errorf("%q is taken: %s", s, u)
		}
	}
	if _, err := e.url([]string{strings.Repeat("x", maxURL)}, nil); err == nil {
		t.Error("a URL is longer than servers take")
	}
}

func TestRedirectsStayBelowTheBase(t *testing.T) {
	e := endpoint(t, "https://a.example/api/v1")
	from := &url.URL{Scheme: "https", Host: "a.example", Path: "/api/v1/flows"}
	for location, want := range map[string]string{
		"flows/":                                 "https://a.example/api/v1/flows/",
		"/api/v1/x?y=1#z":                        "https://a.example/api/v1/x?y=1",
		"https://A.example:443/api/v1/x":         "https://a.example/api/v1/x",
		"?page=2":                                "https://a.example/api/v1/flows?page=2",
		"../v1":                                  "https://a.example/api/v1",
		"/api/v1":                                "https://a.example/api/v1",
		"/api/v10/x":                             "",
		"/api":                                   "",
		"/":                                      "",
		"../users":                               "",
		"..":                                     "",
		"%2e%2e/users":                           "",
		"x/%2e%2e/%2e%2e/users":                  "",
		"x/%252e%252e/%252e%252e/users":          "",
		"x/..%2f..%2f..":                         "",
		`x\..\..\users`:                          "",
		"//b.example/api/v1/x":                   "",
		`\\b.example/api/v1/x`:                   "",
		"http://a.example/api/v1/x":              "",
		"https://a.example:8443/api/v1/x":        "",
		"https://a.example.b.example/api/v1":     "",
		"https://a.example@b.example/api/v1":     "",
		"https://u@a.example/api/v1/x":           "",
		"https:/api/v1/x":                        "",
		"file:///api/v1/x":                       "",
		"file:/etc/passwd":                       "",
		"javascript:1":                           "",
		"data:text/plain,x":                      "",
		"https://[::1":                           "",
		"/api/v1/" + strings.Repeat("x", maxURL): "",
	} {
		u, err := e.resolveRedirect(from, location)
		if want == "" && err == nil || want != "" && (err != nil || u.String() != want) {
			t.Errorf("%.60s: %v %v, want %q", location, u, err, want)
		}
	}
}

func FuzzSegments(f *testing.F) {
	for _, s := range []string{"a", "..", "%2e%2e", "%252e", "a/b", "a%2fb", `\`, ";", "é", "%", "..;x", ":", "//", "%zz", "?#"} {
		f.Add("/api/v1", s, "x")
		f.Add("", "x", s)
	}
	f.Fuzz(func(t *testing.T, base, first, second string) {
		e, err := NewEndpoint("api", "https://a.example"+base, nil, Options{})
		if err != nil || e.Origin != "https://a.example" {
			t.Skip()
		}
		segments := []string{first, second}
		u, err := e.url(segments, nil)
		if err != nil {
			return
		}
		// Read the request line as a server does.
		req, err := http.ReadRequest(bufio.NewReader(strings.NewReader("GET " + u.RequestURI() + " HTTP/1.1\r\nHost: a.example\r\n\r\n")))
		if err != nil {
			t.Fatalf("%q: %v", u.RequestURI(), err)
		}
		escaped := req.URL.EscapedPath()
		rest, ok := strings.CutPrefix(escaped, e.path+"/")
		if !ok {
			t.Fatalf("%q is not below %q", escaped, e.path)
		}
		got := strings.Split(rest, "/")
		if len(got) != len(segments) {
			t.Fatalf("%q has %d segments", rest, len(got))
		}
		for i, s := range got {
			if d, err := url.PathUnescape(s); err != nil || d != segments[i] {
				t.Fatalf("segment %q of %q reads %q", segments[i], escaped, d)
			}
		}
		// Decoding it several times and cleaning the result still leads below the base.
		if unescape(e.path) != e.path {
			return
		}
		for p, n := escaped, 0; n < 4; p, n = unescape(p), n+1 {
			if clean := path.Clean(p); !strings.HasPrefix(clean, e.path+"/") {
				t.Fatalf("%q, decoded %d times, leads to %q", escaped, n, clean)
			}
		}
	})
}
