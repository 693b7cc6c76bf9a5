package server

import (
	"regexp"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/grammar"
)

// customSession: the session tool has more actions than M3 requires.
func customSession(p *probe) string {
	text := p.card()
	if t := p.s.tool(p.s.names[session]); t != nil {
		text += "\n" + t.Description
	}
	base := []string{"new", "open", "save", "checkpoint", "undo", "redo", "status"}
	p.fresh() // without a document all may be refused alike
	unknown := shape(p.session("zzqxv").Text, "zzqxv")
	var own []string
	for _, m := range regexp.MustCompile("(?m)(?:^\\s*|[`·,|(]\\s*)([a-z][a-z-]{2,})\\b").FindAllStringSubmatch(text, -1) {
		w := m[1]
		if slices.Contains(base, w) || slices.Contains(own, w) || len(own) >= 12 || w == "close" {
			continue
		}
		// A bare word shows whether it is known; most actions then lack an argument.
		if a := p.session(w); shape(a.Text, w) != unknown && !unknownWord(a.Text) {
			own = append(own, w)
		}
	}
	if len(own) == 0 {
		skip("none was found in the texts")
	}
	return strings.Join(own, ", ")
}

func unknownWord(text string) bool {
	return regexp.MustCompile(`(?i)unknown|unrecogni[sz]ed|not a (known|valid)|invalid (action|command)|no such`).MatchString(firstLine(text))
}

func firstLine(s string) string {
	l, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return l
}

// shape returns a reply's first line without the word it is about.
func shape(text, word string) string {
	return strings.ReplaceAll(firstLine(text), word, "…")
}

// selectors: the types on the card select, and others are refused.
func selectors(p *probe) string {
	card := p.card()
	var types []string
	for _, m := range regexp.MustCompile(`@([a-z][a-z_-]+)`).FindAllStringSubmatch(card, -1) {
		if !slices.Contains(types, m[1]) && m[1] != "not" {
			types = append(types, m[1])
		}
	}
	if len(types) == 0 {
		skip("the texts name no selector")
	}
	p.need(1)
	v, n := p.findSelecting()
	if v == "" {
		skip("no verb was found that takes @all")
	}
	p.after(n)
	before := p.state()
	if !p.isRefused(p.edit(v + " @zzqxv:1")) {
		fail("%s @zzqxv:1 is accepted, although this selector does not exist", v)
	}
	p.checkState(before, "after an unknown selector")
	return "@" + strings.Join(types, " @")
}

// findSelecting finds a verb that takes @all after the script's first n ops, or "".
func (p *probe) findSelecting() (verb string, n int) {
	if len(p.script) == 0 {
		return "", 0
	}
	// The first op or a later one may create what is to be selected.
	for _, n := range []int{1, (len(p.script) + 1) / 2, len(p.script)} {
		for _, v := range unique(append([]string{"remove", "delete"}, p.verbsOf()...)) {
			p.after(n)
			before := p.state()
			if a := p.edit(v + " @all"); p.isRefused(a) {
				continue
			}
			if after := p.state(); after == before || strings.Contains(after, "@all") {
				continue // it took the selector for a word
			}
			return v, n
		}
	}
	return "", 0
}

// arrows: an op with an arrow works.
func arrows(p *probe) string {
	for _, op := range p.script {
		if strings.Contains(op, " -> ") || strings.Contains(op, " <-> ") || strings.Contains(op, " -- ") {
			p.after(slices.Index(p.script, op) + 1)
			return op
		}
	}
	skip("no operation with an arrow was found")
	return ""
}

// customTypes: define makes a usable type, and the help shows it.
func customTypes(p *probe) string {
	makers := p.makers()
	p.after(len(p.script))
	bare := p.edit("define")
	if shape(bare.Text, "define") == shape(p.edit("zzqxv").Text, "zzqxv") || unknownWord(bare.Text) {
		skip("there is no verb define")
	}
	for _, d := range p.definitions(bare) {
		before := p.help().Text
		if p.isRefused(p.edit(d.op)) {
			continue
		}
		works := d.op
		if op := d.use(makers); op != "" && !p.isRefused(p.edit(op)) {
			works += ", " + op
		}
		if count(p.help().Text, d.name) <= count(before, d.name) {
			fail("%s is accepted, but %s does not show %s", works, p.s.names[help], d.name)
		}
		return works
	}
	skip("no working form of define was found")
	return ""
}

// definition is an op that defines a type by a name, after another type if
// that is known.
type definition struct{ op, name, base string }

// use returns an op that uses the type as one of the makers uses the other, or "".
func (d definition) use(makers []maker) string {
	for _, m := range makers {
		w := strings.Fields(m.op)
		at, name := slices.Index(w, d.base), slices.Index(w, m.name)
		if at > 0 && name > 0 && at != name {
			w[at], w[name] = d.name, "Zeta"
			return strings.Join(w, " ")
		}
	}
	return ""
}

