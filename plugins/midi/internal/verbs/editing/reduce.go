package editing

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/writing"
)

// reduceKey makes copy write one note of those that sound at each step of time.
var reduceKey = value.Key[string]{Name: "reduce", Type: value.OneOf("highest", "lowest")}

// reduce writes, for each step of time, the highest or the lowest of the notes that sound
// there on a track, and a rest where none does.
func reduce(c *ctx, a pdk.Args) error {
	outermost := reduceKey.Of(a)
	if !a.Has("track") {
		return pdk.Errorf("reduce: makes notes of its own; track:NAME says on which track").TryQuery("tracks")
	}
	// The range says when the new notes sound. What sounds then may have begun before it.
	parts := slices.DeleteFunc(slices.Clone(a.Selectors), func(s abi.Select) bool {
		return !s.Negated && (s.Type == "range" || s.Type == "marker")
	})
	if len(parts) == 0 {
		parts = []abi.Select{{Raw: "@all", Type: "all"}}
	}
	found := pdk.Must(args.Target(c, a.With(pdk.WithSelectors(parts...)), 0))
	found = pdk.Must(args.NotesOnly(found, a))
	if found = args.PitchedNotes(found); len(found) == 0 {
		return pdk.Errorf("reduce: needs pitches, and the op names only drums").TryQuery("tracks")
	}
	p := &writing.Phrase{C: c, A: a}
	p.Track = pdk.Must(destination(c, a, found))
	p.Edit.Track = p.Track.ID
	p.Channel = args.Channel(c, a, p.Track)
	p.Over = args.OverKey.Of(a)
	by := args.TransposeKey.Of(a)
	from, to := reducedTime(c, a, found)
	found = slices.DeleteFunc(found, func(e *song.Event) bool { return e.Tick >= to || e.Mate.Tick <= from })
	p.At = pdk.Must(args.Position(c, a, "to", p.Track, from))
	p.Start = p.At
	rests := 0
	for at := from; at < to; {
		step := pdk.Must(args.Length(c, a, "every", "1beat", p.Track, at))
		length := step
		if a.Has("dur") {
			length = pdk.Must(args.Length(c, a, "dur", "", p.Track, at))
		}
		if e := soundingAt(found, at, selector.Slack(c.Model), outermost == "highest"); e == nil {
			rests++
		} else if pitch := e.Pitch() + by; pitch < 0 || pitch > 127 {
			return pdk.Errorf("transpose:%d takes %s at %s outside MIDI's range", by, c.Model.PitchName(e), c.Model.At(e.Track, at))
		} else {
			p.Note(pitch, e.Velocity(), p.At, length)
		}
		pdk.Check(p.Step(step))
		at += step
	}
	if len(p.Edit.Items) == 0 {
		return pdk.Errorf("none of these notes sounds there").TryQuery(args.Listing(c, parts))
	}
	what := strings.ToUpper(outermost[:1]) + outermost[1:] + " of " + args.Describe(c, found) + ", every " + a.String("every", "beat")
	if rests > 0 {
		what += ", " + pdk.Count(rests, "rest")
	}
	return p.Do(what)
}

// reducedTime returns the time that the op's @range or @marker names, else the time
// of the notes from the beat of the first one on.
func reducedTime(c *ctx, a pdk.Args, notes []*song.Event) (from, to int64) {
	if from, to, ok := selector.Bounds(c.Model, a.Selectors, notes); ok {
		return from, to
	}
	from = args.Earliest(notes)
	if m, err := c.Model.Meter(notes[0].Track); err == nil {
		_, _, into := m.Locate(from)
		from -= into
	}
	return from, args.Latest(notes)
}

// soundingAt returns the highest or the lowest of the notes that sound at a tick, of two
// of the same pitch the louder, or nil. A note that a player strikes or releases up to
// late ticks after it starts or ends there.
func soundingAt(notes []*song.Event, tick, late int64, highest bool) (out *song.Event) {
	for _, e := range notes {
		starts := e.Tick >= tick && e.Tick <= tick+late
		if !starts && (e.Tick > tick || e.Mate.Tick <= tick+late) {
			continue
		}
		if out == nil || e.Pitch() == out.Pitch() && e.Velocity() > out.Velocity() || e.Pitch() != out.Pitch() && e.Pitch() > out.Pitch() == highest {
			out = e
		}
	}
	return out
}
