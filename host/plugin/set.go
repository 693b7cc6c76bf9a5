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

	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/sandbox"
)

// Set holds the modules that Options lead to: those that are served, those that are not, and those whose manifests are
// not known yet. Its knowledge changes in the background, by replacing an immutable state, so readers never wait.
//
// A Set serves what a start with the same files would serve: of several modules of one domain the first, in the order
// of Options. When a file is replaced, its old content is served until the new one can take over without making a call
// wait; if the new one cannot be served, the old one stays.
type Set struct {
	o        Options
	memory   memory
	ctx      context.Context // done after Close
	stop     context.CancelFunc
	work     sync.WaitGroup // the background work
	watching sync.WaitGroup
	opened   chan struct{}
	state    atomic.Pointer[state]

	looking sync.Mutex // held during a look; never acquired while mu is held
	doubts  map[string]doubt
	retry   atomic.Bool // the next look tries again what failed before

	mu      sync.Mutex
	found   []*candidate        // in the order of Options
	served  []*candidate        // in the same order
	loaded  map[*candidate]bool // every candidate that is found, is served, or is the fallback of one of these
	retired []weak.Pointer[sandbox.Plugin]
	open    bool         // each module is served once its manifest is known
	told    bool         // the channel opened is closed
	ask     []*candidate // candidates to interpret for their manifests
	slow    []*candidate // candidates to compile for their manifests
	ahead   []*candidate // candidates to compile before the first call
	later   []*candidate // candidates that join ahead when started; nil from then on
	started bool         // since Start, Options.HeadStart has passed
	running [jobs]bool   // which worker goroutines run

	watched   []string // see domain.Catalog
	unwatched string
}

// DefaultWait is how long after Start a client waits for the manifests of all new modules, unless some of them must be
// compiled for it first. It is no shorter, since on a busy machine a second of work takes many seconds.
const DefaultWait = 30 * time.Second

// Start finds and reads all modules. It returns when those with known manifests are served, and asks the others in the
// background: those that answer within Options.Wait are served together, in the order of Options, the rest as they
// answer. A broken module becomes a Problem, and so does one whose domain another one serves. A second copy of a module
// is ignored silently.
func Start(o Options) *Set { return start(o, time.After(o.withDefaults().Wait)) }

func start(o Options, late <-chan time.Time) *Set {
	o = o.withDefaults()
	s := &Set{o: o, memory: memory{cacheDir(o.CacheDir, "manifests"), o.Log}, opened: make(chan struct{}),
		doubts: map[string]doubt{}, loaded: map[*candidate]bool{}, started: o.HeadStart == 0}
	s.ctx, s.stop = context.WithCancel(context.Background())
	o.warnPassedOver()
	s.retry.Store(o.Retry)
	s.look(true)
	s.work.Go(func() { s.openLate(late) })
	if o.HeadStart > 0 {
		time.AfterFunc(o.HeadStart, s.endHeadStart)
	}
	if o.Watch {
		s.watching.Go(s.watch)
	}
	return s
}

// Load is like Start, but waits until no module is pending or ctx is done.
func Load(ctx context.Context, o Options) (*Set, error) {
	s := Start(o)
	if err := s.Until(ctx, func() bool { return false }); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Until waits until enough returns true or no module is pending. It returns ctx's error if ctx is done first.
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

// Plugins lists the served plugins in the order of Options.
func (s *Set) Plugins() []*Plugin { return s.state.Load().plugins }

// Problems lists the modules that are not served, in the order of Options.
func (s *Set) Problems() []Problem { return s.state.Load().problems }

// Catalog returns what sessions need to know of the set.
func (s *Set) Catalog() *domain.Catalog { return s.state.Load().catalog }

// Opened returns a channel that is closed when no module is pending but those that must be compiled for their manifests,
// or after Options.Wait.
func (s *Set) Opened() <-chan struct{} { return s.opened }

// Close ends all workers and the background work.
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

// serve caches the manifest of a module and serves the module when its turn comes.
func (s *Set) serve(c *candidate, raw []byte, d *domain.Domain) {
	s.memory.put(c.sum+manifestFile, raw)
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.gone {
		return
	}
	s.bind(c, d)
	if s.open {
		s.choose()
	}
	s.publish()
}

// bind completes a domain. The caller holds mu, or has the only reference to c.
func (s *Set) bind(c *candidate, d *domain.Domain) {
	p := *c.plugin // readers may hold the plugin without a domain
	d.Path, d.Build, d.Roots = p.Path, p.Sum, c.roots
	p.Domain = d
	c.plugin = &p
}

// refuse records that a module cannot be served, and caches it if the module itself is the cause.
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
	if isModuleFault(err) {
		s.memory.putFailure(c.sum, s.conditions(c), why.Error())
	}
	if c.err = why; s.open || c.began {
		s.choose()
	}
	s.publish()
	s.retire(c) // a call that uses it may still learn why it fails
}

