package drawing

import (
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

const seeded = `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100">
    <!-- kept -->
    <rect id='background' width="200" height="100" style="fill: white"/>
    <g id="logo" transform="translate(50,20)">
        <circle id="ring" cx="10" cy="10" r="10"/>
    </g>
</svg>
`

func TestTheSeedsOpsChangeWhatTheyName(t *testing.T) {
	doc := pdktest.Open(t, Domain(), "document.svg", []byte(seeded))
	got := doc.Do("add circle id:dot r:5 fill:red in:logo", "style background fill:#eee")
	if want := "+ circle dot @(55,25 10x10) in logo\n* background fill:#eee"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	want := `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100">
    <!-- kept -->
    <rect id='background' width="200" height="100" style="fill: #eee"/>
    <g id="logo" transform="translate(50,20)">
        <circle id="ring" cx="10" cy="10" r="10"/>
        <circle id="dot" cx="10" cy="10" r="5" fill="red"/>
    </g>
</svg>
`
	if got := string(doc.Save()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	t.Log(doc.Query("map"))
	t.Log(doc.Query("describe logo"))
	t.Log(doc.Query("tree"))
	t.Log(doc.Query("stats"))
	doc.Undo(2)
	if got := string(doc.Save()); got != seeded {
		t.Errorf("undone to\n%s", got)
	}
}

func TestTheDomainKeepsItsLaws(t *testing.T) {
	pdktest.Laws(t, Domain(), "add rect background at:0,0 size:300x150 fill:#eee", "add group logo", "add circle dot r:20 fill:red in:logo", `add text name "Acme" below:dot gap:8`,
		`gradient sky stops:"#def, navy" angle:90 for:background`, "repeat dot count:5 dx:20", "group dot name as:g2", "ungroup g2", "move @all by:5,5", "rotate dot 45", "copy logo", "class x fill:red @type:circle",
		"class x stroke:blue", "remove dot", "optimize", "fit", "layer create L", "reparent background in:L", "path background convert", "clip c logo", "title \"x\"", "undo")
}
