package diagram

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
)

// sheet returns a file with one page of cells.
func sheet(cells string) []byte {
	return []byte(`<mxfile><diagram id="p" name="Page-1"><mxGraphModel dx="800" dy="600"><root><mxCell id="0"/><mxCell id="1" parent="0"/>` + cells + `</root></mxGraphModel></diagram></mxfile>`)
}

func box(id, label string, x, y int) string {
	return fmt.Sprintf(`<mxCell id="%s" value="%s" style="html=1;" vertex="1" parent="1"><mxGeometry x="%d" y="%d" width="160" height="60" as="geometry"/></mxCell>`, id, label, x, y)
}

// raw returns the text of a cell of the current page.
func (d *doc) raw(id string) string {
	d.t.Helper()
	x := d.in.Model().Current.Cell(id)
	if x == nil {
		d.t.Fatalf("no cell %s", id)
	}
	return x.Raw()
}

// A label that a person moved stays, however a new edge is routed.
func TestConnectLeavesTheLabelsOfOtherEdges(t *testing.T) {
	d := openDoc(t, sheet(box("k", "Factory", 494, 170)+box("t", "Theme", 174, 650)+box("b", "Target", 494, 370)+
		`<mxCell id="e" style="edgeStyle=orthogonalEdgeStyle;html=1;exitX=0.5;exitY=1;exitDx=0;exitDy=0;entryX=0;entryY=0.5;entryDx=0;entryDy=0;dashed=1;" edge="1" parent="1" source="v" target="t"><mxGeometry relative="1" as="geometry"/></mxCell>`+
		`<mxCell id="l" value="Uses for rendering" style="edgeLabel;html=1;align=center;verticalAlign=middle;resizable=0;points=[];" vertex="1" connectable="0" parent="e"><mxGeometry x="-0.1429" y="28" relative="1" as="geometry"><mxPoint x="-28" y="-43" as="offset"/></mxGeometry></mxCell>`+
		box("v", "View", 14, 530)))
	edge, label := d.raw("e"), d.raw("l")
	d.run("add svc Zz at:714,170 strict:true", "connect Zz -> Target label:zz")
	if d.raw("e") != edge || d.raw("l") != label {
		t.Errorf("the other edge is now\n%s\n%s", d.raw("e"), d.raw("l"))
	}
	if e := lines(d)[1]; !e.Routed {
		t.Error("the new edge runs through Factory")
	}
}

// byHand is a page whose edge has ports, waypoints and a label that a person set.
func byHand(t *testing.T) *doc {
	return openDoc(t, sheet(box("a", "A", 40, 40)+box("b", "B", 400, 300)+box("c", "C", 700, 40)+
		`<mxCell id="e" value="reads" style="edgeStyle=orthogonalEdgeStyle;html=1;exitX=1;exitY=0.5;entryX=0.25;entryY=0;" edge="1" parent="1" source="a" target="b"><mxGeometry x="-0.4" y="12" relative="1" as="geometry"><Array as="points"><mxPoint x="300" y="70"/><mxPoint x="300" y="200"/></Array><mxPoint x="5" y="7" as="offset"/></mxGeometry></mxCell>`+
		`<mxCell id="f" style="html=1;exitX=0.5;exitY=1;entryX=0.5;entryY=0;" edge="1" parent="1" source="c" target="b"><mxGeometry relative="1" as="geometry"/></mxCell>`))
}

// As in draw.io, ports, waypoints and labels stay when a shape at the end of their edge changes.
func TestARouteSetByHandStaysWhenItsShapesChange(t *testing.T) {
	for _, op := range []string{"move A by:10,10", "move B to:420,420", "resize A 200x100", "modify A size:200x100", "modify B at:300,400", "swap A C", "align A B left",
		"route C -> B", "modify C -> B via:500,200", "style C -> B thick", "connect A -> C", "connect C -> A label:new", "group C as:G", "add box D near:A", "layout @text:C", "rotate A 30"} {
		d := byHand(t)
		before := d.raw("e")
		d.run(op)
		if got := d.raw("e"); got != before {
			t.Errorf("%s: the edge is now\n%s", op, got)
		}
	}
	// Waypoints move along when both ends do, and nothing else of the edge changes.
	d := byHand(t)
	want := strings.NewReplacer(`x="300" y="70"`, `x="310" y="90"`, `x="300" y="200"`, `x="310" y="220"`).Replace(d.raw("e"))
	text := d.run("move @all by:10,20")
	if got := d.raw("e"); got != want {
		t.Errorf("the edge is now\n%s, want\n%s", got, want)
	}
	if !strings.Contains(text, "shapes") {
		t.Error(text)
	}
}

