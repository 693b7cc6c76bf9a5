package diagram

import (
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
)

// launch returns a document with a mind map built by ops.
func launch(t *testing.T) *doc {
	t.Helper()
	d := newDoc(t)
	d.run("add topic Launch", "add topic Market of:Launch", "add topic Product of:Launch", "add topic Team of:Launch", "add topic Rivals of:Market", "add topic Prices of:Market before:Rivals", "add topic Law of:Team")
	return d
}

func TestTopicsMakeAMindMapThatIsLaidOut(t *testing.T) {
	d := launch(t)
	want := "mindmap\n  Launch\n    Market\n      Prices\n      Rivals\n    Product\n    Team\n      Law\n"
	if text, err := d.mermaid(""); err != nil || text != want {
		t.Errorf("%v\n%s", err, text)
	}
	d.unchanged("layout", "already laid out like that")
	at := spots(d)
	if root := at["Launch"]; at["Market"].X < root.Right() || at["Prices"].X < at["Market"].Right() || at["Team"].Right() > root.X || at["Law"].Right() > at["Team"].X {
		t.Errorf("it does not grow to both sides: %v", at)
	}
	if at["Prices"].X != at["Rivals"].X || at["Prices"].Y > at["Rivals"].Y || at["Product"].Right() != at["Team"].Right() && at["Product"].X != at["Market"].X {
		t.Errorf("siblings do not stand in line and in order: %v", at)
	}
	if got := d.query("list"); !strings.Contains(got, "Prices(svc) @") || strings.Count(got, " blue") != 3 || strings.Count(got, " green") != 1 || strings.Count(got, " orange") != 2 {
		t.Errorf("branches have not colours of their own:\n%s", got)
	}
	d.run("layout dir:LR")
	at = spots(d)
	if at["Team"].X != at["Market"].X || at["Team"].X < at["Launch"].Right() {
		t.Errorf("dir:LR does not grow to the right alone: %v", at)
	}
	d.run("add topic Goals of:Product") // no map in both directions now, so nothing is laid out again
	if now := spots(d); now["Team"] != at["Team"] {
		t.Errorf("Team moved from %v to %v", at["Team"], now["Team"])
	}
}

func TestTopicsMoveWithTheirSubtopics(t *testing.T) {
	d := launch(t)
	for _, x := range []struct{ op, want string }{
		{"move Team before:Market", "Launch\n    Team\n      Law\n    Market\n"},
		{"move Prices after:Rivals", "Rivals\n      Prices\n    Product"},
		{"move Market of:Law", "Law\n        Market\n          Rivals\n          Prices\n    Product"},
		{"move Law of:Product", "Team\n    Product\n      Law\n        Market\n          Rivals"},
	} {
		before := d.bytes()
		d.run(x.op)
		text, _ := d.mermaid("")
		if !strings.Contains(text, x.want) {
			t.Errorf("%s\n%s", x.op, text)
		}
		d.unchanged("layout", "already laid out like that")
		after, n := d.bytes(), len(d.log)
		d.undo()
		if d.bytes() != before {
			t.Errorf("%s is not undone", x.op)
		}
		d.run(x.op)
		if d.bytes() != after || len(d.log) != n {
			t.Errorf("%s: not the same again", x.op)
		}
		d.unchanged(x.op, "is already there")
	}
	if got := d.query("list"); strings.Count(got, " green") != 5 {
		t.Errorf("what moved has not the colour of its branch:\n%s", got)
	}
	d.refused("move Product of:Rivals", "Product cannot become a subtopic of Rivals")
	d.refused("move Product of:Product", "cannot become a subtopic of Product")
	d.refused("move Rivals before:Launch", "Launch is not a subtopic")
	d.refused("move Rivals of:Team before:Law", "Law is not a subtopic of Team")
	d.refused("move Rivals of:Team near:Law", "near: does not go with them")
	d.refused("add topic New of:Nobody", "not found")
	d.refused("add topic New of:Team size:90x90", "size: does not go with a topic")
	d.refused("add svc New of:Team", "of: is for a topic")
	d.refused("add topic Two words of:Team", "quote a label")
}

// Pages that are not a mind map, or are not laid out as one, stay unchanged.
func TestTopicsDoNotLayOutOtherPages(t *testing.T) {
	d := newDoc(t)
	d.run("add svc A at:100,100", "add svc B at:500,300", "connect A -> B", "group A B as:G")
	was := spots(d)
	d.run("add topic Idea of:A", "add topic Other of:A", "add topic Deep of:Idea")
	now := spots(d)
	if now["A"] != was["A"] || now["B"] != was["B"] {
		t.Errorf("%v, was %v", now, was)
	}
	for _, n := range []string{"Idea", "Other", "Deep"} {
		if x, err := selector.Vertex(d.in.Model(), n); err != nil || x.Owner() == nil || !x.Owner().Abs().Contains(x.Abs()) {
			t.Errorf("%s does not lie in the group of A: %v", n, now[n])
		}
	}
	apart(t, d, "topics in a group")
	e := slices.DeleteFunc(d.in.Model().Current.Out(idNamed(t, d, "A")), func(e *cell) bool { return !e.Style.Is("curved", "1") })
	if names := []string{e[0].Target, e[1].Target}; !slices.Equal(names, []string{idNamed(t, d, "Idea"), idNamed(t, d, "Other")}) {
		t.Errorf("branches to %v", names)
	}
}

func idNamed(t *testing.T, d *doc, name string) string {
	t.Helper()
	x, err := selector.Vertex(d.in.Model(), name)
	if err != nil {
		t.Fatal(err)
	}
	return x.ID
}
