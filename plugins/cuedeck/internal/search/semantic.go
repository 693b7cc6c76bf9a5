package search

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// BM25's parameters k1 and b, with their usual values.
const saturation, lengthShare = 1.2, 0.75

// Weights of words in the file name, in lines that start with "#", and elsewhere.
const nameWeight, headingWeight, textWeight = 4, 3, 1

// A word of the query also matches the maxSimilar terms that share the most trigrams with it, if they share at least minSimilarity.
// They weigh less than the word itself.
const minSimilarity, maxSimilar, similarWeight = 0.45, 16, 0.8

// maxWords bounds the words of a query.
const maxWords = 32

// count counts the terms of a file.
func (x *Index) count(e *entry) {
	add := func(w string, weight int) {
		t, ok := x.term(w)
		if !ok {
			return
		}
		if x.met[t] == 0 {
			x.touched = append(x.touched, t)
		}
		x.met[t] += weight
		e.length += weight
	}
	for w := range words(e.Path[strings.LastIndexByte(e.Path, '/')+1:]) {
		add(w, nameWeight)
	}
	for line := range strings.Lines(string(e.Text)) {
		weight := textWeight
		if line[0] == '#' {
			weight = headingWeight
		}
		for w := range words(line) {
			add(w, weight)
		}
	}
	e.counts = make([]count, len(x.touched))
	for i, t := range x.touched {
		e.counts[i] = count(t<<countBits) | count(min(x.met[t], maxCount))
		x.met[t] = 0
	}
	x.touched = x.touched[:0]
}

// term returns the number of a term, and adds new terms. ok is false if there are too many. The index keeps the terms of removed
// files: they are few, and cost a query only a comparison.
func (x *Index) term(w string) (t uint32, ok bool) {
	if t, ok := x.terms[w]; ok {
		return t, true
	}
	if len(x.names) == maxTerms {
		return 0, false
	}
	t = uint32(len(x.names))
	w = strings.Clone(w)
	x.terms[w] = t
	n := 0
	for g := range trigrams(w) {
		n++
		if l := x.grams[g]; len(l) == 0 || l[len(l)-1] != t {
			x.grams[g] = append(l, t)
		}
	}
	x.names, x.sizes, x.met = append(x.names, w), append(x.sizes, n), append(x.met, 0)
	return t, true
}

// standIn is a term that matches a word of the query, with its weight.
type standIn struct {
	word   int
	weight float32
}

// similarTerms returns the terms that match a word, itself included, with their weights.
func (x *Index) similarTerms(word string) map[uint32]float32 {
	shared := map[uint32]int{}
	own := 0
	for g := range trigrams(word) {
		own++
		for _, t := range x.grams[g] {
			shared[t]++
		}
	}
	type near struct {
		term  uint32
		share float64
	}
	var list []near
	for t, n := range shared {
		if share := min(1, float64(n)/math.Sqrt(float64(own*x.sizes[t]))); share >= minSimilarity {
			list = append(list, near{t, share})
		}
	}
	slices.SortFunc(list, func(a, b near) int {
		return cmp.Or(cmp.Compare(b.share, a.share), strings.Compare(x.names[a.term], x.names[b.term]))
	})
	out := map[uint32]float32{}
	for _, n := range list[:min(len(list), maxSimilar)] {
		out[n.term] = float32(n.share * similarWeight)
	}
	if t, ok := x.terms[word]; ok {
		out[t] = 1
	}
	return out
}

// semantic scores files by BM25. The terms that match one word of the query count as one term.
func (x *Index) semantic(found []*entry, query string) []float64 {
	scores := make([]float64, len(found))
	var all []string
	for w := range words(query) {
		if !slices.Contains(all, w) && len(all) < maxWords {
			all = append(all, strings.Clone(w))
		}
	}
	if len(all) == 0 || len(x.docs) == 0 {
		return scores
	}
	standing := make([][]standIn, len(x.sizes)) // by term
	for i, w := range all {
		for t, weight := range x.similarTerms(w) {
			standing[t] = append(standing[t], standIn{i, weight})
		}
	}
	often := make([]float64, len(found)*len(all)) // for each file, each word
	in := make([]float64, len(all))               // number of files with a word
	for i, e := range found {
		own := often[i*len(all) : (i+1)*len(all)]
		for _, c := range e.counts {
			for _, s := range standing[c.term()] {
				own[s.word] += float64(s.weight) * float64(c.occurrences())
			}
		}
		for w := range own {
			if own[w] > 0 {
				in[w]++
			}
		}
	}
	n, mean := float64(len(found)), max(1, float64(x.length)/float64(len(x.docs)))
	for i, e := range found {
		for w := range all {
			if f := often[i*len(all)+w]; f > 0 {
				rare := math.Log(1 + (n-in[w]+0.5)/(in[w]+0.5))
				scores[i] += rare * f * (saturation + 1) / (f + saturation*(1-lengthShare+lengthShare*float64(e.length)/mean))
			}
		}
	}
	return scores
}
