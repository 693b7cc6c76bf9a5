// Package worker runs instances of a plugin in a process of their own. A Process is the host's side of the pipes; Run is the other
// side. Both speak frames (see frame.go). Nothing a worker says is trusted: lengths are checked before anything is allocated, and texts
// are escaped and bounded.
package worker

import (
	"github.com/fcp-host/fcp-host/host/sandbox/internal/fail"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/guestlog"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/layer"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/limits"
)

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/fcp-host/fcp-host/host/confine"
)

// checkEvery is how often a running request's worker is looked at, restEvery how often one that nobody asks for anything, and
// restWork how much processor time that may take from one look to the next: its collector needs some, now and then.
const (
	checkEvery = 20 * time.Millisecond
	restEvery  = time.Second
	restWork   = restEvery / 10
)

// maxWorkerThreads is how many threads a worker may have where the system does not refuse it more. Those of Go's runtime are some ten.
const maxThreads = 64

// worker is the host's side of one worker process. Requests are made by one goroutine at a time; kill may be called by any.
type Process struct {
	cmd     *exec.Cmd
	own     confine.Namespaces
	pid     int
	conn    *frameConn
	in, out *os.File
	code    string        // the file of compiled code as taken understands it, "" for none
	reaped  chan struct{} // closed when the process is gone and waited for
	said    *tail
	logs    *guestlog.Limiter
	limits  limits.Limits
	all     *Workers // of all plugins, nil for none
	pool    *Workers // of its own, nil for none
	plugin  string   // its name
	log     *slog.Logger
	request uint32

	mu       sync.Mutex // guards what follows
	timer    *time.Timer
	busy     bool
	armed    bool          // whether the timer runs for a request
	rested   bool          // whether it rested at the last look
	spent    time.Duration // its processor time then
	resident uint64        // its memory at the last look
	before   uint64        // its memory when the request began
	deadline time.Time
	killed   *fail.Error // why this side killed the process
	told     bool        // whether its end was logged
	stopped  bool        // whether this side had no more use for it
}

// GaveUp reports whether a process that ended did so through what ran in it: it was killed for its time or its memory, or
// Go's runtime said why it could not go on. A process that somebody else killed says nothing.
func (w *Process) GaveUp() bool {
	w.mu.Lock()
	killed := w.killed
	w.mu.Unlock()
	if killed != nil && killed.Kind != fail.Lost {
		return true
	}
	return w.late() || w.said.reason() != ""
}

// late reports whether a process that is gone ended itself, because it had run for twice as long as it may before this side looked.
func (w *Process) late() bool { return w.cmd.ProcessState.ExitCode() == lateExit }

// Config is what a worker process is started with.
type Config struct {
	Name    string   // of the plugin, in logs
	Command []string // argv of the process; nil for this program with WorkerArg
	Limits  limits.Limits
	All     *Workers // the workers of all plugins, nil for no bound
	Pool    *Workers // the workers of this plugin, nil for no bound
	Log     *slog.Logger
}

// Start starts a process with an empty environment and three pipes. It inherits code, the file of compiled code, unless code
// is nil. The process does nothing until load.
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
	w := &Process{in: in, out: out, reaped: make(chan struct{}), code: given(code), limits: cfg.Limits, all: cfg.All, pool: cfg.Pool, plugin: cfg.Name, log: cfg.Log}
	w.logs = guestlog.New(cfg.Limits.LogLine, cfg.Limits.LogRate, slog.LevelDebug-4, func(level slog.Level, text string) {
		cfg.Log.Log(context.Background(), level, text, "plugin", cfg.Name, "from", "guest")
	})
	w.said = &tail{lines: guestlog.New(cfg.Limits.LogLine, cfg.Limits.LogRate, slog.LevelDebug, func(_ slog.Level, text string) {
		cfg.Log.Debug(text, "plugin", cfg.Name, "from", "worker")
	})}
	widen(in)
	widen(out)
	w.conn = newFrameConn(out, in)
	for _, own := range confine.Kinds() {
		w.own = own
		w.cmd = exec.Command(argv[0], argv[1:]...)
		w.cmd.Env = []string{}
		w.cmd.Stdin, w.cmd.Stdout, w.cmd.Stderr = childIn, childOut, w.said
		w.cmd.WaitDelay = time.Second
		give(w.cmd, code)
		confine.Start(w.cmd, own)
		// A system that does not let this user make namespaces says so in many ways.
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
	w.timer = time.AfterFunc(time.Hour, w.check)
	w.timer.Stop()
	go func() {
		// The result says nothing that the pipes and the reason for killing do not.
		_ = w.cmd.Wait()
		w.ended()
		// check looks at no worker that is reaped, so what is seen here is the last; who waited for the end finds its memory free.
		w.mu.Lock()
		for _, all := range []*Workers{w.all, w.pool} {
			if all != nil {
				all.seen(w, 0)
			}
		}
		close(w.reaped)
		w.mu.Unlock()
	}()
	return w, nil
}

