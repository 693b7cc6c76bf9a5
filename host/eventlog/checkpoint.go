package eventlog

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrEmptyName: a checkpoint without a name.
var ErrEmptyName = errors.New("a checkpoint needs a name")

// UnknownCheckpointError: no checkpoint of that name, or it was cut or folded.
type UnknownCheckpointError struct {
	Name  string
	Known []string // sorted by state, oldest first
}

func (e *UnknownCheckpointError) Error() string {
	if len(e.Known) == 0 {
		return fmt.Sprintf("no checkpoint %.128q; there are none", e.Name)
	}
	return fmt.Sprintf("no checkpoint %.128q; there are: %s", e.Name, strings.Join(e.Known, ", "))
}

// AlreadyBeforeError: the checkpoint to undo to is at or after the cursor.
type AlreadyBeforeError struct{ Name string }

func (e *AlreadyBeforeError) Error() string { return fmt.Sprintf("already at or before %q", e.Name) }

// Checkpoint is a named state.
type Checkpoint struct {
	Name string
	// Ago is how many ops were applied since. It is negative for a checkpoint in the redo tail: -Ago ops lead to it.
	Ago int
}

// mark is how the log stores a checkpoint: a name for the state after the first at entries.
type mark struct {
	name string
	at   int
}

// Checkpoint names the current state and, like an append, cuts the redo tail. An existing name moves here. For a blank
// name the error is [ErrEmptyName].
func (l *Log) Checkpoint(name string) error {
	if strings.TrimSpace(name) == "" {
		return ErrEmptyName
	}
	l.cutTail()
	l.version++
	l.checkpoints = slices.DeleteFunc(l.checkpoints, func(c mark) bool { return c.name == name })
	l.checkpoints = append(l.checkpoints, mark{name, l.cursor})
	return nil
}

// Checkpoints returns them sorted by state, oldest first.
func (l *Log) Checkpoints() []Checkpoint {
	list := make([]Checkpoint, 0, len(l.checkpoints))
	for _, c := range l.checkpoints {
		list = append(list, Checkpoint{Name: c.name, Ago: l.cursor - c.at})
	}
	return list
}

// Diff is the difference between a checkpoint and the current state.
type Diff struct {
	// Entries are oldest first.
	Entries []Entry
	// Undone: the checkpoint lies after the cursor, and Entries are those of the redo tail that lead to it. Otherwise
	// Entries were applied since the checkpoint.
	Undone bool
}

// Since returns the difference between the checkpoint and the current state. Its errors are [ErrEmptyName] and
// [*UnknownCheckpointError].
func (l *Log) Since(name string) (Diff, error) {
	at, err := l.find(name)
	if err != nil {
		return Diff{}, err
	}
	return l.since(at), nil
}

// SincePosition returns the difference between position p and the current state, and whether the log still has p.
func (l *Log) SincePosition(p Position) (Diff, bool) {
	at, ok := l.Find(p)
	if !ok {
		return Diff{}, false
	}
	return l.since(at), true
}

func (l *Log) since(at int) Diff {
	from, to := min(at, l.cursor), max(at, l.cursor)
	return Diff{Entries: copies(l.records[from:to]), Undone: at > l.cursor}
}

func (l *Log) find(name string) (int, error) {
	if strings.TrimSpace(name) == "" {
		return 0, ErrEmptyName
	}
	for _, c := range l.checkpoints {
		if c.name == name {
			return c.at, nil
		}
	}
	known := make([]string, len(l.checkpoints))
	for i, c := range l.checkpoints {
		known[i] = c.name
	}
	return 0, &UnknownCheckpointError{Name: name, Known: known}
}
