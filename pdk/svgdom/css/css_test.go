package css

import (
	"strings"
	"testing"
)

func TestDeclarationsAreReadAsBrowsersDo(t *testing.T) {
	text := `fill:red; STROKE : url("a;b#c") ;/* x:y; */ opacity:.5!important;junk;--My-Var: 1;x:y:z`
	var got []string
	for _, d := range Declarations(text) {
		one := d.Name + "=" + d.Value
		if d.Important {
			one += "!"
		}
		got = append(got, one)
	}
	if s := strings.Join(got, "|"); s != `fill=red|stroke=url("a;b#c")|opacity=.5!|--My-Var=1|x=y:z` {
		t.Error(s)
	}
}

func TestADeclarationIsSetInPlace(t *testing.T) {
	for _, c := range [][4]string{
		{"fill:red;stroke:blue", "fill", "#000", "fill:#000;stroke:blue"},
		{" fill : red ; stroke : none; ", "fill", "x", " fill : x ; stroke : none; "},
		{"fill:red !important", "fill", "x", "fill:x !important"},
		{"fill:red;fill:blue", "fill", "x", "fill:red;fill:x"},
		{"fill:red", "stroke", "x", "fill:red;stroke:x"},
		{"fill:red;", "stroke", "x", "fill:red;stroke:x;"},
		{"fill: red; a: b", "stroke", "x", "fill: red; a: b; stroke: x"},
		{"", "stroke", "x", "stroke:x"},
		{"\n  fill: red;\n  a: b;\n", "stroke", "x", "\n  fill: red;\n  a: b;\n  stroke: x;\n"},
	} {
		got := Set(c[0], c[1], c[2])
		if got != c[3] {
			t.Errorf("%q with %s:%s is %q, want %q", c[0], c[1], c[2], got, c[3])
		}
		if v, ok := Get(got, c[1]); !ok || v != c[2] {
			t.Errorf("%q gives %q", got, v)
		}
	}
	for _, c := range [][3]string{{"fill:red;stroke:blue", "fill", "stroke:blue"}, {"fill:red; stroke:blue", "stroke", "fill:red"}, {"a:b;fill:red;c:d", "fill", "a:b;c:d"}, {"fill:red", "fill", ""}, {"fill:a;x:y;fill:b", "fill", "x:y"}, {"a:b", "c", "a:b"}} {
		if got := Drop(c[0], c[1]); got != c[2] {
			t.Errorf("%q without %s is %q, want %q", c[0], c[1], got, c[2])
		}
	}
}

func TestTheRulesOfASheetAreRead(t *testing.T) {
	s := Parse(`<!-- @import url("a.css"); @font-face { src: url(x); } /* .no { a:b } */ .a, g > .b:not(.c) { fill : red } @media print { .p { fill:blue } } @media screen { .s { x:y } } .bad:hover { a:b } #i{} .a { stroke:} } -->`)
	var got []string
	for _, r := range s.Rules {
		got = append(got, r.Text)
	}
	if strings.Join(got, "|") != ".a, g > .b:not(.c)|.s|#i|.a" || len(s.Imports) != 1 || s.Imports[0] != "a.css" {
		t.Errorf("%q %q", got, s.Imports)
	}
	if r, ok := s.Class("a"); !ok || r.Text != ".a" {
		t.Error("the class is not found")
	}
}

func TestIDsOfASheetAreRenamed(t *testing.T) {
	in := `/* #a */ #a, g > #a.b, #ab { fill: #a; stroke: url( "#a" ); mask:url(#b) } @media (x: #a) { rect#a { fill:url(#a) } } @import "#a"; @font-face { src: url(#a) } g[href="#a"] #a{} #a`
	want := `/* #a */ #z, g > #z.b, #ab { fill: #a; stroke: url( "#z" ); mask:url(#b) } @media (x: #a) { rect#z { fill:url(#z) } } @import "#a"; @font-face { src: url(#z) } g[href="#a"] #z{} #z`
	if got := WithIDs(in, func(id string) string {
		if id == "a" {
			return "z"
		}
		return id
	}); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	for i := range in {
		for _, s := range []string{in[:i], in[i:]} {
			if got := WithIDs(s, func(id string) string { return id }); got != s {
				t.Errorf("%q became %q", s, got)
			}
		}
	}
}

