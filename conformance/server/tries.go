package server

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/conformance"
	"github.com/fcp-host/fcp-host/grammar"
)

// offer is what a try: line suggests: a text for one of the four tools.
type offer struct {
	which int
	text  string
}

var tryLine = regexp.MustCompile(`(?i)\btry:[ \t]*(.*)`)

// offers parses the try: lines of an answer, each with the deeper-indented lines below it. A tool's name in front says
// which tool the text is for; otherwise it is for the tool that answered.
func (p *probe) offers(a said) []offer {
	var out []offer
	lines := strings.Split(a.Text, "\n")
	for i := 0; i < len(lines); i++ {
		m := tryLine.FindStringSubmatch(lines[i])
		if m == nil {
			continue
		}
		text, depth := strings.Trim(strings.TrimSpace(m[1]), "`"), len(indent(lines[i]))
		for ; i+1 < len(lines) && len(indent(lines[i+1])) > depth && !tryLine.MatchString(lines[i+1]); i++ {
			text += "\n" + strings.TrimSpace(lines[i+1])
		}
		o := offer{a.which, text}
		tool, rest, _ := strings.Cut(text, " ")
		if which := slices.Index(p.s.names[:], tool); which >= 0 {
			o = offer{which, strings.TrimSpace(rest)}
		}
		out = append(out, o)
	}
	return out
}

// ops lists the ops that an answer suggests.
func (p *probe) ops(a said) []string {
	var out []string
	for _, o := range p.offers(a) {
		if o.which == edit {
			out = append(out, o.text)
		}
	}
	return out
}

// send sends a text to one of the tools.
func (p *probe) send(o offer) said {
	switch o.which {
	case edit:
		return p.edit(o.text)
	case query:
		return p.query(o.text)
	case session:
		return p.session(o.text)
	}
	return p.help()
}

// mistake is a text with one mistake.
type mistake struct {
	offer
	kind  string // what is wrong, if an answer should know what was meant
	right string // what was meant
}

// errorSuggestions: if what was meant can be guessed, an error suggests it; the suggestion works in the current state,
// on what was named.
func errorSuggestions(p *probe) string {
	p.need(1)
	asked, helped := map[string][]string{}, map[string]int{}
	work := 0
	var wrong []string
	var first []Exchange
	for i := range len(p.script) + 1 {
		p.after(i)
		now := p.state()
		for _, m := range p.mistakes(i, now) {
			a := p.send(m.offer)
			offers := p.offers(a)
			if m.kind != "" && p.isRefused(a) {
				asked[m.kind] = append(asked[m.kind], m.text)
				if slices.ContainsFunc(offers, func(o offer) bool { return slices.Contains(words(o.text), m.right) }) {
					helped[m.kind]++
				}
			}
			p.restore(i, now)
			for _, o := range offers {
				fault := p.fault(o, m.offer, i, now)
				if fault == "" {
					work++
				} else if wrong = append(wrong, fmt.Sprintf("%q was answered with try: %s, which %s", m.text, clip(o.text, 200), fault)); len(wrong) == 1 {
					first = slices.Clone(p.log)
				}
				p.restore(i, now)
			}
		}
	}
	if len(wrong) > 0 {
		p.log = first
		fail("%d of %d suggestions: %s", len(wrong), len(wrong)+work, strings.Join(wrong[:min(len(wrong), 4)], "; "))
	}
	var details []string
	for _, kind := range []string{"misspelt verbs", "misspelt names"} {
		if len(asked[kind]) > 0 && helped[kind] == 0 {
			fail("of %d %s, such as %q, none was answered with a try: line that corrects it", len(asked[kind]), kind, asked[kind][0])
		}
		details = append(details, fmt.Sprintf("%d of %d %s", helped[kind], len(asked[kind]), kind))
	}
	return fmt.Sprintf("%s, %d suggestions that work", strings.Join(details, ", "), work)
}

// restore restores the document of the script's first n ops.
func (p *probe) restore(n int, state string) {
	if p.state() == state {
		return
	}
	if p.session("undo"); p.state() != state {
		p.after(n)
	}
}

// mistakes spoils op n of the script, and after the last one also makes mistakes that need no op.
func (p *probe) mistakes(n int, state string) []mistake {
	var names []string // of existing elements
	for _, op := range p.script[:n] {
		parsed, _ := grammar.Parse(op, grammar.Rules{})
		for _, w := range parsed.Positionals {
			if findableWord.MatchString(w.Text) && len(w.Text) > 3 && !strings.Contains(w.Text, " ") && slices.Contains(words(state), w.Text) {
				names = append(names, w.Text)
			}
		}
	}
	names = unique(names)
	if n == len(p.script) {
		return p.otherMistakes(names)
	}
	return p.spoil(p.script[n], names)
}

