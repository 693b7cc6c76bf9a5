package svg

import (
	"math"

	"github.com/fcp-host/fcp-host/plugins/drawio/internal/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

// stop is one end of an edge.
type stop struct {
	at    geom.Point // the port, the free end, or the middle of the shape
	box   *frame     // nil for a free end
	fixed bool       // at is where the edge ends
	side  geom.Point // which way a fixed port looks, zero when unknown
}

// path is the way of an edge, nil when it has an end that is nowhere.
func (s *scene) path(e *mxfile.Cell, l look, way mxfile.Route, origin geom.Point) []geom.Point {
	from, ok := s.stop(e.Source, way.Source, origin, l, "exit")
	if !ok {
		return nil
	}
	to, ok := s.stop(e.Target, way.Target, origin, l, "entry")
	if !ok {
		return nil
	}
	var hints []geom.Point
	for _, p := range way.Points {
		hints = append(hints, geom.Point{X: p.X + origin.X, Y: p.Y + origin.Y})
	}
	style := l["edgeStyle"]
	if l.on("noEdgeStyle") {
		style = ""
	}
	if from.box != nil && from.box == to.box && len(hints) == 0 {
		return loop(from.box.Rect)
	}
	orth := false
	switch style {
	case "orthogonalEdgeStyle", "segmentEdgeStyle":
		orth = true
		if len(hints) > 0 {
			hints = segments(from, hints, to)
		} else {
			hints = bends(&from, &to)
		}
	case "elbowEdgeStyle", "sideToSideEdgeStyle", "topToBottomEdgeStyle":
		orth = true
		hints = elbow(from, to, hints, l["elbow"] == "vertical" || style == "topToBottomEdgeStyle")
	case "entityRelationEdgeStyle":
		orth = true
		hints = relation(&from, &to)
	}
	out := make([]geom.Point, 0, len(hints)+2)
	next, last := to.at, from.at
	if len(hints) > 0 {
		next, last = hints[0], hints[len(hints)-1]
	}
	out = append(out, from.end(next, orth))
	out = append(out, hints...)
	return tidy(append(out, to.end(last, orth)))
}

// stop finds an end of an edge.
func (s *scene) stop(id string, free *geom.Point, origin geom.Point, l look, port string) (stop, bool) {
	c := s.page.Cell(id)
	if id == "" {
		c = nil
	}
	for n := 0; c != nil && c.Vertex && s.frames[c] == nil && n < deepest; n++ {
		c = s.page.Cell(c.Parent) // what is folded away ends at what it lies in
	}
	if c != nil && c.Edge && len(s.routes[c]) > 1 {
		return stop{at: along(s.routes[c], 0, 0), fixed: true}, true
	}
	f := s.frames[c]
	if c == nil || f == nil {
		if free == nil {
			return stop{}, false
		}
		return stop{at: geom.Point{X: free.X + origin.X, Y: free.Y + origin.Y}, fixed: true}, true
	}
	_, hasX := l[port+"X"]
	_, hasY := l[port+"Y"]
	if !hasX || !hasY {
		return stop{at: f.Center(), box: f}, true
	}
	x, y := l.num(port+"X", 0.5), l.num(port+"Y", 0.5)
	if f.look.on("flipH") {
		x = 1 - x
	}
	if f.look.on("flipV") {
		y = 1 - y
	}
	at := geom.Point{X: f.X + x*f.W, Y: f.Y + y*f.H}
	if l[port+"Perimeter"] != "0" && at != f.Center() {
		at = f.meet(at)
	}
	at = turn(geom.Point{X: at.X + l.num(port+"Dx", 0), Y: at.Y + l.num(port+"Dy", 0)}, f.Center(), f.angle)
	p := stop{at: at, box: f, fixed: true}
	dl, dr, dt, db := x, 1-x, y, 1-y
	switch m := min(dl, dr, dt, db); {
	case m > 0.49:
	case m == dt && dt < min(dl, dr) || m == dt && l[port+"Perimeter"] != "0" && dt == 0 && dl > 0 && dr > 0:
		p.side = geom.Point{Y: -1}
	case m == db && db < min(dl, dr):
		p.side = geom.Point{Y: 1}
	case m == dl && dl <= dr:
		p.side = geom.Point{X: -1}
	default:
		p.side = geom.Point{X: 1}
	}
	if p.side != (geom.Point{}) && f.angle != 0 {
		t := turn(p.side, geom.Point{}, math.Round(f.angle/90)*90)
		p.side = geom.Point{X: math.Round(t.X), Y: math.Round(t.Y)}
	}
	return p, true
}

// end is where an edge that comes from next meets its end.
func (p stop) end(next geom.Point, orth bool) geom.Point {
	if p.fixed {
		return p.at
	}
	if orth && p.box.angle == 0 {
		// Straight at the shape, where it is beside.
		switch b := p.box; {
		case next.X >= b.X && next.X <= b.Right() && (next.Y < b.Y || next.Y > b.Bottom()):
			return b.level(next, geom.Point{X: next.X, Y: b.Center().Y})
		case next.Y >= b.Y && next.Y <= b.Bottom() && (next.X < b.X || next.X > b.Right()):
			return b.level(next, geom.Point{X: b.Center().X, Y: next.Y})
		}
	}
	return turn(p.box.meet(turn(next, p.box.Center(), -p.box.angle)), p.box.Center(), p.box.angle)
}

// level is where the line from a point outside to one inside crosses the
// outline.
func (f *frame) level(out, in geom.Point) geom.Point {
	best, hit := 2.0, in
	if c := f.Center(); f.round() {
		a, b := f.W/2, f.H/2
		if out.X == in.X {
			d := b * math.Sqrt(max(0, 1-(in.X-c.X)*(in.X-c.X)/(a*a)))
			return geom.Point{X: in.X, Y: c.Y + math.Copysign(d, out.Y-c.Y)}
		}
		d := a * math.Sqrt(max(0, 1-(in.Y-c.Y)*(in.Y-c.Y)/(b*b)))
		return geom.Point{X: c.X + math.Copysign(d, out.X-c.X), Y: in.Y}
	}
	corners := f.corners()
	for i, a := range corners {
		if t, ok := cut(out, in, a, corners[(i+1)%len(corners)]); ok && t < best {
			best, hit = t, geom.Point{X: out.X + (in.X-out.X)*t, Y: out.Y + (in.Y-out.Y)*t}
		}
	}
	return hit
}

func (f *frame) round() bool {
	p := f.look["perimeter"]
	return p == "ellipsePerimeter" || p == "" && (f.look["shape"] == "ellipse" || f.look["shape"] == "doubleEllipse")
}

// meet is where the ray from the middle towards p crosses the outline.
func (f *frame) meet(p geom.Point) geom.Point {
	c := f.Center()
	dx, dy := p.X-c.X, p.Y-c.Y
	if dx == 0 && dy == 0 || f.W <= 0 || f.H <= 0 {
		return c
	}
	if f.round() {
		t := 1 / math.Hypot(dx/(f.W/2), dy/(f.H/2))
		return geom.Point{X: c.X + dx*t, Y: c.Y + dy*t}
	}
	far := (f.W + f.H) / math.Hypot(dx, dy)
	tip := geom.Point{X: c.X + dx*far, Y: c.Y + dy*far}
	best, hit := 2.0, p
	corners := f.corners()
	for i, a := range corners {
		if t, ok := cut(tip, c, a, corners[(i+1)%len(corners)]); ok && t < best {
			best, hit = t, geom.Point{X: tip.X + (c.X-tip.X)*t, Y: tip.Y + (c.Y-tip.Y)*t}
		}
	}
	return hit
}

// corners are those of the outline that edges end at.
func (f *frame) corners() []geom.Point {
	kind := f.look["perimeter"]
	if kind == "" {
		kind = f.look["shape"] + "Perimeter"
	}
	at := func(xy ...float64) []geom.Point {
		var out []geom.Point
		for i := 0; i+1 < len(xy); i += 2 {
			out = append(out, geom.Point{X: f.X + xy[i]*f.W, Y: f.Y + xy[i+1]*f.H})
		}
		return out
	}
	switch kind {
	case "rhombusPerimeter":
		return at(0.5, 0, 1, 0.5, 0.5, 1, 0, 0.5)
	case "trianglePerimeter":
		switch f.look["direction"] {
		case "north":
			return at(0.5, 0, 1, 1, 0, 1)
		case "south":
			return at(0, 0, 1, 0, 0.5, 1)
		case "west":
			return at(1, 0, 1, 1, 0, 0.5)
		}
		return at(0, 0, 1, 0.5, 0, 1)
	case "hexagonPerimeter", "hexagonPerimeter2":
		s := 0.25
		if v := f.look.num("size", 0.25); f.look.on("fixedSize") && f.W > 0 {
			s = min(0.5, f.look.num("size", 20)/f.W)
		} else if v <= 1 {
			s = min(0.5, max(0, v))
		}
		return at(s, 0, 1-s, 0, 1, 0.5, 1-s, 1, s, 1, 0, 0.5)
	}
	return at(0, 0, 1, 0, 1, 1, 0, 1)
}

// cut is where on the way from p to q the line from a to b is crossed.
func cut(p, q, a, b geom.Point) (float64, bool) {
	rx, ry, sx, sy := q.X-p.X, q.Y-p.Y, b.X-a.X, b.Y-a.Y
	d := rx*sy - ry*sx
	if d == 0 {
		return 0, false
	}
	t := ((a.X-p.X)*sy - (a.Y-p.Y)*sx) / d
	u := ((a.X-p.X)*ry - (a.Y-p.Y)*rx) / d
	return t, t >= 0 && t <= 1 && u >= -1e-9 && u <= 1+1e-9
}

// tidy drops points that repeat the one before.
func tidy(p []geom.Point) []geom.Point {
	out := p[:1]
	for i, q := range p[1:] {
		if dist(out[len(out)-1], q) > 0.01 || i == len(p)-2 && len(out) == 1 {
			out = append(out, q)
		}
	}
	return out
}

// loop is an edge from a shape to itself.
func loop(r geom.Rect) []geom.Point {
	x, y := r.Right(), r.Center().Y
	return []geom.Point{{X: x, Y: y - 10}, {X: x + 20, Y: y - 10}, {X: x + 20, Y: y + 10}, {X: x, Y: y + 10}}
}
