package mxfile

import (
	"html"
	"strings"
)

// Replace replaces old by text in the label of c, whose text is t, and in the custom properties that the label shows.
// It returns the number of replacements. Formatting stays: it does not replace occurrences that extend across a tag. So do the %names%
// of properties in the label of a cell that has placeholders.
func (t Text) Replace(c *Cell, old, text string) (Text, int) {
	replace := replaceAll
	if c.data != nil {
		replace = replaceAroundNames
	}
	value, n := replaceInLabel(c.Value, c.HTML(), old, text, replace)
	if n > 0 {
		t = t.WithValue(value)
	}
	for _, name := range c.Shown() {
		v, _ := c.own(name)
		if k := strings.Count(v, old); k > 0 {
			t, n = t.WithData(name, strings.ReplaceAll(v, old, text)), n+k
		}
	}
	return t, n
}

// replaceAroundNames is replaceAll but for the %names% of properties.
func replaceAroundNames(s, old, text string) (string, int) {
	var b strings.Builder
	count := 0
	put := func(part string) {
		part, n := replaceAll(part, old, text)
		b.WriteString(part)
		count += n
	}
	from := 0
	for at := 0; at < len(s); at++ {
		if s[at] != '%' {
			continue
		}
		n := strings.IndexByte(s[at+1:], '%')
		if n > 0 && (isPropertyName(s[at+1:at+1+n]) || strings.HasPrefix(s[at+1:], "date{") && s[at+n] == '}') {
			put(s[from:at])
			from = at + n + 2
			b.WriteString(s[at:from])
			at = from - 1
		}
	}
	put(s[from:])
	return b.String(), count
}

func replaceAll(s, old, text string) (string, int) {
	return strings.ReplaceAll(s, old, text), strings.Count(s, old)
}

// replaceInLabel replaces old by text in a stored label.
func replaceInLabel(value string, isHTML bool, old, text string, replace func(s, old, text string) (string, int)) (string, int) {
	if !isHTML || !strings.ContainsAny(value, "<&") && !strings.ContainsAny(text, "<>&\n") {
		return replace(value, old, text)
	}
	var b strings.Builder
	count := 0
	words := func(s string) {
		plain := strings.ReplaceAll(html.UnescapeString(s), "\u00a0", " ")
		if out, n := replace(plain, old, text); n > 0 {
			count += n
			s = LabelValue(out, true)
		}
		b.WriteString(s)
	}
	for rest := value; rest != ""; {
		at := 0
		for at < len(rest) && (rest[at] != '<' || tagName(rest[at:]) == "" || strings.IndexByte(rest[at:], '>') < 0) {
			at++
		}
		words(rest[:at])
		rest = rest[at:]
		end := strings.IndexByte(rest, '>') + 1
		b.WriteString(rest[:end])
		rest = rest[end:]
	}
	return b.String(), count
}
