package diagram

import (
	"strings"
	"testing"
)

func TestALabelLongerThanTheGapIsSaid(t *testing.T) {
	d := newDoc(t)
	d.run("add box A at:100,100", "add box B at:260,100", "add box C at:100,400", "add box D at:100,175 strict:true")
	for op, want := range map[string]string{
		"connect A -> B label:supervises": "the label of A->B covers A and B: it takes 53, and the gap is 40; for room: move B by:30,0",
		"connect B -> A label:supervises": "for room: move A by:-30,0",
		`connect A -> D label:"x\ny"`:     "and the gap is 15; for room: move D by:0,30",
		"connect B -> A label:owns":       "",
		"connect A -> C label:supervises": "",
		"connect B -> C label:supervises": "",
	} {
		got := strings.Join(d.try(op).Warnings, "\n")
		if want == "" && strings.Contains(got, "covers") || !strings.Contains(got, want) {
			t.Errorf("%s: %s", op, got)
		}
	}
	d.run("connect A -> B", "remove A -> B label:supervises")
	if got := strings.Join(d.try("label A -> B supervises").Warnings, "\n"); !strings.Contains(got, "covers A and B") {
		t.Errorf("label: %s", got)
	}
}

func TestLineFlagsMayFollowTheShapesOfConnect(t *testing.T) {
	for op, same := range map[string]string{
		"connect A -> B curved":                       "connect A -> B style:curved",
		"connect A -> B -> C Dashed thick label:x":    "connect A -> B -> C style:dashed,thick label:x",
		"connect A -> B curved style:dashed":          "connect A -> B style:dashed,curved",
		"connect A <-> B like:C->dotted straight":     "connect A <-> B like:C->dotted style:straight",
		"connect A -> dotted":                         `connect A -> "dotted"`,
		"connect A -> B -> dotted exit:left straight": `connect A -> B -> "dotted" exit:left style:straight`,
	} {
		texts := map[bool]string{}
		for first, op := range map[bool]string{true: op, false: same} {
			d := newDoc(t)
			d.run("add box A at:100,100", "add box B at:400,100", "add box C at:400,400", "add box dotted at:100,400", "connect C -> dotted label:first")
			d.run(op)
			texts[first] = d.bytes()
		}
		if texts[true] != texts[false] {
			t.Errorf("%s is not %s:\n%s\n%s", op, same, texts[true], texts[false])
		}
	}
	d := newDoc(t)
	d.run("add box A at:100,100", "add box B at:400,100")
	d.refused(`connect A -> B "dashed"`, "is not an arrow")
}
