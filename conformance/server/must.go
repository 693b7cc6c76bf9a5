package server

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/grammar"
)

// fourTools: exactly four tools for each domain, named and typed as in M1.
func fourTools(p *probe) string {
	if p.s.Domain == "" {
		fail("no domain D was found with the tools D, D_query, D_session and D_help among %s", strings.Join(names(p.s.Tools), ", "))
	}
	for i, name := range p.s.names {
		t := p.s.tool(name)
		if t == nil {
			fail("there is no tool %s; there are %s", name, strings.Join(names(p.s.Tools), ", "))
		}
		want := [4]string{"ops", "q", "action", ""}[i]
		for _, r := range t.InputSchema.Required {
			if r != want {
				fail("%s requires the argument %q; M1 gives it %s", name, r, orNone(want))
			}
		}
		if want == "" {
			continue
		}
		prop, ok := t.InputSchema.Properties[want]
		if !ok {
			fail("%s has no argument %q", name, want)
		}
		if i == edit && (!is(prop.Type, "array") || !is(prop.Items.Type, "string")) {
			fail("the argument ops of %s is not an array of strings", name)
		}
		if i != edit && !is(prop.Type, "string") {
			fail("the argument %s of %s is not a string", want, name)
		}
	}
	if p.s.names[edit] != p.s.Domain && p.s.Domain != "fcp" {
		fail("the tool for operations is called %s instead of %s; only the draft's fcp_edit may have that ending", p.s.names[edit], p.s.Domain)
	}
	for _, a := range []said{p.session(p.newAction("Conformance")), p.query("map"), p.edit("zzqxv"), p.help()} {
		if strings.TrimSpace(a.Text) == "" {
			fail("%s answers without a text; M1 requires one from each tool, with or without structured content", p.s.names[a.which])
		}
	}
	// A server may have several domains with four tools each.
	for _, t := range p.s.Tools {
		base := t.Name
		for _, suffix := range []string{"_edit", "_query", "_session", "_help"} {
			base = strings.TrimSuffix(base, suffix)
		}
		for _, suffix := range []string{"_query", "_session", "_help"} {
			if p.s.tool(base+suffix) == nil {
				fail("%s is a tool beside the four of each domain: there is no %s", t.Name, base+suffix)
			}
		}
	}
	if len(p.s.Tools)%4 != 0 {
		fail("%d tools: %s", len(p.s.Tools), strings.Join(names(p.s.Tools), ", "))
	}
	return strings.Join(p.s.names[:], ", ")
}

func names(tools []Tool) []string {
	var out []string
	for _, t := range tools {
		out = append(out, t.Name)
	}
	return out
}

func orNone(s string) string {
	if s == "" {
		return "no argument"
	}
	return s + " alone"
}

// is compares a JSON schema's type, which may be a list.
func is(t any, want string) bool {
	if list, ok := t.([]any); ok {
		return slices.Contains(list, any(want))
	}
	return t == want || t == nil
}

// grammarRules: the parts of the grammar that can be observed from outside.
func grammarRules(p *probe) string {
	op := p.need(1)[0]
	p.fresh()
	for _, blank := range []string{"", "   ", "\t"} {
		if !p.isRefused(p.edit(blank)) {
			fail("the operation %q, which has no verb, is accepted", blank)
		}
	}
	before := p.state()
	verb, rest, _ := strings.Cut(op, " ")
	if p.isRefused(p.edit(strings.TrimSpace(strings.ToUpper(verb) + "  " + rest))) {
		fail("a verb in upper case, followed by two blanks, is refused; verbs ignore case, and blanks only separate words")
	}
	if p.state() == before {
		fail("the verb in upper case does nothing")
	}
	return "blank operations refused, verbs in any case" + p.checkTabs() + p.checkParameterPlace() + p.checkQuotes()
}

// checkTabs fails if a tab does not separate words like a space.
func (p *probe) checkTabs() (detail string) {
	i := slices.IndexFunc(p.script, func(op string) bool { return strings.Contains(op, " ") && !strings.ContainsAny(op, `"'`) })
	if i < 0 {
		return ""
	}
	p.after(i + 1)
	want := p.state()
	p.after(i)
	if p.isRefused(p.edit(strings.ReplaceAll(p.script[i], " ", "\t"))) {
		fail("%q is refused with tabs instead of blanks: both separate words", p.script[i])
	}
	p.checkState(want, fmt.Sprintf("after %q with tabs instead of blanks, compared with the same with blanks,", p.script[i]))
	return ", tabs"
}

// checkQuotes fails unless both kinds of quotes may contain a space, and an unclosed one is refused.
func (p *probe) checkQuotes() (detail string) {
	m, ok := p.maker()
	if !ok {
		return ""
	}
	quoted := func(quote string) string {
		text := strings.Replace(m.op, m.name, quote+"Zeta Eta"+quote, 1)
		p.after(m.at)
		if p.isRefused(p.edit(text)) {
			fail("%s is refused: a quoted word with a blank is one token", text)
		}
		return text
	}
	double := quoted(`"`)
	want := p.state()
	if !strings.Contains(want, "Zeta Eta") {
		fail("%s leaves no \"Zeta Eta\" in the document", double)
	}
	single := quoted("'")
	p.checkState(want, fmt.Sprintf("after %s, compared with %s,", single, double))
	p.after(m.at)
	before := p.state()
	for _, open := range []string{strings.Replace(m.op, m.name, `"Zeta Eta`, 1), m.op + ` "`} {
		if !p.isRefused(p.edit(open)) {
			fail("%s is accepted, although its quote is not closed", open)
		}
		p.checkState(before, "after a quote that never closes")
	}
	return ", quoted words"
}

