package model

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

// HasRows reports whether x is a class, a table or an entity: a box of rows.
func HasRows(x *cell) bool { return IsCompound(x) && x.Kind() != "participant" }

// Rows returns the rows of a class, a table or an entity from top to bottom, with the lines that divide them.
func Rows(box *cell) []*cell {
	return sortedParts(box, func(a, b *cell) int { return cmp.Compare(a.Geo.Y, b.Geo.Y) })
}

// RowCells returns the cells that show the texts of a row, from left to right: those in it, and the row itself if it
// holds none or has a text of its own.
func RowCells(row *cell) []*cell {
	out := sortedParts(row, func(a, b *cell) int { return cmp.Compare(a.Geo.X, b.Geo.X) })
	if len(out) == 0 || row.Label() != "" {
		out = append(out, row)
	}
	return out
}

func sortedParts(x *cell, compare func(a, b *cell) int) []*cell {
	if x.ID == "" {
		return nil
	}
	out := pdk.Filter(x.Page.Children(x.ID), func(k *cell) bool { return k.Vertex && !k.Relative })
	slices.SortStableFunc(out, compare)
	return out
}

// RowOf returns the row that c is or lies in, nil if it is in none.
func RowOf(c *cell) *cell {
	for n := 0; c != nil && n < 100; n++ {
		o := c.Owner()
		if o != nil && HasRows(o) && c.Vertex && !c.Relative {
			return c
		}
		c = o
	}
	return nil
}

// WholeRow returns the row that is meant with c: that which c is, or which c is a cell of. It is nil if cells of the row
// hold shapes, for then each is a place of its own.
func WholeRow(c *cell) *cell {
	row := RowOf(c)
	if row == nil || c == row {
		return row
	}
	for _, x := range RowCells(row) {
		if x != row && (c.Owner() != row || c.Page.Holds(x.ID)) {
			return nil
		}
	}
	return row
}

// IsDivider reports whether a row is a line between rows.
func IsDivider(row *cell) bool { return row.Kind() == "line" || row.Style.Bare("line") }

// RowText prints a row: the texts of its cells, as rows: takes them.
func RowText(row *cell) string {
	if IsDivider(row) {
		return "--"
	}
	var texts []string
	for _, x := range RowCells(row) {
		if x.Name() != "" {
			texts = append(texts, values.OneLine(x.Name()))
		}
	}
	if len(texts) == 0 {
		return "(empty)"
	}
	return strings.Join(texts, ", ")
}

// maxRows is the greatest number of rows that a list prints.
const maxRows = 40

// RowTexts prints the rows of a class, a table or an entity, "" if it has none.
func RowTexts(box *cell) string {
	var out []string
	rows := Rows(box)
	for i, r := range rows {
		if i == maxRows {
			out = append(out, "… "+pdk.Count(len(rows)-i, "more row"))
			break
		}
		out = append(out, RowText(r))
	}
	return strings.Join(out, "; ")
}

// IsFolded reports whether lists show c with its class, table or entity: a row, or a cell of one that holds nothing.
func IsFolded(c *cell) bool {
	row := RowOf(c)
	return row != nil && (c == row || c.Owner() == row && !c.Page.Holds(c.ID))
}

// Column returns the place of a cell in its row, counted from 0.
func Column(c *cell) int { return slices.Index(RowCells(RowOf(c)), c) }
