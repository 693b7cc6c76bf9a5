package writing

import (
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
)

// release is the note-off velocity of new notes: the middle value, as the MIDI
// specification asks of devices that do not measure it.
const release = 64

var noteVerb = verb{Keys: []pdk.Parameter{args.VelKey, args.ChKey}, Verb: abi.Verb{
	Category: "Notes", Syntax: "note TRACK PITCH… [at:POS] [dur:DUR] [vel:V] [ch:N]",
	Brief:    "note TRACK PITCH… [at: dur: vel: ch:] · together",
	Summary:  "notes that sound together; drum names on drum tracks; `rest` leaves a gap; without at: right after the last one added",
	Examples: []string{"note Piano C4 at:1.1 dur:quarter vel:mf", "note Piano C4 E4 G4 at:2.1 dur:half", "note Drums kick at:1.1 dur:eighth"},
}, Run: runNote}

func runNote(c *ctx, a pdk.Args) error {
	t := pdk.Must(args.WritableTrack(c, a, 0))
	channel := args.Channel(c, a, t)
	at := pdk.Must(args.Position(c, a, "at", t, t.Cursor().End))
	length := pdk.Must(args.Length(c, a, "dur", "quarter", t, at))
	velocity := args.VelKey.Of(a)
	x := &song.Insert{Track: t.ID, Cursor: song.Cursor{Start: at, End: at + length, Set: true}}
	pdk.Check(args.CheckTick(x.Cursor.End))
	if len(a.Positionals) == 2 && strings.EqualFold(a.Text(1), "rest") && !a.Positionals[1].Quoted {
		pdk.Check(c.Do(x, "rest on "+c.Model.Name(t)))
		c.Created("Rest on %s at %s dur:%s", c.Model.Name(t), c.Model.At(t, at), c.Model.Lasting(length))
		return nil
	}
	notes := make([]args.Sounding, 0, 8)
	for i := 1; i < len(a.Positionals); i++ {
		n, err := args.Pitch(a.Text(i), channel)
		if err != nil {
			return pitchRefused(err, a, i, channel)
		}
		notes = append(notes, n)
	}
	if i, err := args.CheckRepeated(notes); err != nil {
		return args.Suggest(err, a.With(pdk.WithoutWord(1+i)))
	}
	names := make([]string, len(notes))
	for i, n := range notes {
		x.Note(t, channel, n.Note, velocity, release, at, length)
		names[i] = n.Name
	}
	what := "Note "
	if len(notes) > 1 {
		what = "Notes "
	}
	text := what + strings.Join(names, " ") + " on " + c.Model.Name(t) + " at " + c.Model.At(t, at)
	args.Do(c, x, text)
	c.Created("%s", text+" dur:"+c.Model.Lasting(length)+" vel:"+strconv.Itoa(velocity)+args.ChannelSuffix(t, channel))
	return nil
}

// pitchRefused suggests pitches that fit the channel.
func pitchRefused(err error, a pdk.Args, i, channel int) error {
	if _, drum := theory.Drum(a.Text(i)); drum {
		return args.Instead(err, a, "ch", strconv.Itoa(theory.DrumChannel))
	}
	if list := near.Pitch(a.Text(i), channel); list != nil {
		return args.InsteadAt(err, a, i, list...)
	}
	return args.Suggest(underVerb(args.Refusal(err), a, "chord", i, isChord), splitWord(a, i, isPitch)...)
}
