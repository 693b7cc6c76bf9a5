package rows

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/compound"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

// Like is the content of a new class, table or entity that looks like another one.
type Like struct {
	s     *Stack // of the other one, with columns as wide as the new texts need
	lines []line
}

// line is a new row in the look of an existing one; without texts it is the line between fields and methods.
type line struct {
	like  *cell
	texts []string
}

// ReadLike reads the rows that an op gives a box like another one: fields: and methods:, or cols: and rows:.
func ReadLike(a pdk.Args, box *cell) (*Like, error) {
	s := NewStack(box)
	l := &Like{s: s}
	for _, key := range []string{"lanes", "flow", "src", "marker", "tech", "description"} {
		if a.Has(key) {
			return nil, pdk.Errorf("%s: does not go with %s", key, box.Kind()).Try(a.Mended(pdk.Without(key)))
		}
	}
	fields, methods := compound.Items(a.String("rows", ""), false), compound.Items(a.String("methods", ""), false)
	if v, ok := a.Param("fields"); ok {
		fields = append(fields, compound.Items(v, !strings.ContainsAny(v, ";\n") && box.Kind() != "class")...)
	}
	if len(fields)+len(methods) == 0 {
		err := pdk.Errorf("like:%s gives the look; rows: gives the rows, such as rows:%s", model.Short(box), pdk.Quote(model.RowTexts(box)))
		return nil, err.Tryf("copy %s as:%s", model.Reference(box), pdk.Quote(a.Text(len(a.Positionals)-1)))
	}
	if len(s.rows) == 0 {
		return nil, pdk.Errorf("%s has no row that those of the new one could look like", model.Short(box))
	}
	if len(fields)+len(methods) > compound.MaxParts {
		return nil, pdk.Errorf("that is more than %d parts", compound.MaxParts)
	}
	if s.isHeading(s.rows[0]) {
		titles := a.String("cols", strings.ReplaceAll(model.RowText(s.rows[0]), ", ", ","))
		texts := compound.Items(titles, true)
		if n := len(model.RowCells(s.rows[0])); len(texts) != n {
			return nil, pdk.Errorf("cols: has %d titles, and %s %d", len(texts), model.Short(box), n)
		}
		l.lines = append(l.lines, line{s.rows[0], texts})
	}
	rule := slices.IndexFunc(s.rows, model.IsDivider)
	end := len(s.rows)
	if rule >= 0 {
		end = rule
	}
	if err := l.add(end, fields); err != nil {
		return nil, err
	}
	if rule >= 0 {
		l.lines = append(l.lines, line{like: s.rows[rule]})
	}
	if err := l.add(len(s.rows), methods); err != nil {
		return nil, err
	}
	return l, nil
}

// add adds rows that look like those above rows[i] of the other box.
func (l *Like) add(i int, texts []string) error {
	for _, text := range texts {
		cells, err := l.s.texts(text)
		if err != nil {
			return err
		}
		keys := ""
		if key := keyColumn(l.s.rows); key >= 0 {
			keys = cells[key]
		}
		like := l.s.like(i, keys)
		l.s.fit(like, cells)
		l.lines = append(l.lines, line{like, cells})
	}
	return nil
}

// Size returns the size that the new box needs, in units.
func (l *Like) Size() (w, h float64) {
	h = l.s.rows[0].Geo.Y
	for _, x := range l.lines {
		h += x.like.Geo.H
	}
	return l.s.size.W, h
}

// Build drafts the rows of a new box of the width w.
func (l *Like) Build(d *mxfile.Draft, page *mxfile.Page, box string, w float64) {
	if by := w - l.s.size.W; by > 0 {
		l.s.Widen(l.s.LastColumn(), by)
	}
	at := &writer{Stack: l.s, d: d, page: page, parent: box}
	y := l.s.rows[0].Geo.Y
	for i, x := range l.lines {
		at.heading = i == 0 && l.s.isHeading(x.like)
		if x.texts == nil {
			r := l.s.at(x.like)
			r.Y = y
			at.cell(box, "", x.like, x.like.Style, r)
		} else {
			at.row(x.like, x.texts, y)
		}
		y += x.like.Geo.H
	}
}
