package arranger

import (
	"testing"

	"github.com/fcp-host/fcp-host/pdk/geom"
)

// A layout with keep:true routes edges again that run along the border of a group.
func TestALineAlongABorderIsFound(t *testing.T) {
	frames := []geom.Rect{{X: 100, Y: 100, W: 200, H: 100}}
	for _, c := range []struct {
		along bool
		route []geom.Point
	}{
		{true, []geom.Point{{X: 0, Y: 103}, {X: 250, Y: 103}}},
		{true, []geom.Point{{X: 298, Y: 0}, {X: 298, Y: 150}}},
		{false, []geom.Point{{X: 0, Y: 150}, {X: 400, Y: 150}}},
		{false, []geom.Point{{X: 0, Y: 100}, {X: 90, Y: 100}, {X: 90, Y: 300}}},
	} {
		if got := alongBorder(c.route, frames); got != c.along {
			t.Errorf("%v: %v", c.route, got)
		}
	}
}
