package sandbox

import (
	"github.com/fcp-host/fcp-host/host/sandbox/internal/codecache"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/fail"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/module"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/worker"
)

import (
	"context"
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

// Plugin is one module and the worker processes that run its instances: one, or where Limits.Parallel allows it as many as are
// needed. Each is started when it is first needed and again after a death. All methods may be called by many goroutines; calls on
// one worker are run one at a time, in the order in which they asked. An instance lives and dies in one worker.
type Plugin struct {
	cfg    Config
	module *Module
	cache  *codecache.Entry // nil without one
	lanes  []*lane
	pool   *Workers      // what the workers of this plugin take together
	build  chan struct{} // holds a token while somebody compiles or scans the module
	code   bool          // whether the function bodies were scanned; belongs to who builds
	now    func() time.Time
	done   chan struct{} // closed by Close

	mu      sync.Mutex                   // guards what follows, and parts of lanes; never held while talking to a worker
	procs   map[*worker.Process]struct{} // every process that lives, a compiling one too
	closed  bool
	retired bool                 // a worker ends as soon as no instance lives in it
	nextID  uint32               // of instances
	alive   map[uint32]*Instance // the instances that workers hold
	uses    uint64               // of instances, for their order
	moved   time.Time            // when an instance was last told to move
	deaths  deaths
}

// Stats is a snapshot of a plugin for status lines and tests.
type Stats struct {
	PID       int    // of the first worker that runs; 0 when none does
	Workers   int    // that run
	Busy      int    // of them, with a call or with calls that wait
	Resident  uint64 // bytes of memory the workers have in RAM; 0 where it is not measured
	Instances int    // living in them
	Restarts  int    // workers started after one that died
	Deaths    int    // of workers, lately, through the plugin's own calls
	Disabled  bool   // after too many of them
}

// NewPlugin starts nothing. Its errors are NewModule's: function bodies are looked at, and reported by Warm or NewInstance, when
// the module is not in the cache and has to be compiled.
func NewPlugin(cfg Config) (*Plugin, error) {
	cfg.Name = fail.Escape(cfg.Name, 100)
	cfg.Limits = cfg.Limits.WithDefaults()
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
	cfg.Limits.Resident = cfg.Workers.Share(cfg.Limits.Resident)
	if m.Info.MemoryMin > cfg.Limits.Memory {
		e := fail.New(KindLoad, "", "it starts with %d MiB of memory and may have %d", m.Info.MemoryMin>>20, cfg.Limits.Memory>>20)
		e.Plugin = cfg.Name
		return nil, e
	}
	p := &Plugin{
		cfg:    cfg,
		module: m,
		cache:  codecache.Open(cfg.CacheDir, m.Sum, cfg.Command, cfg.Log),
		pool:   NewWorkers(cfg.Limits.Resident),
		build:  make(chan struct{}, 1),
		alive:  map[uint32]*Instance{},
		procs:  map[*worker.Process]struct{}{},
		now:    time.Now,
		done:   make(chan struct{}),
	}
	for range cfg.Limits.Parallel {
		p.lanes = append(p.lanes, &lane{turn: make(chan struct{}, 1)})
	}
	return p, nil
}

// Info returns what Scan found.
func (p *Plugin) Info() Info { return p.module.Info }

// MaxInstances is how many instances live at once, in all workers that there may be.
func (p *Plugin) MaxInstances() int { return p.cfg.Limits.Instances * len(p.lanes) }

// read returns the module's bytes.
func (p *Plugin) read() ([]byte, *Error) {
	wasm, err := p.module.Wasm()
	if err != nil {
		return nil, fail.New(KindWorker, "", "its code cannot be read: %v", err)
	}
	return wasm, nil
}

// Warm compiles the module into the cache unless it is there, in a process of its own that ends afterwards. Without a cache
// it only scans the code. When ctx ends, so does the compilation.
func (p *Plugin) Warm(ctx context.Context) error {
	if err := p.building(ctx); err != nil {
		return err
	}
	defer p.built()
	return p.twice(ctx, func() *Error {
		code, _, failure := p.compiled(ctx, nil)
		closeFile(code)
		return failure
	})
}

// Cached reports whether the module is in the cache, whole or not.
func (p *Plugin) Cached() bool {
	if p.cache == nil || p.building(context.Background()) != nil {
		return false
	}
	defer p.built()
	return p.cache.Exists()
}

// Interpret runs one export once, without input, in a process of its own that interprets the module instead of compiling it.
// Of a module that has yet to be compiled it has an answer in a fraction of the time that would take, though the guest runs
// some thirty times as slowly. limit bounds each of the steps, as the plugin's own limits do. A failure says little of the
// module, which may do better when it is compiled, and is no death of its worker.
func (p *Plugin) Interpret(ctx context.Context, export string, limit time.Duration) ([]byte, error) {
	if err := p.building(ctx); err != nil {
		return nil, err
	}
	defer p.built()
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
	w.MuteExit() // what it dies of may be its slowness alone
	defer context.AfterFunc(ctx, w.Stop)()
	s := p.settings()
	s.Interpret = true
	limits := p.cfg.Limits
	if failure := w.Load(s, wasm, min(limit, limits.Compile)); failure != nil {
		return nil, failure
	}
	if _, failure := w.NewInstance(min(limit, limits.Start), 0, 0); failure != nil {
		return nil, failure
	}
	a, failure := w.Call(min(limit, limits.Call), worker.Call{Export: export})
	return a.Output, failure
}

// NewInstance returns a fresh, initialised instance, in the worker that has the least to do. Equal seeds give equal random numbers.
// It starts a worker when none runs, or all that run are busy and there may be another, and compiles when the module is not in the cache. ctx bounds the wait for other calls and the compilation.
func (p *Plugin) NewInstance(ctx context.Context, seed uint64) (i *Instance, err error) {
	if failure := p.over(ctx, ""); failure != nil {
		return nil, p.named(failure)
	}
	l := p.choose()
	defer l.coming.Add(-1)
	if err := p.lock(ctx, l); err != nil {
		return nil, err
	}
	defer p.unlock(l)
	timing.Lap(ctx, timing.Wait)
	err = p.twice(ctx, func() (failure *Error) {
		i, failure = p.instantiate(ctx, l, seed)
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

func (p *Plugin) instantiate(ctx context.Context, l *lane, seed uint64) (*Instance, *Error) {
	w, failure := p.running(ctx, l)
	if failure != nil {
		return nil, failure
	}
	if failure := p.cfg.Workers.Full(); failure != nil {
		return nil, failure
	}
	if resident := p.resident(); resident > p.cfg.Limits.Resident/4*3 {
		return nil, fail.New(KindMemory, "", "its %s %d MiB; close a document", map[bool]string{false: "worker already holds", true: "workers already hold"}[len(p.lanes) > 1], resident>>20)
	}
	if failure := p.makeRoom(l, w); failure != nil {
		return nil, failure
	}
	p.mu.Lock()
	p.nextID++
	id := p.nextID
	p.mu.Unlock()
	var memory uint64
	failure = p.timed(ctx, p.cfg.Limits.Start, "", func(limit time.Duration) (failure *Error) {
		memory, failure = w.NewInstance(limit, id, seed)
		return failure
	})
	if failure != nil {
		if w.Dead() {
			p.died(w, failure)
			p.drop(w)
		}
		return nil, failure
	}
	i := &Instance{plugin: p, lane: l, worker: w, id: id}
	i.memory.Store(memory)
	p.mu.Lock()
	p.alive[id] = i
	l.alive++
	p.touch(i)
	p.mu.Unlock()
	return i, nil
}

// remove forgets an instance. The caller holds mu.
func (p *Plugin) remove(i *Instance) {
	if p.alive[i.id] == i {
		delete(p.alive, i.id)
		i.lane.alive--
	}
}

// touch notes that an instance is used now. The caller holds mu.
func (p *Plugin) touch(i *Instance) {
	p.uses++
	i.used = p.uses
}

// makeRoom closes the instances that were not used for longest until one more keeps within the limits: of their number, and of
// memory at half of what the workers may take. Those that wait for an answer, or are called this moment on another worker, stay.
func (p *Plugin) makeRoom(l *lane, w *worker.Process) *Error {
	for {
		p.mu.Lock()
		var oldest *Instance
		var memory uint64
		for _, i := range p.alive {
			memory += i.Memory()
			if i.asking.Load() || i.called {
				continue
			}
			if oldest == nil || i.used < oldest.used {
				oldest = i
			}
		}
		many := len(p.alive) >= p.MaxInstances()
		if oldest == nil || !many && memory <= p.cfg.Limits.Resident/2 {
			p.mu.Unlock()
			if many {
				return fail.New(KindCrowded, "", "all its %d instances wait for answers from outside; try again later", p.MaxInstances())
			}
			return nil
		}
		if oldest.lane != l {
			p.mu.Unlock()
			oldest.Close()
			continue
		}
		oldest.gone.Store(true)
		p.remove(oldest)
		p.mu.Unlock()
		if err := w.CloseInstance(oldest.id); err != nil {
			p.drop(w)
			return fail.New(KindLost, "", "its worker died: %v", err)
		}
	}
}

// running returns the worker of a lane, started and loaded when there was none.
func (p *Plugin) running(ctx context.Context, l *lane) (*worker.Process, *Error) {
	p.mu.Lock()
	w := l.worker
	p.mu.Unlock()
	if w != nil && !w.Dead() {
		return w, nil
	}
	p.drop(w)
	if failure := p.rested(ctx); failure != nil {
		return nil, failure
	}
	if err := p.building(ctx); err != nil {
		return nil, fail.New(KindLost, "", "%s", err)
	}
	defer p.built()
	for range 2 {
		code, wasm, failure := p.compiled(ctx, p.cfg.Compiling)
		if failure != nil {
			return nil, failure
		}
		w, failure = p.spawn(l, code, wasm)
		closeFile(code)
		if failure == nil || code == nil || failure.Kind != KindLoad {
			return w, failure
		}
		// Its native code is damaged, which the worker sees. An entry that was made a moment ago is not worth a failure either.
		p.cache.Discard(fmt.Errorf("it did not load: %s", failure.Message))
	}
	wasm, failure := p.read()
	if failure != nil {
		return nil, failure
	}
	return p.spawn(l, nil, wasm)
}

// closeFile closes a file of compiled code, if there is one. It was read, or is of no use.
func closeFile(f *os.File) {
	if f != nil {
		_ = f.Close()
	}
}

// start starts a process that Close will end. It gets code as its own, nil for none.
func (p *Plugin) start(code *os.File) (*worker.Process, *Error) {
	if failure := p.cfg.Workers.Full(); failure != nil {
		return nil, failure
	}
	w, failure := worker.Start(p.workerConfig(), code)
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
		w.Stop()
		return nil, errClosed()
	}
	return w, nil
}

// spawn starts a worker, makes it the lane's and loads the module: compiled, or without code from its bytes.
func (p *Plugin) spawn(l *lane, code *os.File, wasm []byte) (*worker.Process, *Error) {
	if code != nil {
		wasm = nil // the entry has what is needed of it
	}
	w, failure := p.start(code)
	if failure != nil {
		return nil, failure
	}
	p.mu.Lock()
	l.worker = w
	l.starts++
	p.mu.Unlock()
	if failure = w.Load(p.settings(), wasm, p.cfg.Limits.Compile); failure != nil {
		p.died(w, failure)
		p.drop(w)
		return nil, failure
	}
	return w, nil
}

func (p *Plugin) workerConfig() worker.Config {
	return worker.Config{Name: p.cfg.Name, Command: p.cfg.Command, Limits: p.cfg.Limits, All: p.cfg.Workers, Pool: p.pool, Log: p.cfg.Log}
}

func (p *Plugin) settings() worker.Settings {
	return worker.Settings{LogLevel: p.logLevel(), Require: p.cfg.Require}
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
		return nil, fail.New(KindLoad, "", "%s", err)
	}
	p.code = true
	return wasm, nil
}

// compiled returns the module's compiled code for a worker to load, made when there was none. Where there is none to use, it
// returns the module's bytes. The caller closes the code. compiling is as in Config.
func (p *Plugin) compiled(ctx context.Context, compiling func() (done func())) (code *os.File, wasm []byte, failure *Error) {
	if p.cache != nil {
		if code := p.cache.Open(); code != nil {
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
	code, err := p.cache.Begin(module.Skeleton(wasm))
	if err != nil {
		return without(err)
	}
	defer p.cache.Abandon(code)
	w, failure := p.start(code)
	if failure != nil {
		return nil, nil, failure
	}
	stop := context.AfterFunc(ctx, w.Stop)
	s := p.settings()
	s.Compile = true
	failure = w.Load(s, wasm, p.cfg.Limits.Compile)
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
			failure = fail.New(KindLoad, "", "the module does not compile: %s", failure.Message)
		}
		return nil, nil, failure
	}
	final, err := p.cache.Commit(code)
	if err != nil {
		return without(err)
	}
	return final, nil, nil
}

// drop forgets a worker and what lived in it, and ends it.
func (p *Plugin) drop(w *worker.Process) {
	if w == nil {
		return
	}
	w.Stop()
	p.mu.Lock()
	delete(p.procs, w)
	for _, l := range p.lanes {
		if l.worker == w {
			l.worker, l.ending, l.alive = nil, nil, 0
			maps.DeleteFunc(p.alive, func(_ uint32, i *Instance) bool { return i.worker == w })
		}
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
	// Whoever has a turn may be starting a process this moment: it will see that the plugin is closed.
	for _, l := range p.lanes {
		l.turn <- struct{}{}
		<-l.turn
	}
	p.build <- struct{}{}
	<-p.build
	return nil
}

// Rest ends the workers in which no instance lives, which gives their memory back; the next NewInstance starts another. It
// waits for running calls.
func (p *Plugin) Rest() {
	for _, l := range p.lanes {
		if p.lock(context.Background(), l) != nil {
			return // closed: there is no worker
		}
		p.mu.Lock()
		w, idle := l.worker, l.alive == 0
		p.mu.Unlock()
		if idle {
			p.drop(w)
		}
		p.unlock(l)
	}
}

// Retire has workers end from now on whenever no instance lives in them: another module took this one's place, and what still
// needs this one may use it on. It waits for nothing.
func (p *Plugin) Retire() {
	p.mu.Lock()
	p.retired = true
	p.mu.Unlock()
	for _, l := range p.lanes {
		p.settle(l)
	}
}

// Stats returns a snapshot. It never waits for a running call.
func (p *Plugin) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := Stats{Instances: len(p.alive), Deaths: len(p.deaths.times), Disabled: p.deaths.disabled}
	for _, l := range p.lanes {
		s.Restarts += max(l.starts-1, 0)
		if w := l.worker; w != nil && !w.Dead() {
			if s.Workers++; l.queue.Load() > 0 {
				s.Busy++
			}
			if s.PID == 0 {
				s.PID = w.PID()
			}
			s.Resident += w.Resident()
		}
	}
	return s
}

// building waits for the turn to compile, or scan, the module.
func (p *Plugin) building(ctx context.Context) error {
	return p.take(ctx, p.build)
}

func (p *Plugin) built() { <-p.build }

// take waits for a token. It is not given to a context that has ended.
func (p *Plugin) take(ctx context.Context, token chan struct{}) error {
	err := ctx.Err()
	if err == nil {
		select {
		case token <- struct{}{}:
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
		<-token
		return p.named(errClosed())
	}
	return nil
}

func errClosed() *Error { return fail.New(KindLost, "", "the plugin is closed") }

// named adds the plugin's name, and turns the absence of a failure into a nil error.
func (p *Plugin) named(e *Error) error {
	if e == nil {
		return nil
	}
	e.Plugin = p.cfg.Name
	return e
}
