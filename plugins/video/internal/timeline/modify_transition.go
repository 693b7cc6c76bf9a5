package timeline

import (
	"fmt"
	"slices"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
)

// namedJoins returns the transitions that an op of modify is about: the one that it names, or those that selectors
// match if they match nothing else but gaps.
func namedJoins(f *film.Film, c *film.Ctx, a pdk.Args) (out []*film.Join, err error) {
	if len(a.Selectors) == 0 {
		if j := f.Join(a.Text(0)); j != nil {
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
func modifyJoins(f *film.Film, c *film.Ctx, a pdk.Args, joins []*film.Join) error {
	var same error
	unchanged := 0
	for _, j := range joins {
		t := film.Find(f.Parsed().Tracks, func(t *film.Track) bool { return t.ID == j.A.Track.ID })
		now := film.Find(t.Joins, func(o *film.Join) bool { return o.Index == j.Index }) // an edit replaces the clips and transitions of a track
		if err := modifyJoin(f, c, a, now); pdk.IsUnchanged(err) {
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

// modifyJoin changes the kind, the id or the length of a transition. The cut below it stays where it is, and so does
// all else; with ripple the two clips show what they did, and what follows moves.
func modifyJoin(f *film.Film, c *film.Ctx, a pdk.Args, j *film.Join) error {
	ripple := ripples(a)
	k := clock{f: f}
	l := j.A.Track.Edit()
	i := slices.IndexFunc(l.Segs, func(s *film.Segment) bool { return s.Next != nil && s.Next.Old == j })
	n := l.Segs[i].Next
	id, kind := j.ID, kindName(j)
	for _, p := range a.Params {
		switch p.Key {
		case "kind":
			word := joinKind.Of(a)
			if word == kindName(j) {
				continue
			}
			kind = word
			otherwise := "Custom_Transition"
			if word == "crossfade" {
				otherwise = "SMPTE_Dissolve"
			}
			n.Changes = append(n.Changes, fcpChange("kind", word), otio.Change{Path: []string{"transition_type"}, Value: otherwise})
		case "duration", "in", "out", "ripple":
		case "id":
			if p.Value == j.ID {
				continue
			}
			pdk.Check(f.NewID(a, p.Value))
			id = p.Value
			n.Changes = append(n.Changes, otio.Change{Path: []string{"name"}, Value: id})
		default:
			return pdk.Errorf("%s is a transition, and has no %s:, only kind: duration: in: out: id:", pdk.Quote(j.ID), p.Key).TryQuery("describe " + pdk.Quote(j.ID))
		}
	}
	pdk.Check(k.readOffsets(a, n))
	if len(n.Changes) == 0 && n.In == j.InOffset && n.Out == j.OutOffset {
		return pdk.Unchanged("%s is already a %s of %s", pdk.Quote(j.ID), kindName(j), lengthText(j, f))
	}
	moved := 0
	if ripple {
		moved = j.Frames() - n.Frames()
		pdk.Check(slideJoin(f, a, l, i, moved))
	} else {
		pdk.Check(overlapMore(f, c, a, l, i))
	}
	pdk.Check(l.Write(c, "modify "+j.ID, id))
	follows := ""
	if moved != 0 {
		said := pdk.Must(rippleOthers(f, c, a, trackShift{tracks: []string{j.A.Track.ID}, start: j.B.Start, end: j.B.Start, by: moved}))
		follows = fmt.Sprintf("; %s and what follows it move by %s", j.B.Ref(), signed(f, moved)) + said
	}
	now := film.Join{Item: &film.Item{InOffset: n.In, OutOffset: n.Out}}
	c.Changed("%s %s>%s %s %s%s%s", pdk.Quote(id), j.A.Ref(), j.B.Ref(), kind, lengthText(&now, f), follows, k.noteText())
	return nil
}

// lengthText prints how long a transition is, and on which sides of the cut.
func lengthText(j *film.Join, f *film.Film) string {
	return fmt.Sprintf("%s, %s before the cut and %s after it", f.TimeText(j.Frames()), f.TimeText(j.InOffset), f.TimeText(j.OutOffset))
}

// readOffsets reads duration:, or in: and out:, the lengths before and after the cut. Each may be relative to what it
// is.
func (k *clock) readOffsets(a pdk.Args, n *film.JoinEdit) error {
	if a.Has("duration") && (a.Has("in") || a.Has("out")) {
		return pdk.Errorf("duration: is in: and out: together: give one or the other").Try(a.Mended(pdk.Without("duration")), a.Mended(pdk.Without("in", "out")))
	}
	d := k.adjusted(a, "duration", n.Frames(), k.length)
	if d < 1 {
		return pdk.Errorf("duration:%s is less than a frame", a.String("duration", ""))
	}
	n.Resize(d)
	n.In = k.adjusted(a, "in", n.In, k.length)
	n.Out = k.adjusted(a, "out", n.Out, k.length)
	if n.In < 0 || n.Out < 0 || n.Frames() < 1 {
		return pdk.Errorf("the transition would last %s before the cut and %s after it", k.f.TimeText(n.In), k.f.TimeText(n.Out))
	}
	return nil
}

// slideJoin moves the segments after a transition, whose length has changed, by a number of frames.
func slideJoin(f *film.Film, a pdk.Args, l *film.TrackEdit, i, by int) error {
	n := l.Segs[i].Next
	if most := min(freeFrames(l, i), freeFrames(l, i+1)) + n.Frames(); n.Frames() > most {
		fit := *n
		fit.Resize(most)
		return tooLong(f, a, n, &fit, "longer than the free part of its clips, "+f.TimeText(most))
	}
	for _, s := range l.Segs[i+1:] {
		s.Start, s.End = s.Start+by, s.End+by
	}
	return nil
}

// overlapMore lets the first clip of a transition end later or earlier, and the second one begin earlier or later, as
// its offsets say.
func overlapMore(f *film.Film, c *film.Ctx, a pdk.Args, l *film.TrackEdit, i int) error {
	A, B := l.Segs[i], l.Segs[i+1]
	n, was := A.Next, A.Next.Old
	mostIn, mostOut := n.Frames()-was.OutOffset+freeFrames(l, i), n.Frames()-was.InOffset+freeFrames(l, i+1)
	if all := f.Source(A.Clip); all >= 0 {
		cut := A.In + float64(A.End-was.OutOffset-A.Start)*A.Speed
		mostOut = min(mostOut, max(was.OutOffset, int((float64(all)-cut)/A.Speed+1e-6)))
	}
	if all := f.Source(B.Clip); all >= 0 {
		cut := B.In + float64(was.InOffset)*B.Speed
		mostIn = min(mostIn, max(was.InOffset, int(cut/B.Speed+1e-6)))
	}
	if n.In > mostIn || n.Out > mostOut {
		fit := film.JoinEdit{In: min(n.In, mostIn), Out: min(n.Out, mostOut)}
		for most := mostIn + mostOut; a.Has("duration"); most-- {
			fit = *n
			if fit.Resize(most); fit.In <= mostIn && fit.Out <= mostOut {
				break
			}
		}
		err := tooLong(f, a, n, &fit, fmt.Sprintf("longer than its clips can overlap, %s before the cut and %s after it", f.TimeText(mostIn), f.TimeText(mostOut)))
		if min(freeFrames(l, i), freeFrames(l, i+1)) >= 0 {
			err = err.Try(opText(a) + " ripple")
		}
		return err
	}
	later := was.InOffset - n.In
	A.End += n.Out - was.OutOffset
	B.Start, B.In = B.Start+later, B.In+float64(later)*B.Speed
	B.Changes = append(B.Changes, f.LaterKeys(B.Clip, later)...)
	for _, s := range []*film.Segment{A, B} {
		s.Changes = append(s.Changes, shorterFades(f, c, s.Clip, s.End-s.Start)...)
	}
	return nil
}

// tooLong refuses a length of a transition, and offers one that fits.
func tooLong(f *film.Film, a pdk.Args, n, fit *film.JoinEdit, why string) *pdk.Error {
	err := pdk.Errorf("a transition of %s would be %s", f.TimeText(n.Frames()), why)
	var mend []pdk.Change
	for key, frames := range map[string]int{"duration": fit.Frames(), "in": fit.In, "out": fit.Out} {
		if a.Has(key) {
			mend = append(mend, pdk.WithParam(key, f.TimeText(frames)))
		}
	}
	if fit.Frames() > 0 && (fit.In != n.Old.InOffset || fit.Out != n.Old.OutOffset) {
		err = err.Try(a.Mended(mend...))
	}
	return err
}
