package pdk

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/fcp-host/fcp-host/abi"
)

// NewVerb makes a verb from its syntax line: the first word is the name, words after it are positionals, key:VALUE is a
// parameter, [ ] encloses optional parts, … follows a word that may be repeated, and @SEL, also as in TASK|@SEL, means
// that selectors may replace the names:
//
//	pdk.NewVerb("recur TASK|@SEL RULE [until:DATE]", "repeat a task", recur, "recur @all weekly")
//
// Other fields of the verb may be set afterwards.
func NewVerb[M any](syntax, summary string, run func(*Ctx[M], Args) error, examples ...string) Verb[M] {
	name, t := readSyntax(syntax)
	return Verb[M]{Run: run, Verb: abi.Verb{Name: name, Syntax: syntax, Summary: summary, Examples: examples,
		Params: t.Params, Select: t.Select, Min: t.Min, Max: t.Max}}
}

// NewQuery makes a query that answers with text, from a syntax line as for NewVerb. The host refuses anything else after
// its name.
func NewQuery[M any](syntax, summary string, run func(*View[M], Args) (string, error)) Query[M] {
	name, t := readSyntax(syntax)
	return Query[M]{Query: abi.Query{Name: name, Syntax: syntax, Summary: summary, Takes: &t},
		Run: func(v *View[M], a Args) (abi.QueryResponse, error) {
			text, err := run(v, a)
			return abi.QueryResponse{Text: text}, err
		}}
}

// Folding says what the host does with long answers of queries: those of exact are never folded, and those of bulk even if words follow.
func Folding[M any](list []Query[M], exact, bulk []string) []Query[M] {
	for i := range list {
		q := &list[i].Query
		q.Exact, q.Bulk = slices.Contains(exact, q.Name), slices.Contains(bulk, q.Name)
	}
	return list
}

// keyed splits a parameter of a syntax line, key:VALUE.
func keyed(word string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(word, ":")
	for i := range len(key) {
		c := key[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		ok = ok && (letter || i > 0 && ('0' <= c && c <= '9' || c == '_' || c == '-'))
	}
	return key, value, ok && key != ""
}

// keysOf lists the keys in a syntax line; a variable part is listed as a star: override.* for override.KEY:VALUE.
func keysOf(syntax string) (keys []string) {
	for _, word := range strings.FieldsFunc(syntax, func(r rune) bool { return strings.ContainsRune(" []|", r) }) {
		key, _, ok := strings.Cut(word, ":")
		if !ok {
			continue
		}
		if fixed := strings.TrimRight(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"); fixed != key {
			key = fixed + "*"
		}
		keys = append(keys, key)
	}
	return keys
}

// spaced puts blanks around brackets.
var spaced = strings.NewReplacer("[", " [ ", "]", " ] ")

// Regexp returns a function that compiles an expression when it is first called. A guest that declares its expressions so starts
// sooner: while its module is not compiled yet, the package's initialization is interpreted. The function panics if the
// expression is invalid.
func Regexp(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// readSyntax parses a syntax line, in the notation of NewVerb. Every verb is read when the guest starts, so it uses no expressions.
func readSyntax(syntax string) (name string, t abi.Takes) {
	name, rest, _ := strings.Cut(syntax, " ")
	depth := 0
	for _, word := range strings.Fields(spaced.Replace(rest)) {
		switch word {
		case "[":
			depth++
			continue
		case "]":
			depth--
			continue
		case "|":
			continue
		}
		if key, value, ok := keyed(word); ok {
			t.Params = append(t.Params, abi.Param{Key: key, Value: value})
			continue
		}
		positional := false
		for alternative := range strings.SplitSeq(word, "|") {
			if strings.HasPrefix(alternative, "@") {
				t.Select = true
			} else {
				positional = true
			}
		}
		if !positional {
			continue
		}
		if depth == 0 {
			t.Min++
		}
		if t.Max >= 0 {
			t.Max++
		}
		if strings.Contains(word, "…") || strings.Contains(word, "...") {
			t.Max = -1
		}
	}
	return name, t
}
