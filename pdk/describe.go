package pdk

import (
	"regexp"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
)

// NewVerb is a verb as its syntax describes it: the first word is the name, words after it are positionals, key:VALUE
// is a parameter, [ ] encloses what may be missing, … follows a word that may be repeated, and @SEL, also as in
// TASK|@SEL, says that selectors may replace the names:
//
//	pdk.NewVerb("recur TASK|@SEL RULE [until:DATE]", "repeat a task", recur, "recur @all weekly")
//
// Other fields of the verb may be set afterwards.
func NewVerb[M any](syntax, summary string, run func(*Ctx[M], Args) error, examples ...string) Verb[M] {
	name, t := readSyntax(syntax)
	return Verb[M]{Run: run, Verb: abi.Verb{Name: name, Syntax: syntax, Summary: summary, Examples: examples,
		Params: t.Params, Select: t.Select, Min: t.Min, Max: t.Max}}
}

// NewQuery is a query that answers with text, described as by NewVerb. The host refuses anything else after its name.
func NewQuery[M any](syntax, summary string, run func(*View[M], Args) (string, error)) Query[M] {
	name, t := readSyntax(syntax)
	return Query[M]{Query: abi.Query{Name: name, Syntax: syntax, Summary: summary, Takes: &t},
		Run: func(v *View[M], a Args) (abi.QueryResponse, error) {
			text, err := run(v, a)
			return abi.QueryResponse{Text: text}, err
		}}
}

// keyed is a parameter of a syntax.
var keyed = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_-]*):(.*)$`)

// readSyntax reads the notation of NewVerb.
func readSyntax(syntax string) (name string, t abi.Takes) {
	name, rest, _ := strings.Cut(syntax, " ")
	depth := 0
	for _, word := range strings.Fields(strings.NewReplacer("[", " [ ", "]", " ] ").Replace(rest)) {
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
		if m := keyed.FindStringSubmatch(word); m != nil {
			t.Params = append(t.Params, abi.Param{Key: m[1], Value: m[2]})
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
