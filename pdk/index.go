package pdk

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// Index resolves named references to elements of type E, for all domains the
// same way: exact, then case-insensitive, then ignoring "-", "_" and spaces,
// then unique prefix; the first level with a hit decides, and several hits
// there are an ambiguity. Lookup costs O(1) at the first three levels. The
// zero value is empty and ready.
type Index[E comparable] struct {
	entries map[E]entry
	exact   map[string][]E
	fold    map[string][]E
	norm    map[string][]E
	next    int
}

// entry is one element's names. order keeps candidates in insertion order.
type entry struct {
	label, kind, group string
	order              int
}

// Match says how a reference was found.
type Match int

// The levels of the cascade.
const (
	MatchNone Match = iota
	MatchExact
	MatchFold
	MatchNormal
	MatchPrefix
)

// Put adds an element or renames one. kind and group qualify it: `kind:label`
// and `group/label` resolve to it too. An empty label is not findable.
func (x *Index[E]) Put(e E, label, kind, group string) {
	order := -1
	if old, ok := x.entries[e]; ok {
		if old.label == label && old.kind == kind && old.group == group {
			return
		}
		order = old.order
		x.Delete(e)
	}
	if x.entries == nil {
		x.entries, x.exact = map[E]entry{}, map[string][]E{}
		x.fold, x.norm = map[string][]E{}, map[string][]E{}
	}
	if order < 0 {
		order = x.next
		x.next++
	}
	x.entries[e] = entry{label, kind, group, order}
	if label == "" {
		return
	}
	x.exact[label] = append(x.exact[label], e)
	x.fold[folded(label)] = append(x.fold[folded(label)], e)
	x.norm[normal(label)] = append(x.norm[normal(label)], e)
}

