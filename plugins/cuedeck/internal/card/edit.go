package card

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/splice"
)

// Fields are the contents of a new card. Empty ones are left out, except the lists of tags and dependencies.
type Fields struct {
	Title, Status, Priority, Assignee string
	Tags, DependsOn                   []string
	Created                           string // RFC 3339
	Text                              string // Markdown below the title
}

// New returns the text of a new card file.
func New(f Fields) string {
	var b strings.Builder
	line := func(key, value string) { b.WriteString(key + ": " + value + "\n") }
	b.WriteString("---\n")
	line("title", Quote(f.Title))
	line("status", Quote(f.Status))
	line("priority", Quote(f.Priority))
	if f.Assignee != "" {
		line("assignee", Quote(f.Assignee))
	}
	line("tags", list(f.Tags))
	line("depends_on", list(f.DependsOn))
	line("created", f.Created)
	line("updated", f.Created)
	b.WriteString("---\n\n# " + f.Title + "\n")
	if text := strings.Trim(f.Text, "\n"); text != "" {
		b.WriteString("\n" + text + "\n")
	}
	return b.String()
}

// Set sets a key of the front matter to a text. An empty text removes the value.
func (c *Card) Set(key, text string) (*Card, error) {
	written := Quote(text)
	if key == "created" || key == "updated" {
		written = text // times need no quotes
	}
	if text == "" {
		written = ""
	}
	i, err := c.find(key)
	if err != nil {
		return nil, err
	}
	if i < 0 {
		if text == "" {
			return c, nil
		}
		return c.addLine(key, written)
	}
	s, err := c.replaceValue(c.entries[i], written)
	if err != nil {
		return nil, err
	}
	return c.apply(s, key, func(v value) bool { return v.text == text })
}

// SetList sets a key of the front matter to a list. Items that stay keep their place and notation.
func (c *Card) SetList(key string, want []string) (*Card, error) { return c.setList(key, want, false) }

// EditList is SetList for a list to which only some words were added or removed: items that are not text, such as null, stay.
func (c *Card) EditList(key string, want []string) (*Card, error) { return c.setList(key, want, true) }

func (c *Card) setList(key string, want []string, others bool) (*Card, error) {
	i, err := c.find(key)
	if err != nil {
		return nil, err
	}
	same := func(v value) bool {
		has := v.words()
		return len(has) == len(want) && !slices.ContainsFunc(want, func(w string) bool { return !slices.Contains(has, w) })
	}
	if i < 0 {
		if len(want) == 0 {
			return c, nil
		}
		return c.addLine(key, list(want))
	}
	if same(c.pairs[i].value) {
		return c, nil
	}
	if s, ok := c.editItems(c.entries[i], c.pairs[i].value, want, others); ok {
		if out, err := c.apply(s, key, same); err == nil {
			return out, nil
		}
	}
	if others && slices.Contains(c.pairs[i].value.list, "") {
		return nil, fmt.Errorf("its %s contains something that is not a word, and cannot be changed without losing that: change it by hand", key)
	}
	s, err := c.replaceValue(c.entries[i], list(want))
	if err != nil {
		return nil, err
	}
	return c.apply(s, key, same)
}

// find returns the index of a key, -1 if it is missing. It fails if the front matter cannot be edited.
func (c *Card) find(key string) (int, error) {
	if c.uneditable {
		return 0, fmt.Errorf("its front matter is written in a way that cannot be edited key by key: put each KEY: VALUE on a line of its own")
	}
	i := slices.IndexFunc(c.pairs, func(p pair) bool { return p.key == key })
	if i >= 0 {
		if name := c.aliasedAnchor(c.entries[i]); name != "" {
			return 0, fmt.Errorf("its %s has the anchor &%s, and *%s, which repeats it, would change with it: change it by hand", key, name, name)
		}
	}
	return i, nil
}

var anchor = regexp.MustCompile(`[\s\[{,:]&([^\s,\[\]{}]+)`)

// aliasedAnchor returns the name of an anchor within an entry that is used outside of it, "" if there is none.
func (c *Card) aliasedAnchor(e entry) string {
	outside := c.Text[c.top:e.from] + c.Text[e.to:c.end]
	for _, m := range anchor.FindAllStringSubmatch(c.Text[e.from:e.to], -1) {
		if regexp.MustCompile(`\*` + regexp.QuoteMeta(m[1]) + `(?:[\s,\[\]{}]|$)`).MatchString(outside) {
			return m[1]
		}
	}
	return ""
}

