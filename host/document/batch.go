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

// batch is one call: its parsed ops, the ones that are sent to the domain, and what is wrong with the others.
type batch struct {
	items []grammar.Item
	sent  []int        // indexes into items of ops, in order
	ops   []abi.Op     // the ops of sent, as the domain gets them
	bad   []*abi.Error // by item: the host's own refusal; nil if it has none

	failed  int
	reading string   // of the op failed, if another reading of it works and deletes nothing
	again   []string // the texts of the ops to run instead, with that reading

	each     bool // failed ops do not stop later ones
	action   bool // a session action or a typed tool: its lines have no op number
	external bool // it may change something outside instead of the document

	resolved     []resource.Resolved // the resources that words of the ops name
	refusedItems []int               // indexes of items that were refused because of a resource
}

// newAction is the batch of a session action or a typed tool.
func newAction(item grammar.Item, op abi.Op) *batch {
	return &batch{items: []grammar.Item{item}, bad: []*abi.Error{nil}, sent: []int{0}, ops: []abi.Op{op}, action: true}
}

// prepare parses and checks the ops. Unless each is set, no op after the first invalid one is sent.
func prepare(d *domain.Domain, ops []string, each bool) (*batch, error) {
	if len(ops) == 0 {
		return nil, &domain.Refusal{Message: "ops is empty"}
	}
	b := &batch{items: grammar.ParseAll(ops, d.Rules), each: each}
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
			b.bad[i] = d.Check(&it.Op)
		}
		if b.bad[i] != nil {
			if !each {
				break
			}
			continue
		}
		b.sent = append(b.sent, i)
		b.ops = append(b.ops, it.Op.Op)
	}
	return b, nil
}

// asOps makes each text the suggestion of an op.
func asOps(texts []string) []abi.Suggestion {
	out := make([]abi.Suggestion, len(texts))
	for i, t := range texts {
		out[i] = abi.Suggestion{Kind: abi.TryOp, Text: t}
	}
	return out
}

// piece returns how many of the first ops go to the domain in one request. Its bounds are far below the ABI's limits,
// since a message takes several times its size in a guest.
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

// report merges the domain's results with the host's own refusals, in the order of the ops, and returns the index of
// the first failed op, or -1.
func (b *batch) report(dom string, results []abi.Result) (*reply.Reply, int) {
	r := &reply.Reply{Results: make([]reply.Result, 0, len(b.items))}
	first, k := -1, 0
	for i := range b.items {
		var line reply.Result
		switch {
		case b.bad[i] != nil:
			line = b.failedLine(i, b.bad[i], nil)
		case k < len(results) && b.sent[k] == i:
			res := &results[k]
			k++
			if res.Error != nil {
				line = b.failedLine(i, res.Error, res.Warnings)
			} else {
				idle := len(res.Events) == 0 && !(b.external && res.Kind != abi.Unchanged)
				line = reply.Result{Op: b.opNumber(i), Prefix: prefix(res, idle), Text: b.resultText(dom, res, &b.items[i], idle), IDs: res.Touched(), Warnings: warnings(res, &b.items[i]), Told: told(&b.items[i].Op)}
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
			if !b.each {
				return r, first
			}
		}
	}
	return r, first
}

// failedLine is the line of the reply about the failed op i.
func (b *batch) failedLine(i int, e *abi.Error, warnings []string) reply.Result {
	return reply.Result{Op: b.opNumber(i), Prefix: reply.Error, Try: reply.From(e.Try), Warnings: warnings, Text: b.opLabel(i) + e.Message}
}

// opNumber is the number of item i in the call, from 1, or 0 in an action.
func (b *batch) opNumber(i int) int {
	if b.action {
		return 0
	}
	return i + 1
}

// opLabel starts a line about the failed item i: its number and text, or nothing in an action.
func (b *batch) opLabel(i int) string {
	if b.action {
		return ""
	}
	return fmt.Sprintf("op %d (%s): ", i+1, short(b.items[i].Raw))
}

// short shortens an op to one line of at most 80 characters for a message.
func short(op string) string {
	op = strings.Join(strings.FieldsFunc(op, func(r rune) bool { return r < ' ' || r == 0x7f }), " ")
	if runes := []rune(op); len(runes) > 80 {
		op = string(runes[:79]) + "…"
	}
	return reply.Line(op)
}

// resultText is the text of a result of the domain dom; idle means that the op changed nothing.
func (b *batch) resultText(dom string, res *abi.Result, it *grammar.Item, idle bool) string {
	switch {
	case res.Text == "" && idle:
		return short(it.Raw) + ": this changed nothing"
	case res.Text == "":
		return short(it.Raw)
	case !idle || res.Kind == abi.Unchanged:
		return res.Text
	case !b.action: // an action's text has the name already
		return reply.Said(dom, res.Text) + ": this changed nothing"
	}
	return res.Text + ": this changed nothing"
}

// told lists the words and values of an op.
func told(op *grammar.Op) []string {
	list := make([]string, 0, len(op.Positionals)+len(op.Params))
	for _, p := range op.Positionals {
		list = append(list, p.Text)
	}
	for _, p := range op.Params {
		list = append(list, p.Value)
	}
	return list
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

// stage makes log entries of the ops that succeeded. An op without events gets none, since there is nothing to undo.
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
