package guest

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
)

// awkwardWords lists valid words that plugins often mishandle: they return them as an id that is too long, or print them
// unescaped.
func awkwardWords() []string {
	return []string{strings.Repeat("x", longID), "\x1b[31mred\x07"}
}

// checkAwkwardWords puts awkward words into each place of the examples, one at a time, in a document in which all examples worked.
func (j *judge) checkAwkwardWords(w *walked, pool []abi.Op) {
	doc, err := j.documentFrom(w.events(0))
	if err != nil {
		return // the check "recovery" reports it
	}
	defer func() { doc.close() }()
	times := map[string]int{}
	for _, op := range pool {
		if times[op.Verb]++; times[op.Verb] > j.attempts(perVerb) {
			continue
		}
		for _, parsed := range j.reparse(op) {
			for _, spoilt := range withAwkwardWords(parsed) {
				sent, err := j.printAndParse(spoilt)
				if err != nil || j.over() {
					continue
				}
				out, err := doc.apply(false, recent(w.log), sent)
				if err == nil {
					err = doc.reverse(out.Results[0].Events)
				}
				if err == nil {
					continue
				}
				j.countFault("the operation "+clip(sent.Raw), err)
				doc.close()
				if doc, err = j.documentFrom(w.events(0)); err != nil {
					return
				}
			}
		}
	}
}

// withAwkwardWords returns copies of an op with an awkward word in one place each.
func withAwkwardWords(op grammar.Op) (out []grammar.Op) {
	put := func(change func(o *grammar.Op, word string)) {
		for _, word := range awkwardWords() {
			copied := op
			copied.Positionals, copied.Params, copied.Selectors = slices.Clone(op.Positionals), slices.Clone(op.Params), slices.Clone(op.Selectors)
			change(&copied, word)
			out = append(out, copied)
		}
	}
	for i := range op.Positionals {
		if !slices.Contains(op.Arrows, i) {
			put(func(o *grammar.Op, word string) { o.Positionals[i].Text = word })
		}
	}
	for i := range op.Params {
		put(func(o *grammar.Op, word string) { o.Params[i].Value = word })
	}
	for i := range op.Selectors {
		put(func(o *grammar.Op, word string) { o.Selectors[i].Value = word })
	}
	return out
}

// printAndParse returns an op as it is after printing and parsing, or why the host refuses it.
func (j *judge) printAndParse(op grammar.Op) (abi.Op, error) {
	return j.parse(grammar.Format(op, j.d.Rules))
}

// onAllElements returns the examples of verbs that take selectors, changed to select all elements. A selector may replace all
// words or the first.
func (j *judge) onAllElements(pool []abi.Op) (out []abi.Op) {
	seen := map[string]bool{}
	for _, op := range pool {
		i := slices.IndexFunc(j.m.Verbs, func(v abi.Verb) bool { return v.Name == op.Verb && v.Select })
		if i < 0 {
			continue
		}
		for _, parsed := range j.reparse(op) {
			if len(parsed.Arrows) > 0 {
				continue
			}
			words := parsed.Positionals
			parsed.Selectors = []abi.Select{{Type: "all"}}
			for _, parsed.Positionals = range [][]abi.Positional{words, words[min(1, len(words)):], nil} {
				all, err := j.printAndParse(parsed)
				if err == nil && !seen[all.Raw] {
					seen[all.Raw] = true
					out = append(out, all)
				}
			}
		}
	}
	return out
}
