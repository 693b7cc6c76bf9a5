package command

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/soak"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// startDrawio starts a server with the drawio plugin and returns it with its working folder.
func startDrawio(t *testing.T) (*client, string) {
	t.Helper()
	dir := t.TempDir()
	return serveProcess(t, dir, "--plugin", testwasm.Build(t, "plugins/drawio"), "--limit", "call=2m"), dir // the machine may be busy
}

func (c *client) ask(q string) string {
	c.t.Helper()
	return c.must("drawio_query", map[string]any{"q": q})
}

// refuse sends ops that must fail with want.
func (c *client) refuse(want string, ops ...string) {
	c.t.Helper()
	text, failed := c.call("drawio", map[string]any{"ops": ops})
	if !failed || !strings.Contains(text, want) {
		c.t.Errorf("%q: %s\nwant a refusal with %q", ops, text, want)
	}
}

func (c *client) file(dir, name string) string {
	c.t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		c.t.Fatal(err)
	}
	return string(data)
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// saves saves the document to a new file and returns its bytes.
func (c *client) saves(dir, name string) string {
	c.t.Helper()
	c.session("drawio", "save as:./"+name)
	return c.file(dir, name)
}

func TestUndoOverMCPRestoresTheBytes(t *testing.T) {
	c, dir := startDrawio(t)
	c.session("drawio", `new "T"`)
	c.edit("drawio", "add svc A", "add db B", "connect A -> B")
	was := c.saves(dir, "a.drawio")
	for _, op := range []string{"remove A", "style A -> B dashed", "layout", "group A B as:G", "label A New", "move A by:10,10", "page add P"} {
		c.edit("drawio", op)
		c.session("drawio", "undo")
		if got := c.saves(dir, "b.drawio"); got != was {
			t.Errorf("%s is not undone", op)
		}
		os.Remove(filepath.Join(dir, "b.drawio"))
		c.session("drawio", "save as:./c.drawio")
	}
}

func TestAReopenedFileKeepsItsShapesAndHeads(t *testing.T) {
	c, dir := startDrawio(t)
	c.session("drawio", `new "T"`)
	c.edit("drawio", "add svc A", "add svc B", "connect A -> B", "connect A -- B")
	c.saves(dir, "a.drawio")
	c.session("drawio", "close")
	c.session("drawio", "open ./a.drawio")
	c.edit("drawio", "add svc C", "add svc D", "connect C -> D")
	got := c.saves(dir, "b.drawio")
	for _, id := range []string{"n1", "n2", "n3", "n4", "n5", "n6", "n7"} {
		if n := strings.Count(got, `id="`+id+`"`); n != 1 {
			t.Errorf("%d cells have the id %s", n, id)
		}
	}
	if strings.Contains(got, "startArrow") {
		t.Error("an edge gained a second head")
	}
	has(t, c.ask("map"), "A->B", "A--B", "C->D")
}

func TestCompressedPagesAreEditedAndStayCompressed(t *testing.T) {
	model := `<mxGraphModel><root><mxCell id="0"/><mxCell id="1" parent="0"/><mxCell id="x" value="Old" vertex="1" parent="1"><mxGeometry width="80" height="40" as="geometry"/></mxCell></root></mxGraphModel>`
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, 9)
	fmt.Fprint(w, strings.ReplaceAll(url.QueryEscape(model), "+", "%20"))
	w.Close()
	c, dir := startDrawio(t)
	put(t, dir, "a.drawio", `<mxfile><diagram id="p" name="P">`+base64.StdEncoding.EncodeToString(b.Bytes())+`</diagram></mxfile>`)
	c.session("drawio", "open ./a.drawio")
	c.edit("drawio", "label Old New")
	if got := c.saves(dir, "b.drawio"); strings.Contains(got, "mxGraphModel") {
		t.Error("the page is no longer compressed")
	}
	c.session("drawio", "open ./b.drawio")
	has(t, c.ask("map"), "New")
}

func TestWrappedCellsContainersAndFreeEdgesSurvive(t *testing.T) {
	c, dir := startDrawio(t)
	cells := []string{
		`<UserObject label="Linked" link="https://example.com" tags="a b" id="u"><mxCell style="html=1;odd=1;bare" vertex="1" parent="1"><mxGeometry x="10" y="10" width="80" height="40" as="geometry"/></mxCell></UserObject>`,
		`<mxCell id="g" value="Lane" style="swimlane;" vertex="1" parent="1"><mxGeometry x="200" width="200" height="200" as="geometry"/></mxCell>`,
		`<mxCell id="e1" edge="1" parent="1" source="u" target="g"><mxGeometry relative="1" as="geometry"/></mxCell>`,
		`<mxCell id="e2" edge="1" parent="1"><mxGeometry relative="1" as="geometry"><mxPoint x="1" y="2" as="sourcePoint"/><mxPoint x="3" y="4" as="targetPoint"/></mxGeometry></mxCell>`,
	}
	put(t, dir, "a.drawio", `<mxfile><diagram id="p" name="P"><mxGraphModel><root><mxCell id="0"/><mxCell id="1" parent="0"/>`+strings.Join(cells, "\n")+`</root></mxGraphModel></diagram></mxfile>`)
	c.session("drawio", "open ./a.drawio")
	c.edit("drawio", "add svc Extra")
	got := c.saves(dir, "b.drawio")
	for _, cell := range cells {
		if !strings.Contains(got, cell) {
			t.Errorf("changed: %s", cell)
		}
	}
	has(t, c.ask("map"), "Linked->Lane", "(1,2)->(3,4)")
}

