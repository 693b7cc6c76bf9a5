package timeline

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
)

// mediaClips returns the clips that show media, and so may have sound.
func mediaClips(clips []*Clip) []*Clip {
	return slices.DeleteFunc(slices.Clone(clips), func(c *Clip) bool { return c.kind != clipItem })
}

func volume(c *ctx, a pdk.Args) error {
	f := c.Model
	word := a.Text(len(a.Positionals) - 1)
	db, refusal := parseDecibels("volume", word)
	if refusal != nil {
		return f.sample(refusal, "volume", a)
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

// decibelText prints a level.
func decibelText(db float64) string { return num(db) + "dB" }

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
	db, given, err := volumeParam(a, "by")
	if err != nil {
		return err
	}
	if !given {
		db = -12
	}
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

// volumeParam reads a level from a parameter.
func volumeParam(a pdk.Args, key string) (db float64, given bool, err error) {
	text, given := a.Param(key)
	if !given {
		return 0, false, nil
	}
	db, refusal := parseDecibels(key, text)
	if refusal != nil {
		return 0, true, refusal
	}
	return db, true, nil
}

// parseDecibels reads a level such as -6dB, -6 or 3.5. It must be between -60 and 24.
func parseDecibels(key, text string) (float64, *pdk.Error) {
	s := strings.TrimSpace(strings.TrimSuffix(strings.ToLower(text), "db"))
	var db float64
	if _, err := fmt.Sscanf(s+"\n", "%g\n", &db); err != nil || math.IsNaN(db) || db < -60 || db > 24 {
		err := pdk.Errorf("%s:%s is not a level: decibels from -60dB to 24dB, where 0dB is as it was", key, text)
		if part, ok := strings.CutSuffix(s, "%"); ok {
			if x, parseErr := strconv.ParseFloat(part, 64); parseErr == nil && x >= 0.1 && x <= 1500 {
				return 0, err.Instead(text, decibelText(math.Round(200*math.Log10(x/100))/10))
			}
		}
		return 0, err
	}
	if db > 0 && db < 1 && s == text { // probably meant as a factor
		part := decibelText(math.Round(200*math.Log10(db)) / 10)
		return 0, pdk.Errorf("%s:%s would be decibels, and louder; as a part of the loudness it is %s", key, text, part).Instead(text, part, text+"dB")
	}
	return math.Round(db*100) / 100, nil
}
