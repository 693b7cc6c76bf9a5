package conformance

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
)

// Effect describes the effect of a suggested op.
type Effect struct {
	Deletes bool // it deleted something
	Changes bool // it changed an existing element
	// Describe describes what a word named before, by its name or a shorter one; "" if it named nothing.
	Describe func(word string) string
}

// ExceedsRequest says how a suggested op, and its effect, goes beyond the op that was refused; "" if it does not. A suggestion
// corrects what was sent: it acts only on what was named there, or on something with a similar name, and it deletes
// only if the op asked for that.
func ExceedsRequest(sent, suggested *grammar.Op, did Effect) string {
	for _, s := range suggested.Selectors {
		if !wasSelected(s, sent) {
			return fmt.Sprintf("acts on %s, which was not named", s.Raw)
		}
	}
	words := wordsAfterVerb(sent)
	if did.Deletes {
		verb := strings.ToLower(sent.Verb)
		if !near(suggested.Verb, []string{verb}) && !slices.Contains(deleting, verb) || slices.Contains(keeping, verb) && suggested.Verb != verb {
			return "deletes, which was not asked for"
		}
	}
	for i, p := range suggested.Positionals {
		// The verb's object may come first or last: remove A1, track remove A1.
		if slices.Contains(suggested.Arrows, i) || near(p.Text, words) || strings.EqualFold(p.Text, sent.Verb) || !did.Deletes && !did.Changes {
			continue
		}
		told := " " + normalizeSpaces(did.Describe(p.Text)) + " "
		switch {
		case slices.ContainsFunc(sent.Positionals, func(s abi.Positional) bool { return mentions(told, s.Text) }):
			// under another of its names
		case did.Deletes:
			return fmt.Sprintf("deletes %s, which was not named", p.Text)
		case strings.Contains(strings.ToLower(told), " "+strings.ToLower(normalizeSpaces(p.Text))+" "):
			return fmt.Sprintf("changes %s, which was not named", p.Text)
		}
	}
	// Fewer selectors select more; with none and no words, an op acts on everything.
	fewer := len(suggested.Selectors) < len(sent.Selectors)
	aimed := len(suggested.Positionals) > 0 || suggested.Block != nil
	if fewer && (did.Deletes || did.Changes) && (len(suggested.Selectors) > 0 || !aimed) {
		return "acts on more than was named"
	}
	return ""
}

var (
	deleting = []string{"remove", "delete", "del", "rm", "erase", "drop", "discard", "clear", "cut"}
	// keeping are verbs that never mean a deletion, even if they are spelled like one that does.
	keeping = []string{"rename", "undo", "redo", "save", "map", "list"}
)

// wasSelected reports whether the selector, or a similar one, was sent. Its value may have been sent as a word.
func wasSelected(s abi.Select, sent *grammar.Op) bool {
	for _, t := range sent.Selectors {
		if near(s.Type, []string{t.Type}) && (s.Value == "" || near(s.Value, []string{t.Value}) || reversedRange(s.Value, t.Value)) {
			return true
		}
	}
	return s.Value != "" && near(s.Value, wordsAfterVerb(sent)) || s.Value == "" && near(s.Type, wordsAfterVerb(sent))
}

// reversedRange reports whether two ranges have the same ends in either order.
func reversedRange(a, b string) bool {
	from, to, _ := strings.Cut(a, "-")
	return to != "" && to+"-"+from == b
}

// wordsAfterVerb lists the words of an op after its verb.
func wordsAfterVerb(op *grammar.Op) []string {
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

// mentions reports whether told has a word that begins with word, or has word as a whole in any case. A word of more than
// three letters and digits may also be part of a longer one, with case and spaces ignored.
func mentions(told, word string) bool {
	word = normalizeSpaces(word)
	if word == "" {
		return false
	}
	folded := strings.ToLower(word)
	all := strings.ToLower(told)
	joined := strings.ReplaceAll(folded, " ", "")
	return strings.Contains(told, " "+word) || strings.Contains(all, " "+folded+" ") ||
		len(joined) > 3 && strings.Contains(strings.ReplaceAll(all, " ", ""), joined)
}

// normalizeSpaces returns a text's words with one space between them.
func normalizeSpaces(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")
}

// near reports whether a word, or one that it may be a misspelling of, is in the list. A number matches only itself.
func near(word string, among []string) bool {
	_, err := strconv.ParseFloat(word, 64)
	return slices.ContainsFunc(among, func(w string) bool {
		return strings.EqualFold(w, word) || err != nil && len(slices.Concat(grammar.Nearest(w, []string{word}), grammar.Nearest(word, []string{w}))) > 0
	})
}
