package deck

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

func depsQuery() query {
	return query{Query: abi.Query{Syntax: "deps CARD [reverse] [all]", Summary: "what a card depends on; reverse: what depends on it; all: indirect ones, too"}, Run: deps}
}

func deps(v *view, a pdk.Args) (abi.QueryResponse, error) {
	w := v.Model
	k, err := w.find(a.Text(0), false)
	if err != nil {
		return abi.QueryResponse{}, err
	}
	next, all, what := w.directDeps, false, "depends on"
	for _, word := range a.Texts(1) {
		switch m, _ := pdk.OneOf(word, []string{"all", "reverse"}); m {
		case "all":
			all = true
		case "reverse":
			used := w.dependents()
			next, what = func(id string) []string { return used[id] }, "is needed by"
		default:
			return abi.QueryResponse{}, pdk.Errorf("deps takes reverse and all, not %s", pdk.Quote(word)).Try(a.Mended(pdk.WithWords(1, len(a.Positionals)-1, "all")), a.Mended(pdk.WithWords(1, len(a.Positionals)-1, "reverse")))
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
		list = reachable(k.ID, next)
	}
	say(fmt.Sprintf("%s %s %s:", k, what, pdk.Count(len(list), "card")))
	if !all {
		for _, id := range list {
			say("  " + w.statusLine(id))
		}
		return p.Answer(0), nil
	}
	told := map[string]bool{k.ID: true}
	var walk func(id string, depth int)
	walk = func(id string, depth int) {
		for _, n := range next(id) {
			s := strings.Repeat("  ", depth) + w.statusLine(n)
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

// statusLine prints a card and its status.
func (w *Workspace) statusLine(id string) string {
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
	return query{Query: abi.Query{Syntax: "validate [CARD]", Summary: "check the dependencies for cycles, missing cards and cards that cannot be read"}, Run: validate}
}

func validate(v *view, a pdk.Args) (abi.QueryResponse, error) {
	w := v.Model
	about := func(string) bool { return true }
	unread, whose := w.Unreadable(), ""
	if ref := a.Text(0); ref != "" {
		k, err := w.find(ref, false)
		if err != nil {
			return abi.QueryResponse{}, err
		}
		near := append(w.allDeps(k.ID), k.ID)
		about = func(id string) bool { return slices.Contains(near, id) }
		unread, whose = w.Unreadable(k.ID), " of "+k.String()
	}
	p := v.Page()
	say := func(format string, args ...any) {
		p.Line(func(b []byte) []byte { return fmt.Appendf(b, format, args...) })
	}
	found := len(unread) > 0
	for _, k := range unread {
		say("%s cannot be read, so its dependencies are unknown: repair %s", k.Path, pdk.Quote(w.ref(k.Path)))
	}
	for _, way := range w.Cycles() {
		if about(way[0]) {
			found = true
			say("a cycle: %s; break it with: disconnect %s -> %s", arrowPath(way), pdk.Quote(way[len(way)-2]), pdk.Quote(way[len(way)-1]))
		}
	}
	for _, m := range w.Missing() {
		if about(m[0]) {
			found = true
			say("%s depends on %s, which does not exist; remove it with: disconnect %s -> %s", w.byID[m[0]], pdk.Quote(m[1]), pdk.Quote(m[0]), pdk.Quote(m[1]))
		}
	}
	if !found {
		cards, n := 0, 0
		for _, k := range w.Cards() {
			if about(k.ID) {
				cards, n = cards+1, n+len(w.directDeps(k.ID))
			}
		}
		say("the dependencies%s are consistent: %s, %d dependencies, no cycles, none missing", whose, pdk.Count(cards, "card"), n)
	}
	return p.Answer(0), nil
}
