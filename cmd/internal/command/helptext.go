package command

import (
	"bytes"
	"context"
	"regexp"
	"slices"
	"strings"
)

// The help texts are what people read, so they are the source: completion and the manual page are made from them.

// helpSection is a part of a help text under one title, or under none.
type helpSection struct {
	title   string
	entries []helpEntry
	prose   []string // its other lines
}

// helpEntry is a flag with what the help says of it.
type helpEntry struct{ term, text string }

var (
	// A flag as help texts write it: "-k, --keep-going", "--root DIR", "--http-cert FILE, --http-key FILE".
	helpTerm = regexp.MustCompile(`^ +((?:-[a-z], )?--[a-z][a-z0-9-]*(?: (?:'[^']*'|[A-Z][A-Z0-9=:|…]*))?(?:, --[a-z][a-z0-9-]*(?: [A-Z]+)?)*)(?: +(.*))?$`)
	helpFlag = regexp.MustCompile(`--[a-z][a-z0-9-]*`)
)

// parseHelp takes a help text apart.
func parseHelp(text string) (sections []helpSection) {
	var s helpSection
	depth := 0 // indent of the entry that goes on, 0 for none
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

// shared reports whether a command has no help of its own but the program's.
func (c command) shared() bool {
	return c.name == "serve" || c.name == "exec" || c.name == "view" || c.name == "doctor"
}

// help is what a command prints when it is asked for its help.
func (c command) help(ctx context.Context) string {
	var out bytes.Buffer
	c.run(ctx, []string{"--help"}, stdio{strings.NewReader(""), &out, &out})
	return out.String()
}

// flags lists those of a command.
func (c command) flags(ctx context.Context) (list []helpEntry) {
	for _, s := range parseHelp(c.help(ctx)) {
		if of, ok := strings.CutPrefix(s.title, "Flags of "); !ok || !c.shared() || regexp.MustCompile(`\b`+c.name+`\b`).MatchString(of) {
			list = append(list, s.entries...)
		}
		for _, line := range s.prose {
			if !strings.Contains(line, "fcp-host "+c.name+" ") {
				continue
			}
			for _, f := range helpFlag.FindAllString(line, -1) { // that only the usage names
				if !slices.ContainsFunc(list, func(e helpEntry) bool { return firstWord(e.term) == f }) {
					list = append(list, helpEntry{f, strings.TrimSpace(line)})
				}
			}
		}
	}
	return list
}
