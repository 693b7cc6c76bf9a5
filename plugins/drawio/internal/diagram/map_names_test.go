package diagram

import (
	"strings"
	"testing"
)

// A long label stands in the map once; then it is shortened so that it is a reference, or the id tells shapes apart.
func TestTheMapRepeatsNoLongLabel(t *testing.T) {
	d := newDoc(t)
	d.run("add box \"Material Requirements Planning Operation\" at:0,0 id:m", "add box \"Material Requirements Planning Board\" at:0,200", "add text \"Some very long text that says nothing new\" at:300,0 id:t1",
		"add text \"Some very long text that says nothing new\" at:300,200 id:t2", "connect m -> t1", "page add Details", "page switch 1")
	got := d.query("map")
	for _, want := range []string{
		"\npages: 1 ", ", 2 Details\n", "\n  Material Requirements Planning Operation(box)", "\n  Some very long text that says nothing new(text) @(300,0 ", "\n  Some very long text…(text) @(300,200 ", " id:t2\n",
		"\n  Material Requirements Planning Operation->Some very long text… solid",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	d.run("remove \"Material Requirements Planning Board\"")
	if got := d.query("map"); !strings.Contains(got, "Material Requirements…->") {
		t.Errorf("map: %s", got)
	}
	d.run(`style "Material Requirements…" bold`)
}

// The host repeats a warning only if its weight grows; of what is new, the newest is named.
func TestWarningsWeighWhatTheyAreAbout(t *testing.T) {
	d := newDoc(t)
	d.run("add box A at:0,0", "add box B at:300,0", "connect A -> B", "add box C at:600,0", "add box D at:900,0", "add box E at:1200,0", "add box F at:1500,0")
	s, err := d.in.State()
	if err != nil || len(s.State.Weights) != len(s.State.Warnings) || s.State.Warnings[0] != "4 shapes without an edge: F, E, D, …" || s.State.Weights[0].Value != 4 {
		t.Errorf("state: %+v, %v", s, err)
	}
}
