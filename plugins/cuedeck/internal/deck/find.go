package deck

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
)

// find resolves a card by its id, path or title. Unless exact is set, unique prefixes count as well.
func (w *Workspace) find(ref string, exact bool) (*Card, error) {
	if ref == "" {
		return nil, pdk.Errorf("a card's id or title is missing")
	}
	bare := strings.TrimPrefix(ref, "#")
	for _, k := range []*Card{w.byID[bare], w.byPath[ref], w.byID[strings.ToLower(bare)]} {
		if k != nil {
			return k, nil
		}
	}
	hits, match := w.titles.Find(ref, false)
	switch {
	case match == pdk.MatchNone && !exact && len(bare) > 1:
		hits = nil
		for _, k := range w.Cards() {
			if strings.HasPrefix(k.ID, strings.ToLower(bare)) {
				hits = append(hits, k)
			}
		}
		if len(hits) == 1 {
			return hits[0], nil
		}
	case match == pdk.MatchPrefix && exact:
		return nil, pdk.Errorf("%s is the beginning of %s: give the id or the full title", pdk.Quote(ref), printCards(hits)).Instead(ref, w.handles(hits)...)
	case len(hits) == 1:
		return hits[0], nil
	}
	if len(hits) > 1 {
		return nil, pdk.Errorf("%s may be %s: give the id", pdk.Quote(ref), printCards(hits)).Instead(ref, w.handles(hits)...)
	}
	var near []*Card
	var meant []string
	titles := pdk.Nearest(ref, w.names(func(k *Card) string { return k.Title }))
	ids := pdk.Nearest(bare, w.names(func(k *Card) string { return k.ID }))
	for _, k := range w.Cards() {
		if k.Card != nil && (slices.Contains(titles, k.Title) || slices.Contains(ids, k.ID)) && len(near) < 3 {
			near = append(near, k)
			if slices.Contains(ids, k.ID) {
				meant = append(meant, pdk.Quote(k.ID))
			} else {
				meant = append(meant, w.handles([]*Card{k})...)
			}
		}
	}
	err := pdk.Errorf("no card %s", pdk.Quote(pdk.Line(ref, 80)))
	if len(w.byPath) == 0 {
		err.Message += ": there are no cards yet"
		return nil, err
	}
	if len(near) > 0 {
		err.Message += "; nearest: " + printCards(near)
		return nil, err.Instead(ref, meant...)
	}
	return nil, err.TryQuery("map")
}

func (w *Workspace) names(of func(*Card) string) (out []string) {
	for _, k := range w.Cards() {
		if k.Card != nil {
			out = append(out, of(k))
		}
	}
	return out
}

// handles prints references to at most three cards: titles, or ids if the titles are ambiguous.
func (w *Workspace) handles(cards []*Card) (out []string) {
	for _, k := range cards[:min(len(cards), 3)] {
		handle := k.ID
		if k.Card != nil {
			if hits, _ := w.titles.Find(k.Title, true); len(hits) == 1 && w.byID[k.Title] == nil {
				handle = k.Title
			}
		}
		out = append(out, pdk.Quote(handle))
	}
	return out
}

// printCards prints the ids and titles of at most five cards.
func printCards(cards []*Card) string {
	var out []string
	for _, k := range cards[:min(len(cards), 5)] {
		out = append(out, k.String())
	}
	if more := len(cards) - 5; more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(out, ", ")
}

// String prints the card's id and title.
func (k *Card) String() string {
	if k.Card == nil {
		return pdk.Quote(k.ID)
	}
	return pdk.Quote(k.ID) + " " + quoted(pdk.Line(k.Title, 60))
}

// quoted prints a text in double quotes.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// resolve reads a list of cards, by ids or titles separated by commas, and returns their ids.
func (w *Workspace) resolve(value string) (out []string, err error) {
	if strings.TrimSpace(value) == "" {
		return []string{}, nil
	}
	if k, err := w.find(strings.TrimSpace(value), true); err == nil {
		return []string{k.ID}, nil
	}
	out = []string{}
	for ref := range strings.SplitSeq(value, ",") {
		if ref = strings.TrimSpace(ref); ref == "" {
			continue
		}
		k, err := w.find(ref, true)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(out, k.ID) {
			out = append(out, k.ID)
		}
	}
	return out, nil
}
