package timeline

import (
	"fmt"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/timecode"
)

// move handles move with at:, after: or to:, which moves one clip, and leaves by: to moveBy.
func move(c *film.Ctx, a pdk.Args) error {
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
	clip, err := f.Clip(a.Text(0), false)
	if err != nil {
		return err
	}
	if !a.Has("at") && !a.Has("after") && !a.Has("to") {
		return withSample(f, pdk.Errorf("move needs a destination: at:TIME, after:CLIP, by:±TIME, or to:TRACK"), "move", a)
	}
	if clip.Kind == film.OtherItem {
		return pdk.Errorf("%s is a nested %s, which is kept as it is", clip.Ref(), clip.Schema)
	}
	p, err := readPlacement(f, c, a, clip, true)
	if err != nil {
		return err
	}
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
			t, err := putFloating(f, c, clip, n, false)
			if err != nil {
				return err
			}
			c.Changed("%s on %s %s%s", clip.Ref(), t.ID, span(f, n.Start, n.End), p.noteText())
			return nil
		}
		if err := p.insert(c, a, from, n); err != nil {
			return err
		}
	} else {
		n := movedSegment(clip, s, p.at)
		if err := from.Write(c, "move "+clip.ID, clip.ID); err != nil {
			return err
		}
		to, err := track(f, p.track.ID)
		if err != nil {
			return err
		}
		l := to.Edit()
		said += p.makeRoom(l, clip.Frames())
		if err := p.insert(c, a, l, n); err != nil {
			return err
		}
	}
	follows, err := rippleOthers(f, c, a, p.shift)
	if err != nil {
		return err
	}
	c.Changed("%s on %s %s%s%s%s", clip.Ref(), p.track.ID, span(f, p.at, p.at+clip.Frames()), said, follows, p.noteText())
	return nil
}

// insert puts the moved clip's segment into an edit and writes the edit. It fails where another clip is in the way.
func (p *placement) insert(c *film.Ctx, a pdk.Args, l *film.TrackEdit, n *film.Segment) error {
	if err := p.checkRoom(l, n, a); err != nil {
		return err
	}
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
		t, err := findOrAddTrack(c, ref)
		if err != nil {
			return nil, toOrAt(f, err, a)
		}
		if t.Kind != clip.Track.Kind {
			return nil, pdk.Errorf("%s is not the same kind of track as %s, where %s is", t.ID, clip.Track.ID, clip.Ref())
		}
		p.track = t
	}
	at, atGiven := a.Param("at")
	after, afterGiven := a.Param("after")
	if rest, ok := strings.CutPrefix(at, "after:"); ok && !afterGiven {
		after, afterGiven, atGiven = rest, true, false
	}
	switch {
	case atGiven && afterGiven:
		return nil, pdk.Errorf("at: says when, after: after which clip: give one of them").Try(a.Mended(pdk.Without("after")), a.Mended(pdk.Without("at")))
	case afterGiven:
		behind, err := f.Clip(after, false)
		if err != nil {
			return nil, err
		}
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
	case atGiven:
		n, err := p.moment("at", at)
		if err != nil {
			return nil, err
		}
		p.at = n
	}
	return p, nil
}

// toOrAt returns the error for a to: that names no track, and suggests at: if its value is a time.
func toOrAt(f *film.Film, err error, a pdk.Args) error {
	if _, noTime := timecode.Parse(a.String("to", "")); noTime != nil || a.Has("at") {
		return err
	}
	return pdk.Errorf("to: names a track, at: says when: to:%s is a time", a.String("to", "")).Try(a.Mended(pdk.WithKey("to", "at")))
}

// makeRoom moves the clips in the way of the given number of frames, if the op says after:. It returns what moved, for the result.
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
	clips, err := targets(c, a)
	if err != nil {
		return err
	}
	text := a.String("by", "")
	k := clock{f: f}
	n, err := k.shift("by", text)
	if err != nil {
		return err
	}
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
			if err := l.Write(c, "move by "+text, ids(clips)...); err != nil {
				return err
			}
			continue
		}
		if err := moveFloating(f, c, l, clips); err != nil {
			return err
		}
	}
	film.NoteRecent(c, ids(clips)...)
	c.Changed("%s %s: %s%s", names(clips), signed(f, n), starts(f, clips, n), k.noteText())
	return nil
}

// moveFloating moves texts and overlays of an edit to their new times, and to another track where there is no room. It fails if a
// clip of another type, which cannot change tracks, has no room.
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
		if _, err := putFloating(f, c, refind(f, l.Track, s.Id), s, false); err != nil {
			return err
		}
	}
	return nil
}

// starts prints where clips are after a move, for at most four of them.
func starts(f *film.Film, clips []*film.Clip, by int) string {
	var out []string
	for _, c := range clips {
		out = append(out, fmt.Sprintf("%s at %s", c.Ref(), f.TimeText(c.Start+by)))
	}
	return pdk.List(out, 4)
}
