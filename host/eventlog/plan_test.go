package eventlog

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestUndoAndRedo(t *testing.T) {
	l := calls("a b", "c d")
	steps := []struct {
		name string
		move func(testing.TB, *Log, int) string
		n    int
		want string
		then string
	}{
		{"undo takes the newest", undo, 1, "d", "abc|d"},
		{"undo N counts ops, newest first", undo, 2, "c b", "a|bcd"},
		{"redo brings back the oldest undone", redo, 1, "b", "ab|cd"},
		{"redo N counts ops, oldest first", redo, 2, "c d", "abcd|"},
		{"undo of more than there is undoes what there is", undo, 99, "d c b a", "|abcd"},
		{"redo of more than there is redoes what there is", redo, 99, "a b c d", "abcd|"},
	}
	for _, s := range steps {
		if got := s.move(t, l, s.n); got != s.want || state(l) != s.then {
			t.Errorf("%s: got %q and %s, want %q and %s", s.name, got, state(l), s.want, s.then)
		}
	}
}

func TestCheckpointsAreSkippedWithoutCounting(t *testing.T) {
	l := calls("a")
	checkpoint(t, l, "x")
	l.Append(op("b"))
	checkpoint(t, l, "y")
	checkpoint(t, l, "z")
	if got := undo(t, l, 1); got != "b" {
		t.Errorf("undo over two checkpoints: %q", got)
	}
	if got := undo(t, l, 1); got != "a" {
		t.Errorf("undo over another: %q", got)
	}
	if got := redo(t, l, 2); got != "a b" {
		t.Errorf("redo over them all: %q", got)
	}
	if l.Len() != 2 {
		t.Errorf("checkpoints count as %d entries", l.Len()-2)
	}
}

func TestUndoOfAnOpUndoesAllItsEvents(t *testing.T) {
	l := new(Log)
	l.Append(
		Entry{Op: "one", Events: []Event{{Type: "1a"}, {Type: "1b"}}},
		Entry{Op: "two", Events: []Event{{Type: "2a"}, {Type: "2b"}, {Type: "2c"}}},
		Entry{Op: "none"},
	)
	types := func(p Plan, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for ev := range p.Events() {
			got = append(got, ev.Type)
		}
		return strings.Join(got, " ")
	}
	if got := types(l.PlanUndo(2)); got != "2c 2b 2a" {
		t.Errorf("undo reverses the newest event first: %s", got)
	}
	if got := types(l.PlanUndo(3)); got != "2c 2b 2a 1b 1a" {
		t.Errorf("over ops: %s", got)
	}
	undo(t, l, 3)
	if got := types(l.PlanRedo(3)); got != "1a 1b 2a 2b 2c" {
		t.Errorf("redo replays the oldest event first: %s", got)
	}
	plan, _ := l.PlanRedo(3)
	for ev := range plan.Events() {
		if ev.Type != "1a" {
			t.Error("the iterator goes on after a break")
		}
		break
	}
}

func TestCounts(t *testing.T) {
	l := calls("a b")
	undo(t, l, 1)
	for _, n := range []int{0, -1} {
		var e *CountError
		if _, err := l.PlanUndo(n); !errors.As(err, &e) || e.N != n || !strings.Contains(err.Error(), "1 or more") {
			t.Errorf("undo %d: %v", n, err)
		}
		if _, err := l.PlanRedo(n); !errors.As(err, &e) {
			t.Errorf("redo %d: %v", n, err)
		}
	}
	if state(l) != "a|b" {
		t.Errorf("got %s", state(l))
	}
}

func TestNothingToUndoOrRedo(t *testing.T) {
	l := new(Log)
	if _, err := l.PlanUndo(1); err != ErrNothingToUndo {
		t.Errorf("undo: %v", err)
	}
	if _, err := l.PlanUndoBatch(); err != ErrNothingToUndo {
		t.Errorf("undo batch: %v", err)
	}
	if _, err := l.PlanRedo(1); err != ErrNothingToRedo {
		t.Errorf("redo: %v", err)
	}
	l = calls("a")
	if _, err := l.PlanRedo(1); err != ErrNothingToRedo {
		t.Errorf("redo at the end: %v", err)
	}
	undo(t, l, 1)
	if _, err := l.PlanUndo(1); err != ErrNothingToUndo {
		t.Errorf("undo at the start: %v", err)
	}
}

func TestUndoBatchUndoesTheLastCall(t *testing.T) {
	l := calls("a b", "c d e", "f")
	for _, want := range []string{"f", "e d c"} {
		plan, err := l.PlanUndoBatch()
		if got := ops(commit(t, l, plan, err)); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	redo(t, l, 2)
	plan, err := l.PlanUndoBatch()
	if got := ops(commit(t, l, plan, err)); got != "d c" {
		t.Errorf("what is applied of a call: %q", got)
	}
	l.Append(op("x"))
	plan, err = l.PlanUndoBatch()
	if got := ops(commit(t, l, plan, err)); got != "x" {
		t.Errorf("a call after an undo: %q", got)
	}
	plan, err = l.PlanUndoBatch()
	if got := ops(commit(t, l, plan, err)); got != "b a" || l.Cursor() != 0 {
		t.Errorf("the first call: %q", got)
	}
}

func TestAPlanMovesNothing(t *testing.T) {
	l := calls("a b")
	if _, err := l.PlanUndo(1); err != nil {
		t.Fatal(err)
	}
	if state(l) != "ab|" {
		t.Errorf("got %s", state(l))
	}
}

func TestAStalePlanIsRefused(t *testing.T) {
	changes := map[string]func(*Log){
		"append":     func(l *Log) { l.Append(op("x")) },
		"checkpoint": func(l *Log) { checkpoint(t, l, "x") },
		"fold":       func(l *Log) { l.Fold(1) },
		"undo":       func(l *Log) { undo(t, l, 1) },
	}
	for name, change := range changes {
		l := calls("a b c")
		plan, err := l.PlanUndo(1)
		if err != nil {
			t.Fatal(err)
		}
		change(l)
		before := state(l)
		if err := l.Commit(plan); err != ErrStalePlan || state(l) != before {
			t.Errorf("after %s: %v, %s", name, err, state(l))
		}
	}
	l := calls("a b c")
	plan, _ := l.PlanUndo(1)
	if err := l.Commit(plan); err != nil {
		t.Fatal(err)
	}
	if err := l.Commit(plan); err != ErrStalePlan || state(l) != "ab|c" {
		t.Errorf("twice: %v, %s", err, state(l))
	}
	if err := new(Log).Commit(Plan{}); err != ErrStalePlan {
		t.Errorf("a plan of nothing: %v", err)
	}
}

func TestAPlanKeepsItsEntries(t *testing.T) {
	l := calls("a b c")
	plan, err := l.PlanUndo(2)
	commit(t, l, plan, err)
	l.Append(op("x"), op("y"))
	l.Fold(3)
	if got := ops(plan.Entries); got != "c b" {
		t.Errorf("after the log moved on: %q", got)
	}
	if !slices.Equal(plan.Entries[0].IDs, []string{"c"}) {
		t.Errorf("ids %q", plan.Entries[0].IDs)
	}
}
