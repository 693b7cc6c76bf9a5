package plugin

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/sandbox"
)

// Set is what Start found: modules that are served, modules that are not, and modules of which is not known yet what they
// serve. What is known changes in the background, by replacing an immutable state, so readers never wait.
type Set struct {
	o        Options
	memory   memory
	compiler *compiler
	ctx      context.Context // ends with Close
	stop     context.CancelFunc
	work     sync.WaitGroup // of the goroutines below
	opened   chan struct{}
	state    atomic.Pointer[state]

	mu    sync.Mutex
	found []*candidate // in the order of Options
	open  bool         // each module is served as soon as it is known
	told  bool         // opened is closed
	ask   []*candidate // to be interpreted for their manifests
	slow  []*candidate // to be compiled for their manifests
	ahead []*candidate // to be compiled before the first call
	busy  int          // goroutines that work on one of these
	more  sync.Cond    // signalled when there may be more to do, or nothing any more
	done  bool         // nothing changes any more
}

// state is what is known at one moment. It is immutable.
type state struct {
	plugins  []*Plugin
	problems []Problem
	catalog  *domain.Catalog
	next     chan struct{} // closed when another state replaces this one
}

// candidate is a module on its way to be served. Set.mu guards what follows path.
type candidate struct {
	path   string
	own    bool    // see finding
	pin    *Pinned // see finding
	box    *sandbox.Plugin
	plugin *Plugin // with a domain once that is known; nil for none
	limits sandbox.Limits
	served bool
	copied bool  // another one with the same bytes goes for it, or would if it were asked for
	err    error // why it is not served
	told   bool  // err was reported
}

func (c *candidate) known() bool { return c.plugin != nil && c.plugin.Domain != nil }

func (c *candidate) pending() bool { return c.err == nil && !c.copied && !c.known() }

// jobs is how many modules are interpreted or compiled at once in the background.
const jobs = 2

// DefaultWait is how long a client waits for the manifests of new modules, all together, since Start.
const DefaultWait = 2 * time.Second

// Start finds and reads every module, and returns when those are served whose manifests are known. It asks the others in the
// background: they are served later, those that are known within Options.Wait all together, in the order of Options. A module
// that is broken becomes a Problem and the others are served. So does one whose domain another one serves; the same module is
// served once without a word.
func Start(o Options) *Set { return start(o, time.After(o.withDefaults().Wait)) }

func start(o Options, late <-chan time.Time) *Set {
	o = o.withDefaults()
	s := &Set{o: o, memory: memory{cacheDir(o.CacheDir, "manifests"), o.Log}, compiler: newCompiler(), opened: make(chan struct{})}
	s.more.L = &s.mu
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.identify()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.found {
		switch {
		case c.pending() && o.CacheDir != "" && !c.box.Cached():
			s.ask = append(s.ask, c)
		case c.pending():
			s.slow = append(s.slow, c)
		}
	}
	s.place()
	s.publish()
	for i := range jobs {
		s.work.Go(func() { s.run(i == 0) })
	}
	s.work.Go(func() { s.openLate(late) })
	return s
}

