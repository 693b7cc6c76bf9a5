package timeline

import (
	"fmt"
	"slices"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
)

// namedJoins returns the transitions that an op of modify is about: the one that it names, or those that selectors match if they match
// nothing else but gaps.
func (f *Film) namedJoins(c *ctx, a pdk.Args) (out []*Join, err error) {
	if len(a.Selectors) == 0 {
		if j := f.join(a.Text(0)); j != nil {
			out = append(out, j)
		}
		return out, nil
	}
	found, err := selection.Select(f, c.Recent, a.Selectors)
	for _, x := range found {
		if x.clip != nil {
			return nil, nil
		}
		if x.join != nil {
			out = append(out, x.join)
		}
	}
	return out, err
}

// modifyJoins changes transitions one after the other.
func (f *Film) modifyJoins(c *ctx, a pdk.Args, joins []*Join) error {
	var same error
	unchanged := 0
	for _, j := range joins {
		t := find(f.parsed().tracks, func(t *Track) bool { return t.ID == j.A.Track.ID })
		now := find(t.Joins, func(o *Join) bool { return o.index == j.index }) // an edit replaces the clips and transitions of a track
		if err := f.modifyJoin(c, a, now); pdk.IsUnchanged(err) {
			same = err
			unchanged++
		} else if err != nil {
			return err
		}
	}
	if unchanged == len(joins) {
		return same
	}
	return nil
}

// modifyJoin changes the kind, the id or the length of a transition. The cut below it stays where it is, and so does all else; with
// ripple the two clips show what they did, and what follows moves.
func (f *Film) modifyJoin(c *ctx, a pdk.Args, j *Join) error {
	ripple, err := ripples(a)
	if err != nil {
		return err
	}
	k := clock{f: f}
	l := j.A.Track.edit()
	i := slices.IndexFunc(l.segs, func(s *segment) bool { return s.next != nil && s.next.old == j })
	n := l.segs[i].next
	id, kind := j.ID, j.kindName()
	for _, p := range a.Params {
		switch p.Key {
		case "kind":
			word := joinKind.Of(a)
			if word == j.kindName() {
				continue
			}
			kind = word
			otherwise := "Custom_Transition"
			if word == "crossfade" {
				otherwise = "SMPTE_Dissolve"
			}
			n.changes = append(n.changes, fcpChange("kind", word), otio.Change{Path: []string{"transition_type"}, Value: otherwise})
		case "duration", "in", "out", "ripple":
		case "id":
			if p.Value == j.ID {
				continue
			}
			if err := f.newID(a, p.Value); err != nil {
				return err
			}
			id = p.Value
			n.changes = append(n.changes, otio.Change{Path: []string{"name"}, Value: id})
		default:
			return pdk.Errorf("%s is a transition, and has no %s:, only kind: duration: in: out: id:", pdk.Quote(j.ID), p.Key).TryQuery("describe " + pdk.Quote(j.ID))
		}
	}
	if err := k.readOffsets(a, n); err != nil {
		return err
	}
	if len(n.changes) == 0 && n.in == j.inOffset && n.out == j.outOffset {
		return pdk.Unchanged("%s is already a %s of %s", pdk.Quote(j.ID), j.kindName(), j.lengthText(f))
	}
	moved := 0
	if ripple {
		moved = j.Frames() - n.frames()
		err = f.slideJoin(a, l, i, moved)
	} else {
		err = f.overlapMore(c, a, l, i)
	}
	if err != nil {
		return err
	}
	if err := l.write(c, "modify "+j.ID, id); err != nil {
		return err
	}
	follows := ""
	if moved != 0 {
		said, err := f.rippleOthers(c, a, trackShift{tracks: []string{j.A.Track.ID}, start: j.B.Start, end: j.B.Start, by: moved})
		if err != nil {
			return err
		}
		follows = fmt.Sprintf("; %s and what follows it move by %s", j.B.name(), signed(f, moved)) + said
	}
	now := Join{Item: &Item{inOffset: n.in, outOffset: n.out}}
	c.Changed("%s %s>%s %s %s%s%s", pdk.Quote(id), j.A.name(), j.B.name(), kind, now.lengthText(f), follows, k.noteText())
	return nil
}

// lengthText prints how long a transition is, and on which sides of the cut.
func (j *Join) lengthText(f *Film) string {
	return fmt.Sprintf("%s, %s before the cut and %s after it", f.timeText(j.Frames()), f.timeText(j.inOffset), f.timeText(j.outOffset))
}

