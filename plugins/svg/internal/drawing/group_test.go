package drawing

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

func openedWith(t *testing.T, content string) *pdktest.Doc {
	return pdktest.Open(t, Domain(), "a.svg", []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 200">`+content+"</svg>"))
}

func TestElementsThatChangeGroupsLookTheSame(t *testing.T) {
	for _, c := range []struct{ content, op, says, wrote string }{
		{`<g id="logo" opacity=".5"><rect id="k" width="9" height="9"/></g>`, "reparent k in:root", "? no longer under logo's opacity:.5: k", `</g><rect id="k" width="9" height="9"/>`},
		{`<g id="logo" style="mix-blend-mode:multiply"/><rect id="k" width="9" height="9"/>`, "reparent k in:logo", "? under logo's mix-blend-mode:multiply now: k", `<rect id="k" width="9" height="9"/></g>`},
		{`<g id="logo" fill="red" font-size="9"><rect id="k" width="9" height="9"/></g>`, "reparent k in:root", "", `<rect id="k" width="9" height="9" fill="red"/>`},
		{`<g id="logo" fill="red"/><rect id="k" width="9" height="9"/>`, "reparent k in:logo", "", `<rect id="k" width="9" height="9" fill="black"/>`},
		{`<style>.hot rect { fill: red; opacity: .3 }</style><g id="logo" class="hot"><g id="k"><rect id="r" width="9" height="9"/></g></g>`, "reparent k in:root", "", `<g id="k"><rect id="r" width="9" height="9" fill="red" opacity=".3"/></g>`},
		{`<style>#logo rect { fill: red !important }</style><g id="logo"/><rect id="k" width="9" height="9"/>`, "reparent k in:logo", "? k now has fill:red", ""},
		{`<g id="logo" font-size="20"><text id="k" font-size="50%">a</text></g>`, "reparent k in:root", "", `<text id="k" font-size="10">`},
		{`<g id="logo" transform="translate(5,5)"><rect id="k" width="9" height="9"/></g><use id="u" href="#k"/>`, "reparent k in:root", "? u shows k, which now has another transform", ""},

		{`<g fill="green"><g id="logo" fill="red"><rect id="k" width="9" height="9" fill="inherit"/></g></g>`, "ungroup logo", "", `<rect id="k" width="9" height="9" fill="red"/>`},
		{`<g id="logo" font-size="20"><text id="k" font-size="50%">a</text><text id="m" font-size="2em">a</text><text id="n" font-size="larger">a</text></g>`, "ungroup logo", "", `<text id="k" font-size="10">a</text><text id="m" font-size="40">a</text><text id="n" font-size="24">a</text>`},
		{`<g id="logo"><!-- one --><rect id="k" width="9" height="9"/><!-- two --></g>`, "ungroup logo", "", `<!-- one --><rect id="k" width="9" height="9"/><!-- two -->`},
		{`<g id="logo"><title>T</title><rect id="k" width="9" height="9"/><use id="u" href="#k" x="20"/></g>`, "ungroup logo", "", `><rect id="k" width="9" height="9"/><use id="u" href="#k" x="20"/></svg>`},
	} {
		doc := openedWith(t, c.content)
		was := string(doc.Save())
		if reply := doc.Do(c.op); !strings.Contains(reply, c.says) || c.says == "" && strings.Contains(reply, "?") {
			t.Errorf("%s on %s said\n%s\nwant %s", c.op, c.content, reply, c.says)
		}
		if got := string(doc.Save()); !strings.Contains(got, c.wrote) {
			t.Errorf("%s on %s wrote\n%s\nwant %s", c.op, c.content, got, c.wrote)
		}
		doc.Undo(1)
		if got := string(doc.Save()); got != was {
			t.Errorf("undo of %s left\n%s", c.op, got)
		}
	}
}

func TestAGroupThatCannotBeDissolvedIsKept(t *testing.T) {
	for _, c := range []struct{ content, says string }{
		{`<g id="logo" transform="translate(50,50)"><rect id="a" width="9" height="9"/><use id="u" href="#a" x="20"/></g>`, "a in it is shown by u"},
		{`<g id="logo" transform="translate(50,50)"><rect id="a" width="9" height="9"/></g><use id="u" href="#a" x="20"/>`, "a in it is shown by u"},
		{`<g id="logo" style="mix-blend-mode:multiply"><rect width="9" height="9"/></g>`, "logo has mix-blend-mode:multiply"},
		{`<g id="logo" style="isolation:isolate"><rect width="9" height="9"/></g>`, "logo has isolation:isolate"},
		{`<clipPath id="c"><g id="logo" clip-rule="evenodd"><rect width="9" height="9"/></g></clipPath>`, "logo lies in the clip c"},
		{`<switch id="s"><g id="logo"><rect width="9" height="9"/></g></switch>`, "one of the alternatives"},
		{`<text>x<a id="logo">y</a>z</text>`, "lies in the text"},
		{`<g id="logo"><rect width="9" height="9"/>&Rect;</g>`, "logo holds &Rect;"},
		{`<g id="logo"><!-- a -->&Rect;<rect width="9" height="9"/></g>`, "logo holds &Rect;"},
	} {
		doc := pdktest.Open(t, Domain(), "a.svg", []byte(`<!DOCTYPE svg [<!ENTITY Rect "<rect width='3' height='3'/>">]><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 200">`+c.content+"</svg>"))
		doc.Fail("ungroup logo", c.says)
	}
}

func TestAUseFollowsWhatIsMovedWithIt(t *testing.T) {
	for _, c := range []struct{ content, says, wrote string }{
		{`<rect id="a" width="9" height="9"/><use id="u" href="#a" x="20"/>`, "? u shows a and follows it", `<rect id="a" width="9" height="9" x="10" y="10"/><use id="u" href="#a" x="20"/>`},
		{`<rect id="a" width="9" height="9"/><use id="u" href="#a" transform="scale(2)"/>`, "", `<use id="u" href="#a" transform="translate(-10,-10) scale(2)"/>`},
		{`<g id="a"><rect id="b" width="9" height="9"/></g><use id="u" href="#b" x="20"/>`, "", `<use id="u" href="#b" x="30" y="10"/>`},
	} {
		doc := openedWith(t, c.content)
		if reply := doc.Do("move @depth:1 by:10,10"); !strings.Contains(reply, c.says) {
			t.Errorf("%s: said %s, want %s", c.content, reply, c.says)
		}
		if got := string(doc.Save()); !strings.Contains(got, c.wrote) {
			t.Errorf("%s: wrote %s, want %s", c.content, got, c.wrote)
		}
	}
}

func TestTheRootCanBeNamedDespiteAnElementOfItsName(t *testing.T) {
	doc := openedWith(t, `<g id="root"><rect id="a" width="9" height="9"/></g><g id="svg-parts"/>`)
	if reply := doc.Do("reparent a in:svg"); !strings.Contains(reply, "a in svg") {
		t.Errorf("said %s", reply)
	}
	doc.Fail("modify a id:root", "root is the document")

	doc = openedWith(t, `<g id="rootlet"><rect id="a" width="9" height="9"/></g>`)
	if reply := doc.Do("reparent a in:root"); !strings.Contains(reply, "a in root") || strings.Contains(reply, "rootlet") {
		t.Errorf("said %s", reply)
	}
}
