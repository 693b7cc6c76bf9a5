package timeline

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
)

func runFade(c *film.Ctx, a pdk.Args) error {
	f := c.Model
	clips := pdk.Must(targets(c, a))
	k := clock{f: f}
	in, inGiven := optional(a, "in", k.length)
	out, outGiven := optional(a, "out", k.length)
	if !inGiven && !outGiven {
		return pdk.Errorf("fade needs in:TIME or out:TIME").Try(a.Mended(pdk.WithParam("in", "1s"), pdk.WithParam("out", "1s")))
	}
	var what []string
	if inGiven {
		what = append(what, "in "+f.TimeText(in))
	}
	if outGiven {
		what = append(what, "out "+f.TimeText(out))
	}
	for _, clip := range clips {
		both, shown := clip.FadeIn+clip.FadeOut, clip.Frames()+clip.Cut.Before+clip.Cut.After
		if inGiven {
			both, shown = both+in-clip.FadeIn, shown-clip.Cut.Before
		}
		if outGiven {
			both, shown = both+out-clip.FadeOut, shown-clip.Cut.After
		}
		if both > shown && clip.Kind == film.ClipItem {
			half := f.TimeText(clip.Frames() / 2)
			var less []pdk.Change
			for _, key := range []string{"in", "out"} {
				if a.Has(key) {
					less = append(less, pdk.WithParam(key, half))
				}
			}
			return pdk.Errorf("fades of %s do not fit into %s, which takes %s", f.TimeText(both), clip.Ref(), f.TimeText(clip.Frames())).Try(a.Mended(less...))
		}
	}
	if in != out {
		warnOf(c, "texts fade in and out alike, here for "+f.TimeText(max(in, out)), func(yield func(id string)) {
			for _, clip := range clips {
				if clip.Kind == film.TextItem {
					yield(clip.ID)
				}
			}
		})
	}
	comes, goes := timeOrNil(f, in), timeOrNil(f, out) // read before the edits, which drop the cached rate
	return changeEach(f, c, slices.DeleteFunc(slices.Clone(clips), func(c *film.Clip) bool { return c.Kind == film.OtherItem }), clips, "fade "+strings.Join(what, " ")+k.noteText(), func(clip *film.Clip) (changes []otio.Change) {
		if clip.Kind == film.TextItem { // a text has one length for fading in and out
			n := max(in, out)
			if n == 0 {
				n = -1
			}
			p := *clip.Caption
			p.Fade = n
			return append(textChanges(clip, p), wholeFade(clip, true, true)...)
		}
		if inGiven && in != clip.FadeIn {
			changes = append(changes, fcpChange("fade_in", comes))
		}
		if outGiven && out != clip.FadeOut {
			changes = append(changes, fcpChange("fade_out", goes))
		}
		return append(changes, wholeFade(clip, inGiven, outGiven)...)
	})
}

// wholeFade returns the changes after which fades that a split has cut off begin and end with the clip.
func wholeFade(clip *film.Clip, in, out bool) (changes []otio.Change) {
	if in && clip.Cut.Before > 0 {
		changes = append(changes, fcpChange("cut_before", nil))
	}
	if out && clip.Cut.After > 0 {
		changes = append(changes, fcpChange("cut_after", nil))
	}
	return changes
}
