package deck

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/cuedeck/internal/card"
)

// open reports whether there is something left to do.
func (k *Card) open() bool {
	return k.Card != nil && k.Status != "done" && k.Status != "archived"
}

// needsOf are the ids that a card depends on, none of one that is not there.
func (w *Workspace) needsOf(id string) []string {
	if k := w.byID[id]; k != nil && k.Card != nil {
		return k.DependsOn
	}
	return nil
}

// needs are all ids that a card depends on, also by way of others: the nearest first.
func (w *Workspace) needs(id string) []string {
	return reach(id, w.needsOf)
}

// reach lists what can be reached, without the start unless a way leads back to it.
func reach(id string, next func(string) []string) (out []string) {
	queue := next(id)
	for len(queue) > 0 {
		var more []string
		for _, n := range queue {
			if !slices.Contains(out, n) {
				out = append(out, n)
				more = append(more, next(n)...)
			}
		}
		queue = more
	}
	return out
}

// dependents are the ids of the cards that depend on each, the oldest first.
func (w *Workspace) dependents() map[string][]string {
	out := map[string][]string{}
	for _, k := range w.Cards() {
		for _, id := range w.needsOf(k.ID) {
			out[id] = append(out[id], k.ID)
		}
	}
	return out
}

// waits are the ids of what a card depends on that is not done.
func (w *Workspace) waits(k *Card) (out []string) {
	for _, id := range k.DependsOn {
		if on := w.byID[id]; on == nil || on.open() || on.Card == nil {
			out = append(out, id)
		}
	}
	return out
}

// ready reports whether a card can be begun.
func (w *Workspace) ready(k *Card) bool { return k.Status == "todo" && len(w.waits(k)) == 0 }

// begin are the cards that can be begun.
func (w *Workspace) begin() []*Card {
	return slices.DeleteFunc(readable(w), func(k *Card) bool { return !w.ready(k) })
}

// Cycle is the way from a card over its dependencies back to itself if it had these, too; nil where there is none.
func (w *Workspace) Cycle(from string, more ...string) []string {
	seen := map[string]bool{}
	var way []string
	var walk func(id string) bool
	walk = func(id string) bool {
		way = append(way, id)
		if id == from && len(way) > 1 {
			return true
		}
		if !seen[id] {
			seen[id] = true
			next := w.needsOf(id)
			if id == from {
				next = slices.Concat(more, next)
			}
			if slices.ContainsFunc(next, walk) {
				return true
			}
		}
		way = way[:len(way)-1]
		return false
	}
	if walk(from) {
		return way
	}
	return nil
}

// Cycles lists circles of dependencies, each once, beginning with its oldest card and ending with it again.
func (w *Workspace) Cycles() (out [][]string) {
	const (
		fresh = iota
		onWay
		over
	)
	at := map[string]int{}
	var way []string
	var walk func(id string)
	walk = func(id string) {
		at[id] = onWay
		way = append(way, id)
		for _, next := range w.needsOf(id) {
			switch at[next] {
			case fresh:
				walk(next)
			case onWay:
				circle := slices.Clone(way[slices.Index(way, next):])
				out = append(out, append(circle, next))
			}
		}
		way = way[:len(way)-1]
		at[id] = over
	}
	for _, k := range w.Cards() {
		if at[k.ID] == fresh {
			walk(k.ID)
		}
	}
	return out
}

// Missing lists dependencies that are not there, as pairs of ids: who, and on what.
func (w *Workspace) Missing() (out [][2]string) {
	for _, k := range w.Cards() {
		for _, id := range w.needsOf(k.ID) {
			if w.byID[id] == nil {
				out = append(out, [2]string{k.ID, id})
			}
		}
	}
	return out
}

// arrows prints a way.
func arrows(way []string) string { return strings.Join(way, " → ") }

// cyclic is the refusal of a dependency that would close a circle.
func cyclic(way []string) error {
	return pdk.Errorf("that would be a circle: %s (the first waits for the second)", arrows(way))
}

