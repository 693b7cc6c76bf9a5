package diagram

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/pagestyle"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/svg"
)

// cellWithMark returns the page's first cell whose badge key has one of some values,
// nil for none: "title", "heading" or "legend".
func cellWithMark(page *mxfile.Page, marks ...string) *cell {
	for x := page.First(); x != nil; x = x.Next() {
		if x.Badge && slices.Contains(marks, model.StyleValue(x.Style, mxfile.BadgeKey)) {
			return x
		}
	}
	return nil
}

// isCovered reports whether a shape lies on a title or a legend.
func isCovered(x *cell) bool {
	for o := x.Page.First(); o != nil; o = o.Next() {
		if o.Shape() && o.Owner() == nil && !o.Badge && o.Geo.Overlaps(x.Geo) {
			return true
		}
	}
	return false
}

// legendLines returns the lines of the page's legend.
func legendLines(d *doc) []string {
	l := cellWithMark(d.in.Model().Current, "legend")
	if l == nil {
		return nil
	}
	var out []string
	for _, k := range l.Page.Children(l.ID) {
		if k.Label() != "" {
			out = append(out, k.Label())
		}
	}
	return out
}

func TestALegendListsTheTypesInUse(t *testing.T) {
	d := orders(t)
	before := d.bytes()
	if reply, want := d.run("legend"), "legend @("; !strings.HasPrefix(reply, want) || !strings.HasSuffix(reply, ": Service, Database, Queue") {
		t.Errorf("told %q", reply)
	}
	d.undo()
	if d.bytes() != before {
		t.Error("undo left something of the legend")
	}
	d.run("look")
	if got, want := legendLines(d), []string{"Legend", "Service", "Database", "Queue", "Asynchronous"}; !slices.Equal(got, want) {
		t.Errorf("the legend says %q, want %q", got, want)
	}
	d.unchanged("legend", "already says that")
	if err := d.refused("legend of", "legend takes off"); len(err.Try) != 1 || err.Try[0].Text != "legend off" {
		t.Errorf("tries %v", err.Try)
	}
	d.run("add actor Buyer")
	if got := legendLines(d); !slices.Contains(got, "Actor") || len(got) != 6 {
		t.Errorf("the legend says %q", got)
	}
	d.run("remove Buyer", "modify Mailer type:box", "remove Web")
	if got, want := legendLines(d), []string{"Legend", "Service", "Database", "Queue", "Box", "Asynchronous"}; !slices.Equal(got, want) {
		t.Errorf("the legend says %q, want %q", got, want)
	}
	d.run("legend off")
	if got := legendLines(d); got != nil {
		t.Errorf("the legend is still there: %q", got)
	}
	d.unchanged("legend off", "already has no legend")
	one := newDoc(t)
	one.run("add svc A", "add svc B", "connect A -> B")
	one.unchanged("legend", "need no legend")
	if err := d.refused("legend of", "legend takes off"); len(err.Try) > 0 {
		t.Errorf("tries %v, which changes nothing", err.Try)
	}
}

func TestTitleAndLegendDoNotCountAsShapes(t *testing.T) {
	d := orders(t)
	was := []string{d.digest(), d.warnings(), d.query("map"), d.query("lint")}
	d.run("look")
	is := []string{d.digest(), d.warnings(), d.query("map"), d.query("lint")}
	for i := range was {
		if i != 2 && was[i] != is[i] { // the line of the map that lists themes
			t.Errorf("was\n%s\nand is\n%s", was[i], is[i])
		}
	}
	if strings.Contains(is[2], "Legend") || strings.Contains(is[2], "Order system") {
		t.Errorf("the map lists them:\n%s", is[2])
	}
}

