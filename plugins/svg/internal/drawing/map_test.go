package drawing

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// plotted is like the output of charting programs: each element in groups of its own,
// and empty groups.
const plotted = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">
<defs><circle id="mark" r="2"/><filter id="soft"><feFlood/></filter></defs>
<g fill="none"></g>
<g stroke="black"><g fill="rgb( 76, 114, 176)" transform="translate(10 20)"><text font-size="10" class="tick">0</text></g></g>
<g><title>Bars</title><rect width="10" height="40"/></g>
<g id="layer"/>
<g><g><rect x="50" width="10" height="40.01"/><rect x="60" width="10" height="40"/><rect x="55" width="10" height="40" fill="red"/></g></g>
<rect x="69.99" width="10" height="10"/>
</svg>`

func TestTheMapPutsGroupsOfOneOnItsLine(t *testing.T) {
	doc := pdktest.Open(t, Domain(), "plot.svg", []byte(plotted))
	const want = `map: 18el 7g 1filter 100x100 vb:0,0,100,100
  g~7 stroke:black > g~8 fill:rgb(76,114,176) > text~9(text) about @(10,10.6 5.6x11.6) "0" .tick
  g~10(g) @(0,0 10x40) "Bars"
    rect~12(rect) @(0,0 10x40)
  layer(g)
  g~14 > g~15(g) @(50,0 20x40.01)
    rect~16(rect) @(50,0 10x40.01)
    rect~17(rect) @(60,0 10x40)
    rect~18(rect) @(55,0 10x40) fill:red
  rect~19(rect) @(69.99,0 10x10)
defs: soft(filter)`
	if got := doc.Query("map"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for q, want := range map[string]string{
		"overlaps":              "2 pairs of boxes, the largest first\nrect~18 over rect~16 @(55,0 5x40)\nrect~18 over rect~17 @(60,0 5x40)",
		"unused":                "mark(circle) never referred to\nsoft(filter) never referred to\ng~6(g) empty\nlayer(g) empty",
		"describe g~15":         "g~15(g)\n  in g~14\n  box @(50,0 20x40.01)\n  3 elements inside: rect~16, rect~17, rect~18",
		"distance g~10 rect~19": "g~10 to rect~19: gap 59.99 across, overlap 10 down, 59.99 between their boxes; centres 71.58 apart (69.99,-15); edges left 69.99, right 69.99, top 0, bottom -30",
	} {
		if got := doc.Query(q); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", q, got, want)
		}
	}
}

func TestDataIsNamedByItsTypeAndSize(t *testing.T) {
	doc := pdktest.Open(t, Domain(), "photo.svg", []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><image id="im" width="9" height="9" href="data:image/png;base64,`+strings.Repeat("iVBO", 10_000)+`"/></svg>`))
	for q, want := range map[string]string{
		"map":         "  im(image) @(0,0 9x9) -> data:image/png, 30 KB",
		"describe im": `href="data:image/png, 30 KB"`,
	} {
		if got := doc.Query(q); !strings.Contains(got, want) {
			t.Errorf("%s: got\n%s\nwant\n%s", q, got, want)
		}
	}
}

// A group in defs is no empty group.
func TestUnusedSaysWhetherSomethingIsEmptyOrNeverReferredTo(t *testing.T) {
	doc := openedWith(t, `<defs><g id="stamp"><rect width="5" height="5"/></g><g id="blank"/><pattern id="dots"/></defs><g id="layer"/><rect width="9" height="9"/>`)
	want := "stamp(g) never referred to\nblank(g) never referred to\ndots(pattern) never referred to\nlayer(g) empty"
	if got := doc.Query("unused"); got != want {
		t.Errorf("unused:\n%s\nwant\n%s", got, want)
	}
}
