package diagram

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
)

// talkOps returns ops that draw four messages, one of them from a participant to itself.
func talkOps() []string {
	return []string{"add participant Customer marker:actor", "add participant Shop", `add participant "Payment Provider"`,
		"connect Customer -> Shop label:order", `connect Shop -> "Payment Provider" -> Shop label:"charge the card with the amount of all items"`, "connect Shop -> Shop label:book"}
}

func (d *doc) messages() (out []*cell) {
	for c := d.in.Model().Current.First(); c != nil; c = c.Next() {
		if c.Edge {
			out = append(out, c)
		}
	}
	return out
}

func TestMessagesAreBelowEachOtherInTheirOrder(t *testing.T) {
	d := newDoc(t)
	d.run(talkOps()...)
	last := d.at("Shop").Y
	for i, e := range d.messages() {
		s := model.MessageHeights(e)
		if s[0] < last+20 {
			t.Errorf("message %d at %v is not below %v", i+1, s, last)
		}
		last = s[1]
	}
	for range 12 {
		d.run("connect Customer -> Shop label:again")
	}
	if e := d.messages(); model.MessageHeights(e[len(e)-1])[1] > d.at("Shop").Bottom() || d.at("Customer").Bottom() != d.at("Shop").Bottom() {
		t.Errorf("the lifelines end at %v and %v, the last message is at %v", d.at("Customer").Bottom(), d.at("Shop").Bottom(), model.MessageHeights(e[len(e)-1]))
	}
	if w := d.warnings(); w != "" {
		t.Errorf("warned of %s", w)
	}
	if a, b := d.at("Customer"), d.at("Shop"); a.Y != b.Y || b.X < a.Right() {
		t.Errorf("the participants stand at %v and %v", a, b)
	}
}

func TestLayoutOfASequenceMakesRoomAndKeepsTheOrder(t *testing.T) {
	d := newDoc(t)
	d.run(talkOps()...)
	before := d.bytes()
	text := d.run("layout")
	if want := "layout of a sequence of 4 messages among 3 participants"; !strings.HasPrefix(text, want) {
		t.Errorf("replied %q, want %q", text, want)
	}
	if a, b := d.at("Shop").Center().X, d.at("Payment Provider").Center().X; b-a < model.LabelWidth("charge the card with the amount of all items")+20 {
		t.Errorf("the lifelines stand at %v and %v, too near for what is said", a, b)
	}
	for _, e := range d.messages() {
		from, to := model.Ends(e)
		points := e.Route().Points
		if mid := (from.Abs().Center().X + to.Abs().Center().X) / 2; from != to && (points[0].X < min(from.Abs().X, to.Abs().X) || points[0].X > max(from.Abs().Right(), to.Abs().Right())) {
			t.Errorf("%s bends at %v, between is %v", model.ArrowText(e), points, mid)
		} else if from == to && points[0].X != from.Abs().Center().X+40 {
			t.Errorf("%s runs at %v beside %v", model.ArrowText(e), points, from.Abs())
		}
	}
	d.unchanged("layout", "lies in the order of time, with room for all")
	d.undo()
	if d.bytes() != before {
		t.Error("not undone")
	}
	// Frames of an imported sequence still surround their messages.
	d = newDoc(t)
	d.run(sequenceText, `label Shop -> Bank "charge the card with the amount of all items"`, "layout")
	alt, e := d.at("alt"), d.messages()
	if y := model.MessageHeights(e[1])[0]; alt.Y > y || alt.Bottom() < y || alt.Right() < d.at("Bank").Center().X {
		t.Errorf("alt %v has left its messages at %v", alt, y)
	}
	if w := d.warnings(); w != "" {
		t.Errorf("warned of %s", w)
	}
}

