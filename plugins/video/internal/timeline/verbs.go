package timeline

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/plugins/video/internal/render"
)

func verbs() []verb {
	return slices.Concat([]verb{addVerb()}, overlayVerbs(), clipVerbs(), modifyVerbs(), filmVerbs())
}

func conventions() []string {
	return []string{
		"TIME is 10s, 1m32s, 1.5s, 00:01:32.5, 00:01:32:12 or 250f; a number alone is seconds. A place on the timeline may also be end, end:CLIP, start:CLIP or marker:NAME, each with +TIME or -TIME: end:vid1-0.5s.",
		"Times are rounded to frames of the project, and replies say where.",
		"open ./a.mp4,./b.mp4 starts a film with these files as its media, new an empty one. MEDIA is a file (./cat.mp4) or the id of a known one. CLIP is the id that a reply gave: cat, cat_2.",
		"A transition overlaps its two clips: the film gets shorter by its duration, and what follows moves up. Removing it undoes that. Only clips on the same track move along; replies name what stays elsewhere, and ripple:all moves all tracks and markers.",
		"V1 is below V2. Sound of clips on V tracks is heard; mute silences it. Overlays and texts lie over all tracks.",
		"save as:./film.otio saves the timeline; save as:./film.mp4 format:h264_1080p renders it. draft is quick.",
		"Without size: and fps: a new film takes those of its first clip.",
	}
}

func vocabulary() []abi.Section {
	styles := abi.Section{Title: "Styles of texts", Brief: "STYLE: " + strings.Join(styleNames(), " ")}
	for _, s := range render.Styles() {
		styles.Lines = append(styles.Lines, s.Name+": "+s.About)
	}
	cross := abi.Section{Title: "Transitions", Brief: strings.Join(transitions()[:8], " ") + " … (query transitions)"}
	for _, k := range render.Transitions() {
		cross.Lines = append(cross.Lines, k.Name+": "+k.About)
	}
	effects := abi.Section{Title: "Effects", Brief: strings.Join(effectNames()[:12], " ") + " … (query effects)"}
	for _, e := range render.Effects() {
		effects.Lines = append(effects.Lines, effectLine(e))
	}
	return []abi.Section{styles, {Title: "Places", Lines: []string{"PLACE: " + strings.Join(render.Places(), " ") + ", or X,Y of the upper left corner"}}, cross, effects}
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
		{"remove", "delete del rm cut clear"}, {"ripple-delete", "ripple close"}, {"split", "blade razor slice cut"}, {"trim", "crop shorten extend"}, {"move", "shift reorder"}, {"copy", "duplicate clone"}, {"repeat", "loop"},
		{"modify", "set change update edit style"}, {"speed", "slow fast rate retime"}, {"volume", "gain loud level"}, {"mute", "silence"}, {"mute", "unmute"}, {"duck", "sidechain"}, {"project", "settings size fps resolution"}, {"marker", "mark"},
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
	slices.SortFunc(out, func(a, b abi.Synonym) int { return strings.Compare(a.Word+" "+a.Means, b.Word+" "+b.Means) })
	return out
}
