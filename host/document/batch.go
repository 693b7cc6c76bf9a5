package document

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/eventlog"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/resource"
)

// batch is one call on its way: the parsed ops, which of them the domain gets
// to see, and what is known to be wrong with the others.
type batch struct {
	items []grammar.Item
	sent  []int        // indexes into items of ops, in order
	ops   []abi.Op     // what is sent for them
	bad   []*abi.Error // by item: wrong before the domain saw it

	action bool // a session action: its lines bear no op's number
	away   bool // what it does may be outside of the document: it need not change that

	things  []resource.Resolved // what words of the ops named
	outside []int               // items that were refused for what their words name
}

// prepare parses and checks the ops. In an atomic batch, nothing after the
// first op that is wrong is sent.
func (d *Document) prepare(ops []string) (*batch, error) {
	if len(ops) == 0 {
		return nil, &domain.Refusal{Message: "ops is empty"}
	}
	b := &batch{items: grammar.ParseAll(ops, d.Domain().Rules)}
	if len(b.items) == 0 {
		return nil, &domain.Refusal{Message: "ops holds nothing but blank lines"}
	}
	b.bad = make([]*abi.Error, len(b.items))
	b.ops = make([]abi.Op, 0, len(b.items))
	for i := range b.items {
		it := &b.items[i]
		if it.Err != nil {
			b.bad[i] = &abi.Error{Message: it.Err.Error(), Try: asOps(it.Err.Try)}
		} else {
			b.bad[i] = d.Domain().Check(&it.Op)
		}
		if b.bad[i] != nil {
			if !d.each {
				break
			}
			continue
		}
		b.sent = append(b.sent, i)
		b.ops = append(b.ops, domain.Op(&it.Op))
	}
	return b, nil
}

// asOps are suggestions of ops.
func asOps(texts []string) []abi.Suggestion {
	out := make([]abi.Suggestion, len(texts))
	for i, t := range texts {
		out[i] = abi.Suggestion{Kind: abi.TryOp, Text: t}
	}
	return out
}

// piece is how many of the first ops cross to the domain together: far less than
// the limits of the ABI, since a message takes several times its size in a guest.
func piece(ops []abi.Op) int {
	const maxBytes, maxElements = 4 << 20, 100_000
	bytes, elements := 0, 0
	for n := range ops {
		op := &ops[n]
		bytes += 256 + 4*len(op.Raw)
		elements += 2 + len(op.Positionals) + len(op.Params) + len(op.Selectors) + len(op.Arrows) + len(op.Block)
		if n == abi.MaxOps || n > 0 && (bytes > maxBytes || elements > maxElements) {
			return n
		}
	}
	return len(ops)
}

// report merges what the domain said with what was wrong before, op by op, and
// gives the index of the first failed op, or -1.
func (b *batch) report(results []abi.Result, each bool) (*reply.Reply, int) {
	r := &reply.Reply{Results: make([]reply.Result, 0, len(b.items))}
	first, k := -1, 0
	for i := range b.items {
		var line reply.Result
		switch {
		case b.bad[i] != nil:
			line = b.refused(i, b.bad[i], nil)
		case k < len(results) && b.sent[k] == i:
			res := &results[k]
			k++
			if res.Error != nil {
				line = b.refused(i, res.Error, res.Warnings)
			} else {
				idle := len(res.Events) == 0 && !(b.away && res.Kind != abi.Unchanged)
				line = reply.Result{Op: b.number(i), Prefix: prefix(res, idle), Text: said(res, &b.items[i], idle), IDs: res.Touched(), Warnings: warnings(res, &b.items[i])}
			}
		default:
			return r, first // not run
		}
		r.Results = append(r.Results, line)
		if line.Prefix == reply.Error {
			r.Failed = true
			if first < 0 {
				first = i
			}
			if !each {
				return r, first
			}
		}
	}
	return r, first
}

func (b *batch) refused(i int, e *abi.Error, warnings []string) reply.Result {
	return reply.Result{Op: b.number(i), Prefix: reply.Error, Try: reply.From(e.Try), Warnings: warnings, Text: b.named(i) + e.Message}
}

// number is an op's place in its call.
func (b *batch) number(i int) int {
	if b.action {
		return 0
	}
	return i + 1
}

// named is how a line about a failed op starts.
func (b *batch) named(i int) string {
	if b.action {
		return ""
	}
	return fmt.Sprintf("op %d (%s): ", i+1, short(b.items[i].Raw))
}

// short is an op as an error repeats it.
func short(op string) string {
	op = strings.Join(strings.FieldsFunc(op, func(r rune) bool { return r < ' ' || r == 0x7f }), " ")
	if runes := []rune(op); len(runes) > 80 {
		op = string(runes[:79]) + "…"
	}
	return reply.Line(op)
}

// said is what a result says; idle is that nothing was done.
func said(res *abi.Result, it *grammar.Item, idle bool) string {
	text := res.Text
	if text == "" {
		text = short(it.Raw)
	}
	if idle && (res.Kind != abi.Unchanged || res.Text == "") {
		text += ": this changed nothing"
	}
	return text
}

func warnings(res *abi.Result, it *grammar.Item) []string {
	if len(it.Op.Warnings) == 0 {
		return res.Warnings
	}
	return slices.Concat(it.Op.Warnings, res.Warnings)
}

func prefix(res *abi.Result, idle bool) byte {
	if idle {
		return reply.Warning
	}
	switch res.Kind {
	case abi.Created:
		return reply.Created
	case abi.Connection:
		return reply.Connection
	case abi.Deleted:
		return reply.Deleted
	case abi.Bulk:
		return reply.Bulk
	}
	return reply.Changed
}

// stage makes the log entries of the ops that succeeded. An op that changed
// nothing leaves none: there is nothing to undo.
func stage(b *batch, results []abi.Result) []eventlog.Entry {
	entries := make([]eventlog.Entry, 0, len(results))
	for k := range results {
		if results[k].Error == nil && len(results[k].Events) > 0 {
			entries = append(entries, entry(b.items[b.sent[k]].Raw, &results[k]))
		}
	}
	return entries
}

func entry(op string, res *abi.Result) eventlog.Entry {
	e := eventlog.Entry{Op: op, IDs: res.Touched(), Events: make([]eventlog.Event, len(res.Events))}
	for i := range res.Events {
		e.Events[i] = eventlog.Event(res.Events[i])
	}
	return e
}