// readOffsets reads duration:, or in: and out:, the lengths before and after the cut. Each may be relative to what it is.
func (k *clock) readOffsets(a pdk.Args, n *join) error {
	if a.Has("duration") && (a.Has("in") || a.Has("out")) {
		return pdk.Errorf("duration: is in: and out: together: give one or the other").Try(a.Mended(pdk.Without("duration")), a.Mended(pdk.Without("in", "out")))
	}
	d, err := k.adjusted(a, "duration", n.frames(), k.length)
	if err != nil {
		return err
	}
	if d < 1 {
		return pdk.Errorf("duration:%s is less than a frame", a.String("duration", ""))
	}
	n.resize(d)
	if n.in, err = k.adjusted(a, "in", n.in, k.length); err != nil {
		return err
	}
	if n.out, err = k.adjusted(a, "out", n.out, k.length); err != nil {
		return err
	}
	if n.in < 0 || n.out < 0 || n.frames() < 1 {
		return pdk.Errorf("the transition would last %s before the cut and %s after it", k.f.timeText(n.in), k.f.timeText(n.out))
	}
	return nil
}

// slideJoin moves the segments after a transition, whose length has changed, by a number of frames.
func (f *Film) slideJoin(a pdk.Args, l *trackEdit, i, by int) error {
	n := l.segs[i].next
	if most := min(l.freeFrames(i), l.freeFrames(i+1)) + n.frames(); n.frames() > most {
		fit := *n
		fit.resize(most)
		return f.tooLong(a, n, &fit, "longer than the free part of its clips, "+f.timeText(most))
	}
	for _, s := range l.segs[i+1:] {
		s.start, s.end = s.start+by, s.end+by
	}
	return nil
}

// overlapMore lets the first clip of a transition end later or earlier, and the second one begin earlier or later, as its offsets say.
func (f *Film) overlapMore(c *ctx, a pdk.Args, l *trackEdit, i int) error {
	A, B := l.segs[i], l.segs[i+1]
	n, was := A.next, A.next.old
	mostIn, mostOut := n.frames()-was.outOffset+l.freeFrames(i), n.frames()-was.inOffset+l.freeFrames(i+1)
	if all := f.source(A.clip); all >= 0 {
		cut := A.in + float64(A.end-was.outOffset-A.start)*A.speed
		mostOut = min(mostOut, max(was.outOffset, int((float64(all)-cut)/A.speed+1e-6)))
	}
	if all := f.source(B.clip); all >= 0 {
		cut := B.in + float64(was.inOffset)*B.speed
		mostIn = min(mostIn, max(was.inOffset, int(cut/B.speed+1e-6)))
	}
	if n.in > mostIn || n.out > mostOut {
		fit := join{in: min(n.in, mostIn), out: min(n.out, mostOut)}
		for most := mostIn + mostOut; a.Has("duration"); most-- {
			fit = *n
			if fit.resize(most); fit.in <= mostIn && fit.out <= mostOut {
				break
			}
		}
		err := f.tooLong(a, n, &fit, fmt.Sprintf("longer than its clips can overlap, %s before the cut and %s after it", f.timeText(mostIn), f.timeText(mostOut)))
		if min(l.freeFrames(i), l.freeFrames(i+1)) >= 0 {
			err = err.Try(opText(a) + " ripple")
		}
		return err
	}
	later := was.inOffset - n.in
	A.end += n.out - was.outOffset
	B.start, B.in = B.start+later, B.in+float64(later)*B.speed
	B.changes = append(B.changes, f.laterKeys(B.clip, later)...)
	for _, s := range []*segment{A, B} {
		s.changes = append(s.changes, f.shorterFades(c, s.clip, s.end-s.start)...)
	}
	return nil
}

// tooLong refuses a length of a transition, and offers one that fits.
func (f *Film) tooLong(a pdk.Args, n, fit *join, why string) *pdk.Error {
	err := pdk.Errorf("a transition of %s would be %s", f.timeText(n.frames()), why)
	var mend []pdk.Change
	for key, frames := range map[string]int{"duration": fit.frames(), "in": fit.in, "out": fit.out} {
		if a.Has(key) {
			mend = append(mend, pdk.WithParam(key, f.timeText(frames)))
		}
	}
	if fit.frames() > 0 && (fit.in != n.old.inOffset || fit.out != n.old.outOffset) {
		err = err.Try(a.Mended(mend...))
	}
	return err
}
