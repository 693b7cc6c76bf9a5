package deck

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/cuedeck/internal/card"
)

// byUrgency compares cards by priority. A stable sort keeps the older ones first.
func byUrgency(a, b *Card) int {
	rank := func(k *Card) int {
		if i := slices.Index(card.Priorities, k.Priority); i >= 0 {
			return i
		}
		return len(card.Priorities)
	}
	return cmp.Compare(rank(a), rank(b))
}

func next(v *view, a pdk.Args) (abi.QueryResponse, error) {
	w := v.Model
	limit, err := a.Int("limit", 10, 1, 1000)
	if err == nil && a.Text(0) != "" {
		if limit, err = strconv.Atoi(a.Text(0)); err != nil || limit < 1 {
			err = pdk.Errorf("next takes how many to list, not %s", pdk.Quote(a.Text(0))).Try("next")
		}
	}
	if err != nil {
		return abi.QueryResponse{}, err
	}
	cards, err := selectedCards(v, a)
	if err != nil {
		return abi.QueryResponse{}, err
	}
	var ready, active, blocked []*Card
	for _, k := range cards {
		switch {
		case !k.open():
		case k.Status == "active":
			active = append(active, k)
		case len(w.unfinishedDeps(k)) > 0:
			blocked = append(blocked, k)
		case k.Status == "todo":
			ready = append(ready, k)
		}
	}
	slices.SortStableFunc(ready, byUrgency)
	used := w.dependents()
	p := v.Page()
	say := func(format string, args ...any) {
		p.Line(func(b []byte) []byte { return fmt.Appendf(b, format, args...) })
	}
	for _, k := range ready[:min(len(ready), limit)] {
		frees := 0
		for _, id := range used[k.ID] {
			if on := w.byID[id]; on.open() {
				frees++
			}
		}
		s := ""
		switch {
		case frees == 1:
			s = " · 1 waits for it"
		case frees > 1:
			s = fmt.Sprintf(" · %d wait for it", frees)
		}
		say("%s %s%s", k, w.facts(k, false), s)
	}
	var rest []string
	if more := len(ready) - limit; more > 0 {
		rest = append(rest, fmt.Sprintf("%d more can be started", more))
	}
	if len(active) > 0 {
		rest = append(rest, "active: "+printCards(active))
	}
	if len(blocked) > 0 {
		rest = append(rest, fmt.Sprintf("%d blocked", len(blocked)))
	}
	switch {
	case len(ready)+len(active)+len(blocked) == 0:
		say("nothing is left to do")
	case len(ready) == 0:
		say("nothing can be started: %s", strings.Join(rest, "; "))
	case len(rest) > 0:
		say("(%s)", strings.Join(rest, "; "))
	}
	return p.Answer(0), nil
}
