package arrange

import (
	"fmt"
	"strings"
)

// Part is one thing that makes a drawing worse.
type Part int

// The parts of a score.
const (
	Overlaps  Part = iota // shapes or frames that cover each other
	Strays                // shapes outside of their frame
	Through               // lines through a shape
	OwnEnd                // lines through one of their own ends
	Crossings             // of lines without a common end
	Forks                 // crossings of lines with a common end
	Close                 // pieces of lines too near to each other
	Hugs                  // pieces too near to a shape
	OnBorder              // pieces on a frame's border
	Foreign               // lines through a frame that holds none of their ends
	OnTitle               // lines through a title
	Bends                 // corners
	ShortEnds             // first and last pieces too short for an arrow
	Length                // of lines, beyond what the flow needs
	OffTrunk              // lines that leave a trunk they could share
	OffMiddle             // ends off the middle of their side
	Against               // lines against the flow
	Reversed              // pairs of units against the flow for no reason
	Shared                // joined groups above each other
	Ragged                // groups in several, uneven columns
	Hollow                // frames much larger than what they hold
	Disorder              // groups of a column not in their order
	Uneven                // groups beside each other that begin or end at different heights
	Rows                  // lines on to the next row
	Aspect                // page too wide or too high
	Labels                // labels without a clear place
	Size                  // of the page
	MainBent              // corners of the main path
	parts
)

var partNames = [parts]string{"overlaps", "strays", "through shapes", "through own ends", "crossings", "crossings of one end", "lines too close", "lines along shapes",
	"lines on borders", "through foreign frames", "through titles", "bends", "short ends", "length", "lines off their trunk", "off the middle", "against the flow", "units reversed",
	"joined groups in one column", "ragged groups", "hollow groups", "groups out of order", "uneven groups", "lines to the next row", "aspect", "labels not clear", "size", "main path bent"}

func (p Part) String() string { return partNames[p] }

// Score says how a drawing looks, by its geometry alone. Less is better.
type Score struct {
	Total  int        // in thousandths
	Counts [parts]int // how often each part occurs, or its measure
	Costs  [parts]int // what it costs, in thousandths
}

// tally sums up costs, and their parts where they are wanted.
type tally struct {
	total int
	parts *Score
}

func (t *tally) add(p Part, n, cost int) {
	t.total += cost
	if t.parts != nil {
		t.parts.Counts[p] += n
		t.parts.Costs[p] += cost
	}
}

// String lists the total and the parts that cost something.
func (s Score) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d", s.Total/1000)
	for p := range parts {
		if s.Costs[p] >= 500 {
			fmt.Fprintf(&b, " · %s %d", p, (s.Costs[p]+500)/1000)
		}
	}
	return b.String()
}

// Judge scores a drawing of g, whoever made it.
func Judge(g *Graph, r *Result, dir Dir) Score {
	p := newProblem(g, dir)
	j := p.judge(p.drawing(r))
	return j.score()
}
