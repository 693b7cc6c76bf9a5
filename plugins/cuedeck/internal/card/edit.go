package card

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
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

var anchor = pdk.Regexp(`[\s\[{,:]&([^\s,\[\]{}]+)`)

// aliasedAnchor returns the name of an anchor within an entry that is used outside of it, "" if there is none.
func (c *Card) aliasedAnchor(e entry) string {
	outside := c.Text[c.top:e.from] + c.Text[e.to:c.end]
	for _, m := range anchor().FindAllStringSubmatch(c.Text[e.from:e.to], -1) {
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
	m := headingLine().FindStringSubmatchIndex(c.Text[c.Body:])
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
