package sandbox

import (
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/fcp-host/fcp-host/host/timing"
)

// Config says what a plugin is and what it may use.
type Config struct {
	Name     string   // the plugin's display name, in errors and logs
	Wasm     []byte   // the module; it must not change while the Plugin lives
	Module   *Module  // the module, instead of Wasm, when it is known before it is read
	Command  []string // argv that starts a worker; nil for this binary with WorkerArg
	CacheDir string   // folder of compiled modules, created when missing; "" for none
	Limits   Limits
	Workers  *Workers     // what all plugins' workers may take, nil for no bound
	Require  Requirement  // of the system; without it the module is not even looked at
	Log      *slog.Logger // nil discards

	// Compiling is called before the module is compiled into the cache for an instance that somebody waits for, and what it
	// returns once that is over; Warm calls neither. nil for none.
	Compiling func() (done func())
}

// Plugin is one module and the worker process that runs its instances. The process is started when it is first needed and
// again after a death. All methods may be called by many goroutines; calls are run one at a time, in the order in which they
// asked.
type Plugin struct {
	cfg    Config
	module *Module
	cache  *moduleCache  // nil without one
	turn   chan struct{} // holds a token while somebody talks to the worker
	nextID uint32        // of instances; belongs to who has the turn
	code   bool          // whether the function bodies were scanned; belongs to who has the turn
	now    func() time.Time
	done   chan struct{} // closed by Close

	mu      sync.Mutex           // guards what follows; never held while talking to the worker
	worker  *worker              // the one that runs instances
	procs   map[*worker]struct{} // every process that lives, a compiling one too
	closed  bool
	retired bool                 // the worker ends as soon as no instance lives in it
	starts  int                  // of workers that run instances
	alive   map[uint32]*Instance // the instances that the worker holds
	ending  []uint32             // instances that were closed while the worker was busy
	uses    uint64               // of instances, for their order
	deaths  deaths
}

// Stats is a snapshot of a plugin for status lines and tests.
type Stats struct {
	PID       int    // of the worker; 0 when none runs
	Resident  uint64 // bytes of memory the worker has in RAM; 0 where it is not measured
	Instances int    // living in the worker
	Restarts  int    // workers started after the first
	Deaths    int    // of workers, lately, through the plugin's own calls
	Disabled  bool   // after too many of them
}

// NewPlugin starts nothing. Its errors are NewModule's: function bodies are looked at, and reported by Warm or NewInstance, when
// the module is not in the cache and has to be compiled.
func NewPlugin(cfg Config) (*Plugin, error) {
	cfg.Name = escape(cfg.Name, 100)
	cfg.Limits = cfg.Limits.withDefaults()
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	m := cfg.Module
	if m == nil {
		var err error
		if m, err = NewModule(cfg.Wasm); err != nil {
			return nil, &Error{Kind: KindLoad, Plugin: cfg.Name, Message: err.Error()}
		}
	}
	cfg.Limits.Resident = cfg.Workers.share(cfg.Limits.Resident)
	if m.Info.MemoryMin > cfg.Limits.Memory {
		e := newError(KindLoad, "", "it starts with %d MiB of memory and may have %d", m.Info.MemoryMin>>20, cfg.Limits.Memory>>20)
		e.Plugin = cfg.Name
		return nil, e
	}
	return &Plugin{
		cfg:    cfg,
		module: m,
		cache:  openModuleCache(cfg.CacheDir, m.Sum, cfg.Command, cfg.Log),
		turn:   make(chan struct{}, 1),
		alive:  map[uint32]*Instance{},
		procs:  map[*worker]struct{}{},
		now:    time.Now,
		done:   make(chan struct{}),
	}, nil
}

// Info returns what Scan found.
func (p *Plugin) Info() Info { return p.module.Info }

// MaxInstances is how many instances live at once.
func (p *Plugin) MaxInstances() int { return p.cfg.Limits.Instances }

