// Package selector finds the events that @selectors name.
//
// Selectors match notes, unless one of them is @type or @cc, which name other kinds, or
// @recent, which matches everything that was touched.
package selector

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// reader makes a test for events from the value of a selector.
type reader = func(*song.Song, string) (func(*song.Event) bool, error)

// selectorTypes lists the domain's own selectors. With exactish they refuse prefixes of names.
func selectorTypes(exactish bool) []pdk.SelectorType[*song.Song, *song.Event] {
	one := func(syntax, brief, summary string, match reader) pdk.SelectorType[*song.Song, *song.Event] {
		return pdk.SelectorType[*song.Song, *song.Event]{Selector: abi.Selector{Syntax: syntax, Brief: brief, Summary: summary}, Match: match}
	}
	return []pdk.SelectorType[*song.Song, *song.Event]{
		one("@track:NAME[,NAME]", "@track:NAME,NAME", "on a track, or on one of several", func(s *song.Song, v string) (func(*song.Event) bool, error) {
			tracks, err := s.FindTracks(v, exactish)
			return func(e *song.Event) bool { return slices.Contains(tracks, e.Track) }, err
		}),
		one("@channel:N|N-N", "@channel:N", "on a channel, 1-16, or several", channel),
		one("@range:P-P", "@range:P-P · 1.1-4.4 (its last beat included), 5-8 (whole bars), marker:A-marker:B; what starts there", "that start in 1.1-4.4 (last beat included), 5-8 (whole bars), marker:A-marker:B", within),
		one("@pitch:C4|C3-C5|kick", "@pitch:C3-C5", "notes of a pitch, a range of pitches or a drum", ofPitch),
		one("@velocity:LO-HI", "@velocity:80-127", "notes as loud as 80-127, or pp-mf", velocity),
		one("@drums", "@drums", "on channel 10", onDrums),
		one("@beat:N|N-N|N,N", "@beat:2,4 · of any bar", "that start within these beats of any bar: @beat:2,4", onBeats),
		one("@marker:NAME", "@marker:NAME · up to the next marker", "from a marker up to the next one; of several of a name, the first",
			func(s *song.Song, v string) (func(*song.Event) bool, error) { return section(s, v, exactish) }),
		one("@chord[:Am7]", "@chord[:Am7]", "notes of chords (three pitches or more that start together), or of one chord", chords),
		one("@highest", "@highest", "of the notes that sound together on a track the one on top, the melody", outermost(1)),
		one("@lowest", "@lowest", "of the notes that sound together on a track the lowest, the bass", outermost(-1)),
		one("@hand:left|right", "@hand:left|right", "what one hand of a pianist plays, by where it was and what it can reach", byHand),
		one("@above:P", "@above:C4", "notes from a pitch up", fromPitchUp),
		one("@below:P", "@below:C4", "notes under a pitch", belowPitch),
		one("@offbeat", "@offbeat", "that start between beats", offbeat),
		one("@chord-tones", "@chord-tones", "that belong to the chord sounding when they start", chordTones),
		one("@cc[:NAME]", "@cc[:NAME]", "controllers, or one of them by name or number", controllers),
		one("@type:note|cc|tempo|any|…", "@type:note|cc|tempo|any|…", "other kinds than notes", func(_ *song.Song, v string) (func(*song.Event) bool, error) { return ofKind(v, exactish) }),
	}
}

// List describes the domain's own selectors.
func List() []abi.Selector {
	return (&pdk.Selection[*song.Song, *song.Event]{Table: selectorTypes(false)}).Describe()
}

// Elements returns the selected events in document order, a note as its note-on. With
// exactish it refuses prefixes of track names, as destructive verbs must. It returns an
// error if nothing matches.
func Elements(s *song.Song, recent []string, sels []abi.Select, exactish bool) ([]*song.Event, error) {
	kinds := false
	for i := range sels {
		kinds = kinds || !sels[i].Negated && (sels[i].Type == "type" || sels[i].Type == "recent" || sels[i].Type == "cc")
	}
	meant := func(e *song.Event) bool { return e.IsElement() && (kinds || e.IsNote()) }
	sel := pdk.Selection[*song.Song, *song.Event]{
		All: func(s *song.Song) []*song.Event {
			var out []*song.Event
			from, to := window(s, sels)
			for _, t := range s.Tracks() {
				for e := range t.EventsFrom(from) {
					if e.Tick >= to {
						break
					}
					if meant(e) {
						out = append(out, e)
					}
				}
			}
			return out
		},
		Few: func(s *song.Song, some []*song.Event) []*song.Event {
			out := slices.DeleteFunc(some, func(e *song.Event) bool { return !meant(e) })
			s.Sort(out)
			return out
		},
		ByID: func(s *song.Song, id string) (*song.Event, bool) {
			e := s.Event(id)
			return e, e != nil
		},
		Table: selectorTypes(exactish),
	}
	out, err := sel.Select(s, recent, sels)
	if err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, pdk.NothingMatches(sels)
	}
	return out, nil
}

