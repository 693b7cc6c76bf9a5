package svg

import (
	"math"

	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/outline"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// stop is one end of an edge.
type stop struct {
	at    geom.Point // the port, the free end, or the middle of the shape
	box   *frame     // nil for a free end
	fixed bool       // at is where the edge ends
	rim   bool       // it ends at the perimeter, and so goes on to what is drawn
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
		return touching(loop(from.box.Rect), from, to)
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
	return touching(tidy(append(out, to.end(last, orth))), from, to)
}

// touching leads the ends of a line on, or back, to what is drawn of the shapes
// there. draw.io ends edges at a shape's perimeter, which is the box of a cylinder
// or a note: with the gap that this leaves, a reader takes the edge for a loose one.
func touching(line []geom.Point, from, to stop) []geom.Point {
	if n := len(line); n > 1 {
		line[0] = from.touch(line[0], line[1])
		line[n-1] = to.touch(line[n-1], line[n-2])
	}
	return line
}

// touch is where the line from next to its end meets the outline of the shape.
func (p stop) touch(end, next geom.Point) geom.Point {
	if !p.rim || p.box.skin() == nil {
		return end
	}
	c := p.box.Center()
	a, b := turn(next, c, -p.box.angle), turn(end, c, -p.box.angle)
	if a == b {
		return end
	}
	at, ok := outline.Touch(a, b, p.box.skin())
	if !ok || dist(at, b) < 0.01 {
		return end
	}
	return turn(at, c, p.box.angle)
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
		return stop{at: f.Center(), box: f, rim: true}, true
	}
	fixed := l[port+"Perimeter"] == "0"
	at := outline.Seen(style.Look(f.look), f.Rect, geom.Point{X: l.num(port+"X", 0.5), Y: l.num(port+"Y", 0.5)},
		geom.Point{X: l.num(port+"Dx", 0), Y: l.num(port+"Dy", 0)}, fixed)
	x, y := (at.X-f.X)/max(1, f.W), (at.Y-f.Y)/max(1, f.H)
	if !fixed && at != f.Center() {
		at = f.meet(at)
	}
	at = turn(at, f.Center(), f.angle)
	p := stop{at: at, box: f, fixed: true, rim: !fixed}
	dl, dr, dt, db := x, 1-x, y, 1-y
	switch m := min(dl, dr, dt, db); {
	case m > 0.49:
	case m == dt && dt < min(dl, dr) || m == dt && !fixed && dt == 0 && dl > 0 && dr > 0:
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

// level is where the line from a point outside to the far side of the box
// crosses the perimeter.
func (f *frame) level(out, far geom.Point) geom.Point {
	if at, ok := outline.Meet(out, far, f.rim()); ok {
		return at
	}
	return f.Center()
}

// meet is where the ray towards p crosses the perimeter.
func (f *frame) meet(p geom.Point) geom.Point {
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

// rim is the perimeter that draw.io ends edges at.
func (f *frame) rim() []geom.Point {
	if f.perimeter == nil {
		f.perimeter, f.aim = outline.Perimeter(style.Look(f.look), f.Rect)
	}
	return f.perimeter
}

// skin is what is drawn and edges are to touch, nil for a shape that they end
// at the perimeter of.
func (f *frame) skin() [][]geom.Point {
	if !f.drawn {
		f.drawn, f.outline = true, outline.Around(style.Look(f.look), f.Rect)
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

// loop is an edge from a shape to itself.
func loop(r geom.Rect) []geom.Point {
	x, y := r.Right(), r.Center().Y
	return []geom.Point{{X: x, Y: y - 10}, {X: x + 20, Y: y - 10}, {X: x + 20, Y: y + 10}, {X: x, Y: y + 10}}
}
