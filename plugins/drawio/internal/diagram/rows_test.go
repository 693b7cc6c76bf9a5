package diagram

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"pgregory.net/rapid"
)

// rowsOf returns the line of a box in the map.
func (d *doc) rowsOf(name string) string {
	d.t.Helper()
	for line := range strings.SplitSeq(d.query("map"), "\n") {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, name+"(") {
			return line
		}
	}
	d.t.Fatalf("no %s in\n%s", name, d.query("map"))
	return ""
}

// stacked reports what is wrong with the rows of a box: a hole, an overlap, another width, a loose end.
func stacked(d *doc, box *cell) string {
	rows := model.Rows(box)
	for i, r := range rows {
		switch {
		case i > 0 && r.Geo.Y != rows[i-1].Geo.Bottom():
			return model.RowText(r) + " does not begin where the row above ends"
		case r.Geo.W != box.Geo.W:
			return model.RowText(r) + " is not as wide as the box"
		}
		x := 0.0
		for _, k := range model.RowCells(r) {
			if k == r {
				continue
			}
			if k.Geo.X != x {
				return model.RowText(r) + " has a hole"
			}
			x = k.Geo.Right()
		}
		if x != 0 && x != r.Geo.W {
			return model.RowText(r) + " is not full"
		}
	}
	if len(rows) > 0 && rows[len(rows)-1].Geo.Bottom() != box.Geo.H {
		return model.Short(box) + " does not end where its last row does"
	}
	return ""
}

// drawnByHand holds a class and two entities as draw.io itself makes them.
const drawnByHand = `<mxGraphModel><root><mxCell id="0"/><mxCell id="1" parent="0"/>
<mxCell id="p" value="Person" style="swimlane;fontStyle=2;childLayout=stackLayout;startSize=26;resizeParent=1;resizeLast=0;marginBottom=0;" parent="1" vertex="1"><mxGeometry x="40" y="40" width="160" height="120" as="geometry"/></mxCell>
<mxCell id="p1" value="Name" style="text;align=left;overflow=hidden;fontColor=#112233;" parent="p" vertex="1"><mxGeometry y="26" width="160" height="26" as="geometry"/></mxCell>
<mxCell id="p2" value="Email Address" style="text;align=left;overflow=hidden;fontColor=#112233;html=0;" parent="p" vertex="1"><mxGeometry y="52" width="160" height="26" as="geometry"/></mxCell>
<mxCell id="p3" value="" style="line;strokeWidth=1;" parent="p" vertex="1"><mxGeometry y="78" width="160" height="8" as="geometry"/></mxCell>
<mxCell id="p4" value="Pay" style="text;align=left;overflow=hidden;" parent="p" vertex="1"><mxGeometry y="86" width="160" height="26" as="geometry"/></mxCell>
<mxCell id="c" value="Customer" style="shape=table;startSize=25;container=1;childLayout=tableLayout;fixedRows=1;" parent="1" vertex="1"><mxGeometry x="300" y="40" width="120" height="69" as="geometry"/></mxCell>
<mxCell id="c1" style="shape=tableRow;top=0;bottom=0;" parent="c" vertex="1"><mxGeometry y="25" width="120" height="22" as="geometry"/></mxCell>
<mxCell id="c11" value="int" style="shape=partialRectangle;connectable=0;fontSize=11;" parent="c1" vertex="1"><mxGeometry width="40" height="22" as="geometry"/></mxCell>
<mxCell id="c12" value="id" style="shape=partialRectangle;connectable=0;fontSize=11;" parent="c1" vertex="1"><mxGeometry x="40" width="80" height="22" as="geometry"/></mxCell>
<mxCell id="c2" style="shape=tableRow;top=0;bottom=0;" parent="c" vertex="1"><mxGeometry y="47" width="120" height="22" as="geometry"/></mxCell>
<mxCell id="c21" value="string" style="shape=partialRectangle;connectable=0;fontSize=11;" parent="c2" vertex="1"><mxGeometry width="40" height="22" as="geometry"/></mxCell>
<mxCell id="c22" value="email" style="shape=partialRectangle;connectable=0;fontSize=11;" parent="c2" vertex="1"><mxGeometry x="40" width="80" height="22" as="geometry"/></mxCell>
<mxCell id="o" value="Order" style="shape=table;startSize=30;container=1;childLayout=tableLayout;fixedRows=1;" parent="1" vertex="1"><mxGeometry x="300" y="140" width="120" height="90" as="geometry"/></mxCell>
<mxCell id="o1" style="shape=tableRow;bottom=1;" parent="o" vertex="1"><mxGeometry y="30" width="120" height="30" as="geometry"/></mxCell>
<mxCell id="o11" value="PK" style="shape=partialRectangle;fontStyle=1;" parent="o1" vertex="1"><mxGeometry width="30" height="30" as="geometry"/></mxCell>
<mxCell id="o12" value="id" style="shape=partialRectangle;fontStyle=5;" parent="o1" vertex="1"><mxGeometry x="30" width="90" height="30" as="geometry"/></mxCell>
<mxCell id="o2" style="shape=tableRow;bottom=0;" parent="o" vertex="1"><mxGeometry y="60" width="120" height="30" as="geometry"/></mxCell>
<mxCell id="o21" value="" style="shape=partialRectangle;editable=1;" parent="o2" vertex="1"><mxGeometry width="30" height="30" as="geometry"/></mxCell>
<mxCell id="o22" value="total" style="shape=partialRectangle;" parent="o2" vertex="1"><mxGeometry x="30" width="90" height="30" as="geometry"/></mxCell>
</root></mxGraphModel>`

