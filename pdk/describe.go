package pdk

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/fcp-host/fcp-host/abi"
)

// Parameter is a key of a verb or a query with its type, such as a value.Key. Before Run is called, Check has accepted the
// op's value of the key.
type Parameter interface {
	Param() abi.Param
	Check(a Args) error
}

// checkKeys refuses an op with a value that is not of its key's type.
func checkKeys(a Args, keys []Parameter) error {
	for _, k := range keys {
		if err := k.Check(a); err != nil {
			return err
		}
	}
	return nil
}

// NewVerb makes a verb from its syntax line, as Declare does. Other fields of the verb may be set afterwards.
func NewVerb[M any](syntax, summary string, run func(*Ctx[M], Args) error, examples ...string) Verb[M] {
	return Declare(Verb[M]{Run: run, Verb: abi.Verb{Syntax: syntax, Summary: summary, Examples: examples}})[0]
}

// Declare completes each verb without a name from its syntax line. The first word is the name, words after it are
// positionals, key:VALUE is a parameter, [ ] encloses optional parts, … follows a word that may be repeated, NAME[,NAME…] is one word, and @SEL or SEL,
// also as in TASK|@SEL, means that selectors may replace the names:
//
//	recur TASK|@SEL RULE [until:DATE]
//
// "REF ARROW REF", a connection, counts as one word, or three; "key:value…" or "INPUT:VALUE…" means keys of any name; " | " or " · " before the verb's name separates
// forms. A Min or Max other than 0 stays. Of a verb with a name only Params are completed: each Parameter in Keys says what its key takes.
func Declare[M any](list ...Verb[M]) []Verb[M] {
	for i := range list {
		v := &list[i]
		name, t, free := readSyntax(v.Syntax)
		if v.Name == "" {
			v.Name, v.Params, v.Select = name, t.Params, v.Select || t.Select
			v.Min, v.Max = cmp.Or(v.Min, t.Min), cmp.Or(v.Max, t.Max)
			v.AnyParam = v.AnyParam || free
		}
		v.Params = describeKeys(v.Params, v.Keys)
	}
	return list
}

// DeclareQueries is Declare for queries. One without Takes takes what its syntax line says.
func DeclareQueries[M any](list ...Query[M]) []Query[M] {
	for i := range list {
		q := &list[i]
		name, t, _ := readSyntax(q.Syntax)
		if q.Name == "" {
			q.Name = name
		}
		if q.Takes == nil {
			q.Takes = &t
		}
		q.Takes.Params = describeKeys(q.Takes.Params, q.Keys)
	}
	return list
}

// describeKeys sets what typed keys take, and adds those that a syntax line leaves out.
func describeKeys(params []abi.Param, keys []Parameter) []abi.Param {
	for _, k := range keys {
		p := k.Param()
		if i := slices.IndexFunc(params, func(q abi.Param) bool { return q.Key == p.Key }); i >= 0 {
			params[i] = p
		} else {
			params = append(params, p)
		}
	}
	return params
}

// NewQuery makes a query that answers with text, from a syntax line as for NewVerb. The host refuses anything else after
// its name.
func NewQuery[M any](syntax, summary string, run func(*View[M], Args) (string, error)) Query[M] {
	return DeclareQueries(Query[M]{Query: abi.Query{Syntax: syntax, Summary: summary},
		Run: func(v *View[M], a Args) (abi.QueryResponse, error) {
			text, err := run(v, a)
			return abi.QueryResponse{Text: text}, err
		}})[0]
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

// edgeWord stands for a connection.
const edgeWord = "EDGE"

// oneWord replaces what stands for a name by a name, and writes one sign between forms.
var oneWord = strings.NewReplacer("REF ARROW REF", edgeWord, " · ", " | ")

// spaced puts blanks around brackets.
var spaced = strings.NewReplacer("[", " [ ", "]", " ] ")

// Regexp returns a function that compiles an expression when it is first called. A guest that declares its expressions so starts
// sooner: while its module is not compiled yet, the package's initialization is interpreted. The function panics if the
// expression is invalid.
func Regexp(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// readSyntax parses a syntax line, in the notation of Declare; free is true if it takes keys of any name. Every verb is read when the guest
// starts, so it uses no expressions.
func readSyntax(syntax string) (name string, t abi.Takes, free bool) {
	name, rest, _ := strings.Cut(syntax, " ")
	for i, form := range strings.Split(oneWord.Replace(rest), " | "+name+" ") {
		f, more := readForm(form)
		free = free || more
		if i == 0 {
			t = f
			continue
		}
		most := t.Max
		t.Min, t.Select = min(t.Min, f.Min), t.Select || f.Select
		if t.Max = max(t.Max, f.Max); min(most, f.Max) < 0 {
			t.Max = -1
		}
		for _, p := range f.Params {
			t.Params = withParam(t.Params, p)
		}
	}
	return name, t, free
}

// withParam adds a parameter; of one that is there, it adds what it takes.
func withParam(list []abi.Param, p abi.Param) []abi.Param {
	i := slices.IndexFunc(list, func(q abi.Param) bool { return q.Key == p.Key })
	if i < 0 {
		return append(list, p)
	}
	if !slices.Contains(strings.Split(list[i].Value, "|"), p.Value) {
		list[i].Value += "|" + p.Value
	}
	return list
}

// readForm parses a form of a syntax line, without its verb.
func readForm(form string) (t abi.Takes, free bool) {
	depth := 0
	for _, word := range strings.Fields(spaced.Replace(form)) {
		switch word {
		case "[":
			depth++
			continue
		case "]":
			depth--
			continue
		}
		if word == "|" || strings.HasPrefix(word, ",") { // the latter continues the word before
			continue
		}
		if key, value, ok := keyed(word); ok {
			if strings.HasSuffix(value, "…") && (key == "key" || key == strings.ToUpper(key)) {
				free = true
				continue
			}
			t.Params = withParam(t.Params, abi.Param{Key: key, Value: value})
			continue
		}
		positional, many, most := false, false, 1
		for part := range strings.SplitSeq(word, "|") {
			if part == "SEL" || part == "SEL…" || strings.HasPrefix(part, "@") {
				t.Select = true
				continue
			}
			positional = true
			many = many || strings.HasSuffix(part, "…") || strings.HasSuffix(part, "...")
			if part == edgeWord {
				most = 3
			}
		}
		if !positional {
			continue
		}
		if depth == 0 {
			t.Min++
		}
		if t.Max >= 0 {
			t.Max += most
		}
		if many {
			t.Max = -1
		}
	}
	return t, free
}
