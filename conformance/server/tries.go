package server

import (
	"regexp"
	"slices"
	"strings"
)

// offer is what a try: line proposes: a text for one of the four tools.
type offer struct {
	which int
	text  string
}

var tryLine = regexp.MustCompile(`(?i)\btry:[ \t]*(.*)`)

// offers reads the try: lines of an answer, each with the lines below it that
// are indented deeper. A tool's name in front says whose the text is; without
// one it is for the tool that answered.
func (p *probe) offers(a said) []offer {
	var out []offer
	lines := strings.Split(a.Text, "\n")
	for i := 0; i < len(lines); i++ {
		m := tryLine.FindStringSubmatch(lines[i])
		if m == nil {
			continue
		}
		text, depth := strings.Trim(strings.TrimSpace(m[1]), "`"), len(indent(lines[i]))
		for ; i+1 < len(lines) && len(indent(lines[i+1])) > depth && !tryLine.MatchString(lines[i+1]); i++ {
			text += "\n" + strings.TrimSpace(lines[i+1])
		}
		o := offer{a.which, text}
		tool, rest, _ := strings.Cut(text, " ")
		if which := slices.Index(p.s.names[:], tool); which >= 0 {
			o = offer{which, strings.TrimSpace(rest)}
		}
		out = append(out, o)
	}
	return out
}

// ops lists the operations that an answer offers.
func (p *probe) ops(a said) []string {
	var out []string
	for _, o := range p.offers(a) {
		if o.which == edit {
			out = append(out, o.text)
		}
	}
	return out
}

// marked reports whether a line of a reply begins with one of these prefixes.
func marked(text, prefixes string) bool {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return slices.ContainsFunc(lines, func(l string) bool { return l != "" && strings.ContainsRune(prefixes, rune(l[0])) })
}

// words splits a text at what is no part of a word, a selector or a parameter.
func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'`,;()[]|", r) })
}
