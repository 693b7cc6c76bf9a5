package picture

import (
	"strings"

	"github.com/fcp-host/fcp-host/pdk/vector"
)

// style is the style of an element. Children inherit it, except own.
type style struct {
	fill, stroke               paint
	fillOpacity, strokeOpacity float64
	color                      rgba // what currentColor stands for
	width, dashShift           length
	dash                       []length
	miter                      float64
	cap                        vector.Cap
	join                       vector.Join
	evenodd, clipEvenodd       bool
	hidden                     bool
	order                      [3]byte    // 'f', 's' and 'm' in the order of painting; zero for this order
	rough                      bool       // images are not smoothed
	sharp                      bool       // no antialiasing
	markers                    *[3]string // ids for the start, the middle and the end

	size                        float64 // font size
	bold, italic, under, strike bool
	anchor                      byte    // 's', 'm' or 'e'
	drop                        float64 // distance of the baseline below the position of text, in font sizes
	keepSpace                   bool
	upright, backward           bool // text runs downwards, or from right to left
	letterGap, wordGap          length

	own
}

// own is the properties that children do not inherit.
type own struct {
	opacity            float64
	gone               bool
	overflow           byte // 'v' for visible, 'h' for hidden, 0 if not set
	blend              blend
	isolate            bool
	move, origin       string // transform and transform-origin
	clip, mask, filter string
	raise              string // baseline-shift
}

// paint is a colour, a gradient or a pattern; the zero value is none.
type paint struct {
	some    bool
	current bool // it is currentColor
	context byte // 'f' or 's': the fill or the stroke of the element that refers to this one
	color   rgba
	server  string // the id of a gradient or a pattern, preferred to color
}

// visible reports whether there is anything to paint.
func (p paint) visible() bool { return p.some || p.server != "" || p.context != 0 }

func firstStyle() style {
	return style{
		fill: paint{some: true, color: rgba{a: 1}}, fillOpacity: 1, strokeOpacity: 1, color: rgba{a: 1},
		width: px(1), miter: 4, size: 16, anchor: 's', own: own{opacity: 1},
	}
}

// set sets a property of the element.
//
// Over 80 lines: a case for each property.
func (s *style) set(key, value string) {
	switch key {
	case "fill":
		s.fill.set(value)
	case "stroke":
		s.stroke.set(value)
	case "color":
		if c, ok := parseColor(value); ok {
			s.color = c
		}
	case "fill-opacity":
		s.fillOpacity = number(value, 1)
	case "stroke-opacity":
		s.strokeOpacity = number(value, 1)
	case "opacity":
		s.opacity = min(1, max(0, number(value, 1)))
	case "stroke-width":
		if l, ok := readLength(value); ok {
			s.width = length{max(0, l.n), l.unit}
		}
	case "stroke-miterlimit":
		s.miter = 4
		if f, ok := plainNumber(value); ok {
			s.miter = max(1, f)
		}
	case "stroke-linecap":
		s.cap = vector.Butt
		switch value {
		case "round":
			s.cap = vector.RoundCap
		case "square":
			s.cap = vector.Square
		}
	case "stroke-linejoin":
		s.join = vector.Miter
		switch value {
		case "round":
			s.join = vector.RoundJoin
		case "bevel":
			s.join = vector.Bevel
		}
	case "stroke-dasharray":
		s.dash = dashes(value)
	case "stroke-dashoffset":
		s.dashShift, _ = readLength(value)
	case "fill-rule":
		s.evenodd = value == "evenodd"
	case "clip-rule":
		s.clipEvenodd = value == "evenodd"
	case "visibility":
		s.hidden = value == "hidden" || value == "collapse"
	case "display":
		s.gone = value == "none"
	case "overflow":
		switch value {
		case "visible", "auto":
			s.overflow = 'v'
		case "hidden", "scroll":
			s.overflow = 'h'
		}
	case "transform":
		s.move = value
	case "transform-origin":
		s.origin = value
	case "clip-path":
		s.clip = value
	case "mask":
		s.mask = value
	case "filter":
		s.filter = value
	case "mix-blend-mode":
		s.blend = blendNamed(value)
	case "isolation":
		s.isolate = value == "isolate"
	case "paint-order":
		s.paintOrder(value)
	case "marker", "marker-start", "marker-mid", "marker-end":
		s.marker(key, value)
	case "image-rendering":
		switch value {
		case "optimizeSpeed", "pixelated", "crisp-edges":
			s.rough = true
		default:
			s.rough = false
		}
	case "shape-rendering":
		s.sharp = value == "optimizeSpeed" || value == "crispEdges"
	default:
		s.setFont(key, value)
	}
}

