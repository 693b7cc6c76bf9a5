package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/plugin"
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

// emptySession is a session without a domain.
func emptySession(t *testing.T) *session.Session {
	t.Helper()
	roots, err := files.NewRoots(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return session.New(domain.List{}, roots)
}

// start serves the list plugin with files in dir.
func start(t *testing.T, dir string, unified bool) *Server {
	t.Helper()
	return serve(t, dir, Config{Unified: unified}, testwasm.List(t))
}

// serve serves plugins with files in dir.
func serve(t *testing.T, dir string, c Config, plugins ...string) *Server {
	t.Helper()
	set, err := plugin.Load(t.Context(), plugin.Options{Files: plugins,
		CacheDir: testwasm.CacheDir(t), Command: testwasm.Worker(t), Limits: sandbox.DefaultLimits()})
	if err != nil || len(set.Problems()) > 0 {
		t.Fatal(err, set.Problems())
	}
	t.Cleanup(set.Close)
	roots, err := files.NewRoots(dir)
	if err != nil {
		t.Fatal(err)
	}
	c.Version, c.Session, c.Log = "1.2.3", session.New(set, roots), discard
	t.Cleanup(c.Session.Close)
	return New(c)
}

// pluginWithPicture returns a plugin whose query preview answers with a picture.
func pluginWithPicture(t *testing.T) string {
	t.Helper()
	m := testwasm.MinimalManifest()
	m.Queries = append(m.Queries, abi.Query{Name: "preview", Syntax: "preview"})
	acts := testwasm.Minimal()
	acts[abi.ExportManifest] = testwasm.Answers(m)
	acts[abi.ExportQuery] = testwasm.Answers(&abi.QueryResponse{Text: "a picture", Content: []abi.Content{{MIME: "image/png", Data: pixel}}})
	file := filepath.Join(t.TempDir(), "thing.wasm")
	if err := os.WriteFile(file, testwasm.Scripted(acts), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// message is any JSON-RPC message from the server.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

// called is the result of tools/call.
type called struct {
	Content []struct {
		Type, Text, Data, MIMEType, URI string
	} `json:"content"`
	Structured *Facts `json:"structuredContent"`
	IsError    bool   `json:"isError"`
}

// talk sends all lines at once, closes the input, and returns every message of the server.
func talk(t *testing.T, s *Server, lines ...string) []message {
	t.Helper()
	var out bytes.Buffer
	if err := s.ServeStdio(t.Context(), strings.NewReader(strings.Join(lines, "\n")), &out); err != nil {
		t.Fatal(err)
	}
	return decode(t, out.Bytes())
}

func decode(t *testing.T, out []byte) []message {
	t.Helper()
	var all []message
	for line := range bytes.Lines(out) {
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatalf("stdout holds something that is not JSON: %q", line)
		}
		all = append(all, m)
	}
	return all
}

func call(id int, tool string, args any) string {
	data, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": "tools/call",
		"params": map[string]any{"name": tool, "arguments": args}})
	return string(data)
}

func edit(id int, ops ...string) string { return call(id, "list", map[string]any{"ops": ops}) }

func action(id int, a string) string { return call(id, "list_session", map[string]any{"action": a}) }

func ask(id int, q string) string { return call(id, "list_query", map[string]any{"q": q}) }

func answer(t *testing.T, all []message, id int) called {
	t.Helper()
	for _, m := range all {
		if string(m.ID) == fmt.Sprint(id) {
			if m.Error != nil {
				t.Fatalf("call %d: protocol error %d %s", id, m.Error.Code, m.Error.Message)
			}
			var c called
			if err := json.Unmarshal(m.Result, &c); err != nil {
				t.Fatal(err)
			}
			return c
		}
	}
	t.Fatalf("call %d was not answered", id)
	return called{}
}

func (c called) text() string {
	if len(c.Content) == 0 {
		return ""
	}
	return c.Content[0].Text
}
