package conformance

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/fcp-host/fcp-host/grammar"
)

// Deed is what became of an op that an error suggested.
type Deed struct {
	Deletes bool // it deleted something
	Changes bool // it changed something that was there
	// Describe tells of what a word named before, by its name or a shorter one, "" if it named nothing.
	Describe func(word string) string
}

// Stray says how a suggested op, and what it did, goes beyond the op that was
// refused: "" for not at all. A suggestion mends what was sent. So it acts on
// what was named there, or on what is spelt nearly so, on no more of it, and
// deletes only where that was asked for.
func Stray(sent, suggested *grammar.Op, did Deed) string {
	for _, s := range suggested.Selectors {
		if !selected(s, sent) {
			return fmt.Sprintf("acts on %s, which was not named", s.Raw)
		}
	}
	words := typed(sent)
	if did.Deletes {
		verb := strings.ToLower(sent.Verb)
		if !near(suggested.Verb, []string{verb}) && !slices.Contains(deleting, verb) || slices.Contains(keeping, verb) && suggested.Verb != verb {
			return "deletes, which was not asked for"
		}
	}
	for i, p := range suggested.Positionals {
		// What is to be done may be said behind what it is done with: remove A1, track remove A1.
		if slices.Contains(suggested.Arrows, i) || near(p.Text, words) || strings.EqualFold(p.Text, sent.Verb) || !did.Deletes && !did.Changes {
			continue
		}
		told := " " + spaced(did.Describe(p.Text)) + " "
		switch {
		case slices.ContainsFunc(sent.Positionals, func(s grammar.Positional) bool { return begins(told, s.Text) }):
			// by another of its names
		case did.Deletes:
			return fmt.Sprintf("deletes %s, which was not named", p.Text)
		case strings.Contains(strings.ToLower(told), " "+strings.ToLower(spaced(p.Text))+" "):
			return fmt.Sprintf("changes %s, which was not named", p.Text)
		}
	}
	// Fewer selectors select more, and none at all is everything, where no word says what is meant.
	fewer := len(suggested.Selectors) < len(sent.Selectors)
	aimed := len(suggested.Positionals) > 0 || suggested.Block != nil
	if fewer && (did.Deletes || did.Changes) && (len(suggested.Selectors) > 0 || !aimed) {
		return "acts on more than was named"
	}
	return ""
}

var (
	deleting = []string{"remove", "delete", "del", "rm", "erase", "drop", "discard", "clear", "cut"}
	// keeping are words that nobody means a deletion with, near as they may be spelt.
	keeping = []string{"rename", "undo", "redo", "save", "map", "list"}
)

// selected reports whether a selector, or one near to it, was sent. Its value
// may have been sent as a word.
func selected(s grammar.Selector, sent *grammar.Op) bool {
	for _, t := range sent.Selectors {
		if near(s.Type, []string{t.Type}) && (s.Value == "" || near(s.Value, []string{t.Value}) || turned(s.Value, t.Value)) {
			return true
		}
	}
	return s.Value != "" && near(s.Value, typed(sent)) || s.Value == "" && near(s.Type, typed(sent))
}

// turned reports whether two ranges have the same ends.
func turned(a, b string) bool {
	from, to, _ := strings.Cut(a, "-")
	return to != "" && to+"-"+from == b
}

// typed lists the words of an op behind its verb.
func typed(op *grammar.Op) []string {
	var out []string
	for _, p := range op.Positionals {
		out = append(out, p.Text)
		out = append(out, strings.FieldsFunc(p.Text, func(r rune) bool { return r == ' ' || r == '/' || r == ':' })...) // a qualified name
	}
	for _, p := range op.Params {
		out = append(out, p.Key, p.Value)
	}
	for _, s := range op.Selectors {
		out = append(out, s.Type, s.Value)
	}
	return out
}

// begins reports whether a spaced text holds a word, or one that begins with
// it. A longer word may be written with other blanks.
func begins(told, word string) bool {
	word = spaced(word)
	if word == "" {
		return false
	}
	folded := strings.ToLower(word)
	all := strings.ToLower(told)
	joined := strings.ReplaceAll(folded, " ", "")
	return strings.Contains(told, " "+word) || strings.Contains(all, " "+folded+" ") ||
		len(joined) > 3 && strings.Contains(strings.ReplaceAll(all, " ", ""), joined)
}

// spaced is a text with one blank between its words and nothing else.
func spaced(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")
}

// near reports whether a word, or one that it may be a misspelling of, is among
// those. Numbers are near to themselves alone.
func near(word string, among []string) bool {
	_, err := strconv.ParseFloat(word, 64)
	return slices.ContainsFunc(among, func(w string) bool {
		return strings.EqualFold(w, word) || err != nil && len(slices.Concat(grammar.Nearest(w, []string{word}), grammar.Nearest(word, []string{w}))) > 0
	})
}
