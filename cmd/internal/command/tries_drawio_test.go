package command

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

func TestWhatDrawioSuggestsWorksAndDoesNoMore(t *testing.T) {
	tryAll(t, drawioSubject())
}

func drawioSubject() *subject {
	return &subject{
		domain: "drawio",
		file:   "shop.drawio",
		build: []string{
			"load aws", "define lambdabox base:svc theme:orange badge:fn", "define theme brand fill:#e0f0ff stroke:#004080",
			"add svc Gateway at:100,100 theme:blue", "add db Customers at:400,90 theme:green", "add queue Orders at:700,100", "add svc Payments at:400,300 theme:blue",
			"add doc Invoice at:700,300", `add actor "Web Shopper" at:100,300`, "add cloud Internet at:1000,100", "add lambdabox Thumbnails at:1000,300", "add sqs Mailbox at:1300,100",
			`group Gateway Customers as:Frontend`, "group Orders Invoice as:Warehouse",
			"add pool Refunds lanes:Buyer,Clerk,Bank at:100,700", "add box Complain in:Buyer", "add decision Check in:Clerk",
			`add class Account fields:"+ id: int; + owner: string" methods:"close()" at:1000,700`,
			`connect "Web Shopper" -> Gateway`, "connect Gateway -> Customers label:reads", "connect Gateway -> Customers label:writes", "connect Gateway -> Orders style:dashed", "connect Orders -> Payments -> Invoice", "connect Complain -> Check",
			`badge Payments new`, "link Gateway url:https://gateway.test", "data Customers owner:ops", `tooltip Orders "first in, first out"`, "layer create Remarks", "add note Caution at:1300,300", "layer switch 1",
			"page rename 1 Overview", "page add Details", "add box Cellar", "page switch 1",
		},
		after: []string{"add note Reminder at:1500,700", "add note Afterthought"},
		files: map[string]string{"flow.mmd": "flowchart LR\nOne --> Two\n"},
		ops: []string{
			"add svc Billing theme:purple near:Gateway dir:below", "add db Ledger at:top-right size:150x90", "add decision Valid? in:Frontend count:2", `add lane Court in:Refunds`,
			`add entity Buyer2 fields:"PK id,name"`, "add lambda Resizer strict:true at:1600,100", "add lambdabox Mailer", "add image Logo src:logo.svg", "add circle Start2 label:Go id:start-2",
			"remove Caution", "remove Gateway -> Orders", "remove @type:actor", "remove @group:Warehouse", "remove Gateway -> Customers label:reads",
			"connect Internet -> Gateway label:calls exit:bottom entry:top@0.25", "connect Payments <-> Mailbox style:dotted target-arrow:open", "connect Thumbnails -- Mailbox theme:red via:1200,50;1250,60",
			"disconnect Gateway -> Orders", "disconnect @edges @connected:Invoice",
			"style Payments theme:green bold", "style @type:svc stroke:navy font-size:14 no-shadow", "style Gateway -> Orders curved thick target-arrow:diamond", "style Invoice fill:lightblue opacity:50 align:left valign:top", "style @theme:blue italic",
			`label Invoice "Invoice (PDF)"`, "label Gateway -> Orders places", "modify Payments type:api size:160x80 theme:gray label:Billing", "modify Internet at:1000,40 dashed",
			"move Internet to:1000,-40", "move Payments near:Mailbox dir:below", "move Thumbnails by:20,40", "move Internet in:Warehouse", "move Mailbox to:bottom-left strict:true",
			"resize Payments 180x90", "resize @type:cloud w:180 h:90", "resize Internet size:200x90",
			`group Payments Internet as:Backoffice theme:gray`, "group Payments as:Frontend", "ungroup Warehouse", "copy Payments as:Payments2 near:Mailbox", "copy @group:Warehouse to:100,1200", "repeat Internet count:2 dx:0 dy:120",
			"page add Third", "page switch Details", "page rename Details Cellars", "page move Details 1", "page duplicate 1 as:Draft", "page remove Details",
			"layer create Sketches", "layer switch Remarks", "layer hide Remarks", "layer lock 1", "layer rename Remarks Hints", "layer move Internet to:Remarks", "layer move Remarks 1", "layer remove Remarks",
			"link Payments url:https://pay.test", "link Internet page:Details", `tooltip Payments "takes money"`, `data Payments owner:"Team A" tier:1`, "badge Internet 3 at:top-left theme:green",
			"rotate Payments 45", "rotate @type:cloud by:-90", "swap Payments Internet", "align Payments Internet left", "align @type:svc top", "distribute Payments Internet Mailbox horizontal spacing:40", "order Payments front", "orient landscape",
			"layout algo:tree dir:LR spacing:60", "layout @group:Frontend algo:grid", "define crate base:box theme:yellow size:100x50", "define theme night fill:#000000 stroke:#ffffff font-color:white", "load k8s", `title "Order system"`,
		},
		queries: []string{
			"map", "list @type:svc", "list @group:Frontend", "list @layer:Remarks", "list @page:Details", "list @theme:blue", "list @connected:Gateway", "list @range:0,0-500,500", "describe Gateway", "describe Gateway -> Orders",
			"connections Gateway", "find order", "stats", "pages", "layers", "types aws queue", "preview width:200 page:1", "lint", "history 3", "diff checkpoint:start", "checkpoints", "status",
		},
		actions: []string{
			"checkpoint before", "undo 1", "undo to:start", "redo 1", "status", "documents", "batch atomic", "export svg as:./shop.svg", "export png width:300 as:./shop.png", "save", "save as:./other.drawio", "open ./shop.drawio", `new "Blank"`,
			"import mermaid ./flow.mmd", "use shop",
		},
		mistakes: drawioMistakes(),
		fewest:   300,
		look:     lookAtDiagram,
		removers: []string{"remove", "removeshape", "delete", "disconnect", "ungroup", "badge"}, // a new badge replaces the old one
		first:    []string{"load", "page"},
		foreign:  []string{"AuthService", "UserDB", "Backend", "example.com", "UserDB", "Name", "First", "owner:me", "brand "},
	}
}

