// Package outline knows the shapes of draw.io: what each is drawn of, and where
// edges end at it. Pictures, the routes of edges and the ports that layouts give
// them take it from here, so that a line that is meant to touch a shape does.
//
// # Notes
//
// draw.io ends an edge at the shape's perimeter, which is a style's own key:
// mostly the box, also around shapes that fill their box only in part, such as
// cylinders and clouds. Perimeter is that; Shape is what is drawn.
package outline

import (
	"maps"
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// Shape is what a shape is drawn of.
type Shape struct {
	Outline Path   // closed, filled; nil for a shape that is lines only
	Parts   []Path // closed, filled, drawn over the outline
	Lines   []Path // drawn over both, never filled
	Dashed  Path   // a line that is dashed unless the look has lifelineDashed=0
	Loose   bool   // the outline does not enclose what is drawn: edges end at the perimeter
	Known   bool   // the drawing is the shape's own, no box in its place
}

// kind is a shape to be drawn in a box of w by h at 0,0.
type kind struct {
	style.Map
	name string
	w, h float64
}

// Of is what the shape of that look is drawn of in a box of w by h at 0,0, as it
// is before its direction, its rotation and its flips turn it.
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
		return Shape{Lines: []Path{Box(0, 0, w, h, 0)}, Loose: true, Known: true}
	}
	return Shape{Outline: Box(0, 0, w, h, min(6, min(w, h)/6)), Loose: true}
}

// Around is the line that edges touch at a shape that lies in r, in straight
// pieces, turned and flipped as draw.io shows it but for its rotation. It may
// have several parts. It is nil for a shape that edges end at the perimeter of.
func Around(l style.Map, r geom.Rect) [][]geom.Point {
	w, h := extent(l, r)
	s := Of(l, w, h)
	if centered := l["perimeter"]; s.Loose || s.Outline == nil || centered == "centerPerimeter" || centered == "none" {
		return nil
	}
	out := s.Outline.Lines()
	for _, p := range s.Parts {
		out = append(out, p.Lines()...)
	}
	return place(out, l, r)
}

// Perimeter is the closed line that draw.io ends edges at, in the same way, and
// the point that they aim at. The line is that point where they end in it.
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

// extent is the size of a shape's box before its direction turns it.
func extent(l style.Map, r geom.Rect) (w, h float64) {
	if Turn(l) == 90 || Turn(l) == 270 {
		return r.H, r.W
	}
	return r.W, r.H
}

// Turn is by how many degrees a look's direction turns a shape.
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

// Seen is where a port of a shape in r lies on the page, but for the shape's
// rotation. An edge's style has the port in fractions of the box (exitX, exitY)
// and by units off that (exitDx, exitDy), both turned with the shape's direction.
// Fixed ports, which do not go to the perimeter, are flipped with the shape, too.
func Seen(l style.Map, r geom.Rect, port, by geom.Point, fixed bool) geom.Point {
	w, h, turn := r.W, r.H, 0.0
	if l["anchorPointDirection"] != "0" {
		turn = Turn(l)
		w, h = extent(l, r)
	}
	return put(geom.Point{X: port.X*w + by.X, Y: port.Y*h + by.Y}, r, turn, fixed && l.On("flipH"), fixed && l.On("flipV"))
}

// Port is what an edge's style has to say for a port that is seen at a fraction
// of the box and by units off that: the inverse of Seen.
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

// place moves what is drawn at 0,0 to where it lies on the page, in place.
func place(parts [][]geom.Point, l style.Map, r geom.Rect) [][]geom.Point {
	turn, flipH, flipV := Turn(l), l.On("flipH"), l.On("flipV")
	for _, part := range parts {
		for i, p := range part {
			part[i] = put(p, r, turn, flipH, flipV)
		}
	}
	return parts
}

// put is where a point of a shape lies on the page when the shape is turned to
// fill r, and then flipped.
func put(p geom.Point, r geom.Rect, turn float64, flipH, flipV bool) geom.Point {
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

// Meet is the first place where the way from a to b crosses a line.
func Meet(a, b geom.Point, line []geom.Point) (geom.Point, bool) {
	best := math.Inf(1)
	crossings(a, b, line, func(t float64) {
		if t <= 1 {
			best = min(best, t)
		}
	})
	return geom.Point{X: a.X + (b.X-a.X)*best, Y: a.Y + (b.Y-a.Y)*best}, best <= 1
}

// Touch is the place nearest to b where the way from a through b, and on,
// crosses one of lines.
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

// On reports whether a point lies on one of lines, to half a unit.
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

// crossings hands on where the way from a through b crosses a line: 0 is at a,
// 1 at b, more beyond.
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
