package outline

import (
	"math"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

func TestEveryKnownShapeStaysInItsBox(t *testing.T) {
	for name := range table {
		for _, keys := range []string{"", "size=-5;", "size=1e5;", "fixedSize=1;size=1e5;", "rounded=1;arcSize=300;", "tabWidth=1e4;tabHeight=1e4;", "position=7;position2=-7;base=1e5;", "participant=umlLifeline;", "participant=umlActor;size=20;"} {
			for _, box := range []geom.Rect{{W: 120, H: 80}, {W: 3, H: 90}, {W: 0, H: 0}} {
				l := style.Style("shape=" + name + ";" + keys).Resolve("")
				for _, part := range Around(l, box) {
					for _, p := range part {
						if !(p.X >= -0.5 && p.X <= box.W+0.5 && p.Y >= -0.5 && p.Y <= box.H+0.5) {
							t.Fatalf("%s %s in %gx%g: %v lies outside", name, keys, box.W, box.H, p)
						}
					}
				}
			}
		}
	}
}

func TestCurvesAreFollowedClosely(t *testing.T) {
	for _, line := range Ellipse(0, 0, 300, 200).Lines() {
		for i := 1; i < len(line); i++ {
			x, y := (line[i-1].X+line[i].X)/2-150, (line[i-1].Y+line[i].Y)/2-100
			if r := math.Hypot(x/150, y/100); r > 1.001 || r < 0.998 {
				t.Errorf("the piece to %v is at %.4f of the radius", line[i], r)
			}
		}
	}
	if lines := Box(0, 0, 40, 20, 0).Lines(); len(lines) != 1 || len(lines[0]) != 5 {
		t.Errorf("a box is %v", lines)
	}
}

func TestPortIsTheInverseOfSeen(t *testing.T) {
	r := geom.Rect{X: 10, Y: 20, W: 120, H: 80}
	for _, keys := range []string{"", "direction=south;", "direction=west;", "direction=north;", "direction=south;flipH=1;", "flipV=1;", "direction=north;anchorPointDirection=0;"} {
		for _, fixed := range []bool{true, false} {
			l := style.Style(keys).Resolve("")
			port, off := Port(l, geom.Point{X: 0.25, Y: 1}, geom.Point{X: 3, Y: 7}, fixed)
			if got := Seen(l, r, port, off, fixed); math.Hypot(got.X-43, got.Y-107) > 1e-9 {
				t.Errorf("%q: seen at %v", keys, got)
			}
		}
	}
}
