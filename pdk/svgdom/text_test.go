package svgdom

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/vector"
)

// set lays out a text whose letters are half as wide as they are high, which is 10.
func set(t *testing.T, text string) []Letter {
	t.Helper()
	root, c := styled(t, `<svg font-size="10">`+text+`</svg>`)
	first := FirstStyle()
	around := first.Of(c, root)
	style := around.Of(c, root.First)
	return Text{Cascade: c, Advance: func(rune, bool) float64 { return 0.5 }, W: 200, H: 100, Path: func(*Node) *vector.Measure {
		p, _ := vector.Parse("M0 50V100")
		return p.Measure()
	}}.Letters(root.First, &style)
}

func TestLettersAreSetByTheRulesOfSVG(t *testing.T) {
	for text, want := range map[string]string{
		`<text x="10" y="20">ab</text>`:                                                     "a10,20 b15,20",
		`<text x="10" y="20" text-anchor="middle">ab</text>`:                                "a5,20 b10,20",
		`<text x="10" y="20" text-anchor="end">ab</text>`:                                   "a0,20 b5,20",
		`<text x="10" direction="rtl">ab</text>`:                                            "a0,0 b5,0",
		`<text x="10" y="10%">a<tspan dx="3" dy="1em">b</tspan>c</text>`:                    "a10,10 b18,20 c23,20",
		`<text x="10 50" y="20,30">abc</text>`:                                              "a10,20 b50,30 c55,30",
		`<text> a  <tspan> b</tspan> </text>`:                                               "a0,0 _5,0 b10,0",
		`<text xml:space="preserve"> a</text>`:                                              "_0,0 a5,0",
		`<text style="white-space:pre"> a</text>`:                                           "_0,0 a5,0",
		`<text letter-spacing="1" word-spacing="2">a b</text>`:                              "a0,0 _6,0 b14,0",
		`<text textLength="20">abc</text>`:                                                  "a0,0 b7.5,0 c15,0",
		`<text textLength="30" lengthAdjust="spacingAndGlyphs">abc</text>`:                  "a0,0 b10,0 c20,0",
		`<text>a<tspan baseline-shift="super">b</tspan>c</text>`:                            "a0,0 b5,-4 c10,0",
		`<text dominant-baseline="hanging">a<tspan alignment-baseline="x">b</tspan></text>`: "a0,7.56 b5,0",
		`<text writing-mode="tb" x="10" y="20">ab</text>`:                                   "a10,20 b10,25",
		`<text>a<tspan display="none">b</tspan>c</text>`:                                    "a0,0 c5,0",
		`<text x="7">a<textPath x="99" startOffset="10%">b</textPath></text>`:               "a7,0 b5,0",
	} {
		var got []string
		for _, l := range set(t, text) {
			got = append(got, strings.ReplaceAll(fmt.Sprintf("%c%.4g,%.4g", l.Rune, l.At.X, l.At.Y), " ", "_"))
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestLettersHaveBoxes(t *testing.T) {
	for text, want := range map[string]vector.Box{
		`<text x="10" y="20">a</text>`:                                  {X0: 10, Y0: 20 - 9.45, X1: 15, Y1: 20 + 2.11},
		`<text x="10" y="20" rotate="90">a</text>`:                      {X0: 10 - 2.11, Y0: 20, X1: 10 + 9.45, Y1: 25},
		`<text x="10" y="20" writing-mode="tb">a</text>`:                {X0: 10 - 5.78, Y0: 20, X1: 10 + 5.78, Y1: 25},
		`<text><textPath startOffset="10">a</textPath></text>`:          {X0: -2.11, Y0: 60, X1: 9.45, Y1: 65},
		`<text x="10" word-spacing="-20" xml:space="preserve"> </text>`: {X0: -5, Y0: -9.45, X1: 10, Y1: 2.11},
	} {
		letters := set(t, text)
		b, ok := letters[0].Box()
		if far := math.Max(math.Max(math.Abs(b.X0-want.X0), math.Abs(b.X1-want.X1)), math.Max(math.Abs(b.Y0-want.Y0), math.Abs(b.Y1-want.Y1))); !ok || far > 1e-9 {
			t.Errorf("%s: %v, want %v", text, b, want)
		}
	}
	if letters := set(t, `<text><textPath startOffset="60">a</textPath></text>`); len(letters) == 1 {
		if _, ok := letters[0].Box(); ok {
			t.Error("a letter behind the end of its path is somewhere")
		}
	}
}
