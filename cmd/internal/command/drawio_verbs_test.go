package command

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// sketch is a file as draw.io writes it, with elements that the domain does not know.
const sketch = `<mxfile host="app.diagrams.net" agent="x" version="24.0.0">
  <diagram id="p1" name="Main">
    <mxGraphModel dx="800" dy="600" grid="1" gridSize="10" page="1" pageWidth="850" pageHeight="1100" math="0" odd="1">
      <root>
        <mxCell id="0" />
        <mxCell id="1" parent="0" />
        <mxCell id="w" value="Web" style="rounded=1;whiteSpace=wrap;html=1;odd=1;bare" vertex="1" parent="1">
          <mxGeometry x="100" y="100" width="140" height="60" as="geometry" />
        </mxCell>
        <mxCell id="s" value="Store" style="shape=cylinder3;whiteSpace=wrap;html=1;boundedLbl=1;backgroundOutline=1;size=15;" vertex="1" parent="1">
          <mxGeometry x="400" y="100" width="120" height="80" as="geometry" />
        </mxCell>
        <mxCell id="e" style="html=1;" edge="1" parent="1" source="w" target="s">
          <mxGeometry relative="1" as="geometry" />
        </mxCell>
      </root>
    </mxGraphModel>
  </diagram>
</mxfile>
`

// verbScript uses every verb of drawio at least once: the op, its reply, and what it leaves in the file.
var verbScript = []struct{ op, reply, saved string }{
	{"title \"Order system\"", `title: "Order system"`, `"Order system"`},
	{"add box Jobs at:400,300", "+ box Jobs @(400,300 120x60)", `value="Jobs"`},
	{"connect Web -> Jobs label:queues exit:bottom", `~ Web->Jobs "queues"`, `exitX=0.5;exitY=1;`},
	{"link Web url:https://example.com/web", "* Web: link https://example.com/web", `link="https://example.com/web"`},
	{"tooltip Store \"holds orders\"", `* Store: tooltip "holds orders"`, `tooltip="holds orders"`},
	{"data Store owner:\"Team A\" tier:1", `* Store: owner:"Team A" tier:1`, `owner="Team A"`},
	{"badge Jobs 3 at:top-left", "* Jobs badge: 3", `value="3"`},
	{"rotate Jobs 45", "* Jobs rotated: 45 degrees", "rotation=45;"},
	{"rotate Jobs 0", "* Jobs rotated", ""},
	{"swap Web Jobs", "* Web @(390,300 140x60), Jobs @(110,100 120x60)", `<mxGeometry x="390" y="300" width="140"`},
	{"align Web Jobs Store left", "@ align left", `<mxGeometry x="110" y="300" width="140"`},
	{"distribute Web Jobs Store vertical spacing:40", "@ distribute vertical", ""},
	{"order Jobs back", "* Jobs", ""},
	{"style Web -> Store dashed curved", "* Web->Store: dashed curved", "dashed=1;"},
	{"style @type:db theme:green bold", "* Store: bold theme:green", "fillColor=#d5e8d4;"},
	{"label Web \"Web App\"", `* Web label: "Web App"`, `label="Web App"`},
	{"label \"Web App\" Web", `* Web App label: "Web"`, ""},
	{"replace Store Depot @type:db", `"Store" is now "Depot" in 1 label`, `"Depot"`},
	{"replace Depot Store", `"Depot" is now "Store" in 1 label`, ""},
	{"move Store by:300,0", "* Store @(", ""},
	{"resize Store size:140x90", "140x90)", `width="140" height="90"`},
	{"modify Jobs type:queue label:Queue theme:orange", "* Jobs: label:Queue type:queue theme:orange", "direction=south;"},
	{"orient LR", "@ layout layered LR", ""},
	{"layout dir:TB spacing:60", "@ layout layered TB", ""},
	{"define fn base:svc theme:orange badge:fn size:100x50", "+ type fn: base=svc", `fcpType-fn="base=svc`},
	{"define theme brand fill:#e0f0ff stroke:#004080", "+ theme brand", `fcpTheme-brand="#e0f0ff #004080"`},
	{"add fn Resize theme:brand near:Store dir:right", "+ fn Resize @(", "fcpType=fn;"},
	{"load aws k8s", "* pack aws: 651 shapes", ""},
	{"add lambda Thumbs", "+ lambda Thumbs @(", "resIcon=mxgraph.aws4.lambda;"},
	{"add k8s.svc Front", "+ k8s.svc Front @(", "prIcon=svc;"},
	{"connect \"fn:Resize\" -> aws.lambda:Thumbs -> Store", "~ Resize->Thumbs", ""},
	{"disconnect Thumbs -> Store", "- Thumbs->Store", ""},
	{"group Web Store as:Back theme:gray", "+ group Back", `value="Back"`},
	{"copy @group:Back near:Back dir:below", "+ 2 copies", ""},
	{"ungroup Back", "- group Back", ""},
	{"repeat Queue count:2", "+ 2 copies", `value="Queue3"`},
	{"remove Queue3", "- Queue3", ""},
	{"add pool Orders lanes:Buyer,Shop", "+ pool Orders @(", "childLayout=stackLayout"},
	{"add lane Depot in:Orders", "+ lane Depot @(", `value="Depot"`},
	{"copy Depot as:Bank", "+ lane Bank @(", `value="Bank"`},
	{"add class Bill fields:\"id: int\" methods:\"pay()\"", "+ class Bill @(", `value="pay()"`},
	{"mermaid\nsequenceDiagram\nA->>+B: hi\nB-->>-A: ho\nend mermaid", "drew a sequence of 2 messages", "shape=umlLifeline;"},
	{"plantuml\nclass Dog extends Pet\n@enduml", "drew 2 shapes and 1 edge", "endArrow=block;endFill=0;"},
	{"layer create Notes", "+ layer 2 Notes (current)", `value="Notes"`},
	{"add note Remark", "+ note Remark @(", "shape=note;"},
	{"layer move Front to:Notes", "* Front on layer 2 Notes", ""},
	{"layer hide Notes", "hidden", `visible="0"`},
	{"layer switch 1", "* layer 1", ""},
	{"page add Second", "+ page 2 Second", `name="Second"`},
	{"page switch 1", "* page 1", ""},
	{"page duplicate 1", "+ page", ""},
	{"page add Lines", "+ page", `name="Lines"`},
	{"add box L1 at:200,200", "+ box L1", ""},
	{"add box L2 at:400,200", "+ box L2", ""},
	{"add box L3 at:600,200", "+ box L3", ""},
	{"connect L1 -> L3 via:460,230", "~ L1->L3", `<mxPoint x="460" y="230"/>`},
	{"route L1 -> L3", "* L1->L3 routed again", ""},
	{"pin L2", "L2", ""},
	{"split L3 as:L4,L5", "L4", `value="L5"`},
	{"look okabe title:Lines", "look okabe", `fcpBadge=`},
}

