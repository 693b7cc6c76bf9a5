package diagram

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
)

// Models quote the items of a list one by one if they contain spaces.
func TestItemsOfAListMayBeQuotedOneByOne(t *testing.T) {
	d := newDoc(t)
	d.run(`add pool Bank lanes:"Front office","Risk","Back office"`, `add table Plans cols:"Plan name", "Price" rows:"Basic,9", "Pro plus,29" theme:blue`, `add class Order fields:"+ id: int","+ total: float" methods:"pay()"`)
	got := d.query("map")
	for _, want := range []string{"Front office(lane)", "  Risk(lane)", "Back office(lane)", "Plans(table)"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if got := d.query("map"); strings.Contains(got, `\"`) || !strings.Contains(got, ": Plan name, Price; Basic, 9; Pro plus, 29") || !strings.Contains(got, ": + id: int; + total: float; --; pay()") {
		t.Errorf("%s", got)
	}
	s := newDoc(t)
	s.run("add participant A", "add participant B", `connect A -> B label:"make token"`, `connect B -> A label:"send link" style:dashed`, "connect A -> B label:done")
	s.run(`add alt "user known" around:"make token","send link"`)
	if got := s.query("map"); !strings.Contains(got, "[user known]") {
		t.Errorf("%s", got)
	}
	s.refused(`add alt x around:"make token","send letter"`, `no message "send letter"`)
	d.run("add svc Checkout", `split Checkout as:"Checkout API","Order Worker" out:"Order Worker"`)
	if got := d.query("list"); !strings.Contains(got, "Checkout API(svc)") || !strings.Contains(got, "Order Worker(svc)") {
		t.Errorf("%s", got)
	}
}

func TestRowsAreListedWithTheirBox(t *testing.T) {
	d := newDoc(t)
	d.run(`add entity E fields:"id PK; name"`, "add table T cols:A,B rows:1", "add class C fields:a", "add event Late marker:intermediate-timer", `label Late ""`, "add gateway Fork marker:parallel", `label Fork ""`)
	d.run(`add class Copy methods:"lend(to: Member, until: date): Loan, takeBack()"`)
	if r := d.at("Copy"); r.W < model.LabelWidth("lend(to: Member, until: date): Loan")+10 || r.W > 260 {
		t.Errorf("the class is %v", r)
	}
	if r := d.run(`add class Narrow size:120x120 methods:"lend(to: Member, until: date): Loan"`); !strings.Contains(r, "120x120") {
		t.Error(r)
	}
	d.undo()
	d.undo()
	got := d.query("map")
	if n := strings.Count(got, "\n"); n != 5 || !strings.Contains(got, ": PK, id; name\n") || !strings.Contains(got, ": A, B; (empty)\n") || !strings.Contains(got, ": a; --\n") || !strings.Contains(got, " intermediate-timer") || !strings.Contains(got, " parallel") {
		t.Errorf("%d lines:\n%s", n, got)
	}
}
