package command

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

func TestWhatSVGSuggestsWorksAndDoesNoMore(t *testing.T) {
	t.Parallel()
	tryAll(t, svgSubject())
}

func svgSubject() *subject {
	return &subject{
		domain: "svg",
		file:   "sign.svg",
		build: []string{
			"canvas size:800x600 viewbox:0,0,800,600", "add rect paper at:0,0 size:800x600 fill:white", "add group logo", "add circle ring r:40 at:100,100 fill:none stroke:navy stroke-width:6 in:logo", "add rect card at:160,60 size:120x80 rx:8 fill:teal in:logo",
			`add text heading "Grand Hotel" at:400,60 font-size:32 text-anchor:middle`, "add line axis from:50,500 to:750,500 stroke:black stroke-width:2", "add polygon roof points:\"300,300 400,220 500,300\" fill:maroon", "add path wave d:\"M50 450C150 380 250 520 350 450S550 380 650 450\" fill:none stroke:blue stroke-width:3",
			"add ellipse pool size:160x60 at:600,200 fill:aqua", `gradient dusk stops:"orange, purple" angle:90 for:pool`, "pattern dots dots size:12 color:gray", "marker tip arrow for:axis", "filter soft shadow for:card", "class loud fill:crimson roof", "layer create Notes",
			`add text remark "Closed in winter" at:60,560 font-size:14 in:Notes`, "add group legend", "add rect key at:640,320 size:20x20 fill:gold in:legend", `add text caption "Rooms" at:670,336 font-size:16 in:legend`, "clip frame ring for:legend",
			"add circle spot r:12 at:420,420 fill:olive", "add use twin of:spot at:480,420",
		},
		after: []string{"add rect extra at:700,20 size:40x30 fill:gray", "add circle afterthought r:5"},
		ops: []string{
			"add circle dot r:5 fill:red in:logo", "add rect door at:380,340 size:40x80 fill:brown rx:4", `add text price "from 80" below:heading gap:6 font-size:18`, "add line rail from:10,10 to:90,10 stroke-width:2", "add polygon star sides:5 star:0.4 r:30 at:center fill:gold", "add group lobby",
			"modify card width:140 rx:4", `text heading "Grand Hotel Aurora"`, "remove spot", "remove @class:loud", "copy spot as:spot2 by:40,0", "repeat spot count:3 dx:30", "style card fill:navy opacity:80%", "style @type:rect stroke:black stroke-width:2", "class loud stroke:black", "class loud off roof", "class quiet fill:silver key",
			"move spot by:10,10", "move @group:logo at:20,20", "resize card 100x50", "resize roof w:300", "rotate card 15", "rotate roof 45 about:400,300", "scale spot 2", "skew card x:10", "align spot card left", "align card roof center to:canvas", "distribute spot roof twin horizontal", "order pool back", "order spot above:pool",
			"group spot roof as:house", "ungroup logo", "reparent spot in:logo", "layer hide Notes", "layer rename Notes Remarks", "layer remove Notes", `gradient dawn radial stops:"white, pink 60%, red" for:card`, "pattern weave grid for:pool", "marker dotted dot for:wave", "filter mist blur for:heading", "clip hole pool for:card", "mask fade pool for:heading",
			"path wave reverse", "path card convert", "path wave append L700,500", "canvas size:1024x768", "fit padding:20", "fit logo", `title "Sign"`, `desc card "The card"`, "optimize precision:1", "bool union card key as:both", "outline wave",
		},
		queries: []string{
			"map", "tree 2", "describe card", "list @type:rect", "list @layer:Notes", "list @group:logo", "list @fill:teal", "list @stroke:navy", "list @range:0,0-300,200", "list @inside:paper", "list @text:Rooms", `list @css:"g > rect"`, "list @depth:2", "list @class:loud", "list @id:c*",
			"find hotel", "bbox card", "at 200,100", "distance card roof", "defs", "colors", "fonts", "unused", "overlaps", "outside", "source card", "stats", "lint", "preview card width:200", "history 3", "checkpoints", "status",
		},
		actions: []string{
			"checkpoint before", "undo 1", "undo to:start", "redo 1", "status", "documents", "batch atomic", "export png as:./sign.png", "export svg as:./small.svg", "save", "save as:./other.svg", "open ./sign.svg", `new "Blank" size:100x100`, "use sign",
		},
		mistakes: append(svgMistakes(), mistake{kind: abi.TryAction, text: "export pdf as:./x.pdf"}, mistake{kind: abi.TryAction, text: "new Two Words"}, mistake{kind: abi.TryAction, text: `new "Blank" size:big`}, mistake{kind: abi.TryAction, text: "open ./sing.svg"},
			mistake{kind: abi.TryQuery, text: "describe crad"}, mistake{kind: abi.TryQuery, text: "bbox"}, mistake{kind: abi.TryQuery, text: "at 200 100"}, mistake{kind: abi.TryQuery, text: "list rect"}, mistake{kind: abi.TryQuery, text: "distance card"}, mistake{kind: abi.TryQuery, text: "preview width:5"}, mistake{kind: abi.TryQuery, text: "gradients"}, mistake{kind: abi.TryQuery, text: "preview scale:2"}),
		fewest:   300,
		look:     lookAtDrawing,
		removers: []string{"remove", "delete", "ungroup", "clip", "mask", "bool", "layer", "optimize", "convert", "outline", "modify", "union"},
		first:    []string{"layer", "style"},
		foreign:  []string{"background", "Acme", "sky"},
	}
}

