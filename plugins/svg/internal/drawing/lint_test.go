package drawing

import (
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
)

// signpost is a file without faults.
const signpost = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 100">
  <title>Sign</title>
  <linearGradient id="sky"><stop stop-color="navy"/></linearGradient>
  <rect id="plate" width="200" height="100" fill="url(#sky)"/>
  <g id="front">
    <rect id="card" x="50" y="20" width="100" height="40" fill="#fff"/>
    <circle id="dot" cx="20" cy="20" r="5" fill="red"/>
    <text id="name" x="100" y="45" font-size="16" text-anchor="middle">Acme</text>
  </g>
</svg>
`

// Each warning appears when an op causes it and disappears when the op is undone; lint
// reports it with the element's name.
func TestAnOpThatCausesAFaultIsWarnedOf(t *testing.T) {
	for _, c := range []struct{ op, warning, lint string }{
		{"add rect r size:5x5 at:500,500", "1 element outside the canvas: r", "r lies outside the canvas @(0,0 200x100)"},
		{"move dot card by:900,0", "2 elements outside the canvas: card, dot", "dot lies outside the canvas"},
		{"canvas viewbox:0,0,40,40", "2 elements outside the canvas: card, name", "card lies outside the canvas @(0,0 40x40)"},
		{"modify dot r:0", "1 element without size: dot", "dot has no size"},
		{"add rect r fill:none", "1 element that paint nothing: r", "r has neither fill nor stroke"},
		{"style front opacity:0", "3 elements that paint nothing: card, dot, name", "dot lies in front, which has opacity:0"},
		{"style dot opacity:0%", "1 element that paint nothing: dot", "dot has opacity:0"},
		{"clip hole dot for:card", "1 element that paint nothing: card", "card is clipped away completely by a clip path"},
		{"style card fill:#222", "1 text with weak contrast (below 4.5) to what is beneath: name (1.31)", `name "Acme" has a contrast of 1.31 to what is beneath`},
		{"style name fill:#aaa", "1 text with weak contrast (below 4.5) to what is beneath: name (2.32)", `name "Acme" has a contrast of 2.32`},
		{"style name opacity:0.4", "1 text with weak contrast (below 4.5) to what is beneath: name (2.84)", `name "Acme" has a contrast of 2.84`},
		{"text name \"Acme Incorporated\"", "1 text wider than what is beneath: name (about 137, card has 100)", `name "Acme Incorporated" is about 137 wide, wider than card`},
		{"modify card x:90 width:20", "1 text wider than what is beneath: name (about 41, card has 20)", "wider than card, which it stands on (20)"},
		{"remove sky", "plate refers to #sky, which does not exist", "plate refers to #sky"},
		{"add image i href:https://example.org/a.png size:5x5", "1 link to something outside, which is never loaded here: https://example.org/a.png", "1 link to something outside"},
		{`title ""`, "", "no title"},
	} {
		doc := pdktest.Open(t, Domain(), "sign.svg", []byte(signpost))
		if got := doc.Query("lint"); got != "lint: nothing found" {
			t.Fatalf("lint of what is right: %s", got)
		}
		doc.Do(c.op)
		warnings := doc.State().Warnings
		if said := func(w string) bool { return strings.HasPrefix(w, c.warning) }; c.warning == "" && len(warnings) > 0 || c.warning != "" && !slices.ContainsFunc(warnings, said) {
			t.Errorf("%.60s: the warnings are %q, want %q", c.op, warnings, c.warning)
		}
		if got := doc.Query("lint"); !strings.Contains(got, c.lint) {
			t.Errorf("%.60s: lint says %s, want %q", c.op, got, c.lint)
		}
		if got := doc.Query("map"); c.warning != "" && !strings.Contains(got, "\nwarning: "+c.warning) {
			t.Errorf("%.60s: map says %s", c.op, got)
		}
		doc.Undo(1)
		if got := doc.State().Warnings; len(got) > 0 {
			t.Errorf("%.60s undone: %q", c.op, got)
		}
	}
}

// Warn of a value of a group that nothing in it inherits.
func TestAStyleThatNothingInheritsCausesAWarning(t *testing.T) {
	for op, want := range map[string]string{
		"style dots fill:blue":         "? everything in dots has a fill of its own; style @group:dots reaches it",
		"style dots stroke:blue":       "",
		"style dots opacity:0.5":       "",
		"style most fill:blue":         "",
		"style @group:dots fill:green": "",
	} {
		doc := pdktest.Open(t, Domain(), "a.svg", []byte(`<svg xmlns="http://www.w3.org/2000/svg"><g id="dots"><circle r="5" style="fill:red"/><g fill="navy"><circle r="9"/></g></g><g id="most"><circle r="5" fill="red"/><circle r="5"/></g></svg>`))
		if got := doc.Do(op); want == "" && strings.Contains(got, "? ") || !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %q", op, got, want)
		}
	}
}

// What only looks like a fault must not be reported.
func TestVisibleAndReadableElementsAreNotWarnedOf(t *testing.T) {
	for _, op := range []string{
		"add line l from:10,10 to:10,90 stroke:red", "add group g", "style dot visibility:hidden", "layer create Notes", "move dot by:-22,0", "style card stroke:black fill:none", `style name fill:white stroke:black`,
		"add rect veil at:0,0 size:200x100 fill:#fff opacity:0.01", "order card front", "style card fill:#222 name", `class dark fill:white name`,
	} {
		doc := pdktest.Open(t, Domain(), "sign.svg", []byte(signpost))
		if op == "style card fill:#222 name" {
			doc.Do("style card fill:#222", "style name fill:white")
		} else if op == "class dark fill:white name" {
			doc.Do("style card fill:#222", op)
		} else {
			doc.Do(op)
		}
		if got := doc.State().Warnings; len(got) > 0 {
			t.Errorf("%s: %q", op, got)
		}
	}
	for _, text := range []string{
		`<circle r="5" opacity="0"><animate attributeName="opacity" to="1" dur="1s"/></circle>`,
		`<g opacity="0"><set attributeName="opacity" to="1"/><circle r="5"/></g>`,
		`<style>circle { opacity: 0; animation: show 1s forwards }</style><circle r="5"/>`,
		`<switch><circle r="5"/><circle r="0"/></switch><circle r="0" systemLanguage="tlh"/>`,
	} {
		f, _, err := open("a.svg", []byte(`<svg xmlns="http://www.w3.org/2000/svg">`+text+`</svg>`))
		if err != nil {
			t.Fatal(err)
		}
		if got := model.State(f).Warnings; len(got) > 0 {
			t.Errorf("%s: %q", text, got)
		}
	}
}

// In a large file only what an op touched is warned of.
func TestALargeFileIsWarnedOfWhatIsTouched(t *testing.T) {
	doc := pdktest.Open(t, Domain(), "a.svg", []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">`+strings.Repeat(`<rect width="0" height="5"/>`, 301)+`<rect id="b0" width="5" height="5"/></svg>`))
	if got := doc.State().Warnings; len(got) > 0 {
		t.Errorf("warned of %q", got)
	}
	if got := doc.Do("move b0 by:900,0"); !strings.Contains(got, "b0 lies outside the canvas") {
		t.Error(got)
	}
}