func TestAMessageGoesBelowAnotherAndTheRestMakesWay(t *testing.T) {
	d := newDoc(t)
	d.run(talkOps()...)
	before := d.bytes()
	d.run(`connect Shop -> Customer -> Shop label:"are you sure?" after:order`)
	var labels []string
	last := 0.0
	for _, e := range model.SequenceOn(d.in.Model().Current).Messages {
		labels = append(labels, model.EdgeLabel(e))
		if s := model.MessageHeights(e); s[0] < last+30 {
			t.Errorf("%q at %v is not below %v", model.EdgeLabel(e), s, last)
		} else {
			last = s[1]
		}
	}
	if got := strings.Join(labels, "; "); !strings.HasPrefix(got, "order; are you sure?; are you sure?; charge") {
		t.Errorf("said in the order %s", got)
	}
	if last > d.at("Shop").Bottom() {
		t.Errorf("the last message at %v is below the lifeline %v", last, d.at("Shop"))
	}
	d.undo()
	if d.bytes() != before {
		t.Error("undo does not bring the bytes back")
	}
	d.refused(`connect Shop -> Customer after:nothing`, `no message "nothing"; messages: order`)
	d.run("add box A", "add box B")
	d.refused("connect A -> B after:order", "after: is for messages")
}

func TestAFrameSurroundsMessagesWhichMakeRoom(t *testing.T) {
	d := newDoc(t)
	d.run(talkOps()...)
	before := d.bytes()
	d.run(`add frame "loop until paid" around:charge,book`, "add frame opt around:charge")
	if d.query("lint") == "" || d.warnings() != "" {
		t.Errorf("warned of %s", d.warnings())
	}
	loop, opt := d.at("loop"), d.at("opt")
	if !loop.Contains(opt) {
		t.Errorf("opt %v does not lie in loop %v", opt, loop)
	}
	for _, e := range model.SequenceOn(d.in.Model().Current).Messages {
		s := model.MessageHeights(e)
		in := loop.Y+20 < s[0] && s[1] < loop.Bottom()
		if want := model.EdgeLabel(e) != "order"; in != want {
			t.Errorf("%q at %v, the loop at %v", model.EdgeLabel(e), s, loop)
		}
		in = opt.Y+20 < s[0] && s[1] < opt.Bottom()
		if want := strings.HasPrefix(model.EdgeLabel(e), "charge"); in != want {
			t.Errorf("%q at %v, the opt at %v", model.EdgeLabel(e), s, opt)
		}
	}
	if !strings.Contains(d.query("find until"), "until paid") {
		t.Error("the guard is not written")
	}
	d.undo()
	d.undo()
	if d.bytes() != before {
		t.Error("undo does not bring the bytes back")
	}
	d.refused("add box Loop around:charge,book", "around: is for parts of a sequence")
}

// partOps returns ops that draw a sequence with a frame of two sections and with
// activations.
func partOps() []string {
	return []string{"add participant Customer marker:actor", "add participant Shop", "add participant Bank",
		"connect Customer -> Shop label:order", "connect Shop -> Bank label:charge", `connect Bank -> Bank label:"check limit"`, "connect Bank -> Shop label:receipt style:dashed",
		"connect Bank -> Shop label:declined style:dashed", "connect Shop -> Customer label:refusal style:dashed",
		`add alt "card ok" around:charge,refusal`, `add else "card declined" before:declined`, "add activation Shop", "add activation Bank around:charge,declined"}
}

// mermaidLines returns a page as Mermaid text on one line, without indents and
// participants.
func (d *doc) mermaidLines() string {
	text, err := d.mermaid("")
	if err != nil {
		d.t.Fatal(err)
	}
	var out []string
	for l := range strings.SplitSeq(text, "\n") {
		if l = strings.TrimSpace(l); l != "" && l != "sequenceDiagram" && !strings.HasPrefix(l, "participant ") && !strings.HasPrefix(l, "actor ") {
			out = append(out, l)
		}
	}
	return strings.Join(out, "; ")
}

