package picture

import (
	"math"
	"strings"
)

// painter draws documents on a canvas.
type painter struct {
	canvas *canvas
	faces  *faces
	pixels int // of images that were decoded
}

// size is the document's own, in pixels.
func (d *document) size() (w, h float64) {
	box := numbers(d.root.attr("viewBox"), 4)
	if len(box) < 4 || box[2] <= 0 || box[3] <= 0 {
		box = []float64{0, 0, 0, 0}
	}
	w, h = number(d.root.attr("width"), box[2], 0), number(d.root.attr("height"), box[3], 0)
	switch {
	case w <= 0 && h <= 0:
		w, h = box[2], box[3]
	case w <= 0 && box[3] > 0:
		w = h * box[2] / box[3]
	case h <= 0 && box[2] > 0:
		h = w * box[3] / box[2]
	}
	if w <= 0 {
		w = 300
	}
	if h <= 0 {
		h = 150
	}
	return max(w, 0.01), max(h, 0.01)
}

// document draws a document into a box of the coordinates of m.
func (p *painter) document(d *document, m matrix, into rect, depth int) {
	w, h := d.size()
	v := &visit{painter: p, doc: d, images: depth}
	v.viewport(d.root, firstStyle().of(d, d.root), m, into, w, h, 0)
}

// visit draws the elements of one document.
type visit struct {
	*painter
	doc    *document
	images int // how many documents this one is an image in
	uses   int // how many use elements were followed
}

// viewport draws the inside of an svg element into a box; w and h are its own
// size.
func (v *visit) viewport(n *node, s style, m matrix, into rect, w, h float64, depth int) {
	box := numbers(n.attr("viewBox"), 4)
	if len(box) < 4 || box[2] <= 0 || box[3] <= 0 {
		box = []float64{0, 0, w, h}
	}
	was := v.canvas.raster.clip
	v.clip(m.bounds(into))
	defer func() { v.canvas.raster.clip = was }()
	m = m.times(placed(rect{box[0], box[1], box[0] + box[2], box[1] + box[3]}, into, n.attr("preserveAspectRatio")))
	v.group(n, s, m, rect{box[0], box[1], box[0] + box[2], box[1] + box[3]}, depth)
}

// clip makes the part of the canvas smaller that is painted on.
func (v *visit) clip(to rect) {
	c := v.canvas.raster.clip.cut(rect{math.Floor(to.x0 + 1e-6), math.Floor(to.y0 + 1e-6), math.Ceil(to.x1 - 1e-6), math.Ceil(to.y1 - 1e-6)})
	if c.x1 < c.x0 || c.y1 < c.y0 {
		c = rect{}
	}
	v.canvas.raster.clip = c
}

// placed maps a box into another as preserveAspectRatio says.
func placed(from, to rect, keep string) matrix {
	sx, sy := (to.x1-to.x0)/(from.x1-from.x0), (to.y1-to.y0)/(from.y1-from.y0)
	if !strings.Contains(keep, "none") {
		if strings.Contains(keep, "slice") {
			sx = max(sx, sy)
		} else {
			sx = min(sx, sy)
		}
		sy = sx
	}
	dx, dy := (to.x1-to.x0)-(from.x1-from.x0)*sx, (to.y1-to.y0)-(from.y1-from.y0)*sy
	fx, fy := 0.5, 0.5
	switch {
	case strings.Contains(keep, "xMin"):
		fx = 0
	case strings.Contains(keep, "xMax"):
		fx = 1
	}
	switch {
	case strings.Contains(keep, "YMin"):
		fy = 0
	case strings.Contains(keep, "YMax"):
		fy = 1
	}
	return matrix{sx, 0, 0, sy, to.x0 + dx*fx - from.x0*sx, to.y0 + dy*fy - from.y0*sy}
}

