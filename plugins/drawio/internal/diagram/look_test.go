package diagram

import (
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// orders returns a small page with groups, a queue and a shape with a style of its own.
func orders(t *testing.T) *doc {
	d := newDoc(t)
	d.run(`title "Order system"`, "add svc Web", "add svc Cart", "add db Orders", "add queue Events", "add svc Mailer fill:#ff0000",
		"group Web as:Front", "group Cart Mailer as:Services", "group Orders Events as:Data",
		"connect Web -> Cart", "connect Cart -> Orders label:saves", "connect Cart -> Events label:placed", "connect Events -> Mailer", "layout dir:LR")
	return d
}

func styleOf(t *testing.T, d *doc, ref string) style.Style {
	t.Helper()
	x, err := selector.Shape(d.in.Model(), ref, false)
	if err != nil {
		t.Fatal(err)
	}
	return x.Style
}

func lineOf(t *testing.T, d *doc, from, to string) style.Style {
	t.Helper()
	for x := d.in.Model().Current.First(); x != nil; x = x.Next() {
		if a, b := model.Ends(x); x.Edge && a.Label() == from && b.Label() == to {
			return x.Style
		}
	}
	t.Fatalf("no edge %s -> %s", from, to)
	return ""
}

func TestALookTintsGroupsAndWhatIsInThem(t *testing.T) {
	d := orders(t)
	before := d.bytes()
	reply := d.run("look muted")
	if want := "look muted light by group: 8 shapes and 4 edges, title, legend; kept the colours of 1"; reply != want {
		t.Errorf("told %q, want %q", reply, want)
	}
	p := style.Palettes()[2].Light
	for i, group := range []string{"Front", "Services", "Data"} {
		if s := styleOf(t, d, group); model.StyleValue(s, "fillColor") != p.Tints[i].Panel || s.Is("dashed", "1") || !s.Is("fontSize", "14") {
			t.Errorf("%s: %s", group, s)
		}
	}
	for ref, i := range map[string]int{"Web": 0, "Cart": 1, "Orders": 2, "Events": 2} {
		if s := styleOf(t, d, ref); model.StyleValue(s, "fillColor") != p.Tints[i].Fill || model.StyleValue(s, "strokeColor") != p.Tints[i].Stroke || model.StyleValue(s, "fontColor") != p.Ink {
			t.Errorf("%s: %s", ref, s)
		}
	}
	d.unchanged("look muted", "already looks like that")
	d.unchanged("look", "muted light by group")
	d.undo()
	if d.bytes() != before {
		t.Error("undo left something of the look")
	}
}

func TestALookKeepsWhatSomebodyStyled(t *testing.T) {
	d := orders(t)
	d.run("style Data stroke:navy", "style Orders font-color:maroon", "style Front font-size:18", "style Cart -> Orders stroke:red", "add svc Old theme:gray", "style Services dashed dashPattern:9")
	keep := map[string]style.Style{}
	for _, ref := range []string{"Mailer", "Data", "Orders", "Old"} {
		keep[ref] = styleOf(t, d, ref)
	}
	line := lineOf(t, d, "Cart", "Orders")
	d.run("look", "look dark vibrant", "look by:type light")
	for ref, s := range keep {
		if got := styleOf(t, d, ref); got != s {
			t.Errorf("%s was\n%s\nand is\n%s", ref, s, got)
		}
	}
	if got := lineOf(t, d, "Cart", "Orders"); got != line {
		t.Errorf("the edge was\n%s\nand is\n%s", line, got)
	}
	if s := styleOf(t, d, "Front"); !s.Is("fontSize", "18") {
		t.Errorf("Front: %s", s)
	}
	// Nor does it change shapes that were styled after a look.
	d.run("style Cart fill:#00ff00", "style Cart -> Events solid", "style Front dashed")
	d.run("look mono")
	if s := styleOf(t, d, "Cart"); !s.Is("fillColor", "#00ff00") {
		t.Errorf("Cart: %s", s)
	}
	if s := lineOf(t, d, "Cart", "Events"); s.Is("dashed", "1") {
		t.Errorf("the edge is dashed again: %s", s)
	}
	if s := styleOf(t, d, "Front"); !s.Is("dashed", "1") {
		t.Errorf("Front is solid again: %s", s)
	}
}

// A look colours edges; whether a line is dashed and how thick it is stay as they are, also of edges
// that are drawn after the look.
func TestALookColoursAsynchronousEdges(t *testing.T) {
	d := orders(t)
	d.run("add class A", "add class B", "connect A implements B", "connect Web -> Orders style:dashed", "style Cart -> Events thick", "look")
	d.run("connect Web -> Events style:solid", "connect Web -> Mailer theme:red")
	p := style.Palettes()[0].Light
	for _, e := range []struct {
		from, to string
		async    bool
		line     string
	}{{"Web", "Cart", false, "solid"}, {"Cart", "Events", true, "thick"}, {"Events", "Mailer", true, "solid"}, {"Web", "Orders", false, "dashed"}, {"A", "B", false, "dashed"}, {"Web", "Events", true, "solid"}} {
		s, want := lineOf(t, d, e.from, e.to), p.Line
		if e.async {
			want = p.Async
		}
		line := "solid"
		if s.Is("dashed", "1") {
			line = "dashed"
		} else if s.Is("strokeWidth", "3") {
			line = "thick"
		}
		if model.StyleValue(s, "strokeColor") != want || line != e.line || s.Is("dashPattern", "6 4") {
			t.Errorf("%s -> %s: %s, want %s", e.from, e.to, s, e.line)
		}
	}
	if s := lineOf(t, d, "Web", "Mailer"); !s.Is("strokeColor", "#b85450") {
		t.Errorf("theme:red is %s", s)
	}
	if got := legendLines(d); !slices.Contains(got, "Asynchronous") || slices.Contains(got, "Synchronous") {
		t.Errorf("the legend says %q", got)
	}
	// Nothing says what a dashed line between other shapes stands for.
	d = newDoc(t)
	d.run("add svc A", "add db B", "add svc C", "connect A -> B", "connect A -> C style:dashed", "look")
	if got, want := legendLines(d), []string{"Legend", "Service", "Database"}; !slices.Equal(got, want) {
		t.Errorf("the legend says %q, want %q", got, want)
	}
}

func TestADarkLookIsDarkAllOver(t *testing.T) {
	d := orders(t)
	d.run("add gateway Paid in:Services", "add initial Start", "look dark")
	if s := styleOf(t, d, "Paid"); model.StyleValue(s, "labelBackgroundColor") != model.StyleValue(styleOf(t, d, "Services"), "fillColor") {
		t.Errorf("the label of Paid: %s", s)
	}
	if s := styleOf(t, d, "Start"); style.Contrast(model.StyleValue(s, "fillColor"), style.Palettes()[0].Dark.Page) < 3 {
		t.Errorf("Start: %s", s)
	}
	page, p := d.in.Model().Current, style.Palettes()[0].Dark
	if page.Background() != p.Page {
		t.Errorf("the page is %q", page.Background())
	}
	for x := page.First(); x != nil; x = x.Next() {
		if ground := model.StyleValue(x.Style, "labelBackgroundColor"); x.Edge && style.Contrast(model.StyleValue(x.Style, "fontColor"), ground) < 4.5 {
			t.Errorf("a label of %s on %s", model.StyleValue(x.Style, "fontColor"), ground)
		}
	}
	if s := cellWithMark(page, "title").Style; !s.Is("fontColor", p.Ink) {
		t.Errorf("the title: %s", s)
	}
	d.unchanged("look", "okabe dark")
	d.run("look light")
	if page.Background() != "" || model.StyleValue(styleOf(t, d, "Cart"), "fillColor") != style.Palettes()[0].Light.Tints[1].Fill {
		t.Errorf("light: %q %s", page.Background(), styleOf(t, d, "Cart"))
	}
}

func TestLookColoursAllOfASequence(t *testing.T) {
	d := newDoc(t)
	d.run("mermaid\nsequenceDiagram\nU->>+S: log in\nalt known\nS-->>-U: welcome\nelse unknown\nS-->>U: no\nend\nend mermaid")
	if reply := d.run("look dark"); !strings.HasPrefix(reply, "look okabe dark by type") {
		t.Errorf("told %q", reply)
	}
	for x := d.in.Model().Current.First(); x != nil; x = x.Next() {
		if x.Vertex && x.Kind() != "text" && model.StyleValue(x.Style, "strokeColor") == "" {
			t.Errorf("%s %q: %s", x.Kind(), x.Label(), x.Style)
		}
		if x.Edge && model.StyleValue(x.Style, "strokeColor") != style.Palettes()[0].Dark.Line {
			t.Errorf("%s: %s", model.ArrowText(x), x.Style)
		}
	}
}

func TestALookByTypeTellsTypesApart(t *testing.T) {
	d := orders(t)
	d.run("look bright by:type")
	p := style.Palettes()[1].Light
	for ref, i := range map[string]int{"Web": 0, "Cart": 0, "Orders": 1, "Events": 2} {
		if s := styleOf(t, d, ref); model.StyleValue(s, "fillColor") != p.Tints[i].Fill {
			t.Errorf("%s: %s", ref, s)
		}
	}
	if s := styleOf(t, d, "Data"); model.StyleValue(s, "fillColor") != p.Neutral.Panel {
		t.Errorf("Data: %s", s)
	}
}

func TestALookRefusesOtherWords(t *testing.T) {
	d := orders(t)
	if err := d.refused("look mutde", "unknown palette"); len(err.Try) == 0 || err.Try[0].Text != "look muted" {
		t.Errorf("tries %v", err.Try)
	}
	d.refused("look by:colour", "not one of group type")
	newDoc(t).unchanged("look", "no shape on this page")
	if got := d.query("types"); strings.Count(got, "palette ") != len(style.Palettes()) {
		t.Errorf("types says\n%s", got)
	}
}

func TestATitleFollowsTheDocument(t *testing.T) {
	d := orders(t)
	title := func() string {
		if x := cellWithMark(d.in.Model().Current, "title", "heading"); x != nil {
			return x.Label()
		}
		return ""
	}
	steps := []struct{ op, want string }{
		{"look", "Order system"}, {`title Shop`, "Order system"}, {"look", "Shop"}, {`look title:"By hand"`, "By hand"},
		{"look mono", "By hand"}, {"look title:none", ""}, {"look", "Shop"},
	}
	for _, s := range steps {
		if d.run(s.op); title() != s.want {
			t.Errorf("after %s the title is %q, want %q", s.op, title(), s.want)
		}
	}
	d.run("look title:none", "add text Shop at:0,0", "look okabe")
	if title() != "" {
		t.Error("a second title is drawn beside one that is a shape")
	}
}

func TestASecondLookAtARealFileChangesNothing(t *testing.T) {
	for name, data := range samples(t) {
		if len(data) > 20_000 {
			continue
		}
		d := openDoc(t, data)
		for _, op := range []string{"look dark", "look light by:type muted"} {
			before := d.bytes()
			if r := d.try(op); r.Error != nil || r.Kind == abi.Unchanged {
				continue // no shape, or a locked layer
			}
			if r := d.try(op); r.Kind != abi.Unchanged {
				t.Errorf("%s: %s again: %s", name, op, r.Text)
				d.undo()
			}
			d.undo()
			if d.bytes() != before {
				t.Errorf("%s: undo of %s left something", name, op)
			}
		}
	}
}

func TestTextOnCustomColoursIsLegible(t *testing.T) {
	d := newDoc(t)
	d.run("add svc A", "add svc B", "add svc C", "connect A -> B -> C", "look", "style A fill:red", "style B fill:navy", "style C fill:navy font-color:gray", "look")
	for name, want := range map[string]string{"A": "#000000", "B": "#ffffff", "C": "#808080"} {
		got, _ := style.Color(model.StyleValue(at(t, d, name).Style, "fontColor"))
		if got != want {
			t.Errorf("%s is written in %s, not %s", name, got, want)
		}
	}
	d.unchanged("look", "")
}

func TestNewShapesTakeThePaletteOfTheirPage(t *testing.T) {
	d := orders(t)
	d.run("look muted")
	before := d.bytes()
	d.run("add svc Stock in:Services", "add svc Audit", "add svc Own fill:#00ff00", "connect Cart -> Stock", "connect Events -> Audit", "group Audit Own as:Compliance")
	p := style.Palettes()[2].Light
	for ref, i := range map[string]int{"Stock": 1, "Audit": 3} {
		if s := styleOf(t, d, ref); model.StyleValue(s, "fillColor") != p.Tints[i].Fill || model.StyleValue(s, "strokeColor") != p.Tints[i].Stroke {
			t.Errorf("%s: %s", ref, s)
		}
	}
	if s := styleOf(t, d, "Compliance"); model.StyleValue(s, "fillColor") != p.Tints[3].Panel {
		t.Errorf("the new group: %s", s)
	}
	if s := styleOf(t, d, "Own"); !s.Is("fillColor", "#00ff00") {
		t.Errorf("what the op coloured: %s", s)
	}
	if s := lineOf(t, d, "Cart", "Stock"); !s.Is("strokeColor", p.Line) {
		t.Errorf("a new edge: %s", s)
	}
	if s := lineOf(t, d, "Events", "Audit"); !s.Is("strokeColor", p.Async) || s.Is("dashed", "1") {
		t.Errorf("a new edge from a queue: %s", s)
	}
	for range 6 {
		d.undo()
	}
	if d.bytes() != before {
		t.Error("undo does not bring the bytes back")
	}
	d.run("look muted by:type", "add db Copies", "add api Extra")
	if a, b := styleOf(t, d, "Copies"), styleOf(t, d, "Orders"); model.StyleValue(a, "fillColor") != model.StyleValue(b, "fillColor") {
		t.Errorf("by type: %s and %s", a, b)
	}
	// A layout adds a type that the legend lacks.
	d.run("layout dir:LR")
	if !strings.Contains(d.bytes(), `"API"`) {
		t.Error("the legend has no API")
	}
}
