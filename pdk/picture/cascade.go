package picture

import (
	"strings"
)

// of returns the style of an element whose parent has style s.
func (s style) of(d *document, n *node) style {
	parent := &s
	out := s
	out.own = own{opacity: 1}
	*d.Work -= 8 + len(n.Spans)
	d.Each(n, func(key, value string) {
		if value == "inherit" {
			out.inherit(key, parent)
		} else {
			out.set(key, value)
		}
	})
	return out
}

// property returns the declared value of a property of an element that children do not inherit; "" if there is none.
func (d *document) property(n *node, key string) string {
	value, _ := d.Own(n, key)
	for value == "inherit" && n.Parent != nil {
		n = n.Parent
		value, _ = d.Own(n, key)
	}
	return value
}

// inherited returns the value of a property that children inherit.
func (d *document) inherited(n *node, key string) string {
	for ; n != nil; n = n.Parent {
		if v := d.property(n, key); v != "" {
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
