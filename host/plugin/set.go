package plugin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/sandbox"
)

// Set is what is found where Options say: modules that are served, modules that are not, and modules of which is not known yet
// what they serve. What is known changes in the background, by replacing an immutable state, so readers never wait.
//
// What serves is what a start would serve that found the same files: of several modules of one domain the first, in the order of
// Options. A file that is replaced is served as it was until its new content can take over without a call waiting for it, and for
// good where the new content cannot be served.
type Set struct {
	o        Options
	memory   memory
	compiler *compiler
	ctx      context.Context // ends with Close
	stop     context.CancelFunc
	work     sync.WaitGroup // of what is done for modules in the background
	watching sync.WaitGroup
	opened   chan struct{}
	state    atomic.Pointer[state]

	looking sync.Mutex // held while the files are looked at; never taken with mu
	doubts  map[string]doubt
	retry   atomic.Bool // what failed at an earlier start or look is tried again

	mu      sync.Mutex
	found   []*candidate        // in the order of Options
	served  []*candidate        // in that order
	loaded  map[*candidate]bool // those that are found, serve, or are kept by one of these
	retired []weak.Pointer[sandbox.Plugin]
	open    bool         // each module is served as soon as it is known
	told    bool         // opened is closed
	ask     []*candidate // to be interpreted for their manifests
	slow    []*candidate // to be compiled for their manifests
	ahead   []*candidate // to be compiled before the first call
	running [jobs]bool   // the goroutines that work on these

	watched   []string // see domain.Catalog
	unwatched string
}

// state is what is known at one moment. It is immutable.
type state struct {
	plugins  []*Plugin
	problems []Problem
	catalog  *domain.Catalog
	settled  bool          // what was found is served, or is known not to be
	next     chan struct{} // closed when another state replaces this one
}

// candidate is a module that was found. Set.mu guards what follows copied, and plugin once the set has it.
type candidate struct {
	path    string
	own     bool           // see finding
	pin     *Pinned        // see finding
	seen    files.Identity // of the file as it was read
	blurred bool           // it may have changed since and look the same
	sum     string         // sha256, hex, "" where nothing was read
	box     *sandbox.Plugin
	plugin  *Plugin // with a domain once that is known; nil for none
	limits  sandbox.Limits
	roots   *files.Roots // where its documents may lie; nil for the general roots

	copied  bool       // another one with the same bytes goes for it, or would if it were asked for
	was     *candidate // what its file held before and serves on while this one cannot
	ready   bool       // it is compiled
	awaited bool       // it serves once it is
	began   bool       // it served
	gone    bool       // it is not wanted any more
	err     error      // why it is not served
	passed  error      // why another one is served in its place
	told    string     // what was reported of these two
}

func (c *candidate) known() bool { return c.plugin != nil && c.plugin.Domain != nil }

func (c *candidate) pending() bool { return c.err == nil && !c.copied && !c.known() }

// standing is what can serve of a file: the candidate, or what was there before it. nil for neither.
func (c *candidate) standing() *candidate {
	for c != nil && (c.err != nil || !c.known()) {
		c = c.was
	}
	return c
}

// proven is what served of a file last, nil for nothing.
func (c *candidate) proven() *candidate {
	for c != nil && (c.err != nil || !c.began) {
		c = c.was
	}
	return c
}

func (c *candidate) domain() *domain.Domain { return c.plugin.Domain }

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
	s := &Set{o: o, memory: memory{cacheDir(o.CacheDir, "manifests"), o.Log}, compiler: newCompiler(), opened: make(chan struct{}),
		doubts: map[string]doubt{}, loaded: map[*candidate]bool{}}
	s.ctx, s.stop = context.WithCancel(context.Background())
	o.passedOver()
	s.retry.Store(o.Retry)
	s.look(true)
	s.work.Go(func() { s.openLate(late) })
	if o.Watch {
		s.watching.Go(s.watch)
	}
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
	return s.until(ctx, func(now *state) bool { return now.catalog.Pending == 0 || enough() })
}

