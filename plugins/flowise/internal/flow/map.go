package flow

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/jsontree"
	"github.com/fcp-host/fcp-host/plugins/flowise/internal/api"
)

func queries() []query {
	return pdk.Folding(pdk.DeclareQueries(
		pdk.NewQuery("map", "every node with its position and edges", func(v *view, _ pdk.Args) (string, error) { return v.Model.overview(v.Model.nodes), nil }),
		pdk.NewQuery("list SEL", "the nodes that selectors match", list),
		pdk.NewQuery("describe NODE [INPUT]", "a node: inputs, outputs, edges, what is missing; or one input in full", describe),
		pdk.NewQuery("find TEXT…", "nodes that have a text in their id, label or inputs", find),
		pdk.NewQuery("graph", "each edge with its handles", func(v *view, _ pdk.Args) (string, error) { return v.Model.graph(), nil }),
		pdk.NewQuery("stats", "counts by category", func(v *view, _ pdk.Args) (string, error) { return v.Model.stats(), nil }),
		query{Run: validate, Query: abi.Query{Syntax: "validate", Summary: "problems of the flow, also against the catalogue; with the grant, against the server's and its copy"}},
		query{Run: typeList, Query: abi.Query{Syntax: "types [CATEGORY|TEXT…]", Summary: "the catalogue of nodes: its categories, what is in one, or what has a text in its name"}},
		query{Run: typeOne, Query: abi.Query{Syntax: "type NAME", Summary: "a type of the catalogue: inputs with defaults and options, outputs"}},
		query{Run: credentials, Query: abi.Query{Syntax: "credentials", Summary: "the credentials that the server stores: id, type and name, for credential:ID", Wants: []string{api.Want}}},
		query{Run: flows, Query: abi.Query{Syntax: "flows [TEXT…]", Summary: "the flows on the server, the last changed first", Wants: []string{api.Want}}},
		query{Run: diff, Query: abi.Query{Syntax: "diff", Summary: "the differences between this document and the flow on the server; of a file, what was done since it was saved or opened", Wants: []string{api.Want}}},
		query{Run: runs, Query: abi.Query{Syntax: "runs", Summary: "the latest runs of this flow on the server", Wants: []string{api.Want}}},
		query{Run: preview, Query: abi.Query{Syntax: "preview [width:N]", Summary: "the flow as a picture"}},
	), nil, []string{"find", "types", "flows"})
}

// overview prints one line for each node.
func (f *Flow) overview(nodes []*Node) string {
	lines := []string{"map: " + f.digest()}
	for _, n := range nodes {
		lines = append(lines, f.nodeLine(n))
	}
	return strings.Join(lines, "\n")
}

// nodeLine prints a node on one line.
func (f *Flow) nodeLine(n *Node) string {
	b := n.box()
	if n.note() {
		return fmt.Sprintf("  %s note %s @(%s,%s)", pdk.Quote(n.ID), strconv.Quote(pdk.Line(n.data.Get("inputs", "note").Text(), 80)), num(b.X), num(b.Y))
	}
	s := fmt.Sprintf("  %s @(%s,%s %sx%s)", n, num(b.X), num(b.Y), num(b.W), num(b.H))
	if n.Parent != "" {
		s += " in " + pdk.Quote(n.Parent)
	}
	var to []string
	for _, e := range f.edges {
		if e.Source == n.ID {
			t := pdk.Quote(e.Target)
			if name := f.outputName(e); n.agent() && len(n.outputs()) > 1 {
				t += " (" + name + ")"
			}
			if k := f.byID[e.Target]; k != nil && e.TargetHandle != e.Target {
				t += "." + handleName(e.TargetHandle)
			}
			if label := n.ownLabel(e); label != "" {
				t += " " + strconv.Quote(pdk.Line(label, 30))
			}
			to = append(to, t)
		}
	}
	if len(to) > 0 {
		s += " -> " + strings.Join(to, ", ")
	}
	if missing := f.unset(n); len(missing) > 0 {
		s += " unset: " + strings.Join(missing, " ")
	}
	return s
}

// ownLabel returns the label of an edge from n, or "" if the label only names the
// output.
func (n *Node) ownLabel(e *Edge) string {
	for _, o := range n.outputs() {
		if n.agent() && o.id == e.SourceHandle && (e.Label == o.label || e.Label == o.name) {
			return ""
		}
	}
	return e.Label
}

