package session

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/sandbox"
)

// Help implements the tool D_help: without a topic the card and what the current document adds to it, else everything
// about the topic: a verb, heading, query, session action, selector, parameter or word of the vocabulary. It needs no
// document. which names the domain for the unified tools, or is "".
func (s *Session) Help(ctx context.Context, dom, which, topic string) *reply.Reply {
	ctx = sandbox.OneCall(ctx)
	if dom == "" && which == "" && s.domain(topic) != nil {
		which, topic = topic, ""
	}
	if dom == "" && which != "" {
		s.Await(ctx, which)
	}
	domains := s.Domains()
	doc := s.Current(dom)
	var d *domain.Domain
	switch {
	case dom != "":
		d = s.servedDomain(dom)
	case which != "":
		if d = s.domain(which); d == nil {
			return document.Failure(s.withAbsent(reply.Refuse(nil, "no domain %.64q; there are %s", which, strings.Join(s.names(), ", "))))
		}
		doc = s.Current(which)
	case doc != nil:
		d = doc.Domain()
	case len(domains) == 1:
		d = domains[0]
	}
	topic = strings.TrimSpace(topic)
	switch {
	case d == nil && topic == "":
		return &reply.Reply{Text: s.overview()}
	case d == nil:
		return reply.Errorf([]reply.Suggestion{reply.Help("")}, "no document is open, so which domain's %s? Name the domain: %s", quoteShort(topic), strings.Join(s.names(), ", "))
	}
	h := help{d: d, prefix: toolPrefix(dom)}
	if doc != nil {
		h.doc, h.added = doc.Name, doc.Help(ctx)
	}
	if topic == "" {
		return &reply.Reply{Text: h.card() + s.notServed()}
	}
	return h.answer(topic)
}

func (s *Session) names() []string { return namesOf(s.Domains()) }

// overview is the unified help when no document is open.
func (s *Session) overview() string {
	var b strings.Builder
	b.WriteString("# Domains\n")
	for _, d := range s.Domains() {
		m := d.Manifest
		fmt.Fprintf(&b, "  %s (%s): %s\n", m.Domain, domain.Opens(m), domain.Quoted(m.Summary))
	}
	b.WriteString("\nfcp_session `new DOMAIN \"Title\"` or `open PATH` starts a document; fcp_help then gives its domain's whole card.\n")
	b.WriteString(s.notServed())
	return b.String()
}

// notServed is the part of the help about modules that are not served, "" for none.
func (s *Session) notServed() string {
	lines := Absent(s.source.Catalog(), maxWhy)
	if len(lines) == 0 {
		return ""
	}
	return "\n# Not served\n  " + strings.Join(lines, "\n  ") + "\n"
}

// help answers about one domain.
type help struct {
	d      *domain.Domain
	prefix string        // of the tools' names
	doc    string        // name of the current document
	added  []abi.Section // by that document
}

func (h *help) card() string {
	var b strings.Builder
	b.WriteString(Card(h.d.Manifest, h.prefix))
	b.WriteString(pluginSection(h.prefix))
	if len(h.added) > 0 {
		fmt.Fprintf(&b, "\n# In %q\n", h.doc)
		for _, s := range h.added {
			b.WriteString("\n" + section(h.d.Name(), s, nil))
		}
	}
	return b.String()
}

// section prints a section of a domain, or one of the host's; only filters its lines unless nil.
func section(domain string, s abi.Section, only func(line string) bool) string {
	var b strings.Builder
	if s.Title == repliesTitle {
		domain = ""
	}
	fmt.Fprintf(&b, "## %s\n", s.Title)
	for _, l := range s.Lines {
		if only == nil || only(l) {
			b.WriteString(guest(domain, "  "+l) + "\n")
		}
	}
	return b.String()
}

// topic is what the help says under some names.
type topic struct {
	names []string // in lower case
	line  string   // one line that says what it is; "" for a group of things
	text  string   // everything about it
}

// topics lists everything that has a name.
func (h *help) topics() []topic {
	m := h.d.Manifest
	var out []topic
	add := func(line, text string, names ...string) {
		for i := range names {
			names[i] = strings.ToLower(names[i])
		}
		out = append(out, topic{names, line, text})
	}
	var ops strings.Builder
	for _, category := range categories(m) {
		var b strings.Builder
		for i := range m.Verbs {
			if v := &m.Verbs[i]; !v.Hidden && v.Category == category {
				b.WriteString(verbHelp(m.Domain, v))
			}
		}
		add("", b.String(), category)
		ops.WriteString(b.String())
	}
	add("", ops.String(), "ops", "verbs")
	for i := range m.Verbs {
		v := &m.Verbs[i]
		add(guest(m.Domain, describe(cut(v.Syntax, maxSyntax), v.Summary))+"\n", verbHelp(m.Domain, v), v.Name)
	}
	for _, s := range h.sections() {
		add("", section(m.Domain, s, nil), append(words(s.Title), s.Title)...)
	}
	var values strings.Builder
	for _, s := range m.Vocabulary {
		values.WriteString(section(m.Domain, s, nil))
	}
	add("", values.String(), "values")
	group := func(list []item, kind string, names ...string) {
		var all strings.Builder
		for _, it := range list {
			line := kind + " " + describe(it.syntax, it.summary) + "\n"
			text := line
			if it.example != "" {
				text += "  example: " + it.example + "\n"
			}
			add(line, text, it.name, strings.TrimPrefix(it.name, "@"))
			all.WriteString(text)
		}
		add("", all.String(), names...)
	}
	group(selectorsOf(m), "selector", "selectors")
	group(queriesOf(m), "query", "queries")
	group(slices.Concat(actionsOf(m, h.prefix), rareActions()), "session action", "session", "actions")
	add("", thenText, "then")
	for _, f := range m.Exports {
		line := "session action " + describe("export "+f.Name+" as:PATH", f.Summary) + "\n"
		add(line, line, f.Name)
	}
	return append(out, parameters(m)...)
}

