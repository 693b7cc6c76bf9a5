package diagram

import (
	"strings"
	"testing"
)

func TestPropertiesLinksAndTooltipsAddAndRemoveTheWrapper(t *testing.T) {
	d := newDoc(t)
	d.run("add svc Auth", "add db DB", "connect Auth -> DB label:reads")
	before := d.bytes()
	d.run("link Auth url:https://example.com/?a=1&b=2", `tooltip Auth "tokens <b>"`, `data Auth owner:"Team A"`, "data Auth -> DB protocol:grpc")
	if got := d.query("describe Auth"); !strings.Contains(got, "owner: Team A") || !strings.Contains(got, "link: https://example.com/?a=1&b=2") {
		t.Errorf("describe shows no properties:\n%s", got)
	}
	if !strings.Contains(d.bytes(), `<UserObject label="Auth" id="n1"`) {
		t.Errorf("no wrapper:\n%s", d.bytes())
	}
	d.run("style Auth bold", "style Auth no-bold", "label Auth Login", "label Login Auth")
	d.run("link Auth url:none", `tooltip Auth ""`, `data Auth owner:""`, `data Auth -> DB protocol:""`)
	after := d.bytes()
	if strings.Contains(after, "UserObject") {
		t.Errorf("a wrapper without properties stays:\n%s", after)
	}
	for _, want := range []string{`value="Auth"`, `value="reads"`} {
		if !strings.Contains(after, want) || strings.Count(after, "<mxCell") != strings.Count(before, "<mxCell") {
			t.Errorf("%s was lost:\n%s", want, after)
		}
	}
	d.refused("link Auth url:javascript:alert(1)", "refused")
	d.refused("data Auth xmlns:1", "property's name")
	d.refused("data Auth label:x", "not a custom property")
}

func TestABadgeIsDrawnOnItsShapeAndIsNotCounted(t *testing.T) {
	d := newDoc(t)
	d.run("add svc Auth", "badge Auth 3")
	if d.digest() != "1s 0e 0g 140x60 p:1/1" {
		t.Errorf("digest %s", d.digest())
	}
	if !strings.Contains(d.bytes(), `value="3"`) || !strings.Contains(d.bytes(), `as="offset"`) {
		t.Errorf("no badge in\n%s", d.bytes())
	}
	d.run("badge Auth 12 at:bottom-left theme:green")
	if n := strings.Count(d.bytes(), "fcpBadge=1"); n != 1 {
		t.Errorf("%d badges", n)
	}
	d.run("copy Auth as:Copy", `badge Auth ""`)
	if n := strings.Count(d.bytes(), "fcpBadge=1"); n != 1 {
		t.Errorf("%d badges after copy and removal", n)
	}
	d.run("remove Copy")
	if strings.Contains(d.bytes(), "fcpBadge") {
		t.Error("the badge outlived its shape")
	}
}

func TestDefinitionsAreSavedWithTheFileAndShownInHelp(t *testing.T) {
	d := newDoc(t)
	d.run("define theme brand fill:#abcdef stroke:navy font-color:white", `define fn base:svc theme:brand badge:"f x" size:90x40`, "title Orders")
	e := openDoc(t, []byte(d.bytes()))
	e.run("add fn Resize", "add box Other theme:brand")
	for _, want := range []string{"fcpType=fn", "fillColor=#abcdef", "fontColor=#ffffff", `width="90"`, `value="f x"`} {
		if !strings.Contains(e.bytes(), want) {
			t.Errorf("%s is missing:\n%s", want, e.bytes())
		}
	}
	if got := e.query("list @type:fn"); !strings.Contains(got, "Resize") || strings.Contains(got, "Other") {
		t.Errorf("@type:fn: %s", got)
	}
	if got := e.query("list @theme:brand"); !strings.Contains(got, "Resize") || !strings.Contains(got, "Other") {
		t.Errorf("@theme:brand: %s", got)
	}
	s, err := e.in.Help()
	if err != nil || len(s.Sections) != 2 {
		t.Errorf("help %+v, %v", s, err)
	}
	if got := e.in.Model().Title(); got != "Orders" {
		t.Errorf("title %q", got)
	}
	e.refused("define box base:svc", "of every document")
	e.refused("define 1fn base:svc", "lower-case letter")
	e.refused("define x base:boox", "unknown type")
	e.refused("define theme other fill:red", "needs fill: and stroke:")
}

func TestLayersHoldShapesAndCanBeOrdered(t *testing.T) {
	d := newDoc(t)
	d.run("add box A", "layer create Notes", "add note N", "layer switch 1", "add box B")
	if got := d.query("list @layer:Notes"); !strings.Contains(got, "N(note)") || strings.Contains(got, "A(box)") {
		t.Errorf("@layer: %s", got)
	}
	d.run("layer hide Notes", "layer lock Notes", "layer move B to:Notes", "layer move Notes 1", "layer rename 1 Remarks")
	if got := d.query("layers"); got != "1 Remarks: 2s 0e hidden locked\n2 Background: 1s 0e (current)" {
		t.Errorf("layers:\n%s", got)
	}
	d.run("layer show 1", "layer unlock 1", "connect A -> N", "connect N -> B")
	if got, want := d.run("layer remove Remarks"), "layer 1 Remarks with 2 shapes inside: N, B and 2 edges: A->N, N->B"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if d.digest() != "1s 0e 0g 120x60 p:1/1" {
		t.Errorf("digest %s", d.digest())
	}
	d.refused("layer remove 1", "last layer")
	d.refused("layer switch Nothing", "no layer")
	d.unchanged("layer create Background", "already exists, and is the current one")
}

func TestAlignDistributeSwapAndRotatePlaceShapes(t *testing.T) {
	d := newDoc(t)
	d.run("add box A at:0,0", "add box B at:300,100 size:60x60", "add box C at:700,300")
	d.run("align A B C middle")
	for _, n := range []string{"A", "B", "C"} {
		c := d.in.Model().Current.Names()
		hits, _ := c.Find(n, true)
		if y := hits[0].Abs().Center().Y; y != 180 {
			t.Errorf("%s is at %v", n, y)
		}
	}
	d.run("distribute A B C horizontal spacing:40")
	if got := d.query("list @text:C"); !strings.Contains(got, "@(260,150 120x60)") {
		t.Errorf("distribute: %s", got)
	}
	d.run("swap A C", "rotate A -90", "order C back")
}

// Middles that are not on whole units are exchanged to the nearest ones.
func TestSwapRoundsToTheNearestUnit(t *testing.T) {
	d := newDoc(t)
	d.run("add box A at:100,100 size:120x60", "add box B at:500,100 size:75x60", "swap A B")
	if a, b := d.at("A"), d.at("B"); a.X != 478 || b.X != 122 {
		t.Errorf("A is at %v, B at %v", a, b)
	}
}
