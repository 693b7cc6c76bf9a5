package vector

import "math"

// Outline returns the border of the area that the stroke of p paints, as a path that does
// not overlap itself and fills the same area by both rules. Beside a line or an arc of a
// circle the border is a line or an arc, too; round joins and caps are arcs. Beside other
// curves it consists of cubic curves that deviate from the exact border by less than 1/100
// of the width and 1/5,000 of the whole. The only error is ErrTangled.
func (s *Stroke) Outline(p Path) (Path, error) {
	half := s.Width / 2
	box, ok := s.Box(p, Identity())
	if !ok || !(half > 0) {
		return nil, nil
	}
	b := grid(Box{box.X0 - half, box.Y0 - half, box.X1 + half, box.Y1 + half})
	if b == nil {
		return nil, nil
	}
	// A stroke has many chords, but no detail finer than its width.
	b.tolerance = min(b.size*5e-5, half/16)
	b.fitting = min(b.fitting, half/100)
	b.places = map[node]Point{}
	n := &nib{Stroke: s, half: half, limit: s.miter(), loopPen: b.pen(0)}
	dashes, period := s.dashes()
	for {
		for _, part := range p.Subpaths() {
			n.subpath(part, dashes, period)
		}
		if len(b.chords) <= mostChords || b.tolerance > b.size/100 {
			break
		}
		b.curves, b.chords = b.curves[:0], b.chords[:0]
		b.tolerance *= 4
	}
	b.chords = cancel(b.chords)
	out, err := b.outline(1, func(winding []int32, _ []bool) bool { return winding[0] != 0 })
	if out = out.Simplify(b.fitting); err == nil && len(out) == 0 {
		err = ErrTangled // the tolerance became so coarse that nothing is left
	}
	return out, err
}

// cancel removes straight chords that were drawn in both directions, such as those between
// the pieces of a stroke.
func cancel(chords []chord) []chord {
	type line struct{ a, b node }
	balance := map[line]int{}
	for i := range chords {
		if c := &chords[i]; c.curve == straight {
			balance[line{c.a, c.b}]++
			balance[line{c.b, c.a}]--
		}
	}
	out := chords[:0]
	for _, c := range chords {
		if c.curve == straight {
			if balance[line{c.a, c.b}] <= 0 {
				continue
			}
			balance[line{c.a, c.b}]--
		}
		out = append(out, c)
	}
	return out
}

// nib draws the area of a stroke as loops of the same orientation.
type nib struct {
	*Stroke
	*loopPen
	half, limit float64
}

// stretch is a piece of a curve along which a line is drawn.
type stretch struct {
	curve
	t0, t1 float64
}

// subpath draws the stroke of a subpath.
func (n *nib) subpath(p Path, dashes []float64, period float64) {
	var line []stretch
	from, drawn := p[0].To, false
	for i := range p {
		if k, ok := newCurve(from, &p[i]); ok {
			// A curve that looks like a line gets the caps of a line, whatever the
			// directions of its ends.
			line = append(line, stretch{k.straightened(n.half / 100), 0, 1})
		}
		drawn = drawn || p[i].Kind != Move
		from = p[i].To
	}
	switch closed := p[len(p)-1].Kind == Close; {
	case len(line) == 0:
		if drawn {
			n.dot(from)
		}
	case dashes == nil:
		n.line(line, closed)
	default:
		n.dashed(line, closed, dashes, period)
	}
}

// dashed draws a line in dashes; a line with too many dashes is solid.
func (n *nib) dashed(line []stretch, closed bool, dashes []float64, period float64) {
	length := 0.0
	lengths := make([]float64, len(line))
	for i := range line {
		lengths[i] = line[i].measure()
		length += lengths[i]
	}
	if !(length/period*float64(len(dashes)) <= mostDashes) {
		n.line(line, closed)
		return
	}
	i, left := 0, math.Mod(n.Offset, period)
	if left < 0 {
		left += period
	}
	for left >= dashes[i] && left > 0 {
		left -= dashes[i]
		i = (i + 1) % len(dashes)
	}
	left = dashes[i] - left // of the current dash or gap
	var first, cur []stretch
	begun := i%2 == 0
	done := func() {
		// If a closed line begins and ends in a dash, the two are one dash.
		if closed && begun && first == nil {
			first = cur
		} else {
			n.line(cur, false)
		}
		cur = nil
	}
	for j := range line {
		s, at := line[j], 0.0
		for lengths[j]-at > left {
			at += left
			s.t1 = s.find(at)
			if i%2 == 0 {
				if s.t1 > s.t0 || len(cur) == 0 {
					cur = append(cur, s)
				}
				done()
			}
			s.t0 = s.t1
			i = (i + 1) % len(dashes)
			left = dashes[i]
		}
		left -= lengths[j] - at
		s.t1 = 1
		if i%2 == 0 && s.t1 > s.t0 {
			cur = append(cur, s)
		}
	}
	switch {
	case i%2 == 0 && len(cur) > 0 && closed && begun && first == nil:
		n.line(cur, true)
	case len(cur) > 0 || first != nil:
		n.line(append(cur, first...), false)
	}
}