// sections lists the card's sections and those that the document added.
func (h *help) sections() []abi.Section {
	m := h.d.Manifest
	own := []abi.Section{{Title: "Conventions", Lines: m.Conventions}, {Title: repliesTitle, Lines: []string{repliesText}}}
	return slices.Concat(m.Vocabulary, h.added, own)
}

// repliesTitle is the heading about lines of replies. No domain has it.
const repliesTitle = "Replies"

// thenText is the help on the edit tool's argument then.
const thenText = "then: an argument of the tool that edits, beside ops: a list of queries and session actions, run in order after the ops when all of these succeeded; their answers stand before the digest.\n" +
	"  The first that fails is the last; the ops stay done.\n  example: then: [\"map\", \"save\"]\n"

// verbHelp is everything about a verb.
func verbHelp(domain string, v *abi.Verb) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n%s\n", v.Name, guest(domain, v.Syntax))
	if v.Summary != "" {
		b.WriteString(guest(domain, "  "+v.Summary) + "\n")
	}
	if v.Block != "" {
		fmt.Fprintf(&b, "  then raw lines; the last line is: %s\n", v.Block)
	}
	for _, p := range v.Params {
		b.WriteString(guest(domain, "  "+p.Key+":"+p.Value) + "\n")
	}
	for _, e := range v.Examples {
		b.WriteString(guest(domain, "  example: "+indentRest(e)) + "\n")
	}
	return b.String()
}

// sentence matches the end of a summary's sentence.
var sentence = regexp.MustCompile(`[;.] `)

// parameters makes a topic of each parameter: the verbs that take it, its values, and the first summary sentence that
// explains it.
func parameters(m *abi.Manifest) (out []topic) {
	at := map[string]int{}        // index in out by "key:value"
	explained := map[int]string{} // by index in out
	for i := range m.Verbs {
		v := &m.Verbs[i]
		for _, p := range v.Params {
			text := p.Key + ":" + p.Value
			j, ok := at[text]
			if !ok {
				j, at[text] = len(out), len(out)
				out = append(out, topic{names: []string{strings.ToLower(p.Key)}, text: "parameter " + text + " · of"})
			}
			out[j].text += " " + v.Name
			for _, part := range sentence.Split(v.Summary, -1) {
				if explained[j] == "" && strings.Contains(part, p.Key+":") {
					explained[j] = guest(m.Domain, "  "+v.Name+": "+part) + "\n"
				}
			}
		}
	}
	for i := range out {
		out[i].text += "\n" + explained[i]
	}
	return out
}

// words splits a text of the card into the words that it can be found by.
func words(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return strings.ContainsRune(" \t\n,;:()|…\"`'", r) })
}

// pluginSection is the part about plugins, which only the help shows.
func pluginSection(prefix string) string {
	return "\n## Plugins (tool " + prefix + "_session)\n" + lines(rareActions())
}

// answer is the help on a topic: by its name, as a word in a section, or else what has most of its words.
func (h *help) answer(what string) *reply.Reply {
	all := h.topics()
	asked := strings.ToLower(strings.Trim(what, " \t\r\n\"'`:"))
	named := func(names ...string) string {
		var b strings.Builder
		for _, t := range all {
			if slices.ContainsFunc(t.names, func(n string) bool { return slices.Contains(names, n) }) && !strings.Contains(b.String(), t.text) {
				b.WriteString(t.text)
			}
		}
		return b.String()
	}
	text := cmp.Or(named(asked), h.mentions(asked), h.search(slices.Concat(all, h.lines()), what), h.cardLines(asked))
	if text != "" {
		return &reply.Reply{Text: text}
	}
	var names []string
	for _, t := range all {
		for _, n := range t.names {
			if !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	var try []reply.Suggestion
	for _, n := range grammar.Nearest(asked, names) {
		try = append(try, reply.Help(n))
	}
	if len(try) == 0 {
		try = []reply.Suggestion{reply.Help("")}
	}
	return reply.Errorf(try, "no topic %s; topics are the verbs, headings, queries, actions, selectors, parameters and values of the card", quoteShort(what))
}

// mentions lists the lines of sections that contain a word.
func (h *help) mentions(word string) string {
	var b strings.Builder
	for _, s := range h.sections() {
		holds := func(line string) bool { return slices.Contains(words(line), word) }
		if slices.ContainsFunc(s.Lines, holds) {
			b.WriteString(section(h.d.Name(), s, holds))
		} else if holds(s.Brief) {
			b.WriteString(section(h.d.Name(), s, nil))
		}
	}
	return b.String()
}

// cardLines lists the lines of the card and of the tools' descriptions that contain a word.
func (h *help) cardLines(word string) string {
	if word == "" {
		return ""
	}
	whole := regexp.MustCompile(`(?i)(^|[^a-z0-9])` + regexp.QuoteMeta(word) + `($|[^a-z0-9])`)
	var b strings.Builder
	t := Describe(h.d.Manifest, h.prefix, abi.MaxHelp)
	for line := range strings.Lines(strings.Join([]string{Card(h.d.Manifest, h.prefix), t.Edit, t.Query, t.Session, t.Help}, "\n")) {
		if whole.MatchString(line) {
			b.WriteString(strings.TrimRight(line, "\n") + "\n")
		}
	}
	return b.String()
}
