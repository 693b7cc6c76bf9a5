package verbs

import (
	"fmt"
	"math"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/csscolor"
	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/svgdom/css"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/scene"
)

// shortener rewrites the attributes of elements in fewer bytes.
type shortener struct {
	*op
	numbers, looks bool // what to shorten
	digits         int  // decimals of a pixel, as the document is shown
	first          *scene.Scene
	zoom           float64 // pixels per unit of the canvas
	names          map[uint32]string
	shown          map[*node]bool // elements that use elements show
	ruled          bool           // the document has style rules
}

func (o *op) shortener(digits int) *shortener {
	s := &shortener{op: o, numbers: true, looks: o.f.Count("script") == 0, digits: digits, first: o.scene(), names: map[uint32]string{}, shown: map[*node]bool{}}
	w, h := s.first.Size()
	c := s.first.Canvas()
	s.zoom = max(w/c.Width(), h/c.Height(), 1e-6)
	for _, name := range csscolor.Names() {
		if rgb, ok := csscolor.Named(name); ok && (s.names[rgb] == "" || len(name) < len(s.names[rgb])) {
			s.names[rgb] = name
		}
	}
	for n := range o.f.Links() {
		if n.Type == "use" {
			if t := s.first.Target(n); t != nil {
				s.shown[t] = true
			}
		}
	}
	sheets, _ := o.f.Sheets()
	s.ruled = len(sheets) > 0 || strings.Contains(o.f.Head(), "xml-stylesheet")
	for _, n := range sheets {
		// A rule may test an attribute's literal value.
		s.looks = s.looks && !strings.Contains(n.Text(), "[")
	}
	return s
}

// element shortens the attributes of an element where that saves bytes.
func (s *shortener) element(n *node) {
	digits := s.digitsOf(s.first.CTM(n), 1)
	if s.isElsewhere(n) {
		digits += 2
	}
	for k, v := range n.Attrs() {
		fresh := v
		switch {
		case !s.numbers && k != "style" && !colored(k):
		case k == "d":
			if p, err := vector.Parse(v); err == nil && len(p) > 0 {
				fresh = p.Round(digits).Shortest().String()
			}
		case k == "points":
			f := vector.Numbers(v, math.MaxInt)
			var b []string
			for i := range f {
				b = append(b, decimal(f[i], digits))
			}
			if len(f)%2 == 0 {
				fresh = strings.Join(b, " ")
			}
		case k == "transform":
			fresh = s.transform(n, v)
		case k == "gradientTransform" || k == "patternTransform":
			fresh = shortTransform(v, s.digits+3, s.digits+3)
		case k == "style":
			fresh = s.style(n, v)
		case geometry[k] != 0 || k == "x" || k == "width" || k == "cx" || k == "rx" || k == "x1" || k == "x2":
			if f, unit, ok := svgdom.Split(v); ok {
				fresh = decimal(f, digits) + unit
			}
		default:
			fresh = s.value(k, v, digits)
		}
		switch {
		case len(fresh) >= len(v):
		case fresh == "":
			s.DropAttr(n, k)
		default:
			s.SetAttr(n, k, fresh)
		}
	}
	if s.looks {
		s.defaults(n)
	}
}

// digitsOf returns how many decimals numbers need, given the matrix from them to the
// canvas and a factor.
func (s *shortener) digitsOf(m vector.Matrix, factor float64) int {
	size := max(math.Hypot(m.A, m.B), math.Hypot(m.C, m.D)) * factor * s.zoom
	if !(size > 0) || math.IsInf(size, 0) {
		return s.digits
	}
	return min(12, s.digits+max(0, int(math.Ceil(math.Log10(size)-0.3))))
}

// isElsewhere reports whether an element is drawn, or measured, in a space that does
// not follow from its position in the tree.
func (s *shortener) isElsewhere(n *node) bool {
	for m := n; m != nil; m = m.Parent {
		switch m.Type {
		case "defs", "symbol", "marker", "pattern", "clipPath", "mask", "linearGradient", "radialGradient", "filter":
			return true
		}
		if s.shown[m] {
			return true
		}
	}
	return false
}

func colored(property string) bool {
	p, ok := css.PropertyNamed(property)
	return ok && (p.Kind == css.Paint || p.Kind == css.Color)
}

// value returns a shorter notation of a property's value.
func (s *shortener) value(property, v string, digits int) string {
	p, ok := css.PropertyNamed(property)
	switch {
	case !ok:
	case p.Kind == css.Paint || p.Kind == css.Color:
		if s.looks {
			return s.color(v)
		}
	case s.numbers && (p.Kind == css.Length || p.Kind == css.Number || p.Kind == css.Opacity):
		if f, unit, ok := svgdom.Split(v); ok {
			return shorterOf(v, decimal(f, max(digits, 2))+unit)
		}
	}
	return v
}

func shorterOf(a, b string) string {
	if len(b) < len(a) {
		return b
	}
	return a
}

// color returns the shortest notation of an opaque colour.
func (s *shortener) color(v string) string {
	c, ok := csscolor.Parse(v)
	if !ok || c.A != 1 {
		return v
	}
	rgb := uint32(0)
	for _, f := range [3]float64{c.R, c.G, c.B} {
		channel := math.Round(f * 255)
		if math.Abs(channel-f*255) > 1e-6 {
			return v
		}
		rgb = rgb<<8 | uint32(channel)
	}
	hex := fmt.Sprintf("#%06x", rgb)
	if hex[1] == hex[2] && hex[3] == hex[4] && hex[5] == hex[6] {
		hex = "#" + hex[1:2] + hex[3:4] + hex[5:6]
	}
	best := shorterOf(v, hex)
	if name := s.names[rgb]; name != "" {
		best = shorterOf(best, name)
	}
	return best
}

