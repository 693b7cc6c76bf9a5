package worker

import (
	"time"

	"github.com/fcp-host/fcp-host/host/confine"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/fail"
)

// A worker is checked every checkEvery during a request and every checkIdleEvery otherwise. Between two idle checks it may use
// maxIdleCPU of processor time, for its garbage collector.
const (
	checkEvery     = 20 * time.Millisecond
	checkIdleEvery = time.Second
	maxIdleCPU     = checkIdleEvery / 10
)

// maxThreads is the largest number of threads of a worker where the system does not limit them. Go's runtime needs about ten.
const maxThreads = 64

// begin notes that a request starts and when it must end. The timer stays on between requests, since starting it costs more than a small
// request; check slows it down when no request runs.
func (w *Process) begin(limit time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy, w.residentBefore = true, w.residentNow
	w.deadline = time.Now().Add(limit)
	if !w.timerRuns || limit < checkEvery {
		w.timerRuns = true
		w.timer.Reset(min(checkEvery, limit))
	}
}

// end notes that the request has ended.
func (w *Process) end() {
	w.mu.Lock()
	w.busy = false
	w.mu.Unlock()
	w.guestLog.Report()
}

// check kills a worker whose request is late, that has too much memory or too many threads, or that works without a request.
func (w *Process) check() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.killed != nil || w.Dead() {
		return
	}
	w.residentNow = residentBytes(w.pid)
	if w.residentNow > w.limits.Resident {
		w.killLocked(fail.New(fail.Memory, "", "its worker took %d MiB of memory and may take %d", w.residentNow>>20, w.limits.Resident>>20))
		return
	}
	spent, threads := confine.Activity(w.pid)
	if threads > maxThreads {
		w.killLocked(fail.New(fail.Worker, "", "its worker had %d threads; the limit is %d", threads, maxThreads))
		return
	}
	if w.pool != nil {
		sum, most := w.pool.update(w, w.residentNow)
		if w.busy && sum > most && w.residentNow > w.residentBefore+freeGrowth {
			w.killLocked(fail.New(fail.Memory, "", "its plugin's workers took %d MiB of memory together and may take %d", sum>>20, most>>20))
			return
		}
	}
	if w.all != nil {
		sum, most := w.all.update(w, w.residentNow)
		if w.busy && sum > most && w.residentNow > w.residentBefore+freeGrowth {
			w.killLocked(fail.New(fail.Crowded, "", "the workers of all plugins took %d MiB of memory and may take %d (limit workers)", sum>>20, most>>20))
			return
		}
	}
	if w.busy {
		w.wasIdle = false
		left := time.Until(w.deadline)
		if left <= 0 {
			w.killLocked(fail.New(fail.Deadline, "", "took too long"))
			return
		}
		w.timer.Reset(min(checkEvery, left))
		return
	}
	if w.wasIdle && spent-w.idleCPU > maxIdleCPU {
		w.killLocked(fail.New(fail.Worker, "", "its worker went on working after its answer and was stopped"))
		return
	}
	w.timerRuns, w.wasIdle, w.idleCPU = false, true, spent
	w.timer.Reset(checkIdleEvery)
}

// killLocked kills the process and keeps the first reason. The caller holds mu.
func (w *Process) killLocked(why *fail.Error) {
	if w.killed == nil {
		w.killed = why
	}
	_ = w.cmd.Process.Kill() // fails only for a process that is gone
}
