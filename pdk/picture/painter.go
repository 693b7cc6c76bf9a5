package picture

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/fcp-host/fcp-host/pdk/csscolor"
	"github.com/fcp-host/fcp-host/pdk/svgdom"
)

// painter draws documents on a canvas.
type painter struct {
	canvas   *canvas
	faces    *faces
	pixels   int             // pixels of decoded images
	notDrawn map[string]bool // features that were not drawn
	*filtering
}

// filtering reads and runs filters. It is referenced by pointers, so that programs that draw without filters do not
// contain their code; nil draws without filters.
type filtering struct {
	read func(v *visit, s *style) (steps []step, draws bool)
	run  func(v *visit, steps []step, s *style, at place, bounds func() rect, draw func(at place))
}

// addMissing records something that is not drawn.
func (p *painter) addMissing(format string, args ...any) {
	if p.notDrawn == nil {
		p.notDrawn = map[string]bool{}
	}
	if len(p.notDrawn) < maxMissing {
		p.notDrawn[fmt.Sprintf(format, args...)] = true
	}
}

// maxMissing limits the entries that are recorded.
const maxMissing = 100

// missing lists what was not drawn, in order.
func (p *painter) missing() []string {
	var out []string
	for l := range p.notDrawn {
		out = append(out, l)
	}
	slices.Sort(out)
	return out
}

// size returns the document's own size in pixels.
func (d *document) size() (w, h float64) {
	w, h = svgdom.DocumentSize(d.root)
	return max(w, 0.01), max(h, 0.01)
}

// document draws a document into a box in the coordinates of m. depth is the number of documents in which it is nested
// as an image.
func (p *painter) document(d *document, m matrix, into rect, depth int) {
	w, h := d.size()
	d.Work = p.canvas.work
	v := &visit{painter: p, doc: d, images: depth}
	whole := svgdom.FirstStyle()
	s := d.styled(&whole, d.root)
	if d.moving {
		p.addMissing("animation: the picture shows the beginning")
	}
	if d.Unread {
		p.addMissing("rules of a style sheet with selectors of other kinds")
	}
	if d.blends && p.canvas.room() {
		// Isolate the document from what is below it.
		p.canvas.push()
		defer p.canvas.pop(1, 0)
	}
	if !svgdom.Supported(d.root) {
		return
	}
	box, ok := svgdom.ViewBox(d.root)
	if !ok {
		box = rect{X1: w, Y1: h}
	}
	defer v.clip(m, into)()
	if c, ok := csscolor.Parse(d.Value(d.root, "background-color")); ok {
		v.quad(m, into, &brush{color: pixel(c, 1)})
	}
	at := place{m: m.Times(svgdom.Fit(box, into, d.root.Get("preserveAspectRatio"))), w: box.Width(), h: box.Height()}
	v.drawComposed(&s, at, func(s *style, at place) { v.group(d.root, s, at) })
}

// visit draws the elements of one document.
type visit struct {
	*painter
	doc    *document
	images int // number of documents in which this one is nested as an image
	uses   int // number of use elements followed
	// active are the elements that are being drawn because others refer to them. An element that contains itself is not
	// drawn again.
	active []*node
	// recorded, if not nil, collects the bounding box of fills, and nothing is drawn.
	recorded *rect
	// clipping is set while the shapes of a clip path are drawn: black, without strokes and opacities.
	clipping bool
}

// place is the coordinate system of an element.
type place struct {
	m       matrix   // converts its coordinates to pixels
	w, h    float64  // size of the viewport, to which percentages refer
	context *context // the source of context-fill and context-stroke
	depth   int
}

// whole returns the length to which percentages along an axis refer.
func (at *place) whole(axis svgdom.Axis) float64 { return axis.Of(at.w, at.h) }

// enter marks n as being drawn; ok is false if it already is.
func (v *visit) enter(n *node) (ok bool) {
	if slices.Contains(v.active, n) || len(v.active) > 40 {
		return false
	}
	v.active = append(v.active, n)
	return true
}

func (v *visit) leave() { v.active = v.active[:len(v.active)-1] }

// exhausted reports whether the picture has used up its work.
func (v *visit) exhausted() bool { return *v.canvas.work < 0 }

// viewport draws the contents of an svg or symbol element into a box.
func (v *visit) viewport(n *node, s *style, at place, into rect) {
	box, ok := svgdom.ViewBox(n)
	if !ok {
		box = rect{X1: into.Width(), Y1: into.Height()}
	}
	if s.Overflow != 'v' {
		defer v.clip(at.m, into)()
	}
	at.m = at.m.Times(svgdom.Fit(box, into, n.Get("preserveAspectRatio")))
	at.w, at.h = box.Width(), box.Height()
	v.group(n, s, at)
}

// clip limits painting to a box until the returned function is called. A rotated box clips exactly only if another layer
// is allowed.
func (v *visit) clip(m matrix, to rect) (end func()) {
	if v.recorded != nil {
		return func() {}
	}
	c := v.canvas
	was := c.raster.clip
	to2 := m.Bounds(to)
	v.cut(to2)
	if (m.B == 0 && m.C == 0 || m.A == 0 && m.D == 0) || !c.room() {
		return func() { c.raster.clip = was }
	}
	c.push()
	return func() {
		c.push()
		v.quad(m, to, &brush{color: 0xff000000})
		c.mask(alpha)
		c.pop(1, 0)
		c.raster.clip = was
	}
}

