package timeline

import "github.com/fcp-host/fcp-host/pdk"

// sample adds to the error of an op that lacks something one that works, on the clip that the op names, or another where it names none.
// What takes away is not suggested.
func (f *Film) sample(e *pdk.Error, verb string, a pdk.Args) *pdk.Error {
	clip, err := f.clip(a.Text(0), true)
	for _, c := range f.clips() {
		if err != nil && c.kind == clipItem {
			clip, err = c, nil
		}
	}
	switch verb {
	case "project":
		return e.Try("project size:1280x720")
	case "duck":
		for _, t := range f.all().tracks {
			for _, u := range f.all().tracks {
				if t.Kind == sounds && u.Kind != letters && t != u {
					return e.Tryf("duck %s under:%s", t.ID, u.ID)
				}
			}
		}
		return e.TryQuery("tracks")
	}
	word := ""
	switch {
	case err != nil || clip.kind == otherItem:
	case verb == "trim" && clip.Frames() > 1:
		word = "dur:" + f.text(clip.Frames()/2) + " ripple"
	case verb == "move":
		word = "at:end"
	case verb == "fade":
		word = "in:" + f.text(max(1, clip.Frames()/4))
	case verb == "modify" && clip.kind == textItem:
		word = "style:" + styleNames()[0]
	case verb == "modify":
		word = "volume:-6dB"
	case clip.kind == textItem: // which is neither heard nor faster
	case verb == "speed":
		word = "2x"
	case verb == "volume":
		word = "-6dB"
	case verb == "mute":
		return e.Tryf("mute %s", clip.name())
	}
	if word == "" {
		return e.TryQuery("map")
	}
	return e.Tryf("%s %s %s", verb, clip.name(), word)
}
