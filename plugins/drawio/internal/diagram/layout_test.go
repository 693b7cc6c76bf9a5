package diagram

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/layout/arrange"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/arranger"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/outline"
)

// shop returns a document with twenty shapes of all outlines in four groups, and edges between them.
func shop(t *testing.T) *doc {
	t.Helper()
	shopOnce.Do(func() { shopFile = []byte(drawShop(t).bytes()) })
	return openDoc(t, shopFile)
}

var (
	shopOnce sync.Once
	shopFile []byte
)

func drawShop(t *testing.T) *doc {
	d := newDoc(t)
	types := []string{"actor", "cloud", "svc", "decision", "db", "api", "doc", "queue", "circle", "triangle"}
	for i := range 20 {
		d.run(fmt.Sprintf("add %s S%d", types[i%len(types)], i))
	}
	for i := 1; i < 20; i++ {
		d.run(fmt.Sprintf("connect S%d -> S%d", i/2, i))
		if i > 6 {
			d.run(fmt.Sprintf("connect S%d -> S%d label:calls", i-5, i))
		}
	}
	for i := range 4 {
		d.run(fmt.Sprintf("group S%d S%d S%d S%d S%d as:G%d", i, i+4, i+8, i+12, i+16, i))
	}
	return d
}

// apart checks that no shapes overlap and that groups hold what is in them.
func apart(t *testing.T, d *doc, when string) {
	t.Helper()
	var all []*cell
	for c := d.in.Model().Current.First(); c != nil; c = c.Next() {
		if c.Shape() && !c.Relative {
			all = append(all, c)
		}
	}
	for i, a := range all {
		if o := a.Owner(); o != nil && !o.Abs().Contains(a.Abs()) {
			t.Errorf("%s: %s %v leaves %s %v", when, model.Short(a), a.Abs(), model.Short(o), o.Abs())
		}
		for _, b := range all[:i] {
			if !a.Within(b) && !b.Within(a) && a.Abs().Overlaps(b.Abs()) {
				t.Errorf("%s: %s %v lies on %s %v", when, model.Short(a), a.Abs(), model.Short(b), b.Abs())
			}
		}
	}
}

func lines(d *doc) []*cell {
	var out []*cell
	for c := d.in.Model().Current.First(); c != nil; c = c.Next() {
		if c.Edge {
			out = append(out, c)
		}
	}
	return out
}

func TestNoLayoutLeavesOverlaps(t *testing.T) {
	for _, grouped := range []bool{true, false} {
		for _, op := range []string{"layout", "layout dir:LR", "layout dir:BT spacing:20", "layout algo:tree", "layout algo:tree dir:RL", "layout algo:force", "layout algo:radial", "layout algo:grid"} {
			d := shop(t)
			if !grouped {
				d.run("ungroup G0", "ungroup G1", "ungroup G2", "ungroup G3")
			}
			d.run(op)
			apart(t, d, op)
		}
	}
}

// portOf returns the position of an edge's port on the page.
func portOf(x *cell, e *cell, which string) (geom.Point, bool) {
	num := func(key string) (float64, bool) {
		v, ok := e.Style.Get(which + key)
		n, _ := value.ParseNumber(v)
		return n, ok
	}
	fx, ok := num("X")
	fy, _ := num("Y")
	dx, _ := num("Dx")
	dy, _ := num("Dy")
	return outline.Seen(x.Style.Resolve(""), x.Abs(), geom.Point{X: fx, Y: fy}, geom.Point{X: dx, Y: dy}, e.Style.Is(which+"Perimeter", "0")), ok
}

func TestEndsOfEdgesRunStraightForEveryOutline(t *testing.T) {
	for _, op := range []string{"layout", "layout dir:LR", "layout dir:BT", "layout algo:tree dir:RL"} {
		d := shop(t)
		if strings.Contains(op, "tree") {
			d.run("ungroup G0", "ungroup G1", "ungroup G2", "ungroup G3")
		}
		d.run(op)
		for _, e := range lines(d) {
			from, to := model.Ends(e)
			way := e.Route()
			start, okA := portOf(from, e, "exit")
			end, okB := portOf(to, e, "entry")
			if !okA || !okB {
				t.Errorf("%s: %s has no ports", op, model.ArrowText(e))
				continue
			}
			var o geom.Point
			if g := e.Owner(); g != nil {
				o = geom.Point{X: g.Abs().X, Y: g.Abs().Y}
			}
			points := []geom.Point{start}
			for _, p := range way.Points {
				points = append(points, geom.Point{X: p.X + o.X, Y: p.Y + o.Y})
			}
			points = append(points, end)
			for i := 1; i < len(points); i++ {
				p, q := points[i-1], points[i]
				if dx, dy := p.X-q.X, p.Y-q.Y; (dx > 0.3 || dx < -0.3) && (dy > 0.3 || dy < -0.3) {
					t.Errorf("%s: %s slants from %v to %v: %s", op, model.ArrowText(e), p, q, e.Style)
				}
			}
		}
	}
}