// An op changes the attributes that its words name, and no others of the same cell.
func TestAnOpChangesOnlyTheNamedAttributes(t *testing.T) {
	d := byHand(t)
	d.run("modify C -> B via:500,200;510,210")
	want := `<mxCell id="f" style="html=1;exitX=0.5;exitY=1;entryX=0.5;entryY=0;" edge="1" parent="1" source="c" target="b"><mxGeometry relative="1" as="geometry"><Array as="points"><mxPoint x="500" y="200"/><mxPoint x="510" y="210"/></Array></mxGeometry></mxCell>`
	if got := d.raw("f"); got != want {
		t.Errorf("via: made\n%s, want\n%s", got, want)
	}
	d.run("modify C size:100x50")
	if got := d.raw("f"); got != want {
		t.Errorf("size: of an end made\n%s", got)
	}
	before := d.raw("e")
	d.run("modify A -> B label:writes")
	if got := d.raw("e"); got != strings.Replace(before, "reads", "writes", 1) {
		t.Errorf("label: made\n%s", got)
	}
	// route gives its edge another route and leaves the label where it was put.
	d.run("route A -> B")
	e := d.in.Model().Current.Cell("e")
	if e.Geo.X != -0.4 || e.Geo.Y != 12 || e.Route().Offset.X != 5 {
		t.Errorf("route made\n%s", e.Raw())
	}
}

// A route that an op computed is computed again when its ends move, until somebody changes it; the
// reply names the edge.
func TestAComputedRouteIsComputedAgain(t *testing.T) {
	d := newDoc(t)
	d.run("add svc A at:0,200 strict:true", "add svc Wall at:300,150 size:60x200 strict:true", "add svc B at:600,200 strict:true", "connect A -> B", "route")
	e := lines(d)[0]
	if !e.Routed || !e.Computed() {
		t.Fatalf("not routed around the wall: %s", e.Raw())
	}
	was := e.Raw()
	if text := d.run("move B to:600,600 strict:true"); e.Raw() == was || !strings.HasSuffix(text, "\nrouted again: A->B") {
		t.Errorf("replied %q, the edge is %s", text, e.Raw())
	}
	again := openDoc(t, []byte(d.bytes()))
	if text := again.run("move B to:600,220 strict:true"); !strings.Contains(text, "routed again: A->B") {
		t.Errorf("after opening the file again: %q", text)
	}
	// draw.io moves a corner: the mark no longer fits.
	moved := strings.Replace(d.bytes(), `<mxPoint x="`, `<mxPoint x="1`, 1)
	again = openDoc(t, []byte(moved))
	e = lines(again)[0]
	was = e.Raw()
	if text := again.run("move B to:600,220 strict:true"); e.Raw() != was || strings.Contains(text, "routed") {
		t.Errorf("replied %q, the edge was\n%s\nand is\n%s", text, was, e.Raw())
	}
}

// Shapes that make way have a line of their own, with all their names.
func TestAReplyNamesEachNeighbourThatMoves(t *testing.T) {
	d := newDoc(t)
	d.run("add box A at:100,100", "group A as:G")
	want := []string{}
	for i := range 9 {
		d.run(fmt.Sprintf("add box N%d at:%d,260 size:60x40 strict:true", i, 80+70*i))
		want = append(want, fmt.Sprintf("N%d", i))
	}
	text := d.run("resize A 140x200")
	if !strings.Contains(text, "\n"+strings.Join(want, ", ")+" made way") {
		t.Errorf("replied %q", text)
	}
}