// read returns the module's bytes.
func (p *Plugin) read() ([]byte, *Error) {
	wasm, err := p.module.Wasm()
	if err != nil {
		return nil, newError(KindWorker, "", "its code cannot be read: %v", err)
	}
	return wasm, nil
}

// Warm compiles the module into the cache unless it is there, in a process of its own that ends afterwards. Without a cache
// it only scans the code. When ctx ends, so does the compilation.
func (p *Plugin) Warm(ctx context.Context) error {
	if err := p.lock(ctx); err != nil {
		return err
	}
	defer p.unlock()
	return p.twice(ctx, func() *Error {
		code, _, failure := p.compiled(ctx, nil)
		closeFile(code)
		return failure
	})
}

// Cached reports whether the module is in the cache, whole or not.
func (p *Plugin) Cached() bool {
	if p.cache == nil || p.lock(context.Background()) != nil {
		return false
	}
	defer p.unlock()
	return exists(p.cache.path())
}

// Interpret runs one export once, without input, in a process of its own that interprets the module instead of compiling it.
// Of a module that has yet to be compiled it has an answer in a fraction of the time that would take, though the guest runs
// some thirty times as slowly. limit bounds each of the steps, as the plugin's own limits do. A failure says little of the
// module, which may do better when it is compiled, and is no death of its worker.
func (p *Plugin) Interpret(ctx context.Context, export string, limit time.Duration) ([]byte, error) {
	if err := p.lock(ctx); err != nil {
		return nil, err
	}
	defer p.unlock()
	output, failure := p.interpret(ctx, export, limit)
	return output, p.named(failure)
}

func (p *Plugin) interpret(ctx context.Context, export string, limit time.Duration) ([]byte, *Error) {
	wasm, failure := p.scanned()
	if failure != nil {
		return nil, failure
	}
	w, failure := p.start(nil)
	if failure != nil {
		return nil, failure
	}
	defer p.drop(w)
	w.hush() // what it dies of may be its slowness alone
	defer context.AfterFunc(ctx, w.stop)()
	s := p.settings(nil, false)
	s.Interpret = true
	if _, failure := w.load(s, wasm, min(limit, s.Limits.Compile)); failure != nil {
		return nil, failure
	}
	if _, failure := w.do(min(limit, s.Limits.Start), frame{kind: frameNew, payload: make([]byte, 8)}, ""); failure != nil {
		return nil, failure
	}
	name := append([]byte{byte(len(export))}, export...)
	a, failure := w.do(min(limit, s.Limits.Call), frame{kind: frameCall, payload: name}, export)
	return a.output, failure
}

// NewInstance returns a fresh, initialised instance. Equal seeds give equal random numbers. It starts a worker when none
// runs, and compiles when the module is not in the cache. ctx bounds the wait for other calls and the compilation.
func (p *Plugin) NewInstance(ctx context.Context, seed uint64) (i *Instance, err error) {
	if failure := p.over(ctx, ""); failure != nil {
		return nil, p.named(failure)
	}
	if err := p.lock(ctx); err != nil {
		return nil, err
	}
	defer p.unlock()
	timing.Lap(ctx, timing.Wait)
	err = p.twice(ctx, func() (failure *Error) {
		i, failure = p.instantiate(ctx, seed)
		return failure
	})
	timing.Lap(ctx, timing.Guest)
	return i, err
}

// twice tries again once when a worker died for no reason that is known: somebody killed it, or it had been dead already. A
// worker that dies again has a reason of its own.
func (p *Plugin) twice(ctx context.Context, try func() *Error) error {
	failure := try()
	if failure != nil && failure.Kind == KindLost && ctx.Err() == nil {
		failure = try()
	}
	if failure != nil && failure.Kind == KindLost && ctx.Err() != nil {
		return fmt.Errorf("plugin %s: starting: %w", p.cfg.Name, ctx.Err())
	}
	return p.named(failure)
}

