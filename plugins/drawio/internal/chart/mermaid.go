package chart

import (
	"fmt"
	"html"
	"strings"
	"unicode"
)

// Mermaid reads a flowchart, a sequence, class, entity, state or Gantt diagram or a
// mind map. Looks and clicks are passed over; any other kind is refused.
func Mermaid(text string) (*Chart, error) {
	text = strings.TrimPrefix(strings.ReplaceAll(text, "\r\n", "\n"), "\ufeff")
	lines := strings.Split(text, "\n")
	for i, l := range lines { // of Markdown around it
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
		return nil, &Error{1, "the text begins no diagram; its first word says the kind: " + mermaidKinds}
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
		return nil, &Error{from + 1, fmt.Sprintf("%q begins no diagram that is read; there are %s", word, mermaidKinds)}
	}
	if err != nil {
		return nil, err
	}
	return c, c.check(len(lines))
}

const mermaidKinds = "flowchart sequenceDiagram classDiagram erDiagram stateDiagram-v2 mindmap gantt"

// front reads the title of the front matter and gives the line behind it.
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
	open   []int           // groups around
	opened []int           // their lines
	edges  map[string]bool // ids of edges, which only looks are given to
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
		return nil // of a subgraph alone: the page has one
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

// chain reads A[..] --> B & C -->|label| D.
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

// nodes reads one node, or several joined by &.
func (p *mermaid) nodes(s string) (ids []string, rest string, err error) {
	for {
		id, after, err := p.node(strings.TrimSpace(s))
		if err != nil {
			return nil, "", err
		}
		ids = append(ids, id)
		next := strings.TrimSpace(after)
		if !strings.HasPrefix(next, "&") {
			return ids, after, nil
		}
		s = next[1:]
	}
}

