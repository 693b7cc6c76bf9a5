package sandbox

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

	"github.com/fcp-host/fcp-host/internal/asm"
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

// modulePlugin returns a plugin of a small module.
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

// quick shortens the time of a call, for guests that never end.
func quick(c *Config) { c.Limits.Call = 300 * time.Millisecond }

func TestAnImpossibleModuleIsRefusedBeforeAnythingStarts(t *testing.T) {
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

func TestAWorkerWithALimitedAddressSpaceFailsCleanly(t *testing.T) {
	if runtime.GOOS != "linux" || raceEnabled {
		t.Skip("the address space is limited on Linux only, and not under the race detector")
	}
	p := modulePlugin(t, asm.Module{Memory: []uint32{1}, Funcs: []asm.Func{asm.Run(asm.I32(16000), asm.MemGrow())}}, func(c *Config) {
		c.Limits.AddressSpace, c.Limits.Memory = 2<<30, 1<<30
	})
	// Each instance reserves a gigabyte and touches no page. For the third, memory.grow fails.
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
		// Go's runtime keeps two files of its cgroup open, which tell its share of the processors; the worker's root no longer contains them.
		if !strings.HasPrefix(target, "pipe:") && !strings.HasPrefix(target, "anon_inode:") && !strings.HasPrefix(target, "/sys/fs/cgroup/") && !strings.HasPrefix(target, "/cpu.") {
			t.Errorf("descriptor %s is %s", fd.Name(), target)
		}
	}
}

func TestAWorkerThatHoldsNothingIsEnded(t *testing.T) {
	p := goPlugin(t)
	p.EndIdleWorkers() // nothing to end
	i, other := instance(t, p), instance(t, p)
	pid := p.Stats().PID
	other.Close()
	p.EndIdleWorkers()
	mustEcho(t, i)
	i.Close()
	p.EndIdleWorkers()
	mustBeGone(t, pid)
	if s := p.Stats(); s.PID != 0 || s.Instances != 0 {
		t.Errorf("%+v", s)
	}
	mustEcho(t, instance(t, p))
	p.Close()
	p.EndIdleWorkers()
}

func TestCodeThatIsTooSlowToCompileIsRefusedFirst(t *testing.T) {
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

func TestOnePluginGetsHalfOfTheMemoryOfAllWorkers(t *testing.T) {
	p := modulePlugin(t, asm.Module{Funcs: []asm.Func{asm.Run(asm.I32(0))}}, func(c *Config) { c.Workers = NewWorkers(1 << 30) })
	if got := p.cfg.Limits.Resident; got != 1<<29 {
		t.Errorf("a worker may take %d bytes", got)
	}
}