func TestTheStatusShowsTheTitleAsItIsNow(t *testing.T) {
	c, _ := startDrawio(t)
	c.session("drawio", `new "T"`)
	for _, title := range []string{"Orders", "Shop"} {
		c.edit("drawio", "title "+title)
		if got := c.ask("status"); !strings.Contains(got, "title: "+title+"\n") {
			t.Errorf("title %s: status says\n%s", title, got)
		}
	}
	c.session("drawio", "undo")
	if got := c.ask("status"); !strings.Contains(got, "title: Orders\n") {
		t.Errorf("after undo, status says\n%s", got)
	}
}

func TestReferencesAndValuesAreUsedAsWritten(t *testing.T) {
	c, dir := startDrawio(t)
	c.session("drawio", `new "T"`)
	c.edit("drawio", "add svc Cache", "add db Cache", "add svc Web", "connect Web -> db:Cache", `add box "List<String>"`)
	was := c.saves(dir, "a.drawio")
	if !strings.Contains(was, "List&amp;lt;String&amp;gt;") {
		t.Error("a label with < is not escaped for html")
	}
	c.refuse("ambiguous", "remove Cache")
	c.refuse("size", "resize Web size:NaNxfoo")
	c.refuse("size", "add box X size:-5x10")
	c.refuse("bogus", "add box X bogus:1")
	c.refuse("blob", "add blob X")
	c.refuse("notacolor", "style Web fill:notacolor")
	c.refuse("zigzag", "connect Web -> db:Cache target-arrow:zigzag")
	if c.saves(dir, "b.drawio") != was {
		t.Error("a refused op left something")
	}
	c.edit("drawio", "style Web -> db:Cache stroke:#ff0000")
	got := c.saves(dir, "c.drawio")
	if i := strings.Index(got, "#ff0000"); i < 0 || !strings.Contains(got[i:i+400], "edge=") || strings.Count(got, "#ff0000") != 1 {
		t.Error("style A -> B must change the edge, and it alone")
	}
	c.edit("drawio", `group Web "List<String>" as:"Back End"`)
	has(t, c.edit("drawio", `style @group:"Back End" theme:red`), "2 shapes")
	c.edit("drawio", "remove db:Cache")
	has(t, c.ask("map"), "Cache(svc)")
}

