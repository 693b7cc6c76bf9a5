package card

import "strings"

// entry is a key of the front matter with its lines. Offsets are in the whole text.
type entry struct {
	key     string
	from    int // start of its first line
	to      int // end of its last line that is neither blank nor a comment
	indent  int // of the key
	content int // after the colon
}

// span is a part of the text.
type span struct{ from, to int }

// entries finds the keys of a mapping in block style by their lines. at is the offset of the YAML in the text. For a mapping in
// another style the keys differ from the parser's, so that the caller can detect it.
func entries(yaml string, at int) (out []entry) {
	indent := -1
	for line := range strings.Lines(yaml) {
		from := at
		at += len(line)
		text := strings.TrimRight(line, "\r\n")
		bare := strings.TrimLeft(text, " ")
		if strings.Trim(bare, " \t") == "" || strings.HasPrefix(bare, "#") && (len(out) == 0 || len(text)-len(bare) <= indent) {
			continue
		}
		depth := len(text) - len(bare)
		if indent < 0 {
			indent = depth
		}
		begins := depth == indent && !strings.HasPrefix(bare, "- ") && bare != "-" && !strings.ContainsRune("]},", rune(bare[0]))
		if begins {
			key, behind, ok := keyOf(bare)
			if !ok {
				return nil
			}
			out = append(out, entry{key: key, from: from, indent: depth, content: from + depth + behind})
		}
		if len(out) > 0 {
			out[len(out)-1].to = from + len(text)
		}
	}
	return out
}

// keyOf reads the key at the start of a line. behind is the offset after its colon.
func keyOf(line string) (key string, behind int, ok bool) {
	if line[0] == '"' || line[0] == '\'' {
		n := quotedEnd(line)
		if n < 0 {
			return "", 0, false
		}
		rest := strings.TrimLeft(line[n:], " ")
		if !strings.HasPrefix(rest, ":") {
			return "", 0, false
		}
		pairs, err := parseYAML(line[:n] + ": x\n")
		if err != nil || len(pairs) != 1 {
			return "", 0, false
		}
		return pairs[0].key, len(line) - len(rest) + 1, true
	}
	for i := 0; i < len(line); i++ {
		if line[i] == ':' && (i+1 == len(line) || line[i+1] == ' ' || line[i+1] == '\t') {
			return strings.TrimRight(line[:i], " \t"), i + 1, true
		}
	}
	return "", 0, false
}

// quotedEnd returns the offset after the quoted text at the start of s, -1 if there is none.
func quotedEnd(s string) int {
	q := s[0]
	for i := 1; i < len(s); i++ {
		switch {
		case q == '"' && s[i] == '\\':
			i++
		case s[i] == q && q == '\'' && i+1 < len(s) && s[i+1] == '\'':
			i++
		case s[i] == q:
			return i + 1
		}
	}
	return -1
}

// form is the notation of a value.
type form int

const (
	absent form = iota // nothing after the colon
	inline             // plain, quoted or an alias
	block              // | or >, and lines
	flow               // [ ] or { }
	lines              // a sequence or mapping on the lines below
)

// valueSpan is the notation of an entry's value and its place. Properties, that is an anchor or a tag, come before it.
type valueSpan struct {
	form form
	head span // the value, or its part on the key's line; may be empty
	tail span // its lines below, from the line break on; may be empty
	tag  span // a tag and the blanks after it
}

// findValue finds an entry's value. ok is false if its notation is not supported.
func (c *Card) findValue(e entry) (w valueSpan, ok bool) {
	text := c.Text[:e.to]
	at := blanks(text, e.content)
	for at < e.to && (text[at] == '&' || text[at] == '!') {
		end := at
		for end < e.to && !strings.ContainsRune(" \t\r\n", rune(text[end])) {
			end++
		}
		next := blanks(text, end)
		if text[at] == '!' {
			w.tag = span{at, next}
		}
		at = next
	}
	line := strings.IndexAny(text[at:], "\r\n")
	if line < 0 {
		line = e.to
	} else {
		line += at
	}
	w.tail = span{line, e.to}
	comment := at < line && text[at] == '#' && at > e.content
	if at == line || comment {
		behind := e.content + len(strings.TrimRight(text[e.content:at], " \t")) // end of the colon or of an anchor
		if w.head = (span{behind, behind}); line < e.to {
			w.form = lines
		} else {
			w.tail = span{}
		}
		return w, true
	}
	switch text[at] {
	case '|', '>':
		end := at
		for end < line && !strings.ContainsRune(" \t", rune(text[end])) {
			end++
		}
		w.form, w.head = block, span{at, end}
		return w, true
	case '[', '{':
		end := flowEnd(text, at)
		if end < 0 {
			return w, false
		}
		w.form, w.head, w.tail = flow, span{at, end}, span{}
		return w, true
	case '"', '\'':
		n := quotedEnd(text[at:])
		if n < 0 {
			return w, false
		}
		w.form, w.head, w.tail = inline, span{at, at + n}, span{}
		return w, true
	}
	end := plainEnd(text, at, line)
	w.form, w.head = inline, span{at, end}
	if rest := strings.TrimLeft(text[end:line], " \t"); rest != "" { // a comment ends a plain text
		w.tail = span{}
	}
	return w, true
}

func blanks(s string, at int) int {
	for at < len(s) && (s[at] == ' ' || s[at] == '\t') {
		at++
	}
	return at
}

// plainEnd returns the end of a plain text on one line, before blanks and comments.
func plainEnd(s string, from, line int) int {
	end := from
	for i := from; i < line; i++ {
		if s[i] == ' ' || s[i] == '\t' {
			continue
		}
		if s[i] == '#' && i > from && (s[i-1] == ' ' || s[i-1] == '\t') {
			break
		}
		end = i + 1
	}
	return end
}

// flowEnd returns the offset after the bracket that closes the list or mapping at an offset, -1 if there is none.
func flowEnd(s string, at int) int {
	depth := 0
	for i := at; i < len(s); i++ {
		switch s[i] {
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		case '#':
			if i > 0 && strings.ContainsRune(" \t\n", rune(s[i-1])) {
				n := strings.IndexByte(s[i:], '\n')
				if n < 0 {
					return -1
				}
				i += n
			}
		case '"', '\'':
			if before := strings.TrimRight(s[at:i], " \t\r\n"); strings.HasSuffix(before, "[") || strings.HasSuffix(before, "{") || strings.HasSuffix(before, ",") || strings.HasSuffix(before, ":") {
				n := quotedEnd(s[i:])
				if n < 0 {
					return -1
				}
				i += n - 1
			}
		}
	}
	return -1
}