// line draws connected stretches.
func (n *nib) line(line []stretch, closed bool) {
	for i := range line {
		n.strip(&line[i])
		if i+1 < len(line) {
			n.join(&line[i], &line[i+1])
		}
	}
	first, last := &line[0], &line[len(line)-1]
	if closed {
		n.join(last, first)
		return
	}
	d := first.direction(first.t0)
	n.cap(first, first.t0, Point{-d.X, -d.Y})
	n.cap(last, last.t1, last.direction(last.t1))
}

// strip draws the area beside a stretch, on both sides.
func (n *nib) strip(s *stretch) {
	if s.t0 == s.t1 {
		return // a dash without length has only caps
	}
	right, left := s.aside(n.half), s.aside(-n.half)
	at := n.steps([3]*curve{&s.curve, &right, &left}, s.t0, s.t1)
	for _, edge := range [2]curve{right, left} {
		index := len(n.curves)
		n.curves = append(n.curves, edge)
		for i := 1; i < len(at); i++ {
			n.patch(s, index, at[i-1], at[i], edge.beside > 0 || edge.beside == 0 && n.rightOf(s, &edge))
		}
	}
}

// rightOf reports whether a line or an arc runs to the right of a stretch.
func (n *nib) rightOf(s *stretch, edge *curve) bool {
	d, p, q := s.direction(s.t0), s.at(s.t0), edge.at(s.t0)
	return d.X*(q.Y-p.Y)-d.Y*(q.X-p.X) > 0
}

// patch draws the area between a piece of a stretch and the curve beside it. It leaves out
// the side along the stretch itself, which the area on the other side of the stretch shares.
func (n *nib) patch(s *stretch, beside int, t0, t1 float64, right bool) {
	edge := &n.curves[beside]
	p0, p1, q0, q1 := s.at(t0), s.at(t1), edge.at(t0), edge.at(t1)
	a0, a1, b0, b1 := n.mark(p0), n.mark(p1), n.mark(q0), n.mark(q1)
	put := func(a, b node, curve int, from, to float64) {
		if !right {
			a, b, from, to = b, a, to, from
		}
		if a != b {
			n.chords = append(n.chords, chord{a, b, n.region, int32(curve), from, to})
		}
	}
	if (p1.X-p0.X)*(q1.X-q0.X)+(p1.Y-p0.Y)*(q1.Y-q0.Y) < 0 {
		// The curve is bent so much that its edge runs backwards: the patch is twisted.
		if x, ok := intersection(p0, q0, p1, q1); ok {
			m := n.node(x)
			put(a1, m, straight, 0, 0)
			put(m, a0, straight, 0, 0)
			put(m, b0, straight, 0, 0)
			put(b0, b1, beside, t0, t1)
			put(b1, m, straight, 0, 0)
			return
		}
	}
	put(a1, b1, straight, 0, 0)
	put(b1, b0, beside, t1, t0)
	put(b0, a0, straight, 0, 0)
}

// mark returns the node of an end of straight chords, and records the exact point for the
// outline.
func (n *nib) mark(p Point) node {
	m := n.node(p)
	n.places[m] = p
	return m
}

// intersection is the crossing of the lines from a to b and from c to d; ok is false if they
// do not cross.
func intersection(a, b, c, d Point) (p Point, ok bool) {
	ux, uy, vx, vy := b.X-a.X, b.Y-a.Y, d.X-c.X, d.Y-c.Y
	det := ux*vy - uy*vx
	if det == 0 {
		return p, false
	}
	s := ((c.X-a.X)*vy - (c.Y-a.Y)*vx) / det
	t := ((c.X-a.X)*uy - (c.Y-a.Y)*ux) / det
	return a.Lerp(b, s), s >= 0 && s <= 1 && t >= 0 && t <= 1
}

