package arrange

import (
	"fmt"
	"strings"
)

// Part is one thing that makes a drawing worse.
type Part int

// The parts of a score.
const (
	Overlaps  Part = iota // shapes or frames that overlap
	Strays                // shapes outside their frame
	Through               // lines through a shape
	OwnEnd                // lines through one of their own ends
	Crossings             // of lines without a common end
	Forks                 // crossings of lines with a common end
	Close                 // pieces of lines too close to each other
	Hugs                  // pieces too close to a shape
	OnBorder              // pieces on a frame's border
	Foreign               // lines through a frame that holds neither of their ends
	OnTitle               // lines through a title
	Bends                 // corners
	ShortEnds             // first and last pieces too short for an arrow
	Length                // of lines, beyond what the flow needs
	OffTrunk              // lines that leave a trunk they could share
	OffMiddle             // ends off the middle of their side
	Against               // lines against the flow
	Reversed              // pairs of units against the flow without a cycle that explains it
	Shared                // connected groups above each other
	Ragged                // groups in several, uneven columns
	Hollow                // frames much larger than their contents
	Disorder              // groups of a column that are not in order
	Uneven                // groups side by side that begin or end at different heights
	Rows                  // lines to the next row
	Aspect                // page too wide or too high
	Labels                // labels without a clear position
	Size                  // of the page
	MainBent              // corners of the main path
	parts
)

var partNames = [parts]string{"overlaps", "strays", "through shapes", "through own ends", "crossings", "crossings of one end", "lines too close", "lines along shapes",
	"lines on borders", "through foreign frames", "through titles", "bends", "short ends", "length", "lines off their trunk", "off the middle", "against the flow", "units reversed",
	"joined groups in one column", "ragged groups", "hollow groups", "groups out of order", "uneven groups", "lines to the next row", "aspect", "labels not clear", "size", "main path bent"}

func (p Part) String() string { return partNames[p] }

// Score rates the look of a drawing by its geometry. Less is better.
type Score struct {
	Total  int        // in thousandths
	Counts [parts]int // how often each part occurs, or its measure
	Costs  [parts]int // cost of each part, in thousandths
}

// tally sums up costs, and records their parts if score is set.
type tally struct {
	total int
	score *Score
}

func (t *tally) add(p Part, n, cost int) {
	t.total += cost
	if t.score != nil {
		t.score.Counts[p] += n
		t.score.Costs[p] += cost
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

// Judge scores a drawing of g, made by anyone.
func Judge(g *Graph, r *Result, dir Dir) Score {
	p := newProblem(g, dir)
	j := p.judge(p.drawing(r))
	return j.score()
}
