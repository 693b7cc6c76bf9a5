package diagram

import (
	"strings"
	"testing"
)

func crossing(t *testing.T) *doc {
	d := newDoc(t)
	d.run("add svc A", "add svc B", "add db C", "connect A -> B", "connect B -> C label:reads", "group A B as:G", "page add Two", "page switch 1")
	return d
}

func TestShapesMoveToAnotherPageWithWhatIsInThem(t *testing.T) {
	d := crossing(t)
	first := d.bytes()
	id := d.in.Model().Current.Names()
	g, _ := id.Find("G", true)
	key := g[0].Key
	text := d.run("move G page:Two")
	if want := `G @(`; !strings.Contains(text, want) || !strings.Contains(text, `on page 2 Two; removed 1 edge to what stays: B->C "reads"`) {
		t.Errorf("replied %q", text)
	}
	if got := d.query("map"); strings.Contains(got, "A(svc)") || !strings.Contains(got, "C(db)") {
		t.Errorf("page 1 has\n%s", got)
	}
	d.run("page switch Two")
	got := d.query("map")
	for _, want := range []string{"G(group)", "    A(svc)", "    B(svc)", "A->B"} {
		if !strings.Contains(got, want) {
			t.Errorf("page 2 has no %q:\n%s", want, got)
		}
	}
	if d.in.Model().Current.Cell(key) == nil {
		t.Error("the group lost its id")
	}
	d.undo()
	d.undo()
	if d.bytes() != first {
		t.Error("not undone")
	}
	d.unchanged("move G page:1", "is already on that page")
	d.refused("move G page:Two in:G", "in: names what is on the current page")
	d.refused("move G page:Tow", `no page "Tow"`)
}

func TestShapesAreCopiedToAndFromOtherPages(t *testing.T) {
	d := crossing(t)
	d.run("copy @type:svc page:Two", "copy A page:Two as:A2", "page switch Two", "copy @page:1 @type:db to:600,600")
	got := d.query("map")
	for _, want := range []string{"A(svc)", "B(svc)", "A->B", "A2(svc)", "C(db) @(600,600"} {
		if !strings.Contains(got, want) {
			t.Errorf("page 2 has no %q:\n%s", want, got)
		}
	}
	if strings.Contains(d.warnings(), "overlap") {
		t.Error(d.warnings())
	}
	d.run("page switch 1")
	if got := d.query("map"); !strings.Contains(got, "3s 2e 1g") {
		t.Errorf("page 1 changed:\n%s", got)
	}
	d.run("group C as:H", "copy @page:2 @text:A2 in:H")
	if got := d.query("list @group:H"); !strings.Contains(got, "A2(svc)") {
		t.Errorf("the group holds\n%s", got)
	}
}

func TestAPageSplitKeepsEveryEdgeWithStandIns(t *testing.T) {
	d := crossing(t)
	first := d.bytes()
	text := d.run("page split G")
	if want := "page 2 G with G; 1 edge went along, to stand-ins for C"; !strings.Contains(text, want) {
		t.Errorf("replied %q, want %q", text, want)
	}
	if got := d.query("map"); !strings.Contains(got, "1s 0e 0g") || !strings.Contains(got, "page 1") {
		t.Errorf("what stays:\n%s", got)
	}
	d.run("page switch G")
	got := d.query("map")
	for _, want := range []string{"G(group)", "A->B", `B->C "reads"`, "C(db)"} {
		if !strings.Contains(got, want) {
			t.Errorf("the new page has no %q:\n%s", want, got)
		}
	}
	if got := d.query("describe C"); !strings.Contains(got, "link: data:page/id,"+d.in.Model().Pages[0].ID) || !strings.Contains(got, "dashed=1") {
		t.Errorf("the stand-in is\n%s", got)
	}
	d.undo()
	d.undo()
	if d.bytes() != first {
		t.Error("not undone")
	}
	d.refused("page split A B", "page split needs as:NAME")
	d.refused("page split", "page split needs shapes")
	d.refused("page list @all", "takes no selector")
	d.refused("page split A as:Two", "called")
}
