package svg_test

import (
	"fmt"
	"html"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/svg"
)

// looks returns styles of shapes that edges end at: every type that add makes, and
// every perimeter and outline of draw.io with the keys that change it.
func looks() []string {
	var out []string
	for _, s := range style.Shapes() {
		out = append(out, string(s.Style))
	}
	out = append(out,
		"ellipse;", "rhombus;", "triangle;", "shape=doubleEllipse;perimeter=ellipsePerimeter;",
		"shape=hexagon;perimeter=hexagonPerimeter2;", "shape=hexagon;perimeter=hexagonPerimeter2;size=0.4;", "shape=hexagon;perimeter=hexagonPerimeter2;fixedSize=1;size=30;",
		"shape=parallelogram;perimeter=parallelogramPerimeter;", "shape=parallelogram;perimeter=parallelogramPerimeter;size=0.3;", "shape=parallelogram;perimeter=parallelogramPerimeter;fixedSize=1;size=40;",
		"shape=trapezoid;perimeter=trapezoidPerimeter;", "shape=trapezoid;perimeter=trapezoidPerimeter;fixedSize=1;size=25;",
		"shape=step;perimeter=stepPerimeter;", "shape=step;perimeter=stepPerimeter;fixedSize=1;size=15;",
		"shape=callout;perimeter=calloutPerimeter;", "shape=callout;perimeter=calloutPerimeter;size=20;position=0.2;position2=0.9;base=30;",
		"shape=cylinder3;size=12;", "shape=cylinder;", "shape=datastore;", "shape=note;size=20;", "shape=card;size=18;", "shape=cube;size=12;", "shape=folder;", "shape=folder;tabPosition=left;tabWidth=40;",
		"shape=document;", "shape=document;size=0.2;", "shape=tape;", "shape=dataStorage;", "shape=dataStorage;fixedSize=1;size=10;", "shape=delay;", "shape=display;",
		"shape=manualInput;size=15;", "shape=loopLimit;size=15;", "shape=offPageConnector;", "shape=or;", "shape=xor;", "shape=cross;", "shape=cross;size=0.5;", "shape=singleArrow;", "shape=doubleArrow;",
		"shape=actor;", "shape=module;jettyWidth=8;jettyHeight=4;", "shape=component;", "ellipse;shape=cloud;", "shape=cloud;",
		"shape=mxgraph.basic.star;", "shape=mxgraph.basic.4_point_star;", "shape=mxgraph.basic.6_point_star;", "shape=mxgraph.basic.8_point_star;", "shape=mxgraph.basic.pentagon;", "shape=mxgraph.basic.octagon;",
		"rounded=1;arcSize=40;", "rounded=1;absoluteArcSize=1;arcSize=30;", "rhombus;rounded=1;", "rhombus;double=1;", "shape=hexagon;perimeter=hexagonPerimeter2;rounded=1;",
		"shape=umlEntity;", "shape=orEllipse;perimeter=ellipsePerimeter;", "shape=internalStorage;", "shape=message;", "shape=ext;double=1;",
	)
	for _, turned := range []string{"shape=parallelogram;perimeter=parallelogramPerimeter;", "shape=trapezoid;perimeter=trapezoidPerimeter;", "shape=step;perimeter=stepPerimeter;", "triangle;",
		"shape=hexagon;perimeter=hexagonPerimeter2;", "shape=callout;perimeter=calloutPerimeter;", "shape=cylinder3;", "shape=note;", "shape=document;", "shape=card;"} {
		for _, key := range []string{"direction=south;", "direction=west;", "direction=north;", "flipH=1;", "flipV=1;direction=south;", "rotation=30;", "rotation=90;direction=north;flipH=1;"} {
			if strings.Contains(turned, "callout") && strings.Contains(key, "north;flipH") {
				continue // draw.io flips that perimeter twice
			}
			out = append(out, turned+key)
		}
	}
	return out
}

