package sandbox

import (
	"context"
	"path/filepath"
	"testing"
)

// goPlugin returns a plugin of the Go guest, sharing one compilation with all other tests.
func goPlugin(t testing.TB, change ...func(*Config)) *Plugin {
	t.Helper()
	cfg := Config{Name: "guest", Wasm: guestWasm(t), CacheDir: filepath.Join(sharedDir, "cache")}
	for _, f := range change {
		f(&cfg)
	}
	p, err := NewPlugin(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func instance(t testing.TB, p *Plugin) *Instance {
	t.Helper()
	i, err := p.NewInstance(context.Background(), 1)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func TestAGoGuestEchoes(t *testing.T) {
	p := goPlugin(t)
	i := instance(t, p)
	for _, export := range []string{"echo", "echo_bulk"} {
		out, err := i.Call(context.Background(), export, []byte("hello"))
		if err != nil || string(out) != "hello" {
			t.Fatalf("%s: %q, %v", export, out, err)
		}
	}
	t.Logf("%+v", p.Stats())
	instance(t, p)
	instance(t, p)
	t.Logf("%+v", p.Stats())
}
