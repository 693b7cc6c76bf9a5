package session

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/domain"
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
		"; then raw lines up to: END\n", "\ndiff [checkpoint:NAME]\n", "\n+ created ~ connection changed"} {
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

func TestACategoryIsListedOnceInTheCardWhereItFirstOccurs(t *testing.T) {
	m := &abi.Manifest{Domain: "d", Title: "D", Verbs: []abi.Verb{
		{Name: "a", Syntax: "a", Category: "one"}, {Name: "b", Syntax: "b", Category: "two"},
		{Name: "c", Syntax: "c", Category: "one", Hidden: true}, {Name: "d", Syntax: "d X", Category: "one", Summary: "does", Brief: "d"}}}
	if _, card, _ := strings.Cut(Card(m, "d"), "## Ops\n"); !strings.HasPrefix(card, "one:\na\nd\ntwo:\nb\n\n") {
		t.Errorf("%s", card)
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
		for _, text := range []string{Card(m, "d"), Describe(m, "d", 100_000).Edit, h.answer("a").Text, h.answer("b").Text} {
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
	for _, a := range domain.Actions(domain.Always) {
		if op, err := grammar.ParseAction(a.Example); err != nil || op.Verb != a.Name {
			t.Errorf("%s: %v", a.Example, err)
		}
	}
	for _, q := range domain.Queries(domain.Always) {
		if _, err := grammar.ParseQuery(q.Example); err != nil {
			t.Errorf("%s: %v", q.Example, err)
		}
	}
}
