package deck

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

func queries() []query {
	return pdk.Folding(pdk.DeclareQueries(
		query{Query: abi.Query{Syntax: "map", Summary: "every card by status, and every doc"}, Run: overview},
		query{Query: abi.Query{Syntax: "list [SEL]", Summary: "the cards that selectors match, the oldest first; todo or status:todo is @status:todo", Takes: &abi.Takes{Select: true, Max: -1, Params: filters()}}, Run: listQuery},
		query{Query: abi.Query{Syntax: "next [N] [SEL]", Summary: "what can be started now: by priority, then age", Takes: &abi.Takes{Select: true, Max: 1, Params: filters(abi.Param{Key: "limit", Value: "N"})}}, Run: next},
		query{Query: abi.Query{Syntax: "describe CARD|PATH", Summary: "a card: fields, what it waits for, what waits for it, items, headings; a doc: headings and links"}, Run: describe},
		query{Query: abi.Query{Syntax: "read PATH|CARD[#Heading]", Summary: "the text, or the section of a heading", Takes: &abi.Takes{Min: 1, Max: 1}}, Run: read},
		findQuery(), filesQuery(), depsQuery(), graphQuery(), validateQuery(), doctorQuery(), sceneQuery(),
		query{Query: abi.Query{Syntax: "stats", Summary: "counts by status, priority, assignee and tag"}, Run: stats},
		boardQuery("board"), boardQuery("preview"),
	), []string{"read", "graph", "scene"}, []string{"list", "next", "find", "files"})
}

func listQuery(v *view, a pdk.Args) (abi.QueryResponse, error) {
	cards, err := selectedCards(v, a)
	if err != nil {
		return abi.QueryResponse{}, err
	}
	if len(cards) == 0 {
		return abi.QueryResponse{Text: "no cards"}, nil
	}
	p := v.Page()
	for _, k := range cards {
		if !p.Line(func(b []byte) []byte { return append(b, v.Model.cardLine(k)...) }) {
			break
		}
	}
	return p.Answer(len(cards)), nil
}

// cardLine prints a card on one line.
func (w *Workspace) cardLine(k *Card) string {
	if k.Card == nil {
		return fmt.Sprintf("%s broken: %s", k, pdk.Line(k.Broken.Error(), 200))
	}
	return k.String() + " " + pdk.Line(w.facts(k, true), 400)
}

// facts prints a card's fields after its title, with its status, as in a list, or with its unticked items, as in the map.
func (w *Workspace) facts(k *Card, status bool) string {
	var out []string
	if status {
		out = append(out, cmp.Or(k.Status, "without a status"))
	}
	if k.Priority != "" {
		out = append(out, k.Priority)
	}
	if k.Assignee != "" {
		out = append(out, k.Assignee)
	}
	for _, t := range k.Tags {
		out = append(out, "#"+strings.ReplaceAll(t, " ", "-"))
	}
	left, all := w.progress(k)
	if all > 0 {
		out = append(out, fmt.Sprintf("%d/%d", all-len(left), all))
	}
	waits := w.unfinishedDeps(k)
	if len(waits) > 0 && k.open() {
		out = append(out, "waits for "+strings.Join(waits, " "))
	}
	var rest []string
	for _, id := range k.DependsOn {
		if !k.open() || !slices.Contains(waits, id) {
			rest = append(rest, id)
		}
	}
	if len(rest) > 0 {
		out = append(out, "after "+strings.Join(rest, " "))
	}
	if !status && len(left) > 0 && k.open() {
		out = append(out, "items: "+pdk.List(left, 5))
	}
	return strings.Join(out, " ")
}

// progress lists what a card's unticked check items say, and counts all items.
func (w *Workspace) progress(k *Card) (left []string, all int) {
	if !strings.Contains(k.Text, "] ") {
		return nil, 0
	}
	for _, it := range w.Text(k.Path).Checks {
		all++
		if !it.Done {
			left = append(left, quoted(pdk.Line(it.Text, 40)))
		}
	}
	return left, all
}

