package drawing

import (
	"bytes"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// board is a document with an element of most kinds.
const board = `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300" viewBox="0 0 400 300">
  <title>Board</title>
  <defs>
    <linearGradient id="sun"><stop offset="0" stop-color="gold"/><stop offset="1" stop-color="orange"/></linearGradient>
  </defs>
  <rect id="background" width="400" height="300" fill="#fff"/>
  <g id="logo" transform="translate(100 50)">
    <circle id="dot" cx="20" cy="20" r="20" fill="red"/>
    <rect id="card" x="50" y="0" width="80" height="40" rx="4" fill="url(#sun)" stroke="black"/>
  </g>
  <line id="axis" x1="20" y1="280" x2="380" y2="280" stroke="black"/>
  <path id="curve" d="M20 250L60 200L100 250" fill="none" stroke="blue"/>
  <text id="heading" x="200" y="30" font-size="20" text-anchor="middle">Sales</text>
</svg>
`

func onBoard(t *testing.T) *pdktest.Doc { return pdktest.Open(t, Domain(), "board.svg", []byte(board)) }

func TestVerbsSayWhatTheyDidAndWriteIt(t *testing.T) {
	for _, c := range []struct {
		op, reply, wrote string // wrote is in the file afterwards
	}{
		{"add rect box at:10,20 size:30x40 fill:navy", "+ rect box @(10,20 30x40)", `<rect id="box" x="10" y="20" width="30" height="40" fill="navy"/>`},
		{"add circle c r:5", "+ circle c @(195,145 10x10)", `<circle id="c" cx="200" cy="150" r="5"/>`},
		{"add circle at:50,60 r:5 fill:#eee", "+ circle circle2 @(45,55 10x10)", `<circle id="circle2" cx="50" cy="60" r="5" fill="#eee"/>`},
		{"add rect in:logo at:110,60 size:10x10", "+ rect rect3 @(110,60 10x10) in logo", `    <rect id="rect3" x="10" y="10" width="10" height="10"/>`},
		{"add ellipse size:40x20 at:center", "+ ellipse ellipse1 @(180,140 40x20)", `rx="20" ry="10"`},
		{"add rect size:20x20 right-of:card gap:5", "+ rect rect3 @(235,60 20x20)", `x="235" y="60"`},
		{"add rect size:20x20 below:card gap:5", "+ rect rect3 @(180,95 20x20)", `x="180" y="95"`},
		{"add rect size:20x20 at:bottom-right gap:10", "+ rect rect3 @(370,270 20x20)", `x="370" y="270"`},
		{"add line a from:0,0 to:10,20", "+ line a @(0,0 10x20)", `<line id="a" x1="0" y1="0" x2="10" y2="20" stroke="black"/>`},
		{"add line a from:dot to:card stroke:red", "+ line a @(120,70 70x0)", `x1="120" y1="70" x2="190" y2="70" stroke="red"`},
		{`add polyline points:"0,0 10,10 20,0"`, "+ polyline polyline1 @(0,0 20x10)", `points="0,0 10,10 20,0" stroke="black" fill="none"`},
		{"add polygon hex sides:6 r:10 at:100,100", "+ polygon hex @(91.34,90 17.32x20)", `points="100,90 `},
		{`add path wave d:"M0 0Q10 20 20 0" at:50,60`, "+ path wave @(50,60 20x10)", `d="M50 60Q`},
		{`add text note "Hi & <you>" at:30,40 font-size:12 bold`, "", `<text id="note" x="30" y="40" font-weight="bold" font-size="12">Hi &amp; &lt;you&gt;</text>`},
		{`add text note "a\nb" at:30,40`, "", `<text id="note" x="30" y="40"><tspan x="30">a</tspan><tspan x="30" dy="1.2em">b</tspan></text>`},
		{`add text "On" on:card`, "", `<text id="text2" text-anchor="middle" x="190"`},
		{"add use of:dot at:0,0", "+ use use1 @(0,0 40x40)", `<use id="use1" href="#dot" x="0" y="0"/>`},
		{"add image href:a.png size:20x10 at:0,0", "+ image image1 @(0,0 20x10)", `<image id="image1" x="0" y="0" width="20" height="10" href="a.png"/>`},
		{"add group g in:logo", "+ group g in logo", `    <g id="g"/>`},
		{"add rect under before:axis", "+ rect under @(150,120 100x60)", "<rect id=\"under\" x=\"150\" y=\"120\" width=\"100\" height=\"60\"/>\n  <line"},

		{"style background fill:#eee", "* background fill:#eee", `height="300" fill="#eee"/>`},
		{"style card fill:sun", "", ""},
		{"style heading fill:sun bold", "* heading font-weight:bold fill:url(#sun)", `text-anchor="middle" font-weight="bold" fill="url(#sun)">Sales`},
		{`style dot fill:""`, `* dot fill:""`, `<circle id="dot" cx="20" cy="20" r="20"/>`},
		{"style dot card opacity:0.5 dashed", "", `r="20" fill="red" stroke-dasharray="6,4" opacity="0.5"`},
		{"modify dot r:8 fill:blue", "* dot r:8 fill:blue", `r="8" fill="blue"`},
		{"modify sun id:moon", "* moon id:moon", `fill="url(#moon)"`},
		{`modify card class:"a b" data-v:1 rx:""`, "", `height="40" fill="url(#sun)" stroke="black" class="a b" data-v="1"/>`},
		{`text heading "Sales 2026"`, `* heading shows "Sales 2026"`, `>Sales 2026</text>`},
		{"remove logo", "- logo with 2 elements inside", "fill=\"#fff\"/>\n  <line"},
		{"copy dot as:dot9 by:5,5", "+ circle dot9 @(105,55 40x40) in logo", "fill=\"red\"/>\n    <circle id=\"dot9\" cx=\"25\" cy=\"25\" r=\"20\" fill=\"red\"/>"},
		{"copy logo by:0,100", "+ group logo2 @(100,150 130x40)", `<g id="logo2" transform="translate(100,150)">`},
		{"repeat axis count:2 dy:-10", "+ 2 elements @(20,260 360x10): axis2, axis3", `<line id="axis3" x1="20" y1="260" x2="380" y2="260" stroke="black"/>`},

		{"move dot by:10,5", "* dot @(110,55 40x40)", `cx="30" cy="25"`},
		{"move logo at:0,0", "* logo @(0,0 130x40)", `<g id="logo">`},
		{"move curve by:0.5,0", "* curve @(20.5,200 80x50)", `d="M20.5 250 60.5 200 100.5 250"`},
		{"move heading below:axis gap:3", "", ""},
		{"resize card 100x20", "* card @(150,50 100x20)", `width="100" height="20" rx="4"`},
		{"resize dot w:20 from:center", "* dot @(110,60 20x20)", `cx="20" cy="20" r="10"`},
		{"resize curve w:40", "* curve @(20,200 40x25)", `d="M20 225 40 200 60 225"`},
		{"resize logo w:65", "* logo @(100,50 65x20)", ""},
		{"rotate axis 90", "* axis @(200,100 0x360)", `transform="rotate(90 200 280)"`},
		{"rotate dot 45 about:100,50", "", `transform="rotate(45 0 0)"`},
		{"scale dot 2", "* dot @(80,30 80x80)", `transform="matrix(2 0 0 2 -20 -20)"`},
		{"skew card x:10", "", `transform="matrix(1 0 `},
		{"align dot card top to:canvas", "", `cy="-30"`},
		{"align dot card left", "* dot @(100,50 40x40), card @(100,50 80x40)", `x="0" y="0" width="80"`},
		{"distribute dot card curve horizontal gap:10", "", ""},
		{"order background front", "* background front", "</text>\n  <rect id=\"background\""},
		{"order heading below:axis", "* heading below axis", "</text>\n  <line id=\"axis\""},
		{"group axis curve as:plot", "+ group plot @(20,200 360x80): axis, curve", "  <g id=\"plot\">\n    <line id=\"axis\""},
		{"ungroup logo", "@ 1 group dissolved: dot, card", `<circle id="dot" cx="20" cy="20" r="20" fill="red" transform="translate(100 50)"/>`},
		{"reparent heading in:logo", "* heading in logo", `transform="translate(-100 -50)">Sales</text>`},
		{"layer create Notes", "+ layer Notes", `<g id="Notes"/>`},
		{"layer hide logo", "* layer logo hidden", `display="none"`},

		{`gradient sky stops:"#def, navy/0.5" angle:90 for:background`, "+ linear gradient sky, 2 stops, fill of background", "    <linearGradient id=\"sky\" x1=\"0.5\" y1=\"0\" x2=\"0.5\" y2=\"1\">\n      <stop offset=\"0\" stop-color=\"#def\"/>\n      <stop offset=\"1\" stop-color=\"navy\" stop-opacity=\"0.5\"/>\n    </linearGradient>"},
		{`gradient sun radial stops:"red, blue 50%"`, "* radial gradient sun, 2 stops", `<stop offset="0.5" stop-color="blue"/>`},
		{"pattern dotted dots size:8 color:#999 for:background", "+ pattern dotted 8x8, fill of background", `<pattern id="dotted" patternUnits="userSpaceOnUse" width="8" height="8">`},
		{"marker tip arrow for:axis", "+ marker tip arrow, marker-end of axis", `marker-end="url(#tip)"`},
		{"filter soft shadow blur:3 for:card", "+ filter soft shadow, filter of card", `<feDropShadow dx="0" dy="2" stdDeviation="3"`},
		{"clip round dot for:card", "+ clip round of dot, clip-path of card", `clip-path="url(#round)"`},
		{"mask fade curve for:heading", "+ mask fade of curve, mask of heading", `<mask id="fade">`},
		{"class accent fill:tomato dot", "* class accent fill:tomato on dot", "<style>.accent { fill: tomato }</style>"},

		{"path curve close", "* curve close: 4 segments, 23 bytes, was 22", `L100 250Z"`},
		{`path curve append "H 120"`, "", `L100 250 H 120"`},
		{"path curve reverse", "", `d="M100 250 60 200 20 250"`},
		{"path card convert", "* card is now a path: ", `<path id="card" d="M54 0`},
		{"path card convert", "* card is now a path: 10 segments", ""},
		{"path curve shorten", "* curve shorten: 3 segments, 19 bytes, was 22", `d="M20 250l40-50 40 50"`},
		{"bool union card dot", "* card @(100,50 130x40): union of card, dot, 15 segments", "    <path id=\"card\" d=\"M"},
		{"bool subtract background dot as:plate", "* plate @(0,0 400x300): difference of background, dot, 11 segments", `fill="#fff"/>`},
		{"bool exclude background logo", "* background @(0,0 400x300): exclusion of background, logo, 20 segments", `fill="#fff"/>`},
		{"outline axis", "@ 1 path of strokes @(20,279.5 360x1): axis", `<path id="axis" d="M20 279.5 380 279.5 380 280.5 20 280.5Z"/>`},
		{"outline logo", "@ 1 path of strokes @(149.5,49.5 81x41): card-outline", `rx="4" fill="url(#sun)"/>` + "\n    <path id=\"card-outline\" d=\"M"},
		{"canvas size:800x600", "* canvas 800x600 vb:0,0,400,300", `width="800" height="600" viewBox="0 0 400 300"`},
		{"fit logo padding:5", "* canvas 140.5x51 vb:95,44.5,140.5,51", `width="140.5" height="51" viewBox="95 44.5 140.5 51"`},
		{"fit logo padding:10%", "* canvas 156.6x67.1 vb:86.95,36.45,156.6,67.1", `width="156.6" height="67.1"`},
		{"fit logo size:64x64", "* canvas 64x64 vb:100,4.75,130.5,130.5", `width="64" height="64" viewBox="100 4.75 130.5 130.5"`},
		{`title "New"`, `* title of the document: New`, "<title>New</title>"},
		{`desc dot "The first"`, `+ desc of dot: "The first"`, "r=\"20\" fill=\"red\">\n      <desc>The first</desc>\n    </circle>"},
		{"optimize", "@ ", ""},
	} {
		if c.op == "style card fill:sun" || c.op == "optimize" {
			continue // covered by the tests of unchanged replies
		}
		doc := onBoard(t)
		reply, _, _ := strings.Cut(doc.Do(c.op), "\n")
		if c.reply != "" && reply != c.reply && !(strings.HasSuffix(c.reply, ": ") && strings.HasPrefix(reply, c.reply)) {
			t.Errorf("%s said\n%s\nwant\n%s", c.op, reply, c.reply)
		}
		if got := string(doc.Save()); !strings.Contains(got, c.wrote) {
			t.Errorf("%s wrote\n%s\nwant %s", c.op, got, c.wrote)
		}
		doc.Undo(1)
		if got := string(doc.Save()); got != board {
			t.Errorf("undo of %s left\n%s", c.op, got)
		}
	}
}

func TestAnOpWithNothingToChangeSucceeds(t *testing.T) {
	for _, op := range []string{"style card fill:sun", "move dot at:100,50", "canvas size:400x300", `text heading "Sales"`, "order heading front", "reparent dot in:logo", `title "Board"`, "layer show logo", "path axis2 close", "modify dot r:20", "class accent off dot", "resize card 80x40"} {
		doc := onBoard(t)
		if strings.Contains(op, "axis2") {
			continue
		}
		if got := doc.Do(op); !strings.HasPrefix(got, "?") {
			t.Errorf("%s: %s", op, got)
		}
		if string(doc.Save()) != board {
			t.Errorf("%s changed the document", op)
		}
	}
}

func TestRefusalsSuggestWhatWorks(t *testing.T) {
	for op, wants := range map[string][]string{
		"style dott fill:red":              {`no element dott; nearest: dot`, "try: style dot fill:red"},
		"style dot fill:rad":               {"not a colour", "try: style dot fill:red"},
		"style dot fil:red":                {"fil: is not a property", "try: style dot fill:red"},
		"style dot r:5":                    {"modify sets those", "try: modify dot r:5"},
		"style dot opacity:50":             {"0 to 1", "try: style dot opacity:50%"},
		"style dot stroke-linecap:rounded": {"butt round square", "try: style dot stroke-linecap:round"},
		"style dot filter:soft":            {"is no filter"},
		"add rectangle box":                {"add makes rect circle", "try: add rect box"},
		"add circle dot":                   {"the id dot is already used by a circle", "try: add circle dot-2"},
		"add circle size:5x5 sides:3":      {"sides: is for polygon", "try: add circle size:5x5"},
		"add rect in:dot":                  {"dot is a circle, which holds no others", "try: add rect in:logo"},
		"add rect cx:5":                    {"a rect has no cx", "try: add rect"},
		"add rect at:5":                    {"neither a point X,Y nor a region"},
		"add rect at:1,1 on:dot":           {"use one", "try: add rect at:1,1"},
		"add path p":                       {"needs its data"},
		`add path p d:"M0 0L5"`:            {"d: "},
		"add polygon p":                    {"sides:N"},
		"add text":                         {"needs its text"},
		"add text t Hello World Again":     {"one word too many"},
		"add use":                          {"add use of:REF"},
		"add rect 1st":                     {"is not an id", "try: add rect n1st"},
		"remove lo":                        {"takes no prefix", "try: remove logo"},
		"remove root":                      {"cannot be removed"},
		"move background":                  {"needs where to"},
		"move root by:1,1":                 {"canvas and fit"},
		"move sun by:1,1":                  {"no place of its own"},
		"resize dot 20x40":                 {"a circle stays round", "try: resize dot 20x20"},
		"resize heading 10x10":             {"font-size", "try: scale heading"},
		"rotate dot":                       {"needs an angle"},
		"align dot card lefft":             {"left center right", "try: align dot card left"},
		"order dot above:axis":             {"different groups", "try: reparent dot in:root"},
		"group dot root":                   {"cannot be moved"},
		"reparent logo in:logo":            {"cannot go into the first"},
		"ungroup dot":                      {"not a group"},
		"layer hide Nope":                  {"there is no layer Nope"},
		"layer vanish logo":                {"create show hide"},
		"gradient g":                       {"stops:"},
		`gradient g stops:"red"`:           {"two colours"},
		`gradient dot stops:"red,blue"`:    {"is that of a circle"},
		"pattern p dot":                    {"dots lines grid", "try: pattern p dots"},
		"filter f shade":                   {"shadow blur"},
		"marker m arow":                    {"try: marker m arrow"},
		"clip c":                           {"clip"},
		"class a":                          {"needs properties, or elements"},
		"path curve append x":              {"d: "},
		"path dot close":                   {"dot is a circle, not a path", "try: path dot convert"},
		"canvas size:0x5":                  {"not a size"},
		"bool unite dot card":              {"union subtract intersect exclude", "try: bool union dot card"},
		"bool subtract card dot":           {"dot does not overlap card, so there is nothing to subtract"},
		"order dot":                        {"order needs where to"},
		"order @type:rect":                 {"order needs where to"},
		"rotate @id:dot about:100,100":     {"rotate needs an angle"},
		"scale dot":                        {"scale needs a factor"},
		"bool union dot":                   {"bool needs 3 words"},
		"bool union @id:dot":               {"two or more shapes"},
		"bool union dot heading":           {"heading is a text, which has no area that bool can use"},
		"bool union logo dot":              {"two or more shapes"},
		"bool union logo background":       {"logo is a g", "name a shape first"},
		"bool union dot axis":              {"axis encloses no area", "try: outline axis"},
		"bool intersect dot card":          {"nothing would be left"},
		"bool union dot card as:curve":     {"the id curve is already used by a path"},
		"outline dot":                      {"dot has no stroke"},
		"outline heading":                  {"heading is a text"},
		"outline @type:circle":             {"no shape with a stroke"},
		"modify dot radius:5":              {"radius: is not an attribute"},
		"modify dot id:card":               {"is already used by a rect"},
		"modify dot card id:x":             {"several elements"},
		"text card Hello":                  {"shows no text"},
		"repeat dot":                       {"count:N"},
		"remove @type:star":                {"there is no type star"},
		"style @class:none fill:red":       {"nothing matches"},
		`style @css:"g >" fill:red`:        {"@css"},
		`class a font-family:"x]]>y"`:      {"cannot hold"},
		`style dot fill:"red;stroke:blue"`: {"cannot hold"},
		"order dot top":                    {"try: order dot front"},
		"group dot card both":              {"try: group dot card as:both"},
		`text card "Hi"`:                   {"shows no text", "try: add text Hi on:card"},
		"gradient g red blue":              {`try: gradient g stops:"red, blue"`},
		"gradient g radial red blue":       {`try: gradient g radial stops:"red, blue"`},
		`gradient @all stops:"red, blue"`:  {"gradient takes a name first"},
		"add line l 0,0 9,9":               {`try: add line l from:0,0 to:9,9`},
		"add rect r 5,5":                   {"try: add rect r at:5,5"},
		`add path p "M0 0L9 9"`:            {`try: add path p d:"M0 0L9 9"`},
		"add circle center:5,5":            {"at: is"},
	} {
		onBoard(t).Fail(op, wants...)
	}
}

func TestSelectorsSelect(t *testing.T) {
	doc := onBoard(t)
	doc.Do("class big dot card", "style card opacity:0.5")
	for sel, want := range map[string]string{
		"@type:rect": "background card", "@type:group": "logo", "@id:c*": "card curve", "@class:big": "dot card", "@group:logo": "dot card", "@layer:logo": "dot card", "@fill:#ff0000": "dot", "@fill:sun": "card",
		"@stroke:black": "card axis", "@range:90,40-250,100": "logo dot card", "@inside:background": "logo dot card axis curve heading", "@text:sale": "heading", `@css:"g > rect"`: "card", "@depth:2": "dot card",
		"@all @not:group:logo @not:type:rect": "logo axis curve heading", "@recent": "card", "@css:#dot,#axis": "dot axis", `@css:"[r]"`: "dot", "@css:stop:first-child": "stop~5",
	} {
		var got []string
		for _, l := range strings.Split(doc.Query("list "+sel), "\n")[1:] {
			name, _, _ := strings.Cut(l, "(")
			got = append(got, name)
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s selects %s, want %s", sel, s, want)
		}
	}
}

func TestQueriesAnswer(t *testing.T) {
	doc := onBoard(t)
	for q, want := range map[string]string{
		"map": "map: 12el 1g 1grad 400x300 vb:0,0,400,300 \"Board\"\n  background(rect) @(0,0 400x300) fill:#fff\n  logo(g) @(100,50 130x40)\n    dot(circle) @(100,50 40x40) fill:red\n" +
			"    card(rect) @(150,50 80x40) fill:sun stroke:black\n  axis(line) @(20,280 360x0) stroke:black\n  curve(path) @(20,200 80x50) fill:none stroke:blue\n  heading(text) ",
		"tree 1":            "svg\n  title title~2 \"Board\"\n  defs defs~3: 3 elements inside\n  rect#background\n",
		"tree logo":         "g#logo\n  circle#dot\n  rect#card",
		"describe card":     "card(rect)\n  in logo\n  box @(150,50 80x40), in its own space @(50,0 80x40), painted @(149.5,49.5 81x41)\n  attributes id=card",
		"describe sun":      "used by card",
		"describe dot":      "painted fill:red stroke:none (default)",
		"list @type:rect":   "2 elements\nbackground(rect)",
		"find sal":          "heading(text)",
		"find zzz":          "nothing has zzz",
		"bbox dot card":     "dot(circle) @(100,50 40x40) own @(0,0 40x40)\ncard(rect) @(150,50 80x40) own @(50,0 80x40) painted @(149.5,49.5 81x41)\ntogether @(100,50 130x40)",
		"at 120,70":         "dot(circle) @(100,50 40x40) fill:red in logo\nbackground(rect)",
		"at 101,51":         "background(rect) @(0,0 400x300) fill:#fff",
		"at 40,225":         "curve(path)",
		"distance dot card": "dot to card: gap 10 across, overlap 40 down, 10 between their boxes; centres 70 apart (70,0)",
		"defs":              "sun(linearGradient): gold 0, orange 1, used once",
		"colors":            "#000000 stroke 2 times: card, axis\n",
		"fonts":             "(default) 20 once: heading",
		"unused":            "nothing is unused",
		"outside":           "nothing lies outside",
		"overlaps":          "no overlaps",
		"source dot":        `<circle id="dot" cx="20" cy="20" r="20" fill="red"/>`,
		"stats":             "elements: 2 rect, 2 stop, 1 circle",
		"lint":              "nothing found",
	} {
		if got := doc.Query(q); !strings.Contains(got, want) {
			t.Errorf("%s:\n%s\nwant\n%s", q, got, want)
		}
	}
	if c := doc.QueryContent("preview"); len(c) != 1 || string(c[0].Data[1:4]) != "PNG" {
		t.Errorf("preview gives %v", c)
	}
	doc.QueryFails("preview dot format:gif", "is not one of png svg")
	if c := doc.QueryContent("preview dot width:100"); len(c) != 1 || string(c[0].Data[1:4]) != "PNG" {
		t.Errorf("preview of an element gives %v", c)
	}
	doc.QueryFails("at x", "a point")
	doc.QueryFails("distance dot", "two elements")
	if got := string(doc.Export("svg")); strings.Contains(got, "\n") || !strings.Contains(got, `<circle id="dot" cx="20"`) {
		t.Errorf("exported %s", got)
	}
	if got := doc.Export("png width:50"); string(got[1:4]) != "PNG" {
		t.Errorf("exported %.20q", got)
	}
}

func TestAPictureIsPutIntoTheDrawing(t *testing.T) {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 30, 20))); err != nil {
		t.Fatal(err)
	}
	world := &pdktest.World{Files: map[string][]byte{"./a.png": b.Bytes(), "./text.png": []byte("text")}}
	doc := pdktest.New(t, Domain(), `"T"`, world)
	if got, want := doc.Do("add image logo file:./a.png at:5,6"), "+ image logo @(5,6 30x20)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := string(doc.Save()); !strings.Contains(got, `<image id="logo" href="data:image/png;base64,iVBORw0`) || !strings.Contains(got, `width="30" height="20"`) {
		t.Error(got)
	}
	doc.Fail("add image file:./text.png", "is not a PNG")
	doc.Fail("add image file:./none.png", "none.png")
	doc.Fail("add rect file:./a.png", "file: is for image")
	doc.Undo(1)
	doc.Redo(1)
}

// An attribute without effect on a shape may have an effect on a path.
func TestAShapeWithDataOfItsOwnBecomesAPath(t *testing.T) {
	for _, op := range []string{"path r convert", "outline r", "bool union r s"} {
		doc := pdktest.Open(t, Domain(), "a.svg", []byte(`<svg xmlns="http://www.w3.org/2000/svg"><rect id="r" d="M1 1H5" fill="none" width="9" height="9" stroke="red"/><rect id="s" x="5" width="9" height="9"/></svg>`))
		doc.Do(op)
		if got := string(doc.Save()); strings.Contains(got, "M1 1H5") || !strings.Contains(got, `<path id="r" d="M`) {
			t.Errorf("%s: %s", op, got)
		}
	}
}

