package timeline

import (
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/render"
)

func transitions() (names []string) {
	for _, k := range render.Transitions() {
		names = append(names, k.Name)
	}
	return names
}

// addTransition handles add transition: it overlaps two neighbouring clips, so that the second and all after it move up.
func addTransition(c *ctx, a pdk.Args) error {
	if err := allowOnly(a, "add transition", "between", "duration", "id", "ripple"); err != nil {
		return err
	}
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
	A, B, err := f.readPair(a)
	if err != nil {
		return err
	}
	k := clock{f: f}
	d, given, err := optional(a, "duration", k.length)
	if err != nil {
		return err
	}
	if !given {
		d, _ = f.rate().Frames(oneSecond)
	}
	if d < 1 {
		return pdk.Errorf("duration:%s is less than a frame", a.String("duration", ""))
	}
	l := A.Track.edit()
	if err := f.checkPair(a, l, A, B, kind, d); err != nil {
		return err
	}
	id := a.String("id", "")
	if id == "" {
		id = f.freshID(kind)
	} else if err := f.newID(a, id); err != nil {
		return err
	}
	made := &join{make: newTransition(id, kind, f.rate().Float())}
	made.resize(d)
	l.segs[l.indexOf(A)].next = made
	l.shift(B.Start, -d)
	if err := l.write(c, "add "+id, id, A.ID, B.ID); err != nil {
		return err
	}
	follows, err := f.rippleOthers(c, a, trackShift{tracks: []string{A.Track.ID}, start: B.Start, end: B.Start, by: -d})
	if err != nil {
		return err
	}
	noteRecent(c, id)
	c.Created("%s %s>%s %s; %s and what follows it on %s start %s earlier%s%s", pdk.Quote(id), A.name(), B.name(), f.span(B.Start-d, A.End), B.name(), A.Track.ID, f.timeText(d), follows, k.noteText())
	return nil
}

// readPair reads between:A,B.
func (f *Film) readPair(a pdk.Args) (A, B *Clip, err error) {
	pair, given := a.Param("between")
	if !given {
		return nil, nil, f.suggestPair(pdk.Errorf("say between which clips: between:A,B"), a, nil)
	}
	first, second, ok := strings.Cut(pair, ",")
	if A, err = f.clip(strings.TrimSpace(first), false); err != nil {
		return nil, nil, err
	}
	if !ok {
		return nil, nil, f.suggestPair(pdk.Errorf("between:%s names one clip: between:A,B", pair), a, A)
	}
	if B, err = f.clip(strings.TrimSpace(second), false); err != nil {
		return nil, nil, err
	}
	return A, B, nil
}

// checkPair refuses a transition of d frames between two clips that cannot have it. l is the edit of A's track.
func (f *Film) checkPair(a pdk.Args, l *trackEdit, A, B *Clip, kind string, d int) error {
	at := l.indexOf(A)
	switch {
	case A.Track.ID != B.Track.ID:
		return pdk.Errorf("%s is on %s and %s on %s: a transition joins two clips of one track", A.name(), A.Track.ID, B.name(), B.Track.ID)
	case A.kind != clipItem || B.kind != clipItem:
		return pdk.Errorf("a transition joins two clips, and %s is a %s", pdk.Quote(a.String("between", "")), map[bool]string{true: B.what(), false: A.what()}[A.kind == clipItem])
	case A.Over != nil || B.Over != nil:
		return pdk.Errorf("overlays have no transitions: fade them")
	case l.indexOf(B) == at-1:
		return pdk.Errorf("%s comes before %s", B.name(), A.name()).Try(a.Mended(pdk.WithParam("between", B.ID+","+A.ID)))
	case l.indexOf(B) != at+1:
		next := "no other clip"
		if at+1 < len(l.segs) {
			next = pdk.Quote(l.segs[at+1].id)
		}
		return pdk.Errorf("%s is not right after %s: there is %s", B.name(), A.name(), next)
	case A.right != nil && A.right.Frames() == d && A.right.kindName() == kind:
		return pdk.Unchanged("%s and %s are already joined by a %s of %s", A.name(), B.name(), kind, f.timeText(d))
	case A.right != nil:
		return pdk.Errorf("%s and %s are already joined by %s: change it", A.name(), B.name(), pdk.Quote(A.right.ID)).Tryf("modify %s kind:%s duration:%s ripple", pdk.Quote(A.right.ID), kind, f.timeText(d))
	case B.Start > A.End:
		return pdk.Errorf("between %s and %s is a gap of %s", A.name(), B.name(), f.timeText(B.Start-A.End)).Tryf("move %s at:end:%s", B.name(), A.name())
	}
	most := min(l.freeFrames(at), l.freeFrames(at+1))
	if d <= most {
		return nil
	}
	short := A
	if l.freeFrames(at+1) < l.freeFrames(at) {
		short = B
	}
	err := pdk.Errorf("a transition of %s is longer than the free part of %s, %s", f.timeText(d), short.name(), f.timeText(most))
	if most > 0 {
		err = err.Try(a.Mended(pdk.WithParam("duration", f.timeText(most))))
	}
	return err
}

// suggestPair adds two clips that a transition can join to an error. If one is not nil, it is among the two.
func (f *Film) suggestPair(e *pdk.Error, a pdk.Args, one *Clip) *pdk.Error {
	for _, t := range f.parsed().tracks {
		for i, c := range t.Clips[:max(0, len(t.Clips)-1)] {
			next := t.Clips[i+1]
			if c.right == nil && c.End == next.Start && c.kind == clipItem && next.kind == clipItem && c.Over == nil && next.Over == nil && (one == nil || one == c || one == next) {
				return e.Try(a.Mended(pdk.WithParam("between", c.ID+","+next.ID)))
			}
		}
	}
	return e.TryQuery("map")
}

// freeFrames returns how many frames of a segment are in no transition.
func (l *trackEdit) freeFrames(at int) int {
	s := l.segs[at]
	n := s.end - s.start
	if s.next != nil {
		n -= s.next.frames()
	}
	if at > 0 && l.segs[at-1].next != nil {
		n -= l.segs[at-1].next.frames()
	}
	return n
}

// kindName returns our name for the kind of transition.
func (j *Join) kindName() string {
	if kind, ok := pdk.OneOf(j.Transition, transitions()); ok {
		return kind
	}
	return "crossfade"
}
