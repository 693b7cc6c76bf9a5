package timeline

import (
	"slices"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
	"github.com/fcp-host/fcp-host/plugins/video/internal/render"
)

func split(c *ctx, a pdk.Args) error {
	f := c.Model
	clip, err := f.clip(a.Text(0), false)
	if err != nil {
		return err
	}
	if clip.kind == otherItem {
		return pdk.Errorf("%s is a nested %s, which is kept as it is", clip.name(), clip.Schema)
	}
	first, last := clip.unshared()
	k := clock{f: f, track: clip.Track, inClip: true}
	text, given := a.Param("at")
	if !given {
		return pdk.Errorf("split needs at:TIME, a time of the timeline between %s and %s", f.timeText(first), f.timeText(last)).Try(a.Mended(pdk.WithParam("at", f.timeText((first+last)/2))))
	}
	at, err := k.moment("at", text)
	if err != nil {
		return err
	}
	if at <= first || at >= last {
		within := ""
		if clip.left != nil || clip.right != nil {
			within = ", outside of its transitions"
		}
		if other := f.splittableAt(clip, at); other != nil {
			return pdk.Errorf("%s is not within %s, but within %s", f.timeText(at), clip.name(), other.name()).Try(a.Mended(pdk.WithWords(0, 1, other.ID)))
		}
		err := pdk.Errorf("%s is not within %s: it can be split between %s and %s%s", f.timeText(at), clip.name(), f.timeText(first), f.timeText(last), within)
		if last-first > 1 {
			err = err.Try(a.Mended(pdk.WithParam("at", f.timeText((first+last)/2))))
		}
		return err
	}
	id := a.String("id", "")
	if id == "" {
		id = f.freshID(base(clip.ID))
	} else if err := f.newID(a, id); err != nil {
		return err
	}
	l := clip.Track.edit()
	i := l.indexOf(clip)
	s := l.segs[i]
	n := &segment{id: id, start: at, end: s.end, in: s.in + float64(at-s.start)*s.speed, speed: s.speed, base: s.base, next: s.next, text: clip.node.Text(),
		changes: []otio.Change{{Path: []string{"name"}, Value: id}}}
	n.closes = s.closes
	s.end, s.next, s.closes = at, nil, nil
	n.changes = append(n.changes, f.laterKeys(clip, at-s.start)...)
	if before, after := s.end-s.start, n.end-n.start; clip.kind == textItem && render.FadesOrRolls(clip.Caption.Style, clip.Caption.Fade) ||
		clip.FadeIn > clip.cut.Before+before || clip.FadeOut > clip.cut.After+after {
		// Both parts show what they showed: parts of one fade, or of one way.
		s.changes = append(s.changes, fcpChange("cut_after", f.timeOrNil(clip.cut.After+after)))
		n.changes = append(n.changes, fcpChange("cut_before", f.timeOrNil(clip.cut.Before+before)))
	} else {
		for _, key := range []string{"fade_in", "cut_before"} {
			n.changes = append(n.changes, fcpChange(key, nil))
		}
		for _, key := range []string{"fade_out", "cut_after"} {
			s.changes = append(s.changes, fcpChange(key, nil))
		}
	}
	l.segs = slices.Insert(l.segs, i+1, n)
	if err := l.write(c, "split "+clip.ID, clip.ID, id); err != nil {
		return err
	}
	noteRecent(c, clip.ID, id)
	c.Created("%s %s, and %s %s%s", clip.name(), f.span(clip.Start, at), pdk.Quote(id), f.span(at, clip.End), k.noteText())
	return nil
}

// splittableAt returns the clip on the track of another one that can be split at a frame, nil if there is none.
func (f *Film) splittableAt(clip *Clip, at int) *Clip {
	return find(clip.Track.Clips, func(c *Clip) bool {
		first, last := c.unshared()
		return c.kind != otherItem && first < at && at < last
	})
}

// unshared returns the span of the clip outside of its transitions.
func (c *Clip) unshared() (first, last int) {
	first, last = c.Start, c.End
	if c.left != nil {
		first = c.left.A.End
	}
	if c.right != nil {
		last = c.right.B.Start
	}
	return first, last
}
