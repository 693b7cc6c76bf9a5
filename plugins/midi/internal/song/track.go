package song

import (
	"iter"
	"slices"

	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
)

// TrackID names a track for as long as the document lives.
type TrackID uint32

// Track is one MTrk chunk.
type Track struct {
	ID        TrackID
	Conductor bool // the first track of a format 1 file when it came without channel messages: it holds no notes

	events list
	end    smf.End
	tail   []byte
	notes  int
	marks  [markKinds]int // how many events of each kind that the timeline reads
	cursor Cursor
	own    timeline // in format 2, where each track has its own time

	version uint64 // counts changes
	facts   structure

	program    *Event // the first program change, where programmed says that it is known
	programmed bool
}

// newTrack is an empty track, which has no place among the parts yet.
func (s *Song) newTrack(id TrackID) *Track { return &Track{ID: id, events: list{song: s}} }

// Cursor is the last note added to a track: where "+" and "+DUR" count from.
type Cursor struct {
	Start, End int64
	Set        bool
}

// Cursor is where the last note was added.
func (t *Track) Cursor() Cursor { return t.cursor }

// Events yields the track's events in order.
func (t *Track) Events() iter.Seq[*Event] { return t.events.all() }

// EventsFrom yields the events at tick and later.
func (t *Track) EventsFrom(tick int64) iter.Seq[*Event] { return t.events.from(t.events.lower(tick)) }

// Len is the number of events, note-offs included, the end of track not.
func (t *Track) Len() int { return t.events.size }

// Notes is the number of notes.
func (t *Track) Notes() int { return t.notes }

// End is the tick of the last event.
func (t *Track) End() int64 {
	if e := t.events.last(); e != nil {
		return e.Tick
	}
	return 0
}

// lastStart is the tick at which the last note starts, -1 without notes.
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

// Length is the tick at which the track ends, its end-of-track event counted.
func (t *Track) Length() int64 { return max(t.End(), t.end.Tick) }

// Find is the first event of the kind at tick for which match holds, or nil.
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

// First is the first event for which match holds, or nil.
func (t *Track) First(match func(*Event) bool) *Event {
	for e := range t.Events() {
		if match(e) {
			return e
		}
	}
	return nil
}

// Channel is the channel the track plays on: that of its first channel message,
// else its channel prefix, else 0.
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

// Program is the track's first program change, or nil.
func (t *Track) Program() *Event {
	if !t.programmed {
		t.program, t.programmed = t.First(func(e *Event) bool { return e.Kind() == KindProgram }), true
	}
	return t.program
}

// NameEvent is the event that names the track, or nil.
func (t *Track) NameEvent() *Event {
	// A name later than the start belongs to something else.
	for e := range t.Events() {
		if e.Tick > 0 {
			break
		}
		if e.IsMeta(MetaName) {
			return e
		}
	}
	return nil
}

// place finds where a new event belongs: after all of earlier ticks, among
// those of its own tick by rank, after its equals.
func (t *Track) place(e *Event) spot {
	if e.Mate != nil && e.isOff() && e.Mate.Tick == e.Tick && e.Mate.block != nil {
		return t.events.after(e.Mate) // a note without length still ends after it starts
	}
	s := t.events.upper(e.Tick)
	rank := e.rank()
	for p := t.events.before(s); p != nil && p.Tick == e.Tick && p.rank() > rank; p = t.events.before(s) {
		s = t.events.back(s)
	}
	return s
}