// window returns the time outside of which nothing matches: that of a @range if it is
// the same for all tracks, else all of the song.
func window(s *song.Song, sels []abi.Select) (from, to int64) {
	for i := range sels {
		if s.Format() == 2 || sels[i].Negated || sels[i].Type != "range" {
			continue
		}
		if from, to, err := s.Range(nil, sels[i].Value); err == nil {
			return from, to + 1
		}
	}
	return 0, smf.MaxTick + 1
}

// Bounds returns where the @range or the @marker among selectors starts and ends (the
// first tick after it), on the time of the events found. ok is false if there is
// neither.
func Bounds(s *song.Song, sels []abi.Select, found []*song.Event) (from, to int64, ok bool) {
	for i := range sels {
		if sels[i].Negated {
			continue
		}
		var err error
		switch sels[i].Type {
		case "range":
			from, to, err = s.Range(found[0].Track, sels[i].Value)
			to++
		case "marker":
			if from, to, err = s.Section(found[0].Track, sels[i].Value, false); to < 0 {
				to = lastBar(s, found[0].Track, from)
			}
		default:
			continue
		}
		if err == nil {
			return from, to, true
		}
	}
	return 0, 0, false
}

// lastBar returns the end of the bar that holds the last tick of a track's time, or of
// tick after if that is later. With an SMPTE division it returns the end of that tick.
func lastBar(s *song.Song, t *song.Track, after int64) int64 {
	end := s.End()
	if s.Format() == 2 {
		end = t.End()
	}
	end = max(end, after+1)
	if m, err := s.Meter(t); err == nil {
		return m.BarEnd(end - 1)
	}
	return end
}

// Origin returns the tick from which a selection is moved and copied: its lower bound,
// else the start of its first event.
func Origin(s *song.Song, sels []abi.Select, found []*song.Event) int64 {
	if from, _, ok := Bounds(s, sels, found); ok {
		return from
	}
	first := found[0].Tick
	for _, e := range found {
		first = min(first, e.Tick)
	}
	return first
}

// Span returns how many ticks a selection covers: from its lower to its upper bound,
// else the bars from that of its first event to that in which its last event ends (with
// an SMPTE division, from its first event to the end of its last).
func Span(s *song.Song, sels []abi.Select, found []*song.Event) int64 {
	if from, to, ok := Bounds(s, sels, found); ok {
		return to - from
	}
	var end int64
	for _, e := range found {
		end = max(end, e.Tick+1)
		if e.IsNote() {
			end = max(end, e.Mate.Tick)
		}
	}
	start := Origin(s, sels, found)
	if m, err := s.Meter(found[0].Track); err == nil {
		bar, _, _ := m.Locate(start)
		return m.BarEnd(end-1) - m.BarTick(bar)
	}
	return end - start
}

func channel(_ *song.Song, v string) (func(*song.Event) bool, error) {
	a, b, isRange := strings.Cut(v, "-")
	if !isRange {
		b = a
	}
	lo, err1 := strconv.Atoi(a)
	hi, err2 := strconv.Atoi(b)
	if err1 != nil || err2 != nil || lo < 1 || hi > 16 || lo > hi {
		return nil, pdk.Errorf("@channel:%s: channels are 1 to 16, like 2 or 1-4", v)
	}
	return func(e *song.Event) bool { return e.Channel() >= lo && e.Channel() <= hi }, nil
}

func within(s *song.Song, v string) (func(*song.Event) bool, error) {
	return between(s, func(t *song.Track) (int64, int64, error) {
		from, to, err := s.Range(t, v)
		return from, to + 1, err
	})
}

