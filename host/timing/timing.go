// Package timing measures where the time of one call goes. A call carries a
// stopwatch in its context, and each step on its way reads it once, when the
// step is done.
package timing

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Phase is a part of a call's time.
type Phase int

// The phases.
const (
	Other   Phase = iota // what no other phase covers
	Wait                 // for earlier calls: of the same client, document or plugin
	Parse                // reading the request and its ops
	Encode               // messages to and from the plugin, and the reply
	Guest                // in the plugin's worker, the pipes to it included
	Journal              // putting the record on the disk
	Write                // sending the reply
	phases
)

// Call is the stopwatch of one call. A lap charges all the time since the lap
// before it, so the phases add up to the whole. A nil Call measures nothing;
// several goroutines may use one.
type Call struct {
	mu             sync.Mutex
	began, last    time.Time
	spent          [phases]time.Duration
	tool, document string
	ops, in, out   int
}

// Start starts the stopwatch of a call whose request has in bytes. It returns
// nil where log does not show what it measures.
func Start(log *slog.Logger, in int) *Call {
	if !log.Enabled(context.Background(), slog.LevelDebug) {
		return nil
	}
	now := time.Now()
	return &Call{began: now, last: now, in: in}
}

// Lap charges the time since the last lap to p.
func (c *Call) Lap(p Phase) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	c.spent[p] += now.Sub(c.last)
	c.last = now
}

// About says what the call was: the tool, the document it reached, and how
// many ops it had.
func (c *Call) About(tool, document string, ops int) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tool, c.document, c.ops = tool, document, ops
}

// Sent charges the time since the last lap to Write, which sent n bytes.
func (c *Call) Sent(n int) {
	if c == nil {
		return
	}
	c.Lap(Write)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out += n
}

// Log writes one line about the call, unless nobody said what it was.
func (c *Call) Log(log *slog.Logger) {
	if c == nil {
		return
	}
	c.Lap(Other)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tool == "" {
		return
	}
	us := func(p Phase) int64 { return c.spent[p].Microseconds() }
	log.Debug("call", "tool", c.tool, "document", c.document, "ops", c.ops, "in", c.in, "out", c.out,
		"total_us", c.last.Sub(c.began).Microseconds(), "wait_us", us(Wait), "parse_us", us(Parse), "guest_us", us(Guest),
		"encode_us", us(Encode), "journal_us", us(Journal), "write_us", us(Write))
}

type key struct{}

// With returns a context that carries c.
func With(ctx context.Context, c *Call) context.Context {
	if c == nil {
		return ctx
	}
	return context.WithValue(ctx, key{}, c)
}

// Of returns the call that ctx carries, or nil.
func Of(ctx context.Context) *Call {
	c, _ := ctx.Value(key{}).(*Call)
	return c
}

// Lap charges the time since the last lap to p, in the call that ctx carries.
func Lap(ctx context.Context, p Phase) { Of(ctx).Lap(p) }
