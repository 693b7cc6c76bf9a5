package mxfile

import (
	"html"
	"strings"
)

// Replace replaces old by text in the label of c, whose text is t, and in the custom properties that the label shows.
// It returns the number of replacements. Formatting stays: it does not replace occurrences that extend across a tag.
func (t Text) Replace(c *Cell, old, text string) (Text, int) {
	value, n := replaceInLabel(c.Value, c.HTML(), old, text)
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

// replaceInLabel replaces old by text in a stored label.
func replaceInLabel(value string, isHTML bool, old, text string) (string, int) {
	if !isHTML || !strings.ContainsAny(value, "<&") && !strings.ContainsAny(text, "<>&\n") {
		return strings.ReplaceAll(value, old, text), strings.Count(value, old)
	}
	var b strings.Builder
	count := 0
	words := func(s string) {
		plain := strings.ReplaceAll(html.UnescapeString(s), "\u00a0", " ")
		if n := strings.Count(plain, old); n > 0 {
			count += n
			s = LabelValue(strings.ReplaceAll(plain, old, text), true)
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