// checkSequence checks that the parts of a sequence fit together: messages end within the
// lifelines, at a bar where there is one; frames hold their messages; guards do not touch
// the tabs of their frames; nothing overlaps.
func (d *doc) checkSequence() {
	d.t.Helper()
	page := d.in.Model().Current
	seq := model.SequenceOn(page)
	for _, e := range seq.Messages {
		y := seq.Heights(e)[0]
		from, to := model.Ends(e)
		for _, x := range []*cell{from, to} {
			if r := x.Abs(); y < r.Y-1 || y > r.Bottom()+1 {
				d.t.Errorf("%s at %v ends at what is from %v to %v", model.Short(e), y, r.Y, r.Bottom())
			}
			if x.Kind() == "participant" && slices.ContainsFunc(page.Children(x.ID), func(bar *cell) bool { return bar.Shape() && bar.Abs().Y < y && bar.Abs().Bottom() > y }) {
				d.t.Errorf("%s at %v ends at the lifeline below a bar", model.Short(e), y)
			}
		}
	}
	for x := page.First(); x != nil; x = x.Next() {
		if x.Shape() && x.Kind() == "frame" {
			d.frameFits(seq, x)
		}
	}
	for _, p := range seq.Participants {
		if p.Abs().Bottom() < seq.End+20 {
			d.t.Errorf("%s ends at %v, the last message is at %v", model.Short(p), p.Abs().Bottom(), seq.End)
		}
	}
	if w := d.warnings(); w != "" {
		d.t.Errorf("warned of %s", w)
	}
}

// frameFits checks that a frame is as wide as its messages and that its guard is beside its
// tab.
func (d *doc) frameFits(seq *model.Sequence, frame *cell) {
	d.t.Helper()
	box := frame.Abs()
	for _, e := range seq.Messages {
		if y := seq.Heights(e); y[0] < box.Y || y[1] > box.Bottom() {
			continue
		}
		from, to := model.Ends(e)
		a, b := model.Participant(from).Abs().Center().X, model.Participant(to).Abs().Center().X
		left, right := min(a, b), max(a, b)+30
		if a == b {
			right = a + 40 + model.LabelWidth(model.EdgeLabel(e)) + 20
		}
		if left < box.X-1 || right > box.Right()+1 {
			d.t.Errorf("%s is %v, %s needs %v to %v", frame.Label(), box, model.Short(e), left, right)
		}
	}
	tab, err := strconv.ParseFloat(model.StyleValue(frame.Style, "width"), 64)
	if err != nil {
		d.t.Errorf("%s has no width of its tab: %v", frame.Label(), err)
	}
	for x := frame.Page.First(); x != nil; x = x.Next() {
		if r := x.Abs(); x.Shape() && x.Kind() == "text" && strings.HasPrefix(x.Label(), "[") && r.Y == box.Y && r.X >= box.X && r.X < box.X+tab {
			d.t.Errorf("%s lies on the tab of its frame", x.Label())
		}
	}
}

