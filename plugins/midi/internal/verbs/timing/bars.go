package timing

import (
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
)

// barsKey is how many bars there are to insert or delete.
var barsKey = value.Key[int]{Name: "count", Type: value.Int(1, 100_000), Default: 1}

var barsVerb = verb{Keys: []pdk.Parameter{barsKey}, Verb: abi.Verb{
	Category: "Timeline", Syntax: "bars insert BAR [count:N] [track:TRACK] | bars delete BAR|BAR-BAR [count:N] [track:TRACK]",
	Brief:    "bars insert BAR [count:] | delete BAR|BAR-BAR [count:]",
	Summary:  "insert empty bars before BAR, in its time signature, or delete bars, on all tracks (in format 2 on track:); everything after them moves along, and its tempo, signatures and sounds stay the same",
	Examples: []string{"bars insert 5 count:4", "bars delete 9 count:2", "bars delete 9-10"},
}, Run: func(c *ctx, a pdk.Args) error {
	b := pdk.Must(barsArgs(c, a))
	switch strings.ToLower(a.Text(0)) {
	case "insert", "add":
		return b.insert()
	case "delete", "remove":
		return b.remove()
	}
	return args.InsteadAt(pdk.Errorf("bars %q: it is insert or delete", a.Text(0)), a, 0, near.Word(a.Text(0), []string{"insert", "delete"})...)
}}

// bars are bars of one timeline to be inserted or deleted.
type bars struct {
	c          *ctx
	a          pdk.Args
	t          *song.Track   // the track whose time counts
	tracks     []*song.Track // tracks that share this time
	meter      *song.Meter
	bar, count int
	song       int // number of bars of the song
}

func barsArgs(c *ctx, a pdk.Args) (*bars, error) {
	b := &bars{c: c, a: a}
	if a.Has("track") && c.Model.Format() != 2 {
		return nil, pdk.Errorf("bars are inserted and deleted on all tracks, which share one time").TryQuery("map")
	}
	var err error
	b.t = pdk.Must(args.HomeTrack(c, a))
	if b.meter, err = c.Model.Meter(b.t); err != nil {
		return nil, pdk.Errorf("this file counts time in SMPTE frames: it has no bars")
	}
	b.tracks = args.TimelineTracks(c, b.t)
	var length int64
	for _, t := range b.tracks {
		length = max(length, t.Length())
	}
	b.song = b.meter.Bars(length)
	first, last, isRange := strings.Cut(a.Text(1), "-")
	if b.bar, err = strconv.Atoi(first); err != nil || b.bar < 1 || b.bar > smf.MaxTick {
		e := b.noSuchBars("bars %s %q: a bar is a number from 1", a.Text(0), a.Text(1))
		if err == nil && strings.EqualFold(a.Text(0), "insert") {
			return nil, args.InsteadAt(e, a, 1, near.Number(first, 1, max(1, b.song))...)
		}
		return nil, e
	}
	b.count = barsKey.Of(a)
	if isRange {
		end, err := strconv.Atoi(last)
		switch {
		case err != nil || end < b.bar:
			return nil, args.InsteadAt(pdk.Errorf("bars %q: a range of bars is like 5-8", a.Text(1)), a, 1, near.Span(a.Text(1), 1, b.song)...)
		case a.Has("count"):
			return nil, args.Suggest(pdk.Errorf("%s and count: both say how many bars; use one", a.Text(1)), a.With(pdk.Without("count")))
		}
		b.count = end - b.bar + 1
	}
	return b, nil
}

// noSuchBars returns the error for bars that do not exist. It suggests no other bars.
func (b *bars) noSuchBars(format string, args ...any) error {
	return pdk.Errorf(format, args...).TryQuery("map")
}

// ids returns the tracks' ids.
func (b *bars) ids() []song.TrackID {
	return pdk.Map(b.tracks, func(t *song.Track) song.TrackID { return t.ID })
}

