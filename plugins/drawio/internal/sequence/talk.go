package sequence

import (
	"math"
	"slices"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/edit"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/legend"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

// messageText returns the text of a new message at the position that the timeline gave it.
func (l *Timeline) messageText(f *file, a pdk.Args, x newMessage) (mxfile.Text, error) {
	m, from, to := x.m, x.from, x.to
	plain := pdk.If(m.self, selfStyle, messageStyle)
	look, err := edit.EdgeStyle(f, a, plain)
	if err != nil {
		return "", err
	}
	if edit.IsRelation(x.arrow) {
		look, _ = style.WithRelation(look, x.arrow)
	} else if look = edit.WithHeads(a, look, x.arrow); x.arrow != "--" && !a.Has("target-arrow") {
		look = style.SetHead(look, "end", "block")
	}
	left, right := from.Abs().Center().X, to.Abs().Center().X
	points := []geom.Point{{X: math.Round((left + right) / 2), Y: m.at}}
	clear := geom.Point{Y: -3}
	source, _ := l.fastenPoint(from, nil, m.at)
	target, _ := l.fastenPoint(to, nil, m.at+m.height)
	if m.self {
		right := math.Round(left + selfWide)
		points = []geom.Point{{X: right, Y: m.at}, {X: right, Y: m.at + m.height}}
		clear = geom.Point{X: 6}
		look = l.fastenLoop(look, from, source, target, m.at, m.at+m.height)
	}
	return mxfile.NewEdge(x.id, mxfile.LabelValue(m.Text, true), look, x.parent, source, target).WithPoints(points).Fasten(clear), nil
}

// loopPorts fastens a message from a participant to itself to the lifeline, at distances
// from its top. The message stays in place when the lifeline gets longer.
func loopPorts(look style.Style, out, back float64) style.Style {
	for _, kv := range [][2]string{{"exitX", "0.5"}, {"exitY", "0"}, {"exitDx", "0"}, {"exitDy", mxfile.Num(out)}, {"exitPerimeter", "0"},
		{"entryX", "0.5"}, {"entryY", "0"}, {"entryDx", "0"}, {"entryDy", mxfile.Num(back)}, {"entryPerimeter", "0"}} {
		look = look.Set(kv[0], kv[1])
	}
	return look
}

// bend maps old coordinates to new ones: from[i] moves to to[i], and coordinates between
// them move in proportion.
type bend struct{ from, to []float64 }

// at returns the new coordinate for the old coordinate v.
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

// spreadOut drafts the participants far enough apart for the texts between them, and the
// messages far enough below each other. Everything between them, such as frames,
// activations and notes, moves and stretches with them. It returns what moves.
func spreadOut(d *mxfile.Draft, t *model.Sequence) []*cell {
	var x, y bend
	for _, c := range t.Participants {
		x.from = append(x.from, c.Abs().Center().X)
	}
	at := func(c *cell) int { return slices.Index(t.Participants, model.Participant(c)) }
	x.to = slices.Clone(x.from)
	for i := 1; i < len(t.Participants); i++ {
		x.to[i] = x.to[i-1] + math.Max(t.Participants[i-1].Abs().W/2, 50) + math.Max(t.Participants[i].Abs().W/2, 50) + 30
		for _, e := range t.Messages {
			from, to := model.Ends(e)
			a, b := min(at(from), at(to)), max(at(from), at(to))
			room := model.LabelWidth(model.EdgeLabel(e)) + 40
			if a == b {
				b, room = a+1, room+selfWide
			}
			if b == i {
				x.to[i] = math.Max(x.to[i], math.Ceil((x.to[a]+room)/10)*10)
			}
		}
	}
	top := t.Participants[0].Abs().Y + model.ParticipantHead
	y.from, y.to = []float64{top}, []float64{top}
	for _, e := range t.Messages {
		s := t.Heights(e)
		last := len(y.from) - 1
		if s[0] > y.from[last] {
			gap := math.Max(s[0]-y.from[last], lineStep+model.LineHeight*(model.LineCount(model.EdgeLabel(e))-1))
			y.from, y.to = append(y.from, s[0]), append(y.to, y.to[last]+gap)
		}
	}
	return moveAlong(d, t, x, y)
}

// moveAlong drafts all positions along two bends, x for the participants and y for the
// time. It returns what moves.
func moveAlong(d *mxfile.Draft, t *model.Sequence, x, y bend) []*cell {
	top := t.Participants[0].Abs().Y + model.ParticipantHead
	var moved []*cell
	set := func(c *cell, r geom.Rect) {
		if r != c.Geo {
			moved = append(moved, c)
			d.Change(c, func(x mxfile.Text) mxfile.Text { return x.WithGeo(r) })
		}
	}
	bottom := 0.0
	for _, c := range t.Participants {
		bottom = math.Max(bottom, c.Abs().Bottom())
	}
	for c := t.Page.First(); c != nil; c = c.Next() {
		r, o := c.Abs(), c.Origin()
		switch who := model.Participant(c); {
		case c.Edge && model.IsMessage(c):
			carryMessage(d, c, x, y)
		case !c.Shape() || c.Relative:
		case c == who:
			set(c, geom.Rect{X: math.Round(x.at(r.Center().X)-r.W/2) - o.X, Y: c.Geo.Y, W: r.W, H: math.Round(y.at(bottom) - r.Y)})
		case who != nil && c.Owner() == who: // an activation
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

// carryMessage drafts the new waypoints of a message.
func carryMessage(d *mxfile.Draft, e *cell, x, y bend) {
	o := e.Origin()
	points := e.Route().Points
	if len(points) == 0 {
		return
	}
	from, to := model.Ends(e)
	dx := 0.0
	if from == to || model.Participant(from) == model.Participant(to) { // keep the distance to the lifeline
		mid := model.Participant(from).Abs().Center().X
		dx = x.at(mid) - mid
	}
	down := y.at(points[0].Y+o.Y) - points[0].Y - o.Y
	for i := range points {
		if points[i].Y += down; dx != 0 || model.Participant(from) == model.Participant(to) {
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

// Layout lays out a page with a sequence. The order of the messages stays.
func Layout(c *ctx, t *model.Sequence) error {
	d := c.Model.Draft()
	moved := spreadOut(d, t)
	what := "a sequence of " + pdk.Count(len(t.Messages), "message") + " among " + pdk.Count(len(t.Participants), "participant")
	pdk.Check(edit.Commit(c, d, "layout "+what, what+" lies in the order of time, with room for all", moved...))
	d = c.Model.Draft()
	NewTimeline(model.SequenceOn(c.Model.Current), d).widen()
	pdk.Check(d.Do(c, "room for frames"))
	pdk.Check(legend.Place(c))
	c.Bulk("layout of %s, now %s", what, values.Box(model.Count(c.Model.Current).Bounds))
	return nil
}

// Of returns the sequence of a page that shows little else, nil for other pages.
func Of(page *mxfile.Page, a pdk.Args) *model.Sequence {
	if len(a.Selectors) > 0 {
		return nil
	}
	t := model.SequenceOn(page)
	if len(t.Participants) < 2 || 2*len(t.Messages) < model.Count(page).Edges {
		return nil
	}
	return t
}
