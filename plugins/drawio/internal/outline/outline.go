// Package outline contains the shapes of draw.io: how each is drawn, and where edges end. Pictures, the routes of edges and
// the ports set by layouts all use it, so that lines meet the shapes that they should touch.
//
// # Notes
//
// draw.io ends an edge at the shape's perimeter, which has a style key of its own. It is usually the box, even for shapes
// that do not fill their box, such as cylinders and clouds. Perimeter returns the perimeter; Shape is the drawing.
package outline

import (
	"maps"
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// Shape is the drawing of a shape.
type Shape struct {
	Outline        Path   // closed, filled; nil for a shape that consists of lines only
	Parts          []Path // closed, filled, drawn over the outline
	Lines          []Path // drawn over both, never filled
	Dashed         Path   // a line that is dashed unless the style has lifelineDashed=0
	EndAtPerimeter bool   // edges end at the perimeter, since the outline does not enclose what is drawn
	Known          bool   // the shape is known; otherwise a box is drawn instead
}

// kind is a shape with its resolved style, to be drawn in a box of w by h at 0,0.
type kind struct {
	style.Map
	name string
	w, h float64
}

// Of draws the shape of a style in a box of w by h at 0,0, before its direction, rotation and flips are applied.
func Of(l style.Map, w, h float64) Shape {
	k := kind{l, l["shape"], w, h}
	if plain, ok := aliases[strings.TrimPrefix(k.name, "mxgraph.")]; ok {
		k.name = plain
	}
	draw, ok := table[k.name]
	switch {
	case ok:
		s := draw(k)
		s.Known = true
		if who, ok := l["participant"]; ok && k.name == "umlLifeline" && who != k.name {
			look := maps.Clone(l)
			look["shape"] = who
			head := Of(look, w, max(0, min(h, l.Num("size", 40))))
			s.Outline, s.Parts, s.Lines = head.Outline, head.Parts, head.Lines
		}
		return s
	case strings.HasPrefix(k.name, "mxgraph.floorplan.wall"), strings.HasPrefix(k.name, "mxgraph.floorplan.room"):
		return Shape{Lines: []Path{Box(0, 0, w, h, 0)}, EndAtPerimeter: true, Known: true}
	}
	return Shape{Outline: Box(0, 0, w, h, min(6, min(w, h)/6)), EndAtPerimeter: true}
}

// Around returns the outline that edges touch for a shape in r, as polylines, with its direction and flips but not its
// rotation applied. It may have several parts. It is nil for a shape whose edges end at the perimeter.
func Around(l style.Map, r geom.Rect) [][]geom.Point {
	w, h := extent(l, r)
	s := Of(l, w, h)
	if centered := l["perimeter"]; s.EndAtPerimeter || s.Outline == nil || centered == "centerPerimeter" || centered == "none" {
		return nil
	}
	out := s.Outline.Lines()
	for _, p := range s.Parts {
		out = append(out, p.Lines()...)
	}
	return place(out, l, r)
}

// Perimeter returns the closed line at which draw.io ends edges, transformed like Around, and the point that edges aim at.
// The line consists of that point alone for shapes whose edges end there.
func Perimeter(l style.Map, r geom.Rect) (line []geom.Point, aim geom.Point) {
	w, h := extent(l, r)
	k := kind{l, "", w, h}
	p := Box(0, 0, w, h, 0)
	switch l["perimeter"] {
	case "ellipsePerimeter":
		p = Ellipse(0, 0, w, h)
	case "rhombusPerimeter":
		p = diamond(0, 0, w, h)
	case "trianglePerimeter":
		p = polygon(0, 0, w, h/2, 0, h)
	case "hexagonPerimeter", "hexagonPerimeter2":
		p = k.hexagon(0)
	case "parallelogramPerimeter":
		p = k.parallelogram(0)
	case "trapezoidPerimeter":
		p = k.trapezoid(0)
	case "stepPerimeter":
		p = k.step(0)
	case "calloutPerimeter": // without the tail
		h -= k.tail()
		p = Box(0, 0, w, h, 0)
	case "centerPerimeter", "none":
		return []geom.Point{r.Center(), r.Center()}, r.Center()
	}
	parts := place(append(p.Lines(), []geom.Point{{X: w / 2, Y: h / 2}}), l, r)
	return parts[0], parts[1][0]
}

// extent returns the size of a shape's box before its direction turns it.
func extent(l style.Map, r geom.Rect) (w, h float64) {
	if Turn(l) == 90 || Turn(l) == 270 {
		return r.H, r.W
	}
	return r.W, r.H
}

// Turn returns the angle in degrees by which the direction of a style turns a shape.
func Turn(l style.Map) float64 {
	switch l["direction"] {
	case "south":
		return 90
	case "west":
		return 180
	case "north":
		return 270
	}
	return 0
}

// Seen returns the position on the page of a port of a shape in r, before the shape's rotation. The style of an edge gives a
// port in fractions of the box (exitX, exitY) and an offset (exitDx, exitDy), both turned with the shape's direction.
// Fixed ports, which are not moved to the perimeter, are flipped with the shape, too.
func Seen(l style.Map, r geom.Rect, port, by geom.Point, fixed bool) geom.Point {
	w, h, turn := r.W, r.H, 0.0
	if l["anchorPointDirection"] != "0" {
		turn = Turn(l)
		w, h = extent(l, r)
	}
	return toPage(geom.Point{X: port.X*w + by.X, Y: port.Y*h + by.Y}, r, turn, fixed && l.On("flipH"), fixed && l.On("flipV"))
}

// Port is the inverse of Seen: it returns the fractions and the offset in an edge's style for a port that appears at a
// fraction of the box with an offset.
func Port(l style.Map, seen, by geom.Point, fixed bool) (port, off geom.Point) {
	if fixed && l.On("flipH") {
		seen.X, by.X = 1-seen.X, -by.X
	}
	if fixed && l.On("flipV") {
		seen.Y, by.Y = 1-seen.Y, -by.Y
	}
	if l["anchorPointDirection"] == "0" {
		return seen, by
	}
	switch Turn(l) {
	case 90:
		return geom.Point{X: seen.Y, Y: 1 - seen.X}, geom.Point{X: by.Y, Y: -by.X}
	case 180:
		return geom.Point{X: 1 - seen.X, Y: 1 - seen.Y}, geom.Point{X: -by.X, Y: -by.Y}
	case 270:
		return geom.Point{X: 1 - seen.Y, Y: seen.X}, geom.Point{X: -by.Y, Y: by.X}
	}
	return seen, by
}

// place transforms points drawn at 0,0 to the page, in place.
func place(parts [][]geom.Point, l style.Map, r geom.Rect) [][]geom.Point {
	turn, flipH, flipV := Turn(l), l.On("flipH"), l.On("flipV")
	for _, part := range parts {
		for i, p := range part {
			part[i] = toPage(p, r, turn, flipH, flipV)
		}
	}
	return parts
}

// toPage returns the position on the page of a point of a shape that is turned to fill r, and then flipped.
func toPage(p geom.Point, r geom.Rect, turn float64, flipH, flipV bool) geom.Point {
	switch turn {
	case 90:
		p = geom.Point{X: r.W - p.Y, Y: p.X}
	case 180:
		p = geom.Point{X: r.W - p.X, Y: r.H - p.Y}
	case 270:
		p = geom.Point{X: p.Y, Y: r.H - p.X}
	}
	if flipH {
		p.X = r.W - p.X
	}
	if flipV {
		p.Y = r.H - p.Y
	}
	return geom.Point{X: r.X + p.X, Y: r.Y + p.Y}
}

// Meet returns the first point where the segment from a to b crosses a line.
func Meet(a, b geom.Point, line []geom.Point) (geom.Point, bool) {
	best := math.Inf(1)
	crossings(a, b, line, func(t float64) {
		if t <= 1 {
			best = min(best, t)
		}
	})
	return geom.Point{X: a.X + (b.X-a.X)*best, Y: a.Y + (b.Y-a.Y)*best}, best <= 1
}

// Touch returns the point closest to b where the ray from a through b crosses one of lines.
func Touch(a, b geom.Point, lines [][]geom.Point) (geom.Point, bool) {
	best := math.Inf(1)
	for _, line := range lines {
		crossings(a, b, line, func(t float64) {
			if math.Abs(t-1) < math.Abs(best-1) {
				best = t
			}
		})
	}
	return geom.Point{X: a.X + (b.X-a.X)*best, Y: a.Y + (b.Y-a.Y)*best}, !math.IsInf(best, 1)
}

// On reports whether a point lies within half a unit of one of lines.
func On(p geom.Point, lines [][]geom.Point) bool {
	for _, line := range lines {
		for i := 1; i < len(line); i++ {
			a, b := line[i-1], line[i]
			dx, dy := b.X-a.X, b.Y-a.Y
			t := 0.0
			if long := dx*dx + dy*dy; long > 0 {
				t = min(1, max(0, ((p.X-a.X)*dx+(p.Y-a.Y)*dy)/long))
			}
			if math.Hypot(p.X-a.X-dx*t, p.Y-a.Y-dy*t) <= 0.5 {
				return true
			}
		}
	}
	return false
}

// crossings calls at for each point where the ray from a through b crosses a line, with its position: 0 at a, 1 at b,
// above 1 beyond b.
func crossings(a, b geom.Point, line []geom.Point, at func(t float64)) {
	dx, dy := b.X-a.X, b.Y-a.Y
	for i := 1; i < len(line); i++ {
		p, q := line[i-1], line[i]
		sx, sy := q.X-p.X, q.Y-p.Y
		d := dx*sy - dy*sx
		if d == 0 {
			continue
		}
		t := ((p.X-a.X)*sy - (p.Y-a.Y)*sx) / d
		u := ((p.X-a.X)*dy - (p.Y-a.Y)*dx) / d
		if t >= 0 && u >= -1e-9 && u <= 1+1e-9 {
			at(t)
		}
	}
}
