package timeline

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
	"github.com/fcp-host/fcp-host/plugins/video/internal/render"
)

func allVerbs() []film.Verb {
	list := pdk.Declare(slices.Concat([]film.Verb{addVerb()}, overlayVerbs(), clipVerbs(), modifyVerbs(), filmVerbs())...)
	for i := range list {
		if v := &list[i]; v.Select && v.Name != "add" {
			v.Min = 0 // they refuse a missing clip themselves, with an example
		}
	}
	return list
}

func conventions() []string {
	return []string{
		"TIME is 1.5s, 1m32s, 00:01:32.5 or 250f (frames). On the timeline also end, end:CLIP, start:CLIP, marker:NAME, each +TIME or -TIME: end:vid1-0.5s.",
		"open ./a.mp4,./b.mp4 starts a film with these media. MEDIA is a file (./cat.mp4) or its id, CLIP the id in replies: cat_2.",
		"A transition overlaps its two clips: the film gets shorter. Only clips on the same track move along; ripple:all moves all tracks.",
		"V2 is over V1, overlays and texts over all.",
		"save as:./film.otio saves the timeline, as:./film.mp4 format:h264_1080p renders it.",
	}
}

func vocabulary() []abi.Section {
	styles := abi.Section{Title: "Styles of texts", Brief: strings.Join(styleNames(), " ")}
	for _, s := range render.Styles() {
		styles.Lines = append(styles.Lines, s.Name+": "+s.About)
	}
	cross := abi.Section{Title: "Transitions", Brief: strings.Join(transitions()[:4], " ") + " … (query transitions)"}
	for _, k := range render.Transitions() {
		cross.Lines = append(cross.Lines, k.Name+": "+k.About)
	}
	effects := abi.Section{Title: "Effects", Brief: strings.Join(effectNames()[:6], " ") + " … (query effects)"}
	for _, e := range render.Effects() {
		effects.Lines = append(effects.Lines, effectLine(e))
	}
	return []abi.Section{styles, {Title: "Places", Lines: []string{"PLACE: " + strings.Join(value.Regions(), " ") + ", or X,Y of the upper left corner"}, Brief: "PLACE: top-left top … bottom-right, or X,Y"}, cross, effects}
}

// effectLine prints an effect and its settings.
func effectLine(e render.EffectKind) string {
	s := e.Name
	for _, p := range e.Settings {
		s += " " + p.Name + ":" + p.Default
		if p.Animated {
			s += "*"
		}
	}
	if e.Sound {
		s += " (sound)"
	}
	if e.About != "" {
		s += ": " + e.About
	}
	return s
}

// synonyms maps words of other programs to ours.
func synonyms() []abi.Synonym {
	var out []abi.Synonym
	for _, s := range [][2]string{
		{"add", "insert place append"}, {"add clip", "clip import"}, {"add audio", "audio music sound"}, {"add transition", "transition"}, {"add effect", "effect filter apply"},
		{"overlay text", "text title write"}, {"overlay image", "image logo watermark"}, {"overlay video", "pip"}, {"caption", "subtitle"}, {"captions", "subtitles srt"},
		{"remove", "delete del rm cut clear"}, {"ripple-delete", "ripple close"}, {"split", "blade razor slice cut"}, {"trim", "crop shorten extend longer shorter lengthen"}, {"move", "shift reorder"}, {"copy", "duplicate clone"}, {"repeat", "loop"},
		{"modify", "set change update edit style enable disable switch"}, {"speed", "slow fast rate retime"}, {"volume", "gain loud level"}, {"mute", "silence"}, {"mute", "unmute"}, {"duck", "sidechain"}, {"project", "settings size fps resolution"}, {"marker", "mark"},
		{"map", "overview show"}, {"timeline", "draw ascii"}, {"preview", "look frame thumbnail sheet"}, {"describe", "inspect info"}, {"duration", "length"}, {"media", "files probe"}, {"at", "when"}, {"command", "ffmpeg"}, {"warnings", "lint check"},
		{"save", "render export"},
	} {
		for _, w := range strings.Fields(s[1]) {
			out = append(out, abi.Synonym{Word: w, Means: s[0]})
		}
	}
	for _, s := range [][2]string{{"name:", "id:"}, {"start:", "at:"}, {"position:", "pos:"}, {"track:", "to:"}, {"length:", "dur:"}, {"duration:", "dur:"}, {"dur:", "duration:"}, {"at:", "from:"}, {"begin:", "from:"}, {"until:", "to:"}, {"colour:", "color:"}, {"text:", "title:"}, {"for:", "dur:"}, {"scale:", "size:"}, {"width:", "size:"}, {"from:", "in:"}, {"to:", "out:"}, {"amount:", "by:"}, {"level:", "volume:"}, {"@clip", "@type"}, {"@time", "@range"}} {
		out = append(out, abi.Synonym{Word: s[0], Means: s[1]})
	}
	for _, word := range []string{"music", "song", "sound", "voice"} {
		out = append(out, abi.Synonym{Word: "add " + word, Means: "add audio"})
	}
	for _, kind := range transitions() {
		out = append(out, abi.Synonym{Word: "add " + kind, Means: "add transition " + kind})
		if kind != "zoom-in" && kind != "blur" {
			out = append(out, abi.Synonym{Word: kind, Means: "add transition " + kind})
		}
	}
	for _, kind := range effectNames() {
		out = append(out, abi.Synonym{Word: "add " + kind, Means: "add effect " + kind})
	}
	return out
}
