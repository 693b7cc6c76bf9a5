// Package tangle finds where lines cross each other and where they run through boxes, in nearly linear time: it stores
// the pieces of lines in the squares of a grid, and compares only pieces that share a square.
package tangle

import (
	"math"

	"github.com/fcp-host/fcp-host/pdk/geom"
)

// square is the size of a grid square in units, about that of a shape.
const square = 120

// limit bounds the number of squares that are filled and of pairs that are compared, so that no drawing takes too long.
const limit = 400_000

type key struct{ x, y int }

type piece struct {
	line int
	a, b geom.Point
}

// Grid stores the pieces of lines.
type Grid struct {
	at     map[key][]int
	pieces []piece
	filled int
}

// New makes a grid of lines. It ignores lines with fewer than two points.
func New(lines [][]geom.Point) *Grid {
	g := &Grid{at: map[key][]int{}}
	for i, l := range lines {
		for j := 1; j < len(l); j++ {
			g.store(piece{i, l[j-1], l[j]})
		}
	}
	return g
}

func (g *Grid) store(p piece) {
	i := len(g.pieces)
	g.pieces = append(g.pieces, p)
	a, b := p.a, p.b
	if a.X > b.X {
		a, b = b, a
	}
	for x := cellOf(a.X); x <= cellOf(b.X) && g.filled < limit; x++ {
		// The part of the piece within this column.
		y0, y1 := a.Y, b.Y
		if b.X > a.X {
			slope := (b.Y - a.Y) / (b.X - a.X)
			y0 = a.Y + slope*(math.Max(a.X, float64(x)*square)-a.X)
			y1 = a.Y + slope*(math.Min(b.X, float64(x+1)*square)-a.X)
		}
		for y := cellOf(math.Min(y0, y1)); y <= cellOf(math.Max(y0, y1)) && g.filled < limit; y++ {
			g.at[key{x, y}] = append(g.at[key{x, y}], i)
			g.filled++
		}
	}
}

func cellOf(v float64) int { return int(math.Floor(math.Max(-1e8, math.Min(1e8, v)) / square)) }

// Crossings calls found once for each pair of lines that cross, in the order of the first line. whole is false if there
// was too much to compare.
func (g *Grid) Crossings(found func(a, b int)) (whole bool) {
	type pair struct{ a, b int }
	seen := map[pair]bool{}
	work := 0
	for i, p := range g.pieces {
		g.around(p, func(j int) bool {
			q := g.pieces[j]
			if work++; work > limit*4 {
				return false
			}
			if j <= i || q.line == p.line || !cross(p.a, p.b, q.a, q.b) {
				return true
			}
			k := pair{min(p.line, q.line), max(p.line, q.line)}
			if !seen[k] {
				seen[k] = true
				found(k.a, k.b)
			}
			return true
		})
		if work > limit*4 {
			return false
		}
	}
	return g.filled < limit
}

// around calls do for the pieces that share a square with p. It may call do twice for a piece.
func (g *Grid) around(p piece, do func(j int) bool) {
	a, b := p.a, p.b
	if a.X > b.X {
		a, b = b, a
	}
	for x := cellOf(a.X); x <= cellOf(b.X); x++ {
		y0, y1 := a.Y, b.Y
		if b.X > a.X {
			slope := (b.Y - a.Y) / (b.X - a.X)
			y0 = a.Y + slope*(math.Max(a.X, float64(x)*square)-a.X)
			y1 = a.Y + slope*(math.Min(b.X, float64(x+1)*square)-a.X)
		}
		for y := cellOf(math.Min(y0, y1)); y <= cellOf(math.Max(y0, y1)); y++ {
			for _, j := range g.at[key{x, y}] {
				if !do(j) {
					return
				}
			}
		}
	}
}

// Through calls found once for each line that runs through the box.
func (g *Grid) Through(r geom.Rect, found func(line int)) {
	seen := map[int]bool{}
	work := 0
	for x := cellOf(r.X); x <= cellOf(r.Right()); x++ {
		for y := cellOf(r.Y); y <= cellOf(r.Bottom()); y++ {
			if work++; work > limit/100 {
				return // a box as large as the drawing is its frame
			}
			for _, j := range g.at[key{x, y}] {
				p := g.pieces[j]
				if !seen[p.line] && enters(p.a, p.b, r) {
					seen[p.line] = true
					found(p.line)
				}
			}
		}
	}
}

// reach is how far pieces must extend beyond each other, in units, to count as crossing. Pieces of lines that share a
// trunk end on it, except for rounding errors of their ports.
const reach = 0.5

// cross reports whether two pieces cross between their ends.
func cross(a, b, c, d geom.Point) bool {
	side := func(p, q, r geom.Point) float64 { return (q.X-p.X)*(r.Y-p.Y) - (q.Y-p.Y)*(r.X-p.X) }
	ab, cd := reach*math.Hypot(b.X-a.X, b.Y-a.Y), reach*math.Hypot(d.X-c.X, d.Y-c.Y)
	s1, s2, s3, s4 := side(a, b, c), side(a, b, d), side(c, d, a), side(c, d, b)
	return (s1 > ab && s2 < -ab || s1 < -ab && s2 > ab) && (s3 > cd && s4 < -cd || s3 < -cd && s4 > cd)
}

// enters reports whether a piece is partly inside the box (Liang–Barsky).
func enters(a, b geom.Point, r geom.Rect) bool {
	t0, t1 := 0.0, 1.0
	dx, dy := b.X-a.X, b.Y-a.Y
	for _, e := range [4][2]float64{{-dx, a.X - r.X}, {dx, r.Right() - a.X}, {-dy, a.Y - r.Y}, {dy, r.Bottom() - a.Y}} {
		switch p, q := e[0], e[1]; {
		case p == 0 && q <= 0:
			return false
		case p < 0:
			t0 = math.Max(t0, q/p)
		case p > 0:
			t1 = math.Min(t1, q/p)
		}
	}
	return t1-t0 > 1e-9
}
