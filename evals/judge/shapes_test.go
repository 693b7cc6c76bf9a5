package judge

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// However a shape is moved there, it is where it is.
func TestShapesAreTheSameHoweverTheyAreNested(t *testing.T) {
	frame := `<rect id="f" width="100" height="100"/>`
	want, err := Facts("shapes", []byte(`<svg viewBox="0 0 100 100">`+frame+`<rect id="a" x="10" y="20" width="30" height="40" fill="red"/></svg>`))
	if err != nil || !slices.Contains(want, "rect#a at 10.0 20.0 to 40.0 60.0") || !slices.Contains(want, "page 100 x 100") || !slices.Contains(want, "margin left 0.0 top 0.0 right 0.0 bottom 0.0") {
		t.Fatalf("%v %q", err, want)
	}
	for _, svg := range []string{
		`<svg viewBox="0 0 100 100">` + frame + `<g fill="red" transform="translate(10)"><rect id="a" transform="translate(0 20)" width="30" height="40"/></g></svg>`,
		`<svg viewBox="0 0 100 100">` + frame + `<rect id="a" style="fill:red" fill="blue" transform="matrix(2 0 0 2 10 20)" width="15" height="20"/></svg>`,
		`<svg viewBox="0 0 100 100"><g transform="scale(.5)"><rect id="f" width="200" height="200"/><g fill="red"><rect id="a" x="20" y="40" width="60" height="80"/></g></g></svg>`,
		`<svg viewBox="0 0 100 100">` + frame + `<rect id="a" transform="rotate(90, 10, 20)" x="10" y="-10" width="40" height="30" fill="red"/></svg>`,
		`<svg width="100" height="100" viewBox="0 0 50 50"><rect id="f" width="50" height="50"/><svg x="5" y="10" width="15" height="20" viewBox="0 0 30 40"><rect id="a" width="30" height="40" fill="red"/></svg></svg>`,
	} {
		if got, err := Facts("shapes", []byte(svg)); err != nil || !slices.Equal(got, want) {
			t.Errorf("%v\n%q\n%q\n%s", err, got, want, svg)
		}
	}
}

// A margin changes no place of a shape.
func TestTheMarginIsAroundTheWholeDrawing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		left, top := rapid.IntRange(-20, 50).Draw(t, "left"), rapid.IntRange(-20, 50).Draw(t, "top")
		const shapes = `<rect x="5" y="5" width="100" height="50"/><circle cx="30" cy="30" r="10"/>`
		page := func(x, y, w, h int) []string {
			facts, err := Facts("shapes", []byte(fmt.Sprintf(`<svg viewBox="%d %d %d %d">%s</svg>`, x, y, w, h, shapes)))
			if err != nil {
				t.Fatal(err)
			}
			return facts
		}
		got := page(5-left, 5-top, 100+left+7, 50+top+9)
		if want := fmt.Sprintf("margin left %d.0 top %d.0 right 7.0 bottom 9.0", left, top); got[1] != want {
			t.Errorf("%s, want %s", got[1], want)
		}
		if tight := page(5, 5, 100, 50); !slices.Equal(got[2:], tight[2:]) {
			t.Errorf("%q\n%q", got, tight)
		}
	})
}

func TestOutlinesOfPathsReachTheirExtent(t *testing.T) {
	for d, want := range map[string]area{
		"M1 2L4 6z":                         {1, 2, 3, 4},
		"m1,2 3,4 -1-1":                     {1, 2, 3, 4},
		"M0 0H10V5h-20v-10":                 {-10, -5, 20, 10},
		"M0 0C0 10 10 10 10 0":              {0, 0, 10, 7.5},
		"M0 0Q5 10 10 0T20 0":               {0, -5, 20, 10},
		"M0 0c0 10 10 10 10 0s10-10 10 0":   {0, -7.5, 20, 15},
		"M-10 0A10 10 0 0 1 10 0":           {-10, -10, 20, 10},
		"M-10 0a10 10 0 1020 0":             {-10, 0, 20, 10},
		"M0 0A5 5 0 0 0 20 0":               {0, 0, 20, 10},
		"M0 0A10 20 90 0 1 40 0":            {0, -10, 40, 10},
		"M0 0 L1e1 0 L10 .5":                {0, 0, 10, .5},
		"M3 4Z M 5 6 l1 1 z l 1 0":          {3, 4, 3, 3},
		"M 487 224 A 212 212 0 1 0 63 224 ": {63, 12, 424, 212},
	} {
		got := extentOf(pathPoints(d))
		for _, off := range []float64{got.x - want.x, got.y - want.y, got.width - want.width, got.height - want.height} {
			if math.Abs(off) > 0.1 {
				t.Errorf("%s: %v, want %v", d, got, want)
				break
			}
		}
	}
}

// What is not drawn has no facts; what is drawn has the look that it inherits.
func TestLooksAreInherited(t *testing.T) {
	facts, err := Facts("shapes", []byte(`<svg width="1in" height="72pt"><defs><rect/></defs><g display="none"><rect/></g><g fill="#ABC" style="stroke:black;stroke-width:2px">
		<circle r="1" opacity="1.0"/><text x="1" y="1" fill="white">Hello  <tspan>there</tspan></text></g><line x2="4" opacity=".5"/></svg>`))
	var looks []string
	for _, f := range facts {
		if strings.Contains(f, " look ") || strings.Contains(f, " says ") || strings.HasPrefix(f, "page") {
			looks = append(looks, f)
		}
	}
	want := []string{"page 96 x 96", "circle look fill=#aabbcc stroke=#000000 stroke-width=2", "text look fill=#ffffff stroke=#000000 stroke-width=2", `text says "Hello"`,
		"tspan look fill=#ffffff stroke=#000000 stroke-width=2", `tspan says "there"`, "line look fill=#000000 stroke=none opacity=0.5"}
	if err != nil || !slices.Equal(looks, want) {
		t.Errorf("%v\n%q\n%q", err, looks, want)
	}
}

// The tempo of a beat is the mean of what is in it.
func TestTheTempoOfABeatIsItsMean(t *testing.T) {
	facts, err := Facts("tempo", []byte(song(t, 60, 1)))
	if err != nil || len(facts) != 4 || facts[0] != "bar 1 beat 1 bpm 120.0" || facts[3] != "bar 2 beat 1 bpm 120.0" {
		t.Errorf("%v %q", err, facts)
	}
}
