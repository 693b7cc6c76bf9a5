package sandbox

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/asm"
)

// Workers of one module share its native code, since each maps the file of the cache.
func TestAWorkerMapsTheCachedCode(t *testing.T) {
	dir := t.TempDir()
	p := modulePlugin(t, bigModule(), func(c *Config) { c.CacheDir = dir })
	if err := p.Warm(context.Background()); err != nil {
		t.Fatal(err)
	}
	again := modulePlugin(t, bigModule(), func(c *Config) { c.CacheDir = dir })
	in := instance(t, again)
	if _, err := in.Call(context.Background(), "run", nil); err != nil {
		t.Fatal(err)
	}
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", again.Stats().PID))
	if err != nil {
		t.Skip("what a process has mapped cannot be read here: ", err)
	}
	name := filepath.Base(entry(t, dir))
	for line := range strings.Lines(string(maps)) {
		if strings.Contains(line, name) && strings.Contains(line, " r-xp ") {
			return
		}
	}
	t.Errorf("the entry is not mapped:\n%s", maps)
}

// bigModule is a module with more native code than 64 KiB, so that it is mapped.
func bigModule() asm.Module {
	m := smallModule
	for range 4000 {
		m.Funcs = append(m.Funcs, asm.Func{})
	}
	return m
}
