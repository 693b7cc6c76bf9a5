package eventlog

import (
	"cmp"
	"iter"
	"slices"
)

// DefaultCap is the bound on a log's size in bytes where New is given none: 100,000 ops of 2.5 KB each, and still a
// small part of a desktop's memory.
const DefaultCap int64 = 256 << 20

// entryOverhead is what an entry costs beyond its texts and data, and eventOverhead an event, in bytes: headers of the
// strings and slices, rounded up.
const (
	entryOverhead = 160
	eventOverhead = 112
	idOverhead    = 16
)

// Event is one change to the domain's model.
type Event struct {
	Type    string   // the domain's name for it
	Summary string   // one line for people
	IDs     []string // what it touched
	Data    []byte   // the domain's own: all that reverse and replay need
}

// Entry is one op with its events.
type Entry struct {
	Batch  uint64   // number of the call that it belongs to; Append sets it
	Op     string   // the op as the user wrote it
	Events []Event  // in the order they happened
	IDs    []string // what the op touched, each once, in order
}

// record is an entry as the log keeps it.
type record struct {
	Entry
	serial uint64 // never used twice in a log; names the state that the document is in after this entry
	cost   int64  // bytes
}

// Log is a linear history with a cursor: the entries before it are applied, those behind it are the redo tail. The zero
// value is an empty log with the default cap.
type Log struct {
	cap         int64
	records     []record
	cursor      int // number of applied entries
	bytes       int64
	base        uint64 // serial of the last entry that was folded
	serial      uint64 // last one given out
	batch       uint64 // last one given out
	version     uint64 // counts changes, so that a plan knows whether it is stale
	checkpoints []mark // ascending by at
}

// New returns an empty log that asks to be folded beyond capBytes; 0 or less means DefaultCap.
func New(capBytes int64) *Log { return &Log{cap: capBytes} }

// SetCap bounds the log anew; 0 or less means DefaultCap. What is beyond it is Overflow's to say.
func (l *Log) SetCap(capBytes int64) { l.cap = capBytes }

// Append commits the entries of one call as one batch: it cuts the redo tail with the checkpoints in it, and puts the
// entries at the cursor. Without entries it does nothing.
func (l *Log) Append(entries ...Entry) {
	if len(entries) == 0 {
		return
	}
	l.cutTail()
	l.version++
	l.batch++
	l.records = slices.Grow(l.records, len(entries))
	for _, e := range entries {
		e.Batch = l.batch
		l.serial++
		r := record{Entry: e, serial: l.serial, cost: cost(e)}
		l.records = append(l.records, r)
		l.bytes += r.cost
	}
	l.cursor = len(l.records)
}

// cutTail drops the redo tail, and the checkpoints that point into it.
func (l *Log) cutTail() {
	if l.cursor == len(l.records) {
		return
	}
	for i := range l.records[l.cursor:] {
		l.bytes -= l.records[l.cursor+i].cost
	}
	clear(l.records[l.cursor:])
	l.records = l.records[:l.cursor]
	// After a long undo most of the array would stay empty: let it go.
	if cap(l.records) > 1024 && cap(l.records) > 4*len(l.records) {
		l.records = slices.Clone(l.records)
	}
	for n := len(l.checkpoints); n > 0 && l.checkpoints[n-1].at > l.cursor; n-- {
		l.checkpoints = l.checkpoints[:n-1]
	}
}

// Len is the number of entries, the redo tail included.
func (l *Log) Len() int { return len(l.records) }

// Cursor is the number of applied entries: how many ops can be undone.
func (l *Log) Cursor() int { return l.cursor }

// Version counts the changes of the log, the moves of its cursor and its checkpoints included.
func (l *Log) Version() uint64 { return l.version }

// Bytes is the size that the cap bounds, the redo tail included.
func (l *Log) Bytes() int64 { return l.bytes }

// Growth is how much larger entries make the log when they are appended: less than their own size where they cut a redo tail.
func (l *Log) Growth(entries ...Entry) (n int64) {
	for i := range l.records[l.cursor:] {
		n -= l.records[l.cursor+i].cost
	}
	for _, e := range entries {
		n += cost(e)
	}
	return n
}

// Applied iterates over the applied entries, oldest first: the ops that lead from the baseline to the current state.
func (l *Log) Applied() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for i := range l.cursor {
			if !yield(l.records[i].Entry) {
				return
			}
		}
	}
}

// All iterates over all entries, oldest first: the applied ones, then the redo tail.
func (l *Log) All() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for i := range l.records {
			if !yield(l.records[i].Entry) {
				return
			}
		}
	}
}