// ended looks at a process that is gone, and tells of it when nobody had asked it to end.
func (w *Process) ended() {
	w.mu.Lock()
	killed := w.killed
	w.mu.Unlock()
	why := w.said.reason()
	switch {
	case killed != nil && killed.Kind == fail.Lost || w.cmd.ProcessState.ExitCode() == 0:
		return
	case killed != nil:
		why = killed.Message
	case w.late():
		why = "took too long"
	case why == "":
		why = w.cmd.ProcessState.String()
	}
	w.tell(fail.Line(why))
}

// tell logs the end of the process, once: both the one who waits for an answer and the one who waits for the process see it.
func (w *Process) tell(why string) {
	w.mu.Lock()
	told := w.told
	w.told = true
	w.mu.Unlock()
	if !told {
		w.log.Warn("a plugin's worker died; another is started when it is needed", "plugin", w.plugin, "pid", w.pid, "why", why)
	}
}

// MuteExit keeps the end of the process out of the log.
func (w *Process) MuteExit() {
	w.mu.Lock()
	w.told = true
	w.mu.Unlock()
}

// Load sends the settings and the module and waits until the module is compiled or its code is loaded.
func (w *Process) Load(s Settings, wasm []byte, limit time.Duration) *fail.Error {
	_, failure := w.sendLoad(loadMessage{Settings: s}, wasm, limit)
	return failure
}

// SelfTest has the process confine itself as settings say and report what it could still do.
func (w *Process) SelfTest(s Settings, limit time.Duration) (*layer.Report, *fail.Error) {
	data, failure := w.sendLoad(loadMessage{Settings: s, SelfTest: true}, nil, limit)
	if failure != nil {
		return nil, failure
	}
	var r layer.Report
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fail.New(fail.Worker, "", "its worker gave no report: %v", err)
	}
	for i := range r.Layers {
		l := &r.Layers[i]
		l.Name, l.Detail = fail.Escape(l.Name, 100), fail.Escape(l.Detail, 300)
	}
	for i := range r.Attempts {
		a := &r.Attempts[i]
		a.What, a.Result = fail.Escape(a.What, 100), fail.Escape(a.Result, 300)
	}
	return &r, nil
}

func (w *Process) sendLoad(m loadMessage, wasm []byte, limit time.Duration) ([]byte, *fail.Error) {
	m.Version, m.Limits, m.Code = protocolVersion, w.limits, w.code
	m.Own, m.Host = w.own != confine.Shared, os.Getpid()
	head, err := json.Marshal(m)
	if err != nil {
		return nil, fail.New(fail.Worker, "", "encode the settings: %v", err)
	}
	size := binary.LittleEndian.AppendUint32(nil, uint32(len(head)))
	report, failure := w.do(limit, frame{kind: frameLoad}, "", size, head, wasm)
	return report.Output, failure
}

// Answer is what a worker gives to a request.
type Answer struct {
	Output []byte // the caller's own
	Memory uint64 // the instance's linear memory in bytes, after a failure, too
	Asks   bool   // output is what the guest asks for
}

// NewInstance makes an instance in the worker and returns its linear memory in bytes. id must not be in use.
func (w *Process) NewInstance(limit time.Duration, id uint32, seed uint64) (memory uint64, failure *fail.Error) {
	a, failure := w.do(limit, frame{kind: frameNew, instance: id, payload: binary.LittleEndian.AppendUint64(nil, seed)}, "")
	return a.Memory, failure
}

// Call is one call of an export.
type Call struct {
	Instance uint32
	Export   string // of at most 255 bytes
	Input    []byte
	MayAsk   bool // the export may ask the host for something instead of answering
}