// handleName returns the name of the input or output in a handle: ID-input-NAME-TYPE.
func handleName(handle string) string {
	for _, mark := range []string{"-input-", "-output-"} {
		if _, rest, ok := strings.Cut(handle, mark); ok {
			name, _, _ := strings.Cut(rest, "-")
			return pdk.Quote(name)
		}
	}
	return pdk.Quote(handle)
}

func list(v *view, a pdk.Args) (string, error) {
	f := v.Model
	if len(a.Selectors) == 0 {
		return "", pdk.Errorf("list needs a selector").TryQuery("list @all")
	}
	nodes, err := selection.Select(f, v.Recent, a.Selectors)
	if err != nil {
		return "", err
	}
	lines := []string{pdk.Count(len(nodes), "node")}
	for _, n := range nodes {
		lines = append(lines, f.nodeLine(n))
	}
	return strings.Join(lines, "\n"), nil
}

func describe(v *view, a pdk.Args) (string, error) {
	f := v.Model
	n, err := f.node(a.Text(0))
	if err != nil {
		return "", err
	}
	if name := a.Text(1); name != "" {
		return n.inputValue(name)
	}
	lines := []string{strings.TrimPrefix(f.nodeLine(n), "  ")}
	say := func(format string, args ...any) { lines = append(lines, "  "+fmt.Sprintf(format, args...)) }
	if d := n.data.Get("description").Text(); d != "" {
		say("%s: %s", n.Category, pdk.Line(d, 200))
	}
	if id, needs := n.credential(); id != "" {
		say("credential %s", id)
	} else if needs {
		say("credential: none, and it needs one")
	}
	inputs := n.data.Get("inputs")
	if inputs != nil {
		for _, m := range inputs.Members {
			p := byName(n.params(), m.Key)
			if p != nil && !shown(p, inputs) || empty(m.Value) {
				continue
			}
			s := pdk.Line(m.Value.Plain(), 300)
			if strings.HasSuffix(s, "…") {
				s += fmt.Sprintf(" (in full: describe %s %s)", pdk.Quote(n.ID), m.Key)
			}
			say("%s: %s", m.Key, s)
		}
	}
	if missing := f.unset(n); len(missing) > 0 {
		say("to be given: %s", strings.Join(missing, " "))
	}
	var open []string
	for _, p := range n.params().Each() {
		if name := p.Get("name").Text(); empty(inputs.Get(name)) && shown(p, inputs) && name != "credential" {
			open = append(open, name+"("+p.Get("type").Plain()+")")
		}
	}
	if len(open) > 0 {
		say("empty: %s", pdk.Line(strings.Join(open, " "), 600))
	}
	for _, an := range n.anchors().Each() {
		from := "nothing"
		var sources []string
		for _, e := range f.edges {
			if e.Target == n.ID && e.TargetHandle == an.Get("id").Text() {
				sources = append(sources, pdk.Quote(e.Source))
			}
		}
		if len(sources) > 0 {
			from = strings.Join(sources, ", ")
		}
		say("in %s (%s) from %s", an.Get("name").Text(), an.Get("type").Text(), from)
	}
	for _, o := range n.outputs() {
		types := ""
		if len(o.types) > 0 {
			types = " (" + strings.Join(o.types, " ") + ")"
		}
		say("out %s%s", o.name, types)
	}
	for _, e := range f.edges {
		if e.Target == n.ID && e.TargetHandle == n.ID {
			say("from %s", pdk.Quote(e.Source))
		}
	}
	return strings.Join(lines, "\n"), nil
}

// inputValue prints the whole value of one input.
func (n *Node) inputValue(name string) (string, error) {
	inputs := n.data.Get("inputs")
	v := partOf(inputs, strings.Split(strings.TrimPrefix(name, "input."), "."))
	if v == nil {
		var names []string
		if inputs.Is(jsontree.Object) {
			for _, m := range inputs.Members {
				names = append(names, m.Key)
			}
		}
		e := pdk.Errorf("%s has no input %s: it has %s", n, pdk.Quote(name), pdk.Line(strings.Join(names, " "), 400))
		for _, near := range pdk.Nearest(name, names) {
			e.TryQuery("describe " + pdk.Quote(n.ID) + " " + near)
		}
		return "", e
	}
	if empty(v) {
		return name + " is empty", nil
	}
	return compact(v), nil
}

