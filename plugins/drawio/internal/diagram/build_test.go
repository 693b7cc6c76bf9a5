package diagram

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
)

// at finds a shape by its label.
func at(t *testing.T, d *doc, label string) *cell {
	t.Helper()
	hits, _ := d.in.Model().Current.Names().Find(label, true)
	if len(hits) != 1 {
		t.Fatalf("%d shapes are called %s", len(hits), label)
	}
	return hits[0]
}

// checkStack checks the places of a pool's lanes.
func checkStack(t *testing.T, d *doc, when, pool string) {
	t.Helper()
	p := at(t, d, pool)
	left, top := model.LaneOrigin(p)
	y := top
	for _, l := range model.Lanes(p) {
		if want := (geom.Rect{X: left, Y: y, W: p.Geo.W - left, H: l.Geo.H}); l.Geo != want {
			t.Errorf("%s: lane %s is at %v, want %v", when, model.Short(l), l.Geo, want)
		}
		y += l.Geo.H
	}
	if p.Geo.H != y {
		t.Errorf("%s: the pool is %g high, its lanes %g", when, p.Geo.H, y)
	}
}

func TestAPoolKeepsItsLanesStacked(t *testing.T) {
	d := newDoc(t)
	d.run("add pool Orders lanes:Customer,Shop")
	checkStack(t, d, "at first", "Orders")
	d.run("add lane Bank in:Orders", "add box Pay in:Bank", "add box Big in:Customer size:300x400", "add box Wide in:Shop size:900x60")
	checkStack(t, d, "after growth", "Orders")
	d.run("resize Bank h:200")
	checkStack(t, d, "after a resize", "Orders")
	d.run("add box Outside", "connect Big -> Wide -> Pay -> Outside", "layout dir:LR")
	checkStack(t, d, "after a layout", "Orders")
	d.run("layout @group:Shop")
	checkStack(t, d, "after a layout of a lane", "Orders")
	d.run("remove Shop")
	checkStack(t, d, "after a lane is gone", "Orders")
	d.refused("add box X in:Orders", "say which lane")
	d.refused("move Bank by:10,10", "placed by its pool")
	d.refused("modify Pay type:pool", "a shape cannot become")
	d.run("add pool Columns lanes:A,B flow:TB", "add lane C in:Columns")
	if l := at(t, d, "C"); l.Geo.X != 360 || l.Geo.Y != 30 {
		t.Errorf("the third column is at %v", l.Geo)
	}
}

func TestClassesEntitiesAndTablesAreBuiltAsDrawioBuildsThem(t *testing.T) {
	d := newDoc(t)
	d.run(`add class Invoice fields:"+ id: int; + total: float" methods:"+ pay()"`, `add entity Buyer fields:"PK id,FK shop,name"`,
		"add table Prices cols:Item,Price rows:1", "add image Logo src:https://example.com/a.svg", "add frame Phase", "add box Inside in:Phase")
	if got := d.digest(); !strings.HasPrefix(got, "5s 0e 1g ") {
		t.Errorf("digest %s", got)
	}
	c := at(t, d, "Invoice")
	if kids := c.Page.Children(c.ID); len(kids) != 4 || kids[3].Geo.Bottom() != c.Geo.H {
		t.Errorf("%d members, the class is %g high", len(kids), c.Geo.H)
	}
	e := at(t, d, "Buyer")
	rows := e.Page.Children(e.ID)
	if len(rows) != 3 || len(e.Page.Children(rows[0].ID)) != 2 {
		t.Errorf("the entity has %d rows", len(rows))
	}
	d.run("connect Invoice -> Buyer", "layout", "copy Buyer as:Seller", "remove Invoice", "remove Prices")
	if strings.Contains(d.bytes(), "pay()") || strings.Contains(d.bytes(), ">Price<") {
		t.Error("parts outlived their shape")
	}
	d.refused("add box X fields:a", "fields: is for")
	d.refused("add class X fields:a size:10x10", "needs at least")
	d.refused("add image X", "src:")
	d.refused("add pool X flow:up", "not one of LR TB")
}

// Each op that puts a shape into a lane places it clear of the title.
func TestShapesInALaneDoNotCoverItsTitle(t *testing.T) {
	for _, flow := range []string{"LR", "TB"} {
		for _, ops := range [][]string{
			{"add box Deal in:Sales"}, {"add box Deal in:Sales at:top-left"}, {"add box Deal at:900,900", "move Deal in:Sales"},
			{"add box Deal at:900,900", "group Deal as:Sales"}, {"add box B in:Sales", "group B as:Deal"},
			{"add box B in:Sales", "add box Deal near:B dir:left"}, {"add box B in:Sales", "add box Deal near:B dir:above"}, {"add box Deal in:Sales", "layout"},
		} {
			d := newDoc(t)
			d.run(append([]string{"add pool Process lanes:Sales,Ops flow:" + flow}, ops...)...)
			deal, sales := at(t, d, "Deal"), at(t, d, "Sales")
			title := sales.Abs()
			if flow == "LR" {
				title.W = model.StartSize(sales)
			} else {
				title.H = model.StartSize(sales)
			}
			if deal.Abs().Overlaps(title) {
				t.Errorf("%s %v: %v lies on the title %v", flow, ops, deal.Abs(), title)
			}
		}
	}
}

func TestColsOfATableMayBeANumber(t *testing.T) {
	d := newDoc(t)
	d.run("add table T cols:4 rows:1", "add table U cols:2024,2025 rows:1")
	for name, want := range map[string]string{"T": "Column 1|Column 2|Column 3|Column 4", "U": "2024|2025"} {
		x := at(t, d, name)
		var got []string
		for _, k := range x.Page.Children(x.Page.Children(x.ID)[0].ID) {
			got = append(got, k.Label())
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%s has the columns %q", name, got)
		}
	}
}
