package vector

import (
	"math"
	"slices"
)

// Region is the area that a path fills. Open subpaths are closed by a line, as for a fill.
type Region struct {
	Path    Path
	EvenOdd bool // filled by the even-odd rule, otherwise by the nonzero rule
}

// Combine returns the outline of all points that in accepts. The argument of in says for
// each region whether the point lies in it; in must not keep the slice, and must not accept
// points that lie in no region. The outline fills the same area by both rules, does not
// overlap itself, and consists of pieces of the regions' segments: lines stay lines, curves
// stay curves, and arcs stay arcs. Parts that are thinner than a few millionths of the whole
// are left out. The only error is ErrTangled.
//
// # Notes
//
// Curves are cut into chords on a grid of integers, on which no decision depends on
// rounding: each crossing is found, and each point lies on one side of a chord or the other.
// The chords of the result are converted back to ranges of the curves that they came from.
// Curves that coincide, such as a piece that was cut off and the curve it was cut from, are
// cut into the same chords.
func Combine(regions []Region, in func(inside []bool) bool) (Path, error) {
	b := newBuilder(regions)
	if b == nil {
		return nil, nil
	}
	for i, r := range regions {
		b.region(i, r.Path)
	}
	b.findOverlaps()
	for b.draw(); len(b.chords) > mostChords && b.tolerance < b.size/100; b.draw() {
		b.tolerance *= 4
	}
	return b.outline(len(regions), func(winding []int32, inside []bool) bool {
		for i, w := range winding {
			inside[i] = w != 0 && (!regions[i].EvenOdd || w%2 != 0)
		}
		return in(inside)
	})
}

const (
	// mostChords is the maximum number of chords, unless the tolerance is already at its limit.
	mostChords = 30_000
	// fineness is the size of the drawing in steps of the grid. Twice that, squared, and
	// summed a few times has to fit an int64.
	fineness = 1 << 25
	// leeway is how far a chord may deviate from its curve, as a fraction of the drawing's size.
	leeway = 1e-6
	// fitting is how far a Bézier curve that replaces another kind of curve may deviate from
	// it, as a fraction of the drawing's size.
	fitting = 1e-4
)

// builder cuts curves into chords.
type builder struct {
	origin    Point
	size      float64
	unit      float64 // a step of the grid
	tolerance float64
	fitting   float64 // tolerance of curves that replace others
	curves    []curve
	loops     []loop
	shared    [][]overlap // by curve
	stops     [][]float64 // by curve: parameters at which it has to be cut
	chords    []chord
	places    map[node]Point // exact points of nodes, where they are known
}

// loop is a closed run of curves.
type loop struct {
	from, to int // indexes of the curves
	region   int32
}

// node is a point of the grid.
type node struct{ x, y int64 }

// straight is the curve of a chord that belongs to no curve.
const straight = -1

// chord is a piece of a curve between two points of the grid.
type chord struct {
	a, b   node
	region int32
	curve  int32
	t0, t1 float64
}

// newBuilder prepares the grid; it returns nil if there is nothing to draw on it.
func newBuilder(regions []Region) *builder {
	b := Empty()
	for _, r := range regions {
		if c, ok := r.Path.Box(Identity()); ok {
			b = b.Union(c)
		}
	}
	return grid(b)
}

func grid(b Box) *builder {
	size := max(b.Width(), b.Height())
	if b.IsEmpty() || !(size > 0) {
		return nil
	}
	return &builder{origin: Point{(b.X0 + b.X1) / 2, (b.Y0 + b.Y1) / 2}, size: size, unit: size / fineness, tolerance: size * leeway, fitting: size * fitting}
}

func (b *builder) node(p Point) node {
	const most = fineness
	x, y := math.Round((p.X-b.origin.X)/b.unit), math.Round((p.Y-b.origin.Y)/b.unit)
	return node{int64(min(most, max(-most, x))), int64(min(most, max(-most, y)))}
}

func (b *builder) point(n node) Point {
	if p, ok := b.places[n]; ok {
		return p
	}
	return Point{b.origin.X + float64(n.x)*b.unit, b.origin.Y + float64(n.y)*b.unit}
}

// region adds the curves of a path.
func (b *builder) region(index int, p Path) {
	var from, start Point
	first := len(b.curves)
	finish := func() {
		b.add(from, &Segment{Kind: Line, To: start})
		if len(b.curves) > first {
			b.loops = append(b.loops, loop{first, len(b.curves), int32(index)})
		}
		first = len(b.curves)
	}
	for i := range p {
		s := &p[i]
		if s.Kind == Move {
			finish()
			start = s.To
		} else {
			b.add(from, s)
		}
		from = s.To
	}
	finish()
}

// add adds a segment.
func (b *builder) add(from Point, s *Segment) {
	k, ok := newCurve(from, s)
	if !ok {
		return
	}
	b.curves = append(b.curves, k.straightened(b.tolerance/16))
}

// draw cuts all curves into chords.
func (b *builder) draw() {
	b.chords = b.chords[:0]
	cuts := make([][]float64, len(b.curves))
	of := func(i int) []float64 {
		if cuts[i] == nil {
			slices.Sort(b.stops[i])
			cuts[i] = b.curves[i].cuts(b.tolerance, b.stops[i])
		}
		return cuts[i]
	}
	for _, l := range b.loops {
		p := b.pen(l.region)
		for i := l.from; i < l.to; i++ {
			at := 0.0
			for _, s := range b.shared[i] {
				p.walk(i, of(i), at, s.t0)
				p.walk(s.other, of(s.other), s.o0, s.o1)
				at = s.t1
			}
			p.walk(i, of(i), at, 1)
		}
		p.close()
	}
}

// loopPen draws a closed run of chords.
type loopPen struct {
	*builder
	region      int32
	first, last node
	begun       bool
}

func (b *builder) pen(region int32) *loopPen { return &loopPen{builder: b, region: region} }

// line draws a chord between two points, and before it another one if there is a gap.
func (p *loopPen) line(a, z node, curve int, t0, t1 float64) {
	if !p.begun {
		p.first, p.begun = a, true
	} else if p.last != a {
		p.chords = append(p.chords, chord{a: p.last, b: a, region: p.region, curve: straight})
	}
	if a != z {
		p.chords = append(p.chords, chord{a, z, p.region, int32(curve), t0, t1})
	}
	p.last = z
}

// walk draws the chords of a curve from parameter t0 to t1. Both are in cuts.
func (p *loopPen) walk(i int, cuts []float64, t0, t1 float64) {
	k := &p.curves[i]
	last, a := t0, p.node(k.at(t0))
	step := func(t float64) {
		z := p.node(k.at(t))
		p.line(a, z, i, last, t)
		last, a = t, z
	}
	if t0 < t1 {
		for _, t := range cuts {
			if t > t0 && t <= t1 {
				step(t)
			}
		}
		return
	}
	for _, t := range slices.Backward(cuts) {
		if t < t0 && t >= t1 {
			step(t)
		}
	}
}

func (p *loopPen) close() {
	if p.begun && p.last != p.first {
		p.chords = append(p.chords, chord{a: p.last, b: p.first, region: p.region, curve: straight})
	}
}