// compact prints a value: a text as it is, with plain line ends, anything else as JSON on one line.
func compact(v *jsontree.Value) string {
	if v.Is(jsontree.String) {
		return strings.ReplaceAll(v.Plain(), "\r\n", "\n")
	}
	return compactJSON(v)
}

func compactJSON(v *jsontree.Value) string {
	var parts []string
	switch v.Kind {
	case jsontree.Object:
		for _, m := range v.Members {
			parts = append(parts, jsontree.Quote(m.Key)+": "+compactJSON(m.Value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case jsontree.Array:
		for _, item := range v.Items {
			parts = append(parts, compactJSON(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return v.Raw()
}

func find(v *view, a pdk.Args) (string, error) {
	text := strings.ToLower(strings.Join(a.Texts(0), " "))
	if text == "" {
		return "", pdk.Errorf("find needs a text")
	}
	var lines []string
	for _, n := range v.Model.nodes {
		var where []string
		for _, s := range [][2]string{{"id", n.ID}, {"label", n.Label}, {"type", n.Name}} {
			if strings.Contains(strings.ToLower(s[1]), text) {
				where = append(where, s[0])
			}
		}
		if in := n.data.Get("inputs"); in.Is(jsontree.Object) {
			for _, m := range in.Members {
				if strings.Contains(strings.ToLower(m.Value.Plain()), text) {
					where = append(where, m.Key)
				}
			}
		}
		if len(where) > 0 {
			lines = append(lines, n.String()+": "+strings.Join(where, " "))
		}
	}
	if len(lines) == 0 {
		return "nothing has " + strconv.Quote(text), nil
	}
	return strings.Join(lines, "\n"), nil
}

func (f *Flow) graph() string {
	if len(f.edges) == 0 {
		return "no edges"
	}
	var lines []string
	for _, e := range f.edges {
		lines = append(lines, f.edgeLine(e))
	}
	return strings.Join(lines, "\n")
}

// edgeLine prints an edge on one line.
func (f *Flow) edgeLine(e *Edge) string {
	s := pdk.Quote(e.Source) + "." + f.outputName(e) + " -> " + pdk.Quote(e.Target)
	if e.TargetHandle != e.Target {
		s += "." + handleName(e.TargetHandle)
	}
	if e.Label != "" {
		s += " " + strconv.Quote(pdk.Line(e.Label, 60))
	}
	return s
}

// outputName returns the name of the output at which an edge starts, in the form that
// connect accepts.
func (f *Flow) outputName(e *Edge) string {
	if n := f.byID[e.Source]; n != nil {
		for _, o := range n.outputs() {
			if o.id == e.SourceHandle {
				return pdk.Quote(o.name)
			}
		}
	}
	return handleName(e.SourceHandle)
}

func (f *Flow) stats() string {
	by := map[string][]string{}
	var order []string
	for _, n := range f.nodes {
		category := n.Category
		if n.note() {
			category = "notes"
		}
		if by[category] == nil {
			order = append(order, category)
		}
		by[category] = append(by[category], n.Name)
	}
	slices.Sort(order)
	lines := []string{f.digest() + fmt.Sprintf(" %d bytes", len(f.text))}
	for _, c := range order {
		lines = append(lines, fmt.Sprintf("  %s: %d %s", c, len(by[c]), pdk.Line(strings.Join(by[c], " "), 200)))
	}
	return strings.Join(lines, "\n")
}

// digest prints the digest of the flow.
func (f *Flow) digest() string {
	nodes, notes, unset := 0, 0, 0
	for _, n := range f.nodes {
		if n.note() {
			notes++
			continue
		}
		nodes++
		unset += len(f.unset(n))
		if id, needs := n.credential(); needs && id == "" {
			unset++
		}
	}
	s := fmt.Sprintf("%s %dn %de", f.Type(), nodes, len(f.edges))
	if notes > 0 {
		s += " " + pdk.Count(notes, "note")
	}
	if unset > 0 {
		s += fmt.Sprintf(" %d unset", unset)
	}
	return s
}

func state(f *Flow) abi.State {
	return abi.State{Digest: f.digest(), Counts: []abi.Count{{Name: "nodes", Value: len(f.nodes)}, {Name: "edges", Value: len(f.edges)}}, Warnings: lines(f.problems())}
}
