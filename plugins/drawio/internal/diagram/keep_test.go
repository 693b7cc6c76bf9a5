package diagram

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/layout/arrange"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/arranger"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
)

// spots returns the rectangles of the shapes of a page, by name.
func spots(d *doc) map[string]geom.Rect {
	out := map[string]geom.Rect{}
	for c := d.in.Model().Current.First(); c != nil; c = c.Next() {
		if c.Shape() {
			out[c.Label()] = c.Abs()
		}
	}
	return out
}

// backAndForth undoes the last op, checks that this restores the bytes before it, and redoes it.
func backAndForth(t *testing.T, d *doc, before string) {
	t.Helper()
	after := d.bytes()
	r := d.undo()
	if d.bytes() != before {
		t.Error("undo does not bring the bytes back")
	}
	if d.redo(r); d.bytes() != after {
		t.Error("redo gives other bytes")
	}
}

func laidOutShop(t *testing.T) *doc {
	t.Helper()
	for _, b := range briefs(t) {
		if b.name == "shop" {
			d := newDoc(t)
			d.run(b.ops...)
			return d
		}
	}
	t.Fatal("no shop")
	return nil
}

func TestKeepPlacesNewShapesAndLeavesTheRest(t *testing.T) {
	d := laidOutShop(t)
	was := spots(d)
	d.unchanged("layout keep:true", "nothing is new")
	d.run(`add svc "Order Worker" in:Services theme:green`, `connect "Event Bus" -> "Order Worker" style:dashed`, `connect "Order Worker" -> "Orders DB"`, `add svc Audit`, `connect "Event Bus" -> Audit`)
	before := d.bytes()
	reply := d.run("layout keep:true")
	if !strings.Contains(reply, "Order Worker") || !strings.Contains(reply, "score") {
		t.Error(reply)
	}
	moved := 0
	for n, r := range spots(d) {
		if o, ok := was[n]; ok && (o.X != r.X || o.Y != r.Y) {
			moved++
		}
	}
	if moved > 4 { // pushed by the group that grew
		t.Errorf("%d of %d shapes have moved", moved, len(was))
	}
	if o := at(t, d, "Order Worker").Owner(); o != at(t, d, "Services") {
		t.Errorf("Order Worker is in %s", model.Short(o))
	}
	apart(t, d, "keep")
	s, _ := arranger.Score(d.in.Model().Current)
	if s.Counts[arrange.Through]+s.Counts[arrange.OwnEnd]+s.Counts[arrange.Overlaps]+s.Counts[arrange.Strays] > 0 || s.Counts[arrange.Crossings] > 6 {
		t.Errorf("%s", s)
	}
	backAndForth(t, d, before)
	d.refused("layout keep:true dir:LR", "keep:true keeps")
	d.refused("layout keep:perhaps", "keep")
}

// keep:true with a selector places the selected shapes again even if they had a place.
func TestKeepPlacesSelectedShapes(t *testing.T) {
	d := laidOutShop(t)
	d.run("move SendGrid in:none to:3000,3000 strict:true")
	was := spots(d)
	d.run("layout keep:true @connected:Notifications @type:svc")
	r := at(t, d, "SendGrid").Abs()
	if r.X > 2000 || r.Y > 2000 {
		t.Errorf("SendGrid is at %v", r)
	}
	for _, n := range []string{"Auth", "CDN", "Users DB"} {
		if spots(d)[n] != was[n] {
			t.Errorf("%s has moved from %v to %v", n, was[n], spots(d)[n])
		}
	}
}

