package server

import (
	"regexp"
	"slices"
	"strings"
)

// customSession: the session tool knows more than M3 asks for.
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
		// A bare word is enough to see whether it is known: most then lack an argument.
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

// shape is a reply's first line without the word that it is about.
func shape(text, word string) string {
	return strings.ReplaceAll(firstLine(text), word, "…")
}

// selectors: the types that the card names select, and others are refused.
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
	v, n := p.selecting()
	if v == "" {
		skip("no verb was found that takes @all")
	}
	p.fresh()
	p.do(p.script[:n]...)
	before := p.state()
	if !p.refused(p.edit(v + " @zzqxv:1")) {
		fail("%s @zzqxv:1 is accepted, though there is no such selector", v)
	}
	p.equal(before, "after an unknown selector")
	return "@" + strings.Join(types, " @")
}

// selecting finds a verb that takes @all after the script's first n
// operations, or "".
func (p *probe) selecting() (verb string, n int) {
	if len(p.script) == 0 {
		return "", 0
	}
	// What is to be selected may come with the first operation or with a later one.
	for _, n := range []int{1, (len(p.script) + 1) / 2, len(p.script)} {
		for _, v := range unique(append([]string{"remove", "delete"}, p.verbsOf()...)) {
			p.fresh()
			p.do(p.script[:n]...)
			before := p.state()
			if a := p.edit(v + " @all"); p.refused(a) {
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
			p.fresh()
			p.do(p.script[:slices.Index(p.script, op)+1]...)
			return op
		}
	}
	skip("no operation with an arrow was found")
	return ""
}

// customTypes: define makes a type, and the help shows it.
func customTypes(p *probe) string {
	p.fresh()
	if shape(p.edit("define").Text, "define") == shape(p.edit("zzqxv").Text, "zzqxv") || unknownWord(p.edit("define").Text) {
		skip("there is no verb define")
	}
	queue := candidates(p.card())
	for _, s := range suggestions(p.edit("define").Text) {
		queue = append(queue, fill(s)...)
		queue = append(queue, s)
	}
	for _, op := range queue {
		words := strings.Fields(op)
		if words[0] != "define" || len(words) < 2 || p.refused(p.edit(op)) {
			continue
		}
		if a := p.help(); !strings.Contains(a.Text, words[1]) {
			fail("%q is accepted, and %s_help does not show %s", op, p.s.Domain, words[1])
		}
		return op
	}
	skip("no working form of define was found")
	return ""
}

// customQueries: queries beside the required ones answer.
func customQueries(p *probe) string {
	text := p.card()
	if t := p.s.tool(p.s.names[query]); t != nil {
		text += "\n" + t.Description
	}
	p.fresh()
	p.do(p.script...)
	base := []string{"map", "stats", "status", "describe", "history"}
	var own []string
	for _, m := range regexp.MustCompile("(?m)(?:^\\s*|[`·,|(:]\\s*)([a-z][a-z-]{2,})\\b").FindAllStringSubmatch(text, -1) {
		w := m[1]
		if slices.Contains(base, w) || slices.Contains(own, w) || len(own) >= 12 {
			continue
		}
		if a := p.query(w); !p.refused(a) && strings.TrimSpace(a.Text) != "" && !unknownWord(a.Text) {
			own = append(own, w)
		}
	}
	if len(own) == 0 {
		skip("none was found in the texts")
	}
	return strings.Join(own, ", ")
}

// verbRegistry: the card and the dispatch agree: whatever the card lists as a
// verb is known.
func verbRegistry(p *probe) string {
	verbs := p.verbsOf()
	if len(verbs) == 0 {
		skip("no verb was found")
	}
	// Lines of the card that look like those of verbs that work: the same indent, a lower-case word first.
	p.fresh() // some helps tell of the document's domain
	indents := map[string]bool{}
	lines := strings.Split(p.card(), "\n")
	section := make([]int, len(lines)) // which block of lines each belongs to
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
		if a := p.edit(w); p.refused(a) && shape(a.Text, w) == unknown {
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

// firstWord is the verb that a line of a card begins with, or "".
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
