// Package css reads and edits the CSS of an SVG: style attributes, style elements and
// selectors.
//
// # Notes
//
// At-rules are kept but not applied, except the content of @media screen and all. An
// edit of a declaration keeps the text around it.
package css

import (
	"slices"
	"strings"
)

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
		end := at + IndexOutside(text[at:], ";")
		next := min(end+1, len(text))
		colon := IndexOutside(text[at:end], ":")
		if at+colon == end {
			at = next
			continue
		}
		name := strings.TrimSpace(stripComments(text[at : at+colon]))
		to := at + colon + 1 + len(strings.TrimRight(text[at+colon+1:end], white))
		from := to - len(strings.TrimLeft(text[at+colon+1:to], white))
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
	for _, d := range slices.Backward(Declarations(text)) {
		if d.Name == name {
			return d.Value, true
		}
	}
	return "", false
}

// Set gives a property a value in a list: in place, or at the end, formatted like the
// rest of the list.
func Set(text, name, value string) string {
	list := Declarations(text)
	for _, d := range slices.Backward(list) {
		if d.Name == name {
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
	fresh := ";" + gap + name + colon + value
	if before, after, ended := strings.Cut(text[last.valueTo:], ";"); ended {
		return text[:last.valueTo] + before + fresh + ";" + after
	}
	return text[:last.valueTo] + fresh + text[last.valueTo:]
}

// Drop removes a property from a list.
func Drop(text, name string) string {
	for {
		list := Declarations(text)
		i := slices.IndexFunc(list, func(d Declaration) bool { return d.Name == name })
		if i < 0 {
			return text
		}
		switch d := list[i]; {
		case d.from == 0:
			text = strings.TrimLeft(text[d.to:], " \t\r\n")
		case d.to == len(text):
			text = strings.TrimRight(text[:d.from], " \t\r\n;")
		default:
			text = text[:d.from] + text[d.to:]
		}
	}
}

// IndexOutside returns the index of the first of some characters outside of quotes, brackets and comments, or the
// length of s.
func IndexOutside(s, chars string) int {
	depth := 0
	for i := 0; i < len(s); {
		switch b := s[i]; {
		case opaque(s[i:]):
			i += skipOpaque(s[i:])
			continue
		case depth == 0 && strings.IndexByte(chars, b) >= 0:
			return i
		case b == '(' || b == '[':
			depth++
		case b == ')' || b == ']':
			depth = max(0, depth-1)
		}
		i++
	}
	return len(s)
}

// Function cuts a call from the start of a value: name(arg), and what follows it. ok is false if there is none.
func Function(value string) (name, arg, rest string, ok bool) {
	name, arg, _ = strings.Cut(value, "(")
	end := IndexOutside(arg, ")")
	if end == len(arg) {
		return "", "", value, false
	}
	return strings.TrimSpace(name), strings.TrimSpace(arg[:end]), strings.TrimSpace(arg[end+1:]), true
}

// Reference returns the id in url(#id), or "".
func Reference(v string) string {
	inside, ok := strings.CutPrefix(strings.TrimSpace(v), "url(")
	inside, _, closed := strings.Cut(inside, ")")
	id, local := strings.CutPrefix(strings.Trim(strings.TrimSpace(inside), `"'`), "#")
	if !ok || !closed || !local {
		return ""
	}
	return id
}

// stripComments removes comments, also one that does not end.
func stripComments(s string) string {
	for {
		i := strings.Index(s, "/*")
		if i < 0 {
			return s
		}
		s = s[:i] + s[i+skipOpaque(s[i:]):]
	}
}

const white = " \t\n\r\f"

func isSpace(c byte) bool { return strings.IndexByte(white, c) >= 0 }
