package svgdom

import (
	"slices"
	"testing"
)

// styled returns a document with its cascade.
func styled(t testing.TB, text string) (root *Node, c *Cascade) {
	t.Helper()
	root = parse(t, text)
	var sheets []*Node
	for n := range root.All() {
		if n.Type == "style" {
			sheets = append(sheets, n)
		}
	}
	return root, NewCascade(ReadRules(sheets))
}

func TestTheStrongestDeclarationHolds(t *testing.T) {
	for _, c := range []struct {
		sheet, attributes, want string
		from                    Origin
	}{
		{"", `fill=" red "`, "red", Attribute},
		{"rect{fill:lime}", `fill="red"`, "lime", Sheet},
		{"rect{fill:lime}", `style="fill:red"`, "red", Inline},
		{"rect{fill:lime!important}", `style="fill:red"`, "lime", Sheet},
		{"rect{fill:lime!important}", `style="fill:red!important"`, "red", Inline},
		{"#r{fill:red} .k.l rect.k{fill:lime}", "", "red", Sheet},
		{".k{fill:red} g rect{fill:lime}", "", "red", Sheet},
		{":first-child{fill:red} rect{fill:lime}", "", "red", Sheet},
		{"g :nth-child(1){fill:red} g rect{fill:lime}", "", "red", Sheet},
		{"rect:not(.z){fill:red} g rect{fill:lime}", "", "red", Sheet},
		{"[class]{fill:red} g rect{fill:lime}", "", "red", Sheet},
		{"rect{fill:lime} rect{fill:red}", "", "red", Sheet},
		{"rect.k{fill:red} *{fill:lime}", "", "red", Sheet},
		{"#r{stroke:lime}", "", "", Nowhere},
		{"rect{fill:var(--a)} g{--a:red} svg{--a:lime}", "", "red", Sheet},
		{"rect{fill:var(--b, var(--a))} g{--a:red}", "", "red", Sheet},
		{"rect{fill:url(#a) var(--a)} g{--a:red}", "", "url(#a) red", Sheet},
		{"rect{fill:var(--a)}", "", "", Nowhere},
		{"rect{fill:var(--a);--a:var(--b);--b:var(--a)}", "", "", Nowhere},
	} {
		root, cascade := styled(t, `<svg><style>`+c.sheet+`</style><g class="k l"><rect id="r" class="k" `+c.attributes+`/></g></svg>`)
		n := root.Last.First
		if got, from := cascade.Own(n, "fill"); got != c.want || from != c.from {
			t.Errorf("%s %s: %q of %d, want %q of %d", c.sheet, c.attributes, got, from, c.want, c.from)
		}
		last := ""
		cascade.Each(n, func(name, value string) {
			if name == "fill" {
				last = value
			}
		})
		if last != c.want {
			t.Errorf("%s %s: the last of all is %q", c.sheet, c.attributes, last)
		}
	}
}

func TestSomePropertiesAreNoAttributes(t *testing.T) {
	root, c := styled(t, `<svg mix-blend-mode="hue" font="9px a" style="isolation:isolate"/>`)
	for name, want := range map[string]Origin{"mix-blend-mode": Nowhere, "font-size": Nowhere, "font": Nowhere, "isolation": Inline} {
		if _, from := c.Own(root, name); from != want {
			t.Errorf("%s is of %d", name, from)
		}
	}
}

func TestStylesAreInherited(t *testing.T) {
	root, c := styled(t, `<svg fill="red" opacity=".5" font-size="10" stroke="blue"><g style="font:bold 2em serif" stroke="none"><rect stroke="inherit" fill="initial" opacity="inherit"/><text font-size="larger" fill="nonsense" style="stroke:inherit;stroke:lime"/></g></svg>`)
	first := FirstStyle()
	outer := first.Of(c, root)
	group := outer.Of(c, root.First)
	rect, text := group.Of(c, root.First.First), group.Of(c, root.First.Last)
	if group.Size != 20 || !group.Bold || group.Opacity != 1 || group.Fill != outer.Fill || group.Stroke.Visible() {
		t.Errorf("the group is %+v", group)
	}
	if rect.Stroke.Visible() || rect.Fill != first.Fill || rect.Opacity != 1 {
		t.Errorf("the rect is %+v", rect)
	}
	if text.Size != 24 || text.Fill != outer.Fill || text.Stroke.Color.G != 1 {
		t.Errorf("the text is %+v", text)
	}
}

func TestNamespacesSayWhichElementsAreOfSVG(t *testing.T) {
	root := parse(t, `<s:svg xmlns:s="http://www.w3.org/2000/svg" xmlns:i="urn:i"><s:g/><i:g/><g xmlns="http://www.w3.org/2000/svg"><s:a/></g><g xmlns="urn:o"><b/></g><q:g/></s:svg>`)
	var got []string
	for n := range root.All() {
		got = append(got, n.Type)
	}
	if want := []string{"svg", "g", "i:g", "g", "a", ":g", ":b", "q:g"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if string(root.AppendTo(nil)) != root.Raw() || root.First.Next.Key != 3 || root.Count() != 8 {
		t.Error("the pieces are not the text")
	}
}
