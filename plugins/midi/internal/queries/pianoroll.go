package queries

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// maxColumns is the maximum width of a roll.
const maxColumns = 512

// smpteColumns is the default width of a roll in SMPTE time, which has no beats.
const smpteColumns = 64

// pianoRoll draws a track's notes: a row for each pitch, a column for each step of
// time.
func pianoRoll(v *view, a pdk.Args) (string, error) {
	s := v.Model
	t := pdk.Must(namedTrack(v, a, 0))
	name := s.Names().Name(t)
	m, err := s.Meter(t)
	bars := err == nil // SMPTE time has no bars
	end := t.End()
	from, to := int64(0), max(end, 1)-1
	if bars {
		to = min(to, m.BarTick(9)-1)
	}
	if a.Text(1) != "" {
		from, to = pdk.Must2(namedSpan(v, a, 1, t))
		to = min(to, max(end, from+1))
	}
	res := "16th"
	if !bars {
		res = fmt.Sprintf("ticks:%d", (to-from)/smpteColumns+1)
	}
	res = a.String("res", res)
	step, err := s.Duration(t, res, 0)
	if err != nil {
		return "", instead(err, a, "res", near.Duration(s, t, res, 0)...)
	}
	columns := int((to - from + step) / step)
	if columns > maxColumns {
		e := pdk.Errorf("that is %d columns wide, more than %d: ask for less or a coarser res:", columns, maxColumns)
		return "", instead(e, a, "res", "ticks:"+strconv.FormatInt((to-from)/maxColumns+1, 10))
	}
	roll := newRoll(from, step, columns)
	for e := range t.Events() {
		if e.IsNote() && e.Tick <= to && e.Mate.Tick > from {
			roll.note(e)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s to %s, a column is %s; # starts a note, = holds it\n", song.Brief(s.Name(t), 40), s.At(t, from), s.At(t, to), res)
	roll.draw(&b, s, t, m)
	if bars && a.Text(1) == "" {
		if next := m.BarEnd(to); next < end {
			bar, _, _ := m.Locate(next)
			fmt.Fprintf(&b, "more: piano-roll %s %d-%d\n", name, bar, bar+7)
		}
	}
	return b.String(), nil
}

// roll is a grid of characters with a row for each pitch that sounds.
type roll struct {
	from, step int64
	columns    int
	rows       [128][]byte
}

func newRoll(from, step int64, columns int) *roll {
	return &roll{from: from, step: step, columns: columns}
}

func (r *roll) note(e *song.Event) {
	row := r.rows[e.Pitch()]
	if row == nil {
		row = []byte(strings.Repeat(".", r.columns))
		r.rows[e.Pitch()] = row
	}
	start := (e.Tick - r.from) / r.step
	last := (e.Mate.Tick - 1 - r.from) / r.step
	for c := max(start, 0); c <= last && c < int64(r.columns); c++ {
		if row[c] != '#' {
			row[c] = '='
		}
	}
	if e.Tick >= r.from {
		row[start] = '#'
	}
}

// draw prints the rows from high to low, below a ruler of bars and beats if m is not
// nil.
func (r *roll) draw(b *strings.Builder, s *song.Song, t *song.Track, m *song.Meter) {
	ruler := []byte(strings.Repeat(" ", r.columns+8))
	for c := 0; m != nil && c < r.columns; c++ {
		tick := r.from + int64(c)*r.step
		bar, beat, sub := m.Locate(tick)
		switch {
		case sub >= r.step && c > 0:
		case beat == 1:
			copy(ruler[c:], fmt.Sprint(bar))
		case ruler[c] == ' ':
			ruler[c] = '\''
		}
	}
	var names [128]string
	width := 0
	drums := t.Channel() == theory.DrumChannel
	for p := range r.rows {
		if r.rows[p] == nil {
			continue
		}
		names[p] = theory.Spell(p, s.SpellingKey(t, r.from)).String()
		if d := theory.DrumName(p); drums && d != "" {
			names[p] = d
		}
		width = max(width, len(names[p]))
	}
	if width == 0 {
		b.WriteString("no notes there\n")
		return
	}
	if m != nil {
		fmt.Fprintf(b, "%*s  %s\n", width, "", strings.TrimRight(string(ruler), " "))
	}
	for p := 127; p >= 0; p-- {
		if r.rows[p] != nil {
			fmt.Fprintf(b, "%*s |%s|\n", width, names[p], r.rows[p])
		}
	}
}
