package judge

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// shapesFacts returns what is to be seen in an SVG file, however it is nested and transformed: the shapes in the order in which they are
// painted, with what they inherit, and with places in percent of the extent of the whole drawing. A tip is the point of a shape that is
// farthest from the middle of the drawing: its direction in degrees clockwise from 12, and its distance. The margin is what is between the
// drawing and the edges of the page, in percent of the drawing's width. Strokes have no width here, and texts no extent; rules of style
// sheets are not read.
//
//	page 200 x 100
//	margin left 5.0 top 5.0 right 5.0 bottom 5.0
//	path#hand look fill=#000 stroke=none
//	path#hand at 48.1 11.0 to 51.9 50.0
//	path#hand tip 120 39.0
//	text#t says "12"
func shapesFacts(data []byte) (facts []string, err error) {
	var root node
	if err := xml.Unmarshal(data, &root); err != nil {
		return nil, err
	}
	if root.XMLName.Local != "svg" {
		return nil, fmt.Errorf("it is a %s, not an svg", root.XMLName.Local)
	}
	page, _ := viewport(root)
	var d drawing
	d.walk(root, matrix{1, 0, 0, 1, 0, 0}, nil)
	all := extentOf(d.points())
	if math.IsInf(all.width, 0) || all.width <= 0 || all.height <= 0 {
		all = area{0, 0, 1, 1}
	}
	percent := func(v, of float64) string { return strconv.FormatFloat(math.Round(1000*v/of)/10+0, 'f', 1, 64) }
	facts = append(facts, fmt.Sprintf("page %.4g x %.4g", page.width, page.height))
	facts = append(facts, fmt.Sprintf("margin left %s top %s right %s bottom %s", percent(all.x-page.x, all.width), percent(all.y-page.y, all.width),
		percent(page.x+page.width-all.x-all.width, all.width), percent(page.y+page.height-all.y-all.height, all.width)))
	middle := point{all.x + all.width/2, all.y + all.height/2}
	for _, s := range d.shapes {
		facts = append(facts, s.name+" look "+s.look)
		if s.text != "" {
			facts = append(facts, fmt.Sprintf("%s says %q", s.name, s.text))
		}
		if len(s.points) == 0 {
			continue
		}
		e := extentOf(s.points)
		facts = append(facts, fmt.Sprintf("%s at %s %s to %s %s", s.name, percent(e.x-all.x, all.width), percent(e.y-all.y, all.height), percent(e.x+e.width-all.x, all.width), percent(e.y+e.height-all.y, all.height)))
		far := slices.MaxFunc(s.points, func(a, b point) int {
			return cmp.Compare(math.Hypot(a.x-middle.x, a.y-middle.y), math.Hypot(b.x-middle.x, b.y-middle.y))
		})
		angle := math.Mod(math.Round(math.Atan2(far.x-middle.x, middle.y-far.y)*180/math.Pi)+360, 360)
		facts = append(facts, fmt.Sprintf("%s tip %.0f %s", s.name, angle, percent(math.Hypot(far.x-middle.x, far.y-middle.y), all.width)))
	}
	return facts, nil
}

// drawing is the shapes of a drawing, in the order in which they are painted.
type drawing struct {
	shapes []shape
}

type shape struct {
	name, look, text string
	points           []point
}

func (d drawing) points() (list []point) {
	for _, s := range d.shapes {
		list = append(list, s.points...)
	}
	return list
}

func extentOf(list []point) area {
	low, high := point{math.Inf(1), math.Inf(1)}, point{math.Inf(-1), math.Inf(-1)}
	for _, p := range list {
		low = point{min(low.x, p.x), min(low.y, p.y)}
		high = point{max(high.x, p.x), max(high.y, p.y)}
	}
	return area{low.x, low.y, high.x - low.x, high.y - low.y}
}

// inherited are the properties that a look consists of. Those in own are not inherited.
var inherited, own = []string{"fill", "stroke", "stroke-width", "fill-opacity", "stroke-opacity", "stroke-dasharray", "font-size", "font-family", "font-weight", "text-anchor", "visibility"}, []string{"opacity", "display", "filter", "clip-path", "mask"}

