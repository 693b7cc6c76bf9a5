package timeline

import (
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
	"slices"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
)

func copyClip(c *film.Ctx, a pdk.Args) error {
	f := c.Model
	clip, err := f.Clip(a.Text(0), false)
	if err != nil {
		return err
	}
	if !a.Has("at") && !a.Has("after") {
		return pdk.Errorf("copy needs a destination: at:TIME or after:CLIP").Try(a.Mended(pdk.WithParam("at", "end")))
	}
	id := a.String("id", "")
	if id == "" {
		id = f.FreshID(film.Base(clip.ID))
	} else if err := f.NewID(a, id); err != nil {
		return err
	}
	p, err := readPlacement(f, c, a, clip, false)
	if err != nil {
		return err
	}
	t, err := track(f, p.track.ID)
	if err != nil {
		return err
	}
	l := t.Edit()
	from := clip.Track.Edit()
	n := movedSegment(clip, from.Segs[from.IndexOf(clip)], p.at)
	n.Id = id
	n.Changes = append(n.Changes, otio.Change{Path: []string{"name"}, Value: id})
	said := p.makeRoom(l, clip.Frames())
	if floats(clip) && l.Overlapping(n.Start, n.End) != nil && !a.Has("to") {
		if t, err = putFloating(f, c, clip, n, true); err != nil {
			return err
		}
	} else {
		if err := p.checkRoom(l, n, a); err != nil {
			return err
		}
		l.Put(n)
		if err := l.Write(c, "copy "+clip.ID, id); err != nil {
			return err
		}
	}
	follows, err := rippleOthers(f, c, a, p.shift)
	if err != nil {
		return err
	}
	c.Created("%s on %s %s%s%s%s", pdk.Quote(id), t.ID, span(f, n.Start, n.End), said, follows, p.noteText())
	return nil
}

func repeat(c *film.Ctx, a pdk.Args) error {
	f := c.Model
	clip, err := f.Clip(a.Text(0), false)
	if err != nil {
		return err
	}
	times := times.Of(a)
	if clip.Right != nil {
		last := clip
		for last.Right != nil {
			last = last.Right.B
		}
		return pdk.Errorf("%s is joined with %s by %s: remove that first, or repeat what is last", clip.Ref(), clip.Right.B.Ref(), pdk.Quote(clip.Right.ID)).Try(a.Mended(pdk.WithWords(0, 1, last.ID)))
	}
	l := clip.Track.Edit()
	i := l.IndexOf(clip)
	at := clip.End
	p := placement{clock: clock{f: f}, at: at, pushes: true}
	said := p.makeRoom(l, times*clip.Frames())
	made := f.FreshIDs(film.Base(clip.ID), times)
	for _, id := range made {
		s := movedSegment(clip, l.Segs[i], at)
		s.Id = id
		s.Changes = append(slices.Clone(s.Changes), otio.Change{Path: []string{"name"}, Value: id})
		at = s.End
		l.Put(s)
	}
	if err := l.Write(c, "repeat "+clip.ID, made...); err != nil {
		return err
	}
	follows, err := rippleOthers(f, c, a, p.shift)
	if err != nil {
		return err
	}
	film.NoteRecent(c, made...)
	c.Created("%s %s on %s%s%s", pdk.List(made, 6), span(f, clip.End, at), clip.Track.ID, said, follows)
	return nil
}
