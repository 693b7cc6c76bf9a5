package worker

import (
	"errors"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/fcp-host/fcp-host/host/sandbox/internal/fail"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/guestlog"
)

// EndedByGuest reports whether what ran in the process ended it: the host killed it for its processor time or memory, it ended itself
// because it used too much time, or Go's runtime printed why it gave up. It is false of a process that somebody else killed, and of one
// that got no processor.
func (w *Process) EndedByGuest() bool {
	w.mu.Lock()
	killed := w.killed
	w.mu.Unlock()
	if killed != nil && killed.Kind != fail.Lost {
		return killed.Kind != fail.Stalled
	}
	return w.exitedLate() || w.stderr.reason() != ""
}

// exitedLate reports whether the process, which must have ended, ended itself because a request used too much processor time.
func (w *Process) exitedLate() bool { return w.cmd.ProcessState.ExitCode() == lateExitCode }

// reportExit logs the end of a process, unless the host stopped it or it exited with code 0.
func (w *Process) reportExit() {
	w.mu.Lock()
	killed := w.killed
	w.mu.Unlock()
	why := w.stderr.reason()
	switch {
	case killed != nil && killed.Kind == fail.Lost || w.cmd.ProcessState.ExitCode() == 0:
		return
	case killed != nil:
		why = killed.Message
	case w.exitedLate():
		why = "used too much processor time"
	case why == "":
		why = w.cmd.ProcessState.String()
	}
	w.logExit(fail.Line(why))
}

// logExit logs the end of the process, once: the goroutine that waits for the process and the one that waits for an answer both call it.
func (w *Process) logExit(why string) {
	w.mu.Lock()
	told := w.exitLogged
	w.exitLogged = true
	w.mu.Unlock()
	if !told {
		w.log.Warn("a plugin's worker died; another is started when it is needed", "plugin", w.plugin, "pid", w.pid, "why", why)
	}
}

// MuteExit prevents the end of the process from being logged.
func (w *Process) MuteExit() {
	w.mu.Lock()
	w.exitLogged = true
	w.mu.Unlock()
}

// failProtocol returns the failure for an answer that could not be read: the process died, or it broke the protocol and is killed.
func (w *Process) failProtocol(err error, export string, limit time.Duration) *fail.Error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, os.ErrClosed) {
		return w.failLost(export, limit)
	}
	w.retire()
	w.logExit("it broke the protocol")
	return fail.New(fail.Worker, export, "its worker broke the protocol (%v) and was stopped; the next call starts another", err)
}

// failLost ends the process, if it still runs, and returns the failure of the request that lost it.
func (w *Process) failLost(export string, limit time.Duration) *fail.Error {
	failure := w.explainExit(export, limit)
	w.mu.Lock()
	stopped := w.stopping
	w.mu.Unlock()
	if !stopped {
		w.logExit(failure.Message)
	}
	return failure
}

// explainExit ends the process, if it still runs, and says why it ended. limit is the limit of the request.
func (w *Process) explainExit(export string, limit time.Duration) *fail.Error {
	w.mu.Lock()
	why := w.killed
	w.mu.Unlock()
	w.retire()
	where, remedy := export, "work in smaller steps or raise the limit call"
	if where == "" {
		where, remedy = "its start", "raise the limits compile and start"
	}
	switch {
	case why != nil && why.Kind == fail.Deadline, why == nil && w.exitedLate():
		return fail.New(fail.Deadline, export, "%s took more than %v of processor time and was stopped; %s", where, limit, remedy)
	case why != nil && why.Kind == fail.Stalled:
		return fail.New(fail.Stalled, export, "%s %s and was stopped: the machine is too busy, or the process was paused; try again later", where, why.Message)
	case why != nil && why.Kind == fail.Worker:
		return fail.New(fail.Lost, export, "%s", why.Message) // it was killed before this request
	case why != nil:
		return fail.New(why.Kind, export, "%s during %s", why.Message, where)
	}
	if last := w.stderr.reason(); last != "" {
		if strings.Contains(last, "out of memory") || strings.Contains(last, "cannot allocate memory") {
			return fail.New(fail.Memory, export, "its worker ran out of memory during %s", where)
		}
		return fail.New(fail.Lost, export, "its worker died during %s: %s", where, last)
	}
	return fail.New(fail.Lost, export, "its worker died during %s (%s)", where, w.cmd.ProcessState)
}

// stderrTail logs what a worker writes to stderr and keeps the first 512 bytes: there Go's runtime says why it gives up.
type stderrTail struct {
	mu    sync.Mutex
	lines *guestlog.Limiter
	first []byte
}

// Write implements io.Writer.
func (t *stderrTail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if room := 512 - len(t.first); room > 0 {
		t.first = append(t.first, b[:min(len(b), room)]...)
	}
	t.lines.Stream(slog.LevelDebug, b)
	return len(b), nil
}

// reason returns the first line that is not blank.
func (t *stderrTail) reason() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return guestlog.FirstLine(t.first)
}
