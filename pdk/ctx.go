package pdk

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/vmihailenco/msgpack/v5"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/printable"
)

// View is what a query sees.
type View[M any] struct {
	Model  M
	Recent []string // ids touched, newest first; an id may occur more than once
	Target Target   // of an export
	*Host           // for requests to the host; nil if the domain has no wants

	first, lines int // the part of the answer that is shown
}

// Page is an answer of many lines. Only the lines that are shown are made.
type Page struct {
	first, last int // line numbers from 1; last 0 for no end
	n           int
	text        []byte
	shown       int
}

// Page starts an answer that may be long.
func (v *View[M]) Page() *Page {
	p := &Page{first: max(1, v.first)}
	if v.lines > 0 {
		p.last = p.first - 1 + v.lines
	}
	return p
}

// After estimated lines, Page.Line allocates memory for up to mostEstimated more
// of the same average length: growing the text step by step would allocate
// several times as much.
const estimated, mostEstimated = 16, 1000

// Line adds a line. If the line is shown, add appends it to b. Line reports
// whether any line after it may be shown.
func (p *Page) Line(add func(b []byte) []byte) bool {
	if p.n++; p.n >= p.first && (p.last == 0 || p.n <= p.last) {
		if p.shown++; p.shown > 1 {
			p.text = append(p.text, '\n')
		}
		if p.shown == estimated && p.last > 0 {
			p.text = slices.Grow(p.text, len(p.text)/estimated*(min(p.last-p.n, mostEstimated)+estimated))
		}
		p.text = add(p.text)
	}
	return p.last == 0 || p.n < p.last
}

// Answer returns the lines that are shown. total is the number of lines in all,
// or 0 if Line was called for each of them.
func (p *Page) Answer(total int) abi.QueryResponse {
	out := abi.QueryResponse{Text: string(p.text)}
	if total = max(total, p.n); p.shown < total {
		out.Total = total
	}
	return out
}

// AnswerOr is Answer after Line was called for each line, or another text if it never was.
func (p *Page) AnswerOr(none string) abi.QueryResponse {
	if p.n == 0 {
		return abi.QueryResponse{Text: none}
	}
	return p.Answer(0)
}

// Ctx is what a verb works with.
type Ctx[M any] struct {
	Model  M
	Recent []string // ids touched before this op, newest first; an id may occur more than once. Set for ops with @recent
	*Host           // for requests to the host; nil if the domain has neither wants nor Stamps

	kind     abi.Kind
	text     string
	also     []string // lines below the text
	warnings []string
	ids      []string
	edits    []Edit[M]
	events   []abi.Event
	run      *abi.Run

	firstEdit  [1]Edit[M] // most ops make only one
	firstEvent [1]abi.Event
}

// Do runs an edit and records it as an event of this op. The summary is one
// line for the history; ids are the elements that the edit touched. Ids longer than
// abi.MaxID, which come from names in files, are left out: their elements can be
// edited, but @recent skips them. An error means that nothing changed.
func (c *Ctx[M]) Do(e Edit[M], summary string, ids ...string) error {
	if c.Host != nil && c.Host.frozen != "" {
		return Errorf("%s: it cannot edit", c.Host.frozen)
	}
	if err := e.Do(c.Model); err != nil {
		return err
	}
	data, err := encode(e)
	if err != nil {
		if back := e.Undo(c.Model); back != nil {
			return fmt.Errorf("encode %s: %w, and undoing it failed: %w", e.Type(), err, back)
		}
		return fmt.Errorf("encode %s: %w", e.Type(), err)
	}
	if c.edits == nil {
		c.edits, c.events = c.firstEdit[:0], c.firstEvent[:0]
	}
	if c.Host != nil {
		c.Host.edits++
	}
	c.edits = append(c.edits, e)
	c.events = append(c.events, abi.Event{Type: e.Type(), Summary: printable.Cut(printable.Line(summary), abi.MaxSummary), IDs: sendable(ids), Data: data})
	if len(c.edits)%yieldEvery == 0 { // one op may make thousands
		yield()
	}
	return nil
}

// sendable returns the ids that are short enough for a message.
func sendable(ids []string) []string {
	long := func(id string) bool { return len(id) > abi.MaxID }
	if !slices.ContainsFunc(ids, long) {
		return ids
	}
	return slices.DeleteFunc(slices.Clone(ids), long)
}

