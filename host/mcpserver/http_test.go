package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/gate"
	"github.com/fcp-host/fcp-host/host/journal"
	"github.com/fcp-host/fcp-host/host/plugin"
	"github.com/fcp-host/fcp-host/host/sandbox"
	"github.com/fcp-host/fcp-host/host/session"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// web is an HTTP endpoint that serves the list plugin.
type web struct {
	t          *testing.T
	url, token string
	server     *httptest.Server
	h          *HTTP
}

func startHTTP(t *testing.T, idle time.Duration, hosts ...string) *web {
	return startWith(t, t.TempDir(), nil, HTTPConfig{Idle: idle}, gate.Config{Open: true, Hosts: hosts})
}

// startLogged starts one that logs.
func startLogged(t *testing.T, log *slog.Logger) *web {
	return startWith(t, t.TempDir(), nil, HTTPConfig{Log: log}, gate.Config{Open: true})
}

// startKept starts one whose files lie in root and that keeps a journal in dir.
func startKept(t *testing.T, root string, dir *journal.Dir, idle time.Duration) *web {
	return startWith(t, root, dir, HTTPConfig{Idle: idle}, gate.Config{Open: true})
}

func startWith(t *testing.T, root string, store journal.Store, c HTTPConfig, door gate.Config) *web {
	t.Helper()
	set, err := plugin.Load(t.Context(), plugin.Options{Files: []string{testwasm.List(t)},
		CacheDir: testwasm.CacheDir(t), Command: testwasm.Worker(t), Limits: sandbox.DefaultLimits()})
	if err != nil || len(set.Problems()) > 0 {
		t.Fatal(err, set.Problems())
	}
	t.Cleanup(set.Close)
	roots, err := files.NewRoots(root)
	if err != nil {
		t.Fatal(err)
	}
	var shelf *document.Shelf
	if store != nil {
		shelf = document.NewShelf(store)
	}
	kept := func(s *session.Session, who string) *session.Session { s.Own(who); s.Keep(shelf, nil); return s }
	c.NewShared = func(who string) *session.Session { return kept(session.NewShared(set, roots), who) }
	c.NewSession = func(who string) *session.Session { return kept(session.New(set, roots), who) }
	return startConfigured(t, c, door)
}

// startConfigured starts one whose sessions are made as c says.
func startConfigured(t *testing.T, c HTTPConfig, door gate.Config) *web {
	t.Helper()
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if door.Log == nil {
		door.Log = slog.New(slog.DiscardHandler)
	}
	c.Version, c.Gate = "1.2.3", gate.New(door)
	h := NewHTTP(c)
	t.Cleanup(h.Close)
	srv := httptest.NewServer(c.Gate.Handler(h))
	t.Cleanup(srv.Close)
	return &web{t: t, url: srv.URL + HTTPPath, server: srv, h: h}
}

// send sends a request and gives the answer's status, headers and last message.
func (w *web) send(method, body string, header map[string]string) (*http.Response, message) {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.url, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if w.token != "" {
		req.Header.Set("Authorization", "Bearer "+w.token)
	}
	for k, v := range header {
		if k == "Host" {
			req.Host = v
		} else {
			req.Header.Set(k, v)
		}
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	var m message
	for line := range bytes.Lines(data) { // JSON, or a stream of events
		line = bytes.TrimPrefix(bytes.TrimSpace(line), []byte("data: "))
		if bytes.HasPrefix(line, []byte("{")) {
			m = message{}
			if err := json.Unmarshal(line, &m); err != nil {
				w.t.Fatalf("%s: %v", line, err)
			}
		}
	}
	return res, m
}

const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// join opens a session.
func (w *web) join() (id string) {
	w.t.Helper()
	res, m := w.send("POST", hello, nil)
	id = res.Header.Get("Mcp-Session-Id")
	if res.StatusCode != 200 || m.Error != nil || id == "" {
		w.t.Fatalf("initialize: %s %+v", res.Status, m)
	}
	return id
}

func (w *web) call(id string, line string) called {
	w.t.Helper()
	res, m := w.send("POST", line, map[string]string{"Mcp-Session-Id": id, "MCP-Protocol-Version": "2025-11-25"})
	return w.result(res, m)
}

func (w *web) result(res *http.Response, m message) called {
	w.t.Helper()
	if res.StatusCode != 200 || m.Error != nil {
		w.t.Fatalf("%s %+v", res.Status, m.Error)
	}
	var c called
	if err := json.Unmarshal(m.Result, &c); err != nil {
		w.t.Fatal(err)
	}
	return c
}

// modern makes a request of the newest protocol version, which has no session.
func (w *web) modern(tool string, args map[string]any) called {
	w.t.Helper()
	const version = "2026-07-28"
	data, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{
		"name": tool, "arguments": args, "_meta": map[string]any{"io.modelcontextprotocol/protocolVersion": version,
			"io.modelcontextprotocol/clientCapabilities": map[string]any{}}}})
	res, m := w.send("POST", string(data), map[string]string{"MCP-Protocol-Version": version, "Mcp-Method": "tools/call", "Mcp-Name": tool})
	return w.result(res, m)
}

