package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/sandbox"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// TestMain makes the test binary its own worker, as fcp-host is.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == sandbox.WorkerArg {
		os.Exit(sandbox.RunWorker())
	}
	code := m.Run()
	loaded.Range(func(_, v any) bool {
		if d, err := v.(func() (*domain.Domain, error))(); err == nil {
			d.Plugin().Close()
		}
		return true
	})
	os.Exit(code)
}

var (
	ctx    = context.Background()
	loaded sync.Map // name → func() (*domain.Domain, error)
)

func loadOnce(t testing.TB, name string, wasm func() ([]byte, error)) *domain.Domain {
	t.Helper()
	cache, worker := testwasm.Modules(t), testwasm.Worker(t)
	once, _ := loaded.LoadOrStore(name, sync.OnceValues(func() (*domain.Domain, error) {
		data, err := wasm()
		if err != nil {
			return nil, err
		}
		p, err := sandbox.NewPlugin(sandbox.Config{Name: name, Wasm: data, CacheDir: cache, Command: worker,
			Limits: sandbox.Limits{Call: 20 * time.Second, Compile: 5 * time.Minute, Memory: 48 << 20}})
		if err != nil {
			return nil, err
		}
		m, err := domain.Describe(ctx, p)
		if err != nil {
			return nil, err
		}
		return domain.New(m, p)
	}))
	d, err := once.(func() (*domain.Domain, error))()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return d
}

func list(t testing.TB) *domain.Domain {
	t.Helper()
	path := testwasm.List(t)
	return loadOnce(t, "list", func() ([]byte, error) { return os.ReadFile(path) })
}

// thing is a second domain, whose documents never change. It knows files by
// their extension, by a longer one, and by how they start.
func thing(t testing.TB) *domain.Domain {
	t.Helper()
	return loadOnce(t, "thing", func() ([]byte, error) {
		m := testwasm.MinimalManifest()
		m.Extensions = []string{".thing", ".thing.list"}
		m.Magic = []abi.Magic{{Offset: 1 << 62, Bytes: []byte("far")}, {Offset: 2, Bytes: []byte("THING")}, {}}
		acts := testwasm.Minimal()
		acts[abi.ExportManifest] = testwasm.Answers(m)
		return testwasm.Scripted(acts), nil
	})
}

// client is a session under test in its own folder. It tries every suggestion that
// it gets.
type client struct {
	t testing.TB
	*Session
	dom string // the domain whose tools are used, "" for the unified ones
	dir string
}

