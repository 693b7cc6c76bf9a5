package editing

import (
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/mixing"
)

// valueKey is the new value of a controller.
var valueKey = value.Key[int]{Name: "value", Type: value.Int(0, 127)}

var modifyVerb = verb{Keys: []pdk.Parameter{args.ChKey, valueKey, args.BankKey}, Verb: abi.Verb{
	Category: "Edit",
	Brief:    "modify @SEL… [pitch: vel: dur: at: track: ch: value:] | track NAME [name: instrument: ch: volume: pan:]",
	Syntax:   "modify @SEL… [pitch:P|±N] [vel:±N|xF|V] [dur:DUR] [at:POS] [track:TRACK] [ch:N] [value:0-127] | modify track NAME [name:NAME] [instrument:NAME] [program:0-127] [bank:N] [ch:N] [volume:0-127] [pan:0-127]",
	Summary:  "set properties of notes, controllers (value:) or a track",

	Examples: []string{"modify @recent dur:half vel:90", "modify @track:Piano @pitch:C4 pitch:D4", "modify track Piano instrument:vibraphone volume:90"},
}, Run: func(c *ctx, a pdk.Args) error {
	if strings.EqualFold(a.Text(0), "track") && len(a.Positionals) == 2 {
		t := pdk.Must(args.Track(c, a, 1, true))
		return mixing.ModifyTrack(c, a, t, "name", "instrument", "program", "bank", "ch", "volume", "pan")
	}
	if a.Has("track") && len(a.Positionals)+len(a.Selectors) == 0 {
		t := pdk.Must(args.TrackOf(c, a, "track"))
		return mixing.ModifyTrack(c, a, t, "track", "name", "instrument", "program", "bank", "ch", "volume", "pan")
	}
	if len(a.Positionals) > 0 {
		return modifyNamed(c, a)
	}
	return modifyEvents(c, a)
}}

// modifyNamed refuses words that are neither selectors nor `track NAME`. It suggests a
// track of that name, or the notes of that track.
func modifyNamed(c *ctx, a pdk.Args) error {
	name := strings.Join(a.Texts(0), " ")
	err := pdk.Errorf("modify takes selectors, or `track NAME`; not %q", name)
	if _, e := c.Model.FindTrack(name, true); e != nil || len(a.Selectors) > 0 {
		return err.TryQuery("tracks")
	}
	all := len(a.Positionals)
	return args.Suggest(err, a.With(pdk.WithWords(0, all, "track", name)), a.With(pdk.WithWords(0, all), pdk.WithSelector("track", name)))
}

func modifyEvents(c *ctx, a pdk.Args) error {
	pdk.Check(args.CheckKeys(a, "modify @SEL", "pitch", "vel", "dur", "at", "track", "ch", "value"))
	if len(a.Params) == 0 {
		return pdk.Errorf("modify needs something to change: pitch: vel: dur: at: track: ch: value:")
	}
	found := pdk.Must(args.Target(c, a, 0))
	var notes []*song.Event
	if a.Has("pitch") || a.Has("vel") || a.Has("dur") {
		notes = pdk.Must(args.NotesOnly(found, a))
	}
	was, before := args.Describe(c, found), factsOf(found)
	var p args.Progress
	pdk.Check(modifyContent(c, a, found, notes, &p))
	pdk.Check(modifyPlace(c, a, found, &p))
	pdk.Check(p.Result())
	c.Touch(args.Refs(found)...)
	n := 0
	for i, now := range factsOf(found) {
		n += pdk.If(now != before[i], 1, 0)
	}
	was = countOutOf(n, len(found), was)
	if len(found) == 1 {
		was += ": now " + args.Describe(c, found)
	}
	c.Changed("Modified %s", was)
	return nil
}

// fact holds everything about an event that modify may change.
type fact struct {
	track        *song.Track
	tick, length int64
	status, a, b byte
}

func factsOf(found []*song.Event) []fact {
	out := make([]fact, len(found))
	for i, e := range found {
		out[i] = fact{e.Track, e.Tick, 0, e.Status, e.A, e.B}
		if e.Mate != nil {
			out[i].length = e.Mate.Tick - e.Tick
		}
	}
	return out
}

