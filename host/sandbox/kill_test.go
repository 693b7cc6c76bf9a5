package sandbox

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/internal/asm"
)

func TestALateCallEndsWithTheWorkerKilled(t *testing.T) {
	// f(n) calls f(n-1) twice, without a loop, so that checks at the heads of loops would not stop it.
	slow := asm.Func{Export: "slow", Params: "i", Results: "i", Code: asm.Join(
		asm.LocalGet(0), []byte{0x45, 0x04, 0x7f}, asm.I32(0), []byte{0x05},
		asm.LocalGet(0), asm.I32(1), []byte{0x6b}, asm.Call(0), asm.LocalGet(0), asm.I32(1), []byte{0x6b}, asm.Call(0), []byte{0x6a, 0x0b})}
	for _, tt := range []struct {
		name string
		m    asm.Module
	}{
		{"a loop", asm.Module{Funcs: []asm.Func{asm.Run(asm.Forever(), asm.I32(0))}}},
		{"exponential recursion", asm.Module{Funcs: []asm.Func{slow, asm.Run(asm.I32(80), asm.Call(0))}}},
		{"a loop of filling memory", asm.Module{Memory: []uint32{256}, Funcs: []asm.Func{asm.Run([]byte{3, 0x40}, asm.I32(0), asm.I32(1), asm.I32(16<<20), []byte{0xfc, 11, 0, 0x0c, 0, 0x0b}, asm.I32(0))}}},
		{"a loop of host calls", asm.Module{Imports: []asm.Import{{Module: "wasi_snapshot_preview1", Name: "sched_yield", Params: "", Results: "i"}}, Funcs: []asm.Func{asm.Run([]byte{3, 0x40}, asm.Call(0), asm.Drop(), []byte{0x0c, 0, 0x0b}, asm.I32(0))}}},
		{"a loop of logs", asm.Module{Imports: []asm.Import{{Module: "extism:host/env", Name: "alloc", Params: "l", Results: "l"}, {Module: "extism:host/env", Name: "log_info", Params: "l", Results: ""}}, Funcs: []asm.Func{asm.Run([]byte{3, 0x40}, asm.I64(1000), asm.Call(0), asm.Call(1), []byte{0x0c, 0, 0x0b}, asm.I32(0))}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := modulePlugin(t, tt.m, quick)
			for range 2 {
				i := instance(t, p)
				other := instance(t, p)
				pid := p.Stats().PID
				_, err := i.Call(context.Background(), "run", nil)
				if e := failure(t, err, KindDeadline); e.Export != "run" || !strings.Contains(e.Error(), "plugin small: run took more than 300ms of processor time") {
					t.Error(e)
				}
				mustBeGone(t, pid)
				_, err = other.Call(context.Background(), "run", nil)
				failure(t, err, KindLost)
			}
		})
	}
}

func TestALateStartEndsWithTheWorkerKilled(t *testing.T) {
	for _, tt := range []struct {
		name string
		m    asm.Module
	}{
		{"_initialize", asm.Module{Funcs: []asm.Func{{Export: "_initialize", Code: asm.Forever()}}}},
		{"constructors", asm.Module{Funcs: []asm.Func{{Export: "__wasm_call_ctors", Code: asm.Forever()}}}},
		{"hs_init", asm.Module{Funcs: []asm.Func{{Export: "hs_init", Params: "ii", Code: asm.Forever()}}}},
		{"the start section", asm.Module{Funcs: []asm.Func{{Code: asm.Forever()}}, Start: 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := modulePlugin(t, tt.m, func(c *Config) { c.Limits.Start = 300 * time.Millisecond })
			for range 2 {
				_, err := p.NewInstance(context.Background(), 1)
				failure(t, err, KindDeadline)
			}
			if s := p.Stats(); s.PID != 0 {
				t.Errorf("%+v", s)
			}
		})
	}
}

