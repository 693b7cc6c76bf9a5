package scene

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/tree"
)

// Animation is how an attribute or property of an element changes with time.
type Animation struct {
	Name   string // the attribute or property, "" for a motion along a path
	Values string // "20;80;20", or the name of the keyframes
	Adds   bool   // it adds to the value that the element has, and does not replace it
}

// animates reports whether elements of a type animate others.
func animates(typ string) bool { return typ == "set" || strings.HasPrefix(typ, "animate") }

// animations returns the animation elements of an element.
func (s *Scene) animations(n *tree.Node) []*tree.Node {
	if s.moving != nil {
		return s.moving[n]
	}
	s.moving = map[*tree.Node][]*tree.Node{}
	some := false
	for typ, count := range s.Doc.Counts() {
		some = some || count > 0 && animates(typ)
	}
	if !some {
		return nil
	}
	for m := range s.Doc.Root.All() {
		if !animates(m.Type) || m.Parent == nil {
			continue
		}
		target := m.Parent
		if href, attr := m.Href(); attr != "" {
			target = s.Doc.ByID(strings.TrimPrefix(strings.TrimSpace(href), "#"))
		}
		if target != nil {
			s.moving[target] = append(s.moving[target], m)
		}
	}
	return s.moving[n]
}

// Animations returns the animations of an element itself: its animation elements, and those of CSS.
func (s *Scene) Animations(n *tree.Node) (out []Animation) {
	for _, m := range s.animations(n) {
		a := Animation{Name: m.Get("attributeName"), Values: m.Get("values"), Adds: m.Get("additive") == "sum"}
		if m.Type == "animateMotion" {
			a.Name, a.Adds = "", true
			a.Values = m.Get("path")
		}
		if a.Values == "" {
			var list []string
			for _, key := range []string{"from", "by", "to"} {
				if v, ok := m.Attr(key); ok {
					list = append(list, v)
				}
			}
			a.Values = strings.Join(list, ";")
		}
		a.Adds = a.Adds || m.Get("by") != "" && m.Get("from") == "" && m.Get("values") == ""
		out = append(out, a)
	}
	for _, name := range s.keyframesOf(n) {
		for _, property := range s.Keyframes[name] {
			out = append(out, Animation{Name: property, Values: name})
		}
	}
	return out
}

// keyframesOf returns the names of the keyframes that CSS animates an element with.
func (s *Scene) keyframesOf(n *tree.Node) (out []string) {
	if len(s.Keyframes) == 0 {
		return nil
	}
	for _, p := range []string{"animation", "animation-name"} {
		v, _ := s.Own(n, p)
		for _, word := range strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == ' ' }) {
			if _, ok := s.Keyframes[strings.Trim(word, `"'`)]; ok && !slices.Contains(out, word) {
				out = append(out, strings.Trim(word, `"'`))
			}
		}
	}
	return out
}

// Animated reports whether an element, or an element around it, changes with time.
func (s *Scene) Animated(n *tree.Node) bool {
	for m := n; m != nil; m = m.Parent {
		if len(s.animations(m)) > 0 {
			return true
		}
		for _, p := range []string{"animation", "animation-name"} {
			if v, from := s.Own(m, p); from != svgdom.Nowhere && v != "none" {
				return true
			}
		}
	}
	return false
}

// MayAnimate reports whether the document has animations.
func (s *Scene) MayAnimate() bool {
	s.animations(s.Doc.Root)
	return len(s.moving) > 0 || len(s.Keyframes) > 0
}
