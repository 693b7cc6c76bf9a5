package timeline

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
	"github.com/fcp-host/fcp-host/plugins/video/internal/media"
)

// probeAt declares that the word at a position names a file, which the host probes with ffprobe. It applies only
// after one of the words of behind, if there are any.
func probeAt(position int, behind ...string) abi.Resource {
	return abi.Resource{Position: position, Behind: behind, Kind: abi.ResourceProbe, Want: "program:ffprobe", Accept: media.Extensions(), Optional: true}
}

func addVerb() film.Verb {
	return film.Verb{Run: runAdd, Keys: []pdk.Parameter{loudness, fit, follows, length("in"), length("out"), length("dur"), length("duration")}, Verb: abi.Verb{
		Syntax:   "add clip|audio MEDIA [to:TRACK] [at:TIME | after:CLIP] [in:TIME] [out:TIME | dur:TIME | until:TIME] [volume:DB] [fit:FIT] [id:ID] · add transition KIND between:A,B [duration:TIME] [ripple:all] · add effect KIND on:CLIP|@SEL [NAME:VALUE…]",
		Summary:  "put media on a track; overlap two clips by a transition; change a clip's picture or sound",
		Brief:    "add clip|audio MEDIA [to:V1 at:TIME|after:CLIP in: out: dur: until: volume: id:] · without at: after the last · add transition KIND between:A,B [duration:1s] · add effect KIND on:CLIP|@SEL [NAME:VALUE]",
		Category: "clips", Select: true,
		Resources: []abi.Resource{probeAt(2, "clip", "audio", "music", "song", "sound", "voice", "video", "image", "film", "movie")}, // includes words that are refused, because the suggestion in their place is tried with the same probe
		Examples:  []string{"add clip ./cat.mp4 to:V1 at:10s", "add clip vid2 at:end:vid1 in:2s dur:5s", "add audio ./music.mp3 volume:-12dB until:end", "add transition crossfade between:vid1,vid2 duration:1.5s", "add effect grayscale on:vid1"},
	}}
}

func runAdd(c *film.Ctx, a pdk.Args) error {
	switch what := strings.ToLower(a.Text(0)); what {
	case "clip":
		return addClip(c, a, film.VideoTrack)
	case "audio":
		return addClip(c, a, film.AudioTrack)
	case "transition":
		return addTransition(c, a)
	case "effect":
		return addEffect(c, a)
	case "text", "title", "image", "video":
		if what == "title" {
			what = "text"
		}
		return pdk.Errorf("%s lies over the picture: overlay %s", what, what).Try("overlay " + strings.TrimSpace(strings.TrimPrefix(a.Mended(pdk.WithWords(0, 1, what)), "add")))
	case "marker", "caption", "track":
		return pdk.Errorf("%s is a verb of its own", what).Try(strings.TrimSpace(strings.TrimPrefix(a.Mended(), "add")))
	}
	if len(a.Positionals) == 0 { // only selectors are given
		return pdk.Errorf("add what: a clip, audio, a transition or an effect?")
	}
	// Guess from the other parameters what was meant.
	meant := "clip"
	m, missing := c.Model.Medium(a.Text(1))
	switch near := pdk.Nearest(strings.ToLower(a.Text(0)), []string{"clip", "audio", "transition", "effect"}); {
	case a.Has("between"):
		meant = "transition"
	case a.Has("on"):
		meant = "effect"
	case len(near) > 0:
		meant = near[0]
	case a.Has("until") && !a.Has("at") && !a.Has("after"): // a clip would begin at the end
		meant = "audio"
	case missing == nil && !m.Video || slices.Contains(media.AudioExtensions, media.Extension(a.Text(1))):
		meant = "audio"
	}
	return pdk.Errorf("add makes a clip, audio, transition or effect, not %s", pdk.Quote(a.Text(0))).Try(a.Mended(pdk.WithWords(0, 1, meant)))
}

// otherKeys maps keys to those that mean the same for other kinds of elements.
var otherKeys = map[string]string{"dur": "duration", "duration": "dur", "at": "from", "from": "at", "to": "until", "until": "to"}

// allowOnly refuses parameters other than keys, and selectors. what names the op in the error.
func allowOnly(a pdk.Args, what string, keys ...string) error {
	for _, p := range a.Params {
		if !slices.Contains(keys, p.Key) {
			err := pdk.Errorf("%s takes no %s:, only %s:", what, p.Key, strings.Join(keys, ": "))
			if other := otherKeys[p.Key]; slices.Contains(keys, other) && !a.Has(other) {
				return err.Try(a.Mended(pdk.WithKey(p.Key, other)))
			}
			if near := pdk.Nearest(p.Key, keys); len(near) > 0 && !a.Has(near[0]) {
				return err.Try(a.Mended(pdk.WithKey(p.Key, near[0])))
			}
			return err.Try(a.Mended(pdk.Without(p.Key)))
		}
	}
	if len(a.Selectors) > 0 {
		return pdk.Errorf("%s takes no selector", what)
	}
	return nil
}