// walk adds the shapes in an element. properties are what it inherits.
func (d *drawing) walk(n node, m matrix, properties map[string]string) {
	kind := n.XMLName.Local
	switch kind {
	case "svg", "g", "a", "switch", "rect", "image", "circle", "ellipse", "line", "polyline", "polygon", "path", "text", "tspan", "textPath", "use":
	default:
		return // not drawn, or drawn where it is used
	}
	now := map[string]string{}
	for _, k := range inherited {
		now[k] = properties[k]
	}
	for _, f := range attributes("", n.Attrs) { // presentation attributes precede entries of styles
		if k, v, _ := strings.Cut(strings.TrimPrefix(f, "style "), "="); v != "inherit" && (slices.Contains(inherited, k) || slices.Contains(own, k)) && (strings.HasPrefix(f, "style ") || !hasStyle(n, k)) {
			now[k] = v
		}
	}
	m = m.then(parseTransform(n.attr("transform")))
	if kind == "svg" {
		_, inner := viewport(n)
		m = m.then(inner)
	}
	if now["display"] == "none" {
		return
	}
	if points := outline(n); points != nil {
		s := shape{name: kind, text: strings.Join(strings.Fields(n.Text), " ")}
		if id := n.attr("id"); id != "" {
			s.name += "#" + id
		}
		for _, p := range points {
			s.points = append(s.points, m.apply(p))
		}
		if kind == "text" || kind == "tspan" {
			if n.attr("x") == "" {
				s.points = nil
			}
		}
		s.look = look(now)
		d.shapes = append(d.shapes, s)
	}
	for _, c := range n.Children {
		d.walk(c, m, now)
	}
}

func hasStyle(n node, property string) bool {
	return slices.ContainsFunc(attributes("", n.Attrs), func(f string) bool { return strings.HasPrefix(f, "style "+property+"=") })
}

// look returns the properties of a shape, without those that have their initial value.
func look(properties map[string]string) string {
	var list []string
	for _, k := range slices.Concat(inherited, own) {
		v := properties[k]
		if k == "fill" && v == "" {
			v = "#000000"
		}
		if k == "stroke" && v == "" {
			v = "none"
		}
		if f, err := strconv.ParseFloat(strings.TrimSuffix(v, "px"), 64); err == nil {
			if v = strconv.FormatFloat(f, 'g', -1, 64); strings.HasSuffix(k, "opacity") && f == 1 {
				continue
			}
		}
		if v != "" && (v != "none" || k == "fill" || k == "stroke") && !(k == "stroke-width" && properties["stroke"] == "") {
			list = append(list, k+"="+color(v))
		}
	}
	return strings.Join(list, " ")
}

// color writes colours of equal meaning alike: #abc and black.
func color(v string) string {
	switch {
	case v == "black":
		return "#000000"
	case v == "white":
		return "#ffffff"
	case hexColor.MatchString(v) && len(v) == 4:
		return strings.ToLower("#" + v[1:2] + v[1:2] + v[2:3] + v[2:3] + v[3:4] + v[3:4])
	}
	return v
}

// viewport returns the coordinates that an svg element shows, and how they are moved into the element around it.
func viewport(n node) (page area, m matrix) {
	unit := func(name string) float64 {
		text := n.attr(name)
		f, _ := strconv.ParseFloat(decimal.FindString(text), 64)
		for suffix, px := range map[string]float64{"mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96, "pt": 96. / 72, "pc": 16} {
			if strings.HasSuffix(text, suffix) {
				f *= px
			}
		}
		return f
	}
	width, height := unit("width"), unit("height")
	m = matrix{1, 0, 0, 1, unit("x"), unit("y")}
	v := numbers(n.attr("viewBox"))
	if len(v) < 4 || v[2] <= 0 || v[3] <= 0 {
		return area{0, 0, width, height}, m
	}
	if strings.HasSuffix(n.attr("width"), "%") || width <= 0 {
		width = v[2]
	}
	if strings.HasSuffix(n.attr("height"), "%") || height <= 0 {
		height = v[3] * width / v[2]
	}
	scale := min(width/v[2], height/v[3])
	m = m.then(matrix{scale, 0, 0, scale, (width - scale*v[2]) / 2, (height - scale*v[3]) / 2}).then(matrix{1, 0, 0, 1, -v[0], -v[1]})
	return area{0, 0, width, height}, m
}
