package diagram

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
)

func (d *doc) mermaid(params string) (string, error) {
	d.t.Helper()
	o, err := grammar.ParseQuery("export " + params)
	if err != nil {
		d.t.Fatal(err)
	}
	out, err := d.in.Export(&abi.ExportRequest{Format: "mermaid", Params: o.Op.Params})
	return string(out.Data), err
}

func TestImportedMermaidIsExportedUnchanged(t *testing.T) {
	for _, text := range []string{
		"flowchart TB\n  A[\"Web & App\"]\n  B[(\"User DB\")]\n  C{\"ok?\"}\n  D@{ shape: doc, label: \"Paper\" }\n  A --> B\n  A -.->|\"may #quot;be#quot;\"| C\n  C === D\n",
		"classDiagram\n  class Animal {\n    <<interface>>\n    + age: int\n    + run(): void\n  }\n  class Duck\n  class Pond\n  class Flyer\n  Duck --|> Animal\n  Duck ..|> Flyer\n  Pond \"1\" *-- \"many\" Duck : holds\n  Pond o-- Animal\n  Duck --> Pond\n  Duck ..> Pond\n",
		"erDiagram\n  CUSTOMER {\n    int id PK\n    string name\n  }\n  ORDER {\n    int id PK\n    int customer FK\n  }\n  CUSTOMER ||--o{ ORDER : \"places\"\n",
		"sequenceDiagram\n  actor C as Customer\n  participant Shop\n  participant Bank\n  C->>Shop: buy\n  activate Shop\n  alt card\n    Shop->>Bank: charge\n    activate Bank\n    loop tries\n      Bank->>Bank: try\n    end\n    Bank-->>Shop: receipt\n    deactivate Bank\n  else invoice\n    Note over Shop,Bank: later\n  end\n  Shop--)C: thanks\n  deactivate Shop\n  Note right of Bank: end of day\n",
		"gantt\n  title Plan\n  dateFormat YYYY-MM-DD\n  section Build\n  Design :done, 2026-01-05, 2026-01-10\n  Write :crit, 2026-01-10, 2026-01-21\n  section Ship\n  Ready :milestone, 2026-01-21, 2026-01-21\n",
		"gantt\n  dateFormat YYYY-MM-DD HH:mm\n  Meet :2026-01-05 10:00, 2026-01-05 12:30\n",
	} {
		d := newDoc(t)
		d.run("mermaid\n" + text + "\nend mermaid")
		first, err := d.mermaid("")
		if err != nil {
			t.Fatal(err)
		}
		want := strings.NewReplacer("  actor C as Customer", "  actor Customer", "C->>", "Customer->>", "--)C:", "--)Customer:", "&", "&amp;",
			"A[\"Web", "WebApp[\"Web", "B[(", "UserDB[(", "C{", "ok{", "D@{", "Paper@{", "  A -", "  WebApp -", "-> B\n", "-> UserDB\n", "| C\n", "| ok\n", "  C === D", "  ok === Paper").Replace(text)
		if first != want {
			t.Errorf("wrote\n%s\nwant\n%s", first, want)
		}
		// The exported text draws the same.
		again := newDoc(t)
		again.run("mermaid\n" + first + "\nend mermaid")
		if second, _ := again.mermaid(""); second != first {
			t.Errorf("wrote\n%s\nand from that\n%s", first, second)
		}
	}
}

func TestExportedMermaidOfAnyPageCanBeImported(t *testing.T) {
	for name, data := range samples(t) {
		d := openDoc(t, data)
		text, err := d.mermaid("")
		if err != nil {
			continue // a page without shapes
		}
		again := newDoc(t)
		if r := again.try("mermaid\n" + text + "\nend mermaid"); r.Error != nil {
			t.Errorf("%s: %s\n%s", name, r.Error.Message, text)
		}
		if d.bytes() != string(data) {
			t.Errorf("%s: the export changed it", name)
		}
	}
	d := newDoc(t)
	if _, err := d.mermaid(""); err == nil || !strings.Contains(err.Error(), "no shapes to write") {
		t.Errorf("an empty page: %v", err)
	}
	d.run("add box A", "group A as:G", "add box B", "connect G -> B label:x", "page add Two")
	if text, err := d.mermaid("page:1"); err != nil || !strings.Contains(text, "subgraph G [") || !strings.Contains(text, `G -->|"x"| B`) {
		t.Errorf("page 1: %v\n%s", err, text)
	}
	d.run("add task Work", "add gateway Fork", "add event e label:\"\"", "connect Work -> Fork -> e")
	if text, err := d.mermaid(""); err != nil || !strings.Contains(text, `Work("Work")`) || !strings.Contains(text, `Fork{"Fork"}`) || !strings.Contains(text, `n((" "))`) {
		t.Errorf("page 2: %v\n%s", err, text)
	}
	if _, err := d.mermaid("page:1 width:100"); err == nil {
		t.Error("a width was taken")
	}
}

func TestAMindMapIsExportedAsOne(t *testing.T) {
	d := newDoc(t)
	d.run("mermaid\nmindmap\n  root((Plan))\n    Goals\n      Growth\n    [Risks]\n      Money (all)\nend mermaid")
	first, err := d.mermaid("")
	if want := "mindmap\n  Plan((Plan))\n    Goals\n      Growth\n    Risks[Risks]\n      Moneyall(\"Money (all)\")\n"; err != nil || first != want {
		t.Fatalf("%v, wrote\n%s\nwant\n%s", err, first, want)
	}
	again := newDoc(t)
	again.run("mermaid\n" + first + "\nend mermaid")
	if second, _ := again.mermaid(""); second != first {
		t.Errorf("wrote\n%s\nand from that\n%s", first, second)
	}
	d.run("connect Growth -- Money style:curved")
	if text, _ := d.mermaid(""); strings.Contains(text, "mindmap") {
		t.Errorf("a net is a mind map:\n%s", text)
	}
}
