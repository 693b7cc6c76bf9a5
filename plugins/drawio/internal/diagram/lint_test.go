package diagram

import (
	"fmt"
	"strings"
	"testing"
)

func TestLintFindsWhatMakesAPageHardToRead(t *testing.T) {
	d := newDoc(t)
	d.run("add box A at:0,0", "add box B at:600,0", "add box Mid at:300,0", "add box C at:180,300", "add box D at:180,-300 strict:true")
	d.run("connect A -> B style:straight", "connect C -> D style:straight")
	d.run("add box Lone at:0,600", `add box "A label that is far too long for its little box and will never fit" at:600,600 size:40x20`)
	got := d.query("lint")
	for _, want := range []string{"without an edge: Mid, Lone", "larger than its shape: A label", "1 crossing: A->B × C->D", "1 edge through a shape: A->B through Mid"} {
		if !strings.Contains(got, want) {
			t.Errorf("want %q in\n%s", want, got)
		}
	}
}

func TestLintFindsWhatNobodySees(t *testing.T) {
	d := newDoc(t)
	d.run("add box A", "add box \"B\U000e0041\"", "connect A -> \"B\U000e0041\" label:\"x\u200b\"")
	got := d.query("lint")
	if !strings.Contains(got, "2 labels with characters that nobody sees: ") || !strings.Contains(got, `"B\udb40\udc41": 1 hidden character (\udb40\udc41)`) {
		t.Error(got)
	}
}

func TestLintFindsTheFlow(t *testing.T) {
	d := newDoc(t)
	d.run("add box A at:0,0", "add box B at:200,0", "add box C at:400,0", "add box D at:600,0", "add box E at:800,0")
	d.run("connect A -> B -> C -> D -> E", "connect E -> A")
	if got := d.query("lint"); !strings.Contains(got, "1 edge against the flow to the right: E->A") {
		t.Error(got)
	}
}

func TestLintFindsNothingOnAGoodPage(t *testing.T) {
	d := newDoc(t)
	d.run("add svc A", "add svc B", "connect A -> B", "layout")
	if got := d.query("lint"); !strings.Contains(got, "nothing found") {
		t.Error(got)
	}
}

// Both lint and the warnings after a call count the edge once.
func TestAnEdgeThroughSeveralShapesIsReportedOnce(t *testing.T) {
	d := newDoc(t)
	d.run("add box A at:0,0", "add box B at:600,0", "add box M1 at:200,0", "add box M2 at:400,0", "connect A -> B style:straight")
	want := "1 edge through a shape: A->B through M1, M2"
	if got := d.query("lint"); !strings.Contains(got, want) {
		t.Error(got)
	}
	if got := d.warnings(); !strings.Contains(got, want) {
		t.Error(got)
	}
	d.run("move M1 by:0,300", "move M2 by:0,300")
	if got := d.warnings(); strings.Contains(got, "through") {
		t.Error(got)
	}
}

// The positions of the parts of a sequence say when they happen.
func TestASequenceKeepsItsOrderAndIsNotScored(t *testing.T) {
	d := newDoc(t)
	d.run(sequenceText)
	if got := d.query("lint"); strings.Contains(got, "score") || strings.Contains(got, "larger than") {
		t.Errorf("lint says %s", got)
	}
	d.unchanged("layout dir:LR", "order of time")
	d.unchanged("route", "order of time")
}

// In a quarter of real files shapes lie in frames without being their children.
func TestAShapeInAFrameIsNotAnOverlap(t *testing.T) {
	d := openDoc(t, []byte(`<mxGraphModel><root><mxCell id="0"/><mxCell id="1" parent="0"/><mxCell id="f" value="Cloud" style="points=[];html=1;fillColor=none;strokeColor=#232F3E;" vertex="1" parent="1"><mxGeometry x="40" y="40" width="600" height="200" as="geometry"/></mxCell>`+
		`<mxCell id="a" value="A" vertex="1" parent="1"><mxGeometry x="80" y="100" width="120" height="60" as="geometry"/></mxCell><mxCell id="b" value="B" vertex="1" parent="1"><mxGeometry x="400" y="100" width="120" height="60" as="geometry"/></mxCell>`+
		`<mxCell id="e" edge="1" parent="1" source="a" target="b"><mxGeometry relative="1" as="geometry"/></mxCell></root></mxGraphModel>`))
	if got := d.query("lint"); strings.Contains(got, "overlap") {
		t.Error(got)
	}
	d.run("add svc C at:150,120 strict:true")
	if got := d.query("lint"); !strings.Contains(got, "1 overlap: A/C") {
		t.Error(got)
	}
	if got := d.warnings(); !strings.Contains(got, "1 overlap: A/C") || strings.Contains(got, "Cloud/") {
		t.Error(got)
	}
}

// Of frames of one size around a shape, the first in the file holds it, whichever was changed last.
func TestTheFirstOfEqualFramesHoldsAShape(t *testing.T) {
	frame := func(id string, w, h int) string {
		return fmt.Sprintf(`<mxCell id="%s" value="%s" style="fillColor=none;" vertex="1" parent="1"><mxGeometry x="100" y="100" width="%d" height="%d" as="geometry"/></mxCell>`, id, id, w, h)
	}
	d := openDoc(t, sheet(frame("A", 400, 300)+frame("B", 300, 400)+box("in", "in", 200, 250)+box("low", "low", 200, 410)+
		`<mxCell id="e" edge="1" source="in" target="low" parent="1"><mxGeometry relative="1" as="geometry"/></mxCell>`))
	want := "1 overlap: A/B"
	for _, op := range []string{"", "move A by:10,0", "move B by:10,0", "move in by:10,0"} {
		if op != "" {
			d.run(op)
			d.undo()
		}
		if got := d.query("lint"); !strings.Contains(got, want) {
			t.Errorf("after %q undone: %s", op, got)
		}
	}
}
