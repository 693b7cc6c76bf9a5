package svg_test

import (
	"encoding/xml"
	"fmt"
	"html"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/svg"
)

// wellFormed reads a picture to its end.
func wellFormed(t testing.TB, picture string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(picture))
	for {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Fatalf("%v in\n%.2000s", err, picture)
		}
	}
}

// page returns a page with the given cells on its one layer.
func page(t testing.TB, cells string) *mxfile.Page {
	t.Helper()
	f, err := mxfile.Open([]byte(`<mxGraphModel><root><mxCell id="0"/><mxCell id="1" parent="0"/>` + cells + `</root></mxGraphModel>`))
	if err != nil {
		t.Fatal(err)
	}
	return f.Pages[0]
}

func shared(t testing.TB) string {
	dir := os.Getenv("FCP_SHARED")
	for at, _ := filepath.Abs("."); dir == "" && at != filepath.Dir(at); at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			dir = filepath.Join(at, "..", "shared")
		}
	}
	if dir = filepath.Join(dir, "data", "drawio"); !exists(dir) {
		t.Skip("the shared diagrams are not here; set FCP_SHARED")
	}
	return dir
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }

// With FCP_PICTURES set to a folder, the pictures are stored there for inspection.
func TestEveryRealPageIsDrawnAsWellFormedXML(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(shared(t), "*.xml"))
	drawn := 0
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := mxfile.Open(data)
		if err != nil {
			continue
		}
		for i, p := range f.Pages {
			picture := svg.Page(p, svg.Options{})
			wellFormed(t, picture)
			if picture != svg.Page(p, svg.Options{}) {
				t.Errorf("%s: two drawings differ", name)
			}
			drawn++
			if dir := os.Getenv("FCP_PICTURES"); dir != "" && i == 0 {
				base := strings.TrimSuffix(filepath.Base(name), ".xml")
				if err := os.WriteFile(filepath.Join(dir, base+".svg"), []byte(picture), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if drawn == 0 {
		t.Fatal("nothing was drawn")
	}
}

func vertex(style, value string) string {
	return `<mxCell id="v" value="` + value + `" style="` + style + `" vertex="1" parent="1"><mxGeometry x="10" y="20" width="120" height="60" as="geometry"/></mxCell>`
}

func TestShapesAreDrawn(t *testing.T) {
	tests := []struct{ name, style, value, want, not string }{
		{"a label is escaped", "html=1", "List&amp;lt;String&amp;gt;", "List&lt;String&gt;", "<String>"},
		{"html is reduced to text", "html=1", "&lt;b&gt;Big&lt;/b&gt;&lt;br&gt;&lt;script&gt;alert(1)&lt;/script&gt;small", `font-weight="bold">Big</text>`, "alert"},
		{"a plain label is plain", "html=0", "&lt;b&gt;x&lt;/b&gt;", "&lt;b&gt;x&lt;/b&gt;", "bold"},
		{"colours are kept", "fillColor=#dae8fc;strokeColor=red", "", `fill="#dae8fc" stroke="#ff0000"`, ""},
		{"what is no colour cannot leave its attribute", "fillColor=&quot;/&gt;&lt;script&gt;", "", "#ffffff", "script"},
		{"a dash scales with the line", "dashed=1;strokeWidth=2", "", `stroke-dasharray="6 6"`, ""},
		{"opacity", "opacity=40", "", `opacity="0.4"`, ""},
		{"rotation and flipping", "rotation=90;flipH=1;shape=step", "", "rotate(90) scale(-1 1)", ""},
		{"a gradient", "gradientColor=#00ff00;fillColor=#ffffff", "", "linearGradient", ""},
		{"a shadow", "shadow=1", "", "fill-opacity=\"0.25\"", ""},
		{"an embedded picture", "shape=image;image=data:image/png,AAAA", "", `xlink:href="data:image/png;base64,AAAA"`, ""},
		{"a picture elsewhere is not loaded", "shape=image;image=https://example.com/x.png", "", "#c8c8c8", "example.com"},
		{"an unknown stencil says its name", "shape=mxgraph.aws9.lambda_function;verticalLabelPosition=bottom", "Go", "lambda function", ""},
		{"an unknown stencil hides nothing", "shape=mxgraph.aws9.lambda_function;fillColor=#112233;strokeColor=none", "Go", `fill="none" stroke="#b0b0b0"`, "#112233"},
		{"a stencil is drawn", "shape=mxgraph.aws4.lambda_function;fillColor=#d05c17", "", `ZM60 2.28`, "lambda"},
		{"a stencil keeps its proportions", "shape=mxgraph.basic.smiley", "", `M`, "smiley"},
		{"a shape that is a program is drawn with the stencil in it", "shape=mxgraph.aws4.resourceIcon;resIcon=mxgraph.aws4.lambda;fillColor=#d05c17;strokeColor=#ffffff", "", `<path d="M0 0L120 0L120 60L0 60Z" fill="#d05c17"/><path d="M`, "resource"},
		{"a lifeline is dashed below its head", "shape=umlLifeline;size=20;rounded=1", "", `<path d="M60 20L60 60" fill="none" stroke="#000000" stroke-dasharray="3 3"/>`, ""},
		{"a lifeline that says so is not", "shape=umlLifeline;size=20;lifelineDashed=0;participant=umlActor", "", `<path d="M60 20L60 60" fill="none" stroke="#000000"/>`, "dasharray"},
		{"the end of a process is a disc in a circle", "shape=endState;fillColor=#112233", "", `fill="#112233" stroke="#000000"/><path d="M0 30A60 30 0 0 1 120 30A60 30 0 0 1 0 30Z" fill="none"`, ""},
		{"a waypoint is a dot", "shape=waypoint;size=6;fillColor=none", "", `<path d="M57 30A3 3 0 0 1 63 30A3 3 0 0 1 57 30Z" fill="#000000"`, ""},
		{"an event of BPMN has its symbol", "shape=mxgraph.bpmn.shape;outline=standard;symbol=message;perimeter=ellipsePerimeter", "", `<path d="M`, "shape<"},
		{"no label", "noLabel=1", "Hidden", "<svg", "Hidden"},
		{"a strange font is left out", "fontFamily=&quot;&gt;&lt;x", "A", ">A</text>", "<x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := svg.Page(page(t, vertex(tt.style, tt.value)), svg.Options{})
			wellFormed(t, got)
			if !strings.Contains(got, tt.want) || tt.not != "" && strings.Contains(got, tt.not) {
				t.Errorf("want %q and not %q in\n%s", tt.want, tt.not, got)
			}
		})
	}
}

func TestHiddenLayersAreNotDrawn(t *testing.T) {
	p := page(t, `<mxCell id="2" parent="0" visible="0"/><mxCell id="x" value="Secret" vertex="1" parent="2"><mxGeometry width="10" height="10" as="geometry"/></mxCell>`)
	if strings.Contains(svg.Page(p, svg.Options{}), "Secret") {
		t.Error("a shape of a hidden layer is drawn")
	}
}

func TestEdgesAreDrawn(t *testing.T) {
	two := `<mxCell id="a" vertex="1" parent="1"><mxGeometry width="100" height="40" as="geometry"/></mxCell>` +
		`<mxCell id="b" vertex="1" parent="1"><mxGeometry x="200" y="100" width="100" height="40" as="geometry"/></mxCell>`
	edge := func(style, geo string) string {
		return two + `<mxCell id="e" value="calls" style="` + style + `" edge="1" source="a" target="b" parent="1"><mxGeometry relative="1" as="geometry">` + geo + `</mxGeometry></mxCell>`
	}
	tests := []struct{ name, cells, want string }{
		{"level out, upright in", edge("edgeStyle=orthogonalEdgeStyle;endArrow=none;rounded=0", ""), `d="M100 20 L250 20 L250 100"`},
		{"ports", edge("edgeStyle=orthogonalEdgeStyle;endArrow=none;rounded=0;exitX=0.5;exitY=1;entryX=0.5;entryY=0", ""), `d="M50 40 L50 70 L250 70 L250 100"`},
		{"waypoints", edge("endArrow=none;rounded=0;exitX=1;exitY=0.5;entryX=0;entryY=0.5", `<Array as="points"><mxPoint x="150" y="20"/><mxPoint x="150" y="120"/></Array>`), `d="M100 20 L150 20 L150 120 L200 120"`},
		{"curved", edge("curved=1;endArrow=none", `<Array as="points"><mxPoint x="150" y="20"/></Array>`), "Q"},
		{"hollow heads", edge("endArrow=block;endFill=0", ""), `fill="#ffffff" stroke="#000000"`},
		{"a free end", `<mxCell id="e" style="endArrow=none" edge="1" parent="1"><mxGeometry relative="1" as="geometry"><mxPoint x="5" y="6" as="sourcePoint"/><mxPoint x="50" y="60" as="targetPoint"/></mxGeometry></mxCell>`, `d="M5 6 L50 60"`},
		{"a plain arrow without a line", edge("arrow;fillColor=#ff8000;strokeColor=none;exitX=1;exitY=0.5;entryX=0;entryY=0.5", ""), `L200 120L168.18`},
		{"a broad arrow with two heads", edge("shape=flexArrow;startArrow=block;width=20;exitX=0.5;exitY=1;entryX=0;entryY=0.5", ""), `fill="#ffffff" stroke="#000000"`},
		{"an edge that is nowhere", `<mxCell id="e" edge="1" parent="1"><mxGeometry relative="1" as="geometry"/></mxCell>`, "<svg"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := svg.Page(page(t, tt.cells), svg.Options{})
			wellFormed(t, got)
			if !strings.Contains(got, tt.want) {
				t.Errorf("want %s in\n%s", tt.want, got)
			}
		})
	}
}

