package mixing

import (
	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
)

var programVerb = verb{Keys: []pdk.Parameter{args.BankKey, args.ChKey}, Verb: abi.Verb{
	Category: "Tracks", Syntax: "program TRACK INSTRUMENT|0-127 [at:POS] [bank:N] [ch:N]",
	Brief:    "program TRACK INSTRUMENT|0-127 [at: bank:]",
	Summary:  "set the instrument of a track from 1.1 or at: on; replaces a change at the same place; numbers count from 0, as in files",
	Examples: []string{"program Piano vibraphone at:9.1", "program Piano 40"},
}, Run: controlOp(func(c *ctx, a pdk.Args, t *song.Track, channel int) error {
	v := voice{program: -1, bank: args.BankKey.Of(a)}
	v.channel = channel
	if name := a.Text(1); args.IsNumber(name) {
		v.program = pdk.Must(args.Number(a, 1, 0, 127, "program"))
	} else if sound, ok := v.setInstrument(c, name); !ok {
		return args.InsteadAt(unknownInstrument(c, name), a, 1, near.Instrument(c.Model, name)...)
	} else if sound.Drums && channel != theory.DrumChannel {
		return pdk.Errorf("%s is a drum kit: kits play on channel %d, %s on %d", sound.Name, theory.DrumChannel, c.Model.Name(t), channel).TryQuery("tracks")
	} else if !sound.Drums && channel == theory.DrumChannel {
		return notAKit(v)
	}
	at := pdk.Must(args.Position(c, a, "at", t, 0))
	return putProgram(c, t, v, at)
})}

// putProgram sets a voice at a tick and replaces the one there.
func putProgram(c *ctx, t *song.Track, v voice, at int64) error {
	text := "Program " + song.SoundName(v.program, v.channel) + " on " + c.Model.Name(t) + " at " + c.Model.At(t, at)
	set, insert := &song.Set{}, &song.Insert{}
	suffix := args.ChannelSuffix(t, v.channel)
	replaced := false
	for _, m := range v.events(at) {
		old := t.Find(at, func(e *song.Event) bool {
			return e.Status == m.Status && (m.Status&0xF0 == 0xC0 || e.A == m.A)
		})
		switch {
		case old == nil:
			insert.Add(t, m)
		case old.A != m.A || old.B != m.B:
			replaced = replaced || m.Status&0xF0 == 0xC0
			now := set.Change(old)
			now.A, now.B = m.A, m.B
		}
	}
	if len(set.Items)+len(insert.Items) == 0 {
		return pdk.Unchanged("%s is already set", text)
	}
	args.Do(c, set, text)
	args.Do(c, insert, text)
	args.Report(c, !replaced, text+suffix)
	return nil
}
