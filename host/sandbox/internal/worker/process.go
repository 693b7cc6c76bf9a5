// Package worker runs instances of a plugin in a process of their own. A Process is the host's side of the pipes; Run is the other
// side. Both speak frames (see frame.go). Nothing a worker says is trusted: lengths are checked before anything is allocated, and texts
// are escaped and bounded.
package worker

import (
	"context"
	"log/slog"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/fcp-host/fcp-host/host/confine"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/fail"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/guestlog"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/limits"
)

// Process is the host's side of one worker process. Only one goroutine at a time may make requests; any goroutine may call Stop.
type Process struct {
	cmd         *exec.Cmd
	namespaces  confine.Namespaces
	pid         int
	conn        *frameConn
	in, out     *os.File
	code        string        // the file of compiled code as openCodeFile understands it, "" for none
	gone        chan struct{} // closed when the process has ended and was waited for
	stderr      *stderrTail
	guestLog    *guestlog.Limiter
	limits      limits.Limits
	all         *Workers // of all plugins, nil for no bound
	pool        *Workers // of this plugin, nil for no bound
	plugin      string   // the plugin's name
	log         *slog.Logger
	lastRequest uint32

	mu             sync.Mutex // guards what follows
	timer          *time.Timer
	busy           bool          // whether a request runs
	timerRuns      bool          // whether the timer runs for a request
	wasIdle        bool          // whether no request ran at the last check
	idleCPU        time.Duration // the process's processor time at that check
	residentNow    uint64        // its resident bytes at the last check
	residentBefore uint64        // its resident bytes when the request began
	limit          time.Duration // of the request's processor time
	began          time.Time     // when it began
	wall           time.Duration // how long it may take by the clock
	cpuBefore      time.Duration // the process's processor time when it began
	measured       bool          // whether that could be read
	used           time.Duration // the processor time of the last request, as far as it is known
	killed         *fail.Error   // why the host killed the process
	exitLogged     bool          // whether the end of the process was logged, or must not be
	stopping       bool          // whether the host ended the process because it was no longer needed
}

// Config says how to start a worker process.
type Config struct {
	Name    string   // of the plugin, in logs
	Command []string // argv of the process; nil for this program with Arg
	Limits  limits.Limits
	All     *Workers // the workers of all plugins, nil for no bound
	Pool    *Workers // the workers of this plugin, nil for no bound
	Log     *slog.Logger
	Nice    int // lowers the priority of the process
}

// Start starts a process with an empty environment and three pipes. It inherits code, the file of compiled code, unless code is nil.
// The process does nothing until Load or SelfTest.
func Start(cfg Config, code *os.File) (*Process, *fail.Error) {
	cannot := func(err error) (*Process, *fail.Error) {
		return nil, fail.New(fail.Worker, "", "cannot start the worker process: %v; check that this program may run itself", err)
	}
	argv := cfg.Command
	if len(argv) == 0 {
		var err error
		if argv, err = confine.SelfCommand(Arg); err != nil {
			return nil, fail.New(fail.Worker, "", "cannot start the worker process: %v", err)
		}
	}
	childIn, in, err := os.Pipe()
	if err != nil {
		return cannot(err)
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		childIn.Close()
		in.Close()
		return cannot(err)
	}
	w := &Process{in: in, out: out, gone: make(chan struct{}), code: codeFileName(code), limits: cfg.Limits, all: cfg.All, pool: cfg.Pool, plugin: cfg.Name, log: cfg.Log}
	w.guestLog = guestlog.New(cfg.Limits.LogLine, cfg.Limits.LogRate, slog.LevelDebug-4, func(level slog.Level, text string) {
		cfg.Log.Log(context.Background(), level, text, "plugin", cfg.Name, "from", "guest")
	})
	w.stderr = &stderrTail{lines: guestlog.New(cfg.Limits.LogLine, cfg.Limits.LogRate, slog.LevelDebug, func(_ slog.Level, text string) {
		cfg.Log.Debug(text, "plugin", cfg.Name, "from", "worker")
	})}
	enlargePipe(in)
	enlargePipe(out)
	w.conn = newFrameConn(out, in)
	for _, own := range confine.Kinds() {
		w.namespaces = own
		w.cmd = exec.Command(argv[0], argv[1:]...)
		w.cmd.Env = []string{}
		w.cmd.Stdin, w.cmd.Stdout, w.cmd.Stderr = childIn, childOut, w.stderr
		w.cmd.WaitDelay = time.Second
		inheritCodeFile(w.cmd, code)
		confine.Start(w.cmd, own)
		// Systems that forbid this user to make namespaces fail with many different errors, so any error leads to the next kind.
		if err = w.cmd.Start(); err == nil {
			break
		}
	}
	childIn.Close()
	childOut.Close()
	if err != nil {
		in.Close()
		out.Close()
		return cannot(err)
	}
	w.pid = w.cmd.Process.Pid
	if cfg.Nice > 0 {
		confine.Lower(w.pid, cfg.Nice)
		cfg.All.addBackground(w)
	}
	w.timer = time.AfterFunc(time.Hour, w.check)
	w.timer.Stop()
	go func() {
		_ = w.cmd.Wait() // its state is read where it is needed
		w.reportExit()
		// check skips a worker whose gone is closed, so these are the last updates. Whoever waits for gone finds the memory free.
		w.mu.Lock()
		for _, all := range []*Workers{w.all, w.pool} {
			if all != nil {
				all.update(w, 0)
			}
		}
		close(w.gone)
		w.mu.Unlock()
	}()
	return w, nil
}

// Resident returns the resident memory of the process in bytes, 0 where it cannot be read.
func (w *Process) Resident() uint64 { return residentBytes(w.pid) }

// PID returns the ID of the process.
func (w *Process) PID() int { return w.pid }

// Gone returns a channel that is closed when the process has ended.
func (w *Process) Gone() <-chan struct{} { return w.gone }

// Stop ends a process that is no longer needed. Unlike other ends, this one is not logged.
func (w *Process) Stop() {
	w.mu.Lock()
	if !w.Dead() {
		w.stopping = true
	}
	w.mu.Unlock()
	w.retire()
}

// retire kills the process, waits for its end and closes the pipes. It may be called more than once, and during a request, which then
// fails.
func (w *Process) retire() {
	w.mu.Lock()
	w.killLocked(fail.New(fail.Lost, "", "the worker was stopped"))
	w.mu.Unlock()
	<-w.gone
	w.in.Close()
	w.out.Close()
	w.mu.Lock()
	w.timer.Stop()
	w.mu.Unlock()
}

// Dead reports whether the process has ended.
func (w *Process) Dead() bool {
	select {
	case <-w.gone:
		return true
	default:
		return false
	}
}
