package verbs

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// fits refuses ticks a file cannot hold.
func fits(tick int64) error {
	if tick > smf.MaxTick {
		return pdk.Errorf("that ends beyond tick %d, the longest song a file can hold", smf.MaxTick)
	}
	return nil
}

func chordVerb() verb {
	return verb{Verb: abi.Verb{
		Name: "chord", Category: "Notes", Syntax: "chord TRACK SYMBOL… [at:POS] [dur:DUR] [vel:V] [oct:N] [inv:N] [ch:N]",
		Summary: "chords by symbol, several one after another; root in octave 4 unless oct:",
		Params:  []abi.Param{atParam, durParam, velParam, {Key: "oct", Value: "-1…9"}, {Key: "inv", Value: "0-6"}, chParam}, Min: 2, Max: -1,
		Examples: []string{"chord Piano Cmaj7 at:1.1 dur:half", "chord Piano Dm7 G7 C/E dur:whole oct:3"},
	}, Run: runChord}
}

func runChord(c *ctx, a pdk.Args) error {
	t, err := playing(c, a, 0)
	if err != nil {
		return err
	}
	channel, err := channelArg(c, a, t)
	if err != nil {
		return err
	}
	at, err := positionArg(c, a, "at", t, t.Cursor().End)
	if err != nil {
		return err
	}
	velocity, err := velocityArg(a)
	if err != nil {
		return err
	}
	octave, err := a.Int("oct", 4, -1, 9)
	if err != nil {
		return instead(err, a, "oct", "4")
	}
	inversion, err := a.Int("inv", 0, 0, 6)
	if err != nil {
		return instead(err, a, "inv", "1")
	}
	x := &song.Insert{Track: t.ID}
	var said []string
	start := at
	for i := 1; i < len(a.Positionals); i++ {
		chord, err := theory.ParseChord(a.Text(i))
		if err != nil {
			return chordRefused(err, a, i)
		}
		if inversion >= len(chord.Tones) {
			return instead(pdk.Errorf("inv:%d: %s has %d notes, inversions 0 to %d", inversion, chord, len(chord.Tones), len(chord.Tones)-1), a, "inv", itoa(len(chord.Tones)-1))
		}
		length, err := durationArg(c, a, t, start)
		if err != nil {
			return err
		}
		var names []string
		for _, p := range chord.Voice(octave, inversion) {
			if p.Number() < 0 || p.Number() > 127 {
				return instead(pdk.Errorf("%s in octave %d has the note %s, outside the range of MIDI", chord, octave, p), a, "oct", "4")
			}
			x.Note(t, channel, p.Number(), velocity, release, start, length)
			names = append(names, p.String())
		}
		said = append(said, chord.String()+" ("+strings.Join(names, " ")+")")
		x.Cursor = song.Cursor{Start: start, End: start + length, Set: true}
		if err := fits(x.Cursor.End); err != nil {
			return instead(err, a, "at", "end")
		}
		start += length
	}
	what := "Chord "
	if len(said) > 1 {
		what = "Chords "
	}
	text := what + strings.Join(said, ", ") + " on " + c.Model.Name(t) + " at " + c.Model.At(t, at)
	if err := c.Do(x, what+strings.Join(a.Texts(1), " ")+" on "+c.Model.Name(t)+" at "+c.Model.At(t, at), x.Refs(c.Model)...); err != nil {
		return err
	}
	c.Created("%s dur:%s vel:%d%s", text, c.Model.Lasting(x.Cursor.End-x.Cursor.Start), velocity, elsewhere(t, channel))
	return nil
}

func chordRefused(err error, a pdk.Args, i int) error {
	e := refusal(err)
	root := a.Text(i)[:1]
	if _, known := theory.ParseClass(root); !known {
		root = "C"
	}
	e.Message += "; qualities: " + strings.Join(theory.ChordQualities()[:31], " ")
	return insteadAt(e, a, i, strings.ToUpper(root)+"maj7")
}
