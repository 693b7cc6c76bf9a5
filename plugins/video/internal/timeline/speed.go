package timeline

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
	"github.com/fcp-host/fcp-host/plugins/video/internal/render"
)

func runSpeed(c *film.Ctx, a pdk.Args) error {
	f := c.Model
	factor, err := factor.Word(a, len(a.Positionals)-1, "")
	if err != nil {
		return withSample(f, err, "speed", a)
	}
	if len(a.Selectors) == 0 && len(a.Positionals) < 2 || len(a.Selectors) > 0 && len(a.Positionals) > 1 {
		return withSample(f, pdk.Errorf("speed needs a CLIP or selectors, and how fast: 2x, 50%%"), "speed", a)
	}
	clips := pdk.Must(speedTargets(c, a, factor))
	var said []string
	tracks := unique(pdk.Map(clips, func(c *film.Clip) string { return c.Track.ID }))
	var shifts []trackShift
	for _, t := range slices.Clone(f.Parsed().Tracks) {
		l := t.Edit()
		var changed []string
		moved := 0 // frames by which the clips before have become longer
		for _, s := range l.Segs {
			clip := s.Clip
			s.Start, s.End = s.Start+moved, s.End+moved
			if clip.Speed == factor || !slices.Contains(clips, clip) {
				continue
			}
			was, ends := s.End-s.Start, s.End
			now := max(1, int(math.Round(float64(was)*clip.Speed/factor)))
			if most := f.Source(clip); most >= 0 && s.In+float64(now)*factor > float64(most) {
				now = max(1, int((float64(most)-s.In)/factor+1e-6))
			}
			s.End, s.Speed = s.Start+now, factor
			moved += now - was
			s.Changes = append(s.Changes, otio.Change{Path: []string{"effects"}, Value: effectsAtSpeed(f, clip, factor)})
			s.Changes = append(s.Changes, shorterFades(f, c, clip, now)...)
			changed = append(changed, clip.ID)
			shifts = append(shifts, trackShift{tracks: tracks, start: ends, end: ends, by: now - was})
			said = append(said, fmt.Sprintf("%s %sx %s", clip.Ref(), value.FormatNumber(factor), spanText(f, s.Start, s.End)))
		}
		if len(changed) == 0 {
			continue
		}
		pdk.Check(l.Write(c, "speed "+pdk.List(changed, 5)+" "+value.FormatNumber(factor), changed...))
	}
	if len(said) == 0 {
		return pdk.Unchanged("%s: already %sx", clipNames(clips), value.FormatNumber(factor))
	}
	follows := pdk.Must(rippleOthers(f, c, a, shifts...))
	c.Changed("%s; what follows moved along%s", pdk.List(said, 5), follows)
	return nil
}

// speedTargets finds the clips whose speed an op sets, and refuses those that have none. Selectors may also match
// texts and stills, which are left out where anything else matches.
func speedTargets(c *film.Ctx, a pdk.Args, factor float64) ([]*film.Clip, error) {
	f := c.Model
	clips := pdk.Must(targets(c, a))
	if ripplesAll(a) && slices.ContainsFunc(clips, func(c *film.Clip) bool { return c.Track.ID != clips[0].Track.ID }) {
		return nil, pdk.Errorf("ripple:all follows one track, and these are on several").Try(a.Mended(pdk.Without("ripple")))
	}
	if len(a.Selectors) > 0 {
		played := slices.DeleteFunc(slices.Clone(clips), func(c *film.Clip) bool {
			m := f.MediumOf(c)
			return c.Kind != film.ClipItem || m != nil && m.Still
		})
		if len(played) > 0 {
			clips = played
		}
	}
	for _, clip := range clips {
		m := f.MediumOf(clip)
		switch {
		case clip.Kind != film.ClipItem:
			return nil, pdk.Errorf("%s has no speed", clip.Ref())
		case m != nil && m.Still && clip.Speed != factor:
			return nil, pdk.Errorf("%s is a still, which has no speed: it can be shown for longer or shorter", clip.Ref()).Tryf("trim %s dur:%s ripple", clip.Ref(), f.TimeText(max(1, int(math.Round(float64(clip.Frames())*clip.Speed/factor)))))
		}
	}
	return clips, nil
}

// effectsAtSpeed returns the effects of a clip's item with another speed. What changes over time keeps to its pictures.
func effectsAtSpeed(f *film.Film, c *film.Clip, factor float64) otio.List {
	out := otio.List{}
	texts, _ := f.Rekeyed(c, func(list []render.Key) []render.Key { return film.SpreadKeys(list, c.Speed/factor) })
	for i, text := range texts {
		schema, _, _ := strings.Cut(c.Node.Get("effects").Item(i).Value().Get("OTIO_SCHEMA").Text(), ".")
		if schema != "LinearTimeWarp" {
			out = append(out, otio.Raw(text))
		}
	}
	if factor != 1 {
		out = append(out, otio.Object{film.Field("OTIO_SCHEMA", "LinearTimeWarp.1"), film.Field("metadata", otio.Object{}), film.Field("name", ""), film.Field("effect_name", "LinearTimeWarp"), film.Field("time_scalar", factor)})
	}
	return out
}
