package web

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

const key = "sk-live/9f+3c1=e77b"

func variables(kv map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) { v, ok := kv[name]; return v, ok }
}

func TestABaseIsAnOriginAndAPath(t *testing.T) {
	for _, c := range []struct {
		base, origin, path string
		user               bool
	}{
		{"https://flows.example", "https://flows.example", "", false},
		{"https://Flows.EXAMPLE:443/api/v1/", "https://flows.example", "/api/v1", false},
		{"https://flows.example:8443/a%20b/c", "https://flows.example:8443", "/a%20b/c", false},
		{"http://localhost:3000", "http://localhost:3000", "", true},
		{"http://[::1]:03000/", "http://[::1]:3000", "", true},
		{"http://[fe80:0::1%25eth0]/x", "http://[fe80::1%25eth0]", "/x", true},
		{"http://127.0.0.1:80", "http://127.0.0.1", "", true},
	} {
		e, err := NewEndpoint("api", c.base, nil, Options{Configured: c.user})
		if err != nil {
			t.Errorf("%s: %v", c.base, err)
		} else if e.Origin != c.origin || e.path != c.path {
			t.Errorf("%s: %s and %s, want %s and %s", c.base, e.Origin, e.path, c.origin, c.path)
		}
	}
}

func TestAnInvalidBaseIsRefused(t *testing.T) {
	for base, want := range map[string]string{
		"":                               "not a URL",
		"flows.example":                  "not a URL",
		"https:flows.example":            "not a URL",
		"https:///x":                     "not a URL",
		"https://a b/":                   "not a URL",
		"file:///etc/passwd":             "not a URL",
		"ftp://flows.example":            "only https and http",
		"http://flows.example":           "must be https",
		"https://u:p@flows.example":      "no user and password",
		"https://flows.example?x=1":      "no query",
		"https://flows.example?":         "no query",
		"https://flows.example#x":        "no query",
		"https://flows.example:":         "port",
		"https://flows.example:0":        "port",
		"https://flows.example:65536":    "port",
		"https://flöws.example":          "ASCII",
		"https://a..b":                   "ASCII",
		"https://flows.example/a/../b":   "dots",
		"https://flows.example/%2e%2e/b": "dots",
		"https://flows.example//b":       "dots",
		"https://flows.example//":        "dots",
		"https://flows.example/a%5cb":    "dots",
		"https://${HOST}/x":              "whole base",
		"${A}x":                          "whole base",
		"${A}/x?y":                       "whole base",
		"${A}/${HOST}":                   "whole base",
		"${A}/../x":                      "dots",
	} {
		_, err := NewEndpoint("api", base, nil, Options{Lookup: variables(map[string]string{"A": "https://a.example", "HOST": "a.example"})})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", base, err, want)
		}
	}
}

func TestAVariableIsAWholeValueOrFollowsAScheme(t *testing.T) {
	headers := []KeyValue{{"Authorization", "Bearer ${KEY}"}, {"X-Api-Key", "${KEY}"}, {"X-Org", "${ORG}"}, {"Accept", "application/json"}}
	names, err := Variables("${URL}", headers)
	if err != nil || !slices.Equal(names, []string{"URL", "KEY", "ORG"}) {
		t.Fatalf("%v %v", names, err)
	}
	e, err := NewEndpoint("api", "${URL}", headers, Options{Lookup: variables(map[string]string{
		"URL": " http://localhost:3000/api/v1\n", "KEY": key + "\n", "ORG": "organisation"})})
	if err != nil {
		t.Fatal(err)
	}
	if e.Origin != "http://localhost:3000" || !e.private || !slices.Equal(e.Variables, names) {
		t.Errorf("%+v", e)
	}
	h, err := e.requestHeader(nil)
	if err != nil {
		t.Fatal(err)
	}
	if h.Get("Authorization") != "Bearer "+key || h.Get("X-Api-Key") != key || h.Get("X-Org") != "organisation" {
		t.Errorf("%v", h)
	}

	for _, value := range []string{"Bearer ${KEY} x", "a${KEY}", "${KEY}${KEY}", "Bearer  ${KEY}", "${}", "${A B}", "Bearer\t${KEY}", "${KEY"} {
		if names, err := Variables("https://a.example", []KeyValue{{"Authorization", value}}); err == nil {
			t.Errorf("%q is taken, with %v", value, names)
		}
	}
}

