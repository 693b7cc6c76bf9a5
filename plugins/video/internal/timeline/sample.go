package timeline

import "github.com/fcp-host/fcp-host/pdk"

// wanting makes a verb answer ops that lack words with an op of it that works.
func wanting(v verb) verb {
	need, run := v.Min, v.Run
	v.Min = 0
	v.Run = func(c *ctx, a pdk.Args) error {
		if got := len(a.Positionals); got < need {
			return c.Model.sample(pdk.Errorf("%s needs %s after it, got %d: %s", v.Name, count(need, "word"), got, v.Syntax), v.Name, a)
		}
		return run(c, a)
	}
	return v
}

// sample adds to the error of an op that lacks something one that works, on the clip that the op names where it names one; what takes away is not suggested.
func (f *Film) sample(e *pdk.Error, verb string, a pdk.Args) *pdk.Error {
	clips := f.clips()
	clip, err := f.clip(a.Text(0), true)
	for i := 0; err != nil && i < len(clips); i++ {
		if c := clips[i]; c.kind == clipItem || verb == "modify" {
			clip, err = c, nil
		}
	}
	for verb == "repeat" && err == nil && clip.right != nil {
		clip = clip.right.B
	}
	known := err == nil && (clip.kind == clipItem || clip.kind == textItem)
	name := ""
	if known {
		name = clip.name()
	}
	media := f.media()
	switch {
	case verb == "overlay":
		return e.Try(`overlay text "Hello" from:0s dur:3s`)
	case verb == "caption":
		return e.Try(`caption "Hello" from:0s dur:2s`)
	case verb == "track":
		return e.Try("track add audio")
	case verb == "project":
		return e.Try("project size:1280x720")
	case verb == "marker":
		return e.Tryf("marker %s at:end", pdk.Quote(f.freshMark()))
	case verb == "media" || verb == "add" && len(media) == 0:
		return e.TryQuery("media")
	case verb == "captions":
		return e
	case verb == "add" && media[0].Video:
		return e.Tryf("add clip %s", pdk.Quote(media[0].ID))
	case verb == "add":
		return e.Tryf("add audio %s", pdk.Quote(media[0].ID))
	case verb == "duck":
		for _, t := range f.all().tracks {
			for _, u := range f.all().tracks {
				if t.Kind == sounds && u.Kind != letters && t != u {
					return e.Tryf("duck %s under:%s", t.ID, u.ID)
				}
			}
		}
		return e.TryQuery("tracks")
	case verb == "remove" || verb == "ripple-delete" || !known:
		return e.TryQuery("map")
	}
	if clip.kind == textItem && (verb == "volume" || verb == "mute" || verb == "speed") {
		return e.TryQuery("map")
	}
	words := map[string]string{"move": "at:end", "copy": "at:end", "repeat": "count:1", "speed": "2x", "volume": "-6dB", "fade": "in:" + f.text(max(1, clip.Frames()/4)), "mute": "", "modify": "enabled:false"}
	switch half := clip.Frames() / 2; {
	case half > 0 && verb == "trim":
		words[verb] = "dur:" + f.text(half) + " ripple"
	case half > 0 && verb == "split":
		first, last := clip.alone()
		words[verb] = "at:" + f.text((first+last)/2)
	}
	if clip.kind == textItem {
		words["modify"] = "style:" + styleNames()[0]
	}
	if word, ok := words[verb]; ok {
		return e.Tryf("%s %s", verb, joinWords(name, word))
	}
	return e
}

// joinWords is two words, or one.
func joinWords(a, b string) string {
	if b == "" {
		return a
	}
	return a + " " + b
}

// freshMark is a name that no marker has.
func (f *Film) freshMark() string {
	return unused("A", func(name string) bool { _, err := f.marker(name); return err == nil })
}
