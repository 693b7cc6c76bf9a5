package worker

import (
	"log/slog"
	"runtime"
	"strings"
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
	if failure == nil || failure.Kind != fail.Deadline || !strings.Contains(failure.Message, "run took longer than 300ms") {
		t.Errorf("%+v", failure)
	}
	if !w.EndedByGuest() {
		t.Error("the late call is not blamed on what ran in the worker")
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
