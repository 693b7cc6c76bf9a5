// Package svg draws a page of a draw.io file as SVG, as draw.io shows it: shapes, connectors with their heads,
// containers, and labels. It loads nothing: images that are not in the file are drawn as placeholders, and stencils that
// package stencil does not have are drawn as outlines with their name.
package svg

import (
	"maps"
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/xmltree"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// Options configure a drawing. The zero value is sensible.
type Options struct {
	Width   float64 // width to scale the picture to, 0 for its own width
	Scale   float64 // factor of its own width if Width is 0; 0 for 1
	Content string  // the content attribute of the svg element
	Clear   bool    // leave out the background
}

// margin is the space around the drawing.
const margin = 10

// scene is a drawing in progress.
type scene struct {
	page          *mxfile.Page
	out           strings.Builder
	defs          strings.Builder
	made          int  // number of gradients
	any           bool // bounds is set
	bounds        geom.Rect
	frames        map[*mxfile.Cell]*frame
	plain, routes map[*mxfile.Cell][]geom.Point // by edge: its route as in draw.io, from perimeter to perimeter; and as it is drawn, from outline to outline
	drawn         bool                          // shapes of libraries determine where their edges and labels lie
	labels        map[*mxfile.Cell]geom.Rect
	styles        map[[2]string]cellStyle // resolved styles by base and style
	without       func(*mxfile.Cell) bool // cells to leave out; nil for none
}

func newScene(p *mxfile.Page) *scene {
	return &scene{page: p, frames: map[*mxfile.Cell]*frame{}, plain: map[*mxfile.Cell][]geom.Point{}, routes: map[*mxfile.Cell][]geom.Point{}, labels: map[*mxfile.Cell]geom.Rect{}, styles: map[[2]string]cellStyle{}}
}

// resolve resolves a style. Cells with the same style share the result, so callers must clone it before they change it.
func (s *scene) resolve(base string, st style.Style) cellStyle {
	key := [2]string{base, string(st)}
	l := s.styles[key]
	if l == nil {
		l = newCellStyle(base, st)
		s.styles[key] = l
	}
	return l
}

// frame is the position and style of a shape on the page.
type frame struct {
	geom.Rect
	style cellStyle
	angle float64 // degrees
	exact bool    // its library determines what the style does not set

	// Computed on demand by edgeFrame, edgePerimeter and visibleOutline.
	fit       *frame
	perimeter []geom.Point
	aim       geom.Point
	outline   [][]geom.Point
	drawn     bool
}

// Page draws a page.
func Page(p *mxfile.Page, o Options) string {
	picture, _ := PageAndWidth(p, o)
	return picture
}

// PageAndWidth draws a page and returns its picture with the picture's width.
func PageAndWidth(p *mxfile.Page, o Options) (picture string, width float64) {
	s := newScene(p)
	s.all()
	return s.picture(o)
}

// picture returns the picture of what was drawn, and its width.
func (s *scene) picture(o Options) (picture string, width float64) {
	p := s.page
	b := s.bounds.Grow(margin)
	if !s.any {
		b = geom.Rect{W: 100, H: 60}
	}
	b = geom.Rect{X: math.Floor(b.X), Y: math.Floor(b.Y), W: math.Ceil(b.W), H: math.Ceil(b.H)}
	w, h := b.W, b.H
	if o.Width == 0 && o.Scale > 0 {
		o.Width = math.Max(1, math.Round(b.W*o.Scale))
	}
	if o.Width > 0 {
		w, h = o.Width, math.Max(1, math.Round(b.H*o.Width/b.W))
	}
	var out strings.Builder
	out.WriteString(`<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" version="1.1" width="` + num(w) + `" height="` + num(h) +
		`" viewBox="` + num(b.X) + " " + num(b.Y) + " " + num(b.W) + " " + num(b.H) + `"`)
	if o.Content != "" {
		out.WriteString(` content="` + xmltree.Escape(o.Content, '"') + `"`)
	}
	out.WriteString(">\n<title>" + xmltree.Escape(p.Name, '"') + "</title>\n")
	if s.defs.Len() > 0 {
		out.WriteString("<defs>" + s.defs.String() + "</defs>\n")
	}
	if !o.Clear {
		out.WriteString(`<rect x="` + num(b.X) + `" y="` + num(b.Y) + `" width="` + num(b.W) + `" height="` + num(b.H) + `" fill="` + background(p) + "\"/>\n")
	}
	out.WriteString(`<g font-family="Helvetica, Arial, sans-serif" stroke-miterlimit="10">` + "\n")
	out.WriteString(s.out.String())
	out.WriteString("</g>\n</svg>\n")
	return out.String(), w
}

// all draws everything on the page.
func (s *scene) all() {
	s.drawn = true
	if root := s.page.Root(); root != nil && root.ID != "" {
		s.each(root, func(l *mxfile.Cell) { s.place(l, geom.Rect{}, 0) })
		s.each(root, func(l *mxfile.Cell) { s.draw(l, geom.Point{}, 0) })
	}
}

// Extent returns the area of the page's picture without margins and without the cells for which `without` returns true.
func Extent(p *mxfile.Page, without func(*mxfile.Cell) bool) geom.Rect {
	s := newScene(p)
	s.without = without
	s.all()
	return s.bounds
}

// background returns the colour of the page.
func background(p *mxfile.Page) string {
	if v := p.Background(); v != "" {
		if c := (cellStyle{"c": v}).color("c", "#ffffff"); c != "none" {
			return c
		}
	}
	return "#ffffff"
}

// maxDepth limits the nesting of cells that are drawn.
const maxDepth = 60

// each calls do for the visible children of a cell.
func (s *scene) each(parent *mxfile.Cell, do func(*mxfile.Cell)) {
	for _, c := range s.page.Children(parent.ID) {
		if c != parent && !c.Hidden && !c.Opaque && (s.without == nil || !s.without(c)) {
			do(c)
		}
	}
}

// isFolded reports whether draw.io shows a container closed, without its contents.
func isFolded(c *mxfile.Cell) bool {
	return c.Vertex && strings.Contains(c.Raw(), ` collapsed="1"`)
}

// place finds the positions of shapes, except those on edges.
func (s *scene) place(c *mxfile.Cell, in geom.Rect, depth int) {
	at := in
	switch {
	case c.Edge || depth > maxDepth:
		return
	case c.Vertex:
		at = s.settle(c, in)
	}
	if c.ID == "" || isFolded(c) {
		return
	}
	s.each(c, func(k *mxfile.Cell) { s.place(k, at, depth+1) })
}

// settle adds the frame of a shape whose parent lies at `in`, and returns its rectangle.
func (s *scene) settle(c *mxfile.Cell, in geom.Rect) geom.Rect {
	r := c.Geo
	if c.Relative {
		r.X, r.Y = r.X*in.W+c.Offset.X, r.Y*in.H+c.Offset.Y
	}
	r.X, r.Y = r.X+in.X, r.Y+in.Y
	l := s.inheritColors(c, s.resolve(vertexDefaults, c.Style))
	s.frames[c] = &frame{Rect: r, style: l, angle: math.Mod(l.num("rotation", 0), 360), exact: s.drawn}
	return r
}

// inheritColors resolves colours that refer to enclosing shapes: "inherit" to the parent, "swimlane" to the nearest
// container with a title.
func (s *scene) inheritColors(c *mxfile.Cell, l cellStyle) cellStyle {
	own := false
	for _, key := range []string{"fillColor", "strokeColor", "fontColor", "gradientColor"} {
		word := l[key]
		if word != "inherit" && word != "swimlane" {
			continue
		}
		if !own {
			l, own = maps.Clone(l), true
		}
		l[key] = "default"
		for o, n := c.Owner(), 0; o != nil && n < maxDepth; o, n = o.Owner(), n+1 {
			f := s.frames[o]
			if f == nil {
				break
			}
			if shape := f.style["shape"]; word == "inherit" || shape == "swimlane" || shape == "table" || shape == "tableRow" {
				if l[key] = f.style[key]; l[key] == "" {
					delete(l, key)
				}
				break
			}
		}
	}
	return l
}

// draw draws a cell and its contents, in the order of the file.
func (s *scene) draw(c *mxfile.Cell, origin geom.Point, depth int) {
	if depth > maxDepth {
		return
	}
	switch {
	case c.Edge:
		s.edge(c, origin)
	case c.Vertex:
		f := s.frames[c]
		if f == nil {
			return
		}
		s.vertex(c, f)
		origin = geom.Point{X: f.X, Y: f.Y}
	}
	if c.ID == "" || isFolded(c) {
		return
	}
	s.each(c, func(k *mxfile.Cell) {
		if c.Edge && k.Vertex {
			s.drawOnEdge(k, c, depth)
			return
		}
		s.draw(k, origin, depth+1)
	})
}

// drawOnEdge draws a shape on an edge, usually one of its labels.
func (s *scene) drawOnEdge(k, e *mxfile.Cell, depth int) {
	points := s.plain[e]
	if points == nil {
		return
	}
	at := along(points, k.Geo.X, k.Geo.Y)
	if !k.Relative {
		at = geom.Point{X: points[0].X + k.Geo.X, Y: points[0].Y + k.Geo.Y}
	}
	r := geom.Rect{X: at.X + k.Offset.X, Y: at.Y + k.Offset.Y, W: k.Geo.W, H: k.Geo.H}
	l := s.resolve(vertexDefaults, k.Style)
	s.frames[k] = &frame{Rect: r, style: l, angle: l.num("rotation", 0), exact: s.drawn}
	if k.ID != "" {
		s.each(k, func(x *mxfile.Cell) { s.place(x, r, depth+2) })
	}
	s.draw(k, at, depth+1)
}

// include extends the picture to include a rectangle.
func (s *scene) include(r geom.Rect) {
	if !s.any {
		s.any, s.bounds = true, r
		return
	}
	x, y := math.Min(s.bounds.X, r.X), math.Min(s.bounds.Y, r.Y)
	s.bounds = geom.Rect{X: x, Y: y, W: math.Max(s.bounds.Right(), r.Right()) - x, H: math.Max(s.bounds.Bottom(), r.Bottom()) - y}
}

// turn rotates p around c by degrees, clockwise.
func turn(p, c geom.Point, degrees float64) geom.Point {
	if degrees == 0 {
		return p
	}
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	x, y := p.X-c.X, p.Y-c.Y
	return geom.Point{X: c.X + x*cos - y*sin, Y: c.Y + x*sin + y*cos}
}

// Routes returns the routes of a page's edges as they are drawn, in page coordinates. Edges on hidden layers and edges
// with a missing end have none.
func Routes(p *mxfile.Page) map[*mxfile.Cell][]geom.Point {
	s := newScene(p)
	root := p.Root()
	if root == nil || root.ID == "" {
		return nil
	}
	s.each(root, func(l *mxfile.Cell) { s.place(l, geom.Rect{}, 0) })
	for c := p.First(); c != nil; c = c.Next() {
		if !c.Edge || c.Hidden || !c.HasGeometry() {
			continue
		}
		if l := c.Layer(); l != nil && l.Hidden {
			continue
		}
		var origin geom.Point
		if f := s.frames[p.Cell(c.Parent)]; f != nil {
			origin = geom.Point{X: f.X, Y: f.Y}
		}
		var stored mxfile.Route // empty for most edges, and slower to read than everything else
		if c.Routed || c.Source == "" || c.Target == "" || s.frames[p.Cell(c.Source)] == nil || s.frames[p.Cell(c.Target)] == nil {
			stored = c.Route()
		}
		s.routeEdge(c, s.resolve(edgeDefaults, c.Style), stored, origin)
	}
	return s.routes
}

// Overflow returns by how much a shape's label, wrapped as it is drawn, is wider and higher than its box. Labels outside
// their shape never overflow, nor do those that draw.io clips.
func Overflow(c *mxfile.Cell) (w, h float64) {
	l := newCellStyle(vertexDefaults, c.Style)
	if c.Value == "" || l.on("noLabel") || l["overflow"] != "" && l["overflow"] != "visible" ||
		l["shape"] == "umlLifeline" && l["participant"] != "" || // the label lies below a figure
		l["labelPosition"] == "left" || l["labelPosition"] == "right" || l["verticalLabelPosition"] == "top" || l["verticalLabelPosition"] == "bottom" {
		return 0, 0
	}
	f := &frame{Rect: geom.Rect{W: c.Geo.W, H: c.Geo.H}, style: l}
	r := f.labelBox()
	if l["horizontal"] == "0" {
		r.W, r.H = r.H, r.W
	}
	lines := labelLines(c, l)
	if l["whiteSpace"] == "wrap" {
		lines = wrap(lines, max(8, r.W-2))
	}
	tw, th := extent(lines, l)
	return max(0, tw-r.W), max(0, th-r.H)
}

// LabelSize returns the size of the label of an edge as it is drawn.
func LabelSize(e *mxfile.Cell) (w, h float64) {
	l := newCellStyle(edgeDefaults, e.Style)
	return extent(labelLines(e, l), l)
}
