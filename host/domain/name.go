package domain

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
)

var namePattern = regexp.MustCompile(`^[a-z][a-z0-9]*([_-][a-z0-9]+)*$`)

// CheckName refuses a domain's name that no tool can have, or that reads like a
// tool of another domain or of the host.
func CheckName(name string) error {
	if !namePattern.MatchString(name) || len(name) > 32 {
		return fmt.Errorf("domain name %s: use a to z, digits, - and _ (at most 32), starting with a letter", quote(name))
	}
	if strings.HasPrefix(bare(name), "fcp") {
		return fmt.Errorf("the domain name %s is taken by the host's unified tools: choose another", quote(name))
	}
	if end := toolEnd(name); end != "" {
		return fmt.Errorf("the domain name %s ends like a tool of another domain: choose one without %s", quote(name), end)
	}
	return nil
}

// toolEnd is the end of a name that tools have behind that of their domain, with
// what separates it, or "".
func toolEnd(name string) string {
	i := strings.LastIndexAny(name, "_-") + 1
	if slices.Contains(toolWords(), strings.ToLower(name[i:])) {
		return name[max(i-1, 0):]
	}
	return ""
}

// toolWords are what the names of tools end with, and their plurals.
func toolWords() []string {
	return []string{"edit", "query", "session", "help", "edits", "querys", "queries", "sessions", "helps"}
}

// likeTool reports whether a word reads like the name of a tool of some domain.
// Words that are a part of one alone, such as session, do not.
func likeTool(word string) bool {
	end := toolEnd(word)
	return end != "" && end != word || strings.HasPrefix(strings.ToLower(word), "fcp_") || strings.HasPrefix(strings.ToLower(word), "fcp-")
}

// bare is a name without what is easily overlooked in it.
func bare(name string) string { return joiners.Replace(name) }

var joiners = strings.NewReplacer("-", "", "_", "")

// Alike reports whether of two domains' names one is easily taken for the other,
// or for one of its tools.
func Alike(a, b string) bool {
	a, b = lookalikes.Replace(bare(a)), lookalikes.Replace(bare(b))
	if len(a) < len(b) {
		a, b = b, a
	}
	more, ok := strings.CutPrefix(a, b)
	return ok && (more == "" || slices.ContainsFunc(toolWords(), func(w string) bool { return lookalikes.Replace(w) == more }))
}

// lookalikes makes one of characters that many typefaces draw alike.
var lookalikes = strings.NewReplacer("1", "l", "i", "l", "0", "o", "5", "s", "rn", "m", "vv", "w")

// title is what is shown of a manifest's title: itself where it is the domain's
// name written otherwise, else the name first and the title as the plugin's word.
func title(m *abi.Manifest) string {
	t := line(m.Title, maxTitle)
	plain := strings.NewReplacer(" ", "", ".", "", "-", "", "_", "")
	switch {
	case t == "":
		return m.Domain
	case strings.EqualFold(plain.Replace(t), plain.Replace(m.Domain)):
		return t
	}
	return m.Domain + " " + Quoted(t)
}

const maxTitle = 48 // bytes

// Quoted is a plugin's word for itself, in quotes that it cannot end.
func Quoted(s string) string { return `"` + strings.ReplaceAll(s, `"`, "'") + `"` }

// heading is a heading of a plugin's own, behind the domain's name where it could
// be one of the host's or name a tool.
func heading(domain, s string) string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return strings.ContainsRune(" \t:;,.#()[]`\"'*", r) })
	if len(words) > 0 && slices.Contains(hostHeadings(), words[0]) || slices.ContainsFunc(words, func(w string) bool { return likeTool(w) || w == "card" || w == "fcp-host" }) {
		return domain + ": " + s
	}
	return s
}

// spoken is a plugin's text of its card with the domain's name before each line that starts as the host's would, or with
// a tool of another domain.
func spoken(domain, s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		first := strings.ToLower(strings.TrimLeftFunc(l, func(r rune) bool { return r < 'A' || r > 'z' || r > 'Z' && r < 'a' }))
		if end := strings.IndexFunc(first, func(r rune) bool { return !nameRune(r) }); end >= 0 {
			first = first[:end]
		}
		if first == "fcp-host" || likeTool(first) && !strings.HasPrefix(first, domain+"_") {
			lines[i] = domain + ": " + l
		}
	}
	return strings.Join(lines, "\n")
}

func nameRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' || r == '-'
}

// hostHeadings are the words that the headings of a reference card start with.
func hostHeadings() []string {
	return []string{"ops", "values", "selectors", "replies", "conventions", "example", "queries", "session", "actions", "verbs", "domains", "tool", "tools", "in", "then", "plugins"}
}
