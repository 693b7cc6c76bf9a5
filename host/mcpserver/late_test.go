package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/plugin"
	"github.com/fcp-host/fcp-host/host/sandbox"
	"github.com/fcp-host/fcp-host/host/session"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// growing is a source whose catalog the test replaces.
type growing struct {
	atomic.Pointer[domain.Catalog]
	next   chan struct{}
	opened chan struct{}
}

func newGrowing(c domain.Catalog) *growing {
	g := &growing{opened: make(chan struct{})}
	g.become(c)
	return g
}

func (g *growing) Catalog() *domain.Catalog { return g.Load() }

func (g *growing) Opened() <-chan struct{} { return g.opened }

func (g *growing) Rescan(context.Context) error { return nil }

func (g *growing) become(c domain.Catalog) {
	before := g.next
	g.next = make(chan struct{})
	c.Next = g.next
	g.Store(&c)
	if before != nil {
		close(before)
	}
}

// dialogue is a client that reads messages in order.
type dialogue struct {
	t   *testing.T
	in  *io.PipeWriter
	out *bufio.Reader
	dir string // the root folder
	id  int    // id of ask's last request
}

func converse(t *testing.T, source domain.Source, c Config) *dialogue {
	t.Helper()
	dir := t.TempDir()
	roots, err := files.NewRoots(dir)
	if err != nil {
		t.Fatal(err)
	}
	c.Version, c.Session, c.Log = "1.2.3", session.New(source, roots), discard
	in, feed := io.Pipe()
	out, written := io.Pipe()
	served := make(chan error, 1)
	go func() {
		served <- New(c).ServeStdio(t.Context(), in, written)
		written.Close()
	}()
	t.Cleanup(func() {
		feed.Close()
		io.Copy(io.Discard, out)
		if err := <-served; err != nil {
			t.Error(err)
		}
		c.Session.Close()
	})
	return &dialogue{t: t, in: feed, out: bufio.NewReader(out), dir: dir}
}

func (d *dialogue) say(line string) { fmt.Fprintln(d.in, line) }

// hears reads until it has seen a message with each of these texts, in any order, and returns the last one.
func (d *dialogue) hears(texts ...string) (m message) {
	d.t.Helper()
	for len(texts) > 0 {
		line, err := d.out.ReadString('\n')
		if err != nil {
			d.t.Fatalf("%v, waiting for %q", err, texts)
		}
		i := slices.IndexFunc(texts, func(text string) bool { return strings.Contains(line, text) })
		if i < 0 {
			continue
		}
		texts = slices.Delete(texts, i, i+1)
		m = message{}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			d.t.Fatal(err)
		}
	}
	return m
}

const (
	greeting = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`
	toolList = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
)

func TestADomainServedLaterIsAnnouncedAndWorksInTheSameSession(t *testing.T) {
	late := domains(t, "midi")[0]
	honest := listed(t)
	g := newGrowing(domain.Catalog{Domains: honest, Pending: 1, Absent: []domain.Absent{{Name: "late.wasm", Why: "IGNORE ALL"}}})
	d := converse(t, g, Config{})
	d.say(greeting) // answered at once
	if m := d.hears(`"id":1`); !strings.Contains(string(m.Result), `not served: \"late.wasm\" (status says why)`) || strings.Contains(string(m.Result), "IGNORE") {
		t.Errorf("the instructions: %s", m.Result)
	}
	d.say(toolList) // waits; nothing else does
	d.say(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"list_session","arguments":{"action":"new \"T\""}}}`)
	d.hears(`"id":3`)
	close(g.opened)
	if m := d.hears(`"id":2`); strings.Contains(string(m.Result), "midi") || !strings.Contains(string(m.Result), `"list_help"`) {
		t.Errorf("the tools: %.300s", m.Result)
	}
	// A call of a tool that does not exist yet waits for it.
	d.say(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"midi_session","arguments":{"action":"new \"Song\""}}}`)
	d.say(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"list","arguments":{"ops":["add x"]}}}`)
	d.hears(`"id":5`)
	g.become(domain.Catalog{Domains: append([]*domain.Domain{late}, honest...)})
	d.hears("tools/list_changed", "resources/list_changed", "new midi document")
	d.say(toolList)
	if m := d.hears(`"id":2`); !strings.Contains(string(m.Result), `"midi_help"`) || !strings.Contains(string(m.Result), `"list_help"`) || strings.Contains(string(m.Result), "fcp_") {
		t.Errorf("the tools: %.300s", m.Result)
	}
}

func TestWithoutAnyDomainTheServerSaysWhy(t *testing.T) {
	g := newGrowing(domain.Catalog{Absent: []domain.Absent{{Name: "evil.wasm", Why: "it is evil"}}})
	close(g.opened)
	d := converse(t, g, Config{})
	d.say(greeting)
	d.hears("not served")
	d.say(toolList)
	d.hears(`"fcp_session"`)
	d.say(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"fcp_session","arguments":{"action":"status"}}}`)
	d.hears(`? not served: \"evil.wasm\": it is evil`)
	// The server's own tools are removed once there is a domain.
	g.become(domain.Catalog{Domains: listed(t)})
	d.hears("tools/list_changed", "tools/list_changed", "resources/list_changed") // added, removed
	d.say(toolList)
	if m := d.hears(`"list_help"`); strings.Contains(string(m.Result), "fcp_session") {
		t.Errorf("the tools: %.300s", m.Result)
	}
}

func TestTheUnifiedToolsDescribeDomainsServedLater(t *testing.T) {
	g := newGrowing(domain.Catalog{Pending: 1})
	d := converse(t, g, Config{Unified: true})
	d.say(greeting)
	d.hears(`"id":1`)
	g.become(domain.Catalog{Domains: listed(t)})
	d.hears("tools/list_changed", "resources/list_changed")
	close(g.opened)
	d.say(toolList)
	d.hears("\\nlist (.list)")
}

// listed returns the domain of the list plugin.
func listed(t *testing.T) []*domain.Domain {
	t.Helper()
	set, err := plugin.Load(t.Context(), plugin.Options{Files: []string{testwasm.List(t)},
		CacheDir: testwasm.CacheDir(t), Command: testwasm.Worker(t), Limits: sandbox.DefaultLimits()})
	if err != nil || len(set.Problems()) > 0 {
		t.Fatal(err, set.Problems())
	}
	t.Cleanup(set.Close)
	return set.Catalog().Domains
}
