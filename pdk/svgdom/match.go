package svgdom

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/svgdom/css"
	"github.com/fcp-host/fcp-host/pdk/xmltree"
)

// Matcher matches selectors with the elements of one version of a document. Its zero value is usable.
type Matcher struct {
	Work   *int          // steps left, below which nothing matches; nil for no limit
	places map[*Node]int // among the siblings, counted from 1; nil until needed
}

// spend takes steps, and reports whether they were left.
func (m *Matcher) spend(steps int) bool {
	if m.Work != nil {
		*m.Work -= steps
	}
	return m.Work == nil || *m.Work >= 0
}

// Any reports whether one of several selectors matches an element.
func (m *Matcher) Any(list []css.Selector, n *Node) bool {
	return slices.ContainsFunc(list, func(s css.Selector) bool { return m.Matches(s, n) })
}

// Matches reports whether a selector matches an element.
func (m *Matcher) Matches(s css.Selector, n *Node) bool { return m.match(s, n) == holds }

// outcome is whether a selector matches an element, and, if not, what else it cannot match. It keeps the time linear in
// the elements around and before one.
type outcome byte

const (
	holds       outcome = iota
	failsHere           // other elements may match
	failsBeside         // none of its siblings matches
	failsAbove          // nor does one of the elements around it
)

func (m *Matcher) match(s css.Selector, n *Node) outcome {
	last := &s[len(s)-1]
	if !m.all(last.Tests, n) {
		return failsHere
	}
	if s = s[:len(s)-1]; len(s) == 0 {
		return holds
	}
	switch last.Combined {
	case '>':
		if n.Parent == nil {
			return failsAbove
		}
		return m.match(s, n.Parent)
	case '+':
		if n.Prev == nil {
			return failsBeside
		}
		return m.match(s, n.Prev)
	case '~':
		for p := n.Prev; p != nil; p = p.Prev {
			if r := m.match(s, p); r != failsHere {
				return r
			}
		}
		return failsBeside
	}
	for p := n.Parent; p != nil; p = p.Parent {
		if r := m.match(s, p); r == holds || r == failsAbove {
			return r
		}
	}
	return failsAbove
}

func (m *Matcher) all(tests []css.Test, n *Node) bool {
	if !m.spend(1) {
		return false
	}
	for i := range tests {
		if !m.test(&tests[i], n) {
			return false
		}
	}
	return true
}

func (m *Matcher) test(t *css.Test, n *Node) bool {
	switch t.Kind {
	case 't':
		return t.Name == "*" || t.Name == xmltree.Local(n.Type)
	case '#':
		return n.ID() == t.Name
	case '.':
		return n.HasClass(t.Name)
	case '[':
		v, ok := n.Attr(t.Name)
		return ok && attributeMatches(t, v)
	case 'n':
		return !m.all(t.Not, n)
	}
	switch {
	case t.Name == "root":
		return n.Parent == nil
	case n.Parent == nil:
		return false
	case t.Name == "only-child":
		return n.Prev == nil && n.Next == nil
	}
	i := m.place(n)
	if t.Name == "nth-last-child" {
		i = m.place(n.Parent.Last) + 1 - i
	}
	if t.A == 0 {
		return i == t.B
	}
	return (i-t.B)%t.A == 0 && (i-t.B)/t.A >= 0
}

// place returns the place of an element among its siblings, counted from 1.
func (m *Matcher) place(n *Node) int {
	if n.Prev == nil {
		return 1
	}
	if m.places[n] == 0 {
		if m.places == nil {
			m.places = map[*Node]int{}
		}
		i := 0
		for c := range n.Parent.Kids() {
			i++
			m.places[c] = i
		}
	}
	return m.places[n]
}

func attributeMatches(t *css.Test, v string) bool {
	switch {
	case t.Op == "":
		return true
	case t.Op == "=":
		return v == t.Value
	case t.Value == "":
		return false
	}
	switch t.Op {
	case "~=":
		return slices.Contains(strings.Fields(v), t.Value)
	case "|=":
		return v == t.Value || strings.HasPrefix(v, t.Value+"-")
	case "^=":
		return strings.HasPrefix(v, t.Value)
	case "$=":
		return strings.HasSuffix(v, t.Value)
	}
	return strings.Contains(v, t.Value)
}

// HasClass reports whether an element has a class.
func (n *Node) HasClass(class string) bool {
	for w := range strings.FieldsSeq(n.Get("class")) {
		if w == class {
			return true
		}
	}
	return false
}
