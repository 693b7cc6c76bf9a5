package svgdom

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/svgdom/css"
	"github.com/fcp-host/fcp-host/pdk/xmltree"
)

func parse(t testing.TB, text string) *Node {
	t.Helper()
	e, err := xmltree.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return Build(text, e, nil, nil)
}

func TestSelectorsMatch(t *testing.T) {
	root := parse(t, `<svg id="s"><g class="a b"><rect id="r" x="12" lang="en-GB"/><circle/><rect class="c"/></g><rect/></svg>`)
	all := map[string]*Node{"s": root, "g": root.First, "r": root.First.First, "c": root.First.Last, "o": root.First.First.Next, "l": root.Last}
	for sel, want := range map[string]string{
		"*": "cglors", "rect": "clr", "g > rect": "cr", "svg rect": "clr", ".a.b rect": "cr", "#r": "r", "rect.c": "c", "[x]": "r", "[x='12']": "r", "[x^=1]": "r", "[x$='2']": "r", "[x*=3]": "", "[lang|=en]": "r", "[class~=b]": "g",
		"rect + circle": "o", "rect ~ rect": "c", ":first-child": "gr", "rect:last-child": "cl", ":root": "s", "g :nth-child(odd)": "cr", "g :nth-child(-n+2)": "or", "rect:not(.c)": "lr", "g,circle": "go", "svg>g>rect": "cr", "circle ~ .c": "c", "g + rect": "l", "svg g > circle + rect": "c", "rect:only-child": "", "g :nth-last-child(2)": "o", ":not(svg):not(rect)": "go",
	} {
		list, err := css.ParseSelectors(sel)
		if err != nil {
			t.Errorf("%s: %v", sel, err)
			continue
		}
		got := ""
		for _, k := range strings.Split("c g l o r s", " ") {
			if new(Matcher).Any(list, all[k]) {
				got += k
			}
		}
		if got != want {
			t.Errorf("%s matches %q, want %q", sel, got, want)
		}
	}
}

// The time of a selector grows with the elements around and before one, however many ways there are to choose from them.
func TestSelectorsMatchInLinearTime(t *testing.T) {
	root := parse(t, strings.Repeat("<g>", 200)+strings.Repeat("<a/>", 200)+strings.Repeat("</g>", 200))
	last := root
	for last.Last != nil {
		last = last.Last
	}
	for _, sel := range []string{"b" + strings.Repeat(" g", 12) + " a", "b" + strings.Repeat(" ~ a", 12), "b" + strings.Repeat(" > g", 3) + strings.Repeat(" g", 6) + strings.Repeat(" ~ a", 6)} {
		list, err := css.ParseSelectors(sel)
		if err != nil {
			t.Fatal(err)
		}
		work := 10_000
		if m := (&Matcher{Work: &work}); m.Any(list, last) || work < 0 {
			t.Errorf("%s takes more than 10,000 steps", sel)
		}
	}
	work := 5
	list, _ := css.ParseSelectors("g g g g g g a")
	if m := (&Matcher{Work: &work}); m.Any(list, last) || work >= 0 {
		t.Error("a matcher without work left matches")
	}
}
