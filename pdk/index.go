package pdk

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Index resolves names to elements of type E, in the same way for all domains:
// exactly, then ignoring case, then ignoring "-", "_" and spaces, then by unique
// prefix. The first level with a hit decides; several hits there are an
// ambiguity. A reference may be qualified: kind:label, group/label or
// group/kind:label. Lookup costs O(1), except by prefix, which costs
// O(elements). The zero value is empty and ready to use.
type Index[E comparable] struct {
	entries map[E]entry
	exact   map[string][]E
	fold    map[string][]E // nil, like norm, until a reference is not exact
	norm    map[string][]E
	ids     map[string]E // by whole reference: "#id", "name#2"
	next    int
}

// entry holds one element's names. order numbers the insertion of the element,
// put the latest change of its names.
type entry struct {
	label, kind, group string
	id                 string // its reference in ids
	order, put         int
}

// Match is the level of the cascade at which a reference was found.
type Match int

// The levels of the cascade.
const (
	MatchNone Match = iota
	MatchExact
	MatchFold
	MatchNormal
	MatchPrefix
)

// NewIndex makes an index of elements by their labels, for models that keep no index: if each edit moves elements, such
// as lines, make one for each op. Elements with equal labels are also called label#1, label#2 and so on, in this order. To give elements
// a kind and a group, call Put for each.
func NewIndex[E comparable](elements []E, label func(E) string) *Index[E] {
	x := new(Index[E])
	for _, e := range elements {
		x.Put(e, label(e), "", "")
	}
	for name, twins := range x.exact {
		if len(twins) == 1 {
			continue
		}
		n := 0
		for _, e := range twins {
			for n++; len(x.exact[name+"#"+strconv.Itoa(n)]) > 0; n++ { // another element has this label
			}
			x.identify(e, name+"#"+strconv.Itoa(n))
		}
	}
	return x
}

// Put adds an element or renames one. kind and group qualify it: `kind:label`
// and `group/label` resolve to it too. An empty label cannot be found.
func (x *Index[E]) Put(e E, label, kind, group string) {
	order, id := -1, ""
	if old, ok := x.entries[e]; ok {
		if old.label == label && old.kind == kind && old.group == group {
			return
		}
		order, id = old.order, old.id
		x.Delete(e)
	}
	if x.entries == nil {
		x.entries, x.exact = map[E]entry{}, map[string][]E{}
	}
	put := x.next
	x.next++
	if order < 0 {
		order = put
	}
	x.entries[e] = entry{label: label, kind: kind, group: group, order: order, put: put}
	if id != "" {
		x.identify(e, id)
	}
	if label == "" {
		return
	}
	x.exact[label] = append(x.exact[label], e)
	if x.fold != nil {
		x.loosen(e, label)
	}
}

// loosen adds an element to fold and norm.
func (x *Index[E]) loosen(e E, label string) {
	f := folded(label)
	x.fold[f] = append(x.fold[f], e)
	// A label of ignored characters alone has no normal form.
	if n := normal(label); n != "" {
		x.norm[n] = append(x.norm[n], e)
	}
}

