package drawing

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// safeInputs are small files of a kind that edits have damaged.
var safeInputs = map[string]string{
	"star": `<svg xmlns="http://www.w3.org/2000/svg" xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape" xmlns:sodipodi="http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd" viewBox="0 0 100 100">
  <path id="star" sodipodi:type="star" inkscape:flatsided="true" sodipodi:sides="4" sodipodi:cx="30" sodipodi:cy="30" sodipodi:r1="20" sodipodi:r2="14" sodipodi:arg1="0" sodipodi:arg2="0.785" inkscape:rounded="0" d="M 50,30 30,50 10,30 30,10 Z"/>
  <path id="arc" sodipodi:type="arc" sodipodi:cx="70" sodipodi:cy="70" sodipodi:rx="15" sodipodi:ry="15" sodipodi:start="0" sodipodi:end="3.1416" d="m 85,70 a 15,15 0 0 1 -15,15 15,15 0 0 1 -15,-15"/>
  <path id="lpe" inkscape:path-effect="#e" inkscape:original-d="M 0,0 H 10" d="M 0,0 H 10 V 10"/>
  <rect id="r" x="20" y="20" width="60" height="10"/>
</svg>`,
	"mask":   `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 60"><mask id="m"><rect id="cover" width="120" height="60" fill="white"/><circle r="4" class="hole"/></mask><clipPath id="c"><rect width="9" height="9" fill="white"/></clipPath><rect id="page" width="120" height="60" fill="white"/><circle id="dot" cx="60" cy="30" r="20" fill="#e4572e" mask="url(#m)"/></svg>`,
	"anim":   `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><style>@keyframes spin{to{transform:rotate(360deg)}} .spin{animation:spin 1s linear}</style><circle id="dot" class="spin" cx="20" cy="50" r="8"><animate attributeName="cx" values="20;80;20" dur="1s"/></circle><rect id="r" width="20" height="20"><set attributeName="fill" to="red" begin="dot.click; dot.end + 1s; 2s"/></rect><g aria-labelledby="dot r"/></svg>`,
	"sheet":  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><style>g > #hero, .a { fill: #abc } #hero { stroke: red } #hero:hover { fill: blue }</style><g><rect id="hero" width="40" height="40"/></g><use href="#hero" style="mask:url(#hero)"/><rect id="abc" fill="#abc"/></svg>`,
	"states": `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><style>#hero{fill:red} @media (width&gt;=9px){#hero &gt; .x, [id='hero']{fill:blue}} rect:not(#hero):hover{fill:green} @keyframes k{to{fill:url(#hero)}}</style><rect id="hero" width="9" height="9"/><rect id="odd.1" width="5" height="5"/><script>hero.onclick</script></svg>`,
	"moves":  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><g id="g" color="green" clip-rule="evenodd" font-size="20" fill="red"><clipPath id="c"><path d="M0 0h9v9h-9z"/></clipPath><linearGradient id="l"><stop stop-color="currentColor"/></linearGradient><circle id="dot" r="9" stroke-dasharray="2em 1em"/></g><svg id="in" x="50" y="50" width="50" height="40"><rect id="share" width="50%" height="50%" rx="1%"/></svg><switch id="sw"><rect id="one" width="1" height="1"/><rect id="two" width="1" height="1"/></switch></svg>`,
	"shared": `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><linearGradient id="g"><stop/></linearGradient><rect id="a" width="9" height="9" fill="url(#g)"/><rect id="b" class="hot" width="9" height="9" fill="url(#g)"/><rect id="c" width="9" height="9"/></svg>`,
	"places": `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><style>rect:last-child{fill:red} rect + circle{fill:blue} g > :not(:first-child){stroke:green}</style><g id="g"><rect id="r" width="9" height="9"/><circle id="c" r="9"/><rect id="q" width="9" height="9"/></g></svg>`,
	"texts":  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 200"><text id="t1" x="20" y="30">Sales <tspan id="b" font-weight="bold">rise</tspan> by 5 %</text><text id="t2" x="20" y="60"><tspan x="20" dy="0" class="l">Line one</tspan><tspan x="20" dy="14" class="l">Line two</tspan></text><text id="t4"><textPath href="#arc">round the bend</textPath><animate attributeName="x"/></text><text id="ink" x="5" y="9"><tspan sodipodi:role="line" id="l1" x="5" y="9" style="font-size:10px">Hello</tspan></text><path id="arc" d="M150 150H270"/></svg>`,
	"figma":  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 120 120"><rect id="r" width="100" height="60" fill="url(#p)"/><linearGradient id="p" x1="60" y1="10" x2="60" y2="70" gradientUnits="userSpaceOnUse" gradientTransform="rotate(3)" xlink:href="#q"><stop stop-color="#7B61FF"/><stop offset="1" stop-color="#7B61FF" stop-opacity="0"/></linearGradient></svg>`,
	"shadow": `<svg xmlns="http://www.w3.org/2000/svg" width="120" height="120" viewBox="0 0 120 120"><filter id="f" x="-1" y="-1" width="3" height="3"><feDropShadow dx="14" dy="14" stdDeviation="2" flood-color="red"/></filter><rect id="r" x="30" y="30" width="40" height="40" filter="url(#f)"/></svg>`,
	"origin": `<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100"><style>.o{transform-origin:center}</style><circle id="dot" class="o" cx="20" cy="30" r="8"/></svg>`,
	"three":  `<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100"><rect id="a" x="10" y="10" width="10" height="10"/><rect id="b" x="30" y="50" width="20" height="10"/></svg>`,
}

func TestAnEditDoesNotDamageWhatItDidNotName(t *testing.T) {
	for _, c := range []struct{ file, op, says, wrote, lost string }{
		{"star", "move star by:5,-10", "@(15,0 40x40)", `sodipodi:cx="35" sodipodi:cy="20"`, ""},
		{"star", "resize star 20x20 from:center", "@(20,20 20x20)", `sodipodi:r1="10" sodipodi:r2="7"`, ""},
		{"star", "resize star 20x40", "? star is a plain path now, no longer a star of Inkscape", "", `id="star" sodipodi:type`},
		{"star", "resize arc 60x15", "", `sodipodi:rx="30" sodipodi:ry="15"`, ""},
		{"star", "bool union star r", "? star is a plain path now", "", "sodipodi:sides"},
		{"star", `path star append "M60 60h30v30z"`, "? star is a plain path now", "", "sodipodi:sides"},
		{"star", "path star round 2", "", "sodipodi:sides", ""},
		{"star", "move lpe by:3,4", "", `transform="translate(3,4)"`, ""},
		{"star", `modify lpe d:"M 0,0 H 5"`, "? lpe is a plain path now, no longer a live effect of Inkscape", "", "original-d"},

		{"mask", "style @fill:white fill:black", "* page fill:black", `<rect id="cover" width="120" height="60" fill="white"/>`, ""},
		{"mask", "remove @type:circle", "- dot", `<circle r="4" class="hole"/></mask>`, ""},
		{"mask", "move @type:rect by:0,5", "* page", `<clipPath id="c"><rect width="9" height="9" fill="white"/>`, ""},
		{"mask", "style @group:m fill:black", "* cover, circle~4 fill:black", "", ""},
		{"mask", "style @group:m @type:rect fill:black", "* cover fill:black", "", ""},
		{"mask", "style @id:cov* fill:black", "* cover fill:black", "", ""},

		{"anim", "move dot by:10,0", "? cx of dot is animated (20;80;20): the animation wins", "", ""},
		{"anim", "move dot by:0,10", "* dot", "", "animation wins"},
		{"anim", "rotate dot 10", "? transform of dot is animated (spin)", "", ""},
		{"anim", "style r fill:blue", "? fill of r is animated (red)", "", ""},
		{"anim", "path dot convert", "? the animation of cx of dot (20;80;20) does nothing to a path", "", ""},
		{"anim", "modify dot id:ball", "? what referred to dot follows: set~6, g~7", `begin="ball.click; ball.end + 1s; 2s"`, ""},
		{"anim", "modify r id:box", "", `aria-labelledby="dot box"`, ""},

		{"sheet", "modify hero id:star", "? what referred to hero follows: use~5, style~2", `g > #star, .a { fill: #abc } #star { stroke: red } #star:hover { fill: blue }</style><g><rect id="star" width="40" height="40"/></g><use href="#star" style="mask:url(#star)"/>`, ""},
		{"sheet", "modify abc id:x", "* x id:x", `fill="#abc"/>`, "follows"},
		{"sheet", "copy hero as:two", "? rules for ids hold for the copies as well: style~2", `g > #hero, g > #two, .a { fill: #abc } #hero, #two { stroke: red } #hero:hover, #two:hover { fill: blue }</style><g><rect id="hero" width="40" height="40"/><rect id="two" width="40" height="40"/>`, ""},
		{"states", "modify hero id:star", "? scripts are left alone, and may mean hero: script~5", `<style>#star{fill:red} @media (width&gt;=9px){#star &gt; .x, [id='star']{fill:blue}} rect:not(#star):hover{fill:green} @keyframes k{to{fill:url(#star)}}</style>`, ""},
		{"states", "copy hero as:two", "? rules for ids hold for the copies as well: style~2", `<style>#hero, #two{fill:red} @media (width&gt;=9px){#hero &gt; .x, #two > .x, [id='hero'], [id='two']{fill:blue}} rect:not(#hero):not(#two):hover{fill:green} @keyframes k{to{fill:url(#hero)}}</style>`, "style="},
		{"states", "repeat hero count:2 dx:10", "hero2, hero3", `<style>#hero, #hero2, #hero3{fill:red}`, "style="},
		{"states", "class .x fill:gold", "", `to{fill:url(#hero)}} .x { fill: gold }</style>`, ""},

		{"shared", `gradient g stops:"red, blue" for:a`, "? g is used by others as well: b", "", ""},
		{"shared", `gradient g stops:"red, blue" for:a,b`, "* linear gradient g 2 stops, fill of a, b", "", "as well"},
		{"shared", "class hot fill:red c", "? class hot is that of others as well: b", "", ""},
		{"shared", "class hot fill:red", "* class hot fill:red", "", "as well"},
		{"shared", "filter new shadow for:a", "+ filter new", "", "as well"},

		{"places", "remove r", "? rules for a place among others, such as :first-child, now hold otherwise for c", "", ""},
		{"places", "add rect n in:g", "? rules for a place among others, such as :first-child, now hold otherwise for q", "", ""},
		{"places", "copy q as:q2", "otherwise for q", "", "for q, q2"},
		{"places", "order q back", "otherwise for r", "", "for q"},
		{"places", "move r by:1,1", "* r", "", "otherwise"},

		{"moves", "ungroup g", "dissolved: dot", `<clipPath id="c" clip-rule="evenodd"><path d="M0 0h9v9h-9z"/></clipPath><linearGradient id="l" color="green"><stop stop-color="currentColor"/></linearGradient><circle id="dot" r="9" stroke-dasharray="2em 1em"`, ""},
		{"moves", "ungroup g", "", `font-size="20"`, ""},
		{"moves", "reparent share in:root", "? no longer under in's overflow:hidden: share", `<rect id="share" width="25" height="20" rx="0.5"`, "%"},
		{"moves", "reparent two in:root", "? no longer under sw's choice of one: two", "", ""},

		{"texts", `text t4 "new words"`, "", `<textPath href="#arc">new words</textPath><animate attributeName="x"/>`, "?"},
		{"texts", `text t4 "a\nb"`, "? textPath~8 has one line", `<textPath href="#arc">a b</textPath>`, ""},
		{"texts", `text t1 "Sales rise by 7 %"`, "* t1", `<tspan id="b" font-weight="bold">rise</tspan> by 7 %`, "?"},
		{"texts", `text t1 "Costs fall"`, `? b "rise" is gone`, `y="30">Costs fall</text>`, ""},
		{"texts", `text t2 "one\ntwo\nthree"`, "", `<tspan x="20" dy="0" class="l">one</tspan><tspan x="20" dy="14" class="l">two</tspan><tspan x="20" dy="14" class="l">three</tspan>`, "1.2em"},
		{"texts", `text t2 "one"`, "", `<tspan x="20" dy="0" class="l">one</tspan></text>`, ""},
		{"texts", `text ink "a\nb"`, "", `<tspan sodipodi:role="line" id="l1" x="5" y="9" style="font-size:10px">a</tspan><tspan sodipodi:role="line" x="5" y="21" style="font-size:10px">b</tspan>`, ""},

		{"figma", `gradient p stops:"#222, #444/0"`, "* linear gradient p 2 stops", `x1="60" y1="10" x2="60" y2="70" gradientUnits="userSpaceOnUse" gradientTransform="rotate(3)" xlink:href="#q"><stop offset="0" stop-color="#222"/><stop offset="1" stop-color="#444" stop-opacity="0"/></linear`, ""},
		{"figma", `gradient p angle:0`, "* linear gradient p", `x1="0" y1="0.5" x2="1" y2="0.5" xlink:href="#q"><stop stop-color="#7B61FF"/>`, "gradientTransform"},
		{"figma", `gradient p radial stops:"red, blue"`, "? p was a linear gradient: its direction and units are gone", "", ""},

		{"shadow", "fit", "vb:30,30,60,60", `viewBox="30 30 60 60"`, ""},

		{"origin", "scale svg 1,-1", "* dot @(12,62 16x16)", `transform="scale(1 -1)"`, ""},
		{"origin", "rotate dot 90 about:50,50", "* dot @(62,12 16x16)", "", ""},
		{"three", "scale a b 2", "a @(-10,-15 20x20), b @(30,65 40x20)", `transform=`, ""},
		{"three", "scale a b 2 each", "a @(5,5 20x20), b @(20,45 40x20)", "", ""},
		{"three", "scale svg 1,-1", "a @(10,80 10x10), b @(30,40 20x10)", "", ""},
		{"three", "scale a 2 about:center", "a @(-30,-30 20x20)", "", ""},
		{"three", "rotate a b 180", "a @(40,50 10x10), b @(10,10 20x10)", "", ""},
		{"three", "resize a b 80x100", "a @(10,10 20x20), b @(50,90 40x20)", "", ""},
		{"three", "resize a b 8x9 each", "a @(10,10 8x9), b @(30,50 8x9)", "", ""},
	} {
		doc := pdktest.Open(t, Domain(), c.file+".svg", []byte(safeInputs[c.file]))
		said := doc.Do(c.op)
		if got := string(doc.Save()); !strings.Contains(said, c.says) || !strings.Contains(got, c.wrote) || c.lost != "" && strings.Contains(said+got, c.lost) {
			t.Errorf("%s on %s said\n%s\nwant %s, and wrote\n%s\nwant %s without %s", c.op, c.file, said, c.says, got, c.wrote, c.lost)
		}
	}
}

func TestAnimationsAreListed(t *testing.T) {
	doc := pdktest.Open(t, Domain(), "a.svg", []byte(safeInputs["anim"]))
	if got := doc.Query("describe dot"); !strings.Contains(got, "animated cx (20;80;20), transform (spin)") {
		t.Error(got)
	}
	if got := doc.Query("lint"); !strings.Contains(got, "dot is animated: cx (20;80;20), transform (spin)") || !strings.Contains(got, "r is animated: fill (red)") {
		t.Error(got)
	}
}

func TestListMarksWhatIsInAMask(t *testing.T) {
	doc := pdktest.Open(t, Domain(), "a.svg", []byte(safeInputs["mask"]))
	if got := doc.Query("list @group:m"); !strings.Contains(got, "cover(rect)") || !strings.Contains(got, "in mask m") {
		t.Error(got)
	}
	if got := doc.Query("list @type:rect"); strings.Contains(got, "cover") || !strings.Contains(got, "page") {
		t.Error(got)
	}
}

// The inputs with which the faults were found, as they are.
func TestTheFindingsOpsKeepTheLaws(t *testing.T) {
	dir := filepath.Join(suite(t), "..", "findings")
	for name, ops := range map[string][]string{
		"anim.svg":         {"move dot by:10,0", "modify dot id:ball", "path ball convert"},
		"css-entities.svg": {"copy hero as:hero2", "modify hero id:star", `text t "ABD"`},
		"figma-like.svg":   {`gradient paint0_linear_1_2 stops:"#222, #444/0"`, "style @fill:white fill:black", `text ai "Typo"`, "fit"},
		"fit-shadow.svg":   {"fit"},
		"mask-dark.svg":    {"style @fill:white fill:black", "remove @type:rect"},
		"star-arc.svg":     {"resize star 20x20 from:center", "move arc by:0,-30", "path arc reverse"},
		"star-bool.svg":    {"bool union star r as:u"},
		"texts.svg":        {`text t4 "new text on the arc"`, `text t1 "Sales rise by 5 %"`, `text t2 "a\nb\nc"`, `text t3 "x"`},
	} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Skipf("%v; set FCP_SHARED", err)
		}
		pdktest.Open(t, Domain(), name, data).Laws(ops...)
	}
}
