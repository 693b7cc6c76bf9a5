package timeline

import (
	"errors"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
)

// sample appends a working op to the error of one that lacks something. It is about the clip that the op names, or else the film's
// first. It is printed as an example rather than a suggestion, because what was meant is unknown.
func (f *Film) sample(refusal error, verb string, a pdk.Args) error {
	e := new(pdk.Error)
	if !errors.As(refusal, &e) {
		return refusal
	}
	clip, err := f.clip(a.Text(0), true)
	for _, c := range f.clips() {
		if err != nil && c.kind == clipItem {
			clip, err = c, nil
		}
	}
	word := ""
	switch {
	case verb == "project":
		word = "size:1280x720"
	case verb == "duck":
		for _, t := range f.parsed().tracks {
			for _, u := range f.parsed().tracks {
				if word == "" && t.Kind == audioTrack && u.Kind != textTrack && t != u {
					word = t.ID + " under:" + u.ID
				}
			}
		}
	case err != nil || clip.kind == otherItem:
	case verb == "trim" && clip.Frames() > 1:
		word = clip.name() + " dur:" + f.timeText(clip.Frames()/2) + " ripple"
	case verb == "move":
		word = clip.name() + " at:end"
	case verb == "fade":
		word = clip.name() + " in:" + f.timeText(max(1, clip.Frames()/4))
	case verb == "modify" && clip.kind == textItem:
		word = clip.name() + " style:" + styleNames()[0]
	case verb == "modify" && clip.Volume == -6:
		word = clip.name() + " volume:0dB"
	case verb == "modify":
		word = clip.name() + " volume:-6dB"
	case clip.kind == textItem: // a text has neither sound nor speed
	case verb == "speed" && clip.Speed == 2:
		word = clip.name() + " 1x"
	case verb == "speed":
		word = clip.name() + " 2x"
	case verb == "volume" && clip.Volume == -6:
		word = clip.name() + " 0dB"
	case verb == "volume":
		word = clip.name() + " -6dB"
	case verb == "mute":
		word = clip.name()
	}
	if word != "" {
		e.Message = strings.TrimSuffix(e.Message, ".") + "; for example: " + verb + " " + word
	}
	return e
}