func TestARowJoinsABoxThatSomebodyElseDrew(t *testing.T) {
	for _, tt := range []struct{ op, box, want string }{
		{`add row "Date Of Birth" in:Person after:"Email Address"`, "Person", "Person(class) @(40,40 160x138): Name; Email Address; Date Of Birth; --; Pay"},
		{`add field Born in:Person`, "Person", "Person(class) @(40,40 160x138): Name; Email Address; Born; --; Pay"},
		{`add field Born in:person at:first`, "Person", "Person(class) @(40,40 160x138): Born; Name; Email Address; --; Pay"},
		{`add method Move in:Person`, "Person", "Person(class) @(40,40 160x138): Name; Email Address; --; Pay; Move"},
		{`add method Move in:Person at:first`, "Person", "Person(class) @(40,40 160x138): Name; Email Address; --; Move; Pay"},
		{`add row "a: int; b: int" before:Person/Pay`, "Person", "Person(class) @(40,40 160x164): Name; Email Address; --; a: int; b: int; Pay"},
		{`add row "int stock" in:Customer`, "Customer", "Customer(entity) @(300,40 120x91): int, id; string, email; int, stock"},
		{`add row "numeric(10,2), price" in:Customer after:"int id"`, "Customer", "Customer(entity) @(300,40 160x91): int, id; numeric(10,2), price; string, email"},
		{`add row "FK customer id" in:Order`, "Order", "Order(entity) @(300,140 120x120): PK, id; total; FK, customer id"},
		{`add row "paid" before:Order/total`, "Order", "Order(entity) @(300,140 120x120): PK, id; paid; total"},
	} {
		d := openDoc(t, []byte(drawnByHand))
		before := d.bytes()
		d.run(tt.op)
		if got := d.rowsOf(tt.box); got != tt.want {
			t.Errorf("%s:\n%s, want\n%s", tt.op, got, tt.want)
		}
		for c := d.in.Model().Current.First(); c != nil; c = c.Next() {
			if bad := ""; model.HasRows(c) {
				if bad = stacked(d, c); bad != "" && tt.box == c.Name() {
					t.Errorf("%s: %s", tt.op, bad)
				}
			}
		}
		if w := d.warnings(); strings.Contains(w, "overlap") {
			t.Errorf("%s: %s", tt.op, w)
		}
		d.undo()
		if d.bytes() != before {
			t.Errorf("%s is not undone", tt.op)
		}
	}
}