// checkParameterPlace fails if key:value may not precede the words: its form identifies it, not its position. A key that is
// refused there may not be a parameter of the domain, so the check fails only at the second one.
func (p *probe) checkParameterPlace() (detail string) {
	refused := map[string]string{}
	for i, op := range p.script {
		words := strings.Fields(op)
		at := slices.IndexFunc(words, keyed.MatchString)
		if at < 2 || strings.Contains(op, `"`) || slices.ContainsFunc(words[at+1:], keyed.MatchString) {
			continue
		}
		key, _, _ := strings.Cut(words[at], ":")
		moved := slices.Concat(words[:1], words[at:at+1], words[1:at], words[at+1:])
		p.after(i)
		p.do(op)
		want := p.state()
		p.after(i)
		if !p.isRefused(p.edit(strings.Join(moved, " "))) && p.state() == want {
			return ", parameters in any place"
		}
		refused[key] = strings.Join(moved, " ")
		if len(refused) > 1 {
			fail("%q does not do what %q does: a key:value is a parameter wherever it stands", refused[key], op)
		}
	}
	return ""
}

var keyed = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*:[^/]`)

// maker is the op of the script at an index, which creates something with a name.
type maker struct {
	at       int
	op, name string
}

// makers finds the ops that create something with a name that map then shows.
func (p *probe) makers() (out []maker) {
	p.fresh()
	before := p.state()
	for i, op := range p.script {
		p.do(op)
		after := p.state()
		parsed, err := grammar.Parse(op, grammar.Rules{})
		if err == nil && !strings.Contains(op, `"`) {
			for _, w := range slices.Backward(parsed.Positionals) {
				word := regexp.MustCompile(`(^|[^A-Za-z0-9])` + regexp.QuoteMeta(w.Text) + `($|[^A-Za-z0-9])`)
				if len(w.Text) >= 3 && word.MatchString(after) && !word.MatchString(before) {
					out = append(out, maker{i, op, w.Text})
					break
				}
			}
		}
		before = after
	}
	return out
}

// maker is the first of the makers.
func (p *probe) maker() (m maker, ok bool) {
	if all := p.makers(); len(all) > 0 {
		return all[0], true
	}
	return maker{}, false
}

var extensionPattern = regexp.MustCompile(`[\w*/]\.([a-z][a-z0-9]{1,9})\b`)

// extension guesses the extension of the server's files.
func (p *probe) extension() string {
	switch {
	case strings.Contains(p.domain(), "midi"):
		return ".mid"
	case strings.Contains(p.domain(), "drawio"):
		return ".drawio"
	}
	text := p.session("save").Text + " "
	if t := p.s.tool(p.s.names[session]); t != nil {
		text += t.Description
	}
	for _, m := range extensionPattern.FindAllStringSubmatch(text+p.card(), -1) {
		if !slices.Contains([]string{"com", "org", "g", "e", "md", "json"}, m[1]) {
			return "." + m[1]
		}
	}
	return "." + p.s.Domain
}

// readOnly: map, stats and status answer and change nothing.
func readOnly(p *probe) string {
	p.after(len(p.script))
	for _, q := range []string{"map", "stats", "status"} {
		if a := p.query(q); p.isRefused(a) || strings.TrimSpace(a.Text) == "" {
			fail("the query %s does not answer", q)
		}
	}
	before := p.state()
	path := "./before" + p.extension()
	p.must("save as:" + path)
	for range 5 {
		for _, q := range []string{"map", "stats", "status", "describe Alpha", "history 5", "list", "find a", "no-such-query"} {
			p.query(q)
		}
	}
	p.checkState(before, "after queries alone")
	after := "./after" + p.extension()
	p.must("save as:" + after)
	a, _ := os.ReadFile(filepath.Join(p.dir, path))
	b, _ := os.ReadFile(filepath.Join(p.dir, after))
	if string(a) != string(b) {
		fail("the file saved after queries differs from the one saved before them")
	}
	// The last thing to undo is an op, not a query.
	if p.session("undo"); len(p.script) > 0 && p.state() == before {
		p.after(len(p.script))
		if p.session("undo"); p.state() != before {
			fail("after queries, undo changes nothing in the document; without them it does")
		}
	}
	return "map, stats, status"
}

// verbs: known verbs work, and unknown ones are refused.
func verbs(p *probe) string {
	p.fresh()
	before := p.state()
	for _, op := range []string{"zzqxv", "zzqxv Alpha at:1.1", "frobnicate @all"} {
		if a := p.edit(op); !p.isRefused(a) {
			fail("the unknown verb of %q is accepted", op)
		}
	}
	p.checkState(before, "after unknown verbs")
	p.need(1)
	return strings.Join(p.verbsOf(), ", ")
}

// verbsOf lists the verbs that are known to work.
func (p *probe) verbsOf() []string {
	var out []string
	for _, op := range p.script {
		v, _, _ := strings.Cut(op, " ")
		out = append(out, v)
	}
	return unique(out)
}