// drawioHabits returns ops in the style of other languages and tools, each with the only suggestion that is right.
func drawioHabits() [][2]string {
	return [][2]string{
		{"rename page Details Cellars", "page rename Details Cellars"}, {"remove page Details", "page remove Details"}, {"delete page Details", "page remove Details"}, {"create page Third", "page add Third"}, {"new layer Sketches", "layer create Sketches"},
		{"hide layer Remarks", "layer hide Remarks"}, {"remove layer Remarks", "layer remove Remarks"}, {"duplicate page Details", "page duplicate Details"}, {"addPage Third", "page add Third"}, {"switch to page Details", "page switch Details"},
		{"remove group Warehouse", ""}, {"remove Payments Nonsense", ""}, {"drawManyLines x y", ""}, {"rename group Warehouse Store", ""}, {"delete_edge Gateway -> Orders", "disconnect Gateway -> Orders"}, {"removeShape Caution", "remove Caution"},
		{"disconnect Gateway -> Orders label:wrong", ""}, {"remove Payments -> Invoice label:wrong", ""},
		{"connect Internet->Gateway", "connect Internet -> Gateway"}, {"connect Internet-->Gateway", "connect Internet -> Gateway"}, {"connect Internet<->Gateway label:x", "connect Internet <-> Gateway label:x"}, {"Internet -> Gateway", "connect Internet -> Gateway"}, {"Internet->Gateway", "connect Internet -> Gateway"},
		{"connect Internet -> Web Shopper", `connect Internet -> "Web Shopper"`}, {"connect Web Shopper -> Internet", `connect "Web Shopper" -> Internet`}, {"connect from:Internet to:Gateway", ""}, {"add edge Internet Gateway", "connect Internet -> Gateway"}, {"add arrow from:Internet to:Gateway", ""},
		{"connect Internet -> Gateway calls", "connect Internet -> Gateway label:calls"}, {"connect Internet -> Gateway name:calls", "connect Internet -> Gateway label:calls"}, {"link Internet -> Gateway", "connect Internet -> Gateway"},
		{"layout tree", "layout algo:tree"}, {"layout LR", "layout dir:LR"}, {"layout horizontal", "layout dir:LR"}, {"layout Frontend", "layout @group:Frontend"}, {"layout type:tree", "layout algo:tree"}, {"layout direction:LR", "layout dir:LR"},
		{"move Internet 900,900", "move Internet to:900,900"}, {"move Internet 900 900", "move Internet to:900,900"}, {"move Internet to 900,900", "move Internet to:900,900"}, {"move Internet x:900 y:900", "move Internet to:900,900"}, {"move Internet right 100", "move Internet by:100,0"}, {"move Internet below Payments", "move Internet below:Payments"}, {"move Internet into Warehouse", "move Internet in:Warehouse"},
		{"resize Payments width:200", "resize Payments w:200"}, {"resize Payments width:200 height:90", "resize Payments size:200x90"}, {"modify Payments width:200", "resize Payments w:200"}, {"modify Payments text:X", "modify Payments label:X"}, {"modify Payments x:900 y:900", "modify Payments at:900,900"}, {"modify Payments tooltip:hello", "tooltip Payments hello"},
		{"group Payments Internet name:Pay", ""}, {"group Payments Internet Pay", "group Payments Internet as:Pay"}, {"group Payments, Internet as:Pay", "group Payments Internet as:Pay"}, {"link Payments href:https://x.test/y", ""}, {"link Payments Details", "link Payments page:Details"},
		{"label Web Shopper Buyer", `label "Web Shopper" Buyer`}, {"rename Payments to Money", "label Payments Money"}, {"setLabel Payments Money", "label Payments Money"}, {"set Payments label Money", "modify Payments label:Money"},
		{"add svc Ledger x:900 y:900 width:90 height:50", "add svc Ledger at:900,900 size:90x50"}, {"add svc Ledger below Payments", "add svc Ledger below:Payments"}, {"add svc Ledger parent:Warehouse", "add svc Ledger in:Warehouse"}, {"add svc name:Ledger", "add svc label:Ledger"}, {"add type:svc label:Ledger", ""}, {"add Ledger svc", "add svc Ledger"}, {"add srv Ledger", "add svc Ledger"}, {"add a hexagon called Ledger", "add api Ledger"},
		{"add svc Ledger theme: blue", "add svc Ledger theme:blue"}, {"add svc Ledger style:bold", "add svc Ledger bold"}, {"add svc Big Ledger", `add svc "Big Ledger"`}, {"add badge Internet 1", "badge Internet 1"}, {"addEdge Internet Gateway", "connect Internet -> Gateway"}, {"create edge Internet -> Gateway", "connect Internet -> Gateway"}, {"addShape svc Ledger", "add svc Ledger"}, {"createGroup Payments Internet as:Pay", "group Payments Internet as:Pay"}, {"connectShapes Internet Gateway", "connect Internet -> Gateway"}, {"add svc Ledger at 900 900", ""}, {"add svc Ledger in Warehouse", "add svc Ledger in:Warehouse"},
		{"style Internet fill=red", "style Internet fill:red"}, {"style @cloud bold", "style bold @type:cloud"}, {"style @type=cloud bold", "style @type:cloud bold"}, {"style edges dashed", "style dashed @edges"}, {"style all bold", "style bold @all"}, {"style Gateway->Orders bold", "style Gateway -> Orders bold"}, {"bring Gateway to front", "order Gateway front"},
	}
}

