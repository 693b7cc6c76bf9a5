// Package css reads and edits the CSS of an SVG: style attributes, style elements and
// selectors.
//
// # Notes
//
// At-rules are kept but not applied, except the content of @media screen and all. An
// edit of a declaration keeps the text around it.
package css

import "strings"

// Declaration is one property with its value. Offsets are in bytes of the list's text.
type Declaration struct {
	Name, Value string
	Important   bool

	from, to           int // including its semicolon
	valueFrom, valueTo int // of the value, including !important
}

// Declarations reads a list of declarations. It skips text that is not a declaration.
func Declarations(text string) []Declaration {
	var out []Declaration
	for at := 0; at < len(text); {
		end := at + indexOutside(text[at:], ';')
		next := min(end+1, len(text))
		colon := indexOutside(text[at:end], ':')
		if at+colon == end {
			at = next
			continue
		}
		name := strings.TrimSpace(stripComments(text[at : at+colon]))
		from, to := at+colon+1, end
		for from < to && isSpace(text[from]) {
			from++
		}
		for to > from && isSpace(text[to-1]) {
			to--
		}
		value, important := stripComments(text[from:to]), false
		if i := strings.LastIndexByte(value, '!'); i >= 0 && strings.EqualFold(strings.TrimSpace(value[i+1:]), "important") {
			value, important = value[:i], true
		}
		if name != "" {
			if !strings.HasPrefix(name, "--") {
				name = strings.ToLower(name)
			}
			out = append(out, Declaration{name, strings.TrimSpace(value), important, at, next, from, to})
		}
		at = next
	}
	return out
}

// Get returns the value that a list gives a property, and whether it has one. If there
// are several declarations, the last one counts.
func Get(text, name string) (string, bool) {
	list := Declarations(text)
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].Name == name {
			return list[i].Value, true
		}
	}
	return "", false
}

// Set gives a property a value in a list: in place, or at the end, formatted like the
// rest of the list.
func Set(text, name, value string) string {
	list := Declarations(text)
	for i := len(list) - 1; i >= 0; i-- {
		if d := list[i]; d.Name == name {
			if d.Important {
				value += " !important"
			}
			return text[:d.valueFrom] + value + text[d.valueTo:]
		}
	}
	colon, gap := ":", ""
	if len(list) == 0 {
		return strings.TrimRight(text, " \t\r\n") + name + ":" + value
	}
	last := list[len(list)-1]
	if text[last.valueFrom-1] != ':' {
		colon = ": "
	}
	if len(list) > 1 {
		for i := last.from; i < len(text) && isSpace(text[i]); i++ {
			gap += text[i : i+1]
		}
	} else if colon == ": " {
		gap = " "
	}
	head, tail := text[:last.valueTo], text[last.valueTo:]
	if i := strings.IndexByte(tail, ';'); i >= 0 {
		head, tail = head+tail[:i], tail[i+1:]
		return head + ";" + gap + name + colon + value + ";" + tail
	}
	return head + ";" + gap + name + colon + value + tail
}

// Drop removes a property from a list.
func Drop(text, name string) string {
	for {
		list := Declarations(text)
		found := false
		for _, d := range list {
			if d.Name != name {
				continue
			}
			found = true
			rest := text[d.to:]
			if d.from == 0 {
				rest = strings.TrimLeft(rest, " \t\r\n")
			} else if d.to == len(text) {
				text = strings.TrimRight(text[:d.from], " \t\r\n;")
				rest = ""
				d.from = len(text)
			}
			text = text[:d.from] + rest
			break
		}
		if !found {
			return text
		}
	}
}

// indexOutside returns the index of c outside of quotes, brackets and comments, or the
// length of s.
func indexOutside(s string, c byte) int {
	quote, depth := byte(0), 0
	for i := 0; i < len(s); i++ {
		switch b := s[i]; {
		case quote != 0:
			if b == '\\' {
				i++
			} else if b == quote {
				quote = 0
			}
		case strings.HasPrefix(s[i:], "/*"):
			end := strings.Index(s[i+2:], "*/")
			if end < 0 {
				return len(s)
			}
			i += end + 3
		case b == c && depth == 0:
			return i
		case b == '"' || b == '\'':
			quote = b
		case b == '(' || b == '[':
			depth++
		case b == ')' || b == ']':
			depth = max(0, depth-1)
		}
	}
	return len(s)
}

func stripComments(s string) string {
	for {
		i := strings.Index(s, "/*")
		if i < 0 {
			return s
		}
		end := strings.Index(s[i+2:], "*/")
		if end < 0 {
			return s[:i]
		}
		s = s[:i] + s[i+2+end+2:]
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' }