func (p *Plugin) instantiate(ctx context.Context, seed uint64) (*Instance, *Error) {
	w, failure := p.running(ctx)
	if failure != nil {
		return nil, failure
	}
	if failure := p.cfg.Workers.full(); failure != nil {
		return nil, failure
	}
	if resident := residentBytes(w.pid); resident > p.cfg.Limits.Resident/4*3 {
		return nil, newError(KindMemory, "", "its worker already holds %d MiB; close a document", resident>>20)
	}
	if failure := p.makeRoom(w); failure != nil {
		return nil, failure
	}
	p.nextID++
	f := frame{kind: frameNew, instance: p.nextID, payload: binary.LittleEndian.AppendUint64(nil, seed)}
	var started answer
	failure = p.timed(ctx, p.cfg.Limits.Start, "", func(limit time.Duration) (failure *Error) {
		started, failure = w.do(limit, f, "")
		return failure
	})
	if failure != nil {
		if w.dead() {
			p.died(w, failure)
			p.drop(w)
		}
		return nil, failure
	}
	i := &Instance{plugin: p, worker: w, id: f.instance}
	i.memory.Store(started.memory)
	p.mu.Lock()
	p.alive[f.instance] = i
	p.touch(i)
	p.mu.Unlock()
	return i, nil
}

// touch notes that an instance is used now. The caller holds mu.
func (p *Plugin) touch(i *Instance) {
	p.uses++
	i.used = p.uses
}

// makeRoom closes the instances that were not used for longest until one more keeps within the limits: of their number, and of
// memory at half of what the worker may take. Those that wait for an answer stay.
func (p *Plugin) makeRoom(w *worker) *Error {
	for {
		p.mu.Lock()
		var oldest *Instance
		var memory uint64
		for _, i := range p.alive {
			memory += i.Memory()
			if i.asking.Load() {
				continue
			}
			if oldest == nil || i.used < oldest.used {
				oldest = i
			}
		}
		many := len(p.alive) >= p.cfg.Limits.Instances
		if oldest == nil || !many && memory <= p.cfg.Limits.Resident/2 {
			p.mu.Unlock()
			if many {
				return newError(KindCrowded, "", "all its %d instances wait for answers from outside; try again later", p.cfg.Limits.Instances)
			}
			return nil
		}
		oldest.gone.Store(true)
		delete(p.alive, oldest.id)
		p.mu.Unlock()
		if err := w.conn.write(frame{kind: frameClose, instance: oldest.id}); err != nil {
			p.drop(w)
			return newError(KindLost, "", "its worker died: %v", err)
		}
	}
}

// running returns the worker, started and loaded when there was none.
func (p *Plugin) running(ctx context.Context) (*worker, *Error) {
	p.mu.Lock()
	w := p.worker
	p.mu.Unlock()
	if w != nil && !w.dead() {
		return w, nil
	}
	p.drop(w)
	if failure := p.rested(ctx); failure != nil {
		return nil, failure
	}
	for range 2 {
		code, wasm, failure := p.compiled(ctx, p.cfg.Compiling)
		if failure != nil {
			return nil, failure
		}
		w, failure = p.spawn(code, wasm)
		closeFile(code)
		if failure == nil || code == nil || failure.Kind != KindLoad {
			return w, failure
		}
		// Its native code is damaged, which the worker sees. An entry that was made a moment ago is not worth a failure either.
		p.cache.discard(fmt.Errorf("it did not load: %s", failure.Message))
	}
	wasm, failure := p.read()
	if failure != nil {
		return nil, failure
	}
	return p.spawn(nil, wasm)
}

// closeFile closes a file of compiled code, if there is one. It was read, or is of no use.
func closeFile(f *os.File) {
	if f != nil {
		_ = f.Close()
	}
}

