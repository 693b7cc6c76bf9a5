package chart

import (
	"fmt"
	"strings"
)

// Mermaid reads a flowchart, a sequence, class, entity-relationship, state or Gantt diagram, or a mind map. It ignores
// styles and clicks and refuses other kinds.
func Mermaid(text string) (*Chart, error) {
	text = strings.TrimPrefix(strings.ReplaceAll(text, "\r\n", "\n"), "\ufeff")
	lines := strings.Split(text, "\n")
	for i, l := range lines { // drop the fences of Markdown
		if strings.HasPrefix(strings.TrimSpace(l), "```") {
			lines[i] = ""
		}
	}
	c := newChart()
	from := c.front(lines)
	for from < len(lines) && (strings.TrimSpace(lines[from]) == "" || strings.HasPrefix(strings.TrimSpace(lines[from]), "%%")) {
		from++
	}
	if from == len(lines) {
		return nil, &Error{1, "the text does not begin a diagram; its first word gives the kind: " + mermaidKinds}
	}
	word, _, _ := strings.Cut(strings.TrimSpace(lines[from]), " ")
	word, _, _ = strings.Cut(word, ";")
	var err error
	switch word {
	case "graph", "flowchart", "flowchart-elk":
		c.Kind = Flowchart
		err = c.flowchart(lines, from)
	case "sequenceDiagram":
		c.Kind = Messages
		r := newMessages(c)
		err = run(r, &r.at, lines, from+1)
	case "classDiagram", "classDiagram-v2":
		c.Kind = Classes
		r := &classes{c: c, ns: -1}
		err = run(r, &r.at, lines, from+1)
	case "erDiagram":
		c.Kind = Entities
		r := &entities{c: c, open: -1}
		err = run(r, &r.at, lines, from+1)
	case "stateDiagram", "stateDiagram-v2":
		c.Kind = States
		r := &states{c: c}
		err = run(r, &r.at, lines, from+1)
	case "mindmap":
		c.Kind = Mindmap
		r := &mindmap{c: c}
		err = run(r, &r.at, lines, from+1)
	case "gantt":
		c.Kind = Gantt
		r := newPlan(c)
		err = run(r, &r.at, lines, from+1)
	default:
		return nil, &Error{from + 1, fmt.Sprintf("%q does not begin a supported diagram; kinds: %s", word, mermaidKinds)}
	}
	if err != nil {
		return nil, err
	}
	return c, c.check(len(lines))
}

const mermaidKinds = "flowchart sequenceDiagram classDiagram erDiagram stateDiagram-v2 mindmap gantt"

// front reads the title in the front matter and returns the index of the line after it.
func (c *Chart) front(lines []string) int {
	if strings.TrimSpace(lines[0]) != "---" {
		return 0
	}
	for i := 1; i < len(lines); i++ {
		l := strings.TrimSpace(lines[i])
		if l == "---" {
			return i + 1
		}
		if v, ok := strings.CutPrefix(l, "title:"); ok {
			c.Title = clean(v)
		}
	}
	return len(lines)
}

func (c *Chart) flowchart(lines []string, from int) error {
	p := &mermaid{c: c, edges: map[string]bool{}}
	for i := from; i < len(lines); i++ {
		p.line = i + 1
		for _, stmt := range statements(lines[i]) {
			if err := p.statement(stmt); err != nil {
				return err
			}
			if err := p.c.check(p.line); err != nil {
				return err
			}
		}
	}
	if len(p.open) > 0 {
		return &Error{p.opened[len(p.opened)-1], fmt.Sprintf("subgraph %q has no end", p.c.Groups[p.open[len(p.open)-1]].Label)}
	}
	p.settle()
	return nil
}

type mermaid struct {
	c      *Chart
	line   int
	begun  bool
	open   []int           // enclosing groups
	opened []int           // the lines that opened them
	edges  map[string]bool // ids of edges, which only styles refer to
}

// statements splits a line at semicolons and drops its comment.
func statements(l string) []string {
	var out []string
	quoted, depth, from := false, 0, 0
	for i := 0; i < len(l); i++ {
		switch c := l[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '(' || c == '{':
			depth++
		case c == ']' || c == ')' || c == '}':
			depth--
		case c == ';' && depth <= 0:
			out = append(out, l[from:i])
			from = i + 1
		case c == '%' && strings.HasPrefix(l[i:], "%%"):
			return append(out, l[from:i])
		}
	}
	return append(out, l[from:])
}

func (p *mermaid) fail(format string, args ...any) error {
	return &Error{p.line, fmt.Sprintf(format, args...)}
}

func (p *mermaid) around() int {
	if len(p.open) == 0 {
		return -1
	}
	return p.open[len(p.open)-1]
}

func (p *mermaid) statement(s string) error {
	s = strings.TrimSpace(s)
	if s == "" {
		return nil
	}
	word, rest, _ := strings.Cut(s, " ")
	rest = strings.TrimSpace(rest)
	if !p.begun {
		p.begun = true
		if dir, more, _ := strings.Cut(rest, " "); dir != "" {
			if err := p.direction(dir); err != nil {
				return err
			}
			return p.statement(more)
		}
		return nil
	}
	switch word {
	case "classDef", "class", "style", "linkStyle", "click", "accTitle:", "accDescr:":
		return nil
	case "direction":
		return nil // the direction of a subgraph: only the page has one
	case "end":
		if len(p.open) == 0 {
			return p.fail("end without a subgraph")
		}
		p.open, p.opened = p.open[:len(p.open)-1], p.opened[:len(p.opened)-1]
		return nil
	case "subgraph":
		return p.subgraph(rest)
	}
	return p.chain(s)
}