// Appender is an edit that encodes itself, for edits that a call makes by the
// thousand. AppendMsgpack appends to b exactly what the package msgpack would
// write, with compact integers.
type Appender interface {
	AppendMsgpack(b []byte) []byte
}

// encode writes an edit so that equal edits give equal bytes.
func encode(e any) ([]byte, error) {
	if a, ok := e.(Appender); ok {
		return a.AppendMsgpack(nil), nil
	}
	var buf bytes.Buffer
	enc := msgpack.GetEncoder()
	defer msgpack.PutEncoder(enc)
	enc.Reset(&buf)
	enc.SetSortMapKeys(true)
	enc.UseCompactInts(true)
	if err := enc.Encode(e); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// Created, Connected, Changed, Deleted and Bulk set the op's reply: its kind
// (the host's prefix) and its text. The last call wins.
func (c *Ctx[M]) Created(format string, args ...any) { c.say(abi.Created, format, args) }

// Connected says that a connection was made or changed.
func (c *Ctx[M]) Connected(format string, args ...any) { c.say(abi.Connection, format, args) }

// Changed says that a property changed.
func (c *Ctx[M]) Changed(format string, args ...any) { c.say(abi.Changed, format, args) }

// Deleted says that something was removed.
func (c *Ctx[M]) Deleted(format string, args ...any) { c.say(abi.Deleted, format, args) }

// Bulk says that many elements changed, as by a layout.
func (c *Ctx[M]) Bulk(format string, args ...any) { c.say(abi.Bulk, format, args) }

func (c *Ctx[M]) say(k abi.Kind, format string, args []any) {
	c.kind = k
	if format == "%s" && len(args) == 1 { // the usual case, without fmt
		if text, ok := args[0].(string); ok {
			c.text = printable.Text(text)
			return
		}
	}
	c.text = printable.Text(fmt.Sprintf(format, args...))
}

// Also adds a line to the op's reply, below what the verb says: a side effect on
// elements that the op does not name, such as a neighbour that moved.
func (c *Ctx[M]) Also(format string, args ...any) {
	c.also = append(c.also, printable.Line(fmt.Sprintf(format, args...)))
}

// Warn adds a warning to the reply.
func (c *Ctx[M]) Warn(format string, args ...any) {
	if len(c.warnings) < abi.MaxWarnings {
		c.warnings = append(c.warnings, printable.Cut(printable.Line(fmt.Sprintf(format, args...)), abi.MaxWarning))
	}
}

// Touch names the elements of this op for @recent, in order. Without it they
// are the ids of its edits.
func (c *Ctx[M]) Touch(ids ...string) { c.ids = append(c.ids, ids...) }

// Start has the host run a program after a session action has returned. The
// program's first output goes to the path of the action's as:.
func (c *Ctx[M]) Start(run abi.Run) { c.run = &run }

// Edits returns the edits of this op so far. The caller must not change them.
func (c *Ctx[M]) Edits() []Edit[M] { return c.edits }

// Trial runs f as a separate op on the current model, undoes it, and returns its
// error, which shows whether a suggestion would work. A verb that is about to
// refuse calls Reset first. Trial panics if an edit cannot be undone, because the
// domain is then broken.
func (c *Ctx[M]) Trial(f func(*Ctx[M]) error) error {
	t := &Ctx[M]{Model: c.Model, Recent: c.Recent, Host: c.Host.forTrial()}
	err := Catch(func() error { return f(t) })
	t.Reset()
	return err
}

// Reset undoes what this op has done so far, as happens anyway when a verb
// returns an error. It panics if an edit cannot be undone.
func (c *Ctx[M]) Reset() {
	if err := c.rollback(); err != nil {
		panic(err)
	}
}

// rollback undoes what this op has done so far.
func (c *Ctx[M]) rollback() error {
	for i := len(c.edits) - 1; i >= 0; i-- {
		if err := c.edits[i].Undo(c.Model); err != nil {
			return fmt.Errorf("undo %s: %w", c.edits[i].Type(), err)
		}
	}
	if c.Host != nil {
		c.Host.edits = 0
	}
	c.edits, c.events = nil, nil
	return nil
}

// Result is the op's outcome so far.
func (c *Ctx[M]) Result() abi.Result {
	text := c.text
	for _, line := range c.also {
		text += "\n" + line
	}
	out := abi.Result{Kind: c.kind, Text: printable.Cut(text, abi.MaxText), Events: c.events, IDs: c.ids, Warnings: c.warnings}
	if c.ids == nil {
		out.IDs = out.Touched()
	}
	return out
}
