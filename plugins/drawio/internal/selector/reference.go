package selector

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/catalog"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/pack"
)

// Shape resolves a reference to one shape of the current page, or to any cell by its id. exact
// allows full names only; destructive verbs set it.
func Shape(f *file, ref string, exact bool) (*cell, error) {
	p := f.Current
	names := p.Names()
	hits, level := names.Find(ref, exact)
	if short, cut := strings.CutSuffix(ref, "…"); cut && level == pdk.MatchNone { // as the map shortens labels
		hits, level = names.Find(short, exact)
	}
	if level == pdk.MatchNone {
		if own := ofDefinedType(f, ref, exact); len(own) > 0 {
			hits, level = own, pdk.MatchExact
		}
		// PACK.TYPE:LABEL matches what TYPE:LABEL matches.
		if _, short, ok := pack.Split(ref); ok && strings.Contains(short, ":") {
			hits, level = names.Find(short, exact)
		}
	}
	hits = withoutParts(hits)
	own := model.WithID(p, ref)
	switch {
	case own != nil && (level == pdk.MatchNone || level == pdk.MatchPrefix):
		return own, nil
	case own != nil && !slices.Contains(hits, own):
		hits = append(slices.Clone(hits), own)
		p.Sort(hits)
		return nil, ambiguous(fmt.Sprintf("%q is the label of one shape and the id of another", ref), ref, hits)
	case level == pdk.MatchNone && strings.HasPrefix(ref, "#"):
		if own = model.WithID(p, ref[1:]); own != nil {
			return own, nil
		}
	}
	switch {
	case len(hits) == 1:
		return hits[0], nil
	case len(hits) == 0:
		if part, err := inBox(f, ref, exact); part != nil || err != nil {
			return part, err
		}
		return nil, notFound(f, ref, exact)
	}
	hits = append([]*cell(nil), hits...)
	p.Sort(hits)
	return nil, ambiguous(fmt.Sprintf("%q is ambiguous", ref), ref, hits)
}

// ofDefinedType reads a reference as TYPE:LABEL, where the document defines the type.
func ofDefinedType(f *file, ref string, exact bool) []*cell {
	kind, label, ok := strings.Cut(ref, ":")
	if !ok || label == "" {
		return nil
	}
	if _, ok := catalog.DefinedType(f, kind); !ok {
		return nil
	}
	hits, _ := f.Current.Names().Find(label, exact)
	return pdk.Filter(hits, func(h *cell) bool { return h.Style.Is(mxfile.DefinedKey, kind) })
}

// ambiguous returns the error for a reference that matches several shapes, with their names.
func ambiguous(what, ref string, hits []*cell) *pdk.Error {
	list := model.References(hits[:min(8, len(hits))])
	text := strings.Join(list, ", ")
	if len(hits) > 8 {
		text += ", …"
	}
	return pdk.Errorf("%s: %s", what, text).Instead(ref, list...)
}

// withoutParts removes the parts of classes and tables from the cells that a name matches, unless
// all of them are parts.
func withoutParts(hits []*cell) []*cell {
	if len(hits) < 2 {
		return hits
	}
	out := pdk.Filter(hits, func(h *cell) bool { return !model.InCompound(h) })
	if len(out) == 0 {
		return hits
	}
	return out
}

func notFound(f *file, ref string, exact bool) error {
	p := f.Current
	_, err := p.Names().One(ref, "shape", exact)
	if err == nil { // the index knows the name, but none of its cells qualified
		err = pdk.Errorf("shape %q not found", ref)
	}
	e, ok := err.(*pdk.Error)
	if !ok {
		return err
	}
	for i, q := range f.Pages {
		if q == p {
			continue
		}
		if hits, level := q.Names().Find(ref, true); level != pdk.MatchNone && len(hits) > 0 {
			e.Message += fmt.Sprintf("; page %d (%s) has it", i+1, q.Name)
			return e.Try(model.PageSwitch(f, q))
		}
	}
	if _, level := p.Names().Find(ref, false); level == pdk.MatchPrefix {
		return e // it lists the names that begin with ref
	}
	near := NearShapes(p, ref)
	if len(near) == 0 {
		e.Message += "; the query map shows what there is"
		return e.TryQuery("map")
	}
	return e.Instead(ref, model.References(near)...)
}

