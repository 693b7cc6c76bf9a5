package mcpserver

import (
	"context"
	"encoding/json"
	"time"

	"github.com/fcp-host/fcp-host/host/domain"
)

// concurrent returns a function that runs a call beside all others.
func (c *conn) concurrent(ctx context.Context, rawID json.RawMessage, call func(context.Context)) (calls func()) {
	id := string(rawID)
	c.mu.Lock()
	c.pending.Add(1)
	c.queued[id] = true
	c.mu.Unlock()
	return func() {
		defer c.pending.Done()
		if c.startQueued(id) {
			c.deliver(ctx, nil)
			return
		}
		ctx, end := c.withYield(ctx, func() {})
		defer end()
		call(ctx)
	}
}

// startQueued removes a call from those that have not started, and reports whether it was cancelled.
func (c *conn) startQueued(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.queued, id)
	dropped := c.cancelled[id]
	delete(c.cancelled, id)
	return dropped
}

// enqueueAsking is enqueue for a call that may wait for the world. While it waits, the next calls of the queue run.
func (c *conn) enqueueAsking(ctx context.Context, queue string, rawID json.RawMessage, answer func(context.Context)) (calls func()) {
	return c.queue(ctx, queue, rawID, func() (handed bool) {
		ctx, end := c.withYield(ctx, func() {
			handed = true
			go c.work(queue)
		})
		defer end()
		answer(ctx)
		return handed
	})
}

// withYield returns a context for a call that may wait for the world. When the wait begins, next is called; from then
// on the wait ends with the server. Call the returned function after the call.
func (c *conn) withYield(ctx context.Context, next func()) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	waits, stop := false, func() bool { return true }
	ctx = domain.WithYield(ctx, func() {
		if !waits {
			waits, stop = true, context.AfterFunc(c.ending, cancel)
			next()
		}
	})
	return ctx, func() {
		stop()
		cancel()
	}
}

// enqueue lets answer run after the earlier calls of the same queue. If no goroutine runs those, it returns a function
// that does.
func (c *conn) enqueue(ctx context.Context, queue string, rawID json.RawMessage, answer func()) (calls func()) {
	return c.queue(ctx, queue, rawID, func() bool {
		answer()
		return false
	})
}

// queue is enqueue for an answer that reports whether another goroutine now runs the rest of the queue.
func (c *conn) queue(ctx context.Context, queue string, rawID json.RawMessage, answer func() (handed bool)) (calls func()) {
	id := string(rawID)
	run := func() (handed bool) {
		defer c.pending.Done()
		if c.startQueued(id) {
			c.deliver(ctx, nil)
			return false
		}
		return answer()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending.Add(1)
	c.queued[id] = true
	c.queues[queue] = append(c.queues[queue], run)
	if c.running[queue] {
		return nil
	}
	c.running[queue] = true
	return func() { c.work(queue) }
}

func (c *conn) work(queue string) {
	for {
		c.mu.Lock()
		list := c.queues[queue]
		if len(list) == 0 {
			c.running[queue] = false
			c.mu.Unlock()
			return
		}
		run := list[0]
		list[0] = nil
		c.queues[queue] = list[1:]
		c.mu.Unlock()
		if run() {
			return
		}
	}
}

// drain stops accepting messages and waits for the answers to those that were taken.
func (c *conn) drain() {
	c.mu.Lock()
	if !c.draining {
		close(c.ended)
	}
	c.draining = true
	c.mu.Unlock()
	c.pending.Wait()
}

// takeTime is how long an orphaned server waits for somebody to take an answer.
const takeTime = 30 * time.Second

// abandon is drain for an orphaned server: another process may hold the pipe of the answers open without reading it. If
// an answer stays untaken for takeTime while no call is being computed, abandon returns.
func (c *conn) abandon() {
	drained := make(chan struct{})
	go func() {
		c.drain()
		close(drained)
	}()
	for {
		before := c.writes.Load()
		late := time.NewTimer(takeTime)
		select {
		case <-drained:
			late.Stop()
			return
		case <-late.C:
		}
		if before%2 == 1 && c.writes.Load() == before && c.busy.Load() == 0 {
			close(c.unheard)
			return
		}
	}
}
