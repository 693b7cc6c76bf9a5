package worker

import (
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/host/sandbox/internal/fail"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/limits"
	"github.com/fcp-host/fcp-host/internal/asm"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// start starts a worker that has loaded a module and holds instance 1 of it.
func start(t *testing.T, m asm.Module, callLimit time.Duration, all *Workers) *Process {
	t.Helper()
	bounds := limits.Default()
	bounds.Call = callLimit
	w, failure := Start(Config{Name: "small", Command: testwasm.Worker(t), Limits: bounds, All: all, Log: slog.New(slog.DiscardHandler)}, nil)
	if failure != nil {
		t.Fatal(failure)
	}
	t.Cleanup(w.Stop)
	if failure := w.Load(Settings{}, m.Bytes(), time.Minute); failure != nil {
		t.Fatal(failure)
	}
	if _, failure := w.NewInstance(time.Minute, 1, 1); failure != nil {
		t.Fatal(failure)
	}
	return w
}

func call(t *testing.T, w *Process, export string, limit time.Duration) *fail.Error {
	t.Helper()
	_, failure := w.Call(limit, Call{Instance: 1, Export: export})
	return failure
}

// A host that gets no processor time does not kill a late worker in time. The worker then ends itself, and the call fails as any
// late call does.
func TestALateWorkerThatNobodyKillsEndsItself(t *testing.T) {
	w := start(t, asm.Module{Funcs: []asm.Func{asm.Run(asm.Forever(), asm.I32(0))}}, 300*time.Millisecond, nil)
	w.mu.Lock()
	w.timer.Stop()
	w.timerRuns = true // as if the timer ran
	w.mu.Unlock()
	failure := call(t, w, "run", 300*time.Millisecond)
	if failure == nil || failure.Kind != fail.Deadline || !strings.Contains(failure.Message, "run took more than 300ms of processor time") {
		t.Errorf("%+v", failure)
	}
	if !w.EndedByGuest() {
		t.Error("the late call is not blamed on what ran in the worker")
	}
}

// paused starts a worker and takes the processor from it.
func paused(t *testing.T) *Process {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	w := start(t, asm.Module{Funcs: []asm.Func{asm.Run(asm.I32(0))}}, time.Minute, nil)
	_ = syscall.Kill(w.PID(), syscall.SIGSTOP)
	awaitStopped(t, w, true)
	return w
}

// awaitStopped waits until a process is stopped, or runs.
func awaitStopped(t *testing.T, w *Process, stopped bool) {
	t.Helper()
	for {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", w.PID()))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(stat), ") T ") == stopped {
			return
		}
		runtime.Gosched()
	}
}

// Workers of low priority pause, also those that start meanwhile, and then go on; others are not touched.
func TestWorkersOfLowPriorityPause(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	all := NewWorkers(1 << 40)
	background := func() *Process {
		w, failure := Start(Config{Name: "small", Command: testwasm.Worker(t), Limits: limits.Default(), All: all, Log: slog.New(slog.DiscardHandler), Nice: 1}, nil)
		if failure != nil {
			t.Fatal(failure)
		}
		t.Cleanup(w.Stop)
		return w
	}
	other := start(t, asm.Module{Funcs: []asm.Func{asm.Run(asm.I32(0))}}, time.Minute, all)
	before := background()
	all.Pause(time.Hour)
	meanwhile := background()
	awaitStopped(t, before, true)
	awaitStopped(t, meanwhile, true)
	if failure := call(t, other, "run", time.Minute); failure != nil {
		t.Error(failure)
	}
	all.Pause(time.Nanosecond)
	awaitStopped(t, before, false)
	awaitStopped(t, meanwhile, false)
	before.Stop()
	all.Pause(time.Hour) // the ended one is forgotten
	awaitStopped(t, meanwhile, true)
	(*Workers)(nil).Pause(time.Hour)
}

// A worker that gets no processor, as on a busy machine, is late only by the far limit of the clock, and its guest is not blamed.
func TestAWorkerWithoutAProcessorIsNotBlamed(t *testing.T) {
	w := paused(t)
	w.limits.Wall = 200 * time.Millisecond
	failure := call(t, w, "run", 100*time.Millisecond)
	if failure == nil || failure.Kind != fail.Stalled || !strings.Contains(failure.Message, "run did not end within 200ms, though it used only 0s of processor time") {
		t.Errorf("%+v", failure)
	}
	if w.EndedByGuest() || w.Used() > 50*time.Millisecond {
		t.Errorf("blamed: %v, used %v", w.EndedByGuest(), w.Used())
	}
}

// Time by the clock does not end a call: it may take longer than its limit of processor time.
func TestACallMayTakeLongerThanItsProcessorTime(t *testing.T) {
	w := paused(t)
	const limit = 50 * time.Millisecond
	go func() {
		for late := false; !late; runtime.Gosched() {
			w.mu.Lock()
			late = w.busy && time.Since(w.began) > 2*limit
			w.mu.Unlock()
		}
		_ = syscall.Kill(w.PID(), syscall.SIGCONT)
	}()
	if failure := call(t, w, "run", limit); failure != nil {
		t.Error(failure)
	}
}

func TestOnlyAWorkerThatGrowsIsKilledForTheMemoryOfAll(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("resident memory is measured on Linux alone")
	}
	// run fills 48 MiB over and over.
	fill := asm.Join([]byte{3, 0x40}, asm.I32(0), asm.I32(1), asm.I32(48<<20), []byte{0xfc, 11, 0, 0x0c, 0, 0x0b}, asm.I32(0))
	all := NewWorkers(1 << 40)
	w := start(t, asm.Module{Memory: []uint32{768}, Funcs: []asm.Func{asm.Run(fill), {Export: "quick", Results: "i", Code: asm.I32(0)}}}, time.Minute, all)
	if failure := call(t, w, "quick", time.Minute); failure != nil {
		t.Fatal(failure)
	}
	for taken := int64(0); taken == 0; taken, _ = all.Use() { // until the worker's memory was measured
		runtime.Gosched()
	}
	all.mu.Lock()
	all.most = 1
	all.mu.Unlock()
	if failure := call(t, w, "quick", time.Minute); failure != nil {
		t.Error("a call that takes no more memory failed:", failure)
	}
	if failure := all.Full(); failure == nil || failure.Kind != fail.Crowded || !strings.Contains(failure.Message, "limit workers") {
		t.Errorf("%+v", failure)
	}
	failure := call(t, w, "run", time.Minute)
	if failure == nil || failure.Kind != fail.Crowded || !strings.Contains(failure.Message, "the workers of all plugins took") || !strings.Contains(failure.Message, "during run") {
		t.Errorf("%+v", failure)
	}
	if taken, _ := all.Use(); taken != 0 {
		t.Errorf("a dead worker takes %d bytes", taken)
	}
}
