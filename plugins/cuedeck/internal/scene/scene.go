// Package scene makes one text of a workspace for a model: what is worked on, what
// that needs, what comes next and the documents that it links to, within a number of
// tokens and without secrets.
package scene

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Card is one card.
type Card struct {
	ID, Path, Title            string
	Status, Priority, Assignee string
	Tags, DependsOn            []string // DependsOn are ids
	Body                       string   // what stands below the title
	Links                      []string // paths of documents
}

// Doc is one document.
type Doc struct{ Path, Text string }

// Input is what a scene is made of.
type Input struct {
	Name  string // of the workspace
	Cards []Card
	Docs  []Doc
	Limit int  // in tokens of 4 bytes
	Mask  Mask // what is not shown
}

// Scene is the text, and what is not in it.
type Scene struct {
	Text   string
	Tokens int

	Short, LeftCards, LeftDocs []string // ids of cards that are named alone, ids and paths of what is left out
	Masked                     int      // secrets
}

// TooSmall is the error for a limit into which not even the frame fits.
type TooSmall struct{ Needs, Limit int }

func (e *TooSmall) Error() string {
	return fmt.Sprintf("a scene of this workspace needs at least %d tokens, and the limit is %d", e.Needs, e.Limit)
}

// Tokens estimates how many tokens so many bytes have.
func Tokens(bytes int) int { return (bytes + 3) / 4 }

// priorities in their order.
var priorities = []string{"critical", "high", "medium", "low"}

func rank(priority string) int {
	i := slices.Index(priorities, strings.ToLower(priority))
	if i < 0 {
		return slices.Index(priorities, "medium")
	}
	return i
}

// part is one part of a scene under a heading.
type part struct {
	heading string
	cards   []*Card
	brief   bool // cards are named alone
}

// Build makes a scene. Cards that are neither active nor todo are in it only where
// one that is active depends on them.
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

// parts orders the cards: active ones, what they depend on, then by priority.
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
				continue // what it needed is of no interest any more
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

// linkedDocs lists the documents that cards link to, in the order of the cards.
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

// builder puts a scene together.
type builder struct {
	text  strings.Builder
	room  int // bytes that are left
	mask  *Mask
	scene Scene
}

// add writes a part if it fits, with the heading where that was not written yet.
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

// mask takes secrets out of all that is shown of a card.
func (c *Card) mask(m *Mask) {
	for _, s := range []*string{&c.ID, &c.Path, &c.Title, &c.Assignee, &c.Body} {
		*s = m.Hide(validText(*s))
	}
	c.Tags = slices.Clone(c.Tags)
	for i := range c.Tags {
		c.Tags[i] = m.Hide(validText(c.Tags[i]))
	}
}

// facts is what the front matter says, on one line.
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

// count is n with the noun it counts.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// line makes one line of a text.
func line(s string) string { return strings.Join(strings.Fields(validText(s)), " ") }

func validText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// The bytes that are kept for what the scene says of itself at its end.
const footerLeast, footerMost = 160, 600

// footer says what is not there, in at most so many bytes.
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
