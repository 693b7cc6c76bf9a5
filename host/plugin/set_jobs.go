package plugin

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/sandbox"
)

// jobs is how many modules are interpreted or compiled at once in the background.
const jobs = 2

// startJobs starts goroutines for queued work. The caller holds mu.
func (s *Set) startJobs() {
	for i := range s.running {
		if !s.running[i] && s.ctx.Err() == nil && len(s.ask)+len(s.slow)+len(s.ahead) > 0 {
			s.running[i] = true
			s.work.Go(func() { s.run(i) })
		}
	}
}

// run does queued work until there is none. The first goroutine prefers modules that must be compiled for their
// manifests, the others take those last: compiling may take a minute, and so it blocks at most one goroutine while
// there is other work.
func (s *Set) run(i int) {
	type queue struct {
		list *[]*candidate
		work func(*candidate)
	}
	queues := []queue{{&s.ask, s.interpret}, {&s.ahead, s.precompile}, {&s.slow, s.compile}}
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

// interpretFor limits the processor time of each step of interpreting a module for its manifest; after that the module is
// compiled instead.
var interpretFor = 2 * time.Second

// interpret reads the manifest of a new module by interpreting it. If that fails, the module is compiled for it; compiled
// code would give no other manifest.
func (s *Set) interpret(c *candidate) {
	raw, err := c.box.Interpret(s.ctx, abi.ExportManifest, interpretFor)
	if err == nil {
		if d, err := describe(raw, c.box); err != nil {
			s.refuse(c, err)
		} else {
			s.serve(c, raw, d)
		}
		return
	}
	s.o.Log.Debug("compiling a module for its manifest", "plugin", filepath.Base(c.path), "error", err)
	s.mu.Lock()
	defer s.mu.Unlock()
	c.slow = true
	s.slow = append(s.slow, c)
	s.startJobs()
	s.publish()
}

// compile compiles a module for its manifest. With a cache, it ends the worker afterwards.
func (s *Set) compile(c *candidate) {
	err := c.box.Warm(s.ctx)
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
		c.box.EndIdleWorkers()
	}
	s.mu.Lock()
	c.ready = true
	s.mu.Unlock()
	s.serve(c, raw, d)
}

// compileAhead queues a module for compiling before its first call. The caller holds mu.
func (s *Set) compileAhead(c *candidate) {
	if !s.started {
		s.later = append(s.later, c)
		return
	}
	s.ahead = append(s.ahead, c)
	s.startJobs()
}

// endHeadStart begins to compile modules ahead.
func (s *Set) endHeadStart() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.started = true
	s.ahead = append(s.ahead, s.later...)
	s.later = nil
	s.startJobs()
}

// precompile compiles a module that is served, or is to be, into the cache. If that fails for another reason than time, the module is no
// longer served.
func (s *Set) precompile(c *candidate) {
	err := c.box.Warm(s.ctx)
	switch {
	case err == nil:
	case isModuleFault(err) && !sandbox.TooSlow(err) || s.ctx.Err() != nil:
		s.refuse(c, fmt.Errorf("the module does not compile: %w", err))
		return
	default:
		s.o.Log.Warn("a plugin is interpreted, about 30 times slower, since it could not be compiled", "plugin", filepath.Base(c.path), "why", plain(err))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.ready = true; c.awaited && !c.gone {
		s.choose()
		s.publish()
	}
}

// Rescan looks for modules again, retries what failed, and returns when the catalog shows the result.
func (s *Set) Rescan(ctx context.Context) error {
	s.retry.Store(true)
	s.look(true)
	s.mu.Lock()
	for _, c := range s.served {
		if c.box.Uncompiled() != "" {
			s.ahead = append(s.ahead, c)
		}
	}
	s.startJobs()
	s.mu.Unlock()
	return s.until(ctx, func(now *state) bool { return now.settled })
}