// quad fills a box.
func (v *visit) quad(m matrix, r rect, b *brush) {
	var corners [4]point
	for i, q := range [4]point{{X: r.X0, Y: r.Y0}, {X: r.X1, Y: r.Y0}, {X: r.X1, Y: r.Y1}, {X: r.X0, Y: r.Y1}} {
		corners[i] = device(m, q)
	}
	v.canvas.raster.polygon(corners[:])
	v.canvas.fill(false, false, b)
}

// farthest limits what is on the canvas.
const farthest = 1e6

// device returns the position of a point on the canvas.
func device(m matrix, p point) point {
	p = m.At(p)
	return point{X: svgdom.Bounded(p.X, farthest), Y: svgdom.Bounded(p.Y, farthest)}
}

// cut reduces the part of the canvas that is painted.
func (v *visit) cut(to rect) {
	c := v.canvas.raster.clip.Intersect(rect{X0: math.Floor(to.X0 + 1e-6), Y0: math.Floor(to.Y0 + 1e-6), X1: math.Ceil(to.X1 - 1e-6), Y1: math.Ceil(to.Y1 - 1e-6)})
	if c.IsEmpty() {
		c = rect{}
	}
	v.canvas.raster.clip = c
}

// group draws the children of an element.
func (v *visit) group(n *node, s *style, at place) { v.members(n.Kids(), n.Type == "switch", s, at) }

// members draws elements as a group, or the first of them that a switch chooses.
func (v *visit) members(list iter.Seq[*node], choose bool, s *style, at place) {
	if s.Gone || at.depth > maxDepth || v.exhausted() {
		return
	}
	layered := s.Opacity < 1 && v.canvas.room() && !v.plain()
	if layered {
		v.canvas.push()
		defer v.canvas.pop(s.Opacity, 0)
	}
	at.depth++
	for k := range list {
		if v.exhausted() {
			break
		}
		if choose && !chosen(k) {
			continue
		}
		*v.canvas.work -= 16
		own := v.doc.styled(s, k)
		if s.Opacity < 1 && !layered {
			own.Opacity *= s.Opacity
		}
		v.element(k, &own, at)
		if choose {
			break
		}
	}
}

// plain reports whether only the areas of shapes matter.
func (v *visit) plain() bool { return v.recorded != nil || v.clipping }

// chosen reports whether a switch element selects this child.
func chosen(n *node) bool {
	return svgdom.Draws(n.Type) && n.Type != "foreignObject" && svgdom.Supported(n)
}

// element draws an element.
func (v *visit) element(n *node, s *style, at place) {
	if s.Gone || !svgdom.Supported(n) {
		return
	}
	if s.Move != "" {
		m, ok := v.transform(s, &at)
		if !ok {
			return
		}
		at.m = at.m.Times(m)
	}
	if s.Clip == "" && s.Mask == "" && s.Filter == "" && blendNamed(s.Blend) == 0 && !s.Isolate {
		v.content(n, s, at)
		return
	}
	v.drawComposed(s, at, func(s *style, at place) { v.content(n, s, at) })
}

// content draws an element without the effects that apply to it as a whole.
func (v *visit) content(n *node, s *style, at place) {
	switch n.Type {
	case "g", "a", "switch":
		v.group(n, s, at)
	case "svg":
		if into := v.measure(n, s, &at).Box(at.w, at.h); into.Width() > 0 && into.Height() > 0 {
			v.viewport(n, s, at, into)
		}
	case "use":
		v.use(n, s, at)
	case "image":
		if !s.Hidden {
			v.image(n, s, at)
		}
	case "text":
		v.withOpacity(s, func() { v.text(n, s, at) })
	case "foreignObject", "video", "audio", "canvas", "iframe":
		v.addMissing("%s", n.Type)
	default:
		if !svgdom.Shape(n.Type) || s.Hidden && v.recorded == nil {
			return
		}
		if shape, lines := v.shape(n, s, &at); lines != nil {
			v.withOpacity(s, func() { v.paint(n, shape, lines, s, &at) })
		}
	}
}

// withOpacity draws with the element's opacity: on a separate layer if a fill and a stroke overlap, otherwise by the opacity
// of the colour.
func (v *visit) withOpacity(s *style, draw func()) {
	if s.Opacity < 1 && s.Fill.Visible() && (s.Stroke.Visible() || s.Markers != nil) && v.canvas.room() && !v.plain() {
		v.canvas.push()
		o := s.Opacity
		s.Opacity = 1
		draw()
		v.canvas.pop(o, 0)
		return
	}
	s.FillOpacity *= s.Opacity
	s.StrokeOpacity *= s.Opacity
	draw()
}

// clipped shortens a URL for messages.
func clipped(s string) string {
	if len(s) > 60 {
		return s[:60] + "…"
	}
	return s
}