// NearShapes returns the shapes whose labels are close to a reference, if no other shape
// has the same label.
func NearShapes(p *mxfile.Page, ref string) (out []*cell) {
	for _, label := range p.Names().Nearest(ref) {
		hits, _ := p.Names().Find(pdk.Unquote(label), true)
		if hits = withoutParts(hits); len(hits) == 1 {
			out = append(out, hits[0])
		}
	}
	return out
}

// Vertex is Shape for references that must name a shape, a text or a group, not an edge.
func Vertex(f *file, ref string) (*cell, error) {
	c, err := Shape(f, ref, false)
	if err == nil && !c.Vertex {
		return nil, pdk.Errorf("%q is an edge; a shape or a group is needed here", ref)
	}
	return c, err
}

// Target returns the cells that a verb works on: the selection, the edge `A -> B`, or one
// reference. used is the number of positionals that name them.
func Target(c *ctx, a pdk.Args, exact bool) (cells []*cell, used int, err error) {
	if len(a.Selectors) > 0 {
		cells, err = Select(c.Model, c.Recent, a.Selectors, exact)
		return cells, 0, err
	}
	if len(a.Positionals) == 0 {
		return nil, 0, pdk.Errorf("%s needs a shape, an edge A -> B, or a selector", a.Verb).TryQuery("map")
	}
	if a.IsArrow(1) {
		if len(a.Positionals) < 3 {
			return nil, 0, pdk.Errorf("%s needs a shape after it", a.Text(1))
		}
		label := ""
		if a.Verb == "disconnect" || a.Verb == "remove" || a.Has("after") || a.Has("before") || a.Has("source") || a.Has("target") {
			label = a.String("label", "")
		}
		list, err := Edges(c.Model, a, label)
		if err == nil && len(list) > 1 {
			err = ambiguousEdges(a, list)
		}
		return list, 3, err
	}
	one, err := Shape(c.Model, a.Text(0), exact)
	if err != nil {
		if e, several := oneMessage(c.Model, a.Text(0), exact); e != nil || several != nil {
			one, err = e, several
		}
	}
	return []*cell{one}, 1, err
}

// Targets is Target for verbs that take any number of references and edges. used ends before the first word that is none.
func Targets(c *ctx, a pdk.Args, exact bool) (cells []*cell, used int, err error) {
	cells, used, err = Target(c, a, exact)
	if err != nil || used == 0 || used == len(a.Positionals) {
		return cells, used, err
	}
	if _, none := Shape(c.Model, strings.Join(a.Texts(0), " "), true); none == nil { // one name without quotes
		return cells, used, nil
	}
	for used < len(a.Positionals) {
		rest := *a.Op
		rest.Positionals, rest.Arrows = a.Positionals[used:], nil
		for _, i := range a.Arrows {
			if i >= used {
				rest.Arrows = append(rest.Arrows, i-used)
			}
		}
		more, n, err := Target(c, pdk.Args{Op: &rest}, exact)
		if err != nil {
			return cells, used, nil
		}
		for _, x := range more {
			if !slices.Contains(cells, x) {
				cells = append(cells, x)
			}
		}
		used += n
	}
	return cells, used, nil
}

// oneMessage returns the message of the current page with a text, nil if there is none. exact
// requires the whole text.
func oneMessage(f *file, text string, exact bool) (*cell, error) {
	t := model.SequenceOn(f.Current)
	if len(t.Messages) == 0 {
		return nil, nil
	}
	messages, err := t.FindMessages(text)
	switch {
	case err != nil || exact && !strings.EqualFold(model.EdgeLabel(messages[0]), strings.TrimSpace(text)):
		return nil, nil
	case len(messages) > 1:
		return nil, pdk.Errorf("%s have the text %q; name one by its id: %s", pdk.Count(len(messages), "message"), text, ids(messages))
	}
	return messages[0], nil
}

func ids(cells []*cell) string {
	out := pdk.Map(cells, func(c *cell) string {
		return fmt.Sprintf("%s (%s)", pdk.Quote(c.Key), model.ArrowText(c))
	})
	return strings.Join(out, ", ")
}
