package verbs

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
)

func modifyVerb() verb {
	return verb{Verb: abi.Verb{
		Name: "modify", Category: "Edit",
		Brief:   "modify @SEL… [pitch: vel: dur: at: track: ch: value:] | track NAME [name: instrument: ch: volume: pan:]",
		Syntax:  "modify @SEL… [pitch:P] [vel:±N|xF|N] [dur:DUR] [at:POS] [track:TRACK] [ch:N] [value:0-127] | modify track NAME [name:] [instrument:] [program:] [bank:] [ch:] [volume:] [pan:]",
		Summary: "set properties of notes, controllers (value:) or a track",
		Params: []abi.Param{{Key: "pitch", Value: "PITCH|±N"}, velParam, durParam, atParam, onlyTrack, chParam, {Key: "value", Value: "0-127"},
			{Key: "name", Value: "NAME"}, {Key: "instrument", Value: "NAME"}, {Key: "program", Value: "0-127"}, {Key: "bank", Value: "0-16383|MSB.LSB"},
			{Key: "volume", Value: "0-127"}, {Key: "pan", Value: "0-127"}},
		Select: true, Min: 0, Max: 2,
		Examples: []string{"modify @recent dur:half vel:90", "modify @track:Piano @pitch:C4 pitch:D4", "modify track Piano instrument:vibraphone volume:90"},
	}, Run: func(c *ctx, a pdk.Args) error {
		if strings.EqualFold(a.Text(0), "track") && len(a.Positionals) == 2 {
			t, err := trackArg(c, a, 1, true)
			if err != nil {
				return err
			}
			return modifyTrack(c, a, t, "name", "instrument", "program", "bank", "ch", "volume", "pan")
		}
		if a.Has("track") && len(a.Positionals)+len(a.Selectors) == 0 {
			t, err := trackParam(c, a, "track")
			if err != nil {
				return err
			}
			return modifyTrack(c, a, t, "track", "name", "instrument", "program", "bank", "ch", "volume", "pan")
		}
		if len(a.Positionals) > 0 {
			return modifyNamed(c, a)
		}
		return modifyEvents(c, a)
	}}
}

// modifyNamed refuses words that are neither selectors nor `track NAME`. It suggests a
// track of that name, or the notes of that track.
func modifyNamed(c *ctx, a pdk.Args) error {
	name := strings.Join(a.Texts(0), " ")
	err := pdk.Errorf("modify takes selectors, or `track NAME`; not %q", name)
	if _, e := c.Model.FindTrack(name, true); e != nil || len(a.Selectors) > 0 {
		return err.TryQuery("tracks")
	}
	all := len(a.Positionals)
	return suggest(err, a.With(pdk.WithWords(0, all, "track", name)), a.With(pdk.WithWords(0, all), pdk.WithSelector("track", name)))
}

// checkKeys refuses parameters other than keys, and an op without parameters.
func checkKeys(a pdk.Args, what string, keys ...string) error {
	for _, p := range a.Params {
		known := false
		for _, k := range keys {
			known = known || p.Key == k
		}
		if !known {
			it := "no parameters"
			if len(keys) > 0 {
				it = strings.Join(keys, ": ") + ":"
			}
			return suggest(pdk.Errorf("%s takes no %s:; it takes %s", what, p.Key, it), a.With(pdk.Without(p.Key)))
		}
	}
	return nil
}