func TestStraightLayoutsStraightenEdgesAndOthersBendThem(t *testing.T) {
	d := newDoc(t)
	d.run("add svc A", "add svc B", "connect A -> B via:10,20;30,40", "layout algo:force")
	e := lines(d)[0]
	if !e.Style.Is("noEdgeStyle", "1") || e.Routed {
		t.Errorf("after force: %s, waypoints %v", e.Style, e.Route().Points)
	}
	d.run("layout")
	if _, ok := e.Style.Get("noEdgeStyle"); ok {
		t.Errorf("after layered: %s", e.Style)
	}
	d.refused("layout algo:force dir:LR", "no direction")
	d.refused("layout algo:grid dir:LR", "no direction")
}

func TestAPartialLayoutLeavesTheRestStill(t *testing.T) {
	for _, algo := range []string{"layered", "tree", "force", "grid", "radial"} {
		d := newDoc(t)
		d.run("add svc Still at:900,50", "add svc Other at:900,400", "add box A", "add box B", "add box C", "add box D",
			"connect A -> B -> C", "connect B -> D", "connect A -> Still via:5,5", "connect B -> Still")
		was := [2]geom.Rect{at(t, d, "Still").Abs(), at(t, d, "Other").Abs()}
		d.run("layout @type:box algo:" + algo)
		if now := [2]geom.Rect{at(t, d, "Still").Abs(), at(t, d, "Other").Abs()}; now != was {
			t.Errorf("%s moved what was not selected: %v, was %v", algo, now, was)
		}
		apart(t, d, algo)
		for _, e := range lines(d) {
			if from, to := model.Ends(e); to == at(t, d, "Still") && e.Routed != (from.Name() == "A") {
				t.Errorf("%s: %s has waypoints: %v; those that an op set stay, others go", algo, model.ArrowText(e), e.Routed)
			}
		}
	}
}

func TestALayoutRunsAlongThePoolsLanes(t *testing.T) {
	for _, op := range []string{"layout", "layout algo:tree", "layout algo:grid", "layout @group:Order", "layout dir:TB"} {
		d := newDoc(t)
		d.run("add pool Order lanes:Customer,Shop,Bank,Nobody", "add box Buy in:Customer", "add box Check in:Shop", "add box Pay in:Bank", "add box Get in:Customer",
			"add box Idle in:Shop", "connect Buy -> Check -> Pay -> Get", "add cloud World", op)
		checkStack(t, d, op, "Order")
		apart(t, d, op)
		x := -1.0
		for _, step := range []string{"Buy", "Check", "Pay", "Get"} {
			r := at(t, d, step).Abs()
			if r.X <= x {
				t.Errorf("%s: %s at %v does not lie behind what leads to it", op, step, r)
			}
			x = r.Right()
		}
		for step, lane := range map[string]string{"Buy": "Customer", "Check": "Shop", "Pay": "Bank", "Get": "Customer", "Idle": "Shop"} {
			if o := at(t, d, step).Owner(); o != at(t, d, lane) {
				t.Errorf("%s: %s is in %s", op, step, model.Short(o))
			}
		}
		var names []string
		for _, l := range model.Lanes(at(t, d, "Order")) {
			names = append(names, l.Label())
		}
		if got := strings.Join(names, " "); got != "Customer Shop Bank Nobody" {
			t.Errorf("%s: the lanes are %s", op, got)
		}
	}
}

