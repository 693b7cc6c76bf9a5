package document

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/sandbox"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// world grants wants, and answers requests with do.
type world struct {
	can []string
	do  func(context.Context, abi.Request) abi.Outcome
}

func (w *world) Can() []string { return w.can }

func (w *world) Settings() []abi.KeyValue { return nil }

func (w *world) Missing(_ context.Context, want string) *domain.Refusal {
	for _, c := range w.can {
		if c == want {
			return nil
		}
	}
	return &domain.Refusal{Message: "it needs " + want + ", which is not granted"}
}

func (w *world) Do(ctx context.Context, _ domain.Asker, requests []abi.Request) []abi.Outcome {
	out := make([]abi.Outcome, len(requests))
	for i, r := range requests {
		out[i] = w.do(ctx, r)
	}
	return out
}

// deck is the deck plugin. manifest, unless it is nil, changes its manifest.
func deck(t testing.TB, w domain.World, manifest func(*abi.Manifest)) *domain.Domain {
	t.Helper()
	path, cache, worker := testwasm.Deck(t), testwasm.Modules(t), testwasm.Worker(t)
	once, _ := decks.LoadOrStore(path, sync.OnceValues(func() (*sandbox.Plugin, error) {
		wasm, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		return sandbox.NewPlugin(sandbox.Config{Name: "deck", Wasm: wasm, CacheDir: cache, Command: worker,
			Limits: sandbox.Limits{Call: 20 * time.Second, Compile: 5 * time.Minute, Memory: 256 << 20}})
	}))
	p, err := once.(func() (*sandbox.Plugin, error))()
	if err != nil {
		t.Fatal(err)
	}
	m, err := domain.Describe(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	if manifest != nil {
		manifest(m)
	}
	d, err := domain.New(m, p)
	if err != nil {
		t.Fatal(err)
	}
	d.World = w
	return d
}

// byHand turns off autosave, so that tests save by an action.
func byHand(m *abi.Manifest) { m.Autosave = false }

// shelf is a folder document under test.
type shelf struct {
	desk
	roots *files.Roots
	dom   *domain.Domain
}

// folderOf makes a folder with these files.
func folderOf(t testing.TB, texts map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, ".deck"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range texts {
		put(t, dir, name, text)
	}
	return dir
}

func put(t testing.TB, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func openShelf(t testing.TB, d *domain.Domain, texts map[string]string) (*shelf, []string) {
	t.Helper()
	dir := folderOf(t, texts)
	roots, err := files.NewRoots(dir)
	if err != nil {
		t.Fatal(err)
	}
	doc, warnings, err := OpenFolder(ctx, d, roots, "S", dir)
	if err != nil {
		t.Fatal(err)
	}
	s := &shelf{desk{t, doc, dir}, roots, d}
	t.Cleanup(func() { s.Close() })
	return s, warnings
}

// disk reads the files in the folder.
func (s *shelf) disk() map[string]string {
	s.t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(s.dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(s.dir, path)
		out[name] = string(data)
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return out
}

// on fails the test unless the folder has exactly these files.
func (s *shelf) on(want map[string]string) {
	s.t.Helper()
	if got := s.disk(); !maps.Equal(got, want) {
		s.t.Errorf("the folder holds %q, want %q", got, want)
	}
}

func (s *shelf) put(name, text string) { s.t.Helper(); put(s.t, s.dir, name, text) }

func (s *shelf) reads(name, want string) {
	s.t.Helper()
	if got := s.ok(s.query("read " + name)).Text; got != want {
		s.t.Errorf("%s is %q in the document, want %q", name, got, want)
	}
}

func (s *shelf) says(r *reply.Reply, parts ...string) *reply.Reply {
	s.t.Helper()
	contains(s.t, r.String(), parts...)
	return r
}

type texts = map[string]string
