package diagram

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
)

func TestRelationsHaveTheirHeadsAndAreNamed(t *testing.T) {
	for _, x := range []struct{ relation, style string }{
		{"inherits", "endArrow=block;endFill=0;"},
		{"implements", "endArrow=block;endFill=0;"},
		{"composes", "startArrow=diamondThin;endArrow=none;startFill=1;"},
		{"aggregates", "startArrow=diamondThin;endArrow=none;startFill=0;"},
		{"associates", "endArrow=open;"},
		{"depends", "endArrow=open;"},
		{"has-one", "startArrow=ERmandOne;endArrow=ERmandOne;"},
		{"has-optional", "startArrow=ERmandOne;endArrow=ERzeroToOne;"},
		{"has-many", "startArrow=ERmandOne;endArrow=ERzeroToMany;"},
		{"many-to-many", "startArrow=ERzeroToMany;endArrow=ERzeroToMany;"},
	} {
		d := newDoc(t)
		if got := d.run("add class A", "add class B", "connect A "+strings.ToUpper(x.relation)+" B label:x"); got != `A->B "x" `+x.relation {
			t.Errorf("connect A %s B: %s", x.relation, got)
		}
		dashed := x.relation == "implements" || x.relation == "depends"
		got := d.query("describe A -> B")
		for _, kv := range strings.Split(strings.Trim(x.style, ";"), ";") {
			if !strings.Contains(got, kv+";") {
				t.Errorf("%s: no %s in %s", x.relation, kv, got)
			}
		}
		if strings.Contains(got, "dashed=1") != dashed || !strings.Contains(got, `A->B "x" `+x.relation) {
			t.Errorf("%s: %s", x.relation, got)
		}
		d.run("connect B -> A", "style B -> A "+x.relation)
		if got := d.query("connections B"); !strings.Contains(got, "B->A "+x.relation) {
			t.Errorf("style %s: %s", x.relation, got)
		}
	}
	d := newDoc(t)
	d.run("add class A", "add class B")
	d.refused("connect A inherit B", "inherits")
	if got := d.run("connect A -- B source-arrow:hollow-diamond"); got != "A--B solid" {
		t.Error(got)
	}
	if got := d.query("describe A -- B"); !strings.Contains(got, "startFill=0") {
		t.Error(got)
	}
	if got := d.run("connect B -> A target-arrow:triangle"); !strings.Contains(d.query("describe B -> A"), "endArrow=block;endFill=0;") || got != "B->A inherits" {
		t.Error(got)
	}
}

func TestMarkersSetTheKindOfEventsGatewaysAndTasks(t *testing.T) {
	for op, want := range map[string]string{
		"add event A marker:end":                "outline=end;symbol=general;",
		"add event A marker:message":            "outline=standard;symbol=message;",
		"add event A marker:intermediate-timer": "outline=catching;symbol=timer;",
		"add event A marker:\"end, error\"":     "outline=end;symbol=error;",
		"add gateway A marker:parallel":         "gwType=parallel;",
		"add gateway A marker:inclusive":        "outline=end;symbol=general;",
		"add task A marker:user":                "taskMarker=user;",
		"add task A marker:business-rule":       "taskMarker=businessRule;",
	} {
		d := newDoc(t)
		d.run(op)
		if got := d.query("describe A"); !strings.Contains(got, want) {
			t.Errorf("%s: no %s in %s", op, want, got)
		}
	}
	d := newDoc(t)
	err := d.refused("add event A marker:end-mesage", "an event takes start")
	if len(err.Try) != 1 || err.Try[0].Text != "add event A marker:end-message" {
		t.Errorf("suggested %v", err.Try)
	}
	d.refused("add box A marker:end", "marker: is for event and gateway and task and participant")
}

