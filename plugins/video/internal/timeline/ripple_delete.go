package timeline

import (
	"slices"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
)

// rippleDelete removes clips and gaps and closes the gaps they leave.
func rippleDelete(c *film.Ctx, a pdk.Args) error {
	f := c.Model
	found := pdk.Must(rippleTargets(f, c, a))
	tracks := unique(pdk.Map(found, func(x selected) string { return x.track.ID }))
	if ripplesAll(a) && len(tracks) > 1 {
		return pdk.Errorf("ripple:all follows one track, and these are on %s", pdk.List(tracks, 5)).Try(a.Mended(pdk.Without("ripple")))
	}
	var said, touched []string
	var shifts []trackShift
	total := 0
	for _, t := range slices.Clone(f.Parsed().Tracks) {
		l := t.Edit()
		gone := 0
		for _, x := range slices.Backward(found) {
			if x.track.ID != t.ID {
				continue
			}
			from, by := x.end, x.end-x.start
			if x.clip != nil {
				from, by = closing(x.clip)
				l.Remove(l.IndexOf(x.clip))
				said, touched = append(said, x.clip.Ref()), append(touched, x.clip.ID)
			}
			l.Shift(from, -by)
			shifts = append(shifts, trackShift{tracks: tracks, start: from - by, end: from, by: -by})
			gone += by
		}
		if gone == 0 && len(l.Segs) == len(t.Clips) {
			continue
		}
		total += gone
		pdk.Check(l.Write(c, "ripple-delete", touched...))
	}
	what := pdk.List(said, 8)
	if gaps := len(found) - len(said); gaps > 0 {
		if what != "" {
			what += ", "
		}
		what += pdk.Count(gaps, "gap")
	}
	follows := pdk.Must(rippleOthers(f, c, a, shifts...))
	c.Deleted("%s; what followed moved up, %s in all%s", what, f.TimeText(total), follows)
	return nil
}

// rippleTargets finds the clips and gaps that a ripple-delete names.
func rippleTargets(f *film.Film, c *film.Ctx, a pdk.Args) ([]selected, error) {
	switch {
	case len(a.Selectors) > 0:
		found := pdk.Must(selection.Select(f, c.Recent, a.Selectors))
		found = slices.DeleteFunc(found, func(x selected) bool { return x.join != nil })
		if len(found) == 0 {
			return nil, pdk.Errorf("no clip or gap matches %s", pdk.SelectorText(a.Selectors))
		}
		return found, nil
	case len(a.Positionals) == 0:
		return nil, withSample(f, pdk.Errorf("ripple-delete needs a CLIP, or selectors"), "ripple-delete", a)
	}
	clip := pdk.Must(f.Clip(a.Text(0), true))
	return []selected{{track: clip.Track, clip: clip, start: clip.Start, end: clip.End}}, nil
}

// closing returns by how many frames what follows moves when the clip is ripple-deleted, and from which frame on. The
// frames that a transition shares with a neighbour stay: the neighbour keeps showing them.
func closing(c *film.Clip) (from, by int) {
	start, end := unshared(c)
	return end, max(0, end-start)
}