// Except for a few types, draw.io stores ports in the coordinates of the shape before its direction
// turns it.
func TestPortsOfTurnedShapesAreOnTheNamedFace(t *testing.T) {
	for _, kind := range []string{"box", "queue", "triangle"} {
		d := newDoc(t)
		d.run("add "+kind+" A at:100,100", "add box B at:400,100", "connect A -> B exit:right entry:left@0.25")
		if x, _ := lines(d)[0].Style.Get("exitX"); x != "1" {
			t.Errorf("%s: the file has the port turned: %s", kind, lines(d)[0].Style)
		}
		for _, op := range []string{"", "style A -> B exit:top", "modify A -> B exit:bottom"} {
			want := geom.Point{X: 1, Y: 0.5}
			if op != "" {
				d.run(op)
				want = map[string]geom.Point{"style": {X: 0.5}, "modify": {X: 0.5, Y: 1}}[strings.Fields(op)[0]]
			}
			e := lines(d)[0]
			from, to := model.Ends(e)
			got, _ := portOf(from, e, "exit")
			r := from.Abs()
			if want = (geom.Point{X: r.X + want.X*r.W, Y: r.Y + want.Y*r.H}); got != want {
				t.Errorf("%s, %q: the port is at %v, not %v: %s", kind, op, got, want, e.Style)
			}
			if got, _ := portOf(to, e, "entry"); got != (geom.Point{X: 400, Y: to.Abs().Y + 0.25*to.Abs().H}) {
				t.Errorf("%s, %q: the entry is at %v", kind, op, got)
			}
		}
	}
}

// Real files often have frames around shapes that are not their children.
func TestFramesMoveWithTheShapesInThem(t *testing.T) {
	d := newDoc(t)
	d.run(`add box "Cloud" at:0,0 strict:true size:500x400`, `add box "Subnet" at:40,60 strict:true size:300x300`, "add svc A at:60,100 strict:true", "add svc B at:60,220 strict:true", "add svc C at:360,220 strict:true", "add svc Out at:700,100 strict:true",
		"add text Title at:200,5 strict:true size:80x20", "add db Spare at:180,300 strict:true size:60x40",
		"connect A -> B", "connect B -> C", "connect C -> Out", "add svc Card at:700,300 strict:true size:200x80", "add box Icon at:710,310 strict:true size:30x30", "add svc Far at:1000,300 strict:true", "connect Card -> Far", "connect Out -> Icon")
	parents := map[string]string{}
	for c := d.in.Model().Current.First(); c != nil; c = c.Next() {
		parents[c.ID] = c.Parent
	}
	for _, op := range []string{"layout dir:LR", "layout", "layout algo:tree", "layout algo:grid"} {
		d.run(op)
		for frame, inside := range map[string][]string{"Cloud": {"Subnet", "A", "B", "C", "Title"}, "Subnet": {"A", "B", "Spare"}, "Card": {"Icon"}} {
			for _, n := range inside {
				if f, r := at(t, d, frame).Abs(), at(t, d, n).Abs(); !f.Contains(r) {
					t.Errorf("%s: %s at %v has left %s at %v", op, n, r, frame, f)
				}
			}
		}
		for _, n := range []string{"Out", "Far", "Card"} {
			if f, r := at(t, d, "Cloud").Abs(), at(t, d, n).Abs(); f.Overlaps(r) {
				t.Errorf("%s: %s at %v lies in Cloud at %v", op, n, r, f)
			}
		}
		for c := d.in.Model().Current.First(); c != nil; c = c.Next() {
			if c.Parent != parents[c.ID] {
				t.Errorf("%s: %s has another parent", op, model.Short(c))
			}
		}
		if s, _ := arranger.Score(d.in.Model().Current); s.Counts[arrange.Overlaps]+s.Counts[arrange.Strays] > 0 {
			t.Errorf("%s: %s", op, s)
		}
	}
}

