package timeline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/timecode"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
)

// runMove handles move with at:, after: or to:, which moves one clip, and leaves by: to moveBy.
func runMove(c *film.Ctx, a pdk.Args) error {
	if a.Has("by") {
		return moveBy(c, a)
	}
	f := c.Model
	if len(a.Selectors) > 0 {
		return pdk.Errorf("selectors need by:TIME, such as by:+2s; at: and after: move one CLIP")
	}
	if len(a.Positionals) == 0 {
		return withSample(f, pdk.Errorf("move needs a CLIP, or selectors and by:TIME"), "move", a)
	}
	clip := pdk.Must(f.Clip(a.Text(0), false))
	if !a.Has("at") && !a.Has("after") && !a.Has("to") {
		return withSample(f, pdk.Errorf("move needs a destination: at:TIME, after:CLIP, by:±TIME, or to:TRACK"), "move", a)
	}
	if clip.Kind == film.OtherItem {
		return pdk.Errorf("%s is a nested %s, which is kept as it is", clip.Ref(), clip.Schema)
	}
	p := pdk.Must(readPlacement(f, c, a, clip, true))
	if p.track.ID == clip.Track.ID && p.at == clip.Start && !p.pushes {
		return pdk.Unchanged("%s already starts at %s of %s", clip.Ref(), f.TimeText(p.at), p.track.ID)
	}
	said := ""
	from := clip.Track.Edit()
	s := from.Segs[from.IndexOf(clip)]
	from.Remove(from.IndexOf(clip))
	if p.track.ID == clip.Track.ID {
		n := movedSegment(clip, s, p.at)
		said += p.makeRoom(from, clip.Frames())
		n.Start, n.End = p.at, p.at+clip.Frames()
		if floats(clip) && from.Overlapping(n.Start, n.End) != nil && !a.Has("to") {
			t := putFloating(f, c, clip, n, false)
			c.Changed("%s on %s %s%s", clip.Ref(), t.ID, spanText(f, n.Start, n.End), p.noteText())
			return nil
		}
		pdk.Check(p.insert(c, a, from, n))
	} else {
		n := movedSegment(clip, s, p.at)
		pdk.Check(from.Write(c, "move "+clip.ID, clip.ID))
		to := pdk.Must(findByRef(f, p.track.ID))
		l := to.Edit()
		said += p.makeRoom(l, clip.Frames())
		pdk.Check(p.insert(c, a, l, n))
	}
	follows := pdk.Must(rippleOthers(f, c, a, p.shift))
	c.Changed("%s on %s %s%s%s%s", clip.Ref(), p.track.ID, spanText(f, p.at, p.at+clip.Frames()), said, follows, p.noteText())
	return nil
}

// insert puts the moved clip's segment into an edit and writes the edit. It fails where another clip is in the way.
func (p *placement) insert(c *film.Ctx, a pdk.Args, l *film.TrackEdit, n *film.Segment) error {
	pdk.Check(p.checkRoom(l, n, a))
	l.Put(n)
	return l.Write(c, "move "+n.Id, n.Id)
}

// movedSegment returns a new segment for a clip at another place. It keeps the text of the clip's item.
func movedSegment(clip *film.Clip, s *film.Segment, at int) *film.Segment {
	return &film.Segment{Id: clip.ID, Start: at, End: at + clip.Frames(), In: s.In, Speed: s.Speed, Base: s.Base, Text: clip.Node.Text(), Changes: s.Changes}
}

// placement is where a clip is moved or copied to.
type placement struct {
	clock
	at     int
	pushes bool       // clips in the way move later
	shift  trackShift // the move of these clips
}

// readPlacement reads at:, after: and to:. moves is false for a copy.
func readPlacement(f *film.Film, c *film.Ctx, a pdk.Args, clip *film.Clip, moves bool) (*placement, error) {
	p := &placement{clock: clock{f: f, track: clip.Track}, at: clip.Start}
	if ref, ok := a.Param("to"); ok {
		t := trackOrNext(c, a, ref)
		if t.Kind != clip.Track.Kind {
			return nil, pdk.Errorf("%s is not the same kind of track as %s, where %s is", t.ID, clip.Track.ID, clip.Ref())
		}
		p.track = t
	}
	at, after := atOrAfter(a)
	switch {
	case after != "":
		behind := pdk.Must(f.Clip(after, false))
		if behind.ID == clip.ID && behind.Track.ID == clip.Track.ID && moves {
			return nil, pdk.Errorf("%s cannot be after itself", clip.Ref())
		}
		if behind.Right != nil && !(moves && behind.Right.B.ID == clip.ID) {
			return nil, pdk.Errorf("%s and %s are joined by %s: remove that first", behind.Ref(), behind.Right.B.Ref(), pdk.Quote(behind.Right.ID)).Try(a.Mended(pdk.Without("at"), pdk.WithParam("after", behind.Right.B.ID)))
		}
		if behind.Track.Kind != clip.Track.Kind {
			return nil, pdk.Errorf("%s is on %s, which is of another kind than %s", behind.Ref(), behind.Track.ID, clip.Track.ID)
		}
		p.track, p.at, p.pushes = behind.Track, behind.End, true
	case at != "":
		n := pdk.Must(p.moment("at", at))
		p.at = n
	}
	return p, nil
}

