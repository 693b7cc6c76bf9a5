package sandbox

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// knownModule returns a module that counts in reads how often its bytes are read.
func knownModule(t *testing.T, reads *int) *Module {
	t.Helper()
	m, err := NewModule(smallModule.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	wasm := m.Wasm
	m.Wasm = func() ([]byte, error) { *reads++; return wasm() }
	return m
}

func TestAModuleIsReadOnlyWhenItIsCompiled(t *testing.T) {
	dir := t.TempDir()
	reads := 0
	open := func() *Plugin { return plugin(t, Config{Name: "known", Module: knownModule(t, &reads), CacheDir: dir}) }
	p := open()
	if p.Cached() || p.Info().Size == 0 || reads != 0 {
		t.Errorf("read %d times, %+v", reads, p.Info())
	}
	mustRun(t, p)
	if !p.Cached() || reads != 1 {
		t.Errorf("read %d times", reads)
	}
	p.EndIdleWorkers()
	mustRun(t, open())
	if reads != 1 {
		t.Errorf("read %d times", reads)
	}
	// A plugin with these bytes as Wasm uses the same entry of the cache.
	if other, _ := cached(t, dir); !other.Cached() {
		t.Error("the same bytes have another entry")
	}
}

func TestAModuleThatCannotBeReadFailsTheCall(t *testing.T) {
	m := knownModule(t, new(int))
	m.Wasm = func() ([]byte, error) { return nil, errors.New("the disk is gone") }
	p := plugin(t, Config{Name: "known", Module: m, CacheDir: t.TempDir()})
	if _, err := p.NewInstance(context.Background(), 1); err == nil || !strings.Contains(err.Error(), "its code cannot be read: the disk is gone") {
		t.Error(err)
	}
	if err := p.Warm(context.Background()); err == nil || !strings.Contains(err.Error(), "the disk is gone") {
		t.Error(err)
	}
}

func TestScanAcceptsARealGuest(t *testing.T) {
	info, err := Scan(guestWasm(t))
	if err != nil {
		t.Fatal(err)
	}
	if sig, _ := info.Func("echo"); sig != "() -> i32" {
		t.Errorf("echo is %q", sig)
	}
}
