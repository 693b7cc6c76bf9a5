package chart

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
)

// states reads a state diagram.
type states struct {
	at
	c      *Chart
	open   []int // enclosing groups
	opened []int
	note   string // the state of a note of several lines, "" outside one
	text   []string
}

func (p *states) around() int {
	if len(p.open) == 0 {
		return -1
	}
	return p.open[len(p.open)-1]
}

func (p *states) line(s string, _ int) error {
	if p.note != "" {
		if s != "end note" {
			p.text = append(p.text, s)
			return nil
		}
		p.remark(p.note, strings.Join(p.text, "\n"))
		p.note, p.text, p.opened = "", nil, p.opened[:len(p.opened)-1]
		return nil
	}
	word, rest, _ := strings.Cut(s, " ")
	rest = strings.TrimSpace(rest)
	switch word {
	case "direction":
		if len(p.open) == 0 {
			p.c.Dir = direction(rest)
		}
		return nil
	case "classDef", "class", "style", "hide", "scale", "accTitle:", "accDescr:", "--":
		return nil
	case "title":
		p.c.Title = clean(rest)
		return nil
	case "state":
		return p.state(rest)
	case "note":
		return p.sideNote(rest)
	case "}":
		if len(p.open) == 0 {
			return p.fail("} without a state")
		}
		p.open, p.opened = p.open[:len(p.open)-1], p.opened[:len(p.opened)-1]
		return nil
	}
	if from, to, ok := strings.Cut(s, "-->"); ok {
		to, label, _ := strings.Cut(to, ":")
		e := Edge{From: p.touch(from, true), To: p.touch(to, false), Label: clean(label), Tail: "none", Head: "classic", line: p.at.line}
		p.c.Edges = append(p.c.Edges, e)
		return nil
	}
	name, text, ok := strings.Cut(s, ":")
	id := p.touch(name, true)
	if ok {
		if i, known := p.c.node[id]; known {
			n := &p.c.Nodes[i]
			if n.Label == n.ID {
				n.Label = clean(text)
			} else {
				n.Label += "\n" + clean(text)
			}
		}
	}
	return nil
}

func (p *states) end() error { return checkClosed("a state or a note", p.opened) }

// touch returns the id of a state. [*] is the initial state of the enclosing group if an edge begins there (from),
// otherwise the final one.
func (p *states) touch(s string, from bool) string {
	s, _, _ = strings.Cut(s, ":::")
	if s = strings.TrimSpace(s); s == "[*]" {
		kind := pdk.If(from, "initial", "final")
		s = fmt.Sprintf("[*] %s %d", kind, p.around())
		n := p.c.touch(s, p.around())
		n.Shape, n.Label = kind, ""
		return s
	}
	if p.c.Group(s) >= 0 {
		return s
	}
	n := p.c.touch(s, p.around())
	if n.Shape == "" {
		n.Shape = "state"
	}
	return s
}

// state reads the text after the word state.
func (p *states) state(s string) error {
	body := strings.HasSuffix(s, "{")
	s = strings.TrimSpace(strings.TrimSuffix(s, "{"))
	label := ""
	if text, id, ok := strings.Cut(s, " as "); ok {
		label, s = clean(text), strings.TrimSpace(id)
	}
	if id, kind, ok := strings.Cut(s, "<<"); ok {
		shape := map[string]string{"choice": "decision", "fork": "bar", "join": "bar"}[strings.TrimSuffix(strings.TrimSpace(kind), ">>")]
		if shape == "" {
			return p.fail("the kind <<%s of a state is not known: choice fork join", kind)
		}
		n := p.c.touch(strings.TrimSpace(id), p.around())
		n.Shape, n.Label = shape, ""
		return nil
	}
	if s == "" {
		return p.fail("state needs a name")
	}
	if !body {
		n := &p.c.Nodes[p.c.node[p.touch(s, true)]]
		if label != "" {
			n.Label = label
		}
		return nil
	}
	if label == "" {
		label = clean(s)
		s = strings.Trim(s, `"`)
	}
	if len(p.open) >= 20 {
		return p.fail("states are nested more than 20 deep")
	}
	p.c.group[s] = len(p.c.Groups)
	p.c.Groups = append(p.c.Groups, Group{ID: s, Label: label, Parent: p.around()})
	p.open, p.opened = append(p.open, len(p.c.Groups)-1), append(p.opened, p.at.line)
	p.c.drop(s) // an edge may have named it before
	return nil
}

// drop removes a node that has become a group.
func (c *Chart) drop(id string) {
	i, ok := c.node[id]
	if !ok {
		return
	}
	c.Nodes = append(c.Nodes[:i:i], c.Nodes[i+1:]...)
	delete(c.node, id)
	for j, n := range c.Nodes {
		c.node[n.ID] = j
	}
}

// sideNote reads "note right of A : text", or the first line of a longer note.
func (p *states) sideNote(s string) error {
	for _, side := range []string{"right of ", "left of "} {
		if rest, ok := strings.CutPrefix(s, side); ok {
			if of, text, ok := strings.Cut(rest, ":"); ok {
				p.remark(strings.TrimSpace(of), text)
				return nil
			}
			p.note, p.opened = strings.TrimSpace(rest), append(p.opened, p.at.line)
			return nil
		}
	}
	return p.fail("a note goes right of or left of a state: %.40q", s)
}

func (p *states) remark(of, text string) {
	id := fmt.Sprintf("note %d", len(p.c.Nodes))
	to := p.touch(of, true)
	n := p.c.touch(id, p.around())
	n.Label, n.Shape = clean(text), "note"
	p.c.Edges = append(p.c.Edges, Edge{From: id, To: to, Line: "dashed", Tail: "none", Head: "none", line: p.at.line})
}
