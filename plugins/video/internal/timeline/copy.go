package timeline

import (
	"slices"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
)

func copyClip(c *ctx, a pdk.Args) error {
	f := c.Model
	clip, err := f.clip(a.Text(0), false)
	if err != nil {
		return err
	}
	if !a.Has("at") && !a.Has("after") {
		return pdk.Errorf("copy needs a destination: at:TIME or after:CLIP").Try(a.Mended(pdk.WithParam("at", "end")))
	}
	id := a.String("id", "")
	if id == "" {
		id = f.freshID(base(clip.ID))
	} else if err := f.newID(a, id); err != nil {
		return err
	}
	p, err := f.readPlacement(c, a, clip, false)
	if err != nil {
		return err
	}
	t, err := f.track(p.track.ID)
	if err != nil {
		return err
	}
	l := t.edit()
	from := clip.Track.edit()
	n := movedSegment(clip, from.segs[from.indexOf(clip)], p.at)
	n.id = id
	n.changes = append(n.changes, otio.Change{Path: []string{"name"}, Value: id})
	said := p.makeRoom(l, clip.Frames())
	if clip.floats() && l.overlapping(n.start, n.end) != nil && !a.Has("to") {
		if t, err = f.putFloating(c, clip, n, true); err != nil {
			return err
		}
	} else {
		if err := p.checkRoom(l, n, a); err != nil {
			return err
		}
		l.put(n)
		if err := l.write(c, "copy "+clip.ID, id); err != nil {
			return err
		}
	}
	follows, err := f.rippleOthers(c, a, p.shift)
	if err != nil {
		return err
	}
	c.Created("%s on %s %s%s%s%s", pdk.Quote(id), t.ID, f.span(n.start, n.end), said, follows, p.noteText())
	return nil
}

func repeat(c *ctx, a pdk.Args) error {
	f := c.Model
	clip, err := f.clip(a.Text(0), false)
	if err != nil {
		return err
	}
	times := times.Of(a)
	if clip.right != nil {
		last := clip
		for last.right != nil {
			last = last.right.B
		}
		return pdk.Errorf("%s is joined with %s by %s: remove that first, or repeat what is last", clip.name(), clip.right.B.name(), pdk.Quote(clip.right.ID)).Try(a.Mended(pdk.WithWords(0, 1, last.ID)))
	}
	l := clip.Track.edit()
	i := l.indexOf(clip)
	at := clip.End
	p := placement{clock: clock{f: f}, at: at, pushes: true}
	said := p.makeRoom(l, times*clip.Frames())
	made := f.freshIDs(base(clip.ID), times)
	for _, id := range made {
		s := movedSegment(clip, l.segs[i], at)
		s.id = id
		s.changes = append(slices.Clone(s.changes), otio.Change{Path: []string{"name"}, Value: id})
		at = s.end
		l.put(s)
	}
	if err := l.write(c, "repeat "+clip.ID, made...); err != nil {
		return err
	}
	follows, err := f.rippleOthers(c, a, p.shift)
	if err != nil {
		return err
	}
	noteRecent(c, made...)
	c.Created("%s %s on %s%s%s", pdk.List(made, 6), f.span(clip.End, at), clip.Track.ID, said, follows)
	return nil
}
