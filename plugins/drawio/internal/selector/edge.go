package selector

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

// Edges resolves `A -> B` of an op or query. A label selects among several edges.
func Edges(f *file, a pdk.Args, label string) ([]*cell, error) {
	from, err := Vertex(f, a.Text(0))
	if err != nil {
		return nil, err
	}
	to, err := Vertex(f, a.Text(2))
	if err != nil {
		return nil, err
	}
	arrow := a.Text(1)
	list := model.EdgesBetween(from, to, arrow)
	if len(list) == 0 {
		err := pdk.Errorf("no connection %s %s %s", model.Short(from), arrow, model.Short(to))
		if back := model.EdgesBetween(to, from, arrow); len(back) > 0 {
			err.Message += fmt.Sprintf("; there is %s %s %s", model.Short(to), arrow, model.Short(from))
		}
		return nil, err.TryQuery("connections " + model.Reference(from))
	}
	if label == "" {
		return list, nil
	}
	match := pdk.Filter(list, func(e *cell) bool { return strings.EqualFold(model.EdgeLabel(e), label) })
	if len(match) == 0 {
		return nil, noEdgeLabelled(a, list, label)
	}
	return match, nil
}

// noEdgeLabelled returns the error for edges A -> B none of which has the label that the op
// gives. It suggests the op with the label of the only edge, or with a similar one.
func noEdgeLabelled(a pdk.Args, list []*cell, label string) *pdk.Error {
	way := fmt.Sprintf("%s %s %s", a.Text(0), a.Text(1), a.Text(2))
	var labels []string
	for _, e := range list {
		if l := model.EdgeLabel(e); l != "" {
			labels = append(labels, l)
		}
	}
	err := pdk.Errorf("no connection %s is labelled %q", way, label)
	switch {
	case len(list) == 1 && len(labels) == 0:
		return pdk.Errorf("the connection %s has no label", way).TryQuery("connections " + pdk.Quote(a.Text(0)))
	case len(list) == 1:
		err = pdk.Errorf("the connection %s is labelled %q, not %q", way, values.OneLine(labels[0]), label)
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

// ambiguousEdges returns the error for an op on A -> B that matches several edges. It
// suggests the op for single edges.
func ambiguousEdges(a pdk.Args, list []*cell) *pdk.Error {
	var ids []string
	for _, e := range list {
		id := pdk.Quote(e.Key)
		if l := strings.TrimSpace(model.LabelsOf(e).Words()); l != "" {
			id += " (" + l + ")"
		}
		ids = append(ids, id)
	}
	err := pdk.Errorf("%s %s %s is ambiguous; name one by its id: %s", a.Text(0), a.Text(1), a.Text(2), strings.Join(ids, ", "))
	labels := map[string]int{}
	for _, e := range list {
		labels[strings.ToLower(model.EdgeLabel(e))]++
	}
	removes := a.Verb == "disconnect" || a.Verb == "remove"
	for _, e := range list[:min(3, len(list))] {
		l := model.EdgeLabel(e)
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

// EdgeLike resolves the text A->B or the id of an edge to an edge to take the look of. Of several that look alike it returns the first.
func EdgeLike(f *file, ref string) (*cell, error) {
	if e := model.WithID(f.Current, ref); e != nil && e.Edge {
		return e, nil
	}
	for _, arrow := range []string{"<->", "->", "<-", "--"} {
		for i := 0; i+len(arrow) <= len(ref); i++ {
			if ref[i:i+len(arrow)] != arrow {
				continue
			}
			a, err := Vertex(f, strings.TrimSpace(ref[:i]))
			b, err2 := Vertex(f, strings.TrimSpace(ref[i+len(arrow):]))
			if err != nil || err2 != nil {
				continue
			}
			list := model.EdgesBetween(a, b, arrow)
			if len(list) == 0 {
				list = model.EdgesBetween(a, b, "--")
			}
			for _, e := range list {
				if e.Style != list[0].Style {
					return nil, pdk.Errorf("several edges are %s, and look different; name one by its id", ref).TryQuery("list @edges @connected:" + model.Reference(a))
				}
			}
			if len(list) > 0 {
				return list[0], nil
			}
			return nil, pdk.Errorf("no edge joins %s and %s", model.Short(a), model.Short(b)).TryQuery("connections " + model.Reference(a))
		}
	}
	return nil, pdk.Errorf("%q is not an edge: A->B or an id", ref).TryQuery("connections *")
}
