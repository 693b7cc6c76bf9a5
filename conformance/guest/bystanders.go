package guest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
)

// watched is how many elements that an op does not name are described before and after it.
const watched = 3

// bystanders are elements that an op does not name, with their descriptions before it.
type bystanders struct {
	names []string          // what the op names: its words, and with selectors what the query list answers to these
	told  map[string]string // descriptions by id
}

// watch describes elements that op does not name. An op with a block, or without words and selectors, may name anything, such as the whole
// document, and so may selectors of what the query list does not answer. The error is a fault of a query.
func (j *judge) watch(w *walked, op *abi.Op, ids []string) (b bystanders, err error) {
	if len(ids) == 0 || len(op.Positionals)+len(op.Selectors) == 0 || op.Block != nil {
		return b, nil
	}
	b = bystanders{wordsOf(op), map[string]string{}}
	var all map[string]bool // what selectors can select
	if len(op.Selectors) > 0 {
		some, err := j.ask(w, abi.Op{Verb: "list", Selectors: op.Selectors})
		if some == "" || err != nil {
			return bystanders{}, err
		}
		text, err := j.ask(w, abi.Op{Verb: "list", Selectors: []abi.Select{{Type: "all"}}})
		if err != nil {
			return bystanders{}, err
		}
		b.names, all = append(b.names, some), wordsIn(text)
	}
	for k := range min(watched, len(ids)) {
		id := ids[(watched*j.report.Ops+k)%len(ids)]
		if slices.Contains(b.names, id) {
			continue
		}
		told, err := j.describe(w, id)
		if err != nil {
			return bystanders{}, err
		}
		if told == "" || namesAny(told, b.names) || all != nil && !slices.ContainsFunc(w.ownNames(id, told), func(name string) bool { return all[name] }) {
			continue
		}
		b.told[id] = told
	}
	return b, nil
}

// checkBystanders checks that an op changed no element that neither it nor its reply names. An element that refers to a named one
// names it in its description, and may change with it; an op none of whose words is an element's acts on the whole document; and an element
// that the file still has may be out of view, such as on another page. The error is a fault of a query.
func (j *judge) checkBystanders(w *walked, op *abi.Op, res *abi.Result, file []byte, before bystanders) error {
	text := strings.Join(append([]string{res.Text}, res.Warnings...), "\n")
	reply := wordsIn(text)
	for id, was := range before.told {
		now, err := j.describe(w, id)
		if err != nil {
			return err
		}
		fine := now == was || now == "" && hasWord(file, id) ||
			namesAny(now, before.names) ||
			slices.ContainsFunc(w.ownNames(id, was), func(name string) bool {
				return reply[name] || strings.Contains(name, " ") && strings.Contains(text, name)
			})
		if !fine && len(op.Selectors) == 0 {
			named, err := j.namesElement(w, op)
			if err != nil {
				return err
			}
			fine = !named
		}
		j.expect("bystanders", fine, "%q changed %s, which neither it nor its reply (%s) names: it was described as %q, and is as %q",
			clip(op.Raw), id, clip(res.Text), clip(was), clip(now))
	}
	return nil
}

// namesElement reports whether one of an op's words is an element's.
func (j *judge) namesElement(w *walked, op *abi.Op) (bool, error) {
	for _, word := range wordsOf(op) {
		if !strings.ContainsFunc(word, unicode.IsLetter) {
			continue
		}
		if told, err := j.describe(w, word); told != "" || err != nil {
			return true, err
		}
	}
	return false, nil
}

// describe describes what an id names in a walk's document; "" for nothing.
func (j *judge) describe(w *walked, id string) (string, error) {
	q, err := grammar.ParseQuery("describe " + grammar.Quote(id))
	if err != nil {
		return "", nil
	}
	text, err := j.ask(w, q.Op)
	if w.titles == nil {
		w.titles = map[string]string{}
	}
	if w.titles[id] = firstLine(text); text == "" {
		delete(w.titles, id)
	}
	return text, err
}

// ask asks a query of a walk's document. The answer is "" if the domain has no such query, or refuses it.
func (j *judge) ask(w *walked, query abi.Op) (string, error) {
	if !slices.ContainsFunc(j.m.Queries, func(q abi.Query) bool { return q.Name == query.Verb }) {
		return "", nil
	}
	var out abi.QueryResponse
	var no *refusal
	switch err := w.doc.call(abi.ExportQuery, &abi.QueryRequest{Query: query, Recent: recent(w.log)}, &out); {
	case errors.As(err, &no):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("the query %s: %w", query.Verb, err)
	}
	return out.Text, nil
}

// ownNames returns what a reply may call an element: its id, and what the first line of its description begins with and the words of that
// line, unless another element's has the same.
func (w *walked) ownNames(id, described string) []string {
	out := []string{id}
	names := wordsIn(firstLine(described))
	names[leadingName(described)] = true
	for name := range names {
		shared := false
		for other, title := range w.titles {
			shared = shared || other != id && (wordsIn(title)[name] || leadingName(title) == name)
		}
		if !shared {
			out = append(out, name)
		}
	}
	return out
}

// leadingName returns what a description begins with, up to the first sign that is no letter, digit or blank: mostly a name.
func leadingName(described string) string {
	end := strings.IndexFunc(described, func(r rune) bool { return r != ' ' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if end <= 0 {
		return firstLine(described)
	}
	return strings.TrimSpace(described[:end])
}

// hasWord reports whether a file has an id that is not a part of a longer word.
func hasWord(file []byte, id string) bool {
	for at := 0; ; {
		i := bytes.Index(file[at:], []byte(id))
		if i < 0 || id == "" {
			return false
		}
		from, to := at+i, at+i+len(id)
		before, _ := utf8.DecodeLastRune(file[:from])
		after, _ := utf8.DecodeRune(file[to:])
		if !isWordRune(before) && !isWordRune(after) {
			return true
		}
		at = from + 1
	}
}

func isWordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// wordsOf lists the words of an op after its verb.
func wordsOf(op *abi.Op) (out []string) {
	for _, p := range op.Positionals {
		out = append(out, p.Text)
	}
	for _, p := range op.Params {
		out = append(out, p.Value)
	}
	return out
}

// namesAny reports whether a text has one of the words, or a part of one. Numbers name nothing: most are places and sizes.
func namesAny(text string, words []string) bool {
	have := wordsIn(text)
	for _, word := range words {
		for part := range wordsIn(word) {
			if have[part] && strings.ContainsFunc(part, unicode.IsLetter) {
				return true
			}
		}
	}
	return false
}

// wordsIn returns the words of letters and digits in a text, and the text itself.
func wordsIn(text string) map[string]bool {
	out := map[string]bool{text: true}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !isWordRune(r) }) {
		out[word] = true
	}
	return out
}
