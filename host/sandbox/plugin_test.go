package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// goPlugin returns a plugin of the Go guest, sharing one compilation with all other tests.
func goPlugin(t testing.TB, change ...func(*Config)) *Plugin {
	t.Helper()
	cfg := Config{Name: "guest", Wasm: guestWasm(t), CacheDir: filepath.Join(sharedDir, "cache")}
	for _, f := range change {
		f(&cfg)
	}
	return plugin(t, cfg)
}

// plugin returns a plugin of a small module.
func modulePlugin(t testing.TB, m module, change ...func(*Config)) *Plugin {
	t.Helper()
	cfg := Config{Name: "small", Wasm: m.bytes()}
	for _, f := range change {
		f(&cfg)
	}
	return plugin(t, cfg)
}

func plugin(t testing.TB, cfg Config) *Plugin {
	t.Helper()
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

// mustEcho checks that an instance works.
func mustEcho(t testing.TB, i *Instance) {
	t.Helper()
	out, err := i.Call(context.Background(), "echo", []byte("hello"))
	if err != nil || string(out) != "hello" {
		t.Fatalf("%q, %v", out, err)
	}
}

// failure checks that err is an Error of a kind and returns it.
func failure(t testing.TB, err error, kind Kind) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Kind != kind {
		t.Fatalf("got %v, want a failure of kind %v", err, kind)
	}
	if kind != KindRefused && strings.ContainsAny(e.Message, "\n\x1b") {
		t.Errorf("message %q", e.Message)
	}
	return e
}

func quick(c *Config) {
	c.Limits.Call, c.Limits.Start = 300*time.Millisecond, 300*time.Millisecond
}

func TestAPluginRunsManyInstances(t *testing.T) {
	p := goPlugin(t)
	if s := p.Stats(); s != (Stats{}) {
		t.Errorf("before the first instance: %+v", s)
	}
	var all []*Instance
	for range 5 {
		all = append(all, instance(t, p))
	}
	for n := range 3 {
		for _, i := range all {
			for _, export := range []string{"echo", "echo_bulk"} {
				for _, size := range []int{0, 1, 7, 8, 200, pipeBuffer - 20, pipeBuffer, keepBuffer + 1, 3 << 20} {
					if size > 1000 && n > 0 || size > 1<<20 && export == "echo" {
						continue // once will do, and eight bytes a call take their time
					}
					in := bytes.Repeat([]byte("0123456789"), size/10+1)[:size]
					out, err := i.Call(context.Background(), export, in)
					if err != nil || !bytes.Equal(out, in) {
						t.Fatalf("%s of %d bytes gives %d bytes, %v", export, size, len(out), err)
					}
				}
			}
		}
	}
	s := p.Stats()
	if s.PID == 0 || s.Instances != 5 || s.Restarts != 0 {
		t.Errorf("%+v", s)
	}
	if all[0].Memory() < 1<<20 || all[0].Calls() == 0 {
		t.Errorf("memory %d after %d calls", all[0].Memory(), all[0].Calls())
	}
	for _, i := range all[1:] {
		i.Close()
		i.Close()
	}
	if s := p.Stats(); s.Instances != 1 {
		t.Errorf("after closing four: %+v", s)
	}
	mustEcho(t, all[0])
	_, err := all[1].Call(context.Background(), "echo", nil)
	failure(t, err, KindLost)
}

func TestCallsThatCannotBeMade(t *testing.T) {
	p := modulePlugin(t, module{memory: []uint32{1}, funcs: []testFunc{run(i32(0)), {export: "takes", params: "i"}}}, func(c *Config) { c.Limits.Input = 10 })
	i := instance(t, p)
	for _, tt := range []struct{ export, want string }{
		{"fcp_apply", "it has no export fcp_apply"},
		{"memory", "it has no export memory"},
		{"takes", "its export takes is (i32) -> () and must be () -> i32"},
		{"", "it has no export "},
		{strings.Repeat("x", 300), "it has no export"},
	} {
		_, err := i.Call(context.Background(), tt.export, nil)
		if e := failure(t, err, KindInput); !strings.Contains(e.Message, tt.want) || e.Fatal() {
			t.Errorf("%v", e)
		}
	}
	_, err := i.Call(context.Background(), "run", make([]byte, 11))
	failure(t, err, KindInput)
	if _, err := i.Call(context.Background(), "run", make([]byte, 10)); err != nil {
		t.Error(err)
	}
}

