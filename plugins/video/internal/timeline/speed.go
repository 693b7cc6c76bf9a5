package timeline

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
	"github.com/fcp-host/fcp-host/plugins/video/internal/render"
)

func speed(c *ctx, a pdk.Args) error {
	f := c.Model
	factor, err := factor.Word(a, len(a.Positionals)-1, "")
	if err != nil {
		return f.sample(err, "speed", a)
	}
	if len(a.Selectors) == 0 && len(a.Positionals) < 2 || len(a.Selectors) > 0 && len(a.Positionals) > 1 {
		return f.sample(pdk.Errorf("speed needs a CLIP or selectors, and how fast: 2x, 50%%"), "speed", a)
	}
	clips, err := speedTargets(c, a, factor)
	if err != nil {
		return err
	}
	var tracks, said []string
	for _, clip := range clips {
		tracks = append(tracks, clip.Track.ID)
	}
	tracks = unique(tracks)
	var shifts []trackShift
	for _, t := range slices.Clone(f.parsed().tracks) {
		l := t.edit()
		var changed []string
		moved := 0 // frames by which the clips before have become longer
		for _, s := range l.segs {
			clip := s.clip
			s.start, s.end = s.start+moved, s.end+moved
			if clip.Speed == factor || !slices.Contains(clips, clip) {
				continue
			}
			was, ends := s.end-s.start, s.end
			now := max(1, int(math.Round(float64(was)*clip.Speed/factor)))
			if most := f.source(clip); most >= 0 && s.in+float64(now)*factor > float64(most) {
				now = max(1, int((float64(most)-s.in)/factor+1e-6))
			}
			s.end, s.speed = s.start+now, factor
			moved += now - was
			s.changes = append(s.changes, otio.Change{Path: []string{"effects"}, Value: f.effectsAtSpeed(clip, factor)})
			s.changes = append(s.changes, f.shorterFades(c, clip, now)...)
			changed = append(changed, clip.ID)
			shifts = append(shifts, trackShift{tracks: tracks, start: ends, end: ends, by: now - was})
			said = append(said, fmt.Sprintf("%s %sx %s", clip.name(), num(factor), f.span(s.start, s.end)))
		}
		if len(changed) == 0 {
			continue
		}
		if err := l.write(c, "speed "+pdk.List(changed, 5)+" "+num(factor), changed...); err != nil {
			return err
		}
	}
	if len(said) == 0 {
		return pdk.Unchanged("%s: already %sx", names(clips), num(factor))
	}
	follows, err := f.rippleOthers(c, a, shifts...)
	if err != nil {
		return err
	}
	c.Changed("%s; what follows moved along%s", pdk.List(said, 5), follows)
	return nil
}

// speedTargets finds the clips whose speed an op sets, and refuses those that have none. Selectors may also match texts and stills,
// which are left out where anything else matches.
func speedTargets(c *ctx, a pdk.Args, factor float64) ([]*Clip, error) {
	f := c.Model
	clips, err := targets(c, a)
	if err != nil {
		return nil, err
	}
	if ripplesAll(a) && slices.ContainsFunc(clips, func(c *Clip) bool { return c.Track.ID != clips[0].Track.ID }) {
		return nil, pdk.Errorf("ripple:all follows one track, and these are on several").Try(a.Mended(pdk.Without("ripple")))
	}
	if len(a.Selectors) > 0 {
		played := slices.DeleteFunc(slices.Clone(clips), func(c *Clip) bool {
			m := f.mediumOf(c)
			return c.kind != clipItem || m != nil && m.Still
		})
		if len(played) > 0 {
			clips = played
		}
	}
	for _, clip := range clips {
		m := f.mediumOf(clip)
		switch {
		case clip.kind != clipItem:
			return nil, pdk.Errorf("%s has no speed", clip.name())
		case m != nil && m.Still && clip.Speed != factor:
			return nil, pdk.Errorf("%s is a still, which has no speed: it can be shown for longer or shorter", clip.name()).Tryf("trim %s dur:%s ripple", clip.name(), f.timeText(max(1, int(math.Round(float64(clip.Frames())*clip.Speed/factor)))))
		}
	}
	return clips, nil
}

// effectsAtSpeed returns the effects of a clip's item with another speed. What changes over time keeps to its pictures.
func (f *Film) effectsAtSpeed(c *Clip, factor float64) otio.List {
	out := otio.List{}
	texts, _ := f.rekeyed(c, func(list []render.Key) []render.Key { return spreadKeys(list, c.Speed/factor) })
	for i, text := range texts {
		schema, _, _ := strings.Cut(c.node.Get("effects").Item(i).Value().Get("OTIO_SCHEMA").Text(), ".")
		if schema != "LinearTimeWarp" {
			out = append(out, otio.Raw(text))
		}
	}
	if factor != 1 {
		out = append(out, otio.Object{field("OTIO_SCHEMA", "LinearTimeWarp.1"), field("metadata", otio.Object{}), field("name", ""), field("effect_name", "LinearTimeWarp"), field("time_scalar", factor)})
	}
	return out
}
