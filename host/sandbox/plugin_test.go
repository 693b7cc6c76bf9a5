package sandbox

import (
	"github.com/fcp-host/fcp-host/host/sandbox/internal/asm"
)

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// goPlugin returns a plugin of the Go guest, sharing one compilation with all other tests.
func goPlugin(t testing.TB, change ...func(*Config)) *Plugin {
	t.Helper()
	cfg := Config{Name: "guest", Wasm: guestWasm(t), CacheDir: testwasm.Modules(t)}
	for _, f := range change {
		f(&cfg)
	}
	return plugin(t, cfg)
}

// plugin returns a plugin of a small module.
func modulePlugin(t testing.TB, m asm.Module, change ...func(*Config)) *Plugin {
	t.Helper()
	cfg := Config{Name: "small", Wasm: m.Bytes()}
	for _, f := range change {
		f(&cfg)
	}
	return plugin(t, cfg)
}

func plugin(t testing.TB, cfg Config) *Plugin {
	t.Helper()
	if cfg.Command == nil {
		cfg.Command = testwasm.Worker(t)
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
				for _, size := range []int{0, 1, 7, 8, 200, 32<<10 - 20, 32 << 10, 256<<10 + 1, 3 << 20} {
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
	p := modulePlugin(t, asm.Module{Memory: []uint32{1}, Funcs: []asm.Func{asm.Run(asm.I32(0)), {Export: "takes", Params: "i"}}}, func(c *Config) { c.Limits.Input = 10 })
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
		"too much memory": asm.Module{Funcs: []asm.Func{asm.Run(asm.I32(0))}, Memory: []uint32{5000}}.Bytes(),
	} {
		_, err := NewPlugin(Config{Name: "x", Wasm: wasm})
		if e := failure(t, err, KindLoad); e.Plugin != "x" {
			t.Errorf("%s: %v", name, err)
		}
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
	p := modulePlugin(t, asm.Module{Funcs: []asm.Func{{Export: "_initialize", Code: asm.Unreachable()}, asm.Run(asm.I32(0))}})
	for range 2 {
		_, err := p.NewInstance(context.Background(), 1)
		failure(t, err, KindLoad)
	}
	if s := p.Stats(); s.PID == 0 || s.Restarts != 0 {
		t.Errorf("a guest's own failure cost the worker: %+v", s)
	}
}

func TestAWorkerHeldToAnAddressSpaceFailsCleanly(t *testing.T) {
	if runtime.GOOS != "linux" || raceEnabled {
		t.Skip("the address space is limited on Linux only, and not under the race detector")
	}
	p := modulePlugin(t, asm.Module{Memory: []uint32{1}, Funcs: []asm.Func{asm.Run(asm.I32(16000), asm.MemGrow())}}, func(c *Config) {
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
	p := modulePlugin(t, asm.Module{Funcs: []asm.Func{asm.Run(asm.Forever(), asm.I32(0)), {Export: "quick"}}}, quick)
	i, other := instance(t, p), instance(t, p)
	ctx, cancel := context.WithCancel(context.Background())
	started := make(chan error)
	go func() {
		_, err := i.Call(ctx, "run", nil)
		started <- err
	}()
	for len(p.lanes[0].turn) == 0 {
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
	p := modulePlugin(t, asm.Module{Memory: []uint32{1}, Funcs: []asm.Func{asm.Run(asm.Forever(), asm.I32(0)), {Export: "quick"}}}, quick)
	i, idle := instance(t, p), instance(t, p)
	ended := make(chan error)
	go func() {
		_, err := i.Call(context.Background(), "run", nil)
		ended <- err
	}()
	for len(p.lanes[0].turn) == 0 {
		runtime.Gosched()
	}
	idle.Close()
	if s := p.Stats(); s.Instances != 1 {
		t.Errorf("%+v", s)
	}
	failure(t, <-ended, KindDeadline)
}

// openFiles counts this process's descriptors.
// mustBeGone checks that a process has ended and was waited for.
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
		// Go's runtime keeps the two files that tell its share of the processors, and the worker has left what lay around them.
		if !strings.HasPrefix(target, "pipe:") && !strings.HasPrefix(target, "anon_inode:") && !strings.HasPrefix(target, "/sys/fs/cgroup/") && !strings.HasPrefix(target, "/cpu.") {
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
	bomb := asm.Module{Funcs: []asm.Func{{Export: "run", Code: asm.Join(bytes.Repeat([]byte{2, 0x40}, 100_000), bytes.Repeat([]byte{0x0b}, 100_000))}}}
	for _, dir := range []string{"", t.TempDir()} {
		p := modulePlugin(t, bomb, func(c *Config) { c.CacheDir = dir })
		failure(t, p.Warm(context.Background()), KindLoad)
		_, err := p.NewInstance(context.Background(), 1)
		if e := failure(t, err, KindLoad); !strings.Contains(e.Message, "nest deeper") || p.Stats().Restarts != 0 || p.lanes[0].starts != 0 {
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

func TestAWorkerWithoutRoomForAnotherInstanceSaysSo(t *testing.T) {
	if runtime.GOOS != "linux" || raceEnabled {
		t.Skip("the address space is limited on Linux, without the race detector")
	}
	m := asm.Module{Memory: []uint32{2048}, Funcs: []asm.Func{asm.Run(asm.I32(0))}} // 128 MiB each
	p := modulePlugin(t, m, func(c *Config) { c.Limits.AddressSpace = 2 << 30 })
	for range 32 {
		if _, err := p.NewInstance(context.Background(), 1); err != nil {
			if e := failure(t, err, KindMemory); !strings.Contains(e.Message, "close a document") {
				t.Error(e)
			}
			return
		}
	}
	t.Error("2 GiB of addresses hold 4 GiB of instances")
}

func TestTheInstanceThatWasNotUsedForLongestMakesRoomForAnother(t *testing.T) {
	ctx := context.Background()
	m := asm.Module{Memory: []uint32{1024}, Funcs: []asm.Func{asm.Run(asm.I32(0))}} // 64 MiB each, never touched
	for _, tt := range []struct {
		name  string
		limit func(*Config)
	}{
		{"by number", func(c *Config) { c.Limits.Instances = 3 }},
		{"by memory", func(c *Config) { c.Limits.Resident = 320 << 20 }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := modulePlugin(t, m, tt.limit)
			all := []*Instance{instance(t, p), instance(t, p), instance(t, p)}
			if _, err := all[0].Call(ctx, "run", nil); err != nil {
				t.Fatal(err)
			}
			all = append(all, instance(t, p))
			_, err := all[1].Call(ctx, "run", nil)
			failure(t, err, KindLost)
			for _, n := range []int{0, 2, 3} {
				if _, err := all[n].Call(ctx, "run", nil); err != nil {
					t.Errorf("instance %d: %v", n, err)
				}
			}
			if s := p.Stats(); s.Instances != 3 || s.Restarts != 0 {
				t.Errorf("%+v", s)
			}
			all[1].Close() // of one that is gone
			if s := p.Stats(); s.Instances != 3 {
				t.Errorf("%+v", s)
			}
		})
	}
}

func TestOnePluginGetsHalfOfAllWorkersMemory(t *testing.T) {
	p := modulePlugin(t, asm.Module{Funcs: []asm.Func{asm.Run(asm.I32(0))}}, func(c *Config) { c.Workers = NewWorkers(1 << 30) })
	if got := p.cfg.Limits.Resident; got != 1<<29 {
		t.Errorf("a worker may take %d bytes", got)
	}
}
