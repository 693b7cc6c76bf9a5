package command

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
)

// unlike returns the words of text for which other has nothing similar.
func unlike(text, other string) (out []string) {
	said := splitWords(other)
	for _, w := range strings.Fields(text) {
		if slices.ContainsFunc(splitWords(w), func(part string) bool {
			return strings.ContainsFunc(part, unicode.IsLetter) &&
				!slices.ContainsFunc(said, func(s string) bool { return alike(part, s) || alike(s, part) })
		}) {
			out = append(out, w)
		}
	}
	return out
}

// unintendedChanges describes differences between two states of a document that no op meant by the mistake
// would make.
func (s *subject) unintendedChanges(m mistake, was, now map[string]element) string {
	words := append(splitWords(m.text), m.about...)
	removes := slices.ContainsFunc(words, func(w string) bool {
		return slices.ContainsFunc(s.removers, func(r string) bool { return alike(w, r) })
	})
	meant := map[string]bool{}
	all := maps.Clone(now)
	maps.Copy(all, was)
	for id, e := range all {
		for _, n := range e.names {
			meant[id] = meant[id] || slices.ContainsFunc(words, func(w string) bool { return alike(w, n) }) ||
				len(normal(n)) > 2 && strings.Contains(normal(m.text), normal(n))
		}
	}
	within := func(id string) bool {
		for n := 0; id != "" && n < 100; id, n = all[id].parent, n+1 {
			if meant[id] {
				return true
			}
		}
		return false
	}
	holds := map[string]bool{} // elements that grow with their content
	for id := range all {
		if meant[id] {
			for up, n := all[id].parent, 0; up != "" && n < 100; up, n = all[up].parent, n+1 {
				holds[up] = true
			}
		}
	}
	labels := map[string]bool{} // labels of the elements that the mistake names: copies have them, too
	for id, e := range was {
		if within(id) && len(e.names) > 0 {
			labels[e.names[0]] = true
		}
	}
	about := func(id string) bool {
		e := all[id]
		_, old := was[id]
		return e.always || within(id) || slices.ContainsFunc(e.ends, within) || !old && len(e.names) > 0 && labels[e.names[0]]
	}
	var out []string
	for _, id := range slices.Sorted(maps.Keys(all)) {
		before, had := was[id]
		after, has := now[id]
		switch {
		case had && has && before.text == after.text:
		case had && !has && (!removes || !about(id)):
			out = append(out, fmt.Sprintf("removes %s %q", id, before.names))
		case !about(id) && !(had && holds[id]):
			out = append(out, fmt.Sprintf("changes %s %q:\n%s\n%s", id, all[id].names, before.text, after.text))
		}
	}
	return strings.Join(out, "; ")
}

// splitWords splits a text into words, keys and values, and types and names.
func splitWords(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`:@"'/;`, r) })
}

func normal(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || unicode.IsSpace(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// alike reports whether word may mean name: it is equal, a prefix, a part or similar.
func alike(word, name string) bool {
	w, n := normal(word), normal(name)
	switch {
	case w == "" || n == "":
		return w == n && word == name
	case w == n, len(w) > 1 && strings.HasPrefix(n, w), len(w) > 2 && strings.Contains(n, w):
		return true
	}
	return len(grammar.Nearest(w, []string{n})) > 0 && len(w) > 1
}

// mistakesIn derives mistakes from a correct text: it misspells, omits, adds and replaces one thing at a time.
func mistakesIn(kind, text string) []mistake {
	tokens, err := grammar.Tokenize(text)
	if err != nil {
		panic(err)
	}
	var out []mistake
	add := func(words ...string) { out = append(out, mistake{kind: kind, text: strings.Join(words, " ")}) }
	words := make([]string, len(tokens))
	for i, tok := range tokens {
		words[i] = text[tok.Start:tok.End]
	}
	with := func(i int, w string) {
		if w != words[i] {
			add(slices.Concat(words[:i], []string{w}, words[i+1:])...)
		}
	}
	for i, w := range words {
		head, value, _ := strings.Cut(w, ":")
		switch {
		case i == 0:
			with(i, misspell(w))
			continue
		case strings.HasPrefix(w, "@"):
			with(i, "@"+misspell(head[1:])+w[len(head):])
			if value != "" {
				with(i, head+":"+misspell(value))
				with(i, head+":zzzz")
				with(i, head)
			}
			continue
		case value != "" && !strings.HasPrefix(w, `"`) && !strings.HasPrefix(value, "//"):
			with(i, misspell(head)+":"+value)
			with(i, head+":"+misspell(value))
			with(i, head+":zzzz")
			with(i, head+":-99999999")
			with(i, head+`:""`)
		default:
			with(i, misspell(w))
			with(i, "zzzz")
			with(i, "@all")
		}
		add(slices.Concat(words[:i], words[i+1:])...)
	}
	add(text, "surplus")
	add(text, "two surplus")
	add(text, "bogus:1")
	add(text, "@bogus")
	add(text, `"open`)
	for _, other := range []string{abi.TryOp, abi.TryQuery, abi.TryAction} {
		if other != kind {
			out = append(out, mistake{kind: other, text: text, fresh: kind == abi.TryAction})
		}
	}
	return out
}

// misspell swaps two letters of a word; it returns the word unchanged if that makes no mistake.
func misspell(w string) string {
	if inner, ok := strings.CutPrefix(w, `"`); ok {
		return `"` + misspell(strings.TrimSuffix(inner, `"`)) + `"`
	}
	r := []rune(w)
	for i := len(r) / 2; i > 0; i-- {
		if i+1 < len(r) && unicode.IsLetter(r[i]) && unicode.IsLetter(r[i+1]) && r[i] != r[i+1] {
			r[i], r[i+1] = r[i+1], r[i]
			return string(r)
		}
	}
	return w
}

// all returns the subject's mistakes without duplicates.
func (s *subject) all() []mistake {
	out := slices.Clone(s.mistakes)
	for kind, list := range map[string][]string{abi.TryOp: s.ops, abi.TryQuery: s.queries, abi.TryAction: s.actions} {
		for _, text := range list {
			out = append(out, mistakesIn(kind, text)...)
		}
	}
	seen := map[string]bool{}
	out = slices.DeleteFunc(out, func(m mistake) bool {
		again := seen[m.kind+m.text]
		seen[m.kind+m.text] = true
		return again || strings.TrimSpace(m.text) == ""
	})
	slices.SortStableFunc(out, func(a, b mistake) int { return strings.Compare(a.kind+a.text, b.kind+b.text) })
	return out
}
