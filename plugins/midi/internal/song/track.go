package song

import (
	"iter"
	"slices"

	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
)

// TrackID identifies a track for the life of the document.
type TrackID uint32

// Track is one MTrk chunk.
type Track struct {
	ID        TrackID
	Conductor bool // the first track of a format 1 file that was opened without channel messages: it holds no notes

	events list
	end    smf.End
	tail   []byte
	notes  int
	marks  [markKinds]int // number of events of each timeline kind
	cursor Cursor
	own    timeline // for format 2, in which each track has its own time

	version uint64 // incremented by every change
	facts   structure

	program    *Event // the first program change, valid if programmed is set
	programmed bool
}

// newTrack returns an empty track that is not yet among the parts.
func (s *Song) newTrack(id TrackID) *Track { return &Track{ID: id, events: list{song: s}} }

// Cursor is the last note added to a track: "+" and "+DUR" count from it.
type Cursor struct {
	Start, End int64
	Set        bool
}

// Cursor returns the last note added.
func (t *Track) Cursor() Cursor { return t.cursor }

// Events yields the track's events in order.
func (t *Track) Events() iter.Seq[*Event] { return t.events.all() }

// EventsFrom yields the events at tick and later.
func (t *Track) EventsFrom(tick int64) iter.Seq[*Event] { return t.events.from(t.events.lower(tick)) }

// Between yields the events at from and later, but before to. Loops over it are small, and a little slower than those
// over EventsFrom.
//
//go:noinline
func (t *Track) Between(from, to int64) iter.Seq[*Event] {
	return func(yield func(*Event) bool) {
		for e := range t.EventsFrom(from) {
			if e.Tick >= to || !yield(e) {
				return
			}
		}
	}
}

// Len returns the number of events, with note-offs but without the end of track.
func (t *Track) Len() int { return t.events.size }

// Notes returns the number of notes.
func (t *Track) Notes() int { return t.notes }

// End returns the tick of the last event.
func (t *Track) End() int64 {
	if e := t.events.last(); e != nil {
		return e.Tick
	}
	return 0
}

// lastStart returns the tick at which the last note starts, -1 without notes.
func (t *Track) lastStart() int64 {
	for _, b := range slices.Backward(t.events.blocks) {
		for i := range slices.Backward(b.ids) {
			if e := t.events.at(b, i); e.IsNote() {
				return e.Tick
			}
		}
	}
	return -1
}

// Length returns the tick at which the track ends, including its end-of-track event.
func (t *Track) Length() int64 { return max(t.End(), t.end.Tick) }

// Find returns the first event of the kind at tick for which match holds, or nil.
func (t *Track) Find(tick int64, match func(*Event) bool) *Event {
	for e := range t.EventsFrom(tick) {
		if e.Tick != tick {
			break
		}
		if match(e) {
			return e
		}
	}
	return nil
}

// First returns the first event for which match holds, or nil.
func (t *Track) First(match func(*Event) bool) *Event {
	for e := range t.Events() {
		if match(e) {
			return e
		}
	}
	return nil
}

// Channel returns the channel that the track plays on: that of its first channel
// message, else its channel prefix, else 0.
func (t *Track) Channel() int {
	prefix := 0
	for e := range t.Events() {
		if e.IsChannel() {
			return e.Channel()
		}
		if e.IsMeta(metaChannel) && len(e.Payload) == 1 && e.Payload[0] < 16 {
			prefix = int(e.Payload[0]) + 1
		}
	}
	return prefix
}

// Program returns the track's first program change, or nil.
func (t *Track) Program() *Event {
	if !t.programmed {
		t.program, t.programmed = t.First(func(e *Event) bool { return e.Kind() == KindProgram }), true
	}
	return t.program
}

// NameEvent returns the event that names the track, or nil.
func (t *Track) NameEvent() *Event {
	// A name after the start belongs to something else.
	for e := range t.Between(0, 1) {
		if e.IsMeta(MetaName) {
			return e
		}
	}
	return nil
}

// place returns where a new event belongs: after all events of earlier ticks, among
// those of its own tick by rank, after those of equal rank.
func (t *Track) place(e *Event) spot {
	if e.Mate != nil && e.isOff() && e.Mate.Tick == e.Tick && e.Mate.block != nil {
		return t.events.after(e.Mate) // the note-off of a note of zero length comes after its note-on
	}
	s := t.events.upper(e.Tick)
	rank := e.rank()
	for p := t.events.before(s); p != nil && p.Tick == e.Tick && p.rank() > rank; p = t.events.before(s) {
		s = t.events.back(s)
	}
	return s
}
