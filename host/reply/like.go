package reply

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Lines that differ only in names, numbers and places have the same form. A form is found from the lines themselves, so that this works for
// any domain: a word that occurs in few lines is a name.

// wordAt returns the first word of a line that does not start with a blank, in quotes or up to a blank or up to a bracket behind a name, as
// in "Orders(svc)".
func wordAt(line string) string {
	if line[0] == '"' {
		for i := 1; i < len(line); i++ {
			switch line[i] {
			case '\\':
				i++
			case '"':
				return line[:i+1]
			}
		}
	}
	for i := 1; i < len(line); i++ {
		switch {
		case line[i] == ' ':
			return line[:i]
		case line[i] == '(' && isName(line[i-1]) && i+1 < len(line) && isName(line[i+1]):
			return line[:i]
		}
	}
	return line
}

func isName(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}

// words calls each with the words of a line, in order.
func words(line string, each func(word string)) {
	for {
		line = strings.TrimLeft(line, " ")
		if line == "" {
			return
		}
		word := wordAt(line)
		each(word)
		line = line[len(word):]
	}
}

// Wild stands in a form for names and numbers; wildQuoted for quoted text.
const (
	wild       = "*"
	wildQuoted = `"`
)

// generic returns a word without what is certainly no part of a form: quoted text, and numbers but for those of colours (#0a0).
func generic(word string) string {
	if word[0] == '"' {
		return wildQuoted
	}
	key, value, isParam := strings.Cut(word, ":")
	if !isParam || !isLetters(key) {
		key, value = "", word
	} else {
		key += ":"
	}
	if strings.HasPrefix(value, "#") || !strings.ContainsFunc(value, unicode.IsDigit) {
		return word
	}
	return key + wild
}

// isNamed reports whether a word with a digit is rather a name, such as N1->N2, than a number.
func isNamed(word string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(word, "(["))
	return unicode.IsLetter(first)
}

func isLetters(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' })
}

// fewLines is how many lines of an answer may contain a name for it to be taken for one.
const fewLines = 2

// wordsOfName is how many words a line without any that others have may consist of for it to be taken for a name.
const wordsOfName = 3

// forms knows the words of an answer.
type forms map[string]int

// add counts the words of a line.
func (f forms) add(line string) {
	words(line, func(w string) {
		if w = generic(w); w != wild {
			f[w]++
		}
	})
}

// of returns the form of a line, and how it starts: with words that are no names, then with a name; either may be "". A name goes up to
// the place in the line, @(…), or else ends with its last word that is no part of the form. If the form is strict, only the first name of
// the line may differ, besides numbers and quoted text: what a line says further on, such as that a value was clamped or what went with an
// element, is part of it.
func (f forms) of(line string, strict bool) (form, lead, name string) {
	var b strings.Builder
	count, common := 0, false
	last, more, naming := "", "", false // more: words after the name that belong to it if a place follows
	words(line, func(w string) {
		g := generic(w)
		if strict && name != "" && (!naming || more != "") && g == wild && isNamed(w) {
			g = w
		}
		if f[g] <= fewLines && g != wildQuoted && (name == "" || naming && more == "" || !strict) {
			g = wild
		}
		fixed := g != wild && g != wildQuoted
		count, common = count+1, common || fixed
		switch {
		case strings.HasPrefix(w, "@"):
			if naming {
				name += more
			}
			naming = false
		case name == "" && fixed:
			lead += w + " "
		case name == "":
			name, naming = w, true
		case naming && g == wild && more == "":
			name += " " + w
		case naming && fixed && !strings.ContainsAny(w, ":("):
			more += " " + w
		default:
			naming = false
		}
		if g != wild || last != wild {
			b.WriteString(g)
			b.WriteByte(' ')
		}
		last = g
	})
	if !common && count > wordsOfName { // a sentence of its own, not a name
		return line, lead, name
	}
	return b.String(), lead, name
}

// placeIn returns the place in a line, @(X,Y WxH), in about three digits each and with a blank before it, or "".
func placeIn(line string) string {
	from := strings.Index(line, " @(")
	to := strings.IndexByte(line[max(0, from):], ')')
	if from < 0 || to < 0 {
		return ""
	}
	var b strings.Builder
	digits, behindPoint := 0, false
	for _, c := range line[from : from+to+1] {
		switch {
		case c == '.':
			if behindPoint = true; digits < 3 {
				b.WriteRune(c)
			}
			continue
		case c < '0' || c > '9':
			digits, behindPoint = -1, false
		}
		if digits++; digits <= 3 || !behindPoint {
			b.WriteRune(c)
		}
	}
	return b.String()
}

// list lists names with at most that many characters and how many it leaves out. Consecutive numbers are joined: "node2…node9".
func list(names []string, room int) (text string, left int) {
	var b strings.Builder
	for i := 0; i < len(names); {
		n := run(names[i:])
		item := names[i]
		if n > 2 {
			item += "…" + names[i+n-1]
		} else {
			n = 1
		}
		if b.Len() > 0 {
			item = ", " + item
		}
		if b.Len()+len(item) > room {
			return b.String(), len(names) - i
		}
		b.WriteString(item)
		i += n
	}
	return b.String(), 0
}

// run returns how many names at the beginning of the list differ only in a number at their end that grows by one.
func run(names []string) int {
	stem := strings.TrimRight(names[0], "0123456789")
	digits := names[0][len(stem):]
	first, err := strconv.Atoi(digits)
	width := 0 // of numbers with zeros in front
	if strings.HasPrefix(digits, "0") {
		width = len(digits)
	}
	n := 1
	for err == nil && n < len(names) && names[n] == fmt.Sprintf("%s%0*d", stem, width, first+n) {
		n++
	}
	return n
}
