package session

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
)

// Texts are the descriptions of a domain's four tools: the part of its reference card that a model always sees.
type Texts struct{ Edit, Query, Session, Help string }

// Limits of descriptions, in characters as JavaScript counts them. A widely used client cuts a description at 4,096
// characters, and at 2,048 in older versions.
const (
	MaxEdit = 4000
	MaxHead = 2000 // everything in an edit tool's description but the syntax of verbs is in its first 2,000 characters

	maxList      = 800 // queries, and session actions
	maxNames     = 900 // names of verbs
	maxSelectors = 400
	longValues   = 240 // a list of values longer than this is cut
	sampleValues = 80  // to this length
)

// Describe writes the descriptions of the four tools of m, whose names start with prefix. Together they take at most room
// characters as JSON. They depend on the manifest only, so they are the same in every run. What a first call needs comes
// first, since clients cut descriptions; what does not fit is left out, and is in the help.
func Describe(m *abi.Manifest, prefix string, room int) Texts {
	t := Texts{
		Query: withList(fmt.Sprintf("Reads the open %s document. Queries, one a line:\n", m.Title), ownQueries(m)),
		Session: withList(fmt.Sprintf("%s\nOpens, saves; %s edits. Actions:\n", plain(guest(m.Domain, m.Summary)), prefix),
			slices.DeleteFunc(actionsOf(m, prefix), func(a item) bool { return slices.Contains(suggested(), a.name) })),
		Help: fmt.Sprintf("Finds WORDS (a task, verb, value) in all about %s; without, the whole card.", m.Title),
	}
	for _, text := range []string{t.Query, t.Session, t.Help} {
		room -= jsonSize(text)
	}
	t.Edit = describeEdit(m, prefix, room)
	return t
}

// describeEdit writes the description of the edit tool.
func describeEdit(m *abi.Manifest, prefix string, room int) string {
	head := describeHead(m, prefix)
	var common []*abi.Verb
	for _, name := range m.Common {
		if i := slices.IndexFunc(m.Verbs, func(v abi.Verb) bool { return v.Name == name }); i >= 0 {
			common = append(common, &m.Verbs[i])
		}
	}
	if len(common) == 0 {
		common = visible(m)
	}
	for _, summaries := range []bool{true, false} {
		text := head
		for i, v := range common {
			more := "\n" + plain(guest(m.Domain, verbLine(v, summaries)))
			if i == 0 {
				more = "\n## Syntax" + more
			}
			if length(text+more+legend) > MaxEdit || jsonSize(text+more+legend) > room {
				if summaries {
					break
				}
				return text + legend
			}
			if text += more; i == len(common)-1 {
				return text + legend
			}
		}
	}
	return head + legend
}

// legend explains the first characters of the lines of a reply.
const legend = "\n## Replies\n+ new ~ connected * changed - gone ? warning ! error"

// describeHead writes what a first call needs, in at most MaxHead characters: how an op looks, conventions, the example,
// selectors, values and the names of all verbs.
func describeHead(m *abi.Manifest, prefix string) string {
	form := fmt.Sprintf("Edits the open %s document (%s_session opens it). Ops of one call run in order, all or none: send many. %s %s_help WORDS has syntax and examples of anything.",
		m.Title, prefix, plain(grammarText), prefix)
	left := MaxHead - length(form)
	part := func(title string, most int, between string, parts ...string) string {
		title = "\n## " + title + "\n"
		text := fit(parts, between, min(left, most)-length(title))
		if text == "" {
			return ""
		}
		left -= length(title + text)
		return title + text
	}
	var names []string
	for _, category := range categories(m) {
		before := ""
		if len(names) > 0 {
			before = "\n"
		}
		between := " "
		if category != "" {
			before += plain(guest(m.Domain, category)) + ": "
		} else {
			between = ", " // else the line would read as an op
		}
		for _, v := range visible(m) {
			if v.Category == category {
				name := v.Name
				if before == "" || before == "\n" { // it begins a line
					name = guest(m.Domain, name)
				}
				names = append(names, before+name)
				before = between
			}
		}
	}
	// In the order of their worth; fit gives what is left to the next.
	verbs := part("Verbs", maxNames, "", names...)
	var selected []string
	for _, s := range selectorsOf(m) {
		short, _, _ := strings.Cut(cmp.Or(s.brief, s.syntax), " · ")
		selected = append(selected, plain(short))
	}
	selectors := part("Selectors (all must match; @not:X negates @X)", maxSelectors, " ", selected...)
	var script []string
	for _, e := range m.Example {
		script = append(script, guest(m.Domain, indentRest(e)))
	}
	example := part("Example", left/2, "\n", script...)
	var rules []string
	for _, c := range m.Conventions {
		rules = append(rules, plain(guest(m.Domain, c)))
	}
	conventions := part("Conventions", left, "\n", rules...)
	var lists []string
	for _, s := range m.Vocabulary {
		lists = append(lists, plain(guest(m.Domain, describeValues(s, prefix))))
	}
	return form + conventions + example + selectors + part("Values", left, "\n", lists...) + verbs
}