// svgHabits returns ops in the style of other languages and tools, each with its meaning.
func svgHabits() [][2]string {
	return [][2]string{
		{"add rectangle door at:380,340 size:40x80", "add rect door at:380,340 size:40x80"}, {"add circle dot 5", "add circle dot r:5"}, {"add circle dot radius:5", "add circle dot r:5"}, {"add rect door x:380 y:340 width:40 height:80", ""}, {"add text price only 80", `add text price "only 80"`},
		{"delete spot", "remove spot"}, {"move spot to:10,10", "move spot at:10,10"}, {"move spot x:10 y:10", "move spot at:10,10"}, {"resize card width:100", "resize card w:100"}, {"rotate card angle:15", "rotate card by:15"}, {"rotate card 15deg", "rotate card 15"},
		{"fill card navy", "style card fill:navy"}, {"style card fill=navy", "style card fill:navy"}, {"style card color:navy", ""}, {"style card background:navy", "style card fill:navy"}, {"style card navy", "style card fill:navy"}, {"recolor card navy", "style card fill:navy"}, {"color card navy", "style card fill:navy"}, {"style rect fill:navy", "style @type:rect fill:navy"}, {"style all fill:navy", "style @all fill:navy"}, {"style .loud fill:navy", "style @class:loud fill:navy"}, {"style #card fill:navy", "style card fill:navy"},
		{"rename card panel", "modify card id:panel"}, {"bring spot to front", "order spot front"}, {"duplicate spot", "copy spot"}, {"clone spot as:spot2", "copy spot as:spot2"}, {"group spot, roof as:house", "group spot roof as:house"}, {"group spot roof name:house", "group spot roof as:house"}, {"union card key", "bool union card key"}, {"hide layer Notes", "layer hide Notes"}, {"add layer Sketch", ""}, {"viewbox 0 0 100 100", ""},
		{"gradient dawn red blue for:card", ""}, {"add linearGradient dawn", ""}, {"set card fill navy", "modify card fill:navy"}, {"flip card horizontal", ""}, {"scale card x:2", ""}, {"text heading Grand Hotel Aurora", `text heading "Grand Hotel Aurora"`},
	}
}

func TestSVGSuggestsWhatHabitsOfOtherToolsMean(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := svgSubject()
	x := newTrial(t, s, newToolDesk(serveProcess(t, dir, "--plugin", testwasm.Build(t, "plugins/svg"), "--no-journal"), s.domain), dir, `new "Start"`)
	for _, h := range svgHabits() {
		text, failed := x.d.send(abi.TryOp, h[0])
		if !failed {
			t.Logf("%s is taken: %s", h[0], text)
			x.undo(abi.TryOp, text)
			continue
		}
		if got := suggestions(text); h[1] != "" && (len(got) == 0 || got[0] != h[1]) {
			t.Errorf("%s: want %s\n%s", h[0], h[1], text)
		}
	}
}