func TestDrawioSuggestsWhatHabitsOfOtherToolsMean(t *testing.T) {
	dir := t.TempDir()
	s := drawioSubject()
	x := newTrial(t, s, newToolDesk(serveProcess(t, dir, "--plugin", testwasm.Build(t, "plugins/drawio"), "--no-journal"), s.domain), dir, `new "Start"`)
	for _, h := range drawioHabits() {
		text, failed := x.d.send(abi.TryOp, h[0])
		if !failed {
			if !strings.Contains(text, "\n? read as "+h[1]) {
				t.Errorf("%s is taken: %s", h[0], text)
			}
			x.undo(abi.TryOp, text)
			continue
		}
		if h[1] == "" { // only suggestions that read, or the existing label
			for _, l := range suggestions(text) {
				if kind, _ := x.d.read(abi.TryOp, l); kind == abi.TryOp && !strings.Contains(l, "label:") {
					t.Errorf("%s: %s", h[0], text)
				}
			}
		} else if got := suggestions(text); len(got) == 0 || got[0] != h[1] {
			t.Errorf("%s: want %s\n%s", h[0], h[1], text)
		}
	}
	if text, _ := x.d.send(abi.TryOp, "export svg"); !slices.Contains(suggestions(text), `drawio_session export svg as:"./shop.svg"`) {
		t.Error(text)
	}
	for _, op := range []string{"add table Prices cols:", "group Payments Internet as:"} {
		if text, _ := x.d.send(abi.TryOp, op); !strings.Contains(text, "has no value behind it") {
			t.Errorf("%s: %s", op, text)
		}
	}
}

