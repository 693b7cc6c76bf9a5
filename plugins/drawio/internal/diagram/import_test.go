package diagram

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
)

// session runs a session verb of the domain, as the host does.
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
	if count(p).overlaps > 0 {
		t.Error("shapes overlap")
	}
	d.undo()
	if d.bytes() != before {
		t.Error("undo leaves something")
	}
}

func TestImportsThatCannotBeReadSayWhere(t *testing.T) {
	tests := []struct{ kind, data, want string }{
		{"mermaid", "graph TB\nA[x", "f: line 2: the bracket of A[x is not closed"},
		{"csv", "id,type\na,blob\n", `f: line 2: a has the unknown type "blob"; types: box`},
		{"csv", "id,type\na,box\nb,database\n", `f: line 3: b has the unknown type "database"; it is called db here`},
		{"dot", "", "import takes mermaid, plantuml or csv"},
		{"csv", "id\n\xff", "not UTF-8"},
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