func TestEditingASequenceMovesTheRest(t *testing.T) {
	whole := "Customer->>Shop: order; activate Shop; alt card ok; Shop->>Bank: charge; activate Bank; Bank->>Bank: check limit; Bank-->>Shop: receipt; " +
		"else card declined; Bank-->>Shop: declined; deactivate Bank; Shop-->>Customer: refusal; deactivate Shop; end"
	for _, c := range []struct{ op, want string }{
		{"layout", whole},
		{"move receipt before:\"check limit\"", "Customer->>Shop: order; activate Shop; alt card ok; Shop->>Bank: charge; activate Bank; Bank-->>Shop: receipt; Bank->>Bank: check limit; " +
			"else card declined; Bank-->>Shop: declined; deactivate Bank; Shop-->>Customer: refusal; deactivate Shop; end"},
		{"move refusal after:alt", "Customer->>Shop: order; activate Shop; alt card ok; Shop->>Bank: charge; activate Bank; Bank->>Bank: check limit; Bank-->>Shop: receipt; " +
			"else card declined; Bank-->>Shop: declined; deactivate Bank; end; Shop-->>Customer: refusal; deactivate Shop"},
		{"move alt before:order", "alt card ok; Shop->>Bank: charge; activate Shop; activate Bank; Bank->>Bank: check limit; Bank-->>Shop: receipt; else card declined; Bank-->>Shop: declined; deactivate Bank; " +
			"Shop-->>Customer: refusal; end; Customer->>Shop: order; deactivate Shop"},
		{"remove declined", "Customer->>Shop: order; activate Shop; alt card ok; Shop->>Bank: charge; activate Bank; Bank->>Bank: check limit; Bank-->>Shop: receipt; deactivate Bank; " +
			"else card declined; Shop-->>Customer: refusal; deactivate Shop; end"},
		{"remove Bank", "Customer->>Shop: order; activate Shop; alt card ok; else card declined; Shop-->>Customer: refusal; deactivate Shop; end"},
		{"remove alt", "Customer->>Shop: order; activate Shop; Shop->>Bank: charge; activate Bank; Bank->>Bank: check limit; Bank-->>Shop: receipt; Bank-->>Shop: declined; deactivate Bank; " +
			"Shop-->>Customer: refusal; deactivate Shop"},
		{`remove "[card declined]"`, strings.Replace(whole, "else card declined; ", "", 1)},
		{"remove @type:activation", "Customer->>Shop: order; alt card ok; Shop->>Bank: charge; Bank->>Bank: check limit; Bank-->>Shop: receipt; else card declined; Bank-->>Shop: declined; Shop-->>Customer: refusal; end"},
		{"copy order after:charge", strings.Replace(whole, "activate Bank; ", "activate Bank; Customer->>Shop: order; ", 1)},
		{"copy Bank -> Bank before:order", "Bank->>Bank: check limit; " + whole},
		{"connect Shop -> Shop label:log before:order", "Shop->>Shop: log; " + whole},
		{"connect Shop -> Bank label:log after:alt", whole + "; Shop->>Bank: log"},
		{"add loop tries around:charge,receipt", strings.Replace(strings.Replace(whole, "card ok; ", "card ok; loop tries; ", 1), "receipt; ", "receipt; end; ", 1)},
		{"add par both around:receipt,order", "par both; " + whole + "; end"},
		{`add activation Bank around:"check limit",receipt`, strings.Replace(strings.Replace(whole, "limit; ", "limit; activate Bank; ", 1), "receipt; ", "receipt; deactivate Bank; ", 1)},
	} {
		t.Run(c.op, func(t *testing.T) {
			d := newDoc(t)
			d.run(partOps()...)
			d.checkSequence()
			before := d.bytes()
			if got := d.mermaidLines(); got != whole {
				t.Fatalf("drawn\n%s\nwant\n%s", got, whole)
			}
			d.run(c.op)
			if got := d.mermaidLines(); got != c.want {
				t.Errorf("drawn\n%s\nwant\n%s", got, c.want)
			}
			d.checkSequence()
			d.undo()
			if d.bytes() != before {
				t.Error("undo does not bring the bytes back")
			}
		})
	}
	d := newDoc(t)
	d.run(partOps()...)
	d.unchanged("move receipt after:\"check limit\"", "there")
	d.refused("move Shop after:order", "neither a message nor a frame")
	d.refused("add else x before:order", "order is in no frame")
	d.refused("add else x before:declined", "already the first message of its section")
	d.refused("move receipt after:order dir:left", "dir: does not go with them")
	d.refused("copy receipt after:order before:charge", "do not go together")
	d.refused("add activation Shop theme:red", "does not go with an activation")
	// Copies of frames include activations and sections.
	d.run(`add loop two around:"charge,check limit"`, "copy alt after:alt")
	d.checkSequence()
	if got := strings.Count(d.mermaidLines(), "else card declined"); got != 2 || strings.Count(d.mermaidLines(), "loop two") != 2 || strings.Count(d.mermaidLines(), "; activate Bank") != 2 {
		t.Errorf("copied %s", d.mermaidLines())
	}
}

