// Package rows adds, moves and removes the rows and columns of existing classes, tables and entities, whoever drew them.
package rows

import (
	"slices"
	"strconv"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/placement"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

type (
	file = mxfile.File
	cell = mxfile.Cell
	ctx  = pdk.Ctx[*mxfile.File]
)

// Stack drafts new places for the rows of a box and the size that it then has.
type Stack struct {
	box  *cell
	rows []*cell // from top to bottom
	now  map[*cell]geom.Rect
	size geom.Rect // of the box
	end  float64   // where the last row ends
}

// NewStack returns the rows of a box as they are.
func NewStack(box *cell) *Stack {
	s := &Stack{box: box, rows: model.Rows(box), now: map[*cell]geom.Rect{}, size: box.Geo, end: model.StartSize(box)}
	for _, r := range s.rows {
		s.end = max(s.end, r.Geo.Bottom())
	}
	return s
}

// at returns the place that a row or a cell of one gets.
func (s *Stack) at(x *cell) geom.Rect {
	if r, ok := s.now[x]; ok {
		return r
	}
	return x.Geo
}

// shift moves the end of the box, and rows[i:] with it.
func (s *Stack) shift(i int, by float64) {
	for _, r := range s.rows[i:] {
		to := s.at(r)
		to.Y += by
		s.now[r] = to
	}
	s.end += by
	if s.size.H += by; s.box.Kind() != "class" || s.box.Style.Is("resizeParent", "1") { // draw.io keeps such boxes as high as their rows
		s.size.H = s.end
		if n, err := strconv.ParseFloat(model.StyleValue(s.box.Style, "marginBottom"), 64); err == nil && s.box.Kind() == "class" {
			s.size.H += n
		}
	}
}

// open makes room for a row above rows[i] and returns where it is.
func (s *Stack) open(i int, h float64) float64 {
	y := s.end
	if i < len(s.rows) {
		y = s.at(s.rows[i]).Y
	}
	s.shift(i, h)
	return y
}

// Close takes a row out; those below it move up.
func (s *Stack) Close(row *cell) {
	i := slices.Index(s.rows, row)
	h := s.at(row).H
	s.rows = slices.Delete(s.rows, i, i+1)
	delete(s.now, row)
	s.shift(i, -h)
}

// Widen makes a column wider, by a negative width narrower, and the box with it.
func (s *Stack) Widen(column int, by float64) {
	s.size.W += by
	for _, row := range s.rows {
		r := s.at(row)
		r.W += by
		s.now[row] = r
		for j, x := range model.RowCells(row) {
			if x == row || j < column {
				continue
			}
			if r = s.at(x); j == column {
				r.W += by
			} else {
				r.X += by
			}
			s.now[x] = r
		}
	}
}

// LastColumn returns the number of the last column that a row has, counted from 0.
func (s *Stack) LastColumn() int {
	n := 0
	for _, row := range s.rows {
		n = max(n, len(model.RowCells(row))-1)
	}
	return n
}

// Draft drafts the places of the rows and the size of the box, and makes what holds the box large enough.
func (s *Stack) Draft(d *mxfile.Draft, grown map[*cell]geom.Rect, gone map[*cell]bool) {
	for _, row := range s.rows {
		for _, x := range append(model.RowCells(row), row) {
			if to, ok := s.now[x]; ok && to != x.Geo && !gone[x] {
				d.Change(x, func(t mxfile.Text) mxfile.Text { return t.WithGeo(to) })
			}
		}
	}
	if size := s.size; size != s.box.Geo {
		d.Change(s.box, func(t mxfile.Text) mxfile.Text { return t.WithGeo(size) })
		grown[s.box] = size
		if o := s.box.Owner(); o != nil && model.Expands(o) && !s.box.Relative {
			placement.Fit(d, grown, o, size)
		}
	}
}

// Resize drafts new widths of the rows of a box that gets another width: their last column takes the difference, unless
// it would get too narrow.
func Resize(d *mxfile.Draft, box *cell, width float64) {
	s := NewStack(box)
	by, last := width-box.Geo.W, s.LastColumn()
	for _, row := range s.rows {
		if cells := model.RowCells(row); last < len(cells) && cells[last].Geo.W+by < values.MinSize {
			return
		}
	}
	s.Widen(last, by)
	s.size = box.Geo
	s.Draft(d, nil, nil)
}