// Load is Start for those who need to know everything: it waits until no module is pending, or ctx is done.
func Load(ctx context.Context, o Options) (*Set, error) {
	s := Start(o)
	if err := s.Until(ctx, func() bool { return false }); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Until waits until what is known is enough, no module is pending, or ctx is done, which is an error.
func (s *Set) Until(ctx context.Context, enough func() bool) error {
	for {
		now := s.state.Load()
		if now.catalog.Pending == 0 || enough() {
			return nil
		}
		select {
		case <-now.next:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Plugins lists what is served, in the order of Options.
func (s *Set) Plugins() []*Plugin { return s.state.Load().plugins }

// Problems lists what is not served, in the order of Options.
func (s *Set) Problems() []Problem { return s.state.Load().problems }

// Catalog is what sessions need to know of the set.
func (s *Set) Catalog() *domain.Catalog { return s.state.Load().catalog }

// Opened returns a channel that is closed when no module is pending, or after Options.Wait.
func (s *Set) Opened() <-chan struct{} { return s.opened }

// Close ends every worker, and what is done in the background.
func (s *Set) Close() {
	s.stop()
	s.mu.Lock()
	s.more.Broadcast()
	s.mu.Unlock()
	for _, c := range s.found {
		if c.box != nil {
			c.box.Close()
		}
	}
	s.work.Wait()
}

// identify reads the modules and looks up what is known of them.
func (s *Set) identify() {
	reading := make(chan struct{}, runtime.GOMAXPROCS(0))
	var read sync.WaitGroup
	for _, f := range find(s.o) {
		c := &candidate{path: f.path, own: f.own, pin: f.pin, err: f.err}
		s.found = append(s.found, c)
		if c.err == nil {
			read.Go(func() {
				reading <- struct{}{}
				defer func() { <-reading }()
				c.err = s.read(c)
			})
		}
	}
	read.Wait()
	first, unasked := map[string]bool{}, map[string]bool{} // by sha256
	for i := range s.o.Library.Builtin {
		b := &s.o.Library.Builtin[i]
		unasked[hex.EncodeToString(b.Module.Sum[:])] = s.o.unasked(b)
	}
	for _, c := range s.found {
		if c.err != nil {
			continue
		}
		c.copied = first[c.plugin.Sum] || c.own && unasked[c.plugin.Sum]
		first[c.plugin.Sum] = true
	}
}

// run works on what is queued, until all is done. The patient one of the goroutines that do so takes modules that have to be
// compiled for their manifests before others, the rest takes them last: such a module may take a minute, and holds up one of
// them at most while there is something else to do.
func (s *Set) run(patient bool) {
	type queue struct {
		list *[]*candidate
		work func(*candidate)
	}
	queues := []queue{{&s.ask, s.interpret}, {&s.ahead, s.warm}, {&s.slow, s.compile}}
	if patient {
		queues[1], queues[2] = queues[2], queues[1]
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.ctx.Err() == nil {
		i := slices.IndexFunc(queues, func(q queue) bool { return len(*q.list) > 0 })
		if i < 0 {
			if s.busy == 0 && s.open {
				break
			}
			s.more.Wait()
			continue
		}
		c := (*queues[i].list)[0]
		*queues[i].list = (*queues[i].list)[1:]
		s.busy++
		s.mu.Unlock()
		queues[i].work(c)
		s.mu.Lock()
		s.busy--
		s.more.Broadcast()
	}
	if !s.done {
		s.done = true
		s.publish()
	}
}

// interpretFor bounds each step of interpreting a module for its manifest, before it is compiled for that.
var interpretFor = 2 * time.Second

// interpret asks a module that was never compiled for its manifest. Where that does not work, it is compiled to learn more.
func (s *Set) interpret(c *candidate) {
	raw, err := c.box.Interpret(s.ctx, abi.ExportManifest, interpretFor)
	var d *domain.Domain
	if err == nil {
		d, err = describe(raw, c.box)
	}
	if err == nil {
		s.serve(c, raw, d)
		return
	}
	s.o.Log.Debug("a module is compiled to learn what it says of itself", "plugin", filepath.Base(c.path), "error", err)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.slow = append(s.slow, c)
}

// compile compiles a module for its manifest. With a cache, the worker it takes is let go again.
func (s *Set) compile(c *candidate) {
	var err error
	s.compiler.background(s.ctx, func(ctx context.Context) { err = c.box.Warm(ctx) })
	var raw []byte
	if err == nil {
		raw, err = domain.EncodedManifest(s.ctx, c.box)
	}
	var d *domain.Domain
	if err == nil {
		d, err = describe(raw, c.box)
	}
	if err != nil {
		s.refuse(c, err)
		return
	}
	if s.o.CacheDir != "" {
		c.box.Rest()
	}
	s.serve(c, raw, d)
}

// warm compiles a module that is served into the cache. One that does not compile is not served any longer.
func (s *Set) warm(c *candidate) {
	if c.box.Cached() {
		return
	}
	var err error
	s.compiler.background(s.ctx, func(ctx context.Context) { err = c.box.Warm(ctx) })
	if err != nil {
		s.refuse(c, fmt.Errorf("the module does not compile: %w", err))
	}
}

// serve keeps the manifest of a module, and serves it as soon as its turn comes.
func (s *Set) serve(c *candidate, raw []byte, d *domain.Domain) {
	s.memory.put(c.plugin.Sum+manifestFile, raw)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bind(c, d)
	if s.open {
		s.place()
	}
	s.publish()
}

// bind completes a domain. The caller holds mu, or is the only one that knows c.
func (s *Set) bind(c *candidate, d *domain.Domain) {
	p := *c.plugin // readers may have the one without a domain
	d.Build, d.Roots = p.Sum, s.o.Grants[Real(c.path)].Roots
	p.Domain = d
	c.plugin = &p
}

// refuse notes that a module cannot be served, and remembers it if the module is to blame.
func (s *Set) refuse(c *candidate, err error) {
	if s.ctx.Err() != nil {
		return
	}
	why := plain(err)
	if blamed(err) {
		s.memory.putFailure(c.plugin.Sum, s.conditions(c), why.Error())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !c.served { // else a call may still learn why it fails
		defer c.box.Close()
	}
	c.err, c.served = why, false
	s.publish()
}

func (s *Set) conditions(c *candidate) string { return conditions(c.limits, s.o.require(c.path)) }

// blamed reports whether a failure is the module's own, and would be the same at the next start.
func blamed(err error) bool {
	var e *sandbox.Error
	if errors.As(err, &e) {
		return !slices.Contains([]sandbox.Kind{sandbox.KindLost, sandbox.KindWorker, sandbox.KindDisabled, sandbox.KindCrowded}, e.Kind)
	}
	return !errors.Is(err, context.Canceled)
}

// openLate opens the set when late fires, unless it was opened before.
func (s *Set) openLate(late <-chan time.Time) {
	select {
	case <-s.opened:
		return
	case <-s.ctx.Done():
	case <-late:
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.openNow()
	s.publish()
}

// openNow serves what became known meanwhile, once it is published. The caller holds mu.
func (s *Set) openNow() {
	if s.open {
		return
	}
	s.open = true
	s.place()
	s.more.Broadcast()
}

// place decides which of the known modules are served: of several with one domain, or with names much alike, the one that is served already, else the
// first. The caller holds mu.
func (s *Set) place() {
	for i, c := range s.found {
		if !c.known() || c.served || c.copied || c.err != nil {
			continue
		}
		k := slices.IndexFunc(s.found, func(other *candidate) bool {
			return other.served && (domain.Alike(other.plugin.Domain.Name(), c.plugin.Domain.Name()) || sharedScheme(other.plugin.Domain, c.plugin.Domain) != "")
		})
		if k < 0 {
			c.served = true
			if d := c.plugin.Domain; s.o.World != nil { // nobody has the domain yet
				d.World, d.Requests, d.Stamp = s.o.World(c.plugin), s.o.Requests, s.o.Stamp
			}
			if s.o.CacheDir != "" {
				s.ahead = append(s.ahead, c)
				s.more.Broadcast()
			}
			continue
		}
		own, name, by := c.plugin.Domain.Name(), s.found[k].plugin.Domain.Name(), reply.Line(s.found[k].path)
		why, when := "comes before it", "not served"
		if k > i {
			why, when = "was known sooner", "not served before the next start"
		}
		scheme := sharedScheme(s.found[k].plugin.Domain, c.plugin.Domain)
		if !domain.Alike(own, name) {
			c.err = fmt.Errorf("%s: its scheme %s: is that of the domain %s, which is served by %s and %s", when, scheme, name, by, why)
		} else if own == name {
			c.err = fmt.Errorf("%s: the domain %s is served by %s, which %s", when, name, by, why)
		} else {
			c.err = fmt.Errorf("%s: its domain %s is easily taken for %s, which is served by %s and %s", when, own, name, by, why)
		}
		c.box.Close()
	}
}

// sharedScheme is a scheme of remote documents that two domains have, "" for none.
func sharedScheme(a, b *domain.Domain) string {
	for _, s := range a.Manifest.Schemes {
		if slices.Contains(b.Manifest.Schemes, s) {
			return s
		}
	}
	return ""
}

// publish replaces the state. The caller holds mu.
func (s *Set) publish() {
	if !s.open && !slices.ContainsFunc(s.found, (*candidate).pending) {
		s.openNow()
	}
	now := &state{catalog: &domain.Catalog{}, next: make(chan struct{})}
	for _, c := range s.found {
		absent := domain.Absent{Name: filepath.Base(c.path)}
		switch {
		case c.served:
			now.plugins = append(now.plugins, c.plugin)
			now.catalog.Domains = append(now.catalog.Domains, c.plugin.Domain)
			continue
		case c.err != nil:
			p := Problem{c.path, c.err}
			now.problems = append(now.problems, p)
			if !c.told && s.o.Report != nil {
				s.o.Report(p)
			}
			c.told = true
			absent.Why = c.err.Error()
		case c.copied:
			continue
		default:
			now.catalog.Pending++
			absent.Later = true
			absent.Why = "it was not yet asked what it serves; its tools come later"
		}
		now.catalog.Absent = append(now.catalog.Absent, absent)
	}
	if !s.done {
		now.catalog.Next = now.next
	}
	if before := s.state.Swap(now); before != nil {
		close(before.next)
	}
	if s.open && !s.told { // who waits for it reads the state
		s.told = true
		close(s.opened)
	}
}
