package timeline

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
	"github.com/fcp-host/fcp-host/plugins/video/internal/media"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
)

func modifyVerbs() []film.Verb {
	return []film.Verb{
		{Run: volume, Verb: abi.Verb{Syntax: "volume CLIP|TRACK|@SEL DB", Summary: "set how loud clips or a track are, in decibels: 0dB is as recorded, -6dB half as loud", Brief: "volume CLIP|TRACK|@SEL -6dB", Category: "picture and sound", Examples: []string{"volume vid1 -6dB", "volume A1 -12dB", "volume @type:audio 3dB"}}},
		{Run: runFade, Keys: []pdk.Parameter{length("in"), length("out")}, Verb: abi.Verb{Syntax: "fade CLIP|@SEL [in:TIME] [out:TIME]", Summary: "fade picture and sound in and out; 0s removes a fade", Brief: "fade CLIP|@SEL [in:TIME] [out:TIME]", Category: "picture and sound", Examples: []string{"fade vid1 in:1s out:1s", "fade @track:A1 out:2s"}}},
		{Run: runMute, Verb: abi.Verb{Syntax: "mute CLIP|TRACK|@SEL [off]", Summary: "silence clips or a track", Category: "picture and sound", Examples: []string{"mute vid1", "mute V1", "mute vid1 off"}}},
		{Run: ducking, Keys: []pdk.Parameter{lowering}, Verb: abi.Verb{Syntax: "duck TRACK under:TRACK [by:-12dB] · duck TRACK off", Summary: "lower one track while another is heard", Brief: "duck TRACK under:TRACK [by:-12dB] · duck TRACK off · lower a track while another is heard", Category: "picture and sound", Examples: []string{"duck A1 under:V1", "duck A1 under:A2 by:-18dB", "duck A1 off"}}},
		{Run: modify, Keys: []pdk.Parameter{enabled, loudness, fit, pos, shift, opacity, style, textColour, length("fade"), joinKind, relative("duration"), relative("in"), relative("out"), follows},
			Verb: abi.Verb{Syntax: "modify CLIP|@SEL [id:ID] [enabled:true|false] [volume:DB] [fit:FIT] [media:MEDIA] [pos:PLACE] [shift:X,Y] [size:SIZE] [opacity:80%] [text:TEXT] [style:STYLE] [color:COLOR] [fade:TIME] · modify TRANSITION|@SEL [kind:KIND] [duration:TIME | in:TIME out:TIME] [ripple|ripple:all]", Summary: "change properties: id: volume: fit: of clips, enabled:false switches one off and enabled:true on again, media: is the file they show, pos: shift: size: opacity: of overlays, text: style: color: size: pos: shift: fade: of texts; kind: duration: of transitions, in: before the cut and out: after it, which stays where it is, as do the clips; with ripple the second clip and what follows move instead",
				Brief: "modify CLIP|TRANSITION|@SEL [id: enabled: volume: fit:|pos: size: opacity:|text: style: color: fade:|kind: duration: in: out:] · transitions: in: before, out: after the cut", Category: "picture and sound",
				Examples:  []string{`modify title text:"The End" style:credits`, "modify logo pos:top-left opacity:50%", "modify crossfade kind:wipe-left duration:1s", "modify crossfade in:0.5s out:0.5s", "modify vid1 enabled:false", "modify @track:A1,A2 enabled:true", "modify vid1 fit:cover", "modify vid1 media:./take2.mp4"},
				Resources: []abi.Resource{{Key: "media", Kind: abi.ResourceProbe, Want: ffprobeWant, Accept: media.Extensions(), Optional: true}}}},
	}
}

// setClip changes members of a clip's item. changed is false if they already have these values.
func setClip(f *film.Film, c *film.Ctx, clip *film.Clip, summary string, changes ...otio.Change) (changed bool) {
	if len(changes) == 0 {
		return false
	}
	text := f.Doc.Edited(clip.Node, changes...)
	if text == clip.Node.Text() {
		return false
	}
	pdk.Check(film.Change(c, f.Doc.Set(clip.Track.Path(), clip.Index, text), summary, clip.ID))
	return true
}

func fcpChange(key string, value any) otio.Change {
	return otio.Change{Path: []string{"metadata", "fcp", key}, Value: value}
}

