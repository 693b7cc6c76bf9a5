package pdktest

import (
	"slices"

	"github.com/fcp-host/fcp-host/abi"
)

// step is one op that succeeded.
type step struct {
	op     string
	events []abi.Event
	ids    []string
}

// Undo undoes the last n ops.
func (d *Doc) Undo(n int) {
	d.t.Helper()
	if n < 1 || n > d.done {
		d.t.Fatalf("undo %d: the history has %d ops", n, d.done)
	}
	d.move(abi.ExportReverse, newestFirst(d.log[d.done-n:d.done]))
	d.done -= n
}

// Redo redoes the next n undone ops.
func (d *Doc) Redo(n int) {
	d.t.Helper()
	if n < 1 || n > len(d.log)-d.done {
		d.t.Fatalf("redo %d: the history has %d undone ops", n, len(d.log)-d.done)
	}
	d.move(abi.ExportReplay, oldestFirst(d.log[d.done:d.done+n]))
	d.done += n
}

// move reverses or replays events.
func (d *Doc) move(export string, events []abi.Event) {
	d.t.Helper()
	if len(events) == 0 {
		return
	}
	var out abi.StateResponse
	d.must(export, &abi.EventsRequest{Events: events}, &out)
	d.state = out.State
	d.checkState()
}

// recent lists the ids touched, newest first, as the host sends them.
func (d *Doc) recent() []string {
	var out []string
	seen := map[string]bool{}
	for i := d.done - 1; i >= 0; i-- {
		for _, id := range slices.Backward(d.log[i].ids) {
			if !seen[id] {
				seen[id] = true
				out = append(out, id)
			}
		}
	}
	return out
}

func newestFirst(steps []step) []abi.Event {
	out := oldestFirst(steps)
	slices.Reverse(out)
	return out
}

func oldestFirst(steps []step) []abi.Event {
	var out []abi.Event
	for _, s := range steps {
		out = append(out, s.events...)
	}
	return out
}
