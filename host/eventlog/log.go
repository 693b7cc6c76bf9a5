package eventlog

import (
	"cmp"
	"iter"
	"slices"
)

// DefaultCap is the bound on a log's size in bytes if New gets none: 100,000 ops of 2.5 KB each, a small part of a
// desktop's memory.
const DefaultCap int64 = 256 << 20

// entryOverhead and eventOverhead are what an entry and an event cost in bytes beyond their texts and data: string and
// slice headers, rounded up.
const (
	entryOverhead = 160
	eventOverhead = 112
	idOverhead    = 16
)

// Event is one change to the domain's model.
type Event struct {
	Type    string   // the domain's name for the kind of change
	Summary string   // one line for people
	IDs     []string // the elements it touched
	Data    []byte   // opaque: what the domain needs to reverse and replay it
}

// Entry is one op with its events.
type Entry struct {
	Batch  uint64   // the number of the call it belongs to; Append sets it
	Op     string   // the op as the user wrote it
	Events []Event  // in order
	IDs    []string // the elements the op touched, without duplicates, in order
}

// record is how the log stores an entry.
type record struct {
	Entry
	serial uint64 // unique in the log; identifies the state after this entry
	cost   int64  // bytes
}

// Log is a linear history with a cursor: the entries before the cursor are applied, those after it are the redo tail.
// The zero value is an empty log with the default cap.
type Log struct {
	cap         int64
	records     []record
	cursor      int // number of applied entries
	bytes       int64
	base        uint64 // serial of the newest folded entry
	serial      uint64 // the last one assigned
	batch       uint64 // the last one assigned
	version     uint64 // counts changes; makes older plans stale
	checkpoints []mark // sorted by at
}

// New returns an empty log. Beyond capBytes, Overflow asks for a fold; 0 or less means DefaultCap.
func New(capBytes int64) *Log { return &Log{cap: capBytes} }

// SetCap changes the cap; 0 or less means DefaultCap. Call Overflow for how much to fold.
func (l *Log) SetCap(capBytes int64) { l.cap = capBytes }

// Append commits the entries of one call as one batch: it cuts the redo tail and the checkpoints in it, and inserts the
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

// cutTail drops the redo tail and the checkpoints in it.
func (l *Log) cutTail() {
	if l.cursor == len(l.records) {
		return
	}
	for i := range l.records[l.cursor:] {
		l.bytes -= l.records[l.cursor+i].cost
	}
	clear(l.records[l.cursor:])
	l.records = l.records[:l.cursor]
	// After a long undo most of the array would stay unused: shrink it.
	if cap(l.records) > 1024 && cap(l.records) > 4*len(l.records) {
		l.records = slices.Clone(l.records)
	}
	for n := len(l.checkpoints); n > 0 && l.checkpoints[n-1].at > l.cursor; n-- {
		l.checkpoints = l.checkpoints[:n-1]
	}
}

// Len returns the number of entries, including the redo tail.
func (l *Log) Len() int { return len(l.records) }

// Cursor returns the number of applied entries: how many ops can be undone.
func (l *Log) Cursor() int { return l.cursor }

// Version counts the changes of the log, including moves of the cursor and of checkpoints.
func (l *Log) Version() uint64 { return l.version }

// Bytes returns the size that the cap bounds, including the redo tail.
func (l *Log) Bytes() int64 { return l.bytes }

// Growth returns by how many bytes Append(entries...) would change the log's size: their own size, less that of the
// redo tail it cuts.
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

// Batches returns the number of calls that have entries in the log.
func (l *Log) Batches() (n int) {
	for i := range l.records {
		if i == 0 || l.records[i].Batch != l.records[i-1].Batch {
			n++
		}
	}
	return n
}

// History returns the last n applied entries, or all if there are fewer, newest last.
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

// Position identifies a state of the document. Two positions of one log are equal if and only if their states are:
// undoing restores an earlier position, and entries appended after an undo get new ones. Compare with ==.
type Position struct{ serial uint64 }

// Position returns the position of the current state.
func (l *Log) Position() Position {
	if l.cursor == 0 {
		return Position{l.base}
	}
	return Position{l.records[l.cursor-1].serial}
}

// Nowhere returns a position that no log ever has.
func Nowhere() Position { return Position{^uint64(0)} }

// At returns the position after the first n entries, including the redo tail; past the end, that of the last entry.
func (l *Log) At(n int) Position {
	if n = min(n, len(l.records)); n <= 0 {
		return Position{l.base}
	}
	return Position{l.records[n-1].serial}
}

// Find returns how many entries, including the redo tail, lead to position p, and whether the log still has it.
func (l *Log) Find(p Position) (n int, ok bool) {
	if p.serial == l.base {
		return 0, true
	}
	// Serials are ascending.
	n, ok = slices.BinarySearchFunc(l.records, p.serial, func(r record, serial uint64) int { return cmp.Compare(r.serial, serial) })
	return n + 1, ok
}

// Overflow returns how many of the oldest applied entries to fold; 0 while the log is within its cap. A fold writes a
// new baseline, which costs much, so Overflow asks for enough to shrink to three quarters of the cap. The redo tail
// cannot be folded: after a large undo the log may stay above its cap until the next append.
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

// Fold removes the n oldest applied entries (at most all of them), which must be part of the baseline by now. It
// returns the names of the checkpoints that it dropped with them.
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
	clear(l.records[:n]) // let their contents be collected: the array stays until the next growth
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

// Clear drops all entries and checkpoints, and changes the position.
func (l *Log) Clear() {
	l.version++
	l.serial++
	l.base = l.serial
	l.records, l.checkpoints = nil, nil
	l.cursor, l.bytes = 0, 0
}

// copies returns the entries of rs; nil for none.
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

// cost returns how many bytes an entry counts against the cap.
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
