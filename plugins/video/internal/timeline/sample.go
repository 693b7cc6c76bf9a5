package timeline

import (
	"errors"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
)

// withSample appends a working op to the error of one that lacks something. It is about the clip that the op names,
// or else the film's first. It is printed as an example rather than a suggestion, because what was meant is unknown.
func withSample(f *film.Film, refusal error, verb string, a pdk.Args) error {
	e := new(pdk.Error)
	if !errors.As(refusal, &e) {
		return refusal
	}
	clip, err := f.Clip(a.Text(0), true)
	for _, c := range f.Clips() {
		if err != nil && c.Kind == film.ClipItem {
			clip, err = c, nil
		}
	}
	word := ""
	switch {
	case verb == "project":
		word = "size:1280x720"
	case verb == "duck":
		for _, t := range f.Parsed().Tracks {
			for _, u := range f.Parsed().Tracks {
				if word == "" && t.Kind == film.AudioTrack && u.Kind != film.TextTrack && t != u {
					word = t.ID + " under:" + u.ID
				}
			}
		}
	case err != nil || clip.Kind == film.OtherItem:
	case verb == "trim" && clip.Frames() > 1:
		word = clip.Ref() + " dur:" + f.TimeText(clip.Frames()/2) + " ripple"
	case verb == "move":
		word = clip.Ref() + " at:end"
	case verb == "fade":
		word = clip.Ref() + " in:" + f.TimeText(max(1, clip.Frames()/4))
	case verb == "modify" && clip.Kind == film.TextItem:
		word = clip.Ref() + " style:" + styleNames()[0]
	case verb == "modify" && clip.Volume == -6:
		word = clip.Ref() + " volume:0dB"
	case verb == "modify":
		word = clip.Ref() + " volume:-6dB"
	case clip.Kind == film.TextItem: // a text has neither sound nor speed
	case verb == "speed" && clip.Speed == 2:
		word = clip.Ref() + " 1x"
	case verb == "speed":
		word = clip.Ref() + " 2x"
	case verb == "volume" && clip.Volume == -6:
		word = clip.Ref() + " 0dB"
	case verb == "volume":
		word = clip.Ref() + " -6dB"
	case verb == "mute":
		word = clip.Ref()
	}
	if word != "" {
		e.Message = strings.TrimSuffix(e.Message, ".") + "; for example: " + verb + " " + word
	}
	return e
}
