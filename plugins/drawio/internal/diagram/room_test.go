package diagram

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

func (d *doc) at(ref string) geom.Rect {
	d.t.Helper()
	c, err := selector.Shape(d.in.Model(), ref, true)
	if err != nil {
		d.t.Fatal(err)
	}
	return c.Abs()
}

func TestShapesBelowAPoolMakeWayForALane(t *testing.T) {
	d := newDoc(t)
	d.run("add pool Orders lanes:Customer,Shop at:100,100", "style Customer startSize:20", "style Shop startSize:20",
		"add pool Bank lanes:Desk at:100,360", "add box Aside at:900,120", "add box Under at:900,400", "connect Aside -> Under")
	first := d.bytes()
	text := d.run("add lane Depot in:Orders theme:green")
	if want := "Orders is now 640x360\nBank, Under made way"; !strings.Contains(text, want) {
		t.Errorf("replied %q, want %q in it", text, want)
	}
	if got, want := d.at("Bank"), (geom.Rect{X: 100, Y: 480, W: 640, H: 120}); got != want {
		t.Errorf("the pool below lies at %v, want %v", got, want)
	}
	if got := d.at("Aside").Y; got != 120 {
		t.Errorf("what lies beside the pool moved to %v", got)
	}
	if got := d.query("describe Depot"); !strings.Contains(got, "startSize=20") || !strings.Contains(got, "green") {
		t.Errorf("the lane has not its siblings' header:\n%s", got)
	}
	d.undo()
	if d.bytes() != first {
		t.Error("not undone")
	}
}

func TestAShapeThatEntersALaneKeepsItsPlaceAlongTheFlow(t *testing.T) {
	for _, flow := range []string{"LR", "TB"} {
		d := newDoc(t)
		d.run("add pool Orders lanes:A,B flow:"+flow+" at:100,100 size:800x600", "resize Orders 800x600", "add box X in:A", "move X to:500,420", "add box Y in:B")
		was := d.at("X")
		d.run("move X in:B")
		now, lane := d.at("X"), d.at("B")
		if flow == "LR" && now.X != was.X || flow == "TB" && now.Y != was.Y {
			t.Errorf("%s: %v went to %v", flow, was, now)
		}
		if !lane.Contains(now) {
			t.Errorf("%s: %v is not in %v", flow, now, lane)
		}
	}
}

func TestAPoolThatGrewShrinksAgain(t *testing.T) {
	d := newDoc(t)
	d.run("add pool Orders lanes:A,B at:100,100", "add box X in:A", "resize Orders 1200x600")
	if a, b := d.at("A"), d.at("B"); a.H+b.H != 600 || a.W != 1170 || b.Y != a.Bottom() {
		t.Errorf("lanes of the grown pool: %v %v", a, b)
	}
	d.run("resize Orders 400x200")
	if a, b, p := d.at("A"), d.at("B"), d.at("Orders"); a.H+b.H != 200 || a.W != 370 || p.W != 400 || p.H != 200 {
		t.Errorf("lanes of the shrunk pool: %v %v in %v", a, b, p)
	}
	d.run("resize B h:300")
	if p := d.at("Orders"); p.H != d.at("A").H+300 || p.W != 400 {
		t.Errorf("with a lane of 300 the pool is %v", p)
	}
	err := d.refused("resize Orders 100x100", "Orders needs at least")
	if len(err.Try) == 0 {
		t.Error("nothing is suggested")
	}
	d.run("add pool Wide lanes:A2,B2 flow:TB at:100,900", "resize Wide 200x100")
	if a, b := d.at("A2"), d.at("B2"); a.W+b.W != 200 || a.H != 70 {
		t.Errorf("columns of the shrunk pool: %v %v", a, b)
	}
}

func TestNewSizesOfGroupsAreReported(t *testing.T) {
	d := newDoc(t)
	d.run("add box A at:100,100", "group A as:G", "add box Right at:300,100")
	text := d.run("add box B in:G size:200x100")
	if g := d.at("G"); !strings.Contains(text, "G is now "+strings.TrimPrefix(values.Box(geom.Rect{W: g.W, H: g.H}), "@(0,0 ")[:len("240x")]) {
		t.Errorf("replied %q, the group is %v", text, g)
	}
	if g, right := d.at("G"), d.at("Right"); g.Overlaps(right) {
		t.Errorf("%v grew over %v", g, right)
	}
	d.run("move B by:100,50")
	if g, b := d.at("G"), d.at("B"); !g.Contains(b) {
		t.Errorf("%v does not hold %v, which moved within it", g, b)
	}
}

func TestACopyBesideSomethingStaysOnThePage(t *testing.T) {
	d := newDoc(t)
	d.run("add box Tall at:100,40 size:40x520", "add box Near at:300,100", "add frame All at:60,20 size:700x700 strict:true", "copy Tall near:Near dir:right as:Two")
	if got := d.at("Two"); got.Y < 0 || got.X < 300 {
		t.Errorf("the copy lies at %v", got)
	}
}

func TestAnEdgeDrawnTwiceIsReported(t *testing.T) {
	d := newDoc(t)
	d.run("add box A", "add box B")
	for op, warns := range map[string]bool{"connect A -> B": false, "connect A -- B": false, "connect B -> A": false, "connect A -> B label:x": false} {
		if r := d.try(op); len(r.Warnings) > 0 != warns {
			t.Errorf("%s: warned %q", op, r.Warnings)
		}
	}
	for _, op := range []string{"connect A -> B", "connect B -- A", "connect B <- A label:X"} {
		if r := d.try(op); len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "drawn twice") {
			t.Errorf("%s: warned %q", op, r.Warnings)
		}
	}
	if got := d.query("lint"); !strings.Contains(got, "3 edges drawn twice: A->B, B--A, A->B") {
		t.Errorf("lint says\n%s", got)
	}
}