// drawioMistakes returns mistakes that changing a single word does not produce.
func drawioMistakes() []mistake {
	var out []mistake
	for _, text := range []string{
		"delete Caution", "rename Gateway Portal", "rename Gatway Portal", "relabel Invoice Bill", "color Payments red", "fill Payments red", "colour @type:svc navy", "create svc Billing", "insert svc Billing", "set Payments theme:green",
		"undo", "save", "map", "list", "export svg as:./x.svg", "checkpoint v1", "import mermaid ./flow.mmd", "open ./shop.drawio", "redo", "list @type:svc", "describe Gateway", "find order", "history", "stats", "types aws", "preview", "lint", "help",
		"frobnicate", "frobnicate all", "remove", "remove @all @not", "remove @group:Kitchen", "remove @type:zebra", "remove Gatewy", "remove Gate", "remove Payments Invoice", "remove Web Shopper", "remove Gateway -> Customers", "remove Gateway -> Bank",
		"connect Gateway -> Zebra", "connect Gateway -> Gatway", "connect Payments Invoice", "connect Gateway ->", "connect -> Gateway", "connect Gateway -> -> Orders", "connect Nix -> Nox", "connect Gateway => Orders", "connect Payments -> Invoice via:1", "connect Payments -> Invoice label",
		"style Payments", "style @edges -> Payments bold", "style Gateway -> Customers dashed", "style Payments curved", "style Payments Invoice bold", "style Gateway -> Payments bold", "style Payments color:red", "style Payments red", "style Payments sparkling", "style Cellar bold", "style @edges font-size:900", "style zzzz bold",
		"style Payments fontColour:red", "style Payments background:red", "style Payments glass:7", "style Payments strokeWidth:-3", "style Payments gradientColor:nocolour", "style Payments font:\"\"", "style Payments shape:a;b",
		"align Payments left", "align left", "align Gateway Customers", "align Payments Gateway", "align Gateway -> Orders left", "align Buyer Clerk left", "distribute Gateway Customers horizontal", "distribute Payments Internet Mailbox", "distribute Gateway Payments Invoice sideways",
		"link Gateway url:", "link Gateway https://gateway.test/x", "link Gateway", "link Gateway url:javascript:alert(1)", "link Gateway page:Detials", "link Gateway url:x page:1",
		"tooltip Payments", "tooltip Payments takes money", "data Payments", "data Payments label:x", "data Payments 9x:1", "data Payments gold", "badge Payments", "badge Payments two words", `badge Payments "a text that is far longer than badges are"`, "badge Gateway -> Orders 1", "badge Payments 1 at:middle", "badge Payments 1 theme:bleu",
		"move Gateway", "move Payments down", "move Payments 900,900", "move Payments by:5", "move Gateway near:Gateway", "move Frontend in:Frontend", "move Payments in:Refunds", "move Payments in:Gateway", "move Clerk by:0,100", "move Gateway -> Orders by:10,10", "move Payments to:1,2 by:3,4", "move @group:Frontend to:nowhere", "move Payments dir:up near:Mailbox", "move Gateway to:-4000,20",
		"resize Payments", "resize Payments abc", "resize Frontend 10x10", "resize Gateway -> Orders 100x100", "resize Payments 0x0", "resize Payments 100x50 w:3", "resize Payments size:12", "resize Payments 200",
		"rotate Payments", "rotate Payments north", "rotate Payments 900", "rotate Gateway -> Orders 45", "rotate Payments 45 by:3", "swap Gateway", "swap Gateway Gateway", "swap Gateway Frontend", "order Payments", "order Payments top", "order Payments forward",
		"orient up", "orient lanscape", "layout algo:magic", "layout algo:tre", "layout dir:UP", "layout spacing:1", "layout algo:grid dir:LR", "layout @type:zebra", "layout Gateway", "layout LR",
		"group Payments Internet", "group Gateway Orders as:Mixed", "group as:Kitchen", "group Payments as:Gateway", "group Buyer as:Kitchen", "group @type:zebra as:Kitchen", "ungroup Payments", "ungroup", "ungroup @type:svc", "ungroup Frontent",
		"copy Payments Payments9", "copy Payments to:nowhere", "copy", "copy @type:svc as:One", `copy Payments as:""`, "repeat Payments", "repeat Payments 2", "repeat Payments count:0", "repeat Payments count:two", "repeat Payments count:2 dx:0 dy:0", "repeat Clerk count:2 dx:5",
		"modify Payments", "modify Payments type:warp", "modify Payments type:group", "modify Frontend type:db", "modify Account type:svc", "modify Gateway -> Orders size:10x10", "modify Payments type:databse", "modify Check at:-900,0", "modify Clerk size:100x900", "modify Clerk at:5,5", "modify @type:svc at:5,5",
		"page", "page frob", "page 1", "page Details", "page create Third", "page delete Details", "page rename Other", "page switch", "page switch 9", "page switch Detials", "page remove Detail", "page move Details 9", "page move 3", "page add Details", "page add Two Words", "page duplicate 9", "page rename 1 Details", "page goto Details",
		"layer", "layer frob", "layer add Sketches", "layer Remarks", "layer delete Remarks", "layer switch", "layer switch 9", "layer switch Remark2", "layer hide", "layer move Internet", "layer move Internet to:Nowhere", "layer move Internet 2", "layer move Remarks 9", "layer rename Remarks Background", "layer hide @all", "layer move to:Remarks", "layer show Remrks", "layer hide Remarks now",
		"define crate", "define crate base:bx", "define crate base:pool", "define box base:svc", "define Crate base:box", "define theme", "define theme night", "define theme night fill:red", "define theme blue fill:red stroke:red", "define theme night fill:blurple stroke:red", "define crate base:box fill:red", "define thme night fill:red stroke:red", "define crate base:box theme:bleu", "define two crates",
		"load nothing", "load awz", "load gcloud", "load", "title", "title Two Words", "label Payments", "label Payments Two words", "label Two words Payments", "label @type:svc X",
		"add", "add Payments2 Svc2 More2", "add zebra Stripes", "add rectangle Frame2", "add database Ledger", "add group Kitchen", "add lamda Resizer", "add pod Resizer", "add svc Billing at:5", "add svc Billing dir:left", "add svc Billing near:Gatway", "add svc Billing near:Gateway dir:up", "add svc Billing near:Gateway at:1,2", "add svc Billing in:Gateway", "add svc Billing in:Frontned", "add svc Billing in:Refunds",
		"add svc Billing theme:bleu", "add svc Billing size:0x10", "add svc Billing size:abc", "add svc Billing count:0", "add svc Billing count:many", "add svc Billing id:n1", "add svc Billing strict:maybe", "add svc Billing fields:a", "add image Logo", "add svc Billing count:2 id:x2", "add svc Billing count:2 strict:true at:1,2", "add table Prices cols:9999", "add pool Returns flow:XY", "add lane Court in:Refunds at:5,5", "add lane Court in:Refund", `add svc ""`, "add svc Billing colr:red", "add svc Billing tehme:blue", "add svc Billing Two Words",
		"add class Tariff fields:\"a\" cols:2", "add svc Gateway -> Orders", "add svc Billing fill:nocolour", "add svc Billing @type:svc", "disconnect Gateway", "disconnect Gateway -> Customers", "disconnect Payments -> Gateway", "disconnect Orders -> Web", "disconnect @type:svc", "disconnect Gateway -> Customers label:deletes", "disconnect Invoice -> Payments",
		"style @type:svd bold", "style @theme:bleu bold", "style @text bold", "style @group bold", "style @layer:9 bold", "style @page:9 bold", "style @range:1 bold", "style @recent:0 bold", "style @orphan:x bold", "style @edges:x bold", "style @all:x bold", "style @connected:Gatway bold", "style @text:zzzzz bold", "style Payments @type:svc bold", "style @typ:svc bold", "style @grop:Frontend bold",
	} {
		out = append(out, mistake{kind: abi.TryOp, text: text, about: map[string][]string{
			"add pod Resizer": {"load"}, "style Cellar bold": {"page"}, "style @connected:Gatway bold": {"Customers", "Orders", "Web Shopper"},
			"page 1": {"Overview"},
		}[text]})
	}
	for _, h := range drawioHabits() {
		out = append(out, mistake{kind: abi.TryOp, text: h[0], means: h[1]})
	}
	out = append(out, mistake{kind: abi.TryQuery, text: "describe Cellar", about: []string{"page"}})
	for _, text := range []string{
		"describe", "describe Nope", "describe Gateway Orders", "describe Bank -> Gateway", "connections", "connections Gateway -> Orders", "connections @all", "find", "map 2", "stats x", "list Gateway", "list svc", "list @type:warp", "list @type:queu", "list @recent:0", "list @theme:zz", "list @orphan:x", "list @page:9", "list @layer:9", "list type:svc",
		"types a b c d", "types zebra", "types kube pod", "types awz queue", "preview page:9", "preview width:1", "preview bogus:1", "preview svg", "preview format:gif", "lint x", "pages x", "layers 1", "layer list", "page list", "frob", "search order", "ls", "show", "describe *x", "save", "undo", "add svc Billing", "remove Caution",
	} {
		out = append(out, mistake{kind: abi.TryQuery, text: text})
	}
	for _, text := range []string{
		"opne ./shop.drawio", "savee", "save to:./x.drawio", "sav as:./x.drawio", "undo x", "undo 0", "undo 99", "undo to:zz", "redo", "redo x", "use nope", "use", "batch", "batch zz", "checkpoint", "export", "export pdf as:./x.pdf", "export svg", "export svg as:./x.svg zoom:3", "export png page:9 as:./x.png", "open", "open ./nope.drawio", "open ./sho.drawio", "close now", "frob",
		"import", "import mermaid", "import mermiad ./flow.mmd", "import mermaid ./nope.mmd", "import csv", "import ./flow.mmd", "add svc Billing", "map", "list", "remove Caution", "load ./shop.drawio", "discard 9", "recover 9", "enable drawio now", "new Two Words", `new "Blank" size:big`,
	} {
		out = append(out, mistake{kind: abi.TryAction, text: text})
	}
	return out
}

