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
)

func TestALateCallEndsWithTheWorkerKilled(t *testing.T) {
	// Two calls of f(n-1) in f(n), without a loop: what no check at loop heads would ever stop.
	slow := testFunc{export: "slow", params: "i", results: "i", code: join(
		localGet(0), []byte{0x45, 0x04, 0x7f}, i32(0), []byte{0x05},
		localGet(0), i32(1), []byte{0x6b}, call(0), localGet(0), i32(1), []byte{0x6b}, call(0), []byte{0x6a, 0x0b})}
	for _, tt := range []struct {
		name string
		m    module
	}{
		{"a loop", module{funcs: []testFunc{run(forever(), i32(0))}}},
		{"exponential recursion", module{funcs: []testFunc{slow, run(i32(80), call(0))}}},
		{"a loop of filling memory", module{memory: []uint32{256}, funcs: []testFunc{run([]byte{3, 0x40}, i32(0), i32(1), i32(16<<20), []byte{0xfc, 11, 0, 0x0c, 0, 0x0b}, i32(0))}}},
		{"a loop of host calls", module{imports: extism("sched_yield"), funcs: []testFunc{run([]byte{3, 0x40}, call(0), drop(), []byte{0x0c, 0, 0x0b}, i32(0))}}},
		{"a loop of logs", module{imports: extism("alloc", "log_info"), funcs: []testFunc{run([]byte{3, 0x40}, i64(1000), call(0), call(1), []byte{0x0c, 0, 0x0b}, i32(0))}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := modulePlugin(t, tt.m, quick)
			for range 2 {
				i := instance(t, p)
				other := instance(t, p)
				pid := p.Stats().PID
				_, err := i.Call(context.Background(), "run", nil)
				if e := failure(t, err, KindDeadline); e.Export != "run" || !strings.Contains(e.Error(), "plugin small: run took longer than 300ms") {
					t.Error(e)
				}
				mustBeGone(t, pid)
				_, err = other.Call(context.Background(), "run", nil)
				failure(t, err, KindLost)
			}
		})
	}
}

// A host that gets no processor time looks at its worker too late: the worker ends itself then, and the call is as late as any.
func TestALateCallThatNobodyKillsIsLate(t *testing.T) {
	p := modulePlugin(t, module{funcs: []testFunc{run(forever(), i32(0))}}, quick)
	i := instance(t, p)
	w := p.lanes[0].worker
	w.mu.Lock()
	w.timer.Stop()
	w.armed = true // as if the timer ran
	w.mu.Unlock()
	_, err := i.Call(context.Background(), "run", nil)
	if e := failure(t, err, KindDeadline); !strings.Contains(e.Error(), "run took longer than 300ms") {
		t.Error(e)
	}
	if s := p.Stats(); s.Deaths != 1 {
		t.Errorf("%+v", s)
	}
}

func TestALateStartEndsWithTheWorkerKilled(t *testing.T) {
	for _, tt := range []struct {
		name string
		m    module
	}{
		{"_initialize", module{funcs: []testFunc{{export: "_initialize", code: forever()}}}},
		{"constructors", module{funcs: []testFunc{{export: "__wasm_call_ctors", code: forever()}}}},
		{"hs_init", module{funcs: []testFunc{{export: "hs_init", params: "ii", code: forever()}}}},
		{"the start section", module{funcs: []testFunc{{code: forever()}}, start: 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := modulePlugin(t, tt.m, quick)
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
	// It fills 200 MiB, which its memory limit allows, again and again.
	m := module{memory: []uint32{3200}, funcs: []testFunc{run([]byte{3, 0x40}, i32(0), i32(1), i32(200<<20), []byte{0xfc, 11, 0, 0x0c, 0, 0x0b}, i32(0))}}
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
		{"a small module", modulePlugin(t, module{funcs: []testFunc{{export: "echo_bulk"}}}), "echo_bulk", 100, 800},
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
		if n == 1 { // the first one opened what Go's runtime keeps
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
	// The last of them are on their way out, however long the system keeps them waiting.
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

func openFiles(t *testing.T) int {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0 // not Linux
	}
	return len(list)
}

func mustBeGone(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("process %d is still there: %v", pid, err)
	}
}