// addLine adds a line to the end of the front matter, and the front matter if there is none.
func (c *Card) addLine(key, written string) (*Card, error) {
	at, text := c.end, key+": "+written+c.newline
	switch {
	case !c.Front:
		at, text = c.top, "---"+c.newline+text+"---"+c.newline
		if rest := c.Text[c.top:]; rest != "" && rest[0] != '\n' && rest[0] != '\r' {
			text += c.newline
		}
	case len(c.entries) > 0:
		text = strings.Repeat(" ", c.entries[0].indent) + text
	}
	return c.apply(splice.All{{At: at, New: text}}, key, nil)
}

// replaceValue gives an entry a one-line value, "" for none.
func (c *Card) replaceValue(e entry, text string) (splice.All, error) {
	w, ok := c.findValue(e)
	if !ok {
		return nil, fmt.Errorf("the notation of its %s is not supported: change it by hand", e.key)
	}
	if w.head.from == w.head.to && text != "" {
		text = " " + text
	}
	var out splice.All
	switch {
	case w.tag.to == w.tag.from:
	case w.tag.to == w.head.from:
		w.head.from = w.tag.from
	default:
		out = append(out, c.replaceSpan(w.tag, ""))
	}
	if text == "" && w.head.to > w.head.from {
		w.head = c.withBlanks(w.head)
	}
	out = append(out, c.replaceSpan(w.head, text))
	if w.tail.to > w.tail.from {
		out = append(out, c.replaceSpan(w.tail, ""))
	}
	return out, nil
}

// withBlanks extends the span of a value by the blanks around it, if nothing follows on its line.
func (c *Card) withBlanks(s span) span {
	if to := blanks(c.Text, s.to); to == len(c.Text) || c.Text[to] == '\r' || c.Text[to] == '\n' {
		return span{len(strings.TrimRight(c.Text[:s.from], " \t")), to}
	}
	return s
}

func (c *Card) replaceSpan(s span, text string) splice.Splice {
	return splice.Splice{At: s.from, Old: c.Text[s.from:s.to], New: text}
}

// editItems removes and appends items until a list holds the wanted ones. Items that are not text are removed unless others is
// true. ok is false if the list cannot be edited by item.
func (c *Card) editItems(e entry, v value, want []string, others bool) (out splice.All, ok bool) {
	w, ok := c.findValue(e)
	if !ok || v.kind != sequence {
		return nil, false
	}
	var items []span
	switch {
	case w.form == flow && c.Text[w.head.from] == '[':
		items = c.flowItems(w.head)
	case w.form == lines:
		items = c.blockItems(w.tail)
	}
	if len(items) != len(v.list) || len(items) == 0 {
		return nil, false
	}
	gone := func(i int) bool {
		if word := v.list[i]; word != "" || !others {
			return countWord(v.list[:i], word) >= countWord(want, word)
		}
		return false
	}
	var fresh []string
	for _, word := range want {
		if !slices.Contains(v.list, word) && !slices.Contains(fresh, word) {
			fresh = append(fresh, word)
		}
	}
	left := -1 // the last item that stays
	for i := range items {
		if !gone(i) {
			left = i
		}
	}
	if left < 0 {
		return nil, false
	}
	for i, s := range items {
		switch {
		case !gone(i):
		case w.form == lines:
			out = append(out, c.replaceSpan(span{s.from, s.to}, ""))
		case i > left:
			out = append(out, c.replaceSpan(span{items[i-1].to, s.to}, ""))
		default:
			out = append(out, c.replaceSpan(span{s.from, items[i+1].from}, ""))
		}
		if i == left {
			more := ""
			for _, word := range fresh {
				if w.form == flow {
					more += ", " + Quote(word)
				} else {
					more += c.newline + strings.TrimLeft(c.Text[s.from:s.to], "\r\n")[:c.dashWidth(s)] + Quote(word)
				}
			}
			if more != "" {
				out = append(out, splice.Splice{At: s.to, New: more})
			}
		}
	}
	return out, true
}

// countWord returns how often a list has a word.
func countWord(list []string, word string) (n int) {
	for _, w := range list {
		if w == word {
			n++
		}
	}
	return n
}

// dashWidth returns the length of the dash of a list item with the blanks around it.
func (c *Card) dashWidth(s span) int {
	line := strings.TrimLeft(c.Text[s.from:s.to], "\r\n")
	at := blanks(line, 0) + 1
	return blanks(line, at)
}

