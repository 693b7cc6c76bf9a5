package drawing

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// held is a drawing whose shapes go into definitions.
const held = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">
  <rect id="r1" width="10" height="10"/>
  <rect id="r2" width="10" height="10"/>
  <rect id="r3" width="10" height="10"/>
  <g id="outer" transform="translate(5,0)"><g id="inner" transform="scale(2)"><circle id="c1" r="3"/></g><rect id="r4" width="9" height="9"/></g>
  <g id="bare"/>
  <g id="shown"><rect id="r5" width="9" height="9"/></g>
  <use id="u" href="#shown"/>
  <g id="user"><use id="v" href="#shown"/></g>
  <use id="w" href="#r1"/>
</svg>
`

// No shape may be lost to a definition without a warning. What a refusal suggests must
// work.
func TestDefinitionsKeepTheShapesThatTheyTake(t *testing.T) {
	for _, c := range []struct{ before, op, says, try string }{
		{"clip cc r2", "clip cc r3 for:r1", "clip cc already exists and holds r2; remove cc first, or use another name", "clip cc2 r3 for:r1"},
		{"clip cc rect~2", "clip cc r3", "clip cc already exists", "clip cc2 r3"},
		{"mask m1 r2", "mask m1 r3", "mask m1 already exists and holds r2", "mask m2 r3"},
		{"pattern pp of:r3", "pattern pp dots", "pattern pp already exists and holds r3", "pattern pp2 dots"},
		{"pattern pp of:r3", "pattern pp of:r2 gap:2", "pattern pp already exists and holds r3", "pattern pp2 of:r2 gap:2"},
		{"", "clip zz r1 for:r1", "r1 would be inside the clip that is applied to it", "copy r1 as:r6"},
		{"", "mask mm outer for:c1", "c1 would be inside the mask that is applied to it, so it would not be visible; copy outer first", "copy outer as:outer2"},
		{"", "clip z3 outer for:outer", "outer would be inside", "copy outer as:outer2"},
		{"", "pattern pp of:r1 for:r2,r1", "r1 would be inside the pattern", "copy r1 as:r6"},
		{"", "pattern pp of:r1 @type:rect", "r1 would be inside the pattern", "copy r1 as:r6"},
		{"", "clip cc u for:r1", "u shows the g shown", "mask cc u for:r1"},
		{"", "clip cc user for:r1", "v shows the g shown", "mask cc user for:r1"},
		{"", "clip cc r1 shown", "shown is referred to by u, v", "mask cc r1 shown"},
		{"style outer opacity:0.5", "clip cc outer for:r1", "outer has opacity:0.5", `style outer opacity:""`},
		{"", "clip cc bare", "bare contains no shape", ""},
	} {
		doc := pdktest.Open(t, Domain(), "a.svg", []byte(held))
		if c.before != "" {
			doc.Do(c.before)
		}
		doc.Fail(c.op, c.says, c.try)
		if c.try != "" {
			doc.Do(c.try)
		}
	}
}

// A definition without shapes may be made again.
func TestGeneratedDefinitionsAreMadeAgain(t *testing.T) {
	doc := pdktest.Open(t, Domain(), "a.svg", []byte(held))
	for _, op := range []string{"pattern pp dots for:r1", "pattern pp of:r2", "remove pp", "filter f blur", "filter f shadow", "marker m dot", "marker m bar"} {
		doc.Do(op)
	}
}

// A clip path contains shapes but no groups, and cuts where the groups' shapes were.
func TestAClipOfAGroupIsOfItsShapes(t *testing.T) {
	doc := pdktest.Open(t, Domain(), "a.svg", []byte(held))
	if got, want := doc.Do("clip cc outer w for:r2"), "+ clip cc of c1, r4, w, clip-path of r2"; !strings.Contains(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
	_, text, _ := strings.Cut(string(doc.Save()), "<clipPath")
	text, _, _ = strings.Cut(text, "</clipPath>")
	for _, want := range []string{`<circle id="c1" r="3" transform="matrix(2 0 0 2 5 0)"/>`, `<rect id="r4" width="9" height="9" transform="translate(5)"/>`, `<use id="w"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the clip path is %s, want %s", text, want)
		}
	}
	if strings.Contains(text, "<g") {
		t.Errorf("the clip path holds a group: %s", text)
	}
}
