package rows

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/catalog"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/compound"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/edit"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/placement"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

// Word returns which of row, field, method and column the first word of an op is, "" for none. A type of the document
// that has such a name keeps it.
func Word(f *file, a pdk.Args) string {
	word, ok := pdk.OneOf(a.Text(0), []string{"row", "field", "method", "column"})
	if !ok || len(a.Positionals) < 2 {
		return ""
	}
	if _, _, defined := catalog.TypeNamed(f, word); defined {
		return ""
	}
	return word
}

// Box returns the class, the table or the entity that the parameter in: of an op names.
func Box(f *file, a pdk.Args) (*cell, error) {
	x, err := selector.Vertex(f, a.String("in", ""))
	if err != nil {
		return nil, err
	}
	if !model.HasRows(x) {
		if row := model.RowOf(x); row != nil {
			return row.Owner(), nil
		}
		return nil, pdk.Errorf("%s has no rows: it is neither a class nor a table nor an entity", model.Short(x)).TryQuery("map")
	}
	return x, nil
}

// Add runs `add row|field|method|column TEXT in:BOX`.
func Add(c *ctx, a pdk.Args, word string) error {
	if len(a.Positionals) > 2 {
		return pdk.Errorf("add %s takes one text; quote a text with spaces", word).Try(a.Mended(pdk.WithJoined(1)))
	}
	allowed := []string{"in", "after", "before", "at"}
	if word == "column" {
		allowed = append(allowed, "rows")
	}
	for _, kv := range a.Params {
		if !slices.Contains(allowed, kv.Key) {
			return pdk.Errorf("%s: does not go with a %s, which looks like those beside it", kv.Key, word).Try(a.Mended(pdk.Without(kv.Key)))
		}
	}
	box := pdk.Must(boxOf(c.Model, a))
	if word == "column" {
		return addColumn(c, a, box)
	}
	if word == "method" && box.Kind() != "class" {
		return pdk.Errorf("%s is %s: it has rows", model.Short(box), values.Article(box.Kind())).Try(a.Mended(pdk.WithWords(0, 1, "row")))
	}
	s := NewStack(box)
	i := pdk.Must(s.placeOf(c.Model, a, word))
	texts := compound.Items(a.Text(1), false)
	if len(texts) == 0 {
		return pdk.Errorf("add %s needs a text", word)
	}
	if len(s.rows)+len(texts) > compound.MaxParts {
		return pdk.Errorf("%s would have more than %d rows", model.Short(box), compound.MaxParts)
	}
	d := c.Model.Draft()
	w := &writer{Stack: s, d: d, page: box.Page, parent: box.ID, before: s.place(i)}
	if word == "method" && !slices.ContainsFunc(s.rows, model.IsDivider) {
		w.line(s.open(i, compound.Rule))
	}
	for _, text := range texts {
		if err := w.add(i, text); err != nil {
			return err
		}
	}
	return w.commit(c, "add "+word+" "+a.Text(1)+" in "+model.Short(box), word+" "+strings.Join(texts, "; "))
}

// Refuse refuses parameters that set all rows of an existing box, and suggests the op that adds the last one given.
func Refuse(a pdk.Args, box *cell) error {
	for _, key := range []string{"fields", "methods", "rows", "cols"} {
		if v, ok := a.Param(key); ok && model.HasRows(box) {
			err := pdk.Errorf("%s: is for a new shape; rows of %s are changed with add row, label, move and remove", key, model.Short(box))
			if texts := compound.Items(v, false); len(texts) > 0 && key != "cols" {
				err.Tryf("add row %s in:%s", pdk.Quote(texts[len(texts)-1]), model.Reference(box))
			}
			return err
		}
	}
	return nil
}

// add drafts a row above rows[i].
func (w *writer) add(i int, text string) error {
	cells, err := w.texts(text)
	if err != nil {
		return err
	}
	keys := ""
	if key := keyColumn(w.rows); key >= 0 {
		keys = cells[key]
	}
	like := w.like(i, keys)
	if like == nil {
		return w.first(text)
	}
	w.fit(like, cells)
	w.row(like, cells, w.open(i, like.Geo.H))
	return nil
}

// first drafts the first row of a box.
func (w *writer) first(text string) error {
	if w.box.Kind() != "class" {
		return pdk.Errorf("%s has no row that a new one could look like", model.Short(w.box)).TryQuery("describe " + model.Reference(w.box))
	}
	if by := min(need(text, compound.MemberStyle), maxWide) - w.size.W; by > 0 {
		w.Widen(0, by)
	}
	id := w.d.NewID()
	at := geom.Rect{Y: w.open(len(w.rows), compound.MemberRow), W: w.size.W, H: compound.MemberRow}
	w.put(id, mxfile.NewVertex(id, mxfile.LabelValue(text, true), compound.MemberStyle, w.parent, at))
	return nil
}