// style returns a style attribute without the declarations that have no effect.
func (s *shortener) style(n *node, text string) string {
	list := css.Declarations(text)
	if strings.Contains(text, "/*") || strings.ContainsAny(text, "<{") {
		return text
	}
	digits := s.digitsOf(s.first.CTM(n), 1)
	var out []string
	for _, d := range list {
		v := s.value(d.Name, d.Value, digits)
		if d.Important {
			v += "!important"
		}
		out = append(out, d.Name+":"+v)
	}
	return strings.Join(out, ";")
}

// agreedDefaults lists properties whose initial value all programs agree on.
var agreedDefaults = []string{
	"opacity", "fill", "fill-opacity", "fill-rule", "clip-rule", "stroke", "stroke-width", "stroke-opacity", "stroke-linecap", "stroke-linejoin", "stroke-miterlimit", "stroke-dasharray", "stroke-dashoffset",
	"visibility", "text-anchor", "font-style", "font-weight", "font-variant", "font-stretch", "letter-spacing", "word-spacing", "filter", "clip-path", "mask", "marker-start", "marker-mid", "marker-end",
	"stop-opacity", "mix-blend-mode", "isolation", "vector-effect", "paint-order", "shape-rendering", "text-rendering", "image-rendering",
}

// defaults removes properties whose value the element would have anyway.
func (s *shortener) defaults(n *node) {
	if n == s.f.Root || !strings.Contains(n.Tag, "=") {
		return // the context of the root may set something else
	}
	shown := false
	for m := n; m != nil; m = m.Parent {
		shown = shown || s.shown[m]
	}
	for _, name := range agreedDefaults {
		if !strings.Contains(n.Tag, name) {
			continue
		}
		p, _ := css.PropertyNamed(name)
		v, from := s.scene().Own(n, name)
		if from != svgdom.Attribute && from != svgdom.Inline || p.Inherited && shown {
			continue
		}
		without := p.Initial
		if p.Inherited {
			without = s.scene().Value(n.Parent, name)
		}
		style, _ := n.Attr("style")
		_, isAttr := n.Attr(name)
		// A rule or an attribute may set another value below that of the style
		// attribute.
		if from == svgdom.Inline && (isAttr || s.ruled) || strings.Contains(style, "/*") {
			continue
		}
		if s.value(name, v, 6) == s.value(name, without, 6) {
			s.paintKey(n, p.Name, "")
		}
	}
}

// transform returns a shorter notation of a transform.
func (s *shortener) transform(n *node, v string) string {
	if n.Parent == nil {
		return v
	}
	outer := s.first.CTM(n.Parent)
	reach := 100.0
	if b, ok := s.first.Local(n); ok {
		reach = max(1, math.Abs(b.X0), math.Abs(b.X1), math.Abs(b.Y0), math.Abs(b.Y1))
	}
	return shortTransform(v, s.digitsOf(outer, 1), s.digitsOf(outer, reach))
}

// shortTransform shortens a list of transforms to that many decimals for lengths, and
// to fine decimals for factors and angles. It writes one matrix instead if that is
// shorter.
func shortTransform(v string, digits, fine int) string {
	m, err := vector.ParseTransform(v)
	if err != nil || strings.Contains(v, "deg") || strings.Contains(v, "px") || strings.Contains(v, "none") {
		return v
	}
	var list strings.Builder
	rest := v
	for {
		name, tail, ok := strings.Cut(rest, "(")
		args, next, closed := strings.Cut(tail, ")")
		if !ok || !closed {
			break
		}
		list.WriteString(shortFunction(strings.Trim(name, " ,\t\r\n"), vector.Numbers(args, 6), digits, fine))
		rest = next
	}
	return shorterOf(list.String(), rounded(m, digits, fine).String())
}

func rounded(m vector.Matrix, digits, fine int) vector.Matrix {
	r := func(f float64, digits int) float64 {
		scale := math.Pow(10, float64(digits))
		return math.Round(f*scale) / scale
	}
	return vector.Matrix{A: r(m.A, fine), B: r(m.B, fine), C: r(m.C, fine), D: r(m.D, fine), E: r(m.E, digits), F: r(m.F, digits)}
}

// shortFunction shortens one function of a list; the result is "" for a function
// without effect.
func shortFunction(name string, n []float64, digits, fine int) string {
	if name == "matrix" && len(n) == 6 {
		return rounded(vector.Matrix{A: n[0], B: n[1], C: n[2], D: n[3], E: n[4], F: n[5]}, digits, fine).String()
	}
	text := make([]string, len(n))
	for i, f := range n {
		d := fine
		if name == "translate" || name == "rotate" && i > 0 {
			d = digits
		}
		text[i] = decimal(f, d)
	}
	switch {
	case name == "translate" && len(n) == 2 && text[1] == "0":
		text = text[:1]
	case name == "scale" && len(n) == 2 && text[0] == text[1]:
		text = text[:1]
	case name == "rotate" && len(n) == 3 && text[1] == "0" && text[2] == "0":
		text = text[:1]
	}
	switch joined := strings.Join(text, " "); {
	case name != "scale" && text[0] == "0" && (len(text) == 1 || name == "rotate"), name == "scale" && joined == "1":
		return ""
	default:
		return name + "(" + joined + ")"
	}
}

// decimal prints a number with at most that many decimals.
func decimal(f float64, digits int) string {
	scale := math.Pow(10, float64(digits))
	return string(vector.AppendNumber(nil, math.Round(f*scale)/scale))
}
