package pdk

import (
	"cmp"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/fcp-host/fcp-host/grammar"
)

// Nearest lists up to three labels close to ref, quoted if needed, nearest first
// and then in order of insertion. It compares as grammar.Nearest does, except that
// a label of one letter is never close to another one.
func (x *Index[E]) Nearest(ref string) []string {
	out := x.nearest(ref)
	for i := range out {
		out[i] = Quote(out[i])
	}
	return out
}

func (x *Index[E]) nearest(ref string) []string {
	first := map[string]int{} // the earliest order of each label
	for _, en := range x.entries {
		if old, ok := first[en.label]; en.label != "" && (!ok || en.order < old) {
			first[en.label] = en.order
		}
	}
	want := normal(ref)
	labels := slices.SortedFunc(maps.Keys(first), func(a, b string) int { return cmp.Compare(first[a], first[b]) })
	labels = slices.DeleteFunc(labels, func(label string) bool {
		return utf8.RuneCountInString(want) == 1 && utf8.RuneCountInString(normal(label)) == 1
	})
	plain := make([]string, len(labels))
	for i, label := range labels {
		plain[i] = normal(label)
	}
	var out []string
	for _, i := range grammar.NearestOf(want, plain) {
		out = append(out, labels[i])
	}
	return out
}

// Nearest lists up to three of the words close to word, nearest first.
func Nearest(word string, words []string) []string {
	var x Index[int]
	for i, w := range words {
		x.Put(i, w, "", "")
	}
	hits, m := x.Find(word, false)
	if m == MatchNone {
		return x.nearest(word)
	}
	var out []string
	for i := 0; i < len(hits) && i < 3; i++ {
		out = append(out, words[hits[i]])
	}
	return out
}

// Distance is the edit distance (optimal string alignment: insert, delete,
// replace, swap neighbours) of a and b in runes, or limit+1 once it is larger.
func Distance(a, b string, limit int) int { return grammar.Distance(a, b, limit) }
