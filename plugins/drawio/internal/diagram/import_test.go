package diagram

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
)

// session runs a session action of the domain, as the host does.
func (d *doc) session(verb, kind, name, data string) abi.Result {
	d.t.Helper()
	r, err := d.in.Session(&abi.SessionRequest{Command: abi.Op{Verb: verb, Positionals: []abi.Positional{{Text: kind}, {Text: name}}}, Name: name, Data: []byte(data)})
	if err != nil {
		d.t.Fatal(err)
	}
	d.keep(r.Results[0])
	return r.Results[0]
}

func TestAFlowchartIsImportedLaidOutAndUndoneAsOne(t *testing.T) {
	d := newDoc(t)
	d.run("add box Before")
	before := d.bytes()
	r := d.session("import", "mermaid", "flow.mmd", "flowchart LR\nA[\"List<String>\"] -->|yes| B{Ok?}\nsubgraph Back End\nC[(Store)]\nend\nB -.-> C\n")
	if r.Error != nil {
		t.Fatal(r.Error.Message)
	}
	if !strings.Contains(r.Text, "imported 3 shapes and 2 edges in 1 group from flow.mmd") {
		t.Error(r.Text)
	}
	p := d.in.Model().Current
	var a, b *cell
	for c := p.First(); c != nil; c = c.Next() {
		switch c.Label() {
		case "List<String>":
			a = c
		case "Ok?":
			b = c
		case "Store":
			if c.Owner() == nil || c.Owner().Label() != "Back End" || c.Kind() != "db" {
				t.Error("the store is not in its group")
			}
		}
	}
	if a == nil || b == nil || a.Abs().Right() >= b.Abs().X {
		t.Errorf("the chart does not run from left to right: %v %v", a, b)
	}
	if model.Count(p).Overlaps > 0 {
		t.Error("shapes overlap")
	}
	d.undo()
	if d.bytes() != before {
		t.Error("undo leaves something")
	}
}

func TestErrorsOfImportsNameTheLine(t *testing.T) {
	tests := []struct{ kind, data, want string }{
		{"mermaid", "graph TB\nA[x", "f: line 2: the bracket of A[x is not closed"},
		{"csv", "id,type\na,blob\n", `f: line 2: a has the unknown type "blob"; types: box`},
		{"csv", "id,type\na,box\nb,database\n", `f: line 3: b has the unknown type "database"; it is called db here`},
		{"dot", "", "import takes mermaid, plantuml, csv or library"},
		{"csv", "id\n\xff", "not UTF-8"},
		{"library", "<mxfile/>", "not <mxlibrary>"},
		{"library", "<mxlibrary>[]</mxlibrary>", "holds no shapes"},
	}
	for _, tt := range tests {
		d := newDoc(t)
		was := d.bytes()
		if r := d.session("import", tt.kind, "f", tt.data); r.Error == nil || !strings.Contains(r.Error.Message, tt.want) {
			t.Errorf("%s %q: %+v, want %s", tt.kind, tt.data, r.Error, tt.want)
		}
		if d.bytes() != was {
			t.Errorf("%s %q left something", tt.kind, tt.data)
		}
	}
}

func TestTheShapesOfALibraryBecomeTypesOfTheDocument(t *testing.T) {
	d := newDoc(t)
	before := d.bytes()
	cell := func(style string) string {
		return `{\"xml\":\"<mxGraphModel><root><mxCell id='0'/><mxCell id='1' parent='0'/><mxCell id='2' style='` + style + `' vertex='1' parent='1'><mxGeometry width='30' height='20' as='geometry'/></mxCell></root></mxGraphModel>\"`
	}
	list := strings.ReplaceAll(cell("ellipse;fillColor=#ff0000;html=1;"), `\"`, `"`) + `,"title":"Main Pump!"},` + strings.ReplaceAll(cell("shape=cube;"), `\"`, `"`) + `,"title":"box"},` +
		`{"data":"data:image/png;base64,AAAA","w":40,"h":50,"title":"Main pump"},{"xml":"<mxGraphModel><root/></mxGraphModel>","title":"Empty"}`
	r := d.session("import", "library", "lib.xml", "<mxlibrary>["+strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(list)+"]</mxlibrary>")
	if r.Error != nil {
		t.Fatal(r.Error.Message)
	}
	if !strings.Contains(r.Text, "3 types of lib.xml: main_pump box_own main_pump_2") || !strings.Contains(r.Text+strings.Join(r.Warnings, " "), "several shapes: Empty") {
		t.Errorf("%s %v", r.Text, r.Warnings)
	}
	d.run("add main_pump P1", "add main_pump_2 P2 size:20x20", "add box_own P3")
	for label, want := range map[string]string{"P1": "ellipse;fillColor=#ff0000;html=1;fcpType=main_pump;", "P2": "image=data:image/png,AAAA;", "P3": "shape=cube;"} {
		if c := at(t, d, label); !strings.Contains(string(c.Style), want) || label == "P1" && (c.Geo.W != 30 || c.Geo.H != 20) {
			t.Errorf("%s: %s %v", label, c.Style, c.Geo)
		}
	}
	if got := d.query("types"); !strings.Contains(got, "main_pump_2 (defined) base=box size=40x50 with a style of its own") || strings.Contains(got, "AAAA") {
		t.Errorf("types: %s", got)
	}
	for range 4 {
		d.undo()
	}
	if d.bytes() != before {
		t.Error("undo leaves something")
	}
}
