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

// stale is the age at which an untouched active card is reported.
const stale = 90 * 24 * time.Hour

// problem is a problem and its fix.
type problem struct{ what, fix string }

func (f problem) String() string {
	if f.fix == "" {
		return f.what
	}
	return f.what + ": " + f.fix
}

// problems returns the problems of the workspace by kind. The age of cards is measured at now.
func (w *Workspace) problems(now time.Time) (kinds [][]problem) {
	kind := func(list ...problem) {
		if len(list) > 0 {
			kinds = append(kinds, list)
		}
	}
	if s := w.Settings(); s.unreadable {
		kind(problem{pdk.Line(s.Wrong.Error(), 200), "until that is fixed, all settings are the defaults, and no scene is built"})
	} else if s.Wrong != nil {
		kind(problem{pdk.Line(s.Wrong.Error(), 200), "fix or remove it"})
	}
	var broken, twins, missing, cycles, idle, old, states []problem
	for _, k := range w.Cards() {
		if k.Broken != nil {
			broken = append(broken, problem{fmt.Sprintf("%s cannot be read: %v", k.Path, k.Broken), "repair " + pdk.Quote(w.ref(k.Path))})
			continue
		}
		if w.byID[k.ID] != k {
			twins = append(twins, problem{fmt.Sprintf("%s and %s have one id", w.byID[k.ID].Path, k.Path), "rename one of the files"})
		}
		if k.Status == "active" && k.Assignee == "" {
			idle = append(idle, problem{k.String() + " is active and unassigned", fmt.Sprintf("modify %s assignee:NAME", pdk.Quote(k.ID))})
		}
		if at, ok := Instant(cmp.Or(k.Updated, k.Created)); ok && k.Status == "active" && now.Sub(at) > stale {
			old = append(old, problem{fmt.Sprintf("%s is active and has not been touched since %s", k, at.Format("2006-01-02")), ""})
		}
		if k.Status != "" && !slices.Contains(card.Statuses, k.Status) {
			states = append(states, problem{fmt.Sprintf("%s has the status %s, which is not one of %s", k, pdk.Quote(k.Status), strings.Join(card.Statuses, " ")), ""})
		}
		if k.Priority != "" && !slices.Contains(card.Priorities, k.Priority) {
			states = append(states, problem{fmt.Sprintf("%s has the priority %s, which is not one of %s", k, pdk.Quote(k.Priority), strings.Join(card.Priorities, " ")), ""})
		}
	}
	for _, k := range readable(w) {
		if !k.Editable() {
			states = append(states, problem{k.String() + " has a front matter that cannot be edited key by key", "put each KEY: VALUE on a line of its own"})
		}
		for _, why := range k.MistypedKeys() {
			states = append(states, problem{fmt.Sprintf("%s: %s", k, why), ""})
		}
		for _, t := range [][2]string{{"created", k.Created}, {"updated", k.Updated}} {
			if _, ok := Instant(t[1]); !ok && t[1] != "" {
				states = append(states, problem{fmt.Sprintf("%s: its %s is %s, and must be a time such as 2026-01-02T10:30:00Z", k, t[0], pdk.Quote(pdk.Line(t[1], 40))), ""})
			}
		}
	}
	for _, m := range w.Missing() {
		missing = append(missing, problem{fmt.Sprintf("%s depends on %s, which does not exist", w.byID[m[0]], pdk.Quote(m[1])), fmt.Sprintf("disconnect %s -> %s", pdk.Quote(m[0]), pdk.Quote(m[1]))})
	}
	for _, k := range readable(w) {
		for _, id := range k.DependsOn {
			if on := w.byID[id]; on != nil && on.Card == nil {
				missing = append(missing, problem{fmt.Sprintf("%s depends on %s, which cannot be read", k, pdk.Quote(id)), "repair " + pdk.Quote(w.ref(on.Path))})
			}
		}
	}
	for _, way := range w.Cycles() {
		cycles = append(cycles, problem{"a cycle of dependencies: " + arrowPath(way), fmt.Sprintf("disconnect %s -> %s", pdk.Quote(way[len(way)-2]), pdk.Quote(way[len(way)-1]))})
	}
	kind(broken...)
	kind(twins...)
	kind(cycles...)
	kind(missing...)
	kind(w.deadLinks()...)
	kind(states...)
	kind(idle...)
	kind(old...)
	kind(w.likelyTypos()...)
	return kinds
}

