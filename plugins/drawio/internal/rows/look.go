package rows

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/arranger"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/compound"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// writer drafts new rows in the look of those of a stack.
type writer struct {
	*Stack
	d      *mxfile.Draft
	page   *mxfile.Page
	parent string // id of the box that gets the rows
	before *cell  // the cell of the file that they go before, nil for the end of the page
	ids    []string

	heading bool // the next row holds the titles of columns
}

func (w *writer) put(id string, t mxfile.Text) {
	w.ids = append(w.ids, model.EventID(w.page.Key, id))
	if w.before == nil {
		w.d.Append(w.page, id, t)
		return
	}
	w.d.InsertBefore(w.before, id, t)
}

// cell drafts a cell in the look of another one.
func (w *writer) cell(parent, text string, like *cell, s style.Style, at geom.Rect) string {
	id := w.d.NewID()
	value, _ := like.Reworded(text)
	w.put(id, mxfile.NewVertex(id, value, s, parent, at))
	return id
}

// row drafts a row with a text for each of its cells.
func (w *writer) row(like *cell, texts []string, y float64) {
	at, own := w.at(like), ""
	at.Y = y
	cells := model.RowCells(like)
	key := keyColumn(w.rows)
	was, is := key >= 0 && isPrimary(cells[key].Name()), key >= 0 && isPrimary(texts[key])
	if slices.Contains(cells, like) {
		own = texts[len(texts)-1]
	}
	s := like.Style
	if _, ruled := s.Get("bottom"); was != is && ruled { // a line below the primary key
		s = s.Set("bottom", pdk.If(is, "1", "0"))
	}
	row := w.cell(w.parent, own, like, s, at)
	for i, x := range cells {
		if x == like {
			continue
		}
		s := x.Style
		switch {
		case w.isHeading(like) && !w.heading:
			s = withoutBold(s)
		case was && !is && i != key:
			s = s.Drop("fontStyle")
		case is && !was && i != key:
			s = s.Set("fontStyle", "5") // bold and underlined, as in draw.io's own tables
		}
		w.cell(row, texts[i], x, s, w.at(x))
	}
}

// line drafts a line between the fields and the methods of a class.
func (w *writer) line(y float64) {
	at := geom.Rect{Y: y, W: w.size.W, H: compound.Rule}
	s, all := compound.RuleStyle, w.rows
	for x := w.page.First(); x != nil; x = x.Next() {
		if x.Kind() == "class" {
			all = append(all, model.Rows(x)...)
		}
	}
	if i := slices.IndexFunc(all, model.IsDivider); i >= 0 {
		s, at.H = all[i].Style, all[i].Geo.H
	}
	id := w.d.NewID()
	w.put(id, mxfile.NewVertex(id, "", s, w.parent, at))
}

// fit makes the columns as wide as the texts of a new row need in the look of like.
func (s *Stack) fit(like *cell, texts []string) {
	for i, x := range model.RowCells(like) {
		if by := min(need(texts[i], x.Style), maxWide) - s.at(x).W; by > 0 {
			s.Widen(i, math.Ceil(by/10)*10)
		}
	}
}

// maxWide is the greatest width that a row gets for its text alone, in units.
const maxWide = 400

// need returns the width that a text needs in a style, in units.
func need(text string, s style.Style) float64 {
	size := 12.0
	if n, err := strconv.ParseFloat(model.StyleValue(s, "fontSize"), 64); err == nil && n > 0 {
		size = n
	}
	return math.Ceil(model.LabelWidth(text)*size/12 + 8)
}

// like returns the row that a new one at rows[i:] looks like, nil if there is none: of the rows between the same lines
// the most frequent look, of those with the same keys if the new row has any, and then the nearest above.
func (s *Stack) like(i int, keys string) *cell {
	low, high := i, i
	for low > 0 && !model.IsDivider(s.rows[low-1]) {
		low--
	}
	for high < len(s.rows) && !model.IsDivider(s.rows[high]) {
		high++
	}
	from := slices.Clone(s.rows[low:high])
	if low == high {
		from = slices.DeleteFunc(slices.Clone(s.rows), model.IsDivider)
	}
	if len(from) > 1 {
		from = slices.DeleteFunc(from, s.isHeading)
	}
	if key := keyColumn(s.rows); key >= 0 {
		same := slices.DeleteFunc(slices.Clone(from), func(r *cell) bool { return key >= len(model.RowCells(r)) || model.RowCells(r)[key].Name() != keys })
		if len(same) > 0 {
			from = same
		}
	}
	count := map[string]int{}
	for _, r := range from {
		count[appearance(r)]++
	}
	var best *cell
	distance := func(r *cell) int { // above before below
		if at := slices.Index(s.rows, r); at < i {
			return 2 * (i - 1 - at)
		} else {
			return 2*(at-i) + 1
		}
	}
	for _, r := range from {
		if best == nil || count[appearance(r)] > count[appearance(best)] || count[appearance(r)] == count[appearance(best)] && distance(r) < distance(best) {
			best = r
		}
	}
	return best
}

// appearance is equal for rows that look alike.
func appearance(row *cell) string {
	var b strings.Builder
	b.WriteString(string(row.Style))
	for _, x := range model.RowCells(row) {
		b.WriteString("\n" + string(x.Style))
	}
	return b.String()
}

// isHeading reports whether a row holds the titles of a table's columns.
func (s *Stack) isHeading(row *cell) bool {
	return s.box.Kind() == "table" && len(s.rows) > 0 && row == s.rows[0] && !slices.Contains(model.RowCells(row), row)
}

// withoutBold takes the bold out of a style.
func withoutBold(s style.Style) style.Style {
	if n, err := strconv.Atoi(model.StyleValue(s, "fontStyle")); err == nil && n&1 != 0 {
		return s.Set("fontStyle", strconv.Itoa(n&^1))
	}
	return s
}

// keyColumn returns the column in which rows have nothing but keys such as PK, -1 if there is none.
func keyColumn(rows []*cell) int {
	for i := range 2 {
		keys, empty := 0, 0
		for _, r := range rows {
			if cells := model.RowCells(r); i < len(cells) && len(cells) > 1 && (cells[i].Name() == "" || compound.IsKey(cells[i].Name())) {
				if keys++; cells[i].Name() == "" {
					empty++
				}
			}
		}
		if keys > 0 && keys == len(rows) && (empty < keys || rows[0].Owner().Kind() == "entity") {
			return i
		}
	}
	return -1
}

func isPrimary(keys string) bool { return strings.HasPrefix(keys, "PK") }

// place returns the cell of the file that new rows at rows[i:] go before, nil for the end of the page.
func (s *Stack) place(i int) *cell {
	if i < len(s.rows) {
		return s.rows[i]
	}
	all := slices.DeleteFunc(arranger.Subtree([]*cell{s.box}), func(x *cell) bool { return x.Edge })
	return all[len(all)-1].Next()
}

// texts divides the text of a row among the cells of rows like it.
func (s *Stack) texts(text string) ([]string, error) {
	n, like := 0, ""
	for _, r := range s.rows {
		if cells := len(model.RowCells(r)); cells >= n && !model.IsDivider(r) {
			n, like = cells, model.RowText(r)
		}
	}
	return compound.CellTexts(text, n, keyColumn(s.rows), model.Short(s.box), like)
}
