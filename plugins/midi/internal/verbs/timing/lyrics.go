package timing

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
)

var lyricsVerb = verb{Verb: abi.Verb{
	Category: "Timeline", Syntax: "lyrics TRACK \"Twin-kle, twin-kle lit-tle star\" [at:POS]",
	Brief:   `lyrics TRACK "Twin-kle lit-tle star" [at:] · a syllable a note; one: lyric, text, cue`,
	Summary: "words for a track's notes from 1.1 or at: on, a syllable for each note or chord: - separates the syllables of a word, _ holds the one before for a note; lyrics on these notes are replaced",
	Min:     2, Max: -1,
	Examples: []string{`lyrics Piano "Twin-kle, twin-kle _ star" at:1.1`},
}, Run: func(c *ctx, a pdk.Args) error {
	t := pdk.Must(args.PlayingTrack(c, a, 0))
	at := pdk.Must(args.Position(c, a, "at", t, 0))
	words := syllables(strings.Join(a.Texts(1), " "))
	if len(words) == 0 {
		return pdk.Errorf("lyrics: the text holds no words")
	}
	var notes []*song.Event
	for e := range t.EventsFrom(at) {
		if e.IsNote() && (len(notes) == 0 || notes[len(notes)-1].Tick != e.Tick) {
			notes = append(notes, e)
		}
	}
	if len(notes) < len(words) {
		return pdk.Errorf("%s has %s from %s on, and the text has %d syllables", c.Model.Name(t), pdk.Count(len(notes), "note"), c.Model.At(t, at), len(words)).
			TryQuery("events " + c.Model.Names().Name(t))
	}
	x, gone := &song.Insert{}, &song.Remove{}
	var other []*song.Event
	for i, w := range words {
		tick := notes[i].Tick
		for e := range t.EventsFrom(tick) {
			if e.Tick != tick {
				break
			}
			if e.IsMeta(song.MetaLyric) {
				gone.Add(e)
				if e.Text() != w {
					other = append(other, e)
				}
			}
		}
		if w != "" {
			x.Add(t, smf.Event{Tick: tick, Status: smf.Meta, A: song.MetaLyric, Payload: []byte(w)})
		}
	}
	if len(x.Items) == 0 {
		return pdk.Errorf("lyrics: the text holds no words")
	}
	warnReplaced(c, other...)
	args.Do(c, gone, "Remove the lyrics there")
	last := notes[len(words)-1]
	text := "Lyrics on " + c.Model.Name(t) + " from " + c.Model.At(t, notes[0].Tick) + " to " + c.Model.At(t, last.Tick)
	args.Do(c, x, text)
	c.Created("%s: %s", text, pdk.Count(len(x.Items), "syllable"))
	return nil
}}

// syllables splits a text as vocal scores do: a syllable ends with a hyphen if its word
// continues; "" is a note without a syllable.
func syllables(text string) (out []string) {
	for _, word := range strings.Fields(text) {
		for i, part := range strings.SplitAfter(word, "-") {
			switch {
			case part == "_":
				out = append(out, "")
			case part == "-" && i > 0 && len(out) > 0: // Oh--- is held
				out = append(out, "")
			case part != "":
				out = append(out, part)
			}
		}
	}
	return out
}
