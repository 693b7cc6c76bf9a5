package svg

import (
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/canvas"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/stencil"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// programs holds the shapes of draw.io that are programs. They are read when a picture needs them.
var programs = &stencil.Programs{Width: Width}

// library draws a shape from one of draw.io's libraries, and reports whether it knows the shape.
func (s *scene) library(name string, l cellStyle, w, h float64, fill, stroke string) bool {
	packed, inline := strings.CutPrefix(name, "stencil(")
	if !inline && !strings.HasPrefix(strings.ToLower(name), "mxgraph.") {
		return false
	}
	pen := func() *canvas.Canvas {
		c := canvas.New(&s.out)
		c.Gradient, c.Write = s.gradient, s.write
		c.Fill, c.Stroke, c.Width = fill, stroke, max(0, l.num("strokeWidth", 1))
		c.Dashed, c.Pattern, c.FixedDash = l.on("dashed"), l["dashPattern"], l.on("fixDash")
		c.FillAlpha, c.StrokeAlpha = share(l, "fillOpacity"), share(l, "strokeOpacity")
		c.Shadow = l.on("shadow")
		c.FontColor, c.FontSize = l.color("fontColor", "#000000"), l.num("fontSize", 12)
		return c
	}
	var icon stencil.Stencil
	ok := false
	if inline {
		text, err := mxfile.Unpack(strings.TrimSuffix(packed, ")"))
		if err == nil {
			icon, err = stencil.Read(text)
		}
		ok = err == nil
	} else if programs.Paint(pen(), name, style.Map(l), w, h) {
		return true
	} else {
		icon, ok = stencil.Find(name)
	}
	if ok {
		icon.Draw(pen(), 0, 0, w, h, max(0, l.num("strokeWidth", 1)))
	}
	return ok
}

// share returns a percentage in a style, as a fraction from 0 to 1.
func share(l cellStyle, key string) float64 { return min(1, max(0, l.num(key, 100)/100)) }

// write draws a text that is part of a shape.
func (s *scene) write(t canvas.Text) {
	f := face{size: min(400, max(1, t.FontSize)), bold: t.FontStyle&1 != 0, italic: t.FontStyle&2 != 0, under: t.FontStyle&4 != 0}
	lines := plain(t.Text, f)
	if t.HTML {
		lines = rich(t.Text, f)
	}
	if t.Wrap && t.W > 0 {
		lines = wrap(lines, t.W)
	}
	_, h := extent(lines, cellStyle{"fontSize": num(f.size)})
	y := t.Y
	switch t.Valign {
	case "middle":
		y -= h / 2
	case "bottom":
		y -= h
	}
	color := t.FontColor
	if color == "none" {
		color = "#000000"
	}
	if t.Angle != 0 && math.Abs(t.Angle) < 1e4 {
		s.out.WriteString(`<g transform="rotate(` + num(t.Angle) + " " + num(t.X) + " " + num(t.Y) + `)">`)
		defer s.out.WriteString("</g>")
	}
	align := t.Align
	if align == "" {
		align = "left"
	}
	s.lines(lines, t.X, y, 0, lettering{align: align, color: color, size: f.size})
}

// labelArea returns the part of a library shape in which its label must stay.
func (f *frame) labelArea() (geom.Rect, bool) {
	name := f.style["shape"]
	if !f.exact || !strings.HasPrefix(name, "mxgraph.") {
		return f.Rect, false
	}
	m, ok := programs.Margins(name, style.Map(f.style), f.W, f.H)
	if !ok {
		return f.Rect, false
	}
	return geom.Rect{X: f.X + m[0], Y: f.Y + m[1], W: f.W - m[0] - m[2], H: f.H - m[1] - m[3]}, true
}

// edgeFrame returns the part of a shape at which edges end: stencils that keep their proportions do not fill their box.
func (f *frame) edgeFrame() *frame {
	if f.fit != nil {
		return f.fit
	}
	f.fit = f
	name := f.style["shape"]
	if !f.exact || !strings.HasPrefix(name, "mxgraph.") || programs.Has(name) {
		return f
	}
	if icon, ok := stencil.Find(name); ok && icon.Fixed {
		x, y, w, h := icon.Fit(f.W, f.H)
		f.fit = &frame{Rect: geom.Rect{X: f.X + x, Y: f.Y + y, W: w, H: h}, style: f.style, angle: f.angle}
	}
	return f.fit
}

// grid returns the lines between the rows of a table and between the cells of each row. The table draws them, not its cells.
// The style can switch off either.
func grid(c *mxfile.Cell, l cellStyle) []piece {
	var out []piece
	rows := parts(c)
	for i, row := range rows {
		r := row.Geo
		if i+1 < len(rows) && l["rowLines"] != "0" {
			out = append(out, piece{d: path("M", r.X, r.Bottom(), "H", r.Right()), open: true})
		}
		if l["columnLines"] == "0" {
			continue
		}
		cells := parts(row)
		for j, k := range cells {
			if j+1 < len(cells) {
				out = append(out, piece{d: path("M", r.X+k.Geo.Right(), r.Y, "V", r.Bottom()), open: true})
			}
		}
	}
	return out
}

// parts returns the cells in a table or in one of its rows.
func parts(c *mxfile.Cell) []*mxfile.Cell {
	return pdk.Filter(c.Page.Children(c.ID), func(k *mxfile.Cell) bool { return k.Vertex && !k.Relative && !k.Badge })
}

// Place is the position of a cell in the picture of its page.
type Place struct {
	Cell *mxfile.Cell
	geom.Rect
}

// PageAndPlaces draws a page and lists where its cells are, the topmost last: edges, then shapes, each shape before the
// shapes inside it.
func PageAndPlaces(p *mxfile.Page, o Options) (picture string, places []Place) {
	s := newScene(p)
	s.all()
	picture, _ = s.picture(o)
	var edges, shapes []Place
	var visit func(c *mxfile.Cell)
	visit = func(c *mxfile.Cell) {
		if f := s.frames[c]; f != nil && c.Shape() {
			shapes = append(shapes, Place{c, f.Rect})
		}
		if route := s.routes[c]; len(route) > 0 {
			low, high := route[0], route[0]
			for _, at := range route {
				low, high = geom.Point{X: min(low.X, at.X), Y: min(low.Y, at.Y)}, geom.Point{X: max(high.X, at.X), Y: max(high.Y, at.Y)}
			}
			edges = append(edges, Place{c, geom.Rect{X: low.X, Y: low.Y, W: high.X - low.X, H: high.Y - low.Y}.Grow(4)})
		}
		s.each(c, visit)
	}
	if root := p.Root(); root != nil && root.ID != "" {
		s.each(root, visit)
	}
	return picture, append(edges, shapes...)
}
