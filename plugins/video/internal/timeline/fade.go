package timeline

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
)

func fade(c *ctx, a pdk.Args) error {
	f := c.Model
	clips, err := targets(c, a)
	if err != nil {
		return err
	}
	k := clock{f: f}
	in, inGiven, err := optional(a, "in", k.length)
	if err != nil {
		return err
	}
	out, outGiven, err := optional(a, "out", k.length)
	if err != nil {
		return err
	}
	if !inGiven && !outGiven {
		return pdk.Errorf("fade needs in:TIME or out:TIME").Try(a.Mended(pdk.WithParam("in", "1s"), pdk.WithParam("out", "1s")))
	}
	var what []string
	if inGiven {
		what = append(what, "in "+f.timeText(in))
	}
	if outGiven {
		what = append(what, "out "+f.timeText(out))
	}
	for _, clip := range clips {
		both, shown := clip.FadeIn+clip.FadeOut, clip.Frames()+clip.cut.Before+clip.cut.After
		if inGiven {
			both, shown = both+in-clip.FadeIn, shown-clip.cut.Before
		}
		if outGiven {
			both, shown = both+out-clip.FadeOut, shown-clip.cut.After
		}
		if both > shown && clip.kind == clipItem {
			half := f.timeText(clip.Frames() / 2)
			var less []pdk.Change
			for _, key := range []string{"in", "out"} {
				if a.Has(key) {
					less = append(less, pdk.WithParam(key, half))
				}
			}
			return pdk.Errorf("fades of %s do not fit into %s, which takes %s", f.timeText(both), clip.name(), f.timeText(clip.Frames())).Try(a.Mended(less...))
		}
	}
	if in != out {
		warnOf(c, "texts fade in and out alike, here for "+f.timeText(max(in, out)), func(yield func(id string)) {
			for _, clip := range clips {
				if clip.kind == textItem {
					yield(clip.ID)
				}
			}
		})
	}
	comes, goes := f.timeOrNil(in), f.timeOrNil(out) // read before the edits, which drop the cached rate
	return f.changeEach(c, slices.DeleteFunc(slices.Clone(clips), func(c *Clip) bool { return c.kind == otherItem }), clips, "fade "+strings.Join(what, " ")+k.noteText(), func(clip *Clip) (changes []otio.Change) {
		if clip.kind == textItem { // a text has one length for fading in and out
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
func wholeFade(clip *Clip, in, out bool) (changes []otio.Change) {
	if in && clip.cut.Before > 0 {
		changes = append(changes, fcpChange("cut_before", nil))
	}
	if out && clip.cut.After > 0 {
		changes = append(changes, fcpChange("cut_after", nil))
	}
	return changes
}