func TestANewRowLooksLikeItsNeighbours(t *testing.T) {
	d := openDoc(t, []byte(drawnByHand))
	d.run(`add row Born in:Person after:Name`, `add row "FK shop" in:Order`, `add row "PK shop" in:Order`, `add method "walk()" in:Person`, `add row "date born" in:Customer`)
	for ref, want := range map[string]string{"Person/Born": "fontColor=#112233", "Order/FK": "editable=1", "Person/walk()": "overflow=hidden;", "Customer/born": "fontSize=11"} {
		if got := d.query("describe " + ref); !strings.Contains(got, want) {
			t.Errorf("%s has not %s:\n%s", ref, want, got)
		}
	}
	for c := d.in.Model().Current.First(); c != nil; c = c.Next() {
		if c.Label() != "shop" {
			continue
		}
		row, first := model.RowOf(c), model.RowCells(model.RowOf(c))[0].Label()
		if primary := first == "PK"; c.Style.Is("fontStyle", "5") != primary || row.Style.Is("bottom", "1") != primary {
			t.Errorf("the row of %s looks like %s in %s", first, c.Style, row.Style)
		}
	}
	// In the file, rows lie in the order in which draw.io stacks them.
	var order []string
	for c := d.in.Model().Current.First(); c != nil; c = c.Next() {
		if c.Parent == "p" {
			order = append(order, c.Label())
		}
	}
	if got := strings.Join(order, "|"); got != "Name|Born|Email Address||Pay|walk()" {
		t.Error(got)
	}
}

func TestRowsAreMovedRenamedAndRemoved(t *testing.T) {
	for _, tt := range []struct{ op, box, want string }{
		{`move Person/Name after:"Email Address"`, "Person", "Person(class) @(40,40 160x120): Email Address; Name; --; Pay"},
		{`move row Pay in:Person to:first`, "Person", "Person(class) @(40,40 160x120): Pay; Name; Email Address; --"},
		{`move Customer/email before:id`, "Customer", "Customer(entity) @(300,40 120x69): string, email; int, id"},
		{`remove "Person/Email Address"`, "Person", "Person(class) @(40,40 160x86): Name; --; Pay"},
		{`remove row Name in:Person`, "Person", "Person(class) @(40,40 160x86): Email Address; --; Pay"},
		{`remove Customer/id`, "Customer", "Customer(entity) @(300,40 120x47): string, email"},
		{`label Customer/email mail`, "Customer", "Customer(entity) @(300,40 120x69): int, id; string, mail"},
		{`label Customer/email/1 text`, "Customer", "Customer(entity) @(300,40 120x69): int, id; text, email"},
		{`label "Customer/string email" "text mail"`, "Customer", "Customer(entity) @(300,40 120x69): int, id; text, mail"},
		{`label Customer/id number`, "Order", "Order(entity) @(300,140 120x90): PK, id; total"},
		{`resize Customer w:200`, "Customer", "Customer(entity) @(300,40 200x69): int, id; string, email"},
	} {
		d := openDoc(t, []byte(drawnByHand))
		before := d.bytes()
		d.run(tt.op)
		if got := d.rowsOf(tt.box); got != tt.want {
			t.Errorf("%s:\n%s, want\n%s", tt.op, got, tt.want)
		}
		for c := d.in.Model().Current.First(); c != nil; c = c.Next() {
			if c.Name() == tt.box && !strings.HasPrefix(tt.op, "move") && model.HasRows(c) && tt.box != "Person" {
				if bad := stacked(d, c); bad != "" {
					t.Errorf("%s: %s", tt.op, bad)
				}
			}
		}
		d.undo()
		if d.bytes() != before {
			t.Errorf("%s is not undone", tt.op)
		}
	}
	d := openDoc(t, []byte(drawnByHand))
	d.unchanged(`move Person/Name to:first`, "Name is already there")
}

func TestColumnsOfATableAreAddedAndRemoved(t *testing.T) {
	d := newDoc(t)
	d.run(`add table Plans cols:Plan,Price rows:"Basic,9; Pro,29"`)
	before := d.bytes()
	d.run(`add column Seats in:Plans after:Plan rows:"1; 5"`)
	if got := d.rowsOf("Plans"); got != "Plans(table) @(200,200 360x120): Plan, Seats, Price; Basic, 1, 9; Pro, 5, 29" {
		t.Error(got)
	}
	d.run(`label Plans/Pro/Seats 7`, `remove column Price in:Plans`, `add row "Team, 20" in:Plans`)
	if got := d.rowsOf("Plans"); got != "Plans(table) @(200,200 240x150): Plan, Seats; Basic, 1; Pro, 7; Team, 20" {
		t.Error(got)
	}
	if bad := stacked(d, d.in.Model().Current.Last().Owner().Owner()); bad != "" {
		t.Error(bad)
	}
	for range 4 {
		d.undo()
	}
	if d.bytes() != before {
		t.Error("columns are not undone")
	}
	d.refused(`add column Seats in:Plans after:Prize`, "no column")
	d.refused(`remove column Plans/Nothing`, "no row")
}