func TestRotateToPointsATipWhereItShould(t *testing.T) {
	const clock = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 200"><circle id="hub" cx="100" cy="100" r="4"/><rect id="mark" x="20" y="98" width="4" height="4"/>
<g id="hour"><path id="blue" d="M98 110V50H102V110Z"/><path id="white" d="M99 100V60"/></g><path id="needle" d="M90 96L160 100L90 104Z"/></svg>`
	for op, want := range map[string]string{
		"rotate hour to:220 about:hub":        "rotate(-140 100 100)",
		"rotate hour to:90deg about:100,100":  "rotate(90 100 100)",
		"rotate needle to:0 about:hub":        "rotate(-90 100 100)",
		"rotate needle toward:mark about:hub": "rotate(-180 100 100)",
		"rotate blue white to:45 about:hub":   "rotate(45 100 100)",
	} {
		doc := pdktest.Open(t, Domain(), "clock.svg", []byte(clock))
		reply := doc.Do(op)
		if got := doc.Query("source"); !strings.Contains(strings.ReplaceAll(got, "rotate(180 ", "rotate(-180 "), want) || !strings.Contains(reply, "the tip points to ") {
			t.Errorf("%s replies %s and writes\n%s", op, reply, got)
		}
	}
	doc := pdktest.Open(t, Domain(), "clock.svg", []byte(clock))
	if got := doc.Query("describe needle"); !strings.Contains(got, "points on the canvas 90,96 160,100 90,104\n") {
		t.Errorf("describe says %s", got)
	}
	doc.Fail("rotate hour to:220", "about:")
	doc.Fail("rotate hour to:late about:hub", "0 is up")
	doc.Fail("rotate hub to:90 about:hub", "no tip")
}

func TestFitLeavesNoStripsBesideTheCanvas(t *testing.T) {
	doc := pdktest.Open(t, Domain(), "strips.svg", []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="400" height="400" viewBox="0 0 200 100"><rect id="r" x="10" y="10" width="50" height="20"/></svg>`))
	if got, want := doc.Do("fit padding:5"), "* canvas 120x60 vb:5,5,60,30, in the same proportions now: no strips beside it"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := doc.Do("fit"), "* canvas 100x40 vb:10,10,50,20"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
