// Package canvas implements the abstract canvas on which draw.io's shapes draw. It writes SVG, and makes colours and
// texts from files safe before writing them.
package canvas

import (
	"math"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// Text is a text to be drawn.
type Text struct {
	X, Y, W, H    float64
	Text          string
	Align, Valign string
	Wrap, HTML    bool
	Angle         float64 // degrees
	Pen
}

// Pen is the state with which a canvas draws.
type Pen struct {
	Fill, Stroke     string // a colour, the URL of a gradient, or "none"
	Width            float64
	Dashed           bool
	Pattern          string // dash lengths, in line widths
	FixedDash        bool   // dash lengths are in units
	Cap, Join        string
	Miter            float64
	Alpha            float64
	FillAlpha        float64
	StrokeAlpha      float64
	Shadow           bool
	FontColor        string
	FontSize         float64
	FontStyle        int
	a, b, c, d, e, f float64 // matrix from the shape's coordinates to those of the drawing
	scale            float64
}

// Canvas draws shapes. New makes one.
type Canvas struct {
	Pen
	// Gradient returns the URL of a gradient between two colours.
	Gradient func(from, to, direction string) string
	// Write draws a text, whose position is in coordinates of the drawing.
	Write func(Text)

	out   *strings.Builder
	saved []Pen
	path  []byte
	x, y  float64 // current point of the path, in the shape's coordinates
	sx    float64 // start of the subpath
	sy    float64
	Drawn bool // whether anything was drawn
}

// New makes a canvas that writes to out.
func New(out *strings.Builder) *Canvas {
	return &Canvas{out: out, Pen: Pen{Fill: "none", Stroke: "none", Width: 1, Miter: 10, Alpha: 1, FillAlpha: 1, StrokeAlpha: 1, FontColor: "#000000", FontSize: 12, a: 1, d: 1, scale: 1}}
}

// Color returns a colour of a script or a stencil in SVG's notation, "none" for an invalid one. usual is the value
// of "default".
func Color(s, usual string) string {
	if rest, ok := strings.CutPrefix(s, "light-dark("); ok {
		s, _, _ = strings.Cut(rest, ",")
		s = strings.TrimSpace(s)
	}
	c, ok := style.Color(s)
	switch {
	case !ok || c == "":
		return "none"
	case c == "default":
		return usual
	}
	return c
}

// Save saves the pen for Restore.
func (c *Canvas) Save() {
	if len(c.saved) < 100 {
		c.saved = append(c.saved, c.Pen)
	}
}

// Restore restores the pen that was saved last.
func (c *Canvas) Restore() {
	if n := len(c.saved); n > 0 {
		c.Pen, c.saved = c.saved[n-1], c.saved[:n-1]
	}
}

// Translate moves everything drawn after it.
func (c *Canvas) Translate(x, y float64) {
	c.e, c.f = c.point(x, y)
}

// Scale scales everything drawn after it, including line widths.
func (c *Canvas) Scale(s float64) {
	c.a, c.b, c.c, c.d = c.a*s, c.b*s, c.c*s, c.d*s
	c.scale *= s
	c.Width *= s
}

// Rotate flips everything drawn after it, then rotates it around a point by degrees.
func (c *Canvas) Rotate(angle float64, flipH, flipV bool, x, y float64) {
	sin, cos := math.Sincos(angle * math.Pi / 180)
	h, v := 1.0, 1.0
	if flipH {
		h = -1
	}
	if flipV {
		v = -1
	}
	c.Translate(x, y)
	p, q, r, s := cos*h, sin*h, -sin*v, cos*v
	c.a, c.b, c.c, c.d = c.a*p+c.c*q, c.b*p+c.d*q, c.a*r+c.c*s, c.b*r+c.d*s
	c.Translate(-x, -y)
}

func (c *Canvas) point(x, y float64) (float64, float64) {
	return c.a*x + c.c*y + c.e, c.b*x + c.d*y + c.f
}

// Begin starts a path.
func (c *Canvas) Begin() { c.path = c.path[:0] }

func (c *Canvas) step(op byte, xy ...float64) {
	if len(c.path) > 1<<20 {
		return
	}
	c.path = append(c.path, op)
	for i := 0; i+1 < len(xy); i += 2 {
		x, y := c.point(xy[i], xy[i+1])
		if i > 0 {
			c.path = append(c.path, ' ')
		}
		c.path = append(append(append(c.path, Num(x)...), ' '), Num(y)...)
		c.x, c.y = xy[i], xy[i+1]
	}
}

// MoveTo starts a subpath.
func (c *Canvas) MoveTo(x, y float64) {
	c.step('M', x, y)
	c.sx, c.sy = x, y
}

// LineTo adds a line.
func (c *Canvas) LineTo(x, y float64) { c.step('L', x, y) }

// QuadTo adds a quadratic curve.
func (c *Canvas) QuadTo(x1, y1, x, y float64) { c.step('Q', x1, y1, x, y) }

// CurveTo adds a cubic curve.
func (c *Canvas) CurveTo(x1, y1, x2, y2, x, y float64) { c.step('C', x1, y1, x2, y2, x, y) }

// Close closes the subpath.
func (c *Canvas) Close() {
	if len(c.path) > 0 {
		c.path = append(c.path, 'Z')
		c.x, c.y = c.sx, c.sy
	}
}

// ArcTo adds an elliptical arc, with SVG's parameters.
func (c *Canvas) ArcTo(rx, ry, angle float64, large, sweep bool, x, y float64) {
	rx, ry = math.Abs(rx), math.Abs(ry)
	if rx == 0 || ry == 0 || !(rx < 1e7 && ry < 1e7) || c.x == x && c.y == y {
		c.LineTo(x, y)
		return
	}
	// The centre of the ellipse, computed as in the SVG specification.
	sin, cos := math.Sincos(angle * math.Pi / 180)
	x0, y0 := c.x, c.y
	dx, dy := (x0-x)/2, (y0-y)/2
	u, v := cos*dx+sin*dy, -sin*dx+cos*dy
	if over := u*u/(rx*rx) + v*v/(ry*ry); over > 1 {
		rx, ry = rx*math.Sqrt(over), ry*math.Sqrt(over)
	}
	k := math.Sqrt(max(0, (rx*rx*ry*ry-rx*rx*v*v-ry*ry*u*u)/(rx*rx*v*v+ry*ry*u*u)))
	if large == sweep {
		k = -k
	}
	mu, mv := k*rx*v/ry, -k*ry*u/rx
	mx, my := cos*mu-sin*mv+(x0+x)/2, sin*mu+cos*mv+(y0+y)/2
	from := math.Atan2((v-mv)/ry, (u-mu)/rx)
	turn := math.Atan2((-v-mv)/ry, (-u-mu)/rx) - from
	if sweep && turn < 0 {
		turn += 2 * math.Pi
	}
	if !sweep && turn > 0 {
		turn -= 2 * math.Pi
	}
	n := math.Ceil(math.Abs(turn)/(math.Pi/2) - 1e-9)
	step := turn / n
	t := 4.0 / 3 * math.Tan(step/4)
	at := func(a, along float64) (float64, float64) {
		s, co := math.Sincos(a)
		px, py := rx*(co-along*s), ry*(s+along*co)
		return mx + cos*px - sin*py, my + sin*px + cos*py
	}
	for i := range int(n) {
		a := from + float64(i)*step
		x1, y1 := at(a, t)
		x2, y2 := at(a+step, -t)
		x3, y3 := at(a+step, 0)
		if i == int(n)-1 {
			x3, y3 = x, y
		}
		c.CurveTo(x1, y1, x2, y2, x3, y3)
	}
}

// Rect replaces the path by a rectangle.
func (c *Canvas) Rect(x, y, w, h float64) {
	c.Begin()
	c.MoveTo(x, y)
	c.LineTo(x+w, y)
	c.LineTo(x+w, y+h)
	c.LineTo(x, y+h)
	c.Close()
}

// RoundRect replaces the path by a rectangle with rounded corners.
func (c *Canvas) RoundRect(x, y, w, h, rx, ry float64) {
	rx, ry = min(rx, w/2), min(ry, h/2)
	c.Begin()
	c.MoveTo(x+rx, y)
	c.LineTo(x+w-rx, y)
	c.QuadTo(x+w, y, x+w, y+ry)
	c.LineTo(x+w, y+h-ry)
	c.QuadTo(x+w, y+h, x+w-rx, y+h)
	c.LineTo(x+rx, y+h)
	c.QuadTo(x, y+h, x, y+h-ry)
	c.LineTo(x, y+ry)
	c.QuadTo(x, y, x+rx, y)
	c.Close()
}

// Ellipse replaces the path by an ellipse in a box.
func (c *Canvas) Ellipse(x, y, w, h float64) {
	c.Begin()
	c.MoveTo(x, y+h/2)
	c.ArcTo(w/2, h/2, 0, false, true, x+w, y+h/2)
	c.ArcTo(w/2, h/2, 0, false, true, x, y+h/2)
	c.Close()
}

// Paint fills the path, strokes it, or both.
func (c *Canvas) Paint(fill, stroke bool) {
	if len(c.path) == 0 {
		return
	}
	c.Drawn = true
	fill, stroke = fill && c.Fill != "none", stroke && c.Stroke != "none"
	if !fill && !stroke {
		return
	}
	o := c.out
	if c.Shadow {
		o.WriteString(`<path d="` + string(c.path) + `" transform="translate(2 3)"`)
		if fill {
			o.WriteString(` fill="#000000" fill-opacity="0.25"/>`)
		} else {
			o.WriteString(` fill="none" stroke="#000000" stroke-opacity="0.25" stroke-width="` + Num(c.Width) + `"/>`)
		}
	}
	o.WriteString(`<path d="` + string(c.path) + `"`)
	if fill {
		o.WriteString(` fill="` + c.Fill + `"`)
		opacity(o, "fill-opacity", c.Alpha*c.FillAlpha)
	} else {
		o.WriteString(` fill="none"`)
	}
	if stroke {
		o.WriteString(` stroke="` + c.Stroke + `"`)
		if c.Width != 1 {
			o.WriteString(` stroke-width="` + Num(max(0, c.Width)) + `"`)
		}
		opacity(o, "stroke-opacity", c.Alpha*c.StrokeAlpha)
		if c.Dashed {
			o.WriteString(` stroke-dasharray="` + c.dash() + `"`)
		}
		switch c.Cap {
		case "round", "square":
			o.WriteString(` stroke-linecap="` + c.Cap + `"`)
		}
		switch c.Join {
		case "round", "bevel":
			o.WriteString(` stroke-linejoin="` + c.Join + `"`)
		}
		if c.Miter != 10 && c.Miter >= 1 {
			o.WriteString(` stroke-miterlimit="` + Num(c.Miter) + `"`)
		}
	}
	o.WriteString("/>")
}

func opacity(o *strings.Builder, name string, v float64) {
	if v < 1 {
		o.WriteString(" " + name + `="` + Num(max(0, v)) + `"`)
	}
}

func (c *Canvas) dash() string {
	scale := c.scale
	if !c.FixedDash {
		scale = max(1, c.Width)
	}
	var out []string
	for _, w := range strings.Fields(c.Pattern) {
		if f, err := strconv.ParseFloat(w, 64); err == nil && f >= 0 && f < 1000 {
			out = append(out, Num(max(f, 0.1)*scale))
		}
	}
	if len(out) == 0 {
		return Num(3*scale) + " " + Num(3*scale)
	}
	return strings.Join(out, " ")
}

// Set draws a text. Its position is in the shape's coordinates.
func (c *Canvas) Set(t Text) {
	if t.Text == "" || c.Write == nil {
		return
	}
	c.Drawn = true
	t.X, t.Y = c.point(t.X, t.Y)
	t.W, t.H = t.W*c.scale, t.H*c.scale
	t.Pen = c.Pen
	t.FontSize *= c.scale
	t.Angle += math.Atan2(c.b, c.a) * 180 / math.Pi
	c.Write(t)
}

// Num formats a coordinate with at most two decimals.
func Num(f float64) string {
	if f = math.Round(f*100) / 100; f == 0 || math.IsNaN(f) || math.IsInf(f, 0) {
		return "0"
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}
