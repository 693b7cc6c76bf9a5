package pdk

import (
	"cmp"
	"slices"
)

// Nearest lists up to three labels close to ref, quoted where needed: edit
// distance at most max(1, len/3) and some letter in common, in order of distance,
// then of insertion.
func (x *Index[E]) Nearest(ref string) []string {
	out := x.nearest(ref)
	for i := range out {
		out[i] = Quote(out[i])
	}
	return out
}

func (x *Index[E]) nearest(ref string) []string {
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
		label := normal(en.label)
		d := Distance(want, label, limit)
		if d > limit || d >= max(len([]rune(want)), len([]rune(label))) {
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
		out = append(out, list[i].label)
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
