package editing

import (
	"cmp"
	"fmt"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/timing"
)

var copyVerb = verb{Keys: []pdk.Parameter{args.TransposeKey, reduceKey, args.ChKey, args.OverKey}, Verb: abi.Verb{
	Category: "Edit", Syntax: "copy @SEL… to:POS [track:TRACK] [transpose:±N] [reduce:highest|lowest [every:DUR] [dur:DUR]] [ch:N] [from:FILE|DOCUMENT] [over:true]",
	Brief:   "copy @SEL… [to:POS track: transpose: reduce:highest]",
	Summary: "copy or double, to another time or track; to: places the start of @range or @marker, else the first event; transpose: is in semitones; reduce: makes one note each beat, or every:, of the highest or lowest that sounds there, as long as that or dur:; from: copies from a file or another open document; over:true replaces the notes that are in its place",

	Resources: []abi.Resource{{Key: "from", Kind: abi.ResourceDocument}, {Key: "from", Kind: abi.ResourceBytes, Accept: timing.SourceFiles}},
	Examples: []string{"copy @track:Piano @range:1-4 to:5.1", "copy @track:Piano track:Strings", "copy @track:Bass @range:1-4 from:Intro to:9.1",
		"copy @track:Piano track:Strings transpose:12", `copy @track:"Piano","Bass" @range:1-4 track:Strings transpose:12 reduce:highest every:beat`},
}, Run: func(c *ctx, a pdk.Args) error {
	if a.Has("from") {
		for _, key := range []string{"over", "transpose", "reduce"} {
			if a.Has(key) {
				return args.Suggest(pdk.Errorf("%s: goes with copies within the song", key), a.With(pdk.Without(key)))
			}
		}
		return timing.CopyFrom(c, a)
	}
	if a.Has("reduce") {
		return reduce(c, a)
	}
	for _, key := range []string{"every", "dur"} {
		if a.Has(key) {
			return args.Instead(pdk.Errorf("%s: is for reduce:", key), a, "reduce", "highest")
		}
	}
	found := pdk.Must(args.Target(c, a, 0))
	if !a.Has("to") && !a.Has("track") && !a.Has("transpose") {
		return pdk.Errorf("copy needs to:POS, track:NAME or transpose:N")
	}
	delta := pdk.Must(readShift(c, a, found))
	x := pdk.Must(newStamp(c, a, found))
	if x.track == nil && delta == 0 && x.by == 0 {
		return pdk.Unchanged("%s: already there", args.Describe(c, found))
	}
	pdk.Check(x.at(delta))
	text := "Copied " + args.Describe(c, found) + " to " + c.Model.At(found[0].Track, args.Earliest(found)+delta) + x.where()
	if x.by != 0 {
		text += fmt.Sprintf(", transposed by %+d", x.by)
	}
	if args.OverKey.Of(a) {
		from := selector.Origin(c.Model, a.Selectors, found) + delta
		pdk.Check(x.clearPlace(from, from+selector.Span(c.Model, a.Selectors, found)))
	}
	return x.do(text)
}}

// clearPlace removes the notes that start between two ticks on the target tracks of the
// copies.
func (s *stamp) clearPlace(from, to int64) error {
	gone := &song.Remove{}
	done := map[*song.Track]bool{}
	for _, e := range s.found {
		home := cmp.Or(s.track, e.Track)
		if done[home] {
			continue
		}
		done[home] = true
		for o := range home.Between(from, to) {
			if o.IsNote() {
				gone.Add(o)
			}
		}
	}
	if len(gone.IDs) == 0 {
		return nil
	}
	return s.c.Do(gone, "Remove "+pdk.Count(len(gone.IDs)/2, "note")+" that were there")
}