// Batches is how many calls the entries are of.
func (l *Log) Batches() (n int) {
	for i := range l.records {
		if i == 0 || l.records[i].Batch != l.records[i-1].Batch {
			n++
		}
	}
	return n
}

// History returns the last n applied entries, newest last, or all of them where there are fewer.
func (l *Log) History(n int) []Entry {
	return copies(l.records[l.cursor-max(0, min(n, l.cursor)) : l.cursor])
}

// Recent returns the last n distinct ids that applied entries touched, newest first.
func (l *Log) Recent(n int) []string {
	if n < 1 {
		return nil
	}
	var ids []string
	seen := map[string]bool{}
	for i := l.cursor - 1; i >= 0; i-- {
		for _, id := range slices.Backward(l.records[i].IDs) {
			if seen[id] {
				continue
			}
			seen[id] = true
			if ids = append(ids, id); len(ids) == n {
				return ids
			}
		}
	}
	return ids
}

// Position identifies a state of the document. Positions of one log are equal if and only if the states are: undo back
// to a position equals it again, and what is appended after an undo never does. Compare with ==.
type Position struct{ serial uint64 }

// Position returns the current state's.
func (l *Log) Position() Position {
	if l.cursor == 0 {
		return Position{l.base}
	}
	return Position{l.records[l.cursor-1].serial}
}

// Nowhere is a position that no log ever has.
func Nowhere() Position { return Position{^uint64(0)} }

// At returns the position of the state that the first n entries lead to, the redo tail counted; n beyond the log means all
// of it.
func (l *Log) At(n int) Position {
	if n = min(n, len(l.records)); n <= 0 {
		return Position{l.base}
	}
	return Position{l.records[n-1].serial}
}

// Find returns how many entries lead to the position p, the redo tail counted, and whether the log still has it.
func (l *Log) Find(p Position) (n int, ok bool) {
	if p.serial == l.base {
		return 0, true
	}
	// Serials ascend.
	n, ok = slices.BinarySearchFunc(l.records, p.serial, func(r record, serial uint64) int { return cmp.Compare(r.serial, serial) })
	return n + 1, ok
}

// Overflow says how many of the oldest applied entries to fold, 0 while the log is within its cap. Since a fold means
// writing a new baseline, it asks for enough to come down to three quarters of the cap. The redo tail cannot be folded,
// so after a large undo the log may stay above its cap until the next append.
func (l *Log) Overflow() int {
	limit := l.cap
	if limit <= 0 {
		limit = DefaultCap
	}
	if l.bytes <= limit {
		return 0
	}
	n := 0
	for size := l.bytes; n < l.cursor && size > limit/4*3; n++ {
		size -= l.records[n].cost
	}
	return n
}

// Fold removes the n oldest applied entries (at most all of them) once they are part of the baseline, and returns the
// names of the checkpoints before that, which are gone with them.
func (l *Log) Fold(n int) (dropped []string) {
	n = max(0, min(n, l.cursor))
	if n == 0 {
		return nil
	}
	l.version++
	l.base = l.records[n-1].serial
	for i := range l.records[:n] {
		l.bytes -= l.records[i].cost
	}
	clear(l.records[:n]) // the array lives on until the next growth; what it held need not
	l.records = l.records[n:]
	l.cursor -= n
	kept := l.checkpoints[:0]
	for _, c := range l.checkpoints {
		if c.at < n {
			dropped = append(dropped, c.name)
			continue
		}
		kept = append(kept, mark{c.name, c.at - n})
	}
	clear(l.checkpoints[len(kept):])
	l.checkpoints = kept
	return dropped
}

// Clear drops all entries and checkpoints. The position is another one then.
func (l *Log) Clear() {
	l.version++
	l.serial++
	l.base = l.serial
	l.records, l.checkpoints = nil, nil
	l.cursor, l.bytes = 0, 0
}

// copies returns the entries of rs, nil for none.
func copies(rs []record) []Entry {
	if len(rs) == 0 {
		return nil
	}
	es := make([]Entry, len(rs))
	for i := range rs {
		es[i] = rs[i].Entry
	}
	return es
}

// cost is what an entry counts against the cap.
func cost(e Entry) int64 {
	n := entryOverhead + len(e.Op) + idsCost(e.IDs)
	for _, ev := range e.Events {
		n += eventOverhead + len(ev.Type) + len(ev.Summary) + len(ev.Data) + idsCost(ev.IDs)
	}
	return int64(n)
}

func idsCost(ids []string) int {
	n := 0
	for _, id := range ids {
		n += idOverhead + len(id)
	}
	return n
}
