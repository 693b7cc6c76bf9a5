package args

import (
	"slices"

	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
)

// swing puts the second of each two cells of a grid, the offbeat, at a percentage of
// their time. Swing that is there already is replaced, so that the same percentage
// again changes nothing.
type swing struct {
	c       *ctx
	grid    Cells
	percent int
	pairs   map[pairAt]*pair
}

type pairAt struct {
	track *song.Track
	low   int64
}

// pair is two cells: where the second starts, where they end and where the offbeat will
// be, in ticks from where the first starts; and what the notes of a track do there.
type pair struct {
	middle, end, swung int64
	starts             []int64
	offbeat            int64 // the start that is the offbeat now; 0 for none
	straight           bool  // a start is on the middle
	thirds, sixths     bool  // it is a triplet as people play it; a start is on an odd sixth
}

// NewSwing finds the offbeats of notes.
func NewSwing(c *ctx, grid Cells, percent int, notes []*song.Event) *swing {
	s := &swing{c, grid, percent, map[pairAt]*pair{}}
	for _, e := range notes {
		if p, low := s.pair(e.Track, e.Tick); p != nil {
			p.starts = append(p.starts, e.Tick-low)
		}
	}
	for _, p := range s.pairs {
		p.find()
	}
	return s
}

// pair returns the pair of cells at a tick and its start, or nil for a last cell
// without a second one and for cells too short to divide.
func (s *swing) pair(t *song.Track, tick int64) (*pair, int64) {
	start, stop := Bar(s.c, t, tick)
	first := s.grid.Cell(tick-start) / 2 * 2
	low, middle, high := start+s.grid.Line(first), start+s.grid.Line(first+1), start+s.grid.Line(first+2)
	if high > stop || middle == low || high == middle {
		return nil, low
	}
	p := s.pairs[pairAt{t, low}]
	if p == nil {
		p = &pair{middle: middle - low, end: high - low, swung: RoundDiv((high-low)*int64(s.percent), 100)}
		s.pairs[pairAt{t, low}] = p
	}
	return p, low
}

// find sets the fields of p that depend on its starts. The offbeat is on its new place
// already, near the middle, or up to 74 percent of the pair later than the beat.
func (p *pair) find() {
	p.thirds = slices.ContainsFunc(p.starts, func(at int64) bool { return p.near(at, 1) })
	for _, at := range p.starts {
		p.straight = p.straight || at == p.middle
		p.thirds = p.thirds && (p.near(at, 0) || p.near(at, 1) || p.near(at, 2) || p.near(at, 3))
		p.sixths = p.sixths || p.on(at, 1, 6) || p.on(at, 5, 6)
	}
	far := func(at int64) int64 { return max(at-p.middle, p.middle-at) }
	for _, at := range p.starts {
		switch {
		case p.offbeat == p.swung:
		case at == p.swung && !(p.straight && 4*at == 3*p.end): // not the fourth of four straight notes
			p.offbeat = at
		case p.triplet(at):
		case 24*far(at) > p.end && (at < p.middle || 100*at > 74*p.end):
		case p.offbeat == 0 || far(at) < far(p.offbeat):
			p.offbeat = at
		}
	}
}

// on reports whether a tick is at k of n equal parts of p, rounded either way.
func (p *pair) on(at, k, n int64) bool { return max(n*at-k*p.end, k*p.end-n*at) < n }

// near reports whether a tick is at third k as it is played, within a 40th of p.
func (p *pair) near(at, k int64) bool { return 40*max(3*at-k*p.end, k*p.end-3*at) < 3*p.end }

// triplet reports whether a tick belongs to a triplet.
func (p *pair) triplet(at int64) bool {
	return p.on(at, 1, 3) || p.on(at, 2, 3) || p.thirds && (p.near(at, 1) || p.near(at, 2)) || p.sixths && (p.on(at, 1, 6) || p.on(at, 3, 6) || p.on(at, 5, 6))
}

// Place returns where swing puts a tick of a track.
func (s *swing) Place(t *song.Track, tick int64) int64 {
	p, low := s.pair(t, tick)
	if p == nil || p.triplet(tick-low) {
		return tick
	}
	return low + p.move(tick-low)
}

// move returns the new place in p of a tick that is not in a triplet.
func (p *pair) move(at int64) int64 {
	to := at
	switch {
	case at == p.middle:
		return p.swung
	case p.offbeat == 0 || p.offbeat == p.swung:
		return at
	case at <= p.offbeat:
		to = RoundDiv(at*p.swung, p.offbeat)
	default:
		to = p.swung + RoundDiv((at-p.offbeat)*(p.end-p.swung), p.end-p.offbeat)
	}
	if to == p.middle && p.swung != p.middle {
		to++ // what is on the middle is straight, and would move the next time
	}
	return to
}
