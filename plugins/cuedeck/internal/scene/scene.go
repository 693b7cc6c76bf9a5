// Package scene builds a text about a workspace for a language model: active cards, their dependencies, the next cards and the
// linked documents, within a number of tokens and without secrets.
package scene

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Card is a card as the scene shows it.
type Card struct {
	ID, Path, Title            string
	Status, Priority, Assignee string
	Tags, DependsOn            []string // DependsOn has ids
	Body                       string   // text below the title
	Links                      []string // paths of documents
}

// Doc is a document.
type Doc struct{ Path, Text string }

// Input is what a scene is built from.
type Input struct {
	Name  string // name of the workspace
	Cards []Card
	Docs  []Doc
	Limit int  // in tokens of 4 bytes
	Mask  Mask // what is not shown
}

// Scene is the text, and a list of what it leaves out.
type Scene struct {
	Text   string
	Tokens int

	Short, LeftCards, LeftDocs []string // ids of cards shown on one line; ids and paths of what is left out
	Masked                     int      // number of masked secrets
}

// TooSmall is the error for a limit that is too small for the frame of a scene.
type TooSmall struct{ Needs, Limit int }

func (e *TooSmall) Error() string {
	return fmt.Sprintf("a scene of this workspace needs at least %d tokens, and the limit is %d", e.Needs, e.Limit)
}

// Tokens estimates the number of tokens in a text of a size in bytes.
func Tokens(bytes int) int { return (bytes + 3) / 4 }

// priorities, the highest first.
var priorities = []string{"critical", "high", "medium", "low"}

func rank(priority string) int {
	i := slices.Index(priorities, strings.ToLower(priority))
	if i < 0 {
		return slices.Index(priorities, "medium")
	}
	return i
}

// part is a part of a scene with a heading.
type part struct {
	heading string
	cards   []*Card
	brief   bool // cards are shown on one line
}

// Build builds a scene. Of the cards that are neither active nor todo it contains only the dependencies of active ones.
func Build(in Input) (Scene, error) {
	for i := range in.Cards {
		in.Cards[i].mask(&in.Mask)
	}
	parts := in.parts()
	b := &builder{room: 4 * in.Limit, mask: &in.Mask}
	active, todo := 0, 0
	for i := range in.Cards {
		switch in.Cards[i].Status {
		case "active":
			active++
		case "todo":
			todo++
		}
	}
	frame := fmt.Sprintf("# Scene: %s\n\n%d active, %d todo of %s; %s\n", line(in.Mask.Hide(in.Name)), active, todo, count(len(in.Cards), "card"), count(len(in.Docs), "document"))
	if needs := len(frame) + footerLeast; needs > b.room {
		return Scene{}, &TooSmall{Tokens(needs), in.Limit}
	}
	b.room -= len(frame) + min(footerMost, max(footerLeast, b.room/10))
	b.text.WriteString(frame)
	for _, p := range parts {
		b.addPart(&p)
	}
	b.docs(in.linkedDocs(parts), in.Docs)
	s := b.scene
	if n := in.Mask.open; n > 0 {
		b.text.WriteString("\n## Masked\n\n" + count(n, "private key") + " without END: up to a blank line\n")
	}
	b.text.WriteString(s.footer(4*in.Limit - b.text.Len()))
	s.Text, s.Masked = b.text.String(), in.Mask.hidden
	s.Tokens = Tokens(len(s.Text))
	return s, nil
}

// parts groups the cards: active ones, their dependencies, then the others by priority.
func (in *Input) parts() []part {
	byID := map[string]*Card{}
	for i := range in.Cards {
		if c := &in.Cards[i]; byID[c.ID] == nil {
			byID[c.ID] = c
		}
	}
	var active, todo []*Card
	for i := range in.Cards {
		switch c := &in.Cards[i]; c.Status {
		case "active":
			active = append(active, c)
		case "todo":
			todo = append(todo, c)
		}
	}
	byPriority := func(a, b *Card) int { return cmp.Compare(rank(a.Priority), rank(b.Priority)) }
	slices.SortStableFunc(active, byPriority)
	slices.SortStableFunc(todo, byPriority)
	taken := map[*Card]bool{}
	for _, c := range active {
		taken[c] = true
	}
	var open, settled []*Card
	for queue := slices.Clone(active); len(queue) > 0; queue = queue[1:] {
		for _, id := range queue[0].DependsOn {
			c := byID[id]
			if c == nil || taken[c] {
				continue
			}
			taken[c] = true
			if c.Status == "done" || c.Status == "archived" {
				settled = append(settled, c)
				continue // indirect dependencies of finished cards do not matter
			}
			open = append(open, c)
			queue = append(queue, c)
		}
	}
	todo = slices.DeleteFunc(todo, func(c *Card) bool { return taken[c] })
	out := []part{{"Active", active, false}, {"Active cards depend on", open, false}, {"Done, and active cards depend on it", settled, true}}
	for i, p := range priorities {
		var some []*Card
		for _, c := range todo {
			if rank(c.Priority) == i {
				some = append(some, c)
			}
		}
		out = append(out, part{"Todo, " + p, some, false})
	}
	return out
}