func TestEveryVerbWorksIsSavedAndIsUndone(t *testing.T) {
	c, dir := startDrawio(t)
	put(t, dir, "a.drawio", sketch)
	c.session("drawio", "open ./a.drawio")
	text, _ := c.call("drawio", map[string]any{"ops": []string{"frobnicate"}})
	m := regexp.MustCompile(`the verbs are (.*)`).FindStringSubmatch(text)
	if m == nil {
		t.Fatal(text)
	}
	missing := map[string]bool{}
	for _, v := range strings.Fields(m[1]) {
		missing[v] = true
	}
	saves := []string{c.saves(dir, "s.drawio")}
	if saves[0] != sketch {
		t.Fatal("a file that nothing was done to is saved differently")
	}
	for _, s := range verbScript {
		verb := strings.Fields(s.op)[0]
		delete(missing, verb)
		reply, failed := c.call("drawio", map[string]any{"ops": []string{s.op}})
		if failed || !strings.Contains(reply, s.reply) {
			t.Fatalf("%s: %s\nwant %q in it", s.op, reply, s.reply)
		}
		os.Remove(filepath.Join(dir, "s.drawio"))
		now := c.saves(dir, "s.drawio")
		if !strings.Contains(now, s.saved) {
			t.Errorf("%s: no %s in the file", s.op, s.saved)
		}
		if !strings.Contains(now, ` math="0" odd="1"`) || !strings.Contains(now, "odd=1;bare") {
			t.Errorf("%s lost what draw.io put there", s.op)
		}
		saves = append(saves, now)
	}
	for v := range missing {
		t.Errorf("%s is not tried here", v)
	}

	// Each undo restores the file of the previous step, and each redo that of the next.
	for i := len(saves) - 2; i >= 0; i-- {
		c.session("drawio", "undo")
		os.Remove(filepath.Join(dir, "s.drawio"))
		if got := c.saves(dir, "s.drawio"); got != saves[i] {
			t.Fatalf("undo of %s left\n%s\nwant\n%s", verbScript[i].op, got, saves[i])
		}
	}
	for i := range verbScript {
		c.session("drawio", "redo")
		os.Remove(filepath.Join(dir, "s.drawio"))
		if got := c.saves(dir, "s.drawio"); got != saves[i+1] {
			t.Fatalf("redo of %s gave\n%s\nwant\n%s", verbScript[i].op, got, saves[i+1])
		}
	}

	// Definitions and loaded libraries are still there when the file is opened again.
	c.session("drawio", "open ./s.drawio")
	c.edit("drawio", "add fn Again", "add s3 Bucket", "add pod P", "style Again theme:brand")
	has(t, c.ask("types"), "fn (defined)", "theme brand", "pack aws: 651 shapes, loaded", "pack gcp: 275 shapes, not loaded")
	has(t, c.ask("types k8s service"), "svc")
	has(t, c.ask("list @type:s3"), "Bucket(s3)")
}

// A diagram is not written under the name of an export. Pictures that hold the diagram are, with a warning.
func TestADiagramIsNotSavedUnderTheNameOfAnExport(t *testing.T) {
	c, dir := startDrawio(t)
	c.session("drawio", `new "T"`)
	c.edit("drawio", "add svc A")
	for name, format := range map[string]string{"x.html": "html", "x.MMD": "mermaid"} {
		text, failed := c.call("drawio_session", map[string]any{"action": "save as:./" + name})
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil || !failed {
			t.Errorf("%s is written: %s", name, text)
		}
		has(t, text, `say the format of "./`+name+`"`, "try: drawio_session export "+format+` as:"./`+name+`"`)
	}
	text := c.session("drawio", "save as:./x.svg")
	has(t, text, "saved x.svg", "drawio files are named .drawio .xml .drawio.svg .drawio.png: by this name, programs may take it for something else")
	has(t, c.file(dir, "x.svg"), "<svg", "&lt;mxfile")
}
