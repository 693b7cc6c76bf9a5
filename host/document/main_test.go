package document

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/capability/program"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/eventlog"
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
	flag.Parse()
	if f := flag.Lookup("rapid.checks"); f.Value.String() == f.DefValue {
		f.Value.Set("30") // each is a few dozen calls of a real plugin
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
	loaded sync.Map // deadline of a call → func() (*domain.Domain, error)
)

// list is the list plugin, whose worker all tests share.
func list(t testing.TB) *domain.Domain { return listWithin(t, 20*time.Second) }

// hasty is the list plugin with a short deadline. Its worker's deaths do not count in other tests.
func hasty(t testing.TB) *domain.Domain {
	t.Helper()
	d := listWithin(t, 700*time.Millisecond)
	d.Plugin().Enable()
	return d
}

func listWithin(t testing.TB, deadline time.Duration) *domain.Domain {
	t.Helper()
	path, cache, worker := testwasm.List(t), testwasm.Modules(t), testwasm.Worker(t)
	once, _ := loaded.LoadOrStore(deadline, sync.OnceValues(func() (*domain.Domain, error) {
		wasm, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		p, err := sandbox.NewPlugin(sandbox.Config{Name: "list", Wasm: wasm, CacheDir: cache, Command: worker,
			Limits: sandbox.Limits{Call: deadline, Compile: 5 * time.Minute, Memory: 64 << 20}}) // a message of abi.MaxElements words takes 60
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
		t.Fatal(err)
	}
	return d
}

// desk is a document under test, with the folder it may save to.
type desk struct {
	t testing.TB
	*Document
	dir string
}

// blank is a new document with the title T and one line: #list T.
func blank(t testing.TB, d *domain.Domain) *desk {
	t.Helper()
	dir := t.TempDir()
	roots, err := files.NewRoots(dir)
	if err != nil {
		t.Fatal(err)
	}
	doc, _, err := New(ctx, d, roots, "T", &abi.NewRequest{Title: "T"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(doc.Close)
	return &desk{t, doc, dir}
}

// ok fails the test unless r is a success.
func (d *desk) ok(r *reply.Reply) *reply.Reply {
	d.t.Helper()
	if r.Failed {
		d.t.Fatalf("failed:\n%s", r)
	}
	return r
}

// bad fails the test unless r is a failure.
func (d *desk) bad(r *reply.Reply) *reply.Reply {
	d.t.Helper()
	if !r.Failed {
		d.t.Fatalf("did not fail:\n%s", r)
	}
	return r
}

func (d *desk) do(ops ...string) *reply.Reply { d.t.Helper(); return d.ok(d.Apply(ctx, ops)) }

// bytes is the document as its file would be.
func (d *desk) bytes() string {
	d.t.Helper()
	data, err := d.Bytes(ctx)
	if err != nil {
		d.t.Fatal(err)
	}
	return string(data)
}

func (d *desk) holds(lines ...string) {
	d.t.Helper()
	want := strings.Join(append([]string{"#list T"}, lines...), "\n")
	if got := d.bytes(); got != want {
		d.t.Errorf("the document is %q, want %q", got, want)
	}
}

func (d *desk) query(q string) *reply.Reply {
	d.t.Helper()
	op, err := grammar.ParseQuery(q)
	if err != nil {
		d.t.Fatal(err)
	}
	return d.Query(ctx, &op, 1, 0)
}

// standing is everything that a failed call must leave unchanged.
type standing struct {
	bytes, status, history, checkpoints, digest string
	log                                         string
	dirty                                       bool
	revision                                    uint64
}

func (d *desk) standing() standing {
	d.t.Helper()
	sum := d.Summary()
	return standing{
		bytes: d.bytes(), status: d.Status(ctx).Text, history: d.History(ctx, 1000).Text,
		checkpoints: d.Checkpoints(ctx).Text, digest: sum.Digest, dirty: sum.Dirty, revision: d.revision,
		log: fmt.Sprint(d.log.Len(), d.log.Cursor(), d.log.Bytes(), d.log.Position(), d.log.History(1000), d.redoable()),
	}
}

// redoable lists the ops of the redo tail.
func (d *desk) redoable() []string {
	var ops []string
	if p, err := d.log.PlanRedo(1000); err == nil {
		for _, e := range p.Entries {
			ops = append(ops, e.Op)
		}
	}
	return ops
}

// kill ends the worker behind the document's back.
func (d *desk) kill() {
	d.t.Helper()
	pid := d.Domain().Plugin().Stats().PID
	if pid == 0 {
		return
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		d.t.Error(err)
		return
	}
	// The worker may have ended in between, from an earlier kill.
	if err := p.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		d.t.Error(err)
	}
}

// capped gives the document a history of at most n bytes. It must be new.
func (d *desk) capped(n int64) *desk { d.log = eventlog.New(n); d.saved = d.log.Position(); return d }

// replayed returns the document that a fresh instance builds from the baseline and the log.
func (d *desk) replayed() string {
	d.t.Helper()
	d.drop()
	return d.bytes()
}

// unmarked is a reply without the mark of unsaved changes, which TestTheDigestSaysWhetherThereAreUnsavedChanges is about.
func unmarked(text string) string { return strings.ReplaceAll(text, " *unsaved]", "]") }

func contains(t testing.TB, text string, parts ...string) {
	t.Helper()
	text = unmarked(text)
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q is not in:\n%s", p, text)
		}
	}
}

func equal(t testing.TB, what, got, want string) {
	t.Helper()
	if got = unmarked(got); got != want {
		t.Errorf("%s:\n--- got\n%s\n--- want\n%s", what, got, want)
	}
}

// first is the reply of a call that asks for no program.
func first(r *reply.Reply, work *program.Work) *reply.Reply {
	if work != nil {
		panic("a program is to be run")
	}
	return r
}
