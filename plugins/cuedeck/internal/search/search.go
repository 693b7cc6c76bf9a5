// Package search ranks the files of a workspace by a query, without a model and without a network.
//
//   - Keyword is the scorer of the contract: see keyword.go.
//   - Semantic stands in for an embedding: BM25 over words, where a word of the query also matches the words of the workspace that share
//     most of its character trigrams. So "authenticate" finds "authentication" and tolerates typos, but it does not know, as a model
//     would, that "login" is related.
//   - Results depend only on the files and the query. Equal scores are ordered by path.
package search

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Doc is a file to be searched.
type Doc struct {
	Path string // relative to the workspace
	Text []byte // belongs to the caller; must not change

	Tags               []string
	Priority, Assignee string
}

// Mode is a ranker.
type Mode string

// The rankers.
const (
	Keyword  Mode = "keyword"
	Semantic Mode = "semantic"
	Hybrid   Mode = "hybrid" // 0.7 of the semantic and 0.3 of the keyword score, each relative to the best
)

// The weights of Hybrid.
const semanticWeight, keywordWeight = 0.7, 0.3

// Ranker describes the ranker in a few words.
func (m Mode) Ranker() string {
	switch m {
	case Keyword:
		return "keyword"
	case Semantic:
		return "bm25+trigrams"
	}
	return "0.7 bm25+trigrams + 0.3 keyword"
}

// Query is a search.
type Query struct {
	Text  string
	Mode  Mode
	Limit int // maximum number of hits

	// Filters: a file must have any of the tags, and match the others regardless of case.
	Tags               []string
	Priority, Assignee string
}

// Hit is a result.
type Hit struct {
	Path  string
	Score float64 // above 0
}

// entry is a file in the index.
type entry struct {
	Doc
	name   string // folded, without folders
	folded []byte // folded text, nil if it is folded for each search
	counts []count
	length int // of the text, in weighted words
}

// count is the number of occurrences of a term in a file: the term's number, followed by countBits bits for the occurrences.
type count uint32

const (
	countBits = 10
	maxCount  = 1<<countBits - 1
	maxTerms  = 1 << (32 - countBits)
)

func (c count) term() uint32     { return uint32(c >> countBits) }
func (c count) occurrences() int { return int(c & maxCount) }

// Index is a searchable set of files. The zero value is empty and ready to use.
type Index struct {
	docs   map[string]*entry
	terms  map[string]uint32
	grams  map[[3]rune][]uint32 // the terms that have a trigram
	names  []string             // of the terms
	sizes  []int                // number of trigrams of each term
	length int                  // of all files
	folded int                  // bytes of cached folded text

	scratch []byte // buffer for folding a text that is not cached

	// Used while counting a file: the occurrences of each term, and the terms that occur.
	met     []int
	touched []uint32
}

// maxFolded bounds the cached folded text, and maxText the part of one file that is searched, both in bytes. A workspace of the
// maximum size and its index must fit into an instance.
const maxFolded, maxText = 8 << 20, 1 << 20

// Put adds or replaces a file.
func (x *Index) Put(d Doc) {
	if x.docs == nil {
		x.docs, x.terms, x.grams = map[string]*entry{}, map[string]uint32{}, map[[3]rune][]uint32{}
	}
	if len(d.Text) > maxText {
		end := maxText
		for !utf8.RuneStart(d.Text[end]) {
			end--
		}
		d.Text = d.Text[:end]
	}
	x.Remove(d.Path)
	e := &entry{Doc: d, name: fold(d.Path[strings.LastIndexByte(d.Path, '/')+1:])}
	if x.folded+len(d.Text) <= maxFolded {
		e.folded = []byte(fold(string(d.Text)))
		x.folded += len(e.folded)
	}
	x.count(e)
	x.length += e.length
	x.docs[d.Path] = e
}

// Remove removes a file.
func (x *Index) Remove(path string) {
	if e := x.docs[path]; e != nil {
		x.folded -= len(e.folded)
		x.length -= e.length
		delete(x.docs, path)
	}
}

// Search returns the files that match a query, the best one first.
func (x *Index) Search(q Query) []Hit {
	var found []*entry
	for _, e := range x.docs {
		if e.matches(&q) {
			found = append(found, e)
		}
	}
	slices.SortFunc(found, func(a, b *entry) int { return strings.Compare(a.Path, b.Path) })
	scores := make([]float64, len(found))
	add := func(part []float64, weight float64) {
		best := slices.Max(append(part, 0))
		for i := range part {
			if weight == 1 {
				scores[i] += part[i]
			} else if best > 0 {
				scores[i] += weight * part[i] / best
			}
		}
	}
	switch q.Mode {
	case Keyword:
		add(x.keyword(found, q.Text), 1)
	case Semantic:
		add(x.semantic(found, q.Text), 1)
	default:
		add(x.semantic(found, q.Text), semanticWeight)
		add(x.keyword(found, q.Text), keywordWeight)
	}
	var hits []Hit
	for i, e := range found {
		if scores[i] > 0 {
			hits = append(hits, Hit{e.Path, math.Round(scores[i]*1e6) / 1e6})
		}
	}
	slices.SortStableFunc(hits, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
	return hits[:min(len(hits), max(q.Limit, 0))]
}

// matches reports whether a file passes the filters.
func (e *entry) matches(q *Query) bool {
	return (len(q.Tags) == 0 || slices.ContainsFunc(q.Tags, func(t string) bool {
		return slices.ContainsFunc(e.Tags, func(own string) bool { return Same(own, t) })
	})) && (q.Priority == "" || Same(e.Priority, q.Priority)) && (q.Assignee == "" || Same(e.Assignee, q.Assignee))
}

// Same reports whether texts differ only in case and Unicode form.
func Same(a, b string) bool { return strings.EqualFold(a, b) || fold(a) == fold(b) }

// fold normalizes case and Unicode form.
func fold(s string) string {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return strings.ToLower(norm.NFC.String(s))
		}
	}
	return strings.ToLower(s)
}
