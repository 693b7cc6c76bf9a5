package deck

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
)

// open reports whether the card is neither done nor archived.
func (k *Card) open() bool {
	return k.Card != nil && k.Status != "done" && k.Status != "archived"
}

// directDeps returns the ids that a card depends on, none if there is no such card.
func (w *Workspace) directDeps(id string) []string {
	if k := w.byID[id]; k != nil && k.Card != nil {
		return k.DependsOn
	}
	return nil
}

// allDeps returns all ids that a card depends on, directly or indirectly, the nearest first.
func (w *Workspace) allDeps(id string) []string {
	return reachable(id, w.directDeps)
}

// reachable returns everything that can be reached from id. It includes id only if it is on a cycle.
func reachable(id string, next func(string) []string) (out []string) {
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

// dependents returns the ids of the cards that depend on each id, the oldest first.
func (w *Workspace) dependents() map[string][]string {
	out := map[string][]string{}
	for _, k := range w.Cards() {
		for _, id := range w.directDeps(k.ID) {
			out[id] = append(out[id], k.ID)
		}
	}
	return out
}

// unfinishedDeps returns the ids of the dependencies that are not done.
func (w *Workspace) unfinishedDeps(k *Card) (out []string) {
	for _, id := range k.DependsOn {
		if on := w.byID[id]; on == nil || on.open() || on.Card == nil {
			out = append(out, id)
		}
	}
	return out
}

// ready reports whether a card can be started.
func (w *Workspace) ready(k *Card) bool { return k.Status == "todo" && len(w.unfinishedDeps(k)) == 0 }

// readyCards returns the cards that can be started.
func (w *Workspace) readyCards() []*Card {
	return slices.DeleteFunc(readable(w), func(k *Card) bool { return !w.ready(k) })
}

// Cycle returns the path from a card along dependencies back to itself if it also depended on more; nil if there is none.
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
			next := w.directDeps(id)
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

// Cycles returns the cycles of dependencies, each once. They start and end with their oldest card.
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
		for _, next := range w.directDeps(id) {
			switch at[next] {
			case fresh:
				walk(next)
			case onWay:
				cycle := slices.Clone(way[slices.Index(way, next):])
				out = append(out, append(cycle, next))
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

// Missing returns the dependencies on missing cards, as pairs of the card's id and the missing one.
func (w *Workspace) Missing() (out [][2]string) {
	for _, k := range w.Cards() {
		for _, id := range w.directDeps(k.ID) {
			if w.byID[id] == nil {
				out = append(out, [2]string{k.ID, id})
			}
		}
	}
	return out
}

// Unreadable returns the cards whose dependencies are unknown, since their files cannot be read, among the cards with some ids and
// all that these depend on; without ids, among all cards.
func (w *Workspace) Unreadable(ids ...string) (out []*Card) {
	if len(ids) == 0 {
		return slices.DeleteFunc(slices.Clone(w.Cards()), func(k *Card) bool { return k.Card != nil })
	}
	near := slices.Clone(ids)
	for _, id := range ids {
		near = append(near, w.allDeps(id)...)
	}
	for _, id := range near {
		if k := w.byID[id]; k != nil && k.Card == nil && !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}

// arrowPath prints a path.
func arrowPath(way []string) string { return strings.Join(way, " → ") }

// cycleError returns the error for a dependency that would close a cycle.
func cycleError(way []string) error {
	return pdk.Errorf("that would be a cycle: %s (the first waits for the second)", arrowPath(way))
}