// atOrAfter reads at: and after:, of which an op has one. at:after:CLIP means after:CLIP.
func atOrAfter(a pdk.Args) (at, after string) {
	at, after = a.String("at", ""), a.String("after", "")
	if rest, ok := strings.CutPrefix(at, "after:"); ok && after == "" {
		return "", rest
	}
	if at != "" && after != "" {
		pdk.Check(pdk.Errorf("at: says when, after: after which clip: give one of them").Try(a.Mended(pdk.Without("after")), a.Mended(pdk.Without("at"))))
	}
	return at, after
}

// trackOrNext returns the track that to: names, as findOrAddTrack does. If its value is a time, the refusal suggests
// at:.
func trackOrNext(c *film.Ctx, a pdk.Args, ref string) *film.Track {
	t, err := findOrAddTrack(c, ref)
	if _, noTime := timecode.Parse(a.String("to", "")); err != nil && noTime == nil && !a.Has("at") {
		err = pdk.Errorf("to: names a track, at: says when: to:%s is a time", a.String("to", "")).Try(a.Mended(pdk.WithKey("to", "at")))
	}
	return pdk.Must(t, err)
}

// makeRoom moves the clips in the way of the given number of frames, if the op says after:. It returns what moved,
// for the result.
func (p *placement) makeRoom(l *film.TrackEdit, frames int) string {
	if !p.pushes {
		return ""
	}
	i := slices.IndexFunc(l.Segs, func(s *film.Segment) bool { return s.Start >= p.at })
	if i < 0 || l.Segs[i].Start >= p.at+frames {
		return ""
	}
	by := p.at + frames - l.Segs[i].Start
	id := l.Segs[i].Id
	p.shift = trackShift{tracks: []string{l.Track.ID}, start: l.Segs[i].Start, end: l.Segs[i].Start, by: by}
	l.Shift(l.Segs[i].Start, by)
	return fmt.Sprintf("; %s and what follows it start %s later", pdk.Quote(id), p.f.TimeText(by))
}

// checkRoom returns an error if a clip is in the way.
func (p *placement) checkRoom(l *film.TrackEdit, n *film.Segment, a pdk.Args) error {
	h := l.Overlapping(n.Start, n.End)
	if h == nil {
		return nil
	}
	err := pdk.Errorf("%s has %s from %s to %s", l.Track.ID, pdk.Quote(h.Id), p.f.TimeText(h.Start), p.f.TimeText(h.End))
	return err.Try(a.Mended(pdk.Without("at"), pdk.WithParam("after", l.LastJoined(h))))
}

// moveBy handles move with by:, which moves any number of clips by the same time.
func moveBy(c *film.Ctx, a pdk.Args) error {
	f := c.Model
	if a.Has("at") || a.Has("after") || a.Has("to") {
		return pdk.Errorf("by: moves from where things are: it takes no at:, after: or to:").Try(a.Mended(pdk.Without("at", "after", "to")))
	}
	clips := pdk.Must(targets(c, a))
	text := a.String("by", "")
	k := clock{f: f}
	n := pdk.Must(k.shift("by", text))
	if n == 0 {
		return pdk.Unchanged("by:%s moves nothing", text)
	}
	for _, t := range f.Parsed().Tracks {
		l, some := t.Edit(), false
		for _, s := range l.Segs {
			if slices.Contains(clips, s.Clip) {
				s.Start, s.End, some = s.Start+n, s.End+n, true
			}
		}
		if !some {
			continue
		}
		for i, s := range l.Segs {
			if s.Next != nil && slices.Contains(clips, s.Clip) != slices.Contains(clips, l.Segs[i+1].Clip) {
				return pdk.Errorf("%s joins %s and %s: move both, or remove it first", pdk.Quote(s.Next.Old.ID), pdk.Quote(s.Id), pdk.Quote(l.Segs[i+1].Id))
			}
		}
		if l.Tail > 0 {
			l.Tail = max(0, l.Tail-max(0, n))
		}
		if l.Check() == nil {
			pdk.Check(l.Write(c, "move by "+text, clipIDs(clips)...))
			continue
		}
		pdk.Check(moveFloating(f, c, l, clips))
	}
	film.NoteRecent(c, clipIDs(clips)...)
	c.Changed("%s %s: %s%s", clipNames(clips), signed(f, n), starts(f, clips, n), k.noteText())
	return nil
}

// moveFloating moves texts and overlays of an edit to their new times, and to another track where there is no room.
// It fails if a clip of another type, which cannot change tracks, has no room.
func moveFloating(f *film.Film, c *film.Ctx, l *film.TrackEdit, clips []*film.Clip) error {
	for _, s := range l.Segs {
		if slices.Contains(clips, s.Clip) && (!floats(s.Clip) || s.Start < 0) {
			return l.Check()
		}
	}
	for _, s := range l.Segs {
		if !slices.Contains(clips, s.Clip) {
			continue
		}
		putFloating(f, c, refind(f, l.Track, s.Id), s, false)
	}
	return nil
}

// starts prints where clips are after a move, for at most four of them.
func starts(f *film.Film, clips []*film.Clip, by int) string {
	return pdk.List(pdk.Map(clips, func(c *film.Clip) string { return fmt.Sprintf("%s at %s", c.Ref(), f.TimeText(c.Start+by)) }), 4)
}
