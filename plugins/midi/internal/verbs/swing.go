package verbs

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
)

func swingVerb() verb {
	return verb{Verb: abi.Verb{
		Category: "Edit", Syntax: "swing PERCENT @SEL… [grid:DUR]",
		Brief:    "swing PERCENT @SEL… [grid:]",
		Summary:  "put the second of each two steps of grid: (eighths) at PERCENT of their time (50 is straight, 67 triplets), whatever swing it has; notes around it move in proportion, triplets stay",
		Examples: []string{"swing 62 @track:Drums", "swing 58 @all grid:16th"},
	}, Run: func(c *ctx, a pdk.Args) error {
		percent, err := swingArg(a.Text(0))
		if err != nil {
			return insteadAt(err, a, 0, near.Number(a.Text(0), 20, 80)...)
		}
		notes := pdk.Must(targetNotes(c, a, 1))
		grid := pdk.Must(cellsArg(c, a, "eighth", notes[0].Track))
		s := newSwing(c, grid, percent, notes)
		before := ticks(notes)
		n := pdk.Must(reshape(c, notes, func(_ int, e *song.Event) span {
			return span{s.place(e.Track, e.Tick), s.place(e.Track, e.Mate.Tick)}
		}, "Swing "+itoa(percent)))
		if n == 0 {
			return pdk.Unchanged("no note is at a place where %d percent of swing would move it", percent)
		}
		moved := 0
		for i, e := range notes {
			moved += btoi(e.Tick != before[i])
		}
		c.Changed("Swing %d%% for %s, %d moved", percent, pdk.Count(len(notes), "note"), moved)
		return nil
	}}
}

func swingArg(text string) (percent int, err error) {
	percent, err = strconv.Atoi(strings.TrimSuffix(text, "%"))
	if err != nil || percent < 20 || percent > 80 {
		return 0, pdk.Errorf("swing %q is not a whole percentage from 20 to 80 (50 is straight)", text)
	}
	return percent, nil
}

// swing puts the second of each two cells of a grid, the offbeat, at a percentage of
// their time. Swing that is there already is replaced, so that the same percentage
// again changes nothing.
type swing struct {
	c       *ctx
	grid    cells
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

// newSwing finds the offbeats of notes.
func newSwing(c *ctx, grid cells, percent int, notes []*song.Event) *swing {
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

// swinger returns a function that swings ticks of a track that are straight.
func swinger(c *ctx, grid cells, percent int) func(t *song.Track, tick int64) int64 {
	s := newSwing(c, grid, percent, nil)
	return func(t *song.Track, tick int64) int64 {
		if p, _ := s.pair(t, tick); p != nil {
			p.offbeat = p.middle
		}
		return s.place(t, tick)
	}
}

// pair returns the pair of cells at a tick and its start, or nil for a last cell
// without a second one and for cells too short to divide.
func (s *swing) pair(t *song.Track, tick int64) (*pair, int64) {
	start, stop := bar(s.c, t, tick)
	first := s.grid.cell(tick-start) / 2 * 2
	low, middle, high := start+s.grid.line(first), start+s.grid.line(first+1), start+s.grid.line(first+2)
	if high > stop || middle == low || high == middle {
		return nil, low
	}
	p := s.pairs[pairAt{t, low}]
	if p == nil {
		p = &pair{middle: middle - low, end: high - low, swung: roundDiv((high-low)*int64(s.percent), 100)}
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

// place returns where swing puts a tick of a track.
func (s *swing) place(t *song.Track, tick int64) int64 {
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
		to = roundDiv(at*p.swung, p.offbeat)
	default:
		to = p.swung + roundDiv((at-p.offbeat)*(p.end-p.swung), p.end-p.offbeat)
	}
	if to == p.middle && p.swung != p.middle {
		to++ // what is on the middle is straight, and would move the next time
	}
	return to
}
