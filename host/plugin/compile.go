package plugin

import (
	"context"
	"sync"
)

// compiler gives a call that waits for its module to be compiled precedence over what is compiled in the background.
type compiler struct {
	mu      sync.Mutex
	idle    sync.Cond                  // signalled when no call waits for its module any longer
	calls   int                        // that wait for their modules
	running map[int]context.CancelFunc // what is compiled in the background
	started int                        // how often that was begun; names the next one
}

func newCompiler() *compiler {
	c := &compiler{running: map[int]context.CancelFunc{}}
	c.idle.L = &c.mu
	return c
}

// forCall notes that a module is compiled for a call, and stops what is compiled in the background. The caller calls done
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

// background runs compile while no call waits for a module. The context ends when such a call comes; then compile runs again
// after it, until it was not interrupted or ctx is done.
func (c *compiler) background(ctx context.Context, compile func(context.Context)) {
	for !c.once(ctx, compile) && ctx.Err() == nil {
	}
}

// once reports whether compile ran without an interruption.
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
