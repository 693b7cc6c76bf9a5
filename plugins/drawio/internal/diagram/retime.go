package diagram

import (
	"maps"
	"slices"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/chart"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

// parts are the moments that cells stand for: messages with the bars that begin and
// end with them, frames with all that is in them.
func (l *timeline) parts(cells []*cell) (out []*moment, err error) {
	in := map[*moment]bool{}
	for _, x := range cells {
		at := slices.IndexFunc(l.list, func(m *moment) bool {
			return m.c == x && m.kind != chart.Section || m.kind == chart.Open && m.span.c == x
		})
		if at < 0 {
			return nil, pdk.Errorf("%s is neither a message nor a frame nor a note of a sequence", short(x)).TryQuery("map")
		}
		end := l.tail(at)
		if f := l.list[at].span; f != nil {
			end = slices.Index(l.list, f.to) + 1
		}
		for _, m := range l.list[at:end] {
			in[m] = true
		}
	}
	for _, m := range l.list {
		if in[m] {
			out = append(out, m)
		}
	}
	return out, nil
}

// subjects are the parts of a sequence that move and copy name.
func subjects(c *ctx, a pdk.Args) (cells []*cell, err error) {
	if len(a.Selectors) > 0 || a.IsArrow(1) {
		cells, _, err = target(c, a, false)
		return cells, err
	}
	l := newTalk(c.Model.Current).timeline(c.Model.Draft())
	for _, p := range a.Positionals {
		some, err := l.called(p.Text)
		if err != nil {
			x, none := shape(c.Model, p.Text, false)
			if none != nil {
				return nil, err
			}
			cells = append(cells, x)
			continue
		}
		for _, m := range some {
			switch {
			case m.c != nil:
				cells = append(cells, m.c)
			case m.kind == chart.Open:
				cells = append(cells, m.span.c)
			}
		}
	}
	if len(cells) == 0 {
		return nil, pdk.Errorf("%s needs a message or a frame", a.Verb).TryQuery("map")
	}
	return cells, nil
}

// retime is move and copy of parts of a sequence, after: or before: others.
func retime(c *ctx, a pdk.Args) error {
	for _, kv := range a.Params {
		if key := kv.Key; key != "after" && key != "before" && key != "label" {
			return pdk.Errorf("after: and before: say where in a sequence; %s: does not go with them", key).Try(a.Mended(pdk.Without(key)))
		}
	}
	cells, err := subjects(c, a)
	if err != nil {
		return err
	}
	page := cells[0].Page
	d := c.Model.Draft()
	l := newTalk(page).timeline(d)
	some, err := l.parts(cells)
	if err != nil {
		return err
	}
	at, err := l.spot(a, 0)
	if err != nil {
		return err
	}
	names := list(cells, 3)
	var anchor *moment
	if at < len(l.list) {
		anchor = l.list[at]
	}
	if a.Verb == "copy" {
		some = l.copies(some)
	} else {
		for anchor != nil && slices.Contains(some, anchor) { // it goes where it is, or behind itself
			if at++; at == len(l.list) {
				anchor = nil
			} else {
				anchor = l.list[at]
			}
		}
		was := slices.Clone(l.list)
		l.drop(func(m *moment) bool { return slices.Contains(some, m) })
		if at = len(l.list); anchor != nil {
			at = slices.Index(l.list, anchor)
		}
		if slices.Equal(was, slices.Insert(slices.Clone(l.list), at, some...)) {
			return pdk.Unchanged("%s", already(cells, "there", ""))
		}
	}
	l.insert(at, some...)
	if a.Verb != "copy" {
		for _, b := range l.bars { // which last as long as what is said on them
			if slices.Contains(some, b.from) || slices.Contains(some, b.to) {
				l.embrace(b, true, true, nil)
			}
		}
	}
	l.draw()
	where := ""
	for _, key := range []string{"after", "before"} {
		if v, ok := a.Param(key); ok {
			where = " " + key + " " + oneLine(v)
		}
	}
	if err := c.Do(d.Edit(), line(a.Verb+" "+names+where), l.touched...); err != nil {
		return err
	}
	if a.Verb == "copy" {
		c.Created("copy of %s%s", names, where)
	} else {
		c.Changed("%s%s", names, where)
	}
	return nil
}

// copies are moments for copies of some. Bars that begin and end among them are
// copied, too.
func (l *timeline) copies(some []*moment) (out []*moment) {
	spans := map[*span]*span{}
	for _, m := range some {
		twin := *m
		twin.prev, twin.as = nil, ""
		if m.c != nil {
			twin.as = l.d.NewID()
		}
		if m.span != nil {
			s := spans[m.span]
			if s == nil {
				if !slices.Contains(some, m.span.from) || !slices.Contains(some, m.span.to) {
					continue
				}
				id := l.d.NewID()
				s = &span{c: m.span.c, who: m.span.who, as: id}
				if s.who != nil {
					s.id = id
					l.bars = append(l.bars, s)
				} else {
					l.frames = append(l.frames, s)
				}
				spans[m.span] = s
			}
			twin.span = s
			if m.kind == chart.Open || m.kind == chart.Section {
				if twin.as == "" {
					twin.as = s.as
				}
			}
			switch m {
			case m.span.from:
				s.from = &twin
			case m.span.to:
				s.to = &twin
			}
		}
		out = append(out, &twin)
	}
	return out
}

// closeUp drafts what is left of a sequence when cells go, and gives what goes with
// them: lines and guards of frames, bars that nothing touches any more, frames and
// sections around nothing.
func closeUp(d *mxfile.Draft, page *mxfile.Page, gone map[*cell]bool) (more []*cell, touched []string) {
	t := newTalk(page)
	if len(t.who) == 0 {
		return nil, nil
	}
	l := t.timeline(d)
	dead := maps.Clone(gone)
	leave := func(x *cell) {
		if x != nil && !dead[x] {
			dead[x] = true
			more = append(more, x)
		}
	}
	l.bars = slices.DeleteFunc(l.bars, func(b *span) bool {
		had, has := 0, 0
		for _, m := range l.list {
			if m.touches(b) {
				if had++; !dead[m.c] {
					has++
				}
			}
		}
		if had > 0 && has == 0 {
			leave(b.c)
		}
		return dead[b.c]
	})
	for again := true; again; { // frames in frames
		again = false
		for _, f := range l.frames {
			i, k := slices.Index(l.list, f.from), slices.Index(l.list, f.to)
			had, has := 0, 0
			for _, m := range l.list[i : k+1] {
				if m.kind == chart.Message || m.kind == chart.Note {
					if had++; !dead[m.c] {
						has++
					}
				}
			}
			if !dead[f.c] && had > 0 && has == 0 {
				leave(f.c)
				again = true
			}
		}
	}
	// Of what goes, bars begin with the first message that is left, and end with the last.
	for _, b := range l.bars {
		l.shorten(b, dead)
	}
	for i, m := range l.list {
		if m.kind != chart.Open && m.kind != chart.Section {
			continue
		}
		if dead[m.span.c] {
			leave(m.c)
			leave(m.guard)
			continue
		}
		if m.kind == chart.Section && !dead[m.c] {
			had, has := 0, 0
			for _, in := range l.list[i+1:] {
				if in == m.span.to || in.kind == chart.Section && in.span == m.span {
					break
				}
				if in.c != nil && in.kind != chart.Section {
					if had++; !dead[in.c] {
						has++
					}
				}
			}
			if had > 0 && has == 0 || m.guard != nil && dead[m.guard] {
				leave(m.c)
			}
		}
		if dead[m.c] {
			leave(m.guard)
		}
	}
	l.frames = slices.DeleteFunc(l.frames, func(f *span) bool { return dead[f.c] })
	n := len(l.list)
	l.drop(func(m *moment) bool {
		return m.c != nil && dead[m.c] || m.span != nil && dead[m.span.c]
	})
	if len(l.list) == n {
		return more, nil
	}
	t.who = slices.DeleteFunc(t.who, func(c *cell) bool { return dead[c] })
	l.draw()
	return more, l.touched
}

// shorten makes a bar that begins or ends with a message that goes embrace those
// that are left.
func (l *timeline) shorten(b *span, dead map[*cell]bool) {
	with := func(end *moment) bool {
		i := slices.Index(l.list, end)
		for i--; i >= 0 && (l.list[i].rank() == 3 || l.list[i].rank() == 4); i-- {
		}
		return i >= 0 && l.list[i].touches(b) && dead[l.list[i].c]
	}
	from, to := with(b.from), with(b.to)
	l.embrace(b, from, to, dead)
}

// embrace makes a bar begin with the first message on it, and end with the last one.
func (l *timeline) embrace(b *span, begin, end bool, dead map[*cell]bool) {
	var on []*moment
	for _, m := range l.list {
		if m.touches(b) && !dead[m.c] {
			on = append(on, m)
		}
	}
	if len(on) == 0 {
		return
	}
	l.drop(func(m *moment) bool { return begin && m == b.from || end && m == b.to })
	if begin {
		l.insert(slices.Index(l.list, on[0])+1, b.from)
	}
	if end {
		l.insert(l.tail(slices.Index(l.list, on[len(on)-1])), b.to)
	}
}
