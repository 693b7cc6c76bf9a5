package diagram

import (
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/svg"
)

func TestEdgesHaveLabelsAtTheirEnds(t *testing.T) {
	d := newDoc(t)
	d.run("add box A at:100,100", "add box B at:400,100")
	if got := d.run(`connect A -- B label:owns source-label:1 target-label:"0..*"`); got != `A--B "owns" source-label:"1" target-label:"0..*" solid` {
		t.Errorf("connect: %s", got)
	}
	for _, q := range []string{"map", "connections A", "describe A -- B", "list @edges"} {
		if got := d.query(q); !strings.Contains(got, `A--B "owns" source-label:"1" target-label:"0..*" solid`) {
			t.Errorf("%s does not list the three texts:\n%s", q, got)
		}
	}
	before := d.bytes()
	if got := d.run(`label A -- B target-label:"1..*"`); got != `A--B target-label: "1..*"` {
		t.Errorf("label: %s", got)
	}
	if got := d.query("map"); !strings.Contains(got, `A--B "owns" source-label:"1" target-label:"1..*" solid`) {
		t.Errorf("after label: %s", got)
	}
	d.unchanged(`label A -- B target-label:"1..*"`, `already has the target-label "1..*"`)
	// Named the other way round, the source is the first shape of the op.
	d.run(`label B -- A source-label:5`)
	if got := d.query("map"); !strings.Contains(got, `source-label:"1" target-label:"5"`) {
		t.Errorf("after label B -- A: %s", got)
	}
	d.undo()
	d.undo()
	if d.bytes() != before {
		t.Error("undo does not restore the bytes")
	}
	d.run(`modify A -- B source-label:"" label:has`)
	if got := d.query("map"); !strings.Contains(got, `A--B "has" target-label:"0..*" solid`) {
		t.Errorf("after modify: %s", got)
	}
	d.run(`label A -- B "" target-label:""`)
	if got := d.query("map"); !strings.Contains(got, "A--B solid") {
		t.Errorf("after removing: %s", got)
	}
	d.refused("label A source-label:1", "A is a shape")
}

func TestFindNamesALabelSoThatAnOpTakesIt(t *testing.T) {
	d := newDoc(t)
	d.run("add box A", "add box B", `connect A -> B target-label:"many words"`)
	got := d.query("find many")
	_, rest, _ := strings.Cut(got, "id:")
	id, _, _ := strings.Cut(rest, ",")
	if !strings.Contains(got, "the target-label of A->B") {
		t.Errorf("find: %s", got)
	}
	d.run("label " + id + ` "other"`)
	if got := d.query("map"); !strings.Contains(got, `A->B target-label:"other" solid`) {
		t.Errorf("after label %s: %s", id, got)
	}
}

// A label at an end lies beside its line, wherever the line leads.
func TestLabelsAtEndsLieBesideTheLine(t *testing.T) {
	for name, at := range map[string]string{"right": "700,400", "left": "100,400", "below": "400,700", "above": "400,100"} {
		for _, when := range []string{"made", "moved"} {
			t.Run(name+" "+when, func(t *testing.T) {
				d := newDoc(t)
				d.run("add box A at:400,400 size:60x60")
				if when == "made" {
					d.run("add box B at:" + at + " size:60x60")
				} else {
					d.run("add box B at:900,900 size:60x60")
				}
				d.run(`connect A -> B source-label:11 target-label:22`)
				if when == "moved" {
					d.run("move B to:" + at)
				}
				checkEndLabels(t, d)
				d.run("layout dir:LR")
				checkEndLabels(t, d)
			})
		}
	}
}

func checkEndLabels(t *testing.T, d *doc) {
	t.Helper()
	page := d.in.Model().Current
	for e, way := range svg.Routes(page) {
		l := model.LabelsOf(e)
		for _, k := range []*cell{l.Source, l.Target} {
			if k == nil {
				t.Fatal("a label is missing")
			}
			end, next := way[0], way[1]
			if k == l.Target {
				end, next = way[len(way)-1], way[len(way)-2]
			}
			// The box of the text: 14 by 14 units at most, beginning at its anchor.
			x, y := end.X+k.Offset.X, end.Y+k.Offset.Y
			left, top := x, y
			if k.Style.Is("align", "right") {
				left = x - 14
			}
			if k.Style.Is("verticalAlign", "bottom") {
				top = y - 14
			}
			level := end.Y == next.Y
			switch {
			case level && top+14 > end.Y:
				t.Errorf("%q at %v,%v lies on the level line at %v", k.Label(), left, top, end.Y)
			case !level && left < end.X:
				t.Errorf("%q at %v,%v lies on the upright line at %v", k.Label(), left, top, end.X)
			}
			ends := slices.Collect(func(yield func(*cell) bool) {
				from, to := model.Ends(e)
				_ = yield(from) && yield(to)
			})
			for _, x := range ends {
				r := x.Abs()
				if left+13 > r.X && left < r.Right()-1 && top+13 > r.Y && top < r.Bottom()-1 {
					t.Errorf("%q at %v,%v lies on %s %v", k.Label(), left, top, x.Label(), r)
				}
			}
		}
	}
}

// Labels that others put near the ends of an edge are found, changed in place, and keep their look.
func TestLabelsOfOthersAtEndsAreChangedInPlace(t *testing.T) {
	const label = `<mxCell id="l%" value="1" style="resizable=0;align=right;verticalAlign=bottom;labelBackgroundColor=none;fontSize=12;" vertex="1" connectable="0" parent="e"><mxGeometry x="1" relative="1" as="geometry"><mxPoint x="-7" y="4" as="offset"/></mxGeometry></mxCell>`
	file := `<mxGraphModel><root><mxCell id="0"/><mxCell id="1" parent="0"/>` +
		`<mxCell id="a" value="A" style="" vertex="1" parent="1"><mxGeometry x="10" y="10" width="60" height="40" as="geometry"/></mxCell>` +
		`<mxCell id="b" value="B" style="" vertex="1" parent="1"><mxGeometry x="210" y="10" width="60" height="40" as="geometry"/></mxCell>` +
		`<mxCell id="e" style="endArrow=open;" edge="1" parent="1" source="a" target="b"><mxGeometry relative="1" as="geometry"/></mxCell>` +
		strings.Replace(label, "l%", "l1", 1) +
		strings.Replace(strings.Replace(strings.Replace(label, "l%", "l2", 1), `value="1"`, `value="lives at"`, 1), `y x="1"`, `y x="0.5"`, 1) +
		strings.Replace(strings.Replace(strings.Replace(label, "l%", "l3", 1), `value="1"`, `value="0..1"`, 1), `y x="1"`, `y x="-1"`, 1) +
		`</root></mxGraphModel>`
	d := openDoc(t, []byte(file))
	if got := d.query("map"); !strings.Contains(got, `A->B "lives at" source-label:"0..1" target-label:"1" solid`) {
		t.Errorf("map: %s", got)
	}
	d.run(`label A -> B target-label:"1..*"`)
	if got, want := d.bytes(), strings.Replace(file, `value="1"`, `value="1..*"`, 1); got != want {
		t.Errorf("the label is not changed in place:\n%s\nwant:\n%s", got, want)
	}
}
