package drawing

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// A new element looks as its op says, even if there are rules for its type.
func TestANewElementLooksAsItsOpSaysDespiteRules(t *testing.T) {
	doc := pdktest.Open(t, Domain(), "chart.svg", []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100"><style>text { fill: #333; font: 12px sans-serif }</style></svg>`))
	doc.Do(`add text best "310" at:20,40 fill:#ffd166 bold`)
	if got, want := string(doc.Save()), `<text id="best" x="20" y="40" style="font-weight:bold;fill:#ffd166">310</text>`; !strings.Contains(got, want) {
		t.Errorf("got\n%s\nwant %s", got, want)
	}
	if got := doc.Query("describe best"); !strings.Contains(got, "#ffd166") {
		t.Error(got)
	}
}

// Ops respect rules of a style sheet that override what they write, or warn of them.
func TestRulesThatWinAreRespectedOrReported(t *testing.T) {
	doc := pdktest.Open(t, Domain(), "ruled.svg", []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100"><style>#a { transform: translate(20px,20px) } .x { fill: red !important }</style><rect id="a" class="x" width="9" height="9"/></svg>`))
	if got := doc.Do("move a by:50,50"); got != "* a @(70,70 9x9)" {
		t.Error(got)
	}
	if got := doc.Do("style a fill:green"); !strings.Contains(got, "a still has fill:red, from a rule that is !important") {
		t.Error(got)
	}
}
