package svgdom

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/csscolor"
	"github.com/fcp-host/fcp-host/pdk/svgdom/css"
	"github.com/fcp-host/fcp-host/pdk/vector"
)

// Style is what the properties of an element say. Children inherit it, except Own.
type Style struct {
	Fill, Stroke               Paint
	FillOpacity, StrokeOpacity float64
	Color                      csscolor.Color // what currentColor stands for
	Width, DashShift           Length
	Dash                       []Length
	Miter                      float64
	Cap                        vector.Cap
	Join                       vector.Join
	EvenOdd, ClipEvenOdd       bool
	Hidden                     bool
	Order                      [3]byte    // 'f', 's' and 'm' in the order of painting; zero for this order
	Rough                      bool       // images are not smoothed
	Sharp                      bool       // no antialiasing
	Markers                    *[3]string // ids for the start, the middle and the end

	Size                        float64 // font size
	Bold, Italic, Under, Strike bool
	Anchor                      byte   // 's', 'm' or 'e'
	Dominant                    string // dominant-baseline
	KeepSpace                   bool
	Upright, Backward           bool // text runs downwards, or from right to left
	LetterGap, WordGap          Length

	Own
}

// Own is the properties that children do not inherit.
type Own struct {
	Opacity            float64
	Gone               bool
	Overflow           byte // 'v' for visible, 'h' for hidden, 0 if not set
	Blend              string
	Isolate            bool
	Move, Origin       string // transform and transform-origin
	Clip, Mask, Filter string
	Aligned, Raise     string // alignment-baseline and baseline-shift
}

// Paint is a colour, a gradient or a pattern; the zero value is none.
type Paint struct {
	Some    bool
	Current bool // it is currentColor
	Context byte // 'f' or 's': the fill or the stroke of the element that refers to this one
	Color   csscolor.Color
	Server  string // the id of a gradient or a pattern, preferred to Color
}

// Visible reports whether there is anything to paint.
func (p Paint) Visible() bool { return p.Some || p.Server != "" || p.Context != 0 }

// FirstStyle returns the style of which a root inherits.
func FirstStyle() Style {
	black := csscolor.Color{A: 1}
	return Style{
		Fill: Paint{Some: true, Color: black}, FillOpacity: 1, StrokeOpacity: 1, Color: black,
		Width: Length{N: 1}, Miter: 4, Size: 16, Anchor: 's', Own: Own{Opacity: 1},
	}
}

// Of returns the style of an element whose parent has style s.
func (s *Style) Of(c *Cascade, n *Node) Style { return s.of(c, n, nil) }

// of is Of, with some properties as in s.
func (s *Style) of(c *Cascade, n *Node, inherited []string) Style {
	out := *s
	out.Own = Own{Opacity: 1}
	var inherit []string
	c.Each(n, func(name, value string) {
		if len(inherit) > 0 {
			inherit = slices.DeleteFunc(inherit, func(k string) bool { return k == name })
		}
		if value == "initial" {
			p, _ := css.PropertyNamed(name)
			value = p.Initial
		}
		if value == "inherit" {
			inherit = append(inherit, name)
		} else if !slices.Contains(inherited, name) {
			out.set(name, value)
		}
	})
	if len(inherit) > 0 && inherited == nil {
		out = s.of(c, n, inherit)
		for _, name := range inherit {
			out.inherit(name, s)
		}
	}
	return out
}

// inherit copies a property that children do not inherit from the parent's style.
func (s *Own) inherit(name string, parent *Style) {
	switch name {
	case "opacity":
		s.Opacity = parent.Opacity
	case "display":
		s.Gone = parent.Gone
	case "overflow":
		if s.Overflow = parent.Overflow; s.Overflow == 0 {
			s.Overflow = 'v'
		}
	case "mask":
		s.Mask = parent.Mask
	case "clip-path":
		s.Clip = parent.Clip
	case "filter":
		s.Filter = parent.Filter
	case "transform":
		s.Move = parent.Move
	case "alignment-baseline":
		s.Aligned = parent.Aligned
	}
}

// set sets a property of the element.
//
// Over 80 lines: a case for each property.
func (s *Style) set(key, value string) {
	switch key {
	case "fill":
		s.Fill.set(value)
	case "stroke":
		s.Stroke.set(value)
	case "color":
		if c, ok := csscolor.Parse(value); ok {
			s.Color = c
		}
	case "fill-opacity":
		s.FillOpacity = Share(value, 1)
	case "stroke-opacity":
		s.StrokeOpacity = Share(value, 1)
	case "opacity":
		s.Opacity = min(1, max(0, Share(value, 1)))
	case "stroke-width":
		if l, ok := ReadLength(value); ok {
			s.Width = Length{max(0, l.N), l.Unit}
		}
	case "stroke-miterlimit":
		s.Miter = 4
		if f, unit, ok := Split(value); ok && unit == "" {
			s.Miter = max(1, f)
		}
	case "stroke-linecap":
		s.Cap = vector.Butt
		switch value {
		case "round":
			s.Cap = vector.RoundCap
		case "square":
			s.Cap = vector.Square
		}
	case "stroke-linejoin":
		s.Join = vector.Miter
		switch value {
		case "round":
			s.Join = vector.RoundJoin
		case "bevel":
			s.Join = vector.Bevel
		}
	case "stroke-dasharray":
		s.Dash = dashes(value)
	case "stroke-dashoffset":
		s.DashShift, _ = ReadLength(value)
	case "fill-rule":
		s.EvenOdd = value == "evenodd"
	case "clip-rule":
		s.ClipEvenOdd = value == "evenodd"
	case "visibility":
		s.Hidden = value == "hidden" || value == "collapse"
	case "display":
		s.Gone = value == "none"
	case "overflow":
		switch value {
		case "visible", "auto":
			s.Overflow = 'v'
		case "hidden", "scroll":
			s.Overflow = 'h'
		}
	case "transform":
		s.Move = value
	case "transform-origin":
		s.Origin = value
	case "clip-path":
		s.Clip = value
	case "mask":
		s.Mask = value
	case "filter":
		s.Filter = value
	case "mix-blend-mode":
		s.Blend = value
	case "isolation":
		s.Isolate = value == "isolate"
	case "paint-order":
		s.paintOrder(value)
	case "marker", "marker-start", "marker-mid", "marker-end":
		s.marker(key, value)
	case "image-rendering":
		switch value {
		case "optimizeSpeed", "pixelated", "crisp-edges":
			s.Rough = true
		default:
			s.Rough = false
		}
	case "shape-rendering":
		s.Sharp = value == "optimizeSpeed" || value == "crispEdges"
	default:
		s.setFont(key, value)
	}
}

