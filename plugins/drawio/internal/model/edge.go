package model

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

// EdgesBetween are the edges that run as `a arrow b` says: -> from a to b, <-
// from b to a, -- and <-> either way.
func EdgesBetween(a, b *cell, arrow string) []*cell {
	var out []*cell
	if arrow != "<-" {
		out = leading(a, b)
	}
	if arrow != "->" && (a != b || arrow == "<-") {
		out = append(out, leading(b, a)...)
	}
	return out
}

// leading are the edges from a to b, of a participant also those of its bars.
func leading(a, b *cell) (out []*cell) {
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

// EdgeLabel is the text on an edge: its own, or that of its label cells.
func EdgeLabel(e *cell) string {
	if e.Label() != "" {
		return e.Label()
	}
	for _, k := range e.Page.Children(e.ID) {
		if k.Vertex && k.Label() != "" {
			return k.Label()
		}
	}
	return ""
}

// LabelCell is the one cell of an edge that has the text on it, itself or a label
// cell, nil where several have or none.
func LabelCell(e *cell) *cell {
	var one *cell
	if e.Label() != "" {
		one = e
	}
	for _, k := range e.Page.Children(e.ID) {
		if k.Vertex && k.Label() != "" {
			if one != nil {
				return nil
			}
			one = k
		}
	}
	return one
}

// NearEnd is from where on, towards an end of its edge at 1, a label cell belongs to
// that end.
const NearEnd = 0.7

// LabelPlace is where on an edge its label is, from -1 to 1, and how far beside it.
func LabelPlace(e *cell) (x, beside float64) {
	if k := LabelCell(e); k != nil {
		return k.Geo.X, k.Geo.Y
	}
	return 0, 0
}

// Ends are the cells at an edge's ends, nil for a free end.
func Ends(e *cell) (from, to *cell) {
	if e.Source != "" {
		from = e.Page.Cell(e.Source)
	}
	if e.Target != "" {
		to = e.Page.Cell(e.Target)
	}
	return from, to
}

// ArrowText prints an edge as A->B.
func ArrowText(e *cell) string {
	from, to := Ends(e)
	return EndName(from) + ArrowOf(e) + EndName(to)
}

func EndName(c *cell) string {
	if c == nil {
		return "(free)"
	}
	if c.Name() == "" && InCompound(c) { // a bar of a lifeline
		c = Outermost(c)
	}
	if label := values.OneLine(c.Name()); label != "" {
		return label
	}
	return c.Key
}

// ArrowOf is the arrow that an edge's heads make. A relation leads from its first end.
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

// Twin is an edge before e in the file that joins the same cells and says the same,
// nil for none. An edge without a direction has no first end, and a message can be
// sent twice.
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

func EdgeLine(from, arrow, to, label, drawn string) string {
	out := from + arrow + to
	if label != "" {
		out += fmt.Sprintf(" %q", values.OneLine(label))
	}
	return out + " " + drawn
}

// FreePoints are the waypoints of an edge, and its ends where no shape is: draw.io
// leaves the places of those that had none before in files, and reads them no more.
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
