package diagram

import (
	"strings"
	"testing"
)

// talkOps say four messages, one of them to oneself.
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

func TestMessagesStandBelowEachOtherInTheOrderTheyAreSaid(t *testing.T) {
	d := newDoc(t)
	d.run(talkOps()...)
	last := d.at("Shop").Y
	for i, e := range d.messages() {
		s := spoken(e)
		if s[0] < last+20 {
			t.Errorf("message %d at %v is not below %v", i+1, s, last)
		}
		last = s[1]
	}
	for range 12 {
		d.run("connect Customer -> Shop label:again")
	}
	if e := d.messages(); spoken(e[len(e)-1])[1] > d.at("Shop").Bottom() || d.at("Customer").Bottom() != d.at("Shop").Bottom() {
		t.Errorf("the lifelines end at %v and %v, the last message is at %v", d.at("Customer").Bottom(), d.at("Shop").Bottom(), spoken(e[len(e)-1]))
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
	if a, b := d.at("Shop").Center().X, d.at("Payment Provider").Center().X; b-a < widest("charge the card with the amount of all items")+20 {
		t.Errorf("the lifelines stand at %v and %v, too near for what is said", a, b)
	}
	for _, e := range d.messages() {
		from, to := ends(e)
		points := e.Route().Points
		if mid := (from.Abs().Center().X + to.Abs().Center().X) / 2; from != to && (points[0].X < min(from.Abs().X, to.Abs().X) || points[0].X > max(from.Abs().Right(), to.Abs().Right())) {
			t.Errorf("%s bends at %v, between is %v", arrowText(e), points, mid)
		} else if from == to && points[0].X != from.Abs().Center().X+selfWide {
			t.Errorf("%s runs at %v beside %v", arrowText(e), points, from.Abs())
		}
	}
	d.unchanged("layout", "lies in the order of time, with room for all")
	d.undo()
	if d.bytes() != before {
		t.Error("not undone")
	}
	// A drawn one keeps what stands around its messages.
	d = newDoc(t)
	d.run(sequenceText, `label Shop -> Bank "charge the card with the amount of all items"`, "layout")
	alt, e := d.at("alt"), d.messages()
	if y := spoken(e[1])[0]; alt.Y > y || alt.Bottom() < y || alt.Right() < d.at("Bank").Center().X {
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
	var said []string
	last := 0.0
	for _, e := range newTalk(d.in.Model().Current).said {
		said = append(said, edgeLabel(e))
		if s := spoken(e); s[0] < last+30 {
			t.Errorf("%q at %v is not below %v", edgeLabel(e), s, last)
		} else {
			last = s[1]
		}
	}
	if got := strings.Join(said, "; "); !strings.HasPrefix(got, "order; are you sure?; are you sure?; charge") {
		t.Errorf("said in the order %s", got)
	}
	if last > d.at("Shop").Bottom() {
		t.Errorf("the last message at %v is below the lifeline %v", last, d.at("Shop"))
	}
	d.undo()
	if d.bytes() != before {
		t.Error("undo does not bring the bytes back")
	}
	d.refused(`connect Shop -> Customer after:nothing`, `no message "nothing"; what is said: order`)
	d.run("add box A", "add box B")
	d.refused("connect A -> B after:order", "after: is for messages")
}

func TestAFrameGoesAroundMessagesWhichMakeRoom(t *testing.T) {
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
	for _, e := range newTalk(d.in.Model().Current).said {
		s := spoken(e)
		in := loop.Y+frameHead < s[0] && s[1] < loop.Bottom()
		if want := edgeLabel(e) != "order"; in != want {
			t.Errorf("%q at %v, the loop at %v", edgeLabel(e), s, loop)
		}
		in = opt.Y+frameHead < s[0] && s[1] < opt.Bottom()
		if want := strings.HasPrefix(edgeLabel(e), "charge"); in != want {
			t.Errorf("%q at %v, the opt at %v", edgeLabel(e), s, opt)
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
	d.refused("add box Loop around:charge,book", "around: is for a frame")
}