// describeValues is the line about a section of the vocabulary.
func describeValues(s abi.Section, prefix string) string {
	text := s.Brief
	if text == "" {
		text = strings.Join(s.Lines, "; ")
	}
	if r := []rune(text); len(r) > longValues {
		sample := string(r[:sampleValues])
		text = fmt.Sprintf("%s ... (%s_help %s)", sample[:max(strings.LastIndexAny(sample, " ,"), 0)], prefix, s.Title)
	}
	return s.Title + ": " + text
}

// suggested lists the session actions that replies suggest when they are needed, or that status says the same as.
func suggested() []string { return []string{"batch", "recover", "discard", "enable", "documents"} }

// ownQueries lists the queries that are not session actions, too, without those about checkpoints.
func ownQueries(m *abi.Manifest) []item {
	return slices.DeleteFunc(queriesOf(m), func(q item) bool {
		return strings.Contains(q.syntax, "checkpoint") || slices.Contains(domain.Names(domain.ActionsOf(m)), q.name)
	})
}

// visible lists the verbs of the card.
func visible(m *abi.Manifest) (out []*abi.Verb) {
	for i := range m.Verbs {
		if v := &m.Verbs[i]; !v.Hidden {
			out = append(out, v)
		}
	}
	return out
}

// withList adds items to a text: with summaries if they fit, else without those that are not brief, else as many as fit.
func withList(text string, list []item) string {
	var full, brief, short []string
	for i := range list {
		full = append(full, plain(list[i].line()))
		brief = append(brief, plain(guest(list[i].domain, cmp.Or(list[i].brief, list[i].syntax))))
		short = append(short, plain(guest(list[i].domain, list[i].syntax)))
	}
	for _, lines := range [][]string{full, brief} {
		if whole := strings.Join(lines, "\n"); length(text+whole) <= maxList {
			return text + whole
		}
	}
	return text + fit(short, "\n", maxList-length(text))
}

// fit joins as many parts as fit into room characters; "..." stands for those that do not.
func fit(parts []string, between string, room int) string {
	if whole := strings.Join(parts, between); length(whole) <= room {
		return whole
	}
	room -= len(" ...")
	n, size := 0, 0
	for n < len(parts) && size+length(parts[n]) <= room {
		size += length(parts[n]) + len(between)
		n++
	}
	if n == 0 {
		return ""
	}
	return strings.Join(parts[:n], between) + " ..."
}

// plain writes a text without the signs that cost most as JSON. A widely used client writes "..." for "…" itself.
func plain(text string) string { return strings.NewReplacer("…", "...", " · ", "; ").Replace(text) }

// length counts characters as JavaScript does.
func length(s string) int { return len(utf16.Encode([]rune(s))) }

// jsonSize is the number of characters of s in a JSON message, without its quotes.
func jsonSize(s string) int {
	data, err := json.Marshal(s)
	if err != nil {
		panic(err) // impossible for a string
	}
	return utf8.RuneCount(data) - 2
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
	m := &abi.Manifest{Domain: "DOMAIN", Exports: []abi.Format{{Name: "FORMAT"}}}
	for _, d := range s.Domains() {
		m.Wants = append(m.Wants, d.Manifest.Wants...) // so that the host's actions for wants are listed, too
	}
	t.Query += lines(queriesOf(m))
	t.Session += lines(actionsOf(m, unified)) + "and actions of the domain's own.\nDomains:"
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
		full := t
		for _, d := range domains {
			full.Session += form(d.Manifest)
		}
		if full.size() <= room {
			return full
		}
	}
	t.Session += fmt.Sprintf(" %d, listed by fcp_help", len(domains))
	return t
}

func (t *Texts) size() int {
	return jsonSize(t.Edit) + jsonSize(t.Query) + jsonSize(t.Session) + jsonSize(t.Help)
}
