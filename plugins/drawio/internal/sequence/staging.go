package sequence

import (
	"math"
	"slices"

	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/chart"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// draftChange drafts a change of a cell; if as is not empty, it drafts a copy with that id and the
// change.
func (l *Timeline) draftChange(c *cell, as string, change func(mxfile.Text) mxfile.Text) {
	if as == "" {
		l.d.Change(c, change)
		return
	}
	l.d.Append(l.seq.Page, as, change(mxfile.Text(c.Raw()).WithID(as)))
	l.made = append(l.made, model.EventID(l.seq.Page.Key, as))
}

// draftPlace drafts the rectangle of a cell on the page.
func (l *Timeline) draftPlace(c *cell, as string, r geom.Rect) {
	o := c.Origin()
	r.X, r.Y = r.X-o.X, r.Y-o.Y
	if as != "" || r != c.Geo {
		l.draftChange(c, as, func(t mxfile.Text) mxfile.Text { return t.WithGeo(r) })
	}
}

// draw settles the moments and drafts the changes of the existing cells, and the copies.
func (l *Timeline) draw() {
	l.settle()
	done := map[*cell]bool{}
	for _, f := range l.frames {
		if f.C == nil {
			continue
		}
		r := f.C.Abs()
		now := geom.Rect{X: r.X, Y: f.from.at, W: r.W, H: f.to.at - f.from.at}
		if left, right, changed := l.around(f); changed {
			now.X, now.W = math.Min(r.X, left), math.Max(r.Right(), right)-math.Min(r.X, left)
		}
		l.draftPlace(f.C, f.as, now)
		done[f.C] = true
		for _, m := range l.Moments {
			if m.Span != f || m.Kind != chart.Open && m.Kind != chart.Section {
				continue
			}
			if m.Kind == chart.Section && m.C != nil {
				l.draftPlace(m.C, m.as, geom.Rect{X: now.X, Y: m.at - m.C.Geo.H/2, W: now.W, H: m.C.Geo.H})
				done[m.C] = true
			}
			if m.guard != nil {
				g, as := m.guard.Abs(), m.as
				if as != "" {
					as = l.d.NewID()
				}
				x := g.X + now.X - r.X
				if wide, _ := tab(chart.Step{Frame: f.C.Label()}); l.forced && m.Kind == chart.Open {
					x = now.X + wide + 4
				} else if l.forced {
					x = now.X + 4
				}
				if x != g.X {
					x = besideBars(l.lifelineXs(), x, g.W)
				}
				l.draftPlace(m.guard, as, geom.Rect{X: x, Y: g.Y + m.at - m.y, W: g.W, H: g.H})
				done[m.guard] = true
			}
		}
	}
	for _, b := range l.bars {
		if b.C != nil {
			r := b.C.Abs()
			r.Y, r.H = b.from.at, b.to.at-b.from.at
			l.bar(b, r)
			done[b.C] = true
		}
	}
	for _, m := range l.Moments {
		switch {
		case m.C == nil:
		case m.Kind == chart.Message:
			l.draftMessage(m)
		case m.Kind == chart.Note:
			r := m.C.Abs()
			r.Y = m.at
			l.draftPlace(m.C, m.as, r)
			done[m.C] = true
		}
	}
	l.draftOthers(done)
}

// bar drafts the rectangle of an activation, in the coordinates of its parent.
func (l *Timeline) bar(b *Span, r geom.Rect) {
	o := b.C.Owner()
	up := o.Abs().Y
	for _, on := range l.bars {
		if on.C == o {
			up = on.from.at
		}
	}
	geo := geom.Rect{X: b.C.Geo.X, Y: r.Y - up, W: r.W, H: r.H}
	if b.as != "" || geo != b.C.Geo {
		l.draftChange(b.C, b.as, func(t mxfile.Text) mxfile.Text { return t.WithGeo(geo) })
	}
}

// draftOthers drafts the lifelines, the shapes behind all of them, and those between the
// moments.
func (l *Timeline) draftOthers(done map[*cell]bool) {
	end, was := l.begin, l.end()
	for _, m := range l.Moments {
		end = math.Max(end, m.at+m.height)
	}
	for _, b := range l.bars {
		end = math.Max(end, b.to.at)
	}
	all, grown := geom.Rect{}, 0.0
	for _, c := range l.seq.Participants {
		r := c.Abs()
		bottom := r.Bottom()
		switch {
		case bottom <= was: // the participant ends earlier
			bottom = math.Max(l.shifted(bottom), r.Y+model.ParticipantHead)
		case bottom <= was+60:
			bottom += end - was
		}
		if bottom < end+40 && r.Bottom() > was {
			bottom = end + 40
		}
		all = all.Union(r)
		grown = math.Max(grown, bottom-r.Bottom())
		l.draftPlace(c, "", geom.Rect{X: r.X, Y: r.Y, W: r.W, H: bottom - r.Y})
	}
	for x := l.seq.Page.First(); x != nil; x = x.Next() {
		r := x.Abs()
		switch {
		case !x.Shape() || x.Relative || done[x] || model.Participant(x) != nil || x.Owner() != nil || r.Right() < all.X-200 || r.X > all.Right()+200:
		case r.Y < all.Y && r.Bottom() > was: // a band behind the participants
			l.draftPlace(x, "", geom.Rect{X: r.X, Y: r.Y, W: r.W, H: r.H + end - was})
		case r.Y > all.Y+model.ParticipantHead && r.Y < all.Bottom():
			l.draftPlace(x, "", geom.Rect{X: r.X, Y: l.shifted(r.Y), W: r.W, H: r.H})
		case r.Y >= all.Bottom():
			l.draftPlace(x, "", geom.Rect{X: r.X, Y: r.Y + grown, W: r.W, H: r.H})
		}
	}
}

// around returns the left and right edges that a frame needs for its content. changed
// reports whether some of the content is new there.
func (l *Timeline) around(f *Span) (left, right float64, changed bool) {
	left, right = math.Inf(1), math.Inf(-1)
	var inner []*Span
	within := false
	word, guard := f.word, ""
	for _, m := range l.Moments {
		switch {
		case m == f.from:
			within = true
			if guard = m.Text; f.C != nil {
				word = f.C.Label()
			}
		case m == f.to:
			within = false
		case !within:
		case m.Kind == chart.Open:
			inner = append(inner, m.Span)
		case m.Kind == chart.Note && m.C != nil:
			r := m.C.Abs()
			left, right = math.Min(left, r.X+46), math.Max(right, r.Right()+10)
		case m.Kind == chart.Message && m.C != nil:
			from, to := model.Ends(m.C)
			a, b := model.Participant(from).Abs().Center().X, model.Participant(to).Abs().Center().X
			left, right = math.Min(left, math.Min(a, b)), math.Max(right, math.Max(a, b)+30)
			if m.self {
				right = math.Max(right, a+selfWide+model.LabelWidth(m.Text)+20)
			}
		}
		changed = changed || within && (m.fresh || l.forced)
	}
	if math.IsInf(left, 1) {
		left, right = l.seq.Participants[0].Abs().Center().X, l.seq.Participants[len(l.seq.Participants)-1].Abs().Center().X+30
	}
	wide, _ := tab(chart.Step{Frame: word})
	left -= wide + 12
	for _, in := range inner {
		a, b, fresh := l.around(in)
		if in.C != nil {
			if r := in.C.Abs(); fresh {
				a, b = math.Min(a, r.X), math.Max(b, r.Right())
			} else {
				a, b = r.X, r.Right()
			}
		}
		left, right = math.Min(left, a-12), math.Max(right, b+12)
	}
	guardSize := guardWidth("[" + guard + "]")
	return math.Round(left), math.Ceil(math.Max(right, besideBars(l.lifelineXs(), math.Round(left)+wide+4, guardSize)+guardSize+8)), changed
}

// widen drafts frames as wide as their content, and moves their guards beside the tabs.
func (l *Timeline) widen() {
	if l.forced = true; len(l.frames) > 0 {
		l.draw()
	}
}

// fastenPoint returns the id of the cell that a message at y is fastened to: the uppermost
// activation of a participant there, or its current activation, or else the lifeline. on is the
// activation, nil for a lifeline.
func (l *Timeline) fastenPoint(who, now *cell, y float64) (id string, on *Span) {
	for _, b := range l.bars {
		if b.Who != who || y < b.from.at-1 || y > b.to.at+1 {
			continue
		}
		if now != nil && b.C == now && b.as == "" {
			return now.ID, b
		}
		if on == nil || b.from.at >= on.from.at {
			on = b
		}
	}
	switch {
	case on == nil:
		return who.ID, nil
	case on.id != "":
		return on.id, on
	}
	return on.C.ID, on
}

// draftMessage drafts the waypoints of a message and the cells that its ends are fastened to.
func (l *Timeline) draftMessage(m *Moment) {
	e, down := m.C, m.at-m.y
	from, to := model.Ends(e)
	endID := func(x *cell, y float64) string { // x itself, unless it is an activation that goes
		who := model.Participant(x)
		id, _ := l.fastenPoint(who, x, y)
		if x == who && m.as == "" && !m.fresh && !l.hasChangedBar(who) {
			return x.ID
		}
		return id
	}
	source, target := endID(from, m.at), endID(to, m.at+m.height)
	if m.as == "" && down == 0 && source == e.Source && target == e.Target && (!m.self || !l.changed(source) && !l.changed(target)) {
		return
	}
	points := e.Route().Points
	for i := range points {
		points[i].Y += down
	}
	look := e.Style
	if len(points) == 0 { // use the height of its ends
		o := e.Origin()
		x := math.Round((model.Participant(from).Abs().Center().X + model.Participant(to).Abs().Center().X) / 2)
		points = []geom.Point{{X: x - o.X, Y: m.at - o.Y}}
		if m.self {
			points = []geom.Point{{X: x + selfWide - o.X, Y: m.at - o.Y}, {X: x + selfWide - o.X, Y: m.at + m.height - o.Y}}
		}
		look = look.Set("edgeStyle", "elbowEdgeStyle").Set("elbow", "vertical")
		if m.self {
			look = loopPorts(look.Set("edgeStyle", "orthogonalEdgeStyle"), 0, 0)
		} else {
			for _, end := range []string{"exit", "entry"} {
				for _, key := range []string{"X", "Y", "Dx", "Dy", "Perimeter"} {
					look = look.Drop(end + key)
				}
			}
		}
	}
	if _, own := look.Get("exitY"); m.self && own {
		look = l.fastenLoop(look, model.Participant(from), source, target, m.at, m.at+m.height)
	}
	if m.as != "" {
		for _, k := range e.Page.Children(e.ID) { // its label cells
			l.draftChange(k, l.d.NewID(), func(t mxfile.Text) mxfile.Text { return t.WithAttr("parent", m.as) })
		}
	}
	l.draftChange(e, m.as, func(t mxfile.Text) mxfile.Text {
		t = t.WithPoints(points)
		if source != e.Source {
			t = t.WithAttr("source", source)
		}
		if target != e.Target {
			t = t.WithAttr("target", target)
		}
		if look != e.Style {
			t = t.WithStyle(look)
		}
		return t
	})
}

// changed reports whether the activation with an id has moved or changed its length.
func (l *Timeline) changed(id string) bool {
	return slices.ContainsFunc(l.bars, func(b *Span) bool {
		return b.C != nil && b.C.ID == id && (b.from.at != b.from.y || b.to.at != b.to.y)
	})
}

// hasChangedBar reports whether a participant has an activation that is new or has changed.
func (l *Timeline) hasChangedBar(who *cell) bool {
	return slices.ContainsFunc(l.bars, func(b *Span) bool { return b.Who == who && (b.from.fresh || b.to.fresh) })
}

// fastenLoop gives a message from a participant to itself its ports.
func (l *Timeline) fastenLoop(look style.Style, who *cell, source, target string, out, back float64) style.Style {
	top := who.Abs().Y
	look = loopPorts(look, out-top, back-top)
	for _, b := range l.bars {
		id := b.id
		if id == "" {
			id = b.C.ID
		}
		on := bar{from: b.from.at, to: b.to.at}
		if id == source {
			look = atBar(look, "exit", &on, out)
		}
		if id == target {
			look = atBar(look, "entry", &on, back)
		}
	}
	return look
}
