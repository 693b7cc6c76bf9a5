package diagram

import (
	"math"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/svg"
)

// speaker is the participant that a cell is, or whose bar it is, nil for others.
func speaker(c *cell) *cell {
	for n := 0; c != nil && n < 3; c, n = c.Owner(), n+1 {
		if c.Kind() == "participant" {
			return c
		}
	}
	return nil
}

// message reports whether an edge runs between participants.
func message(e *cell) bool {
	from, to := ends(e)
	return from != nil && to != nil && speaker(from) != nil && speaker(to) != nil
}

// talk is the sequence on a page: who takes part, and how far down the last message
// is.
type talk struct {
	page *mxfile.Page
	who  []*cell                // from left to right
	said []*cell                // messages from the top down
	y    float64                // of the last one
	led  map[*cell][]geom.Point // the ways of messages without waypoints
}

func newTalk(page *mxfile.Page) *talk {
	t := &talk{page: page, y: math.Inf(-1)}
	for c := page.First(); c != nil; c = c.Next() {
		switch {
		case c.Shape() && c.Kind() == "participant":
			t.who = append(t.who, c)
			if t.y < c.Abs().Y+lifeHead+10 {
				t.y = c.Abs().Y + lifeHead + 10
			}
		case c.Edge && message(c):
			t.said = append(t.said, c)
		}
	}
	slices.SortStableFunc(t.who, func(a, b *cell) int { return int(a.Abs().X - b.Abs().X) })
	if slices.ContainsFunc(t.said, func(e *cell) bool { return len(freePoints(e)) == 0 }) {
		t.led = svg.Routes(page)
	}
	slices.SortStableFunc(t.said, func(a, b *cell) int { return int(t.spoken(a)[0] - t.spoken(b)[0]) })
	for _, e := range t.said {
		t.y = math.Max(t.y, t.spoken(e)[1])
	}
	return t
}

// spoken are the heights between which a message runs, also of one that only its
// ends give a place.
func (t *talk) spoken(e *cell) [2]float64 {
	if len(freePoints(e)) > 0 || len(t.led[e]) == 0 {
		return spoken(e)
	}
	out := [2]float64{math.Inf(1), math.Inf(-1)}
	for _, p := range t.led[e] {
		out[0], out[1] = math.Min(out[0], math.Round(p.Y)), math.Max(out[1], math.Round(p.Y))
	}
	if from, to := ends(e); speaker(from) != speaker(to) { // one line, be it slanted
		out[0] = out[1]
	}
	return out
}

// spoken are the heights between which a message runs.
func spoken(e *cell) [2]float64 {
	from, to := math.Inf(1), math.Inf(-1)
	o := e.Origin()
	for _, p := range freePoints(e) {
		from, to = math.Min(from, p.Y+o.Y), math.Max(to, p.Y+o.Y)
	}
	if from > to {
		return [2]float64{0, 0}
	}
	return [2]float64{from, to}
}

// talks reports whether both are participants.
func talks(from, to *cell) bool {
	return from.Kind() == "participant" && to.Kind() == "participant"
}

// utter is the text of a new message, where the timeline has put it.
func (l *timeline) utter(f *file, a pdk.Args, m *moment, id, parent, arrow string, from, to *cell) (mxfile.Text, error) {
	plain := messageStyle
	if m.self {
		plain = selfStyle
	}
	look, err := edgeLook(f, a, plain)
	if err != nil {
		return "", err
	}
	if relation(arrow) {
		look, _ = style.Related(look, arrow)
	} else if look = heads(a, look, arrow); arrow != "--" && !a.Has("target-arrow") {
		look = style.SetHead(look, "end", "block")
	}
	left, right := from.Abs().Center().X, to.Abs().Center().X
	points := []geom.Point{{X: math.Round((left + right) / 2), Y: m.at}}
	clear := geom.Point{Y: -3}
	source, _ := l.seat(from, nil, m.at)
	target, _ := l.seat(to, nil, m.at+m.high)
	if m.self {
		x := math.Round(left + selfWide)
		points = []geom.Point{{X: x, Y: m.at}, {X: x, Y: m.at + m.high}}
		clear = geom.Point{X: 6}
		look = l.fasten(look, from, source, target, m.at, m.at+m.high)
	}
	return mxfile.NewEdge(id, mxfile.LabelValue(m.text, true), look, parent, source, target).WithPoints(points).Fastened(clear), nil
}