func TestAPluginThatIsNoneIsRefusedBeforeAnythingStarts(t *testing.T) {
	for name, wasm := range map[string][]byte{
		"text":            []byte("hello"),
		"too much memory": module{funcs: []testFunc{run(i32(0))}, memory: []uint32{5000}}.bytes(),
	} {
		_, err := NewPlugin(Config{Name: "x", Wasm: wasm})
		if e := failure(t, err, KindLoad); e.Plugin != "x" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

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

func TestATrapLeavesTheOtherInstancesAlone(t *testing.T) {
	p := goPlugin(t)
	honest, broken := instance(t, p), instance(t, p)
	pid := p.Stats().PID
	_, err := broken.Call(context.Background(), "panics", nil)
	if e := failure(t, err, KindTrap); !strings.Contains(e.Message, "the guest gave up") {
		t.Error(e)
	}
	_, err = broken.Call(context.Background(), "echo", nil)
	failure(t, err, KindLost)
	mustEcho(t, honest)
	mustEcho(t, instance(t, p))
	if s := p.Stats(); s.PID != pid || s.Instances != 2 {
		t.Errorf("%+v", s)
	}
	_, err = honest.Call(context.Background(), "refuses", []byte("no\ntry: yes"))
	if e := failure(t, err, KindRefused); e.Message != "no\ntry: yes" || e.Fatal() {
		t.Error(e)
	}
	mustEcho(t, honest)
}

func TestAFailingStartLeavesTheOtherInstancesAlone(t *testing.T) {
	p := modulePlugin(t, module{funcs: []testFunc{{export: "_initialize", code: unreachable()}, run(i32(0))}})
	for range 2 {
		_, err := p.NewInstance(context.Background(), 1)
		failure(t, err, KindLoad)
	}
	if s := p.Stats(); s.PID == 0 || s.Restarts != 0 {
		t.Errorf("a guest's own failure cost the worker: %+v", s)
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

func TestAWorkerHeldToAnAddressSpaceFailsCleanly(t *testing.T) {
	if runtime.GOOS != "linux" || raceEnabled {
		t.Skip("the address space is limited on Linux only, and not under the race detector")
	}
	p := modulePlugin(t, module{memory: []uint32{1}, funcs: []testFunc{run(i32(16000), memGrow())}}, func(c *Config) {
		c.Limits.AddressSpace, c.Limits.Memory = 2<<30, 1<<30
	})
	// Instances of a gigabyte each, of which not a page is touched: the third finds no room and is told so.
	var last error
	for range 3 {
		_, last = instance(t, p).Call(context.Background(), "run", nil)
	}
	if e := failure(t, last, KindRefused); !strings.Contains(e.Message, "code -1") {
		t.Error(e)
	}
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

func TestCallsRunOneAtATimeAndInOrder(t *testing.T) {
	p := goPlugin(t)
	a, b := instance(t, p), instance(t, p)
	var wg sync.WaitGroup
	for n := range 100 {
		i := []*Instance{a, b}[n%2]
		wg.Go(func() {
			in := fmt.Append(nil, n)
			if out, err := i.Call(context.Background(), "echo", in); err != nil || !bytes.Equal(out, in) {
				t.Errorf("%q %v", out, err)
			}
		})
	}
	wg.Wait()
}

func TestACancelledWaitEndsAndACancelledCallRunsOn(t *testing.T) {
	p := modulePlugin(t, module{funcs: []testFunc{run(forever(), i32(0)), {export: "quick"}}}, quick)
	i, other := instance(t, p), instance(t, p)
	ctx, cancel := context.WithCancel(context.Background())
	started := make(chan error)
	go func() {
		_, err := i.Call(ctx, "run", nil)
		started <- err
	}()
	for len(p.turn) == 0 {
		runtime.Gosched()
	}
	cancel()
	if _, err := other.Call(ctx, "quick", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a call that was cancelled before: %v", err)
	}
	ctx2, cancel2 := context.WithCancel(context.Background())
	waiting := make(chan error)
	go func() {
		_, err := other.Call(ctx2, "quick", nil)
		waiting <- err
	}()
	runtime.Gosched()
	cancel2()
	if err := <-waiting; !errors.Is(err, context.Canceled) {
		t.Errorf("a call that was cancelled while it waited: %v", err)
	}
	failure(t, <-started, KindDeadline)
	if _, err := instance(t, p).Call(context.Background(), "quick", nil); err != nil {
		t.Error(err)
	}
}

func TestClosingAnInstanceDuringACallDoesNotWait(t *testing.T) {
	p := modulePlugin(t, module{memory: []uint32{1}, funcs: []testFunc{run(forever(), i32(0)), {export: "quick"}}}, quick)
	i, idle := instance(t, p), instance(t, p)
	ended := make(chan error)
	go func() {
		_, err := i.Call(context.Background(), "run", nil)
		ended <- err
	}()
	for len(p.turn) == 0 {
		runtime.Gosched()
	}
	idle.Close()
	if s := p.Stats(); s.Instances != 1 {
		t.Errorf("%+v", s)
	}
	failure(t, <-ended, KindDeadline)
}

func TestCloseEndsEverything(t *testing.T) {
	before := runtime.NumGoroutine()
	fds := openFiles(t)
	for range 3 {
		p := goPlugin(t)
		i := instance(t, p)
		mustEcho(t, i)
		pid := p.Stats().PID
		ended := make(chan error)
		go func() {
			_, err := i.Call(context.Background(), "spin", nil)
			ended <- err
		}()
		for len(p.turn) == 0 {
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
	for n := 0; runtime.NumGoroutine() > before; n++ {
		if n > 1000 {
			buf := make([]byte, 1<<16)
			t.Fatalf("%d goroutines, %d before\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
		}
		runtime.Gosched()
	}
	if now := openFiles(t); now > fds {
		t.Errorf("%d files are open, %d before", now, fds)
	}
}

// openFiles counts this process's descriptors.
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

func TestAWorkerSeesNothingOfItsHost(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	t.Setenv("SECRET", "hunter2")
	p := goPlugin(t)
	instance(t, p)
	proc := fmt.Sprintf("/proc/%d", p.Stats().PID)
	env, err := os.ReadFile(proc + "/environ")
	if err != nil || len(env) != 0 {
		t.Errorf("its environment is %q, %v", env, err)
	}
	fds, err := os.ReadDir(proc + "/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range fds {
		target, _ := os.Readlink(proc + "/fd/" + fd.Name())
		// Go's runtime keeps the two files that tell its share of the processors.
		if !strings.HasPrefix(target, "pipe:") && !strings.HasPrefix(target, "anon_inode:") && !strings.HasPrefix(target, "/sys/fs/cgroup/") {
			t.Errorf("descriptor %s is %s", fd.Name(), target)
		}
	}
}

func TestRestEndsAWorkerThatHoldsNothing(t *testing.T) {
	p := goPlugin(t)
	p.Rest() // nothing to end
	i, other := instance(t, p), instance(t, p)
	pid := p.Stats().PID
	other.Close()
	p.Rest()
	mustEcho(t, i)
	i.Close()
	p.Rest()
	mustBeGone(t, pid)
	if s := p.Stats(); s.PID != 0 || s.Instances != 0 {
		t.Errorf("%+v", s)
	}
	mustEcho(t, instance(t, p))
	p.Close()
	p.Rest()
}

func TestCodeThatWouldBurnTheCompilerIsRefusedBeforeItIsCompiled(t *testing.T) {
	bomb := module{funcs: []testFunc{{export: "run", code: join(bytes.Repeat([]byte{2, 0x40}, 100_000), bytes.Repeat([]byte{0x0b}, 100_000))}}}
	for _, dir := range []string{"", t.TempDir()} {
		p := modulePlugin(t, bomb, func(c *Config) { c.CacheDir = dir })
		failure(t, p.Warm(context.Background()), KindLoad)
		_, err := p.NewInstance(context.Background(), 1)
		if e := failure(t, err, KindLoad); !strings.Contains(e.Message, "nest deeper") || p.Stats().Restarts != 0 || p.starts != 0 {
			t.Error(e)
		}
	}
}

func TestLogsOfAGuestReachTheHostsLog(t *testing.T) {
	var out bytes.Buffer
	p := goPlugin(t, func(c *Config) { c.Log = slog.New(slog.NewTextHandler(&out, nil)) })
	if _, err := instance(t, p).Call(context.Background(), "says", []byte("hi\n\x1b[1m")); err != nil {
		t.Fatal(err)
	}
	p.Close()
	if got := out.String(); !strings.Contains(got, "level=WARN") || !strings.Contains(got, "plugin=guest") || !strings.Contains(got, "from the guest: hi") || strings.Contains(got, "\x1b") {
		t.Error(got)
	}
}

func TestAnInstanceTiresOfCallsAndOfMemory(t *testing.T) {
	p := goPlugin(t, func(c *Config) { c.Limits.Memory = 24 << 20 })
	i := instance(t, p)
	for range 10 {
		if _, err := i.Call(context.Background(), "keep", nil); err != nil {
			t.Fatal(err)
		}
	}
	if i.Memory() < 12<<20 || i.Tired() {
		t.Errorf("after %d calls and with %d bytes: tired %v", i.Calls(), i.Memory(), i.Tired())
	}
	i.calls.Store(tiredEarly)
	if !i.Tired() {
		t.Error("much memory does not tire it")
	}
	j := instance(t, p)
	j.calls.Store(tiredCalls - 1)
	if j.Tired() {
		t.Error("tired too early")
	}
	mustEcho(t, j)
	if !j.Tired() {
		t.Error("many calls do not tire it")
	}
}
