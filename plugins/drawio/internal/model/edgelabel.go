package model

import (
	"fmt"
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

// Labels are the cells with the texts of an edge, nil for no text: the edge itself or a label cell, which is a vertex in it.
type Labels struct {
	Middle, Source, Target *cell
	more                   []*cell // other label cells
}

// NearEnd is the position on an edge, from -1 to 1, from which on its only label cell counts as a label of the end. Where an edge has
// several, those beyond nearSide do.
const (
	NearEnd  = 0.7
	nearSide = 0.3
)

// LabelsOf finds the texts of an edge. Of several label cells in one half of the edge, the outermost is that of the end.
func LabelsOf(e *cell) (l Labels) {
	cells := pdk.Filter(e.Page.Children(e.ID), func(k *cell) bool { return k.Vertex && k.Label() != "" })
	near := pdk.If(e.Label() != "" || len(cells) > 1, nearSide, NearEnd)
	for _, k := range cells {
		switch {
		case k.Geo.X < -near && (l.Source == nil || k.Geo.X < l.Source.Geo.X):
			l.Source = k
		case k.Geo.X > near && (l.Target == nil || k.Geo.X > l.Target.Geo.X):
			l.Target = k
		}
	}
	if e.Label() != "" {
		l.Middle = e
	}
	for _, k := range cells {
		switch {
		case k == l.Source || k == l.Target:
		case l.Middle == nil:
			l.Middle = k
		default:
			l.more = append(l.more, k)
		}
	}
	return l
}

// End returns the label cell at an end.
func (l Labels) End(target bool) *cell {
	if target {
		return l.Target
	}
	return l.Source
}

// Place says for a reply which text of its edge a label cell is, "" for a text that is not at an end.
func (l Labels) Place(k *cell) string {
	switch k {
	case l.Source:
		return SourceLabel
	case l.Target:
		return TargetLabel
	}
	return ""
}

// The parameters with the texts at the ends of an edge.
const (
	SourceLabel = "source-label"
	TargetLabel = "target-label"
)

// Text returns the texts of an edge, each on a line.
func (l Labels) Text() string {
	var out []string
	for _, x := range append([]*cell{l.Source, l.Middle, l.Target}, l.more...) {
		if x != nil {
			out = append(out, x.Label())
		}
	}
	return strings.Join(out, "\n")
}

// Words prints the texts of an edge as the parameters that set them, each after a space: "reads" source-label:"0..1".
func (l Labels) Words() string {
	out := ""
	for _, x := range append([]*cell{l.Middle}, l.more...) {
		if x != nil {
			out += " " + values.Quoted(x.Label())
		}
	}
	for _, end := range []*cell{l.Source, l.Target} {
		if end != nil {
			out += fmt.Sprintf(" %s:%s", l.Place(end), values.Quoted(end.Label()))
		}
	}
	return out
}

// EdgeLabel returns the text that names an edge among others: that at its middle, or else one at an end.
func EdgeLabel(e *cell) string {
	l := LabelsOf(e)
	for _, x := range []*cell{l.Middle, l.Source, l.Target} {
		if x != nil {
			return x.Label()
		}
	}
	return ""
}

// LabelCell returns the cell that holds the text at the middle of an edge, the edge itself or a label cell, or nil.
func LabelCell(e *cell) *cell { return LabelsOf(e).Middle }

// LabelPlace returns the position of an edge's label along the edge, from -1 to 1, and its
// distance from it.
func LabelPlace(e *cell) (x, beside float64) {
	if k := LabelCell(e); k != nil {
		return k.Geo.X, k.Geo.Y
	}
	return 0, 0
}

// LabelEdge returns the edge that a label cell belongs to, nil for other cells.
func LabelEdge(k *cell) *cell {
	if e := k.Page.Cell(k.Parent); k.Vertex && e != nil && e.Edge {
		return e
	}
	return nil
}

// IsEndLabel reports whether a cell is a label at the very end of an edge, where draw.io's own connectors have multiplicities.
func IsEndLabel(k *cell) bool { return k != nil && math.Abs(k.Geo.X) == 1 && k.Geo.Y == 0 }

// EdgeEntry prints an edge in the form used in lists. With a free end it needs its id to be named.
func EdgeEntry(e *cell) string {
	out := ArrowText(e) + LabelsOf(e).Words() + " " + e.Line()
	if HasFreeEnd(e) {
		out += " id:" + e.Key
	}
	return out
}
