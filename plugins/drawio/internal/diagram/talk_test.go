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
