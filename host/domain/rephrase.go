package domain

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
)

// Rephrase lists other ways to write a refused op, likeliest first. Each replaces one habit of other languages and
// tools in the user's text. A candidate may be wrong: the caller runs it before suggesting it, or rephrases it further.
// With faithful, none leaves words out or guesses which words belong together.
func (d *Domain) Rephrase(text string, faithful bool) []string {
	p := d.phrase(text)
	if p == nil {
		return nil
	}
	out := d.SwapVerb(text)
	for _, rewrite := range []func() []string{
		p.otherVerbs, p.otherForms, p.dropNamingKeys, p.wordsOfParams, p.otherKeys, p.joinPairs, p.listedValues,
	} {
		out = append(out, rewrite()...)
	}
	if !faithful {
		for _, rewrite := range []func() []string{p.mends, p.otherSelectors, p.qualifyNames} {
			out = append(out, rewrite()...)
		}
	}
	return slices.DeleteFunc(out, func(s string) bool { return s == text })
}

// SwapVerb lists the op with its first two words exchanged, if the second is a verb that takes the first or a synonym
// of it: "delete page 2" becomes "page remove 2".
func (d *Domain) SwapVerb(text string) []string {
	p := d.phrase(text)
	if p == nil {
		return nil
	}
	if parts := compound(p.words[0]); p.verb == nil && len(parts) > 1 {
		p.words = append(parts, p.words[1:]...)
	}
	if len(p.words) < 2 {
		return nil
	}
	name := strings.ToLower(p.words[1])
	v := d.verbs[name]
	if v == nil {
		if v = d.verbs[strings.TrimSuffix(name, "s")]; v == nil {
			return nil
		}
	}
	means := d.Meanings(strings.ToLower(p.words[0]))
	var out []string
	for _, alternative := range strings.Split(strings.TrimPrefix(v.Syntax, v.Name+" "), "|") {
		word, _, _ := strings.Cut(strings.TrimSpace(alternative), " ")
		if isWord(word) && slices.ContainsFunc(d.Meanings(word), func(m string) bool { return slices.Contains(means, m) }) {
			out = append(out, p.with(0, 2, v.Name, word))
		}
	}
	return out
}

// DropFillers returns the text without filler words, or nothing if it has none.
func (d *Domain) DropFillers(text string) []string {
	if p := d.phrase(text); p != nil {
		return p.dropFillers()
	}
	return nil
}

// phrase is a refused op, split into words.
type phrase struct {
	d      *Domain
	words  []string
	params []bool    // which words are parameters
	verb   *abi.Verb // nil if unknown
}

// maxPhrase is the number of words up to which an op is rephrased.
const maxPhrase = 32

// phrase splits a text; nil if it is empty or has several lines.
func (d *Domain) phrase(text string) *phrase {
	tokens, err := grammar.Tokenize(text)
	if err != nil || len(text) > maxTryBytes || len(tokens) == 0 || len(tokens) > maxPhrase || strings.Contains(text, "\n") {
		return nil
	}
	p := &phrase{d: d}
	for i, t := range tokens {
		w := text[t.Start:t.End]
		p.words = append(p.words, w)
		p.params = append(p.params, i > 0 && d.isParam(w))
	}
	p.verb = d.verbs[strings.ToLower(p.words[0])]
	return p
}

// isParam reports whether a word after the verb is read as a parameter.
func (d *Domain) isParam(w string) bool {
	items := grammar.ParseAll([]string{"verb " + w}, d.Rules)
	return len(items) == 1 && len(items[0].Op.Params) == 1
}

// with returns the text with the n words from index i replaced by words.
func (p *phrase) with(i, n int, words ...string) string {
	return strings.Join(slices.Concat(p.words[:i], words, p.words[i+n:]), " ")
}

// each returns the text with every word after the verb replaced for which change returns true; nothing if there is
// none. An empty replacement drops the word.
func (p *phrase) each(change func(word string) (string, bool)) []string {
	out, changed := []string{p.words[0]}, false
	for _, w := range p.words[1:] {
		if s, ok := change(w); ok && !quoted(w) {
			w, changed = s, true
		}
		if w != "" {
			out = append(out, w)
		}
	}
	if !changed {
		return nil
	}
	return []string{strings.Join(out, " ")}
}

func quoted(w string) bool { return w[0] == '"' || w[0] == '\'' }

// plain reports whether word i is neither quoted, selector, parameter nor arrow.
func (p *phrase) plain(i int) bool {
	w := p.words[i]
	return i > 0 && !quoted(w) && w[0] != '@' && !strings.Contains(w, ":") && !arrow.MatchString(w)
}

// declared returns the manifest's spelling of a key of the verb, or "".
func (p *phrase) declared(key string) string {
	if p.verb != nil {
		for _, k := range p.verb.Params {
			if strings.EqualFold(k.Key, key) {
				return k.Key
			}
		}
	}
	return ""
}