// namedTrack returns the track whose id is the op's first word, nil if there is none.
func namedTrack(f *film.Film, a pdk.Args) *film.Track {
	if len(a.Selectors) > 0 || len(a.Positionals) == 0 {
		return nil
	}
	return trackWithID(f, a.Text(0))
}

// setTrack sets a member of a track's metadata.fcp, or removes it if value is nil.
func setTrack(f *film.Film, c *film.Ctx, t *film.Track, summary string, key string, value any) error {
	base := film.TracksPath + "/" + strconv.Itoa(t.Index)
	for _, step := range []string{"metadata", "fcp"} {
		if n := f.Doc.At(base + "/" + step); n == nil || n.Value() == nil || !strings.HasPrefix(n.Text(), "{") {
			s, _ := f.Doc.Put(base, step, otio.Object{})
			pdk.Check(film.Change(c, s, summary, t.ID))
		}
		base += "/" + step
	}
	if value == nil {
		s, ok := f.Doc.Drop(base, key)
		if !ok {
			return nil
		}
		return film.Change(c, s, summary, t.ID)
	}
	s, same := f.Doc.Put(base, key, value)
	if same {
		return nil
	}
	return film.Change(c, s, summary, t.ID)
}

// changeEach changes clips and reports the result. all are the clips that the op named; the error names them if none
// can be changed.
func changeEach(f *film.Film, c *film.Ctx, clips, all []*film.Clip, what string, changes func(*film.Clip) []otio.Change) error {
	if len(clips) == 0 {
		why := "there is nothing to change"
		if len(all) > 0 && all[0].Kind == film.TextItem {
			why = "texts have no sound"
		}
		return pdk.Errorf("%s: %s", clipNames(all), why)
	}
	var done []*film.Clip
	for _, clip := range clips {
		ok := setClip(f, c, clip, what+" "+clip.ID, changes(clip)...)
		if ok {
			done = append(done, clip)
		}
	}
	if len(done) == 0 {
		return pdk.Unchanged("%s: already %s", clipNames(clips), what)
	}
	film.NoteRecent(c, clipIDs(done)...)
	c.Changed("%s %s", clipNames(done), what)
	return nil
}

func modify(c *film.Ctx, a pdk.Args) error {
	f := c.Model
	if len(a.Params) == 0 {
		return withSample(f, pdk.Errorf("modify needs something to change, such as volume: or text:"), "modify", a)
	}
	joins := pdk.Must(namedJoins(f, c, a))
	if len(joins) > 0 {
		return modifyJoins(f, c, a, joins)
	}
	if ripples(a) {
		return pdk.Errorf("modify moves nothing but with a transition's length; trim CLIP dur:TIME ripple makes a clip longer or shorter")
	}
	clips := pdk.Must(targets(c, a))
	if a.Has("id") && len(clips) > 1 {
		return pdk.Errorf("an id is of one clip, and these are %d", len(clips)).Try(a.Mended(pdk.Without("id")))
	}
	k := clock{f: f}
	var shows *media.Medium
	if word, ok := a.Param("media"); ok {
		shows = pdk.Must(film.ResolveMedium(c, word))
		for i, clip := range clips { // adding the medium has changed the document
			clips[i] = refind(f, clip.Track, clip.ID)
		}
	}
	what := pdk.Map(a.Params, func(p abi.KeyValue) string { return p.Key + ":" + pdk.Quote(pdk.Line(p.Value, 60)) })
	plan := map[*film.Clip][]otio.Change{}
	for _, clip := range clips {
		var changes []otio.Change
		for _, p := range a.Params {
			if p.Key == "media" && clip.Kind == film.ClipItem {
				more := pdk.Must(mediaChanges(f, clip, shows, a))
				changes = append(changes, more...)
				continue
			}
			more := pdk.Must(memberChanges(f, &k, a, clip, p.Key, p.Value))
			changes = append(changes, more...)
		}
		if clip.Kind == film.TextItem {
			now := pdk.Must(k.readCaption(a, *clip.Caption))
			changes = append(append(changes, textChanges(clip, now)...), wholeFade(clip, a.Has("fade"), a.Has("fade"))...)
		} else if clip.Over != nil {
			now := *clip.Over
			pdk.Check(readBox(f, a, &now, f.MediumOf(clip)))
			if now != *clip.Over {
				changes = append(changes, fcpChange("over", now.Object()))
			}
		}
		plan[clip] = changes
	}
	return changeEach(f, c, clips, clips, strings.Join(what, " ")+k.noteText(), func(clip *film.Clip) []otio.Change { return plan[clip] })
}