// modifyContent changes the content of events: pitch:, vel:, value:, dur:, ch:.
func modifyContent(c *ctx, a pdk.Args, found, notes []*song.Event, p *args.Progress) error {
	if v, ok := a.Param("pitch"); ok {
		to, err := parsePitchChange(v, notes)
		if err != nil {
			return args.Instead(err, a, "pitch", near.Pitch(v, notes[0].Channel())...)
		}
		pdk.Check(p.Step(changePitches(c, notes, to, "Pitch "+v)))
	}
	if v, ok := a.Param("vel"); ok {
		change, err := parseLoudness(v)
		if err != nil {
			return args.Instead(err, a, "vel", near.Loudness(v)...)
		}
		_, err = changeVelocities(c, notes, change, "Velocity "+v)
		pdk.Check(p.Step(err))
	}
	if a.Has("value") {
		pdk.Check(p.Step(setValues(c, a, found)))
	}
	if a.Has("dur") {
		pdk.Check(p.Step(setLengths(c, a, notes)))
	}
	if a.Has("ch") && !a.Has("track") {
		return p.Step(rechannel(c, a, found))
	}
	return nil
}

// modifyPlace changes the places of events: at:, track:.
func modifyPlace(c *ctx, a pdk.Args, found []*song.Event, p *args.Progress) error {
	if !a.Has("at") && !a.Has("track") {
		return nil
	}
	var to *song.Track
	if a.Has("track") {
		to = pdk.Must(destination(c, a, found))
	}
	a = a.With(pdk.WithKey("at", "to"))
	delta := pdk.Must(readShift(c, a, found))
	if to == nil {
		a = a.With(pdk.Without("ch"))
	}
	return p.Step(relocate(c, a, found, to, delta, "Move"))
}

// parsePitchChange reads a pitch, a drum for drum notes, or ±N semitones.
func parsePitchChange(v string, notes []*song.Event) (func(*song.Event) int, error) {
	if strings.HasPrefix(v, "+") || strings.HasPrefix(v, "-") {
		a := pdk.Args{Op: &abi.Op{Params: []abi.KeyValue{{Key: "pitch", Value: v}}}}
		n, err := a.Int("pitch", 0, -127, 127)
		return func(e *song.Event) int { return e.Pitch() + n }, err
	}
	n, err := args.Pitch(v, notes[0].Channel())
	return func(*song.Event) int { return n.Note }, err
}

// setValues changes controllers.
func setValues(c *ctx, a pdk.Args, found []*song.Event) error {
	value := valueKey.Of(a)
	x := &song.Set{}
	for _, e := range found {
		if e.Kind() != song.KindCC {
			return pdk.Errorf("value: is for controllers; %s is not one", e.Kind()).TryQuery(args.Listing(c, a.With(pdk.WithSelector("cc", "")).Selectors))
		}
		if int(e.B) != value {
			x.Change(e).B = byte(value)
		}
	}
	if len(x.Items) == 0 {
		return pdk.Unchanged("every controller already has that value")
	}
	return c.Do(x, "Value "+strconv.Itoa(value), args.Refs(found)...)
}

// setLengths moves the ends of notes.
func setLengths(c *ctx, a pdk.Args, notes []*song.Event) error {
	x := &song.Move{}
	for _, e := range notes {
		d := pdk.Must(args.Length(c, a, "dur", "quarter", e.Track, e.Tick))
		pdk.Check(args.CheckTick(e.Tick + d))
		if d != e.Length() {
			x.Add(e.Mate, e.Track, e.Tick+d)
		}
	}
	if len(x.Items) == 0 {
		return pdk.Unchanged("every note already lasts that long")
	}
	return c.Do(x, "Duration "+a.String("dur", ""), args.Refs(notes)...)
}

// rechannel changes the channel of messages in place.
func rechannel(c *ctx, a pdk.Args, found []*song.Event) error {
	channel := args.ChKey.Of(a)
	x := &song.Set{}
	for _, e := range found {
		for _, half := range []*song.Event{e, e.Mate} {
			if half != nil && half.IsChannel() && half.Channel() != channel {
				x.Change(half).Status = half.Status&0xF0 | byte(channel-1)
			}
		}
	}
	if len(x.Items) == 0 {
		return pdk.Unchanged("nothing there is on another channel than %d", channel)
	}
	return c.Do(x, "Channel "+strconv.Itoa(channel), args.Refs(found)...)
}