// draw.io does not draw an edge without a geometry: neither do pictures, and open and lint say so.
func TestAnEdgeWithoutAGeometryIsReportedAndNotDrawn(t *testing.T) {
	file := sheet(box("a", "A", 40, 40) + box("c", "C", 300, 200) + `<mxCell id="e1" style="html=1;" edge="1" parent="1" source="a" target="c"/>`)
	d := blankDoc(t)
	res, err := d.in.Open(&abi.OpenRequest{Name: "t.drawio", Data: file})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(res.Warnings, "\n"), "page 1: draw.io does not draw 1 edge without a geometry: A->C (route draws them)"; got != want {
		t.Errorf("open says %q, want %q", got, want)
	}
	if got, want := d.query("lint"), "1 edge without a geometry, which draw.io does not draw (route draws them): A->C"; !strings.Contains(got, want) {
		t.Errorf("lint says\n%s\nwant %s", got, want)
	}
	if got := d.picture(t); strings.Count(got, "<path") != 2 { // the shapes
		t.Errorf("the picture has a line:\n%s", got)
	}
	if text := d.run("route A -> C"); !strings.Contains(text, "A->C") {
		t.Error(text)
	}
	if got := d.picture(t); strings.Count(got, "<path") < 3 || strings.Contains(d.query("lint"), "geometry") {
		t.Errorf("route does not draw it:\n%s", d.raw("e1"))
	}
}

func (d *doc) picture(t *testing.T) string {
	t.Helper()
	res, err := d.in.Export(&abi.ExportRequest{Format: "svg"})
	if err != nil {
		t.Fatal(err)
	}
	return string(res.Data)
}

func TestAnEdgeOfNoLengthHasNoHead(t *testing.T) {
	for _, look := range []string{"edgeStyle=orthogonalEdgeStyle;html=1;exitX=0.5;exitY=1;", "html=1;startArrow=block;", "shape=flexArrow;html=1;"} {
		d := openDoc(t, sheet(box("a", "A", 40, 40)+`<mxCell id="z" style="`+look+`" edge="1" parent="1"><mxGeometry relative="1" as="geometry"><mxPoint x="300" y="100" as="sourcePoint"/><mxPoint x="300" y="100" as="targetPoint"/></mxGeometry></mxCell>`))
		if got := d.picture(t); strings.Count(got, "<path") != 1 { // the shape
			t.Errorf("%s: the picture has a line or a head:\n%s", look, got)
		}
	}
}

func TestCellsThatLieInEachOtherAreReported(t *testing.T) {
	d := blankDoc(t)
	in := func(id, label, parent string) string {
		return strings.Replace(box(id, label, 40, 40), `parent="1"`, `parent="`+parent+`"`, 1)
	}
	res, err := d.in.Open(&abi.OpenRequest{Name: "t.drawio", Data: sheet(in("a", "A", "b") + in("b", "B", "a") + in("c", "C", "b") + box("d", "D", 400, 40))})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(res.Warnings, "\n"), "page 1: draw.io does not show 3 cells, whose parents lie in each other: A, B, C"; got != want {
		t.Errorf("open says %q, want %q", got, want)
	}
}

// Every verb and every query refuses a parameter that it does not have. The parameters of data are
// the names of properties.
func TestUnknownParametersAreRefused(t *testing.T) {
	dom := Domain()
	d := newDoc(t)
	d.run("add svc A at:0,0", "add svc B at:400,0", "connect A -> B", "group A as:G", "page add Two", "page switch 1")
	before := d.bytes()
	for _, v := range dom.Verbs {
		for _, example := range v.Examples {
			if v.Block != "" || v.Name == "data" {
				continue
			}
			if r := d.try(example + " zzzq:1"); r.Error == nil {
				t.Errorf("%s zzzq:1 is not refused: %s", example, r.Text)
				d.undo()
			}
		}
	}
	if d.bytes() != before {
		t.Error("a refused op changed the document")
	}
	for _, q := range dom.Queries {
		if q.Takes != nil { // the host refuses all other parameters
			continue
		}
		for _, words := range []string{"", " A", " *", " 1", " @all", " A -> B"} {
			if text, err := d.ask(q.Name + words + " zzzq:1"); err == nil && !strings.Contains(text, "zzzq") {
				t.Errorf("%s%s zzzq:1 is not refused: %.200s", q.Name, words, text)
			}
		}
	}
}

