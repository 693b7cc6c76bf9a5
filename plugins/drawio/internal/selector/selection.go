// Package selector resolves the references and selectors of an op to cells, pages and layers.
package selector

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/catalog"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/svg"
)

// Types describes the selectors of the domain.
func Types() []abi.Selector {
	return (&pdk.Selection[*file, *cell]{Table: table(nil, false)}).Describe()
}

// Select resolves selectors, on the current page unless @page names another. It selects
// shapes, or edges if @edges is among the selectors; @recent and @text alone select both.
// It is an error if nothing matches. exact allows full names only; destructive verbs set
// it.
func Select(f *file, recent []string, sels []abi.Select, exact bool) ([]*cell, error) {
	out, err := Matches(f, recent, sels, exact)
	if err == nil && len(out) == 0 {
		return nil, pdk.Errorf("%s matches nothing; the query map shows what there is", pdk.SelectorText(sels)).TryQuery("map")
	}
	return out, err
}

// Matches is Select for callers that accept an empty result.
func Matches(f *file, recent []string, sels []abi.Select, exact bool) ([]*cell, error) {
	page := f.Current
	var rest []abi.Select
	wantEdges, either := false, true
	for _, s := range sels {
		switch {
		case s.Type == "page" && !s.Negated:
			p, err := Page(f, s.Value, exact)
			if err != nil {
				return nil, err
			}
			page = p
			rest = append(rest, abi.Select{Raw: s.Raw, Type: "all"})
			continue
		case s.Type == "edges" && !s.Negated:
			wantEdges = true
		case s.Type == "edges":
			either = false
		case s.Type != "recent" && s.Type != "text" || s.Negated:
			either = false
		}
		rest = append(rest, s)
	}
	meant := func(c *cell) bool { return c.Edge && (wantEdges || either) || c.Shape() && !wantEdges }
	sel := pdk.Selection[*file, *cell]{
		All: func(*file) []*cell {
			return page.Where(meant)
		},
		Few: func(_ *file, some []*cell) []*cell {
			out := slices.DeleteFunc(some, func(c *cell) bool { return c.Page != page || !meant(c) })
			page.Sort(out)
			return out
		},
		ByID: func(f *file, id string) (*cell, bool) {
			c := model.ByID(f, id)
			return c, c != nil && (c.Edge || c.Vertex)
		},
		Table: table(page, exact),
	}
	return sel.Select(f, recent, rest)
}

// table lists the selectors, as they match on a page.
func table(page *mxfile.Page, exact bool) []pdk.SelectorType[*file, *cell] {
	about := func(syntax, brief, summary string) abi.Selector {
		return abi.Selector{Syntax: syntax, Brief: syntax + brief, Summary: summary}
	}
	return []pdk.SelectorType[*file, *cell]{
		{Selector: about("@type:T", "", "shapes of a type"), Match: func(f *file, v string) (func(*cell) bool, error) { return OfType(f, page, v, exact) }},
		{Selector: about("@group:NAME", "", "shapes and edges in a group, at any depth"), Match: func(_ *file, v string) (func(*cell) bool, error) { return inGroup(page, v, exact) }},
		{Selector: about("@connected:REF", " · one edge away", "shapes one edge away"), Match: func(f *file, v string) (func(*cell) bool, error) { return connectedTo(f, page, v, exact) }},
		{Selector: about("@theme:T", "", "shapes and edges with a theme's colours"), Match: withTheme},
		{Selector: about(`@text:"…"`, " · in the label", "shapes and edges whose label contains it"), Match: withText},
		{Selector: about("@orphan", " · without edges", "shapes without an edge"), Match: func(*file, string) (func(*cell) bool, error) { return model.IsOrphan, nil }},
		{Selector: about("@edges", " · instead of shapes", "edges instead of shapes"), Match: func(*file, string) (func(*cell) bool, error) {
			return func(c *cell) bool { return c.Edge }, nil
		}},
		{Selector: about("@layer:L", "", "shapes and edges on a layer, by name or number"), Match: func(_ *file, v string) (func(*cell) bool, error) {
			l, err := Layer(page, v, exact)
			return func(c *cell) bool { return c.Layer() == l }, err
		}},
		{Selector: about("@page:P", "", "shapes on another page, by name or number"), Match: func(f *file, v string) (func(*cell) bool, error) { // negated; Matches handles the other case
			p, err := Page(f, v, exact)
			return func(c *cell) bool { return c.Page == p }, err
		}},
		{Selector: about("@range:X,Y-X,Y", "", "shapes and edges within a rectangle"), Match: func(_ *file, v string) (func(*cell) bool, error) { return within(page, v) }},
	}
}

