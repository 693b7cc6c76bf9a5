package deck

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/cuedeck/internal/card"
)

// readable returns the cards that are not broken.
func readable(w *Workspace) []*Card {
	return slices.DeleteFunc(slices.Clone(w.Cards()), func(k *Card) bool { return k.Card == nil })
}

type test = func(*Card) bool

var selection = pdk.Selection[*Workspace, *Card]{
	All:  readable,
	ByID: func(w *Workspace, id string) (*Card, bool) { k := w.byID[id]; return k, k != nil && k.Card != nil },
	Table: []pdk.SelectorType[*Workspace, *Card]{
		{Selector: abi.Selector{Syntax: "@status:S", Summary: "cards by status: " + strings.Join(card.Statuses, " ")},
			Match: func(w *Workspace, value string) (test, error) {
				return oneOfWords(w, "status", value, card.Statuses, func(k *Card) []string { return []string{k.Status} })
			}},
		{Selector: abi.Selector{Syntax: "@priority:P", Summary: "cards by priority: " + strings.Join(card.Priorities, " ")},
			Match: func(w *Workspace, value string) (test, error) {
				return oneOfWords(w, "priority", value, card.Priorities, func(k *Card) []string { return []string{k.Priority} })
			}},
		{Selector: abi.Selector{Syntax: "@assignee:NAME", Summary: "cards by assignee; @assignee alone: those that have one"},
			Match: func(w *Workspace, value string) (test, error) {
				if value == "" {
					return func(k *Card) bool { return k.Assignee != "" }, nil
				}
				return oneOfWords(w, "assignee", value, nil, func(k *Card) []string { return []string{k.Assignee, strings.TrimPrefix(k.Assignee, "@")} })
			}},
		{Selector: abi.Selector{Syntax: "@tag:T", Summary: "cards with a tag; @tag alone: those that have one"},
			Match: func(w *Workspace, value string) (test, error) {
				if value == "" {
					return func(k *Card) bool { return len(k.Tags) > 0 }, nil
				}
				return oneOfWords(w, "tag", strings.TrimPrefix(value, "#"), nil, func(k *Card) []string { return k.Tags })
			}},
		{Selector: abi.Selector{Syntax: "@created:>2w", Summary: "cards by age: >2w younger than two weeks, <2w older (h d w m y), 2024-01-31 that day, 2024-01 that month"},
			Match: byTime(func(k *Card) string { return k.Created })},
		{Selector: abi.Selector{Syntax: "@updated:<90d", Summary: "the same, by their last change"},
			Match: byTime(func(k *Card) string { return k.Updated })},
		{Selector: abi.Selector{Syntax: "@depends:CARD", Summary: "cards that depend on a card, directly or indirectly"},
			Match: func(w *Workspace, value string) (test, error) {
				on, err := w.find(value, false)
				if err != nil {
					return nil, err
				}
				used := w.dependents()
				all := reachable(on.ID, func(id string) []string { return used[id] })
				return func(k *Card) bool { return k != on && slices.Contains(all, k.ID) }, nil
			}},
		{Selector: abi.Selector{Syntax: "@blocked", Summary: "cards that are open and wait for others"},
			Match: func(w *Workspace, _ string) (test, error) {
				return func(k *Card) bool { return k.open() && len(w.unfinishedDeps(k)) > 0 }, nil
			}},
		{Selector: abi.Selector{Syntax: "@ready", Summary: "cards that are todo and wait for nothing"},
			Match: func(w *Workspace, _ string) (test, error) { return w.ready, nil }},
		{Selector: abi.Selector{Syntax: "@orphan", Summary: "cards without dependencies and dependents"},
			Match: func(w *Workspace, _ string) (test, error) {
				used := w.dependents()
				return func(k *Card) bool { return len(k.DependsOn) == 0 && len(used[k.ID]) == 0 }, nil
			}},
		{Selector: abi.Selector{Syntax: "@path:PATTERN", Summary: "cards by the path of their file, or their id; * matches any characters"},
			Match: func(_ *Workspace, value string) (test, error) {
				pattern := strings.ToLower(value)
				if _, err := path.Match(pattern, ""); err != nil || value == "" {
					return nil, pdk.Errorf("@path:%s is not a pattern of a path or an id", value)
				}
				fits := func(s string) bool {
					ok, _ := path.Match(pattern, strings.ToLower(s)) // invalid patterns were refused before
					return ok
				}
				return func(k *Card) bool { return fits(k.Path) || fits(path.Base(k.Path)) || fits(k.ID) }, nil
			}},
	},
}

