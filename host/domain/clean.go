package domain

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fcp-host/fcp-host/abi"
)

// line makes one printable line of at most max bytes of what a plugin said:
// control and format characters (ANSI escapes, line breaks, direction marks)
// are escaped, bytes that are not UTF-8 replaced.
func line(s string, max int) string { return clean(s, max, false) }

// text is line for text of several lines.
func text(s string, max int) string { return clean(s, max, true) }

func clean(s string, max int, multi bool) string {
	if len(s) > max {
		cut := max
		for cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + "…"
	}
	if plain(s) {
		return s
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n' && multi:
			b.WriteByte('\n')
		case r == '\t':
			b.WriteByte(' ')
		case r == '\u200d' || r == '\ufe0f': // joiners of emoji and scripts
			b.WriteRune(r)
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029':
			fmt.Fprintf(&b, "\\u%04x", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// plain is the common case: printable ASCII.
func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}

func quote(s string) string { return `"` + line(s, 64) + `"` }

func lines(list []string, n, max int) []string {
	if len(list) > n {
		list = list[:n]
	}
	for i := range list {
		list[i] = line(list[i], max)
	}
	return list
}

func cleanState(s *abi.State) {
	s.Digest = line(s.Digest, abi.MaxDigest)
	s.Title = line(s.Title, abi.MaxSummary)
	s.Warnings = lines(s.Warnings, abi.MaxWarnings, abi.MaxWarning)
	if len(s.Counts) > 64 {
		s.Counts = s.Counts[:64]
	}
	for i := range s.Counts {
		s.Counts[i].Name = line(s.Counts[i].Name, 64)
	}
}

func cleanError(e *abi.Error) {
	e.Message = line(e.Message, abi.MaxError)
	if e.Message == "" {
		e.Message = "the plugin gave no reason"
	}
	if len(e.Try) > abi.MaxTry {
		e.Try = e.Try[:abi.MaxTry]
	}
	for i := range e.Try {
		e.Try[i] = text(e.Try[i], abi.MaxOpBytes)
	}
}

// cleanManifest bounds and cleans every text that reaches a tool description.
func cleanManifest(m *abi.Manifest) error {
	short := func(s *string) { *s = line(*s, 512) }
	for _, s := range []*string{&m.Title, &m.Version, &m.Summary} {
		short(s)
	}
	if m.Title == "" {
		m.Title = m.Domain
	}
	for i, e := range m.Extensions {
		if len(e) < 2 || len(e) > 24 || e[0] != '.' || strings.ContainsAny(e, "/\\ \x00") {
			return fmt.Errorf("file extension %s: write it as \".mid\"", quote(e))
		}
		m.Extensions[i] = strings.ToLower(e)
	}
	if len(m.Verbs) == 0 {
		return fmt.Errorf("the manifest lists no verb")
	}
	for i := range m.Verbs {
		v := &m.Verbs[i]
		for _, s := range []*string{&v.Syntax, &v.Summary, &v.Category, &v.Block} {
			short(s)
		}
		if v.Syntax == "" {
			v.Syntax = v.Name
		}
		for j := range v.Params {
			short(&v.Params[j].Key)
			short(&v.Params[j].Value)
		}
		for j := range v.Examples {
			v.Examples[j] = text(v.Examples[j], 2048)
		}
	}
	for i := range m.Selectors {
		for _, s := range []*string{&m.Selectors[i].Type, &m.Selectors[i].Syntax, &m.Selectors[i].Summary} {
			short(s)
		}
	}
	for i := range m.Queries {
		for _, s := range []*string{&m.Queries[i].Name, &m.Queries[i].Syntax, &m.Queries[i].Summary} {
			short(s)
		}
	}
	for i := range m.Session {
		for _, s := range []*string{&m.Session[i].Name, &m.Session[i].Syntax, &m.Session[i].Summary} {
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
	for i := range m.Vocabulary {
		cleanSection(&m.Vocabulary[i])
	}
	for i := range m.Conventions {
		short(&m.Conventions[i])
	}
	for i := range m.Example {
		m.Example[i] = text(m.Example[i], 2048)
	}
	return nil
}

func cleanSection(s *abi.Section) {
	s.Title = line(s.Title, 128)
	for i := range s.Lines {
		s.Lines[i] = line(s.Lines[i], 4096)
	}
}
