package deck

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

func queries() []query {
	return []query{
		{Query: abi.Query{Name: "map", Syntax: "map", Summary: "every card"}, Run: func(v *view, _ pdk.Args) (abi.QueryResponse, error) {
			return v.Model.rows(v, v.Model.Cards())
		}},
		{Query: abi.Query{Name: "list", Syntax: "list [SEL]", Summary: "the cards that selectors match"}, Run: list},
	}
}

func list(v *view, a pdk.Args) (abi.QueryResponse, error) {
	cards := readable(v.Model)
	if len(a.Selectors) > 0 {
		var err error
		if cards, err = selection.Select(v.Model, v.Recent, a.Selectors); err != nil {
			return abi.QueryResponse{}, err
		}
	}
	return v.Model.rows(v, cards)
}

// rows answers with cards, a line each.
func (w *Workspace) rows(v *view, cards []*Card) (abi.QueryResponse, error) {
	p := v.Page()
	for _, k := range cards {
		if !p.Line(func(b []byte) []byte { return append(b, w.row(k)...) }) {
			break
		}
	}
	return p.Answer(len(cards)), nil
}

// row is a card in one line.
func (w *Workspace) row(k *Card) string {
	if k.Card == nil {
		return fmt.Sprintf("%s broken: %v", k.ID, k.Broken)
	}
	s := fmt.Sprintf("%s %s", k, k.Status)
	if k.Priority != "" {
		s += " " + k.Priority
	}
	if k.Assignee != "" {
		s += " " + k.Assignee
	}
	for _, t := range k.Tags {
		s += " #" + t
	}
	if len(k.DependsOn) > 0 {
		s += " after " + strings.Join(k.DependsOn, " ")
	}
	return s
}

// digest is the workspace in a few words.
func (w *Workspace) digest() string {
	count := map[string]int{}
	deps, bytes := 0, 0
	for _, k := range w.byPath {
		if k.Card != nil {
			count[k.Status]++
			deps += len(k.DependsOn)
		}
	}
	docs := w.Docs()
	for name := range w.byPath {
		bytes += len(w.Files.Get(name))
	}
	for _, name := range docs {
		bytes += len(w.Files.Get(name))
	}
	return fmt.Sprintf("%dc %dtodo %dact %ddone %darc %ddep %ddoc %skt", len(w.byPath), count["todo"], count["active"], count["done"], count["archived"], deps, len(docs), kilo(Tokens(bytes)))
}

// kilo prints thousands.
func kilo(n int) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/1000), ".0") }

func state(w *Workspace) abi.State {
	return abi.State{Digest: w.digest(), Counts: []abi.Count{{Name: "cards", Value: len(w.byPath)}, {Name: "docs", Value: len(w.Docs())}}}
}
