package gate

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"
)

// issued is a Checker that accepts these tokens.
type issued struct {
	tokens map[string]Claims
	down   bool
}

var errDown = errors.New("the issuer is down")

func (i *issued) Check(_ context.Context, token string) (Claims, error) {
	c, ok := i.tokens[token]
	switch {
	case i.down:
		return Claims{}, errDown
	case !ok:
		return Claims{}, &Denied{"the token has expired"}
	}
	return c, nil
}

func (i *issued) Err() error {
	if i.down {
		return errDown
	}
	return nil
}

const resourceURI = "https://edit.example/mcp"

func issuing(down bool) *OAuth {
	return &OAuth{Resource: resourceURI, Issuers: []string{"https://auth.example"}, Checker: &issued{down: down, tokens: map[string]Claims{
		"jwt.of.ann":  {Principal: "auth.example#ann", Scopes: []string{"profile", "fcp"}},
		"jwt.of.cat":  {Principal: "auth.example#cat", Scopes: []string{"fcp:midi", "fcp:midi:read"}},
		"jwt.of.dan":  {Principal: "auth.example#dan", Scopes: []string{"fcp:read"}},
		"jwt.of.none": {Principal: "auth.example#none", Scopes: []string{"profile", "fcpx", "fcp:", "fcp:a:b", "FCP"}},
	}}}
}

func TestAnIssuersTokenIdentifiesThePrincipal(t *testing.T) {
	own, _ := tokens(t, "ann "+annToken)
	s := start(t, Config{Tokens: own, OAuth: issuing(false)})
	const at = `resource_metadata="https://edit.example/.well-known/oauth-protected-resource/mcp"`
	for _, c := range []struct {
		path            string
		header          []string
		status          int
		text, challenge string
	}{
		{"/", []string{"Authorization", "Bearer jwt.of.ann"}, 200, "auth.example#ann 2", ""},
		{"/", []string{"Authorization", "Bearer " + annToken}, 200, "ann 2", ""},
		{"/", nil, 401, "a token is needed", `Bearer realm="fcp-host", scope="fcp", ` + at},
		{"/?access_token=jwt.of.ann", nil, 401, "a token is needed", `Bearer realm="fcp-host", scope="fcp", ` + at},
		{"/", []string{"Authorization", "Basic jwt.of.ann"}, 401, "a token is needed", `Bearer realm="fcp-host", scope="fcp", ` + at},
		{"/", []string{"Authorization", "Bearer jwt.of.bob"}, 401, "the token has expired", `Bearer realm="fcp-host", error="invalid_token", error_description="the token has expired", scope="fcp", ` + at},
		{"/", []string{"Authorization", "Bearer jwt.of.none"}, 403, "no scope of this server", `Bearer realm="fcp-host", error="insufficient_scope", error_description="the token has no scope of this server", scope="fcp", ` + at},
		{"/", []string{"Authorization", "Bearer jwt.of.ann", "Authorization", "Bearer jwt.of.bob"}, 400, "more than one", `Bearer realm="fcp-host", error="invalid_request", error_description="there is more than one Authorization header", ` + at},
		{"/metrics", []string{"Authorization", "Bearer jwt.of.bob"}, 401, "", `Bearer realm="fcp-host", error="invalid_token", error_description="the token has expired", scope="fcp", ` + at},
		{"/metrics", []string{"Authorization", "Bearer jwt.of.cat"}, 403, "documents of all domains", `Bearer realm="fcp-host", error="insufficient_scope", scope="fcp:midi fcp:midi:read fcp:read", ` + at},
		{"/metrics", []string{"Authorization", "Bearer jwt.of.dan"}, 200, "fcp_calls_total", ""},
		{"/readyz", nil, 200, "ready", ""},
	} {
		status, text, head := s.ask("POST", c.path, "{}", c.header...)
		if status != c.status || !strings.Contains(text, c.text) || head.Get("WWW-Authenticate") != c.challenge {
			t.Errorf("%s %v: %d %s\n got %s\nwant %s", c.path, c.header, status, text, head.Get("WWW-Authenticate"), c.challenge)
		}
	}
	if log := s.log.String(); strings.Contains(log, "jwt.of") || strings.Contains(log, annToken) || !strings.Contains(log, `"who":"auth.example#ann"`) {
		t.Errorf("the log is %s", log)
	}
}

