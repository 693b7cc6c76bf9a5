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
	var match []*cell
	for _, e := range list {
		if strings.EqualFold(model.EdgeLabel(e), label) {
			match = append(match, e)
		}
	}
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
		if l := model.EdgeLabel(e); l != "" {
			id += fmt.Sprintf(" (%s)", values.OneLine(l))
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