// param splits word i if it is a parameter.
func (p *phrase) param(i int) (key, value string, ok bool) {
	if !p.params[i] {
		return "", "", false
	}
	key, value, _ = strings.Cut(p.words[i], ":")
	return key, value, true
}

func (p *phrase) has(key string) bool {
	for i := range p.words {
		if k, _, ok := p.param(i); ok && strings.EqualFold(k, key) {
			return true
		}
	}
	return false
}

// otherVerbs replaces the first words by their synonyms.
func (p *phrase) otherVerbs() []string {
	var out []string
	first := strings.ToLower(p.words[0])
	means := p.d.Meanings(first)
	if len(p.words) > 1 && !quoted(p.words[1]) {
		second := strings.ToLower(p.words[1])
		for _, m := range means {
			for _, s := range p.d.Meanings(m + " " + second)[1:] {
				out = append(out, p.with(0, 2, s))
			}
		}
		whats, joins := p.d.Meanings(second), p.d.Meanings("->")[1:]
		switch {
		case slices.ContainsFunc(p.words[2:], arrow.MatchString) && slices.ContainsFunc(whats, func(w string) bool { return slices.Contains(joins, w) }):
			out = append(out, p.with(1, 1)) // the arrow already says that it is an edge
			if slices.Contains(means, "add") {
				out = append(out, p.with(0, 1))
			}
		case slices.Contains(whats, "add") || slices.Contains(whats, "list"): // a noun such as "element", which names no type
			out = append(out, p.with(1, 1))
		case (slices.Contains(means, "add") || slices.Contains(means, "modify")) && p.d.Knows(second):
			out = append(out, p.with(0, 1))
		case slices.Contains(means, "add") || slices.Contains(means, "modify"):
			for _, w := range whats[1:] {
				out = append(out, p.with(0, 2, w))
			}
		}
		if arrow.MatchString(second) && p.verb == nil {
			for _, m := range joins {
				out = append(out, m+" "+p.with(0, 0))
			}
		}
	}
	if slices.Contains(means, "modify") {
		out = append(out, p.verbsOfKeys()...)
	}
	if p.verb != nil {
		return out
	}
	for _, m := range means[1:] {
		out = append(out, p.with(0, 1, m))
	}
	if parts := compound(p.words[0]); len(parts) > 1 {
		out = append(out, p.with(0, 1, parts...))
	}
	if len(means) == 1 {
		for _, n := range grammar.Nearest(first, p.d.verbNames) {
			out = append(out, p.with(0, 1, n))
		}
	}
	return out
}

// verbsOfKeys turns the key whose value is set into the verb: "modify A link:x" becomes "link A x", or the same with a
// key of that verb.
func (p *phrase) verbsOfKeys() []string {
	var out []string
	for i := range p.words {
		key, value, ok := p.param(i)
		if !ok || p.declared(key) != "" {
			continue
		}
		for _, m := range p.d.Meanings(strings.ToLower(key)) {
			if p.d.Knows(m) {
				out = append(out, p.with(0, i+1, append(append([]string{m}, p.words[1:i]...), value)...), p.with(0, 1, m))
			}
		}
	}
	return out
}

// Intends reports whether a suggestion starts with a meaning of the op's first words or of one of its keys. strict
// refuses ops about whose words nothing is known.
func (d *Domain) Intends(op, mend string, strict bool) bool {
	said, words := strings.Fields(op), strings.Fields(mend)
	if len(said) == 0 || len(words) == 0 {
		return false
	}
	means := d.Meanings(strings.ToLower(said[0]))
	var parts, others []string
	if list := compound(said[0]); len(list) > 0 && (len(d.Meanings(list[0])) > 1 || d.Knows(list[0])) {
		parts, means = list[1:], append(means, d.Meanings(list[0])...)
	}
	known := len(means) > 1 || d.Knows(means[0])
	for i, w := range said[1:] {
		if key, _, ok := strings.Cut(w, ":"); ok || i == 0 {
			parts = append(parts, strings.ToLower(key))
		}
		if strict && len(w) == 1 && !slices.Contains(words, w) { // may be a name
			return false
		}
	}
	for _, part := range parts {
		for _, m := range means {
			means = append(means, d.Meanings(m + " " + part)[1:]...)
		}
		others = append(others, d.Meanings(part)...)
	}
	if !known && !strict {
		return true
	}
	begins := func(list []string, w string) bool {
		return slices.ContainsFunc(list, func(m string) bool { return m == w || strings.HasPrefix(m, w+" ") })
	}
	if begins(means, words[0]) {
		return true
	}
	generic := slices.Contains(means, "add") || slices.Contains(means, "modify")
	return begins(others, words[0]) && (generic || len(words) > 1 && begins(means, words[1]))
}