func depsQuery() query {
	return query{Query: abi.Query{Name: "deps", Syntax: "deps CARD [reverse] [all]", Summary: "what a card depends on; reverse: what depends on it; all: by way of others, too", Takes: &abi.Takes{Min: 1, Max: 3}}, Run: deps}
}

func deps(v *view, a pdk.Args) (abi.QueryResponse, error) {
	w := v.Model
	k, err := w.find(a.Text(0), false)
	if err != nil {
		return abi.QueryResponse{}, err
	}
	next, all, what := w.needsOf, false, "depends on"
	for _, word := range a.Texts(1) {
		switch m, _ := pdk.OneOf(word, []string{"all", "reverse"}); m {
		case "all":
			all = true
		case "reverse":
			used := w.dependents()
			next, what = func(id string) []string { return used[id] }, "is needed by"
		default:
			return abi.QueryResponse{}, pdk.Errorf("deps knows reverse and all, not %s", pdk.Quote(word)).Try(a.Mended(pdk.WithWords(1, len(a.Positionals)-1, "all")), a.Mended(pdk.WithWords(1, len(a.Positionals)-1, "reverse")))
		}
	}
	p := v.Page()
	say := func(s string) bool { return p.Line(func(b []byte) []byte { return append(b, s...) }) }
	list := next(k.ID)
	if len(list) == 0 {
		say(fmt.Sprintf("%s %s nothing", k, what))
		return p.Answer(1), nil
	}
	if all {
		list = reach(k.ID, next)
	}
	say(fmt.Sprintf("%s %s %s:", k, what, pdk.Count(len(list), "card")))
	if !all {
		for _, id := range list {
			say("  " + w.brief(id))
		}
		return p.Answer(0), nil
	}
	told := map[string]bool{k.ID: true}
	var walk func(id string, depth int)
	walk = func(id string, depth int) {
		for _, n := range next(id) {
			s := strings.Repeat("  ", depth) + w.brief(n)
			again := told[n] && len(next(n)) > 0
			if again {
				s += " (as above)"
			}
			say(s)
			if !told[n] {
				told[n] = true
				walk(n, depth+1)
			}
		}
	}
	walk(k.ID, 1)
	return p.Answer(0), nil
}

// brief is a card in a few words, by its id.
func (w *Workspace) brief(id string) string {
	k := w.byID[id]
	switch {
	case k == nil:
		return pdk.Quote(id) + " is not there"
	case k.Card == nil:
		return k.String() + " is broken"
	}
	return k.String() + " " + cmp.Or(k.Status, "without a status")
}

func validateQuery() query {
	return query{Query: abi.Query{Name: "validate", Syntax: "validate [CARD]", Summary: "whether the dependencies hold together: circles, and missing cards", Takes: &abi.Takes{Max: 1}}, Run: validate}
}

func validate(v *view, a pdk.Args) (abi.QueryResponse, error) {
	w := v.Model
	about := func(string) bool { return true }
	if ref := a.Text(0); ref != "" {
		k, err := w.find(ref, false)
		if err != nil {
			return abi.QueryResponse{}, err
		}
		near := append(w.needs(k.ID), k.ID)
		about = func(id string) bool { return slices.Contains(near, id) }
	}
	p := v.Page()
	say := func(format string, args ...any) {
		p.Line(func(b []byte) []byte { return fmt.Appendf(b, format, args...) })
	}
	found := false
	for _, way := range w.Cycles() {
		if about(way[0]) {
			found = true
			say("a circle: %s; cut it with: disconnect %s -> %s", arrows(way), pdk.Quote(way[len(way)-2]), pdk.Quote(way[len(way)-1]))
		}
	}
	for _, m := range w.Missing() {
		if about(m[0]) {
			found = true
			say("%s depends on %s, which does not exist; drop it with: disconnect %s -> %s", w.byID[m[0]], pdk.Quote(m[1]), pdk.Quote(m[0]), pdk.Quote(m[1]))
		}
	}
	if !found {
		n := 0
		for _, k := range w.Cards() {
			n += len(w.needsOf(k.ID))
		}
		say("the dependencies hold together: %s, %d dependencies, no circle, none missing", pdk.Count(len(w.Cards()), "card"), n)
	}
	return p.Answer(0), nil
}