// setFont sets a property of text.
func (s *style) setFont(key, value string) {
	switch key {
	case "font-size":
		if l, ok := readLength(value); ok {
			s.size = l.in(s.size, s.size)
		} else if k, ok := sizes[value]; ok {
			s.size = k
		}
		s.size = min(2000, max(0, s.size))
	case "font-weight":
		s.bold = value == "bold" || value == "bolder" || len(value) == 3 && value >= "600" && value <= "900"
	case "font-style":
		s.italic = value == "italic" || value == "oblique"
	case "text-decoration", "text-decoration-line":
		s.under, s.strike = strings.Contains(value, "underline"), strings.Contains(value, "line-through")
	case "text-anchor":
		switch value {
		case "start", "middle", "end":
			s.anchor = value[0]
		}
	case "dominant-baseline", "alignment-baseline":
		s.drop = Baseline(value)
	case "baseline-shift":
		s.raise = value
	case "letter-spacing":
		s.letterGap, _ = readLength(value)
	case "word-spacing":
		s.wordGap, _ = readLength(value)
	case "writing-mode":
		s.upright = strings.HasPrefix(value, "tb") || strings.HasPrefix(value, "vertical")
	case "direction":
		s.backward = value == "rtl"
	case "xml:space":
		s.keepSpace = value == "preserve"
	}
}

// sizes are the names of font sizes.
var sizes = map[string]float64{
	"xx-small": 9.6, "x-small": 10.7, "small": 13.3, "medium": 16, "large": 19.2, "x-large": 23, "xx-large": 27.6,
}

// paintOrder reads the order in which fill, stroke and markers are painted.
func (s *style) paintOrder(value string) {
	order := strings.Fields(value)
	for _, one := range []string{"fill", "stroke", "markers"} {
		if !strings.Contains(value, one) {
			order = append(order, one)
		}
	}
	if len(order) != 3 || value == "normal" {
		order = []string{"fill", "stroke", "markers"}
	}
	s.order = [3]byte{order[0][0], order[1][0], order[2][0]}
}

// marker reads the ids of markers.
func (s *style) marker(key, value string) {
	ids := [3]string{}
	if s.markers != nil {
		ids = *s.markers
	}
	id, _ := reference(value)
	for i, k := range [3]string{"marker-start", "marker-mid", "marker-end"} {
		if key == k || key == "marker" {
			ids[i] = id
		}
	}
	s.markers = nil
	if ids != [3]string{} {
		s.markers = &ids
	}
}

// reference returns the id in url(#id), and what follows it.
func reference(value string) (id, rest string) {
	inside, ok := strings.CutPrefix(strings.TrimSpace(value), "url(")
	if !ok {
		return "", ""
	}
	id, rest, _ = strings.Cut(inside, ")")
	return strings.Trim(id, "\"'# "), strings.TrimSpace(rest)
}

func (p *paint) set(value string) {
	switch value {
	case "none", "transparent":
		*p = paint{}
		return
	case "currentColor", "currentcolor":
		*p = paint{some: true, current: true}
		return
	case "context-fill", "context-stroke":
		*p = paint{context: value[len("context-")]}
		return
	case "":
		return
	}
	if id, after := reference(value); id != "" {
		*p = paint{server: id}
		if strings.EqualFold(after, "currentcolor") {
			p.some, p.current = true, true
		} else if c, ok := parseColor(after); ok { // fallback if the gradient does not exist
			p.some, p.color = true, c
		}
		return
	}
	if c, ok := parseColor(value); ok {
		*p = paint{some: true, color: c}
	}
}

// dashes reads stroke-dasharray; nil for a solid line.
func dashes(value string) []length {
	var list []length
	for one := range strings.FieldsFuncSeq(value, func(r rune) bool { return r == ' ' || r == ',' || r == '\t' || r == '\n' }) {
		l, ok := readLength(one)
		if !ok || l.n < 0 {
			return nil
		}
		if list = append(list, l); len(list) == 32 {
			break
		}
	}
	return list
}

// line returns the stroke of a shape; whole is the length to which percentages refer.
func (s *style) line(whole float64) vector.Stroke {
	out := vector.Stroke{Width: s.width.in(whole, s.size), Cap: s.cap, Join: s.join, Miter: s.miter, Offset: s.dashShift.in(whole, s.size)}
	for _, d := range s.dash {
		out.Dashes = append(out.Dashes, d.in(whole, s.size))
	}
	return out
}
