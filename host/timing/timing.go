// Package timing measures where the time of one call goes. A call carries a stopwatch in its context, and each step
// stops a lap when it ends. At level debug the log gets one line for each call; a listener gets all of it.
package timing

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// Phase is a part of a call's time.
type Phase int

// Phases of a call.
const (
	Other   Phase = iota // not covered by another phase
	Wait                 // waiting for earlier calls of the same client, document or plugin
	Parse                // parsing the request and its ops
	Encode               // encoding and decoding messages of the plugin, and printing the reply
	Guest                // the plugin's worker, including the pipes
	Journal              // writing the record to disk
	Write                // sending the reply
	phases
)

func (p Phase) String() string {
	return [...]string{"other", "wait", "parse", "encode", "guest", "journal", "write"}[p]
}

// What describes a call.
type What struct {
	Method           string // the method of MCP
	Tool             string
	Domain, Document string // "" if unknown
	Ops              int
	Failed           bool
}

// Trace is the caller's position in its own trace, as in W3C Trace Context.
type Trace struct{ Parent, State string }

// Stage is one lap: a phase and its time.
type Stage struct {
	Phase    Phase
	From, To time.Time
}

// maxStages bounds how many stages of a call are listed.
const maxStages = 64

// Measured describes a call that has ended.
type Measured struct {
	What
	Stages       []Stage // in order; after maxStages the rest is missing
	In, Out      int     // bytes
	Began, Ended time.Time
	Carried      Trace // from the HTTP request that carried the message
	Caused       Trace // from the message itself
	Piped        bool  // it came over stdio
}

// listener gets every call that ended; nil for none.
var listener atomic.Pointer[func(*Measured)]

// Listen has f called with each call when it has ended; nil stops that. Call it before the first call.
func Listen(f func(*Measured)) {
	if f == nil {
		listener.Store(nil)
		return
	}
	listener.Store(&f)
}

// Call is the stopwatch of one call. A lap charges all time since the previous lap to a phase, so the phases add up to
// the whole. A nil Call measures nothing. Its methods are safe for concurrent use.
type Call struct {
	mu       sync.Mutex
	m        Measured // without the end
	last     time.Time
	spent    [phases]time.Duration
	listener func(*Measured) // nil for none
}

// Start starts the stopwatch of a call whose request has in bytes. It returns nil if the log is above level debug and
// nobody listens.
func Start(log *slog.Logger, in int) *Call {
	tells := listener.Load()
	if tells == nil && !log.Enabled(context.Background(), slog.LevelDebug) {
		return nil
	}
	now := time.Now()
	c := &Call{last: now, m: Measured{Began: now, In: in}}
	if tells != nil {
		c.listener = *tells
	}
	return c
}

// HasListener reports whether there is a listener: only listeners need traces.
func (c *Call) HasListener() bool { return c != nil && c.listener != nil }

// SetCarried records the trace of the HTTP request.
func (c *Call) SetCarried(t Trace) {
	if c.HasListener() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.m.Carried = t
	}
}

// SetCaused records the trace in the message.
func (c *Call) SetCaused(t Trace) {
	if c.HasListener() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.m.Caused = t
	}
}

// SetPiped records that the message came over stdio.
func (c *Call) SetPiped() *Call {
	if c != nil {
		c.m.Piped = true
	}
	return c
}

// Lap charges the time since the previous lap to p.
func (c *Call) Lap(p Phase) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	c.spent[p] += now.Sub(c.last)
	if c.listener != nil {
		if n := len(c.m.Stages); n > 0 && c.m.Stages[n-1].Phase == p && c.m.Stages[n-1].To.Equal(c.last) {
			c.m.Stages[n-1].To = now
		} else if n < maxStages {
			c.m.Stages = append(c.m.Stages, Stage{p, c.last, now})
		}
	}
	c.last = now
}

// SetWhat records what the call was.
func (c *Call) SetWhat(w What) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.m.What = w
}

// EndWrite charges the time since the previous lap to Write, which sent n bytes.
func (c *Call) EndWrite(n int) {
	if c == nil {
		return
	}
	c.Lap(Write)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.m.Out += n
}

// Log logs the call in one line and passes it to the listener. It does nothing if About was not called.
func (c *Call) Log(log *slog.Logger) {
	if c == nil {
		return
	}
	c.Lap(Other)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.m.Tool == "" {
		return
	}
	us := func(p Phase) int64 { return c.spent[p].Microseconds() }
	log.Debug("call", "tool", c.m.Tool, "document", c.m.Document, "ops", c.m.Ops, "in", c.m.In, "out", c.m.Out,
		"total_us", c.last.Sub(c.m.Began).Microseconds(), "wait_us", us(Wait), "parse_us", us(Parse), "guest_us", us(Guest),
		"encode_us", us(Encode), "journal_us", us(Journal), "write_us", us(Write))
	if c.listener != nil {
		c.m.Ended = c.last
		c.listener(&c.m)
	}
}

type key struct{}

// With returns a context that carries c.
func With(ctx context.Context, c *Call) context.Context {
	if c == nil {
		return ctx
	}
	return context.WithValue(ctx, key{}, c)
}

// Of returns the call in ctx, or nil.
func Of(ctx context.Context) *Call {
	c, _ := ctx.Value(key{}).(*Call)
	return c
}

// Lap charges the time since the previous lap to p, in the call that ctx carries.
func Lap(ctx context.Context, p Phase) { Of(ctx).Lap(p) }