// oneOfWords selects by a value that is in list or that some card has.
func oneOfWords(w *Workspace, kind, value string, list []string, of func(*Card) []string) (test, error) {
	list = slices.Clone(list)
	for _, k := range readable(w) {
		for _, v := range of(k) {
			if v != "" && !slices.Contains(list, v) {
				list = append(list, v)
			}
		}
	}
	word, ok := value, slices.Contains(list, value)
	if !ok {
		word, ok = pdk.OneOf(value, list)
	}
	if !ok {
		err := pdk.Errorf("no card has the %s %s", kind, pdk.Quote(pdk.Line(value, 40)))
		if len(list) > 0 {
			err.Message += ": there are " + pdk.Line(strings.Join(list, " "), 200)
		}
		var near []string
		for _, n := range pdk.Nearest(value, list) {
			near = append(near, pdk.Quote(n))
		}
		return nil, err.Instead(value, near...)
	}
	return func(k *Card) bool {
		return slices.ContainsFunc(of(k), func(v string) bool { return v == word || strings.EqualFold(v, word) })
	}, nil
}

func byTime(of func(*Card) string) func(*Workspace, string) (test, error) {
	return func(w *Workspace, value string) (test, error) {
		fits, err := When(value, w.now)
		return func(k *Card) bool {
			at, ok := Instant(of(k))
			return ok && fits(at.Truncate(time.Millisecond))
		}, err
	}
}

// targets returns the cards that an op names, by selectors or by one reference.
func targets(c *ctx, a pdk.Args, exact bool) ([]*Card, error) {
	c.Model.now = c.Now()
	return selection.Targets(c, a, func(ref string) (*Card, error) { return c.Model.find(ref, exact) })
}

// filters returns the parameters of queries that are short for selectors, followed by more.
func filters(more ...abi.Param) []abi.Param {
	return append([]abi.Param{{Key: "status", Value: "S"}, {Key: "priority", Value: "P"}, {Key: "assignee", Value: "NAME"}, {Key: "tag", Value: "T"}, {Key: "tags", Value: "T"}, {Key: "created", Value: ">2w"}, {Key: "updated", Value: ">2w"}, {Key: "depends", Value: "CARD"}, {Key: "path", Value: "PATTERN"}}, more...)
}

// selectedCards returns the cards that a query's selectors and filters match, or all cards.
func selectedCards(v *view, a pdk.Args) ([]*Card, error) {
	w := v.Model
	w.now = v.Now()
	sels := slices.Clone(a.Selectors)
	for _, kv := range a.Params {
		if kv.Key == "tags" {
			kv.Key = "tag"
		}
		if slices.ContainsFunc(filters(), func(p abi.Param) bool { return p.Key == kv.Key }) {
			sels = append(sels, abi.Select{Raw: "@" + kv.Key + ":" + kv.Value, Type: kv.Key, Value: kv.Value})
		}
	}
	if a.Verb == "list" {
		for _, word := range a.Texts(0) {
			sel := abi.Select{Raw: word, Type: "status", Value: word}
			if kind, ok := pdk.OneOf(word, []string{"blocked", "ready", "orphan", "all"}); ok {
				sel = abi.Select{Raw: word, Type: kind}
			} else if !isOne(word, card.Statuses...) {
				return nil, pdk.Errorf("list takes selectors, and %s ready blocked or orphan, not %s", strings.Join(card.Statuses, " "), pdk.Quote(pdk.Line(word, 40))).Try("find " + pdk.Quote(word))
			}
			sels = append(sels, sel)
		}
	}
	if len(sels) == 0 {
		return w.Cards(), nil
	}
	return selection.Select(w, v.Recent, sels)
}
