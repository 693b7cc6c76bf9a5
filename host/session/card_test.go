package session

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

func TestTheCardIsTheSameTextInEveryRunAndHoldsTheRegistry(t *testing.T) {
	d := list(t)
	card := Card(d.Manifest, "list")
	for range 20 {
		if Card(d.Manifest, "list") != card {
			t.Fatal("it differs between runs")
		}
	}
	for _, v := range d.Manifest.Verbs {
		if strings.Contains(card, "\n"+v.Syntax) == v.Hidden {
			t.Errorf("verb %s: hidden is %v", v.Name, v.Hidden)
		}
	}
	for _, want := range []string{"# List reference card\n", "Tool list: ", "\n## Ops\n", "\n## Queries (tool list_query)\n", "\n## Session (tool list_session)\n",
		"\nnew \"Title\" [first:TEXT]\n", "\nexport upper as:PATH [force]\n", "\ninclude PATH · append a file's lines\n",
		"; then raw lines up to: END\n", "\ndiff checkpoint:NAME\n", "\n+ created ~ connection changed"} {
		if !strings.Contains(card, want) {
			t.Errorf("%q is not in the card:\n%s", want, card)
		}
	}
	unified := Card(d.Manifest, "fcp")
	for _, want := range []string{"Tool fcp_edit: ", "(tool fcp_query)", `new list "Title" [first:TEXT]`} {
		if !strings.Contains(unified, want) {
			t.Errorf("%q is not in the unified card", want)
		}
	}
}

func TestTheTextsOfTheFourToolsAreTheCard(t *testing.T) {
	m := list(t).Manifest
	texts, card := Describe(m, "list", 100_000), Card(m, "list")
	_, ops, _ := strings.Cut(texts.Edit, "). ")
	_, queries, _ := strings.Cut(texts.Query, "\n")
	_, actions, _ := strings.Cut(texts.Session, "\n")
	if want := "# List reference card\nTool list: " + ops + "\n## Queries (tool list_query)\n" + queries + "\n## Session (tool list_session)\n" + actions; card != want {
		t.Errorf("the card:\n%s\nthe texts:\n%s", card, want)
	}
	if !strings.Contains(texts.Edit, "list_help TOPIC") {
		t.Error("the text of the tool that edits does not say where more is")
	}
}

func TestACategoryIsListedOnceInTheCardWhereItFirstOccurs(t *testing.T) {
	m := &abi.Manifest{Domain: "d", Title: "D", Verbs: []abi.Verb{
		{Name: "a", Syntax: "a", Category: "one"}, {Name: "b", Syntax: "b", Category: "two"},
		{Name: "c", Syntax: "c", Category: "one", Hidden: true}, {Name: "d", Syntax: "d X", Category: "one", Summary: "does", Brief: "d"}}}
	if _, card, _ := strings.Cut(Card(m, "d"), "## Ops\n"); !strings.HasPrefix(card, "one:\na\nd\ntwo:\nb\n\n") {
		t.Errorf("%s", card)
	}
}

// wide is a manifest with n of everything, each of the maximum length that the
// host accepts if n is small enough.
func wide(n, long int) *abi.Manifest {
	text := func(i int) string {
		return fmt.Sprintf("w%d %s", i, strings.Repeat("words of it ", 1+long/12))[:max(8, long)]
	}
	m := &abi.Manifest{Domain: "wide", Title: "Wide", Conventions: []string{text(0)}, Example: []string{text(1)}, Extensions: []string{".wide"}}
	for i := range n {
		m.Verbs = append(m.Verbs, abi.Verb{Name: fmt.Sprintf("verb%d", i), Syntax: fmt.Sprintf("verb%d WORD… [key%d:ONE|TWO]", i, i), Summary: text(i), Category: fmt.Sprintf("c%d", i%7)})
		m.Selectors = append(m.Selectors, abi.Selector{Type: fmt.Sprintf("sel%d", i), Syntax: fmt.Sprintf("@sel%d:VALUE", i), Summary: text(i)})
		m.Queries = append(m.Queries, abi.Query{Name: fmt.Sprintf("query%d", i), Syntax: fmt.Sprintf("query%d [WORD]", i), Summary: text(i)})
		m.Session = append(m.Session, abi.Session{Name: fmt.Sprintf("action%d", i), Syntax: fmt.Sprintf("action%d PATH", i), Summary: text(i)})
		m.Vocabulary = append(m.Vocabulary, abi.Section{Title: fmt.Sprintf("Section %d", i), Lines: []string{text(i), text(i + 1)}})
	}
	return m
}

func TestUnracedACardOfAnySizeIsCutUntilItFits(t *testing.T) {
	testwasm.Unraced(t)
	for _, n := range []int{1, 5, 20, 60, 300} {
		for _, long := range []int{8, 100, 500} {
			m := wide(n, long)
			for _, room := range []int{7000, 4500} {
				texts := Describe(m, "wide", room)
				if size := texts.size(); size > room {
					t.Errorf("%d of each, %d characters long: %d characters, %d fit", n, long, size, room)
				}
				if again := Describe(m, "wide", room); texts != again {
					t.Errorf("%d of each: the texts differ between runs", n)
				}
				for what, s := range map[string]string{"edit": texts.Edit, "query": texts.Query, "session": texts.Session} {
					if !utf8.ValidString(s) || utf8.RuneCountInString(s) < 100 {
						t.Errorf("%d of each: the text of %s is %q", n, what, s)
					}
				}
				if n > 60 { // the names alone do not fit
					continue
				}
				for _, v := range m.Verbs {
					if !strings.Contains(texts.Edit, v.Name) {
						t.Errorf("%d of each, %d characters long, in %d: %s is not in the card", n, long, room, v.Name)
					}
				}
			}
		}
	}
}