func inGroup(page *mxfile.Page, v string, exact bool) (func(*cell) bool, error) {
	g, err := Group(page, v, exact)
	return func(c *cell) bool {
		if c.Edge {
			from, to := model.Ends(c)
			return from != nil && to != nil && from.Within(g) && to.Within(g)
		}
		return c != g && c.Within(g)
	}, err
}

func connectedTo(f *file, page *mxfile.Page, v string, exact bool) (func(*cell) bool, error) {
	hub, err := Shape(f, v, exact)
	if err == nil && !hub.Vertex {
		err = pdk.Errorf("%q is an edge; @connected takes a shape", v)
	}
	if err != nil {
		return nil, err
	}
	near := map[*cell]bool{}
	for _, e := range append(page.Out(hub.ID), page.In(hub.ID)...) {
		from, to := model.Ends(e)
		near[e], near[from], near[to] = true, true, true
	}
	delete(near, hub)
	return func(c *cell) bool { return near[c] }, nil
}

func withTheme(f *file, v string) (func(*cell) bool, error) {
	t, ok := catalog.ThemeNamed(f, v)
	if !ok {
		return nil, catalog.UnknownTheme(f, v)
	}
	return func(c *cell) bool {
		if c.Edge { // a theme sets nothing else on an edge
			stroke, _ := c.Style.Get("strokeColor")
			return strings.EqualFold(stroke, t.Stroke)
		}
		return t.On(c.Style)
	}, nil
}

func withText(_ *file, v string) (func(*cell) bool, error) {
	if v == "" {
		return nil, pdk.Errorf("@text needs a text")
	}
	low := strings.ToLower(v)
	return func(c *cell) bool {
		label := c.Label()
		if c.Edge {
			label = model.LabelsOf(c).Text()
		}
		return strings.Contains(strings.ToLower(label), low)
	}, nil
}

func within(page *mxfile.Page, v string) (func(*cell) bool, error) {
	r, ok := value.ParseRange(v)
	if !ok {
		return nil, pdk.Errorf("range %q is not X,Y-X,Y", v)
	}
	routes := sync.OnceValue(func() map[*cell][]geom.Point { return svg.Routes(page) })
	return func(c *cell) bool {
		if !c.Edge {
			return r.Contains(c.Abs())
		}
		way := routes()[c]
		return len(way) > 0 && !slices.ContainsFunc(way, func(p geom.Point) bool { return !r.Contains(geom.Rect{X: p.X, Y: p.Y}) })
	}, nil
}

// kindsOn lists the types of the shapes on a page, each once, in the order of the file.
func kindsOn(page *mxfile.Page) []string {
	var out []string
	for c := page.First(); c != nil && len(out) < 20; c = c.Next() {
		if c.Shape() && !model.InCompound(c) && !slices.Contains(out, model.KindOf(c)) {
			out = append(out, model.KindOf(c))
		}
	}
	return out
}

