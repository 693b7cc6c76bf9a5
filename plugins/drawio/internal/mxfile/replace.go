package mxfile

import (
	"html"
	"strings"
)

// Replace replaces old by text in the label of c, whose text is t, and in the custom properties that the label shows.
// It returns the number of replacements. Formatting stays: it does not replace occurrences that extend across a tag. So do the %names%
// of properties in the label of a cell that has placeholders.
func (t Text) Replace(c *Cell, old, text string) (Text, int) {
	value, n := replaceInLabel(c, old, text)
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

// replaceInLabel replaces old by text in the stored label of c, and keeps every other byte of it.
func replaceInLabel(c *Cell, old, text string) (string, int) {
	if !c.HTML() {
		at := occurrences(c.Value, old, c.data != nil)
		return replaceAt(c.Value, at, text), len(at)
	}
	var b strings.Builder
	count := 0
	for rest := c.Value; rest != ""; {
		end := 0
		for end < len(rest) && (rest[end] != '<' || tagName(rest[end:]) == "" || strings.IndexByte(rest[end:], '>') < 0) {
			end++
		}
		plain, stored := decoded(rest[:end])
		var at [][2]int
		for _, o := range occurrences(plain, old, c.data != nil) {
			if from, to := stored[o[0]], stored[o[1]]; from >= 0 && to >= 0 {
				at = append(at, [2]int{from, to})
			}
		}
		b.WriteString(replaceAt(rest[:end], at, LabelValue(text, true)))
		count += len(at)
		rest = rest[end:]
		end = strings.IndexByte(rest, '>') + 1
		b.WriteString(rest[:end])
		rest = rest[end:]
	}
	return b.String(), count
}

// occurrences returns where old is in a text, except, if the text has any, in the %names% of properties.
func occurrences(s, old string, hasNames bool) (at [][2]int) {
	from := 0
	find := func(to int) {
		for i := strings.Index(s[from:to], old); i >= 0; i = strings.Index(s[from:to], old) {
			at = append(at, [2]int{from + i, from + i + len(old)})
			from += i + len(old)
		}
	}
	for i := 0; hasNames && i < len(s); i++ {
		if s[i] != '%' {
			continue
		}
		n := strings.IndexByte(s[i+1:], '%')
		if n > 0 && (isPropertyName(s[i+1:i+1+n]) || strings.HasPrefix(s[i+1:], "date{") && s[i+n] == '}') {
			find(i)
			from = i + n + 2
			i = from - 1
		}
	}
	find(len(s))
	return at
}

// replaceAt replaces parts of a text.
func replaceAt(s string, at [][2]int, text string) string {
	var b strings.Builder
	from := 0
	for _, part := range at {
		b.WriteString(s[from:part[0]])
		b.WriteString(text)
		from = part[1]
	}
	b.WriteString(s[from:])
	return b.String()
}

// longestEntity is the length of the longest entity of HTML.
const longestEntity = len("&CounterClockwiseContourIntegral;")

// decoded returns a piece of an HTML label without tags as it is shown, and for each index of that where it is in the label, -1 within an
// entity.
func decoded(s string) (string, []int) {
	var b strings.Builder
	var at []int
	for i := 0; i < len(s); {
		shown, n := s[i:i+1], 1
		if end := strings.IndexByte(s[i:], ';') + 1; s[i] == '&' && end > 0 && end <= longestEntity {
			if text := html.UnescapeString(s[i : i+end]); text != s[i:i+end] {
				shown, n = strings.ReplaceAll(text, "\u00a0", " "), end
			}
		} else if strings.HasPrefix(s[i:], "\u00a0") {
			shown, n = " ", len("\u00a0")
		}
		at = append(at, i)
		for range len(shown) - 1 {
			at = append(at, -1)
		}
		b.WriteString(shown)
		i += n
	}
	return b.String(), append(at, len(s))
}
