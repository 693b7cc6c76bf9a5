package css

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Edit replaces a span of a text, in bytes.
type Edit struct {
	From, To int
	Text     string
}

// Edited returns a text with edits, which are in order and do not overlap.
func Edited(text string, edits []Edit) string {
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(text[at:e.From] + e.Text)
		at = e.To
	}
	return b.String() + text[at:]
}

// WithIDs replaces the ids in the selectors and url() references of a sheet. Everything else, such as colours, keeps
// its bytes.
func WithIDs(text string, to func(id string) string) string { return Edited(text, Renamed(text, to)) }

// Renamed returns the edits of WithIDs.
func Renamed(text string, to func(id string) string) (edits []Edit) {
	scan(text, func(from, end int) {
		for _, r := range idsOf(text[from:end]) {
			if id := to(r.id); id != r.id {
				edits = append(edits, Edit{from + r.from, from + r.to, r.written(id)})
			}
		}
	}, func(from, end int) {
		if id := to(text[from:end]); id != text[from:end] {
			edits = append(edits, Edit{from, end, id})
		}
	})
	return edits
}

// Extended returns the edits after which the rules for some ids also hold for copies of their elements, which have
// other ids: each of copies maps ids to those of one copy.
func Extended(text string, copies []map[string]string) (edits []Edit) {
	scan(text, func(from, end int) {
		for at := from; at < end; {
			to := at + IndexOutside(text[at:end], ",")
			old := strings.TrimRight(text[at:to], " \t\r\n\f")
			for _, e := range extended(old, copies) {
				edits = append(edits, Edit{at + e.From, at + e.To, e.Text})
			}
			at = to + 1
		}
	}, func(int, int) {})
	return edits
}

// extended returns the edits that add to a selector those that hold for copies of its elements. What it excludes by
// :not(#id) is excluded with its copies.
func extended(selector string, copies []map[string]string) []Edit {
	replaced := func(text string, ids map[string]string, refs []idRef) string {
		var edits []Edit
		for _, r := range refs {
			if id, ok := ids[r.id]; ok {
				edits = append(edits, Edit{r.from, r.to, r.written(id)})
			}
		}
		return Edited(text, edits)
	}
	var edits []Edit
	for _, r := range idsOf(selector) {
		for _, ids := range copies {
			if not := selector[r.notFrom:r.notTo]; not != "" && ids[r.id] != "" {
				edits = append(edits, Edit{r.notTo, r.notTo, replaced(not, ids, idsOf(not))})
			}
		}
	}
	end, more := len(selector), ""
	selector = Edited(selector, edits)
	positive := slices.DeleteFunc(idsOf(selector), func(r idRef) bool { return r.notTo > 0 })
	for _, ids := range copies {
		if fresh := replaced(selector, ids, positive); fresh != selector {
			more += ", " + strings.TrimSpace(fresh)
		}
	}
	if more != "" {
		edits = append(edits, Edit{end, end, more})
	}
	return edits
}

// scan calls selectors for the text before each block other than that of an at-rule, and reference for each id in a
// url() within a block.
func scan(text string, selectors, reference func(from, to int)) {
	head, depth := 0, 0
	prelude := func(to int) {
		if !strings.HasPrefix(strings.TrimSpace(stripComments(text[head:to])), "@") {
			selectors(head, to)
		}
	}
	var links [][2]int // since head
	settle := func(to int) {
		for _, l := range links {
			reference(l[0], l[1])
		}
		head, links = to, nil
	}
	for i := 0; i < len(text); {
		rest := text[i:]
		switch c := rest[0]; {
		case opaque(rest):
			i += skipOpaque(rest)
			continue
		case c == '{':
			prelude(i)
			links = nil
			depth++
			settle(i + 1)
		case c == '}' || c == ';':
			if settle(i + 1); c == '}' {
				depth = max(0, depth-1)
			}
		case depth > 0 && strings.HasPrefix(rest, "url("):
			end := strings.IndexByte(rest, ')')
			if end < 0 {
				end = len(rest)
			}
			at := 4 + len(rest[4:end]) - len(strings.TrimLeft(rest[4:end], " \"'"))
			if strings.HasPrefix(rest[at:end], "#") {
				links = append(links, [2]int{i + at + 1, i + at + len(strings.TrimRight(rest[at:end], " \"'"))})
			}
			i += end
			continue
		}
		i++
	}
	if depth == 0 {
		prelude(len(text))
	}
	settle(len(text))
}

// idRef is an id in a selector: #id, or the value of [id=…], which may be quoted.
type idRef struct {
	from, to       int
	id             string
	quote          byte
	notFrom, notTo int // of the :not() that it is in
}