// group draws the kids of an element.
func (v *visit) group(n *node, s style, m matrix, view rect, depth int) {
	if s.gone || depth > maxDepth || v.canvas.work < 0 {
		return
	}
	layered := s.opacity < 1 && len(v.canvas.layers) <= deepest
	if layered {
		v.canvas.push()
		defer v.canvas.pop(s.opacity)
	}
	for _, k := range n.kids {
		if k.name == "" {
			continue
		}
		if v.canvas.work < 0 {
			break
		}
		own := s.of(v.doc, k)
		if s.opacity < 1 && !layered {
			own.opacity *= s.opacity
		}
		v.element(k, own, m, view, depth+1)
		if n.name == "switch" {
			break
		}
	}
}

// element draws an element; view is the viewport's box, of which percentages are
// meant.
func (v *visit) element(n *node, s style, m matrix, view rect, depth int) {
	if s.gone {
		return
	}
	if s.move != "" {
		m = m.times(transform(s.move))
	}
	wide, high := view.x1-view.x0, view.y1-view.y0
	x := func(key string) float64 { return number(n.attr(key), wide, 0) }
	y := func(key string) float64 { return number(n.attr(key), high, 0) }
	shape := newPath(m.scale())
	switch n.name {
	case "g", "a", "switch":
		v.group(n, s, m, view, depth)
		return
	case "svg":
		w, h := number(n.attr("width"), wide, wide), number(n.attr("height"), high, high)
		if w > 0 && h > 0 {
			v.viewport(n, s, m, rect{x("x"), y("y"), x("x") + w, y("y") + h}, w, h, depth)
		}
		return
	case "use":
		if of := v.doc.ids[strings.TrimPrefix(n.attr("href"), "#")]; of != nil && v.uses < 10_000 {
			v.uses++
			m = m.times(matrix{1, 0, 0, 1, x("x"), y("y")})
			if of.name == "symbol" {
				v.group(of, s.of(v.doc, of), m, view, depth+1)
			} else if depth < 50 { // a use may hold itself
				v.group(&node{name: "g", kids: []*node{of}}, s, m, view, depth+5)
			}
		}
		return
	case "image":
		if !s.hidden {
			v.image(n, s, m, rect{x("x"), y("y"), x("x") + x("width"), y("y") + y("height")})
		}
		return
	case "text":
		v.layered(&s, func() { v.text(n, s, m) })
		return
	case "rect":
		w, h := x("width"), y("height")
		if w <= 0 || h <= 0 {
			return
		}
		rx, ry := number(n.attr("rx"), wide, -1), number(n.attr("ry"), high, -1)
		if rx < 0 {
			rx = max(ry, 0)
		}
		if ry < 0 {
			ry = rx
		}
		shape.rect(x("x"), y("y"), w, h, rx, ry)
	case "circle":
		if r := x("r"); r > 0 {
			shape.ellipse(x("cx"), y("cy"), r, r)
		}
	case "ellipse":
		if rx, ry := x("rx"), y("ry"); rx > 0 && ry > 0 {
			shape.ellipse(x("cx"), y("cy"), rx, ry)
		}
	case "line":
		shape.move(point{x("x1"), y("y1")})
		shape.line(point{x("x2"), y("y2")})
		s.fill = paint{}
	case "polyline", "polygon":
		list := numbers(n.attr("points"), 100_000)
		for i := 0; i+1 < len(list); i += 2 {
			if i == 0 {
				shape.move(point{list[0], list[1]})
			} else {
				shape.line(point{list[i], list[i+1]})
			}
		}
		if n.name == "polygon" {
			shape.close()
		}
	case "path":
		shape.data(n.attr("d"))
	default:
		return
	}
	if !s.hidden {
		v.layered(&s, func() { v.paint(shape, &s, m) })
	}
}

// layered draws with the element's opacity: on a layer of its own where a fill
// and a line overlap, else with the opacity in the colour.
func (v *visit) layered(s *style, draw func()) {
	if s.opacity < 1 && s.fill.seen() && s.stroke.seen() && len(v.canvas.layers) <= deepest {
		v.canvas.push()
		o := s.opacity
		s.opacity = 1
		draw()
		v.canvas.pop(o)
		return
	}
	s.fillOpacity *= s.opacity
	s.strokeOpacity *= s.opacity
	draw()
}

func (p paint) seen() bool { return p.some || p.gradient != "" }
