package chart

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
)

// Mermaid writes a chart as Mermaid: a sequence, class or entity-relationship diagram, or a flowchart. The function
// Mermaid reads the same chart from it, except for styles.
func (c *Chart) Mermaid() string {
	w := &writer{c: c}
	if c.Title != "" && c.Kind != Gantt {
		w.line(0, "---")
		w.line(0, "title: %s", strings.ReplaceAll(c.Title, "\n", " "))
		w.line(0, "---")
	}
	switch c.Kind {
	case Messages:
		w.sequence()
	case Classes:
		w.classes()
	case Entities:
		w.entities()
	case Gantt:
		w.plan()
	case Mindmap:
		w.line(0, "mindmap")
		w.writeBranches("", 1)
	default:
		w.flowchart()
	}
	return w.b.String()
}

type writer struct {
	c *Chart
	b strings.Builder
}

func (w *writer) line(depth int, format string, args ...any) {
	w.b.WriteString(strings.Repeat("  ", depth))
	fmt.Fprintf(&w.b, format, args...)
	w.b.WriteByte('\n')
}

// quoted returns a label in quotes, escaped for Mermaid.
func quoted(s string) string {
	if s == "" {
		s = " " // Mermaid refuses an empty label
	}
	return `"` + strings.NewReplacer(`"`, "#quot;", "\n", "<br>", "&", "&amp;", "<", "&lt;", ">", "&gt;", "\r", "").Replace(s) + `"`
}

// lineText returns a text that extends to the end of its line, escaped for Mermaid.
func lineText(s string) string {
	return strings.TrimSpace(strings.NewReplacer("\n", "<br>", ";", ",", "%%", "%").Replace(s))
}

func (w *writer) flowchart() {
	dir := w.c.Dir
	if dir == "" {
		dir = "TB"
	}
	w.line(0, "flowchart %s", dir)
	w.writeGroup(-1, 1)
	for _, e := range w.c.Edges {
		w.line(1, "%s %s %s", e.From, arrowText(e), e.To)
	}
}

// writeGroup writes the nodes and groups in a group, -1 for the page.
func (w *writer) writeGroup(group, depth int) {
	for _, n := range w.c.Nodes {
		if n.Group == group {
			w.line(depth, "%s", nodeText(n))
		}
	}
	for i, g := range w.c.Groups {
		if g.Parent == group {
			w.line(depth, "subgraph %s [%s]", g.ID, quoted(g.Label))
			w.writeGroup(i, depth+1)
			w.line(depth, "end")
		}
	}
}

// writeBranches writes a node of a mind map ("" for its root) and its descendants, in the order of its edges.
func (w *writer) writeBranches(id string, depth int) {
	for _, n := range w.c.Nodes {
		if id != "" && n.ID != id || id == "" && slices.ContainsFunc(w.c.Edges, func(e Edge) bool { return e.To == n.ID }) {
			continue
		}
		label := strings.Join(strings.Fields(n.Label), " ")
		switch n.Shape {
		case "circle", "event":
			label = n.ID + "((" + label + "))"
		case "cloud":
			label = n.ID + ")" + label + "("
		case "api":
			label = n.ID + "{{" + label + "}}"
		case "box":
			label = n.ID + "[" + label + "]"
		default:
			if strings.ContainsAny(label, "()[]{}:") {
				label = n.ID + "(" + quoted(label) + ")"
			}
		}
		w.line(depth, "%s", label)
		for _, e := range w.c.Edges {
			if e.From == n.ID {
				w.writeBranches(e.To, depth+1)
			}
		}
		return
	}
}

// nodeText returns a node with its shape.
func nodeText(n Node) string {
	for _, s := range []struct{ kind, open, shut string }{
		{"svc", "(", ")"}, {"task", "(", ")"}, {"state", "(", ")"}, {"person", "(", ")"}, {"system", "(", ")"}, {"container", "(", ")"}, {"component", "(", ")"},
		{"circle", "((", "))"}, {"event", "((", "))"}, {"initial", "((", "))"}, {"final", "(((", ")))"}, {"gateway", "{", "}"}, {"process", "[[", "]]"}, {"db", "[(", ")]"}, {"api", "{{", "}}"}, {"decision", "{", "}"},
	} {
		if n.Shape == s.kind {
			return n.ID + s.open + quoted(n.Label) + s.shut
		}
	}
	for _, s := range [][2]string{{"doc", "doc"}, {"queue", "h-cyl"}, {"cloud", "cloud"}, {"triangle", "tri"}, {"note", "comment"}, {"text", "text"}} {
		if n.Shape == s[0] {
			return fmt.Sprintf("%s@{ shape: %s, label: %s }", n.ID, s[1], quoted(n.Label))
		}
	}
	return n.ID + "[" + quoted(n.Label) + "]"
}

// arrowText returns the arrow of an edge in a flowchart, with its label.
func arrowText(e Edge) string {
	line, tail, head := "--", "", "-"
	switch e.Line {
	case "dashed":
		line = "-.-"
	case "thick":
		line, head = "==", "="
	}
	sign := func(name string) string {
		switch name {
		case "none", "":
			return ""
		case "circle":
			return "o"
		case "cross":
			return "x"
		}
		return ">"
	}
	if t := sign(e.Tail); t != "" {
		if tail = t; t == ">" {
			tail = "<"
		}
	}
	if h := sign(e.Head); h != "" {
		head = h
	} else if line == "-.-" {
		head = ""
	}
	out := tail + line + head
	if e.Label != "" {
		out += "|" + quoted(e.Label) + "|"
	}
	return out
}

