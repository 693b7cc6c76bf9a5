package arranger

import (
	"math"

	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/outline"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/placement"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// form describes the part of a shape's look that ports depend on.
type form struct {
	look    style.Map
	outline [][]geom.Point // in fractions of the size, nil if edges end at the box
	face    float64        // share of its sides that edges can end on
}

// likeness is what shapes of the same form have in common.
type likeness struct {
	style style.Style
	w, h  float64
}

// form returns the form of x. It remembers forms, since most shapes of a page look alike.
func (l *arranger) form(x *cell) *form {
	key := likeness{x.Style, math.Max(1, x.Geo.W), math.Max(1, x.Geo.H)}
	k := l.looks[key]
	if k == nil {
		k = newForm(key)
		if l.looks == nil {
			l.looks = map[likeness]*form{}
		}
		l.looks[key] = k
	}
	return k
}

// newForm reads a form from a style. It ignores the corners that rounded=1 cuts off; they
// are too small to matter.
func newForm(as likeness) *form {
	k := &form{look: as.style.Resolve("")}
	delete(k.look, "rounded")
	k.outline = outline.Around(k.look, geom.Rect{W: as.w, H: as.h})
	for _, part := range k.outline {
		for i, p := range part {
			part[i] = geom.Point{X: p.X / as.w, Y: p.Y / as.h}
		}
	}
	k.face = face(k.outline)
	return k
}

// fixPort fixes the port at which an edge meets a shape. at is a position on a side of the
// box. On a slanted or round outline the port is where the edge's last piece, vertical or
// horizontal, meets the outline; otherwise draw.io would turn the edge towards the middle
// of the shape. Under a shape with a label below it the port is below the label.
func (l *arranger) fixPort(s style.Style, which string, x *cell, at geom.Point) style.Style {
	k := l.form(x)
	below := at.Y == 1 && placement.LabelHangs(x)
	depth := 0.0
	if !below {
		depth = inset(k.outline, at)
	}
	switch {
	case at.Y == 0:
		at.Y = depth
	case at.Y == 1:
		at.Y = 1 - depth
	case at.X == 0:
		at.X = depth
	default:
		at.X = 1 - depth
	}
	fixed := below || depth > 0 || k.slanted() && at.X != 0.5 && at.Y != 0.5
	by := geom.Point{}
	if below {
		by.Y = placement.LabelHang(x)
	}
	at, by = outline.Port(k.look, at, by, fixed)
	s = style.Port(s, which, RoundPort(at.X), RoundPort(at.Y))
	if below {
		s = s.Set(which+"Dx", mxfile.Num(by.X)).Set(which+"Dy", mxfile.Num(by.Y))
	}
	if fixed {
		s = s.Set(which+"Perimeter", "0")
	}
	return s
}

// BelowLabel moves an edge's port at the bottom of a shape below the label that hangs
// there.
func BelowLabel(s style.Style, which string, x *cell) style.Style {
	return s.Set(which+"Dx", "0").Set(which+"Dy", mxfile.Num(placement.LabelHang(x))).Set(which+"Perimeter", "0")
}

// ThroughLabel reports whether a route that begins at a shape runs through the label below
// the shape.
func ThroughLabel(x *cell, way []geom.Point) bool {
	if x == nil || !placement.LabelHangs(x) || len(way) < 2 {
		return false
	}
	r := x.Abs()
	return way[1].Y > way[0].Y+1 && way[0].Y > r.Center().Y && math.Abs(way[0].X-r.Center().X) <= model.TextWidth(x.Label())/2
}

// RoundPort rounds the fraction of a port to four digits, which on a side of up to 5,000
// units is off by at most a quarter of a unit.
func RoundPort(f float64) float64 { return math.Round(f*1e4) / 1e4 }

// slanted reports whether draw.io turns the ports of a shape towards its middle.
func (k *form) slanted() bool {
	p, ok := k.look["perimeter"]
	return ok && p != "rectanglePerimeter"
}

// inset returns how far the outline lies inside the box at a position on a side. Both are
// fractions of the size.
func inset(outline [][]geom.Point, at geom.Point) float64 {
	upright := at.Y == 0 || at.Y == 1
	deepest := math.Inf(1)
	for _, part := range outline {
		for i := 1; i < len(part); i++ {
			a, b := part[i-1], part[i]
			// f is the position across the edge's line, d the depth behind the side.
			fa, fb, da, db, f := a.X, b.X, math.Abs(a.Y-at.Y), math.Abs(b.Y-at.Y), at.X
			if !upright {
				fa, fb, da, db, f = a.Y, b.Y, math.Abs(a.X-at.X), math.Abs(b.X-at.X), at.Y
			}
			switch {
			case f < math.Min(fa, fb) || f > math.Max(fa, fb):
			case fa == fb:
				deepest = math.Min(deepest, math.Min(da, db))
			default:
				deepest = math.Min(deepest, da+(db-da)*(f-fa)/(fb-fa))
			}
		}
	}
	if math.IsInf(deepest, 1) {
		return 0
	}
	return RoundPort(math.Max(0, deepest))
}

// face returns the share of a shape's sides that edges can end on. Where the outline slopes
// away towards the corners, an edge would meet it from another side.
func face(outline [][]geom.Point) float64 {
	if outline == nil {
		return 1
	}
	for half := 0.5; half > 0.1; half -= 0.05 {
		lo, hi := 0.5-half, 0.5+half
		worst := 0.0
		for _, at := range polygon(lo, 0, hi, 0, lo, 1, hi, 1, 0, lo, 0, hi, 1, lo, 1, hi) {
			worst = math.Max(worst, inset(outline, at))
		}
		if worst <= 0.9*lo {
			return 2 * half
		}
	}
	return 0.2
}

func polygon(xy ...float64) []geom.Point {
	out := make([]geom.Point, 0, len(xy)/2)
	for i := 0; i+1 < len(xy); i += 2 {
		out = append(out, geom.Point{X: xy[i], Y: xy[i+1]})
	}
	return out
}
