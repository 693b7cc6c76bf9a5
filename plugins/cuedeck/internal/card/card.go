// Package card reads and edits the Markdown file of a card: front matter in YAML, then the text.
//
// An edit is a splice of the text. Whatever it does not name keeps its bytes: other keys, comments, order, quotes, line breaks, and
// the text after the front matter.
package card

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fcp-host/fcp-host/pdk"
)

// The allowed statuses and priorities, in display order.
var (
	Statuses   = []string{"todo", "active", "done", "archived"}
	Priorities = []string{"critical", "high", "medium", "low"}
)

// Card is a parsed card file. Fields missing in the front matter are empty.
type Card struct {
	Text string // the whole file

	Title, Status, Priority, Assignee string
	Tags, DependsOn                   []string
	Created, Updated                  string   // as written; RFC 3339 if cuedeck wrote them
	Others                            []string // keys unknown to cuedeck

	Front bool // the file has a front matter
	Body  int  // offset of the text after it

	top        int // offset of the YAML, or of where a front matter would go
	end        int // offset of the line that closes it
	newline    string
	pairs      []pair
	entries    []entry
	uneditable bool // single keys of the YAML cannot be edited
}

// Broken is the reason why a card file cannot be read.
type Broken struct {
	Line int // from 1; 0 if no line is to blame
	Why  string
}

func (b *Broken) Error() string {
	if b.Line == 0 {
		return b.Why
	}
	return fmt.Sprintf("line %d: %s", b.Line, b.Why)
}

const bom = "\ufeff"

// Parse reads a card. An error is a *Broken.
func Parse(text string) (*Card, error) {
	c := &Card{Text: text, newline: newline(text)}
	if !utf8.ValidString(text) {
		return nil, &Broken{Why: "it is not UTF-8 text"}
	}
	if strings.HasPrefix(text, bom) {
		c.top = len(bom)
		c.Body = c.top
	}
	if err := c.findFence(); err != nil {
		return nil, err
	}
	if c.Front {
		if err := c.parseFront(); err != nil {
			return nil, err
		}
	}
	if c.Title == "" {
		c.Title = heading(text[c.Body:])
	}
	return c, nil
}

// newline returns the line break that most lines of a text end with.
func newline(text string) string {
	if crlf := strings.Count(text, "\r\n"); crlf > 0 && 2*crlf >= strings.Count(text, "\n") {
		return "\r\n"
	}
	return "\n"
}

var closing = pdk.Regexp(`(?m)^(?:---|\.\.\.)[ \t]*\r?$`)

// findFence finds the lines --- around the front matter.
func (c *Card) findFence() error {
	first, _, more := strings.Cut(c.Text[c.top:], "\n")
	if behind := strings.TrimLeft(strings.TrimPrefix(first, "---"), " \t"); behind != first && strings.HasPrefix(behind, "\r") && strings.Trim(behind, " \t\r") != "" {
		return errBareCR
	}
	if strings.TrimRight(first, " \t\r") != "---" {
		return nil
	}
	if !more {
		return &Broken{Line: 1, Why: "the front matter begins with --- and has no --- that ends it"}
	}
	at := c.top + len(first) + 1
	found := closing().FindStringIndex(c.Text[at:])
	if found == nil {
		return &Broken{Line: 1, Why: "the front matter begins with --- and has no --- that ends it"}
	}
	c.Front, c.top, c.end = true, at, at+found[0]
	c.Body = at + found[1]
	if c.Body < len(c.Text) { // skips its line break
		c.Body++
	}
	return nil
}

// front returns the YAML, "" if there is no front matter.
func (c *Card) front() string { return c.Text[c.top:max(c.top, c.end)] }

// checkSize refuses front matter that is too large.
func (c *Card) checkSize() error {
	if n := len(c.front()); n > maxFrontBytes {
		return &Broken{Line: 1, Why: fmt.Sprintf("its front matter has %d bytes, more than %d", n, maxFrontBytes)}
	}
	return nil
}

// parseFront parses the YAML and sets the fields.
func (c *Card) parseFront() error {
	if err := c.checkSize(); err != nil {
		return err
	}
	yaml := c.front()
	pairs, err := parseYAML(yaml)
	if err != nil {
		return err
	}
	c.entries = entries(yaml, c.top)
	for _, p := range pairs {
		switch p.key {
		case "title":
			c.Title = oneLine(p.value.text)
		case "status":
			c.Status = p.value.text
		case "priority":
			c.Priority = p.value.text
		case "assignee":
			c.Assignee = oneLine(p.value.text)
		case "tags":
			c.Tags = p.value.words()
		case "depends_on":
			c.DependsOn = p.value.words()
		case "created":
			c.Created = p.value.text
		case "updated":
			c.Updated = p.value.text
		default:
			c.Others = append(c.Others, p.key)
		}
	}
	c.pairs = pairs
	c.uneditable = !slices.EqualFunc(pairs, c.entries, func(p pair, e entry) bool { return p.key == e.key })
	return nil
}

// Editable reports whether a key of the front matter can be changed without touching the others.
func (c *Card) Editable() bool { return !c.uneditable }

// MistypedKeys describes the keys whose values have the wrong type, each with the expected one.
func (c *Card) MistypedKeys() (out []string) {
	kinds := map[kind]string{sequence: "a list", mapping: "a mapping"}
	for _, p := range c.pairs {
		v := p.value
		switch p.key {
		case "title", "status", "priority", "assignee", "created", "updated":
			if v.kind == sequence || v.kind == mapping {
				out = append(out, fmt.Sprintf("its %s is %s, and must be a text", p.key, kinds[v.kind]))
			}
		case "tags", "depends_on":
			if v.kind == mapping {
				out = append(out, fmt.Sprintf("its %s is a mapping, and must be a list", p.key))
			} else if slices.Contains(v.list, "") {
				out = append(out, fmt.Sprintf("its %s contains something that is not a word", p.key))
			}
		}
	}
	return out
}

// oneLine joins the lines of a text.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

var headingLine = pdk.Regexp(`(?m)^# +(.*?)[ \t]*(?: #+[ \t]*)?\r?$`)

// heading returns the text of the first heading of level 1, judging by single lines.
func heading(body string) string {
	m := headingLine().FindStringSubmatch(body)
	if m == nil {
		return ""
	}
	return oneLine(m[1])
}
