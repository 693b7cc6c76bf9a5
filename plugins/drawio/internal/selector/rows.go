package selector

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

// Row resolves the text of a row of a class, a table or an entity: that of one of its cells, or of all of them. exact
// allows whole texts only.
func Row(box *cell, text string, exact bool) (*cell, error) {
	rows := model.Rows(box)
	hits := rowsWith(rows, text, exact)
	switch {
	case len(hits) == 1:
		return hits[0], nil
	case len(hits) > 1:
		names := pdk.Map(hits, rowName)
		return nil, pdk.Errorf("%q is in %s of %s: %s", text, pdk.Count(len(hits), "row"), model.Short(box), strings.Join(names, ", ")).Instead(text, names...)
	}
	if len(rows) == 0 {
		return nil, pdk.Errorf("%s has no rows", model.Short(box))
	}
	names := pdk.Map(nearCells(box, text), func(x *cell) string { return pdk.Quote(x.Name()) })
	return nil, pdk.Errorf("%s has no row %q; it has %s", model.Short(box), text, model.RowTexts(box)).Instead(text, names...)
}

// nearCells returns the cells of a box whose texts are close to one.
func nearCells(box *cell, text string) (out []*cell) {
	for _, r := range model.Rows(box) {
		for _, x := range model.RowCells(r) {
			if len(pdk.Nearest(text, []string{x.Name()})) > 0 {
				out = append(out, x)
			}
		}
	}
	return out
}

// rowsWith returns the rows that a text names, in their order.
func rowsWith(rows []*cell, text string, exact bool) []*cell {
	var cells []*cell
	for _, r := range rows {
		cells = append(cells, model.RowCells(r)...)
	}
	found, level := pdk.NewIndex(cells, (*cell).Name).Find(text, exact)
	if level == pdk.MatchNone || level == pdk.MatchPrefix {
		plain := strings.NewReplacer(",", "", ";", "")
		whole, as := pdk.NewIndex(rows, func(r *cell) string { return plain.Replace(model.RowText(r)) }).Find(plain.Replace(text), exact)
		if as != pdk.MatchNone && (level == pdk.MatchNone || as != pdk.MatchPrefix) {
			return whole
		}
	}
	var out []*cell
	for _, x := range found {
		if r := model.RowOf(x); !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	return out
}

// rowName returns the first text of a row that names it in its box, or all of its text.
func rowName(row *cell) string {
	rows := model.Rows(row.Owner())
	for _, x := range slices.Backward(model.RowCells(row)) {
		if hits := rowsWith(rows, x.Name(), true); x.Name() != "" && len(hits) == 1 {
			return x.Name()
		}
	}
	return model.RowText(row)
}

// inBox resolves BOX/ROW and ROW/CELL, where the index of names knows no such label: a row by all of its text, and a
// cell of a row by its text, by the text at the top of its column, or by its number.
func inBox(f *file, ref string, exact bool) (*cell, error) {
	i := strings.LastIndexByte(ref, '/')
	if i <= 0 || i+1 == len(ref) {
		return nil, nil
	}
	x, err := Shape(f, ref[:i], exact)
	if err != nil {
		return nil, nil
	}
	if model.HasRows(x) {
		row, err := Row(x, ref[i+1:], exact)
		if err != nil {
			if near := nearCells(x, ref[i+1:]); len(near) > 0 {
				return nil, pdk.Errorf("%s", err.Error()).Instead(ref, model.References(near)...)
			}
			return nil, err
		}
		if cells := model.RowCells(row); len(cells) == 1 {
			return cells[0], nil
		}
		return row, nil
	}
	row := model.RowOf(x)
	if row == nil {
		return nil, nil
	}
	cells := model.RowCells(row)
	if n, err := strconv.Atoi(ref[i+1:]); err == nil && n >= 1 && n <= len(cells) {
		return cells[n-1], nil
	}
	for _, in := range [][]*cell{cells, model.RowCells(model.Rows(row.Owner())[0])} {
		if hits, _ := pdk.NewIndex(in, (*cell).Name).Find(ref[i+1:], true); len(hits) == 1 {
			if at := model.Column(hits[0]); at < len(cells) {
				return cells[at], nil
			}
		}
	}
	return nil, nil
}

// Page finds a page by its number or its name. exact allows full names only.
func Page(f *file, ref string, exact bool) (*mxfile.Page, error) {
	var names pdk.Index[*mxfile.Page]
	for _, p := range f.Pages {
		names.Put(p, p.Name, "page", "")
	}
	hits, level := names.Find(ref, exact)
	if level != pdk.MatchExact {
		if n, err := strconv.Atoi(ref); err == nil {
			if n < 1 || n > len(f.Pages) {
				return nil, pdk.Errorf("there is no page %d; the file has %d", n, len(f.Pages)).TryQuery("pages")
			}
			return f.Pages[n-1], nil
		}
	}
	switch len(hits) {
	case 1:
		return hits[0], nil
	case 0:
		err := pdk.Errorf("no page %q: %s", ref, pageNames(f))
		if near := nearNames(&names, ref); len(near) > 0 {
			return nil, err.Instead(ref, near...)
		}
		return nil, err.TryQuery("pages")
	}
	numbers := pdk.Map(hits, func(h *mxfile.Page) string { return strconv.Itoa(f.Number(h)) })
	return nil, pdk.Errorf("page %q is ambiguous; give its number: %s", ref, strings.Join(numbers, ", ")).Instead(ref, numbers...)
}

// nearNames returns names to suggest for one that is not found: the longer names that begin
// with it, or else the nearest ones.
func nearNames[E comparable](names *pdk.Index[E], ref string) (out []string) {
	hits, level := names.Find(ref, false)
	if level == pdk.MatchNone {
		return names.Nearest(ref)
	}
	for _, h := range hits[:min(3, len(hits))] {
		out = append(out, names.Name(h))
	}
	return out
}

func pageNames(f *file) string {
	var out []string
	for i, p := range f.Pages {
		if i == 12 {
			out = append(out, "…")
			break
		}
		out = append(out, model.PageTitle(f, p))
	}
	return strings.Join(out, ", ")
}

// Layer finds a layer by its name or by its number from the lowest, 1. exact allows full
// names only.
func Layer(p *mxfile.Page, ref string, exact bool) (*cell, error) {
	var names pdk.Index[*cell]
	layers := p.Layers()
	for _, l := range layers {
		names.Put(l, model.LayerLabel(l), "layer", "")
	}
	hits, level := names.Find(ref, exact)
	if level != pdk.MatchExact {
		if n, err := strconv.Atoi(ref); err == nil && n >= 1 && n <= len(layers) {
			return layers[n-1], nil
		}
	}
	all := pdk.Map(layers, model.LayerTitle)
	switch len(hits) {
	case 1:
		return hits[0], nil
	case 0:
		err := pdk.Errorf("no layer %q; there are: %s", ref, strings.Join(all, ", "))
		if near := nearNames(&names, ref); len(near) > 0 {
			return nil, err.Instead(ref, near...)
		}
		return nil, err.TryQuery("layers")
	}
	return nil, pdk.Errorf("layer %q is ambiguous; give its number: %s", ref, strings.Join(all, ", "))
}