// shapes are mermaid's brackets, longer ones first, and what they draw.
func shapes() []struct{ open, shut, kind string } {
	return []struct{ open, shut, kind string }{
		{"(((", ")))", "circle"}, {"((", "))", "circle"}, {"([", "])", "svc"}, {"(", ")", "svc"},
		{"[[", "]]", "process"}, {"[(", ")]", "db"}, {"[/", "/]", "box"}, {"[/", `\]`, "box"}, {`[\`, `\]`, "box"}, {`[\`, "/]", "box"},
		{"[", "]", "box"}, {"{{", "}}", "api"}, {"{", "}", "decision"}, {">", "]", "box"},
	}
}

func (p *mermaid) node(s string) (id, rest string, err error) {
	n := 0
	for i, r := range s {
		// A dash belongs to an id when a letter follows it: load-balancer.
		dash := (r == '-' || r == '.') && i > 0 && i+1 < len(s) && (unicode.IsLetter(rune(s[i+1])) || unicode.IsDigit(rune(s[i+1]))) && s[i-1] != '-' && s[i-1] != ' '
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && !dash {
			break
		}
		n = i + len(string(r))
	}
	if n == 0 {
		return "", "", p.fail("a node must stand here: %.40q", s)
	}
	id, rest = s[:n], s[n:]
	if rest, ok := strings.CutPrefix(rest, "@{"); ok {
		return p.attributes(id, rest)
	}
	isGroup := p.c.Group(id) >= 0
	for _, sh := range shapes() {
		if !strings.HasPrefix(rest, sh.open) {
			continue
		}
		end := closing(rest, len(sh.open), sh.shut)
		if end < 0 {
			continue
		}
		label := clean(rest[len(sh.open):end])
		node := p.c.touch(id, p.around())
		if label != "" {
			node.Label = label
		}
		node.Shape = sh.kind
		p.belongs(node)
		return id, class(rest[end+len(sh.shut):]), nil
	}
	if rest != "" && strings.ContainsRune("[({", rune(rest[0])) {
		return "", "", p.fail("the bracket of %s%.20s is not closed", id, rest)
	}
	if !isGroup {
		p.belongs(p.c.touch(id, p.around()))
	}
	return id, class(rest), nil
}

// attributes reads A@{ shape: doc, label: "Text" }. Of an edge they say looks alone.
func (p *mermaid) attributes(id, s string) (string, string, error) {
	end := closing(s, 0, "}")
	if end < 0 {
		return "", "", p.fail("the bracket of %s@{%.20s is not closed", id, s)
	}
	if p.edges[id] {
		return id, s[end+1:], nil
	}
	node := p.c.touch(id, p.around())
	for _, kv := range splitOutside(s[:end], ',') {
		key, value, _ := strings.Cut(kv, ":")
		value = clean(value)
		switch strings.TrimSpace(key) {
		case "label":
			node.Label = value
		case "shape":
			kind, ok := named()[value]
			if !ok {
				return "", "", p.fail("the shape %q of %s is not known", value, id)
			}
			node.Shape = kind
		}
	}
	p.belongs(node)
	return id, class(s[end+1:]), nil
}

// splitOutside splits at sep where no quotes are around.
func splitOutside(s string, sep byte) (out []string) {
	quoted, from := false, 0
	for i := 0; i < len(s); i++ {
		if s[i] == '"' {
			quoted = !quoted
		} else if s[i] == sep && !quoted {
			out = append(out, s[from:i])
			from = i + 1
		}
	}
	return append(out, s[from:])
}

// named are the names that mermaid has for shapes in @{ shape: … }, and what they
// draw.
func named() map[string]string {
	out := map[string]string{}
	for kind, names := range map[string]string{
		"box": "rect proc process rectangle notch-rect card notched-rectangle sl-rect manual-input sloped-rectangle trap-b priority trapezoid-bottom trapezoid trap-t manual " +
			"trapezoid-top inv-trapezoid lean-r in-out lean-right lean-l out-in lean-left div-rect div-proc divided-rectangle divided-process win-pane internal-storage " +
			"window-pane odd st-rect procs processes stacked-rectangle tag-rect tag-proc tagged-rectangle tagged-process bow-rect stored-data bow-tie-rectangle delay " +
			"half-rounded-rectangle curv-trap display curved-trapezoid",
		"svc":      "rounded event stadium pill terminal",
		"process":  "fr-rect subproc subprocess subroutine framed-rectangle lin-rect lin-proc lined-rectangle lined-process shaded-process",
		"db":       "cyl cylinder database db lin-cyl disk lined-cylinder datastore data-store",
		"queue":    "h-cyl das horizontal-cylinder",
		"circle":   "circ circle dbl-circ double-circle sm-circ small-circle start fr-circ framed-circle stop f-circ filled-circle junction cross-circ summary crossed-circle",
		"decision": "diam decision diamond question",
		"api":      "hex hexagon prepare",
		"doc":      "doc document docs documents st-doc stacked-document lin-doc lined-document tag-doc tagged-document flag paper-tape",
		"cloud":    "cloud",
		"triangle": "tri extract triangle flip-tri manual-file flipped-triangle hourglass collate",
		"note":     "brace comment brace-l brace-r braces",
		"text":     "text",
		"event":    "bolt com-link lightning-bolt",
	} {
		for _, n := range strings.Fields(names) {
			out[n] = kind
		}
	}
	return out
}

// belongs puts a node into the subgraph that first names it.
func (p *mermaid) belongs(n *Node) {
	if n.Group < 0 {
		n.Group = p.around()
	}
}

// class drops a node's :::class.
func class(s string) string {
	rest, ok := strings.CutPrefix(s, ":::")
	if !ok {
		return s
	}
	return strings.TrimLeftFunc(rest, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' })
}

// closing is where a bracket ends, outside of quotes.
func closing(s string, from int, shut string) int {
	quoted := false
	for i := from; i < len(s); i++ {
		if s[i] == '"' {
			quoted = !quoted
		} else if !quoted && strings.HasPrefix(s[i:], shut) {
			return i
		}
	}
	return -1
}

// clean is a label as people read it.
func clean(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > 1 && s[0] == '"' && s[len(s)-1] == '"' {
		s = s[1 : len(s)-1]
	}
	s = strings.Trim(s, "`")
	for _, br := range []string{"<br>", "<br/>", "<br />", `\n`} {
		s = strings.ReplaceAll(s, br, "\n")
	}
	s = strings.ReplaceAll(s, "#quot;", `"`)
	return strings.TrimSpace(html.UnescapeString(s))
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
		return e, "", p.fail("an arrow such as --> must stand here: %.40q", s)
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
		end := closing(after, 0, "|")
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

// inside finds the text of an arrow that a second half closes.
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
	i := closing(s, 0, shut)
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

// settle makes edges that name a subgraph before it was there lead to it.
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