func (w *writer) classes() {
	w.line(0, "classDiagram")
	if w.c.Dir != "" {
		w.line(1, "direction %s", w.c.Dir)
	}
	for _, n := range w.c.Nodes {
		label, kind := n.Label, ""
		if head, rest, ok := strings.Cut(label, "\n"); ok && strings.HasPrefix(head, "«") {
			kind, label = strings.Trim(head, "«»"), rest
		}
		name := n.ID
		if label != n.ID {
			name += "[" + quoted(label) + "]"
		}
		if len(n.Fields)+len(n.Methods) == 0 && kind == "" {
			w.line(1, "class %s", name)
			continue
		}
		w.line(1, "class %s {", name)
		if kind != "" {
			w.line(2, "<<%s>>", kind)
		}
		for _, f := range append(append([]string{}, n.Fields...), n.Methods...) {
			w.line(2, "%s", lineText(f))
		}
		w.line(1, "}")
	}
	signs := map[string]string{"inherits": "--|>", "implements": "..|>", "composes": "*--", "aggregates": "o--", "associates": "-->", "depends": "..>"}
	for _, e := range w.c.Edges {
		sign := signs[e.Relation]
		if sign == "" {
			sign = "--"
			if e.Line == "dashed" {
				sign = ".."
			}
			if e.Head != "none" {
				sign += ">"
			}
			if e.Tail != "none" {
				sign = "<" + sign
			}
		}
		end := func(text string) string {
			if text == "" {
				return ""
			}
			return ` "` + strings.ReplaceAll(lineText(text), `"`, "'") + `"`
		}
		label := ""
		if e.Label != "" {
			label = " : " + lineText(e.Label)
		}
		head := end(e.HeadText)
		w.line(1, "%s%s %s%s %s%s", e.From, end(e.TailText), sign, head, e.To, label)
	}
}

func (w *writer) entities() {
	w.line(0, "erDiagram")
	for _, n := range w.c.Nodes {
		name := n.ID
		if n.Label != n.ID {
			name += "[" + quoted(n.Label) + "]"
		}
		if len(n.Fields) == 0 {
			w.line(1, "%s", name)
			continue
		}
		w.line(1, "%s {", name)
		for _, f := range n.Fields {
			key := ""
			for _, k := range []string{"PK", "FK"} {
				if rest, ok := strings.CutPrefix(f, k+" "); ok {
					f, key = rest, " "+k
				}
			}
			field, typ, ok := strings.Cut(f, ":")
			if typ = strings.Join(strings.Fields(typ), "_"); !ok || typ == "" {
				typ = "string"
			}
			w.line(2, "%s %s%s", typ, strings.Join(strings.Fields(field), "_"), key)
		}
		w.line(1, "}")
	}
	left := map[string]string{"ERmandOne": "||", "ERone": "||", "ERzeroToOne": "|o", "ERzeroToMany": "}o", "ERmany": "}o", "crow-foot": "}o", "ERoneToMany": "}|"}
	right := map[string]string{"ERmandOne": "||", "ERone": "||", "ERzeroToOne": "o|", "ERzeroToMany": "o{", "ERmany": "o{", "crow-foot": "o{", "ERoneToMany": "|{"}
	for _, e := range w.c.Edges {
		tail, head, line := left[e.Tail], right[e.Head], "--"
		if tail == "" {
			tail = "||"
		}
		if head == "" {
			head = "||"
		}
		if e.Line == "dashed" {
			line = ".."
		}
		w.line(1, "%s %s%s%s %s : %s", e.From, tail, line, head, e.To, quoted(e.Label))
	}
}

func (w *writer) sequence() {
	w.line(0, "sequenceDiagram")
	s := w.c.Sequence
	name := func(i int) string { return s.Participants[i].ID }
	for _, p := range s.Participants {
		kind := pdk.If(p.Actor, "actor", "participant")
		if p.Label == p.ID {
			w.line(1, "%s %s", kind, p.ID)
		} else {
			w.line(1, "%s %s as %s", kind, p.ID, lineText(p.Label))
		}
	}
	depth := 1
	var frames []string
	for _, x := range s.Steps {
		switch x.Kind {
		case Message:
			sign := "->>"
			switch x.Head {
			case "none":
				sign = "->"
			case "open":
				sign = "-)"
			case "cross":
				sign = "-x"
			}
			if x.Both {
				sign = "->>"
			}
			if x.Dashed {
				sign = "-" + sign
			}
			if x.Both {
				sign = "<<" + sign
			}
			w.line(depth, "%s%s%s: %s", name(x.From), sign, name(x.To), lineText(x.Text))
		case Note:
			who := name(x.From)
			if x.Side == "over" && x.To != x.From {
				who += "," + name(x.To)
			}
			side := x.Side
			if side != "over" {
				side += " of"
			}
			w.line(depth, "Note %s %s: %s", side, who, lineText(x.Text))
		case Activate, Deactivate:
			w.line(depth, "%s %s", x.Kind, name(x.From))
		case Open:
			w.line(depth, "%s", strings.TrimSpace(x.Frame+" "+lineText(x.Text)))
			depth++
			frames = append(frames, x.Frame)
		case Section:
			if len(frames) == 0 {
				continue
			}
			w.line(depth-1, "%s", strings.TrimSpace(SectionWord(frames[len(frames)-1])+" "+lineText(x.Text)))
		case Close:
			if len(frames) == 0 {
				continue
			}
			frames = frames[:len(frames)-1]
			depth--
			w.line(depth, "end")
		}
	}
}