// spoil spoils an op that would work, one word at a time.
func (p *probe) spoil(op string, names []string) (out []mistake) {
	if strings.ContainsAny(op, `"'`) {
		return nil
	}
	w := strings.Fields(op)
	add := func(kind, right string, op ...string) {
		out = append(out, mistake{offer{edit, strings.Join(op, " ")}, kind, right})
	}
	for _, typo := range unique(typos(w[0])) {
		if !slices.Contains(p.verbsOf(), typo) {
			add("misspelt verbs", w[0], slices.Concat([]string{typo}, w[1:])...)
		}
	}
	for i := 1; i < len(w); i++ {
		with := func(word string) []string { return slices.Concat(w[:i], []string{word}, w[i+1:]) }
		key, value, keyed := strings.Cut(w[i], ":")
		switch {
		case slices.Contains(names, w[i]):
			for _, typo := range typos(w[i])[1:] { // skip the first: a prefix of the name may be accepted
				add("misspelt names", w[i], with(typo)...)
			}
		case strings.HasPrefix(w[i], "@"):
			add("", "", with("@zz"+w[i][1:])...)
		case keyed && value != "":
			add("", "", with(key+":zzqxv")...)
			add("", "", with(key+"q:"+value)...)
		}
	}
	add("", "", op, "zzqxv")
	add("", "", op, "zzqxv:1")
	add("", "", w[:len(w)-1]...)
	return out
}

// typos misspells a word: shortened, with a letter missing, with one more.
func typos(w string) []string {
	r := []rune(w)
	if len(r) < 4 {
		return []string{w + "e", w + "e"}
	}
	return []string{string(r[:len(r)-1]), string(r[:1]) + string(r[2:]), w + "e"}
}

// otherMistakes are mistakes unrelated to ops of the script.
func (p *probe) otherMistakes(names []string) (out []mistake) {
	add := func(which int, text string) { out = append(out, mistake{offer: offer{which, text}}) }
	for _, v := range p.verbsOf() {
		add(edit, v)
		add(edit, v+" @al")
		add(edit, v+" @zzqxv:1")
	}
	for _, op := range []string{"zzqxv", "undo", "save", "map", "list"} {
		add(edit, op)
	}
	if len(names) > 0 {
		add(edit, "delete "+names[0])
		add(edit, "rename "+names[0]+" Zeta")
		add(edit, "frobnicate "+names[0])
		add(query, "describe "+typos(names[0])[1])
		add(query, "descrbe "+names[0])
	}
	for _, q := range []string{"maap", "histry 3", "zzqxv"} {
		add(query, q)
	}
	for _, action := range []string{"undoo", "undo to:zzqxv", "checkpont here", "sav as:./tried" + p.extension(), "opne ./tried" + p.extension()} {
		add(session, action)
	}
	return out
}

// fault says what is wrong with a suggestion for what was sent after the script's first n ops; "" for nothing.
func (p *probe) fault(o, sent offer, n int, state string) string {
	if o.which == help {
		return "" // M1 checks that it answers
	}
	a := p.send(o)
	now := p.state()
	switch {
	case p.isRefused(a), o.which == session && unknownWord(a.Text):
		return "is refused"
	case strings.TrimSpace(a.Text) == "":
		return "has no answer"
	case o.which == query && now != state:
		return "changes the document"
	case o.which != edit:
		return ""
	case now == state && !hasPrefix(a.Text, "+~*-@"):
		return "changes nothing"
	}
	return conformance.ExceedsRequest(parseLoosely(sent.text), parseLoosely(o.text), conformance.Effect{
		Deletes: hasPrefix(a.Text, "-"), Changes: hasPrefix(a.Text, "*@"), Describe: func(word string) string {
			p.restore(n, state)
			answer := p.query("describe " + grammar.Quote(word))
			if p.isRefused(answer) {
				return ""
			}
			return answer.Text
		}})
}

// parseLoosely parses an op, or splits it into words if it does not parse.
func parseLoosely(text string) *grammar.Op {
	op, err := grammar.Parse(text, grammar.Rules{})
	if w := words(text); err != nil && len(w) > 0 {
		op.Verb = w[0]
		for _, t := range w[1:] {
			op.Positionals = append(op.Positionals, abi.Positional{Text: t})
		}
	}
	return &op
}

// hasPrefix reports whether a line of a reply starts with one of these prefixes.
func hasPrefix(text, prefixes string) bool {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return slices.ContainsFunc(lines, func(l string) bool { return l != "" && strings.ContainsRune(prefixes, rune(l[0])) })
}

// words splits a text at everything that is not part of a word, a selector or a parameter.
func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'`,;()[]|", r) })
}
