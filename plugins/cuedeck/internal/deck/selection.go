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

func selectors() []abi.Selector {
	return []abi.Selector{
		{Type: "status", Syntax: "@status:S", Summary: "cards by status: " + strings.Join(card.Statuses, " ")},
		{Type: "priority", Syntax: "@priority:P", Summary: "cards by priority: " + strings.Join(card.Priorities, " ")},
		{Type: "assignee", Syntax: "@assignee:NAME", Summary: "cards by assignee; @assignee alone: those that have one"},
		{Type: "tag", Syntax: "@tag:T", Summary: "cards with a tag; @tag alone: those that have one"},
		{Type: "created", Syntax: "@created:>2w", Summary: "cards by age: >2w younger than two weeks, <2w older (h d w m y), 2024-01-31 that day, 2024-01 that month"},
		{Type: "updated", Syntax: "@updated:<90d", Summary: "the same, by their last change"},
		{Type: "depends", Syntax: "@depends:CARD", Summary: "cards that depend on a card, directly or indirectly"},
		{Type: "blocked", Syntax: "@blocked", Summary: "cards that are open and wait for others"},
		{Type: "ready", Syntax: "@ready", Summary: "cards that are todo and wait for nothing"},
		{Type: "orphan", Syntax: "@orphan", Summary: "cards without dependencies and dependents"},
		{Type: "path", Syntax: "@path:PATTERN", Summary: "cards by the path of their file, or their id; * matches any characters"},
	}
}

// readable returns the cards that are not broken.
func readable(w *Workspace) []*Card {
	return slices.DeleteFunc(slices.Clone(w.Cards()), func(k *Card) bool { return k.Card == nil })
}

type test = func(*Card) bool

var selection = pdk.Selection[*Workspace, *Card]{
	All:  readable,
	ByID: func(w *Workspace, id string) (*Card, bool) { k := w.byID[id]; return k, k != nil && k.Card != nil },
	Types: map[string]func(w *Workspace, value string) (test, error){
		"status": func(w *Workspace, value string) (test, error) {
			return oneOfWords(w, "status", value, card.Statuses, func(k *Card) []string { return []string{k.Status} })
		},
		"priority": func(w *Workspace, value string) (test, error) {
			return oneOfWords(w, "priority", value, card.Priorities, func(k *Card) []string { return []string{k.Priority} })
		},
		"assignee": func(w *Workspace, value string) (test, error) {
			if value == "" {
				return func(k *Card) bool { return k.Assignee != "" }, nil
			}
			return oneOfWords(w, "assignee", value, nil, func(k *Card) []string { return []string{k.Assignee, strings.TrimPrefix(k.Assignee, "@")} })
		},
		"tag": func(w *Workspace, value string) (test, error) {
			if value == "" {
				return func(k *Card) bool { return len(k.Tags) > 0 }, nil
			}
			return oneOfWords(w, "tag", strings.TrimPrefix(value, "#"), nil, func(k *Card) []string { return k.Tags })
		},
		"created": func(w *Workspace, value string) (test, error) {
			return byTime(w, value, func(k *Card) string { return k.Created })
		},
		"updated": func(w *Workspace, value string) (test, error) {
			return byTime(w, value, func(k *Card) string { return k.Updated })
		},
		"depends": func(w *Workspace, value string) (test, error) {
			on, err := w.find(value, false)
			if err != nil {
				return nil, err
			}
			used := w.dependents()
			all := reachable(on.ID, func(id string) []string { return used[id] })
			return func(k *Card) bool { return k != on && slices.Contains(all, k.ID) }, nil
		},
		"blocked": func(w *Workspace, value string) (test, error) {
			return func(k *Card) bool { return k.open() && len(w.unfinishedDeps(k)) > 0 }, noValue("blocked", value)
		},
		"ready": func(w *Workspace, value string) (test, error) { return w.ready, noValue("ready", value) },
		"orphan": func(w *Workspace, value string) (test, error) {
			used := w.dependents()
			return func(k *Card) bool { return len(k.DependsOn) == 0 && len(used[k.ID]) == 0 }, noValue("orphan", value)
		},
		"path": func(_ *Workspace, value string) (test, error) {
			pattern := strings.ToLower(value)
			if _, err := path.Match(pattern, ""); err != nil || value == "" {
				return nil, pdk.Errorf("@path:%s is not a pattern of a path or an id", value)
			}
			fits := func(s string) bool {
				ok, _ := path.Match(pattern, strings.ToLower(s)) // invalid patterns were refused before
				return ok
			}
			return func(k *Card) bool { return fits(k.Path) || fits(path.Base(k.Path)) || fits(k.ID) }, nil
		},
	},
}

func noValue(name, value string) error {
	if value != "" {
		return pdk.Errorf("@%s takes no value", name)
	}
	return nil
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
		err := pdk.Errorf("no card has the %s %s", kind, pdk.Quote(line(value, 40)))
		if len(list) > 0 {
			err.Message += ": there are " + line(strings.Join(list, " "), 200)
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

func byTime(w *Workspace, value string, of func(*Card) string) (test, error) {
	fits, err := When(value, w.now)
	if err != nil {
		return nil, err
	}
	return func(k *Card) bool {
		at, ok := Instant(of(k))
		return ok && fits(at.Truncate(time.Millisecond))
	}, nil
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
		if _, ok := selection.Types[kv.Key]; ok {
			sels = append(sels, abi.Select{Raw: "@" + kv.Key + ":" + kv.Value, Type: kv.Key, Value: kv.Value})
		}
	}
	if a.Verb == "list" {
		for _, word := range a.Texts(0) {
			sel := abi.Select{Raw: word, Type: "status", Value: word}
			if kind, ok := pdk.OneOf(word, []string{"blocked", "ready", "orphan", "all"}); ok {
				sel = abi.Select{Raw: word, Type: kind}
			} else if !isOne(word, card.Statuses...) {
				return nil, pdk.Errorf("list takes selectors, and %s ready blocked or orphan, not %s", strings.Join(card.Statuses, " "), pdk.Quote(line(word, 40))).Try("find " + pdk.Quote(word))
			}
			sels = append(sels, sel)
		}
	}
	if len(sels) == 0 {
		return w.Cards(), nil
	}
	return selection.Select(w, v.Recent, sels)
}
