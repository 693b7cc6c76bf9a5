package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/plugin"
	"github.com/fcp-host/fcp-host/host/sandbox"
	"github.com/fcp-host/fcp-host/host/session"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// world is a World in which everything is granted. It answers each request with its method and path; a request for the path
// "hold" is reported on held, and answered when let receives a value.
type world struct{ held, let chan struct{} }

func newWorld() *world { return &world{held: make(chan struct{}, 1000), let: make(chan struct{})} }

func (w *world) Can() []string { return []string{"http:api"} }

func (w *world) Settings() []abi.KeyValue { return nil }

func (w *world) Missing(_ context.Context, want string) *domain.Refusal { return nil }

func (w *world) Do(ctx context.Context, a domain.Asker, requests []abi.Request) []abi.Outcome {
	out := make([]abi.Outcome, len(requests))
	var all sync.WaitGroup
	for i, r := range requests {
		all.Go(func() {
			if r.AfterMS > 0 {
				select {
				case <-time.After(time.Duration(r.AfterMS) * time.Millisecond):
				case <-ctx.Done():
				}
			}
			h := r.HTTP
			if h == nil {
				return
			}
			if slices.Contains(h.Path, "hold") {
				w.held <- struct{}{}
				select {
				case <-w.let:
				case <-ctx.Done():
				}
			}
			out[i].HTTP = &abi.HTTPResponse{Status: 200, Body: []byte(h.Method + " " + strings.Join(h.Path, "/"))}
		})
	}
	all.Wait()
	return out
}

// typedSet loads the plugin that uses the world, and others, with w as its world.
func typedSet(t testing.TB, w *world, plugins ...string) *plugin.Set {
	t.Helper()
	set, err := plugin.Load(t.Context(), plugin.Options{Files: append([]string{testwasm.World(t)}, plugins...),
		CacheDir: testwasm.CacheDir(t), Command: testwasm.Worker(t), Limits: sandbox.DefaultLimits()})
	if err != nil || len(set.Problems()) > 0 {
		t.Fatal(err, set.Problems())
	}
	t.Cleanup(set.Close)
	for _, d := range set.Catalog().Domains {
		d.World = w
	}
	return set
}

// typedServer serves the set with typed tools.
func typedServer(t testing.TB, set *plugin.Set, c Config, literal bool, offers ...string) *Server {
	t.Helper()
	roots, err := files.NewRoots(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c.Version, c.Session, c.Log = "1.2.3", session.New(set, roots), discard
	c.Session.SetTools(offers, literal, true)
	t.Cleanup(c.Session.Close)
	return New(c)
}

// tooled is the result of a typed tool's call.
type tooled struct {
	Content           []struct{ Text string }
	StructuredContent json.RawMessage
	IsError           bool
}

func (r tooled) String() string {
	out := fmt.Sprintf("%s error:%v", r.StructuredContent, r.IsError)
	for _, c := range r.Content {
		out += " | " + c.Text
	}
	return out
}

// toolAnswer returns the outcome of the call with this id as one text.
func toolAnswer(t testing.TB, all []message, id int) string {
	t.Helper()
	for _, m := range all {
		if string(m.ID) != fmt.Sprint(id) {
			continue
		}
		if m.Error != nil {
			return fmt.Sprintf("error %d %s %s", m.Error.Code, m.Error.Message, m.Error.Data)
		}
		var r tooled
		if err := json.Unmarshal(m.Result, &r); err != nil {
			t.Fatal(err)
		}
		return r.String()
	}
	t.Fatalf("call %d was not answered", id)
	return ""
}

// rawCall returns a call with these JSON arguments.
func rawCall(id int, tool, args string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, args)
}

// published returns the tools of a list by name.
func published(t testing.TB, all []message, id int) map[string]json.RawMessage {
	t.Helper()
	for _, m := range all {
		if string(m.ID) != fmt.Sprint(id) {
			continue
		}
		var list struct{ Tools []json.RawMessage }
		if err := json.Unmarshal(m.Result, &list); err != nil {
			t.Fatal(err)
		}
		out := map[string]json.RawMessage{}
		for _, tool := range list.Tools {
			var named struct{ Name string }
			if err := json.Unmarshal(tool, &named); err != nil {
				t.Fatal(err)
			}
			out[named.Name] = tool
		}
		return out
	}
	t.Fatal("no list of tools")
	return nil
}

// sorted returns JSON with its keys in order.
func sorted(t testing.TB, data []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	out, _ := json.Marshal(v)
	return string(out)
}

// wire is a client that writes lines and reads one answer at a time.
type wire struct {
	t   testing.TB
	in  *io.PipeWriter
	out chan message
}

func connect(t testing.TB, s *Server) *wire {
	t.Helper()
	in, w := io.Pipe()
	out := make(chan message, 1000)
	ended := make(chan error, 1)
	go func() {
		ended <- s.ServeStdio(t.Context(), in, writer(func(line []byte) {
			var m message
			if json.Unmarshal(line, &m) == nil && len(m.ID) > 0 {
				out <- m
			}
		}))
	}()
	t.Cleanup(func() {
		w.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return &wire{t, w, out}
}

func (w *wire) send(lines ...string) {
	w.t.Helper()
	if _, err := io.WriteString(w.in, strings.Join(lines, "\n")+"\n"); err != nil {
		w.t.Fatal(err)
	}
}

// next returns the next answer and its id.
func (w *wire) next() (id string, m message) {
	w.t.Helper()
	select {
	case m := <-w.out:
		return string(m.ID), m
	case <-time.After(time.Minute):
		w.t.Fatal("no answer")
		return "", message{}
	}
}

// scriptedTool returns a plugin with one tool that gives this answer.
func scriptedTool(t *testing.T, dom string, change func(*abi.Manifest), answer testwasm.Act) string {
	t.Helper()
	m := testwasm.MinimalManifest()
	m.Domain, m.Extensions = dom, []string{"." + dom}
	m.Tools = []abi.Tool{{Name: "do_it", Description: "Does it.", InputSchema: []byte(`{"type":"object"}`), OutputSchema: []byte(`{"type":"object","required":["a"]}`)}}
	if change != nil {
		change(m)
	}
	acts := testwasm.Minimal()
	acts[abi.ExportManifest] = testwasm.Answers(m)
	acts[abi.ExportTool] = answer
	file := filepath.Join(t.TempDir(), dom+".wasm")
	if err := os.WriteFile(file, testwasm.Scripted(acts), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}