// commit applies the draft and reports what was added, the size of the box and what moved.
func (w *writer) commit(c *ctx, summary, added string) error {
	grown := map[*cell]geom.Rect{}
	w.Draft(w.d, grown, nil)
	pushed := placement.MakeWay(w.d, grown, nil)
	delete(grown, w.box)
	pdk.Check(edit.Commit(c, w.d, summary, "", w.box))
	c.Touch(w.ids...)
	c.Created("%s in %s %s: %s%s", added, model.Short(w.box), values.Box(w.box.Abs()), model.RowTexts(w.box), placement.Growth(grown, pushed))
	return nil
}

// boxOf returns the box that in: names, or that a row which the op names lies in.
func boxOf(f *file, a pdk.Args, refs ...string) (*cell, error) {
	if a.Has("in") {
		return Box(f, a)
	}
	for _, ref := range append(refs, a.String("after", ""), a.String("before", "")) {
		if ref == "" {
			continue
		}
		x := pdk.Must(selector.Shape(f, ref, true))
		if row := model.RowOf(x); row != nil {
			return row.Owner(), nil
		}
	}
	return nil, pdk.Errorf("in: says which class, table or entity it is: in:NAME").TryQuery("map")
}

// Named returns the row that an op names: `row TEXT in:BOX`, `row BOX/TEXT`, or a reference to a row or a cell of one.
// It is nil if the op names something else.
func Named(f *file, a pdk.Args, exact bool) (*cell, error) {
	if Word(f, a) == "" {
		if len(a.Positionals) != 1 || len(a.Selectors) > 0 {
			return nil, nil
		}
		if x, err := selector.Shape(f, a.Text(0), exact); err == nil {
			return model.WholeRow(x), nil
		}
		return nil, nil
	}
	if len(a.Positionals) > 2 {
		return nil, pdk.Errorf("%s %s takes one text; quote a text with spaces", a.Verb, a.Text(0)).Try(a.Mended(pdk.WithJoined(1)))
	}
	if a.Has("in") {
		box, err := Box(f, a)
		if err != nil {
			return nil, err
		}
		return selector.Row(box, a.Text(1), exact)
	}
	x, err := selector.Shape(f, a.Text(1), exact)
	if err != nil {
		return nil, err
	}
	row := model.WholeRow(x)
	if row == nil {
		return nil, pdk.Errorf("%s is not a row of a class, a table or an entity", model.Short(x)).TryQuery("map")
	}
	return row, nil
}

// placeOf returns i for a row that goes above rows[i]: the place that after:, before: or at: gives, or the end of the
// rows, of the fields or of the methods.
func (s *Stack) placeOf(f *file, a pdk.Args, word string) (int, error) {
	ways := 0
	for _, key := range []string{"after", "before", "at"} {
		if a.Has(key) {
			ways++
		}
	}
	if ways > 1 {
		return 0, pdk.Errorf("the place is one of after: before: at:").Try(a.Mended(pdk.Without("at", "before")))
	}
	for _, key := range []string{"after", "before"} {
		ref, ok := a.Param(key)
		if !ok {
			continue
		}
		row := pdk.Must(s.rowNamed(f, ref))
		i := slices.Index(s.rows, row)
		if key == "after" {
			i++
		}
		return i, nil
	}
	lines := []int{len(s.rows), len(s.rows)} // the first two lines between rows
	for i := len(s.rows) - 1; i >= 0; i-- {
		if model.IsDivider(s.rows[i]) {
			lines = []int{i, lines[0]}
		}
	}
	start, end := 0, len(s.rows)
	switch {
	case word == "field":
		end = lines[0]
	case word == "method":
		start, end = min(lines[0]+1, len(s.rows)), lines[1]
	case len(s.rows) > 1 && s.isHeading(s.rows[0]):
		start = 1
	}
	if v, ok := a.Param("at"); ok {
		switch at, _ := pdk.OneOf(v, []string{"first", "top", "last", "bottom"}); at {
		case "first", "top":
			return start, nil
		case "last", "bottom":
			return end, nil
		}
		return 0, pdk.Errorf("at:%s is neither first nor last; after: and before: name a row", v).Instead(v, "first", "last")
	}
	return end, nil
}

// rowNamed resolves the reference of after: and before:, with the name of the box or without.
func (s *Stack) rowNamed(f *file, ref string) (*cell, error) {
	row, err := selector.Row(s.box, ref, false)
	if err == nil {
		return row, nil
	}
	if x, bad := selector.Shape(f, ref, false); bad == nil {
		if r := model.RowOf(x); r != nil && r.Owner() == s.box {
			return r, nil
		}
	}
	return nil, err
}
