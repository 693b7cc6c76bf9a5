package rows

import (
	"slices"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/compound"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/edit"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

// addColumn runs `add column TITLE in:TABLE [after:|before:COLUMN] [rows:"A; B"]`.
func addColumn(c *ctx, a pdk.Args, box *cell) error {
	s := NewStack(box)
	if len(s.rows) == 0 || !s.isHeading(s.rows[0]) {
		return pdk.Errorf("%s has no columns with titles", model.Short(box))
	}
	texts := append([]string{a.Text(1)}, compound.Items(a.String("rows", ""), false)...)
	if len(texts) > len(s.rows) {
		return pdk.Errorf("rows: has %s, and %s %s", pdk.Count(len(texts)-1, "text"), model.Short(box), pdk.Count(len(s.rows)-1, "row"))
	}
	at, next := s.LastColumn(), 1 // the column that the new one is beside
	if v, ok := a.Param("at"); ok {
		switch end, _ := pdk.OneOf(v, []string{"first", "last"}); end {
		case "first":
			at, next = 0, 0
		case "last":
		default:
			return pdk.Errorf("at:%s is neither first nor last; after: and before: name a column", v).Instead(v, "first", "last")
		}
	}
	for _, key := range []string{"after", "before"} {
		if title, ok := a.Param(key); ok {
			x := pdk.Must(s.column(c.Model, title))
			if at, next = x, 1; key == "before" {
				next = 0
			}
		}
	}
	d := c.Model.Draft()
	w := &writer{Stack: s, d: d, page: box.Page}
	width := 0.0
	for _, row := range s.rows {
		if cells := model.RowCells(row); at < len(cells) {
			width = max(width, cells[at].Geo.W)
		}
	}
	for i, row := range s.rows {
		cells := model.RowCells(row)
		if at >= len(cells) || cells[at] == row {
			continue
		}
		text := ""
		if i < len(texts) {
			text = texts[i]
		}
		r := cells[at].Geo
		r.X, r.W = r.X+float64(next)*r.W, width
		if w.before = cells[at]; next == 1 {
			w.before = cells[at].Next()
		}
		w.cell(row.ID, text, cells[at], cells[at].Style, r)
	}
	s.push(at+next, width)
	return w.commit(c, "add column "+a.Text(1)+" in "+model.Short(box), "column "+a.Text(1))
}

// push makes room for a column, or with a negative width closes what one leaves.
func (s *Stack) push(column int, width float64) {
	s.size.W += width
	for _, row := range s.rows {
		r := s.at(row)
		r.W += width
		s.now[row] = r
		for j, x := range model.RowCells(row) {
			if j >= column && x != row {
				r := s.at(x)
				r.X += width
				s.now[x] = r
			}
		}
	}
}

// column returns the number of the column that a title or a reference to one of its cells names.
func (s *Stack) column(f *file, ref string) (int, error) {
	titles := model.RowCells(s.rows[0])
	if hits, _ := pdk.NewIndex(titles, (*cell).Name).Find(ref, false); len(hits) == 1 {
		return slices.Index(titles, hits[0]), nil
	}
	if x, err := selector.Shape(f, ref, true); err == nil {
		if row := model.RowOf(x); row != nil && row.Owner() == s.box && x != row {
			return model.Column(x), nil
		}
	}
	names := pdk.Map(titles, func(x *cell) string { return pdk.Quote(x.Name()) })
	return 0, pdk.Errorf("%s has no column %q; it has %s", model.Short(s.box), ref, model.RowText(s.rows[0])).Instead(ref, names...)
}

// RemoveColumn runs `remove column TITLE in:TABLE`.
func RemoveColumn(c *ctx, a pdk.Args) error {
	box := pdk.Must(boxOf(c.Model, a, a.Text(1)))
	s := NewStack(box)
	if len(s.rows) == 0 {
		return pdk.Errorf("%s has no columns", model.Short(box))
	}
	at := pdk.Must(s.column(c.Model, a.Text(1)))
	if s.LastColumn() == 0 {
		return pdk.Errorf("%s is the only column of %s", a.Text(1), model.Short(box)).Tryf("remove %s", model.Reference(box))
	}
	d, gone, width := c.Model.Draft(), map[*cell]bool{}, 0.0
	var cells []*cell
	for _, row := range s.rows {
		if in := model.RowCells(row); at < len(in) && in[at] != row {
			if box.Page.Holds(in[at].ID) {
				return pdk.Errorf("%s holds shapes; move or remove them first", model.Short(in[at]))
			}
			cells, gone[in[at]], width = append(cells, in[at]), true, max(width, in[at].Geo.W)
		}
	}
	s.push(at+1, -width)
	grown := map[*cell]geom.Rect{}
	s.Draft(d, grown, gone)
	box.Page.Sort(cells)
	d.Remove(cells...)
	pdk.Check(edit.Commit(c, d, "remove column "+a.Text(1)+" of "+model.Short(box), "", box))
	c.Deleted("column %s of %s %s: %s", a.Text(1), model.Short(box), values.Box(box.Abs()), model.RowTexts(box))
	return nil
}
