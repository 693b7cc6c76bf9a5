package domain

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/reply"
)

// checkNames refuses names that no call could reach: not a word of the grammar, registered twice, or taken by the host.
func checkNames(m *abi.Manifest) error {
	var verbs, selectors, queries, actions, formats []string
	for i := range m.Verbs {
		verbs = append(verbs, m.Verbs[i].Name)
	}
	for i := range m.Selectors {
		selectors = append(selectors, m.Selectors[i].Type)
	}
	for i := range m.Queries {
		queries = append(queries, m.Queries[i].Name)
	}
	for i := range m.Session {
		actions = append(actions, m.Session[i].Name)
		if f := m.Session[i].File; f < 0 || f > 64 {
			return fmt.Errorf("session action %s: its file is positional %d; count from 1, 0 for none", quote(m.Session[i].Name), f)
		}
	}
	for i := range m.Exports {
		formats = append(formats, m.Exports[i].Name)
		if e := m.Exports[i].Extension; e != "" && !isExtension(e) {
			return fmt.Errorf("export format %s has the file extension %s: write it as \".svg\"", quote(m.Exports[i].Name), quote(e))
		}
	}
	for _, list := range []struct {
		kind            string
		names, reserved []string
	}{
		{"verb", verbs, nil},
		{"selector", selectors, []string{"not"}},
		{"query", queries, reservedQueriesOf(m)},
		{"session action", actions, Names(slices.Concat(ActionsOf(m), Actions(Rare)))},
		{"export format", formats, nil},
	} {
		seen := map[string]bool{}
		for _, name := range list.names {
			switch {
			case !isWord(name):
				return fmt.Errorf("%s %s: use one lower-case word of at most %d bytes, without quotes, @ and colons", list.kind, quote(name), maxWord)
			case likeTool(name):
				return fmt.Errorf("%s %s reads like a tool of a domain: choose another name", list.kind, quote(name))
			case seen[name]:
				return fmt.Errorf("%s %s is registered twice", list.kind, quote(name))
			case slices.Contains(list.reserved, name):
				return fmt.Errorf("%s %s belongs to the host: remove it or choose another name", list.kind, quote(name))
			}
			seen[name] = true
		}
	}
	return nil
}

const maxWord = 64 // bytes of the name of a verb, query, …

// isWord reports whether the grammar reads s, unquoted, as itself.
func isWord(s string) bool {
	return s != "" && len(s) <= maxWord && s == line(s, maxWord) && s == strings.ToLower(s) &&
		!strings.ContainsAny(s, "\"'@:") && !strings.ContainsFunc(s, unicode.IsSpace)
}

// isHeading reports whether a synonym may stand for s: words with one space between them, the key: of a parameter, or
// the @type of a selector.
func isHeading(s string) bool {
	s = strings.TrimPrefix(strings.TrimSuffix(s, ":"), "@")
	return !slices.ContainsFunc(strings.Split(s, " "), func(w string) bool { return !isWord(w) })
}

// maxJobs is how many jobs of a domain are used.
const maxJobs = 16

// maxExtensions is the number of file extensions that a domain may claim.
const maxExtensions = 32

// maxKeywords is how many keywords of a domain are used.
const maxKeywords = 16

// isExtension reports whether s is a dot followed by letters, digits and a few signs. Extensions appear in the server's
// instructions.
func isExtension(s string) bool {
	return len(s) >= 2 && len(s) <= 24 && s[0] == '.' && s == line(s, 24) && !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._+-", r)
	})
}

