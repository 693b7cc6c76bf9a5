package plugin

import (
	"context"
	"sync"
)

// compiler gives modules that a call waits for precedence over modules that are compiled in the background.
type compiler struct {
	mu      sync.Mutex
	idle    sync.Cond                  // signalled when no call waits for its module anymore
	calls   int                        // calls that wait for their modules
	running map[int]context.CancelFunc // background compilations, by number
	started int                        // number of the last background compilation
}

func newCompiler() *compiler {
	c := &compiler{running: map[int]context.CancelFunc{}}
	c.idle.L = &c.mu
	return c
}

// forCall records that a module is compiled for a call, and cancels the background compilations. The caller calls done
// when the module is compiled.
func (c *compiler) forCall() (done func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls++
	for _, stop := range c.running {
		stop()
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.calls--; c.calls == 0 {
			c.idle.Broadcast()
		}
	}
}

// background runs compile while no call waits for a module. Such a call cancels compile's context; afterwards compile
// runs again, until one run was not cancelled or ctx is done.
func (c *compiler) background(ctx context.Context, compile func(context.Context)) {
	for !c.once(ctx, compile) && ctx.Err() == nil {
	}
}

// once runs compile and reports whether it was not cancelled for a call.
func (c *compiler) once(ctx context.Context, compile func(context.Context)) bool {
	c.mu.Lock()
	for c.calls > 0 {
		c.idle.Wait()
	}
	ctx, stop := context.WithCancel(ctx)
	id := c.started
	c.started++
	c.running[id] = stop
	c.mu.Unlock()
	compile(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.running, id)
	defer stop()
	return ctx.Err() == nil
}
