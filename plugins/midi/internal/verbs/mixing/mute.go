package mixing

import (
	"bytes"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
)

// A MIDI file has no mark for a muted track that players would obey. All players obey
// the channel's volume, so a muted track is one whose volume (controller 7) is 0 from
// the start. Its former volumes are kept in their places as sequencer-specific events,
// which players ignore, so that they can be restored in this document and in the saved
// file.

// mutedMark is the start of the payload of such an event: the manufacturer's id for
// non-commercial use, and our name. The verb, a blank and the former message follow it;
// the event that marks the track as muted has no message.
var mutedMark = []byte("\x7Dfcp-host ")

const metaSequencer = 0x7F

// readMuted reads such an event: the verb that muted the track and the message that is
// kept. ok is false for any other event.
func readMuted(e *song.Event) (by string, kept []byte, ok bool) {
	rest, ok := bytes.CutPrefix(e.Payload, mutedMark)
	if !ok || !e.IsMeta(metaSequencer) {
		return "", nil, false
	}
	verb, kept, ok := bytes.Cut(rest, []byte(" "))
	by = string(verb)
	ok = ok && (by == "mute" || by == "solo") && (len(kept) == 0 || len(kept) == 3 && isVolume(kept[0], kept[1]) && kept[2] < 0x80)
	return by, kept, ok
}

// mutedPayload makes the payload of such an event.
func mutedPayload(by string, kept ...byte) []byte {
	return slices.Concat(mutedMark, []byte(by+" "), kept)
}

func isVolume(status, a byte) bool { return status&0xF0 == 0xB0 && a == 7 }

var muteVerb = verb{Verb: abi.Verb{
	Category: "Tracks", Syntax: "mute TRACK [on|off]",
	Brief:    "mute TRACK [off]",
	Summary:  "silence a track: volume (CC 7) 0 from the start; off: restores its levels and fades, also in a saved file",
	Examples: []string{"mute Piano", "mute Piano off"},
}, Run: func(c *ctx, a pdk.Args) error {
	off := pdk.Must(switchArg(a))
	t := pdk.Must(args.PlayingTrack(c, a, 0))
	var m mixer
	if off {
		m.restore(t, "mute", "solo")
	} else {
		m.silence(c, t, "mute")
	}
	pdk.Check(m.do(c, "Mute "+c.Model.Name(t)+pdk.If(off, " off", "")))
	c.Changed("Track %s %s", c.Model.Name(t), pdk.If(off, "sounds again, as loud as it was", "is muted"))
	return nil
}}

var soloVerb = verb{Verb: abi.Verb{
	Category: "Tracks", Syntax: "solo TRACK [on|off]",
	Brief:    "solo TRACK [off]",
	Summary:  "silences every other track with notes, as mute does; off: restores those that it silenced, not those muted before",
	Examples: []string{"solo Piano"},
}, Run: func(c *ctx, a pdk.Args) error {
	off := pdk.Must(switchArg(a))
	only := pdk.Must(args.PlayingTrack(c, a, 0))
	var m mixer
	var others []string
	for _, t := range c.Model.Music() {
		if t == only || t.Notes() == 0 {
			continue
		}
		before := m.tracks
		switch {
		case off:
			m.restore(t, "solo")
		case slices.ContainsFunc(channels(c, t), func(n int) bool { return slices.Contains(channels(c, only), n) }):
			c.Warn("%s plays on a channel of %s and still sounds", c.Model.Name(t), c.Model.Name(only))
		default:
			m.silence(c, t, "solo")
		}
		if m.tracks > before {
			others = append(others, c.Model.Name(t))
		}
	}
	if !off {
		m.restore(only, "mute", "solo")
	}
	pdk.Check(m.do(c, "Solo "+c.Model.Name(only)+pdk.If(off, " off", "")))
	if off {
		c.Changed("Track %s not alone: %s", c.Model.Name(only), otherwise(others, "sounds again", "nothing was muted"))
	} else {
		c.Changed("Track %s alone: %s", c.Model.Name(only), otherwise(others, "muted", "no other was to mute"))
	}
	return nil
}}

// otherwise says what is true of tracks, or what else if there are none.
func otherwise(names []string, what, none string) string {
	if len(names) == 0 {
		return none
	}
	return what + ": " + strings.Join(names, ", ")
}

