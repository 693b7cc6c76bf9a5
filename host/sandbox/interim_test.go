package sandbox

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/internal/asm"
)

// interim returns a plugin that is interpreted until compile lets its compilation begin and has waited for the end.
func interim(t *testing.T, m asm.Module, change ...func(*Config)) (p *Plugin, compile func()) {
	t.Helper()
	p = modulePlugin(t, m, append(change, func(c *Config) { c.Interim, c.CacheDir = true, t.TempDir() })...)
	p.buildTurn <- struct{}{}
	held := true
	release := func() {
		if held {
			<-p.buildTurn
			held = false
		}
	}
	t.Cleanup(release) // before Close waits for it
	return p, func() {
		t.Helper()
		release()
		if err := p.Warm(context.Background()); err != nil {
			t.Fatal(err)
		}
		p.endInterim() // or wait for the goroutine that does it
	}
}

// deep calls itself n times, which is more than can be interpreted and less than a compiled guest may.
func deep(n int) asm.Module {
	down := asm.Func{Export: "down", Params: "i", Results: "i", Code: asm.Join(
		asm.LocalGet(0), []byte{0x45, 0x04, 0x7f}, asm.I32(0), []byte{0x05}, asm.LocalGet(0), asm.I32(1), []byte{0x6b}, asm.Call(0), []byte{0x0b})}
	return asm.Module{Funcs: []asm.Func{down, asm.Run(asm.I32(int32(n)), asm.Call(0))}}
}

func TestAModuleIsInterpretedUntilItIsCompiled(t *testing.T) {
	p, compile := interim(t, asm.Module{Funcs: []asm.Func{{Export: "echo_bulk", Results: "i", Code: asm.I32(0)}}})
	i := instance(t, p)
	if _, err := i.Call(context.Background(), "echo_bulk", nil); err != nil || i.lane != p.interim || !p.Compiling() {
		t.Fatalf("%v; interpreted: %v, compiling: %v", err, i.lane == p.interim, p.Compiling())
	}
	if i.NeedsRecycle() || p.Cached() {
		t.Error("it moves before the module is compiled")
	}
	compile()
	if !i.NeedsRecycle() || !p.Cached() || p.Compiling() {
		t.Error("it stays though the module is compiled")
	}
	_, err := i.Call(context.Background(), "echo_bulk", nil)
	failure(t, err, KindLost)
	j := instance(t, p)
	if _, err := j.Call(context.Background(), "echo_bulk", nil); err != nil || j.lane == p.interim || j.NeedsRecycle() {
		t.Errorf("%v; interpreted: %v", err, j.lane == p.interim)
	}
	if s := p.Stats(); s.Workers != 1 || s.Instances != 1 || s.Deaths != 0 {
		t.Errorf("%+v", s)
	}
}

// A call that takes long when interpreted goes on until the module is compiled, and is then lost, so that it is repeated.
func TestAnInterpretedCallEndsWhenTheModuleIsCompiled(t *testing.T) {
	p, compile := interim(t, asm.Module{Funcs: []asm.Func{asm.Run(asm.Forever(), asm.I32(0))}}, func(c *Config) { c.Limits.Call = time.Hour })
	i := instance(t, p)
	ended := make(chan error)
	go func() {
		_, err := i.Call(context.Background(), "run", nil)
		ended <- err
	}()
	for p.Stats().Busy == 0 {
		runtime.Gosched()
	}
	compile()
	failure(t, <-ended, KindLost)
}

func TestWhatCannotBeInterpretedWaitsForTheCompiledModule(t *testing.T) {
	ctx := context.Background()
	for _, tt := range []struct {
		name string
		m    asm.Module
		kind Kind // of the failure once it is compiled; 0 for none
	}{
		{"deep recursion", deep(5000), 0},
		{"a trap", asm.Module{Funcs: []asm.Func{asm.Run([]byte{0}, asm.I32(0))}}, KindTrap},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, compile := interim(t, tt.m)
			_, err := instance(t, p).Call(ctx, "run", nil)
			if e := failure(t, err, KindLost); !strings.Contains(e.Message, "could not be interpreted") {
				t.Error(e)
			}
			soon, cancel := context.WithCancel(ctx)
			cancel()
			if _, err := p.NewInstance(soon, 1); err == nil {
				t.Error("it is interpreted again")
			}
			compile()
			i := instance(t, p)
			if _, err = i.Call(ctx, "run", nil); tt.kind != 0 {
				failure(t, err, tt.kind)
			} else if err != nil {
				t.Error(err)
			}
			if s := p.Stats(); s.Deaths != 0 {
				t.Errorf("%+v", s)
			}
		})
	}
}

func TestAnInterpretedGuestMayUseThirtyTimesTheProcessorTime(t *testing.T) {
	p, _ := interim(t, asm.Module{Funcs: []asm.Func{asm.Run(asm.I32(0))}})
	i := instance(t, p)
	ctx := OneCall(context.Background())
	var limit time.Duration
	_ = p.runWithin(ctx, i.lane, i.worker, p.cfg.Limits.Call, "run", func(l time.Duration) *Error { limit = l; return nil })
	if limit != slowdown*p.cfg.Limits.Call {
		t.Errorf("it may use %v", limit)
	}
}

// The process itself ends a guest after twice the time that it may use: also then thirty times the time.
func TestTheProcessLetsAnInterpretedGuestUseItsTime(t *testing.T) {
	const times = 16 << 20 // some 500 ms of interpreting
	loop := asm.Func{Export: "run", Results: "i", Locals: "i", Code: asm.Join(asm.I32(times), asm.LocalSet(0), []byte{0x03, 0x40},
		asm.LocalGet(0), asm.I32(1), []byte{0x6b, 0x22, 0, 0x0d, 0, 0x0b}, asm.I32(0))}
	p, _ := interim(t, asm.Module{Funcs: []asm.Func{loop}}, func(c *Config) { c.Limits.Call = 100 * time.Millisecond })
	if _, err := instance(t, p).Call(context.Background(), "run", nil); err != nil {
		t.Error(err)
	}
}

// Without a cache, the worker that will run the module compiles it.
func TestWithoutACacheAModuleIsInterpretedMeanwhile(t *testing.T) {
	p := modulePlugin(t, asm.Module{Funcs: []asm.Func{asm.Run(asm.I32(0))}}, func(c *Config) { c.Interim = true })
	for range 2 {
		if _, err := instance(t, p).Call(context.Background(), "run", nil); err != nil {
			if e := failure(t, err, KindLost); !strings.Contains(e.Message, "stopped") && !strings.Contains(e.Message, "gone") && !strings.Contains(e.Message, "died") {
				t.Error(e) // it may be compiled at any moment
			}
		}
		if err := p.Warm(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if i := instance(t, p); i.lane == p.interim || p.Stats().Workers == 0 {
		t.Errorf("%+v", p.Stats())
	}
}
