package timeline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
	"github.com/fcp-host/fcp-host/plugins/video/internal/media"
)

func remove(c *film.Ctx, a pdk.Args) error {
	f := c.Model
	if len(a.Positionals) > 0 && strings.EqualFold(a.Text(0), "effect") {
		return removeEffect(c, a)
	}
	if len(a.Positionals) > 1 && a.Has("on") {
		err := pdk.Errorf("remove takes one thing, selectors, or effect KIND on:CLIP")
		if len(pdk.Nearest(a.Text(0), []string{"effect"})) > 0 {
			return err.Try(a.Mended(pdk.WithWords(0, 1, "effect")))
		}
		return err.TryQuery("map")
	}
	if _, kind := pdk.OneOf(a.Text(0), []string{"clip", "audio", "text", "overlay", "transition", "marker", "media"}); kind && len(a.Positionals) == 2 {
		return pdk.Errorf("remove takes only a name").Try(a.Mended(pdk.WithoutWord(0)))
	}
	if len(a.Positionals) > 1 {
		return pdk.Errorf("remove takes one thing, or selectors").Try("remove " + pdk.Quote(a.Text(0)))
	}
	if len(a.Selectors) > 0 {
		found := pdk.Must(selection.Select(f, c.Recent, a.Selectors))
		if len(found) == 0 {
			return pdk.NothingMatches(a.Selectors)
		}
		if len(a.Positionals) > 0 {
			return pdk.Errorf("give a clip or selectors, not both: found %s and selectors", pdk.Quote(a.Text(0)))
		}
		if !slices.ContainsFunc(found, func(x selected) bool { return x.clip != nil || x.join != nil }) {
			return pdk.Errorf("gaps are closed, not removed").Tryf("ripple-delete %s", pdk.SelectorText(a.Selectors))
		}
		return removeSelected(c, a, found)
	}
	ref := a.Text(0)
	if ref == "" {
		return withSample(f, pdk.Errorf("remove needs something to remove: a clip, text, transition, marker or media, or selectors"), "remove", a)
	}
	clip, err := f.Clip(ref, true)
	if err == nil {
		return removeSelected(c, a, []selected{{track: clip.Track, clip: clip}})
	}
	if j := f.Join(ref); j != nil {
		return removeSelected(c, a, []selected{{track: j.A.Track, join: j}})
	}
	if m := film.Find(f.Media(), func(m *media.Medium) bool { return m.ID == ref || m.Path == ref }); m != nil {
		return forgetMedium(f, c, m)
	}
	for _, m := range f.Markers() {
		if strings.EqualFold(m.Name, ref) {
			pdk.Check(film.Change(c, f.Doc.Remove(film.MarkersPath, m.Index), "remove marker "+m.Name))
			c.Deleted("marker %s at %s", pdk.Quote(m.Name), f.TimeText(m.At))
			return nil
		}
	}
	if t, errT := findByRef(f, ref); errT == nil {
		return pdk.Errorf("%s is a track", t.ID).Tryf("track remove %s", t.ID)
	}
	return err
}

// removeSelected removes clips, texts and transitions.
func removeSelected(c *film.Ctx, a pdk.Args, found []selected) error {
	f := c.Model
	if ripplesAll(a) && slices.ContainsFunc(found, func(x selected) bool { return x.clip != nil }) {
		return pdk.Errorf("remove leaves a gap, and moves nothing").Try(strings.Replace(a.Mended(), "remove", "ripple-delete", 1), a.Mended(pdk.Without("ripple")))
	}
	var said, touched []string
	var waves []trackShift
	later := 0
	for _, t := range slices.Clone(f.Parsed().Tracks) {
		l := t.Edit()
		changed := false
		for _, x := range found {
			if x.track.ID != t.ID {
				continue
			}
			switch {
			case x.clip != nil:
				i := l.IndexOf(x.clip)
				if i < 0 {
					continue
				}
				l.Remove(i)
				said, touched, changed = append(said, x.clip.Ref()), append(touched, x.clip.ID), true
			case x.join != nil:
				i := slices.IndexFunc(l.Segs, func(s *film.Segment) bool { return s.Next != nil && s.Next.Old == x.join })
				if i < 0 {
					continue // it went with one of its clips
				}
				d := l.Segs[i].Next.Frames()
				l.Segs[i].Next = nil
				waves = append(waves, trackShift{tracks: []string{t.ID}, start: l.Segs[i+1].Start, end: l.Segs[i+1].Start, by: d})
				for _, s := range l.Segs[i+1:] { // the second clip no longer overlaps the first
					s.Start, s.End = s.Start+d, s.End+d
				}
				later += d
				said, touched, changed = append(said, pdk.Quote(x.join.ID)), append(touched, x.join.ID), true
			}
		}
		if !changed {
			continue
		}
		pdk.Check(l.Write(c, "remove "+pdk.List(touched, 5), touched...))
	}
	follows := pdk.Must(rippleOthers(f, c, a, waves...))
	text := pdk.List(said, 8)
	if later > 0 {
		text += fmt.Sprintf("; what follows starts %s later", f.TimeText(later))
	}
	c.Deleted("%s", text+follows)
	return nil
}

// forgetMedium removes a medium from the list.
func forgetMedium(f *film.Film, c *film.Ctx, m *media.Medium) error {
	var users []string
	for _, clip := range f.Clips() {
		if f.MediumOf(clip) == m || clip.Kind == film.ClipItem && clip.Medium == m.ID {
			users = append(users, clip.Ref())
		}
	}
	if len(users) > 0 {
		return pdk.Errorf("%s is shown by %s", pdk.Quote(m.ID), pdk.List(users, 5)).Tryf("remove @media:%s", pdk.Quote(m.ID))
	}
	i := slices.IndexFunc(f.ListedMedia(), func(o *media.Medium) bool { return o.ID == m.ID })
	if i < 0 {
		return pdk.Errorf("%s is not in the list of media", pdk.Quote(m.ID))
	}
	pdk.Check(film.Change(c, f.Doc.Remove(film.MediaPath, i), "remove media "+m.ID, m.ID))
	c.Deleted("media %s", pdk.Quote(m.ID))
	return nil
}
