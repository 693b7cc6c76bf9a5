package timing

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/notation"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/writing"
)

// abcEnd is the line that ends a tune.
const abcEnd = "abc end"

var abcVerb = verb{Keys: []pdk.Parameter{args.OverKey}, Verb: abi.Verb{
	Category: "Notes", Syntax: "abc [TRACK] [at:POS] [over:true]",
	Brief:    "abc [TRACK] [at:] · lines of ABC",
	Summary:  "a tune in ABC, its fields (without K:, the song's key and metre) and its notes: on TRACK, after the last note added to it or at:; without TRACK as append does or, with at:, as import",
	Block:    abcEnd,
	Examples: []string{"abc Piano at:1.1\nX:1\nL:1/8\nK:Edor\n(3BAB d2 B>A [EG]2 | z4 e4\n" + abcEnd},
}, Run: func(c *ctx, a pdk.Args) error {
	data, err := notation.Read("tune.abc", []byte(tuneText(c, a.Block)))
	if err != nil {
		return pdk.Errorf("the tune: %v", err)
	}
	s, _, err := song.Open(data)
	if err != nil {
		return pdk.Errorf("the tune: %v", err)
	}
	x, err := excerptFrom(c, a, "the tune", s)
	switch {
	case err != nil:
		return err
	case len(a.Positionals) > 0:
		return x.play(c, a)
	case a.Has("over"):
		return pdk.Errorf("over:true replaces what is on a track: abc TRACK at:POS over:true").TryQuery("tracks")
	case a.Has("at"):
		return importAt(c, a, x)
	}
	return appendIt(c, x)
}}

// tuneText returns the text of a tune; one without a key gets the key and metre of the
// song.
func tuneText(c *ctx, lines []string) string {
	text := strings.Join(lines, "\n")
	if slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(strings.TrimSpace(l), "K:") }) {
		return text
	}
	head := "X:1\n"
	if m, err := c.Model.Meter(nil); err == nil {
		g := m.At(0)
		head += "M:" + strconv.Itoa(g.Num) + "/" + strconv.Itoa(g.Den) + "\n"
	}
	return head + "K:" + strings.ReplaceAll(c.Model.KeyAt(nil, 0).String(), "-", " ") + "\n" + text
}

// play adds the notes and words of an excerpt of one part to the track that an op
// names. The track keeps its sound.
func (x *excerpt) play(c *ctx, a pdk.Args) error {
	p := writing.NewPhrase(c, a)
	if len(x.parts) > 1 {
		return pdk.Errorf("the tune has %d voices and %s is one track: without a track each gets its own", len(x.parts), c.Model.Name(p.Track))
	}
	words := &song.Insert{}
	items := x.parts[0].items
	for i, it := range items {
		switch {
		case it.Paired:
			p.Note(int(it.A), int(it.B), p.Start+it.Tick, items[i+1].Tick-it.Tick)
		case !it.IsChannel():
			it.Tick += p.Start
			words.Add(p.Track, it.Event)
		}
	}
	pdk.Check(p.Step(x.length))
	pdk.Check(p.Do("Tune"))
	args.Do(c, words, "Its words")
	return nil
}