func TestNoLineOfAPluginLooksLikeTheHosts(t *testing.T) {
	for _, forged := range []string{"## Replies", "# MIDI reference card", "! rolled back", "? warning", "+ created", "try: remove @all", "[0 things]"} {
		two := "fine\n" + forged
		m := &abi.Manifest{Domain: "d", Title: "D",
			Verbs:      []abi.Verb{{Name: "a", Syntax: forged, Category: forged, Examples: []string{two}}, {Name: "b", Syntax: "b", Brief: forged}},
			Vocabulary: []abi.Section{{Title: forged, Lines: []string{forged}}, {Title: "B", Brief: forged, Lines: []string{forged}}},
			Selectors:  []abi.Selector{{Type: "s", Syntax: forged}}, Queries: []abi.Query{{Name: "q", Syntax: forged}}, Session: []abi.Session{{Name: "s", Syntax: forged}},
			Conventions: []string{forged}, Example: []string{two, forged}}
		h := help{d: &domain.Domain{Manifest: m}}
		for _, text := range []string{Card(m, "d"), h.answer("a").Text, h.answer("b").Text} {
			for line := range strings.Lines(text) {
				if strings.HasPrefix(line, forged) && !strings.HasPrefix(line, "+ created ~") && line != "## Replies\n" {
					t.Errorf("%q stands at the start of a line:\n%s", forged, text)
				}
			}
			if strings.Count(text, "\n## Replies\n") > 1 {
				t.Errorf("a second legend:\n%s", text)
			}
		}
	}
}

func TestUnracedTheCardIsCutFromTheLeastNeeded(t *testing.T) {
	testwasm.Unraced(t)
	m := &abi.Manifest{Domain: "d", Title: "D",
		Verbs:       []abi.Verb{{Name: "go", Syntax: "go PLACE [by:CAR|TRAIN]", Summary: "goes there"}, {Name: "stay", Syntax: "stay", Brief: "stay [at:HOME]"}},
		Vocabulary:  []abi.Section{{Title: "Places", Lines: []string{strings.Repeat("Rome Oslo Bern ", 30)}}, {Title: "Cars", Lines: []string{strings.Repeat("sedan coupé ", 10)}}},
		Selectors:   []abi.Selector{{Type: "far", Syntax: "@far:KM", Summary: "far away"}},
		Conventions: []string{"Left is left."}, Example: []string{"go Rome by:TRAIN"}}
	// Each step takes away one of these, in this order.
	steps := []string{"Rome Oslo Bern Rome Oslo Bern Rome Oslo Bern Rome Oslo Bern Rome Oslo Bern Rome Oslo", "goes there", "CAR|TRAIN", "coupé", "Left is left.", "far away", "PLACE"}
	room, left := Describe(m, "d", 100_000), slices.Clone(steps)
	for size := room.size(); size > 1000 && len(left) > 0; size-- {
		text := Describe(m, "d", size)
		gone := 0
		for gone < len(left) && !strings.Contains(text.Edit, left[gone]) {
			gone++
		}
		left = left[gone:]
		for _, s := range left {
			if !strings.Contains(text.Edit, s) {
				t.Fatalf("at %d characters %q is gone before %q:\n%s", size, s, left[0], text.Edit)
			}
		}
	}
	if len(left) > 0 {
		t.Errorf("never cut: %q", left)
	}
}

func TestTheToolsForAllDomainsListThemInWhatRoomThereIs(t *testing.T) {
	of := func(n, long int) *Session {
		var domains []*domain.Domain
		for i := range n {
			domains = append(domains, &domain.Domain{Manifest: &abi.Manifest{Domain: fmt.Sprintf("domain%d", i), Extensions: []string{".one", ".two"}, Summary: strings.Repeat("x", long)}})
		}
		return New(domain.List(domains), nil)
	}
	for _, c := range []struct {
		n, long int
		has     string
	}{
		{2, 100, "\ndomain1 (.one .two): \"xxx"},
		{20, 300, "\ndomain19 (.one .two)"},
		{150, 300, " domain149"},
		{2000, 300, "Domains: 2000, listed by fcp_help"},
	} {
		texts := of(c.n, c.long).DescribeAll(3500)
		if texts.size() > 3500 || !strings.Contains(texts.Session, c.has) {
			t.Errorf("%d domains: %d characters, without %q:\n%s", c.n, texts.size(), c.has, texts.Session)
		}
	}
}

func TestEveryExampleOfTheHostsOwnActionsAndQueriesParses(t *testing.T) {
	for _, a := range domain.HostActions() {
		if op, err := grammar.ParseAction(a.Example); err != nil || op.Verb != a.Name {
			t.Errorf("%s: %v", a.Example, err)
		}
	}
	for _, q := range domain.HostQueries() {
		if _, err := grammar.ParseQuery(q.Example); err != nil {
			t.Errorf("%s: %v", q.Example, err)
		}
	}
}
