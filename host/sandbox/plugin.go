package sandbox

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fcp-host/fcp-host/host/sandbox/internal/codecache"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/fail"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/worker"
)

// Config says what a plugin is and what it may use.
type Config struct {
	Name     string   // the plugin's name in errors and logs
	Wasm     []byte   // the module; it must not change while the Plugin lives
	Module   *Module  // the module, instead of Wasm, when it need not be read yet
	Command  []string // argv that starts a worker; nil for this binary with WorkerArg
	CacheDir string   // the folder of compiled modules, created when missing; "" for no cache
	Limits   Limits
	Workers  *Workers     // bounds the memory of all plugins' workers together; nil for no bound
	Require  Requirement  // the layers without which a worker does not load the module
	Log      *slog.Logger // nil discards the log

	// Interim says that the module is compiled in the background, at low priority, and interpreted meanwhile. Without it, NewInstance
	// waits for the compilation. Warm then compiles at low priority, too.
	Interim bool
	// Interpreted says that the module is only ever interpreted, to compare its answers with those of its compiled code.
	Interpreted bool
}

// Plugin is one module and the worker processes that run its instances: at most Limits.Parallel. A worker is started when it is first
// needed, and another one after its death. All methods may be called by many goroutines; the calls on one worker run one at a time, in
// the order in which they were made. An instance never leaves its worker.
type Plugin struct {
	cfg         Config
	module      *Module
	cache       *codecache.Entry // nil without one
	lanes       []*lane
	pool        *Workers      // bounds the memory of this plugin's workers together
	buildTurn   chan struct{} // holds a token while a goroutine compiles the module
	scanBodies  sync.Once
	scanFailure *Error      // of the function bodies; set by scanBodies
	interim     *lane       // of the worker that interprets; nil without Config.Interim
	compiled    atomic.Bool // whether compiled code is known to be there
	unfit       atomic.Bool // whether interpreting has failed
	now         func() time.Time
	done        chan struct{} // closed by Close

	mu        sync.Mutex                   // guards what follows and parts of lanes; never held while talking to a worker
	procs     map[*worker.Process]struct{} // all running processes, those that compile included
	closed    bool
	retired   bool                 // a worker ends as soon as it holds no instance
	nextID    uint32               // of instances
	instances map[uint32]*Instance // by number, those that workers hold
	useCount  uint64               // counts the uses of instances, to order them
	building  *build               // the last compilation in the background, nil for none
	lastMove  time.Time            // when an instance was last moved to another worker
	deaths    deaths
}

// Stats is a snapshot of a plugin for status lines and tests.
type Stats struct {
	PID       int    // of the first running worker; 0 when none runs
	Workers   int    // that run
	Busy      int    // workers with a running or waiting call
	Resident  uint64 // bytes that the workers have in RAM; 0 where it is not measured
	Instances int    // that workers hold
	Restarts  int    // workers started after one that died
	Deaths    int    // of workers, recently, caused by the plugin's own calls
	Disabled  bool   // after too many deaths
}

// NewPlugin returns a plugin and starts no process. Its errors are those of NewModule. Function bodies are scanned by Warm or NewInstance,
// when the module has to be compiled.
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
		e := fail.New(KindLoad, "", "it starts with %d MiB of memory; the limit is %d", m.Info.MemoryMin>>20, cfg.Limits.Memory>>20)
		e.Plugin = cfg.Name
		return nil, e
	}
	p := &Plugin{
		cfg:       cfg,
		module:    m,
		cache:     codecache.Open(cfg.CacheDir, m.Sum, cfg.Command, cfg.Log),
		pool:      NewWorkers(cfg.Limits.Resident),
		buildTurn: make(chan struct{}, 1),
		instances: map[uint32]*Instance{},
		procs:     map[*worker.Process]struct{}{},
		now:       time.Now,
		done:      make(chan struct{}),
	}
	for range cfg.Limits.Parallel {
		p.lanes = append(p.lanes, &lane{turn: make(chan struct{}, 1)})
	}
	if cfg.Interim {
		p.interim = &lane{turn: make(chan struct{}, 1)}
	}
	return p, nil
}

// Info describes the module.
func (p *Plugin) Info() Info { return p.module.Info }

// MaxInstances returns the largest number of instances at one time, in all workers.
func (p *Plugin) MaxInstances() int { return p.cfg.Limits.Instances * len(p.lanes) }

// Close kills the workers and waits for their end. Running calls and later ones fail with KindLost. Close returns nil.
func (p *Plugin) Close() error {
	p.mu.Lock()
	if !p.closed {
		close(p.done)
	}
	p.closed = true
	procs := slices.Collect(maps.Keys(p.procs))
	p.mu.Unlock()
	for _, w := range procs {
		p.dropWorker(w)
	}
	// A goroutine that has a turn may be starting a process right now. Wait until it has seen that the plugin is closed.
	for _, l := range p.allLanes() {
		l.turn <- struct{}{}
		<-l.turn
	}
	p.buildTurn <- struct{}{}
	<-p.buildTurn
	return nil
}

// EndIdleWorkers ends the workers that hold no instance, which frees their memory. It waits for running calls.
func (p *Plugin) EndIdleWorkers() {
	for _, l := range p.allLanes() {
		if p.lock(context.Background(), l) != nil {
			return // closed: there is no worker
		}
		p.mu.Lock()
		w, idle := l.worker, l.instances == 0
		p.mu.Unlock()
		if idle {
			p.dropWorker(w)
		}
		p.unlock(l)
	}
}

// Retire makes each worker end as soon as it holds no instance. It is for a plugin that another module replaces: existing instances, and
// new ones, keep working. It does not wait.
func (p *Plugin) Retire() {
	p.mu.Lock()
	p.retired = true
	p.mu.Unlock()
	for _, l := range p.allLanes() {
		p.tendWorker(l)
	}
}

// Stats returns a snapshot. It does not wait for running calls.
func (p *Plugin) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := Stats{Instances: len(p.instances), Deaths: len(p.deaths.times), Disabled: p.deaths.disabled}
	for _, l := range p.allLanes() {
		s.Restarts += max(l.starts-1, 0)
		if w := l.worker; w != nil && !w.Dead() {
			if s.Workers++; l.callers.Load() > 0 {
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

// acquire puts a token into a channel of one, when there is room. It fails when ctx has ended or the plugin is closed.
func (p *Plugin) acquire(ctx context.Context, token chan struct{}) error {
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
		return p.withName(errClosed())
	}
	return nil
}

// errClosed is the failure of every call after Close.
func errClosed() *Error { return fail.New(KindLost, "", "the plugin is closed") }

// withName adds the plugin's name to e and returns it as an error; nil for nil.
func (p *Plugin) withName(e *Error) error {
	if e == nil {
		return nil
	}
	e.Plugin = p.cfg.Name
	return e
}
