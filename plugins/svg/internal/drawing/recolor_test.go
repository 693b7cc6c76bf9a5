package drawing

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// golden has one colour in an attribute, a style, a rule, an inherited value and gradients.
const golden = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">
<style>.a { fill: gold } .b { stroke: gold }</style>
<defs><linearGradient id="own"><stop id="s1" stop-color="#ffd700"/></linearGradient><linearGradient id="both"><stop id="s2" stop-color="gold"/></linearGradient></defs>
<g id="body" fill="#FFD700"><rect id="r1" width="9" height="9"/><rect id="r2" width="9" height="9" style="fill:gold;stroke:red"/><g id="wing"><rect id="w1" width="9" height="9"/><rect id="w2" class="b" width="9" height="9" fill="url(#both)"/></g></g>
<rect id="p7" class="a" width="9" height="9"/><rect id="p8" width="9" height="9" fill="url(#own)"/><rect id="p9" width="9" height="9" fill="url(#both)" stroke-width="4"/>
</svg>`

func openGolden(t *testing.T) *pdktest.Doc {
	return pdktest.Open(t, Domain(), "g.svg", []byte(golden))
}

func wants(t *testing.T, doc *pdktest.Doc, texts ...string) {
	t.Helper()
	got := doc.Query("source")
	for _, w := range texts {
		if !strings.Contains(got, w) {
			t.Errorf("no %s in\n%s", w, got)
		}
	}
}

func TestAColourChangesWhereverItIs(t *testing.T) {
	doc := openGolden(t)
	doc.Do("style from:gold to:#d4af37")
	wants(t, doc, ".a { fill: #d4af37 }", ".b { stroke: #d4af37 }", `id="s1" stop-color="#d4af37"`, `id="s2" stop-color="#d4af37"`, `id="body" fill="#d4af37"`, `style="fill:#d4af37;stroke:red"`, `<rect id="r1" width="9" height="9"/>`)
}

// What keeps the colour is pinned where it inherited it, and so is what it shares.
func TestAColourStaysInWhatIsExcepted(t *testing.T) {
	doc := openGolden(t)
	reply := doc.Do("style from:gold to:#d4af37 except:wing")
	wants(t, doc, ".a { fill: #d4af37 }", ".b { stroke: gold }", `id="s1" stop-color="#d4af37"`, `id="s2" stop-color="gold"`, `id="body" fill="#d4af37"`, `<rect id="w1" width="9" height="9" fill="#FFD700"/>`)
	if !strings.Contains(reply, "kept by") || !strings.Contains(reply, "both has the colour, too, and keeps it") {
		t.Error(reply)
	}
	doc = openGolden(t)
	doc.Do("style r1 p8 from:gold to:#d4af37")
	wants(t, doc, `<rect id="r1" width="9" height="9" fill="#d4af37"/>`, `id="body" fill="#FFD700"`, "fill:gold;", ".a { fill: gold }", `id="s1" stop-color="#d4af37"`)
	doc.Do("style @group:body opacity:0.5 except:wing,r2")
	if got := strings.Count(doc.Query("source"), `opacity="0.5"`); got != 1 {
		t.Errorf("%d elements", got)
	}
	doc.Fail("style from:gold to:nocolour", "nocolour is not a colour")
	doc.Fail("style from:green to:red", "nothing is #008000; the colours are #d4af37 #ffd700", "try query: colors")
	doc.Fail("style gold #d4af37", "try: style from:gold to:#d4af37")
}

func TestTargetsOfBothKindsAreAUnion(t *testing.T) {
	doc := openGolden(t)
	doc.Do("style p7…p8 @group:wing opacity:0.5")
	if got := strings.Count(doc.Query("source"), `opacity="0.5"`); got != 4 {
		t.Errorf("%d elements", got)
	}
	for q, want := range map[string]string{
		"list p7-9 @id:r1":     "4 elements\np7(rect)",
		"describe @group:wing": "w2(rect)",
		"source p7 @id:r1":     "\n<rect id=\"r1\"",
		"bbox @not:type:rect":  "body(g)",
		"tree wing @id:own":    "stop#s1",
		"tree":                 "not shown: 4 elements never drawn, in own, both",
	} {
		if got := doc.Query(q); !strings.Contains(got, want) {
			t.Errorf("%s:\n%s", q, got)
		}
	}
	doc.Fail("style p7…p12 fill:red", "there is no element")
}

func TestANumberMayBeAFactor(t *testing.T) {
	doc := openGolden(t)
	doc.Do("style p9 stroke-width:x0.5", "style p8 opacity:x0.4", "style body stroke-width:x3")
	wants(t, doc, `stroke-width="2"`, `opacity="0.4"`, `stroke-width="3"`)
	doc.Do("modify r1 font-size:2em", "style body font-size:x2")
	wants(t, doc, `id="r1" width="9" height="9" font-size="64"`, `font-size="32"`)
	doc.Fail("style p9 fill:x2", "fill")
	doc.Fail("style p9 stroke-dasharray:x2", "none, which is no number to multiply")
	if got := doc.Query("map"); !strings.Contains(got, "stroke-width:3") {
		t.Error(got)
	}
}

func TestAroundIsAbout(t *testing.T) {
	a, b := openGolden(t), openGolden(t)
	a.Do("rotate p7 30 around:0,0", "repeat p8 count:2 rotate:30 around:50,50")
	b.Do("rotate p7 30 about:0,0", "repeat p8 count:2 rotate:30 about:50,50")
	if a.Query("source") != b.Query("source") {
		t.Error(a.Query("source"))
	}
}