// lookAtDiagram reads a saved diagram cell by cell, and the state that is not in the file: the current page and layer.
func lookAtDiagram(t testing.TB, ask func(string) string, saved []byte) map[string]element {
	var file struct {
		Attrs []xml.Attr `xml:",any,attr"`
		Pages []struct {
			ID    string `xml:"id,attr"`
			Name  string `xml:"name,attr"`
			Model struct {
				Attrs []xml.Attr `xml:",any,attr"`
				Root  struct {
					Cells []struct {
						XMLName xml.Name
						Attrs   []xml.Attr `xml:",any,attr"`
						Inner   string     `xml:",innerxml"`
						Cell    struct {
							Attrs []xml.Attr `xml:",any,attr"`
						} `xml:"mxCell"`
					} `xml:",any"`
				} `xml:"root"`
			} `xml:"mxGraphModel"`
		} `xml:"diagram"`
	}
	if err := xml.Unmarshal(saved, &file); err != nil {
		t.Fatal(err)
	}
	out := map[string]element{
		"current page":  {text: current(ask("pages")), names: []string{"page"}},
		"current layer": {text: current(ask("layers")), names: []string{"layer"}},
	}
	pages := element{always: true}
	for _, p := range file.Pages {
		pages.text += " " + p.ID
		page := fmt.Sprintf("page %s", p.ID)
		out[page] = element{text: fmt.Sprintf("%s %v", p.Name, p.Model.Attrs), names: []string{p.Name, "orient"}}
		order := element{always: true}
		for _, c := range p.Model.Root.Cells {
			attr := map[string]string{}
			for _, a := range append(c.Attrs, c.Cell.Attrs...) {
				attr[a.Name.Local] = a.Value
			}
			id := func(of string) string {
				if of == "" {
					return ""
				}
				return p.ID + "/" + of
			}
			label := attr["value"] + attr["label"]
			e := element{text: fmt.Sprintf("%s %v %s", c.XMLName.Local, c.Attrs, c.Inner), parent: id(attr["parent"])}
			style := strings.ToLower(attr["style"])
			switch {
			case attr["id"] == "0":
				e.names, e.parent = []string{"title", "define", "load"}, page
			case attr["parent"] == "0":
				e.names = []string{label, "layer"}
			default:
				e.names = []string{label, attr["id"], "all", "not", "layout", "orient", "recent"}
				if attr["source"] != "" {
					e.names, e.ends = append(e.names, "edges"), []string{id(attr["source"]), id(attr["target"])}
				} else {
					e.names = append(e.names, kindsIn(style)...)
				}
			}
			out[id(attr["id"])] = e
			order.text += " " + attr["id"]
		}
		out["order "+p.ID] = order
	}
	out["order of pages"] = pages
	return out
}

// current returns the name in the list's line that is marked as current.
func current(list string) string {
	for l := range strings.Lines(list) {
		if name, rest, _ := strings.Cut(l, ":"); strings.Contains(rest, "(current)") {
			return name
		}
	}
	return ""
}

// kindsIn returns the types and themes by which shapes of this style may be selected.
func kindsIn(style string) (out []string) {
	for _, k := range [][2]string{{"svc", "rounded=1"}, {"db", "cylinder"}, {"queue", "cylinder"}, {"actor", "umlactor"}, {"cloud", "cloud"}, {"doc", "document"}, {"theme:blue", "#dae8fc"}, {"blue", "#dae8fc"}, {"green", "#d5e8d4"}, {"note", "shape=note"}, {"pool", "swimlane"}, {"lane", "swimlane"}, {"group", "container=1"}} {
		if strings.Contains(style, k[1]) && !slices.Contains(out, k[0]) {
			out = append(out, k[0])
		}
	}
	return out
}