// The user's URL may end in the path that the manifest appends, or not.
func TestThePathAfterAVariableIsAppendedOnce(t *testing.T) {
	for value, want := range map[string]string{
		"http://localhost:3000":             "http://localhost:3000/api/v1/x",
		"http://localhost:3000/":            "http://localhost:3000/api/v1/x",
		" http://localhost:3000/api/v1\n":   "http://localhost:3000/api/v1/x",
		"http://localhost:3000/api/v1/":     "http://localhost:3000/api/v1/x",
		"https://a.example/flows":           "https://a.example/flows/api/v1/x",
		"https://a.example/flows/api/v1":    "https://a.example/flows/api/v1/x",
		"https://a.example/myapi/v1":        "https://a.example/myapi/v1/api/v1/x",
		"http://api/v1":                     "http://api/v1/api/v1/x", // a host called api
		"http://localhost:3000?x=/api/v1":   "",
		"http://localhost:3000#/api/v1":     "",
		"localhost:3000":                    "",
		"http://localhost:3000/../etc":      "",
		"http://u:p@localhost:3000/api/v1/": "",
	} {
		e, err := NewEndpoint("api", "${URL}/api/v1", nil, Options{Lookup: variables(map[string]string{"URL": value})})
		if want == "" {
			if err == nil {
				t.Errorf("%q is taken", value)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", value, err)
			continue
		}
		if u, err := e.url([]string{"x"}, nil); err != nil || u.String() != want {
			t.Errorf("%q: %s %v, want %s", value, u, err, want)
		}
	}
}

func TestAHeaderWithAnUnsetOptionalVariableIsLeftOut(t *testing.T) {
	headers := []KeyValue{{"Authorization", "Bearer ${KEY:-}"}, {"X-Org", "${ORG}"}}
	if !OptionalVariable("${URL}", headers, "KEY") || OptionalVariable("${URL}", headers, "ORG") || OptionalVariable("${URL}", headers, "URL") || OptionalVariable("${URL}", append(headers, KeyValue{"X-Key", "${KEY}"}), "KEY") {
		t.Error("it is not said which variables are needed")
	}
	for value, want := range map[string]string{"": "", key: "Bearer " + key} {
		e, err := NewEndpoint("api", "${URL}", headers, Options{Lookup: variables(map[string]string{"URL": "http://localhost:3000", "KEY": value, "ORG": "organisation"})})
		if err != nil {
			t.Fatal(err)
		}
		h, err := e.requestHeader(nil)
		if err != nil || h.Get("Authorization") != want || h.Get("X-Org") != "organisation" {
			t.Errorf("%q: %v %v", value, h, err)
		}
	}
	if _, err := NewEndpoint("api", "${URL}", headers, Options{Lookup: variables(map[string]string{"URL": "http://localhost:3000", "KEY": key})}); err == nil || !strings.Contains(err.Error(), "ORG is not set") {
		t.Errorf("without what is needed: %v", err)
	}
}

func TestAnInvalidValueIsNamedAndNotShown(t *testing.T) {
	for value, want := range map[string]string{
		"":                        "KEY is not set",
		"k3y":                     "shorter than 8",
		"with\r\nX-Evil: 1 more":  "visible ASCII",
		"with\x00nul-in-it":       "visible ASCII",
		"schlüssel-lang":          "visible ASCII",
		strings.Repeat("x", 5000): "too long",
	} {
		_, err := NewEndpoint("api", "https://a.example", []KeyValue{{"X-Key", "${KEY}"}}, Options{Lookup: variables(map[string]string{"KEY": value})})
		if err == nil || !strings.Contains(err.Error(), want) || value != "" && strings.Contains(err.Error(), value) {
			t.Errorf("%.20q: %v, want %q", value, err, want)
		}
	}
	secret := "http://user:hunter2hunter2@host/"
	if _, err := NewEndpoint("api", "${URL}", nil, Options{Lookup: variables(map[string]string{"URL": secret})}); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("%v", err)
	}
	if _, err := NewEndpoint("api", "${URL}", nil, Options{Lookup: variables(map[string]string{"URL": "::" + secret})}); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("%v", err)
	}
}

func TestAnEndpointSetsNoHeaderOfTheConnection(t *testing.T) {
	for _, name := range []string{"Host", "host", "Connection", "Transfer-Encoding", "content-length", "TE", "Trailer", "Upgrade", "Proxy-Authorization",
		"X-Forwarded-For", "Forwarded", "X-HTTP-Method-Override", "x-method-override", "X-HTTP-Method", "Idempotency-Key", "X-Idempotency-Key", "Expect",
		"Accept-Encoding", "X Y", "X:Y", "", "X\r\nY", "Ünder"} {
		if _, err := NewEndpoint("api", "https://a.example", []KeyValue{{name, "value"}}, Options{}); err == nil {
			t.Errorf("%q is taken", name)
		}
	}
	if _, err := NewEndpoint("api", "https://a.example", []KeyValue{{"Accept", "a/b"}, {"accept", "c/d"}}, Options{}); err == nil {
		t.Error("a header is set twice")
	}
	if _, err := NewEndpoint("api", "https://a.example", []KeyValue{{"Accept", "a\r\nX-Evil: 1"}}, Options{}); err == nil {
		t.Error("a header's value holds a line")
	}
}

func TestACertificateFileHoldsCertificates(t *testing.T) {
	if _, err := NewEndpoint("api", "https://a.example", nil, Options{CA: []byte("-----BEGIN NONSENSE-----")}); err == nil {
		t.Error("nonsense is taken for a certificate")
	}
}

func TestPrintingAnEndpointPrintsNoSecret(t *testing.T) {
	e, err := NewEndpoint("api", "https://a.example/hook", []KeyValue{{"Authorization", "Bearer ${KEY}"}}, Options{Lookup: variables(map[string]string{"KEY": key})})
	if err != nil {
		t.Fatal(err)
	}
	data, _ := json.Marshal(e)
	for _, s := range []string{fmt.Sprint(e), fmt.Sprintf("%v %+v %#v %s", e, e, e, e), string(data)} {
		if strings.Contains(s, key) {
			t.Errorf("%s", s)
		}
	}
}

func TestThePasswordOfBasicAuthenticationIsASecret(t *testing.T) {
	e, err := NewEndpoint("api", "https://a.example", []KeyValue{{"Authorization", "Basic ${CREDENTIALS}"}},
		Options{Lookup: variables(map[string]string{"CREDENTIALS": "dXNlcjpodW50ZXIyaHVudGVyMg=="})})
	if err != nil {
		t.Fatal(err)
	}
	if got := RedactorOf(e).Text("wrong: hunter2hunter2, from dXNlcjpodW50ZXIyaHVudGVyMg=="); strings.Contains(got, "hunter2") || strings.Contains(got, "dXNlc") {
		t.Error(got)
	}
}
