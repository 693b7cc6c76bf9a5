package mixing

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
)

var trackActions = []string{"add", "remove", "rename", "move", "duplicate", "merge"}

// otherActions maps other words to the actions.
var otherActions = map[string]string{"new": "add", "create": "add", "insert": "add", "make": "add", "delete": "remove", "del": "remove", "name": "rename",
	"copy": "duplicate", "clone": "duplicate", "join": "merge"}

// trackForms lists what each action takes: names, least to most, and keys.
var trackForms = map[string]struct {
	least, most int
	keys        []string
}{
	"add": {1, 1, []string{"instrument", "program", "ch", "bank"}}, "remove": {1, 1, nil}, "rename": {2, 2, nil},
	"move": {1, 1, []string{"to"}}, "duplicate": {1, 2, []string{"ch"}}, "merge": {2, 2, nil},
}

var trackVerb = verb{Keys: []pdk.Parameter{args.ChKey, args.BankKey}, Verb: abi.Verb{
	Category: "Tracks", Syntax: "track add NAME [instrument:NAME] [program:0-127] [ch:1-16] [bank:N] | track remove NAME | track rename NAME NEW | track move NAME to:N | track duplicate NAME [NEW] [ch:1-16] | track merge NAME INTO",
	Brief:   "track add NAME [instrument: ch: bank:] | remove NAME | rename NAME NEW | duplicate NAME [NEW] | merge NAME INTO | move NAME to:N",
	Summary: "tracks; without ch: the first free channel, drum kits on channel 10; a copy comes last, so that numbers stay; merge moves all of NAME to INTO",

	Min: 2,
	Examples: []string{"track add Piano instrument:acoustic-grand-piano", "track add Drums instrument:standard-kit ch:10", "track rename Piano \"Electric Piano\"", "track remove Piano",
		"track move Piano to:1", "track duplicate Piano \"Piano 2\"", "track merge Strings Piano"},
}, Run: func(c *ctx, a pdk.Args) error {
	action := strings.ToLower(a.Text(0))
	form, ok := trackForms[action]
	if !ok {
		e := pdk.Errorf("track %s: the actions are %s", action, strings.Join(trackActions, ", "))
		if means := otherActions[action]; means != "" {
			return args.InsteadAt(e, a, 0, means)
		}
		return args.InsteadAt(e, a, 0, near.Word(action, trackActions)...)
	}
	pdk.Check(args.CheckKeys(a, "track "+action, form.keys...))
	if n := len(a.Positionals) - 1; n < form.least || n > form.most {
		e := pdk.Errorf("track %s takes %s", action, pdk.Count(form.most, "name")).TryQuery("tracks")
		if n < form.least {
			return e
		}
		// A name of several words without quotes.
		joined := a.With(pdk.WithJoined(1))
		if last := a.Text(n); action == "add" && !a.Has("instrument") {
			if _, _, sound := c.Model.FindInstrument(last); sound {
				return args.Suggest(e, a.With(pdk.WithoutWord(n), pdk.WithParam("instrument", last)), joined)
			}
		}
		return args.Suggest(e, joined)
	}
	switch action {
	case "add":
		return addTrack(c, a, a.Text(1))
	case "remove":
		return RemoveTrack(c, a, 1)
	case "move":
		return moveTrack(c, a)
	case "duplicate":
		return duplicateTrack(c, a)
	case "merge":
		return mergeTracks(c, a)
	}
	t := pdk.Must(args.Track(c, a, 1, true))
	return renameTrack(c, t, a.Text(2))
}}

// voice is the sound settings of a track.
type voice struct {
	channel, program, bank int    // bank -1: none
	melodic                string // the instrument's name, if it was named and is no drum kit
}

// programKey is a program of General MIDI.
var programKey = value.Key[int]{Name: "program", Type: value.Int(0, 127), Default: -1}

// voiceArgs reads instrument:, program:, bank: and ch:. Unset fields are -1, an unset
// channel is 0.
func voiceArgs(c *ctx, a pdk.Args) (voice, error) {
	v := voice{program: -1, bank: args.BankKey.Of(a)}
	v.channel = args.ChKey.Of(a)
	var err error
	if v.program, err = args.Read(a, programKey); err != nil {
		if _, _, sound := c.Model.FindInstrument(a.String("program", "")); sound && !args.IsNumber(a.String("program", "")) {
			return v, args.Suggest(err, a.With(pdk.WithKey("program", "instrument")))
		}
		return v, err
	}
	name, ok := a.Param("instrument")
	if !ok {
		return v, nil
	}
	if v.program >= 0 {
		return v, args.Suggest(pdk.Errorf("instrument: and program: both choose the sound; use one"), a.With(pdk.Without("program")))
	}
	sound, ok := v.setInstrument(c, name)
	switch {
	case !ok:
		return v, args.Instead(unknownInstrument(c, name), a, "instrument", near.Instrument(c.Model, name)...)
	case !sound.Drums && v.channel == theory.DrumChannel:
		return v, args.Suggest(notAKit(v), a.With(pdk.Without("ch")))
	case sound.Drums && v.channel == 0:
		v.channel = theory.DrumChannel
	case sound.Drums && v.channel != theory.DrumChannel:
		return v, args.Instead(pdk.Errorf("%s is a drum kit: kits play on channel %d", sound.Name, theory.DrumChannel), a, "ch", strconv.Itoa(theory.DrumChannel))
	}
	return v, nil
}

