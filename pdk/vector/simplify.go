package vector

// Simplify is p with fewer points. It deviates from p by at most tolerance. Runs of lines
// keep the points that they need, and runs of curves that continue each other smoothly are
// replaced by fewer cubic curves. Corners and the ends of runs do not move. Arcs are not
// changed.
func (p Path) Simplify(tolerance float64) Path {
	var out Path
	var from Point
	for i := 0; i < len(p); {
		s := p[i]
		n := 1
		switch s.Kind {
		case Line:
			for i+n < len(p) && p[i+n].Kind == Line {
				n++
			}
			out = append(out, simplifyLines(from, p[i:i+n], tolerance)...)
		case Quad, Cubic:
			curves := []curve{}
			for at := from; i+len(curves) < len(p); {
				next := &p[i+len(curves)]
				k, ok := newCurve(at, next)
				if !ok || next.Kind != Quad && next.Kind != Cubic || k.kind == Line || len(curves) > 0 && !smooth(&curves[len(curves)-1], &k) {
					break
				}
				curves = append(curves, k)
				at = next.To
			}
			if n = len(curves); n > 1 {
				out = append(out, mergeCurves(curves, p[i:i+n], tolerance)...)
				break
			}
			n = 1
			out = append(out, s)
		default:
			out = append(out, s)
		}
		i += n
		from = p[i-1].To
	}
	return out
}

// corner is the cosine of the angle from which on a change of direction is a corner.
const corner = 0.966 // 15°

// smooth reports whether l continues in k's direction.
func smooth(k, l *curve) bool {
	d, e := k.heading(1, 0), l.heading(0, 1)
	return -d.X*e.X-d.Y*e.Y >= corner
}

const (
	// mostMerged is the maximum number of curves that become one.
	mostMerged = 64
	// perCurve is the number of points of each curve to which the new one is fitted.
	perCurve = 6
)

// mergeCurves replaces curves by as few as it can, each between two of their ends.
func mergeCurves(curves []curve, segments []Segment, tolerance float64) (out Path) {
	for i := 0; i < len(curves); {
		s, n := segments[i], 1
		for i+n < len(curves) && n < mostMerged {
			c1, c2, ok := merge(curves[i:i+n+1], tolerance)
			if !ok {
				break
			}
			s = Segment{Kind: Cubic, Letter: 'C' | segments[i].Letter&32, C1: c1, C2: c2, To: segments[i+n].To}
			n++
		}
		out = append(out, s)
		i += n
	}
	return out
}

// merge fits one curve to several. c1 and c2 are its control points; ok is false if it
// deviates by more than tolerance.
func merge(curves []curve, tolerance float64) (c1, c2 Point, ok bool) {
	points := []Point{curves[0].from}
	for i := range curves {
		for j := 1.0; j <= perCurve; j++ {
			points = append(points, curves[i].at(j/perCurve))
		}
	}
	c1, c2, worst := fitCubic(points, curves[0].heading(0, 1), curves[len(curves)-1].heading(1, 0))
	return c1, c2, worst <= tolerance
}

// simplifyLines removes points of a run of lines by the Douglas–Peucker algorithm.
func simplifyLines(from Point, run []Segment, tolerance float64) (out Path) {
	at := func(i int) Point {
		if i == 0 {
			return from
		}
		return run[i-1].To
	}
	keep := make([]bool, len(run)+1)
	keep[len(run)] = true
	for stack := [][2]int{{0, len(run)}}; len(stack) > 0; {
		a, z := stack[len(stack)-1][0], stack[len(stack)-1][1]
		stack = stack[:len(stack)-1]
		worst, far := tolerance, 0
		for i := a + 1; i < z; i++ {
			if d := at(i).OffLine(at(a), at(z)); d > worst {
				worst, far = d, i
			}
		}
		if far > 0 {
			keep[far] = true
			stack = append(stack, [2]int{a, far}, [2]int{far, z})
		}
	}
	for i, s := range run {
		if keep[i+1] {
			out = append(out, s)
		}
	}
	return out
}