// OfType returns the test for a type that a user names: built-in, defined by the document,
// of a shape on the page, or of an icon.
func OfType(f *file, page *mxfile.Page, v string, exact bool) (func(*cell) bool, error) {
	var kinds pdk.Index[string]
	for _, k := range slices.Concat(style.Order(), []string{"group"}, catalog.DefinedTypes(f)) {
		kinds.Put(k, k, "", "")
	}
	for c := page.First(); c != nil; c = c.Next() {
		if c.Vertex {
			kinds.Put(c.Kind(), c.Kind(), "", "")
		}
	}
	hits, level := kinds.Find(v, true)
	if level == pdk.MatchNone {
		names := map[string]bool{}
		for _, s := range catalog.Stencils(f, v, true) {
			names[catalog.StencilKind(s)] = true
		}
		if len(names) > 0 {
			return func(c *cell) bool { return c.Vertex && model.IsIcon(c) && names[c.Kind()] }, nil
		}
		if !exact {
			hits, _ = kinds.Find(v, false)
		}
	}
	switch len(hits) {
	case 0:
		near := kinds.Nearest(v)
		err := pdk.Errorf("unknown type %q; on this page: %s", v, strings.Join(kindsOn(page), " ")).Instead(v, near...)
		if kind := style.Synonym(v); kind != "" {
			err = pdk.Errorf("unknown type %q; it is called %s here", v, kind).Instead(v, kind)
		} else if len(near) == 0 {
			err.TryQuery("list")
		}
		return nil, err
	case 1:
	default:
		return nil, pdk.Errorf("type %q is ambiguous: %s", v, strings.Join(hits, " ")).Instead(v, hits...)
	}
	kind := hits[0]
	if _, ok := catalog.DefinedType(f, kind); ok {
		return func(c *cell) bool { return c.Vertex && c.Style.Is(mxfile.DefinedKey, kind) }, nil
	}
	return func(c *cell) bool { return c.Vertex && c.Kind() == kind }, nil
}

// Group resolves a reference to a container of shapes.
func Group(page *mxfile.Page, ref string, exact bool) (*cell, error) {
	if ref == "" {
		return nil, pdk.Errorf("@group needs a group's name").TryQuery("map")
	}
	hits, _ := page.Names().Find(ref, exact)
	groups := pdk.Filter(hits, model.IsGroup)
	own := model.WithID(page, ref)
	if own == nil && len(groups) == 0 {
		own = model.WithID(page, strings.TrimPrefix(ref, "#"))
	}
	if own != nil && model.IsGroup(own) && !slices.Contains(groups, own) {
		groups = append(groups, own)
	}
	if len(groups) == 0 {
		all := groupNames(page)
		err := pdk.Errorf("no group %q", ref)
		if near := nearGroups(page, ref); len(near) > 0 {
			err.Instead(ref, near...)
		} else {
			err.TryQuery("map")
		}
		if len(all) > 8 {
			all = append(all[:8], "…")
		}
		if len(all) > 0 {
			err.Message += "; groups: " + strings.Join(all, ", ")
		}
		return nil, err
	}
	if len(groups) > 1 {
		page.Sort(groups)
		return nil, ambiguous(fmt.Sprintf("group %q is ambiguous", ref), ref, groups)
	}
	return groups[0], nil
}

// groupNames returns references to the groups of a page.
func groupNames(page *mxfile.Page) []string {
	var out []string
	for c := page.First(); c != nil; c = c.Next() {
		if c.Shape() && model.IsGroup(c) {
			out = append(out, model.Reference(c))
		}
	}
	return out
}

// nearGroups returns references to the groups whose names are close to ref.
func nearGroups(page *mxfile.Page, ref string) (out []string) {
	var names pdk.Index[*cell]
	for c := page.First(); c != nil; c = c.Next() {
		if c.Shape() && model.IsGroup(c) {
			names.Put(c, c.Name(), "", "")
		}
	}
	return nearNames(&names, ref)
}

type (
	file = mxfile.File
	cell = mxfile.Cell
	ctx  = pdk.Ctx[*mxfile.File]
)
