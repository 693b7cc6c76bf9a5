package deck

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/cuedeck/internal/card"
)

var graphForms = []string{"ascii", "mermaid", "dot", "json"}

func graphQuery() query {
	return query{Query: abi.Query{Syntax: "graph [ascii|mermaid|dot|json] [SEL]", Summary: "cards and their dependencies; without SEL all but archived ones"}, Run: graph}
}

func graph(v *view, a pdk.Args) (abi.QueryResponse, error) {
	w := v.Model
	form := "ascii"
	if given := a.Text(0); given != "" {
		var ok bool
		if form, ok = pdk.OneOf(given, graphForms); !ok {
			return abi.QueryResponse{}, pdk.Errorf("graph takes %s, not %s", strings.Join(graphForms, " "), pdk.Quote(given)).Instead(given, pdk.Nearest(given, graphForms)...)
		}
	}
	cards, err := selectedCards(v, a)
	if err != nil {
		return abi.QueryResponse{}, err
	}
	if len(a.Selectors) == 0 {
		used := w.dependents()
		cards = slices.DeleteFunc(slices.Clone(cards), func(k *Card) bool {
			return k.Card == nil || k.Status == "archived" && len(used[k.ID]) == 0
		})
	}
	if len(cards) == 0 && form == "ascii" {
		return abi.QueryResponse{Text: "no cards"}, nil
	}
	in := map[string]bool{}
	for _, k := range cards {
		in[k.ID] = true
	}
	p := v.Page()
	say := func(format string, args ...any) {
		p.Line(func(b []byte) []byte { return fmt.Appendf(b, format, args...) })
	}
	switch form {
	case "mermaid":
		writeMermaid(cards, in, say)
	case "dot":
		writeDot(cards, in, say)
	case "json":
		if err := w.writeJSON(cards, say); err != nil {
			return abi.QueryResponse{}, err
		}
	default:
		w.writeTrees(cards, in, say)
	}
	return p.Answer(0), nil
}

// writeMermaid prints cards as a Mermaid flowchart. in has the ids of the cards.
func writeMermaid(cards []*Card, in map[string]bool, say func(string, ...any)) {
	say("graph LR")
	for _, k := range cards {
		say("  %s[\"%s\"]:::%s", mermaidID(k.ID), strings.NewReplacer(`"`, "#quot;", "\\", "#92;").Replace(pdk.Line(k.Title, 60)), statusClass(k))
	}
	for _, k := range cards {
		for _, on := range k.DependsOn {
			if in[on] {
				say("  %s --> %s", mermaidID(on), mermaidID(k.ID))
			}
		}
	}
	for _, c := range classes {
		say("  classDef %s fill:%s,stroke:%s", c[0], c[1], c[2])
	}
}

// writeDot prints cards as a Graphviz graph. in has the ids of the cards.
func writeDot(cards []*Card, in map[string]bool, say func(string, ...any)) {
	say("digraph cuedeck {")
	say("  rankdir=LR; node [shape=box, style=filled];")
	for _, k := range cards {
		say("  %s [label=%s, fillcolor=%q];", dotQuote(k.ID), dotQuote(pdk.Line(k.Title, 60)), statusFill(k))
	}
	for _, k := range cards {
		for _, on := range k.DependsOn {
			if in[on] {
				say("  %s -> %s;", dotQuote(on), dotQuote(k.ID))
			}
		}
	}
	say("}")
}

// writeJSON prints cards as a JSON array.
func (w *Workspace) writeJSON(cards []*Card, say func(string, ...any)) error {
	type vertex struct {
		ID       string   `json:"id"`
		Title    string   `json:"title"`
		Status   string   `json:"status"`
		Priority string   `json:"priority"`
		Needs    []string `json:"depends_on"`
		Waits    []string `json:"waits_for"`
	}
	say("[")
	for i, k := range cards {
		data, err := json.Marshal(vertex{k.ID, k.Title, k.Status, k.Priority, nonNil(k.DependsOn), nonNil(w.unfinishedDeps(k))})
		if err != nil {
			return err
		}
		comma := ","
		if i == len(cards)-1 {
			comma = ""
		}
		say("  %s%s", data, comma)
	}
	say("]")
	return nil
}

// nonNil returns a list that is never null in JSON.
func nonNil(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// writeTrees prints cards indented below their dependencies.
func (w *Workspace) writeTrees(cards []*Card, in map[string]bool, say func(string, ...any)) {
	used := map[string][]string{}
	for _, k := range cards {
		for _, on := range k.DependsOn {
			used[on] = append(used[on], k.ID)
		}
	}
	told := map[string]bool{}
	var walk func(k *Card, depth int)
	walk = func(k *Card, depth int) {
		s := strings.Repeat("  ", depth) + w.statusLine(k.ID)
		if k.open() && len(w.unfinishedDeps(k)) > 0 {
			s += ", waits for " + strings.Join(w.unfinishedDeps(k), " ")
		}
		if told[k.ID] && len(used[k.ID]) > 0 {
			s += " (as above)"
		}
		say("%s", s)
		if told[k.ID] {
			return
		}
		told[k.ID] = true
		for _, id := range used[k.ID] {
			walk(w.byID[id], depth+1)
		}
	}
	for _, k := range cards {
		if !slices.ContainsFunc(k.DependsOn, func(id string) bool { return in[id] }) {
			walk(k, 0)
		}
	}
	for _, k := range cards { // a cycle has no first card
		if !told[k.ID] {
			walk(k, 0)
		}
	}
}

// classes are the colors of statuses: name, fill, stroke.
var classes = [][3]string{{"todo", "#f1f5f9", "#94a3b8"}, {"active", "#dbeafe", "#2563eb"}, {"done", "#dcfce7", "#16a34a"}, {"archived", "#e5e7eb", "#9ca3af"}, {"other", "#fef9c3", "#ca8a04"}}

func statusClass(k *Card) string {
	if slices.Contains(card.Statuses, k.Status) {
		return k.Status
	}
	return "other"
}

func statusFill(k *Card) string {
	for _, c := range classes {
		if c[0] == statusClass(k) {
			return c[1]
		}
	}
	return ""
}

// mermaidID returns an id as a Mermaid identifier.
func mermaidID(id string) string {
	return "c_" + strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, id)
}

// dotQuote quotes a text for Graphviz.
func dotQuote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