func TestAFileInAPictureIsReadBack(t *testing.T) {
	f := mxfile.New("x")
	data, err := f.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	picture := svg.Page(f.Pages[0], svg.Options{Content: string(data)})
	d := xml.NewDecoder(strings.NewReader(picture))
	for {
		token, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		for _, a := range e.Attr {
			if a.Name.Local == "content" && a.Value == string(data) {
				return
			}
		}
		t.Fatal("the picture does not hold the file")
	}
}

// The messages of a sequence diagram are horizontal: they meet a lifeline's line, or an activation bar, at their own
// height.
func TestMessagesBetweenLifelinesAreLevel(t *testing.T) {
	line := func(id string, x int) string {
		return fmt.Sprintf(`<mxCell id="%s" style="shape=umlLifeline;perimeter=lifelinePerimeter;" vertex="1" parent="1"><mxGeometry x="%d" width="100" height="300" as="geometry"/></mxCell>`, id, x)
	}
	cells := line("a", 0) + line("b", 200) + `<mxCell id="bar" style="perimeter=orthogonalPerimeter;" vertex="1" parent="a"><mxGeometry x="45" y="80" width="10" height="100" as="geometry"/></mxCell>`
	for edge, want := range map[string]string{
		`style="edgeStyle=elbowEdgeStyle;elbow=vertical;endArrow=none;rounded=0;" source="a" target="b"><mxGeometry relative="1" as="geometry"><Array as="points"><mxPoint x="150" y="200"/></Array>`: "M49.5 200 L150 200 L249.5 200",
		`style="endArrow=none;rounded=0;" source="bar" target="b"><mxGeometry relative="1" as="geometry"><Array as="points"><mxPoint x="150" y="100"/></Array>`:                                       "M55 100 L150 100 L249.5 100",
	} {
		got := svg.Page(page(t, cells+`<mxCell id="e" edge="1" parent="1" `+edge+`</mxGeometry></mxCell>`), svg.Options{})
		if !strings.Contains(got, `d="`+want+`"`) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

func TestRulesMarginsAndLineEndsOfLabelsAreKept(t *testing.T) {
	label := html.EscapeString("<p style=\"margin:4px 0 0\">Name</p><hr size=\"1\"><p style=\"margin:0 0 0 8px\">a\nb</p>")
	label = strings.ReplaceAll(label, "\n", "&#xa;")
	got := svg.Page(page(t, `<mxCell id="c" value="`+label+`" style="html=1;overflow=fill;verticalAlign=top;align=left;" vertex="1" parent="1"><mxGeometry width="90" height="90" as="geometry"/></mxCell>`), svg.Options{})
	// 4 above the first line, which is 14.4 high; 6 around the rule, which is 1 high
	for _, want := range []string{`<text x="0" y="15.36"`, `<rect x="0" y="24.4" width="90" height="1" fill="#808080"/>`, `<text x="8" y="42.76"`, `<text x="8" y="57.16"`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

// draw.io writes a frame's label into its tab, not across its content.
func TestAFramesLabelIsInItsTab(t *testing.T) {
	p := page(t, `<mxCell id="f" value="Phase" style="shape=umlFrame;whiteSpace=wrap;html=1;width=120;height=30;" vertex="1" parent="1"><mxGeometry width="320" height="200" as="geometry"/></mxCell>`)
	got := svg.Page(p, svg.Options{})
	var x, y float64
	at := strings.Index(got, "<text")
	if at < 0 {
		t.Fatal(got)
	}
	if _, err := fmt.Sscanf(got[at:], `<text x="%f" y="%f"`, &x, &y); err != nil {
		t.Fatal(err)
	}
	if x != 60 || y < 10 || y > 25 {
		t.Errorf("the label is at %g,%g", x, y)
	}
}

func TestATableDrawsTheLinesBetweenItsCells(t *testing.T) {
	cells := func(style string) string {
		s := `<mxCell id="t" value="T" style="shape=table;startSize=30;childLayout=tableLayout;html=1;` + style + `" vertex="1" parent="1"><mxGeometry x="10" y="10" width="200" height="90" as="geometry"/></mxCell>`
		for i, row := range []string{"a", "b"} {
			s += fmt.Sprintf(`<mxCell id="%s" style="shape=tableRow;startSize=0;fillColor=none;top=0;left=0;right=0;bottom=0;" vertex="1" parent="t"><mxGeometry y="%d" width="200" height="30" as="geometry"/></mxCell>`, row, 30+30*i)
			for j := range 2 {
				s += fmt.Sprintf(`<mxCell id="%s%d" style="shape=partialRectangle;fillColor=none;top=0;left=0;bottom=0;right=0;" vertex="1" parent="%s"><mxGeometry x="%d" width="100" height="30" as="geometry"/></mxCell>`, row, j, row, 100*j)
			}
		}
		return s
	}
	between, upright := `d="M0 60 H200"`, []string{`d="M100 30 V60"`, `d="M100 60 V90"`}
	got := svg.Page(page(t, cells("")), svg.Options{})
	for _, want := range append(upright, between) {
		if !strings.Contains(got, want) {
			t.Errorf("no line %s in %s", want, got)
		}
	}
	if strings.Contains(got, "M0 90 H200") {
		t.Error("the last row has a line of its own")
	}
	if got := svg.Page(page(t, cells("rowLines=0;")), svg.Options{}); strings.Contains(got, between) || !strings.Contains(got, upright[0]) {
		t.Errorf("rowLines=0: %s", got)
	}
	if got := svg.Page(page(t, cells("columnLines=0;")), svg.Options{}); !strings.Contains(got, between) || strings.Contains(got, upright[0]) {
		t.Errorf("columnLines=0: %s", got)
	}
}

func TestColoursOfEnclosingShapesAreInherited(t *testing.T) {
	cell := func(id, parent, style string) string {
		return fmt.Sprintf(`<mxCell id="%s" style="%s" vertex="1" parent="%s"><mxGeometry x="5" y="5" width="50" height="50" as="geometry"/></mxCell>`, id, style, parent)
	}
	got := svg.Page(page(t, cell("lane", "1", "swimlane;fillColor=#aa5500;strokeColor=#0000aa;")+cell("g", "lane", "strokeColor=#00aa00;fillColor=none;")+
		cell("task", "g", "fillColor=swimlane;strokeColor=inherit;")+cell("alone", "1", "fillColor=inherit;strokeColor=swimlane;")), svg.Options{})
	if !strings.Contains(got, `fill="#aa5500" stroke="#00aa00"`) {
		t.Errorf("the task has not the lane's fill and the group's line: %s", got)
	}
	if !strings.Contains(got, `fill="#ffffff" stroke="#000000"`) {
		t.Errorf("what lies in nothing has not the usual colours: %s", got)
	}
}

func TestPlaceholdersAreFilledFromTheCellAndEnclosingCells(t *testing.T) {
	wrapped := func(attrs, id, parent string) string {
		return `<object ` + attrs + ` id="` + id + `"><mxCell style="html=1;" vertex="1" parent="` + parent + `"><mxGeometry width="90" height="40" as="geometry"/></mxCell></object>`
	}
	got := svg.Page(page(t, wrapped(`label="Lane" status="A &lt; B"`, "lane", "1")+
		wrapped(`label="50% %owner%: %status%, %gone%" owner="Me" placeholders="1"`, "task", "lane")+
		wrapped(`label="%owner%" owner="Me"`, "plain", "lane")), svg.Options{})
	for _, want := range []string{">50% Me: A &lt; B, %gone%<", ">%owner%<"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
}

func TestFillsDrawnByHandLeaveTheirLabelsReadable(t *testing.T) {
	for style, want := range map[string]string{
		"sketch=1;fillColor=#006600;": `fill="#006600" fill-opacity="0.35"`, "sketch=1;fillStyle=solid;fillColor=#006600;": `fill="#006600" stroke`,
		"sketch=1;": `fill="#ffffff" stroke`, "fillColor=#006600;": `fill="#006600" stroke`,
	} {
		got := svg.Page(page(t, `<mxCell id="a" style="`+style+`" vertex="1" parent="1"><mxGeometry width="90" height="40" as="geometry"/></mxCell>`), svg.Options{})
		if !strings.Contains(got, want) {
			t.Errorf("%s: no %s in %s", style, want, got)
		}
	}
}

func TestHollowHeadsShowThePage(t *testing.T) {
	for background, want := range map[string]string{"": "#ffffff", "#102030": "#102030"} {
		attr := ""
		if background != "" {
			attr = ` background="` + background + `"`
		}
		f, err := mxfile.Open([]byte(`<mxGraphModel` + attr + `><root><mxCell id="0"/><mxCell id="1" parent="0"/>` +
			`<mxCell id="e" style="endArrow=block;endFill=0;startArrow=ERzeroToMany;" edge="1" parent="1"><mxGeometry relative="1" as="geometry"><mxPoint x="0" y="0" as="sourcePoint"/><mxPoint x="200" y="0" as="targetPoint"/></mxGeometry></mxCell></root></mxGraphModel>`))
		if err != nil {
			t.Fatal(err)
		}
		got := svg.Page(f.Pages[0], svg.Options{})
		if n := strings.Count(got, `fill="`+want+`" stroke="#000000"`); n != 2 {
			t.Errorf("background %q: %d heads of that colour\n%s", background, n, got)
		}
	}
}

func TestOnlyLabelsInsideTheirShapeOverflow(t *testing.T) {
	const wide = "a_label_that_is_much_wider_than_its_shape"
	for style, overflows := range map[string]bool{
		"html=1": true, "html=1;overflow=visible": true, "html=1;overflow=hidden": false, "html=1;overflow=fill": false,
		"html=1;noLabel=1": false, "html=1;labelPosition=left": false, "html=1;verticalLabelPosition=bottom": false,
		"shape=umlLifeline": true, "shape=umlLifeline;participant=umlActor": false,
	} {
		p := page(t, `<mxCell id="a" value="`+wide+`" style="`+style+`" vertex="1" parent="1"><mxGeometry width="60" height="40" as="geometry"/></mxCell>`)
		if w, _ := svg.Overflow(p.Cell("a")); w > 0 != overflows {
			t.Errorf("%s: overflows by %g, want overflow %v", style, w, overflows)
		}
	}
}
