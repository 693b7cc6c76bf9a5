package timeline

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
)

func clipVerbs() []film.Verb {
	span := []pdk.Parameter{relative("in"), relative("out"), relative("dur"), follows}
	rippling := []pdk.Parameter{follows}
	return []film.Verb{
		{Run: runTrim, Keys: span, Verb: abi.Verb{Syntax: "trim CLIP [in:TIME] [out:TIME] [dur:TIME] [start:±TIME] [end:±TIME] [ripple|ripple:all]", Summary: "make a clip longer or shorter: which part of its media it shows (in: out: dur: count in the media), or when it starts and ends on the timeline (start: end:); +TIME or -TIME is relative to what it is; ripple moves what follows on its track along, and nothing on other tracks, ripple:all moves all tracks; a still has any length",
			Brief: "trim CLIP [in: out: dur:+2s|start: end:] [ripple|ripple:all] · in: out: count in the media", Category: "clips",
			Examples: []string{"trim vid1 in:2s out:8s", "trim vid1 end:10s ripple", "trim vid1 dur:+2s ripple", "trim vid1 end:-200ms", "trim title dur:3s"}}},
		{Run: runSplit, Verb: abi.Verb{Syntax: "split CLIP at:TIME [id:ID]", Summary: "cut a clip in two at a time of the timeline", Brief: "split CLIP at:TIME [id:]", Category: "clips", Examples: []string{"split vid1 at:5s"}}},
		{Run: runMove, Keys: []pdk.Parameter{relative("by"), follows}, Verb: abi.Verb{Syntax: "move CLIP at:TIME | after:CLIP [to:TRACK] [ripple:all] · move CLIP|@SEL by:±TIME", Summary: "move clips; they leave a gap, and after: pushes what follows",
			Brief: "move CLIP at:TIME|after:CLIP [to:TRACK] · move CLIP|@SEL by:±TIME", Category: "clips",
			Examples: []string{"move vid2 at:12s", "move vid2 after:vid1", "move @type:text by:-1.5s", "move logo to:V3 at:0s"}}},
		{Run: rippleDelete, Keys: rippling, Verb: abi.Verb{Syntax: "ripple-delete CLIP|@SEL [ripple:all]", Summary: "remove clips or gaps, and move what follows them on their tracks into their place; ripple:all moves all tracks", Brief: "ripple-delete CLIP|@SEL|@gap [ripple:all] · and close the gap", Category: "clips", Examples: []string{"ripple-delete vid2 ripple:all", "ripple-delete @gap"}}},
		{Run: remove, Keys: rippling, Verb: abi.Verb{Syntax: "remove CLIP|TRANSITION|MARKER|MEDIA|@SEL [ripple:all] · remove effect KIND on:CLIP|@SEL", Summary: "remove; a clip leaves a gap, a transition restores what its clips overlapped", Brief: "remove CLIP|TRANSITION|MARKER|MEDIA|@SEL · remove effect KIND on:CLIP",
			Category: "clips", Examples: []string{"remove vid2", "remove crossfade", "remove @type:text", "remove effect grayscale on:vid1"}}},
		{Run: copyClip, Keys: rippling, Verb: abi.Verb{Syntax: "copy CLIP at:TIME | after:CLIP [to:TRACK] [id:ID] [ripple:all]", Summary: "put a copy elsewhere, with all settings and effects", Brief: "copy CLIP at:TIME|after:CLIP [to:TRACK] [id:ID]", Category: "clips", Examples: []string{"copy vid1 at:end", "copy title at:30s id:title_end"}}},
		{Run: repeat, Keys: []pdk.Parameter{times, follows}, Verb: abi.Verb{Syntax: "repeat CLIP count:N [ripple:all]", Summary: "put N copies right after it, and push what follows", Brief: "repeat CLIP count:N", Category: "clips", Examples: []string{"repeat vid2 count:3"}}},
		{Run: runSpeed, Keys: rippling, Verb: abi.Verb{Syntax: "speed CLIP|@SEL 2x|50% [ripple:all]", Summary: "play faster or slower, from 0.01x to 100x; the clip gets shorter or longer, and what follows it on its track moves along, on all tracks with ripple:all", Brief: "speed CLIP|@SEL 2x|50% [ripple:all]", Category: "clips", Examples: []string{"speed vid1 2x", "speed vid1 50%"}}},
	}
}

// keyword reads the optional positional at an index, which must be one of words. It returns "" if there is none.
func keyword(a pdk.Args, at int, words ...string) string {
	if len(a.Positionals) <= at {
		return ""
	}
	word, ok := pdk.OneOf(a.Text(at), words)
	if !ok {
		err := pdk.Errorf("%s is unexpected; expected %s", pdk.Quote(a.Text(at)), strings.Join(words, ", "))
		if near := pdk.Nearest(a.Text(at), words); len(near) > 0 {
			err = err.Try(a.Mended(pdk.WithWords(at, 1, near[0])))
		}
		pdk.Check(err)
	}
	return word
}

// newID returns the id that an op gives to something new, by default one made from base.
func newID(f *film.Film, a pdk.Args, base string) string {
	id, given := a.Param("id")
	if !given || id == "" {
		return f.FreshID(base)
	}
	pdk.Check(f.NewID(a, id))
	return id
}
