package timeline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/timecode"
)

// move handles move with at:, after: or to:, which moves one clip, and leaves by: to moveBy.
func move(c *ctx, a pdk.Args) error {
	if a.Has("by") {
		return moveBy(c, a)
	}
	f := c.Model
	if len(a.Selectors) > 0 {
		return pdk.Errorf("selectors need by:TIME, such as by:+2s; at: and after: move one CLIP")
	}
	if len(a.Positionals) == 0 {
		return f.sample(pdk.Errorf("move needs a CLIP, or selectors and by:TIME"), "move", a)
	}
	clip, err := f.clip(a.Text(0), false)
	if err != nil {
		return err
	}
	if !a.Has("at") && !a.Has("after") && !a.Has("to") {
		return f.sample(pdk.Errorf("move needs a destination: at:TIME, after:CLIP, by:±TIME, or to:TRACK"), "move", a)
	}
	if clip.kind == otherItem {
		return pdk.Errorf("%s is a nested %s, which is kept as it is", clip.name(), clip.Schema)
	}
	p, err := f.readPlacement(c, a, clip, true)
	if err != nil {
		return err
	}
	if p.track.ID == clip.Track.ID && p.at == clip.Start && !p.pushes {
		return pdk.Unchanged("%s already starts at %s of %s", clip.name(), f.timeText(p.at), p.track.ID)
	}
	said := ""
	from := clip.Track.edit()
	s := from.segs[from.indexOf(clip)]
	from.remove(from.indexOf(clip))
	if p.track.ID == clip.Track.ID {
		n := movedSegment(clip, s, p.at)
		said += p.makeRoom(from, clip.Frames())
		n.start, n.end = p.at, p.at+clip.Frames()
		if clip.floats() && from.overlapping(n.start, n.end) != nil && !a.Has("to") {
			t, err := f.putFloating(c, clip, n, false)
			if err != nil {
				return err
			}
			c.Changed("%s on %s %s%s", clip.name(), t.ID, f.span(n.start, n.end), p.noteText())
			return nil
		}
		if err := p.insert(c, a, from, n); err != nil {
			return err
		}
	} else {
		n := movedSegment(clip, s, p.at)
		if err := from.write(c, "move "+clip.ID, clip.ID); err != nil {
			return err
		}
		to, err := f.track(p.track.ID)
		if err != nil {
			return err
		}
		l := to.edit()
		said += p.makeRoom(l, clip.Frames())
		if err := p.insert(c, a, l, n); err != nil {
			return err
		}
	}
	follows, err := f.rippleOthers(c, a, p.shift)
	if err != nil {
		return err
	}
	c.Changed("%s on %s %s%s%s%s", clip.name(), p.track.ID, f.span(p.at, p.at+clip.Frames()), said, follows, p.noteText())
	return nil
}

// insert puts the moved clip's segment into an edit and writes the edit. It fails where another clip is in the way.
func (p *placement) insert(c *ctx, a pdk.Args, l *trackEdit, n *segment) error {
	if err := p.checkRoom(l, n, a); err != nil {
		return err
	}
	l.put(n)
	return l.write(c, "move "+n.id, n.id)
}

// movedSegment returns a new segment for a clip at another place. It keeps the text of the clip's item.
func movedSegment(clip *Clip, s *segment, at int) *segment {
	return &segment{id: clip.ID, start: at, end: at + clip.Frames(), in: s.in, speed: s.speed, base: s.base, text: clip.node.Text(), changes: s.changes}
}

// placement is where a clip is moved or copied to.
type placement struct {
	clock
	at     int
	pushes bool       // clips in the way move later
	shift  trackShift // the move of these clips
}

