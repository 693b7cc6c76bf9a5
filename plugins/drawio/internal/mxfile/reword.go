package mxfile

import (
	"slices"
	"strings"
)

// Reworded returns the stored label of c with another text, in the format that all of the old text has in common. It reports whether the
// label loses formats that only parts of it had. A label that shows properties keeps them, if the text is its name.
func (c *Cell) Reworded(text string) (string, bool) {
	if text == "" {
		return "", false
	}
	if name := c.Name(); name != "" && len(c.Shown()) > 0 { // the properties that the label shows besides its name stay
		if value, n := replaceInLabel(c, name, text); n == 1 {
			return value, false
		}
	}
	if !c.HTML() {
		return text, false
	}
	return reword(c.Value, text)
}

// reword is Reworded for an HTML label.
func reword(old, text string) (string, bool) {
	value := LabelValue(text, true)
	common, rest := formats(old)
	for _, tag := range slices.Backward(common) {
		value = tag + value + "</" + tagName(tag) + ">"
	}
	return value, rest
}

// formats returns the tags around all of a label's text, outermost first, and whether it has other tags than these and line ends.
func formats(value string) (common []string, rest bool) {
	type tag struct {
		text string
		at   int // in the label, which distinguishes equal ones
	}
	var open, around []tag
	texts, tags := 0, 0
	for at := 0; at < len(value); {
		name, end := tagName(value[at:]), strings.IndexByte(value[at:], '>')+1
		if value[at] != '<' || name == "" || end == 0 {
			end = strings.IndexByte(value[at+1:], '<') + 1
			if end == 0 {
				end = len(value) - at
			}
			if PlainText(value[at:at+end], true) != "" {
				if texts++; texts == 1 {
					around = slices.Clone(open)
				}
				n := 0
				for n < min(len(around), len(open)) && around[n] == open[n] {
					n++
				}
				around = around[:n]
			}
			at += end
			continue
		}
		t := tag{value[at : at+end], at}
		name = strings.ToLower(name)
		at += end
		switch {
		case name[0] == '/':
			if n := len(open); n > 0 && strings.EqualFold(tagName(open[n-1].text), name[1:]) {
				open = open[:n-1]
			}
			continue
		case name == "br" || strings.HasPrefix(t.text, "<!"):
			continue
		case name != "hr" && name != "img" && !strings.HasSuffix(t.text, "/>"):
			open = append(open, t)
		}
		if isFormat(t.text) {
			tags++
		}
	}
	for _, t := range around {
		if common = append(common, t.text); isFormat(t.text) {
			tags--
		}
	}
	return common, tags > 0
}

// isFormat reports whether a tag does more than to start a line: it has attributes, or is none of those that have no looks of their own.
func isFormat(tag string) bool {
	switch strings.ToLower(tag) {
	case "<div>", "<p>", "<span>", "<font>":
		return false
	}
	return true
}