func TestTitleAndLegendStayBesideTheContent(t *testing.T) {
	d := orders(t)
	d.run("look")
	page := d.in.Model().Current
	apart := func(after string) {
		t.Helper()
		content := svg.Extent(page, func(x *cell) bool { return x.Badge && model.StyleValue(x.Style, mxfile.BadgeKey) != "1" })
		for _, x := range []*cell{cellWithMark(page, "title"), cellWithMark(page, "legend")} {
			if x.Geo.Overlaps(content) || !x.Geo.Overlaps(content.Grow(60)) {
				t.Errorf("after %s %s lies at %v, the content at %v", after, model.StyleValue(x.Style, mxfile.BadgeKey), x.Geo, content)
			}
		}
	}
	apart("look")
	d.run("layout dir:TB")
	apart("layout dir:TB")
	d.run("move @all by:0,300", "look")
	apart("a move and look")
	// A legend that someone moved stays there while the place is free.
	x := cellWithMark(page, "legend")
	to := geom.Rect{X: x.Geo.X + 30, Y: x.Geo.Y + 20, W: x.Geo.W, H: x.Geo.H}
	draft := d.in.Model().Draft()
	draft.Change(x, func(t mxfile.Text) mxfile.Text { return t.WithGeo(to) })
	if err := draft.Edit().Do(d.in.Model()); err != nil {
		t.Fatal(err)
	}
	d.run("look vibrant")
	if got := cellWithMark(page, "legend").Geo; got != to {
		t.Errorf("the legend was moved to %v and is at %v", to, got)
	}
}

func TestNothingIsPlacedOnALegend(t *testing.T) {
	d := orders(t)
	d.run("look")
	page := d.in.Model().Current
	free := func(after string) {
		t.Helper()
		for _, x := range []*cell{cellWithMark(page, "title"), cellWithMark(page, "legend")} {
			if isCovered(x) {
				t.Errorf("%s after %s", model.StyleValue(x.Style, mxfile.BadgeKey), after)
			}
		}
	}
	at := cellWithMark(page, "legend").Geo
	d.run(fmt.Sprintf("add svc Late at:%g,%g", at.X+10, at.Y))
	if cellWithMark(page, "legend").Geo.Y != at.Y {
		t.Error("the legend gave way to a shape that had room beside it")
	}
	free("add at:")
	for i := range 12 {
		d.run(fmt.Sprintf("add svc More%d near:Late dir:below", i))
		free("add near:")
	}
	at = cellWithMark(page, "legend").Geo
	before := d.bytes()
	d.run(fmt.Sprintf("move More3 to:%g,%g strict:true", at.X+10, at.Y))
	free("move strict:true")
	at = cellWithMark(page, "title").Geo
	d.run(fmt.Sprintf("move Front to:%g,%g strict:true", at.X, at.Y-20))
	free("move of a group")
	d.undo()
	d.undo()
	if d.bytes() != before {
		t.Error("undo leaves title or legend elsewhere")
	}
}

func TestASplitOffPageGetsThePaletteAndALegend(t *testing.T) {
	d := orders(t)
	d.run("look dark muted")
	before := d.bytes()
	d.run("page split Data")
	if got := legendLines(d); got != nil { // services alone need no legend
		t.Errorf("the legend says %q", got)
	}
	d.undo()
	if d.bytes() != before {
		t.Error("undo leaves something of the page")
	}
	d.run("page split Data", "page switch Data", "add db Copies")
	if got := legendLines(d); !slices.Contains(got, "Database") || !slices.Contains(got, "Queue") {
		t.Errorf("the new page's legend says %q", got)
	}
	if !pagestyle.IsDark(d.in.Model().Current) {
		t.Error("the new page is light")
	}
	if s := styleOf(t, d, "Copies"); s.Is("fillColor", "default") || model.StyleValue(s, "fillColor") == "" {
		t.Errorf("what is new there has no look: %s", s)
	}
}

func TestALegendOfAFlowchartNamesSteps(t *testing.T) {
	d := newDoc(t)
	d.run("mermaid\nflowchart TB\nS([Start]) --> V[Check] --> I{Good?}\nI -- yes --> E([End])\nI -- no --> V\nend mermaid", "look")
	legend := strings.Join(legendLines(d), "; ")
	if legend != "Legend; Start, end; Step; Decision" {
		t.Errorf("it says %s", legend)
	}
}
