package timeline

import "github.com/fcp-host/fcp-host/pdk"

// sample adds to the error of an op that lacks something one that works, on the clip that the op names; where it names none, the query that
// lists them. What takes away is not suggested.
func (f *Film) sample(e *pdk.Error, verb string, a pdk.Args) *pdk.Error {
	clip, err := f.clip(a.Text(0), true)
	switch verb {
	case "project":
		return e.Try("project size:1280x720")
	case "duck":
		if t := f.tracked(a); t != nil && t.Kind == sounds && len(t.Ducks) == 0 {
			for _, u := range f.all().tracks {
				if u.Kind != letters && u != t {
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
	case verb == "modify" && clip.Volume != -6:
		word = "volume:-6dB"
	case verb == "modify":
		word = "volume:0dB"
	case clip.kind == textItem: // which is neither heard nor faster
	case verb == "speed" && clip.Speed == 2:
		word = "1x"
	case verb == "speed":
		word = "2x"
	case verb == "volume" && clip.Volume == -6:
		word = "0dB"
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
