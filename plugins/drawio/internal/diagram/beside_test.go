package diagram

import "testing"

func TestAPlaceBesideAShapeIsSaidInOneWordOrTwo(t *testing.T) {
	for side, dir := range map[string]string{"above": "above", "below": "below", "left-of": "left", "right-of": "right"} {
		one, two := newDoc(t), newDoc(t)
		one.run("add box A at:400,400", "add box B "+side+":A", "copy A as:C "+side+":B", "add box D at:900,900", "move D "+side+":C")
		two.run("add box A at:400,400", "add box B near:A dir:"+dir, "copy A as:C near:B dir:"+dir, "add box D at:900,900", "move D near:C dir:"+dir)
		if one.bytes() != two.bytes() {
			t.Errorf("%s: is not near: dir:%s", side, dir)
		}
		one.refused("add box E near:A "+side+":B", "both give a position")
		one.refused("add box E "+side+":Nobody", "Nobody")
	}
}

// No verb has to ask for the palette and the legend.
func TestWhatAnyVerbAddsTakesThePalette(t *testing.T) {
	d := newDoc(t)
	d.run("add svc A", "add db B", "connect A -> B", "look muted by:type")
	p := styleOf(t, d, "A")
	d.run("copy A as:C", "repeat A count:1", "split A as:A,E")
	for _, ref := range []string{"C", "A2", "E"} {
		if s := styleOf(t, d, ref); s != p {
			t.Errorf("%s: %s, want %s", ref, s, p)
		}
	}
	d.run("mermaid\nflowchart LR\nF([Start]) --> G[(Store)]\nend mermaid")
	if s := styleOf(t, d, "Start"); !s.Is("fillColor", func() string { v, _ := p.Get("fillColor"); return v }()) {
		t.Errorf("a drawn service: %s, want the fill of %s", s, p)
	}
}
