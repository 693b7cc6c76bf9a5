package plugin

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/fcp-host/fcp-host/host/sandbox"
)

// compiler lets a call that waits for its module to be compiled go before
// modules that are compiled ahead of any call.
type compiler struct {
	mu    sync.Mutex
	free  sync.Cond          // told when the last call that waits has its module
	calls int                // that wait for their modules
	stop  context.CancelFunc // of the module that is compiled ahead; nil for none
}

func newCompiler() *compiler {
	c := &compiler{}
	c.free.L = &c.mu
	return c
}

// forCall notes that a module is compiled for a call, which takes the processors
// from what is compiled ahead. done is called when it is over.
func (c *compiler) forCall() (done func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls++
	if c.stop != nil {
		c.stop()
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.calls--; c.calls == 0 {
			c.free.Broadcast()
		}
	}
}

// ahead runs compile when no call waits. The context ends when one comes: then
// ahead reports false, and compile has to run again.
func (c *compiler) ahead(compile func(context.Context)) (finished bool) {
	c.mu.Lock()
	for c.calls > 0 {
		c.free.Wait()
	}
	ctx, stop := context.WithCancel(context.Background())
	c.stop = stop
	c.mu.Unlock()
	compile(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	finished = ctx.Err() == nil
	stop()
	c.stop = nil
	return finished
}

// compile fills the cache with what is not in it yet, one module after the
// other, while the client reads what there is. A call that comes earlier
// compiles for itself, and alone.
func (s *Set) compile(log *slog.Logger) {
	for _, p := range s.Plugins {
		box := p.Domain.Plugin()
		for finished := false; !finished && !box.Cached(); {
			var err error
			finished = s.compiler.ahead(func(ctx context.Context) { err = box.Warm(ctx) })
			var e *sandbox.Error
			if finished && err != nil && !(errors.As(err, &e) && e.Kind == sandbox.KindLost) { // lost: it was closed
				log.Warn("a plugin does not compile: its tools will fail", "plugin", p.Path, "error", plain(err))
			}
		}
	}
}
