package timeline

import (
	"slices"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
)

// mediaClips returns the clips that show media, and so may have sound.
func mediaClips(clips []*film.Clip) []*film.Clip {
	return pdk.Filter(clips, func(c *film.Clip) bool { return c.Kind == film.ClipItem })
}

func volume(c *film.Ctx, a pdk.Args) error {
	f := c.Model
	db, err := level.Word(a, len(a.Positionals)-1, "")
	if err != nil {
		return withSample(f, err, "volume", a)
	}
	if len(a.Selectors) == 0 && len(a.Positionals) < 2 || len(a.Selectors) > 0 && len(a.Positionals) > 1 {
		return withSample(f, pdk.Errorf("volume needs a CLIP, a TRACK or selectors, and how loud: volume vid1 -6dB"), "volume", a)
	}
	if t := namedTrack(f, a); t != nil {
		if t.Kind == film.TextTrack {
			return pdk.Errorf("%s holds texts, which are not heard", t.ID)
		}
		if t.Volume == db {
			return pdk.Unchanged("%s is already at %s", t.ID, decibelText(db))
		}
		var value any
		if db != 0 {
			value = db
		}
		pdk.Check(setTrack(f, c, t, "volume "+t.ID, "volume", value))
		c.Changed("%s volume %s", t.ID, decibelText(db))
		return nil
	}
	clips := pdk.Must(targets(c, a))
	return changeEach(f, c, mediaClips(clips), clips, "volume "+decibelText(db), func(clip *film.Clip) []otio.Change {
		if clip.Volume == db {
			return nil
		}
		if db == 0 {
			return []otio.Change{fcpChange("volume", nil)}
		}
		return []otio.Change{fcpChange("volume", db)}
	})
}

func runMute(c *film.Ctx, a pdk.Args) error {
	f := c.Model
	at := 1
	if len(a.Selectors) > 0 {
		at = 0
	}
	word := keyword(a, at, "off", "on")
	var on any = true
	what := "muted"
	if word == "off" {
		on, what = nil, "heard"
	}
	if t := namedTrack(f, a); t != nil {
		if t.Kind == film.TextTrack {
			return pdk.Errorf("%s holds texts, which are not heard", t.ID).Tryf("track hide %s", t.ID)
		}
		if t.Mute == (on != nil) {
			return pdk.Unchanged("%s is already %s", t.ID, what)
		}
		pdk.Check(setTrack(f, c, t, "mute "+t.ID, "mute", on))
		c.Changed("%s %s", t.ID, what)
		return nil
	}
	named := a
	if len(a.Selectors) > 0 && len(a.Positionals) > 0 {
		op := *a.Op
		op.Positionals = nil
		named = pdk.Args{Op: &op}
	}
	clips := pdk.Must(targets(c, named))
	return changeEach(f, c, mediaClips(clips), clips, what, func(clip *film.Clip) []otio.Change {
		if clip.Mute == (on != nil) {
			return nil
		}
		return []otio.Change{fcpChange("mute", on)}
	})
}

func ducking(c *film.Ctx, a pdk.Args) error {
	f := c.Model
	word := keyword(a, 1, "off")
	if c, u := onlyClip(f, a.Text(0)), onlyClip(f, a.String("under", "")); c != nil && u != nil {
		return pdk.Errorf("duck lowers tracks, and %s is on %s, %s on %s", c.Ref(), c.Track.ID, u.Ref(), u.Track.ID).Try(a.Mended(pdk.WithWords(0, 1, c.Track.ID), pdk.WithParam("under", u.Track.ID)))
	}
	t := pdk.Must(findByRef(f, a.Text(0)))
	if t.Kind == film.TextTrack {
		return pdk.Errorf("%s holds texts, which are not heard", t.ID)
	}
	if word == "off" {
		if len(t.Ducks) == 0 {
			return pdk.Unchanged("%s is not ducked", t.ID)
		}
		pdk.Check(setTrack(f, c, t, "duck "+t.ID+" off", "duck", nil))
		c.Changed("%s is no longer ducked", t.ID)
		return nil
	}
	ref, given := a.Param("under")
	if !given {
		return withSample(f, pdk.Errorf("duck needs under:TRACK, the track that is to be heard"), "duck", a)
	}
	under := pdk.Must(findByRef(f, ref))
	if under.ID == t.ID {
		return withSample(f, pdk.Errorf("%s cannot be ducked under itself", t.ID), "duck", a)
	}
	if under.Kind == film.TextTrack {
		return pdk.Errorf("%s holds texts, which are not heard", under.ID)
	}
	db := lowering.Of(a)
	if db >= 0 {
		return pdk.Errorf("by:%s does not lower anything: give less than 0, such as by:-12dB", a.String("by", "")).Try(a.Mended(pdk.WithParam("by", "-12dB")))
	}
	if slices.Contains(t.Ducks, film.Duck{Under: under.ID, By: db}) {
		return pdk.Unchanged("%s is already ducked under %s by %s", t.ID, under.ID, decibelText(db))
	}
	list := otio.List{}
	for _, d := range append(slices.DeleteFunc(slices.Clone(t.Ducks), func(d film.Duck) bool { return d.Under == under.ID }), film.Duck{Under: under.ID, By: db}) {
		list = append(list, otio.Object{film.Field("under", d.Under), film.Field("by", d.By)})
	}
	pdk.Check(setTrack(f, c, t, "duck "+t.ID+" under "+under.ID, "duck", list))
	c.Changed("%s goes down by %s while %s is heard", t.ID, value.FormatNumber(-db)+"dB", under.ID)
	return nil
}
