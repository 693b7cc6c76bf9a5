// Package score turns a song into notation: bars of notes and rests with
// values, ties, triplets and voices, as sheet music has them. What a file
// times freely is drawn to the nearest 32nd or triplet 16th; the song itself is
// not changed.
package score

import (
	"slices"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// Quarter is the units in a quarter note: 64ths and triplet 16ths are whole.
const Quarter = 48

// maxBars is how many bars a score may have: a day of music.
const maxBars = 50_000

// Score is a piece of sheet music.
type Score struct {
	Title string
	Bars  []Bar
	Parts []Part
}

// Bar is what holds for all parts.
type Bar struct {
	Length   int // units
	Num, Den int // the time signature; Length is shorter where the next one cuts the bar
	Key      theory.Key
	NewTime  bool // differs from the bar before; the first bar's always does
	NewKey   bool
	Marks    []Mark

	tick int64 // where it starts
	at   int   // the same in units, counted from the start of the piece
}

// Mark is a tempo, a marker's text or a dynamic at a place in a bar.
type Mark struct {
	At      int     // units from the start of the bar
	BPM     float64 // quarter notes a minute, or 0
	Nuance  bool    // a tempo too close to the one before to be printed
	Text    string
	Dynamic string // "mf", at the start of a part's bar
	Chord   *theory.Chord
}

// nuance is how far a tempo may be from the one printed last and still not be
// printed: players hasten and linger by less.
const nuance = 0.05

// Part is one player: the notes of one track on one channel.
type Part struct {
	Name     string
	Channel  int // 1-16
	Program  int // 0-127
	Sound    string
	Staves   []Clef
	Drums    []int     // the notes that a percussion part plays, rising; nil for other parts
	Dynamics []string  // for each bar, how loud it is from there on, "" for as before
	Bars     [][]Voice // a list of voices for each bar: for each staff one at least
}

// Clef is a staff's.
type Clef string

// The clefs.
const (
	Treble     Clef = "treble"
	Bass       Clef = "bass"
	Percussion Clef = "percussion"
)

// Voice is one line of notes and rests, which fill the bar.
type Voice struct {
	Staff  int // from 0
	Number int // among those of its staff, from 0
	Items  []Item
}

// Item is notes that are struck together, or a rest.
type Item struct {
	At, Length int    // units, At from the start of the bar
	Notes      []Note // lowest first; none is a rest
	Value      Value
	Whole      bool // a rest for a whole bar, whatever its value
	First      bool // opens a triplet
	Last       bool // closes one
	Lyric      string
}

// Value is a note value: a whole divided by Den, with dots, in a triplet.
type Value struct {
	Den     int // 1-64
	Dots    int
	Triplet bool // three in the time of two
}

// Note is one note head.
type Note struct {
	theory.Pitch
	MIDI     int // 0-127
	Velocity int
	TieIn    bool // goes on from the note before
	TieOut   bool // goes on in the note after
}

// Of writes a song down. A song without bars, or with a time of its own for each
// track, cannot be, and one without notes has nothing to write.
func Of(s *song.Song, chords bool) (*Score, error) {
	m, err := s.Meter(nil)
	if err != nil {
		return nil, pdk.Errorf("this file counts time in SMPTE frames and has no bars: it cannot be written as a score")
	}
	if s.Format() == 2 {
		return nil, pdk.Errorf("the tracks of a format 2 file are songs of their own: they are not one score")
	}
	if s.Notes() == 0 {
		return nil, pdk.Errorf("there are no notes to write down")
	}
	if n := m.Bars(s.End()); n > maxBars {
		return nil, pdk.Errorf("the song has %d bars, more than the %d of a score: are its notes where they should be?", n, maxBars)
	}
	ppq, _ := s.PPQ()
	w := &writer{song: s, ppq: ppq, score: &Score{Title: s.Title()}}
	if w.bars(m); chords {
		w.symbols(m)
	}
	for _, t := range s.Music() {
		for _, channel := range channels(t) {
			w.part(t, channel)
		}
	}
	return w.score, nil
}

// writer collects a score.
type writer struct {
	song  *song.Song
	ppq   int64
	score *Score
}

// units turns ticks into units, not rounded.
func (w *writer) units(ticks int64) float64 { return float64(ticks) * Quarter / float64(w.ppq) }

func (w *writer) bars(m *song.Meter) {
	s := w.song
	var start, end int64
	for _, t := range s.Music() {
		for e := range t.Events() {
			if e.IsNote() {
				start, end = max(start, e.Tick), max(end, e.Mate.Tick)
			}
		}
	}
	at := 0
	for n := range m.Filled(start, end) {
		b := Bar{tick: m.BarTick(n + 1), at: at}
		g := m.At(b.tick)
		b.Num, b.Den, b.Key = g.Num, g.Den, s.KeyAt(nil, b.tick)
		b.Length = b.Num * 4 * Quarter / b.Den
		if whole := int64(b.Num) * 4 * w.ppq / int64(b.Den); m.BarTick(n+2)-b.tick < whole-1 {
			b.Length = max(3*int(w.units(m.BarTick(n+2)-b.tick)/3+0.5), 3)
		}
		if n == 0 {
			b.NewTime, b.NewKey = true, true
		} else {
			last := &w.score.Bars[n-1]
			b.NewTime, b.NewKey = b.Num != last.Num || b.Den != last.Den, b.Key != last.Key
		}
		at += b.Length
		w.score.Bars = append(w.score.Bars, b)
	}
	printed := 0.0
	for _, c := range s.Tempo(nil).Changes {
		m := Mark{BPM: c.BPM(), Nuance: c.BPM() > printed*(1-nuance) && c.BPM() < printed*(1+nuance)}
		if !m.Nuance {
			printed = m.BPM
		}
		w.mark(c.Tick, m)
	}
	for _, e := range s.Markers(nil) {
		m := Mark{Text: e.Text()}
		if c, err := theory.ParseChord(m.Text); err == nil && len(m.Text) > 1 { // A and B are sections
			m.Chord = &c
		}
		w.mark(e.Tick, m)
	}
	for i := range w.score.Bars {
		slices.SortStableFunc(w.score.Bars[i].Marks, func(a, b Mark) int { return a.At - b.At })
	}
}

// symbols marks where what sounds becomes another chord, as the query chords hears it.
func (w *writer) symbols(m *song.Meter) {
	before := ""
	for _, h := range w.song.Harmony(m, 0, w.song.End(), func(e *song.Event) bool { return e.Channel() != theory.DrumChannel }) {
		if h.Chord == nil {
			before = ""
			continue
		}
		if name := h.Chord.String(); name != before {
			before = name
			w.mark(h.From, Mark{Text: name, Chord: h.Chord})
		}
	}
	for i := range w.score.Bars {
		slices.SortStableFunc(w.score.Bars[i].Marks, func(a, b Mark) int { return a.At - b.At })
	}
}

// mark puts a mark into its bar.
func (w *writer) mark(tick int64, m Mark) {
	i := w.bar(tick)
	b := &w.score.Bars[i]
	at := int(w.units(tick-b.tick) + 0.5)
	if at > b.Length {
		return // after the last bar
	}
	m.At = min(at, b.Length-1)
	b.Marks = append(b.Marks, m)
}

// bar is the index of the bar that holds a tick.
func (w *writer) bar(tick int64) int {
	lo, hi := 0, len(w.score.Bars)
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; w.score.Bars[mid].tick <= tick {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// channels lists the channels on which a track has notes, in order of the first.
func channels(t *song.Track) []int {
	var out []int
	var seen [17]bool
	for e := range t.Events() {
		if c := e.Channel(); e.IsNote() && !seen[c] {
			seen[c] = true
			out = append(out, c)
		}
	}
	return out
}