// handle is the name of the document that new answers.
func handle(t *testing.T, c called) string {
	t.Helper()
	_, rest, ok := strings.Cut(c.text(), `document:"`)
	h, _, _ := strings.Cut(rest, `"`)
	if !ok || h == "" {
		t.Fatalf("no handle in %q", c.text())
	}
	return h
}

func TestEachHTTPSessionHasItsOwnDocuments(t *testing.T) {
	w := startHTTP(t, 0)
	a, b := w.join(), w.join()
	if a == b {
		t.Fatal("two sessions have one id")
	}
	w.call(a, action(1, `new "A"`))
	w.call(a, edit(2, "add one"))
	if got := w.call(b, ask(3, "map")); !got.IsError || !strings.Contains(got.text(), "no document open") {
		t.Errorf("another session sees %q", got.text())
	}
	w.call(b, action(4, `new "A"`))
	if got := w.call(a, ask(5, "map")).text(); got != "#list A\none" {
		t.Errorf("the first session's document is %q", got)
	}
	if got := w.call(b, action(6, "documents")).text(); strings.Count(got, `"A"`) != 1 {
		t.Errorf("documents of the other session are listed: %q", got)
	}
}

func TestAnHTTPSessionMustBeOpenedAndCanBeEnded(t *testing.T) {
	w := startHTTP(t, 0)
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	if res, _ := w.send("POST", list, nil); res.StatusCode != http.StatusBadRequest {
		t.Errorf("without a session: %s", res.Status)
	}
	for _, id := range []string{"mcp-session-6f1e1a86-1c5b-4d3b-9d5b-5d5d5d5d5d5d", "x"} {
		if res, _ := w.send("POST", list, map[string]string{"Mcp-Session-Id": id}); res.StatusCode != http.StatusNotFound {
			t.Errorf("with the made-up session %s: %s", id, res.Status)
		}
	}
	id := w.join()
	head := map[string]string{"Mcp-Session-Id": id}
	if res, m := w.send("POST", list, head); res.StatusCode != 200 || m.Result == nil {
		t.Errorf("with a session: %s", res.Status)
	}
	if res, _ := w.send("DELETE", "", head); res.StatusCode != 200 {
		t.Errorf("ending it: %s", res.Status)
	}
	if res, _ := w.send("POST", list, head); res.StatusCode != http.StatusNotFound {
		t.Errorf("after its end: %s", res.Status)
	}
}

func TestASessionThatLosesNothingMakesRoomAndOneWithUnsavedChangesDoesNot(t *testing.T) {
	const most = 3
	w := startWith(t, t.TempDir(), nil, HTTPConfig{Sessions: most, grace: -1}, gate.Config{Open: true})
	unsaved, clean, empty := w.join(), w.join(), w.join()
	w.call(unsaved, action(1, `new "A"`))
	w.call(unsaved, edit(2, "add one"))
	w.call(clean, action(3, `new "A"`))
	w.call(empty, action(4, "documents"))
	ended := func(id string) bool {
		res, _ := w.send("POST", `{"jsonrpc":"2.0","id":5,"method":"ping"}`, map[string]string{"Mcp-Session-Id": id})
		return res.StatusCode == http.StatusNotFound
	}
	w.call(w.join(), action(6, `new "B"`)) // a document that nothing was done to
	if !ended(empty) || ended(clean) || ended(unsaved) {
		t.Error("the session without a document is not the one that made room")
	}
	w.call(unsaved, edit(7, "add two"))
	for range 2 * most { // as a client may that forgets its sessions
		w.call(w.join(), action(8, `new "C"`))
	}
	if !ended(clean) || ended(unsaved) {
		t.Error("the session with a clean document is not the next that made room")
	}
}

func TestASessionThatWasJustOpenedMakesNoRoom(t *testing.T) {
	w := startWith(t, t.TempDir(), nil, HTTPConfig{Sessions: 2}, gate.Config{Open: true})
	ids := []string{w.join(), w.join()}
	res, m := w.send("POST", hello, nil)
	if res.StatusCode != http.StatusTooManyRequests || res.Header.Get("Retry-After") == "" || m.Error == nil || !strings.Contains(m.Error.Message, "2 sessions") {
		t.Errorf("one more session: %s %v %+v", res.Status, res.Header, m.Error)
	}
	for _, id := range ids {
		w.call(id, action(1, "documents"))
	}
	w.send("DELETE", "", map[string]string{"Mcp-Session-Id": ids[0]})
	w.join()
}