// between matches events that start within bounds, which may differ between the tracks
// of a file of format 2.
func between(s *song.Song, bounds func(*song.Track) (from, to int64, err error)) (func(*song.Event) bool, error) {
	if s.Format() != 2 {
		from, to, err := bounds(nil)
		return func(e *song.Event) bool { return e.Tick >= from && e.Tick < to }, err
	}
	type pair struct{ from, to int64 }
	per := map[*song.Track]pair{}
	for _, t := range s.Tracks() {
		from, to, err := bounds(t)
		if err != nil {
			return nil, err
		}
		per[t] = pair{from, to}
	}
	return func(e *song.Event) bool { p := per[e.Track]; return e.Tick >= p.from && e.Tick < p.to }, nil
}

func ofPitch(_ *song.Song, v string) (func(*song.Event) bool, error) {
	p, err := ParsePitches(v)
	if err != nil {
		return nil, err
	}
	return func(e *song.Event) bool { return e.IsNote() && p.Match(e) }, nil
}

// Pitches is a range of MIDI notes, both ends included.
type Pitches struct {
	Low, High int
	Drums     bool // named as drums: on other channels the same number is another sound
}

// Match reports whether an event has a pitch in the range.
func (p Pitches) Match(e *song.Event) bool {
	return e.Pitch() >= p.Low && e.Pitch() <= p.High && (!p.Drums || e.Channel() == theory.DrumChannel)
}

// ParsePitches reads "C4", "C3-C5", "kick", "midi:36-midi:40".
func ParsePitches(v string) (Pitches, error) {
	if n, drum, err := onePitch(v); err == nil {
		return Pitches{n, n, drum}, nil
	}
	// A dash may be the sign of an octave.
	for i := 1; i < len(v)-1; i++ {
		if v[i] != '-' {
			continue
		}
		a, drum, e1 := onePitch(v[:i])
		b, other, e2 := onePitch(v[i+1:])
		if e1 == nil && e2 == nil {
			if a > b {
				return Pitches{}, pdk.Errorf("pitch range %q runs downwards", v)
			}
			return Pitches{a, b, drum || other}, nil
		}
	}
	return Pitches{}, pdk.Errorf("pitch %q is not a note (C4, F#3), drum (kick) or range of them (C3-C5)", v)
}

func onePitch(v string) (n int, drum bool, err error) {
	if n, ok := theory.Drum(v); ok {
		return n, true, nil
	}
	p, err := theory.ParsePitch(v)
	return p.Number(), false, err
}

func velocity(_ *song.Song, v string) (func(*song.Event) bool, error) {
	a, b, isRange := strings.Cut(v, "-")
	if !isRange {
		b = a
	}
	lo, err := theory.ParseVelocity(a)
	if err != nil {
		return nil, err
	}
	hi, err := theory.ParseVelocity(b)
	if err != nil {
		return nil, err
	}
	if lo > hi {
		return nil, pdk.Errorf("velocity range %q runs downwards", v)
	}
	return func(e *song.Event) bool { return e.IsNote() && e.Velocity() >= lo && e.Velocity() <= hi }, nil
}

func kindNames() []string {
	out := make([]string, 0, 32)
	for _, k := range song.Kinds() {
		out = append(out, string(k))
	}
	return out
}

// ofKind matches a kind of event by its name or, without exactish, by a prefix of it.
func ofKind(v string, exactish bool) (func(*song.Event) bool, error) {
	if strings.EqualFold(v, "any") || strings.EqualFold(v, "all") {
		return func(*song.Event) bool { return true }, nil
	}
	names := kindNames()
	var x pdk.Index[song.Kind]
	for _, n := range names {
		x.Put(song.Kind(n), n, "", "")
	}
	hits, _ := x.Find(v, exactish)
	if len(hits) == 1 {
		k := hits[0]
		return func(e *song.Event) bool { return e.Kind() == k }, nil
	}
	err := pdk.Errorf("unknown type %q", v)
	if len(hits) > 1 {
		err = pdk.Errorf("type %q is ambiguous", v)
	}
	if near := pdk.Nearest(v, names); len(near) > 0 {
		err.Message += "; nearest: " + strings.Join(near, ", ")
	} else {
		err.Message += "; types are " + strings.Join(names, ", ") + ", any"
	}
	return nil, err
}
