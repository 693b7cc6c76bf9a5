package session

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// How much a word counts that a topic has in its name, by a synonym, in its line, or elsewhere in its text.
const (
	inName    = 8
	inSynonym = 6
	inLine    = 3
	inText    = 1

	maxFound = 8 // topics in an answer
)

// search answers with the topics that have most of the words of a question, the best first: the best one in full if a word
// names it, of the others the line that says what they are.
func (h *help) search(all []topic, what string) string {
	type found struct {
		topic
		words, score int
		named        bool
	}
	asked := stems(what)
	for _, s := range h.sections() {
		for _, line := range s.Lines {
			all = append(all, topic{line: guest(s.Title+": "+line) + "\n"})
		}
	}
	var hits []found
	for _, t := range all {
		if t.line == "" && strings.HasPrefix(t.text, "parameter ") {
			t.line = t.text
		}
		if t.line == "" {
			continue
		}
		names, line, text := stems(strings.Join(t.names, " ")), stems(t.line), stems(t.text)
		f := found{topic: t}
		for _, word := range asked {
			best := 0
			switch {
			case slices.Contains(names, word):
				best, f.named = inName, true
			case slices.ContainsFunc(h.meant(word), func(name string) bool { return slices.Contains(t.names, name) }):
				best, f.named = inSynonym, true
			case slices.Contains(line, word):
				best = inLine
			case slices.Contains(text, word):
				best = inText
			}
			if best > 0 {
				f.words, f.score = f.words+1, f.score+best
			}
		}
		if f.words > 0 {
			hits = append(hits, f)
		}
	}
	slices.SortStableFunc(hits, func(a, b found) int {
		return cmp.Or(cmp.Compare(b.words, a.words), cmp.Compare(b.score, a.score))
	})
	var b strings.Builder
	for i, f := range hits[:min(len(hits), maxFound)] {
		switch {
		case f.words < hits[0].words:
			return b.String()
		case i == 0 && f.named && f.text != "":
			b.WriteString(f.text)
		default:
			b.WriteString(f.line)
		}
	}
	return b.String()
}

// meant lists what a word may be another one for: verbs, queries, actions and keys.
func (h *help) meant(word string) (out []string) {
	for _, w := range []string{word, word + "s", word + ":", word + "s:"} {
		for _, m := range h.d.Meanings(w)[1:] {
			first, _, _ := strings.Cut(strings.TrimSuffix(m, ":"), " ")
			out = append(out, first)
		}
	}
	return out
}

// stems splits a text into its words, in lower case and in the singular, without those that ask for nothing.
func stems(text string) (out []string) {
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '#' }) {
		if len(w) > 3 && !strings.HasSuffix(w, "ss") {
			w = strings.TrimSuffix(w, "s")
		}
		if !slices.Contains([]string{"a", "an", "the", "of", "to", "in", "on", "at", "for", "and", "or", "with", "how", "do", "i"}, w) {
			out = append(out, w)
		}
	}
	return out
}