// cleanManifest bounds and cleans every text that reaches a tool description.
//
// Over 80 lines: a list of the manifest's texts.
func cleanManifest(m *abi.Manifest) error {
	short := func(s *string) { *s = line(*s, 512) }
	short(&m.Version)
	short(&m.Summary)
	m.Title = title(m)
	if err := checkNames(m); err != nil {
		return err
	}
	if len(m.Extensions) > maxExtensions {
		return fmt.Errorf("the manifest lists %d file extensions, the limit is %d", len(m.Extensions), maxExtensions)
	}
	for i, e := range m.Extensions {
		if !isExtension(e) {
			return fmt.Errorf("file extension %s: write it as \".mid\"", quote(e))
		}
		m.Extensions[i] = strings.ToLower(e)
	}
	for i := range m.MIME {
		short(&m.MIME[i])
	}
	if len(m.Verbs) == 0 {
		return fmt.Errorf("the manifest lists no verb")
	}
	for i := range m.Verbs {
		v := &m.Verbs[i]
		for _, s := range []*string{&v.Syntax, &v.Summary, &v.Brief, &v.Category, &v.Block} {
			short(s)
		}
		v.Category = prefixHeading(m.Domain, v.Category)
		if reply.Mark(m.Domain, v.Block) != v.Block { // suggestions end with it
			return fmt.Errorf("the block of %s ends with %s, which begins like a line of a reply: use a word such as END", v.Name, quote(v.Block))
		}
		if v.Syntax == "" {
			v.Syntax = v.Name
		}
		for j := range v.Params {
			short(&v.Params[j].Key)
			short(&v.Params[j].Value)
		}
		for j := range v.Examples {
			v.Examples[j] = prefixToolLines(m.Domain, text(v.Examples[j], 2048))
		}
	}
	m.Common = slices.DeleteFunc(m.Common, func(name string) bool {
		return !slices.ContainsFunc(m.Verbs, func(v abi.Verb) bool { return v.Name == name && !v.Hidden })
	})
	m.Keywords = m.Keywords[:min(len(m.Keywords), maxKeywords)]
	for i := range m.Keywords {
		m.Keywords[i] = reply.Mark(m.Domain, line(m.Keywords[i], maxWord))
	}
	for i := range m.Selectors {
		for _, s := range []*string{&m.Selectors[i].Type, &m.Selectors[i].Syntax, &m.Selectors[i].Summary, &m.Selectors[i].Brief} {
			short(s)
		}
	}
	for i := range m.Queries {
		for _, s := range []*string{&m.Queries[i].Name, &m.Queries[i].Syntax, &m.Queries[i].Summary, &m.Queries[i].Brief} {
			short(s)
		}
		if t := m.Queries[i].Takes; t != nil {
			for j := range t.Params {
				short(&t.Params[j].Key)
				short(&t.Params[j].Value)
			}
		}
	}
	for i := range m.Session {
		for _, s := range []*string{&m.Session[i].Name, &m.Session[i].Syntax, &m.Session[i].Summary, &m.Session[i].Brief} {
			short(s)
		}
	}
	for i := range m.Exports {
		for _, s := range []*string{&m.Exports[i].Name, &m.Exports[i].Extension, &m.Exports[i].MIME, &m.Exports[i].Summary} {
			short(s)
		}
	}
	for i := range m.NewParams {
		short(&m.NewParams[i].Key)
		short(&m.NewParams[i].Value)
	}
	if err := checkView(m); err != nil {
		return err
	}
	for i := range m.Vocabulary {
		cleanSection(m.Domain, &m.Vocabulary[i])
	}
	for i := range m.Conventions {
		short(&m.Conventions[i])
		m.Conventions[i] = prefixToolLines(m.Domain, m.Conventions[i])
	}
	m.Synonyms = slices.DeleteFunc(m.Synonyms, func(s abi.Synonym) bool { return !isHeading(s.Word) || s.Means == "" })
	for i := range m.Synonyms {
		short(&m.Synonyms[i].Means)
	}
	for i := range m.Example {
		m.Example[i] = prefixToolLines(m.Domain, text(m.Example[i], 2048))
	}
	m.Jobs = m.Jobs[:min(len(m.Jobs), maxJobs)]
	for i := range m.Jobs {
		m.Jobs[i] = text(m.Jobs[i], 2048)
	}
	if n := cardSize(m); n > abi.MaxHelp {
		return fmt.Errorf("the texts of its reference card have %d bytes, the limit is %d: shorten them", n, abi.MaxHelp)
	}
	return nil
}

// cardSize returns how many bytes of the plugin's text the reference card has.
func cardSize(m *abi.Manifest) int {
	n := 0
	count := func(texts ...string) {
		for _, s := range texts {
			n += len(s) + 1
		}
	}
	for i := range m.Verbs {
		if v := &m.Verbs[i]; !v.Hidden {
			count(v.Syntax, v.Summary, v.Brief, v.Category, v.Block)
		}
	}
	for _, s := range m.Selectors {
		count(s.Syntax, s.Summary, s.Brief)
	}
	for _, q := range m.Queries {
		count(q.Syntax, q.Summary, q.Brief)
	}
	for _, s := range m.Session {
		count(s.Syntax, s.Summary, s.Brief)
	}
	for _, f := range m.Exports {
		count(f.Name, f.Extension, f.Summary)
	}
	for _, p := range m.NewParams {
		count(p.Key, p.Value)
	}
	for _, s := range m.Vocabulary {
		count(s.Title, s.Brief)
		count(s.Lines...)
	}
	count(m.Conventions...)
	count(m.Example...)
	count(m.Extensions...)
	return n
}

func cleanSection(domain string, s *abi.Section) {
	s.Title, s.Brief = line(prefixHeading(domain, line(s.Title, 128)), 128), line(s.Brief, 1024)
	for i := range s.Lines {
		s.Lines[i] = prefixToolLines(domain, line(s.Lines[i], 4096))
	}
}