// Labels that someone moved aside return to the edge; labels at the ends stay.
func TestLayoutMovesLabelsBackOntoTheirEdges(t *testing.T) {
	d := openDoc(t, []byte(`<mxfile><diagram id="p" name="P"><mxGraphModel><root><mxCell id="0"/><mxCell id="1" parent="0"/>
<mxCell id="a" value="A" style="html=1;" vertex="1" parent="1"><mxGeometry x="0" y="0" width="120" height="60" as="geometry"/></mxCell>
<mxCell id="b" value="B" style="html=1;" vertex="1" parent="1"><mxGeometry x="400" y="300" width="120" height="60" as="geometry"/></mxCell>
<mxCell id="e" value="own" style="edgeStyle=none;html=1;" edge="1" parent="1" source="a" target="b"><mxGeometry x="-0.4" y="30" relative="1" as="geometry"><mxPoint x="10" y="-50" as="offset"/></mxGeometry></mxCell>
<mxCell id="f" style="edgeStyle=orthogonalEdgeStyle;html=1;" edge="1" parent="1" source="b" target="a"><mxGeometry relative="1" as="geometry"/></mxCell>
<mxCell id="fl" value="0..*" style="edgeLabel;html=1;" vertex="1" connectable="0" parent="f"><mxGeometry x="-0.9" y="7" relative="1" as="geometry"><mxPoint x="3" y="-5" as="offset"/></mxGeometry></mxCell>
</root></mxGraphModel></diagram></mxfile>`))
	before := d.bytes()
	end := d.in.Model().Current.Cell("fl").Raw()
	d.run("layout dir:LR")
	e := d.in.Model().Current.Cell("e")
	if off := e.Route().Offset; off != (geom.Point{}) || e.Geo.Y != 0 {
		t.Errorf("the label is at %v and %v: %s", e.Geo, off, e.Raw())
	}
	if got := d.in.Model().Current.Cell("fl").Raw(); got != end {
		t.Errorf("the label at an end is now %s", got)
	}
	d.undo()
	if d.bytes() != before {
		t.Error("undo does not bring the bytes back")
	}
}

// A remark beside a shape stays beside it; a remark that lies alone does not follow its neighbour.
func TestRemarksStayBesideTheirShapes(t *testing.T) {
	d := newDoc(t)
	d.run("add svc Web", "add svc Shop", "add svc Pay", "add db Orders", "group Web as:Edge", "group Shop Pay Orders as:Core",
		"connect Web -> Shop -> Pay", "connect Shop -> Orders", `add note "PCI scope" near:Pay`, `add note "all of it"`)
	d.run("layout dir:LR")
	note, pay := at(t, d, "PCI scope").Abs(), at(t, d, "Pay").Abs()
	if !note.Grow(40).Overlaps(pay) {
		t.Errorf("the note at %v is not beside %v", note, pay)
	}
	if at(t, d, "PCI scope").Owner() != at(t, d, "Core") {
		t.Error("the note has left the group")
	}
	for _, x := range []string{"Shop", "Orders", "all of it"} {
		if note.Overlaps(at(t, d, x).Abs()) {
			t.Errorf("the note covers %s", x)
		}
	}
	all := at(t, d, "all of it").Abs()
	if all.Grow(40).Overlaps(at(t, d, "Pay").Abs()) {
		t.Errorf("%v is beside Pay, which it says nothing about", all)
	}
}

// Pools above each other begin and end at the same x, and no edge runs through a title.
func TestPoolsHaveTheSameLength(t *testing.T) {
	d := newDoc(t)
	d.run("add pool Customer lanes:Buyer", "add pool Shop lanes:Sales,Warehouse", "add event Start in:Buyer", "add task Order in:Buyer", "add event Delivered in:Buyer",
		"add event Received in:Sales", "add task Check in:Sales", "add gateway Stock in:Sales", "add task Cancel in:Sales", "add task Pick in:Warehouse", "add task Ship in:Warehouse",
		"connect Start -> Order -> Delivered", "connect Order -> Received", "connect Received -> Check -> Stock -> Pick -> Ship", "connect Stock -> Cancel", "connect Ship -> Delivered", "layout")
	a, b := at(t, d, "Customer").Abs(), at(t, d, "Shop").Abs()
	if a.X != b.X || a.W != b.W {
		t.Errorf("the pools lie at %v and %v", a, b)
	}
	page := d.in.Model().Current
	s, _ := arranger.Score(page)
	for _, p := range []arrange.Part{arrange.Through, arrange.OwnEnd, arrange.Close, arrange.Overlaps} {
		if s.Counts[p] > 0 {
			t.Errorf("%s: %d", p, s.Counts[p])
		}
	}
	y := func(name string) float64 { return at(t, d, name).Abs().Center().Y }
	if y("Received") != y("Check") || y("Check") != y("Stock") || y("Pick") != y("Ship") {
		t.Errorf("what a line joins in a lane is not in line: %v %v %v, %v %v", y("Received"), y("Check"), y("Stock"), y("Pick"), y("Ship"))
	}
}
