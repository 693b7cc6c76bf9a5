package diagram

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/plugins/drawio/internal/stencil"
)

func TestTypesSearchesAllLibrariesOfDrawio(t *testing.T) {
	d := newDoc(t)
	for word, want := range map[string]string{
		"resistor": "electrical.resistors: ",
		"bpmn":     "bpmn: ",
		"MULTI":    "flowchart: multi-document",
		"vessels":  "pid.vessels: ",
	} {
		if got := d.query("types " + word); !strings.Contains(got, want) || !strings.Contains(got, "add LIBRARY.NAME LABEL") {
			t.Errorf("types %s: no %q in\n%s", word, want, got)
		}
	}
	if got := d.query("types aws resistor"); strings.Contains(got, "libraries") {
		t.Errorf("a pack alone was asked for: %s", got)
	}
	if got := d.query("types qqqzz"); !strings.Contains(got, "no shape of") {
		t.Errorf("types qqqzz: %s", got)
	}
}

func TestShapesOfALibraryAreAddedByTheirNames(t *testing.T) {
	d := newDoc(t)
	for op, want := range map[string]string{
		"add flowchart.multi-document Docs":          "shape=mxgraph.flowchart.multi-document;",
		"add electrical.resistors.resistor_1 R1":     "shape=mxgraph.electrical.resistors.resistor_1;",
		"add Archimate3.actor Actor theme:blue":      "shape=mxgraph.archimate3.actor;",
		"add mxgraph.flowchart.merge_or_storage Sum": "shape=mxgraph.flowchart.merge_or_storage;",
	} {
		d.run(op)
		label := strings.Fields(op)[2]
		if got := d.query("describe " + label); !strings.Contains(got, want) {
			t.Errorf("%s: no %s in %s", op, want, got)
		}
	}
	if !strings.Contains(d.query("describe R1"), "verticalLabelPosition=bottom") || strings.Contains(d.query("describe Docs"), "verticalLabelPosition") {
		t.Error("labels stand where the shape has no room for them")
	}
	d.refused("add flowchart.nothing X", `unknown type "flowchart.nothing"`)
	for _, set := range stencil.Sets() {
		for _, name := range stencil.Names(set) {
			if full := stencil.Full(set + "." + name); full == "" {
				t.Fatalf("%s.%s is listed and not found", set, name)
			}
		}
		if set > "c" {
			break
		}
	}
}
