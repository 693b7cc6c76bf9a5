// Package score converts a song to notation: bars of notes and rests with values, ties,
// triplets and voices, as in sheet music. It rounds times to the nearest 32nd or
// triplet 16th; the song itself does not change.
package score

import (
	"slices"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// Quarter is the number of units in a quarter note. Both 64ths and triplet 16ths are
// whole numbers of units.
const Quarter = 48

// maxBars is how many bars a score may have: about a day of music.
const maxBars = 50_000

// Score is a piece of sheet music.
type Score struct {
	Title string
	Bars  []Bar
	Parts []Part
}

// Bar holds what is common to all parts.
type Bar struct {
	Length   int // units
	Num, Den int // the time signature; Length is shorter if the next signature cuts the bar
	Key      theory.Key
	NewTime  bool // differs from the bar before; always set for the first bar
	NewKey   bool
	Marks    []Mark

	tick int64 // its start
	at   int   // its start in units from the start of the piece
}

// Mark is a tempo, a marker's text or a dynamic at a place in a bar.
type Mark struct {
	At      int     // units from the start of the bar
	BPM     float64 // quarter notes a minute, or 0
	Nuance  bool    // a tempo too close to the previous one to be printed
	Text    string
	Dynamic string // "mf", at the start of a part's bar
	Chord   *theory.Chord
}

// nuance is how far, as a fraction, a tempo may be from the last one that was printed
// without being printed: players speed up and slow down by less.
const nuance = 0.05

// Part is one player: the notes of one track on one channel.
type Part struct {
	Name     string
	Channel  int // 1-16
	Program  int // 0-127
	Sound    string
	Staves   []Clef
	Drums    []int     // the notes that a percussion part plays, ascending; nil for other parts
	Dynamics []string  // the dynamic from each bar on, "" for no change
	Bars     [][]Voice // the voices of each bar, at least one for each staff
}

// Clef is the clef of a staff.
type Clef string

// The clefs.
const (
	Treble     Clef = "treble"
	Bass       Clef = "bass"
	Percussion Clef = "percussion"
)

// Voice is one sequence of notes and rests that fills the bar.
type Voice struct {
	Staff  int // from 0
	Number int // within its staff, from 0
	Items  []Item
}

// Item is a set of notes that are struck together, or a rest.
type Item struct {
	At, Length int    // units, At from the start of the bar
	Notes      []Note // lowest first; nil for a rest
	Value      Value
	Whole      bool // a whole-bar rest, whatever its value
	First      bool // opens a triplet
	Last       bool // closes a triplet
	Lyric      string
}

// Value is a note value: a whole note divided by Den, with dots, perhaps in a triplet.
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
	TieIn    bool // tied to the note before
	TieOut   bool // tied to the note after
}

// Of converts a song to a score. It refuses a song without bars, one whose tracks have
// times of their own, and one without notes.
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

// writer builds a score.
type writer struct {
	song  *song.Song
	ppq   int64
	score *Score
}

// units converts ticks to units without rounding.
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
		if c, err := theory.ParseChord(m.Text); err == nil && len(m.Text) > 1 { // A and B are names of sections
			m.Chord = &c
		}
		w.mark(e.Tick, m)
	}
	for i := range w.score.Bars {
		slices.SortStableFunc(w.score.Bars[i].Marks, func(a, b Mark) int { return a.At - b.At })
	}
}

// symbols adds a chord symbol where the harmony changes, by the analysis of the query
// chords.
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

// mark adds a mark to its bar.
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

// bar returns the index of the bar that holds a tick.
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

// channels lists the channels on which a track has notes, in order of their first note.
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