// compound splits addShape, add_shape and add-shape into words.
func compound(word string) []string {
	var b strings.Builder
	lower := false
	for _, r := range word {
		if lower && unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		lower = unicode.IsLower(r)
		if r == '_' || r == '-' {
			r = ' '
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.Fields(b.String())
}

var (
	arrow    = regexp.MustCompile(`^(?:<?[-=~]+>+|<+[-=~]+|--+|→|←|↔|⇒|⇐|⇔)$`)
	inner    = regexp.MustCompile(`^([^\s"']+?)(<?[-=~]+>+|<+[-=~]+|--+|→|←|↔|⇒|⇐|⇔)([^\s"']+)$`)
	number   = regexp.MustCompile(`^[+-]?[0-9.]+$`)
	numbers  = regexp.MustCompile(`^[+-]?[0-9.]+([,x])[+-]?[0-9.]+$`)
	equation = regexp.MustCompile(`^(@?[A-Za-z][A-Za-z0-9_-]*)=([^=].*)$`)
)

// grammarArrow returns the grammar's arrow for one of another notation.
func grammarArrow(drawn string) string {
	left, right := strings.ContainsAny(drawn, "<←↔⇐⇔"), strings.ContainsAny(drawn, ">→↔⇒⇔")
	switch {
	case left && right:
		return "<->"
	case left:
		return "<-"
	case right:
		return "->"
	}
	return "--"
}

// filler lists words of sentences that mean nothing in an op.
var filler = map[string]bool{
	"a": true, "an": true, "the": true, "of": true, "to": true, "into": true, "as": true, "from": true, "with": true, "and": true, "in": true, "on": true,
	"is": true, "called": true, "named": true, "between": true, "for": true, "by": true, "be": true,
}

func (p *phrase) dropFillers() []string {
	return p.each(func(w string) (string, bool) { return "", filler[w] })
}

// otherForms replaces spellings throughout the text.
func (p *phrase) otherForms() []string {
	var out []string
	out = append(out, p.each(func(w string) (string, bool) {
		if m := inner.FindStringSubmatch(w); m != nil && !strings.Contains(w, ":") && !arrow.MatchString(w) {
			return m[1] + " " + grammarArrow(m[2]) + " " + m[3], true
		}
		return grammarArrow(w), arrow.MatchString(w) && grammarArrow(w) != w
	})...)
	if key, value, ok := strings.Cut(p.words[0], ":"); ok && key != "" && value != "" {
		out = append(out, p.with(0, 1, key, value))
	}
	if m := inner.FindStringSubmatch(p.words[0]); m != nil && p.verb == nil {
		out = append(out, p.with(0, 1, m[1], grammarArrow(m[2]), m[3]))
	}
	out = append(out, p.each(func(w string) (string, bool) {
		m := equation.FindStringSubmatch(w)
		if m == nil {
			return "", false
		}
		return m[1] + ":" + m[2], true
	})...)
	out = append(out, p.each(func(w string) (string, bool) {
		list := strings.FieldsFunc(w, func(r rune) bool { return r == ',' || r == ';' })
		return strings.Join(list, " "), !strings.ContainsAny(w, ":0123456789@") && strings.ContainsAny(w, ",;")
	})...)
	for i := 1; i < len(p.words); i++ {
		key, isKey := strings.CutSuffix(p.words[i], ":")
		if !isKey && !p.plain(i) {
			continue
		}
		k := p.declared(key)
		for _, m := range p.d.Meanings(strings.ToLower(key) + ":")[1:] {
			if k == "" {
				k = p.declared(strings.TrimSuffix(m, ":"))
			}
		}
		if k != "" && i+1 < len(p.words) && (quoted(p.words[i+1]) || p.plain(i+1)) {
			if i+2 < len(p.words) && number.MatchString(p.words[i+1]) && number.MatchString(p.words[i+2]) {
				out = append(out, p.with(i, 3, k+":"+p.words[i+1]+","+p.words[i+2]), p.with(i, 3, k+":"+p.words[i+1]+"x"+p.words[i+2]))
			}
			out = append(out, p.with(i, 2, k+":"+p.words[i+1]))
		}
	}
	out = append(out, p.dropFillers()...)
	if len(p.d.Meanings("->")) > 1 {
		out = append(out, p.each(func(w string) (string, bool) { return "->", strings.EqualFold(w, "to") })...)
	}
	return append(out, p.each(func(w string) (string, bool) {
		w = strings.ToLower(w)
		bare := slices.ContainsFunc(p.d.Manifest.Selectors, func(s abi.Selector) bool { return s.Syntax == "@"+w })
		if w == "*" || w == "everything" {
			return "@all", true
		}
		return "@" + w, w == "all" || bare
	})...)
}

// mends returns the corrections that the manifest suggests.
func (p *phrase) mends() []string {
	items := grammar.ParseAll([]string{p.with(0, 0)}, p.d.Rules)
	if len(items) != 1 || items[0].Err != nil {
		return nil
	}
	_, mends := p.d.validate(&items[0].Op)
	var out []string
	for _, op := range mends {
		out = append(out, grammar.Format(op, p.d.Rules))
	}
	return out
}
