package diagram

import (
	"strings"
	"testing"
)

// A label that does not fit is broken into lines where the labels of other shapes of its type are.
func TestALabelIsBrokenAsThoseBesideIt(t *testing.T) {
	shape := func(id, label string) string {
		return `<mxCell id="` + id + `" value="` + label + `" style="html=1;" vertex="1" parent="1"><mxGeometry x="` + id + `00" y="10" width="90" height="60" as="geometry"/></mxCell>`
	}
	d := openDoc(t, sheet(shape("1", "Send")+shape("2", "Pack")))
	if r := d.try(`label Send "Send e-mail reminder"`); len(r.Warnings) != 1 || !strings.HasSuffix(r.Warnings[0], `, or lines: "Send e-mail\nreminder"`) {
		t.Errorf("warnings: %q", r.Warnings)
	}
	d.run(`label Pack "Initiate legal\nproceedings"`)
	if got, want := d.run(`label "Send e-mail reminder" "Send e-mail reminders"`), "Send e-mail reminder label: \"Send e-mail\\nreminders\"\nthe lines are broken to fit, like those of Initiate legal proceedings"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	d.run("label \"Send e-mail reminders\" Go", "remove Go \"Initiate legal proceedings\"")
	if got := d.query("list"); got != "nothing" {
		t.Errorf("after remove: %s", got)
	}
}

func TestRemoveTakesAnyNumberOfNamesAndEdges(t *testing.T) {
	d := newDoc(t)
	d.run("add box A", "add box B", "add box C", `add box "A B"`, "connect A -> B", "connect B -> C", "connect A -> C")
	before := d.bytes()
	if got := d.run("remove A -> B B -> C"); got != "A->B, B->C" {
		t.Errorf("remove: %s", got)
	}
	d.run("disconnect A -> C")
	if got := d.query("connections *"); got != "no edges" {
		t.Errorf("connections: %s", got)
	}
	d.run("move A C by:10,0")
	d.run("remove A C")
	if got := d.query("list"); !strings.HasPrefix(got, "2 shapes") {
		t.Errorf("list: %s", got)
	}
	for range 4 {
		d.undo()
	}
	if d.bytes() != before {
		t.Error("undo does not restore the bytes")
	}
	d.refused("remove A B", `names nothing`) // it may be one name
	d.refused("remove A Nope", `"Nope"`)
}
