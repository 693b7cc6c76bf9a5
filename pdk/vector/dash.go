package vector

import "math"

// mostDashes limits the dashes of a line: with more, the line is solid.
const mostDashes = 20_000

// dashed calls line for each line or, if the stroke has dashes, for each dash.
func (s *Stroke) dashed(l *Lines, line func(points []Point, closed bool)) {
	dashes, period := s.dashes()
	for _, part := range l.Parts {
		if dashes == nil {
			line(part.Points, part.Closed)
		} else {
			dash(part, dashes, period, s.Offset, line)
		}
	}
}

// dashes are the lengths of dashes and gaps, an even number of them, and their sum. dashes
// is nil if the line is solid, also because a length is below 0 or all are 0.
func (s *Stroke) dashes() (dashes []float64, period float64) {
	for _, d := range s.Dashes {
		if !(d >= 0) {
			return nil, 0
		}
		period += d
	}
	if period == 0 || math.IsInf(period, 0) {
		return nil, 0
	}
	dashes = s.Dashes
	if len(dashes)%2 == 1 {
		dashes = append(dashes[:len(dashes):len(dashes)], dashes...)
		period *= 2
	}
	return dashes, period
}

// dash cuts a line into dashes.
func dash(p Polyline, dashes []float64, period, offset float64, line func(points []Point, closed bool)) {
	points := p.Points
	if p.Closed {
		points = append(points[:len(points):len(points)], points[0])
	}
	length := 0.0
	for i := 1; i < len(points); i++ {
		length += math.Hypot(points[i].X-points[i-1].X, points[i].Y-points[i-1].Y)
	}
	if !(length/period*float64(len(dashes)) <= mostDashes) {
		line(p.Points, p.Closed)
		return
	}
	i, left := 0, math.Mod(offset, period)
	if left < 0 {
		left += period
	}
	for left >= dashes[i] && left > 0 {
		left -= dashes[i]
		i = (i + 1) % len(dashes)
	}
	left = dashes[i] - left // of the current dash or gap
	cur := []Point{points[0]}
	var first []Point
	begun := p.Closed && i%2 == 0
	for j := 1; j < len(points); j++ {
		a, b := points[j-1], points[j]
		d, rest := unit(a, b), math.Hypot(b.X-a.X, b.Y-a.Y)
		for rest > left {
			a = Point{a.X + d.X*left, a.Y + d.Y*left}
			rest -= left
			if i%2 == 0 {
				if cur = append(cur, a); begun && first == nil {
					first = cur
					cur = nil
				} else {
					line(cur, false)
				}
			}
			cur = append(cur[:0], a)
			i = (i + 1) % len(dashes)
			left = dashes[i]
		}
		left -= rest
		cur = append(cur, b)
	}
	// If a closed line begins and ends in a dash, the two are one dash.
	switch {
	case i%2 != 0:
		if first != nil {
			line(first, false)
		}
	case begun && first == nil:
		line(p.Points, true)
	default:
		line(append(cur, first...), false)
	}
}
