package svg

import (
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

// Place is the position of a cell in the picture of its page.
type Place struct {
	Cell *mxfile.Cell
	geom.Rect
}

// PageAndPlaces draws a page and lists where its cells are, the topmost last: edges, then shapes, each shape before the
// shapes inside it.
func PageAndPlaces(p *mxfile.Page, o Options) (picture string, places []Place) {
	s := newScene(p)
	s.all()
	picture, _ = s.picture(o)
	var edges, shapes []Place
	var visit func(c *mxfile.Cell)
	visit = func(c *mxfile.Cell) {
		if f := s.frames[c]; f != nil && c.Shape() {
			shapes = append(shapes, Place{c, f.Rect})
		}
		if route := s.routes[c]; len(route) > 0 {
			low, high := route[0], route[0]
			for _, at := range route {
				low, high = geom.Point{X: min(low.X, at.X), Y: min(low.Y, at.Y)}, geom.Point{X: max(high.X, at.X), Y: max(high.Y, at.Y)}
			}
			edges = append(edges, Place{c, geom.Rect{X: low.X, Y: low.Y, W: high.X - low.X, H: high.Y - low.Y}.Grow(4)})
		}
		s.each(c, visit)
	}
	if root := p.Root(); root != nil && root.ID != "" {
		s.each(root, visit)
	}
	return picture, append(edges, shapes...)
}