var repeatVerb = verb{Keys: []pdk.Parameter{args.CountKey}, Verb: abi.Verb{
	Category: "Edit", Syntax: "repeat @SEL… [count:N] [to:POS]",
	Brief:    "repeat @SEL… [count:N to:POS]",
	Summary:  "copies right after one another: each as long as @range or @marker, else whole bars; count: (1) copies, or as many as fit before to:",
	Examples: []string{"repeat @track:Piano @range:1-2 count:3", "repeat @track:Piano @range:1-4 to:33.1"},
}, Run: func(c *ctx, a pdk.Args) error {
	found := pdk.Must(args.Target(c, a, 0))
	count := args.CountKey.Of(a)
	if a.Has("count") && a.Has("to") {
		return args.Suggest(pdk.Errorf("repeat takes count: or to:, not both"), a.With(pdk.Without("to")), a.With(pdk.Without("count")))
	}
	t := found[0].Track
	grid := newGrid(c, a, found)
	if a.Has("to") {
		to := pdk.Must(args.Position(c, a, "to", t, 0))
		for count = 0; count < args.MaxCopies && grid.start(count+2) <= to; count++ {
		}
		if count == 0 {
			return args.Instead(pdk.Errorf("nothing fits before to:%s: one repeat ends at %s", a.String("to", ""), c.Model.At(t, grid.start(2))), a, "to", c.Model.At(t, grid.start(2)))
		}
	}
	x := pdk.Must(newStamp(c, a, found))
	for k := 1; k <= count; k++ {
		delta := grid.start(k) - grid.start(0)
		pdk.Check(args.CheckTick(args.Latest(found) + delta))
		pdk.Check(x.at(delta))
	}
	return x.do("Repeated " + args.Describe(c, found) + " " + pdk.Count(count, "time") + ", up to " + c.Model.At(t, grid.start(count+1)))
}}

// grid computes where repeats start: one after another, counted in bars if whole bars
// are repeated.
type grid struct {
	meter      *song.Meter
	bar, bars  int
	tick, span int64
}

func newGrid(c *ctx, a pdk.Args, found []*song.Event) grid {
	g := grid{tick: selector.Origin(c.Model, a.Selectors, found), span: selector.Span(c.Model, a.Selectors, found)}
	m, err := c.Model.Meter(found[0].Track)
	if err != nil {
		return g
	}
	bar, _, _ := m.Locate(g.tick)
	into := g.tick - m.BarTick(bar)
	if end, beat, sub := m.Locate(g.tick - into + g.span); beat == 1 && sub == 0 && end > bar {
		g.meter, g.bar, g.bars = m, bar, end-bar
	}
	return g
}

// start returns where repeat k begins; 0 is the original.
func (g grid) start(k int) int64 {
	if g.meter == nil {
		return g.tick + int64(k)*g.span
	}
	return g.tick - g.meter.BarTick(g.bar) + g.meter.BarTick(g.bar+k*g.bars)
}

// stamp collects copies of events.
type stamp struct {
	c       *ctx
	found   []*song.Event
	track   *song.Track // target track, or nil for their own tracks
	channel int
	by      int // semitones that copies of pitched notes are transposed
	edit    song.Insert
}

func newStamp(c *ctx, a pdk.Args, found []*song.Event) (*stamp, error) {
	s := &stamp{c: c, found: found}
	s.by = args.TransposeKey.Of(a)
	for _, e := range args.PitchedNotes(found) {
		if p := e.Pitch() + s.by; e.IsNote() && (p < 0 || p > 127) {
			return nil, pdk.Errorf("transpose:%d takes %s at %s outside MIDI's range", s.by, c.Model.PitchName(e), c.Model.At(e.Track, e.Tick))
		}
	}
	if a.Has("track") {
		s.track = pdk.Must(destination(c, a, found))
	}
	if a.Has("track") || a.Has("ch") {
		s.channel = args.Channel(c, a, cmp.Or(s.track, found[0].Track))
	}
	return s, nil
}

// at adds a copy of all events, delta ticks later.
func (s *stamp) at(delta int64) error {
	if len(s.edit.Items)+2*len(s.found) > 2*args.MaxCopies {
		return pdk.Errorf("that would make more than %d events at once", args.MaxCopies)
	}
	for _, e := range s.found {
		home := cmp.Or(s.track, e.Track)
		if e.IsMark() {
			if old := args.FindMeta(s.c, home, e.A, e.Tick+delta); old != nil {
				return checkNoMark(s.c, home, e, old.Tick)
			}
		}
		s.add(e, home, delta)
		if e.Mate != nil {
			s.edit.Items[len(s.edit.Items)-1].Paired = true
			s.add(e.Mate, home, delta)
		}
	}
	return nil
}

func (s *stamp) add(e *song.Event, home *song.Track, delta int64) {
	made := smf.Event{Tick: e.Tick + delta, Status: e.Status, A: e.A, B: e.B, Payload: e.Payload}
	if s.channel > 0 && e.IsChannel() {
		made.Status = e.Status&0xF0 | byte(s.channel-1)
	}
	if e.Mate != nil && e.Channel() != theory.DrumChannel {
		made.A += byte(s.by)
	}
	s.edit.Add(home, made)
}

func (s *stamp) where() string {
	if s.track == nil {
		return ""
	}
	return " on " + s.c.Model.Name(s.track)
}

func (s *stamp) do(text string) error {
	args.Do(s.c, &s.edit, text)
	s.c.Created("%s", text)
	return nil
}
