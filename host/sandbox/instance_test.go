package sandbox

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/asm"
)

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
						continue // once is enough: eight bytes a host call are slow
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

func TestWrongCallsAreInputFailures(t *testing.T) {
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

func TestAnInstanceNeedsRecyclingAfterManyCallsOrMuchMemory(t *testing.T) {
	p := goPlugin(t, func(c *Config) { c.Limits.Memory = 24 << 20 })
	i := instance(t, p)
	for range 10 {
		if _, err := i.Call(context.Background(), "keep", nil); err != nil {
			t.Fatal(err)
		}
	}
	if i.Memory() < 12<<20 || i.NeedsRecycle() {
		t.Errorf("after %d calls and with %d bytes: needs recycling: %v", i.Calls(), i.Memory(), i.NeedsRecycle())
	}
	i.calls.Store(recycleMinCalls)
	if !i.NeedsRecycle() {
		t.Error("much memory does not make it need recycling")
	}
	j := instance(t, p)
	j.calls.Store(recycleCalls - 1)
	if j.NeedsRecycle() {
		t.Error("it needs recycling too early")
	}
	mustEcho(t, j)
	if !j.NeedsRecycle() {
		t.Error("many calls do not make it need recycling")
	}
}

func TestTheLeastRecentlyUsedInstanceMakesRoomForAnother(t *testing.T) {
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
			all[1].Close() // closing a lost instance changes nothing
			if s := p.Stats(); s.Instances != 3 {
				t.Errorf("%+v", s)
			}
		})
	}
}