// A split, and a layout that keeps the page, change no edge of other shapes that a person drew in another kind of line, even if it runs
// through a shape.
func TestKindsOfLinesStayWhenOthersAreRouted(t *testing.T) {
	for _, kind := range []string{"", "edgeStyle=none;", "edgeStyle=elbowEdgeStyle;", "edgeStyle=segmentEdgeStyle;", "edgeStyle=orthogonalEdgeStyle;noEdgeStyle=1;"} {
		for _, op := range []string{"split C as:C1,C2", "split C as:C1,C2 out:C2", "layout keep:true"} {
			edge := func(id, style, from, to string) string {
				return `<mxCell id="` + id + `" style="` + style + `html=1;" edge="1" parent="1" source="` + from + `" target="` + to + `"><mxGeometry relative="1" as="geometry"/></mxCell>`
			}
			d := openDoc(t, sheet(box("a", "A", 40, 40)+box("w", "Wall", 340, 40)+box("b", "B", 640, 40)+box("c", "C", 40, 300)+box("e", "E", 340, 300)+
				edge("far", kind, "a", "b")+edge("own", kind, "c", "e")+edge("in", kind, "a", "c")+
				edge("laid", "edgeStyle=orthogonalEdgeStyle;exitX=0.5;exitY=1;entryX=0.5;entryY=0;", "w", "e")))
			far, own, in, laid := d.raw("far"), d.raw("own"), d.raw("in"), d.raw("laid")
			text := d.run(op)
			if strings.Contains(op, "out:") {
				own = strings.Replace(own, `source="c"`, `source="n1"`, 1)
			}
			if d.raw("far") != far || d.raw("own") != own || d.raw("in") != in || d.raw("laid") != laid {
				t.Errorf("%s, %s: replied %s\n%s\n%s\n%s\n%s", kind, op, text, d.raw("far"), d.raw("own"), d.raw("in"), d.raw("laid"))
			}
		}
	}
}

// What moves keeps all decimals of its coordinates, and what does not move along an axis keeps those of that axis.
func TestCoordinatesKeepTheirDecimals(t *testing.T) {
	at := func(cell, x, y string) string {
		return strings.NewReplacer(`x="11"`, `x="`+x+`"`, `y="22"`, `y="`+y+`"`).Replace(cell)
	}
	group := at(`<mxCell id="g" value="G" style="group;html=1;" vertex="1" parent="1"><mxGeometry x="11" y="22" width="300.123456" height="200" as="geometry"/></mxCell>`, "100.1234567", "50.2")
	member := strings.Replace(at(box("m", "M", 11, 22), "10.59411764", "20.1"), `parent="1"`, `parent="g"`, 1)
	edge := `<mxCell id="e" style="html=1;" edge="1" parent="g" source="m" target="m"><mxGeometry relative="1" as="geometry"><Array as="points"><mxPoint x="3.1415926" y="670.5565648224608"/></Array></mxGeometry></mxCell>`
	for _, c := range []struct{ op, member, point string }{
		{"ungroup G", `x="110.71757434" y="70.3"`, `x="103.2650493" y="720.7565648224609"`},
		{"move M in:none to:110.71757434,400 strict:true", `x="110.71757434" y="400"`, ""},
		{"move M by:9,0", `x="19.59411764" y="20.1"`, `x="12.1415926" y="670.5565648224608"`},
	} {
		d := openDoc(t, sheet(group+member+edge))
		d.run(c.op)
		if got := d.raw("m"); !strings.Contains(got, c.member) {
			t.Errorf("%s: %s, want %s", c.op, got, c.member)
		}
		if got := d.raw("e"); !strings.Contains(got, c.point) {
			t.Errorf("%s: %s, want %s", c.op, got, c.point)
		}
	}
}
