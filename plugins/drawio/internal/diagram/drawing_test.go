package diagram

import (
	"fmt"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/layout"
	"github.com/fcp-host/fcp-host/pdk/layout/arrange"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/arranger"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
)

func TestNoMessageRunsAlongTheBorderOfAPool(t *testing.T) {
	d := newDoc(t)
	d.run("add pool Order lanes:Customer,Front,Back", "add pool Bank lanes:Clearing", "add event Start in:Customer", "add task Place in:Customer", "add task Check in:Front", "add gateway ok in:Front",
		"add task Charge in:Back", "add task Book in:Clearing", "add event Done in:Customer", "add task Refuse in:Front", "connect Start -> Place -> Check -> ok", "connect ok -> Charge label:yes", "connect ok -> Refuse label:no",
		`connect Charge -> Book label:"payment request"`, `connect Book -> Done label:"confirmation of the payment"`, "connect Refuse -> Done", "layout")
	page := d.in.Model().Current
	var rims []geom.Rect
	for x := page.First(); x != nil; x = x.Next() {
		if x.Shape() && model.IsPoolLane(x) {
			rims = append(rims, x.Abs())
		}
	}
	clear, _ := arranger.Score(page)
	if n := clear.Counts[arrange.OnBorder]; n != 0 {
		t.Errorf("%d edges run along a border", n)
	}
	right, book, done := rims[0].Right(), d.at("Book").Center().Y, d.at("Done").Center().Y
	d.run(fmt.Sprintf("modify Book -> Done via:%g,%g;%g,%g", right, book, right, done))
	if on, _ := arranger.Score(page); on.Total < clear.Total+10_000 || on.Counts[arrange.OnBorder] == 0 {
		t.Errorf("a line along a border: %s; clear of it: %s", on, clear)
	}
}

func TestLayoutUsesTheBetterOfTwoMethods(t *testing.T) {
	d := newDoc(t)
	for i := range 46 {
		d.run(fmt.Sprintf("add svc N%d", i))
		if i > 0 {
			d.run(fmt.Sprintf("connect N%d -> N%d", i*7/8-i%2*(i/5), i))
		}
		if i > 20 && i%4 == 0 {
			d.run(fmt.Sprintf("connect N%d -> N%d", i-18, i))
		}
	}
	page := d.in.Model().Current
	total := map[arranger.Method]int{}
	for _, m := range []arranger.Method{arranger.Columnwise, arranger.Rowwise} {
		c := &ctx{Model: d.in.Model()}
		how := arranger.Order{Algo: "layered", Options: layout.Options{Dir: layout.TB}, Method: m}
		if err := c.Trial(func(c *ctx) error {
			draft := c.Model.Draft()
			how.Arrange(draft, arranger.Outermost(page))
			err := c.Do(draft.Edit(), "layout")
			s, _ := arranger.Score(page)
			total[m] = s.Total
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	d.run("layout dir:TB")
	s, _ := arranger.Score(page)
	if s.Total > min(total[arranger.Columnwise], total[arranger.Rowwise]) {
		t.Errorf("it scores %d, and might have scored %v", s.Total, total)
	}
}