func (p *mermaid) direction(dir string) error {
	switch dir {
	case "TD":
		dir = "TB"
	case "TB", "LR", "BT", "RL":
	default:
		return p.fail("%q is not a direction: TB LR BT RL", dir)
	}
	p.c.Dir = dir
	return nil
}

func (p *mermaid) subgraph(s string) error {
	if len(p.open) >= 20 {
		return p.fail("subgraphs are nested more than 20 deep")
	}
	id, label := s, s
	if i := strings.IndexByte(s, '['); i > 0 && strings.HasSuffix(s, "]") {
		id, label = strings.TrimSpace(s[:i]), s[i+1:len(s)-1]
	}
	label = clean(label)
	if id = strings.Trim(id, `"`); id == "" {
		id = fmt.Sprintf("subgraph%d", len(p.c.Groups)+1)
	}
	if label == "" {
		label = id
	}
	i, ok := p.c.group[id]
	if !ok {
		i = len(p.c.Groups)
		p.c.group[id] = i
		p.c.Groups = append(p.c.Groups, Group{ID: id, Label: label, Parent: p.around()})
	}
	p.open, p.opened = append(p.open, i), append(p.opened, p.line)
	return nil
}

// chain reads a chain such as A[..] --> B & C -->|label| D.
func (p *mermaid) chain(s string) error {
	from, rest, err := p.nodes(s)
	if err != nil {
		return err
	}
	for rest = strings.TrimSpace(rest); rest != ""; rest = strings.TrimSpace(rest) {
		e, tail, err := p.link(rest)
		if err != nil {
			return err
		}
		to, after, err := p.nodes(tail)
		if err != nil {
			return err
		}
		for _, a := range from {
			for _, b := range to {
				one := e
				one.From, one.To = a, b
				p.c.Edges = append(p.c.Edges, one)
			}
		}
		if err := p.c.check(p.line); err != nil {
			return err
		}
		from, rest = to, after
	}
	return nil
}

// link reads an arrow with its label.
func (p *mermaid) link(s string) (e Edge, rest string, err error) {
	e = Edge{Tail: "none", Head: "none", line: p.line}
	at := s
	if id, rest, ok := strings.Cut(s, "@"); ok && rest != "" && strings.ContainsRune("-=<~ox", rune(rest[0])) && !strings.ContainsAny(id, " -=<") {
		p.edges[id] = true
		at = rest
	}
	if len(at) > 1 && (at[0] == '<' || (at[0] == 'o' || at[0] == 'x') && strings.ContainsRune("-=", rune(at[1]))) {
		e.Tail = headOf(at[0])
		at = at[1:]
	}
	run := func(s string) int {
		n := 0
		for n < len(s) && strings.ContainsRune("-=.~", rune(s[n])) {
			n++
		}
		return n
	}
	n := run(at)
	if n < 2 {
		return e, "", p.fail("an arrow such as --> is missing here: %.40q", s)
	}
	body := at[:n]
	at = at[n:]
	switch {
	case body[0] == '=':
		e.Line = "thick"
	case strings.Contains(body, "."):
		e.Line = "dashed"
	case body[0] == '~':
		e.Line = "hidden"
	}
	head := func() bool {
		if at == "" {
			return false
		}
		switch c := at[0]; {
		case c == '>':
		case (c == 'o' || c == 'x') && (len(at) == 1 || at[1] == ' ' || at[1] == '|'):
		default:
			return false
		}
		e.Head = headOf(at[0])
		at = at[1:]
		return true
	}
	if !head() && n == 2 && e.Line != "hidden" {
		// A label inside the arrow: -- text -->, == text ==>, -. text .->
		if text, after, ok := inside(at, body); ok {
			e.Label = clean(text)
			at = after[run(after):]
			head()
		} else if body == "-." {
			return e, "", p.fail("the arrow %q is not finished", body)
		}
	}
	if after, ok := strings.CutPrefix(strings.TrimLeft(at, " "), "|"); ok {
		end := closingIndex(after, 0, "|")
		if end < 0 {
			return e, "", p.fail("the label |%.20s is not closed", after)
		}
		e.Label = clean(after[:end])
		at = after[end+1:]
	}
	if strings.TrimSpace(at) == "" {
		return e, "", p.fail("nothing follows the arrow")
	}
	return e, at, nil
}

// inside finds the text within an arrow, up to the second half of the arrow.
func inside(s, body string) (text, after string, ok bool) {
	var shut string
	switch body {
	case "--":
		shut = "--"
	case "==":
		shut = "=="
	case "-.":
		shut = ".-"
	}
	i := closingIndex(s, 0, shut)
	if i <= 0 || strings.TrimSpace(s[:i]) == "" {
		return "", "", false
	}
	return s[:i], s[i:], true
}

func headOf(c byte) string {
	switch c {
	case 'o':
		return "circle"
	case 'x':
		return "cross"
	}
	return "classic"
}

// settle redirects edges that named a subgraph before it was defined to that subgraph.
func (p *mermaid) settle() {
	var kept []Node
	for _, n := range p.c.Nodes {
		if n.Shape == "" && p.c.Group(n.ID) >= 0 {
			delete(p.c.node, n.ID)
			continue
		}
		kept = append(kept, n)
	}
	p.c.Nodes = kept
	for i, n := range kept {
		p.c.node[n.ID] = i
	}
}
