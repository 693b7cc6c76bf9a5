package arranger

import (
	"math"

	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/svg"
)

// endPlace is how a label lies beside the end of a line.
type endPlace struct {
	align, vertical string
	offset          geom.Point
}

// headRoom is the distance of a label from the end of a line with a head.
const headRoom = 10

// placeAtEnd returns the place of a label at an end that the line leaves towards another point: above a level line, to the right of an
// upright one, and beyond the head.
func placeAtEnd(end, towards geom.Point, headed bool) endPlace {
	room := 0.0
	if headed {
		room = headRoom
	}
	dx, dy := towards.X-end.X, towards.Y-end.Y
	switch {
	case math.Abs(dx) >= math.Abs(dy) && dx >= 0:
		return endPlace{"left", "bottom", geom.Point{X: room}}
	case math.Abs(dx) >= math.Abs(dy):
		return endPlace{"right", "bottom", geom.Point{X: -room}}
	case dy > 0:
		return endPlace{"left", "top", geom.Point{Y: room}}
	}
	return endPlace{"left", "bottom", geom.Point{Y: -room}}
}

// isPlaced reports whether a label lies as placeAtEnd places labels, so that nobody has moved it.
func isPlaced(k *cell) bool {
	if !model.IsEndLabel(k) {
		return false
	}
	for _, towards := range []geom.Point{{X: 1}, {X: -1}, {Y: 1}, {Y: -1}} {
		for _, headed := range []bool{true, false} {
			if p := placeAtEnd(geom.Point{}, towards, headed); k.Style.Is("align", p.align) && k.Style.Is("verticalAlign", p.vertical) && k.Offset == p.offset {
				return true
			}
		}
	}
	return false
}

// NewEndLabel returns the text of a new label cell at an end of an edge. SettleEnds places it.
func NewEndLabel(id, text, edge string, target bool) mxfile.Text {
	x := -1.0
	if target {
		x = 1
	}
	const look = style.Style("edgeLabel;resizable=0;html=1;align=left;verticalAlign=bottom;")
	return mxfile.NewVertex(id, mxfile.LabelValue(text, true), look, edge, geom.Rect{X: x}).WithAttr("connectable", "0").Fasten(geom.Point{})
}

// SettleEnds places the labels at the ends of edges beside their lines as they are drawn, except those that somebody moved.
func SettleEnds(c *ctx, lines []*cell) error {
	var routes map[*cell][]geom.Point
	d := c.Model.Draft()
	for _, e := range lines {
		e = e.Page.Cell(e.Key)
		if e == nil || !e.Edge {
			continue
		}
		labels := model.LabelsOf(e)
		for _, target := range []bool{false, true} {
			k := labels.End(target)
			if !isPlaced(k) {
				continue
			}
			if routes == nil {
				routes = svg.Routes(e.Page)
			}
			way, head := routes[e], "startArrow"
			if len(way) < 2 {
				continue
			}
			end, towards := way[0], way[1]
			if target {
				end, towards, head = way[len(way)-1], way[len(way)-2], "endArrow"
			}
			v, ok := e.Style.Get(head)
			p := placeAtEnd(end, towards, ok && v != "none" || !ok && target)
			d.Change(k, func(t mxfile.Text) mxfile.Text {
				if s := k.Style.Set("align", p.align).Set("verticalAlign", p.vertical); s != k.Style {
					t = t.WithStyle(s)
				}
				return t.WithOffset(p.offset)
			})
		}
	}
	return d.Do(c, "place labels beside lines")
}