func switchArg(a pdk.Args) (off bool, err error) {
	switch strings.ToLower(a.Text(1)) {
	case "", "on":
		return false, nil
	case "off":
		return true, nil
	}
	return false, args.InsteadAt(pdk.Errorf("%s %q: on or off", a.Verb, a.Text(1)), a, 1, near.Word(a.Text(1), []string{"on", "off"})...)
}

// channels lists those that a track plays on, or will play on.
func channels(c *ctx, t *song.Track) []int {
	sums := t.Sums()
	all := sums.Channels()
	if len(all) == 0 {
		n := t.Channel()
		if n == 0 {
			n, _ = c.Model.FreeChannel()
		}
		all = []int{n}
	}
	return all
}

// mixer collects changes of volume.
type mixer struct {
	set    song.Set
	insert song.Insert
	remove song.Remove
	tracks int
}

// silence removes a track's volumes and sets 0.
func (m *mixer) silence(c *ctx, t *song.Track, by string) {
	if m.relabel(t, by) {
		return
	}
	all := channels(c, t)
	var volumes []*song.Event
	quiet := [17]bool{}
	for e := range t.Events() {
		if isVolume(e.Status, e.A) {
			volumes = append(volumes, e)
			quiet[e.Channel()] = quiet[e.Channel()] || e.Tick == 0
		}
	}
	silent := !slices.ContainsFunc(volumes, func(e *song.Event) bool { return e.B > 0 })
	for _, n := range all {
		silent = silent && quiet[n]
	}
	if silent {
		return
	}
	m.tracks++
	for _, e := range volumes {
		*m.set.Change(e) = song.Content{Status: smf.Meta, A: metaSequencer, Payload: mutedPayload(by, e.Status, e.A, e.B)}
	}
	m.insert.Add(t, smf.Event{Status: smf.Meta, A: metaSequencer, Payload: mutedPayload(by)})
	for _, n := range all {
		m.insert.Add(t, smf.Event{Status: 0xB0 | byte(n-1), A: 7})
	}
	for _, other := range c.Model.Music() {
		if other != t && other.Notes() > 0 {
			for _, n := range channels(c, other) {
				if slices.Contains(all, n) {
					c.Warn("%s plays on the same channel %d: a channel has one volume", c.Model.Name(other), n)
				}
			}
		}
	}
}

// relabel reports whether a track is silenced. If by is "mute", it also changes the
// events of solo to those of mute, so that the end of the solo does not restore the
// volumes.
func (m *mixer) relabel(t *song.Track, by string) (silenced bool) {
	changed := false
	for e := range t.Events() {
		if was, kept, ok := readMuted(e); ok {
			silenced = true
			if was != by && by == "mute" {
				m.set.Change(e).Payload = mutedPayload(by, kept...)
				changed = true
			}
		}
	}
	m.tracks += pdk.If(changed, 1, 0)
	return silenced
}

// fullVolume is the restored volume of a track that another program muted.
const fullVolume = 100

// restore restores the volumes that one of verbs removed. A volume that was set later
// in the same place stays. If mute is turned off and no volume was removed, but all are
// 0, they become fullVolume.
func (m *mixer) restore(t *song.Track, verbs ...string) {
	var kept, zeros []*song.Event
	loud := false
	for e := range t.Events() {
		by, _, ok := readMuted(e)
		switch {
		case ok && slices.Contains(verbs, by):
			kept = append(kept, e)
		case isVolume(e.Status, e.A) && e.B == 0:
			zeros = append(zeros, e)
		case isVolume(e.Status, e.A):
			loud = true
		}
	}
	if len(kept) == 0 {
		if len(verbs) == 2 && !loud && len(zeros) > 0 {
			m.tracks++
			for _, e := range zeros {
				m.set.Change(e).B = fullVolume
			}
		}
		return
	}
	m.tracks++
	for _, e := range zeros {
		if e.Tick == 0 {
			m.remove.Add(e)
		}
	}
	for _, e := range kept {
		_, message, _ := readMuted(e)
		anew := len(message) > 0 && t.Find(e.Tick, func(o *song.Event) bool { return o.Status == message[0] && o.A == 7 && o.B > 0 }) != nil
		if len(message) == 0 || anew {
			m.remove.Add(e)
		} else {
			*m.set.Change(e) = song.Content{Status: message[0], A: message[1], B: message[2]}
		}
	}
}

func (m *mixer) do(c *ctx, text string) error {
	if m.tracks == 0 {
		return pdk.Unchanged("%s: the volumes are unchanged", text)
	}
	args.Do(c, &m.set, text)
	args.Do(c, &m.remove, text)
	args.Do(c, &m.insert, text)
	return nil
}
