package diagram

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// edgesBetween are the edges that run as `a arrow b` says: -> from a to b, <-
// from b to a, -- and <-> either way.
func edgesBetween(a, b *cell, arrow string) []*cell {
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

// edges resolves `A -> B` of an op or query, with the label that tells several
// apart.
func edges(f *file, a pdk.Args, label string) ([]*cell, error) {
	from, err := vertex(f, a.Text(0))
	if err != nil {
		return nil, err
	}
	to, err := vertex(f, a.Text(2))
	if err != nil {
		return nil, err
	}
	arrow := a.Text(1)
	list := edgesBetween(from, to, arrow)
	if len(list) == 0 {
		err := pdk.Errorf("no connection %s %s %s", short(from), arrow, short(to))
		if back := edgesBetween(to, from, arrow); len(back) > 0 {
			err.Message += fmt.Sprintf("; there is %s %s %s", short(to), arrow, short(from))
		}
		return nil, err.TryQuery("connections " + name(from))
	}
	if label == "" {
		return list, nil
	}
	var match []*cell
	for _, e := range list {
		if strings.EqualFold(edgeLabel(e), label) {
			match = append(match, e)
		}
	}
	if len(match) == 0 {
		return nil, unlabelled(a, list, label)
	}
	return match, nil
}

// unlabelled refuses an op on edges A -> B that are labelled otherwise than it
// says, and suggests the op with the label that a single one has, or that is near.
func unlabelled(a pdk.Args, list []*cell, label string) *pdk.Error {
	way := fmt.Sprintf("%s %s %s", a.Text(0), a.Text(1), a.Text(2))
	var labels []string
	for _, e := range list {
		if l := edgeLabel(e); l != "" {
			labels = append(labels, l)
		}
	}
	err := pdk.Errorf("no connection %s is labelled %q", way, label)
	switch {
	case len(list) == 1 && len(labels) == 0:
		return pdk.Errorf("the connection %s has no label", way).TryQuery("connections " + pdk.Quote(a.Text(0)))
	case len(list) == 1:
		err = pdk.Errorf("the connection %s is labelled %q, not %q", way, oneLine(labels[0]), label)
	default:
		labels = pdk.Nearest(label, labels)
	}
	for _, l := range labels {
		err.Try(a.Mended(pdk.WithParam("label", l)))
	}
	if len(labels) == 0 {
		err.TryQuery("connections " + pdk.Quote(a.Text(0)))
	}
	return err
}

// severalEdges refuses an op on A -> B where several edges run so, and
// suggests the op on each.
func severalEdges(a pdk.Args, list []*cell) *pdk.Error {
	var ids []string
	for _, e := range list {
		id := pdk.Quote(e.Key)
		if l := edgeLabel(e); l != "" {
			id += fmt.Sprintf(" (%s)", oneLine(l))
		}
		ids = append(ids, id)
	}
	err := pdk.Errorf("%s %s %s is ambiguous; name one by its id: %s", a.Text(0), a.Text(1), a.Text(2), strings.Join(ids, ", "))
	labels := map[string]int{}
	for _, e := range list {
		labels[strings.ToLower(edgeLabel(e))]++
	}
	removes := a.Verb == "disconnect" || a.Verb == "remove"
	for _, e := range list[:min(3, len(list))] {
		l := edgeLabel(e)
		switch {
		case removes && l != "" && labels[strings.ToLower(l)] == 1:
			err.Try(a.Mended(pdk.WithParam("label", l)))
		case removes:
			err.Tryf("remove %s", pdk.Quote(e.Key))
		default:
			err.Try(a.Mended(pdk.WithWords(0, 3, e.Key)))
		}
	}
	return err
}

// edgeLabel is the text on an edge: its own, or that of its label cells.
func edgeLabel(e *cell) string {
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

// labelCell is the one cell of an edge that has the text on it, itself or a label
// cell, nil where several have or none.
func labelCell(e *cell) *cell {
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

// nearEnd is from where on, towards an end of its edge at 1, a label cell belongs to
// that end.
const nearEnd = 0.7

// labelAt is where on an edge its label is, from -1 to 1, and how far beside it.
func labelAt(e *cell) (x, beside float64) {
	if k := labelCell(e); k != nil {
		return k.Geo.X, k.Geo.Y
	}
	return 0, 0
}

// ends are the cells at an edge's ends, nil for a free end.
func ends(e *cell) (from, to *cell) {
	if e.Source != "" {
		from = e.Page.Cell(e.Source)
	}
	if e.Target != "" {
		to = e.Page.Cell(e.Target)
	}
	return from, to
}

// arrowText prints an edge as A->B.
func arrowText(e *cell) string {
	from, to := ends(e)
	return endName(from) + arrowOf(e) + endName(to)
}

func endName(c *cell) string {
	if c == nil {
		return "(free)"
	}
	if c.Name() == "" && inCompound(c) { // a bar of a lifeline
		c = outermost(c)
	}
	if label := oneLine(c.Name()); label != "" {
		return label
	}
	return c.Key
}

// arrowOf is the arrow that an edge's heads make. A relation leads from its first end.
func arrowOf(e *cell) string {
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

// twin is an edge before e in the file that joins the same cells and says the same,
// nil for none. An edge without a direction has no first end, and a message can be
// sent twice.
func twin(e *cell) *cell {
	from, to := ends(e)
	if from == nil || to == nil || message(e) {
		return nil
	}
	arrow := arrowOf(e)
	for _, o := range edgesBetween(from, to, arrow) {
		if o != e && e.Page.Before(o, e) && arrowOf(o) == arrow && strings.EqualFold(edgeLabel(o), edgeLabel(e)) {
			return o
		}
	}
	return nil
}

// twins are the edges that lie on another one that says the same.
func twins(p *mxfile.Page) (f findings) {
	for c := p.First(); c != nil; c = c.Next() {
		if c.Edge && twin(c) != nil {
			f.add(arrowText(c))
		}
	}
	return f
}
