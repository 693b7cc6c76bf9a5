package svg

import (
	"maps"
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/xmltree"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/outline"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// leading is the height of a line, and rise the distance of its baseline from its top. Both are in font sizes, as
// browsers set Helvetica.
const (
	leading = 1.2
	rise    = 0.947
)

// Space that draw.io adds above text at the top of its box and below text on edges, in addition to that of the style.
const (
	overTop    = 5
	underEdges = 1
)

// labelFace returns the face of a cell's label before HTML changes it.
func labelFace(l cellStyle) face {
	style := int(l.num("fontStyle", 0))
	return face{bold: style&1 != 0, italic: style&2 != 0, under: style&4 != 0, strike: style&8 != 0,
		size: min(400, max(1, l.num("fontSize", 12))), family: font(l["fontFamily"])}
}

func labelLines(c *mxfile.Cell, l cellStyle) []line {
	if c.HTML() {
		return rich(c.Filled(), labelFace(l))
	}
	return plain(c.Filled(), labelFace(l))
}

// label draws the label of a shape.
func (s *scene) label(c *mxfile.Cell, f *frame) {
	l := f.style
	r := f.labelBox()
	angle, pivot := f.angle, f.Center()
	if l["horizontal"] == "0" {
		m := r.Center()
		r = geom.Rect{X: m.X - r.H/2, Y: m.Y - r.W/2, W: r.H, H: r.W}
		angle -= 90
		pivot = turn(m, pivot, f.angle)
		r.X, r.Y = pivot.X-r.W/2, pivot.Y-r.H/2
	}
	lines := labelLines(c, l)
	space := l.num("spacing", 2)
	left, right := space+l.num("spacingLeft", 0), space+l.num("spacingRight", 0)
	top, bottom := space+l.num("spacingTop", 0), space+l.num("spacingBottom", 0)
	if l["verticalAlign"] == "top" {
		top += overTop
	}
	if l["overflow"] == "fill" || l["overflow"] == "width" {
		left, right, top, bottom = 0, 0, 0, 0
		if l["overflow"] == "fill" {
			l = maps.Clone(l)
			l["verticalAlign"] = "top"
		}
	}
	width := r.W - left - right
	wide := l["whiteSpace"] == "wrap" || l["overflow"] == "fill" || l["overflow"] == "width"
	if wide && r.W > 0 {
		lines = wrap(lines, max(width+2, 8)) // draw.io lets text use half of the spacing if it needs it
	}
	_, h := extent(lines, l)
	x := r.X + left + width/2
	switch l["align"] {
	case "left":
		x = r.X + left
	case "right":
		x = r.Right() - right
	}
	y := r.Y + (r.H-h)/2 + (top-bottom)/2
	switch l["verticalAlign"] {
	case "top":
		y = r.Y + top
	case "bottom":
		y = r.Bottom() - bottom - h
	}
	if !wide {
		width = 0
	}
	s.labels[c] = s.text(lines, l, x, y, width, turnOf{angle, pivot})
}

// labelBox returns the box for the label of a shape.
func (f *frame) labelBox() geom.Rect {
	l, r := f.style, f.Rect
	if name := l["shape"]; name == "swimlane" || name == "table" {
		if l["horizontal"] == "0" {
			r.W = min(r.W, l.num("startSize", 23))
		} else {
			r.H = min(r.H, l.num("startSize", 23))
		}
		return r
	}
	if l["shape"] == "umlLifeline" {
		r.H = min(r.H, l.num("size", 40))
		return r
	}
	if l["shape"] == "umlFrame" { // in its tab
		r.W, r.H = min(r.W, l.num("width", 60)), min(r.H, l.num("height", 30))
		return r
	}
	if own, ok := f.labelArea(); ok {
		r = own
	} else if l.on("boundedLbl") {
		r = f.boundedBox()
	}
	switch l["labelPosition"] {
	case "left":
		r.X -= l.num("labelWidth", r.W)
		r.W = l.num("labelWidth", r.W)
	case "right":
		r.X += r.W
		r.W = l.num("labelWidth", r.W)
	}
	switch l["verticalLabelPosition"] {
	case "top":
		r.Y -= r.H
	case "bottom":
		r.Y += r.H
	}
	return r
}

// boundedBox returns the part of a shape that its label must stay in if the style has boundedLbl.
func (f *frame) boundedBox() geom.Rect {
	l, w, h := f.style, f.W, f.H
	// Insets at the top, right, bottom and left of the shape before its direction turns it.
	var inset [4]float64
	switch l["shape"] {
	case "cylinder", "cylinder2", "cylinder3":
		inset[0] = min(l.num("size", 15)*2, h/2)
	case "document":
		inset[2] = h * max(0, min(0.7, l.num("size", 0.3)))
	case "note":
		if h > 2*l.num("size", 30) {
			inset[0] = l.num("size", 30) / 2
		}
	case "process":
		inset[1] = w * max(0, min(0.5, l.num("size", 0.1)))
		inset[3] = inset[1]
	case "callout":
		inset[2] = min(h/2, l.num("size", 30))
	case "cube":
		inset[0] = min(l.num("size", 20), w/2, h/2)
		inset[3] = inset[0]
	case "tape":
		inset[0] = h * max(0, min(1, l.num("size", 0.4))) / 2
		inset[2] = inset[0]
	}
	k := 4 - int(outline.Turn(style.Map(l)))/90
	top, right, bottom, left := inset[k%4], inset[(k+1)%4], inset[(k+2)%4], inset[(k+3)%4]
	return geom.Rect{X: f.X + left, Y: f.Y + top, W: f.W - left - right, H: f.H - top - bottom}
}

// extent returns the size of lines of text.
func extent(lines []line, l cellStyle) (w, h float64) {
	size := min(400, max(1, l.num("fontSize", 12)))
	for _, li := range lines {
		w = max(w, li.width())
		h += li.above + li.height(size)
	}
	return w, h
}

// turnOf is a rotation by an angle in degrees around a point.
type turnOf struct {
	angle float64
	at    geom.Point
}

// text draws lines in a block that is at least `width` wide. x is the left side, middle or right side of the block,
// depending on the alignment, and y its top. It returns the box around the text after the rotation.
func (s *scene) text(lines []line, l cellStyle, x, y, width float64, by turnOf) geom.Rect {
	w, h := extent(lines, l)
	align := l["align"]
	r := geom.Rect{X: x - w/2, Y: y, W: w, H: h}
	switch align {
	case "left":
		r.X = x
	case "right":
		r.X = x - w
	}
	seen := r
	if by.angle != 0 {
		c := turn(r.Center(), by.at, by.angle)
		seen.W, seen.H = math.Hypot(w, h), math.Hypot(w, h)
		if math.Mod(math.Abs(by.angle), 180) == 90 {
			seen.W, seen.H = h, w
		}
		seen.X, seen.Y = c.X-seen.W/2, c.Y-seen.H/2
	}
	s.include(seen)
	attrs := ""
	if by.angle != 0 {
		attrs = ` transform="rotate(` + num(by.angle) + " " + num(by.at.X) + " " + num(by.at.Y) + `)"`
	}
	if o := l.opacity("textOpacity"); o < 1 {
		attrs += ` opacity="` + num(o) + `"`
	}
	s.out.WriteString("<g" + attrs + ">")
	fill, line := l.color("labelBackgroundColor", "#ffffff"), l.color("labelBorderColor", "none")
	if (fill != "none" || line != "none") && w > 0 {
		s.out.WriteString(`<rect x="` + num(r.X-1) + `" y="` + num(r.Y) + `" width="` + num(r.W+2) + `" height="` + num(r.H) + `" fill="` + fill + `" stroke="` + line + `"/>`)
	}
	color := l.color("fontColor", "#000000")
	if color == "none" {
		color = "#000000"
	}
	s.lines(lines, x, y, width, lettering{align, color, min(400, max(1, l.num("fontSize", 12))), font(l["fontFamily"])})
	s.out.WriteString("</g>\n")
	return seen
}

// lettering says how lines are set unless they specify otherwise.
type lettering struct {
	align, color string
	size         float64
	family       string // "" for that of the page
}

// lines draws lines in a block that is at least w wide, with its top at y. x is its left side, middle or right side,
// depending on the alignment.
func (s *scene) lines(lines []line, x, y, w float64, as lettering) {
	for _, li := range lines {
		w = max(w, li.width())
	}
	left := x - w/2
	switch as.align {
	case "left":
		left = x
	case "right":
		left = x - w
	}
	for _, li := range lines {
		y += li.above
		if li.rule > 0 {
			if li.rule >= 0.5 {
				s.out.WriteString(`<rect x="` + num(left+li.left) + `" y="` + num(y) + `" width="` + num(max(0, w-li.left-li.right)) + `" height="` + num(li.rule) + `" fill="#808080"/>`)
			}
			y += li.rule
			continue
		}
		high := li.size(as.size)
		anchor := as.align
		if li.align != "" {
			anchor = li.align
		}
		at := left + w/2 + (li.left-li.right)/2
		switch anchor {
		case "left":
			at = left + li.left
		case "right":
			at = left + w - li.right
		}
		if len(li.runs) > 0 && strings.TrimSpace(lineText(li)) != "" {
			s.out.WriteString(`<text x="` + num(at) + `" y="` + num(y+high*rise) + `" fill="` + as.color + `" font-size="` + num(high) + `"`)
			if as.family != "" {
				s.out.WriteString(` font-family="` + xmltree.Escape(as.family, '"') + `, Helvetica, Arial, sans-serif"`)
			}
			if a := map[string]string{"left": "", "right": "end"}; anchor != "left" {
				v, ok := a[anchor]
				if !ok {
					v = "middle"
				}
				s.out.WriteString(` text-anchor="` + v + `"`)
			}
			whole := len(li.runs) == 1
			if whole {
				s.face(li.runs[0].face, high)
			}
			s.out.WriteString(">")
			for _, r := range li.runs {
				if !whole {
					s.out.WriteString("<tspan")
					s.face(r.face, high)
					s.out.WriteString(">")
				}
				s.out.WriteString(xmltree.Escape(r.text, '"'))
				if !whole {
					s.out.WriteString("</tspan>")
				}
			}
			s.out.WriteString("</text>")
		}
		y += high * leading
	}
}

// lineText returns the text of a line.
func lineText(l line) string {
	var b strings.Builder
	for _, r := range l.runs {
		b.WriteString(r.text)
	}
	return b.String()
}

// face writes the attributes for a face.
func (s *scene) face(f face, size float64) {
	if f.bold {
		s.out.WriteString(` font-weight="bold"`)
	}
	if f.italic {
		s.out.WriteString(` font-style="italic"`)
	}
	switch {
	case f.under:
		s.out.WriteString(` text-decoration="underline"`)
	case f.strike:
		s.out.WriteString(` text-decoration="line-through"`)
	}
	if f.color != "" {
		s.out.WriteString(` style="fill:` + f.color + `"`)
	}
	if f.size != size {
		s.out.WriteString(` font-size="` + num(f.size) + `"`)
	}
}
