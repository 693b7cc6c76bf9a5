package chart

import (
	"slices"
	"strings"
)

// classes reads a class diagram.
type classes struct {
	at
	c      *Chart
	open   string // class whose members are listed
	ns     int    // enclosing group, -1 for none
	opened []int
}

func (p *classes) line(s string, _ int) error {
	if p.open != "" {
		if s == "}" {
			p.open, p.opened = "", p.opened[:len(p.opened)-1]
			return nil
		}
		p.member(p.open, s)
		return nil
	}
	word, rest, _ := strings.Cut(s, " ")
	rest = strings.TrimSpace(rest)
	switch word {
	case "direction":
		p.c.Dir = direction(rest)
		return nil
	case "classDef", "cssClass", "style", "link", "click", "callback", "accTitle:", "accDescr:":
		return nil
	case "class":
		return p.class(rest)
	case "namespace":
		name := strings.TrimSpace(strings.TrimSuffix(rest, "{"))
		p.c.group[name] = len(p.c.Groups)
		p.c.Groups = append(p.c.Groups, Group{ID: name, Label: name, Parent: -1})
		p.ns, p.opened = len(p.c.Groups)-1, append(p.opened, p.at.line)
		return nil
	case "}":
		if p.ns < 0 {
			return p.fail("} without a namespace or a class")
		}
		p.ns, p.opened = -1, p.opened[:len(p.opened)-1]
		return nil
	case "note":
		return p.note(rest)
	}
	if kind, name, ok := strings.Cut(s, ">>"); ok && strings.HasPrefix(kind, "<<") {
		p.stereotype(p.touch(strings.TrimSpace(name)), strings.TrimPrefix(kind, "<<"))
		return nil
	}
	if done, err := p.relation(s); done || err != nil {
		return err
	}
	if name, member, ok := strings.Cut(s, ":"); ok {
		p.member(strings.TrimSpace(name), strings.TrimSpace(member))
		return nil
	}
	return p.fail("neither a class nor a relation: %.40q", s)
}

func (p *classes) end() error { return checkClosed("a class or a namespace", p.opened) }

// touch returns the class with a name, which may have a generic type: List~int~.
func (p *classes) touch(name string) *Node {
	name, _, _ = strings.Cut(name, ":::")
	name = strings.Trim(strings.TrimSpace(name), "`")
	n := p.c.touch(name, p.ns)
	if n.Shape == "" {
		n.Shape, n.Label = "class", generic(name)
	}
	if n.Group < 0 {
		n.Group = p.ns
	}
	return n
}

// generic rewrites List~int~ as List<int>.
func generic(s string) string {
	for strings.Count(s, "~") > 1 {
		i, j := strings.IndexByte(s, '~'), strings.LastIndexByte(s, '~')
		s = s[:i] + "<" + s[i+1:j] + ">" + s[j+1:]
	}
	return s
}

// class reads the text after the word class.
func (p *classes) class(s string) error {
	body := strings.HasSuffix(s, "{")
	s = strings.TrimSpace(strings.TrimSuffix(s, "{"))
	one := ""
	if i := strings.Index(s, "{"); i > 0 && strings.HasSuffix(s, "}") { // class A { +x }
		s, one = strings.TrimSpace(s[:i]), strings.TrimSpace(s[i+1:len(s)-1])
	}
	label, kind := "", ""
	if i := strings.Index(s, "<<"); i > 0 {
		s, kind = strings.TrimSpace(s[:i]), strings.TrimSuffix(s[i+2:], ">>")
	}
	if i := strings.IndexByte(s, '['); i > 0 {
		end := strings.LastIndexByte(s, ']')
		if end < i {
			return p.fail("the bracket of %.40s is not closed", s)
		}
		s, label = s[:i], clean(s[i+1:end])
	}
	if strings.TrimSpace(s) == "" {
		return p.fail("class needs a name")
	}
	n := p.touch(s)
	if label != "" {
		n.Label = label
	}
	if kind != "" {
		p.stereotype(n, kind)
	}
	if one != "" {
		p.member(n.ID, one)
	}
	if body {
		p.open, p.opened = n.ID, append(p.opened, p.at.line)
	}
	return nil
}

func (p *classes) stereotype(n *Node, kind string) {
	n.Label = "«" + strings.TrimSpace(kind) + "»\n" + n.Label
}

func (p *classes) member(name, s string) {
	n := p.touch(name)
	if kind, ok := strings.CutPrefix(s, "<<"); ok {
		p.stereotype(n, strings.TrimSuffix(kind, ">>"))
		return
	}
	s = generic(strings.TrimSuffix(s, "$"))
	if i := strings.LastIndexByte(s, ')'); i >= 0 && strings.Contains(s, "(") {
		after := strings.TrimSpace(strings.Trim(s[i+1:], "*$"))
		s = s[:i+1]
		if after != "" {
			s += ": " + strings.TrimSpace(strings.TrimPrefix(after, ":"))
		}
		n.Methods = append(n.Methods, field(s))
		return
	}
	n.Fields = append(n.Fields, field(s))
}

