package command

import (
	"bytes"
	"context"
	"regexp"
	"slices"
	"strings"
)

// Completion and the manual page are generated from the help texts.

// helpSection is a part of a help text, with a title or without.
type helpSection struct {
	title   string
	entries []helpEntry
	prose   []string // lines that are not entries
}

// helpEntry is a flag with its description.
type helpEntry struct{ term, text string }

var (
	// A flag as help texts write it: "-k, --keep-going", "--root DIR", "--http-cert FILE, --http-key FILE".
	helpTerm = regexp.MustCompile(`^ +((?:-[a-z], )?--[a-z][a-z0-9-]*(?: (?:'[^']*'|[A-Z][A-Z0-9=:|…]*))?(?:, --[a-z][a-z0-9-]*(?: [A-Z]+)?)*)(?: +(.*))?$`)
	helpFlag = regexp.MustCompile(`--[a-z][a-z0-9-]*`)
)

// parseHelp splits a help text into sections.
func parseHelp(text string) (sections []helpSection) {
	var s helpSection
	depth := 0 // indent of the entry that continues, 0 for none
	end := func() {
		if s.title != "" || len(s.entries)+len(s.prose) > 0 {
			sections = append(sections, s)
		}
		s, depth = helpSection{}, 0
	}
	for line := range strings.SplitSeq(text, "\n") {
		indent := len(line) - len(strings.TrimLeft(line, " "))
		switch m := helpTerm.FindStringSubmatch(line); {
		case line == "":
			end()
		case indent == 0 && strings.HasSuffix(line, ":"):
			end()
			s.title = strings.TrimSuffix(line, ":")
		case m != nil:
			s.entries, depth = append(s.entries, helpEntry{m[1], m[2]}), indent
		case depth > 0 && indent > depth:
			last := &s.entries[len(s.entries)-1]
			last.text = strings.TrimSpace(last.text + " " + strings.TrimSpace(line))
		default:
			s.prose, depth = append(s.prose, line), 0
		}
	}
	end()
	return sections
}

// hasProgramHelp reports whether a command's help is the program's.
func (c command) hasProgramHelp() bool {
	return c.name == "serve" || c.name == "exec" || c.name == "view" || c.name == "doctor"
}

// help returns the output of a command's --help.
func (c command) help(ctx context.Context) string {
	var out bytes.Buffer
	c.run(ctx, []string{"--help"}, stdio{strings.NewReader(""), &out, &out})
	return out.String()
}

// flags lists the flags of a command.
func (c command) flags(ctx context.Context) (list []helpEntry) {
	for _, s := range parseHelp(c.help(ctx)) {
		if of, ok := strings.CutPrefix(s.title, "Flags of "); !ok || !c.hasProgramHelp() || regexp.MustCompile(`\b`+c.name+`\b`).MatchString(of) {
			list = append(list, s.entries...)
		}
		for _, line := range s.prose {
			if !strings.Contains(line, "fcp-host "+c.name+" ") {
				continue
			}
			for _, f := range helpFlag.FindAllString(line, -1) { // flags that only the usage line names
				if !slices.ContainsFunc(list, func(e helpEntry) bool { return firstWord(e.term) == f }) {
					list = append(list, helpEntry{f, strings.TrimSpace(line)})
				}
			}
		}
	}
	return list
}