func TestAnIdleHTTPSessionEnds(t *testing.T) {
	w := startHTTP(t, time.Millisecond)
	id := w.join()
	for t.Context().Err() == nil {
		res, _ := w.send("POST", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, map[string]string{"Mcp-Session-Id": id})
		if res.StatusCode == http.StatusNotFound {
			return
		}
	}
	t.Error("it never ended")
}

func TestWhatAnHTTPSessionLeftUnsavedIsOfferedToTheNext(t *testing.T) {
	for _, c := range []struct {
		name string
		idle time.Duration
		work func(w *web)
	}{
		{"ended by its client", 0, func(w *web) {
			id := w.join()
			w.call(id, action(1, `new "A"`))
			w.call(id, edit(2, "add one"))
			w.send("DELETE", "", map[string]string{"Mcp-Session-Id": id})
		}},
		{"ended for being idle", time.Second, func(w *web) {
			id := w.join()
			w.call(id, action(1, `new "A"`))
			w.call(id, edit(2, "add one"))
		}},
		{"a document without a session, idle", time.Second, func(w *web) {
			h := handle(t, w.modern("list_session", map[string]any{"action": `new "A"`}))
			w.modern("list", map[string]any{"ops": []string{"add one"}, "document": h})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, err := journal.Open(filepath.Join(t.TempDir(), "j"), journal.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			root := t.TempDir()
			c.work(startKept(t, root, dir, c.idle))
			for { // until it is nobody's any more
				if left, err := dir.Left(); err != nil || t.Context().Err() != nil {
					t.Fatal(err, t.Context().Err())
				} else if len(left) > 0 {
					break
				}
			}
			w := startKept(t, root, dir, 0)
			id := w.join()
			const offer = `1 document of an earlier session can be recovered: "A`
			if got := w.call(id, action(3, "status")).text(); !strings.Contains(got, offer) {
				t.Errorf("the next session is told %q", got)
			}
			if got := w.call(id, action(4, "recover")).text(); !strings.Contains(got, `recovered "A`) {
				t.Errorf("recover says %q", got)
			}
			if got := w.call(id, ask(5, "map")).text(); got != "#list A\none" {
				t.Errorf("what came back is %q", got)
			}
			if got := w.call(w.join(), action(6, "status")).text(); strings.Contains(got, "recover") {
				t.Errorf("a document that a session has open is offered to another: %q", got)
			}
		})
	}
}

func TestOnlyKnownHostsAndOriginsAreAnswered(t *testing.T) {
	w := startHTTP(t, 0, "music.example")
	for _, c := range []struct {
		header map[string]string
		want   int
	}{
		{map[string]string{}, 200},
		{map[string]string{"Host": "localhost:99"}, 200},
		{map[string]string{"Host": "[::1]:99"}, 200},
		{map[string]string{"Host": "music.example"}, 200},
		{map[string]string{"Host": "MUSIC.example:8080"}, 200},
		{map[string]string{"Host": "evil.example"}, 403},
		{map[string]string{"Host": "localhost.evil.example"}, 403},
		{map[string]string{"Host": "127.0.0.1.evil.example:80"}, 403},
		{map[string]string{"Origin": "http://localhost:5173"}, 200},
		{map[string]string{"Origin": "http://127.0.0.1"}, 200},
		{map[string]string{"Origin": "https://music.example"}, 200},
		{map[string]string{"Origin": "https://evil.example"}, 403},
		{map[string]string{"Origin": "http://localhost@evil.example"}, 403},
		{map[string]string{"Origin": "null"}, 403},
		{map[string]string{"Origin": "file://"}, 403},
		{map[string]string{"Origin": ""}, 200},
	} {
		if c.header["Origin"] == "" {
			delete(c.header, "Origin")
		}
		if res, _ := w.send("POST", hello, c.header); res.StatusCode != c.want {
			t.Errorf("%v: %s, want %d", c.header, res.Status, c.want)
		}
	}
}

func TestOddHTTPRequestsAreRefused(t *testing.T) {
	w := startHTTP(t, 0)
	id := map[string]string{"Mcp-Session-Id": w.join()}
	for _, c := range []struct {
		method, body string
		header       map[string]string
	}{
		{"POST", "not json", nil},
		{"POST", "", nil},
		{"POST", "[1,2]", id},
		{"POST", "{", id},
		{"POST", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, id},
		{"POST", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}`, id},
		{"PUT", hello, nil},
		{"OPTIONS", "", nil},
		{"GET", "", nil},
		{"DELETE", "", nil},
		{"POST", hello, map[string]string{"Content-Type": "text/plain"}},
	} {
		if res, _ := w.send(c.method, c.body, c.header); res.StatusCode < 400 || res.StatusCode >= 500 {
			t.Errorf("%s %q: %s", c.method, c.body, res.Status)
		}
	}
	if res, _ := w.send("POST", "\ufeff"+`{"jsonrpc":"2.0","id":1,"method":"ping"}`, id); res.StatusCode != 200 {
		t.Errorf("behind a byte order mark: %s", res.Status)
	}
	// One byte more than a message may have.
	req, err := http.NewRequestWithContext(t.Context(), "POST", w.url, io.LimitReader(zeros{}, maxLine+1))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Mcp-Session-Id", id["Mcp-Session-Id"])
	if res, err := http.DefaultClient.Do(req); err != nil || res.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("a body over the limit: %v %v", res, err)
	} else {
		res.Body.Close()
	}
	w.url = strings.TrimSuffix(w.url, HTTPPath) + "/other"
	if res, _ := w.send("POST", hello, nil); res.StatusCode != 404 {
		t.Errorf("another path: %s", res.Status)
	}
}

func TestARequestWithoutASessionNamesItsDocumentByHandle(t *testing.T) {
	w := startHTTP(t, 0)
	first := w.modern("list_session", map[string]any{"action": `new "A"`})
	second := w.modern("list_session", map[string]any{"action": `new "A"`})
	h, other := handle(t, first), handle(t, second)
	if h == other {
		t.Fatalf("two documents have the handle %q", h)
	}
	if got := w.modern("list", map[string]any{"ops": []string{"add one"}, "document": h}); got.IsError {
		t.Errorf("an op on the handle: %q", got.text())
	}
	if got := w.modern("list_query", map[string]any{"q": "map", "document": h}).text(); got != "#list A\none" {
		t.Errorf("map of the handle: %q", got)
	}
	if got := w.modern("list_query", map[string]any{"q": "map", "document": other}).text(); got != "#list A" {
		t.Errorf("map of the other handle: %q", got)
	}
	for tool, args := range map[string]map[string]any{
		"list":         {"ops": []string{"add two"}},
		"list_query":   {"q": "map"},
		"list_session": {"action": "undo"},
	} {
		if got := w.modern(tool, args); !got.IsError || !strings.Contains(got.text(), "document") || !strings.Contains(got.text(), "handle") {
			t.Errorf("%s without a document says %q", tool, got.text())
		}
		args["document"] = "A"
		if got := w.modern(tool, args); !got.IsError || strings.Contains(got.text(), h) {
			t.Errorf("%s with a guessed document says %q", tool, got.text())
		}
	}
	for _, a := range []string{"documents", "use " + h} {
		if got := w.modern("list_session", map[string]any{"action": a}); !got.IsError || strings.Contains(got.text(), h) {
			t.Errorf("%s says %q", a, got.text())
		}
	}
	if got := w.modern("list_help", map[string]any{}); got.IsError || !strings.Contains(got.text(), "add TEXT") {
		t.Errorf("help says %q", got.text())
	}
	if got := w.modern("list_session", map[string]any{"action": "close force", "document": h}); got.IsError {
		t.Errorf("close says %q", got.text())
	}
	if got := w.modern("list_query", map[string]any{"q": "map", "document": h}); !got.IsError {
		t.Errorf("after close, map says %q", got.text())
	}
}

func TestDocumentsWithoutASessionEndWhenIdle(t *testing.T) {
	w := startHTTP(t, time.Millisecond)
	h := handle(t, w.modern("list_session", map[string]any{"action": `new "A"`}))
	for t.Context().Err() == nil {
		if w.modern("list_query", map[string]any{"q": "map", "document": h}).IsError {
			return
		}
	}
	t.Error("it never ended")
}

func TestCallsToOneDocumentDoNotMix(t *testing.T) {
	w := startHTTP(t, 0)
	id := w.join()
	w.call(id, action(1, `new "A"`))
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			w.call(id, edit(10+i, fmt.Sprintf("add a%d", i), fmt.Sprintf("add b%d", i)))
		})
	}
	wg.Wait()
	lines := strings.Split(w.call(id, ask(99, "map")).text(), "\n")[1:]
	if len(lines) != 40 {
		t.Fatalf("%d lines", len(lines))
	}
	for i := 0; i < len(lines); i += 2 {
		if lines[i][0] != 'a' || lines[i+1] != "b"+lines[i][1:] {
			t.Errorf("two calls are mixed: %v", lines[i:i+2])
		}
	}
}