func newClient(t testing.TB, dom string, domains ...*domain.Domain) *client {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	roots, err := files.NewRoots(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(domains) == 0 {
		domains = []*domain.Domain{list(t)}
	}
	c := &client{t, New(domain.List(domains), roots), dom, dir}
	t.Cleanup(c.Close)
	return c
}

func (c *client) put(name, text string) {
	c.t.Helper()
	if err := os.WriteFile(filepath.Join(c.dir, name), []byte(text), 0o644); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) file(name string) string {
	c.t.Helper()
	data, err := os.ReadFile(filepath.Join(c.dir, name))
	if err != nil {
		c.t.Fatal(err)
	}
	return string(data)
}

func (c *client) act(action string) *reply.Reply {
	c.t.Helper()
	r := c.Session.Session(ctx, c.dom, "", action)
	c.tryAll(action, r)
	return r
}

func (c *client) ask(q string) *reply.Reply {
	c.t.Helper()
	r := c.Query(ctx, c.dom, "", q)
	for _, res := range r.Results {
		for _, try := range res.Try {
			if try.Kind != abi.TryQuery {
				continue
			}
			if again := c.Query(ctx, c.dom, "", try.Text); again.Failed {
				c.t.Errorf("%s says try: %s, which says\n%s", q, try.Text, again)
			}
		}
	}
	c.tryAll(q, r)
	return r
}

func (c *client) edit(ops ...string) *reply.Reply {
	c.t.Helper()
	r := c.Edit(ctx, c.dom, "", ops, nil)
	c.tryAll(strings.Join(ops, "; "), r)
	return r
}

// syntaxErrors is what a suggestion must not lead to.
var syntaxErrors = regexp.MustCompile(`unknown (action|query|verb)|too many|takes |needs |double quotes|whole number|unterminated|empty|batch is|expected|is missing|no parameter`)

// tryAll parses every suggestion, and runs the session actions among them in
// another session with a document.
func (c *client) tryAll(what string, r *reply.Reply) {
	c.t.Helper()
	for _, res := range r.Results {
		for _, try := range res.Try {
			if _, err := grammar.Parse(try.Text, grammar.Rules{Blocks: map[string]string{"paste": "END"}}); err != nil && try.Kind != reply.TryHelp {
				c.t.Errorf("%s says try: %s, which does not parse: %v", what, try.Text, err)
			}
			if try.Kind != abi.TryAction || try.Domain != "" {
				continue
			}
			roots := c.roots
			if strings.HasPrefix(try.Text, "save") || strings.HasPrefix(try.Text, "export") {
				roots, _ = files.NewRoots(c.t.TempDir()) // the test must not see the files that it writes
			}
			s := New(domain.List(c.Domains()), roots)
			dom := c.dom
			first := `new "Scratch"`
			if dom == "" {
				first = "new " + c.Domains()[0].Name() + ` "Scratch"`
			}
			if r := s.Session(ctx, dom, "", first); r.Failed {
				c.t.Fatal(r)
			}
			if r := s.Session(ctx, dom, "", try.Text); r.Failed && syntaxErrors.MatchString(r.String()) {
				c.t.Errorf("%s says try: %s, which says\n%s", what, try.Text, r)
			}
			s.Close()
		}
	}
}

// says fails the test unless r is exactly want.
func (c *client) says(r *reply.Reply, want string) {
	c.t.Helper()
	if got := unmarked(r); got != want && got != c.refused(r, want) {
		c.t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if r.Failed != strings.Contains("\n"+r.String(), "\n! ") {
		c.t.Errorf("failed is %v:\n%s", r.Failed, r)
	}
}

// refused returns the whole expected text of a refused action: want, followed by
// the digest of the current document unless want has it.
func (c *client) refused(r *reply.Reply, want string) string {
	if doc := c.Current(c.dom); doc != nil && r.Failed && r.Digest == doc.Summary().Digest {
		return want + "\n[" + r.Digest + "]"
	}
	return want
}

func (c *client) ok(r *reply.Reply) *reply.Reply {
	c.t.Helper()
	if r.Failed {
		c.t.Fatalf("failed:\n%s", r)
	}
	return r
}

func (c *client) bad(r *reply.Reply, parts ...string) *reply.Reply {
	c.t.Helper()
	if !r.Failed {
		c.t.Errorf("did not fail:\n%s", r)
	}
	c.contains(r, parts...)
	return r
}

// unmarked is a reply without the mark of unsaved changes and without the document's name.
func unmarked(r *reply.Reply) string {
	bare := *r
	bare.Dirty, bare.Several, bare.Then = false, false, nil
	for _, next := range r.Then {
		then := *next
		then.Dirty, then.Several = false, false
		bare.Then = append(bare.Then, &then)
	}
	return bare.String()
}

func (c *client) contains(r *reply.Reply, parts ...string) {
	c.t.Helper()
	for _, p := range parts {
		if !strings.Contains(unmarked(r), p) {
			c.t.Errorf("%q is not in:\n%s", p, r)
		}
	}
}

// standing is all that an action that fails must leave as it was.
func (c *client) standing() string {
	c.t.Helper()
	out := answered(c.list("")).Text
	for _, d := range c.Documents() {
		data, err := d.Bytes(ctx)
		out += fmt.Sprintf("%q %v\n%s\n%s\n", data, err, d.Status(ctx).Text, d.History(ctx, 100).Text)
	}
	for _, dom := range []string{"", "list", "thing"} {
		if d := c.Current(dom); d != nil {
			out += dom + ": " + d.Name + "\n"
		}
	}
	return out
}