// endsAtBox reports whether edges end at the box: of shapes whose lines enclose
// nothing, and of texts and pictures, which have no outline.
func endsAtBox(s style.Style) bool {
	return s.Is("shape", "umlActor") || s.Is("shape", "umlFrame") || s.Bare("text") || s.Is("shape", "image") || s.Is("shape", "mxgraph.c4.person2")
}

// box is the shape in the middle; around returns 16 places around it.
var box = geom.Rect{X: 300, Y: 300, W: 120, H: 80}

func around() []geom.Point {
	var out []geom.Point
	for i := range 16 {
		sin, cos := math.Sincos(2*math.Pi*float64(i)/16 + 0.01)
		out = append(out, geom.Point{X: math.Round(360 + 250*cos), Y: math.Round(340 + 250*sin)})
	}
	return out
}

// star returns a shape with an edge from each of the places, in cells of draw.io.
func star(look, edge string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<mxCell id="v" style="%s" vertex="1" parent="1"><mxGeometry x="%g" y="%g" width="%g" height="%g" as="geometry"/></mxCell>`, html.EscapeString(look), box.X, box.Y, box.W, box.H)
	for i, p := range around() {
		fmt.Fprintf(&b, `<mxCell id="e%d" style="%sendArrow=none;" edge="1" parent="1" target="v"><mxGeometry relative="1" as="geometry"><mxPoint x="%g" y="%g" as="sourcePoint"/></mxGeometry></mxCell>`, i, edge, p.X, p.Y)
	}
	return b.String()
}

// ends returns the points at which the edges of a star end, in the order of around.
func ends(t *testing.T, p *mxfile.Page) []geom.Point {
	t.Helper()
	routes := svg.Routes(p)
	var out []geom.Point
	for i := range around() {
		points := routes[p.Cell(fmt.Sprintf("e%d", i))]
		if len(points) < 2 {
			t.Fatalf("edge %d is not drawn", i)
		}
		out = append(out, points[len(points)-1])
	}
	return out
}

func TestEdgesEndOnTheOutlineOfTheirShape(t *testing.T) {
	for _, look := range looks() {
		for _, edge := range []string{"", "edgeStyle=orthogonalEdgeStyle;", "edgeStyle=orthogonalEdgeStyle;entryX=0.3;entryY=0;", "edgeStyle=orthogonalEdgeStyle;entryX=1;entryY=0.4;"} {
			p := page(t, star(look, edge))
			lines := [][]geom.Point{{{X: box.X, Y: box.Y}, {X: box.Right(), Y: box.Y}, {X: box.Right(), Y: box.Bottom()}, {X: box.X, Y: box.Bottom()}, {X: box.X, Y: box.Y}}}
			if !endsAtBox(style.Style(look)) {
				lines = shapeLines(t, svg.Page(p, svg.Options{}))
			}
			for i, end := range ends(t, p) {
				if d := off(end, lines); d > 1 {
					t.Errorf("%s: edge %q from %v ends at %.1f,%.1f, %.1f beside the shape", look, edge, around()[i], end.X, end.Y, d)
					break
				}
			}
		}
	}
}

// off returns the distance of a point from lines.
func off(p geom.Point, lines [][]geom.Point) float64 {
	best := math.Inf(1)
	for _, line := range lines {
		for i := 1; i < len(line); i++ {
			a, b := line[i-1], line[i]
			dx, dy := b.X-a.X, b.Y-a.Y
			t := 0.0
			if long := dx*dx + dy*dy; long > 0 {
				t = min(1, max(0, ((p.X-a.X)*dx+(p.Y-a.Y)*dy)/long))
			}
			best = min(best, math.Hypot(p.X-a.X-dx*t, p.Y-a.Y-dy*t))
		}
	}
	return best
}

var (
	group  = regexp.MustCompile(`<g transform="([^"]*)"[^>]*>((?:<path [^>]*/>)*)`)
	paths  = regexp.MustCompile(`<path d="([^"]*)"`)
	tokens = regexp.MustCompile(`[A-Za-z]+|-?[0-9.]+`)
)

