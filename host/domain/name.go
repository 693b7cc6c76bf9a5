package domain

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
)

var namePattern = regexp.MustCompile(`^[a-z][a-z0-9]*([_-][a-z0-9]+)*$`)

// CheckName refuses the name of a domain if a tool cannot have it, or if it reads like a tool of another domain or of
// the host.
func CheckName(name string) error {
	if !namePattern.MatchString(name) || len(name) > 32 {
		return fmt.Errorf("domain name %s: use a to z, digits, - and _ (at most 32), starting with a letter", quote(name))
	}
	if strings.HasPrefix(bare(name), "fcp") {
		return fmt.Errorf("the domain name %s is taken by the host's unified tools: choose another", quote(name))
	}
	if slices.Contains(takenNames, name) || deviceName.MatchString(name) {
		return fmt.Errorf("the domain name %s is that of a command or of a device: choose another", quote(name))
	}
	if end := toolEnd(name); end != "" {
		return fmt.Errorf("the domain name %s ends like a tool of another domain: choose one without %s", quote(name), end)
	}
	return nil
}

// takenNames are the commands of the program and of the domains that it comes with: a command of the domain itself would stand beside them.
var takenNames = strings.Fields("serve exec view doctor inspect setup skill plugin grants parse new dev conform eval version completion man cue")

// deviceName matches what Windows takes for a device, whatever the ending.
var deviceName = regexp.MustCompile(`^(con|prn|aux|nul|(com|lpt)[0-9])$`)

// toolEnd returns the suffix that makes a name look like a tool's, such as "_query", with its separator; or "".
func toolEnd(name string) string {
	i := strings.LastIndexAny(name, "_-") + 1
	if slices.Contains(toolWords(), strings.ToLower(name[i:])) {
		return name[max(i-1, 0):]
	}
	return ""
}

// toolWords lists the words that tool names end with, and their plurals.
func toolWords() []string {
	return []string{"edit", "query", "session", "help", "edits", "querys", "queries", "sessions", "helps"}
}

// likeTool reports whether a word reads like the name of a domain's tool. A bare suffix, such as session, does not.
func likeTool(word string) bool {
	end := toolEnd(word)
	return end != "" && end != word || strings.HasPrefix(strings.ToLower(word), "fcp_") || strings.HasPrefix(strings.ToLower(word), "fcp-")
}

// bare returns a name without the separators that readers overlook.
func bare(name string) string { return joiners.Replace(name) }

var joiners = strings.NewReplacer("-", "", "_", "")

// Alike reports whether one name of a domain is easily mistaken for the other, or for one of its tools.
func Alike(a, b string) bool {
	a, b = lookalikes.Replace(bare(a)), lookalikes.Replace(bare(b))
	if len(a) < len(b) {
		a, b = b, a
	}
	more, ok := strings.CutPrefix(a, b)
	return ok && (more == "" || slices.ContainsFunc(toolWords(), func(w string) bool { return lookalikes.Replace(w) == more }))
}

// lookalikes maps characters that many typefaces draw alike to one of them.
var lookalikes = strings.NewReplacer("1", "l", "i", "l", "0", "o", "5", "s", "rn", "m", "vv", "w")

// title returns the title to show: the manifest's, if it is the domain's name in another spelling; otherwise the name
// followed by the title in quotes.
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

// Quoted puts a plugin's text in quotes that the text cannot close.
func Quoted(s string) string { return `"` + strings.ReplaceAll(s, `"`, "'") + `"` }

// prefixHeading returns a plugin's heading, prefixed with the domain's name if it could be mistaken for one of the host's or
// for a tool.
func prefixHeading(domain, s string) string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return strings.ContainsRune(" \t:;,.#()[]`\"'*", r) })
	if len(words) > 0 && slices.Contains(hostHeadings(), words[0]) || slices.ContainsFunc(words, func(w string) bool { return likeTool(w) || w == "card" || w == "fcp-host" }) {
		return domain + "| " + s
	}
	return s
}

// prefixToolLines prefixes the domain's name to each line of a plugin's text that starts like the host's text or with a tool of
// another domain.
func prefixToolLines(domain, s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		first := strings.ToLower(strings.TrimLeftFunc(l, func(r rune) bool { return r < 'A' || r > 'z' || r > 'Z' && r < 'a' }))
		if end := strings.IndexFunc(first, func(r rune) bool { return !nameRune(r) }); end >= 0 {
			first = first[:end]
		}
		if first == "fcp-host" || likeTool(first) && !strings.HasPrefix(first, domain+"_") {
			lines[i] = domain + "| " + l
		}
	}
	return strings.Join(lines, "\n")
}

func nameRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' || r == '-'
}

// hostHeadings lists the words that the host's headings in a reference card start with.
func hostHeadings() []string {
	return []string{"ops", "values", "selectors", "replies", "conventions", "example", "queries", "session", "actions", "verbs", "domains", "tool", "tools", "in", "then", "plugins"}
}
