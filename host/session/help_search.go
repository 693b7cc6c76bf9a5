package session

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/reply"
)

// How much a word counts that a topic has in its name, by a synonym, in its line, or elsewhere in its text. A word that many topics have
// counts less.
const (
	inName    = 8
	inSynonym = 6
	inLine    = 3
	inText    = 1
)

// Bounds of an answer.
const (
	maxFound     = 3   // topics
	maxAnswer    = 600 // characters
	maxTopic     = 200 // of a topic's line
	maxSyntax    = 90  // of a verb's syntax in it
	maxExample   = 120
	worthListing = 0.5 // of the best topic's score, for another to be listed
)

// findable is a topic with the words by which it is found.
type findable struct {
	topic
	nameWords, lineWords, textWords []string
}

// search answers with the topics that have most of the words of a question, the best first: for each what it is, and an example. It returns
// "" if none has any.
func (h *help) search(all []topic, what string) string {
	var list []findable
	for _, t := range all {
		if t.line == "" && strings.HasPrefix(t.text, "parameter ") {
			t.line = t.text
		}
		if t.line != "" {
			list = append(list, findable{t, stems(strings.Join(t.names, " ")), stems(t.line), stems(t.text)})
		}
	}
	type hit struct {
		*findable
		score float64
	}
	hits := make([]hit, len(list))
	asked := stems(what)
	for i := range list {
		hits[i].findable = &list[i]
	}
	for _, raw := range split(what) {
		word, meant := stem(raw), h.meant(raw)
		worth := make([]float64, len(list))
		n := 0
		for i := range list {
			t := &list[i]
			switch {
			case slices.Contains(t.nameWords, word):
				worth[i] = inName
			case slices.ContainsFunc(meant, func(name string) bool { return slices.Contains(t.names, name) }):
				worth[i] = inSynonym
			case slices.Contains(t.lineWords, word):
				worth[i] = inLine
			case slices.Contains(t.textWords, word):
				worth[i] = inText
			default:
				continue
			}
			n++
		}
		rare := math.Log(1 + float64(len(list))/float64(max(n, 1)))
		for i := range list {
			hits[i].score += worth[i] * rare
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	var b strings.Builder
	for _, f := range hits[:min(len(hits), maxFound)] {
		said := cut(strings.TrimRight(f.line, "\n"), maxTopic) + "\n" + f.example(asked)
		if f.score == 0 || f.score < worthListing*hits[0].score || utf8.RuneCountInString(b.String()+said) > maxAnswer {
			break
		}
		b.WriteString(said)
	}
	return b.String()
}

// explain answers unknown verbs for which there is no suggestion with what the help finds by their words.
func (s *Session) explain(dom string, d *document.Document, ops []string, r *reply.Reply) {
	if slices.ContainsFunc(ops, func(op string) bool { return strings.Contains(op, "\n") }) {
		return // it holds several ops or a block, so the numbers of results are not those of ops
	}
	for i := range r.Results {
		res := &r.Results[i]
		if res.Prefix != reply.Error || len(res.Try) != 1 || res.Try[0] != reply.Help("") || res.Op < 1 || res.Op > len(ops) {
			continue
		}
		verb, _, _ := strings.Cut(strings.TrimSpace(ops[res.Op-1]), " ")
		h := help{d: d.Domain(), prefix: toolPrefix(dom)}
		verbs := slices.DeleteFunc(h.topics(), func(t topic) bool { return len(t.names) != 1 || !d.Domain().Knows(t.names[0]) })
		if found := strings.TrimRight(h.search(verbs, verb), "\n"); found != "" && !d.Domain().Knows(verb) {
			why, _, _ := strings.Cut(res.Text, "; the verbs are ")
			res.Text = why + "; nearest in the help:\n" + found
		}
	}
}

// lines makes a topic of each line of the sections, and of each job that people ask for.
func (h *help) lines() (out []topic) {
	for _, s := range h.sections() {
		for _, line := range s.Lines {
			out = append(out, topic{line: guest(h.d.Name(), s.Title+": "+line) + "\n"})
		}
	}
	for _, job := range h.d.Manifest.Jobs {
		title, script, _ := strings.Cut(job, "\n")
		out = append(out, topic{line: guest(h.d.Name(), title) + "\n", text: "  example: " + indentRest(guest(h.d.Name(), script)) + "\n"})
	}
	return out
}

// cut shortens a line to that many characters.
func cut(line string, most int) string {
	if r := []rune(line); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return line
}

// example is the line of an example of the topic that has most of the words, "" if there is none.
func (t *findable) example(asked []string) string {
	best, most := "", -1
	for line := range strings.Lines(t.text) {
		if !strings.HasPrefix(line, "  example: ") {
			continue
		}
		has := stems(line)
		n := 0
		for _, word := range asked {
			if slices.Contains(has, word) {
				n++
			}
		}
		if n > most {
			best, most = line, n
		}
	}
	if best == "" {
		return ""
	}
	return cut(strings.TrimRight(best, "\n"), maxExample) + "\n"
}

// meant lists what a word may be another one for: verbs, queries, actions and keys.
func (h *help) meant(word string) (out []string) {
	for _, w := range []string{word, strings.TrimSuffix(word, "s"), word + "s", word + ":", word + "s:"} {
		for _, m := range h.d.Meanings(w)[1:] {
			first, _, _ := strings.Cut(strings.TrimSuffix(m, ":"), " ")
			out = append(out, first)
		}
	}
	return out
}

// empty are words that ask for nothing.
var empty = []string{"a", "an", "the", "of", "to", "in", "on", "at", "for", "and", "or", "with", "how", "do", "i", "is", "it", "my", "all", "one", "from", "by", "into", "be", "that", "this"}

// stems splits a text into its words, each as stem gives it.
func stems(text string) (out []string) {
	for _, w := range split(text) {
		out = append(out, stem(w))
	}
	return out
}

// split splits a text into its words, in lower case, without those that ask for nothing.
func split(text string) []string {
	return slices.DeleteFunc(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '#' }),
		func(w string) bool { return slices.Contains(empty, w) })
}

// stem is a word without the endings that say how it is used, in American spelling.
func stem(w string) string {
	if len(w) > 3 && !strings.HasSuffix(w, "ss") {
		w = strings.TrimSuffix(w, "s")
	}
	for _, end := range []string{"ing", "ed"} {
		if bare, ok := strings.CutSuffix(w, end); ok && len(bare) > 2 {
			if w = bare; w[len(w)-1] == w[len(w)-2] && w[len(w)-1] != 'l' && w[len(w)-1] != 's' {
				w = w[:len(w)-1] // cropping
			}
			break
		}
	}
	if len(w) > 4 {
		w = strings.Replace(strings.TrimSuffix(w, "e"), "colour", "color", 1)
		w = strings.Replace(w, "centr", "center", 1)
	}
	return w
}
