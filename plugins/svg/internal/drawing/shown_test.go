package drawing

import (
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

func TestAreasFollowTheElements(t *testing.T) {
	doc := pdktest.Open(t, Domain(), "a.svg", []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="-10 0 100 100"><rect id="back" x="-10" width="100" height="100"/>
<g id="hand" transform="translate(10 20)"><circle id="ring" r="5" stroke="red" stroke-width="2" fill="none"/><rect width="4" height="6"/></g><defs><rect id="hidden" width="9" height="9"/></defs><text id="two words" x="0" y="50" display="none">gone</text></svg>`))
	if got, want := doc.Areas(), `ring 4,14 12x12 | back -10,0 100x100 | rect~5 10,20 4x6; changed: `; got != want {
		t.Errorf("areas are\n%s, want\n%s", got, want)
	}
	doc.Do("move hand by:10,0")
	if got, want := doc.Areas(), `ring 14,14 12x12 | back -10,0 100x100 | rect~5 20,20 4x6; changed: ring rect~5`; got != want {
		t.Errorf("areas are\n%s, want\n%s", got, want)
	}
	doc.Do("style rect~5 fill:blue")
	if _, changed := doc.Shown(); len(changed) != 1 || changed[0] != "rect~5" {
		t.Errorf("it changed %q", changed)
	}
}
