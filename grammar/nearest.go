package grammar

import (
	"slices"
	"strings"
)

// Limits of [Nearest].
const (
	maxNearest     = 3
	maxNearestWord = 256 // runes; longer words are not compared
)

// Nearest returns up to three candidates of which word may be a misspelling, the likeliest first. A candidate qualifies
// within an edit distance (insert, delete, replace, swap neighbours) of a third of word's length, at least 1. A common
// beginning of two runes reduces the distance by one; for a candidate that begins with word it is 0. Case is ignored;
// ties keep the order of the candidates.
func Nearest(word string, candidates []string) []string {
	var names []string
	for _, i := range NearestOf(word, candidates) {
		names = append(names, candidates[i])
	}
	return names
}

// NearestOf is [Nearest] with the indexes of the candidates.
func NearestOf(word string, candidates []string) []int {
	w := []rune(strings.ToLower(word))
	if len(w) == 0 || len(w) > maxNearestWord {
		return nil
	}
	limit := max(1, len(w)/3)
	type hit struct{ index, cost int }
	var hits []hit
	for i, name := range candidates {
		c := []rune(strings.ToLower(name))
		if len(c) > maxNearestWord {
			continue
		}
		if cost := nearness(w, c, limit+1); cost <= limit && !opposite(w, c) {
			hits = append(hits, hit{i, cost})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return a.cost - b.cost })
	var near []int
	for _, h := range hits[:min(len(hits), maxNearest)] {
		near = append(near, h.index)
	}
	return near
}

// opposite reports whether w undoes what c does: unmute is not mute misspelt.
func opposite(w, c []rune) bool {
	for _, prefix := range []string{"un", "de", "dis"} {
		rest, ok := strings.CutPrefix(string(w), prefix)
		if !ok || strings.HasPrefix(string(c), prefix) {
			continue
		}
		if prefix == "un" || rest == string(c) {
			return true
		}
	}
	return false
}

// nearness is the edit distance of w and c, less a bonus for a common beginning. A result of most or more may be
// too low: the caller compares it with a lower limit.
func nearness(w, c []rune, most int) int {
	if slices.Equal(w, c) {
		return -1 // before candidates that are only similar
	}
	if len(w) >= 2 && len(c) >= len(w) && slices.Equal(w, c[:len(w)]) {
		return 0
	}
	cost := distance(w, c, most)
	if len(w) >= 2 && len(c) >= 2 && w[0] == c[0] && w[1] == c[1] {
		cost--
	}
	return cost
}

// Distance is the edit distance (optimal string alignment: insert, delete, replace, swap neighbours) of a and b in
// runes, or limit+1 once it is larger.
func Distance(a, b string, limit int) int { return distance([]rune(a), []rune(b), limit) }

func distance(a, b []rune, limit int) int {
	if d := len(a) - len(b); d > limit || -d > limit {
		return limit + 1
	}
	var short [3 * (maxNearestWord + 1)]int
	rows, n := short[:], len(b)+1
	if 3*n > len(rows) {
		rows = make([]int, 3*n)
	}
	prev2, prev, cur := rows[:n], rows[n:2*n], rows[2*n:3*n]
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		low := i
		for j := 1; j <= len(b); j++ {
			replace := prev[j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, replace)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
			low = min(low, cur[j])
		}
		if low > limit {
			return limit + 1
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return min(prev[len(b)], limit+1)
}