// modifiable lists the keys of modify for each type of clip.
var modifiable = map[string][]string{
	"clip": {"id", "enabled", "volume", "fit", "media"}, "audio": {"id", "enabled", "volume", "media"}, "overlay": {"id", "enabled", "volume", "media", "pos", "shift", "size", "opacity"},
	"text": {"id", "enabled", "text", "style", "color", "size", "pos", "shift", "fade"}, "nested": {"enabled"},
}

// mediaChanges returns the changes that make a clip show the same span of another medium.
func mediaChanges(f *film.Film, c *film.Clip, m *media.Medium, a pdk.Args) ([]otio.Change, error) {
	switch {
	case c.Track.Kind == film.AudioTrack && !m.Audio:
		return nil, pdk.Errorf("%s is sound, and %s has none", c.Ref(), pdk.Quote(m.ID)).TryQuery("media")
	case c.Track.Kind == film.VideoTrack && !m.Video:
		return nil, pdk.Errorf("%s is seen, and %s has no pictures", c.Ref(), pdk.Quote(m.ID)).TryQuery("media")
	}
	if used := c.Source() + float64(c.Frames())*c.Speed; m.Frames(f.Rate()) >= 0 && used > float64(m.Frames(f.Rate()))+0.5 {
		return nil, pdk.Errorf("%s shows its media up to %s, and %s is %s long: trim it first", c.Ref(), f.TimeText(int(math.Round(used))), pdk.Quote(m.ID), f.TimeText(m.Frames(f.Rate()))).TryQuery("describe " + c.Ref())
	}
	if now := f.MediumOf(c); now != nil && now.ID == m.ID && c.Medium == m.ID {
		return nil, nil
	}
	out := append(film.SourceRange(c.In, c.Dur, f.Rate().Float()), otio.Change{Path: c.ReferencePath(), Value: f.MediaReference(m)}, fcpChange("media", m.ID))
	switch {
	case c.Own && c.Track.Kind == film.VideoTrack && m.Audio:
		out = append(out, fcpChange("sound", true))
	case c.Own && c.Track.Kind == film.VideoTrack:
		out = append(out, fcpChange("sound", nil))
	}
	return out, nil
}

// memberChanges returns the changes for one key of modify, except those that readCaption, readBox and mediaChanges
// handle.
func memberChanges(f *film.Film, k *clock, a pdk.Args, clip *film.Clip, key, value string) ([]otio.Change, error) {
	if !slices.Contains(modifiable[clip.What()], key) {
		err := pdk.Errorf("%s is a %s, and has no %s:, only %s:", clip.Ref(), clip.What(), key, strings.Join(modifiable[clip.What()], ": "))
		if slices.Contains([]string{"duration", "in", "out"}, key) {
			err.Message += "; trim changes its length"
		}
		if len(a.Params) > 1 {
			err = err.Try(a.Mended(pdk.Without(key)))
		} else {
			err = err.TryQuery("describe " + clip.Ref())
		}
		return nil, err
	}
	switch key {
	case "id":
		if value == clip.ID {
			return nil, nil
		}
		pdk.Check(f.NewID(a, value))
		return []otio.Change{{Path: []string{"name"}, Value: value}}, nil
	case "enabled":
		on := enabled.Of(a)
		if on == !clip.Off {
			return nil, nil
		}
		return []otio.Change{{Path: []string{"enabled"}, Value: on}}, nil
	case "volume":
		db := loudness.Of(a)
		if db == clip.Volume {
			return nil, nil
		}
		return []otio.Change{fcpChange("volume", db)}, nil
	case "fit":
		fit := fit.Of(a)
		if fit == cmp.Or(clip.Fit, "contain") {
			return nil, nil
		}
		return []otio.Change{fcpChange("fit", fit)}, nil
	}
	return nil, nil
}