func TestTheServerDescribesItselfWithoutAToken(t *testing.T) {
	s := start(t, Config{OAuth: issuing(false)})
	for path, want := range map[string]int{"": 200, "/mcp": 200, "/other": 401, "x": 401} {
		status, text, head := s.ask("GET", metadataPath+path, "")
		if status != want {
			t.Errorf("%s: %d %s", path, status, text)
		}
		if want != 200 {
			continue
		}
		var m struct {
			Resource string   `json:"resource"`
			Servers  []string `json:"authorization_servers"`
			Methods  []string `json:"bearer_methods_supported"`
			Scopes   []string `json:"scopes_supported"`
		}
		if err := json.Unmarshal([]byte(text), &m); err != nil || head.Get("Content-Type") != "application/json" || m.Resource != resourceURI ||
			len(m.Servers) != 1 || m.Servers[0] != "https://auth.example" || len(m.Methods) != 1 || m.Methods[0] != "header" || strings.Join(m.Scopes, " ") != "fcp fcp:read" {
			t.Errorf("%v %s", err, text)
		}
	}
	if status, _, _ := s.ask("POST", metadataPath, "{}"); status != 405 {
		t.Errorf("POST: %d", status)
	}
	if status, _, _ := s.ask("GET", metadataPath, "", "Host", "evil.example"); status != 403 {
		t.Errorf("by another name: %d", status)
	}
	if status, _, _ := start(t, Config{Open: true}).ask("GET", metadataPath, "{}"); status != 200 { // echo's own answer
		t.Errorf("without issuers: %d", status)
	}
}

func TestWithoutKeysACallerIsToldToTryLater(t *testing.T) {
	s := start(t, Config{OAuth: issuing(true)})
	status, text, head := s.ask("POST", "/", "{}", "Authorization", "Bearer jwt.of.ann")
	if status != 503 || head.Get("Retry-After") == "" || head.Get("WWW-Authenticate") != "" || strings.Contains(text, errDown.Error()) {
		t.Errorf("%d %s %v", status, text, head)
	}
	if status, _, _ := s.ask("GET", "/readyz", ""); status != 503 {
		t.Errorf("ready: %d", status)
	}
}

func TestWhatScopesAllow(t *testing.T) {
	const no, r, e = "none", "reads", "edits"
	for _, c := range []struct{ scopes, all, midi, read string }{
		{"fcp", e, e, e},
		{"fcp:read", r, r, r},
		{"fcp:midi", no, e, no},
		{"fcp:midi:read", no, r, no},
		{"fcp:read fcp:midi", r, e, r},
		{"fcp:midi:read fcp:midi", no, e, no},
		{"fcp:read:read", no, no, r},
		{"fcp:drawio fcp:midi:edit fcp:mid* openid", no, no, no},
		{"", no, no, no},
	} {
		s := &Call{scopes: scopesOf(strings.Fields(c.scopes))}
		for dom, want := range map[string]string{"": c.all, "midi": c.midi, "read": c.read} {
			got := no
			if s.May(dom, false) {
				got = r
			}
			if s.May(dom, true) {
				got = e
			}
			if got != want {
				t.Errorf("%q lets %q %s, want %s", c.scopes, dom, got, want)
			}
		}
	}
	var nobody *Call
	if !nobody.May("midi", true) || nobody.Needs("midi", true) != "" || !(&Call{}).May("", true) {
		t.Error("who has no scopes is limited")
	}
}

func TestACallThatLacksAScopeSaysWhich(t *testing.T) {
	o := &OAuth{Resource: resourceURI, Checker: &issued{tokens: map[string]Claims{"jwt": {Principal: "i#ann", Scopes: []string{"openid", "fcp:midi:read"}, Until: time.Now().Add(time.Hour)}}}}
	g := New(Config{OAuth: o, Log: slog.New(slog.DiscardHandler)})
	h := g.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := Of(r.Context())
		if r.URL.Path == "/batch" {
			c.SetSeveral()
		}
		if why := c.Needs("midi", true); why == "" || !strings.Contains(why, "change documents of midi") {
			t.Errorf("why: %q", why)
		}
		if ctx, end := c.UntilExpiry(r.Context()); ctx.Err() != nil {
			t.Error(ctx.Err())
		} else if _, ok := ctx.Deadline(); !ok {
			t.Error("a stream lasts longer than its token")
		} else {
			end()
		}
		w.WriteHeader(200)
		if _, err := w.Write([]byte("{}")); err != nil {
			t.Error(err)
		}
	}))
	for path, want := range map[string]int{"/": 403, "/batch": 200} {
		w := &recorded{header: http.Header{}}
		r, err := http.NewRequest("POST", "http://localhost"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer jwt")
		h.ServeHTTP(w, r)
		says := strings.Contains(w.header.Get("WWW-Authenticate"), `error="insufficient_scope", scope="fcp:midi:read fcp:midi", resource_metadata=`)
		if w.code != want || says != (want == 403) || w.body != "{}" {
			t.Errorf("%s: %d %v %s", path, w.code, w.header, w.body)
		}
	}
}

// recorded is a response that a test can inspect.
type recorded struct {
	header http.Header
	code   int
	body   string
}

func (r *recorded) Header() http.Header { return r.header }

func (r *recorded) WriteHeader(code int) { r.code = code }

func (r *recorded) Write(b []byte) (int, error) {
	r.body += string(b)
	return len(b), nil
}