// definitions lists possible definitions: the given ones and those in the texts, also with a word of the script for a
// placeholder.
func (p *probe) definitions(bare said) (out []definition) {
	var types []string // words before a name
	for _, op := range p.script {
		parsed, _ := grammar.Parse(op, grammar.Rules{})
		for _, w := range parsed.Positionals[:max(0, len(parsed.Positionals)-1)] {
			if verb.MatchString(w.Text) {
				types = append(types, w.Text)
			}
		}
	}
	types = unique(types)
	queue := append(slices.Clone(p.given), candidates(p.card())...)
	for _, s := range p.ops(bare) {
		queue = append(queue, s)
		queue = append(queue, fill(s)...)
	}
	for _, op := range unique(queue) {
		w := strings.Fields(op)
		if len(w) < 2 || w[0] != "define" {
			continue
		}
		d := definition{name: w[1]}
		if at := slices.Index(w, "Alpha"); at > 0 {
			d.name = "alpha" // types are often restricted to lower case
			w[at] = d.name
		}
		var bases []int // positions of words that may be a type
		for i := range w {
			_, value, _ := strings.Cut(w[i], ":")
			if slices.Contains(types, value) {
				d.base = value
			} else if value == "Alpha" {
				bases = append(bases, i)
			}
		}
		d.op = strings.Join(w, " ")
		out = append(out, d)
		for _, i := range bases {
			for _, t := range types {
				with := slices.Clone(w)
				with[i] = strings.TrimSuffix(w[i], "Alpha") + t
				out = append(out, definition{strings.Join(with, " "), d.name, t})
			}
		}
	}
	return out
}

func count(text, word string) int {
	return len(regexp.MustCompile(`(^|[^A-Za-z0-9])`+regexp.QuoteMeta(word)+`\b`).FindAllString(text, -1))
}

// customQueries: queries other than the required ones answer.
func customQueries(p *probe) string {
	text := p.card()
	if t := p.s.tool(p.s.names[query]); t != nil {
		text += "\n" + t.Description
	}
	p.after(len(p.script))
	base := []string{"map", "stats", "status", "describe", "history"}
	var own []string
	for _, m := range regexp.MustCompile("(?m)(?:^\\s*|[`·,|(:]\\s*)([a-z][a-z-]{2,})\\b").FindAllStringSubmatch(text, -1) {
		w := m[1]
		if slices.Contains(base, w) || slices.Contains(own, w) || len(own) >= 12 {
			continue
		}
		if a := p.query(w); !p.isRefused(a) && strings.TrimSpace(a.Text) != "" && !unknownWord(a.Text) {
			own = append(own, w)
		}
	}
	if len(own) == 0 {
		skip("none was found in the texts")
	}
	return strings.Join(own, ", ")
}

// verbRegistry: every verb on the card is known.
func verbRegistry(p *probe) string {
	verbs := p.verbsOf()
	if len(verbs) == 0 {
		skip("no verb was found")
	}
	// Lines of the card that look like those of working verbs: same indentation, a lower-case word first.
	p.fresh() // some help texts describe the domain of the open document
	indents := map[string]bool{}
	lines := strings.Split(p.card(), "\n")
	section := make([]int, len(lines)) // the block of lines that each belongs to
	at := 0
	inUse := map[int]bool{}
	for i, l := range lines {
		if strings.TrimSpace(l) == "" || strings.HasPrefix(l, "#") {
			at++
		}
		section[i] = at
		if w := firstWord(l); slices.Contains(verbs, w) {
			indents[indent(l)], inUse[at] = true, true
		}
	}
	unknown := shape(p.edit("zzqxv").Text, "zzqxv")
	known, missing := map[int][]string{}, map[int][]string{} // by section
	for i, l := range lines {
		w := firstWord(l)
		if !inUse[section[i]] || !indents[indent(l)] || w == "" {
			continue
		}
		a := p.edit(w)
		_, tries, _ := strings.Cut(a.Text, "\n") // a suggestion with the word itself means that it is a query's
		if p.isRefused(a) && shape(a.Text, w) == unknown && !strings.Contains(tries, w) {
			missing[section[i]] = append(missing[section[i]], strings.TrimSpace(l))
		} else {
			known[section[i]] = append(known[section[i]], w)
		}
	}
	var checked []string
	for at, list := range known {
		// A list of queries may share a word or two with the verbs.
		if len(missing[at]) >= len(list) {
			continue
		}
		if len(missing[at]) > 0 {
			fail("the card lists %q, which the server does not know", missing[at][0])
		}
		checked = append(checked, list...)
	}
	if len(checked) == 0 {
		skip("the texts list no verb at the start of a line")
	}
	slices.Sort(checked)
	return strings.Join(slices.Compact(checked), ", ")
}

func indent(l string) string { return l[:len(l)-len(strings.TrimLeft(l, " \t"))] }

// firstWord returns the verb that a line of a card starts with, or "".
func firstWord(l string) string {
	words := strings.Fields(l)
	if len(words) == 0 {
		return ""
	}
	w, _, _ := strings.Cut(words[0], "|")
	if !verb.MatchString(w) {
		return ""
	}
	return w
}
