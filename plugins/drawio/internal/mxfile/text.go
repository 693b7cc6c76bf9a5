package mxfile

import (
	"html"
	"strings"
)

// PlainText returns the text that draw.io shows for a cell's value. For an HTML label it is the text without tags, with
// the line breaks of the label.
func PlainText(value string, isHTML bool) string {
	if !isHTML || !strings.ContainsAny(value, "<&") {
		return strings.TrimSpace(value)
	}
	var b strings.Builder
	b.Grow(len(value))
	for rest := value; rest != ""; {
		i := strings.IndexByte(rest, '<')
		if i < 0 {
			b.WriteString(rest)
			break
		}
		b.WriteString(rest[:i])
		rest = rest[i:]
		name := tagName(rest)
		end := strings.IndexByte(rest, '>')
		if name == "" || end < 0 { // a "<" that does not start a tag is text
			b.WriteByte('<')
			rest = rest[1:]
			continue
		}
		rest = rest[end+1:]
		switch strings.ToLower(name) {
		case "br", "hr", "div", "/div", "p", "/p", "/h1", "/h2", "/h3", "/h4", "/li", "/tr":
			b.WriteByte('\n')
		case "style", "script":
			if i := strings.Index(strings.ToLower(rest), "</"+strings.ToLower(name)); i >= 0 {
				rest = rest[i:]
			}
		}
	}
	text := strings.ReplaceAll(html.UnescapeString(b.String()), "\u00a0", " ")
	lines := strings.Split(text, "\n")
	kept := lines[:0]
	for _, l := range lines {
		if l = strings.TrimSpace(l); l != "" {
			kept = append(kept, l)
		}
	}
	return strings.Join(kept, "\n")
}

// tagName returns the name of the tag or comment at the start of s, "" for text.
func tagName(s string) string {
	i := 1
	if i < len(s) && (s[i] == '/' || s[i] == '!') {
		i++
	}
	from := i
	for i < len(s) && (s[i] >= 'a' && s[i] <= 'z' || s[i] >= 'A' && s[i] <= 'Z' || i > from && s[i] >= '0' && s[i] <= '9') {
		i++
	}
	if i == from {
		if strings.HasPrefix(s, "<!--") {
			return "!"
		}
		return ""
	}
	return s[1:i]
}

// LabelValue encodes plain text so that draw.io shows exactly that text.
func LabelValue(text string, isHTML bool) string {
	if !isHTML || !strings.ContainsAny(text, "&<>\r\n") {
		return text
	}
	return htmlText.Replace(text)
}

// htmlText escapes text for HTML. It is never written to.
var htmlText = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\r\n", "<br>", "\n", "<br>")