func TestAShapeIsAddedLikeAnotherOne(t *testing.T) {
	d := openDoc(t, []byte(drawnByHand))
	before := d.bytes()
	d.run(`add table Payment like:Customer rows:"int payment_id; float amount_of_the_payment" at:700,300`)
	if got := d.rowsOf("Payment"); got != "Payment(entity) @(700,300 170x69): int, payment_id; float, amount_of_the_payment" {
		t.Error(got)
	}
	d.run(`add class Dog like:Person fields:"Name" methods:"bark(); run()" at:1000,300`)
	if got := d.rowsOf("Dog"); got != "Dog(class) @(1000,300 160x112): Name; --; bark(); run()" {
		t.Error(got)
	}
	for _, id := range []string{"Payment", "Dog"} {
		for c := d.in.Model().Current.First(); c != nil; c = c.Next() {
			if c.Name() == id {
				if bad := stacked(d, c); bad != "" {
					t.Error(bad)
				}
			}
		}
	}
	d.undo()
	d.undo()
	if d.bytes() != before {
		t.Error("not undone")
	}
	d.refused(`add Payment like:Customer`, "rows: gives the rows")
	s := newDoc(t)
	s.run("add db Users theme:red size:200x90", "add box Logs like:Users")
	if got := s.query("list"); !strings.Contains(got, "Logs(db)") || !strings.Contains(got, "200x90) red\n") || strings.Count(got, "200x90) red") != 2 {
		t.Error(got)
	}
}

// Each refusal of an op on rows has a suggestion that works.
func TestOpsMeantForRowsAreToldTheForm(t *testing.T) {
	for _, tt := range []struct{ op, want, try string }{
		{`add stock in:Customer`, "it holds rows", `add row stock in:Customer`},
		{`add text "FK x" in:Order`, "it holds rows", `add row "FK x" in:Order`},
		{`copy "Email Address" as:"Date Of Birth"`, "is a row of Person", `add row "Date Of Birth" in:Person after:"Email Address"`},
		{`copy Customer/email as:"int age"`, "is a row of Customer", `add row "int age" in:Customer after:email`},
		{`modify Customer fields:"int id; int age"`, "is for a new shape", `add row "int age" in:Customer`},
		{`label Customer/emial mail`, "no row", `label email mail`},
		{`remove row emial in:Customer`, "has no row", `remove row email in:Customer`},
		{`label id number`, "ambiguous", `label Customer/id number`},
		{`add row x in:Customer`, "2 cells", ""},
	} {
		d := openDoc(t, []byte(drawnByHand))
		err := d.refused(tt.op, tt.want)
		if tt.try == "" || err == nil {
			continue
		}
		found := false
		for _, s := range err.Try {
			found = found || s.Text == tt.try
		}
		if !found {
			t.Errorf("%s: no suggestion %s in %v", tt.op, tt.try, err.Try)
		}
	}
}

func TestRowsStayOneStack(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		d := newDoc(t)
		d.run(`add class C fields:"a: int; b: int" methods:"f()"`, `add entity E fields:"PK id; FK c; name"`, `add table T cols:A,B rows:"1,2; 3,4"`)
		before, ops := d.bytes(), 0
		for range rapid.IntRange(1, 12).Draw(r, "ops") {
			g := gen{t: r, d: d}
			if res := d.try(g.rowOp()); len(res.Events) > 0 {
				ops++
			}
		}
		for c := d.in.Model().Current.First(); c != nil; c = c.Next() {
			if model.HasRows(c) {
				if bad := stacked(d, c); bad != "" {
					r.Fatalf("%s\n%s", bad, d.query("map"))
				}
			}
		}
		for range ops {
			d.undo()
		}
		if d.bytes() != before {
			r.Fatal("not undone")
		}
	})
}

func TestAReferenceNamesEachCellOfARow(t *testing.T) {
	d := openDoc(t, []byte(drawnByHand))
	d.run(`add table Copy like:Customer rows:"int id; string email" at:700,300`, `add entity Plain fields:"PK id; name"`)
	for c := d.in.Model().Current.First(); c != nil; c = c.Next() {
		if model.IsFolded(c) && c.Name() != "" {
			if got := d.query("describe " + model.Reference(c)); !strings.Contains(got, "id:"+c.Key+"\n") {
				t.Errorf("%s does not name %s:\n%s", model.Reference(c), c.Key, got)
			}
		}
	}
}