func TestAWorkerThatTakesTooMuchMemoryIsKilled(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("resident memory is watched on Linux only")
	}
	// run fills 200 MiB, which its memory limit allows, over and over.
	m := asm.Module{Memory: []uint32{3200}, Funcs: []asm.Func{asm.Run([]byte{3, 0x40}, asm.I32(0), asm.I32(1), asm.I32(200<<20), []byte{0xfc, 11, 0, 0x0c, 0, 0x0b}, asm.I32(0))}}
	p := modulePlugin(t, m, func(c *Config) { c.Limits.Resident = 150 << 20 })
	_, err := instance(t, p).Call(context.Background(), "run", nil)
	if e := failure(t, err, KindMemory); !strings.Contains(e.Message, "may take 150") {
		t.Error(e)
	}
	instance(t, p)
}

func TestKillingAnIdleWorkerLosesOnlyItsInstances(t *testing.T) {
	p := goPlugin(t)
	i := instance(t, p)
	_ = syscall.Kill(p.Stats().PID, syscall.SIGKILL)
	_, err := i.Call(context.Background(), "echo", []byte("x"))
	failure(t, err, KindLost)
	mustEcho(t, instance(t, p))
	_ = syscall.Kill(p.Stats().PID, syscall.SIGKILL)
	mustEcho(t, instance(t, p))
}

func TestKillingTheWorkerAtAnyMomentLosesOnlyItsInstances(t *testing.T) {
	ctx := context.Background()
	for _, tt := range []struct {
		name   string
		p      *Plugin
		export string
		rounds int
		spin   int
	}{
		{"a small module", modulePlugin(t, asm.Module{Funcs: []asm.Func{{Export: "echo_bulk"}}}), "echo_bulk", 100, 800},
		{"a Go guest", goPlugin(t), "echo_bulk", 10, 40_000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			lost := 0
			for n := range tt.rounds {
				var killed atomic.Bool
				go func() {
					defer killed.Store(true)
					pid := 0
					for pid == 0 {
						runtime.Gosched()
						pid = tt.p.Stats().PID
					}
					for range n * tt.spin {
						runtime.Gosched()
					}
					_ = syscall.Kill(pid, syscall.SIGKILL)
				}()
				for !killed.Load() {
					i, err := tt.p.NewInstance(ctx, 1)
					for err == nil && !killed.Load() {
						_, err = i.Call(ctx, tt.export, []byte("hello"))
					}
					if err != nil {
						lost++
						var e *Error
						if !errors.As(err, &e) || e.Kind != KindLost {
							t.Fatal(err)
						}
					}
				}
				if _, err := instance(t, tt.p).Call(ctx, tt.export, nil); err != nil {
					t.Fatal(err)
				}
			}
			t.Logf("%d of %d kills were noticed", lost, tt.rounds)
		})
	}
}

func TestCloseEndsEverything(t *testing.T) {
	before, fds := 0, 0
	for n := range 4 {
		if n == 1 { // the first round opened the files that Go's runtime keeps
			before, fds = runtime.NumGoroutine(), openFiles(t)
		}
		p := goPlugin(t)
		i := instance(t, p)
		mustEcho(t, i)
		pid := p.Stats().PID
		ended := make(chan error)
		go func() {
			_, err := i.Call(context.Background(), "spin", nil)
			ended <- err
		}()
		for len(p.lanes[0].turn) == 0 {
			runtime.Gosched()
		}
		p.Close()
		p.Close()
		failure(t, <-ended, KindLost)
		mustBeGone(t, pid)
		_, err := p.NewInstance(context.Background(), 1)
		failure(t, err, KindLost)
		_, err = i.Call(context.Background(), "echo", nil)
		failure(t, err, KindLost)
		failure(t, p.Warm(context.Background()), KindLost)
		i.Close()
	}
	// The last goroutines may take a while to end on a busy system.
	for limit := time.Now().Add(time.Minute); runtime.NumGoroutine() > before; {
		if time.Now().After(limit) {
			buf := make([]byte, 1<<16)
			t.Fatalf("%d goroutines, %d before\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
		}
		runtime.Gosched()
	}
	if now := openFiles(t); now > fds {
		t.Errorf("%d files are open, %d before", now, fds)
	}
}

// openFiles counts this process's open files, 0 where that cannot be done.
func openFiles(t *testing.T) int {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0 // not Linux
	}
	return len(list)
}

// mustBeGone checks that a process has ended and was waited for.
func mustBeGone(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("process %d is still there: %v", pid, err)
	}
}
