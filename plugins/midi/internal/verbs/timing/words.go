package timing

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/mixing"
)

// wordVerb makes the verb of one kind of text event.
func wordVerb(name, summary string, typ byte, examples ...string) verb {
	return verb{Verb: abi.Verb{
		Category: "Timeline", Syntax: name + " TEXT [at:POS] [track:TRACK]",
		Brief:   name + " TEXT [at:]",
		Hidden:  true,
		Summary: summary + "; replaces one at the same place of the track", Examples: examples,
	}, Run: func(c *ctx, a pdk.Args) error {
		text := a.Text(0)
		if strings.TrimSpace(text) == "" {
			return pdk.Errorf("a %s needs a text", name)
		}
		t := pdk.Must(args.HomeTrack(c, a))
		at := pdk.Must(args.Position(c, a, "at", t, 0))
		said := strings.ToUpper(name[:1]) + name[1:] + " " + pdk.Quote(song.Brief(text, 120)) + " at " + c.Model.At(t, at)
		if a.Has("track") {
			said += " on " + c.Model.Name(t)
		}
		old := t.Find(at, func(e *song.Event) bool { return e.IsMeta(typ) })
		if old != nil && old.Text() == text {
			return pdk.Unchanged("%s is already set there", said)
		}
		if old != nil {
			warnReplaced(c, old)
		}
		mixing.SetText(c, t, old, typ, at, text, song.Brief(said, 200))
		args.Report(c, old == nil, said)
		return nil
	}}
}

func lyricVerb() verb {
	return wordVerb("lyric", "a syllable to sing, on the first track unless track:", song.MetaLyric, `lyric "Hal-" at:1.1 track:Piano`)
}

func textVerb() verb {
	return wordVerb("text", "a remark", song.MetaText, `text "Played by heart" at:1.1`)
}

func cueVerb() verb {
	return wordVerb("cue", "a cue point", song.MetaCue, `cue "Door slams" at:9.1`)
}
