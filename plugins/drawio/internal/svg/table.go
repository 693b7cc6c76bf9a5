package svg

import (
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

// grid returns the lines between the rows of a table and between the cells of each row. The table draws them, not its cells.
// The style can switch off either.
func grid(c *mxfile.Cell, l cellStyle) []piece {
	var out []piece
	rows := parts(c)
	for i, row := range rows {
		r := row.Geo
		if i+1 < len(rows) && l["rowLines"] != "0" {
			out = append(out, piece{d: path("M", r.X, r.Bottom(), "H", r.Right()), open: true})
		}
		if l["columnLines"] == "0" {
			continue
		}
		cells := parts(row)
		for j, k := range cells {
			if j+1 < len(cells) {
				out = append(out, piece{d: path("M", r.X+k.Geo.Right(), r.Y, "V", r.Bottom()), open: true})
			}
		}
	}
	return out
}

// parts returns the cells in a table or in one of its rows.
func parts(c *mxfile.Cell) []*mxfile.Cell {
	return pdk.Filter(c.Page.Children(c.ID), func(k *mxfile.Cell) bool { return k.Vertex && !k.Relative && !k.Badge })
}