// setFont sets a property of text.
func (s *Style) setFont(key, value string) {
	switch key {
	case "font-size":
		if size, ok := FontSize(value, s.Size); ok {
			s.Size = max(0, size)
		}
	case "font-weight":
		s.Bold = Bold(value)
	case "font-style":
		s.Italic = value == "italic" || value == "oblique"
	case "text-decoration", "text-decoration-line":
		s.Under, s.Strike = strings.Contains(value, "underline"), strings.Contains(value, "line-through")
	case "text-anchor":
		switch value {
		case "start", "middle", "end":
			s.Anchor = value[0]
		}
	case "dominant-baseline":
		s.Dominant = value
	case "alignment-baseline":
		s.Aligned = value
	case "baseline-shift":
		s.Raise = value
	case "letter-spacing":
		s.LetterGap, _ = ReadLength(value)
	case "word-spacing":
		s.WordGap, _ = ReadLength(value)
	case "writing-mode":
		s.Upright = strings.HasPrefix(value, "tb") || strings.HasPrefix(value, "vertical")
	case "direction":
		s.Backward = value == "rtl"
	case "xml:space":
		s.KeepSpace = value == "preserve"
	case "white-space":
		s.KeepSpace = strings.HasPrefix(value, "pre") || value == "break-spaces"
	}
}

// Bold reports whether a font weight is bold.
func Bold(weight string) bool {
	return weight == "bold" || weight == "bolder" || len(weight) == 3 && weight >= "600" && weight <= "900"
}

// paintOrder reads the order in which fill, stroke and markers are painted.
func (s *Style) paintOrder(value string) {
	order := strings.Fields(value)
	for _, one := range []string{"fill", "stroke", "markers"} {
		if !strings.Contains(value, one) {
			order = append(order, one)
		}
	}
	if len(order) != 3 || value == "normal" {
		order = []string{"fill", "stroke", "markers"}
	}
	s.Order = [3]byte{order[0][0], order[1][0], order[2][0]}
}

// marker reads the ids of markers.
func (s *Style) marker(key, value string) {
	ids := [3]string{}
	if s.Markers != nil {
		ids = *s.Markers
	}
	id := css.Reference(value)
	for i, k := range [3]string{"marker-start", "marker-mid", "marker-end"} {
		if key == k || key == "marker" {
			ids[i] = id
		}
	}
	s.Markers = nil
	if ids != [3]string{} {
		s.Markers = &ids
	}
}

func (p *Paint) set(value string) {
	switch value {
	case "none", "transparent":
		*p = Paint{}
		return
	case "currentColor", "currentcolor":
		*p = Paint{Some: true, Current: true}
		return
	case "context-fill", "context-stroke":
		*p = Paint{Context: value[len("context-")]}
		return
	case "":
		return
	}
	if strings.HasPrefix(value, "url(") {
		_, after, _ := strings.Cut(value, ")")
		*p = Paint{Server: cmp.Or(css.Reference(value), value)}
		if after = strings.TrimSpace(after); strings.EqualFold(after, "currentcolor") {
			p.Some, p.Current = true, true
		} else if c, ok := csscolor.Parse(after); ok { // fallback if the gradient does not exist
			p.Some, p.Color = true, c
		}
		return
	}
	if c, ok := csscolor.Parse(value); ok {
		*p = Paint{Some: true, Color: c}
	}
}

// dashes reads stroke-dasharray; nil for a solid line.
func dashes(value string) []Length {
	var list []Length
	for one := range strings.FieldsFuncSeq(value, func(r rune) bool { return r == ' ' || r == ',' || r == '\t' || r == '\n' }) {
		l, ok := ReadLength(one)
		if !ok || l.N < 0 {
			return nil
		}
		if list = append(list, l); len(list) == 32 {
			break
		}
	}
	return list
}

// Line returns the stroke of a shape; whole is the length to which percentages refer.
func (s *Style) Line(whole float64) vector.Stroke {
	out := vector.Stroke{Width: s.Width.In(whole, s.Size), Cap: s.Cap, Join: s.Join, Miter: s.Miter, Offset: s.DashShift.In(whole, s.Size)}
	for _, d := range s.Dash {
		out.Dashes = append(out.Dashes, d.In(whole, s.Size))
	}
	return out
}