func svgMistakes() []mistake {
	var out []mistake
	for _, text := range []string{
		"delete spot", "remove", "remove @all @not", "remove spt", "remove card spot nope", "remove @group:kitchen", "remove @type:zebra", "undo", "save", "map", "list", "preview", "lint", "help", "frobnicate", "frobnicate all", "export png as:./x.png",
		"add", "add zebra x", "add circle", "add circle ring r:4", "add rect 9lives size:10x10", "add rect door size:0x10", "add rect door size:big", "add rect door at:5", "add rect door in:nowhere size:10x10", "add rect door in:card size:10x10", "add polygon p", "add polygon p sides:2", "add path p", "add path p d:M", "add path p d:\"M 0 0 L x\"", "add text t", "add use u of:nothing", "add image i", "add image i file:./nope.png", "add line l", "add line l from:1,1", "add rect door below:nope size:5x5", "add circle c2 r:-4", "add circle c2 r:abc",
		"style card", "style card fill:blurple", "style card stroke-width:-3", "style card opacity:7", "style card text-anchor:centre", "style card filter:none2", "style card fill:url(#nope)", "style nothing fill:red", "style @type:rekt fill:red", "style card fil:red", "style card {fill:red}", "modify card", "modify card heigth:20", "modify card r:20", "modify ring width:20", "modify card id:ring", "modify card class:", "modify card width:abc",
		"move spot", "move spot nowhere", "move spot right 20", "move spot by:10", "move spot below:spot", "move legend in:logo", "resize card", "resize card 0x0", "resize card big", "resize axis 100x50", "rotate card", "rotate card lots", "scale card", "scale card 0", "skew card", "skew card 20", "skew card x:89.9999", "align card", "align left", "align card roof diagonal", "distribute card roof", "distribute card roof pool", "order card", "order card top", "order card above:nope",
		"group", "group spot as:card", "ungroup card", "ungroup", "reparent spot", "reparent spot in:card", "reparent logo in:logo", "layer", "layer create Notes", "layer hide Nots", "layer rename Notes", "layer frob Notes", "gradient", "gradient dusk", "gradient dawn", "gradient dawn stops:red", "gradient dawn stops:\"red, blurple\"", "gradient card stops:\"red, blue\"", "gradient dawn conic stops:\"red, blue\"", "pattern", "pattern weave", "pattern weave zigzag", "marker", "marker point blob", "filter", "filter mist fog", "clip", "clip hole", "mask fade", "class", "class loud fill:blurple", "class 9 fill:red", "class nope off card",
		"path", "path wave", "path wave frob", "path heading reverse", "path wave append", "path wave append XYZ", "path nope reverse", "path card reverse", "canvas", "canvas size:0x0", "canvas viewbox:1,2", "canvas ratio:odd", "canvas 800x600", "fit nothing", "fit padding:-9999", "title", "title nope Two words", "desc", "optimize all", "optimize precision:99", "bool union card", "bool merge card key", "bool union card heading", "bool intersect card roof", "outline heading", "outline card", "outline nope",
		"copy", "copy nope", "copy spot as:card", "copy spot by:1", "repeat spot", "repeat spot count:0", "repeat spot count:many", "repeat spot count:2", "text card \"x\"", "text heading", "text nope \"x\"",
	} {
		out = append(out, mistake{kind: abi.TryOp, text: text})
	}
	for _, h := range svgHabits() {
		out = append(out, mistake{kind: abi.TryOp, text: h[0], means: h[1]})
	}
	return out
}

var referred = regexp.MustCompile(`url\(["']?#([^)"']+)|^#(\S+)$`)

// lookAtDrawing returns the elements of an SVG file by id, or by position if they have none.
func lookAtDrawing(t testing.TB, _ func(string) string, saved []byte) map[string]element {
	type open struct {
		id   string
		kids map[string]int
	}
	out := map[string]element{}
	path := []*open{{"", map[string]int{}}}
	d := xml.NewDecoder(bytes.NewReader(saved))
	for {
		tok, err := d.Token()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		top := path[len(path)-1]
		switch tok := tok.(type) {
		case xml.StartElement:
			name := tok.Name.Local
			top.kids[name]++
			id := fmt.Sprintf("%s/%s%d", top.id, name, top.kids[name])
			e := element{parent: top.id, names: []string{"", name, "all", "not", "recent"}}
			for _, a := range tok.Attr {
				switch a.Name.Local {
				case "id":
					id, e.names[0] = a.Value, a.Value
				case "class", "label":
					e.names = append(e.names, strings.Fields(a.Value)...)
				}
				for _, m := range referred.FindAllStringSubmatch(a.Value, -1) {
					e.ends = append(e.ends, m[1]+m[2])
				}
				e.text += fmt.Sprintf(" %s=%q", a.Name.Local, a.Value)
				if name != "svg" && a.Name.Local != "id" {
					e.names = append(e.names, a.Value)
				}
			}
			switch name {
			case "svg":
				e.names = append(e.names, "canvas", "fit", "title", "optimize")
				e.always = true
			case "defs", "style", "title", "desc", "stop":
				e.names = append(e.names, "optimize", "class", "title", "desc")
				e.always = name == "defs" || name == "style"
			case "g":
				e.names = append(e.names, "layer", "group")
			}
			e.names = append(e.names, "optimize")
			out[id] = e
			order := out["order"]
			order.always, order.text = true, order.text+fmt.Sprintf(" %s<%s", id, top.id)
			out["order"] = order
			path = append(path, &open{id, map[string]int{}})
		case xml.EndElement:
			path = path[:len(path)-1]
		case xml.CharData:
			if e, ok := out[top.id]; ok && strings.TrimSpace(string(tok)) != "" {
				e.text += " " + strings.TrimSpace(string(tok))
				e.names = append(e.names, strings.TrimSpace(string(tok)))
				out[top.id] = e
			}
		}
	}
}
