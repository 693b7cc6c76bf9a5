package eventlog

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// op returns an entry with this op, which touched ids.
func op(name string, ids ...string) Entry {
	return Entry{Op: name, IDs: ids, Events: []Event{{Type: "t", Summary: name, IDs: ids, Data: []byte(name)}}}
}

// calls builds a log in which each argument is one call of ops separated by blanks.
func calls(batches ...string) *Log {
	l := new(Log)
	for _, b := range batches {
		var es []Entry
		for _, name := range strings.Fields(b) {
			es = append(es, op(name, name))
		}
		l.Append(es...)
	}
	return l
}

func ops(es []Entry) string {
	var names []string
	for _, e := range es {
		names = append(names, e.Op)
	}
	return strings.Join(names, " ")
}

// state spells the log: applied ops, a bar, the redo tail.
func state(l *Log) string {
	var b strings.Builder
	for i := range l.records {
		if i == l.cursor {
			b.WriteString("|")
		}
		b.WriteString(l.records[i].Op)
	}
	if l.cursor == len(l.records) {
		b.WriteString("|")
	}
	return b.String()
}

// commit commits a plan and returns its entries.
func commit(t testing.TB, l *Log, plan Plan, err error) []Entry {
	t.Helper()
	if err == nil {
		err = l.Commit(plan)
	}
	if err != nil {
		t.Fatal(err)
	}
	return plan.Entries
}

func undo(t testing.TB, l *Log, n int) string {
	t.Helper()
	plan, err := l.PlanUndo(n)
	return ops(commit(t, l, plan, err))
}

func redo(t testing.TB, l *Log, n int) string {
	t.Helper()
	plan, err := l.PlanRedo(n)
	return ops(commit(t, l, plan, err))
}

func checkpoint(t testing.TB, l *Log, name string) {
	t.Helper()
	if err := l.Checkpoint(name); err != nil {
		t.Fatal(err)
	}
}

func TestTheZeroLogIsEmpty(t *testing.T) {
	var l Log
	if l.Len() != 0 || l.Cursor() != 0 || l.Bytes() != 0 || l.Overflow() != 0 || len(l.Checkpoints()) != 0 ||
		l.History(5) != nil || l.Recent(5) != nil || l.Fold(3) != nil {
		t.Errorf("%+v", l)
	}
	if l.Position() != new(Log).Position() {
		t.Error("two empty logs differ in position")
	}
}