// Call runs an export of an instance.
func (w *Process) Call(limit time.Duration, r Call) (Answer, *fail.Error) {
	name := make([]byte, 0, 64)
	name = append(append(name, byte(len(r.Export))), r.Export...)
	f := frame{kind: frameCall, instance: r.Instance, payload: name}
	if r.MayAsk {
		f.detail = detailAsks
	}
	return w.do(limit, f, r.Export, r.Input)
}

// CloseInstance tells the worker to free an instance. It does not wait. An error means that the worker is gone.
func (w *Process) CloseInstance(id uint32) error {
	return w.conn.write(frame{kind: frameClose, instance: id})
}

// Resident returns the resident memory of the process, 0 where it cannot be read.
func (w *Process) Resident() uint64 { return residentBytes(w.pid) }

// PID returns the number of the process.
func (w *Process) PID() int { return w.pid }

// Reaped returns a channel that is closed when the process is gone.
func (w *Process) Gone() <-chan struct{} { return w.reaped }

// do makes one request and waits for its answer at most for limit: then the process is killed.
func (w *Process) do(limit time.Duration, f frame, export string, parts ...[]byte) (Answer, *fail.Error) {
	w.request++
	f.request = w.request
	w.begin(limit)
	defer w.end()
	if err := w.conn.write(f, parts...); err != nil {
		return Answer{}, w.lost(export, limit)
	}
	for {
		got, size, err := w.conn.header(w.limitOf)
		if err != nil {
			return Answer{}, w.broken(err, export, limit)
		}
		switch got.kind {
		case frameLog:
			text, err := w.conn.payload(size)
			if err != nil {
				return Answer{}, w.broken(err, export, limit)
			}
			w.logs.Write(slog.Level(int(got.detail)-logLevelBias), text)
			continue
		case frameDone, frameFailed:
		default:
			return Answer{}, w.broken(fmt.Errorf("an answer has kind %d", got.kind), export, limit)
		}
		if got.request != f.request || size < 8 {
			return Answer{}, w.broken(fmt.Errorf("an answer of %d bytes for request %d instead of %d", size, got.request, f.request), export, limit)
		}
		var m [8]byte
		if _, err := io.ReadFull(w.conn.r, m[:]); err != nil {
			return Answer{}, w.broken(err, export, limit)
		}
		var payload []byte
		if size > 8 {
			payload = make([]byte, size-8)
		}
		if _, err := io.ReadFull(w.conn.r, payload); err != nil {
			return Answer{}, w.broken(err, export, limit)
		}
		a := Answer{Memory: binary.LittleEndian.Uint64(m[:])}
		if got.kind == frameDone {
			a.Output, a.Asks = payload, got.detail == detailAsks
			return a, nil
		}
		kind := fail.Kind(got.detail)
		if kind < fail.Refused || kind > fail.Worker {
			return Answer{}, w.broken(fmt.Errorf("an answer has failure kind %d", kind), export, limit)
		}
		return a, fail.New(kind, export, "%s", payload)
	}
}

func (w *Process) limitOf(kind byte) int {
	switch kind {
	case frameDone:
		return w.limits.Output + 8
	case frameFailed, frameLog:
		return maxText
	}
	return 0
}

// begin starts the clock of a request, end stops it. The timer is left running between requests, since arming it costs more
// than a small request does; it slows down by itself when it finds that there is none.
func (w *Process) begin(limit time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy, w.before = true, w.resident
	w.deadline = time.Now().Add(limit)
	if !w.armed || limit < checkEvery {
		w.armed = true
		w.timer.Reset(min(checkEvery, limit))
	}
}

func (w *Process) end() {
	w.mu.Lock()
	w.busy = false
	w.mu.Unlock()
	w.logs.Report()
}

