package worker

import (
	"time"

	"github.com/fcp-host/fcp-host/host/confine"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/fail"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/limits"
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

// begin notes that a request starts and how much processor time it may use. The timer stays on between requests, since starting it costs more than a small
// request; check slows it down when no request runs.
func (w *Process) begin(limit time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy, w.residentBefore, w.used = true, w.residentNow, 0
	w.limit, w.wall, w.began = limit, w.limits.WallFor(limit), time.Now()
	w.cpuBefore, w.measured = confine.ProcessorTime(w.pid)
	if !w.timerRuns || limit < checkEvery {
		w.timerRuns = true
		w.timer.Reset(min(checkEvery, limit))
	}
}

// end notes that the request has ended.
func (w *Process) end() {
	w.mu.Lock()
	w.measure()
	w.busy = false
	w.mu.Unlock()
	w.guestLog.Report()
}

// measure sets used while a request runs. Where the system does not tell the processor time of other processes, it counts time by the
// clock, reduced as much as the limit by the clock is larger. The caller holds mu.
func (w *Process) measure() {
	took := time.Since(w.began)
	if !w.measured {
		w.used = took / limits.WallRatio
		return
	}
	if now, ok := confine.ProcessorTime(w.pid); ok && !w.Dead() {
		w.used = now - w.cpuBefore
	}
}

// Used returns the processor time of the last request.
func (w *Process) Used() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.used
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
		w.measure()
		switch took := time.Since(w.began); {
		case w.used >= w.limit:
			w.killLocked(fail.New(fail.Deadline, "", "used too much processor time"))
		case took >= w.wall:
			w.killLocked(fail.New(fail.Stalled, "", "did not end within %v, though it used only %v of processor time", w.wall, w.used.Round(time.Millisecond)))
		default:
			w.timer.Reset(max(min(checkEvery, w.limit-w.used, w.wall-took), time.Millisecond))
		}
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
