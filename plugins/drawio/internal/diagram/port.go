package diagram

import (
	"math"

	"github.com/fcp-host/fcp-host/plugins/drawio/internal/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// fixPort fixes where an edge meets a shape. On a slanted or round outline
// that is where the edge's last piece, upright or level, meets the outline;
// draw.io by itself would turn the port towards the shape's middle.
func fixPort(s style.Style, which string, x *cell, at geom.Point) style.Style {
	upright := at.Y == 0 || at.Y == 1
	f, side := at.Y, at.X
	if upright {
		f, side = at.X, at.Y
	}
	depth := 0.0 // of the outline below the bounding box's side, at f
	switch k := x.Kind(); {
	case f == 0.5:
	case k == "decision":
		depth = math.Abs(f - 0.5)
	case k == "circle" || x.Style.Bare("ellipse"):
		depth = 0.5 - math.Sqrt(math.Max(0, 0.25-(f-0.5)*(f-0.5)))
	case k == "triangle" && x.Style.Is("direction", "north") && upright && side == 0:
		depth = 2 * math.Abs(f-0.5)
	}
	if depth > 0 {
		depth = math.Round(depth*1000) / 1000
		if side == 1 {
			side -= depth
		} else {
			side += depth
		}
		s = s.Set(which+"Perimeter", "0")
	}
	if upright {
		return style.Port(s, which, f, side)
	}
	return style.Port(s, which, side, f)
}
