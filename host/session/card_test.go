package session

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/host/grammar"
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
		if strings.Contains(card, "\n  "+v.Syntax) == v.Hidden {
			t.Errorf("verb %s: hidden is %v", v.Name, v.Hidden)
		}
	}
	for _, want := range []string{"## Ops (tool list)\n", "## Queries (tool list_query)\n", "## Session (tool list_session)\n",
		`  new "Title" [first:TEXT] · an empty document`, "  export upper as:PATH · ", "  include PATH · append a file's lines\n",
		"    then raw lines, up to a line: END\n", "  diff checkpoint:NAME · ", "  + created  ~ connection changed"} {
		if !strings.Contains(card, want) {
			t.Errorf("%q is not in the card", want)
		}
	}
	unified := Card(d.Manifest, "fcp")
	for _, want := range []string{"(tool fcp_edit)", "(tool fcp_query)", `new list "Title" [first:TEXT]`} {
		if !strings.Contains(unified, want) {
			t.Errorf("%q is not in the unified card", want)
		}
	}
}

func TestEveryExampleOfTheHostsOwnActionsAndQueriesParses(t *testing.T) {
	for _, a := range Actions() {
		if op, err := grammar.ParseCommand(a.Example); err != nil || op.Verb != a.Name {
			t.Errorf("%s: %v", a.Example, err)
		}
	}
	for _, q := range HostQueries() {
		if _, err := grammar.ParseQuery(q.Example); err != nil {
			t.Errorf("%s: %v", q.Example, err)
		}
	}
}

func TestHelpAddsWhatTheDocumentBrought(t *testing.T) {
	c := newClient(t, "list", list(t), thing(t))
	card := Card(list(t).Manifest, "list")
	if r := c.Help(ctx, "list", ""); r.Text != card {
		t.Errorf("before any session: %s", r)
	}
	c.act(`new "T"`)
	if r := c.Help(ctx, "list", ""); r.Text != card+"\n# In \"T\"\n\n## Lines\n  1\n" {
		t.Errorf("with a document: …%s", r.Text[len(card):])
	}
	if r := c.Help(ctx, "", ""); !strings.HasPrefix(r.Text, "# List reference card\n") || !strings.Contains(r.Text, "# In \"T\"") {
		t.Errorf("unified, with a document: %s", r)
	}
	if r := c.Help(ctx, "", "thing"); !strings.HasPrefix(r.Text, "# Things reference card\n") {
		t.Errorf("unified, named: %s", r)
	}
	if r := c.Help(ctx, "", "nope"); !r.Failed || r.String() != `! no domain "nope"; there are list, thing` {
		t.Errorf("unified, unknown: %s", r)
	}
	if r := c.Session.Session(ctx, "thing", "", "new U"); r.Failed {
		t.Fatal(r)
	}
	if r := c.Help(ctx, "thing", ""); r.Text != Card(thing(t).Manifest, "thing") {
		t.Errorf("a plugin without help of its own: %s", r)
	}
	for _, d := range c.Documents() {
		if got := d.Status(ctx); got.Failed {
			t.Error(got)
		}
	}
}