// written returns another id as written in place of this one.
func (r idRef) written(id string) string {
	if r.quote == 0 {
		return Ident(id)
	}
	return strings.NewReplacer(`\`, `\\`, string(r.quote), `\`+string(r.quote)).Replace(id)
}

// idsOf lists the ids in selectors.
func idsOf(s string) (out []idRef) {
	var open []int // where the parentheses around begin, -1 if not of :not()
	outermost := func() int { return slices.IndexFunc(open, func(at int) bool { return at >= 0 }) }
	ended := func(at int) { // a :not() has ended
		for i := range out {
			if out[i].notFrom >= 0 && out[i].notTo == 0 {
				out[i].notTo = at
			}
		}
	}
	add := func(r idRef) {
		if i := outermost(); i >= 0 {
			r.notFrom = open[i]
		} else {
			r.notFrom = -1
		}
		out = append(out, r)
	}
	for i := 0; i < len(s); {
		rest := s[i:]
		switch c := rest[0]; {
		case opaque(rest):
			i += skipOpaque(rest)
			continue
		case c == '\\':
			i++
		case c == '#':
			if n, id := ident(rest[1:]); n > 0 {
				add(idRef{from: i + 1, to: i + 1 + n, id: id})
				i += n
			}
		case c == '[':
			end := IndexOutside(rest[1:], "]") + 1
			name, value, ok := strings.Cut(rest[1:end], "=")
			if v := strings.TrimSpace(value); ok && strings.TrimSpace(name) == "id" && v != "" {
				at := i + 1 + len(name) + 1 + strings.Index(value, v)
				switch n, id := ident(v); {
				case n == len(v):
					add(idRef{from: at, to: at + n, id: id})
				case len(v) > 1 && (v[0] == '"' || v[0] == '\'') && skipOpaque(v) == len(v):
					add(idRef{from: at + 1, to: at + len(v) - 1, id: v[1 : len(v)-1], quote: v[0]})
				}
			}
			i += end
		case c == '(':
			at := -1
			if strings.HasSuffix(s[:i], ":not") {
				at = i - len(":not")
			}
			open = append(open, at)
		case c == ')' && len(open) > 0:
			last := open[len(open)-1]
			if open = open[:len(open)-1]; last >= 0 && outermost() < 0 {
				ended(i + 1)
			}
		}
		i++
	}
	for i := range out { // an end that is missing, or no :not() at all
		if out[i].notFrom < 0 || out[i].notTo == 0 {
			out[i].notFrom, out[i].notTo = 0, 0
		}
	}
	return out
}

// ident returns the length of the identifier at the start of a text, and what it says without its escapes.
func ident(s string) (n int, value string) {
	var b strings.Builder
	for n < len(s) {
		if s[n] == '\\' && n+1 < len(s) && s[n+1] != '\n' {
			hex := n + 1
			for hex < len(s) && hex < n+7 && strings.IndexByte("0123456789abcdefABCDEF", s[hex]) >= 0 {
				hex++
			}
			if hex == n+1 {
				_, size := utf8.DecodeRuneInString(s[n+1:])
				b.WriteString(s[n+1 : n+1+size])
				n += 1 + size
				continue
			}
			code, _ := strconv.ParseUint(s[n+1:hex], 16, 32) // of six digits at most
			b.WriteRune(rune(code))
			if n = hex; n < len(s) && isSpace(s[n]) {
				n++
			}
			continue
		}
		k := name(s[n:])
		if k == 0 {
			break
		}
		b.WriteString(s[n : n+k])
		n += k
	}
	return n, b.String()
}

// Ident writes a text as an identifier, with the escapes that it needs.
func Ident(text string) string {
	var b strings.Builder
	for i, c := range text {
		switch plain := name(string(c)) > 0; {
		case !plain && c < 0x20 || c >= '0' && c <= '9' && (i == 0 || i == 1 && text[0] == '-'):
			fmt.Fprintf(&b, `\%x `, c)
		case !plain:
			b.WriteString(`\` + string(c))
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// opaque reports whether a text starts with a comment or a string.
func opaque(s string) bool { return s[0] == '"' || s[0] == '\'' || strings.HasPrefix(s, "/*") }

// skipOpaque returns the length of the comment or string at the start of a text.
func skipOpaque(s string) int {
	if strings.HasPrefix(s, "/*") {
		if end := strings.Index(s[2:], "*/"); end >= 0 {
			return end + 4
		}
		return len(s)
	}
	for i := 1; i < len(s); i++ {
		if s[i] == '\\' {
			i++
		} else if s[i] == s[0] {
			return i + 1
		}
	}
	return len(s)
}

// Mentions reports whether a selector of a sheet names an id.
func Mentions(text, id string) (found bool) {
	scan(text, func(from, to int) {
		found = found || slices.ContainsFunc(idsOf(text[from:to]), func(r idRef) bool { return r.id == id })
	}, func(int, int) {})
	return found
}
