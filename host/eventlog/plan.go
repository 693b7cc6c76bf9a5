package eventlog

import (
	"errors"
	"fmt"
	"iter"
	"slices"
)

var (
	// ErrNothingToUndo: no entry is applied.
	ErrNothingToUndo = errors.New("nothing to undo")
	// ErrNothingToRedo: there is no redo tail.
	ErrNothingToRedo = errors.New("nothing to redo")
	// ErrStalePlan: the log changed after the plan was made; make a new one.
	ErrStalePlan = errors.New("the log changed since the undo or redo was planned")
)

// CountError: an undo or redo of fewer than one op.
type CountError struct{ N int }

func (e *CountError) Error() string { return fmt.Sprintf("a count must be 1 or more, not %d", e.N) }

// Plan is a move of the cursor that is not done yet. It has at least one entry.
type Plan struct {
	// Entries are those to reverse (undo), newest first, or to replay (redo), oldest first. There may be fewer than
	// asked for, if the log has no more.
	Entries []Entry
	// Redo is false for an undo.
	Redo bool

	target  int
	version uint64
}

// Events iterates over the plan's events in the order in which to reverse or replay them.
func (p Plan) Events() iter.Seq[Event] {
	return func(yield func(Event) bool) {
		for _, e := range p.Entries {
			for i := range e.Events {
				if !p.Redo {
					i = len(e.Events) - 1 - i
				}
				if !yield(e.Events[i]) {
					return
				}
			}
		}
	}
}

// PlanUndo plans to undo the last n applied ops, or all if there are fewer. Its errors are [*CountError] and
// [ErrNothingToUndo].
func (l *Log) PlanUndo(n int) (Plan, error) {
	if n < 1 {
		return Plan{}, &CountError{n}
	}
	if l.cursor == 0 {
		return Plan{}, ErrNothingToUndo
	}
	return l.undoPlan(max(0, l.cursor-n)), nil
}

// PlanUndoBatch plans to undo the ops of the last call that are still applied. Its error is [ErrNothingToUndo].
func (l *Log) PlanUndoBatch() (Plan, error) {
	if l.cursor == 0 {
		return Plan{}, ErrNothingToUndo
	}
	at := l.cursor - 1
	for batch := l.records[at].Batch; at > 0 && l.records[at-1].Batch == batch; {
		at--
	}
	return l.undoPlan(at), nil
}

// PlanUndoTo plans to undo everything after the checkpoint. Its errors are [ErrEmptyName], [*UnknownCheckpointError]
// and [*AlreadyBeforeError].
func (l *Log) PlanUndoTo(name string) (Plan, error) {
	at, err := l.find(name)
	if err != nil {
		return Plan{}, err
	}
	if at >= l.cursor {
		return Plan{}, &AlreadyBeforeError{name}
	}
	return l.undoPlan(at), nil
}

// PlanRedo plans to redo the next n ops of the redo tail, or all if there are fewer. Its errors are [*CountError] and
// [ErrNothingToRedo].
func (l *Log) PlanRedo(n int) (Plan, error) {
	if n < 1 {
		return Plan{}, &CountError{n}
	}
	tail := len(l.records) - l.cursor
	if tail == 0 {
		return Plan{}, ErrNothingToRedo
	}
	target := l.cursor + min(n, tail)
	return Plan{
		Entries: copies(l.records[l.cursor:target]),
		Redo:    true, target: target, version: l.version,
	}, nil
}

func (l *Log) undoPlan(target int) Plan {
	undone := copies(l.records[target:l.cursor])
	slices.Reverse(undone)
	return Plan{Entries: undone, target: target, version: l.version}
}

// Commit moves the cursor as planned. If the log changed since, it moves nothing and returns [ErrStalePlan].
func (l *Log) Commit(p Plan) error {
	if p.version != l.version || len(p.Entries) == 0 {
		return ErrStalePlan
	}
	l.version++
	l.cursor = p.target
	return nil
}