// linkedDocs returns the documents that cards link to, in the order of the cards.
func (in *Input) linkedDocs(parts []part) (out []string) {
	there := map[string]bool{}
	for _, d := range in.Docs {
		there[d.Path] = true
	}
	for _, p := range parts {
		for _, c := range p.cards {
			for _, link := range c.Links {
				if there[link] {
					there[link] = false
					out = append(out, link)
				}
			}
		}
	}
	return out
}

// builder assembles a scene.
type builder struct {
	text  strings.Builder
	room  int // remaining bytes
	mask  *Mask
	scene Scene
}

// add writes a part if it fits, after the heading if that was not written yet.
func (b *builder) add(heading *string, part string) bool {
	n := len(part)
	if *heading != "" {
		n += len(*heading)
	}
	if n > b.room {
		return false
	}
	b.text.WriteString(*heading)
	b.text.WriteString(part)
	*heading = ""
	b.room -= n
	return true
}

func (b *builder) addPart(p *part) {
	heading := "\n## " + p.heading + "\n"
	for _, c := range p.cards {
		if !p.brief && b.add(&heading, c.full()) {
			continue
		}
		switch {
		case !b.add(&heading, c.brief()):
			b.scene.LeftCards = append(b.scene.LeftCards, c.ID)
		case !p.brief:
			b.scene.Short = append(b.scene.Short, c.ID)
		}
	}
}

func (b *builder) docs(paths []string, docs []Doc) {
	heading := "\n## Documents\n"
	for _, path := range paths {
		i := slices.IndexFunc(docs, func(d Doc) bool { return d.Path == path })
		part := "\n### " + line(b.mask.Hide(path)) + "\n\n" + strings.TrimSpace(b.mask.Hide(validText(docs[i].Text))) + "\n"
		if !b.add(&heading, part) {
			b.scene.LeftDocs = append(b.scene.LeftDocs, b.mask.Hide(path))
		}
	}
}

// mask hides the secrets in a card.
func (c *Card) mask(m *Mask) {
	for _, s := range []*string{&c.ID, &c.Path, &c.Title, &c.Assignee, &c.Body} {
		*s = m.Hide(validText(*s))
	}
	c.Tags = slices.Clone(c.Tags)
	for i := range c.Tags {
		c.Tags[i] = m.Hide(validText(c.Tags[i]))
	}
}

// facts prints the front matter on one line.
func (c *Card) facts() string {
	out := []string{c.Status, cmp.Or(c.Priority, "medium")}
	if c.Assignee != "" {
		out = append(out, c.Assignee)
	}
	for _, t := range c.Tags {
		out = append(out, "#"+t)
	}
	if len(c.DependsOn) > 0 {
		out = append(out, "depends on "+strings.Join(c.DependsOn, " "))
	}
	return line(strings.Join(out, " · "))
}

func (c *Card) full() string {
	body := strings.TrimSpace(c.Body)
	if body != "" {
		body = "\n" + body + "\n"
	}
	return fmt.Sprintf("\n### %s %s\n\n%s · %s\n%s", line(c.ID), line(c.Title), c.facts(), line(c.Path), body)
}

func (c *Card) brief() string {
	return fmt.Sprintf("- %s %s (%s)\n", line(c.ID), line(c.Title), c.facts())
}

// count prints n and the noun it counts.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// line joins a text to one line.
func line(s string) string { return strings.Join(strings.Fields(validText(s)), " ") }

func validText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// Bytes reserved for the footer.
const footerLeast, footerMost = 160, 600

// footer lists what is left out, in at most room bytes.
func (s *Scene) footer(room int) string {
	var says []string
	for _, f := range []struct {
		what string
		list []string
	}{{"card", s.LeftCards}, {"document", s.LeftDocs}} {
		if len(f.list) > 0 {
			says = append(says, count(len(f.list), f.what))
		}
	}
	if len(s.Short) > 0 {
		says = append(says, "the text of "+count(len(s.Short), "card"))
	}
	if len(says) == 0 {
		return ""
	}
	out := "\n## Left out for the token limit\n\n" + strings.Join(says, ", ") + "\n"
	names := slices.Concat(s.LeftCards, s.LeftDocs)
	for n := len(names); n > 0; n /= 2 {
		list := line(strings.Join(names[:n], " "))
		if n < len(names) {
			list += " …"
		}
		if len(out)+len(list)+1 <= room {
			return out + list + "\n"
		}
	}
	return out
}
