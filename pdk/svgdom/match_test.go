package svgdom

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/svgdom/css"
	"github.com/fcp-host/fcp-host/pdk/xmltree"
)

func TestSelectorsMatch(t *testing.T) {
	e, err := xmltree.Parse(`<svg id="s"><g class="a b"><rect id="r" x="12" lang="en-GB"/><circle/><rect class="c"/></g><rect/></svg>`)
	if err != nil {
		t.Fatal(err)
	}
	root := Build(e.Source(), e, nil, nil)
	all := map[string]*Node{"s": root, "g": root.First, "r": root.First.First, "c": root.First.Last, "o": root.First.First.Next, "l": root.Last}
	for sel, want := range map[string]string{
		"*": "cglors", "rect": "clr", "g > rect": "cr", "svg rect": "clr", ".a.b rect": "cr", "#r": "r", "rect.c": "c", "[x]": "r", "[x='12']": "r", "[x^=1]": "r", "[x$='2']": "r", "[x*=3]": "", "[lang|=en]": "r", "[class~=b]": "g",
		"rect + circle": "o", "rect ~ rect": "c", ":first-child": "gr", "rect:last-child": "cl", ":root": "s", "g :nth-child(odd)": "cr", "g :nth-child(-n+2)": "or", "rect:not(.c)": "lr", "g,circle": "go", "svg>g>rect": "cr",
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
