package arranger

import (
	"math"

	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/layout"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/svg"
)

// route drafts the route of an edge: new waypoints, and ports that agree with them. It
// removes the old ones.
func (l *arranger) route(i int, e *cell, res layout.Result, anchor, origin geom.Point, abs []geom.Rect) {
	r := res.Routes[i]
	from, to := model.Ends(e)
	kind, _ := e.Style.Get("edgeStyle")
	s := WithoutPorts(e.Style, "exit", "entry").Drop("noEdgeStyle")
	var points, whole []geom.Point
	switch {
	case r.Set && l.exact(from) && l.exact(to):
		by := geom.Point{X: anchor.X + origin.X, Y: anchor.Y + origin.Y}
		a, b := l.node[from], l.node[to]
		exit, start := port(res.Rects[a], r.Exit, by, abs[a])
		entry, end := port(res.Rects[b], r.Entry, by, abs[b])
		for _, p := range r.Points {
			points = append(points, geom.Point{X: math.Round(p.X + by.X), Y: math.Round(p.Y + by.Y)})
		}
		// The first piece must run straight from the port and the last one straight
		// into it, although corners are whole numbers and ports are not.
		if n := len(points); n > 0 {
			inLine(&points[0], start, exit)
			inLine(&points[n-1], end, entry)
		} else {
			meet(&entry, abs[b], start, exit)
		}
		whole = append(append(append(whole, start), points...), end)
		if kind != "orthogonalEdgeStyle" && (len(points) > 0 || kind != "" && kind != "none") {
			s = s.Set("edgeStyle", "orthogonalEdgeStyle")
		}
		s = l.fixPort(s, "exit", from, exit)
		s = l.fixPort(s, "entry", to, entry)
		if o := e.Owner(); o != nil {
			at := o.Abs()
			if n, ok := l.node[o]; ok {
				at = abs[n]
			}
			for k := range points {
				points[k].X, points[k].Y = points[k].X-at.X, points[k].Y-at.Y
			}
		}
	case res.Straight && !r.Set: // a layout of pools always sets routes
		if kind != "" && kind != "none" && from != to {
			s = s.Set("noEdgeStyle", "1")
		}
	}
	l.redraw(e, s, points)
	if l.spots == nil || l.spots[i] == nil || whole == nil {
		l.relabel(e, nil, geom.Point{})
	} else {
		l.relabel(e, whole, geom.Point{X: l.spots[i].X + anchor.X + origin.X, Y: l.spots[i].Y + anchor.Y + origin.Y})
	}
	l.d.Change(e, mxfile.Text.Sealed)
}

// relabel drafts the position of an edge's label on its line: at a given point, or back on
// the line if someone moved it aside. Label cells at the ends keep their positions. When only
// routes are computed, a label that someone moved stays.
func (l *arranger) relabel(e *cell, line []geom.Point, at geom.Point) {
	x := model.LabelCell(e)
	if x == nil {
		return
	}
	if l.routesOnly && !mayMoveLabel(e) {
		return
	}
	to := x.Geo.X
	if line != nil {
		to = svg.PositionAlong(line, at)
	}
	l.d.Change(x, func(t mxfile.Text) mxfile.Text { return t.WithLabelAt(to) })
}

// mayMoveLabel reports whether nobody has set the place of an edge's label: it lies where new
// labels lie, or where an op put it together with the route.
func mayMoveLabel(e *cell) bool {
	return model.LabelCell(e) == e && (e.Computed() || e.Geo.X == 0 && e.Geo.Y == 0 && e.Route().Offset == geom.Point{})
}

// exact reports whether the node of a cell stands for the cell itself and the cell is not
// rotated.
func (l *arranger) exact(x *cell) bool {
	angle, turned := x.Style.Get("rotation")
	return l.cells[l.node[x]] == x && (!turned || angle == "0")
}

// redraw drafts a new style and new waypoints of an edge.
func (l *arranger) redraw(e *cell, s style.Style, points []geom.Point) {
	l.d.Restyle(e, s)
	if e.Routed || len(points) > 0 {
		l.d.Change(e, func(t mxfile.Text) mxfile.Text { return t.WithPoints(points) })
	}
	l.Touched = append(l.Touched, e)
}

// WithoutPorts removes the ports of the named ends, exit or entry, from a style, and the mark of a
// computed route.
func WithoutPorts(s style.Style, which ...string) style.Style {
	for _, end := range which {
		for _, key := range mxfile.PortKeys(end) {
			s = s.Drop(key)
		}
	}
	return s.Drop(mxfile.RouteKey)
}

// hasPort reports whether an edge has a port at an end, exit or entry.
func hasPort(e *cell, which string) bool {
	_, ok := e.Style.Get(which + "X")
	return ok
}

// port moves a place on a side of a shape's room to the side of its box. It returns the
// place in fractions and in units.
func port(room geom.Rect, at, by geom.Point, box geom.Rect) (geom.Point, geom.Point) {
	x, y := room.X+at.X*room.W+by.X, room.Y+at.Y*room.H+by.Y
	if at.Y == 0 || at.Y == 1 {
		at.X = fraction(x, box.X, box.W)
	} else {
		at.Y = fraction(y, box.Y, box.H)
	}
	return at, geom.Point{X: box.X + at.X*box.W, Y: box.Y + at.Y*box.H}
}

func fraction(at, from, extent float64) float64 {
	if extent <= 0 {
		return 0.5
	}
	return RoundPort(math.Min(0.99, math.Max(0.01, (at-from)/extent)))
}

// inLine moves the corner next to a port onto the line that leaves the port.
func inLine(p *geom.Point, at, port geom.Point) {
	if port.Y == 0 || port.Y == 1 {
		p.X = at.X
	} else {
		p.Y = at.Y
	}
}

// meet moves a port to where the straight line from another port arrives.
func meet(port *geom.Point, box geom.Rect, from, exit geom.Point) {
	if exit.Y == 0 || exit.Y == 1 {
		port.X = fraction(from.X, box.X, box.W)
	} else {
		port.Y = fraction(from.Y, box.Y, box.H)
	}
}
