package sandbox

import (
	"context"
	"os"
	"runtime"
	"testing"

	"github.com/fcp-host/fcp-host/internal/asm"
)

// parallel allows a plugin n workers.
func parallel(n int) func(*Config) { return func(c *Config) { c.Limits.Parallel = n } }

// poolPlugin returns a plugin with up to n workers and the exports run, which never ends, and quick.
func poolPlugin(t *testing.T, n int, change ...func(*Config)) *Plugin {
	return modulePlugin(t, asm.Module{Memory: []uint32{1}, Funcs: []asm.Func{asm.Run(asm.Forever(), asm.I32(0)), {Export: "quick"}}}, append(change, parallel(n))...)
}

// busy keeps an instance's worker busy until the plugin is closed.
func busy(t *testing.T, i *Instance) {
	t.Helper()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, err := i.Call(context.Background(), "run", nil)
		failure(t, err, KindLost)
	}()
	t.Cleanup(func() {
		i.plugin.Close()
		<-ended
	})
	for len(i.lane.turn) == 0 {
		runtime.Gosched()
	}
}

// callQuick makes a quick call.
func callQuick(t *testing.T, i *Instance) {
	t.Helper()
	if _, err := i.Call(context.Background(), "quick", nil); err != nil {
		t.Fatal(err)
	}
}

func TestAnotherWorkerIsStartedOnlyWhenTheFirstIsBusy(t *testing.T) {
	p := poolPlugin(t, 2)
	a, b := instance(t, p), instance(t, p)
	callQuick(t, a)
	callQuick(t, b)
	if s := p.Stats(); s.Workers != 1 || s.Instances != 2 || a.Misplaced() || b.Misplaced() {
		t.Fatalf("%+v, misplaced %v, %v", s, a.Misplaced(), b.Misplaced())
	}
	busy(t, a)
	c := instance(t, p)
	callQuick(t, c) // while the other worker is busy
	if s := p.Stats(); s.Workers != 2 || c.lane == a.lane || s.Restarts != 0 {
		t.Fatalf("%+v", s)
	}
	// An instance that waits behind the busy one for a long time moves: its call fails, and it is recreated in the idle worker.
	b.mayMove.Store(true)
	_, err := b.Call(context.Background(), "quick", nil)
	failure(t, err, KindLost)
	if b = instance(t, p); b.lane != c.lane {
		t.Error("it is recreated in the busy worker")
	}
	callQuick(t, b)
	if b.Misplaced() || c.Misplaced() {
		t.Error("an instance of an idle worker is to move")
	}
}

func TestNoInstanceMovesWhenAllWorkersAreBusy(t *testing.T) {
	p := poolPlugin(t, 2)
	a := instance(t, p)
	busy(t, a)
	b := instance(t, p)
	busy(t, b)
	if s := p.Stats(); s.Workers != 2 || a.Misplaced() || b.Misplaced() {
		t.Errorf("%+v", s)
	}
	l := p.chooseLane()
	defer l.starting.Add(-1)
	if l != a.lane && l != b.lane {
		t.Error("there is a third lane")
	}
}

func TestADeadWorkerLosesOnlyItsOwnInstances(t *testing.T) {
	p := poolPlugin(t, 2)
	a := instance(t, p)
	busy(t, a)
	b := instance(t, p)
	process, err := os.FindProcess(a.worker.PID())
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-a.Gone()
	callQuick(t, b)
	c := instance(t, p)
	callQuick(t, c)
	if s := p.Stats(); s.Deaths != 0 || s.Instances < 2 {
		t.Errorf("%+v", s)
	}
}

func TestInstancesAreCountedOverAllWorkers(t *testing.T) {
	p := poolPlugin(t, 2, func(c *Config) { c.Limits.Instances = 2 })
	a := instance(t, p)
	old := instance(t, p)
	instance(t, p)
	busy(t, a)
	b, c := instance(t, p), instance(t, p) // of five, the least recently used one that is not in a call is closed, whichever worker holds it
	callQuick(t, b)
	callQuick(t, c)
	if _, err := old.Call(context.Background(), "quick", nil); err == nil {
		t.Error("there are five instances")
	} else {
		failure(t, err, KindLost)
	}
	if s := p.Stats(); s.Instances != 4 || !p.has(a) {
		t.Errorf("%+v", s)
	}
}

// has reports whether an instance lives.
func (p *Plugin) has(i *Instance) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.instances[i.id] == i
}

func TestTheWorkersThatHoldNothingAreEnded(t *testing.T) {
	p := goPlugin(t, parallel(3))
	a := instance(t, p)
	first := a.lane
	first.turn <- struct{}{} // as if a goroutine talked to it
	first.callers.Add(1)
	b := instance(t, p)
	p.unlock(first)
	if s := p.Stats(); s.Workers != 2 {
		t.Fatalf("%+v", s)
	}
	a.Close()
	p.EndIdleWorkers()
	if s := p.Stats(); s.Workers != 1 || s.PID != b.worker.PID() {
		t.Errorf("%+v", s)
	}
	mustEcho(t, b)
	p.Retire()
	b.Close()
	if s := p.Stats(); s.Workers != 0 {
		t.Errorf("%+v", s)
	}
}
