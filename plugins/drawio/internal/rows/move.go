package rows

import (
	"slices"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/arranger"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/edit"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

// Move runs `move ROW after:|before:ROW` and `move ROW to:first|last`.
func Move(c *ctx, a pdk.Args, row *cell) error {
	box := row.Owner()
	for _, kv := range a.Params {
		if !slices.Contains([]string{"after", "before", "to", "in"}, kv.Key) {
			return pdk.Errorf("%s is a row of %s, which places its rows: use after:ROW, before:ROW, to:first or to:last, not %s:", model.Short(row), model.Short(box), kv.Key)
		}
	}
	if a.Has("in") {
		if to, err := Box(c.Model, a); err != nil || to != box {
			return pdk.Errorf("a row moves within its box; add it to the other one and remove it from %s", model.Short(box)).
				Tryf("add row %s in:%s", pdk.Quote(model.RowText(row)), pdk.Quote(a.String("in", "")))
		}
	}
	place := a
	if v, ok := a.Param("to"); ok {
		place = a.With(pdk.Without("to"), pdk.WithParam("at", v))
	}
	s := NewStack(box)
	i := pdk.Must(s.placeOf(c.Model, place, "row"))
	from := slices.Index(s.rows, row)
	if i == from || i == from+1 {
		return pdk.Unchanged("%s is already there: %s", model.RowText(row), model.RowTexts(box))
	}
	before, y := s.place(i), s.rows[0].Geo.Y
	if s.rows = slices.Delete(s.rows, from, from+1); i > from {
		i--
	}
	s.rows = slices.Insert(s.rows, i, row)
	for _, r := range s.rows {
		s.now[r] = geom.Rect{X: r.Geo.X, Y: y, W: r.Geo.W, H: r.Geo.H}
		y += r.Geo.H
	}
	d := c.Model.Draft()
	s.Draft(d, map[*cell]geom.Rect{}, nil)
	all := arranger.Subtree([]*cell{row})
	for before != nil && slices.Contains(all, before) {
		before = before.Next()
	}
	d.Reorder(all, before)
	pdk.Check(edit.Commit(c, d, "move "+model.RowText(row)+" in "+model.Short(box), "", row))
	edit.Report(c, []*cell{row}, "row %s in %s: %s", model.RowText(row), model.Short(box), model.RowTexts(box))
	return nil
}

// Relabel drafts a new text of a shape; that of a row that holds cells is the text of each. It returns the cells whose
// labels lose formats of parts.
func Relabel(d *mxfile.Draft, x *cell, text string) (lost []*cell, err error) {
	cells, texts := []*cell{x}, []string{text}
	if model.RowOf(x) == x && !slices.Contains(model.RowCells(x), x) {
		cells = model.RowCells(x)
		texts = pdk.Must(NewStack(x.Owner()).texts(text))
	}
	for i := range min(len(cells), len(texts)) {
		if edit.Relabel(d, cells[i], texts[i]) {
			lost = append(lost, cells[i])
		}
	}
	return lost, nil
}

// Help returns the lines of the help on rows.
func Help() []string {
	return []string{
		`rows of an existing box: add row "int stock" in:Product · add field "born: Date" in:Person after:Name · add method "pay()" in:Person (below the dividing line) · place: after:ROW, before:ROW, at:first|last · cells are separated by commas, or by blanks if there are as many words · several rows: "a; b"`,
		`TABLE/ROW names a row or a cell wherever a REF is taken: label Customer/email mail · the first cell of that row: label Customer/email/1 text · by column: label Plans/Pro/Price 39 · a whole row: label "Product/int stock" "bigint, stock"`,
		`columns: add column Seats in:Plans after:Plan rows:"1; 5" · remove column Seats in:Plans · a new one like an existing one: add table Payment like:Purchase rows:"int id; date day"`,
	}
}
