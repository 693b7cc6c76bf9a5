package css

import (
	"slices"
	"strings"
)

// Rule is one rule of a sheet. Offsets are in bytes of the sheet's text.
type Rule struct {
	Selectors  []Selector
	Body       []Declaration
	Text       string // text of the selectors
	From, To   int    // offsets of the body, without braces
	Start, End int    // offsets of the whole rule
}

// Sheet is the content of style elements.
type Sheet struct {
	Rules   []Rule
	Imports []string // addresses in @import rules; they are never loaded
	Unread  bool     // it has rules with selectors that are not understood

	Keyframes map[string][]string // the properties that each @keyframes changes
}

// Parse reads a sheet.
func Parse(text string) *Sheet {
	s := &Sheet{}
	s.Add(text)
	return s
}

// Add reads more of the sheet. It skips rules with selectors that it cannot read.
func (s *Sheet) Add(text string) { s.rules(text, 0, len(text)) }

func (s *Sheet) rules(text string, at, end int) {
	for at < end {
		at = skip(text, at, end)
		if at >= end {
			return
		}
		if text[at] == '@' {
			at = s.atRule(text, at, end)
			continue
		}
		open := at + IndexOutside(text[at:end], "{")
		if open >= end {
			return
		}
		shut := open + 1 + block(text[open+1:end])
		head := strings.TrimSpace(stripComments(text[at:open]))
		if list, err := ParseSelectors(head); err != nil {
			s.Unread = true
		} else {
			s.Rules = append(s.Rules, Rule{list, Declarations(text[open+1 : shut]), head, open + 1, shut, at, min(shut+1, end)})
		}
		at = shut + 1
	}
}

// skip skips white space, comments and HTML comment delimiters.
func skip(text string, at, end int) int {
	for at < end {
		switch {
		case isSpace(text[at]) || text[at] == ';' || text[at] == '}':
			at++
		case strings.HasPrefix(text[at:end], "/*"):
			at += skipOpaque(text[at:end])
		case strings.HasPrefix(text[at:end], "<!--"):
			at += 4
		case strings.HasPrefix(text[at:end], "-->"):
			at += 3
		default:
			return at
		}
	}
	return at
}

func (s *Sheet) atRule(text string, at, end int) int {
	semicolon, open := at+IndexOutside(text[at:end], ";"), at+IndexOutside(text[at:end], "{")
	if semicolon < open {
		if rest, ok := strings.CutPrefix(text[at:semicolon], "@import"); ok {
			rest = strings.TrimSpace(rest)
			rest = strings.TrimSuffix(strings.TrimPrefix(rest, "url("), ")")
			s.Imports = append(s.Imports, strings.Trim(rest, `"' `))
		}
		return semicolon + 1
	}
	shut := open + 1
	if open < end {
		shut += block(text[open+1 : end])
		head := strings.Fields(text[at:open])
		if strings.HasSuffix(head[0], "keyframes") && len(head) == 2 {
			s.keyframes(head[1], text[open+1:min(shut, end)])
		}
		if head[0] == "@media" && len(head) == 2 && (head[1] == "screen" || head[1] == "all") {
			s.rules(text, open+1, shut)
		}
	}
	return shut + 1
}

// keyframes records the properties that the blocks of @keyframes set.
func (s *Sheet) keyframes(name, text string) {
	if s.Keyframes == nil {
		s.Keyframes = map[string][]string{}
	}
	list := []string{}
	for {
		open := IndexOutside(text, "{")
		if open == len(text) {
			break
		}
		shut := open + 1 + block(text[open+1:])
		for _, d := range Declarations(text[open+1 : shut]) {
			if !slices.Contains(list, d.Name) {
				list = append(list, d.Name)
			}
		}
		text = text[min(shut+1, len(text)):]
	}
	s.Keyframes[strings.Trim(name, `"'`)] = list
}

// block returns the index of the closing brace of a block, or the length of s.
func block(s string) int {
	depth := 0
	for i := IndexOutside(s, "{}"); i < len(s); i += 1 + IndexOutside(s[i+1:], "{}") {
		switch {
		case s[i] == '{':
			depth++
		case depth == 0:
			return i
		default:
			depth--
		}
	}
	return len(s)
}

// Class returns the last rule whose selector consists only of that class.
func (s *Sheet) Class(name string) (Rule, bool) {
	for _, r := range slices.Backward(s.Rules) {
		if r.Text == "."+name {
			return r, true
		}
	}
	return Rule{}, false
}