// start starts a process that Close will end. It gets code as its own, nil for none.
func (p *Plugin) start(code *os.File) (*worker, *Error) {
	if failure := p.cfg.Workers.full(); failure != nil {
		return nil, failure
	}
	w, failure := startWorker(&p.cfg, code)
	if failure != nil {
		return nil, failure
	}
	p.mu.Lock()
	closed := p.closed
	if !closed {
		p.procs[w] = struct{}{}
	}
	p.mu.Unlock()
	if closed {
		w.stop()
		return nil, errClosed()
	}
	return w, nil
}

// spawn starts a worker, makes it the plugin's and loads the module: compiled, or without code from its bytes.
func (p *Plugin) spawn(code *os.File, wasm []byte) (*worker, *Error) {
	if code != nil {
		wasm = nil // the entry has what is needed of it
	}
	w, failure := p.start(code)
	if failure != nil {
		return nil, failure
	}
	p.mu.Lock()
	p.worker = w
	p.starts++
	p.mu.Unlock()
	if _, failure = w.load(p.settings(code, false), wasm, p.cfg.Limits.Compile); failure != nil {
		p.died(w, failure)
		p.drop(w)
		return nil, failure
	}
	return w, nil
}

func (p *Plugin) settings(code *os.File, compile bool) settings {
	return settings{Version: protocolVersion, Limits: p.cfg.Limits, Code: given(code), LogLevel: p.logLevel(), Compile: compile, Require: p.cfg.Require}
}

// logLevel returns the least level the log takes, so that guests need not send what nobody reads.
func (p *Plugin) logLevel() slog.Level {
	for _, level := range []slog.Level{slog.LevelDebug - 4, slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError} {
		if p.cfg.Log.Enabled(context.Background(), level) {
			return level
		}
	}
	return slog.LevelError + 4
}

// scanned returns the module's bytes after a look at the function bodies, which it takes once.
func (p *Plugin) scanned() ([]byte, *Error) {
	wasm, failure := p.read()
	if failure != nil || p.code {
		return wasm, failure
	}
	if _, err := Scan(wasm); err != nil {
		return nil, newError(KindLoad, "", "%s", err)
	}
	p.code = true
	return wasm, nil
}

// compiled returns the module's compiled code for a worker to load, made when there was none. Where there is none to use, it
// returns the module's bytes. The caller closes the code. compiling is as in Config.
func (p *Plugin) compiled(ctx context.Context, compiling func() (done func())) (code *os.File, wasm []byte, failure *Error) {
	if p.cache != nil {
		if code := p.cache.open(); code != nil {
			return code, nil, nil
		}
	}
	wasm, failure = p.scanned()
	if failure != nil || p.cache == nil {
		return nil, wasm, failure
	}
	if compiling != nil {
		defer compiling()()
	}
	without := func(err error) (*os.File, []byte, *Error) {
		p.cfg.Log.Warn("the compilation cache cannot be written; compiling without it", "plugin", p.cfg.Name, "error", err)
		return nil, wasm, nil
	}
	code, err := p.cache.begin(skeleton(wasm))
	if err != nil {
		return without(err)
	}
	defer p.cache.abandon(code)
	w, failure := p.start(code)
	if failure != nil {
		return nil, nil, failure
	}
	stop := context.AfterFunc(ctx, w.stop)
	_, failure = w.load(p.settings(code, true), wasm, p.cfg.Limits.Compile)
	stop()
	if failure != nil {
		p.died(w, failure)
	}
	p.drop(w)
	if failure != nil {
		switch failure.Kind {
		case KindLoad:
			// It may be the module or the cache that failed, a full disk for one. A worker without a cache will tell.
			return nil, wasm, nil
		case KindDeadline, KindMemory:
			failure = newError(KindLoad, "", "the module does not compile: %s", failure.Message)
		}
		return nil, nil, failure
	}
	final, err := p.cache.commit(code)
	if err != nil {
		return without(err)
	}
	return final, nil, nil
}