// steps are parameters between which none of the curves deviates from its chords by more
// than the tolerance.
func (n *nib) steps(curves [3]*curve, t0, t1 float64) []float64 {
	out := []float64{t0}
	if curves[0].kind == Line {
		return append(out, t1)
	}
	var divide func(a, b float64, depth int)
	divide = func(a, b float64, depth int) {
		mid := (a + b) / 2
		fine := depth >= 3
		for _, k := range curves {
			p, q, m := k.at(a), k.at(b), k.at(mid)
			fine = fine && m.Distance(p.Lerp(q, 0.5)) <= n.tolerance*4 && offChord(m, p, q) <= n.tolerance
		}
		if fine || depth == 11 {
			out = append(out, b)
			return
		}
		divide(a, mid, depth+1)
		divide(mid, b, depth+1)
	}
	divide(t0, t1, 0)
	return out
}

// offChord is the distance of p from the line through a and b.
func offChord(p, a, b Point) float64 {
	d := unit(a, b)
	return math.Abs((p.X-a.X)*d.Y - (p.Y-a.Y)*d.X)
}

// loop draws straight lines from point to point, in the orientation of all loops.
func (n *nib) loop(points ...Point) {
	area := 0.0
	for i, p := range points[1 : len(points)-1] {
		q := points[i+2]
		area += (p.X-points[0].X)*(q.Y-points[0].Y) - (p.Y-points[0].Y)*(q.X-points[0].X)
	}
	last := n.mark(points[len(points)-1])
	for _, p := range points {
		m := n.mark(p)
		a, b := last, m
		if area < 0 {
			a, b = b, a
		}
		if a != b {
			n.chords = append(n.chords, chord{a: a, b: b, region: n.region, curve: straight})
		}
		last = m
	}
}

// sector draws a sector of a disc, from a point on its rim to another one, over an angle
// that may be negative.
func (n *nib) sector(mid, from, to Point, by float64) {
	if by < 0 {
		from, to, by = to, from, -by
	}
	k := curve{span: span{kind: Arc, from: from, to: to}}
	k.round = ellipse{mid: mid, u: Point{X: n.half}, v: Point{Y: n.half}, from: math.Atan2(from.Y-mid.Y, from.X-mid.X), by: by}
	index := len(n.curves)
	n.curves = append(n.curves, k)
	p := n.pen(n.region)
	p.line(n.node(mid), n.node(from), straight, 0, 0)
	p.walk(index, k.cuts(n.tolerance, nil), 0, 1)
	p.line(n.node(to), n.node(mid), straight, 0, 0)
	p.close()
}

// join fills the corner between two stretches.
func (n *nib) join(s, t *stretch) {
	p, d, e := s.at(s.t1), s.direction(s.t1), t.direction(t.t0)
	cross, dot := d.X*e.Y-d.Y*e.X, d.X*e.X+d.Y*e.Y
	if math.Abs(cross) < 1e-9 && dot > 0 {
		return
	}
	h, by := -n.half, math.Atan2(math.Abs(cross), dot)
	if cross < 0 {
		h, by = -h, -by
	}
	k, l := s.aside(h), t.aside(h)
	a, b := k.at(s.t1), l.at(t.t0)
	switch {
	case n.Join == RoundJoin:
		n.sector(p, a, b, by)
	case n.Join == Miter && pointed(dot, n.limit):
		n.loop(p, a, tip(p, d, e, h, dot), b)
	default:
		n.loop(p, a, b)
	}
}

// cap draws the cap of a line that ends at the parameter t of a stretch, in the direction d.
func (n *nib) cap(s *stretch, t float64, d Point) {
	p, h := s.at(t), n.half
	k, l := s.aside(h), s.aside(-h)
	a, b := k.at(t), l.at(t)
	if d.X*(a.Y-p.Y)-d.Y*(a.X-p.X) > 0 {
		a, b = b, a
	}
	switch n.Cap {
	case RoundCap:
		n.sector(p, a, b, math.Pi)
	case Square:
		x, y := d.X*h, d.Y*h
		n.loop(p, a, Point{a.X + x, a.Y + y}, Point{b.X + x, b.Y + y}, b)
	}
}

// dot draws the caps of a line without length.
func (n *nib) dot(c Point) {
	h := n.half
	switch n.Cap {
	case RoundCap:
		e, w := Point{c.X + h, c.Y}, Point{c.X - h, c.Y}
		n.sector(c, e, w, math.Pi)
		n.sector(c, w, e, math.Pi)
	case Square:
		n.loop(Point{c.X - h, c.Y - h}, Point{c.X + h, c.Y - h}, Point{c.X + h, c.Y + h}, Point{c.X - h, c.Y + h})
	}
}