// field rewrites +int age, a type before a name, as +age: int.
func field(s string) string {
	sign := ""
	if s != "" && strings.ContainsRune("+-#~", rune(s[0])) {
		sign, s = s[:1]+" ", strings.TrimSpace(s[1:])
	}
	if typ, name, ok := strings.Cut(s, " "); ok && !strings.Contains(s, ":") && !strings.Contains(name, " ") {
		return sign + name + ": " + typ
	}
	return sign + s
}

func (p *classes) note(s string) error {
	of := ""
	if rest, ok := strings.CutPrefix(s, "for "); ok {
		of, s, _ = strings.Cut(rest, " ")
	}
	id := "note " + clean(s)
	n := p.c.touch(id, p.ns)
	n.Label, n.Shape = clean(s), "note"
	if of != "" {
		p.c.Edges = append(p.c.Edges, Edge{From: id, To: p.touch(of).ID, Line: "dashed", Tail: "none", Head: "none", line: p.at.line})
	}
	return nil
}

// relation reads A "1" <|-- "*" B : label.
func (p *classes) relation(s string) (bool, error) {
	words, label := s, ""
	if i := strings.Index(s, " :"); i > 0 {
		words, label = s[:i], clean(s[i+2:])
	}
	i, j := link(words)
	if i < 0 {
		return false, nil
	}
	left, right := strings.TrimSpace(words[:i]), strings.TrimSpace(words[j:])
	left, tail := quotedEnd(left)
	right, head := quotedStart(right)
	if left == "" || right == "" {
		return false, p.fail("a relation needs a class at both ends: %.40q", s)
	}
	e := Edge{From: p.touch(left).ID, To: p.touch(right).ID, Label: label, Tail: "none", Head: "none", TailText: tail, HeadText: head, line: p.at.line}
	relate(&e, words[i:j])
	p.c.Edges = append(p.c.Edges, e)
	return true, nil
}

// linkSigns are the characters at the ends of a relation's line.
const linkSigns = "<|*o>()"

// link finds the line of a relation with its ends; from is -1 if there is none.
func link(s string) (from, to int) {
	quoted := false
	for i := 0; i+1 < len(s); i++ {
		if s[i] == '"' {
			quoted = !quoted
		}
		if quoted || s[i:i+2] != "--" && s[i:i+2] != ".." {
			continue
		}
		from, to = i, i+2
		for from > 0 && strings.ContainsRune(linkSigns, rune(s[from-1])) && (s[from-1] != 'o' || from == 1 || s[from-2] == ' ' || s[from-2] == '"') {
			from--
		}
		for to < len(s) && strings.ContainsRune(linkSigns, rune(s[to])) && (s[to] != 'o' || to+1 == len(s) || s[to+1] == ' ' || s[to+1] == '"') {
			to++
		}
		return from, to
	}
	return -1, -1
}

// relate sets an edge by the signs of class diagrams: <|-- *-- o-- --> ..>.
func relate(e *Edge, sign string) {
	dashed := strings.Contains(sign, "..")
	left, right, _ := strings.Cut(strings.ReplaceAll(sign, "..", "--"), "--")
	turn := func() {
		e.From, e.To, e.TailText, e.HeadText = e.To, e.From, e.HeadText, e.TailText
	}
	name := map[string]string{"<|": "inherits", "|>": "inherits", "*": "composes", "o": "aggregates", "<": "associates", ">": "associates"}
	l, r := name[left], name[right]
	switch {
	case left != "" && right != "": // in both directions
		e.Tail, e.Head = "open", "open"
		if dashed {
			e.Line = "dashed"
		}
		return
	case l == "inherits" || l == "associates": // B is one of A
		turn()
		e.Relation = l
	case r == "inherits" || r == "associates":
		e.Relation = r
	case l != "": // A is the whole
		e.Relation = l
	case r != "":
		turn()
		e.Relation = r
	case dashed:
		e.Line = "dashed"
		return
	}
	if dashed {
		e.Relation = map[string]string{"inherits": "implements", "associates": "depends", "composes": "composes", "aggregates": "aggregates"}[e.Relation]
	}
}

// quotedEnd cuts off a quoted text at the end.
func quotedEnd(s string) (rest, text string) {
	if !strings.HasSuffix(s, `"`) {
		return s, ""
	}
	i := strings.LastIndexByte(s[:len(s)-1], '"')
	if i < 0 {
		return s, ""
	}
	return strings.TrimSpace(s[:i]), s[i+1 : len(s)-1]
}

// quotedStart cuts off a quoted text at the start.
func quotedStart(s string) (rest, text string) {
	if !strings.HasPrefix(s, `"`) {
		return s, ""
	}
	i := strings.IndexByte(s[1:], '"')
	if i < 0 {
		return s, ""
	}
	return strings.TrimSpace(s[i+2:]), s[1 : i+1]
}

// direction returns a direction as this domain spells it, "" if it is unknown.
func direction(s string) string {
	s = strings.ToUpper(strings.TrimSpace(s))
	if s == "TD" {
		s = "TB"
	}
	if slices.Contains([]string{"TB", "LR", "BT", "RL"}, s) {
		return s
	}
	return ""
}