func overview(v *view, _ pdk.Args) (abi.QueryResponse, error) {
	w := v.Model
	p := v.Page()
	say := func(format string, args ...any) {
		p.Line(func(b []byte) []byte { return fmt.Appendf(b, format, args...) })
	}
	say("%s", w.digest())
	by := map[string][]*Card{}
	var states []string
	for _, s := range []string{"active", "todo", "done", "archived"} {
		by[s], states = nil, append(states, s)
	}
	for _, k := range w.Cards() {
		s := "broken"
		if k.Card != nil {
			s = cmp.Or(k.Status, "without a status")
		}
		if !slices.Contains(states, s) {
			states = append(states, s)
		}
		by[s] = append(by[s], k)
	}
	for _, s := range states {
		if len(by[s]) == 0 {
			continue
		}
		say("%s: %d", s, len(by[s]))
		for _, k := range by[s] {
			if k.Card == nil {
				say("  %s %v", k.Path, k.Broken)
			} else {
				say("  %s %s", k, w.facts(k, false))
			}
		}
	}
	if docs := w.Docs(); len(docs) > 0 {
		say("docs: %d", len(docs))
		for _, name := range docs {
			p.Line(func(b []byte) []byte {
				b = fmt.Appendf(b, "  %s %dt", pdk.Quote(name), Tokens(len(w.Files.Get(name))))
				var heads []string
				for _, h := range w.Text(name).Headings {
					heads = append(heads, h.Text)
				}
				if len(heads) > 0 {
					b = append(b, ": "+pdk.Line(strings.Join(heads, " · "), 100)...)
				}
				return b
			})
		}
	}
	if n := len(w.Others()); n > 0 {
		say("other files that find searches: %d", n)
	}
	return p.Answer(0), nil
}

func describe(v *view, a pdk.Args) (abi.QueryResponse, error) {
	w := v.Model
	name, err := w.file(a.Text(0))
	if err != nil {
		return abi.QueryResponse{}, err
	}
	p := v.Page()
	say := func(format string, args ...any) {
		p.Line(func(b []byte) []byte { return fmt.Appendf(b, format, args...) })
	}
	size := len(w.Files.Get(name))
	k := w.byPath[name]
	switch {
	case k == nil:
		say("%s %d tokens, %s, sha256 %.12s", pdk.Quote(name), Tokens(size), pdk.Count(size, "byte"), w.Hash(name))
	case k.Card == nil:
		say("%s %d tokens; broken: %v", k.Path, Tokens(size), k.Broken)
		return p.Answer(0), nil
	default:
		say("%s", w.cardLine(k))
		say("  %s %d tokens, created %s, updated %s", k.Path, Tokens(size), cmp.Or(k.Created, "unknown"), cmp.Or(k.Updated, "never"))
		if len(k.Others) > 0 {
			say("  also has: %s", pdk.Line(strings.Join(k.Others, ", "), 200))
		}
		for _, id := range k.DependsOn {
			say("  depends on %s", w.statusLine(id))
		}
		for _, id := range w.dependents()[k.ID] {
			say("  needed by %s", w.statusLine(id))
		}
	}
	text := w.Text(name)
	for _, h := range text.Headings {
		if k != nil && h.Level == 1 && h.Text == k.Title {
			continue
		}
		say("  %s%s %s lines %d-%d %dt", strings.Repeat("  ", h.Level-1), strings.Repeat("#", h.Level), h.Text, h.First, h.Last, Tokens(h.To-h.From))
	}
	for i, it := range text.Checks {
		box := " "
		if it.Done {
			box = "x"
		}
		say("  item %d [%s] %s", i+1, box, pdk.Line(it.Text, 120))
	}
	for _, r := range w.refsOf(name) {
		s := ""
		if why := w.whyDead(r); why != "" {
			s = " (" + why + ")"
		}
		say("  links to %s%s", pdk.Line(r.text, 120), s)
	}
	return p.Answer(0), nil
}

func read(v *view, a pdk.Args) (abi.QueryResponse, error) {
	w := v.Model
	name, h, err := w.locate(a.Text(0))
	if err != nil {
		return abi.QueryResponse{}, err
	}
	text := string(w.Files.Get(name))
	head := fmt.Sprintf("%s %s, %d tokens:", pdk.Quote(name), pdk.Count(strings.Count(strings.TrimSuffix(text, "\n")+"\n", "\n"), "line"), Tokens(len(text)))
	if h != nil {
		text = text[h.From:h.To]
		head = fmt.Sprintf("%s lines %d-%d, %d tokens:", pdk.Quote(name+"#"+h.Text), h.First, h.Last, Tokens(len(text)))
	}
	p := v.Page()
	p.Line(func(b []byte) []byte { return append(b, head...) })
	for l := range strings.Lines(text) {
		p.Line(func(b []byte) []byte {
			if l = strings.TrimRight(l, "\r\n"); l != "" {
				b = append(append(b, "  "...), l...)
			}
			return b
		})
	}
	return p.Answer(0), nil
}
