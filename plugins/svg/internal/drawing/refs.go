package drawing

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/scene"
)

// anonymous separates the type of an element without an id from its key.
const anonymous = "~"

// name prints a reference that resolves to n: its id, or its type and key.
func (f *Drawing) name(n *node) string {
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
	return pdk.Quote(f.Type(n) + anonymous + strconv.Itoa(n.Key))
}

// names prints several references, and how many more there are.
func (f *Drawing) names(list []*node) string {
	const most = 8
	var out []string
	for i, n := range list {
		if i == most-1 && len(list) > most {
			out = append(out, "… "+strconv.Itoa(len(list)-i)+" more")
			break
		}
		out = append(out, f.name(n))
	}
	return strings.Join(out, ", ")
}

// find resolves a reference to one element. Verbs that remove elements set exact.
func (f *Drawing) find(ref string, exact bool) (*node, error) {
	if typ, key, ok := strings.Cut(ref, anonymous); ok {
		if k, err := strconv.Atoi(key); err == nil {
			if n := f.Node(k); n != nil && f.Type(n) == typ {
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
		list = f.sorted(list)
		what := "is the id of several elements"
		if match == pdk.MatchPrefix {
			what = "is the prefix of several ids"
		} else if match == pdk.MatchNone {
			what = "is the label of several elements"
		}
		return nil, pdk.Errorf("%s %s: %s", pdk.Quote(ref), what, f.names(list)).Instead(ref, f.each(list)...)
	}
	if exact && len(list) == 0 {
		if near, _ := f.Names().Find(plain, false); len(near) > 0 {
			return nil, pdk.Errorf("nothing has the id %s in full, and remove takes no prefix: %s", pdk.Quote(ref), f.names(f.sorted(near))).Instead(ref, f.each(near)...)
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
		out = append(out, f.name(n))
	}
	return out
}

// labelled returns the elements whose label, title or text is a reference, ignoring
// case.
func (f *Drawing) labelled(ref string) (out []*node) {
	for n := range f.Root.All() {
		if strings.EqualFold(f.label(n), ref) && ref != "" {
			out = append(out, n)
		}
	}
	return out
}

// label returns the name of an element other than its id: Inkscape's label, its title,
// or the text that it shows.
func (f *Drawing) label(n *node) string {
	if n == f.Root || !scene.Draws(f.Type(n)) {
		return ""
	}
	for name, v := range n.Attrs() {
		if strings.HasSuffix(name, ":label") || name == "aria-label" {
			return v
		}
	}
	for c := range n.Kids() {
		if f.Type(c) == "title" {
			return strings.TrimSpace(c.FullText())
		}
	}
	if f.Type(n) == "text" {
		return line(n.FullText(), 200)
	}
	return ""
}

// sorted sorts elements into document order.
func (f *Drawing) sorted(list []*node) []*node {
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

// tops drops elements that are inside others of the list.
func tops(list []*node) []*node {
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

// leaves drops elements that contain others of the list.
func leaves(list []*node) []*node {
	holds := map[*node]bool{}
	for _, n := range list {
		for p := n.Parent; p != nil && !holds[p]; p = p.Parent {
			holds[p] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(list), func(n *node) bool { return holds[n] })
}

// span returns the elements that a range of ids names, path7…path12 or path7-12, in document order; nil if both ends do not exist.
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

// findAll resolves a reference to one element or to a range of ids.
func (f *Drawing) findAll(ref string, exact bool) ([]*node, error) {
	n, err := f.find(ref, exact)
	if err == nil {
		return []*node{n}, nil
	}
	if out := f.span(ref); out != nil {
		return out, nil
	}
	return nil, err
}

// listed resolves references, such as those in the value of for:.
func (f *Drawing) listed(refs []string) (out []*node, err error) {
	for _, ref := range refs {
		some, err := f.findAll(strings.TrimSpace(ref), false)
		if err != nil {
			return nil, err
		}
		out = append(out, some...)
	}
	return union(out, nil), nil
}

// union returns the elements of both lists, each once.
func union(a, b []*node) (out []*node) {
	in := make(map[*node]bool, len(a)+len(b))
	for _, n := range slices.Concat(a, b) {
		if !in[n] {
			in[n] = true
			out = append(out, n)
		}
	}
	return out
}

// named returns the elements that the op's positionals from..to name.
func (o *op) named(from, to int, exact bool) (out []*node, err error) {
	words := o.a.Texts(from)
	for i, w := range words[:max(0, min(len(words), to-from))] {
		list, err := o.f.findAll(w, exact)
		if err != nil {
			return nil, o.explainWord(err, from+i)
		}
		out = append(out, list...)
	}
	return union(out, nil), nil
}

// targets returns the elements that an op is about: those that its positionals from..to name, and then those that its selectors
// match.
func (o *op) targets(from, to int, exact bool) ([]*node, error) {
	out, err := o.named(from, to, exact)
	if err != nil {
		return nil, err
	}
	if len(o.a.Selectors) > 0 {
		list, err := o.f.selected(o.Recent, o.a.Selectors, exact)
		return union(out, list), err
	}
	if len(out) == 0 {
		return nil, pdk.Errorf("%s needs an element: an id, or selectors such as @type:rect", o.a.Verb)
	}
	return out, nil
}

// marks returns the elements whose looks an op changes: its targets, but of those that selectors match only those without others of
// them inside, unless a selector asks for their type.
func (o *op) marks(from, to int) ([]*node, error) {
	if len(o.a.Selectors) == 0 || slices.ContainsFunc(o.a.Selectors, func(s abi.Select) bool { return s.Type == "type" && !s.Negated }) {
		return o.targets(from, to, false)
	}
	named, err := o.named(from, to, false)
	if err != nil {
		return nil, err
	}
	list, err := o.f.selected(o.Recent, o.a.Selectors, false)
	return union(named, leaves(list)), err
}

// all returns the op's targets, with all positionals as names.
func (o *op) all(exact bool) ([]*node, error) { return o.targets(0, len(o.a.Positionals), exact) }

// movableTargets returns targets to be moved. It drops elements inside others of them,
// and refuses the root and elements without a position.
func (o *op) movableTargets(from, to int) ([]*node, error) {
	list, err := o.targets(from, to, false)
	if err != nil {
		return nil, err
	}
	list = tops(list)
	for _, n := range list {
		if n == o.f.Root {
			return nil, pdk.Errorf("%s cannot be moved as a whole: canvas and fit change what it shows", o.f.name(n))
		}
		if !scene.Draws(o.f.Type(n)) {
			return nil, pdk.Errorf("%s is a %s, which has no place of its own", o.f.name(n), o.f.Type(n))
		}
	}
	return list, nil
}