func TestScriptsAndExternalContentAreReportedOnOpen(t *testing.T) {
	doc := pdktest.Open(t, Domain(), "bad.svg", []byte(`<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9"><script>1</script><style>@import url(https://example.org/a.css);</style><image xlink:href="b.png" width="5" height="5" onload="x()"/><image href="data:image/png;base64,`+strings.Repeat("AAAA", 200_000/2)+`" width="5" height="5"/></svg>`))
	want := []string{"1 script: kept, never run here", "1 event attribute with script: kept, never run here", "2 links to something outside, which is never loaded here: b.png", "1 embedded picture of more than 200 KB"}
	if !slices.Equal(doc.Warnings, want) {
		t.Errorf("%q, want %q", doc.Warnings, want)
	}
}

// A shape that no op touched is examined again if a rule makes it depend on a shape
// that an op touched.
func TestWarningsRespectRulesThatDependOnSiblings(t *testing.T) {
	doc := pdktest.Open(t, Domain(), "beside.svg", []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100"><style>.ghost + rect { opacity: 0 }</style><rect id="a" width="9" height="9"/><rect id="b" x="20" width="9" height="9"/><rect id="c" x="40" width="9" height="9"/></svg>`))
	doc.Do("style c fill:red")
	for _, step := range [][2]string{{"modify a class:ghost", "1 element that paint nothing: b"}, {`modify a class:""`, ""}, {"class ghost b", "1 element that paint nothing: c"}} {
		doc.Do(step[0])
		if got := strings.Join(doc.State().Warnings, "; "); got != step[1] {
			t.Errorf("%s: warned of %q, want %q", step[0], got, step[1])
		}
	}
}

func TestLintFindsWhatNobodySees(t *testing.T) {
	doc := pdktest.Open(t, Domain(), "a.svg", []byte("<svg xmlns=\"http://www.w3.org/2000/svg\"><title>T</title><text id=\"a\">A&#x200b;</text><text id=\"b\" class=\"\u3164\">B</text></svg>"))
	got := doc.Query("lint")
	for _, want := range []string{`a has 1 hidden character (\u200b)`, `b has 1 hidden character (\u3164)`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}
