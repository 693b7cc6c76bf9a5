package chart

import (
	"fmt"
	"strings"
)

// mindmap reads a mind map. The indents of its lines define the hierarchy.
type mindmap struct {
	at
	c       *Chart
	indents []int // of the enclosing nodes
	ids     []string
}

func (p *mindmap) line(s string, indent int) error {
	if strings.HasPrefix(s, "::icon") || strings.HasPrefix(s, ":::") {
		return nil
	}
	for len(p.indents) > 0 && indent <= p.indents[len(p.indents)-1] {
		p.indents, p.ids = p.indents[:len(p.indents)-1], p.ids[:len(p.ids)-1]
	}
	if len(p.ids) == 0 && len(p.c.Nodes) > 0 {
		return p.fail("a mind map has one root; indent %.40q below it", s)
	}
	label, shape := s, "svc"
	for _, b := range []struct{ open, shut, kind string }{
		{"((", "))", "circle"}, {"))", "((", "cloud"}, {"{{", "}}", "api"}, {")", "(", "cloud"}, {"(", ")", "svc"}, {"[", "]", "box"},
	} {
		if i := strings.Index(s, b.open); i >= 0 && strings.HasSuffix(s, b.shut) && i+len(b.open)+len(b.shut) <= len(s) && !strings.Contains(s[:i], " ") {
			label, shape = s[i+len(b.open):len(s)-len(b.shut)], b.kind
			break
		}
	}
	id := fmt.Sprintf("m%d", len(p.c.Nodes)+1)
	n := p.c.touch(id, -1)
	n.Label, n.Shape, n.Level = clean(label), shape, len(p.ids)
	if len(p.ids) > 0 {
		p.c.Edges = append(p.c.Edges, Edge{From: p.ids[len(p.ids)-1], To: id, Tail: "none", Head: "none", line: p.at.line})
	}
	p.indents, p.ids = append(p.indents, indent), append(p.ids, id)
	return nil
}

func (p *mindmap) end() error { return nil }