func (s *Set) until(ctx context.Context, enough func(*state) bool) error {
	for {
		now := s.state.Load()
		if enough(now) {
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

// Rescan looks anew at where the modules come from, tries again what failed, and returns when the catalog says what was found.
func (s *Set) Rescan(ctx context.Context) error {
	s.retry.Store(true)
	s.look(true)
	return s.until(ctx, func(now *state) bool { return now.settled })
}

// Close ends every worker, and what is done in the background.
func (s *Set) Close() {
	s.stop()
	s.watching.Wait()
	s.mu.Lock()
	var boxes []*sandbox.Plugin
	for c := range s.loaded {
		boxes = append(boxes, c.box)
	}
	for _, w := range s.retired {
		boxes = append(boxes, w.Value())
	}
	s.mu.Unlock()
	for _, box := range boxes {
		if box != nil {
			box.Close()
		}
	}
	s.work.Wait()
}

// kick has goroutines work on what is queued. The caller holds mu.
func (s *Set) kick() {
	for i := range s.running {
		if !s.running[i] && s.ctx.Err() == nil && len(s.ask)+len(s.slow)+len(s.ahead) > 0 {
			s.running[i] = true
			s.work.Go(func() { s.run(i) })
		}
	}
}

// run works on what is queued, until nothing is. The first of the goroutines that do so takes modules that have to be
// compiled for their manifests before others, the rest takes them last: such a module may take a minute, and holds up one of
// them at most while there is something else to do.
func (s *Set) run(i int) {
	type queue struct {
		list *[]*candidate
		work func(*candidate)
	}
	queues := []queue{{&s.ask, s.interpret}, {&s.ahead, s.warm}, {&s.slow, s.compile}}
	if i == 0 {
		queues[1], queues[2] = queues[2], queues[1]
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.ctx.Err() == nil {
		i := slices.IndexFunc(queues, func(q queue) bool { return len(*q.list) > 0 })
		if i < 0 {
			break
		}
		c := (*queues[i].list)[0]
		*queues[i].list = (*queues[i].list)[1:]
		if c.gone {
			continue
		}
		s.mu.Unlock()
		queues[i].work(c)
		s.mu.Lock()
	}
	s.running[i] = false
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
	s.kick()
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
	s.mu.Lock()
	c.ready = true
	s.mu.Unlock()
	s.serve(c, raw, d)
}

// warm compiles a module that is served, or is to be, into the cache. One that does not compile is not served any longer.
func (s *Set) warm(c *candidate) {
	var err error
	if !c.box.Cached() {
		s.compiler.background(s.ctx, func(ctx context.Context) { err = c.box.Warm(ctx) })
	}
	if err != nil {
		s.refuse(c, fmt.Errorf("the module does not compile: %w", err))
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.ready = true; c.awaited && !c.gone {
		s.place()
		s.publish()
	}
}

// serve keeps the manifest of a module, and serves it as soon as its turn comes.
func (s *Set) serve(c *candidate, raw []byte, d *domain.Domain) {
	s.memory.put(c.sum+manifestFile, raw)
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.gone {
		return
	}
	s.bind(c, d)
	if s.open {
		s.place()
	}
	s.publish()
}

// bind completes a domain. The caller holds mu, or is the only one that knows c.
func (s *Set) bind(c *candidate, d *domain.Domain) {
	p := *c.plugin // readers may have the one without a domain
	d.Path, d.Build, d.Roots = p.Path, p.Sum, c.roots
	p.Domain = d
	c.plugin = &p
}

// refuse notes that a module cannot be served, and remembers it if the module is to blame.
func (s *Set) refuse(c *candidate, err error) {
	if s.ctx.Err() != nil {
		return
	}
	why := plain(err)
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.gone {
		return
	}
	if blamed(err) {
		s.memory.putFailure(c.sum, s.conditions(c), why.Error())
	}
	if c.err = why; s.open || c.began {
		s.place()
	}
	s.publish()
	s.retire(c) // a call that has it may still learn why it fails
}

// retire ends what runs of a module that is not wanted: at once, or with the last document where some may use it. The caller
// holds mu.
func (s *Set) retire(c *candidate) {
	if !c.began {
		c.box.Close()
		return
	}
	c.domain().Retire()
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
}

// place decides which of the known modules are served: of several with one domain, or with names much alike, the first. Where
// another one serves the domain until now, that goes on until this one is compiled. The caller holds mu.
func (s *Set) place() {
	before := map[string]*candidate{} // by domain
	for _, c := range s.served {
		before[c.domain().Name()] = c
	}
	var chosen []*candidate // what is served, or is to be
	s.served = nil
	for _, f := range s.found {
		f.passed = nil
		c := f.standing()
		if c == nil || f.copied {
			continue
		}
		if i := slices.IndexFunc(chosen, func(other *candidate) bool { return clash(other.domain(), c.domain()) }); i >= 0 {
			if c == f {
				f.passed, f.was = passed(c, chosen[i]), nil
			}
			continue
		}
		chosen = append(chosen, c)
		now := c
		if is := before[c.domain().Name()]; is != nil && is != c && !c.ready {
			now = is
			s.prepare(c)
		}
		now.was = nil
		s.served = append(s.served, now)
		s.begin(now)
	}
	s.clear()
}

// begin has a module serve. The caller holds mu.
func (s *Set) begin(c *candidate) {
	if c.began {
		return
	}
	c.began = true
	if d := c.domain(); s.o.World != nil { // nobody has the domain yet
		d.World, d.Requests, d.Stamp = s.o.World(c.plugin), s.o.Requests, s.o.Stamp
	}
	if s.o.CacheDir != "" && !s.o.Brief && !c.ready && !c.awaited {
		s.ahead = append(s.ahead, c)
		s.kick()
	}
}

// prepare compiles a module that is to take over. The caller holds mu.
func (s *Set) prepare(c *candidate) {
	if c.awaited {
		return
	}
	c.awaited = true
	s.ahead = append(s.ahead, c)
	s.kick()
}

// clear lets go of modules that nothing of the set needs any more. Documents may. The caller holds mu.
func (s *Set) clear() {
	wanted := map[*candidate]bool{}
	for _, c := range slices.Concat(s.found, s.served) {
		for ; c != nil; c = c.was {
			wanted[c] = true
		}
	}
	for c := range s.loaded {
		if wanted[c] {
			continue
		}
		delete(s.loaded, c)
		c.gone = true
		s.retire(c)
		s.retired = append(slices.DeleteFunc(s.retired, func(w weak.Pointer[sandbox.Plugin]) bool { return w.Value() == nil }), weak.Make(c.box))
	}
}

// clash reports whether of two domains one alone can be served.
func clash(a, b *domain.Domain) bool {
	return domain.Alike(a.Name(), b.Name()) || sharedScheme(a, b) != ""
}

// notServed begins what is reported of a module that another one is served for; lists say it of all that they name.
const notServed = "not served: "

// passed is why a module is not served that clashes with one before it.
func passed(c, by *candidate) error {
	own, name, at := c.domain().Name(), by.domain().Name(), reply.Line(by.path)
	switch scheme := sharedScheme(by.domain(), c.domain()); {
	case !domain.Alike(own, name):
		return fmt.Errorf(notServed+"its scheme %s: is that of the domain %s, which is served by %s and comes before it", scheme, name, at)
	case own == name:
		return fmt.Errorf(notServed+"the domain %s is served by %s, which comes before it", name, at)
	}
	return fmt.Errorf(notServed+"its domain %s is easily taken for %s, which is served by %s and comes before it", own, name, at)
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
	now := &state{catalog: &domain.Catalog{Watched: s.watched, Unwatched: s.unwatched}, next: make(chan struct{})}
	now.settled = !slices.ContainsFunc(s.found, func(f *candidate) bool {
		c := f.standing()
		return c != nil && c.awaited && !c.ready && !f.copied
	})
	for _, c := range s.served {
		now.plugins = append(now.plugins, c.plugin)
		now.catalog.Domains = append(now.catalog.Domains, c.domain())
	}
	for _, c := range s.found {
		absent := domain.Absent{Name: filepath.Base(c.path), Path: c.path, Build: c.sum}
		switch why := cmp.Or(c.err, c.passed); {
		case why != nil:
			if c.err != nil && c.was != nil {
				why = fmt.Errorf("%w; what was there before is still served", why)
			}
			p := Problem{c.path, why}
			now.problems = append(now.problems, p)
			if c.told != why.Error() && s.o.Report != nil {
				s.o.Report(p)
			}
			c.told = why.Error()
			absent.Why = strings.TrimPrefix(why.Error(), notServed)
		case c.pending():
			now.catalog.Pending++
			now.settled = false
			absent.Later = true
			absent.Why = "it was not yet asked what it serves; its tools come later"
			if c.was != nil {
				absent.Why = "it was replaced, and the new one was not yet asked what it serves; the one before serves until then"
			}
		default:
			continue
		}
		now.catalog.Absent = append(now.catalog.Absent, absent)
	}
	now.catalog.Next = now.next
	if before := s.state.Swap(now); before != nil {
		close(before.next)
	}
	if s.open && !s.told { // who waits for it reads the state
		s.told = true
		close(s.opened)
	}
}
