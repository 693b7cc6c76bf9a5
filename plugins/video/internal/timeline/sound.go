package timeline

import (
	"slices"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
)

// mediaClips returns the clips that show media, and so may have sound.
func mediaClips(clips []*Clip) []*Clip {
	return slices.DeleteFunc(slices.Clone(clips), func(c *Clip) bool { return c.kind != clipItem })
}

func volume(c *ctx, a pdk.Args) error {
	f := c.Model
	db, err := level.Word(a, len(a.Positionals)-1, "")
	if err != nil {
		return f.sample(err, "volume", a)
	}
	if len(a.Selectors) == 0 && len(a.Positionals) < 2 || len(a.Selectors) > 0 && len(a.Positionals) > 1 {
		return f.sample(pdk.Errorf("volume needs a CLIP, a TRACK or selectors, and how loud: volume vid1 -6dB"), "volume", a)
	}
	if t := f.namedTrack(a); t != nil {
		if t.Kind == textTrack {
			return pdk.Errorf("%s holds texts, which are not heard", t.ID)
		}
		if t.Volume == db {
			return pdk.Unchanged("%s is already at %s", t.ID, decibelText(db))
		}
		var value any
		if db != 0 {
			value = db
		}
		if err := f.setTrack(c, t, "volume "+t.ID, "volume", value); err != nil {
			return err
		}
		c.Changed("%s volume %s", t.ID, decibelText(db))
		return nil
	}
	clips, err := targets(c, a)
	if err != nil {
		return err
	}
	return f.changeEach(c, mediaClips(clips), clips, "volume "+decibelText(db), func(clip *Clip) []otio.Change {
		if clip.Volume == db {
			return nil
		}
		if db == 0 {
			return []otio.Change{fcpChange("volume", nil)}
		}
		return []otio.Change{fcpChange("volume", db)}
	})
}

func mute(c *ctx, a pdk.Args) error {
	f := c.Model
	at := 1
	if len(a.Selectors) > 0 {
		at = 0
	}
	word, err := keyword(a, at, "off", "on")
	if err != nil {
		return err
	}
	var on any = true
	what := "muted"
	if word == "off" {
		on, what = nil, "heard"
	}
	if t := f.namedTrack(a); t != nil {
		if t.Kind == textTrack {
			return pdk.Errorf("%s holds texts, which are not heard", t.ID).Tryf("track hide %s", t.ID)
		}
		if t.Mute == (on != nil) {
			return pdk.Unchanged("%s is already %s", t.ID, what)
		}
		if err := f.setTrack(c, t, "mute "+t.ID, "mute", on); err != nil {
			return err
		}
		c.Changed("%s %s", t.ID, what)
		return nil
	}
	named := a
	if len(a.Selectors) > 0 && len(a.Positionals) > 0 {
		op := *a.Op
		op.Positionals = nil
		named = pdk.Args{Op: &op}
	}
	clips, err := targets(c, named)
	if err != nil {
		return err
	}
	return f.changeEach(c, mediaClips(clips), clips, what, func(clip *Clip) []otio.Change {
		if clip.Mute == (on != nil) {
			return nil
		}
		return []otio.Change{fcpChange("mute", on)}
	})
}

func ducking(c *ctx, a pdk.Args) error {
	f := c.Model
	word, err := keyword(a, 1, "off")
	if err != nil {
		return err
	}
	if c, u := f.onlyClip(a.Text(0)), f.onlyClip(a.String("under", "")); c != nil && u != nil {
		return pdk.Errorf("duck lowers tracks, and %s is on %s, %s on %s", c.name(), c.Track.ID, u.name(), u.Track.ID).Try(a.Mended(pdk.WithWords(0, 1, c.Track.ID), pdk.WithParam("under", u.Track.ID)))
	}
	t, err := f.track(a.Text(0))
	if err != nil {
		return err
	}
	if t.Kind == textTrack {
		return pdk.Errorf("%s holds texts, which are not heard", t.ID)
	}
	if word == "off" {
		if len(t.Ducks) == 0 {
			return pdk.Unchanged("%s is not ducked", t.ID)
		}
		if err := f.setTrack(c, t, "duck "+t.ID+" off", "duck", nil); err != nil {
			return err
		}
		c.Changed("%s is no longer ducked", t.ID)
		return nil
	}
	ref, given := a.Param("under")
	if !given {
		return f.sample(pdk.Errorf("duck needs under:TRACK, the track that is to be heard"), "duck", a)
	}
	under, err := f.track(ref)
	if err != nil {
		return err
	}
	if under.ID == t.ID {
		return f.sample(pdk.Errorf("%s cannot be ducked under itself", t.ID), "duck", a)
	}
	if under.Kind == textTrack {
		return pdk.Errorf("%s holds texts, which are not heard", under.ID)
	}
	db := lowering.Of(a)
	if db >= 0 {
		return pdk.Errorf("by:%s does not lower anything: give less than 0, such as by:-12dB", a.String("by", "")).Try(a.Mended(pdk.WithParam("by", "-12dB")))
	}
	if slices.Contains(t.Ducks, duck{under.ID, db}) {
		return pdk.Unchanged("%s is already ducked under %s by %s", t.ID, under.ID, decibelText(db))
	}
	list := otio.List{}
	for _, d := range append(slices.DeleteFunc(slices.Clone(t.Ducks), func(d duck) bool { return d.under == under.ID }), duck{under.ID, db}) {
		list = append(list, otio.Object{field("under", d.under), field("by", d.by)})
	}
	if err := f.setTrack(c, t, "duck "+t.ID+" under "+under.ID, "duck", list); err != nil {
		return err
	}
	c.Changed("%s goes down by %s while %s is heard", t.ID, num(-db)+"dB", under.ID)
	return nil
}
