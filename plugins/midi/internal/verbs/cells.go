package verbs

import (
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// cells divides time into steps of num/den ticks, counted from the start of each bar,
// so that triplets do not drift.
type cells struct{ num, den int64 }

// cellsArg reads the parameter grid:, with default def.
func cellsArg(c *ctx, a pdk.Args, def string, t *song.Track) (cells, error) {
	return cellsParam(c, a, "grid", def, t)
}

// cellsParam does the same for another parameter.
func cellsParam(c *ctx, a pdk.Args, key, def string, t *song.Track) (cells, error) {
	if ppq, err := c.Model.PPQ(); err == nil {
		v, ok := theory.ParseNoteValue(a.String(key, def))
		if ok && 4*ppq*v.Num >= v.Den {
			return cells{4 * ppq * v.Num, v.Den}, nil
		}
	}
	d, err := lengthParam(c, a, key, def, t, 0)
	return cells{d, 1}, err
}

// line returns the tick, from the bar's start, at which cell k starts.
func (g cells) line(k int64) int64 { return roundDiv(k*g.num, g.den) }

// cell returns the cell that holds a tick, counted from the bar's start.
func (g cells) cell(tick int64) int64 {
	k := tick * g.den / g.num
	for g.line(k+1) <= tick { // line rounds to the nearest tick, and the quotient is rounded down
		k++
	}
	for g.line(k) > tick {
		k--
	}
	return k
}

// nearest returns the grid line or bar line closest to a tick.
func (g cells) nearest(c *ctx, t *song.Track, tick int64) int64 {
	start, end := bar(c, t, tick)
	at := start + g.line(roundDiv((tick-start)*g.den, g.num))
	if at > end || end-tick < max(at-tick, tick-at) {
		return end
	}
	return at
}

// bar returns where the bar of a tick starts and ends. SMPTE time is one endless bar.
func bar(c *ctx, t *song.Track, tick int64) (start, end int64) {
	m, err := c.Model.Meter(t)
	if err != nil {
		return 0, 1 << 40
	}
	n, _, _ := m.Locate(tick)
	return m.BarTick(n), m.BarTick(n + 1)
}