// draw.io stores the positions that ends had before they were connected to shapes, but
// draws messages at their waypoints.
func TestStoredEndsOfMessagesAreIgnored(t *testing.T) {
	life := func(id string, x int) string {
		return fmt.Sprintf(`<mxCell id="%s" value="%s" style="shape=umlLifeline;perimeter=lifelinePerimeter;html=1;container=0;" vertex="1" parent="1"><mxGeometry x="%d" y="40" width="100" height="300" as="geometry"/></mxCell>`, id, id, x)
	}
	bar := func(id, of string, y, h int) string {
		return fmt.Sprintf(`<mxCell id="%s" style="html=1;points=[];perimeter=orthogonalPerimeter;targetShapes=umlLifeline;portConstraint=eastwest;" vertex="1" parent="%s"><mxGeometry x="45" y="%d" width="10" height="%d" as="geometry"/></mxCell>`, id, of, y-40, h)
	}
	says := func(text, from, to string, y, old int) string {
		return fmt.Sprintf(`<mxCell id="%s" value="%s" style="html=1;edgeStyle=elbowEdgeStyle;elbow=vertical;" edge="1" parent="1" source="%s" target="%s"><mxGeometry relative="1" as="geometry"><mxPoint x="175" y="%d" as="targetPoint"/><Array as="points"><mxPoint x="180" y="%d"/></Array></mxGeometry></mxCell>`, text, text, from, to, old, y)
	}
	d := openDoc(t, []byte(`<mxGraphModel><root><mxCell id="0"/><mxCell id="1" parent="0"/>`+life("A", 40)+life("B", 220)+bar("a", "A", 110, 190)+bar("b", "B", 120, 170)+bar("c", "A", 160, 80)+
		says("call", "a", "b", 120, 300)+says("done", "b", "a", 280, 205)+says("back", "b", "c", 160, 235)+says("answer", "c", "b", 230, 50)+`</root></mxGraphModel>`))
	d.run("remove back")
	c := d.in.Model().Current.Cell("c").Abs()
	y := map[string]float64{}
	for _, e := range d.messages() {
		y[e.Label()] = model.MessageHeights(e)[0]
	}
	if y["call"] != 120 || y["call"] > y["answer"] || y["answer"]+30 > y["done"] || y["done"] > 250 {
		t.Errorf("said at %v", y)
	}
	if c.Y != y["answer"] || c.H < 10 || c.Bottom() > y["done"] {
		t.Errorf("the bar of what is answered at %v is at %v", y["answer"], c)
	}
}

func TestGuardsAreBesideActivations(t *testing.T) {
	d := newDoc(t)
	d.run("add participant Customer marker:actor", "add participant Shop", "add participant Bank", "connect Customer -> Shop label:order", "connect Shop -> Bank label:charge", "connect Bank -> Shop label:receipt",
		"connect Shop -> Shop label:book", "connect Shop -> Customer label:thanks", "add activation Shop around:order,thanks", "add activation Bank around:charge,receipt",
		`add alt "card ok" around:charge,book`, "add else declined before:book", `add opt "only if the customer is known" around:book,book`)
	clear := func(when string) {
		t.Helper()
		page := d.in.Model().Current
		for x := page.First(); x != nil; x = x.Next() {
			if x.Kind() != "text" || !strings.HasPrefix(x.Label(), "[") {
				continue
			}
			r := x.Abs()
			if bar := d.at("Shop"); r.Overlaps(geom.Rect{X: bar.Center().X - 5, Y: r.Y, W: 10, H: r.H}) {
				t.Errorf("%s %s at %v covers the bar at %v", when, x.Label(), r, bar.Center().X)
			}
			if f := d.at("alt"); !f.Contains(r) {
				t.Errorf("%s %s at %v leads out of its frame %v", when, x.Label(), r, f)
			}
		}
	}
	clear("drawn,")
	d.run("layout")
	clear("laid out,")
	d = newDoc(t)
	d.run("mermaid\nsequenceDiagram\n actor Customer\n participant Shop\n participant Bank\n Customer->>+Shop: order\n alt card ok\n Shop->>+Bank: charge\n Bank-->>-Shop: receipt\n else declined\n Shop->>Shop: book\n end\n Shop-->>-Customer: thanks\nend mermaid")
	clear("from mermaid,")
}
