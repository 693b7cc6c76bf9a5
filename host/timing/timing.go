// Package timing measures where the time of one call goes. A call carries a
// stopwatch in its context, and each step on its way reads it once, when the
// step is done. The log has a line of it at level debug, and a listener, where
// there is one, the whole.
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

func (p Phase) String() string {
	return [...]string{"other", "wait", "parse", "encode", "guest", "journal", "write"}[p]
}

// What says what a call was.
type What struct {
	Method           string // of the protocol
	Tool             string
	Domain, Document string // "" for none that is known
	Ops              int
	Failed           bool
}

// Trace is where a caller is in a trace of its own, as W3C Trace Context writes it.
type Trace struct{ Parent, State string }

// Stage is a part of a call's time.
type Stage struct {
	Phase    Phase
	From, To time.Time
}

// maxStages bounds those of a call that are told one by one.
const maxStages = 64

// Measured is a call that has ended.
type Measured struct {
	What
	Stages       []Stage // one after the other; with maxStages, the rest is missing
	In, Out      int     // bytes
	Began, Ended time.Time
	Carried      Trace // of the request that the message came in
	Caused       Trace // of the message itself
	Piped        bool  // over stdio
}

// listener is told of calls, nil for nobody.
var listener atomic.Pointer[func(*Measured)]

// Listen has f told of each call when it has ended, nil for nobody. Before the first call.
func Listen(f func(*Measured)) {
	if f == nil {
		listener.Store(nil)
		return
	}
	listener.Store(&f)
}

// Call is the stopwatch of one call. A lap charges all the time since the lap
// before it, so the phases add up to the whole. A nil Call measures nothing;
// several goroutines may use one.
type Call struct {
	mu    sync.Mutex
	m     Measured // without its end
	last  time.Time
	spent [phases]time.Duration
	tells func(*Measured) // nil for nobody
}

// Start starts the stopwatch of a call whose request has in bytes. It returns
// nil where log does not show what it measures and nobody listens.
func Start(log *slog.Logger, in int) *Call {
	tells := listener.Load()
	if tells == nil && !log.Enabled(context.Background(), slog.LevelDebug) {
		return nil
	}
	now := time.Now()
	c := &Call{last: now, m: Measured{Began: now, In: in}}
	if tells != nil {
		c.tells = *tells
	}
	return c
}

// Told reports whether somebody listens, for whom traces are read.
func (c *Call) Told() bool { return c != nil && c.tells != nil }

// Carried notes the trace of the request that the message came in.
func (c *Call) Carried(t Trace) {
	if c.Told() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.m.Carried = t
	}
}

// Caused notes the trace of the message.
func (c *Call) Caused(t Trace) {
	if c.Told() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.m.Caused = t
	}
}

// Piped notes that the message came over stdio.
func (c *Call) Piped() *Call {
	if c != nil {
		c.m.Piped = true
	}
	return c
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
	if c.tells != nil {
		if n := len(c.m.Stages); n > 0 && c.m.Stages[n-1].Phase == p && c.m.Stages[n-1].To.Equal(c.last) {
			c.m.Stages[n-1].To = now
		} else if n < maxStages {
			c.m.Stages = append(c.m.Stages, Stage{p, c.last, now})
		}
	}
	c.last = now
}

// About says what the call was.
func (c *Call) About(w What) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.m.What = w
}

// Sent charges the time since the last lap to Write, which sent n bytes.
func (c *Call) Sent(n int) {
	if c == nil {
		return
	}
	c.Lap(Write)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.m.Out += n
}

// Log writes one line about the call and tells the listener, unless nobody said
// what it was.
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
	if c.tells != nil {
		c.m.Ended = c.last
		c.tells(&c.m)
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

// Of returns the call that ctx carries, or nil.
func Of(ctx context.Context) *Call {
	c, _ := ctx.Value(key{}).(*Call)
	return c
}

// Lap charges the time since the last lap to p, in the call that ctx carries.
func Lap(ctx context.Context, p Phase) { Of(ctx).Lap(p) }
