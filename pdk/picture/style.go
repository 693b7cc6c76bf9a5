package picture

import (
	"slices"
	"strings"
)

// style is how an element is drawn; its kids begin with the same.
type style struct {
	fill, stroke               paint
	fillOpacity, strokeOpacity float64
	color                      rgba // what currentColor stands for
	width, miter               float64
	dash                       []float64
	shift                      float64 // where in the dashes a line begins
	roundCap, squareCap        bool
	roundJoin, bevelJoin       bool
	evenodd, hidden            bool

	size                        float64 // of the font
	bold, italic, under, strike bool
	anchor                      byte // 's', 'm' or 'e'
	middle                      byte // of the line at the baseline: 'b', 'm', 't'
	keepSpace                   bool

	// Of the element alone.
	opacity float64
	gone    bool
	move    string
}

// paint is a colour or a gradient; the zero value is none.
type paint struct {
	some     bool
	color    rgba
	gradient string // the id of one, over color
}

func firstStyle() style {
	return style{
		fill: paint{some: true, color: rgba{a: 1}}, fillOpacity: 1, strokeOpacity: 1, color: rgba{a: 1},
		width: 1, miter: 4, size: 16, anchor: 's', middle: 'b', opacity: 1,
	}
}

// of is the style of an element inside of one with style s: attributes first,
// then the rules of style elements, then its own style attribute.
func (s style) of(d *document, n *node) style {
	s.opacity, s.gone, s.move = 1, false, ""
	own := ""
	for i := range n.attrs {
		if a := &n.attrs[i]; a.key == "style" {
			own = a.value
		} else {
			s.set(a.key, a.value)
		}
	}
	if len(d.rules) > 0 {
		id, class := n.attr("id"), n.attr("class")
		for i := range d.rules {
			if d.rules[i].matches(n.name, id, class) {
				s.declare(d.rules[i].body)
			}
		}
	}
	if own != "" {
		s.declare(own)
	}
	return s
}

// declare applies declarations as CSS writes them.
func (s *style) declare(css string) {
	for css != "" {
		var one string
		one, css, _ = strings.Cut(css, ";")
		if key, value, ok := strings.Cut(one, ":"); ok {
			value, _, _ = strings.Cut(value, "!important")
			s.set(strings.TrimSpace(key), strings.TrimSpace(value))
		}
	}
}

func (s *style) set(key, value string) {
	switch key {
	case "fill":
		s.paint(&s.fill, value)
	case "stroke":
		s.paint(&s.stroke, value)
	case "color":
		if c, ok := parseColor(value); ok {
			s.color = c
		}
	case "fill-opacity":
		s.fillOpacity = number(value, 1, 1)
	case "stroke-opacity":
		s.strokeOpacity = number(value, 1, 1)
	case "opacity":
		s.opacity = min(1, max(0, number(value, 1, 1)))
	case "stroke-width":
		s.width = max(0, number(value, 0, 1))
	case "stroke-miterlimit":
		s.miter = max(1, number(value, 1, 4))
	case "stroke-linecap":
		s.roundCap, s.squareCap = value == "round", value == "square"
	case "stroke-linejoin":
		s.roundJoin, s.bevelJoin = value == "round", value == "bevel"
	case "stroke-dasharray":
		s.dash = dashes(value)
	case "stroke-dashoffset":
		s.shift = number(value, 0, 0)
	case "fill-rule":
		s.evenodd = value == "evenodd"
	case "visibility":
		s.hidden = value == "hidden" || value == "collapse"
	case "display":
		s.gone = value == "none"
	case "transform":
		s.move = value
	case "font-size":
		if strings.HasSuffix(value, "em") && !strings.HasSuffix(value, "rem") {
			s.size *= number(strings.TrimSuffix(value, "em"), 1, 1)
		} else {
			s.size = number(value, s.size, s.size)
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
		switch value {
		case "middle", "central":
			s.middle = 'm'
		case "hanging", "text-before-edge", "text-top":
			s.middle = 't'
		default:
			s.middle = 'b'
		}
	case "space": // of xml:space
		s.keepSpace = value == "preserve"
	}
}

func (s *style) paint(p *paint, value string) {
	switch value {
	case "none", "transparent":
		*p = paint{}
		return
	case "currentColor", "currentcolor":
		*p = paint{some: true, color: s.color}
		return
	case "inherit", "":
		return
	}
	if rest, ok := strings.CutPrefix(value, "url("); ok {
		id, after, _ := strings.Cut(rest, ")")
		*p = paint{gradient: strings.Trim(id, "\"'# ")}
		if c, ok := parseColor(after); ok { // where there is no such gradient
			p.some, p.color = true, c
		}
		return
	}
	if c, ok := parseColor(value); ok {
		*p = paint{some: true, color: c}
	}
}

// dashes reads stroke-dasharray; nil for a solid line.
func dashes(value string) []float64 {
	list := numbers(strings.ReplaceAll(value, "px", ""), 32)
	sum := 0.0
	for _, v := range list {
		if v < 0 {
			return nil
		}
		sum += v
	}
	if sum == 0 {
		return nil
	}
	if len(list)%2 == 1 {
		list = append(list, list...)
	}
	return list
}

// rule is a rule of a style element, for one simple selector.
type rule struct {
	tag, class, id string
	body           string
	weight         int
}

// maxRules bounds what each element is held against.
const maxRules = 200

func (r *rule) matches(tag, id, class string) bool {
	return (r.tag == "" || r.tag == tag) && (r.id == "" || r.id == id) &&
		(r.class == "" || slices.Contains(strings.Fields(class), r.class))
}

// rulesOf reads a style sheet: rules for a tag, a .class, an #id, or a tag with
// one of those. The others are left out. have is how many rules there are.
func rulesOf(css string, have int) []rule {
	var out []rule
	for {
		start := strings.Index(css, "/*")
		if start < 0 {
			break
		}
		end := strings.Index(css[start:], "*/")
		if end < 0 {
			css = css[:start]
			break
		}
		css = css[:start] + css[start+end+2:]
	}
	for have+len(out) < maxRules {
		selectors, rest, ok := strings.Cut(css, "{")
		body, next, closed := strings.Cut(rest, "}")
		if !ok || !closed {
			break
		}
		css = next
		for one := range strings.SplitSeq(selectors, ",") {
			one = strings.TrimSpace(one)
			if one == "" || strings.ContainsAny(one, " >+~[:@*") || have+len(out) >= maxRules {
				continue
			}
			r := rule{body: body}
			if tag, class, ok := strings.Cut(one, "."); ok {
				r.tag, r.class, r.weight = tag, class, 2
			} else if tag, id, ok := strings.Cut(one, "#"); ok {
				r.tag, r.id, r.weight = tag, id, 3
			} else {
				r.tag, r.weight = one, 1
			}
			out = append(out, r)
		}
	}
	slices.SortStableFunc(out, func(a, b rule) int { return a.weight - b.weight })
	return out
}
