package svg

import (
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

// Place is where a cell is on its page's picture.
type Place struct {
	Cell *mxfile.Cell
	geom.Rect
}

// Places are where the cells of a page are, what lies on top last: edges, then shapes, with what is within a shape behind it.
func Places(p *mxfile.Page) []Place {
	s := newScene(p)
	s.all()
	var edges, shapes []Place
	var visit func(c *mxfile.Cell)
	visit = func(c *mxfile.Cell) {
		if f := s.frames[c]; f != nil && c.Shape() {
			shapes = append(shapes, Place{c, f.Rect})
		}
		if way := s.routes[c]; len(way) > 0 {
			r := geom.Rect{X: way[0].X, Y: way[0].Y}
			for _, at := range way[1:] {
				r = r.Union(geom.Rect{X: at.X, Y: at.Y})
			}
			edges = append(edges, Place{c, r.Grow(4)})
		}
		s.each(c, visit)
	}
	if root := p.Root(); root != nil && root.ID != "" {
		s.each(root, visit)
	}
	return append(edges, shapes...)
}