// setInstrument sets the voice to the instrument of a name. ok is false if there is
// none.
func (v *voice) setInstrument(c *ctx, name string) (sound theory.Sound, ok bool) {
	if sound, _, ok = c.Model.FindInstrument(name); !ok {
		return sound, false
	}
	if sound.Guessed {
		c.Warn("instrument %q is taken as %s (program %d)", name, sound.Name, sound.Program)
	}
	v.program = sound.Program
	if v.bank < 0 && sound.Bank > 0 {
		v.bank = sound.Bank
	}
	if !sound.Drums {
		v.melodic = sound.Name
	}
	return sound, true
}

// unknownInstrument returns the error for an unknown instrument name.
func unknownInstrument(c *ctx, name string) *pdk.Error {
	e := pdk.Errorf("unknown instrument %q", name)
	_, part, _ := c.Model.FindInstrument(name)
	if len(part) > 0 {
		e.Message += "; it is part of " + strings.Join(part, ", ")
		return e.TryQuery("instruments " + pdk.Quote(name))
	}
	if list := near.Instrument(c.Model, name); len(list) > 0 {
		e.Message += "; nearest: " + list[0]
	}
	return e.TryQuery("instruments")
}

// notAKit returns the error for an instrument on the drum channel, where its program
// would select a drum kit.
func notAKit(v voice) error {
	return pdk.Errorf("%s is not a drum kit: on channel %d it would be %s", v.melodic, theory.DrumChannel, song.SoundName(v.program, theory.DrumChannel)).TryQuery("instruments kits")
}

// events returns the messages that set the voice at a tick.
func (v voice) events(tick int64) []smf.Event {
	c := byte(v.channel - 1)
	var out []smf.Event
	if v.bank >= 0 {
		out = append(out, smf.Event{Tick: tick, Status: 0xB0 | c, A: 0, B: byte(v.bank >> 7)},
			smf.Event{Tick: tick, Status: 0xB0 | c, A: 32, B: byte(v.bank & 0x7F)})
	}
	return append(out, smf.Event{Tick: tick, Status: 0xC0 | c, A: byte(v.program)})
}

// CheckNameFree refuses a track name that is taken or ambiguous.
func CheckNameFree(c *ctx, name string, self *song.Track) error {
	if strings.TrimSpace(name) == "" {
		return pdk.Errorf("a track needs a name")
	}
	hits, _ := c.Model.Names().Find(name, true)
	for _, t := range hits {
		if t != self {
			return pdk.Errorf("there is already a track %s", c.Model.Names().Name(t)).TryQuery("describe " + c.Model.Names().Name(t))
		}
	}
	return nil
}

func addTrack(c *ctx, a pdk.Args, name string) error {
	pdk.Check(CheckNameFree(c, name, nil))
	v := pdk.Must(voiceArgs(c, a))
	if v.program < 0 && v.channel == 0 {
		// A name such as "Drums" implies the sound.
		if sound, _, ok := theory.FindInstrument(name); ok && sound.Drums {
			v.channel, v.program = theory.DrumChannel, sound.Program
		}
	}
	if v.program < 0 {
		v.program = 0
	}
	if v.channel == 0 {
		free := false
		if v.channel, free = c.Model.FreeChannel(); !free {
			c.Warn("all channels are taken: %s shares channel %d", name, v.channel)
		}
	}
	pdk.Check(EnsureRoomForTrack(c))
	x := &song.AddTrack{At: c.Model.TrackCount(), Events: append([]smf.Event{{Status: smf.Meta, A: song.MetaName, Payload: []byte(name)}}, v.events(0)...)}
	pdk.Check(c.Do(x, "Track "+name))
	c.Created("Track %s ch:%d %s", name, v.channel, song.SoundName(v.program, v.channel))
	return nil
}

// RemoveTrack removes the track that positional i names.
func RemoveTrack(c *ctx, a pdk.Args, i int) error {
	t := pdk.Must(args.Track(c, a, i, true))
	label, notes, music := c.Model.Name(t), t.Notes(), c.Model.Music()
	if t.Conductor {
		return pdk.Errorf("the conductor track holds tempo and signatures and cannot be removed").TryQuery("tracks")
	}
	if c.Model.TrackCount() == 1 {
		return pdk.Errorf("%s is the only track, and a file needs one; remove @track: removes what is on it", label).TryQuery("describe " + c.Model.Names().Name(t))
	}
	what := pdk.Count(notes, "note")
	others := slices.DeleteFunc(args.SentEvents(t), func(e *song.Event) bool { return e.Kind() == song.KindProgram })
	if notes == 0 && len(others) > 0 {
		what += ", " + args.DescribeKinds(others)
	}
	sent := args.SentBy(t)
	pdk.Check(c.Do(&song.DropTrack{ID: t.ID}, "Remove track "+label))
	warnRenumbered(c, music, nil)
	c.Deleted("Track %s with %s", label, what)
	args.WarnUnreached(c, t, label, sent)
	return nil
}

func renameTrack(c *ctx, t *song.Track, to string) error {
	if t.Conductor {
		return pdk.Errorf("the conductor track is named by the song's title").Tryf("title %s", pdk.Quote(to))
	}
	pdk.Check(CheckNameFree(c, to, t))
	label := c.Model.Name(t)
	if label == to {
		return pdk.Unchanged("the track is already called %s", pdk.Quote(to))
	}
	SetText(c, t, t.NameEvent(), song.MetaName, 0, to, "Rename "+label+" to "+to)
	c.Changed("Track %s is now %s", label, to)
	return nil
}

// SetText changes a text event, or makes one if e is nil.
func SetText(c *ctx, t *song.Track, e *song.Event, typ byte, tick int64, text, summary string) {
	args.Put(c, t, e, smf.Event{Tick: tick, Status: smf.Meta, A: typ, Payload: []byte(text)}, summary)
}
