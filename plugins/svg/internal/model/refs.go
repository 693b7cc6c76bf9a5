package model

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/svgdom"
)

// Anonymous separates the type of an element without an id from its key.
const Anonymous = "~"

// Ref prints a reference that resolves to n: its id, or its type and key.
func (f *Drawing) Ref(n *node) string {
	if id := n.ID(); id != "" {
		if list, match := f.Names().Find(id, true); match == pdk.MatchExact && len(list) == 1 && list[0] == n {
			return pdk.Quote(id)
		}
	}
	if n == f.Root {
		for _, word := range []string{"root", "svg"} {
			if _, match := f.Names().Find(word, true); match != pdk.MatchExact {
				return word
			}
		}
	}
	return pdk.Quote(n.Type + Anonymous + strconv.Itoa(n.Key))
}

// Refs prints several references, and how many more there are.
func (f *Drawing) Refs(list []*node) string {
	const most = 8
	var out []string
	for i, n := range list {
		if i == most-1 && len(list) > most {
			out = append(out, "… "+strconv.Itoa(len(list)-i)+" more")
			break
		}
		out = append(out, f.Ref(n))
	}
	return strings.Join(out, ", ")
}

// Find resolves a reference to one element. Verbs that remove elements set exact.
func (f *Drawing) Find(ref string, exact bool) (*node, error) {
	if typ, key, ok := strings.Cut(ref, Anonymous); ok {
		if k, err := strconv.Atoi(key); err == nil {
			if n := f.Node(k); n != nil && n.Type == typ {
				return n, nil
			}
			return nil, pdk.Errorf("there is no %s", ref).TryQuery("map")
		}
	}
	plain := strings.TrimPrefix(ref, "#")
	list, match := f.Names().Find(plain, exact)
	switch {
	case match != pdk.MatchExact && (plain == "root" || plain == "svg"):
		return f.Root, nil
	case len(list) == 1:
		return list[0], nil
	case match == pdk.MatchNone:
		if list = f.labelled(plain); len(list) == 1 {
			return list[0], nil
		}
	}
	if len(list) > 1 {
		list = f.Sorted(list)
		what := "is the id of several elements"
		if match == pdk.MatchPrefix {
			what = "is the prefix of several ids"
		} else if match == pdk.MatchNone {
			what = "is the label of several elements"
		}
		return nil, pdk.Errorf("%s %s: %s", pdk.Quote(ref), what, f.Refs(list)).Instead(ref, f.each(list)...)
	}
	if exact && len(list) == 0 {
		if near, _ := f.Names().Find(plain, false); len(near) > 0 {
			return nil, pdk.Errorf("nothing has the id %s in full, and remove takes no prefix: %s", pdk.Quote(ref), f.Refs(f.Sorted(near))).Instead(ref, f.each(near)...)
		}
	}
	err := pdk.Errorf("there is no element %s", pdk.Quote(ref))
	if near := f.Names().Nearest(plain); len(near) > 0 {
		err.Message += "; nearest: " + strings.Join(near, ", ")
		return nil, err.Instead(ref, near...)
	}
	return nil, err.TryQuery("map")
}

func (f *Drawing) each(list []*node) []string {
	var out []string
	for _, n := range list[:min(len(list), abi.MaxTry)] {
		out = append(out, f.Ref(n))
	}
	return out
}

// labelled returns the elements whose label, title or text is a reference, ignoring
// case.
func (f *Drawing) labelled(ref string) (out []*node) {
	for n := range f.Root.All() {
		if strings.EqualFold(f.Label(n), ref) && ref != "" {
			out = append(out, n)
		}
	}
	return out
}

// Label returns the name of an element other than its id: Inkscape's label, its title,
// or the text that it shows.
func (f *Drawing) Label(n *node) string {
	if n == f.Root || !svgdom.Draws(n.Type) {
		return ""
	}
	for name, v := range n.Attrs() {
		if strings.HasSuffix(name, ":label") || name == "aria-label" {
			return v
		}
	}
	for c := range n.Kids() {
		if c.Type == "title" {
			return strings.TrimSpace(c.FullText())
		}
	}
	if n.Type == "text" {
		return Line(n.FullText(), 200)
	}
	return ""
}

