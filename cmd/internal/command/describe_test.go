package command

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/host/sandbox"
)

// inspect and grants use the cache entry that serve compiled, and create none.
func TestAModuleThatWasCompiledIsNotInterpretedForItsManifest(t *testing.T) {
	s := &settings{switches: switches{Cache: t.TempDir()}}
	wasm, modules := evil{}.wasm(t), filepath.Join(s.Cache, "modules")
	describes := func() {
		t.Helper()
		if m, err := s.describe(t.Context(), "evil.wasm", wasm); err != nil || m.Domain != "evil" {
			t.Errorf("%+v, %v", m, err)
		}
	}
	describes()
	if entries, _ := filepath.Glob(filepath.Join(modules, "*")); len(entries) != 0 {
		t.Errorf("%v are made", entries)
	}
	box, err := sandbox.NewPlugin(sandbox.Config{Name: "evil", Wasm: wasm, CacheDir: modules})
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	if err := box.Warm(t.Context()); err != nil {
		t.Fatal(err)
	}
	entries, _ := filepath.Glob(filepath.Join(modules, "*"))
	if len(entries) != 1 {
		t.Fatalf("%v were made", entries)
	}
	long := time.Unix(1e9, 0)
	if err := os.Chtimes(entries[0], long, long); err != nil {
		t.Fatal(err)
	}
	describes()
	if info, err := os.Stat(entries[0]); err != nil || !info.ModTime().After(long) {
		t.Errorf("%v is not used: %v", entries[0], err)
	}
}
