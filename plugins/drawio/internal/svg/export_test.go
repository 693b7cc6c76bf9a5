package svg

import (
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

// Drawn holds the positions of the cells of a page in its drawing, by their
// ids.
type Drawn struct {
	Boxes, Labels map[string]geom.Rect
	Routes        map[string][]geom.Point
}

// Draw draws a page and returns the positions of everything.
func Draw(p *mxfile.Page) Drawn {
	s := newScene(p)
	s.all()
	d := Drawn{Boxes: map[string]geom.Rect{}, Labels: map[string]geom.Rect{}, Routes: map[string][]geom.Point{}}
	for c, f := range s.frames {
		d.Boxes[c.ID] = f.Rect
	}
	for c, r := range s.labels {
		d.Labels[c.ID] = r
	}
	for c, r := range s.plain {
		d.Routes[c.ID] = r
	}
	return d
}