func modifyEvents(c *ctx, a pdk.Args) error {
	if err := checkKeys(a, "modify @SEL", "pitch", "vel", "dur", "at", "track", "ch", "value"); err != nil {
		return err
	}
	if len(a.Params) == 0 {
		return pdk.Errorf("modify needs something to change: pitch: vel: dur: at: track: ch: value:")
	}
	found, err := target(c, a, 0)
	if err != nil {
		return err
	}
	var notes []*song.Event
	if a.Has("pitch") || a.Has("vel") || a.Has("dur") {
		if notes, err = notesOnly(found, a); err != nil {
			return err
		}
	}
	was, before := describe(c, found), facts(found)
	var p progress
	if err := modifyContent(c, a, found, notes, &p); err != nil {
		return err
	}
	if err := modifyPlace(c, a, found, &p); err != nil {
		return err
	}
	if err := p.result(); err != nil {
		return err
	}
	c.Touch(refs(found)...)
	n := 0
	for i, now := range facts(found) {
		n += btoi(now != before[i])
	}
	was = outOf(n, len(found), was)
	if len(found) == 1 {
		was += ": now " + describe(c, found)
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

func facts(found []*song.Event) []fact {
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
func modifyContent(c *ctx, a pdk.Args, found, notes []*song.Event, p *progress) error {
	if v, ok := a.Param("pitch"); ok {
		to, err := parsePitchChange(v, notes)
		if err != nil {
			return instead(err, a, "pitch", near.Pitch(v, notes[0].Channel())...)
		}
		if err := p.step(changePitches(c, notes, to, "Pitch "+v)); err != nil {
			return err
		}
	}
	if v, ok := a.Param("vel"); ok {
		change, err := parseLoudness(v)
		if err != nil {
			return instead(err, a, "vel", near.Loudness(v)...)
		}
		_, err = changeVelocities(c, notes, change, "Velocity "+v)
		if err := p.step(err); err != nil {
			return err
		}
	}
	if a.Has("value") {
		if err := p.step(setValues(c, a, found)); err != nil {
			return err
		}
	}
	if a.Has("dur") {
		if err := p.step(setLengths(c, a, notes)); err != nil {
			return err
		}
	}
	if a.Has("ch") && !a.Has("track") {
		return p.step(rechannel(c, a, found))
	}
	return nil
}

// modifyPlace changes the places of events: at:, track:.
func modifyPlace(c *ctx, a pdk.Args, found []*song.Event, p *progress) error {
	if !a.Has("at") && !a.Has("track") {
		return nil
	}
	var to *song.Track
	if a.Has("track") {
		var err error
		if to, err = destination(c, a, found); err != nil {
			return err
		}
	}
	a = a.With(pdk.WithKey("at", "to"))
	delta, err := shift(c, a, found)
	if err != nil {
		return err
	}
	if to == nil {
		a = a.With(pdk.Without("ch"))
	}
	return p.step(relocate(c, a, found, to, delta, "Move"))
}

// parsePitchChange reads a pitch, a drum for drum notes, or ±N semitones.
func parsePitchChange(v string, notes []*song.Event) (func(*song.Event) int, error) {
	if strings.HasPrefix(v, "+") || strings.HasPrefix(v, "-") {
		a := pdk.Args{Op: &abi.Op{Params: []abi.KeyValue{{Key: "pitch", Value: v}}}}
		n, err := a.Int("pitch", 0, -127, 127)
		return func(e *song.Event) int { return e.Pitch() + n }, err
	}
	n, err := pitchArg(v, notes[0].Channel())
	return func(*song.Event) int { return n.note }, err
}

// setValues changes controllers.
func setValues(c *ctx, a pdk.Args, found []*song.Event) error {
	value, err := intArg(a, "value", 0, 0, 127)
	if err != nil {
		return err
	}
	x := &song.Set{}
	for _, e := range found {
		if e.Kind() != song.KindCC {
			return pdk.Errorf("value: is for controllers; %s is not one", e.Kind()).TryQuery(listing(c, a.With(pdk.WithSelector("cc", "")).Selectors))
		}
		if int(e.B) != value {
			x.Change(e).B = byte(value)
		}
	}
	if len(x.Items) == 0 {
		return pdk.Unchanged("every controller already has that value")
	}
	return c.Do(x, "Value "+itoa(value), refs(found)...)
}

// setLengths moves the ends of notes.
func setLengths(c *ctx, a pdk.Args, notes []*song.Event) error {
	x := &song.Move{}
	for _, e := range notes {
		d, err := lengthParam(c, a, "dur", "quarter", e.Track, e.Tick)
		if err != nil {
			return err
		}
		if err := checkTick(e.Tick + d); err != nil {
			return err
		}
		if d != e.Length() {
			x.Add(e.Mate, e.Track, e.Tick+d)
		}
	}
	if len(x.Items) == 0 {
		return pdk.Unchanged("every note already lasts that long")
	}
	return c.Do(x, "Duration "+a.String("dur", ""), refs(notes)...)
}

// rechannel changes the channel of messages in place.
func rechannel(c *ctx, a pdk.Args, found []*song.Event) error {
	channel, err := intArg(a, "ch", 0, 1, 16)
	if err != nil {
		return err
	}
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
	return c.Do(x, "Channel "+itoa(channel), refs(found)...)
}
