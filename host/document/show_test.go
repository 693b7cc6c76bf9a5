package document

import (
	"fmt"
	"slices"
	"testing"

	"github.com/fcp-host/fcp-host/host/eventlog"
)

func TestALongHistoryIsShownByItsEnd(t *testing.T) {
	d := &Document{history: history{log: &eventlog.Log{}}}
	ids := slices.Repeat([]string{"x"}, 2*maxTouch)
	for n := range 2*maxCalls + 50 { // of three ops each
		var call []eventlog.Entry
		for k := range 3 {
			call = append(call, eventlog.Entry{Op: fmt.Sprintf("op %d.%d", n, k), IDs: ids, Events: []eventlog.Event{{Type: "t"}}})
		}
		d.log.Append(call...)
	}
	plan, err := d.log.PlanUndo(4)
	if err != nil || d.log.Commit(plan) != nil {
		t.Fatal(err)
	}
	r := d.calls()
	first, last := r.Calls[0], r.Calls[maxCalls-1]
	if len(r.Calls) != maxCalls || r.Before != maxCalls+50 || r.At != 3*(2*maxCalls+50)-4 || first.At != 3*(maxCalls+51) || !slices.Equal(first.Ops, []string{"op 250.0", "op 250.1", "op 250.2"}) || len(first.IDs) != maxTouch {
		t.Errorf("%d calls behind %d, %d applied, from %d: %q", len(r.Calls), r.Before, r.At, first.At, first.Ops)
	}
	if last.At != 3*(2*maxCalls+50) || !last.Gone || r.Calls[maxCalls-2].Gone || r.Calls[maxCalls-2].At != last.At-3 {
		t.Errorf("the end is %+v", r.Calls[maxCalls-2:])
	}
	short := &Document{history: history{log: &eventlog.Log{}}}
	short.log.Append(eventlog.Entry{Op: "one"})
	if r := short.calls(); len(r.Calls) != 1 || r.Before != 0 || r.Calls[0].At != 1 {
		t.Errorf("a short history is %+v", r)
	}
	if r := (&Document{history: history{log: &eventlog.Log{}}}).calls(); len(r.Calls) != 0 || r.Before != 0 {
		t.Errorf("no history is %+v", r)
	}
}
