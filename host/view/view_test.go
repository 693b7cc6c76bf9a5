package view

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/plugin"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/sandbox"
	"github.com/fcp-host/fcp-host/host/session"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == sandbox.WorkerArg {
		os.Exit(sandbox.RunWorker())
	}
	os.Exit(m.Run())
}

// listed returns a view of a session of the list plugin.
func listed(t *testing.T) (*View, *session.Session) { return served(t, testwasm.List(t)) }

// served returns a view of a session of one plugin.
func served(t *testing.T, module string) (*View, *session.Session) {
	t.Helper()
	set, err := plugin.Load(t.Context(), plugin.Options{Files: []string{module},
		CacheDir: testwasm.CacheDir(t), Command: testwasm.Worker(t), Limits: sandbox.DefaultLimits()})
	if err != nil || len(set.Problems()) > 0 {
		t.Fatal(err, set.Problems())
	}
	t.Cleanup(set.Close)
	roots, err := files.NewRoots(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := session.New(set, roots)
	t.Cleanup(s.Close)
	return New(s), s
}

func listen(t *testing.T, v *View) *Server {
	t.Helper()
	s, err := Listen(v, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// empty returns a view of a session without a domain.
func empty(t *testing.T) *View {
	t.Helper()
	roots, err := files.NewRoots(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return New(session.New(domain.List{}, roots))
}

func must(t *testing.T, r *reply.Reply) {
	t.Helper()
	if r.Failed {
		t.Fatal(r.String())
	}
}

// ask returns the answer of the view, decoded.
func ask[T any](t *testing.T, v *View, request string) (out T) {
	t.Helper()
	var wrong Wrong
	text := v.Answer(t.Context(), []byte(request))
	if err := json.Unmarshal(text, &wrong); err != nil || wrong.Error != "" {
		t.Fatalf("%s: %v %s", request, err, wrong.Error)
	}
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func send(t *testing.T, method, url, body string, header ...string) (int, http.Header, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		if r.Header.Set(header[i], header[i+1]); header[i] == "Host" {
			r.Host = header[i+1]
		}
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, res.Header, string(text)
}

func TestRequestsWithoutTheTokenGetNothing(t *testing.T) {
	s := listen(t, empty(t))
	at, base := s.Address(), "http://"+s.host+"/"
	const state, kind = `{"do":"state"}`, "application/json"
	if code, _, text := send(t, "POST", at+"api", state, "Content-Type", kind, "Origin", "http://"+s.host, "Sec-Fetch-Site", "same-origin"); code != 200 || !strings.Contains(text, `"documents":[]`) {
		t.Fatalf("an allowed request is answered %d %s", code, text)
	}
	_, port, _ := strings.Cut(s.host, ":")
	for name, r := range map[string][]string{
		"no token":                  {"GET", base},
		"a wrong token":             {"GET", base + strings.Repeat("A", len(s.token)) + "/"},
		"a part of the token":       {"GET", base + s.token[:10] + "/"},
		"the token without a path":  {"GET", base + s.token},
		"a wrong token's api":       {"POST", base + "x/api", "Content-Type", kind},
		"a wrong token's events":    {"GET", base + "x/events"},
		"no token's events":         {"GET", base + "events"},
		"another Host":              {"GET", at, "Host", "evil.example:" + port},
		"a Host of another port":    {"GET", at, "Host", "127.0.0.1:1"},
		"no Host to speak of":       {"GET", at, "Host", "127.0.0.1"},
		"another Origin":            {"POST", at + "api", "Content-Type", kind, "Origin", "https://evil.example"},
		"Origin null":               {"POST", at + "api", "Content-Type", kind, "Origin", "null"},
		"an Origin of another port": {"GET", at + "events", "Origin", "http://127.0.0.1:1"},
		"a page of another site":    {"POST", at + "api", "Content-Type", kind, "Sec-Fetch-Site", "cross-site"},
		"an image on another site":  {"GET", at, "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors"},
		"a server on this machine":  {"GET", at + "events", "Sec-Fetch-Site", "same-site"},
		"another path":              {"GET", at + "files/view.css"},
		"another method":            {"GET", at + "api"},
		"a method that changes":     {"DELETE", at},
	} {
		if code, h, text := send(t, r[0], r[1], state, r[2:]...); code != 404 || text != "nothing here\n" || strings.Contains(strings.Join(h["Content-Security-Policy"], ""), s.token) {
			t.Errorf("%s: %d %q", name, code, text)
		}
	}
	if code, _, _ := send(t, "GET", at, "", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"); code != 200 {
		t.Errorf("a link with the token that was followed: %d", code)
	}
	if code, _, _ := send(t, "POST", at+"api", state, "Content-Type", "text/plain"); code != 415 {
		t.Errorf("a form's content type: %d", code)
	}
	if code, _, _ := send(t, "POST", at+"api", strings.Repeat("x", maxRequest+1), "Content-Type", kind); code != 413 {
		t.Errorf("a long body: %d", code)
	}
}

func TestThePageRunsOnlyItsOwnScript(t *testing.T) {
	s := listen(t, empty(t))
	code, h, text := send(t, "GET", s.Address(), "")
	csp := h.Get("Content-Security-Policy")
	if code != 200 || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" || h.Get("Cache-Control") != "no-store" {
		t.Errorf("the page comes with %d %v", code, h)
	}
	for _, rule := range []string{"default-src 'none'", "connect-src 'self'", "img-src data:", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"} {
		if !slices.Contains(strings.Split(csp, "; "), rule) {
			t.Errorf("the policy %q lacks %s", csp, rule)
		}
	}
	if strings.Contains(csp, "unsafe") || strings.Contains(text, s.token) || strings.Contains(text, "http://") || strings.Contains(text, "https://") {
		t.Error("the page or its policy names what it should not")
	}
	if n := len(text); n > 150<<10 || strings.Count(text, "</script") != 1 || strings.Contains(text, "/*S") || !strings.Contains(text, `content="browser"`) {
		t.Errorf("the page has %d bytes, or is not put together", n)
	}
}

func TestAPageGetsAnEventForEachChange(t *testing.T) {
	v, sess := listed(t)
	s := listen(t, v)
	res, err := http.Get(s.Address() + "events")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if kind := res.Header.Get("Content-Type"); kind != "text/event-stream" {
		t.Fatalf("the events come as %s", kind)
	}
	in := bufio.NewReader(res.Body)
	last := ""
	next := func() {
		t.Helper()
		line, err := in.ReadString('\n')
		if err != nil || !strings.HasPrefix(line, "data: ") || line == last {
			t.Fatalf("the stream says %q, %v", line, err)
		}
		last = line
		in.ReadString('\n')
	}
	next()
	ctx := context.Background()
	for _, do := range []func() *reply.Reply{
		func() *reply.Reply { return sess.Session(ctx, "list", "", `new "T"`) },
		func() *reply.Reply { return sess.Edit(ctx, "list", "", []string{"add one"}, nil) },
		func() *reply.Reply { return sess.Session(ctx, "list", "", "checkpoint A") },
		func() *reply.Reply { return sess.Session(ctx, "list", "", "undo") },
		func() *reply.Reply { return sess.Session(ctx, "list", "", "save as:./a.list") },
		func() *reply.Reply { return sess.Session(ctx, "list", "", "close") },
	} {
		must(t, do())
		next()
		for now, _ := v.Now(); last != "data: "+jsonOf(now)+"\n"; { // a call may be several changes
			next()
		}
	}
	must(t, sess.Session(ctx, "list", "", `new "U"`))
	next()
	before, _ := v.Now()
	must(t, sess.Query(ctx, "list", "", "map"))
	ask[Show](t, v, `{"do":"show","domain":"list","name":"U"}`)
	if after, _ := v.Now(); after != before {
		t.Error("who only reads is told to pages")
	}
}

func jsonOf(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}

func TestAPageShowsEarlierStatesAndUndoes(t *testing.T) {
	v, sess := listed(t)
	ctx := context.Background()
	must(t, sess.Session(ctx, "list", "", `new "T"`))
	must(t, sess.Edit(ctx, "list", "", []string{"add one", "add two"}, nil))
	must(t, sess.Session(ctx, "list", "", "checkpoint A"))
	must(t, sess.Edit(ctx, "list", "", []string{"add three"}, nil))
	state := ask[State](t, v, `{"do":"state"}`)
	if len(state.Documents) != 1 || state.Follow != 0 || state.Documents[0].Name != "T" || !state.Documents[0].Dirty {
		t.Fatalf("state is %+v", state)
	}
	now := ask[Show](t, v, `{"do":"show","domain":"list","name":"T"}`)
	if len(now.Calls) != 2 || !slices.Equal(now.Calls[0].Ops, []string{"add one", "add two"}) || now.Calls[0].At != 2 || now.At != 3 || len(now.Marks) != 1 || now.Marks[0] != (Mark{"A", 2}) {
		t.Fatalf("show is %+v", now)
	}
	then := ask[Show](t, v, `{"do":"show","domain":"list","name":"T","at":2,"revision":`+jsonOf(now.Revision)+`}`)
	if then.Of != 2 || then.At != 3 || then.Digest == now.Digest || jsonOf(then.Picture) == jsonOf(now.Picture) && then.Text == now.Text {
		t.Errorf("the past is %+v, and now is %+v", then, now)
	}
	if r := sess.Query(ctx, "list", "", "status"); !strings.Contains(r.Text, "3 ops to undo, 0 to redo") {
		t.Errorf("looking at the past changed the document: %s", r.Text)
	}
	undo := func(action string) Done {
		seen := ask[Show](t, v, `{"do":"show","domain":"list","name":"T"}`)
		return ask[Done](t, v, `{"do":"act","domain":"list","name":"T","action":`+jsonOf(action)+`,"revision":`+jsonOf(seen.Revision)+`}`)
	}
	done := undo("undo to:A")
	after := ask[Show](t, v, `{"do":"show","domain":"list","name":"T"}`)
	if done.Failed || after.At != 2 || !after.Calls[1].Gone || after.Digest != then.Digest {
		t.Errorf("undo from the page: %+v %+v", done, after)
	}
	if stale := string(v.Answer(ctx, []byte(`{"do":"show","domain":"list","name":"T","at":1,"revision":`+jsonOf(now.Revision)+`}`))); !strings.Contains(stale, "moved on") {
		t.Errorf("a place in a history of before: %s", stale)
	}
	for _, action := range []string{"undo", "redo 2"} {
		if stale := string(v.Answer(ctx, []byte(`{"do":"act","domain":"list","name":"T","action":"`+action+`","revision":`+jsonOf(now.Revision)+`}`))); !strings.Contains(stale, "changed meanwhile") {
			t.Errorf("%s of what a person does not see: %s", action, stale)
		}
	}
	ask[Done](t, v, `{"do":"point","domain":"list","name":"T","area":"one\nitem"}`)
	if r := sess.Query(ctx, "list", "", "map"); !slices.Contains(r.Warnings, "done in the view, by a person: undo to:A") || !slices.ContainsFunc(r.Warnings, func(w string) bool {
		return strings.HasPrefix(w, "selected in the view: ") && !strings.Contains(w, "\n")
	}) {
		t.Errorf("the next reply says %q", r.Warnings)
	}
	if r := sess.Query(ctx, "list", "", "map"); len(r.Warnings) > 0 {
		t.Errorf("and the one after it %q", r.Warnings)
	}
	// A person's action after a selection does not remove the selection from the model's next reply.
	ask[Done](t, v, `{"do":"point","domain":"list","name":"T","area":"one"}`)
	if done := undo("undo"); done.Failed || strings.Contains(done.Text, "selected") {
		t.Errorf("the page is told %+v", done)
	}
	if r := sess.Query(ctx, "list", "", "map"); !slices.Equal(r.Warnings, []string{"done in the view, by a person: undo", "selected in the view: one"}) {
		t.Errorf("the model is told %q", r.Warnings)
	}
	// Pages follow the document that the model works on, not the one that a person changes.
	must(t, sess.Session(ctx, "list", "", `new "U"`))
	if done, state := undo("undo"), ask[State](t, v, `{"do":"state"}`); done.Failed || state.Documents[state.Follow].Name != "U" {
		t.Errorf("after %+v pages go to document %d", done, state.Follow)
	}
	must(t, sess.Edit(ctx, "list", "T", []string{"add four"}, nil))
	if state := ask[State](t, v, `{"do":"state"}`); state.Documents[state.Follow].Name != "T" {
		t.Errorf("behind an op, pages stay at document %d", state.Follow)
	}
}

func TestAPageRunsOnlyAllowedActions(t *testing.T) {
	v, sess := listed(t)
	must(t, sess.Session(t.Context(), "list", "", `new "T"`))
	for _, request := range []string{
		`{"do":"act","domain":"list","name":"T","action":"save as:./x.list"}`,
		`{"do":"act","domain":"list","name":"T","action":"save ./x.list"}`,
		`{"do":"act","domain":"list","name":"T","action":"save ./x.list force"}`,
		`{"do":"act","domain":"list","name":"T","action":"save format:csv"}`,
		`{"do":"act","domain":"list","name":"T","action":"save force"}`,
		`{"do":"act","domain":"list","name":"T","action":"save FORCE"}`,
		`{"do":"act","domain":"list","name":"T","action":"close force"}`,
		`{"do":"act","domain":"list","name":"T","action":"open ./x.list"}`,
		`{"do":"act","domain":"list","name":"T","action":"export csv as:./x"}`,
		`{"do":"act","domain":"list","name":"T","action":""}`,
		`{"do":"show","domain":"list","name":"other"}`,
		`{"do":"edit","domain":"list","name":"T"}`,
		`{"do":"state","more":1}`,
		`[]`, `{`, ``,
	} {
		var wrong Wrong
		if err := json.Unmarshal(v.Answer(t.Context(), []byte(request)), &wrong); err != nil || wrong.Error == "" {
			t.Errorf("%s is answered %v", request, err)
		}
	}
}
