package timeline

import (
	"slices"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
	"github.com/fcp-host/fcp-host/plugins/video/internal/render"
)

func runSplit(c *film.Ctx, a pdk.Args) error {
	f := c.Model
	clip := pdk.Must(f.Clip(a.Text(0), false))
	if clip.Kind == film.OtherItem {
		return pdk.Errorf("%s is a nested %s, which is kept as it is", clip.Ref(), clip.Schema)
	}
	first, last := unshared(clip)
	k := clock{f: f, track: clip.Track, inClip: true}
	text, given := a.Param("at")
	if !given {
		return pdk.Errorf("split needs at:TIME, a time of the timeline between %s and %s", f.TimeText(first), f.TimeText(last)).Try(a.Mended(pdk.WithParam("at", f.TimeText((first+last)/2))))
	}
	at := pdk.Must(k.moment("at", text))
	if at <= first || at >= last {
		within := ""
		if clip.Left != nil || clip.Right != nil {
			within = ", outside of its transitions"
		}
		if other := splittableAt(f, clip, at); other != nil {
			return pdk.Errorf("%s is not within %s, but within %s", f.TimeText(at), clip.Ref(), other.Ref()).Try(a.Mended(pdk.WithWords(0, 1, other.ID)))
		}
		err := pdk.Errorf("%s is not within %s: it can be split between %s and %s%s", f.TimeText(at), clip.Ref(), f.TimeText(first), f.TimeText(last), within)
		if last-first > 1 {
			err = err.Try(a.Mended(pdk.WithParam("at", f.TimeText((first+last)/2))))
		}
		return err
	}
	id := newID(f, a, film.Base(clip.ID))
	l := clip.Track.Edit()
	i := l.IndexOf(clip)
	s := l.Segs[i]
	n := &film.Segment{Id: id, Start: at, End: s.End, In: s.In + float64(at-s.Start)*s.Speed, Speed: s.Speed, Base: s.Base, Next: s.Next, Text: clip.Node.Text(),
		Changes: []otio.Change{{Path: []string{"name"}, Value: id}}}
	n.Closes = s.Closes
	s.End, s.Next, s.Closes = at, nil, nil
	n.Changes = append(n.Changes, f.LaterKeys(clip, at-s.Start)...)
	if before, after := s.End-s.Start, n.End-n.Start; clip.Kind == film.TextItem && render.FadesOrRolls(clip.Caption.Style, clip.Caption.Fade) ||
		clip.FadeIn > clip.Cut.Before+before || clip.FadeOut > clip.Cut.After+after {
		// Both parts show what they showed: parts of one fade, or of one way.
		s.Changes = append(s.Changes, fcpChange("cut_after", timeOrNil(f, clip.Cut.After+after)))
		n.Changes = append(n.Changes, fcpChange("cut_before", timeOrNil(f, clip.Cut.Before+before)))
	} else {
		for _, key := range []string{"fade_in", "cut_before"} {
			n.Changes = append(n.Changes, fcpChange(key, nil))
		}
		for _, key := range []string{"fade_out", "cut_after"} {
			s.Changes = append(s.Changes, fcpChange(key, nil))
		}
	}
	l.Segs = slices.Insert(l.Segs, i+1, n)
	pdk.Check(l.Write(c, "split "+clip.ID, clip.ID, id))
	film.NoteRecent(c, clip.ID, id)
	c.Created("%s %s, and %s %s%s", clip.Ref(), spanText(f, clip.Start, at), pdk.Quote(id), spanText(f, at, clip.End), k.noteText())
	return nil
}

// splittableAt returns the clip on the track of another one that can be split at a frame, nil if there is none.
func splittableAt(f *film.Film, clip *film.Clip, at int) *film.Clip {
	return film.Find(clip.Track.Clips, func(c *film.Clip) bool {
		first, last := unshared(c)
		return c.Kind != film.OtherItem && first < at && at < last
	})
}

// unshared returns the span of the clip outside of its transitions.
func unshared(c *film.Clip) (first, last int) {
	first, last = c.Start, c.End
	if c.Left != nil {
		first = c.Left.A.End
	}
	if c.Right != nil {
		last = c.Right.B.Start
	}
	return first, last
}