// fillLoose makes fold and norm if they are missing. Most documents are edited by
// exact names alone.
func (x *Index[E]) fillLoose() {
	if x.fold != nil {
		return
	}
	x.fold, x.norm = map[string][]E{}, map[string][]E{}
	all := make([]E, 0, len(x.entries))
	for e, en := range x.entries {
		if en.label != "" {
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(a, b E) int { return cmp.Compare(x.entries[a].put, x.entries[b].put) })
	for _, e := range all {
		x.loosen(e, x.entries[e].label)
	}
}

// Identify makes `#id` resolve to an element that was Put, for elements that
// names cannot tell apart: twins, and elements without a label. A label "#id"
// takes precedence. Ids are compared exactly and must be unique.
func (x *Index[E]) Identify(e E, id string) {
	if _, ok := x.entries[e]; ok && id != "" {
		x.identify(e, "#"+id)
	}
}

func (x *Index[E]) identify(e E, id string) {
	en := x.entries[e]
	if x.ids == nil {
		x.ids = map[string]E{}
	}
	if en.id != "" {
		delete(x.ids, en.id)
	}
	en.id = id
	x.entries[e], x.ids[id] = en, e
}

// Delete removes an element.
func (x *Index[E]) Delete(e E) {
	old, ok := x.entries[e]
	if !ok {
		return
	}
	delete(x.entries, e)
	if old.id != "" {
		delete(x.ids, old.id)
	}
	drop := func(m map[string][]E, k string) {
		l := m[k]
		if i := slices.Index(l, e); i >= 0 {
			// A copy: callers may hold a slice that Find returned.
			l = append(append([]E(nil), l[:i]...), l[i+1:]...)
		}
		if len(l) == 0 {
			delete(m, k)
		} else {
			m[k] = l
		}
	}
	if old.label != "" {
		drop(x.exact, old.label)
		if x.fold == nil {
			return
		}
		drop(x.fold, folded(old.label))
		if n := normal(old.label); n != "" {
			drop(x.norm, n)
		}
	}
}

// Len is the number of elements.
func (x *Index[E]) Len() int { return len(x.entries) }

// Find returns every element that ref names at the first level with a hit. The
// slice belongs to the index. If exactish is set, as destructive verbs do, prefixes
// do not match. A label that itself contains ":" or "/" takes precedence over a
// qualified reference.
func (x *Index[E]) Find(ref string, exactish bool) ([]E, Match) {
	forms := readings(ref)
	for _, f := range forms {
		if hits, m := x.full(f); m != MatchNone {
			return hits, m
		}
	}
	if e, ok := x.ids[ref]; ok {
		return []E{e}, MatchExact
	}
	if exactish {
		return nil, MatchNone
	}
	for _, f := range forms {
		if hits := x.beginning(f); len(hits) > 0 {
			return hits, MatchPrefix
		}
	}
	return nil, MatchNone
}

// reading is one way to read a reference.
type reading struct{ label, kind, group string }

// readings lists them in the order in which they are tried: as a label, as
// kind:label, then with a group, which may itself contain "/".
func readings(ref string) []reading {
	split := func(out []reading, label, group string) []reading {
		if label != "" {
			out = append(out, reading{label, "", group})
		}
		if i := strings.IndexByte(label, ':'); i > 0 && i+1 < len(label) {
			out = append(out, reading{label[i+1:], label[:i], group})
		}
		return out
	}
	out := split(make([]reading, 0, 2), ref, "")
	for i := strings.LastIndexByte(ref, '/'); i > 0; i = strings.LastIndexByte(ref[:i], '/') {
		out = split(out, ref[i+1:], ref[:i])
	}
	return out
}

// full finds elements by their whole labels.
func (x *Index[E]) full(f reading) ([]E, Match) {
	if hits := x.qualified(x.exact[f.label], f.kind, f.group); len(hits) > 0 {
		return hits, MatchExact
	}
	x.fillLoose()
	if hits := x.qualified(x.fold[folded(f.label)], f.kind, f.group); len(hits) > 0 {
		return hits, MatchFold
	}
	if hits := x.qualified(x.norm[normal(f.label)], f.kind, f.group); len(hits) > 0 {
		return hits, MatchNormal
	}
	return nil, MatchNone
}

// beginning finds elements by the beginnings of their labels.
func (x *Index[E]) beginning(f reading) []E {
	prefix := normal(f.label)
	if prefix == "" {
		return nil
	}
	x.fillLoose()
	var hits []E
	for name, list := range x.norm {
		if strings.HasPrefix(name, prefix) {
			hits = append(hits, x.qualified(list, f.kind, f.group)...)
		}
	}
	x.sort(hits)
	return hits
}

func (x *Index[E]) qualified(hits []E, kind, group string) []E {
	if kind == "" && group == "" {
		return hits
	}
	var out []E
	for _, e := range hits {
		en := x.entries[e]
		if (kind == "" || folded(en.kind) == folded(kind)) && (group == "" || normal(en.group) == normal(group)) {
			out = append(out, e)
		}
	}
	return out
}

func (x *Index[E]) sort(hits []E) {
	slices.SortFunc(hits, func(a, b E) int { return cmp.Compare(x.entries[a].order, x.entries[b].order) })
}

// One is Find for a reference that must name one element. what is the noun for
// error messages ("shape", "track"). The error lists the candidates, or the
// nearest names, in a form that resolves.
func (x *Index[E]) One(ref, what string, exactish bool) (E, error) {
	var zero E
	hits, _ := x.Find(ref, exactish)
	var err *Error
	var names []string
	switch {
	case len(hits) == 1:
		return hits[0], nil
	case len(hits) > 1:
		names = x.names(hits)
		if len(names) == 0 {
			err = Errorf("%s %q is ambiguous: %d are named exactly alike; rename one, or use a selector", what, ref, len(hits))
		} else {
			err = Errorf("%s %q is ambiguous: %s", what, ref, strings.Join(names, ", "))
		}
	default:
		err = Errorf("%s %q not found", what, ref)
		if near, m := x.Find(ref, false); exactish && m == MatchPrefix {
			if names = x.names(near); len(names) > 0 {
				err.Message += "; give the full name: " + strings.Join(names, ", ")
				break
			}
		}
		if names = x.Nearest(ref); len(names) > 0 {
			err.Message += "; nearest: " + strings.Join(names, ", ")
		}
	}
	err.ref, err.names = ref, slices.DeleteFunc(names, func(n string) bool { return n == "…" })
	return zero, err
}

// names lists a reference for each of several elements that resolves to it alone,
// at most 8. Elements without such a reference are left out.
func (x *Index[E]) names(hits []E) []string {
	hits = slices.Clone(hits)
	x.sort(hits)
	var out []string
	for _, e := range hits {
		ref, ok := x.reference(e)
		if !ok {
			continue
		}
		if len(out) == 8 {
			return append(out, "…")
		}
		out = append(out, Quote(ref))
	}
	return out
}

// Name prints, quoted where needed, the shortest reference that resolves to e
// alone: its label, kind:label, group/label, group/kind:label, #id or label#2. If there is
// none, it prints kind:label, which is ambiguous.
func (x *Index[E]) Name(e E) string {
	ref, _ := x.reference(e)
	return Quote(ref)
}

// Ref is Name without quotes, for texts that are quoted later.
func (x *Index[E]) Ref(e E) string {
	ref, _ := x.reference(e)
	return ref
}

func (x *Index[E]) reference(e E) (ref string, ok bool) {
	en := x.entries[e]
	kind := en.label
	if en.kind != "" {
		kind = en.kind + ":" + en.label
	}
	forms := []string{en.label, kind}
	if en.group != "" {
		forms = append(forms, en.group+"/"+en.label, en.group+"/"+kind)
	}
	if en.id != "" {
		forms = append(forms, en.id)
	}
	for _, f := range forms {
		if hits, _ := x.Find(f, true); len(hits) == 1 && hits[0] == e {
			return f, true
		}
	}
	return kind, false
}

func folded(s string) string { return strings.ToLower(s) }

func normal(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || unicode.IsSpace(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}
