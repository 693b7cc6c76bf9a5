package song

import (
	"math"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// Position reads a position on a track's time (nil: the song's) and returns it in
// ticks:
//
//	M.B M.B.T M     bar, beat, ticks past the beat; a bar alone is its start
//	tick:N          a tick
//	+ +DUR          the end of the last note added (to t), or DUR after its start
//	end end:TRACK   the end of the last event, of all or of a track
//	marker:NAME     a marker
//	POS+DUR         DUR after any of these
func (s *Song) Position(t *Track, text string) (int64, error) {
	base, plus, hasPlus := strings.Cut(text, "+")
	_, marker := cutFold(text, "marker:")
	if _, end := cutFold(text, "end:"); marker || end {
		// Names may contain a plus: try the whole text first, then the part before the
		// last plus.
		if _, err := s.position(t, text); err != nil && hasPlus {
			i := strings.LastIndexByte(text, '+')
			base, plus = text[:i], text[i+1:]
			if _, other := s.position(t, base); other != nil {
				return 0, err
			}
		} else {
			base, hasPlus = text, false
		}
	}
	var tick int64
	var err error
	if hasPlus && base == "" {
		last := s.lastAdded(t)
		if plus == "" {
			return last.End, nil
		}
		tick = last.Start
	} else if tick, err = s.position(t, base); err != nil {
		return 0, err
	}
	if hasPlus {
		d, err := s.Duration(t, plus, tick)
		if err != nil {
			return 0, err
		}
		tick += d
	}
	if tick > smf.MaxTick {
		return 0, pdk.Errorf("position %q is beyond the longest song a file can hold", text)
	}
	return tick, nil
}

// cutFold is strings.CutPrefix without regard to case.
func cutFold(s, prefix string) (rest string, ok bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}

// lastAdded returns the cursor of t or, if t is nil, the one furthest on.
func (s *Song) lastAdded(t *Track) Cursor {
	if t != nil {
		return t.cursor
	}
	var last Cursor
	for _, t := range s.Tracks() {
		if t.cursor.Set && t.cursor.End >= last.End {
			last = t.cursor
		}
	}
	return last
}

func (s *Song) position(t *Track, text string) (int64, error) {
	if n, ok := cutFold(text, "tick:"); ok {
		v, err := strconv.ParseInt(n, 10, 64)
		if err != nil || v < 0 || v > smf.MaxTick {
			return 0, pdk.Errorf("position %q: a tick is a whole number from 0 to %d", text, smf.MaxTick)
		}
		return v, nil
	}
	if strings.EqualFold(text, "end") {
		if s.header.Format == 2 && t != nil {
			return t.End(), nil
		}
		return s.End(), nil
	}
	if name, ok := cutFold(text, "end:"); ok {
		of, err := s.FindTrack(name, false)
		if err != nil {
			return 0, err
		}
		return of.End(), nil
	}
	if name, ok := cutFold(text, "marker:"); ok {
		m, err := s.FindMarker(t, name, false)
		if err != nil {
			return 0, err
		}
		return m.Tick, nil
	}
	var n [3]int
	parts := strings.Split(text, ".")
	if len(parts) > 3 {
		return 0, badPosition(text)
	}
	for i, p := range parts {
		v, err := strconv.ParseUint(p, 10, 24)
		if err != nil {
			return 0, badPosition(text)
		}
		n[i] = int(v)
	}
	if len(parts) == 1 {
		n[1] = 1
	}
	m, err := s.Meter(t)
	if err != nil {
		return 0, err
	}
	return m.Tick(n[0], n[1], int64(n[2]))
}

func badPosition(text string) error {
	return pdk.Errorf("position %q is not one of BAR.BEAT (3.1), BAR.BEAT.TICKS, tick:N, +DUR, end, end:TRACK, marker:NAME", text)
}

// FindMarker resolves a marker's name on a track's time (nil: the song's).
func (s *Song) FindMarker(t *Track, name string, exactish bool) (*Event, error) {
	var x pdk.Index[*Event]
	for _, m := range s.Markers(t) {
		x.Put(m, m.Text(), "marker", "")
	}
	if hits, level := x.Find(name, exactish); len(hits) > 1 && level != pdk.MatchPrefix {
		return hits[0], nil // of several with the same name, the first
	}
	return x.One(name, "Marker", exactish)
}

// Section returns the time of a marker, in ticks, on a track's time (nil: the song's):
// from the marker to the next one. to is the first tick after the section, or -1 if no
// marker follows.
func (s *Song) Section(t *Track, name string, exactish bool) (from, to int64, err error) {
	m, err := s.FindMarker(t, name, exactish)
	if err != nil {
		return 0, 0, err
	}
	for _, next := range s.Markers(t) {
		if next.Tick > m.Tick {
			return m.Tick, next.Tick, nil
		}
	}
	return m.Tick, -1, nil
}

// Duration reads a length that starts at a tick of a track's time (nil: the song's): a
// note value, ticks:N, Nbeats or Nbars. It returns ticks, more than 0.
func (s *Song) Duration(t *Track, text string, at int64) (int64, error) {
	d, err := s.duration(t, strings.ToLower(text), at)
	if err != nil {
		return 0, err
	}
	if d < 1 {
		return 0, pdk.Errorf("duration %q is shorter than one tick", text)
	}
	if d > smf.MaxTick {
		return 0, pdk.Errorf("duration %q is longer than a file can hold", text)
	}
	return d, nil
}

func (s *Song) duration(t *Track, text string, at int64) (int64, error) {
	if n, ok := strings.CutPrefix(text, "ticks:"); ok {
		v, err := strconv.ParseInt(n, 10, 64)
		if err != nil || v < 1 {
			return 0, pdk.Errorf("duration %q: ticks are a whole number from 1", text)
		}
		return v, nil
	}
	if n, unit, ok := cutUnit(text); ok {
		m, err := s.Meter(t)
		if err != nil {
			return 0, err
		}
		if n == "" && text == unit {
			n = "1"
		}
		v, err := strconv.ParseFloat(n, 64)
		if err != nil || math.IsInf(v, 0) || v <= 0 || v > 1e6 {
			return 0, pdk.Errorf("duration %q: the number of %ss is more than 0", text, unit)
		}
		if unit == "beat" {
			g := m.at(at)
			return int64(math.Round(v * float64(m.ppq) * 4 / float64(g.Den))), nil
		}
		if v != math.Trunc(v) {
			return 0, pdk.Errorf("duration %q: bars are counted whole; use beats for parts", text)
		}
		// End as far into that bar as at is into its own.
		bar, _, _ := m.Locate(at)
		return m.BarTick(bar+int(v)) - m.BarTick(bar), nil
	}
	v, ok := theory.ParseNoteValue(text)
	if !ok {
		return 0, pdk.Errorf("duration %q is not a note value (whole half quarter eighth 16th 32nd 64th, dotted-quarter, triplet-eighth, q., 8t, 3/8), ticks:N, 3beats or 2bars", text)
	}
	ppq, err := s.PPQ()
	if err != nil {
		return 0, err
	}
	return v.Ticks(ppq), nil
}

// cutUnit splits "2bars" and "1.5beats".
func cutUnit(text string) (n, unit string, ok bool) {
	for _, unit := range []string{"bar", "beat"} {
		if n, ok := strings.CutSuffix(strings.TrimSuffix(text, "s"), unit); ok {
			return n, unit, true
		}
	}
	return "", "", false
}

// At prints a tick of a track's time (nil: the song's) as a position.
func (s *Song) At(t *Track, tick int64) string {
	m, err := s.Meter(t)
	if err != nil {
		return "tick:" + strconv.FormatInt(tick, 10)
	}
	bar, beat, sub := m.Locate(tick)
	out := strconv.Itoa(bar) + "." + strconv.Itoa(beat)
	if sub > 0 {
		out += "." + strconv.FormatInt(sub, 10)
	}
	return out
}

// Lasting prints a length in ticks as a duration.
func (s *Song) Lasting(ticks int64) string {
	if ppq, err := s.PPQ(); err == nil {
		if name, ok := theory.ValueName(ticks, ppq); ok {
			return name
		}
	}
	return "ticks:" + strconv.FormatInt(ticks, 10)
}

// Range reads "P-P": from the first tick of one position to the last tick of the other,
// both included. An end given as a beat includes the whole beat, one given as a bar the
// whole bar. A single position is the beat or bar that it names.
func (s *Song) Range(t *Track, text string) (from, to int64, err error) {
	for i := 0; i < len(text); i++ {
		if text[i] != '-' {
			continue
		}
		var e1, e2 error
		if from, e1 = s.Position(t, text[:i]); e1 == nil {
			if to, e2 = s.rangeEnd(t, text[i+1:]); e2 == nil {
				if to < from {
					return 0, 0, pdk.Errorf("range %q ends before it starts", text)
				}
				return from, to, nil
			}
		}
		if err == nil {
			err = e1
			if e1 == nil {
				err = e2
			}
		}
	}
	if from, e := s.Position(t, text); e == nil {
		to, e = s.rangeEnd(t, text)
		return from, to, e
	} else if err == nil {
		err = e
	}
	return 0, 0, err
}

// rangeEnd returns the last tick of a range that ends with text.
func (s *Song) rangeEnd(t *Track, text string) (int64, error) {
	tick, err := s.Position(t, text)
	if err != nil {
		return 0, err
	}
	if text == "" || text[0] < '0' || text[0] > '9' || strings.Contains(text, "+") {
		return tick, nil
	}
	m, err := s.Meter(t)
	if err != nil {
		return 0, err
	}
	switch strings.Count(text, ".") {
	case 0:
		return m.BarEnd(tick) - 1, nil
	case 1:
		return m.BeatEnd(tick) - 1, nil
	}
	return tick, nil
}
