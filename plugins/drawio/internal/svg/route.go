package svg

import (
	"math"
	"slices"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/outline"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// edgeEnd is an end of an edge.
type edgeEnd struct {
	at          geom.Point   // the port, the free end, or the centre of the shape
	box         *frame       // nil for a free end
	cell        *mxfile.Cell // the shape, nil for a free end
	fixed       bool         // at is where the edge ends
	atPerimeter bool         // it ends at the perimeter, so extendToOutlines extends it to the outline
	gap         float64      // distance between the shape and a floating end, from the style
	constraint  string       // sides that the edge may connect to, unless the shape restricts them
}

// routeEdge finds and stores the route of an edge, unless one of its ends is missing.
func (s *scene) routeEdge(e *mxfile.Cell, l cellStyle, stored mxfile.Route, origin geom.Point) {
	from, ok := s.findEnd(e.Source, stored.Source, origin, l, "exit")
	if !ok {
		return
	}
	to, ok := s.findEnd(e.Target, stored.Target, origin, l, "entry")
	if !ok {
		return
	}
	from.constraint, to.constraint = l["sourcePortConstraint"], l["targetPortConstraint"]
	from.space(l, "source")
	to.space(l, "target")
	hints := pdk.Map(stored.Points, func(p geom.Point) geom.Point {
		return geom.Point{X: p.X + origin.X, Y: p.Y + origin.Y}
	})
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
	if out = dropRepeated(out); len(out) > 1 {
		s.plain[e], s.routes[e] = out, extendToOutlines(slices.Clone(out), from, to)
	}
}

// extendToOutlines extends or shortens the ends of a line to the outlines of the shapes. draw.io ends edges at the
// perimeter, which for a cylinder or a note is the box. The gap that this leaves makes the edge appear detached.
func extendToOutlines(line []geom.Point, from, to edgeEnd) []geom.Point {
	if n := len(line); n > 1 {
		line[0] = from.touch(line[0], line[1])
		line[n-1] = to.touch(line[n-1], line[n-2])
	}
	return line
}

// touch returns the point where the line from next to its end meets the outline of the shape.
func (p edgeEnd) touch(end, next geom.Point) geom.Point {
	if !p.atPerimeter || p.box.visibleOutline() == nil {
		return end
	}
	c := p.box.Center()
	a, b := turn(next, c, -p.box.angle), turn(end, c, -p.box.angle)
	if a == b || outline.On(b, p.box.visibleOutline()) {
		return end
	}
	at, ok := outline.Touch(a, b, p.box.visibleOutline())
	if far := min(p.box.W, p.box.H) / 2; !ok || dist(at, b) > far { // the line misses the shape
		if at, ok = outline.Touch(p.box.Center(), b, p.box.visibleOutline()); !ok {
			return end
		}
	}
	return turn(at, c, p.box.angle)
}

// space sets the gap between the shape and the edge.
func (p *edgeEnd) space(l cellStyle, end string) {
	if p.box != nil && !p.fixed {
		p.gap = l.num("perimeterSpacing", 0) + l.num(end+"PerimeterSpacing", 0) + p.box.style.num("perimeterSpacing", 0)
		p.atPerimeter = p.atPerimeter && p.gap == 0
	}
}

// findEnd finds an end of an edge. It reports false if there is none.
func (s *scene) findEnd(id string, free *geom.Point, origin geom.Point, l cellStyle, port string) (edgeEnd, bool) {
	c := s.page.Cell(id)
	if id == "" {
		c = nil
	}
	for n := 0; c != nil && c.Vertex && s.frames[c] == nil && n < maxDepth; n++ {
		c = s.page.Cell(c.Parent) // an edge to a folded shape ends at the container
	}
	if c != nil && c.Edge && s.plain[c] != nil {
		return edgeEnd{at: along(s.plain[c], 0, 0), fixed: true}, true
	}
	f := s.frames[c]
	if c == nil || f == nil {
		if free == nil {
			return edgeEnd{}, false
		}
		return edgeEnd{at: geom.Point{X: free.X + origin.X, Y: free.Y + origin.Y}, fixed: true}, true
	}
	f = f.edgeFrame()
	_, hasX := l[port+"X"]
	_, hasY := l[port+"Y"]
	switch {
	case (hasX || hasY) && f.style.on("snapToPoint"): // in the centre, wherever the port is
		return edgeEnd{at: f.Center(), box: f, cell: c, fixed: true}, true
	case !hasX || !hasY:
		return edgeEnd{at: f.Center(), box: f, cell: c, atPerimeter: true}, true
	}
	fixed := l[port+"Perimeter"] == "0"
	at := outline.Seen(style.Map(f.style), f.Rect, geom.Point{X: l.num(port+"X", 0.5), Y: l.num(port+"Y", 0.5)},
		geom.Point{X: l.num(port+"Dx", 0), Y: l.num(port+"Dy", 0)}, fixed)
	if !fixed && at != f.Center() {
		at = f.meet(at)
	}
	at = turn(at, f.Center(), f.angle)
	return edgeEnd{at: at, box: f, cell: c, fixed: true, atPerimeter: !fixed}, true
}

// end returns the end point of an edge that comes from next.
func (p edgeEnd) end(next geom.Point, orth bool) geom.Point {
	if p.fixed {
		return p.at
	}
	if p.gap != 0 {
		p.box = &frame{Rect: p.box.Grow(p.gap), style: p.box.style, angle: p.box.angle}
	}
	orth = orth || p.box.style["perimeter"] == "orthogonalPerimeter"
	if _, onMidline := p.box.midline(next); orth && p.box.angle == 0 && !onMidline {
		// The edge is beside the shape: let it meet the shape at a right angle.
		switch b := p.box; {
		case next.X >= b.X && next.X <= b.Right() && next.Y < b.Y:
			return b.crossing(next, geom.Point{X: next.X, Y: b.Bottom()})
		case next.X >= b.X && next.X <= b.Right() && next.Y > b.Bottom():
			return b.crossing(next, geom.Point{X: next.X, Y: b.Y})
		case next.Y >= b.Y && next.Y <= b.Bottom() && next.X < b.X:
			return b.crossing(next, geom.Point{X: b.Right(), Y: next.Y})
		case next.Y >= b.Y && next.Y <= b.Bottom() && next.X > b.Right():
			return b.crossing(next, geom.Point{X: b.X, Y: next.Y})
		}
	}
	return turn(p.box.meet(turn(next, p.box.Center(), -p.box.angle)), p.box.Center(), p.box.angle)
}

// crossing returns where the line from a point outside to the far side of the box crosses the perimeter.
func (f *frame) crossing(out, far geom.Point) geom.Point {
	if at, ok := outline.Meet(out, far, f.edgePerimeter()); ok {
		return at
	}
	return f.Center()
}

// meet returns where the ray from the aim of the perimeter towards p crosses it.
func (f *frame) meet(p geom.Point) geom.Point {
	if at, ok := f.midline(p); ok {
		return at
	}
	perimeter := f.edgePerimeter()
	dx, dy := p.X-f.aim.X, p.Y-f.aim.Y
	if dx == 0 && dy == 0 || f.W <= 0 || f.H <= 0 {
		return f.aim
	}
	far := (f.W + f.H) / math.Hypot(dx, dy)
	if at, ok := outline.Meet(geom.Point{X: f.aim.X + dx*far, Y: f.aim.Y + dy*far}, f.aim, perimeter); ok {
		return at
	}
	return f.aim
}

// midline returns where an edge meets a shape whose edges end on its middle line: a lifeline below its head, or a bar. It
// reports false for other shapes.
func (f *frame) midline(next geom.Point) (geom.Point, bool) {
	half := f.style.num("strokeWidth", 1)/2 - 1
	top := f.Y
	switch f.style["perimeter"] {
	case "lifelinePerimeter":
		top += f.style.num("size", 40)
	case "backbonePerimeter":
		if size, ok := f.style["backboneSize"]; ok && size != "" {
			half += f.style.num("backboneSize", 0)/2 - 1
		}
		if turned := f.style["direction"]; turned != "south" && turned != "north" {
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

// edgePerimeter returns the perimeter, at which draw.io ends edges.
func (f *frame) edgePerimeter() []geom.Point {
	if f.perimeter == nil {
		f.perimeter, f.aim = outline.Perimeter(style.Map(f.style), f.Rect)
	}
	return f.perimeter
}

// visibleOutline returns the outline that edges touch, nil for a shape whose edges end at the perimeter.
func (f *frame) visibleOutline() [][]geom.Point {
	if !f.drawn {
		f.drawn, f.outline = true, outline.Around(style.Map(f.style), f.Rect)
	}
	return f.outline
}

// dropRepeated drops points that repeat the one before.
func dropRepeated(p []geom.Point) []geom.Point {
	out := p[:1]
	for i, q := range p[1:] {
		if dist(out[len(out)-1], q) > 0.01 || i == len(p)-2 && len(out) == 1 {
			out = append(out, q)
		}
	}
	return out
}
