package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// startSVG starts a server with the svg plugin and returns it with its working folder.
func startSVG(t *testing.T, args ...string) (*client, string) {
	t.Helper()
	dir := t.TempDir()
	return serveProcess(t, dir, append([]string{"--plugin", testwasm.Build(t, "plugins/svg")}, args...)...), dir
}

// emblem is a file from another program.
const emblem = `<?xml version="1.0"?>
<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300" odd="kept">
    <!-- kept -->
    <defs><linearGradient id='sun'><stop offset="0" stop-color="gold"/><stop offset="1" stop-color="orange"/></linearGradient></defs>
    <rect id='background' width="400" height="300" style="fill: white"/>
    <g id="logo" transform="translate(100,50)">
        <circle id="ring" cx="20" cy="20" r="20"/>
        <rect id="card" x="50" width="80" height="40" fill="url(#sun)"/>
    </g>
    <path id="curve" d="M20 250L60 200L100 250" fill="none" stroke="blue"/>
    <text id="heading" x="200" y="30">Sales</text>
</svg>
`

func TestSVGIsEditedWithItsOwnAndTheUnifiedTools(t *testing.T) {
	for _, surface := range []struct {
		name                          string
		session, edit, query, help, d string
		args                          []string
	}{
		{"own tools", "svg_session", "svg", "svg_query", "svg_help", "", nil},
		{"unified", "fcp_session", "fcp_edit", "fcp_query", "fcp_help", "svg ", []string{"--unified"}},
	} {
		t.Run(surface.name, func(t *testing.T) {
			c, dir := startSVG(t, surface.args...)
			put(t, dir, "document.svg", emblem)
			say := func(want, tool string, args map[string]any) {
				t.Helper()
				if got := c.must(tool, args); !strings.Contains(got, want) {
					t.Errorf("%s %v: %s\nwant %q", tool, args, got, want)
				}
			}
			say(`+ new svg document`, surface.session, map[string]any{"action": "new " + surface.d + `"Fresh"`})
			say("add rect|circle|ellipse", surface.help, map[string]any{})
			say("map: 1el 0g 300x150", surface.query, map[string]any{"q": "map"})
			say("document.svg", surface.session, map[string]any{"action": "open ./document.svg"})
			say("logo(g) @(100,50 130x40)", surface.query, map[string]any{"q": "map"})
			say("logo(g)", surface.query, map[string]any{"q": "describe logo"})
			say("+ circle dot @(160,65 10x10) in logo\n* background fill:#eee", surface.edit, map[string]any{"ops": []string{"add circle id:dot r:5 fill:red in:logo", "style background fill:#eee"}})
			say("saved", surface.session, map[string]any{"action": "save as:./document.v2.svg"})
			want := strings.NewReplacer("fill: white", "fill: #eee", "fill=\"url(#sun)\"/>\n", "fill=\"url(#sun)\"/>\n        <circle id=\"dot\" cx=\"65\" cy=\"20\" r=\"5\" fill=\"red\"/>\n").Replace(emblem)
			if got := c.file(dir, "document.v2.svg"); got != want {
				t.Errorf("saved\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// svgScript uses every verb of svg at least once: the op, its reply, and what it leaves in the file.
var svgScript = []struct{ op, reply, saved string }{
	{`title "Emblem"`, "+ title of the document: Emblem", "<title>Emblem</title>"},
	{`desc ring "A ring"`, "+ desc of ring", "<desc>A ring</desc>"},
	{"add circle dot r:5 fill:red in:logo", "+ circle dot @(", `r="5" fill="red"/>`},
	{"style dot card opacity:0.5 stroke:navy", "* dot, card opacity:0.5 stroke:navy", `opacity="0.5" stroke="navy"`},
	{"modify dot r:8 class:small", "* dot r:8 class:small", `r="8" fill="red"`},
	{`text heading "Sales 2026"`, `* heading shows "Sales 2026"`, ">Sales 2026<"},
	{"copy dot as:spot by:30,0", "+ circle spot @(", `id="spot"`},
	{"repeat spot count:2 dx:10", "+ 2 elements @(", `id="spot3"`},
	{"remove spot3", "- spot3", ""},
	{"move dot by:5,5", "* dot @(", ""},
	{"resize card 100x20", "* card @(150,50 100x20)", `width="100" height="20"`},
	{"rotate card 10", "* card @(", `transform="rotate(10 `},
	{"scale spot 2", "* spot @(", `transform="matrix(2 `},
	{"skew curve x:10", "* curve @(", "matrix(1 0 "},
	{"align dot ring left", "* dot @(", ""},
	{"distribute ring dot card horizontal gap:4", "@ 3 elements horizontal", ""},
	{"order heading back", "* heading back", ""},
	{"group curve heading as:plot", "+ group plot @(", `<g id="plot">`},
	{"reparent spot in:plot", "* spot in plot", ""},
	{"ungroup plot", "@ 1 group dissolved: heading, curve, spot", ""},
	{"layer create Notes", "+ layer Notes", `<g id="Notes"/>`},
	{"layer hide Notes", "* layer Notes hidden", `display="none"`},
	{`gradient sky stops:"#def, navy" angle:90 for:background`, "+ linear gradient sky, 2 stops, fill of background", "fill: url(#sky)"},
	{"pattern dotted dots for:card", "+ pattern dotted 10x10, fill of card", `fill="url(#dotted)"`},
	{"marker tip arrow for:curve", "+ marker tip arrow, marker-end of curve", `marker-end="url(#tip)"`},
	{"filter soft shadow for:card", "+ filter soft shadow, filter of card", "<feDropShadow "},
	{"clip round dot for:card", "+ clip round of dot, clip-path of card", `clip-path="url(#round)"`},
	{"mask fade spot for:heading", "+ mask fade of spot, mask of heading", `mask="url(#fade)"`},
	{"class accent fill:tomato ring", "* class accent fill:tomato on ring", ".accent { fill: tomato }"},
	{"path curve close", "* curve close: 4 segments", `100 250Z"`},
	{"path curve shorten", "* curve shorten: 4 segments", "z"},
	{"add rect hole at:20,60 size:30x60 in:logo", "+ rect hole @(20,60 30x60)", `id="hole"`},
	{"bool subtract background hole as:board", "* board @(0,0 400x300): difference of background, hole", `<path id="board" d="M0 0`},
	{"add line bar from:10,10 to:60,10 stroke-width:4", "+ line bar @(", ""},
	{"outline bar", "@ 1 path of strokes @(10,8 50x4): bar", `<path id="bar" d="M10 8 60 8 60 12 10 12Z"/>`},
	{"canvas size:800x600 viewbox:0,0,400,300", "* canvas 800x600 vb:0,0,400,300", `width="800" height="600"`},
	{"fit logo padding:10", "* canvas ", "viewBox="},
	{"optimize", "@ ", ""},
	{"add image pic file:./pic.png at:0,0", "+ image pic @(0,0 3x2)", `<image id="pic" href="data:image/png;base64,iVBOR`},
	{"add image icon file:./icon.svg at:10,10 size:48x48", "+ svg icon @(-8,-8 36x36)", `<svg xmlns="http://www.w3.org/2000/svg" width="48" height="48" id="icon" viewBox="0 0 24 24" x="10" y="10"><!-- whole --><circle id='ring2' r="9"/><use href="#ring2"/></svg>`},
}

func TestEveryVerbOfSVGWorksIsSavedAndIsUndone(t *testing.T) {
	c, dir := startSVG(t)
	put(t, dir, "a.svg", emblem)
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 3, 2))); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "pic.png", picture.String())
	put(t, dir, "icon.svg", `<svg xmlns="http://www.w3.org/2000/svg" width="24" height="24"><!-- whole --><circle id='ring' r="9"/><use href="#ring"/></svg>`)
	c.session("svg", "open ./a.svg")
	text, _ := c.call("svg", map[string]any{"ops": []string{"frobnicate"}})
	m := regexp.MustCompile(`the verbs are (.*)`).FindStringSubmatch(text)
	if m == nil {
		t.Fatal(text)
	}
	missing := map[string]bool{}
	for _, v := range strings.Fields(m[1]) {
		missing[v] = true
	}
	saves := []string{c.saveSVG(dir)}
	if saves[0] != emblem {
		t.Fatal("a file that nothing was done to is saved differently")
	}
	for _, s := range svgScript {
		verb, _, _ := strings.Cut(s.op, " ")
		delete(missing, verb)
		reply, failed := c.call("svg", map[string]any{"ops": []string{s.op}})
		if failed || !strings.Contains(reply, s.reply) {
			t.Fatalf("%s: %s\nwant %q in it", s.op, reply, s.reply)
		}
		now := c.saveSVG(dir)
		if !strings.Contains(now, s.saved) {
			t.Errorf("%s: no %s in\n%s", s.op, s.saved, now)
		}
		if !strings.Contains(now, `odd="kept"`) || !strings.Contains(now, "<!-- kept -->") {
			t.Errorf("%s lost what others put there", s.op)
		}
		saves = append(saves, now)
	}
	for v := range missing {
		t.Errorf("%s is not tried here", v)
	}
	for i := len(saves) - 2; i >= 0; i-- {
		c.session("svg", "undo")
		if got := c.saveSVG(dir); got != saves[i] {
			t.Fatalf("undo of %s left\n%s\nwant\n%s", svgScript[i].op, got, saves[i])
		}
	}
	for i := range svgScript {
		c.session("svg", "redo")
		if got := c.saveSVG(dir); got != saves[i+1] {
			t.Fatalf("redo of %s gave\n%s\nwant\n%s", svgScript[i].op, got, saves[i+1])
		}
	}
}

// saveSVG saves the document to a new file and returns its bytes.
func (c *client) saveSVG(dir string) string {
	c.t.Helper()
	os.Remove(filepath.Join(dir, "s.svg"))
	c.session("svg", "save as:./s.svg")
	return c.file(dir, "s.svg")
}

func TestQueriesAndSelectorsOfSVGAnswer(t *testing.T) {
	c, dir := startSVG(t)
	put(t, dir, "a.svg", emblem)
	c.session("svg", "open ./a.svg")
	for q, want := range map[string]string{
		"map": "ring(circle) @(100,50 40x40)", "tree 1": "rect#background", "describe card": "painted fill:url(#sun)", "list @type:rect": "2 elements", "find sal": "heading(text)", "bbox card": "card(rect) @(150,50 80x40) own @(50,0 80x40)",
		"at 120,70": "ring(circle)", "distance ring card": "gap 10 across", "overlaps": "no overlaps", "outside": "nothing lies outside", "defs": "sun(linearGradient): gold 0, orange 1, used once", "colors": "#0000ff stroke once: curve",
		"fonts": "(default) 16 once: heading", "unused": "nothing is unused", "source ring": `<circle id="ring" cx="20" cy="20" r="20"/>`, "stats": "2 rect", "lint": "no title", "preview": "preview of the canvas",
		"list @id:c*": "curve(path)", "list @class:x": "nothing", "list @layer:logo": "ring(circle)", "list @group:logo": "card(rect)", "list @fill:sun": "card(rect)", "list @stroke:blue": "curve(path)", "list @range:90,40-240,100": "logo(g)",
		"list @inside:logo": "ring(circle)", "list @text:sales": "heading(text)", `list @css:"g > rect"`: "1 element\ncard(rect)", "list @depth:2": "ring(circle)",
	} {
		if got := c.must("svg_query", map[string]any{"q": q}); !strings.Contains(got, want) {
			t.Errorf("%s: %s\nwant %q", q, got, want)
		}
	}
	c.session("svg", "export svg as:./small.svg")
	c.session("svg", "export png as:./a.png")
	if got := c.file(dir, "small.svg"); strings.Contains(got, "\n") || strings.Contains(got, "kept -->") {
		t.Errorf("exported %s", got)
	}
}

// spoiled is a file with problems that a reader should hear of, and elements that an op can damage.
const spoiled = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 100">
  <linearGradient id="sky"><stop stop-color="navy"/></linearGradient>
  <script>go()</script>
  <rect id="plate" width="200" height="100" fill="url(#sky)"/>
  <rect id="card" x="50" y="20" width="100" height="40" fill="#fff"/>
  <circle id="dot" cx="20" cy="20" r="5" fill="red"/>
  <text id="name" x="100" y="45" font-size="16" text-anchor="middle">Acme</text>
  <g id="twin"/><g id="twin"/><use id="lost" href="#gone"/>
</svg>
`

func TestSVGWarnsInTheReplyOfWhatAnOpSpoils(t *testing.T) {
	c, dir := startSVG(t)
	put(t, dir, "a.svg", spoiled)
	if got := c.session("svg", "open ./a.svg"); !strings.Contains(got, "? svg| 1 script: kept, never run here") {
		t.Errorf("opened: %s", got)
	}
	for _, q := range []string{"map", "lint"} {
		got := c.must("svg_query", map[string]any{"q": q})
		for _, want := range []string{"several elements have the id twin", "lost refers to #gone, which does not exist", "1 script"} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %s\nwant %q", q, got, want)
			}
		}
	}
	if got := c.must("svg_query", map[string]any{"q": "lint"}); !strings.Contains(got, "no title") {
		t.Errorf("lint: %s", got)
	}
	put(t, dir, "big.png", string(append([]byte("\x89PNG\r\n\x1a\n"), make([]byte, 250_000)...)))
	for op, want := range map[string]string{
		"move dot by:900,0":             "? svg| 1 element outside the canvas: dot",
		"modify dot r:0":                "? svg| 1 element without size: dot",
		"style dot no-fill":             "? svg| 1 element that paint nothing: dot",
		"style card fill:#222":          "? svg| 1 text with weak contrast (below 4.5) to what is beneath: name (1.31)",
		`text name "Acme Incorporated"`: "? svg| 1 text wider than what is beneath: name (about 137, card has 100)",
		"remove sky":                    "? svg| plate refers to #sky, which does not exist",
		"add image i href:https://example.org/a.png size:5x5": "? svg| 1 link to something outside, which is never loaded here: https://example.org/a.png",
		"add image i file:./big.png size:5x5":                 "? svg| 1 embedded picture of more than 200 KB",
	} {
		got := c.must("svg", map[string]any{"ops": []string{op}})
		if !strings.Contains(got, want) || strings.Count(got, "\n! ")+strings.Count(got, "? svg| 1") > 3 {
			t.Errorf("%s: %s\nwant %q", op, got, want)
		}
		c.session("svg", "undo")
		if again := c.must("svg", map[string]any{"ops": []string{"title x"}}); strings.Contains(again, "? ") {
			t.Errorf("undone, and then: %s", again)
		}
		c.session("svg", "undo")
	}
}

func TestTheCardOfSVGIsWhole(t *testing.T) {
	c, _ := startSVG(t)
	var list json.RawMessage
	c.request("tools/list", map[string]any{}, &list)
	var all any
	if err := json.Unmarshal(list, &all); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprint(all)
	for _, want := range []string{"add rect|circle", "title desc optimize", "@depth:N", "Regions: top-left", "preview [REF...|SEL]", "A REF is an id"} {
		if !strings.Contains(text, want) {
			t.Errorf("the card lacks %q", want)
		}
	}
}