var graphForms = []string{"ascii", "mermaid", "dot", "json"}

func graphQuery() query {
	return query{Query: abi.Query{Name: "graph", Syntax: "graph [ascii|mermaid|dot|json] [SEL]", Summary: "cards and their dependencies; without SEL all but archived ones", Takes: &abi.Takes{Max: 1, Select: true}}, Run: graph}
}

func graph(v *view, a pdk.Args) (abi.QueryResponse, error) {
	w := v.Model
	form := "ascii"
	if given := a.Text(0); given != "" {
		var ok bool
		if form, ok = pdk.OneOf(given, graphForms); !ok {
			return abi.QueryResponse{}, pdk.Errorf("graph is %s, not %s", strings.Join(graphForms, " "), pdk.Quote(given)).Instead(given, pdk.Nearest(given, graphForms)...)
		}
	}
	cards, err := chosen(v, a)
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
		say("graph LR")
		for _, k := range cards {
			say("  %s[\"%s\"]:::%s", node(k.ID), strings.NewReplacer(`"`, "#quot;", "\\", "#92;").Replace(line(k.Title, 60)), class(k))
		}
		for _, k := range cards {
			for _, on := range k.DependsOn {
				if in[on] {
					say("  %s --> %s", node(on), node(k.ID))
				}
			}
		}
		for _, c := range classes {
			say("  classDef %s fill:%s,stroke:%s", c[0], c[1], c[2])
		}
	case "dot":
		say("digraph cuedeck {")
		say("  rankdir=LR; node [shape=box, style=filled];")
		for _, k := range cards {
			say("  %s [label=%s, fillcolor=%q];", dotted(k.ID), dotted(line(k.Title, 60)), fillOf(k))
		}
		for _, k := range cards {
			for _, on := range k.DependsOn {
				if in[on] {
					say("  %s -> %s;", dotted(on), dotted(k.ID))
				}
			}
		}
		say("}")
	case "json":
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
			data, err := json.Marshal(vertex{k.ID, k.Title, k.Status, k.Priority, list(k.DependsOn), list(w.waits(k))})
			if err != nil {
				return abi.QueryResponse{}, err
			}
			comma := ","
			if i == len(cards)-1 {
				comma = ""
			}
			say("  %s%s", data, comma)
		}
		say("]")
	default:
		w.trees(cards, in, say)
	}
	return p.Answer(0), nil
}

// list is never null in JSON.
func list(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// trees prints cards below those that they depend on: what comes first stands to the left.
func (w *Workspace) trees(cards []*Card, in map[string]bool, say func(string, ...any)) {
	used := map[string][]string{}
	for _, k := range cards {
		for _, on := range k.DependsOn {
			used[on] = append(used[on], k.ID)
		}
	}
	told := map[string]bool{}
	var walk func(k *Card, depth int)
	walk = func(k *Card, depth int) {
		s := strings.Repeat("  ", depth) + w.brief(k.ID)
		if k.open() && len(w.waits(k)) > 0 {
			s += ", waits for " + strings.Join(w.waits(k), " ")
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
	for _, k := range cards { // of a circle none is first
		if !told[k.ID] {
			walk(k, 0)
		}
	}
}

// classes are the colours of states: name, fill, stroke.
var classes = [][3]string{{"todo", "#f1f5f9", "#94a3b8"}, {"active", "#dbeafe", "#2563eb"}, {"done", "#dcfce7", "#16a34a"}, {"archived", "#e5e7eb", "#9ca3af"}, {"other", "#fef9c3", "#ca8a04"}}

func class(k *Card) string {
	if slices.Contains(card.Statuses, k.Status) {
		return k.Status
	}
	return "other"
}

func fillOf(k *Card) string {
	for _, c := range classes {
		if c[0] == class(k) {
			return c[1]
		}
	}
	return ""
}

// node is an id as mermaid takes it.
func node(id string) string {
	return "c_" + strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, id)
}

// dotted quotes a text for dot.
func dotted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
