package diagram

import (
	"strings"
	"testing"
)

func TestRelationsHaveTheMarksOfTheirKindAndAreNamed(t *testing.T) {
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

func TestMarkersSayWhatAnEventAGatewayOrATaskIs(t *testing.T) {
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
	d.refused("add box A marker:end", "marker: is for event and gateway and task")
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
	if got := d.query("map"); strings.Count(got, "(tableRow)") != 3 || !strings.Contains(got, "Basic(") || !strings.Contains(got, "Pro(") {
		t.Errorf("the table is\n%s", got)
	}
	d.refused(`add table T cols:A,B rows:"1,2,3; 4"`, "3 cells, and the table 2 columns")
}
