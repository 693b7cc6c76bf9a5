package timeline

import (
	"slices"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
)

func copyClip(c *film.Ctx, a pdk.Args) error {
	f := c.Model
	clip := pdk.Must(f.Clip(a.Text(0), false))
	if !a.Has("at") && !a.Has("after") {
		return pdk.Errorf("copy needs a destination: at:TIME or after:CLIP").Try(a.Mended(pdk.WithParam("at", "end")))
	}
	id := newID(f, a, film.Base(clip.ID))
	p := pdk.Must(readPlacement(f, c, a, clip, false))
	t := pdk.Must(findByRef(f, p.track.ID))
	l := t.Edit()
	from := clip.Track.Edit()
	n := movedSegment(clip, from.Segs[from.IndexOf(clip)], p.at)
	n.Id = id
	n.Changes = append(n.Changes, otio.Change{Path: []string{"name"}, Value: id})
	said := p.makeRoom(l, clip.Frames())
	if floats(clip) && l.Overlapping(n.Start, n.End) != nil && !a.Has("to") {
		t = putFloating(f, c, clip, n, true)
	} else {
		pdk.Check(p.checkRoom(l, n, a))
		l.Put(n)
		pdk.Check(l.Write(c, "copy "+clip.ID, id))
	}
	follows := pdk.Must(rippleOthers(f, c, a, p.shift))
	c.Created("%s on %s %s%s%s%s", pdk.Quote(id), t.ID, spanText(f, n.Start, n.End), said, follows, p.noteText())
	return nil
}

func repeat(c *film.Ctx, a pdk.Args) error {
	f := c.Model
	clip := pdk.Must(f.Clip(a.Text(0), false))
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
	pdk.Check(l.Write(c, "repeat "+clip.ID, made...))
	follows := pdk.Must(rippleOthers(f, c, a, p.shift))
	film.NoteRecent(c, made...)
	c.Created("%s %s on %s%s%s", pdk.List(made, 6), spanText(f, clip.End, at), clip.Track.ID, said, follows)
	return nil
}
