package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/host/eventlog"
)

// operation is one step of a test of the event log.
type operation struct {
	Action string            `json:"action"`
	Event  json.RawMessage   `json:"event"`
	Events []json.RawMessage `json:"events"`
	Name   string            `json:"name"`
	Count  *int              `json:"count"`
}

// EventLog runs the operations on an eventlog.Log and returns the facts for the assertions.
//
// The log keeps checkpoints beside its entries, while the fixtures count a sentinel for each. So EventLog tracks the
// sentinels' positions, and takes every count of entries from the log.
func EventLog(c *Case) (any, error) {
	var ops []operation
	if err := json.Unmarshal(c.input(), &ops); err != nil {
		return nil, unreadable{fmt.Errorf("the operations cannot be read: %w", err)}
	}
	r := &logRun{log: eventlog.New(0), facts: map[string]any{}}
	for i := range ops {
		if err := r.do(&ops[i]); err != nil {
			return nil, err
		}
	}
	// A test without assertions expects its operation to fail.
	if c.expected() == nil && r.failed != nil {
		return nil, r.failed
	}
	return r.result()
}

// logRun is a log in the middle of a test.
type logRun struct {
	log   *eventlog.Log
	items []bool // false for an entry, true for a checkpoint's sentinel
	at    int    // number of items before the cursor
	facts map[string]any
	// failed is the error of the last operation that failed.
	failed error
	marks  map[string]int // checkpoint → index of its sentinel when it was made
}

func (r *logRun) do(op *operation) error {
	count := 1
	if op.Count != nil {
		count = *op.Count
	}
	switch op.Action {
	case "append":
		return r.append(op)
	case "undo":
		p, err := r.log.PlanUndo(count)
		r.runPlan("undo", p, err)
	case "undo_batch":
		p, err := r.log.PlanUndoBatch()
		r.runPlan("undo", p, err)
	case "undo_to", "undoTo":
		p, err := r.log.PlanUndoTo(op.Name)
		r.runPlan("undo_to", p, err)
		if at, ok := r.marks[op.Name]; err == nil && ok {
			r.at = at // before the sentinel, which names this state
		}
	case "redo":
		p, err := r.log.PlanRedo(count)
		r.runPlan("redo", p, err)
	case "checkpoint":
		err := r.log.Checkpoint(op.Name)
		r.fail("checkpoint", err)
		if err == nil {
			if r.marks == nil {
				r.marks = map[string]int{}
			}
			r.marks[op.Name] = r.at
			r.items = append(r.items[:r.at], true)
			r.at++
		}
	case "recent":
		r.facts["recent_returned"] = eventsOf(r.log.History(count))
	case "fold":
		r.log.Fold(count)
		r.fold(count)
	default:
		return unreadable{fmt.Errorf("unknown action %q", op.Action)}
	}
	return nil
}

func (r *logRun) append(op *operation) error {
	events := op.Events
	if op.Event != nil {
		events = append(events, op.Event)
	}
	entries := make([]eventlog.Entry, len(events))
	for i, e := range events {
		entries[i] = eventlog.Entry{Op: string(e), Events: []eventlog.Event{{Data: e}}}
	}
	r.log.Append(entries...)
	if len(entries) > 0 {
		r.items = append(r.items[:r.at], make([]bool, len(entries))...)
		r.at = len(r.items)
	}
	return nil
}

// runPlan executes a plan and records the result.
func (r *logRun) runPlan(name string, p eventlog.Plan, err error) {
	r.facts[name+"_returned"] = []any{}
	// With nothing to undo, some implementations return an error and others an empty list.
	if errors.Is(err, eventlog.ErrNothingToUndo) || errors.Is(err, eventlog.ErrNothingToRedo) {
		return
	}
	r.fail(name, err)
	if err != nil {
		return
	}
	if err := r.log.Commit(p); err != nil {
		r.fail(name, err)
		return
	}
	r.facts[name+"_returned"] = eventsOf(p.Entries)
	for n := len(p.Entries); n > 0; {
		if p.Redo {
			if !r.items[r.at] {
				n--
			}
			r.at++
			continue
		}
		r.at--
		if !r.items[r.at] {
			n--
		}
	}
}

func (r *logRun) fold(n int) {
	for n > 0 && len(r.items) > 0 {
		if !r.items[0] {
			n--
		}
		r.items, r.at = r.items[1:], r.at-1
		for name := range r.marks {
			r.marks[name]--
		}
	}
}

// fail records whether an operation failed. The last operation of a name counts.
func (r *logRun) fail(name string, err error) {
	if err != nil {
		r.failed = err
		r.facts[name+"_error"] = logError{err.Error()}
		return
	}
	r.facts[name+"_error"] = false
}

// logError compares equal to true, and may be described by its text.
type logError struct{ text string }

// eventsOf lists the events of entries.
func eventsOf(entries []eventlog.Entry) []any {
	out := []any{}
	for _, e := range entries {
		for _, ev := range e.Events {
			out = append(out, json.RawMessage(ev.Data))
		}
	}
	return out
}

func (r *logRun) result() (any, error) {
	entries, applied := 0, 0
	for i, sentinel := range r.items {
		if !sentinel {
			entries++
			if i < r.at {
				applied++
			}
		}
	}
	if entries != r.log.Len() || applied != r.log.Cursor() {
		return nil, fmt.Errorf("the log contains %d entries, %d of them applied, instead of %d and %d", r.log.Len(), r.log.Cursor(), entries, applied)
	}
	names := []string{}
	for _, cp := range r.log.Checkpoints() {
		names = append(names, cp.Name)
	}
	slices.Sort(names)
	r.facts["cursor"], r.facts["length"] = r.at, len(r.items)
	r.facts["applied"], r.facts["redoable"] = r.log.Cursor(), r.log.Len()-r.log.Cursor()
	r.facts["checkpoints"] = names
	return eitherForm(r.facts), nil
}

// eitherForm lets assertions differ in form: x_error may be asserted as true or by its text.
func eitherForm(facts map[string]any) map[string]any {
	for key, v := range facts {
		if e, ok := v.(logError); ok && strings.HasSuffix(key, "_error") {
			facts[key] = e.text
		}
	}
	return facts
}