// readPlacement reads at:, after: and to:. moves is false for a copy.
func (f *Film) readPlacement(c *ctx, a pdk.Args, clip *Clip, moves bool) (*placement, error) {
	p := &placement{clock: clock{f: f, track: clip.Track}, at: clip.Start}
	if ref, ok := a.Param("to"); ok {
		t, err := findOrAddTrack(c, ref)
		if err != nil {
			return nil, f.toOrAt(err, a)
		}
		if t.Kind != clip.Track.Kind {
			return nil, pdk.Errorf("%s is not the same kind of track as %s, where %s is", t.ID, clip.Track.ID, clip.name())
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
		behind, err := f.clip(after, false)
		if err != nil {
			return nil, err
		}
		if behind.ID == clip.ID && behind.Track.ID == clip.Track.ID && moves {
			return nil, pdk.Errorf("%s cannot be after itself", clip.name())
		}
		if behind.right != nil && !(moves && behind.right.B.ID == clip.ID) {
			return nil, pdk.Errorf("%s and %s are joined by %s: remove that first", behind.name(), behind.right.B.name(), pdk.Quote(behind.right.ID)).Try(a.Mended(pdk.Without("at"), pdk.WithParam("after", behind.right.B.ID)))
		}
		if behind.Track.Kind != clip.Track.Kind {
			return nil, pdk.Errorf("%s is on %s, which is of another kind than %s", behind.name(), behind.Track.ID, clip.Track.ID)
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
func (f *Film) toOrAt(err error, a pdk.Args) error {
	if _, noTime := timecode.Parse(a.String("to", "")); noTime != nil || a.Has("at") {
		return err
	}
	return pdk.Errorf("to: names a track, at: says when: to:%s is a time", a.String("to", "")).Try(a.Mended(pdk.WithKey("to", "at")))
}

// makeRoom moves the clips in the way of the given number of frames, if the op says after:. It returns what moved, for the result.
func (p *placement) makeRoom(l *trackEdit, frames int) string {
	if !p.pushes {
		return ""
	}
	i := slices.IndexFunc(l.segs, func(s *segment) bool { return s.start >= p.at })
	if i < 0 || l.segs[i].start >= p.at+frames {
		return ""
	}
	by := p.at + frames - l.segs[i].start
	id := l.segs[i].id
	p.shift = trackShift{tracks: []string{l.track.ID}, start: l.segs[i].start, end: l.segs[i].start, by: by}
	l.shift(l.segs[i].start, by)
	return fmt.Sprintf("; %s and what follows it start %s later", pdk.Quote(id), p.f.timeText(by))
}

// checkRoom returns an error if a clip is in the way.
func (p *placement) checkRoom(l *trackEdit, n *segment, a pdk.Args) error {
	h := l.overlapping(n.start, n.end)
	if h == nil {
		return nil
	}
	err := pdk.Errorf("%s has %s from %s to %s", l.track.ID, pdk.Quote(h.id), p.f.timeText(h.start), p.f.timeText(h.end))
	return err.Try(a.Mended(pdk.Without("at"), pdk.WithParam("after", l.lastJoined(h))))
}

// moveBy handles move with by:, which moves any number of clips by the same time.
func moveBy(c *ctx, a pdk.Args) error {
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
	for _, t := range f.parsed().tracks {
		l, some := t.edit(), false
		for _, s := range l.segs {
			if slices.Contains(clips, s.clip) {
				s.start, s.end, some = s.start+n, s.end+n, true
			}
		}
		if !some {
			continue
		}
		for i, s := range l.segs {
			if s.next != nil && slices.Contains(clips, s.clip) != slices.Contains(clips, l.segs[i+1].clip) {
				return pdk.Errorf("%s joins %s and %s: move both, or remove it first", pdk.Quote(s.next.old.ID), pdk.Quote(s.id), pdk.Quote(l.segs[i+1].id))
			}
		}
		if l.tail > 0 {
			l.tail = max(0, l.tail-max(0, n))
		}
		if l.check() == nil {
			if err := l.write(c, "move by "+text, ids(clips)...); err != nil {
				return err
			}
			continue
		}
		if err := f.moveFloating(c, l, clips); err != nil {
			return err
		}
	}
	noteRecent(c, ids(clips)...)
	c.Changed("%s %s: %s%s", names(clips), signed(f, n), starts(f, clips, n), k.noteText())
	return nil
}

// moveFloating moves texts and overlays of an edit to their new times, and to another track where there is no room. It fails if a
// clip of another type, which cannot change tracks, has no room.
func (f *Film) moveFloating(c *ctx, l *trackEdit, clips []*Clip) error {
	for _, s := range l.segs {
		if slices.Contains(clips, s.clip) && (!s.clip.floats() || s.start < 0) {
			return l.check()
		}
	}
	for _, s := range l.segs {
		if !slices.Contains(clips, s.clip) {
			continue
		}
		if _, err := f.putFloating(c, f.refind(l.track, s.id), s, false); err != nil {
			return err
		}
	}
	return nil
}

// starts prints where clips are after a move, for at most four of them.
func starts(f *Film, clips []*Clip, by int) string {
	var out []string
	for _, c := range clips {
		out = append(out, fmt.Sprintf("%s at %s", c.name(), f.timeText(c.Start+by)))
	}
	return pdk.List(out, 4)
}
