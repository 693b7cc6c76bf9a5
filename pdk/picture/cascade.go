package picture

import (
	"strings"
)

// of returns the style of an element whose parent has style s. Attributes come first, then the rules of style elements, then
// its style attribute, then important declarations.
func (s style) of(d *document, n *node) style {
	parent := &s
	out := s
	out.own = own{opacity: 1}
	d.cascade(n, func(key, value string) {
		if value == "inherit" {
			out.inherit(key, parent)
		} else {
			out.set(key, value)
		}
	})
	return out
}

// cascade calls set for each declaration of an element, stronger ones last.
func (d *document) cascade(n *node, set func(key, value string)) {
	own := ""
	*d.work -= 8 + len(n.attrs) + len(d.rules)
	for i := range n.attrs {
		switch a := &n.attrs[i]; a.key {
		case "style":
			own = a.value
		case "marker", "font", "mix-blend-mode", "isolation": // not allowed as attributes
		default:
			set(a.key, a.value)
		}
	}
	important := false
	for i := range d.rules {
		if r := &d.rules[i]; r.matches(n, d.work) {
			for _, k := range r.body {
				set(k.key, k.value)
				important = important || k.important
			}
		}
	}
	if own != "" {
		declarations(own, func(k declaration) { set(k.key, k.value) })
	}
	if important {
		for i := range d.rules {
			if r := &d.rules[i]; r.matches(n, d.work) {
				for _, k := range r.body {
					if k.important {
						set(k.key, k.value)
					}
				}
			}
		}
	}
}

// property returns the declared value of a property of an element that children do not inherit; "" if there is none.
func (d *document) property(n *node, key string) string {
	value := ""
	for range maxDepth {
		value = ""
		d.cascade(n, func(k, v string) {
			if k == key {
				value = v
			}
		})
		if value != "inherit" || n.parent == nil {
			break
		}
		n = n.parent
	}
	return value
}

// inherited returns the value of a property that children inherit.
func (d *document) inherited(n *node, key string) string {
	for ; n != nil; n = n.parent {
		if v := d.property(n, key); v != "" && v != "inherit" {
			return v
		}
	}
	return ""
}

// colored returns the colour in a property of an element.
func (d *document) colored(n *node, key string, def rgba) rgba {
	v := d.property(n, key)
	if strings.EqualFold(v, "currentcolor") {
		v, def = d.inherited(n, "color"), rgba{a: 1}
	}
	if c, ok := parseColor(v); ok {
		return c
	}
	return def
}

// inherit copies a property from the parent's style.
func (s *style) inherit(key string, p *style) {
	switch key {
	case "fill":
		s.fill = p.fill
	case "stroke":
		s.stroke = p.stroke
	case "color":
		s.color = p.color
	case "fill-opacity":
		s.fillOpacity = p.fillOpacity
	case "stroke-opacity":
		s.strokeOpacity = p.strokeOpacity
	case "opacity":
		s.opacity = p.opacity
	case "stroke-width":
		s.width = p.width
	case "stroke-dasharray":
		s.dash = p.dash
	case "stroke-dashoffset":
		s.dashShift = p.dashShift
	case "visibility":
		s.hidden = p.hidden
	case "display":
		s.gone = p.gone
	case "overflow":
		if s.overflow = p.overflow; s.overflow == 0 {
			s.overflow = 'v'
		}
	case "mask":
		s.mask = p.mask
	case "clip-path":
		s.clip = p.clip
	case "filter":
		s.filter = p.filter
	case "transform":
		s.move = p.move
	case "font-size":
		s.size = p.size
	}
}
