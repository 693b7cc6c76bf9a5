package eventlog

import (
	"errors"
	"fmt"
	"testing"
)

func list(l *Log) string { return fmt.Sprint(l.Checkpoints()) }

func TestUndoToACheckpoint(t *testing.T) {
	l := calls("a")
	checkpoint(t, l, "x")
	l.Append(op("b"), op("c"))
	checkpoint(t, l, "y")
	l.Append(op("d"))

	plan, err := l.PlanUndoTo("x")
	if got := ops(commit(t, l, plan, err)); got != "d c b" || state(l) != "a|bcd" {
		t.Errorf("got %q and %s", got, state(l))
	}
	for _, name := range []string{"x", "y"} {
		var e *AlreadyBeforeError
		_, err := l.PlanUndoTo(name)
		if !errors.As(err, &e) || e.Name != name || err.Error() != fmt.Sprintf("already at or before %q", name) {
			t.Errorf("undo to %s at or after the cursor: %v", name, err)
		}
	}
	if got := redo(t, l, 99); got != "b c d" {
		t.Errorf("redo goes over checkpoints: %q", got)
	}
	plan, err = l.PlanUndoTo("y")
	if got := ops(commit(t, l, plan, err)); got != "d" {
		t.Errorf("a checkpoint reached again by redo: %q", got)
	}
}

func TestUndoToRightAfterTheCheckpointIsAnError(t *testing.T) {
	l := calls("a")
	checkpoint(t, l, "x")
	var e *AlreadyBeforeError
	if _, err := l.PlanUndoTo("x"); !errors.As(err, &e) {
		t.Errorf("got %v", err)
	}
}

func TestUndoToAnUnknownNameListsTheCheckpoints(t *testing.T) {
	l := calls("a")
	_, err := l.PlanUndoTo("nope")
	if want := `no checkpoint "nope"; there are none`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	checkpoint(t, l, "x")
	checkpoint(t, l, "y z")
	_, err = l.PlanUndoTo("X")
	var e *UnknownCheckpointError
	if !errors.As(err, &e) || e.Name != "X" || fmt.Sprintf("%q", e.Known) != `["x" "y z"]` {
		t.Errorf("got %v", err)
	}
	if want := `no checkpoint "X"; there are: x, y z`; err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestAnEmptyNameIsAnError(t *testing.T) {
	l := calls("a b")
	for _, name := range []string{"", " \t"} {
		if err := l.Checkpoint(name); err != ErrEmptyName {
			t.Errorf("checkpoint %q: %v", name, err)
		}
		if _, err := l.PlanUndoTo(name); err != ErrEmptyName {
			t.Errorf("undo to %q: %v", name, err)
		}
		if _, err := l.Since(name); err != ErrEmptyName {
			t.Errorf("since %q: %v", name, err)
		}
	}
	if state(l) != "ab|" || list(l) != "[]" {
		t.Errorf("got %s, %s", state(l), list(l))
	}
}

func TestAnEmptyNameKeepsTheRedoTail(t *testing.T) {
	l := calls("a b")
	undo(t, l, 1)
	_ = l.Checkpoint("")
	if state(l) != "a|b" {
		t.Errorf("got %s", state(l))
	}
}

func TestAppendCutsTheCheckpointsThatPointedIntoTheTail(t *testing.T) {
	l := calls("a")
	checkpoint(t, l, "one")
	l.Append(op("b"))
	checkpoint(t, l, "two")
	l.Append(op("c"))
	checkpoint(t, l, "three")
	undo(t, l, 2)
	if got := list(l); got != "[{one 0} {two -1} {three -2}]" {
		t.Errorf("an undo keeps them: %s", got)
	}
	l.Append(op("x"))
	if got := list(l); got != "[{one 1}]" {
		t.Errorf("an append cuts those in the tail, and keeps the one at the cursor: %s", got)
	}
	var e *UnknownCheckpointError
	if _, err := l.PlanUndoTo("two"); !errors.As(err, &e) {
		t.Errorf("undo to one that was cut: %v", err)
	}
}

func TestACheckpointAfterAnUndoCutsTheRedoTail(t *testing.T) {
	l := calls("a b c")
	checkpoint(t, l, "three")
	undo(t, l, 2)
	checkpoint(t, l, "one")
	if state(l) != "a|" || list(l) != "[{one 0}]" {
		t.Errorf("got %s, %s", state(l), list(l))
	}
	if want := calls("a").Bytes(); l.Bytes() != want {
		t.Errorf("%d bytes, want %d", l.Bytes(), want)
	}
	if _, err := l.PlanRedo(1); err != ErrNothingToRedo {
		t.Errorf("redo: %v", err)
	}
}

func TestANameUsedTwiceMoves(t *testing.T) {
	l := calls("a")
	checkpoint(t, l, "x")
	checkpoint(t, l, "y")
	l.Append(op("b"), op("c"))
	checkpoint(t, l, "x")
	if got := list(l); got != "[{y 2} {x 0}]" {
		t.Errorf("got %s", got)
	}
	l.Append(op("d"))
	plan, err := l.PlanUndoTo("x")
	if got := ops(commit(t, l, plan, err)); got != "d" {
		t.Errorf("undo to the new place: %q", got)
	}
}

func TestSince(t *testing.T) {
	l := calls("a")
	checkpoint(t, l, "x")
	l.Append(op("b"), op("c"))
	checkpoint(t, l, "y")
	l.Append(op("d"))
	check := func(name, want string, undone bool) {
		t.Helper()
		d, err := l.Since(name)
		if err != nil || ops(d.Entries) != want || d.Undone != undone {
			t.Errorf("since %s at %s: %q, undone %v (%v), want %q, %v", name, state(l), ops(d.Entries), d.Undone, err, want, undone)
		}
	}
	check("x", "b c d", false)
	check("y", "d", false)
	undo(t, l, 2)
	check("x", "b", false)
	check("y", "c", true)
	undo(t, l, 1)
	check("x", "", false)
	check("y", "b c", true)
	undo(t, l, 1)
	check("x", "a", true)
	if _, err := l.Since("nope"); err == nil {
		t.Error("an unknown name is no error")
	}
}