// drop forgets a worker and what lived in it, and ends it.
func (p *Plugin) drop(w *worker) {
	if w == nil {
		return
	}
	w.stop()
	p.mu.Lock()
	delete(p.procs, w)
	if p.worker == w {
		p.worker = nil
		p.ending = nil
		clear(p.alive)
	}
	p.mu.Unlock()
}

// Close kills the worker and waits until it is gone. Instances become KindLost; so does a running call. It always succeeds.
func (p *Plugin) Close() error {
	p.mu.Lock()
	if !p.closed {
		close(p.done)
	}
	p.closed = true
	procs := slices.Collect(maps.Keys(p.procs))
	p.mu.Unlock()
	for _, w := range procs {
		p.drop(w)
	}
	// Whoever has the turn may be starting a process this moment: it will see that the plugin is closed.
	p.turn <- struct{}{}
	<-p.turn
	return nil
}

// Rest ends the worker when no instance lives in it, which gives its memory back; the next NewInstance starts another. It
// waits for a running call.
func (p *Plugin) Rest() {
	if p.lock(context.Background()) != nil {
		return // closed: there is no worker
	}
	defer p.unlock()
	p.mu.Lock()
	w, idle := p.worker, len(p.alive) == 0
	p.mu.Unlock()
	if idle {
		p.drop(w)
	}
}

// Retire has the worker end from now on whenever no instance lives in it: another module took this one's place, and what still
// needs this one may use it on. It waits for nothing.
func (p *Plugin) Retire() {
	p.mu.Lock()
	p.retired = true
	p.mu.Unlock()
	select {
	case p.turn <- struct{}{}:
		p.unlock()
	default: // whoever has the turn will see to it
	}
}

// Stats returns a snapshot. It never waits for a running call.
func (p *Plugin) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := Stats{Instances: len(p.alive), Restarts: max(p.starts-1, 0), Deaths: len(p.deaths.times), Disabled: p.deaths.disabled}
	if p.worker != nil && !p.worker.dead() {
		s.PID = p.worker.pid
		s.Resident = residentBytes(s.PID)
	}
	return s
}

// lock waits for the turn to talk to the worker. It is not given to a context that has ended.
func (p *Plugin) lock(ctx context.Context) error {
	err := ctx.Err()
	if err == nil {
		select {
		case p.turn <- struct{}{}:
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	if err != nil {
		return fmt.Errorf("plugin %s: waiting for its turn: %w", p.cfg.Name, err)
	}
	p.mu.Lock()
	closed := p.closed
	p.mu.Unlock()
	if closed {
		p.unlock()
		return p.named(errClosed())
	}
	return nil
}

// unlock passes the turn on, after telling the worker of instances that were closed meanwhile.
func (p *Plugin) unlock() {
	for {
		p.mu.Lock()
		w, ending := p.worker, p.ending
		p.ending = nil
		p.mu.Unlock()
		for _, id := range ending {
			if w == nil || w.conn.write(frame{kind: frameClose, instance: id}) != nil {
				break // what lived in a dead worker is gone already
			}
		}
		p.mu.Lock()
		over := p.retired && p.worker == w && len(p.alive) == 0
		p.mu.Unlock()
		if over {
			p.drop(w)
		}
		<-p.turn
		// Somebody may have closed an instance, or retired the plugin, after that was looked at and before the turn was passed on.
		p.mu.Lock()
		more := len(p.ending) > 0 || p.retired && p.worker != nil && len(p.alive) == 0
		p.mu.Unlock()
		if !more {
			return
		}
		select {
		case p.turn <- struct{}{}:
		default:
			return // whoever has the turn will see to it
		}
	}
}

func errClosed() *Error { return newError(KindLost, "", "the plugin is closed") }

// named adds the plugin's name, and turns the absence of a failure into a nil error.
func (p *Plugin) named(e *Error) error {
	if e == nil {
		return nil
	}
	e.Plugin = p.cfg.Name
	return e
}
