package deck

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/cuedeck/internal/card"
)

func selectors() []abi.Selector {
	return []abi.Selector{
		{Type: "status", Syntax: "@status:S", Summary: "cards by status: " + strings.Join(card.Statuses, " ")},
		{Type: "priority", Syntax: "@priority:P", Summary: "cards by priority: " + strings.Join(card.Priorities, " ")},
	}
}

// readable are the cards that are no broken files.
func readable(w *Workspace) []*Card {
	return slices.DeleteFunc(slices.Clone(w.Cards()), func(k *Card) bool { return k.Card == nil })
}

var selection = pdk.Selection[*Workspace, *Card]{
	All:  readable,
	ByID: func(w *Workspace, id string) (*Card, bool) { k := w.byID[id]; return k, k != nil && k.Card != nil },
	Types: map[string]func(w *Workspace, value string) (func(*Card) bool, error){
		"status": func(w *Workspace, value string) (func(*Card) bool, error) {
			return among(w, "status", value, card.Statuses, func(k *Card) string { return k.Status })
		},
		"priority": func(w *Workspace, value string) (func(*Card) bool, error) {
			return among(w, "priority", value, card.Priorities, func(k *Card) string { return k.Priority })
		},
	},
}

// among selects by a word of a closed list, or another one that some card has.
func among(w *Workspace, kind, value string, list []string, of func(*Card) string) (func(*Card) bool, error) {
	list = slices.Clone(list)
	for _, k := range readable(w) {
		if v := of(k); v != "" && !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	word, ok := pdk.OneOf(value, list)
	if !ok {
		return nil, pdk.Errorf("@%s:%s is none of %s", kind, pdk.Quote(value), strings.Join(list, " ")).Instead(value, pdk.Nearest(value, list)...)
	}
	return func(k *Card) bool { return of(k) == word }, nil
}

// targets are the cards that an op is about: those of its selectors, or the one that it names.
func targets(c *ctx, a pdk.Args, exact bool) ([]*Card, error) {
	c.Model.now = c.Now()
	return selection.Targets(c, a, func(ref string) (*Card, error) { return c.Model.find(ref, exact) })
}
