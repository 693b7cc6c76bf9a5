package diagram

import (
	"fmt"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/layout/arrange"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/svg"
)

func TestNoMessageRunsAlongTheBorderOfAPool(t *testing.T) {
	d := newDoc(t)
	d.run("add pool Order lanes:Customer,Front,Back", "add pool Bank lanes:Clearing", "add event Start in:Customer", "add task Place in:Customer", "add task Check in:Front", "add gateway ok in:Front",
		"add task Charge in:Back", "add task Book in:Clearing", "add event Done in:Customer", "add task Refuse in:Front", "connect Start -> Place -> Check -> ok", "connect ok -> Charge label:yes", "connect ok -> Refuse label:no",
		`connect Charge -> Book label:"payment request"`, `connect Book -> Done label:"confirmation of the payment"`, "connect Refuse -> Done", "layout")
	page := d.in.Model().Current
	var rims []geom.Rect
	for x := page.First(); x != nil; x = x.Next() {
		if x.Shape() && stacked(x) {
			rims = append(rims, x.Abs())
		}
	}
	for e, route := range svg.Routes(page) {
		if alongBorder(route, rims) {
			t.Errorf("%s: %v runs along one of %v", arrowText(e), route, rims)
		}
	}
	clear, _ := score(page)
	right, book, done := rims[0].Right(), d.at("Book").Center().Y, d.at("Done").Center().Y
	d.run(fmt.Sprintf("modify Book -> Done via:%g,%g;%g,%g", right, book, right, done))
	if on, _ := score(page); on.Total < clear.Total+10_000 || on.Counts[arrange.OnBorder] == 0 {
		t.Errorf("a line along a border: %s; clear of it: %s", on, clear)
	}
}
