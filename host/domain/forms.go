package domain

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
)

// Forms lists ops that a refused one says in another form, likeliest first: with the verb first (delete page 2: page remove 2), a
// synonym of it, the grammar's arrows and key:value (to=3, to: 3, to 3). Each keeps the op's words, and is valid by the manifest.
// sure is how many of them, from the first, do not depend on what bare words mean.
func (d *Domain) Forms(text string) (forms []string, sure int) {
	p := d.phrase(text)
	if p != nil {
		p = d.phrase(p.arrows()) // nil if that is too many words
	}
	if p == nil {
		return nil, 0
	}
	if parts := compound(p.words[0]); p.verb == nil && len(parts) > 1 {
		if p = d.phrase(p.with(0, 1, parts...)); p == nil {
			return nil, 0
		}
	}
	var unsure []string
	for _, plain := range []*phrase{p, p.withoutConnectors()} {
		for _, verb := range plain.verbs() {
			form, certain := d.phrase(verb).form()
			switch {
			case !certain && verb != plain.with(0, 0): // two guesses
			case form == "" || form == text || slices.Contains(forms, form) || slices.Contains(unsure, form):
			case certain && plain == p:
				forms = append(forms, form)
			default:
				unsure = append(unsure, form)
			}
		}
	}
	return slices.Concat(forms, unsure), len(forms)
}

// verbs lists the op with other first words: the verb first, then synonyms, of which each may stand for another.
func (p *phrase) verbs() []string {
	if p == nil {
		return nil
	}
	text := p.with(0, 0)
	verbs := slices.Concat(p.d.SwapVerb(text), p.otherVerbs(), []string{text})
	if p.verb == nil {
		verbs = append(verbs, p.d.readings(text, 2)...)
	}
	for _, v := range slices.Clone(verbs) {
		if q := p.d.phrase(v); q != nil && q.verb == nil && v != text {
			verbs = append(verbs, q.otherVerbs()...)
		}
	}
	return verbs
}

// form returns the op with the grammar's keys, if it is valid, and whether that is sure.
func (p *phrase) form() (text string, sure bool) {
	if p == nil {
		return "", false
	}
	text = p.joinPairs()
	items := grammar.ParseAll([]string{text}, p.d.Rules)
	if len(items) != 1 || items[0].Err != nil || !p.d.Knows(items[0].Op.Verb) {
		return "", false
	}
	op := &items[0].Op
	sure = true
	if slip, certain := p.d.Reorder(op); slip != nil {
		op, sure, text = slip, certain, slip.Raw
	}
	if e, mends := p.d.validate(op); e != nil {
		valid := p.d.correct(mends, p.d.validate)
		if len(valid) == 0 {
			return "", false
		}
		text = grammar.Format(valid[0], p.d.Rules)
	}
	return text, sure
}

// Connects reports whether a word only connects others.
func Connects(w string) bool {
	return slices.Contains([]string{"a", "an", "the", "to", "into", "at", "on", "in", "for", "with", "as", "of", "by", "=", "is", "called", "named", "bar", "measure"}, w)
}

// withoutConnectors returns the op without words that only connect others; nil if it has none. A capitalized word is taken for a name.
func (p *phrase) withoutConnectors() *phrase {
	left := []string{p.words[0]}
	for _, w := range p.words[1:] {
		if !Connects(w) {
			left = append(left, w)
		}
	}
	if len(left) == len(p.words) {
		return nil
	}
	return p.d.phrase(strings.Join(left, " "))
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

// phrase is a refused op, split into words.
type phrase struct {
	d      *Domain
	words  []string
	params []bool    // which words are parameters
	verb   *abi.Verb // nil if unknown
}

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

// maxPhrase is the number of words up to which an op is rephrased.
const maxPhrase = 32

// isParam reports whether a word after the verb is read as a parameter.
func (d *Domain) isParam(w string) bool {
	items := grammar.ParseAll([]string{"verb " + w}, d.Rules)
	return len(items) == 1 && len(items[0].Op.Params) == 1
}

// with returns the text with the n words from index i replaced by words.
func (p *phrase) with(i, n int, words ...string) string {
	return strings.Join(slices.Concat(p.words[:i], words, p.words[i+n:]), " ")
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
	arrow = regexp.MustCompile(`^(?:<?[-=~]+>+|<+[-=~]+|--+|→|←|↔|⇒|⇐|⇔)$`)
	inner = regexp.MustCompile(`^([^\s"']+?)(<?[-=~]+>+|<+[-=~]+|--+|→|←|↔|⇒|⇐|⇔)([^\s"']+)$`)
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

// arrows returns the text with the grammar's arrows in place of others, each a word of its own.
func (p *phrase) arrows() string {
	out := make([]string, len(p.words))
	for i, w := range p.words {
		out[i] = w
		if w[0] == '@' {
			out[i] = strings.Replace(w, "=", ":", 1)
		}
		if quoted(w) {
			continue
		}
		if m := inner.FindStringSubmatch(w); m != nil && !strings.Contains(w, ":") && !arrow.MatchString(w) {
			out[i] = m[1] + " " + grammarArrow(m[2]) + " " + m[3]
		} else if arrow.MatchString(w) {
			out[i] = grammarArrow(w)
		}
	}
	return strings.Join(out, " ")
}

var pair = regexp.MustCompile(`^([A-Z]+)([,x])([A-Z]+)`)

// joinPairs joins two parameters into one: x:10 y:20 becomes at:10,20 if the manifest shows at: as X,Y.
func (p *phrase) joinPairs() string {
	text := p.with(0, 0)
	if p.verb == nil {
		return text
	}
	for _, k := range p.verb.Params {
		m := pair.FindStringSubmatch(k.Value)
		if m == nil || p.has(k.Key) {
			continue
		}
		first, second := p.undeclaredKey(m[1]), p.undeclaredKey(m[3])
		if first == 0 || second == 0 {
			continue
		}
		_, a, _ := p.param(first)
		_, b, _ := p.param(second)
		if next := p.d.phrase(p.with(first, 1, k.Key+":"+a+m[2]+b)); next != nil {
			if next = p.d.phrase(next.with(second, 1)); next != nil {
				return next.joinPairs() // joins size and position
			}
		}
	}
	return text
}

// undeclaredKey returns the index of the undeclared parameter whose key starts with name, or 0.
func (p *phrase) undeclaredKey(name string) int {
	for i := range p.words {
		if key, _, ok := p.param(i); ok && p.declared(key) == "" && strings.HasPrefix(strings.ToLower(key), strings.ToLower(name)) {
			return i
		}
	}
	return 0
}
