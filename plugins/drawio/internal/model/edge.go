package model

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

// EdgesBetween returns the edges between a and b in the direction of an arrow: -> from a to
// b, <- from b to a, -- and <-> both ways.
func EdgesBetween(a, b *cell, arrow string) []*cell {
	var out []*cell
	if arrow != "<-" {
		out = edgesFromTo(a, b)
	}
	if arrow != "->" && (a != b || arrow == "<-") {
		out = append(out, edgesFromTo(b, a)...)
	}
	return out
}

// edgesFromTo returns the edges from a to b. For participants that includes the edges of
// their activations.
func edgesFromTo(a, b *cell) (out []*cell) {
	from := []*cell{a}
	if a.Kind() == "participant" {
		from = append(from, a.Page.Children(a.ID)...)
	}
	for _, x := range from {
		for _, e := range a.Page.Out(x.ID) {
			if e.Target == b.ID {
				out = append(out, e)
			} else if to := a.Page.Cell(e.Target); to != nil && b.Kind() == "participant" && to.Parent == b.ID {
				out = append(out, e)
			}
		}
	}
	if len(from) > 1 {
		a.Page.Sort(out)
	}
	return out
}

// Undrawn returns the edges of a page without a geometry: draw.io keeps them and does not draw them.
func Undrawn(p *mxfile.Page) []*cell {
	return p.Where(func(x *cell) bool { return x.Edge && !x.HasGeometry() })
}

// Ends returns the cells at the ends of an edge, nil for a free end.
func Ends(e *cell) (from, to *cell) {
	if e.Source != "" {
		from = e.Page.Cell(e.Source)
	}
	if e.Target != "" {
		to = e.Page.Cell(e.Target)
	}
	return from, to
}

// ArrowText prints an edge as A->B, a free end as its position on the page: (40,20)->B.
func ArrowText(e *cell) string {
	from, to := Ends(e)
	if from != nil && to != nil {
		return EndName(from) + ArrowOf(e) + EndName(to)
	}
	r, o := e.Route(), geom.Point{}
	if in := e.Owner(); in != nil {
		at := in.Abs()
		o = geom.Point{X: at.X, Y: at.Y}
	}
	name := func(x *cell, at *geom.Point) string {
		if x != nil || at == nil {
			return EndName(x)
		}
		return fmt.Sprintf("(%s,%s)", mxfile.Num(at.X+o.X), mxfile.Num(at.Y+o.Y))
	}
	return name(from, r.Source) + ArrowOf(e) + name(to, r.Target)
}

// HasFreeEnd reports whether an edge has an end without a shape.
func HasFreeEnd(e *cell) bool {
	from, to := Ends(e)
	return from == nil || to == nil
}

// EndName prints the cell at an end of an edge: its label or its id, "(free)" for nil.
func EndName(c *cell) string {
	if c == nil {
		return "(free)"
	}
	if c.Name() == "" && InCompound(c) { // an activation
		c = Outermost(c)
	}
	if label := values.OneLine(c.Name()); label != "" {
		return label
	}
	return c.Key
}

// ArrowOf returns the arrow that matches the heads of an edge. A relation always points
// away from its first end.
func ArrowOf(e *cell) string {
	start, _ := e.Style.Get("startArrow")
	end, ok := e.Style.Get("endArrow")
	if e.Style.Relation() != "" {
		return "->"
	}
	tail, head := style.Points(start), !ok || style.Points(end)
	switch {
	case tail && head:
		return "<->"
	case tail:
		return "<-"
	case head:
		return "->"
	}
	return "--"
}

// Twin returns an earlier edge of the file that connects the same cells and has the same
// arrow and label, or nil. Edges without a direction match either way round. Messages of a
// sequence have no twins: a message may be sent twice.
func Twin(e *cell) *cell {
	from, to := Ends(e)
	if from == nil || to == nil || IsMessage(e) {
		return nil
	}
	arrow := ArrowOf(e)
	for _, o := range EdgesBetween(from, to, arrow) {
		if o != e && e.Page.Before(o, e) && ArrowOf(o) == arrow && strings.EqualFold(EdgeLabel(o), EdgeLabel(e)) {
			return o
		}
	}
	return nil
}

// FreePoints returns the waypoints of an edge and the positions of its free ends. Files may
// contain positions for ends that are connected to a shape; draw.io ignores them.
func FreePoints(e *cell) []geom.Point {
	r := e.Route()
	points := r.Points
	from, to := Ends(e)
	if r.Source != nil && from == nil {
		points = append(points, *r.Source)
	}
	if r.Target != nil && to == nil {
		points = append(points, *r.Target)
	}
	return points
}