// Pipelined calls are answered in order.
func TestALayoutAndANewThatArePipelinedKeepTheirOrder(t *testing.T) {
	c, dir := startDrawio(t)
	c.session("drawio", `new "One"`)
	c.edit("drawio", "add svc A at:0,0", "add svc B at:300,0", "connect A -> B")
	c.session("drawio", "save as:./one.drawio")
	for i, call := range []string{
		`"drawio","arguments":{"ops":["layout"]}`, `"drawio_session","arguments":{"action":"save"}`,
		`"drawio_session","arguments":{"action":"new \"Two\""}`, `"drawio","arguments":{"ops":["add svc Z at:77,88"]}`,
	} {
		fmt.Fprintf(c.in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%s}}`+"\n", 9000+i, call)
	}
	has(t, c.ask("map"), "Z(svc) @(77,88")
	if one := c.file(dir, "one.drawio"); strings.Contains(one, "Z") || strings.Contains(one, `x="300"`) {
		t.Errorf("the layout did not reach the first document: %s", one)
	}
}

// One undo takes all of it back.
func TestThousandsOfShapesAreAddedInOneCall(t *testing.T) {
	c, dir := startDrawio(t)
	c.session("drawio", `new "T"`)
	was := c.saves(dir, "a.drawio")
	n := 1000
	if soak.Whole() {
		n = 5000
	}
	ops := make([]string, n)
	for i := range ops {
		ops[i] = fmt.Sprintf("add svc N%04d", i)
	}
	has(t, c.edit("drawio", ops...), fmt.Sprintf("+ %d more svc: N0001…N%04d\n", n-1, n-1), fmt.Sprintf("[%ds 0e 0g", n))
	if got := c.ask("lint"); strings.Contains(got, "overlap") {
		t.Errorf("%.300s", got)
	}
	c.session("drawio", "undo batch")
	if c.saves(dir, "b.drawio") != was {
		t.Error("the shapes are not all gone")
	}
}

// twenty returns ops for a flow of twenty shapes in four groups, with edges between the groups.
func twenty() []string {
	var ops []string
	for i := range 20 {
		ops = append(ops, fmt.Sprintf("add svc N%02d", i))
	}
	for g := range 4 {
		ops = append(ops, fmt.Sprintf("group N%02d N%02d N%02d N%02d N%02d as:G%d", g, g+4, g+8, g+12, g+16, g))
	}
	for i := range 20 {
		for _, step := range []int{1, 3} {
			if i+step < 20 {
				ops = append(ops, fmt.Sprintf("connect N%02d -> N%02d", i, i+step))
			}
		}
	}
	return ops
}

func TestLayoutFollowsEdgesAcrossGroups(t *testing.T) {
	c, _ := startDrawio(t)
	c.session("drawio", `new "T"`)
	c.edit("drawio", append(twenty(), "layout dir:TB by:flow")...)
	if got := c.ask("lint"); strings.Contains(got, "edges against") || strings.Contains(got, "edge against") || strings.Contains(got, "overlap") {
		t.Error(got)
	}
}

func TestImportedChartsAndPicturesGoThroughTheServer(t *testing.T) {
	c, dir := startDrawio(t)
	put(t, dir, "flow.mmd", "flowchart LR\nA[Web] -->|asks| B[(Store)]\nsubgraph Back\nB\nend\n")
	put(t, dir, "bad.mmd", "graph TB\nA[open")
	c.session("drawio", `new "T"`)
	if text, failed := c.call("drawio_session", map[string]any{"action": "import mermaid ./bad.mmd"}); !failed || !strings.Contains(text, "line 2") {
		t.Error(text)
	}
	has(t, c.session("drawio", "import mermaid ./flow.mmd"), "2 shapes and 1 edge in 1 group")
	c.session("drawio", "export svg as:./p.svg")
	c.session("drawio", "export html as:./p.html")
	c.session("drawio", "export drawio.svg as:./p.drawio.svg")
	for _, name := range []string{"p.svg", "p.html", "p.drawio.svg"} {
		if got := c.file(dir, name); !strings.Contains(got, "asks</text>") {
			t.Errorf("%s: %.300s", name, got)
		}
	}
	var res struct {
		Content []struct{ Type, MimeType string }
	}
	c.request("tools/call", map[string]any{"name": "drawio_query", "arguments": map[string]any{"q": "preview width:400"}}, &res)
	if len(res.Content) != 2 || res.Content[1].Type != "image" || res.Content[1].MimeType != "image/png" {
		t.Errorf("preview answers %+v", res.Content)
	}
	var edited struct {
		Content           []struct{ Type, Text string }
		StructuredContent any
	}
	c.request("tools/call", map[string]any{"name": "drawio", "arguments": map[string]any{"ops": []string{"add db Log"}, "then": []string{"preview", "save as:./then.drawio", "undo"}}}, &edited)
	if n := len(edited.Content); n != 2 || edited.Content[1].Type != "image" || edited.StructuredContent != nil {
		t.Errorf("an edit with a preview, a save and an undo answers %.300v", edited)
	}
	has(t, edited.Content[0].Text, "+ db Log", "preview of page", "* saved then.drawio", "* undid add db Log")
	if got := c.file(dir, "then.drawio"); !strings.Contains(got, `value="Log"`) {
		t.Errorf("the file holds %.300s", got)
	}
	var listed struct {
		Resources []struct{ URI, MimeType string }
	}
	c.request("resources/list", map[string]any{}, &listed)
	found := ""
	for _, r := range listed.Resources {
		if strings.HasSuffix(r.URI, "/preview") && r.MimeType == "image/png" {
			found = r.URI
		}
	}
	var read struct {
		Contents []struct{ MimeType, Blob string }
	}
	c.request("resources/read", map[string]any{"uri": found}, &read)
	if len(read.Contents) != 1 || read.Contents[0].MimeType != "image/png" || !strings.HasPrefix(read.Contents[0].Blob, "iVBORw0KGgo") {
		t.Errorf("the resource %q is %.200v", found, read.Contents)
	}
	c.session("drawio", "undo")
	has(t, c.ask("stats"), "shapes: 0")
	c.session("drawio", "open ./p.drawio.svg")
	has(t, c.ask("map"), "Web->Store")

	// The extension decides the format to save; a file keeps its format while it keeps its extension.
	c.session("drawio", "save as:./q.drawio")
	c.session("drawio", "save as:./r.drawio.svg")
	c.session("drawio", "save as:./s.svg")
	c.session("drawio", "save as:./t.drawio.png")
	c.session("drawio", "save as:./u.png")
	c.session("drawio", "save as:./v.drawio")
	for name, begins := range map[string]string{"q.drawio": "<mxfile", "r.drawio.svg": "<svg", "s.svg": "<svg", "t.drawio.png": "\x89PNG", "u.png": "\x89PNG", "v.drawio": "<mxfile"} {
		if got := c.file(dir, name); !strings.HasPrefix(got, begins) || strings.Contains(got, "asks</text>") != (begins == "<svg") {
			t.Errorf("%s: %.300s", name, got)
		}
		c.session("drawio", "open ./"+name)
		has(t, c.ask("map"), "Web->Store")
	}
	put(t, dir, "misnamed.xml", c.file(dir, "p.drawio.svg"))
	c.session("drawio", "open ./misnamed.xml")
	c.session("drawio", "save")
	if c.file(dir, "misnamed.xml") != c.file(dir, "p.drawio.svg") {
		t.Error("a picture under another name is not kept as it came")
	}
}
