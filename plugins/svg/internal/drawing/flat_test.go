package drawing

import (
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// flatLines has lines and the definitions that may paint them.
const flatLines = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">
  <title>Lines</title>
  <linearGradient id="g"><stop stop-color="red"/></linearGradient>
  <linearGradient id="gg" href="#g"/>
  <linearGradient id="abs" gradientUnits="userSpaceOnUse"><stop stop-color="red"/></linearGradient>
  <linearGradient id="abs2" href="#abs"/>
  <filter id="f"><feGaussianBlur/></filter>
  <mask id="m"><rect width="100" height="100" fill="#fff"/></mask>
  <line id="flat" x1="10" y1="50" x2="90" y2="50" stroke="red" stroke-width="4"/>
  <path id="tall" d="M50 10V90" stroke="red"/>
  <line id="slant" x1="10" y1="50" x2="90" y2="60" stroke="red"/>
</svg>
`

// Paint measured in the bounding box shows nothing of a line without height or width.
func TestFlatShapesThatABoxHidesCauseWarnings(t *testing.T) {
	for op, want := range map[string]string{
		"style flat stroke:g":              "flat has no height, so it is not visible with g, a linearGradient that is measured in boxes",
		"style flat stroke:gg":             "flat has no height",
		"style tall filter:f":              "tall has no width, so it is not visible with f",
		"style flat mask:m":                "flat has no height, so it is not visible with m",
		"style flat stroke:abs":            "",
		"style flat stroke:abs2":           "",
		`style flat stroke:"url(#g) blue"`: "",
		"style slant stroke:g filter:f":    "",
		"filter soft shadow for:flat,tall": "",
		"mask hole slant for:flat":         "",
	} {
		doc := pdktest.Open(t, Domain(), "a.svg", []byte(flatLines))
		doc.Do(op)
		got := doc.Query("lint")
		warned := slices.ContainsFunc(doc.State().Warnings, func(w string) bool { return strings.HasPrefix(w, "1 element that paint nothing") })
		if want == "" && got != "lint: nothing found" || !strings.Contains(got, want) || warned != (want != "") {
			t.Errorf("%s: lint says %s, and the state %q; want %q", op, got, doc.State().Warnings, want)
		}
	}
}

// A filter for a line without height is measured in user units.
func TestAFilterForAFlatLineCoversTheCanvas(t *testing.T) {
	doc := pdktest.Open(t, Domain(), "a.svg", []byte(flatLines))
	doc.Do("filter soft blur blur:2 for:flat", "filter tilted blur for:slant")
	got := string(doc.Save())
	for _, want := range []string{`<filter id="soft" filterUnits="userSpaceOnUse" x="-6" y="-6" width="112" height="112">`, `<filter id="tilted">`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
}
