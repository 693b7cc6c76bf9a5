package timeline

import (
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
	"github.com/fcp-host/fcp-host/plugins/video/internal/render"
)

func transitions() []string {
	return pdk.Map(render.Transitions(), func(k render.TransitionKind) string { return k.Name })
}

// addTransition handles add transition: it overlaps two neighbouring clips, so that the second and all after it move
// up.
func addTransition(c *film.Ctx, a pdk.Args) error {
	pdk.Check(allowOnly(a, "add transition", "between", "duration", "id", "ripple"))
	f := c.Model
	kind, ok := pdk.OneOf(a.Text(1), transitions())
	if !ok {
		names := nearNames(a.Text(1), transitions())
		err := pdk.Errorf("there is no transition %s", pdk.Quote(a.Text(1))).Instead(a.Text(1), names...)
		if len(names) == 0 {
			err = err.TryQuery("transitions")
		}
		return err
	}
	A, B := pdk.Must2(readPair(f, a))
	k := clock{f: f}
	d, given := optional(a, "duration", k.length)
	if !given {
		d, _ = f.Rate().Frames(oneSecond)
	}
	if d < 1 {
		return pdk.Errorf("duration:%s is less than a frame", a.String("duration", ""))
	}
	l := A.Track.Edit()
	pdk.Check(checkPair(f, a, l, A, B, kind, d))
	id := newID(f, a, kind)
	made := &film.JoinEdit{Make: film.NewTransition(id, kind, f.Rate().Float())}
	made.Resize(d)
	l.Segs[l.IndexOf(A)].Next = made
	l.Shift(B.Start, -d)
	pdk.Check(l.Write(c, "add "+id, id, A.ID, B.ID))
	follows := pdk.Must(rippleOthers(f, c, a, trackShift{tracks: []string{A.Track.ID}, start: B.Start, end: B.Start, by: -d}))
	film.NoteRecent(c, id)
	c.Created("%s %s>%s %s; %s and what follows it on %s start %s earlier%s%s", pdk.Quote(id), A.Ref(), B.Ref(), spanText(f, B.Start-d, A.End), B.Ref(), A.Track.ID, f.TimeText(d), follows, k.noteText())
	return nil
}

// readPair reads between:A,B.
func readPair(f *film.Film, a pdk.Args) (A, B *film.Clip, err error) {
	pair, given := a.Param("between")
	if !given {
		return nil, nil, suggestPair(f, pdk.Errorf("say between which clips: between:A,B"), a, nil)
	}
	first, second, ok := strings.Cut(pair, ",")
	A = pdk.Must(f.Clip(strings.TrimSpace(first), false))
	if !ok {
		return nil, nil, suggestPair(f, pdk.Errorf("between:%s names one clip: between:A,B", pair), a, A)
	}
	B = pdk.Must(f.Clip(strings.TrimSpace(second), false))
	return A, B, nil
}

// checkPair refuses a transition of d frames between two clips that cannot have it. l is the edit of A's track.
func checkPair(f *film.Film, a pdk.Args, l *film.TrackEdit, A, B *film.Clip, kind string, d int) error {
	at := l.IndexOf(A)
	switch {
	case A.Track.ID != B.Track.ID:
		return pdk.Errorf("%s is on %s and %s on %s: a transition joins two clips of one track", A.Ref(), A.Track.ID, B.Ref(), B.Track.ID)
	case A.Kind != film.ClipItem || B.Kind != film.ClipItem:
		return pdk.Errorf("a transition joins two clips, and %s is a %s", pdk.Quote(a.String("between", "")), map[bool]string{true: B.What(), false: A.What()}[A.Kind == film.ClipItem])
	case A.Over != nil || B.Over != nil:
		return pdk.Errorf("overlays have no transitions: fade them")
	case l.IndexOf(B) == at-1:
		return pdk.Errorf("%s comes before %s", B.Ref(), A.Ref()).Try(a.Mended(pdk.WithParam("between", B.ID+","+A.ID)))
	case l.IndexOf(B) != at+1:
		next := "no other clip"
		if at+1 < len(l.Segs) {
			next = pdk.Quote(l.Segs[at+1].Id)
		}
		return pdk.Errorf("%s is not right after %s: there is %s", B.Ref(), A.Ref(), next)
	case A.Right != nil && A.Right.Frames() == d && kindName(A.Right) == kind:
		return pdk.Unchanged("%s and %s are already joined by a %s of %s", A.Ref(), B.Ref(), kind, f.TimeText(d))
	case A.Right != nil:
		return pdk.Errorf("%s and %s are already joined by %s: change it", A.Ref(), B.Ref(), pdk.Quote(A.Right.ID)).Tryf("modify %s kind:%s duration:%s ripple", pdk.Quote(A.Right.ID), kind, f.TimeText(d))
	case B.Start > A.End:
		return pdk.Errorf("between %s and %s is a gap of %s", A.Ref(), B.Ref(), f.TimeText(B.Start-A.End)).Tryf("move %s at:end:%s", B.Ref(), A.Ref())
	}
	most := min(freeFrames(l, at), freeFrames(l, at+1))
	if d <= most {
		return nil
	}
	short := A
	if freeFrames(l, at+1) < freeFrames(l, at) {
		short = B
	}
	err := pdk.Errorf("a transition of %s is longer than the free part of %s, %s", f.TimeText(d), short.Ref(), f.TimeText(most))
	if most > 0 {
		err = err.Try(a.Mended(pdk.WithParam("duration", f.TimeText(most))))
	}
	return err
}

// suggestPair adds two clips that a transition can join to an error. If one is not nil, it is among the two.
func suggestPair(f *film.Film, e *pdk.Error, a pdk.Args, one *film.Clip) *pdk.Error {
	for _, t := range f.Parsed().Tracks {
		for i, c := range t.Clips[:max(0, len(t.Clips)-1)] {
			next := t.Clips[i+1]
			if c.Right == nil && c.End == next.Start && c.Kind == film.ClipItem && next.Kind == film.ClipItem && c.Over == nil && next.Over == nil && (one == nil || one == c || one == next) {
				return e.Try(a.Mended(pdk.WithParam("between", c.ID+","+next.ID)))
			}
		}
	}
	return e.TryQuery("map")
}

// freeFrames returns how many frames of a segment are in no transition.
func freeFrames(l *film.TrackEdit, at int) int {
	s := l.Segs[at]
	n := s.End - s.Start
	if s.Next != nil {
		n -= s.Next.Frames()
	}
	if at > 0 && l.Segs[at-1].Next != nil {
		n -= l.Segs[at-1].Next.Frames()
	}
	return n
}

// kindName returns our name for the kind of transition.
func kindName(j *film.Join) string {
	if kind, ok := pdk.OneOf(j.Transition, transitions()); ok {
		return kind
	}
	return "crossfade"
}
