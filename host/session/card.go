package session

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/reply"
)

// Texts are the descriptions of a domain's four tools. Together they are its reference card.
type Texts struct{ Edit, Query, Session, Help string }

func (t *Texts) size() int {
	return utf8.RuneCountInString(t.Edit) + utf8.RuneCountInString(t.Query) + utf8.RuneCountInString(t.Session) + utf8.RuneCountInString(t.Help)
}

// Describe writes the descriptions of the four tools of m, whose names start with prefix, in at most room characters.
// They depend on the manifest only, so they are the same in every run. A card that is too long is cut step by step
// until it fits, starting with what a model needs least; the help has everything.
func Describe(m *abi.Manifest, prefix string, room int) Texts {
	c := card{m: m, prefix: prefix}
	t := c.texts()
	for t.size() > room && c.cut < cutAll {
		c.cut++
		t = c.texts()
	}
	if t.size() > room { // even the names do not fit
		most := (room - utf8.RuneCountInString(t.Help)) / 3
		for _, text := range []*string{&t.Edit, &t.Query, &t.Session} {
			if r := []rune(*text); len(r) > most {
				*text = string(r[:most-1]) + "…"
			}
		}
	}
	return t
}

// DescribeAll is [Describe] for the unified tools. The help lists the domains that do not fit.
func (s *Session) DescribeAll(room int) Texts {
	t := Texts{
		Edit: "Edits the open document. Send many ops in one call: they run in order, all or none. Its domain decides what there is: read its card with fcp_help before the first op. " + grammarText +
			"\n" + repliesText,
		Query:   "Reads the open document: map, stats, describe REF|*, list [@SEL], find TEXT and its domain's own queries (fcp_help lists them), and:\n",
		Session: "Starts, saves and rewinds documents. Actions:\n",
		Help:    "The reference card of a domain and what the open document adds to it; with a topic, all about that, with examples. Needs no document.",
	}
	var c card
	m := &abi.Manifest{Domain: "DOMAIN", Exports: []abi.Format{{Name: "FORMAT"}}}
	for _, d := range s.Domains() {
		m.Wants = append(m.Wants, d.Manifest.Wants...) // so that the host's actions for wants are listed, too
	}
	t.Query += c.items(queriesOf(m))
	t.Session += c.items(actionsOf(m, unified)) + "and actions of the domain's own.\nDomains:"
	domains := s.Domains()
	for _, form := range []func(m *abi.Manifest) string{
		func(m *abi.Manifest) string {
			return fmt.Sprintf("\n%s (%s): %s", m.Domain, domain.Opens(m), domain.Quoted(m.Summary))
		},
		func(m *abi.Manifest) string {
			return fmt.Sprintf("\n%s (%s)", m.Domain, domain.Opens(m))
		},
		func(m *abi.Manifest) string { return " " + m.Domain },
	} {
		var b strings.Builder
		for _, d := range domains {
			b.WriteString(form(d.Manifest))
		}
		if full := (Texts{t.Edit, t.Query, t.Session + b.String(), t.Help}); full.size() <= room {
			return full
		}
	}
	t.Session += fmt.Sprintf(" %d, listed by fcp_help", len(domains))
	return t
}

// Card is the whole reference card of a domain as one text of any length. The names of its tools start with prefix.
func Card(m *abi.Manifest, prefix string) string {
	c := card{m: m, prefix: prefix}
	edit := prefix
	if prefix == unified {
		edit += "_edit"
	}
	return fmt.Sprintf("# %s reference card\nTool %s: %s\n## Queries (tool %s_query)\n%s\n## Session (tool %s_session)\n%s",
		m.Title, edit, c.ops(), prefix, c.queries(), prefix, c.actions())
}

// Texts of every edit tool.
const (
	grammarText = `An op: VERB words… [key:value…] [@selector…]; texts with spaces in "quotes"; what is in [ ] is optional, … repeats.`
	repliesText = `+ created ~ connection changed * changed - deleted @ bulk or layout ? warning ! error; a "try:" works as printed; the last line, in brackets, is the document's digest.`
)

