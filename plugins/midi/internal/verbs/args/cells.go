package args

import (
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// Cells divides time into steps of num/den ticks, counted from the start of each bar,
// so that triplets do not drift.
type Cells struct{ num, den int64 }

// Grid reads the parameter grid:, with default def.
func Grid(c *ctx, a pdk.Args, def string, t *song.Track) (Cells, error) {
	return GridOf(c, a, "grid", def, t)
}

// GridOf does the same for another parameter.
func GridOf(c *ctx, a pdk.Args, key, def string, t *song.Track) (Cells, error) {
	if ppq, err := c.Model.PPQ(); err == nil {
		v, ok := theory.ParseNoteValue(a.String(key, def))
		if ok && 4*ppq*v.Num >= v.Den {
			return Cells{4 * ppq * v.Num, v.Den}, nil
		}
	}
	d, err := Length(c, a, key, def, t, 0)
	return Cells{d, 1}, err
}

// Line returns the tick, from the bar's start, at which cell k starts.
func (g Cells) Line(k int64) int64 { return RoundDiv(k*g.num, g.den) }

// Cell returns the cell that holds a tick, counted from the bar's start.
func (g Cells) Cell(tick int64) int64 {
	k := tick * g.den / g.num
	for g.Line(k+1) <= tick { // line rounds to the nearest tick, and the quotient is rounded down
		k++
	}
	for g.Line(k) > tick {
		k--
	}
	return k
}

// Nearest returns the grid line or bar line closest to a tick.
func (g Cells) Nearest(c *ctx, t *song.Track, tick int64) int64 {
	start, end := Bar(c, t, tick)
	at := start + g.Line(RoundDiv((tick-start)*g.den, g.num))
	if at > end || end-tick < max(at-tick, tick-at) {
		return end
	}
	return at
}

// Bar returns where the bar of a tick starts and ends. SMPTE time is one endless bar.
func Bar(c *ctx, t *song.Track, tick int64) (start, end int64) {
	m, err := c.Model.Meter(t)
	if err != nil {
		return 0, 1 << 40
	}
	n, _, _ := m.Locate(tick)
	return m.BarTick(n), m.BarTick(n + 1)
}

// RoundDiv returns a/b rounded to the nearest whole number; b must be above 0.
func RoundDiv(a, b int64) int64 {
	if a < 0 {
		return -((-2*a + b) / (2 * b))
	}
	return (2*a + b) / (2 * b)
}

func SwingArg(text string) (percent int, err error) {
	percent, err = strconv.Atoi(strings.TrimSuffix(text, "%"))
	if err != nil || percent < 20 || percent > 80 {
		return 0, pdk.Errorf("swing %q is not a whole percentage from 20 to 80 (50 is straight)", text)
	}
	return percent, nil
}

// Swinger returns a function that swings ticks of a track that are straight.
func Swinger(c *ctx, grid Cells, percent int) func(t *song.Track, tick int64) int64 {
	s := NewSwing(c, grid, percent, nil)
	return func(t *song.Track, tick int64) int64 {
		if p, _ := s.pair(t, tick); p != nil {
			p.offbeat = p.middle
		}
		return s.Place(t, tick)
	}
}
