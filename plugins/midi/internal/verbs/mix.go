package verbs

import (
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// A MIDI file cannot say that a track is muted: players would not know. What
// they all obey is the channel's volume, so a muted track is one whose volumes
// (controller 7) are 0. `mute … off` cannot know what they were, and sets them
// to fullVolume; undo brings back exactly what was.
const fullVolume = 100

func muteVerb() verb {
	return verb{Verb: abi.Verb{
		Name: "mute", Category: "Tracks", Syntax: "mute TRACK [on|off]",
		Brief:   "mute TRACK [on|off]",
		Summary: "sets all of a track's volumes (CC 7) to 0, from the start; off: those that are 0 to 100", Min: 1, Max: 2,
		Examples: []string{"mute Piano", "mute Piano off"},
	}, Run: func(c *ctx, a pdk.Args) error {
		off, err := switchArg(a)
		if err != nil {
			return err
		}
		t, err := playing(c, a, 0)
		if err != nil {
			return err
		}
		var m mixer
		m.fade(c, t, off)
		if err := m.do(c, "Mute "+c.Model.Name(t)+offWord(off)); err != nil {
			return err
		}
		if off {
			c.Changed("Track %s sounds again, at volume %d", c.Model.Name(t), fullVolume)
		} else {
			c.Changed("Track %s is muted: its volume is 0", c.Model.Name(t))
		}
		return nil
	}}
}

func soloVerb() verb {
	return verb{Verb: abi.Verb{
		Name: "solo", Category: "Tracks", Syntax: "solo TRACK [on|off]",
		Brief:   "solo TRACK [on|off]",
		Summary: "mutes every other track with notes, as mute does; off: unmutes them", Min: 1, Max: 2,
		Examples: []string{"solo Piano"},
	}, Run: func(c *ctx, a pdk.Args) error {
		off, err := switchArg(a)
		if err != nil {
			return err
		}
		only, err := playing(c, a, 0)
		if err != nil {
			return err
		}
		var m mixer
		for _, t := range c.Model.Music() {
			if t == only || t.Notes() == 0 {
				continue
			}
			if t.Channel() == only.Channel() {
				c.Warn("%s plays on the same channel %d and sounds on", c.Model.Name(t), t.Channel())
				continue
			}
			m.fade(c, t, off)
		}
		if err := m.do(c, "Solo "+c.Model.Name(only)+offWord(off)); err != nil {
			return err
		}
		if off {
			c.Changed("Unmuted %s beside %s", pdk.Count(m.tracks, "track"), c.Model.Name(only))
		} else {
			c.Changed("Track %s alone: %s muted", c.Model.Name(only), pdk.Count(m.tracks, "track"))
		}
		return nil
	}}
}

func offWord(off bool) string {
	if off {
		return " off"
	}
	return ""
}

func switchArg(a pdk.Args) (off bool, err error) {
	switch strings.ToLower(a.Text(1)) {
	case "", "on":
		return false, nil
	case "off":
		return true, nil
	}
	return false, insteadAt(pdk.Errorf("%s %q: on or off", a.Verb, a.Text(1)), a, 1, near.Word(a.Text(1), []string{"on", "off"})...)
}

// mixer gathers changes of volume.
type mixer struct {
	set    song.Set
	insert song.Insert
	tracks int
}

// fade silences a track, or the other way round.
func (m *mixer) fade(c *ctx, t *song.Track, off bool) {
	channel := t.Channel()
	if channel == 0 {
		channel, _ = c.Model.FreeChannel()
	}
	before := len(m.set.Items) + len(m.insert.Items)
	atStart := false
	for e := range t.Events() {
		if e.Status != 0xB0|byte(channel-1) || e.A != 7 {
			continue
		}
		atStart = atStart || e.Tick == 0
		switch {
		case off && e.B == 0:
			m.set.Change(e).B = fullVolume
		case !off && e.B > 0:
			m.set.Change(e).B = 0
		}
	}
	if !atStart && !off {
		m.insert.Add(t, smf.Event{Status: 0xB0 | byte(channel-1), A: 7})
	}
	if len(m.set.Items)+len(m.insert.Items) == before {
		return
	}
	m.tracks++
	for _, other := range c.Model.Music() {
		if other != t && other.Notes() > 0 && other.Channel() == channel {
			c.Warn("%s plays on the same channel %d: a channel has one volume", c.Model.Name(other), channel)
		}
	}
}

func (m *mixer) do(c *ctx, text string) error {
	if m.tracks == 0 {
		return pdk.Unchanged("%s: the volumes are so already", text)
	}
	if len(m.set.Items) > 0 {
		if err := c.Do(&m.set, text); err != nil {
			return err
		}
	}
	if len(m.insert.Items) > 0 {
		return c.Do(&m.insert, text, m.insert.Refs(c.Model)...)
	}
	return nil
}

func programVerb() verb {
	return verb{Verb: abi.Verb{
		Name: "program", Category: "Tracks", Syntax: "program TRACK INSTRUMENT|0-127 [at:POS] [bank:N] [ch:N]",
		Brief:   "program TRACK INSTRUMENT|0-127 [at: bank: ch:]",
		Summary: "the sound from 1.1 or at: on; replaces one at the same place; numbers count from 0, as files do",
		Params:  []abi.Param{atParam, {Key: "bank", Value: "0-16383"}, chParam}, Min: 2, Max: 2,
		Examples: []string{"program Piano vibraphone at:9.1", "program Piano 40"},
	}, Run: controlOp(func(c *ctx, a pdk.Args, t *song.Track, channel int) error {
		v, err := bankArg(a)
		if err != nil {
			return err
		}
		v.channel = channel
		if name := a.Text(1); isNumber(name) {
			if v.program, err = strconv.Atoi(name); err != nil || v.program < 0 || v.program > 127 {
				return insteadAt(pdk.Errorf("program %q is not a whole number from 0 to 127", name), a, 1, near.Number(name, 0, 127)...)
			}
		} else if sound, ok := v.named(c, name); !ok {
			return insteadOf(noSound(c, name), a, swap{at: 1}, near.Instrument(c.Model, name)...)
		} else if sound.Drums && channel != theory.DrumChannel {
			return pdk.Errorf("%s is a drum kit: kits play on channel %d, %s on %d", sound.Name, theory.DrumChannel, c.Model.Name(t), channel).TryQuery("tracks")
		} else if !sound.Drums && channel == theory.DrumChannel {
			return noKit(v)
		}
		at, err := positionArg(c, a, "at", t, 0)
		if err != nil {
			return err
		}
		return putProgram(c, t, v, at)
	})}
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "+-0123456789") == "" }

// putProgram sets a voice at a tick, in place of one that is there.
func putProgram(c *ctx, t *song.Track, v voice, at int64) error {
	text := "Program " + song.SoundName(v.program, v.channel) + " on " + c.Model.Name(t) + " at " + c.Model.At(t, at)
	set, insert := &song.Set{}, &song.Insert{}
	suffix := elsewhere(t, v.channel)
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
		return pdk.Unchanged("%s is set already", text)
	}
	if len(set.Items) > 0 {
		if err := c.Do(set, text); err != nil {
			return err
		}
	}
	if len(insert.Items) > 0 {
		if err := c.Do(insert, text, insert.Refs(c.Model)...); err != nil {
			return err
		}
	}
	if replaced {
		c.Changed("%s%s", text, suffix)
	} else {
		c.Created("%s%s", text, suffix)
	}
	return nil
}
