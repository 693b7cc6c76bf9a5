package session

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/reply"
)

// Card is the whole reference card of a domain as one text of any length. The names of its tools start with prefix.
func Card(m *abi.Manifest, prefix string) string {
	c := card{m: m, prefix: prefix}
	edit := prefix
	if prefix == unified {
		edit += "_edit"
	}
	return fmt.Sprintf("# %s reference card\nTool %s: %s\n## Queries (tool %s_query)\n%s\n## Session (tool %s_session)\n%s",
		m.Title, edit, c.ops(), prefix, lines(queriesOf(m)), prefix, lines(actionsOf(m, prefix)))
}

// Texts of every edit tool.
const (
	grammarText = `An op: VERB words… [key:value…] [@selector…]; "quotes" around spaces; [ ] is optional, … repeats.`
	repliesText = `+ created ~ connection changed * changed - deleted @ bulk or layout ? warning ! error; a "try:" works as printed; the last line, in brackets, is the document's digest.`
)

// unified is the prefix of the unified tools.
const unified = "fcp"

// card writes the reference card of a manifest.
type card struct {
	m      *abi.Manifest
	prefix string // of the tools
}

// ops is the part of the edit tool.
func (c *card) ops() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Send many ops in one call: they run in order, all or none. %s %s_help TOPIC tells more, with examples, of any verb, heading or word here.\n\n## Ops\n", grammarText, c.prefix)
	for _, category := range categories(c.m) {
		c.verbs(&b, category)
	}
	if len(c.m.Vocabulary) > 0 {
		b.WriteString("\n## Values\n")
		for _, s := range c.m.Vocabulary {
			b.WriteString(guest(c.m.Domain, s.Title+": "+cmp.Or(s.Brief, strings.Join(s.Lines, "\n  "))) + "\n")
		}
	}
	b.WriteString("\n## Selectors (several intersect; @not:X negates @X)\n" + lines(selectorsOf(c.m)))
	b.WriteString("\n## Replies\n" + repliesText + "\n")
	if len(c.m.Conventions) > 0 {
		fmt.Fprintf(&b, "\n## Conventions\n%s\n", guest(c.m.Domain, strings.Join(c.m.Conventions, "\n")))
	}
	if len(c.m.Example) > 0 {
		b.WriteString("\n## Example\n")
		for _, e := range c.m.Example {
			b.WriteString(guest(c.m.Domain, indentRest(e)) + "\n")
		}
	}
	return b.String()
}

// categories lists the headings of the visible verbs, in the order in which they
// first appear.
func categories(m *abi.Manifest) (out []string) {
	for i := range m.Verbs {
		if v := &m.Verbs[i]; !v.Hidden && !slices.Contains(out, v.Category) {
			out = append(out, v.Category)
		}
	}
	return out
}

func (c *card) verbs(b *strings.Builder, category string) {
	if category != "" {
		b.WriteString(guest(c.m.Domain, category+":") + "\n")
	}
	for i := range c.m.Verbs {
		if v := &c.m.Verbs[i]; !v.Hidden && v.Category == category {
			b.WriteString(guest(c.m.Domain, verbLine(v, true)) + "\n")
		}
	}
}

// guest marks the lines of a domain's text that would read as the host's own: headings, and lines of a reply. The host's own text has no
// domain, "".
func guest(domain, text string) string {
	if domain == "" {
		return text
	}
	return headings.ReplaceAllString(reply.Mark(domain, text), "${1}"+domain+"| #")
}

// headings matches headings, which Markdown allows up to three blanks before.
var headings = regexp.MustCompile(`(?m)^( {0,3})#`)

// indentRest indents all lines of text but the first.
func indentRest(text string) string { return strings.ReplaceAll(text, "\n", "\n  ") }

// verbLine is the line about a verb. Its summary is left out on demand.
func verbLine(v *abi.Verb, summary bool) string {
	line := cmp.Or(v.Brief, v.Syntax)
	if v.Brief == "" && summary {
		line = describe(v.Syntax, v.Summary)
	}
	if v.Block != "" {
		line += "; then raw lines up to: " + v.Block
	}
	return line
}

// item is a selector, query or session action on a card.
type item struct {
	name, syntax, summary, brief, example string

	domain string // "" if it is the host's
}

func describe(syntax, summary string) string {
	if summary == "" {
		return syntax
	}
	return syntax + " · " + summary
}

