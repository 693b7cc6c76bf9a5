package svg

import (
	"encoding/base64"
	"maps"
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/xmltree"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/outline"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/stencil"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// vertex draws a shape with its label.
func (s *scene) vertex(c *mxfile.Cell, f *frame) {
	l := f.style
	s.include(f.bounds())
	if f.W > 0 && f.H >= 0 {
		s.shape(c, f)
	}
	if !l.on("noLabel") && c.Value != "" {
		s.label(c, f)
	}
}

// bounds returns the box around a rotated shape.
func (f *frame) bounds() geom.Rect {
	if f.angle == 0 {
		return f.Rect
	}
	c := f.Center()
	sin, cos := math.Sincos(f.angle * math.Pi / 180)
	w := math.Abs(f.W*cos) + math.Abs(f.H*sin)
	h := math.Abs(f.W*sin) + math.Abs(f.H*cos)
	return geom.Rect{X: c.X - w/2, Y: c.Y - h/2, W: w, H: h}
}

// shape draws a shape without its label.
func (s *scene) shape(c *mxfile.Cell, f *frame) {
	l := f.style
	w, h := f.W, f.H
	name := l["shape"]
	angle := outline.Turn(style.Map(l))
	if angle == 90 || angle == 270 {
		w, h = h, w
	}
	move := "translate(" + num(f.X) + " " + num(f.Y) + ")"
	if angle != 0 || f.angle != 0 || l.on("flipH") || l.on("flipV") {
		mid := f.Center()
		move = "translate(" + num(mid.X) + " " + num(mid.Y) + ")"
		if f.angle != 0 {
			move += " rotate(" + num(f.angle) + ")"
		}
		if l.on("flipH") || l.on("flipV") {
			x, y := "1", "1"
			if l.on("flipH") {
				x = "-1"
			}
			if l.on("flipV") {
				y = "-1"
			}
			move += " scale(" + x + " " + y + ")"
		}
		if angle != 0 {
			move += " rotate(" + num(angle) + ")"
		}
		move += " translate(" + num(-w/2) + " " + num(-h/2) + ")"
	}
	stroke, fill := l.color("strokeColor", "#000000"), l.color("fillColor", "#ffffff")
	if c := l.color("gradientColor", "none"); c != "none" && fill != "none" {
		fill = s.gradient(fill, c, l["gradientDirection"])
	}
	s.out.WriteString(`<g transform="` + move + `"`)
	if o := l.opacity(""); o < 1 {
		s.out.WriteString(` opacity="` + num(o) + `"`)
	}
	s.out.WriteString(">")
	if s.library(name, l, w, h, fill, stroke) {
		s.out.WriteString("</g>\n")
		return
	}
	pieces, known := s.pieces(name, l, w, h, &fill, &stroke)
	if !known { // unfilled, because the unknown shape may not cover what is behind it
		if fill = "none"; stroke == "none" {
			stroke = "#b0b0b0"
		}
		l = withoutFill(l)
	}
	if name == "table" {
		pieces = append(pieces, grid(c, l)...)
	}
	if l.on("shadow") {
		for _, p := range pieces {
			if p.shadow && !p.open && fill != "none" {
				s.out.WriteString(`<path d="` + p.d + `" transform="translate(2 3)" fill="#000000" fill-opacity="0.25"/>`)
			}
		}
	}
	for _, p := range pieces {
		s.piece(p, l, fill, stroke)
	}
	if img := l["image"]; img != "" && (name == "image" || name == "label" || name == "") {
		s.image(img, name, l, w, h)
	} else if !known && isLabelOutside(c, l) {
		s.caption(name, l, w, h)
	}
	s.out.WriteString("</g>\n")
}

// withoutFill returns a style without a fill, so that text on it is dark.
func withoutFill(l cellStyle) cellStyle {
	l = maps.Clone(l)
	l["fillColor"] = "#ffffff"
	return l
}

// piece is a part of the drawing of a shape.
type piece struct {
	d      string
	open   bool   // a line that is never filled
	fill   string // "" for that of the shape
	bare   bool   // has no line
	shadow bool   // the outline, which casts the shadow
	dash   string // "1" for a dashed line, "0" for a solid one, "" for that of the shape
}

func dashing(on bool) string {
	if on {
		return "1"
	}
	return "0"
}

// pieces returns the parts of a shape, and whether the shape is known. It changes fill and stroke for shapes that have
// their own.
func (s *scene) pieces(name string, l cellStyle, w, h float64, fill, stroke *string) (out []piece, known bool) {
	switch name {
	case "swimlane", "table":
		return swimlane(l, w, h, *fill), true
	case "partialRectangle", "tableRow":
		out = []piece{{d: box(0, 0, w, h, 0), bare: true, shadow: true}}
		for _, side := range [][2]string{
			{"top", path("M", 0, 0, "H", w)}, {"right", path("M", w, 0, "V", h)}, {"bottom", path("M", 0, h, "H", w)}, {"left", path("M", 0, 0, "V", h)},
		} {
			if l[side[0]] != "0" {
				out = append(out, piece{d: side[1], open: true})
			}
		}
		return out, true
	case "image":
		*fill, *stroke = l.color("imageBackground", "none"), l.color("imageBorder", "none")
		return []piece{{d: box(0, 0, w, h, 0)}}, true
	}
	if name == "waypoint" {
		*fill = *stroke
	}
	drawn := outline.Of(style.Map(l), w, h)
	if drawn.Outline != nil {
		out = append(out, piece{d: data(drawn.Outline), shadow: true})
	}
	for _, p := range drawn.Parts {
		out = append(out, piece{d: data(p)})
	}
	for _, p := range drawn.Lines {
		out = append(out, piece{d: data(p), open: true})
	}
	if drawn.Dashed != nil {
		out = append(out, piece{d: data(drawn.Dashed), open: true, dash: dashing(l["lifelineDashed"] != "0")})
	}
	return out, drawn.Known
}

// swimlane draws a container with a title.
func swimlane(l cellStyle, w, h float64, fill string) []piece {
	size := min(l.num("startSize", 23), h)
	r := outline.LaneRound(style.Map(l), w, h)
	head := path("M", 0, size, "V", r, "A", r, r, 0, 0, 1, r, 0, "H", w-r, "A", r, r, 0, 0, 1, w, r, "V", size)
	rule := path("M", 0, size, "H", w)
	if l["horizontal"] == "0" {
		size = min(l.num("startSize", 23), w)
		head = path("M", size, 0, "H", r, "A", r, r, 0, 0, 0, 0, r, "V", h-r, "A", r, r, 0, 0, 0, r, h, "H", size)
		rule = path("M", size, 0, "V", h)
	}
	inner := l.color("swimlaneFillColor", "#ffffff")
	out := []piece{{d: box(0, 0, w, h, r), fill: inner, shadow: inner != "none"}}
	if size > 0 {
		out = append(out, piece{d: head + "Z", bare: true, shadow: true}, piece{d: box(0, 0, w, h, r), open: true})
		if l["swimlaneLine"] != "0" {
			out = append(out, piece{d: rule, open: true})
		}
	}
	return out
}

// hatchOpacity is the opacity of a fill that draw.io draws in a hand-drawn style, as strokes with gaps between them.
const hatchOpacity = 0.35

// piece draws a piece.
func (s *scene) piece(p piece, l cellStyle, fill, stroke string) {
	if p.fill != "" {
		fill = p.fill
	}
	if p.open {
		fill = "none"
	}
	if p.bare {
		stroke = "none"
	}
	if fill == "none" && stroke == "none" || p.d == "" {
		return
	}
	s.out.WriteString(`<path d="` + p.d + `" fill="` + fill + `"`)
	o := l.num("fillOpacity", 100)
	if l.on("sketch") && l["fillStyle"] != "solid" && fill != "#ffffff" {
		o *= hatchOpacity
	}
	if fill != "none" && o < 100 {
		s.out.WriteString(` fill-opacity="` + num(max(0, o/100)) + `"`)
	}
	if p.dash != "" {
		l = maps.Clone(l)
		l["dashed"] = p.dash
	}
	s.stroke(l, stroke)
	s.out.WriteString("/>")
}

// stroke writes the attributes of a line.
func (s *scene) stroke(l cellStyle, color string) {
	s.out.WriteString(` stroke="` + color + `"`)
	if color == "none" {
		return
	}
	if w := l.num("strokeWidth", 1); w != 1 {
		s.out.WriteString(` stroke-width="` + num(max(0, w)) + `"`)
	}
	if d := l.dash(); d != "" {
		s.out.WriteString(` stroke-dasharray="` + d + `"`)
	}
	if o := l.num("strokeOpacity", 100); o < 100 {
		s.out.WriteString(` stroke-opacity="` + num(max(0, o/100)) + `"`)
	}
}

// gradient adds a gradient to the definitions and returns the paint that refers to it.
func (s *scene) gradient(from, to, dir string) string {
	s.made++
	id := "g" + num(float64(s.made))
	ends := `x1="0" y1="0" x2="0" y2="1"`
	switch dir {
	case "north":
		ends = `x1="0" y1="1" x2="0" y2="0"`
	case "east":
		ends = `x1="0" y1="0" x2="1" y2="0"`
	case "west":
		ends = `x1="1" y1="0" x2="0" y2="0"`
	}
	s.defs.WriteString(`<linearGradient id="` + id + `" ` + ends + `><stop offset="0" stop-color="` + from + `"/><stop offset="1" stop-color="` + to + `"/></linearGradient>`)
	return "url(#" + id + ")"
}

// embeddedURL returns the URL of an image that the style itself contains, "" for one that would have to be loaded.
func embeddedURL(img string) string {
	for _, kind := range []string{"png", "jpeg", "jpg", "gif", "svg+xml"} {
		rest, ok := strings.CutPrefix(img, "data:image/"+kind)
		if !ok {
			continue
		}
		// draw.io leaves out ";base64", because ";" ends a value in a style.
		if data, ok := strings.CutPrefix(rest, ","); ok {
			if kind == "svg+xml" && strings.HasPrefix(data, "%3C") {
				return img
			}
			if _, err := base64.StdEncoding.DecodeString(data); err == nil {
				return "data:image/" + kind + ";base64," + data
			}
			if _, err := base64.RawStdEncoding.DecodeString(data); err == nil {
				return "data:image/" + kind + ";base64," + data
			}
		}
	}
	return ""
}

// image draws an image: as the whole shape, or as the icon of a label.
func (s *scene) image(img, name string, l cellStyle, w, h float64) {
	x, y := 0.0, 0.0
	if name != "image" {
		iw, ih := min(w, l.num("imageWidth", 24)), min(h, l.num("imageHeight", 24))
		switch l["imageAlign"] {
		case "center":
			x = (w - iw) / 2
		case "right":
			x = w - iw - 6
		default:
			x = 6
		}
		switch l["imageVerticalAlign"] {
		case "top":
			y = 6
		case "bottom":
			y = h - ih - 6
		default:
			y = (h - ih) / 2
		}
		w, h = iw, ih
	}
	href := embeddedURL(img)
	if own, ok := stencil.Picture(img); ok {
		href = "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString([]byte(own))
	}
	if href != "" {
		fit := pdk.If(l["imageAspect"] == "0", ` preserveAspectRatio="none"`, "")
		s.out.WriteString(`<image x="` + num(x) + `" y="` + num(y) + `" width="` + num(w) + `" height="` + num(h) + `"` + fit + ` xlink:href="` + xmltree.Escape(href, '"') + `"/>`)
		return
	}
	d := box(x, y, w, h, min(4, w/8))
	if name == "image" && strings.HasPrefix(img, "img/lib/") { // one of draw.io's own icons
		s.out.WriteString(`<path d="` + d + `" fill="#eef3fb" stroke="#7ea6e0"/>`)
		s.caption(strings.TrimSuffix(img[strings.LastIndexByte(img, '/')+1:], ".svg"), cellStyle{"fillColor": "#eef3fb"}, w, h)
		return
	}
	// An image elsewhere: a placeholder with hills and a sun.
	s.out.WriteString(`<path d="` + d + `" fill="#f5f5f5" stroke="#b0b0b0"/>`)
	if w >= 12 && h >= 12 {
		s.out.WriteString(`<path d="` + polygon(x+w*0.15, y+h*0.78, x+w*0.4, y+h*0.42, x+w*0.55, y+h*0.62, x+w*0.68, y+h*0.5, x+w*0.85, y+h*0.78) +
			ellipse(x+w*0.62, y+h*0.2, min(w, h)*0.16, min(w, h)*0.16) + `" fill="#c8c8c8"/>`)
	}
}

// isLabelOutside reports whether the label leaves the box of the shape free.
func isLabelOutside(c *mxfile.Cell, l cellStyle) bool {
	return c.Label() == "" || l["verticalLabelPosition"] == "bottom" || l["verticalLabelPosition"] == "top" ||
		l["labelPosition"] == "left" || l["labelPosition"] == "right"
}

// caption writes the name of a stencil that only draw.io has into its box.
func (s *scene) caption(name string, l cellStyle, w, h float64) {
	for _, key := range []string{"resIcon", "prIcon", "grIcon"} {
		if v := l[key]; v != "" {
			name = v
		}
	}
	if strings.HasPrefix(name, "stencil(") {
		return
	}
	name = strings.ReplaceAll(name[strings.LastIndexByte(name, '.')+1:], "_", " ")
	f := face{size: 8}
	if w < 24 || h < 12 {
		return
	}
	lines := wrap(plain(name, f), w-4)
	high := float64(len(lines)) * f.size * 1.2
	if high > h {
		return
	}
	for _, li := range lines {
		if li.width() > w {
			return
		}
	}
	ink := "#666666"
	if fill := l.color("fillColor", "#ffffff"); dark(fill) {
		ink = "#ffffff"
	}
	s.lines(lines, w/2, (h-high)/2, 0, lettering{align: "center", color: ink, size: 8})
}

// dark reports whether black text would be hard to read on a colour.
func dark(color string) bool {
	if len(color) != 7 || color[0] != '#' {
		return false
	}
	v := func(i int) float64 {
		return float64(strings.IndexByte("0123456789abcdef", color[i])*16 + strings.IndexByte("0123456789abcdef", color[i+1]))
	}
	return 0.3*v(1)+0.6*v(3)+0.1*v(5) < 150
}