func TestIDsAreRenamedHoweverTheyAreWritten(t *testing.T) {
	for in, want := range map[string]string{
		`#a\.b:hover{}`: `#c\.d:hover{}`, `#\61 \.b{}`: `#c\.d{}`, `[id="a.b"]{} [id = 'a.b' ]{} [id=a\.b]{} [id^="a.b"]{}`: `[id="c.d"]{} [id = 'c.d' ]{} [id=c\.d]{} [id^="a.b"]{}`,
		`rect:not(#a\.b){}`: `rect:not(#c\.d){}`, `g { fill:#abc; & #a\.b { fill:url(#a.b) } } #a\.b2{}`: `g { fill:#abc; & #c\.d { fill:url(#c.d) } } #a\.b2{}`,
		`@media (width>=1px){ @supports (x:y) { #a\.b:focus { } } } @keyframes k{ to{ fill:url("#a.b") } }`: `@media (width>=1px){ @supports (x:y) { #c\.d:focus { } } } @keyframes k{ to{ fill:url("#c.d") } }`,
	} {
		got := WithIDs(in, func(id string) string {
			if id == "a.b" {
				return "c.d"
			}
			return id
		})
		if got != want {
			t.Errorf("%s became %s, not %s", in, got, want)
		}
	}
	if got := Ident("1a b-_é"); got != `\31 a\ b-_é` {
		t.Error(got)
	}
}

func TestRulesAreExtendedToCopies(t *testing.T) {
	copies := []map[string]string{{"a": "a2", "k": "k2"}, {"a": "a3", "k": "k3"}}
	for in, want := range map[string]string{
		`#a{x:#a}`: `#a, #a2, #a3{x:#a}`, `b , #a:hover > .c /* d */ {} #aa{}`: `b , #a:hover > .c /* d */, #a2:hover > .c /* d */, #a3:hover > .c /* d */ {} #aa{}`,
		`@media print { #a #k, rect { fill:url(#a) } }`: `@media print { #a #k, #a2 #k2, #a3 #k3, rect { fill:url(#a) } }`, `[id="a"]{}`: `[id="a"], [id="a2"], [id="a3"]{}`,
		`rect:not(#a){}`: `rect:not(#a):not(#a2):not(#a3){}`, `#k:not(.x #a){}`: `#k:not(.x #a):not(.x #a2):not(.x #a3), #k2:not(.x #a):not(.x #a2):not(.x #a3), #k3:not(.x #a):not(.x #a2):not(.x #a3){}`, `#x{}`: `#x{}`,
	} {
		if got := Edited(in, Extended(in, copies)); got != want {
			t.Errorf("%s became %s, not %s", in, got, want)
		}
	}
}

func TestSelectorsThatAreNotUnderstoodAreRefused(t *testing.T) {
	for _, bad := range []string{"", "g >", "..a", "a:hover", "[x", ":nth-child(x)", "a,", "g !"} {
		if _, err := ParseSelectors(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func TestSpecificity(t *testing.T) {
	if a, b := specificity(t, "#a"), specificity(t, ".a.b.c rect rect"); a <= b {
		t.Error("an id counts less than classes")
	}
	for _, sel := range []string{"rect:first-child", "rect:nth-child(2)", "rect:not(.b)", "rect[x]"} {
		if a, b := specificity(t, sel), specificity(t, "rect.a"); a != b {
			t.Errorf("%s counts %d, and a class %d", sel, a, b)
		}
	}
}

func specificity(t *testing.T, s string) int {
	t.Helper()
	list, err := ParseSelectors(s)
	if err != nil {
		t.Fatal(err)
	}
	return list[0].Specificity()
}

// No text may make the readers panic or loop forever.
func FuzzCSS(f *testing.F) {
	f.Add(`.a{fill:red}`, "fill")
	f.Add(`@media screen{.s{x:y}`, "x")
	f.Add(`a:b;/*`, "a")
	f.Fuzz(func(t *testing.T, text, name string) {
		Parse(text)
		_, _ = ParseSelectors(text)
		Declarations(text)
		if got, ok := Get(Drop(text, name), name); ok {
			t.Errorf("%q still has %s: %q", text, name, got)
		}
	})
}

func TestTheFontShorthandIsReadAsThePropertiesThatItSets(t *testing.T) {
	for value, want := range map[string]string{
		"12px sans-serif":                         "normal normal 12px sans-serif",
		"italic 700 1.2em/1.5 \"A B\", serif":     "italic 700 1.2em \"A B\", serif",
		"small-caps bold  14pt Georgia":           "normal bold 14pt Georgia",
		"oblique medium serif":                    "oblique normal medium serif",
		"inherit":                                 "",
		"caption":                                 "",
		"normal normal lighter x-small/2 Verdana": "normal lighter x-small Verdana",
	} {
		got := ""
		for _, d := range Expand(Declarations("font: " + value + ";fill:red")) {
			if d.Name != "font" && d.Name != "fill" {
				got += " " + d.Value
			}
		}
		if strings.TrimSpace(got) != want {
			t.Errorf("%s: got%s, want %s", value, got, want)
		}
	}
}