// unified is the prefix of the unified tools.
const unified = "fcp"

// Steps of cutting a card that is too long; each includes the ones before it.
const (
	cutLists      = iota + 1 // long lists of values, except for their beginning
	cutSummaries             // summaries of verbs
	cutValues                // values of parameters
	cutVocabulary            // all lists of values
	cutScript                // example and conventions
	cutMeanings              // summaries of selectors, queries and actions
	cutAll                   // everything except names
)

const (
	longList   = 240 // a section longer than this, in characters, is cut by cutLists
	listSample = 80  // to this length
)

// card writes the reference card of a manifest.
type card struct {
	m      *abi.Manifest
	prefix string // of the tools
	cut    int    // the last cutting step; 0 for none
}

func (c *card) texts() Texts {
	return Texts{
		Edit:    fmt.Sprintf("Edits the open %s document (%s_session new or open). %s", c.m.Title, c.prefix, c.ops()),
		Query:   fmt.Sprintf("Reads the open %s document. Queries (several in one call: one a line):\n%s", c.m.Title, c.queries()),
		Session: fmt.Sprintf("Starts, saves and rewinds %s documents. Actions:\n%s", c.m.Title, c.actions()),
		Help:    fmt.Sprintf("The reference card of %s and what the open document adds to it; with a topic, all about that, with examples. Needs no document.", c.m.Title),
	}
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
			b.WriteString(guest(c.values(s)))
		}
	}
	b.WriteString("\n## Selectors (several intersect; @not:TYPE… negates)\n" + c.items(selectorsOf(c.m)))
	b.WriteString("\n## Replies\n" + repliesText + "\n")
	if c.cut < cutScript && len(c.m.Conventions) > 0 {
		fmt.Fprintf(&b, "\n## Conventions\n%s\n", guest(strings.Join(c.m.Conventions, "\n")))
	}
	if c.cut < cutScript && len(c.m.Example) > 0 {
		b.WriteString("\n## Example\n")
		for _, e := range c.m.Example {
			b.WriteString(guest(indentRest(e)) + "\n")
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
	var lines []string
	for i := range c.m.Verbs {
		if v := &c.m.Verbs[i]; !v.Hidden && v.Category == category {
			lines = append(lines, guest(c.verb(v)))
		}
	}
	between := "\n"
	if c.cut >= cutAll {
		between = " "
	}
	if category != "" {
		b.WriteString(guest(category+":") + between)
	}
	b.WriteString(strings.Join(lines, between) + "\n")
}

// guest indents the lines of a plugin's text that would read as the host's own: headings, and lines of a reply.
func guest(text string) string {
	return cardLike.ReplaceAllString(reply.IndentGuest(text), "    $0")
}

// cardLike matches headings, which Markdown allows up to three blanks before, and the start of a digest.
var cardLike = regexp.MustCompile(`(?m)^( {0,3}#|\[)`)

// guestLine is [guest] for one line that is printed after two blanks.
func guestLine(line string) string {
	return strings.TrimPrefix(guest("  "+line), "  ")
}

// indentRest indents all lines of text but the first.
func indentRest(text string) string { return strings.ReplaceAll(text, "\n", "\n  ") }

// value matches a key with its value in a syntax line.
var value = regexp.MustCompile(`([A-Za-z_][A-Za-z0-9_.-]*:)[^\s\[\]]+`)

// verb is the line about a verb.
func (c *card) verb(v *abi.Verb) string {
	if c.cut >= cutAll {
		return v.Name
	}
	line := v.Brief
	switch {
	case line != "":
	case c.cut >= cutValues:
		line = value.ReplaceAllString(v.Syntax, "$1")
	case c.cut >= cutSummaries:
		line = v.Syntax
	default:
		line = describe(v.Syntax, v.Summary)
	}
	if v.Block != "" {
		line += "; then raw lines up to: " + v.Block
	}
	return line
}

// values is the paragraph about a section of the vocabulary.
func (c *card) values(s abi.Section) string {
	text := s.Brief
	if text == "" {
		text = strings.Join(s.Lines, "\n  ")
	}
	n := utf8.RuneCountInString(text)
	switch {
	case c.cut >= cutAll:
		return s.Title + "\n"
	case c.cut >= cutVocabulary && n > listSample:
		return fmt.Sprintf("%s: %s_help %s\n", s.Title, c.prefix, s.Title)
	case c.cut >= cutLists && n > longList:
		sample := string([]rune(text)[:listSample])
		sample = sample[:max(strings.LastIndexAny(sample, " ,"), 0)]
		return fmt.Sprintf("%s: %s … (%s_help %s)\n", s.Title, strings.ReplaceAll(sample, "\n", ""), c.prefix, s.Title)
	}
	return s.Title + ": " + text + "\n"
}

// item is a selector, query or session action on a card.
type item struct{ name, syntax, summary, brief, example string }

func describe(syntax, summary string) string {
	if summary == "" {
		return syntax
	}
	return syntax + " · " + summary
}

func (c *card) items(list []item) string {
	var b strings.Builder
	for _, it := range list {
		switch {
		case c.cut >= cutAll:
			b.WriteString(it.name + " ")
		case c.cut >= cutMeanings:
			b.WriteString(guest(it.syntax) + "\n")
		default:
			b.WriteString(guest(cmp.Or(it.brief, describe(it.syntax, it.summary))) + "\n")
		}
	}
	return b.String()
}

func selectorsOf(m *abi.Manifest) []item {
	out := []item{{"@all", "@all", "everything", "@all", ""}, {"@recent", "@recent[:N]", "the last N touched (1)", "", ""}}
	for _, s := range m.Selectors {
		out = append(out, item{"@" + s.Type, s.Syntax, s.Summary, s.Brief, ""})
	}
	return out
}

func queriesOf(m *abi.Manifest) (out []item) {
	for _, q := range m.Queries {
		out = append(out, item{q.Name, q.Syntax, q.Summary, q.Brief, ""})
	}
	for _, q := range domain.QueriesOf(m) {
		out = append(out, item{q.Name, q.Syntax, q.Summary, q.Brief, q.Example})
	}
	return out
}

// actionsOf lists the session actions of the tools whose names start with prefix.
func actionsOf(m *abi.Manifest, prefix string) (out []item) {
	for _, a := range domain.ActionsOf(m) {
		it := item{a.Name, a.Syntax, a.Summary, a.Brief, a.Example}
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
				it.brief = it.syntax + " · N ops, to a checkpoint, the last call; force: also what others changed in the folder"
				it.summary += "; force: also what others changed in the folder"
			}
		case "export":
			if len(m.Exports) == 0 {
				continue
			}
			names := make([]string, len(m.Exports))
			for i, f := range m.Exports {
				names[i] = f.Name
			}
			it.syntax = "export " + strings.Join(names, "|") + " as:PATH [force]"
			it.example = "export " + names[0] + " as:./file" + m.Exports[0].Extension
			it.brief = it.syntax
		}
		out = append(out, it)
	}
	for _, v := range m.Session {
		out = append(out, item{v.Name, v.Syntax, v.Summary, v.Brief, ""})
	}
	return out
}

// rareActions lists the actions that only the help shows.
func rareActions() (out []item) {
	for _, a := range domain.RareActions() {
		out = append(out, item{a.Name, a.Syntax, a.Summary, a.Brief, a.Example})
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

// queries is the part of the query tool.
func (c *card) queries() string { return c.items(queriesOf(c.m)) }

// actions is the part of the session tool.
func (c *card) actions() string { return c.items(actionsOf(c.m, c.prefix)) }