// shapeLines reads the lines of the first shape from a picture.
func shapeLines(t *testing.T, picture string) [][]geom.Point {
	t.Helper()
	m := group.FindStringSubmatch(picture)
	if m == nil {
		t.Fatalf("no shape in %s", picture)
	}
	var out [][]geom.Point
	for _, d := range paths.FindAllStringSubmatch(m[2], -1) {
		for _, line := range sampled(d[1]) {
			for i := range line {
				line[i] = transformed(line[i], m[1])
			}
			out = append(out, line)
		}
	}
	return out
}

// transformed applies a transform to a point.
func transformed(p geom.Point, transform string) geom.Point {
	word := tokens.FindAllString(transform, -1)
	for i := len(word) - 1; i >= 0; i-- {
		num := func(k int) float64 { v, _ := strconv.ParseFloat(word[i+k], 64); return v }
		switch word[i] {
		case "translate":
			p = geom.Point{X: p.X + num(1), Y: p.Y + num(2)}
		case "scale":
			p = geom.Point{X: p.X * num(1), Y: p.Y * num(2)}
		case "rotate":
			sin, cos := math.Sincos(num(1) * math.Pi / 180)
			p = geom.Point{X: p.X*cos - p.Y*sin, Y: p.X*sin + p.Y*cos}
		}
	}
	return p
}

// sampled returns many points of an SVG path. Its arcs must be clockwise and at most
// half an ellipse.
func sampled(d string) [][]geom.Point {
	var out [][]geom.Point
	var line []geom.Point
	word := tokens.FindAllString(d, -1)
	op := byte(0)
	for i := 0; i < len(word); {
		if c := word[i][0]; c >= 'A' && c <= 'Z' {
			op = c
			i++
		}
		num := func() float64 { v, _ := strconv.ParseFloat(word[i], 64); i++; return v }
		point := func() geom.Point { x := num(); return geom.Point{X: x, Y: num()} }
		var a geom.Point
		if len(line) > 0 {
			a = line[len(line)-1]
		}
		curve := func(at func(u, v float64) geom.Point) {
			for k := 1; k <= 200; k++ {
				v := float64(k) / 200
				line = append(line, at(1-v, v))
			}
		}
		switch op {
		case 'M':
			if len(line) > 1 {
				out = append(out, line)
			}
			line = []geom.Point{point()}
		case 'L':
			line = append(line, point())
		case 'H':
			line = append(line, geom.Point{X: num(), Y: a.Y})
		case 'V':
			line = append(line, geom.Point{X: a.X, Y: num()})
		case 'Q':
			b, c := point(), point()
			curve(func(u, v float64) geom.Point {
				return geom.Point{X: u*u*a.X + 2*u*v*b.X + v*v*c.X, Y: u*u*a.Y + 2*u*v*b.Y + v*v*c.Y}
			})
		case 'C':
			b, c, e := point(), point(), point()
			curve(func(u, v float64) geom.Point {
				return geom.Point{X: u*u*u*a.X + 3*u*u*v*b.X + 3*u*v*v*c.X + v*v*v*e.X, Y: u*u*u*a.Y + 3*u*u*v*b.Y + 3*u*v*v*c.Y + v*v*v*e.Y}
			})
		case 'A':
			r := point()
			i += 3
			e := point()
			// On the unit circle: half the chord, and the middle to its right.
			hx, hy := (e.X-a.X)/r.X/2, (e.Y-a.Y)/r.Y/2
			rise := math.Sqrt(max(0, 1-hx*hx-hy*hy)) / math.Hypot(hx, hy)
			cx, cy := (a.X+e.X)/r.X/2-hy*rise, (a.Y+e.Y)/r.Y/2+hx*rise
			from, sweep := math.Atan2(a.Y/r.Y-cy, a.X/r.X-cx), 2*math.Asin(min(1, math.Hypot(hx, hy)))
			curve(func(_, v float64) geom.Point {
				sin, cos := math.Sincos(from + v*sweep)
				return geom.Point{X: (cx + cos) * r.X, Y: (cy + sin) * r.Y}
			})
		case 'Z':
			line = append(line, line[0])
		}
	}
	return append(out, line)
}