// blockItems finds the items of a list in block style. Each span is from the line break before the item to the end of its last line
// that is no comment.
func (c *Card) blockItems(tail span) (out []span) {
	indent := -1
	at := tail.from
	for line := range strings.Lines(strings.TrimPrefix(strings.TrimPrefix(c.Text[tail.from:tail.to], "\r"), "\n")) {
		from := at // of the line break before the line
		begin := from + len(c.Text[from:]) - len(strings.TrimPrefix(strings.TrimPrefix(c.Text[from:], "\r"), "\n"))
		text := strings.TrimRight(line, "\r\n")
		at = begin + len(text)
		bare := strings.TrimLeft(text, " ")
		if bare == "" || bare[0] == '#' {
			continue
		}
		if dash := bare == "-" || strings.HasPrefix(bare, "- "); dash && (indent < 0 || len(text)-len(bare) == indent) {
			indent = len(text) - len(bare)
			out = append(out, span{from, at})
		} else if len(out) == 0 {
			return nil
		}
		out[len(out)-1].to = at
	}
	return out
}

// flowItems finds the items of a list in brackets.
func (c *Card) flowItems(head span) (out []span) {
	depth, from := 0, -1
	end := from
	item := func() {
		if from >= 0 {
			out = append(out, span{from, end})
		}
		from = -1
	}
	for i := head.from + 1; i < head.to-1; i++ {
		switch b := c.Text[i]; {
		case b == ' ' || b == '\t' || b == '\r' || b == '\n':
			continue
		case b == ',' && depth == 0:
			item()
			continue
		case b == '#' && strings.ContainsRune(" \t\n", rune(c.Text[i-1])):
			i += strings.IndexByte(c.Text[i:], '\n')
			continue
		case (b == '"' || b == '\'') && from < 0:
			n := quotedEnd(c.Text[i:])
			from, end = i, i+n
			i += n - 1
			continue
		case b == '[' || b == '{':
			depth++
		case b == ']' || b == '}':
			depth--
		}
		if from < 0 {
			from = i
		}
		end = i + 1
	}
	item()
	return out
}

// apply applies an edit and parses the result to verify it: the key must have the intended value, and all other keys their old
// ones.
func (c *Card) apply(s splice.All, key string, meant func(value) bool) (*Card, error) {
	text, ok := s.Apply(c.Text)
	if !ok {
		return nil, fmt.Errorf("its %s cannot be changed: change it by hand", key)
	}
	out, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("its %s cannot be changed (%w): change it by hand", key, err)
	}
	var others []pair
	fine := false
	for _, p := range out.pairs {
		if p.key == key {
			fine = meant == nil || meant(p.value)
		}
		if slices.ContainsFunc(c.pairs, func(q pair) bool { return p.key == q.key }) {
			others = append(others, p)
		}
	}
	same := func(p, q pair) bool {
		return p.key == q.key && (p.key == key || p.value.kind == q.value.kind && p.value.text == q.value.text && slices.Equal(p.value.list, q.value.list))
	}
	if !fine || !slices.EqualFunc(c.pairs, others, same) || out.uneditable {
		return nil, fmt.Errorf("its %s cannot be changed without changing something else: change it by hand", key)
	}
	return out, nil
}

// SetTitle changes the title in the front matter, and the heading if it is the same.
func (c *Card) SetTitle(title string) (*Card, error) {
	old := c.Title
	m := headingLine.FindStringSubmatchIndex(c.Text[c.Body:])
	out := c
	if m != nil && oneLine(c.Text[c.Body+m[2]:c.Body+m[3]]) == old {
		text, err := Parse(c.Text[:c.Body+m[2]] + title + c.Text[c.Body+m[3]:])
		if err != nil {
			return nil, err
		}
		out = text
	}
	if i, err := c.find("title"); err == nil && i < 0 && out != c && out.Title == title {
		return out, nil
	}
	return out.Set("title", title)
}

// WithBody replaces the text after the front matter.
func (c *Card) WithBody(body string) (*Card, error) { return Parse(c.Text[:c.Body] + body) }

// Append adds lines at the end.
func (c *Card) Append(text string) (*Card, error) {
	body := c.Text[c.Body:]
	if body != "" && !strings.HasSuffix(body, "\n") {
		body += c.newline
	}
	if body != "" && !strings.HasSuffix(body, c.newline+c.newline) {
		body += c.newline
	}
	return c.WithBody(body + c.Lines(text) + c.newline)
}

// Lines converts the line breaks of a text to those of the card.
func (c *Card) Lines(text string) string {
	text = strings.Trim(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	return strings.ReplaceAll(text, "\n", c.newline)
}
