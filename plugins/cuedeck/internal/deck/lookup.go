package deck

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/cuedeck/internal/markdown"
	"github.com/fcp-host/fcp-host/plugins/cuedeck/internal/search"
)

// Search ranks cards, docs and sources. It first updates the index with the files that changed.
func (w *Workspace) Search(q search.Query) []search.Hit {
	for _, name := range slices.Sorted(maps.Keys(w.unindexed)) {
		doc, in := w.searchDoc(name)
		if in {
			w.index.Put(doc)
		} else {
			w.index.Remove(name)
		}
	}
	clear(w.unindexed)
	return w.index.Search(q)
}

// searchDoc returns a file as search takes it. in is false if search does not read it.
func (w *Workspace) searchDoc(name string) (d search.Doc, in bool) {
	k := w.byPath[name]
	if !w.Files.Has(name) || k == nil && (w.Settings().ignores(name) || !IsDoc(name) && !isOther(name)) {
		return d, false
	}
	d = search.Doc{Path: name, Text: w.Files.Get(name)}
	if k != nil && k.Card != nil {
		d.Tags, d.Priority, d.Assignee = k.Tags, k.Priority, k.Assignee
	}
	return d, true
}

// reindex marks all files for the next update of the index.
func (w *Workspace) reindex() {
	for _, name := range w.Files.Names() {
		w.unindexed[name] = true
	}
}

// Heading finds a heading of a card or doc by its text or its slug.
func (w *Workspace) Heading(name, anchor string) (*markdown.Heading, error) {
	return w.heading(name, anchor)
}

// Anchors returns the headings of a card or doc, or the declarations of a source.
func (w *Workspace) Anchors(name string) []string {
	if w.byPath[name] != nil || IsDoc(name) {
		return w.anchors(name)
	}
	return search.Declared(name, string(w.Files.Get(name)))
}

// MarkRead marks a file as read, and reports whether it was read before and has not changed since.
func (w *Workspace) MarkRead(name string) bool {
	before := w.served[name]
	w.served[name] = true
	return before
}

func filesQuery() query {
	return query{Query: abi.Query{Syntax: "files [TEXT…]", Brief: "files [TEXT]", Summary: "files and their titles, to pick from: those that TEXT finds, or all"}, Run: files}
}

func files(v *view, a pdk.Args) (abi.QueryResponse, error) {
	w := v.Model
	var names []string
	if text := strings.Join(a.Texts(0), " "); strings.TrimSpace(text) != "" {
		for _, h := range w.Search(search.Query{Text: text, Mode: search.Hybrid, Limit: 50}) {
			names = append(names, h.Path)
		}
		if len(names) == 0 {
			return abi.QueryResponse{}, pdk.Errorf("nothing has %s", quoted(pdk.Line(text, 80)))
		}
	} else {
		for _, k := range w.Cards() {
			names = append(names, k.Path)
		}
		names = append(append(names, w.Docs()...), w.Others()...)
	}
	p := v.Page()
	for _, name := range names {
		p.Line(func(b []byte) []byte { return append(append(append(b, name...), "  "...), w.summary(name)...) })
	}
	return p.Answer(0), nil
}

// summary describes a file in a few words.
func (w *Workspace) summary(name string) string {
	if k := w.byPath[name]; k != nil && k.Card != nil {
		return pdk.Line(k.Title, 80) + ", " + cmp.Or(k.Status, "without a status")
	}
	anchors := w.Anchors(name)
	return pdk.Line(strings.Join(anchors[:min(len(anchors), 3)], ", "), 80)
}