func (w *Workspace) deadLinks() (out []problem) {
	for _, name := range slices.Concat(w.cardPaths(), w.Docs()) {
		if k := w.byPath[name]; k != nil && k.Card == nil || w.linksHold(name) {
			continue
		}
		for _, r := range w.refsOf(name) {
			if why := w.whyDead(r); why != "" {
				out = append(out, problem{fmt.Sprintf("%s line %d links to %s: %s", name, r.line, pdk.Line(r.text, 100), why), ""})
			}
		}
	}
	return out
}

// likelyTypos returns tags that are used once and are similar to one that is used more often.
func (w *Workspace) likelyTypos() (out []problem) {
	used := map[string]int{}
	by := map[string]*Card{}
	var all, often []string
	for _, k := range w.Cards() {
		if k.Card == nil {
			continue
		}
		for _, t := range k.Tags {
			switch used[t]++; used[t] {
			case 1:
				all = append(all, t)
				by[t] = k
			case 2:
				often = append(often, t)
			}
		}
	}
	const most = 30 // only shorter tags are compared, in bytes
	for _, t := range all {
		if used[t] > 1 || len(t) < 3 || len(t) > most {
			continue
		}
		far := max(1, len(t)/4)
		for _, near := range often {
			if diff := len(t) - len(near); diff <= 2*far && -diff <= 2*far && pdk.Distance(strings.ToLower(t), strings.ToLower(near), far) <= far {
				out = append(out, problem{fmt.Sprintf("the tag %s is used once, by %s, and %s %d times", t, by[t].ID, near, used[near]), fmt.Sprintf("tag %s %s %s", pdk.Quote(by[t].ID), pdk.Quote("+"+near), pdk.Quote("-"+t))})
				break
			}
		}
	}
	return out
}

// warnings returns the problems for the state. The state must not depend on the current time, so the age of a card is measured at
// the latest change of any card.
func (w *Workspace) warnings() (out []string) {
	var last time.Time
	for _, k := range w.byPath {
		if k.Card != nil {
			if at, ok := Instant(cmp.Or(k.Updated, k.Created)); ok && at.After(last) {
				last = at
			}
		}
	}
	const ofKind = 5
	more := 0
	for _, kind := range w.problems(last) {
		for i, f := range kind {
			if i < ofKind && len(out) < abi.MaxWarnings-1 {
				out = append(out, short("%s", f.what))
			} else {
				more++
			}
		}
	}
	if more > 0 {
		out = append(out, pdk.Count(more, "more warning")+": doctor lists them")
	}
	return out
}

func doctorQuery() query {
	return query{Query: abi.Query{Syntax: "doctor", Summary: "all problems and their fixes: settings, broken cards, cycles, dead links, old work, tags used once"}, Run: doctor}
}

func doctor(v *view, _ pdk.Args) (abi.QueryResponse, error) {
	w := v.Model
	p := v.Page()
	say := func(s string) { p.Line(func(b []byte) []byte { return append(b, s...) }) }
	n := 0
	for _, kind := range w.problems(time.UnixMilli(int64(v.Now())).UTC()) {
		for _, f := range kind {
			n++
			say(f.String())
		}
	}
	for _, name := range slices.Concat(w.cardPaths(), w.Docs()) {
		if said := pdk.Hidden(string(w.Files.Get(name))); said != "" {
			n++
			say(name + " has " + said)
		}
	}
	if once := w.tagsUsedOnce(); len(once) > 0 {
		say("tags used once: " + pdk.Line(strings.Join(once, ", "), 400))
	}
	_, wrong := w.mask()
	for _, why := range wrong {
		n++
		say(why + ": fix or remove it; until then no scene is built")
	}
	if w.Settings().unreadable || len(wrong) > 0 {
		return p.Answer(0), nil // the message says that no scene is built
	}
	if s, err := w.scene(0); err != nil {
		n++
		say(pdk.Line(err.Error(), 200))
	} else if left := len(s.LeftCards) + len(s.LeftDocs) + len(s.Short); left > 0 {
		say(fmt.Sprintf("the scene does not fit into %d tokens: %d cards and docs are shortened or left out", w.Settings().Scene.TokenLimit, left))
	}
	if n == 0 {
		say(fmt.Sprintf("nothing is wrong: %s, %s", pdk.Count(len(w.Cards()), "card"), pdk.Count(len(w.Docs()), "doc")))
	}
	return p.Answer(0), nil
}

func (w *Workspace) tagsUsedOnce() (out []string) {
	used := map[string]int{}
	for _, k := range readable(w) {
		for _, t := range k.Tags {
			used[t]++
		}
	}
	for t, n := range used {
		if n == 1 {
			out = append(out, t)
		}
	}
	slices.Sort(out)
	return out
}