// loopPorts fastens what somebody says to himself to his lifeline, so far below its
// top, which stays where it is when the lifeline gets longer.
func loopPorts(look style.Style, out, back float64) style.Style {
	for _, kv := range [][2]string{{"exitX", "0.5"}, {"exitY", "0"}, {"exitDx", "0"}, {"exitDy", mxfile.Num(out)}, {"exitPerimeter", "0"},
		{"entryX", "0.5"}, {"entryY", "0"}, {"entryDx", "0"}, {"entryDy", mxfile.Num(back)}, {"entryPerimeter", "0"}} {
		look = look.Set(kv[0], kv[1])
	}
	return look
}

// besideLast places a participant at the right of the last one, as long as that.
func (n *addition) besideLast(page *mxfile.Page, asLong bool) {
	t := newTalk(page)
	if len(t.who) == 0 {
		return
	}
	last := t.who[len(t.who)-1].Abs()
	if asLong {
		n.h = last.H
	}
	n.where.at, n.where.strict = &geom.Point{X: last.Right() + beside + math.Max(0, 50-last.W/2), Y: last.Y}, true
}

// bend is a line of what was where and is where now, along which the rest moves.
type bend struct{ from, to []float64 }

// at is where something goes that was at v.
func (b bend) at(v float64) float64 {
	n := len(b.from)
	i := slices.IndexFunc(b.from, func(f float64) bool { return f >= v })
	switch {
	case n == 0:
		return v
	case i == 0:
		return v + b.to[0] - b.from[0]
	case i < 0:
		return v + b.to[n-1] - b.from[n-1]
	case b.from[i] == b.from[i-1]:
		return b.to[i]
	}
	part := (v - b.from[i-1]) / (b.from[i] - b.from[i-1])
	return b.to[i-1] + part*(b.to[i]-b.to[i-1])
}

// apart drafts the participants so far apart that what is said between them has
// room, and messages so far below each other. What stands between, such as frames,
// bars and notes, moves and stretches along. It gives what moves.
func (t *talk) apart(d *mxfile.Draft) []*cell {
	var x, y bend
	for _, c := range t.who {
		x.from = append(x.from, c.Abs().Center().X)
	}
	at := func(c *cell) int { return slices.Index(t.who, speaker(c)) }
	x.to = slices.Clone(x.from)
	for i := 1; i < len(t.who); i++ {
		x.to[i] = x.to[i-1] + math.Max(t.who[i-1].Abs().W/2, 50) + math.Max(t.who[i].Abs().W/2, 50) + 30
		for _, e := range t.said {
			from, to := ends(e)
			a, b := min(at(from), at(to)), max(at(from), at(to))
			room := widest(edgeLabel(e)) + 40
			if a == b {
				b, room = a+1, room+selfWide
			}
			if b == i {
				x.to[i] = math.Max(x.to[i], math.Ceil((x.to[a]+room)/10)*10)
			}
		}
	}
	top := t.who[0].Abs().Y + lifeHead
	y.from, y.to = []float64{top}, []float64{top}
	for _, e := range t.said {
		s := t.spoken(e)
		last := len(y.from) - 1
		if s[0] > y.from[last] {
			gap := math.Max(s[0]-y.from[last], lineStep+textLine*(lineCount(edgeLabel(e))-1))
			y.from, y.to = append(y.from, s[0]), append(y.to, y.to[last]+gap)
		}
	}
	return t.move(d, x, y)
}

