package plugin

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/sandbox"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// TestMain makes the test binary its own worker, as fcp-host is.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == sandbox.WorkerArg {
		os.Exit(sandbox.RunWorker())
	}
	os.Exit(m.Run())
}

var ctx = context.Background()

// folder holds a folder of plugins and a folder for the cache.
type folder struct {
	t     testing.TB
	dir   string
	cache string
	log   bytes.Buffer
}

func newFolder(t testing.TB) *folder {
	base := t.TempDir()
	f := &folder{t: t, dir: filepath.Join(base, "plugins"), cache: filepath.Join(base, "cache")}
	if err := os.Mkdir(f.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *folder) put(name string, data []byte) string {
	f.t.Helper()
	path := filepath.Join(f.dir, name)
	if err := os.WriteFile(path, data, 0o644); err != nil {
		f.t.Fatal(err)
	}
	return path
}

// thing returns a valid plugin of the domain name.
func thing(name string) []byte { return with(name, nil) }

// with returns a plugin of the domain name with some acts changed.
func with(name string, changes map[string]testwasm.Act) []byte {
	acts := testwasm.Minimal()
	m := testwasm.MinimalManifest()
	m.Domain = name
	acts[abi.ExportManifest] = testwasm.Answers(m)
	for export, act := range changes {
		acts[export] = act
	}
	return testwasm.Scripted(acts)
}

func without(name, export string) []byte {
	acts := testwasm.Minimal()
	delete(acts, export)
	return testwasm.Scripted(acts)
}

func (f *folder) options() Options {
	return Options{Dirs: []string{f.dir}, CacheDir: f.cache, Command: testwasm.Worker(f.t), Limits: sandbox.Limits{Start: 3 * time.Second, Call: 20 * time.Second, Memory: 16 << 20},
		Log: slog.New(slog.NewTextHandler(&f.log, nil))}
}

func (f *folder) load(o Options) *Set {
	f.t.Helper()
	set, err := Load(ctx, o)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(set.Close)
	return set
}

func names(s *Set) string {
	var out []string
	for _, d := range s.Catalog().Domains {
		out = append(out, d.Name())
	}
	return strings.Join(out, " ")
}

// starts counts the workers that a set ever ran.
func starts(s *Set) (n int) {
	for _, p := range s.Plugins() {
		if st := p.Domain.Plugin().Stats(); st.PID != 0 || st.Restarts > 0 {
			n++
		}
	}
	return n
}