// name prints which bars are meant.
func (b *bars) name() string {
	if b.count == 1 {
		return "bar " + strconv.Itoa(b.bar)
	}
	return "bars " + strconv.Itoa(b.bar) + "-" + strconv.Itoa(b.bar+b.count-1)
}

// checkWholeTicks refuses a number of beats that is not a whole number of ticks,
// because the bars after them would drift off the beat.
func (b *bars) checkWholeTicks(g song.Signature, beats int64) error {
	ppq, err := b.c.Model.PPQ()
	if err == nil && beats*ppq*4%int64(g.Den) != 0 {
		return pdk.Errorf("at %d ticks a quarter, the length of %s of %d/%d is not a whole number of ticks; take another count:", ppq, pdk.Count(int(beats), "beat"), g.Num, g.Den)
	}
	return err
}

// insert inserts bars in front of a bar.
func (b *bars) insert() error {
	if b.bar > b.song+1 {
		return b.noSuchBars("there is no bar %d to insert after: the song has %s", b.bar-1, pdk.Count(b.song, "bar"))
	}
	at := b.meter.BarTick(b.bar)
	g := b.meter.At(at)
	beats := int64(b.count) * int64(g.Num)
	pdk.Check(b.checkWholeTicks(g, beats))
	ppq, _ := b.c.Model.PPQ()
	room := beats * ppq * 4 / int64(g.Den)
	there := false
	for _, t := range b.tracks {
		there = there || t.Length() >= at
		pdk.Check(args.CheckTick(t.Length() + room))
	}
	if !there {
		return b.noSuchBars("nothing is in bar %d or after it that could move", b.bar)
	}
	held := b.heldOver(at)
	cut := args.SaidNotes(b.c, held)
	if len(held) > 0 { // a note held over the line continues after the new bars
		first, rest := &song.Move{}, &song.Insert{}
		for _, e := range held {
			first.Add(e.Mate, e.Track, at)
			rest.Note(e.Track, e.Channel(), e.Pitch(), e.Velocity(), int(e.Mate.B), at, e.Mate.Tick-at)
		}
		what := pdk.Count(len(held), "held note")
		pdk.Check(b.c.Do(first, "Cut "+what, args.Refs(held)...))
		args.Do(b.c, rest, "The rest of "+what)
	}
	var stay []*song.Event
	for _, t := range b.tracks {
		for e := range t.EventsFrom(at) {
			if e.Tick == at && (at == 0 && isSetup(e) || e.IsMeta(song.MetaTimeSig)) || !e.IsElement() && e.Mate.Tick < at {
				stay = append(stay, e)
			}
		}
	}
	back := &song.Move{}
	for _, e := range stay {
		back.Add(e, e.Track, e.Tick)
	}
	said := pdk.Count(b.count, "bar") + " of " + strconv.Itoa(g.Num) + "/" + strconv.Itoa(g.Den) + " at " + b.c.Model.At(b.t, at)
	pdk.Check(b.c.Do(&song.Shift{From: at, By: room, Tracks: b.ids()}, "Insert "+said))
	args.Do(b.c, back, "What stays in front")
	b.c.Created("%s; what was there is at %s now", said, b.c.Model.At(b.t, at+room))
	args.WarnNotes(b.c, "cut at the bar line, to continue after them", cut)
	return nil
}

// heldOver lists the notes that start before a tick and end at least a 16th after it.
// Notes that end earlier after it are just released late.
func (b *bars) heldOver(tick int64) (out []*song.Event) {
	ppq, _ := b.c.Model.PPQ()
	least := max(1, ppq/4)
	for _, t := range b.tracks {
		for e := range t.Between(0, tick) {
			if e.IsNote() && e.Mate.Tick >= tick+least {
				out = append(out, e)
			}
		}
	}
	return out
}

// isSetup reports whether an event at the start of a song belongs to the whole song
// rather than to its first bar.
func isSetup(e *song.Event) bool {
	switch e.Kind() {
	case song.KindNote, song.KindNoteOn, song.KindNoteOff, song.KindPolyPressure, song.KindMarker, song.KindLyric, song.KindCue:
		return false
	}
	return true
}