// move drafts all places along two bends, those of the participants and those of
// time, and gives what moves.
func (t *talk) move(d *mxfile.Draft, x, y bend) []*cell {
	top := t.who[0].Abs().Y + lifeHead
	var moved []*cell
	set := func(c *cell, r geom.Rect) {
		if r != c.Geo {
			moved = append(moved, c)
			d.Change(c, func(x mxfile.Text) mxfile.Text { return x.WithGeo(r) })
		}
	}
	bottom := 0.0
	for _, c := range t.who {
		bottom = math.Max(bottom, c.Abs().Bottom())
	}
	for c := t.page.First(); c != nil; c = c.Next() {
		r, o := c.Abs(), c.Origin()
		switch who := speaker(c); {
		case c.Edge && message(c):
			t.carry(d, c, x, y)
		case !c.Shape() || c.Relative:
		case c == who:
			set(c, geom.Rect{X: math.Round(x.at(r.Center().X)-r.W/2) - o.X, Y: c.Geo.Y, W: r.W, H: math.Round(y.at(bottom) - r.Y)})
		case who != nil && c.Owner() == who: // a bar
			up, down := y.at(r.Y), y.at(r.Bottom())
			set(c, geom.Rect{X: c.Geo.X, Y: math.Round(up - who.Abs().Y), W: r.W, H: math.Round(down - up)})
		case c.Owner() == nil && r.Bottom() > top && r.Y < bottom+60 && r.Right() > x.from[0]-200 && r.X < x.from[len(x.from)-1]+200:
			left, up := x.at(r.X), y.at(r.Y)
			if k := c.Kind(); k == "text" || k == "note" {
				left = x.at(r.Center().X) - r.W/2
				set(c, geom.Rect{X: math.Round(left), Y: math.Round(up), W: r.W, H: r.H})
				continue
			}
			set(c, geom.Rect{X: math.Round(left), Y: math.Round(up), W: math.Round(x.at(r.Right()) - left), H: math.Round(y.at(r.Bottom()) - up)})
		}
	}
	return moved
}

// carry drafts the new waypoints of a message.
func (t *talk) carry(d *mxfile.Draft, e *cell, x, y bend) {
	o := e.Origin()
	points := e.Route().Points
	if len(points) == 0 {
		return
	}
	from, to := ends(e)
	dx := 0.0
	if from == to || speaker(from) == speaker(to) { // beside the lifeline, as far from it as before
		mid := speaker(from).Abs().Center().X
		dx = x.at(mid) - mid
	}
	down := y.at(points[0].Y+o.Y) - points[0].Y - o.Y
	for i := range points {
		if points[i].Y += down; dx != 0 || speaker(from) == speaker(to) {
			points[i].X += dx
		} else {
			points[i].X = math.Round(x.at(points[i].X+o.X) - o.X)
		}
	}
	d.Change(e, func(text mxfile.Text) mxfile.Text {
		text = text.WithPoints(points)
		if from == to && from.Kind() == "participant" {
			top := from.Abs().Y
			text = text.WithStyle(loopPorts(e.Style, points[0].Y+o.Y-top, points[len(points)-1].Y+o.Y-top))
		}
		return text
	})
}

// called are the messages with a text, or those whose text begins so.
func (t *talk) called(text string) ([]*cell, error) {
	text = strings.ToLower(strings.TrimSpace(text))
	var exact, begun []*cell
	var names, near []string
	for _, e := range t.said {
		name := edgeLabel(e)
		switch low := strings.ToLower(name); {
		case name == "":
			continue
		case low == text:
			exact = append(exact, e)
		case text != "" && strings.HasPrefix(low, text):
			begun = append(begun, e)
			if !slices.Contains(near, name) {
				near = append(near, name)
			}
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	switch {
	case len(exact) > 0:
		return exact, nil
	case len(near) == 1:
		return begun, nil
	}
	return nil, pdk.Errorf("no message %q; what is said: %s", text, strings.Join(names, ", ")).Instead(text, append(near, pdk.Nearest(text, names)...)...)
}

// layoutTalk is layout for a page with a sequence, which has an order of its own.
func layoutTalk(c *ctx, t *talk) error {
	d := c.Model.Draft()
	moved := t.apart(d)
	what := "a sequence of " + plural(len(t.said), "message") + " among " + plural(len(t.who), "participant")
	if err := commit(c, d, "layout "+what, what+" lies in the order of time, with room for all", moved...); err != nil {
		return err
	}
	d = c.Model.Draft()
	newTalk(c.Model.Current).timeline(d).widen()
	if e := d.Edit(); e != nil {
		if err := c.Do(e, "room for frames"); err != nil {
			return err
		}
	}
	if err := placeFurniture(c); err != nil {
		return err
	}
	c.Bulk("layout of %s, now %s", what, box(count(c.Model.Current).bounds))
	return nil
}

// sequenceOf is the sequence on a page that shows little else, nil for others.
func sequenceOf(page *mxfile.Page, a pdk.Args) *talk {
	if len(a.Selectors) > 0 {
		return nil
	}
	t := newTalk(page)
	if len(t.who) < 2 || 2*len(t.said) < count(page).edges {
		return nil
	}
	return t
}
