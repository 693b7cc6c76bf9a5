package sequence

import (
	"maps"
	"slices"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/chart"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

// parts returns the moments of cells. A message comes with the activations that begin and
// end with it, a frame with everything in it.
func (l *Timeline) parts(cells []*cell) (out []*Moment, err error) {
	in := map[*Moment]bool{}
	for _, x := range cells {
		at := slices.IndexFunc(l.Moments, func(m *Moment) bool {
			return m.C == x && m.Kind != chart.Section || m.Kind == chart.Open && m.Span.C == x
		})
		if at < 0 {
			return nil, pdk.Errorf("%s is neither a message nor a frame nor a note of a sequence", model.Short(x)).TryQuery("map")
		}
		end := l.tail(at)
		if f := l.Moments[at].Span; f != nil {
			end = slices.Index(l.Moments, f.to) + 1
		}
		for _, m := range l.Moments[at:end] {
			in[m] = true
		}
	}
	for _, m := range l.Moments {
		if in[m] {
			out = append(out, m)
		}
	}
	return out, nil
}

// subjects resolves the parts of a sequence that move and copy name.
func subjects(c *ctx, a pdk.Args) (cells []*cell, err error) {
	if len(a.Selectors) > 0 || a.IsArrow(1) {
		cells, _, err = selector.Target(c, a, false)
		return cells, err
	}
	l := NewTimeline(model.SequenceOn(c.Model.Current), c.Model.Draft())
	for _, p := range a.Positionals {
		some, err := l.find(p.Text)
		if err != nil {
			x, none := selector.Shape(c.Model, p.Text, false)
			if none != nil {
				return nil, err
			}
			cells = append(cells, x)
			continue
		}
		for _, m := range some {
			switch {
			case m.C != nil:
				cells = append(cells, m.C)
			case m.Kind == chart.Open:
				cells = append(cells, m.Span.C)
			}
		}
	}
	if len(cells) == 0 {
		return nil, pdk.Errorf("%s needs a message or a frame", a.Verb).TryQuery("map")
	}
	return cells, nil
}

// Retime runs move and copy for parts of a sequence that go after: or before: others.
func Retime(c *ctx, a pdk.Args) error {
	for _, kv := range a.Params {
		if key := kv.Key; key != "after" && key != "before" && key != "label" {
			return pdk.Errorf("after: and before: give the place in a sequence; %s: does not go with them", key).Try(a.Mended(pdk.Without(key)))
		}
	}
	cells := pdk.Must(subjects(c, a))
	page := cells[0].Page
	d := c.Model.Draft()
	l := NewTimeline(model.SequenceOn(page), d)
	some := pdk.Must(l.parts(cells))
	at := pdk.Must(l.spot(a, 0))
	names := model.List(cells, 3)
	var anchor *Moment
	if at < len(l.Moments) {
		anchor = l.Moments[at]
	}
	if a.Verb == "copy" {
		some = l.copies(some)
	} else {
		for anchor != nil && slices.Contains(some, anchor) { // the anchor moves, too
			if at++; at == len(l.Moments) {
				anchor = nil
			} else {
				anchor = l.Moments[at]
			}
		}
		was := slices.Clone(l.Moments)
		l.drop(func(m *Moment) bool { return slices.Contains(some, m) })
		if at = len(l.Moments); anchor != nil {
			at = slices.Index(l.Moments, anchor)
		}
		if slices.Equal(was, slices.Insert(slices.Clone(l.Moments), at, some...)) {
			return pdk.Unchanged("%s", model.Already(cells, "there", ""))
		}
	}
	l.insert(at, some...)
	if a.Verb != "copy" {
		for _, b := range l.bars { // adapt activations to their messages
			if slices.Contains(some, b.from) || slices.Contains(some, b.to) {
				l.fitToMessages(b, true, true, nil)
			}
		}
	}
	l.draw()
	where := ""
	for _, key := range []string{"after", "before"} {
		if v, ok := a.Param(key); ok {
			where = " " + key + " " + values.OneLine(v)
		}
	}
	ids := l.made
	if a.Verb != "copy" {
		ids = model.IDs(cells)
	}
	pdk.Check(c.Do(d.Edit(), a.Verb+" "+names+where, ids...))
	if a.Verb == "copy" {
		c.Created("copy of %s%s", names, where)
	} else {
		c.Changed("%s%s", names, where)
	}
	return nil
}

// copies returns moments for copies of some. It also copies the activations that begin and
// end among them.
func (l *Timeline) copies(some []*Moment) (out []*Moment) {
	spans := map[*Span]*Span{}
	for _, m := range some {
		twin := *m
		twin.prev, twin.as = nil, ""
		if m.C != nil {
			twin.as = l.d.NewID()
		}
		if m.Span != nil {
			s := spans[m.Span]
			if s == nil {
				if !slices.Contains(some, m.Span.from) || !slices.Contains(some, m.Span.to) {
					continue
				}
				id := l.d.NewID()
				s = &Span{C: m.Span.C, Who: m.Span.Who, as: id}
				if s.Who != nil {
					s.id = id
					l.bars = append(l.bars, s)
				} else {
					l.frames = append(l.frames, s)
				}
				spans[m.Span] = s
			}
			twin.Span = s
			if m.Kind == chart.Open || m.Kind == chart.Section {
				if twin.as == "" {
					twin.as = s.as
				}
			}
			switch m {
			case m.Span.from:
				s.from = &twin
			case m.Span.to:
				s.to = &twin
			}
		}
		out = append(out, &twin)
	}
	return out
}

// CloseUp drafts the remainder of a sequence after cells are removed. It returns more cells to
// remove with them: dividers and guards of frames, activations that no message touches any
// more, and frames and sections that become empty.
func CloseUp(d *mxfile.Draft, page *mxfile.Page, gone map[*cell]bool) (more []*cell) {
	t := model.SequenceOn(page)
	if len(t.Participants) == 0 {
		return nil
	}
	l := NewTimeline(t, d)
	dead := maps.Clone(gone)
	leave := func(x *cell) {
		if x != nil && !dead[x] {
			dead[x] = true
			more = append(more, x)
		}
	}
	l.dropIdleBars(dead, leave)
	l.dropEmptyFrames(dead, leave)
	// Shorten activations to the remaining messages.
	for _, b := range l.bars {
		l.shorten(b, dead)
	}
	l.dropEmptySections(dead, leave)
	l.frames = slices.DeleteFunc(l.frames, func(f *Span) bool { return dead[f.C] })
	n := len(l.Moments)
	l.drop(func(m *Moment) bool {
		return m.C != nil && dead[m.C] || m.Span != nil && dead[m.Span.C]
	})
	if len(l.Moments) == n {
		return more
	}
	t.Participants = slices.DeleteFunc(t.Participants, func(c *cell) bool { return dead[c] })
	l.draw()
	return more
}

// dropIdleBars removes the bars that are gone, and those that lose all their messages.
func (l *Timeline) dropIdleBars(dead map[*cell]bool, leave func(*cell)) {
	l.bars = slices.DeleteFunc(l.bars, func(b *Span) bool {
		had, has := 0, 0
		for _, m := range l.Moments {
			if m.touches(b) {
				if had++; !dead[m.C] {
					has++
				}
			}
		}
		if had > 0 && has == 0 {
			leave(b.C)
		}
		return dead[b.C]
	})
}

// dropEmptyFrames calls leave for the frames that lose all their messages and notes.
func (l *Timeline) dropEmptyFrames(dead map[*cell]bool, leave func(*cell)) {
	for again := true; again; { // an outer frame may become empty with an inner one
		again = false
		for _, f := range l.frames {
			i, k := slices.Index(l.Moments, f.from), slices.Index(l.Moments, f.to)
			had, has := 0, 0
			for _, m := range l.Moments[i : k+1] {
				if m.Kind == chart.Message || m.Kind == chart.Note {
					if had++; !dead[m.C] {
						has++
					}
				}
			}
			if !dead[f.C] && had > 0 && has == 0 {
				leave(f.C)
				again = true
			}
		}
	}
}

// dropEmptySections calls leave for the guards and dividers of the frames and sections that
// are removed, and for the sections that lose all their content.
func (l *Timeline) dropEmptySections(dead map[*cell]bool, leave func(*cell)) {
	for i, m := range l.Moments {
		if m.Kind != chart.Open && m.Kind != chart.Section {
			continue
		}
		if dead[m.Span.C] {
			leave(m.C)
			leave(m.guard)
			continue
		}
		if m.Kind == chart.Section && !dead[m.C] {
			had, has := 0, 0
			for _, in := range l.Moments[i+1:] {
				if in == m.Span.to || in.Kind == chart.Section && in.Span == m.Span {
					break
				}
				if in.C != nil && in.Kind != chart.Section {
					if had++; !dead[in.C] {
						has++
					}
				}
			}
			if had > 0 && has == 0 || m.guard != nil && dead[m.guard] {
				leave(m.C)
			}
		}
		if dead[m.C] {
			leave(m.guard)
		}
	}
}

// shorten adapts an activation that begins or ends with a removed message to the remaining
// messages.
func (l *Timeline) shorten(b *Span, dead map[*cell]bool) {
	with := func(end *Moment) bool {
		i := slices.Index(l.Moments, end)
		for i--; i >= 0 && (l.Moments[i].rank() == 3 || l.Moments[i].rank() == 4); i-- {
		}
		return i >= 0 && l.Moments[i].touches(b) && dead[l.Moments[i].C]
	}
	from, to := with(b.from), with(b.to)
	l.fitToMessages(b, from, to, dead)
}

// fitToMessages moves the beginning of an activation to its first message, and its end to the
// last one.
func (l *Timeline) fitToMessages(b *Span, begin, end bool, dead map[*cell]bool) {
	on := pdk.Filter(l.Moments, func(m *Moment) bool { return m.touches(b) && !dead[m.C] })
	if len(on) == 0 {
		return
	}
	l.drop(func(m *Moment) bool { return begin && m == b.from || end && m == b.to })
	if begin {
		l.insert(slices.Index(l.Moments, on[0])+1, b.from)
	}
	if end {
		l.insert(l.tail(slices.Index(l.Moments, on[len(on)-1])), b.to)
	}
}
