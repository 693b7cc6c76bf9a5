package mcpserver

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
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

// startLogged starts a web with a log.
func startLogged(t *testing.T, log *slog.Logger) *web {
	return startWith(t, t.TempDir(), nil, HTTPConfig{Log: log}, gate.Config{Open: true})
}

// startKept starts a web with its files in root and a journal in dir.
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
	withShelf := func(s *session.Session, who string) *session.Session { s.Owner = who; s.Keep(shelf, nil); return s }
	c.NewShared = func(who string) *session.Session { return withShelf(session.NewShared(set, roots), who) }
	c.NewSession = func(who string) *session.Session { return withShelf(session.New(set, roots), who) }
	return startConfigured(t, c, door)
}

// startConfigured starts a web with session settings c.
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

// send sends a request and returns the answer's status, headers and last message.
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
	for line := range bytes.Lines(data) { // the body is JSON or an event stream
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

// modern sends a request of the newest protocol version, which has no session.
func (w *web) modern(tool string, args map[string]any) called {
	w.t.Helper()
	const version = "2026-07-28"
	data, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{
		"name": tool, "arguments": args, "_meta": map[string]any{"io.modelcontextprotocol/protocolVersion": version,
			"io.modelcontextprotocol/clientCapabilities": map[string]any{}}}})
	res, m := w.send("POST", string(data), map[string]string{"MCP-Protocol-Version": version, "Mcp-Method": "tools/call", "Mcp-Name": tool})
	return w.result(res, m)
}

// handle returns the handle in the answer of new.
func handle(t *testing.T, c called) string {
	t.Helper()
	_, rest, ok := strings.Cut(c.text(), `document:"`)
	h, _, _ := strings.Cut(rest, `"`)
	if !ok || h == "" {
		t.Fatalf("no handle in %q", c.text())
	}
	return h
}