func TestC4ShapesAreThoseOfDrawiosLibrary(t *testing.T) {
	d := newDoc(t)
	d.run(`add container "Web App" tech:"Go, React" description:"Serves <pages>"`, "add person Customer", "connect Customer -> \"Web App\" label:uses")
	got := d.query("describe \"Web App\"")
	for _, want := range []string{"Web App(container)", "placeholders: 1", "c4Name: Web App", "c4Type: Container", "c4Technology: Go, React", "c4Description: Serves <pages>"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
	if got := d.query("find Go, React"); !strings.Contains(got, "Web App(container)") {
		t.Errorf("the technology is not found: %s", got)
	}
	d.run("style \"Web App\" theme:red", "label Customer Client")
	if got := d.query("list"); !strings.Contains(got, "Web App(container)") || !strings.Contains(got, "Client(person)") {
		t.Errorf("known again as %s", got)
	}
	if got := d.query("describe \"Web App\""); strings.Contains(got, "fontColor=#ffffff") {
		t.Errorf("white text on a pale fill: %s", got)
	}
}

func TestATableIsAddedWithItsCells(t *testing.T) {
	d := newDoc(t)
	d.run(`add table Plans cols:Plan,Price rows:"Basic,9; Pro"`)
	if got := d.query("map"); strings.Count(got, "(tableRow)") != 0 || !strings.HasSuffix(got, ": Plan, Price; Basic, 9; Pro") {
		t.Errorf("the table is\n%s", got)
	}
	d.refused(`add table T cols:A,B rows:"1,2,3; 4"`, "3 cells, and the table 2 columns")
}

// sequenceText is a sequence with every element of the drawing.
const sequenceText = "mermaid\nsequenceDiagram\nactor C as Customer\nparticipant S as Shop\nparticipant B as Bank\nC->>+S: buy\nalt card\nS->>+B: charge\nloop tries\nB->>B: try\nend\nB-->>-S: receipt\nelse invoice\nNote over S,B: later\nend\nS-->>-C: thanks\nend mermaid"

func TestASequenceIsDrawnInOrderWithDrawiosLifelines(t *testing.T) {
	d := newDoc(t)
	first := d.bytes()
	if got := d.run(sequenceText); !strings.HasPrefix(got, "drew a sequence of 5 messages among 3 participants, now @(") {
		t.Error(got)
	}
	p := d.in.Model().Current
	ys := []float64{}
	names := map[string]*cell{}
	for c := p.First(); c != nil; c = c.Next() {
		if c.Edge {
			points := c.Route().Points
			if len(points) == 0 {
				t.Fatalf("%s has no place", model.ArrowText(c))
			}
			ys = append(ys, points[0].Y)
			if from, to := model.Ends(c); from == nil || to == nil {
				t.Errorf("%q has a free end", model.EdgeLabel(c))
			}
		} else if c.Shape() && c.Label() != "" {
			names[c.Label()] = c
		}
	}
	for i := 1; i < len(ys); i++ {
		if ys[i] < ys[i-1]+20 {
			t.Errorf("message %d at %v is not below the one at %v", i+1, ys[i], ys[i-1])
		}
	}
	for _, who := range []string{"Customer", "Shop", "Bank"} {
		if c := names[who]; c == nil || c.Kind() != "participant" || c.Abs().Bottom() < ys[len(ys)-1] {
			t.Errorf("%s is %v", who, c)
		}
	}
	if a, b := names["Shop"].Abs(), names["Bank"].Abs(); a.Overlaps(b) || b.X < a.X {
		t.Errorf("the participants stand at %v and %v", a, b)
	}
	alt, loop := names["alt"].Abs(), names["loop"].Abs()
	if !alt.Contains(loop) || loop.X <= alt.X || loop.Right() >= alt.Right() {
		t.Errorf("alt %v is not around loop %v", alt, loop)
	}
	if alt.Y <= ys[0] || alt.Y >= ys[1] || alt.Bottom() <= ys[3] || alt.Bottom() >= ys[4] {
		t.Errorf("alt %v is not around messages 2 to 4 of %v", alt, ys)
	}
	if w := d.warnings(); w != "" {
		t.Errorf("warned of %s", w)
	}
	if got := d.query("map"); !strings.Contains(got, `Shop->Bank "charge"`) || strings.Contains(got, "associates") {
		t.Errorf("the map is\n%s", got)
	}
	d.run("style Shop -> Bank dashed")
	d.undo()
	d.undo()
	if d.bytes() != first {
		t.Error("not undone")
	}
}

func TestTextsAreImportedAsDiagramsOfTheirKind(t *testing.T) {
	for _, x := range []struct {
		text string
		want []string
	}{
		{"mermaid\nflowchart LR\nA@{ shape: doc } --> B{ok?}\nend mermaid", []string{"A(doc)", "ok?(decision)", "A->ok?"}},
		{"mermaid\nclassDiagram\nAnimal <|-- Duck\nclass Animal {\n+int age\n+run()\n}\nPond \"1\" *-- \"2\" Duck\nend mermaid", []string{"Animal(class)", ": + age: int; --; + run()", "Duck->Animal inherits", "Pond->Duck source-label:\"1\" target-label:\"2\" composes"}},
		{"mermaid\nerDiagram\nA ||--o{ B : has\nA {\nint id PK\n}\nend mermaid", []string{"A(entity)", ": PK, id: int", `A->B "has" has-many`}},
		{"mermaid\nstateDiagram-v2\n[*] --> A\nstate B {\nC --> D : go\n}\nA --> B\nB --> [*]\nend mermaid", []string{"(initial)", "A(state)", "B(group)", `C->D "go"`, "(final)"}},
		{"mermaid\nmindmap\n  Root\n    One\n    Two\nend mermaid", []string{"Root(svc)", "One(svc)", "blue", "Two(svc)", "green", "Root--One"}},
		{"mermaid\ngantt\ntitle Plan\nsection S\nA :done, 2026-01-05, 5d\nB :milestone, 2026-01-09, 0d\nend mermaid", []string{"Plan(text)", "A(svc)", "B(decision)", "S(box)", "5 Jan(text)"}},
		{"plantuml\nA -> B : hi\n@enduml", []string{"A(participant)", `A->B "hi"`}},
		{"plantuml\nclass A extends B\n@enduml", []string{"A(class)", "A->B inherits"}},
	} {
		d := newDoc(t)
		d.run("add box There")
		before := d.bytes()
		text := d.run(x.text)
		got := d.query("map")
		for _, want := range x.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %s: no %q in\n%s", x.text, text, want, got)
			}
		}
		if w := d.warnings(); strings.Contains(w, "overlap") || strings.Contains(w, "through") {
			t.Errorf("%s: warned of %s", x.text, w)
		}
		d.undo()
		if d.bytes() != before {
			t.Errorf("%s: not undone", x.text)
		}
	}
	d := newDoc(t)
	d.refused("mermaid\nsequenceDiagram\nA->>B\nend mermaid", "mermaid: line 2: neither a message")
	d.refused("plantuml\nA ? B\n@enduml", "plantuml: line 1: neither a message")
}
