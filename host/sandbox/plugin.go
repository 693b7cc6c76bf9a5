package sandbox

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/fcp-host/fcp-host/host/sandbox/internal/codecache"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/fail"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/worker"
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
	cfg           Config
	module        *Module
	cache         *codecache.Entry // nil without one
	lanes         []*lane
	pool          *Workers      // what the workers of this plugin take together
	buildTurn     chan struct{} // holds a token while somebody compiles or scans the module
	bodiesScanned bool          // whether the function bodies were scanned; belongs to who builds
	now           func() time.Time
	done          chan struct{} // closed by Close

	mu        sync.Mutex                   // guards what follows, and parts of lanes; never held while talking to a worker
	procs     map[*worker.Process]struct{} // every process that lives, a compiling one too
	closed    bool
	retired   bool                 // a worker ends as soon as no instance lives in it
	nextID    uint32               // of instances
	instances map[uint32]*Instance // the instances that workers hold
	useCount  uint64               // of instances, for their order
	lastMove  time.Time            // when an instance was last told to move
	deaths    deaths
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
	return p, nil
}

// Info returns what Scan found.
func (p *Plugin) Info() Info { return p.module.Info }

// MaxInstances is how many instances live at once, in all workers that there may be.
func (p *Plugin) MaxInstances() int { return p.cfg.Limits.Instances * len(p.lanes) }

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
		p.dropWorker(w)
	}
	// Whoever has a turn may be starting a process this moment: it will see that the plugin is closed.
	for _, l := range p.lanes {
		l.turn <- struct{}{}
		<-l.turn
	}
	p.buildTurn <- struct{}{}
	<-p.buildTurn
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
		w, idle := l.worker, l.instances == 0
		p.mu.Unlock()
		if idle {
			p.dropWorker(w)
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
		p.tendWorker(l)
	}
}

// Stats returns a snapshot. It never waits for a running call.
func (p *Plugin) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := Stats{Instances: len(p.instances), Deaths: len(p.deaths.times), Disabled: p.deaths.disabled}
	for _, l := range p.lanes {
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

// take waits for a token. It is not given to a context that has ended.
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

func errClosed() *Error { return fail.New(KindLost, "", "the plugin is closed") }

// named adds the plugin's name, and turns the absence of a failure into a nil error.
func (p *Plugin) withName(e *Error) error {
	if e == nil {
		return nil
	}
	e.Plugin = p.cfg.Name
	return e
}