func TestAPinnedShapeStays(t *testing.T) {
	for _, op := range []string{"layout", "layout dir:LR", "layout dir:RL by:flow", "layout algo:tree", "layout algo:force", "layout algo:grid", "layout algo:radial"} {
		d := shop(t)
		d.run("move G1 by:900,40 strict:true", "add svc Alone", "connect S3 -> Alone", "move Alone to:-700,300 strict:true")
		d.run("pin S1", "pin Alone")
		was := spots(d)
		d.run(op)
		for _, n := range []string{"S1", "S5", "G1", "Alone"} { // S1 lies in G1
			if now := spots(d)[n]; now != was[n] {
				t.Errorf("%s: %s at %v was at %v", op, n, now, was[n])
			}
		}
		if spots(d)["S0"] == was["S0"] && spots(d)["S2"] == was["S2"] {
			t.Errorf("%s: nothing has moved", op)
		}
		apart(t, d, op)
		d.run("pin Alone off", "pin S1 off", op)
		if now := spots(d); now["Alone"] == was["Alone"] && now["S1"] == was["S1"] {
			t.Errorf("%s: they stay without their pins", op)
		}
	}
	d := newDoc(t)
	d.run("add box A", "add box B", "connect A -> B", "pin A")
	d.unchanged("pin A", "is already pinned")
	d.unchanged("pin B off", "already not pinned")
	d.refused("pin @edges", "cannot be pinned")
	d.refused("pin A loose", "off after it")
}

// The ops of the second round of the brief.
func TestSplitDealsEdgesAsTheOpSays(t *testing.T) {
	d := laidOutShop(t)
	before := d.bytes()
	was := spots(d)
	reply := d.run(`split Checkout as:"Checkout API, Order Worker" in:"Checkout API" out:"Order Worker" with:"Checkout API=Payments"`)
	if !strings.Contains(reply, "Checkout API") || !strings.Contains(reply, "Order Worker") {
		t.Error(reply)
	}
	var got []string
	for _, e := range lines(d) {
		if text := model.ArrowText(e); strings.Contains(text, "Checkout") || strings.Contains(text, "Order Worker") {
			got = append(got, text)
		}
	}
	if want := "API Gateway->Checkout API Order Worker->Orders DB Checkout API->Payments Order Worker->Event Bus"; strings.Join(got, " ") != want {
		t.Errorf("%v", got)
	}
	if x, y := at(t, d, "Order Worker"), at(t, d, "Checkout API"); x.Owner() != y.Owner() || x.Style != y.Style {
		t.Errorf("%s in %s is not as %s", x.Style, model.Short(x.Owner()), y.Style)
	}
	for _, n := range []string{"Web App", "API Gateway", "Auth"} {
		if spots(d)[n] != was[n] {
			t.Errorf("%s has moved", n)
		}
	}
	apart(t, d, "split")
	if s, _ := arranger.Score(d.in.Model().Current); s.Counts[arrange.Through]+s.Counts[arrange.OwnEnd] > 0 {
		t.Errorf("%s", s)
	}
	backAndForth(t, d, before)
	d.refused("split Auth as:One", "two names")
	d.refused("split Auth as:One,Two in:Three", "not one of the names")
	d.refused("split Auth as:One,Two with:One=Stripe", "no edge joins")
	d.refused("split Services as:One,Two", "single shapes")
	d.refused("split Auth as:One,Two with:Stripe", "does not say")
}

// The second round of the shop's brief: edges of the new shapes do not run along others, and labels move aside.
func TestKeepRoutesNewEdgesClearOfLabels(t *testing.T) {
	for _, b := range briefs(t) {
		if b.name != "shop" {
			continue
		}
		d := newDoc(t)
		d.run(b.ops...)
		d.run(`split Checkout as:"Checkout API, Order Worker" in:"Checkout API" out:"Order Worker" with:"Checkout API=Payments"`,
			`connect "Checkout API" -> "Event Bus" label:"order requested" style:dashed`, `connect "Event Bus" -> "Order Worker" style:dashed`,
			`add note "PCI scope" near:"Checkout API"`, `add note "PCI scope" near:Payments`, `add note "PCI scope" near:Stripe`)
		before := d.bytes()
		d.run("layout keep:true")
		s, _ := arranger.Score(d.in.Model().Current)
		for _, p := range []arrange.Part{arrange.Labels, arrange.Close, arrange.Through, arrange.OnBorder} {
			if s.Counts[p] > 0 {
				t.Errorf("%d %s: %s", s.Counts[p], p, s)
			}
		}
		backAndForth(t, d, before)
		return
	}
	t.Fatal("no brief of the shop")
}
