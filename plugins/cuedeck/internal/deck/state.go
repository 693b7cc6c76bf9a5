package deck

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/cuedeck/internal/card"
)

func stats(v *view, _ pdk.Args) (abi.QueryResponse, error) {
	w := v.Model
	lines := []string{w.digest()}
	by := func(what string, order []string, of func(*Card) []string) {
		n := map[string]int{}
		for _, k := range readable(w) {
			for _, s := range of(k) {
				n[cmp.Or(s, "none")]++
			}
		}
		var names []string
		for s := range n {
			names = append(names, s)
		}
		slices.SortFunc(names, func(a, b string) int {
			place := func(s string) int {
				if i := slices.Index(order, s); i >= 0 {
					return i
				}
				return len(order)
			}
			return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(n[b], n[a]), cmp.Compare(a, b))
		})
		var out []string
		for _, s := range names {
			out = append(out, fmt.Sprintf("%s %d", s, n[s]))
		}
		if len(out) > 0 {
			lines = append(lines, "  "+what+": "+pdk.Line(strings.Join(out, ", "), 400))
		}
	}
	by("status", card.Statuses, func(k *Card) []string { return []string{k.Status} })
	by("priority", card.Priorities, func(k *Card) []string { return []string{k.Priority} })
	by("assignee", nil, func(k *Card) []string { return []string{k.Assignee} })
	by("tags", nil, func(k *Card) []string { return k.Tags })
	var ready, blocked int
	var first, last time.Time
	for _, k := range readable(w) {
		switch {
		case w.ready(k):
			ready++
		case k.open() && len(w.unfinishedDeps(k)) > 0:
			blocked++
		}
		if !k.createdAt.IsZero() && (first.IsZero() || k.createdAt.Before(first)) {
			first = k.createdAt
		}
		if at, ok := Instant(k.Updated); ok && at.After(last) {
			last = at
		}
	}
	lines = append(lines, fmt.Sprintf("  %d can be started, %d blocked", ready, blocked))
	if !first.IsZero() {
		lines = append(lines, fmt.Sprintf("  first card %s, last change %s", first.Format("2006-01-02"), last.Format("2006-01-02")))
	}
	return abi.QueryResponse{Text: strings.Join(lines, "\n")}, nil
}

// digest prints the counts of cards, dependencies and docs, and the size in kilotokens.
func (w *Workspace) digest() string {
	n := map[string]int{}
	deps, bytes := 0, 0
	for name, k := range w.byPath {
		bytes += len(w.Files.Get(name))
		if k.Card != nil {
			n[k.Status]++
			deps += len(k.DependsOn)
		}
	}
	docs := w.Docs()
	for _, name := range docs {
		bytes += len(w.Files.Get(name))
	}
	return fmt.Sprintf("%dc %dtodo %dact %ddone %darc %ddep %ddoc %skt", len(w.byPath), n["todo"], n["active"], n["done"], n["archived"], deps, len(docs), kilo(Tokens(bytes)))
}

// kilo prints a number in thousands.
func kilo(n int) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/1000), ".0") }

func state(w *Workspace) abi.State {
	return abi.State{Digest: w.digest(), Counts: []abi.Count{{Name: "cards", Value: len(w.byPath)}, {Name: "docs", Value: len(w.Docs())}}, Warnings: w.warnings()}
}
