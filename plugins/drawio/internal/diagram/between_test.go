package diagram

import (
	"strings"
	"testing"
)

func TestAShapeGoesIntoAnEdge(t *testing.T) {
	d := newDoc(t)
	d.run("add task A at:100,100 size:90x60 fill:#eeeeee", "add task B at:500,100 size:90x60", "connect A -> B label:then source-label:1 target-label:2 style:dashed")
	before := d.bytes()
	if got, want := d.run("add task C between:A,B"), "task C @(300,100 90x60)\n"; !strings.HasPrefix(got, want) {
		t.Errorf("add: %q, want it to begin with %q", got, want)
	}
	got := d.query("map")
	for _, want := range []string{`A->C "then" source-label:"1" dashed`, `C->B target-label:"2" dashed`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if strings.Contains(got, "A->B") || !strings.Contains(d.query("describe C"), "fillColor=#eeeeee") {
		t.Errorf("the edge is still whole, or C does not look like A:\n%s\n%s", got, d.query("describe C"))
	}
	if d.undo(); d.bytes() != before {
		t.Error("undo does not restore the bytes")
	}
	d.refused("add task C between:A,Nope", "not found")
	d.run("add task Alone")
	d.refused("add task C between:A,Alone", "no edge joins")
	d.run("connect A -> B label:again")
	if e := d.refused("add task C between:A,B", "several edges"); len(e.Try) != 2 {
		t.Errorf("tries: %v", e.Try)
	}
}

// Where an edge is too short, its later end makes way; what is in other lanes stays.
func TestTheLaterEndMakesWay(t *testing.T) {
	d := newDoc(t)
	d.run("add pool P lanes:One,Two at:0,0", "add task A in:One", "add task B in:One near:A dir:right", "add task X in:Two", "add task Y in:Two near:X dir:right", "connect A -> B", "connect X -> Y")
	if err := d.try("move Y near:X dir:right").Error; err != nil {
		t.Fatal(err.Message)
	}
	page := d.in.Model().Current
	at := func(name string) *cell {
		hits, _ := page.Names().Find(name, true)
		return hits[0]
	}
	b, y := at("B").Abs().X, at("Y").Abs().X
	got := d.run("add task C between:A,B")
	moved := at("B").Abs().X - b
	if moved <= 0 || at("Y").Abs().X != y || !strings.Contains(got, "made way: B\n") {
		t.Errorf("B moved by %v, Y by %v: %s", moved, at("Y").Abs().X-y, got)
	}
	c := at("C")
	if c.Owner() != at("One") || c.Abs().Center().Y != at("A").Abs().Center().Y || c.Abs().X < at("A").Abs().Right()+20 || c.Abs().Right() > at("B").Abs().X-20 {
		t.Errorf("C %v is not between A %v and B %v", c.Abs(), at("A").Abs(), at("B").Abs())
	}
}

func TestAnExistingShapeMovesIntoAnEdge(t *testing.T) {
	d := newDoc(t)
	d.run("add box A at:100,100", "add box B at:600,100", "add box C at:100,400", "connect A -> B", "move C between:A,B")
	got := d.query("map")
	for _, want := range []string{"C(box) @(350,100", "A->C solid", "C->B solid"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	d.refused("move A between:A,C", "not an end")
}

func TestAnEdgeGetsAnotherEnd(t *testing.T) {
	d := newDoc(t)
	d.run("add box A at:100,100", "add box B at:400,100", "add box C at:400,400", "connect A -> B label:reads source-label:1 exit:right entry:left stroke:red")
	id := d.recent[0]
	if got, want := d.run("move A -> B target:C"), `A->C "reads" source-label:"1" solid, was A->B`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	got := d.query("describe A -> C")
	if !strings.Contains(got, "id:"+id) || !strings.Contains(got, "strokeColor=#ff0000") || !strings.Contains(got, "exitX=1") || strings.Contains(got, "entryX") {
		t.Errorf("describe: %s", got)
	}
	d.unchanged("move A -> C target:C", "already connected like that")
	d.run("move C <- A source:B")
	if got := d.query("map"); !strings.Contains(got, `B->C "reads"`) {
		t.Errorf("map: %s", got)
	}
	d.refused("move A target:C", "A is a shape")
}

func TestAnEdgeLooksLikeAnother(t *testing.T) {
	d := newDoc(t)
	d.run("add box A at:100,100", "add box B at:400,100", "add box C at:400,400", "connect A -- B exit:right startArrow:ERmandOne endArrow:ERoneToMany endSize:10 dashed:1 curved:1 elbow:vertical")
	d.run("connect A -> C like:A->B", `connect B -> C like:"A -- B" stroke:#808080`)
	for _, q := range []string{"describe A -- C", "describe B -- C"} {
		got := d.query(q)
		for _, want := range []string{"startArrow=ERmandOne", "endArrow=ERoneToMany", "endSize=10", "dashed=1", "curved=1", "elbow=vertical"} {
			if !strings.Contains(got, want) {
				t.Errorf("%s has no %s: %s", q, want, got)
			}
		}
		if strings.Contains(got, "exitX") {
			t.Errorf("%s has the ports of A -- B: %s", q, got)
		}
	}
	d.run("style A -- C unset:dashed,endSize,curved")
	if got := d.query("describe A -- C"); strings.Contains(got, "dashed") || strings.Contains(got, "endSize") || strings.Contains(got, "curved=") {
		t.Errorf("after unset: %s", got)
	}
	d.unchanged("style A -- C unset:dashed", "already in that style")
	if e := d.refused(`connect A -> C start-label:1 end:"0..*"`, "start-label"); len(e.Try) == 0 || e.Try[0].Text != `connect A -> C source-label:1 end:0..*` && e.Try[0].Text != `connect A -> C source-label:1 end:"0..*"` {
		t.Errorf("tries: %v", e.Try)
	}
	d.refused("connect A -> C like:A->Nope", "is not an edge")
}

// draw.io attaches an edge to the middle of a shape without a perimeter unless its style has a port there.
func TestEdgesAttachToTheBordersOfShapesWithoutAPerimeter(t *testing.T) {
	d := newDoc(t)
	d.run("add box A at:100,100 perimeter:none", "add box B at:400,100", "connect A -> B", "connect A -> B exit:bottom label:x")
	got := d.query("describe A -> B")
	for _, want := range []string{"exitX=1;exitY=0.5;exitDx=0;exitDy=0;exitPerimeter=0", "exitX=0.5;exitY=1;exitDx=0;exitDy=0;endArrow=classic;exitPerimeter=0"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	if strings.Contains(got, "entryX") {
		t.Errorf("B has a perimeter: %s", got)
	}
}

// Only the later end moves, and what it then would cover.
func TestOnlyWhatIsInTheWayMakesWay(t *testing.T) {
	d := newDoc(t)
	d.run("add box A at:100,100", "add box B at:260,100", "add box Near at:420,100", "add box Far at:900,100", "add box Below at:260,400", "connect A -> B")
	if got := d.run("add box C between:A,B"); !strings.Contains(got, "made way: B, Near\n") {
		t.Errorf("add: %s", got)
	}
}

// A gap that suffices for a shape of the neighbours' size is used, also if a frame around one of them is of the same type.
func TestAShapeBetweenSmallOnesIsSmall(t *testing.T) {
	d := newDoc(t)
	d.run("add box Frame at:240,0 size:400x300", "add box A at:100,100 size:50x30", "add box B at:250,100 size:50x30 strict:true", "add box C at:400,100 size:50x30 strict:true", "connect A -> B", "connect B -> C")
	if got := d.run("add box Gate between:B,C"); !strings.HasPrefix(got, "box Gate @(325,100 50x30)\n") || strings.Contains(got, "made way") {
		t.Errorf("add: %s", got)
	}
}
