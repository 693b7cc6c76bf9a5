package svg

import (
	"maps"
	"math"
	"slices"

	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

// edge draws a connector with its heads and its label.
func (s *scene) edge(e *mxfile.Cell, origin geom.Point) {
	if !e.HasGeometry() { // draw.io shows nothing of it
		return
	}
	l := s.resolve(edgeDefaults, e.Style)
	stored := e.Route()
	s.routeEdge(e, l, stored, origin)
	points := s.routes[e]
	if points == nil {
		return
	}
	for _, p := range points {
		s.include(geom.Rect{X: p.X - 3, Y: p.Y - 3, W: 6, H: 6})
	}
	stroke := l.color("strokeColor", "#000000")
	wide := l["shape"] == "flexArrow" || l["shape"] == "arrow"
	point := len(points) == 2 && dist(points[0], points[1]) == 0 // nothing to see, nor a direction for heads
	if !point && (stroke != "none" || wide && l.color("fillColor", "#ffffff") != "none") {
		s.out.WriteString("<g")
		if o := l.opacity(""); o < 1 {
			s.out.WriteString(` opacity="` + num(o) + `"`)
		}
		s.out.WriteString(">")
		if wide {
			s.drawArrow(points, l, stroke)
		} else {
			s.drawLine(points, l, stroke, l["shape"] == "link")
		}
		s.out.WriteString("</g>\n")
	}
	if e.Value == "" || l.on("noLabel") {
		return
	}
	at := along(s.plain[e], e.Geo.X, e.Geo.Y)
	lines := labelLines(e, l)
	_, h := extent(lines, l)
	x, y := at.X+stored.Offset.X, at.Y+stored.Offset.Y
	switch l["verticalAlign"] {
	case "top":
		y += l.num("spacing", 2) + l.num("spacingTop", 0) + overTop
	case "bottom":
		y -= h + l.num("spacing", 2) + l.num("spacingBottom", 0) + underEdges
	default:
		y -= h / 2
	}
	angle := 0.0
	if l["horizontal"] == "0" {
		angle = -90
	}
	s.labels[e] = s.text(lines, l, x, y, 0, turnOf{angle, geom.Point{X: x, Y: y + h/2}})
}

// drawLine draws a line with heads.
func (s *scene) drawLine(points []geom.Point, l cellStyle, stroke string, double bool) {
	n := len(points)
	head, tail := newHead("end", l, points[n-2], points[n-1], background(s.page)), newHead("start", l, points[1], points[0], background(s.page))
	line := append([]geom.Point(nil), points...)
	line[n-1], line[0] = back(line[n-1], line[n-2], head.inset), back(line[0], line[1], tail.inset)
	d := linePath(line, l)
	if double {
		s.out.WriteString(`<path d="` + d + `" fill="none" stroke="` + stroke + `" stroke-width="5"/><path d="` + d + `" fill="none" stroke="#ffffff" stroke-width="3"/>`)
		return
	}
	s.out.WriteString(`<path d="` + d + `" fill="none"`)
	s.stroke(l, stroke)
	s.out.WriteString("/>")
	for _, h := range []arrowhead{head, tail} {
		for _, p := range h.pieces {
			fill := "none"
			switch {
			case p.open:
			case p.fill != "":
				fill = p.fill
			default:
				fill = stroke
			}
			s.out.WriteString(`<path d="` + p.d + `" fill="` + fill + `" stroke="` + stroke + `"`)
			if w := l.num("strokeWidth", 1); w != 1 {
				s.out.WriteString(` stroke-width="` + num(max(0, w)) + `"`)
			}
			s.out.WriteString("/>")
		}
	}
}

// drawArrow draws a wide arrow: a flexArrow along the whole route, or a plain arrow from its start to its end.
func (s *scene) drawArrow(points []geom.Point, l cellStyle, stroke string) {
	half, long := min(200, max(0, l.num("width", 10)))/2, [2]float64{3 * l.num("startSize", 6), 3 * l.num("endSize", 6)}
	wing := [2]float64{half + l.num("startWidth", 20)/2, half + l.num("endWidth", 20)/2}
	if l["shape"] == "arrow" {
		points = []geom.Point{points[0], points[len(points)-1]}
		half, long, wing = 5, [2]float64{30, 30}, [2]float64{15, 15}
		l = maps.Clone(l)
		l["startArrow"], l["endArrow"] = "none", "block"
	}
	n := len(points)
	body := slices.Clone(points)
	headed := func(end string) bool { return l[end+"Arrow"] != "" && l[end+"Arrow"] != "none" }
	if headed("end") {
		body[n-1] = back(points[n-1], points[n-2], long[1])
	}
	if headed("start") {
		body[0] = back(points[0], points[1], long[0])
	}
	var left, right []geom.Point
	for i, p := range body {
		ux, uy := unit(points[max(0, i-1)], points[min(n-1, i+1)])
		// At a corner the sides bisect the angle.
		reach := half
		if i > 0 && i < n-1 {
			vx, vy := unit(points[i-1], points[i])
			reach /= max(0.3, ux*vx+uy*vy)
		}
		left = append(left, geom.Point{X: p.X + uy*reach, Y: p.Y - ux*reach})
		right = append(right, geom.Point{X: p.X - uy*reach, Y: p.Y + ux*reach})
	}
	slices.Reverse(right)
	around := left
	head := func(tip, from, neck geom.Point, wing float64) {
		ux, uy := unit(from, tip)
		around = append(around, geom.Point{X: neck.X + uy*wing, Y: neck.Y - ux*wing}, tip, geom.Point{X: neck.X - uy*wing, Y: neck.Y + ux*wing})
	}
	if headed("end") {
		head(points[n-1], points[n-2], body[n-1], wing[1])
	}
	around = append(around, right...)
	if headed("start") {
		head(points[0], points[1], body[0], wing[0])
	}
	var xy []float64
	for _, p := range around {
		xy = append(xy, p.X, p.Y)
	}
	fill := l.color("fillColor", "#ffffff")
	if c := l.color("gradientColor", "none"); c != "none" && fill != "none" {
		fill = s.gradient(fill, c, l["gradientDirection"])
	}
	s.out.WriteString(`<path d="` + polygon(xy...) + `" fill="` + fill + `"`)
	s.stroke(l, stroke)
	s.out.WriteString("/>")
}

// linePath returns the path of a line: straight, with rounded corners, or curved.
func linePath(p []geom.Point, l cellStyle) string {
	n := len(p)
	out := []any{"M", p[0].X, p[0].Y}
	switch {
	case l.on("curved") && n > 2:
		for i := 1; i < n-1; i++ {
			end := geom.Point{X: (p[i].X + p[i+1].X) / 2, Y: (p[i].Y + p[i+1].Y) / 2}
			if i == n-2 {
				end = p[n-1]
			}
			out = append(out, "Q", p[i].X, p[i].Y, end.X, end.Y)
		}
	case l.on("rounded") && n > 2:
		r := min(100, l.num("arcSize", 20)) / 2
		for i := 1; i < n-1; i++ {
			d := min(r, dist(p[i-1], p[i])/2, dist(p[i], p[i+1])/2)
			a, b := back(p[i], p[i-1], d), back(p[i], p[i+1], d)
			out = append(out, "L", a.X, a.Y, "Q", p[i].X, p[i].Y, b.X, b.Y)
		}
		out = append(out, "L", p[n-1].X, p[n-1].Y)
	default:
		for _, q := range p[1:] {
			out = append(out, "L", q.X, q.Y)
		}
	}
	return path(out...)
}

func dist(a, b geom.Point) float64 { return math.Hypot(a.X-b.X, a.Y-b.Y) }

// unit returns the unit vector from a to b; 1, 0 if they are the same point.
func unit(a, b geom.Point) (x, y float64) {
	d := dist(a, b)
	if d == 0 {
		return 1, 0
	}
	return (b.X - a.X) / d, (b.Y - a.Y) / d
}

// back returns the point at distance d before p on the line from q, at most as far back as q.
func back(p, q geom.Point, d float64) geom.Point {
	d = min(d, dist(p, q))
	x, y := unit(q, p)
	return geom.Point{X: p.X - x*d, Y: p.Y - y*d}
}

// Along returns the point of a line at x, from -1 at its start to 1 at its end, shifted by y to the side.
func Along(line []geom.Point, x, y float64) geom.Point { return along(line, x, y) }

// PositionAlong returns the x for which Along returns the point of a line that is nearest to at.
func PositionAlong(line []geom.Point, at geom.Point) float64 {
	total, best, x := 0.0, math.Inf(1), 0.0
	for i := 1; i < len(line); i++ {
		a, b := line[i-1], line[i]
		d := dist(a, b)
		if d > 0 {
			t := min(1, max(0, ((at.X-a.X)*(b.X-a.X)+(at.Y-a.Y)*(b.Y-a.Y))/(d*d)))
			if off := dist(at, geom.Point{X: a.X + t*(b.X-a.X), Y: a.Y + t*(b.Y-a.Y)}); off < best {
				best, x = off, total+t*d
			}
		}
		total += d
	}
	if total == 0 {
		return 0
	}
	return 2*x/total - 1
}

// along is Along.
func along(p []geom.Point, x, y float64) geom.Point {
	total := 0.0
	for i := 1; i < len(p); i++ {
		total += dist(p[i-1], p[i])
	}
	left := total * min(1, max(0, x/2+0.5))
	for i := 1; i < len(p); i++ {
		d := dist(p[i-1], p[i])
		if d >= left || i == len(p)-1 {
			ux, uy := unit(p[i-1], p[i])
			return geom.Point{X: p[i-1].X + ux*left + uy*y, Y: p[i-1].Y + uy*left - ux*y}
		}
		left -= d
	}
	return p[0]
}