// retire ends the workers of a module that is no longer needed: at once, or after its last document if there may be
// some. The caller holds mu.
func (s *Set) retire(c *candidate) {
	if !c.began {
		c.box.Close()
		return
	}
	c.domain().Retire()
}

func (s *Set) conditions(c *candidate) string { return conditions(c.limits, s.o.require(c.path)) }

// isModuleFault reports whether the module itself caused a failure, so that it would recur at the next start.
func isModuleFault(err error) bool {
	if e, ok := errors.AsType[*sandbox.Error](err); ok {
		return !slices.Contains([]sandbox.Kind{sandbox.KindLost, sandbox.KindWorker, sandbox.KindDisabled, sandbox.KindCrowded, sandbox.KindStalled}, e.Kind)
	}
	return !errors.Is(err, context.Canceled)
}

// openLate opens the set when late fires, unless it is open already.
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

// openNow serves what became known meanwhile. The caller holds mu and publishes afterwards.
func (s *Set) openNow() {
	if s.open {
		return
	}
	s.open = true
	s.choose()
}

// choose decides which modules are served: of several with one domain, or with similar names, the first. If another one
// has served the domain so far, it goes on until the new one is compiled. The caller holds mu.
func (s *Set) choose() {
	before := map[string]*candidate{} // by domain
	for _, c := range s.served {
		before[c.domain().Name()] = c
	}
	var chosen []*candidate // served now, or once compiled
	s.served = nil
	for _, f := range s.found {
		f.passed = nil
		c := f.servable()
		if c == nil || f.copied {
			continue
		}
		if i := slices.IndexFunc(chosen, func(other *candidate) bool { return clash(other.domain(), c.domain()) }); i >= 0 {
			if c == f {
				f.passed, f.was = clashError(c, chosen[i]), nil
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

// begin starts serving a module. The caller holds mu.
func (s *Set) begin(c *candidate) {
	if c.began {
		return
	}
	c.began = true
	if d := c.domain(); s.o.World != nil { // the domain is not published yet
		d.World, d.Requests, d.Stamp = s.o.World(c.plugin), s.o.Requests, s.o.Stamp
	}
	if s.o.CacheDir != "" && !s.o.Brief && !c.ready && !c.awaited {
		s.compileAhead(c)
	}
}

// prepare queues a module for compiling, since it is to take over. The caller holds mu.
func (s *Set) prepare(c *candidate) {
	if c.awaited {
		return
	}
	c.awaited = true
	s.ahead = append(s.ahead, c)
	s.startJobs()
}

// clear drops modules that the set no longer needs; documents may still use them. The caller holds mu.
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

// clash reports whether only one of two domains can be served.
func clash(a, b *domain.Domain) bool {
	return domain.Alike(a.Name(), b.Name()) || sharedScheme(a, b) != ""
}

// notServed is the prefix of a Problem of a module that lost to another one. Lists that have a column for it remove it.
const notServed = "not served: "

// clashError explains why c is not served: it clashes with by, which comes first.
func clashError(c, by *candidate) error {
	own, name, at := c.domain().Name(), by.domain().Name(), reply.Line(by.path)
	switch scheme := sharedScheme(by.domain(), c.domain()); {
	case !domain.Alike(own, name):
		return fmt.Errorf(notServed+"its scheme %s: is that of the domain %s, which is served by %s and comes before it", scheme, name, at)
	case own == name:
		return fmt.Errorf(notServed+"the domain %s is served by %s, which comes before it", name, at)
	}
	return fmt.Errorf(notServed+"its domain %s is easily taken for %s, which is served by %s and comes before it", own, name, at)
}

// sharedScheme returns a scheme of remote documents that both domains have, or "".
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
	if !s.open && !slices.ContainsFunc(s.found, func(c *candidate) bool { return c.pending() && !c.slow }) {
		s.openNow()
	}
	now := &state{catalog: &domain.Catalog{Watched: s.watched, Unwatched: s.unwatched}, next: make(chan struct{})}
	now.settled = !slices.ContainsFunc(s.found, func(f *candidate) bool {
		c := f.servable()
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
				why = fmt.Errorf("%w; the previous version is still served", why)
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
			absent.Why = "it was not yet asked for its manifest; its tools are added later"
			if c.was != nil {
				absent.Why = "it was replaced, and the new one was not yet asked for its manifest; the old one is served until then"
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
	if s.open && !s.told { // after the state is stored: whoever waits for the channel reads it
		s.told = true
		close(s.opened)
	}
}