// check kills a worker whose request is late, whose memory or threads are too much, or that works though there is no request.
func (w *Process) check() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.killed != nil || w.Dead() {
		return
	}
	w.resident = residentBytes(w.pid)
	if w.resident > w.limits.Resident {
		w.killLocked(fail.New(fail.Memory, "", "its worker took %d MiB of memory and may take %d", w.resident>>20, w.limits.Resident>>20))
		return
	}
	spent, threads := confine.Activity(w.pid)
	if threads > maxThreads {
		w.killLocked(fail.New(fail.Worker, "", "its worker had %d threads and may have %d", threads, maxThreads))
		return
	}
	if w.pool != nil {
		sum, most := w.pool.seen(w, w.resident)
		if w.busy && sum > most && w.resident > w.before+grace {
			w.killLocked(fail.New(fail.Memory, "", "its plugin's workers took %d MiB of memory together and may take %d", sum>>20, most>>20))
			return
		}
	}
	if w.all != nil {
		sum, most := w.all.seen(w, w.resident)
		if w.busy && sum > most && w.resident > w.before+grace {
			w.killLocked(fail.New(fail.Crowded, "", "the workers of all plugins took %d MiB of memory and may take %d (limit workers)", sum>>20, most>>20))
			return
		}
	}
	if w.busy {
		w.rested = false
		left := time.Until(w.deadline)
		if left <= 0 {
			w.killLocked(fail.New(fail.Deadline, "", "took too long"))
			return
		}
		w.timer.Reset(min(checkEvery, left))
		return
	}
	if w.rested && spent-w.spent > restWork {
		w.killLocked(fail.New(fail.Worker, "", "its worker went on working after its answer and was stopped"))
		return
	}
	w.armed, w.rested, w.spent = false, true, spent
	w.timer.Reset(restEvery)
}

func (w *Process) killLocked(why *fail.Error) {
	if w.killed == nil {
		w.killed = why
	}
	_ = w.cmd.Process.Kill() // fails only for a process that is gone
}

// Stop retires a process that is not needed any more, of whose end nothing is to be said.
func (w *Process) Stop() {
	w.mu.Lock()
	if !w.Dead() {
		w.stopped = true
	}
	w.mu.Unlock()
	w.retire()
}

// retire kills the process, waits until it is reaped and releases the pipes. It may be called more than once and while a
// request is running, which then fails.
func (w *Process) retire() {
	w.mu.Lock()
	w.killLocked(fail.New(fail.Lost, "", "the worker was stopped"))
	w.mu.Unlock()
	<-w.reaped
	w.in.Close()
	w.out.Close()
	w.mu.Lock()
	w.timer.Stop()
	w.mu.Unlock()
}

// Dead reports whether the process has ended.
func (w *Process) Dead() bool {
	select {
	case <-w.reaped:
		return true
	default:
		return false
	}
}

// broken explains an answer that could not be read: the process died, or it sent what no worker sends and is killed.
func (w *Process) broken(err error, export string, limit time.Duration) *fail.Error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, os.ErrClosed) {
		return w.lost(export, limit)
	}
	w.retire()
	w.tell("it broke the protocol")
	return fail.New(fail.Worker, export, "its worker broke the protocol (%v) and was stopped; the next call starts another", err)
}

// lost explains why the process is gone and makes sure that it is.
func (w *Process) lost(export string, limit time.Duration) *fail.Error {
	failure := w.explain(export, limit)
	w.mu.Lock()
	stopped := w.stopped
	w.mu.Unlock()
	if !stopped {
		w.tell(failure.Message)
	}
	return failure
}

func (w *Process) explain(export string, limit time.Duration) *fail.Error {
	w.mu.Lock()
	why := w.killed
	w.mu.Unlock()
	w.retire()
	where, remedy := export, "work in smaller steps or raise the limit call"
	if where == "" {
		where, remedy = "its start", "raise the limits compile and start"
	}
	switch {
	case why != nil && why.Kind == fail.Deadline, why == nil && w.late():
		return fail.New(fail.Deadline, export, "%s took longer than %v and was stopped; %s", where, limit, remedy)
	case why != nil && why.Kind == fail.Worker:
		return fail.New(fail.Lost, export, "%s", why.Message) // before this request
	case why != nil:
		return fail.New(why.Kind, export, "%s during %s", why.Message, where)
	}
	if last := w.said.reason(); last != "" {
		if strings.Contains(last, "out of memory") || strings.Contains(last, "cannot allocate memory") {
			return fail.New(fail.Memory, export, "its worker ran out of memory during %s", where)
		}
		return fail.New(fail.Lost, export, "its worker died during %s: %s", where, last)
	}
	return fail.New(fail.Lost, export, "its worker died during %s (%s)", where, w.cmd.ProcessState)
}

// tail logs what a worker writes to stderr and keeps the first line: there Go's runtime says why it gives up.
type tail struct {
	mu    sync.Mutex
	lines *guestlog.Limiter
	first []byte
}

// Write implements io.Writer.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if room := 512 - len(t.first); room > 0 {
		t.first = append(t.first, b[:min(len(b), room)]...)
	}
	t.lines.Stream(slog.LevelDebug, b)
	return len(b), nil
}

func (t *tail) reason() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return guestlog.FirstLine(t.first)
}
