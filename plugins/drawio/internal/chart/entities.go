package chart

import (
	"strings"
)

// entities reads an entity-relationship diagram.
type entities struct {
	at
	c      *Chart
	open   int // entity whose attributes are listed, -1 for none
	opened []int
}

func (p *entities) line(s string, _ int) error {
	if p.open >= 0 {
		if s == "}" {
			p.open, p.opened = -1, nil
			return nil
		}
		return p.attribute(&p.c.Nodes[p.open], s)
	}
	word, rest, _ := strings.Cut(s, " ")
	switch word {
	case "direction":
		p.c.Dir = direction(rest)
		return nil
	case "title":
		p.c.Title = clean(rest)
		return nil
	case "classDef", "class", "style", "accTitle:", "accDescr:":
		return nil
	}
	if i, j := crowsFoot(s); i >= 0 {
		to, label, _ := strings.Cut(s[j:], ":")
		if label = clean(label); strings.TrimSpace(s[:i]) == "" || strings.TrimSpace(to) == "" {
			return p.fail("a relation needs an entity at both ends: %.40q", s)
		}
		e := Edge{From: p.touch(s[:i]), To: p.touch(to), Label: label, line: p.at.line}
		e.Tail, e.Head = ends(s[i:j])
		if strings.Contains(s[i:j], "..") {
			e.Line = "dashed"
		}
		p.c.Edges = append(p.c.Edges, e)
		return nil
	}
	if name, body, ok := strings.Cut(s, "{"); ok {
		id := p.touch(name)
		p.open, p.opened = p.c.node[id], append(p.opened, p.at.line)
		if body, done := strings.CutSuffix(strings.TrimSpace(body), "}"); done {
			p.open, p.opened = -1, nil
			if body = strings.TrimSpace(body); body != "" {
				return p.attribute(&p.c.Nodes[p.c.node[id]], body)
			}
		}
		return nil
	}
	if strings.ContainsAny(s, "|{}") || strings.Contains(s, "--") {
		return p.fail("not a relation such as A ||--o{ B : label: %.40q", s)
	}
	p.touch(s)
	return nil
}

func (p *entities) end() error { return checkClosed("an entity", p.opened) }

// touch returns the id of an entity, which may have a label: p[Person].
func (p *entities) touch(s string) string {
	s, _, _ = strings.Cut(s, ":::")
	s = strings.TrimSpace(s)
	label := ""
	if i := strings.IndexByte(s, '['); i > 0 && strings.HasSuffix(s, "]") {
		s, label = strings.TrimSpace(s[:i]), clean(s[i+1:len(s)-1])
	}
	s = strings.Trim(s, `"`)
	n := p.c.touch(s, -1)
	n.Shape = "entity"
	if label != "" {
		n.Label = label
	}
	return s
}

// attribute reads type name [keys] ["comment"].
func (p *entities) attribute(n *Node, s string) error {
	s, _ = quotedEnd(s)
	words := strings.Fields(s)
	if len(words) < 2 {
		return p.fail("an attribute needs a type and a name: %.40q", s)
	}
	field := words[1] + ": " + words[0]
	keys := strings.Join(words[2:], "")
	for _, k := range []string{"PK", "FK"} {
		if strings.Contains(keys, k) {
			field = k + " " + field
			break
		}
	}
	n.Fields = append(n.Fields, field)
	return nil
}

// crowsFoot finds a line with crow's feet; from is -1 if there is none.
func crowsFoot(s string) (from, to int) {
	for _, line := range []string{"--", ".."} {
		i := strings.Index(s, line)
		if i >= 2 && i+4 <= len(s) {
			if tail, head := ends(s[i-2 : i+4]); tail != "" && head != "" {
				return i - 2, i + 4
			}
		}
	}
	return -1, -1
}

// ends returns the heads for a sign such as ||--o{, "" for unknown signs.
func ends(s string) (tail, head string) {
	left := map[string]string{"||": "ERmandOne", "|o": "ERzeroToOne", "}o": "ERzeroToMany", "}|": "ERoneToMany"}
	right := map[string]string{"||": "ERmandOne", "o|": "ERzeroToOne", "o{": "ERzeroToMany", "|{": "ERoneToMany"}
	return left[s[:2]], right[s[4:]]
}
