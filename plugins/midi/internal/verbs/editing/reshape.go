package editing

import (
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
)

// span is the time of a note, in ticks.
type span struct{ start, end int64 }

// reshape gives notes new starts and ends, either to all of them or, with an error, to
// none. notes are in document order. Starts before the song become its start. A note
// that had a length keeps at least a tick. A note that ended before the next one of its
// pitch started still does. reshape returns the number of notes that changed; if none
// did, it does nothing.
func reshape(c *ctx, notes []*song.Event, to func(i int, e *song.Event) span, summary string) (int, error) {
	spans := make([]span, len(notes))
	for i, e := range notes {
		s := to(i, e)
		s.start = max(0, s.start)
		s.end = max(s.end, s.start+min(1, e.Length()))
		pdk.Check(args.CheckTick(s.end))
		spans[i] = s
	}
	shortenOverlaps(notes, spans)
	x := &song.Move{Items: make([]song.Step, 0, 2*len(notes))}
	changed := 0
	for i, e := range notes {
		s := spans[i]
		if s.start == e.Tick && s.end == e.Mate.Tick {
			continue
		}
		changed++
		if s.start != e.Tick {
			x.Add(e, e.Track, s.start)
		}
		if s.end != e.Mate.Tick {
			x.Add(e.Mate, e.Track, s.end)
		}
	}
	if changed == 0 {
		return 0, nil
	}
	return changed, c.Do(x, summary, args.Refs(notes)...)
}

// shortenOverlaps shortens the notes that spans would extend into the next note of
// their pitch and channel, because their note-offs would be ambiguous.
func shortenOverlaps(notes []*song.Event, spans []span) {
	next := 0 // index of the first note not visited yet
	for next < len(notes) {
		t := notes[next].Track
		var last [16][128]int // index in notes plus 1 of the last note of each pitch; 0 if it is not among them
		for e := range t.EventsFrom(notes[next].Tick) {
			if !e.IsNote() {
				continue
			}
			at, here := e.Tick, 0
			if next < len(notes) && notes[next] == e {
				next++
				at, here = spans[next-1].start, next
			}
			before := &last[e.Channel()-1][e.Pitch()]
			if i := *before - 1; i >= 0 && notes[i].Mate.Tick <= e.Tick && spans[i].end > at && spans[i].start < at {
				spans[i].end = at
			}
			*before = here
		}
	}
}

// targetNotes returns the notes among the events that target returns.
func targetNotes(c *ctx, a pdk.Args, values int) ([]*song.Event, error) {
	return args.NotesOnly(pdk.Must(args.Target(c, a, values)), a)
}

// bounds returns where the op's @range or @marker starts and ends or, without one, the
// first start and the last end of its notes.
func bounds(c *ctx, a pdk.Args, notes []*song.Event) (from, to int64) {
	if from, to, ok := selector.Bounds(c.Model, a.Selectors, notes); ok {
		return from, to
	}
	return args.Earliest(notes), args.Latest(notes)
}

// startsOf lists where notes start.
func startsOf(notes []*song.Event) []int64 {
	return pdk.Map(notes, func(e *song.Event) int64 { return e.Tick })
}

// countMoved counts the notes that started elsewhere before.
func countMoved(notes []*song.Event, before []int64) (n int) {
	for i, at := range startsOf(notes) {
		n += pdk.If(at != before[i], 1, 0)
	}
	return n
}