// Delete forgets an element.
func (x *Index[E]) Delete(e E) {
	old, ok := x.entries[e]
	if !ok {
		return
	}
	delete(x.entries, e)
	drop := func(m map[string][]E, k string) {
		l := m[k]
		if i := slices.Index(l, e); i >= 0 {
			// A copy: callers may hold what Find returned.
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
		drop(x.fold, folded(old.label))
		drop(x.norm, normal(old.label))
	}
}

// Len is the number of elements.
func (x *Index[E]) Len() int { return len(x.entries) }

// Find returns every element that ref names at the first level with a hit.
// Destructive verbs pass exactish true, which stops before prefixes. The
// reference may be qualified; a label that itself holds ":" or "/" wins.
func (x *Index[E]) Find(ref string, exactish bool) ([]E, Match) {
	if hits, m := x.find(ref, "", "", exactish); m != MatchNone {
		return hits, m
	}
	if i := strings.IndexByte(ref, ':'); i > 0 {
		if hits, m := x.find(ref[i+1:], ref[:i], "", exactish); m != MatchNone {
			return hits, m
		}
	}
	if i := strings.LastIndexByte(ref, '/'); i > 0 {
		return x.find(ref[i+1:], "", ref[:i], exactish)
	}
	return nil, MatchNone
}

func (x *Index[E]) find(label, kind, group string, exactish bool) ([]E, Match) {
	if label == "" {
		return nil, MatchNone
	}
	for level, hits := range [][]E{x.exact[label], x.fold[folded(label)], x.norm[normal(label)]} {
		if hits = x.qualified(hits, kind, group); len(hits) > 0 {
			return hits, MatchExact + Match(level)
		}
	}
	if exactish {
		return nil, MatchNone
	}
	var hits []E
	prefix := normal(label)
	if prefix == "" {
		return nil, MatchNone
	}
	for name, list := range x.norm {
		if strings.HasPrefix(name, prefix) {
			hits = append(hits, x.qualified(list, kind, group)...)
		}
	}
	x.sort(hits)
	if len(hits) == 0 {
		return nil, MatchNone
	}
	return hits, MatchPrefix
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

// One is Find for a reference that must name one element. what is the noun of
// errors ("shape", "track"); the error lists the candidates, or the nearest
// names, in a form that resolves.
func (x *Index[E]) One(ref, what string, exactish bool) (E, error) {
	var zero E
	hits, level := x.Find(ref, exactish)
	switch {
	case len(hits) == 1:
		return hits[0], nil
	case len(hits) > 1:
		names := x.names(hits)
		err := Errorf("%s %q is ambiguous: %s", what, ref, strings.Join(names, ", "))
		if level == MatchPrefix {
			err.Message = Errorf("%s %q is the beginning of several: %s", what, ref, strings.Join(names, ", ")).Message
		}
		return zero, err
	}
	err := Errorf("%s %q not found", what, ref)
	if exactish {
		if near, m := x.Find(ref, false); m == MatchPrefix {
			err.Message += "; give the full name: " + strings.Join(x.names(near), ", ")
			return zero, err
		}
	}
	if near := x.Nearest(ref); len(near) > 0 {
		err.Message += "; nearest: " + strings.Join(near, ", ")
	}
	return zero, err
}

// names prints how each of several elements can be told apart, at most 8.
func (x *Index[E]) names(hits []E) []string {
	hits = slices.Clone(hits)
	x.sort(hits)
	var out []string
	for i, e := range hits {
		if i == 8 {
			out = append(out, "…")
			break
		}
		out = append(out, x.Name(e))
	}
	return out
}

// Name prints the shortest reference that resolves to e alone: its label, or
// kind:label, or group/label; when nothing tells it apart, kind:label.
func (x *Index[E]) Name(e E) string {
	en := x.entries[e]
	if len(x.exact[en.label]) == 1 {
		return Quote(en.label)
	}
	if en.kind != "" && len(x.qualified(x.exact[en.label], en.kind, "")) == 1 {
		return quoteQualified(en.kind, ":", en.label)
	}
	if en.group != "" && len(x.qualified(x.exact[en.label], "", en.group)) == 1 {
		return quoteQualified(en.group, "/", en.label)
	}
	return quoteQualified(en.kind, ":", en.label)
}

func quoteQualified(q, sep, label string) string {
	if q == "" {
		return Quote(label)
	}
	// Quoted as a whole: unquoted, kind:label would be a parameter.
	return Quote(q + sep + label)
}

// Nearest lists up to three labels close to ref: edit distance at most
// max(1, len/3), in order of distance, then of insertion.
func (x *Index[E]) Nearest(ref string) []string {
	type near struct {
		label       string
		dist, order int
	}
	want := normal(ref)
	limit := max(1, len([]rune(want))/3)
	best := map[string]near{}
	for _, en := range x.entries {
		if en.label == "" {
			continue
		}
		d := Distance(want, normal(en.label), limit)
		if d > limit {
			continue
		}
		if old, ok := best[en.label]; !ok || en.order < old.order {
			best[en.label] = near{en.label, d, en.order}
		}
	}
	list := make([]near, 0, len(best))
	for _, n := range best {
		list = append(list, n)
	}
	slices.SortFunc(list, func(a, b near) int {
		return cmp.Or(cmp.Compare(a.dist, b.dist), cmp.Compare(a.order, b.order))
	})
	var out []string
	for i := 0; i < len(list) && i < 3; i++ {
		out = append(out, Quote(list[i].label))
	}
	return out
}

// Nearest lists up to three of the words close to word: edit distance at most
// max(1, len/3), or with word as a prefix, nearest first.
func Nearest(word string, words []string) []string {
	var x Index[int]
	for i, w := range words {
		x.Put(i, w, "", "")
	}
	if hits, m := x.Find(word, false); m != MatchNone {
		var out []string
		for i := 0; i < len(hits) && i < 3; i++ {
			out = append(out, words[hits[i]])
		}
		return out
	}
	var out []string
	for _, q := range x.Nearest(word) {
		out = append(out, strings.Trim(q, `"`))
	}
	return out
}

// Distance is the edit distance (optimal string alignment: insert, delete,
// replace, swap neighbours) of a and b in runes, or limit+1 once it is larger.
func Distance(a, b string, limit int) int {
	ra, rb := []rune(a), []rune(b)
	if d := len(ra) - len(rb); d > limit || -d > limit {
		return limit + 1
	}
	prev2 := make([]int, len(rb)+1)
	prev := make([]int, len(rb)+1)
	cur := make([]int, len(rb)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(ra); i++ {
		cur[0] = i
		low := i
		for j := 1; j <= len(rb); j++ {
			cost := 1
			if ra[i-1] == rb[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && ra[i-1] == rb[j-2] && ra[i-2] == rb[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
			low = min(low, cur[j])
		}
		if low > limit {
			return limit + 1
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return min(prev[len(rb)], limit+1)
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