// Sorted sorts elements into document order.
func (f *Drawing) Sorted(list []*node) []*node {
	if len(list) < 2 {
		return list
	}
	in := map[*node]bool{}
	for _, n := range list {
		in[n] = true
	}
	out := make([]*node, 0, len(list))
	for n := range f.Root.All() {
		if in[n] {
			out = append(out, n)
		}
	}
	return out
}

// Tops drops elements that are inside others of the list.
func Tops(list []*node) []*node {
	in := map[*node]bool{}
	for _, n := range list {
		in[n] = true
	}
	return slices.DeleteFunc(slices.Clone(list), func(n *node) bool {
		for p := n.Parent; p != nil; p = p.Parent {
			if in[p] {
				return true
			}
		}
		return false
	})
}

// Leaves drops elements that contain others of the list.
func Leaves(list []*node) []*node {
	holds := map[*node]bool{}
	for _, n := range list {
		for p := n.Parent; p != nil && !holds[p]; p = p.Parent {
			holds[p] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(list), func(n *node) bool { return holds[n] })
}

// span returns the elements that a range of ids names, path7…path12 or path7-12, in document order; nil if both ends
// do not exist.
func (f *Drawing) span(ref string) (out []*node) {
	first, last, ok := "", "", false
	for _, mark := range []string{"…", "...", "..", "-"} {
		if !ok {
			first, last, ok = cutLast(ref, mark)
		}
	}
	stem := strings.TrimRight(first, "0123456789")
	from, err := strconv.Atoi(first[len(stem):])
	to, err2 := strconv.Atoi(strings.TrimPrefix(last, stem))
	if !ok || err != nil || err2 != nil || stem == "" {
		return nil
	}
	ends := map[int]bool{}
	for n := range f.Root.All() {
		digits, of := strings.CutPrefix(n.ID(), stem)
		if k, err := strconv.Atoi(digits); of && err == nil && k >= from && k <= to {
			ends[k] = true
			out = append(out, n)
		}
	}
	if !ends[from] || !ends[to] {
		return nil
	}
	return out
}

// cutLast splits a text at the last mark in it.
func cutLast(s, mark string) (before, after string, ok bool) {
	if i := strings.LastIndex(s, mark); i >= 0 {
		return s[:i], s[i+len(mark):], true
	}
	return s, "", false
}

// FindAll resolves a reference to one element or to a range of ids.
func (f *Drawing) FindAll(ref string, exact bool) ([]*node, error) {
	n, err := f.Find(ref, exact)
	if err == nil {
		return []*node{n}, nil
	}
	if out := f.span(ref); out != nil {
		return out, nil
	}
	return nil, err
}

// Resolve resolves references, such as those in the value of for:.
func (f *Drawing) Resolve(refs []string) (out []*node, err error) {
	for _, ref := range refs {
		some, err := f.FindAll(strings.TrimSpace(ref), false)
		if err != nil {
			return nil, err
		}
		out = append(out, some...)
	}
	return Union(out, nil), nil
}

// Union returns the elements of both lists, each once.
func Union(a, b []*node) (out []*node) {
	in := make(map[*node]bool, len(a)+len(b))
	for _, n := range slices.Concat(a, b) {
		if !in[n] {
			in[n] = true
			out = append(out, n)
		}
	}
	return out
}

// UseTarget returns the element that a use shows, or nil.
func (f *Drawing) UseTarget(n *node) *node {
	if n.Type != "use" {
		return nil
	}
	v, _ := n.Href()
	if id, ok := strings.CutPrefix(v, "#"); ok {
		return f.ByID(id)
	}
	return nil
}

// Typed prints the name and type of an element.
func (f *Drawing) Typed(n *node) string { return f.Ref(n) + "(" + n.Type + ")" }