func TestAppendIsOneBatchPerCall(t *testing.T) {
	l := calls("a b", "c", "", "d e")
	var got []string
	for e := range l.Applied() {
		got = append(got, fmt.Sprint(e.Op, e.Batch))
	}
	if want := []string{"a1", "b1", "c2", "d3", "e3"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestAppendCutsTheRedoTail(t *testing.T) {
	l := calls("a b c d")
	before := l.Bytes()
	undo(t, l, 2)
	if l.Bytes() != before || l.Len() != 4 || l.Cursor() != 2 {
		t.Errorf("an undo keeps the tail: %s, %d bytes of %d", state(l), l.Bytes(), before)
	}
	l.Append(op("x", "x"))
	if got := state(l); got != "abx|" {
		t.Errorf("got %s", got)
	}
	if want := calls("a b x").Bytes(); l.Bytes() != want {
		t.Errorf("%d bytes, want %d", l.Bytes(), want)
	}
}

func TestAppendingNothingChangesNothing(t *testing.T) {
	l := calls("a b")
	undo(t, l, 1)
	l.Append()
	if got := state(l); got != "a|b" {
		t.Errorf("got %s", got)
	}
	l.Append(op("c"))
	if got := l.History(1)[0].Batch; got != 2 {
		t.Errorf("the call after it is number %d", got)
	}
}

func TestACutTailIsReleased(t *testing.T) {
	l := new(Log)
	for i := range 10_000 {
		l.Append(op(fmt.Sprint(i)))
	}
	tail := l.records[:cap(l.records)]
	undo(t, l, 9_990)
	l.Append(op("x"))
	if !reflect.DeepEqual(tail[100], record{}) {
		t.Error("the array still holds a cut entry")
	}
	if cap(l.records) > 1024 {
		t.Errorf("room for %d entries stays taken by %d", cap(l.records), l.Len())
	}
}

func TestRecent(t *testing.T) {
	l := new(Log)
	l.Append(op("1", "a", "b"), op("2", "c"))
	l.Append(op("3", "b"), op("4"), op("5", "d", "e"))
	for n, want := range map[int]string{-1: "", 0: "", 1: "e", 2: "ed", 3: "edb", 4: "edbc", 5: "edbca", 99: "edbca"} {
		if got := strings.Join(l.Recent(n), ""); got != want {
			t.Errorf("Recent(%d) = %s, want %s", n, got, want)
		}
	}
	undo(t, l, 1)
	checkpoint(t, l, "x")
	if got := strings.Join(l.Recent(2), ""); got != "bc" {
		t.Errorf("before the cursor, over a checkpoint: %s", got)
	}
}

func TestHistory(t *testing.T) {
	l := calls("a b", "c d")
	checkpoint(t, l, "x")
	undo(t, l, 1)
	for n, want := range map[int]string{-1: "", 0: "", 1: "c", 2: "b c", 3: "a b c", 99: "a b c"} {
		if got := ops(l.History(n)); got != want {
			t.Errorf("History(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestAppliedStopsAtTheCursor(t *testing.T) {
	l := calls("a b c")
	undo(t, l, 1)
	if got := ops(slices.Collect(l.Applied())); got != "a b" {
		t.Errorf("got %q", got)
	}
	for e := range l.Applied() {
		if e.Op != "a" {
			t.Error("the iterator goes on after a break")
		}
		break
	}
}

func TestPositions(t *testing.T) {
	l := calls("a", "b")
	empty, saved := new(Log).Position(), l.Position()
	same := func(when string, want bool) {
		t.Helper()
		if got := l.Position() == saved; got != want {
			t.Errorf("%s: at the saved position %v, want %v", when, got, want)
		}
	}
	same("at once", true)
	undo(t, l, 1)
	same("after an undo", false)
	redo(t, l, 1)
	same("after the redo", true)
	l.Append(op("c"))
	same("after an append", false)
	undo(t, l, 1)
	same("after its undo", true)
	checkpoint(t, l, "x")
	same("after a checkpoint", true)
	undo(t, l, 1)
	l.Append(op("d"))
	same("with as many other ops", false)
	undo(t, l, 2)
	if l.Position() != empty {
		t.Error("undone to the start, it differs from an empty log's")
	}
	redo(t, l, 1)
	first := l.Position()
	l.Fold(1)
	if l.Position() != first {
		t.Error("a fold moves the position")
	}
	if l.Position() == empty {
		t.Error("after a fold the start is the baseline's old position")
	}
}

func TestTheCapIsInBytes(t *testing.T) {
	entry := Entry{Op: "x", Events: []Event{{Data: make([]byte, 1000)}}}
	one := cost(entry)
	l := New(10 * one)
	for range 10 {
		l.Append(entry)
	}
	if l.Bytes() != 10*one || l.Overflow() != 0 {
		t.Fatalf("at the cap: %d bytes of %d, overflow %d", l.Bytes(), 10*one, l.Overflow())
	}
	l.Append(entry)
	if got := l.Overflow(); got != 4 {
		t.Errorf("above the cap: fold %d, want 4, down to three quarters", got)
	}
	undo(t, l, 9)
	if got := l.Overflow(); got != 2 {
		t.Errorf("the redo tail cannot be folded: %d, want the 2 applied", got)
	}
	redo(t, l, 9)
	l.Fold(l.Overflow())
	if l.Bytes() != 7*one || l.Overflow() != 0 || l.Len() != 7 || l.Cursor() != 7 {
		t.Errorf("after the fold: %d entries, %d bytes", l.Len(), l.Bytes())
	}
	for _, c := range []int64{0, -1} {
		if l := New(c); l.Overflow() != 0 {
			t.Errorf("New(%d) has no cap", c)
		}
	}
	big := Entry{Events: []Event{{Data: make([]byte, DefaultCap)}}}
	l = new(Log)
	l.Append(op("a"), big)
	if got := l.Overflow(); got != 2 {
		t.Errorf("the default cap: fold %d, want 2", got)
	}
}

func TestEverythingAnEntryHoldsCounts(t *testing.T) {
	base := cost(Entry{})
	for name, e := range map[string]Entry{
		"op":      {Op: strings.Repeat("x", 1000)},
		"ids":     {IDs: []string{strings.Repeat("x", 1000)}},
		"type":    {Events: []Event{{Type: strings.Repeat("x", 1000)}}},
		"summary": {Events: []Event{{Summary: strings.Repeat("x", 1000)}}},
		"data":    {Events: []Event{{Data: make([]byte, 1000)}}},
		"eventid": {Events: []Event{{IDs: []string{strings.Repeat("x", 1000)}}}},
	} {
		if cost(e) < base+1000 {
			t.Errorf("%s: 1000 bytes cost %d", name, cost(e)-base)
		}
	}
}

func TestFold(t *testing.T) {
	l := calls("a b", "c d", "e")
	for _, c := range []struct {
		name string
		back int
	}{{"two", 3}, {"three", 2}} {
		undo(t, l, c.back)
		l.checkpoints = append(l.checkpoints, mark{c.name, l.Cursor()})
		redo(t, l, c.back)
	}
	checkpoint(t, l, "five")
	undo(t, l, 1)

	if got := l.Fold(3); !slices.Equal(got, []string{"two"}) {
		t.Errorf("dropped %q", got)
	}
	if got := state(l); got != "d|e" {
		t.Errorf("got %s", got)
	}
	if got := fmt.Sprint(l.Checkpoints()); got != "[{three 1} {five -1}]" {
		t.Errorf("checkpoints: %s", got)
	}
	if want := calls("d e").Bytes(); l.Bytes() != want {
		t.Errorf("%d bytes, want %d", l.Bytes(), want)
	}
	plan, err := l.PlanUndoTo("three")
	if got := ops(commit(t, l, plan, err)); got != "d" || state(l) != "|de" {
		t.Errorf("undo to the baseline: %q, %s", got, state(l))
	}
	redo(t, l, 2)
	if got := l.Fold(99); !slices.Equal(got, []string{"three"}) || state(l) != "|" {
		t.Errorf("a fold of more than there is: dropped %q, left %s", got, state(l))
	}
	if _, err := l.PlanUndo(1); err != ErrNothingToUndo {
		t.Errorf("undo of what was folded: %v", err)
	}
	l.Append(op("f"))
	if got := l.History(1)[0].Batch; got != 4 {
		t.Errorf("calls are numbered on: %d", got)
	}
}

func TestFoldReleasesWhatItRemoves(t *testing.T) {
	l := calls("a b c")
	held := l.records
	l.Fold(2)
	if !reflect.DeepEqual(held[:2], make([]record, 2)) {
		t.Error("the array still holds folded entries")
	}
}

func TestAPositionIsFoundWhereverTheCursorIs(t *testing.T) {
	l := calls("a b", "c", "d")
	start, afterB := l.At(0), l.At(2)
	p, err := l.PlanUndo(2)
	commit(t, l, p, err)
	if got := l.Position(); got != afterB {
		t.Errorf("undone to %v, want %v", got, afterB)
	}
	for n := range 5 {
		if got, ok := l.Find(l.At(n)); got != n || !ok {
			t.Errorf("the state after %d entries is found at %d, %v", n, got, ok)
		}
	}
	if l.At(99) != l.At(4) || l.At(-1) != start {
		t.Error("beyond the ends there is another state")
	}
	cut := l.At(4)
	l.Append(op("e"))
	if _, ok := l.Find(cut); ok {
		t.Error("a state that was cut is found")
	}
	if _, ok := l.Find(Nowhere()); ok || l.Position() == Nowhere() {
		t.Error("nowhere is somewhere")
	}
	l.Fold(2)
	if n, ok := l.Find(afterB); n != 0 || !ok {
		t.Errorf("the folded state is found at %d, %v", n, ok)
	}
	if _, ok := l.Find(start); ok {
		t.Error("a state before the baseline is found")
	}
}

func TestAllHoldsTheRedoTail(t *testing.T) {
	l := calls("a b", "c")
	p, err := l.PlanUndo(2)
	commit(t, l, p, err)
	if got := ops(slices.Collect(l.All())); got != "a b c" {
		t.Errorf("all are %q", got)
	}
}

func TestASmallerCapAsksForAFold(t *testing.T) {
	l := calls("a b c d")
	if n := l.Overflow(); n != 0 {
		t.Fatalf("%d entries overflow the default cap", n)
	}
	l.SetCap(l.Bytes() / 2)
	if n := l.Overflow(); n < 2 {
		t.Errorf("%d entries overflow half of their size", n)
	}
}
