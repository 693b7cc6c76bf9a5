package svg

import (
	"math"
	"slices"

	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/outline"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// stop is an end of an edge.
type stop struct {
	at         geom.Point   // the port, the free end, or the centre of the shape
	box        *frame       // nil for a free end
	cell       *mxfile.Cell // the shape, nil for a free end
	fixed      bool         // at is where the edge ends
	rim        bool         // it ends at the perimeter, so touching extends it to the outline
	gap        float64      // distance between the shape and a floating end, from the style
	constraint string       // sides that the edge may connect to, unless the shape restricts them
}

// routeEdge finds and stores the route of an edge, unless one of its ends is missing.
func (s *scene) routeEdge(e *mxfile.Cell, l look, way mxfile.Route, origin geom.Point) {
	from, ok := s.stop(e.Source, way.Source, origin, l, "exit")
	if !ok {
		return
	}
	to, ok := s.stop(e.Target, way.Target, origin, l, "entry")
	if !ok {
		return
	}
	from.constraint, to.constraint = l["sourcePortConstraint"], l["targetPortConstraint"]
	from.space(l, "source")
	to.space(l, "target")
	var hints []geom.Point
	for _, p := range way.Points {
		hints = append(hints, geom.Point{X: p.X + origin.X, Y: p.Y + origin.Y})
	}
	style := l["edgeStyle"]
	if l.on("noEdgeStyle") {
		style = ""
	}
	bends, orth := corners(style, l, from, to, hints)
	if from.box != nil && from.box == to.box && len(hints) < 2 && !(l.on("orthogonalLoop") && (from.fixed || to.fixed)) {
		if bends = hints; !from.fixed || !to.fixed {
			bends = loop(l, from.box.Rect, hints)
		}
	}
	out := append(append([]geom.Point{from.at}, bends...), to.at)
	n := len(out)
	out[n-1] = to.end(out[n-2], orth)
	out[0] = from.end(out[1], orth)
	if out = tidy(out); len(out) > 1 {
		s.ways[e], s.routes[e] = out, touching(slices.Clone(out), from, to)
	}
}

// touching extends or shortens the ends of a line to the outlines of the shapes. draw.io ends edges at the perimeter,
// which for a cylinder or a note is the box, and the gap that this leaves makes the edge look detached.
func touching(line []geom.Point, from, to stop) []geom.Point {
	if n := len(line); n > 1 {
		line[0] = from.touch(line[0], line[1])
		line[n-1] = to.touch(line[n-1], line[n-2])
	}
	return line
}

// touch is the point where the line from next to its end meets the outline of the shape.
func (p stop) touch(end, next geom.Point) geom.Point {
	if !p.rim || p.box.skin() == nil {
		return end
	}
	c := p.box.Center()
	a, b := turn(next, c, -p.box.angle), turn(end, c, -p.box.angle)
	if a == b || outline.On(b, p.box.skin()) {
		return end
	}
	at, ok := outline.Touch(a, b, p.box.skin())
	if far := min(p.box.W, p.box.H) / 2; !ok || dist(at, b) > far { // the line misses the shape
		if at, ok = outline.Touch(p.box.Center(), b, p.box.skin()); !ok {
			return end
		}
	}
	return turn(at, c, p.box.angle)
}

// space sets the gap between the shape and the edge.
func (p *stop) space(l look, end string) {
	if p.box != nil && !p.fixed {
		p.gap = l.num("perimeterSpacing", 0) + l.num(end+"PerimeterSpacing", 0) + p.box.look.num("perimeterSpacing", 0)
		p.rim = p.rim && p.gap == 0
	}
}

// stop finds an end of an edge. It reports false if there is none.
func (s *scene) stop(id string, free *geom.Point, origin geom.Point, l look, port string) (stop, bool) {
	c := s.page.Cell(id)
	if id == "" {
		c = nil
	}
	for n := 0; c != nil && c.Vertex && s.frames[c] == nil && n < deepest; n++ {
		c = s.page.Cell(c.Parent) // an edge to a folded shape ends at the container
	}
	if c != nil && c.Edge && s.ways[c] != nil {
		return stop{at: along(s.ways[c], 0, 0), fixed: true}, true
	}
	f := s.frames[c]
	if c == nil || f == nil {
		if free == nil {
			return stop{}, false
		}
		return stop{at: geom.Point{X: free.X + origin.X, Y: free.Y + origin.Y}, fixed: true}, true
	}
	f = f.held()
	_, hasX := l[port+"X"]
	_, hasY := l[port+"Y"]
	switch {
	case (hasX || hasY) && f.look.on("snapToPoint"): // in the centre, wherever the port is
		return stop{at: f.Center(), box: f, cell: c, fixed: true}, true
	case !hasX || !hasY:
		return stop{at: f.Center(), box: f, cell: c, rim: true}, true
	}
	fixed := l[port+"Perimeter"] == "0"
	at := outline.Seen(style.Map(f.look), f.Rect, geom.Point{X: l.num(port+"X", 0.5), Y: l.num(port+"Y", 0.5)},
		geom.Point{X: l.num(port+"Dx", 0), Y: l.num(port+"Dy", 0)}, fixed)
	if !fixed && at != f.Center() {
		at = f.meet(at)
	}
	at = turn(at, f.Center(), f.angle)
	return stop{at: at, box: f, cell: c, fixed: true, rim: !fixed}, true
}

// end is the point where an edge that comes from next ends.
func (p stop) end(next geom.Point, orth bool) geom.Point {
	if p.fixed {
		return p.at
	}
	if p.gap != 0 {
		p.box = &frame{Rect: p.box.Grow(p.gap), look: p.box.look, angle: p.box.angle}
	}
	orth = orth || p.box.look["perimeter"] == "orthogonalPerimeter"
	if _, spine := p.box.spine(next); orth && p.box.angle == 0 && !spine {
		// Straight at the shape, where the edge comes from beside it.
		switch b := p.box; {
		case next.X >= b.X && next.X <= b.Right() && next.Y < b.Y:
			return b.level(next, geom.Point{X: next.X, Y: b.Bottom()})
		case next.X >= b.X && next.X <= b.Right() && next.Y > b.Bottom():
			return b.level(next, geom.Point{X: next.X, Y: b.Y})
		case next.Y >= b.Y && next.Y <= b.Bottom() && next.X < b.X:
			return b.level(next, geom.Point{X: b.Right(), Y: next.Y})
		case next.Y >= b.Y && next.Y <= b.Bottom() && next.X > b.Right():
			return b.level(next, geom.Point{X: b.X, Y: next.Y})
		}
	}
	return turn(p.box.meet(turn(next, p.box.Center(), -p.box.angle)), p.box.Center(), p.box.angle)
}

// level is where the line from a point outside to the far side of the box crosses the perimeter.
func (f *frame) level(out, far geom.Point) geom.Point {
	if at, ok := outline.Meet(out, far, f.rim()); ok {
		return at
	}
	return f.Center()
}

// meet is where the ray from the aim of the perimeter towards p crosses it.
func (f *frame) meet(p geom.Point) geom.Point {
	if at, ok := f.spine(p); ok {
		return at
	}
	rim := f.rim()
	dx, dy := p.X-f.aim.X, p.Y-f.aim.Y
	if dx == 0 && dy == 0 || f.W <= 0 || f.H <= 0 {
		return f.aim
	}
	far := (f.W + f.H) / math.Hypot(dx, dy)
	if at, ok := outline.Meet(geom.Point{X: f.aim.X + dx*far, Y: f.aim.Y + dy*far}, f.aim, rim); ok {
		return at
	}
	return f.aim
}

// spine is where an edge meets a shape whose edges end on its middle line: a lifeline below its head, or a bar. It
// reports false for other shapes.
func (f *frame) spine(next geom.Point) (geom.Point, bool) {
	half := f.look.num("strokeWidth", 1)/2 - 1
	top := f.Y
	switch f.look["perimeter"] {
	case "lifelinePerimeter":
		top += f.look.num("size", 40)
	case "backbonePerimeter":
		if size, ok := f.look["backboneSize"]; ok && size != "" {
			half += f.look.num("backboneSize", 0)/2 - 1
		}
		if turned := f.look["direction"]; turned != "south" && turned != "north" {
			if next.Y < f.Center().Y {
				half = -half - 1
			}
			return geom.Point{X: min(f.Right(), max(f.X, next.X)), Y: f.Center().Y + half}, true
		}
	default:
		return geom.Point{}, false
	}
	if next.X < f.Center().X {
		half = -half - 1
	}
	return geom.Point{X: f.Center().X + half, Y: min(f.Bottom(), max(top, next.Y))}, true
}

// rim is the perimeter, at which draw.io ends edges.
func (f *frame) rim() []geom.Point {
	if f.perimeter == nil {
		f.perimeter, f.aim = outline.Perimeter(style.Map(f.look), f.Rect)
	}
	return f.perimeter
}

// skin is the outline that edges touch, nil for a shape whose edges end at the perimeter.
func (f *frame) skin() [][]geom.Point {
	if !f.drawn {
		f.drawn, f.outline = true, outline.Around(style.Map(f.look), f.Rect)
	}
	return f.outline
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
