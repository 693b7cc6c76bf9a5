package timeline

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

func clipVerbs() []verb {
	key := func(pairs ...string) (out []abi.Param) {
		for i := 0; i < len(pairs); i += 2 {
			out = append(out, abi.Param{Key: pairs[i], Value: pairs[i+1]})
		}
		return out
	}
	rippling := func(pairs ...string) []abi.Param { return append(key(pairs...), rippleKey) }
	return []verb{
		{Run: trim, Verb: abi.Verb{Name: "trim", Syntax: "trim CLIP [in:TIME] [out:TIME] [dur:TIME] [start:TIME] [end:TIME] [ripple|ripple:all]", Summary: "make a clip longer or shorter: which part of its media it shows (in: out: dur: count in the media), or when it starts and ends on the timeline (start: end:); +TIME or -TIME is relative to what it is; ripple moves what follows on its track along, and nothing on other tracks, ripple:all moves all tracks; a still has any length",
			Brief: "trim CLIP [in: out: dur:+2s|start: end:] [ripple|ripple:all] · in: out: count in the media", Category: "clips",
			Params: rippling("in", "±TIME", "out", "±TIME", "dur", "±TIME", "start", "±TIME", "end", "±TIME"), Min: 1, Max: 2, Examples: []string{"trim vid1 in:2s out:8s", "trim vid1 end:10s ripple", "trim vid1 dur:+2s ripple", "trim vid1 end:-200ms", "trim title dur:3s"}}},
		{Run: split, Verb: abi.Verb{Name: "split", Syntax: "split CLIP at:TIME [id:ID]", Summary: "cut a clip in two at a time of the timeline", Brief: "split CLIP at:TIME [id:]", Category: "clips", Params: key("at", "TIME", "id", "ID"), Min: 1, Max: 1, Examples: []string{"split vid1 at:5s"}}},
		{Run: move, Verb: abi.Verb{Name: "move", Syntax: "move CLIP at:TIME|after:CLIP [to:TRACK] · move CLIP|@SEL by:+TIME|-TIME", Summary: "move clips; they leave a gap, and after: pushes what follows",
			Brief: "move CLIP at:TIME|after:CLIP [to:TRACK] · move CLIP|@SEL by:±TIME", Category: "clips", Params: rippling("at", "TIME", "after", "CLIP", "to", "TRACK", "by", "±TIME"), Select: true, Min: 0, Max: 1,
			Examples: []string{"move vid2 at:12s", "move vid2 after:vid1", "move @type:text by:-1.5s", "move logo to:V3 at:0s"}}},
		{Run: rippleDelete, Verb: abi.Verb{Name: "ripple-delete", Syntax: "ripple-delete CLIP|@SEL [ripple:all]", Summary: "remove clips or gaps, and move what follows them on their tracks into their place; ripple:all moves all tracks", Brief: "ripple-delete CLIP|@SEL|@gap [ripple:all] · and close the gap", Category: "clips", Params: rippling(), Select: true, Min: 0, Max: 1, Examples: []string{"ripple-delete vid2 ripple:all", "ripple-delete @gap"}}},
		{Run: remove, Verb: abi.Verb{Name: "remove", Syntax: "remove CLIP|TRANSITION|MARKER|MEDIA|@SEL · remove effect KIND on:CLIP|@SEL", Summary: "remove; a clip leaves a gap, a transition restores what its clips overlapped", Brief: "remove CLIP|TRANSITION|MARKER|MEDIA|@SEL · remove effect KIND on:CLIP",
			Category: "clips", Params: rippling("on", "CLIP"), Select: true, Min: 0, Max: 2, Examples: []string{"remove vid2", "remove crossfade", "remove @type:text", "remove effect grayscale on:vid1"}}},
		{Run: copyClip, Verb: abi.Verb{Name: "copy", Syntax: "copy CLIP at:TIME|after:CLIP [to:TRACK] [id:ID]", Summary: "put a copy elsewhere, with all settings and effects", Category: "clips", Params: rippling("at", "TIME", "after", "CLIP", "to", "TRACK", "id", "ID"), Min: 1, Max: 1, Examples: []string{"copy vid1 at:end", "copy title at:30s id:title_end"}}},
		{Run: repeat, Verb: abi.Verb{Name: "repeat", Syntax: "repeat CLIP count:N", Summary: "put N copies right after it, and push what follows", Category: "clips", Params: rippling("count", "N"), Min: 1, Max: 1, Examples: []string{"repeat vid2 count:3"}}},
		{Run: speed, Verb: abi.Verb{Name: "speed", Syntax: "speed CLIP|@SEL 2x|50% [ripple:all]", Summary: "play faster or slower, from 0.01x to 100x; the clip gets shorter or longer, and what follows it on its track moves along, on all tracks with ripple:all", Brief: "speed CLIP|@SEL 2x|50% [ripple:all]", Category: "clips", Params: rippling(), Select: true, Min: 1, Max: 2, Examples: []string{"speed vid1 2x", "speed vid1 50%"}}},
	}
}

// keyword reads the optional positional at an index, which must be one of words. It returns "" if there is none.
func keyword(a pdk.Args, at int, words ...string) (string, error) {
	if len(a.Positionals) <= at {
		return "", nil
	}
	word, ok := pdk.OneOf(a.Text(at), words)
	if !ok {
		err := pdk.Errorf("%s is unexpected; expected %s", pdk.Quote(a.Text(at)), strings.Join(words, ", "))
		if near := pdk.Nearest(a.Text(at), words); len(near) > 0 {
			err = err.Try(a.Mended(pdk.WithWords(at, 1, near[0])))
		}
		return "", err
	}
	return word, nil
}

// isStill reports whether a clip shows a still.
func (f *Film) isStill(c *Clip) bool {
	m := f.mediumOf(c)
	return m != nil && m.Still
}

// source returns the length of a clip's medium in frames of the project, -1 if it is unknown or unbounded.
func (f *Film) source(c *Clip) int {
	if m := f.mediumOf(c); m != nil {
		return m.Frames(f.rate())
	}
	return c.avail
}