// lines lists items, one on each line.
func lines(list []item) string {
	var b strings.Builder
	for _, it := range list {
		b.WriteString(it.line() + "\n")
	}
	return b.String()
}

// line is the line about an item.
func (it *item) line() string {
	return guest(it.domain, cmp.Or(it.brief, describe(it.syntax, it.summary)))
}

func selectorsOf(m *abi.Manifest) []item {
	out := []item{{name: "@all", syntax: "@all", summary: "everything", brief: "@all"}, {name: "@recent", syntax: "@recent[:N]", summary: "the last N touched (1)"}}
	for _, s := range m.Selectors {
		out = append(out, item{"@" + s.Type, s.Syntax, s.Summary, s.Brief, "", m.Domain})
	}
	return out
}

func queriesOf(m *abi.Manifest) (out []item) {
	for _, q := range m.Queries {
		out = append(out, item{q.Name, q.Syntax, q.Summary, q.Brief, "", m.Domain})
	}
	for _, q := range domain.QueriesOf(m) {
		out = append(out, hostItem(q))
	}
	return out
}

// actionsOf lists the session actions of the tools whose names start with prefix.
func actionsOf(m *abi.Manifest, prefix string) (out []item) {
	for _, a := range domain.ActionsOf(m) {
		it := hostItem(a)
		switch a.Name {
		case "open":
			it.example += extension(m)
			if m.Folder != nil {
				what, from := "PATH|DIR", "a file or a folder"
				if foldersOnly(m) {
					what, from, it.example = "DIR", "a folder", "open ."
				}
				it.syntax = "open " + what + " [as:NAME]"
				it.brief = it.syntax
				it.summary = "a document from " + from + "; as: names it, so that it stays open beside others"
			}
			if len(m.Schemes) > 0 {
				it.syntax = strings.Replace(it.syntax, " [as:", "|"+m.Schemes[0]+":NAME [as:", 1)
				it.brief = it.syntax
				it.summary = strings.Replace(it.summary, ";", ", or from where it lies elsewhere;", 1)
			}
			if prefix == unified {
				it.syntax += " [with:DOMAIN]"
				it.brief = it.syntax
				it.summary += "; with: chooses where several domains open it"
			}
		case "save":
			it.example += " as:./file" + extension(m)
		case "new":
			it.syntax = `new "Title"`
			if prefix == unified {
				it.syntax = "new " + m.Domain + ` "Title"`
			}
			it.example = it.syntax
			if foldersOnly(m) {
				it.syntax = strings.TrimSuffix(it.syntax, `"Title"`) + "DIR"
				it.summary = "make a folder a document"
				it.example = strings.TrimSuffix(it.syntax, "DIR") + "."
			} else if m.Folder != nil {
				it.syntax = strings.TrimSuffix(it.syntax, `"Title"`) + `"Title"|./DIR`
				it.summary = "an empty document; ./DIR makes a folder one"
			}
			for _, p := range m.NewParams {
				it.syntax += fmt.Sprintf(" [%s:%s]", p.Key, p.Value)
			}
			it.brief = it.syntax
		case "undo":
			if m.Folder != nil {
				it.syntax = "undo [N|to:NAME|batch] [force]"
				it.brief = it.syntax
				it.summary += "; force: also what others changed in the folder"
			}
		case "export":
			if len(m.Exports) == 0 {
				continue
			}
			names := formatNames(m)
			it.syntax = "export " + strings.Join(names, "|") + " as:PATH [force]"
			it.example = "export " + names[0] + " as:./file" + m.Exports[0].Extension
			it.brief = it.syntax
		}
		out = append(out, it)
	}
	for _, v := range m.Session {
		out = append(out, item{v.Name, v.Syntax, v.Summary, v.Brief, "", m.Domain})
	}
	return out
}

func hostItem(w domain.Word) item {
	if w.Brief == "" && !w.Long {
		w.Brief = w.Syntax
	}
	return item{w.Name, w.Syntax, w.Summary, w.Brief, w.Example, ""}
}

// rareActions lists the actions that only the help shows.
func rareActions() (out []item) {
	for _, a := range domain.Actions(domain.Rare) {
		out = append(out, hostItem(a))
	}
	return out
}

// extension is the first file extension of a domain, "" if it has none.
func extension(m *abi.Manifest) string {
	if len(m.Extensions) == 0 {
		return ""
	}
	return m.Extensions[0]
}
