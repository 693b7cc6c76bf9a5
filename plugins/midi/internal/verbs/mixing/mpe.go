package mixing

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
)

// Keys of mpe.
var (
	zoneKey   = value.Key[string]{Name: "zone", Type: value.OneOf("lower", "upper"), Default: "lower"}
	voicesKey = value.Key[int]{Name: "voices", Type: value.Int(1, 15)}
	widthKey  = value.Key[int]{Name: "bend", Type: value.Int(1, 96), Default: 48}
)

var mpeVerb = verb{Keys: []pdk.Parameter{zoneKey, voicesKey, widthKey}, Verb: abi.Verb{
	Hidden: true, Category: "Tracks", Syntax: "mpe TRACK [zone:lower|upper] [voices:1-15] [bend:1-96]",
	Brief: "mpe TRACK [zone:lower|upper voices: bend:] · a channel a note",
	Summary: "MIDI polyphonic expression: the track's notes are distributed over member channels, never to one that still sounds, so that `bend`, `pressure` and `cc` with ch: reach each note alone; " +
		"all else goes to the zone's master channel, 1 (lower) or 16 (upper). Without zone: and voices: the zone with the most free channels; bend: (48) is its range in semitones",
	Examples: []string{"mpe Piano", "mpe Piano zone:upper voices:4 bend:24"},
}, Run: runMPE}

// zone is a master channel and its members, from the master on.
type zone struct {
	name    string
	master  int
	members []int
}

// zoneOf returns the zone that a track can use: as many channels from its master on as
// no other track plays on. by names the track on the next channel.
func zoneOf(c *ctx, t *song.Track, name string) (z zone, by string) {
	taken := map[int]string{theory.DrumChannel: "the drums"}
	for _, o := range c.Model.Music() {
		if o != t {
			sums := o.Sums()
			for _, ch := range append(sums.Channels(), o.Channel()) {
				taken[ch] = c.Model.Name(o)
			}
		}
	}
	channel, step := 1, 1
	if name == "upper" {
		channel, step = 16, -1
	}
	z = zone{name: name, master: channel}
	if by = taken[channel]; by != "" {
		return z, by
	}
	for range 15 {
		channel += step
		if by = taken[channel]; by != "" {
			break
		}
		z.members = append(z.members, channel)
	}
	return z, by
}

// zoneArg reads zone: and voices:.
func zoneArg(c *ctx, a pdk.Args, t *song.Track) (zone, error) {
	name := zoneKey.Of(a)
	voices := voicesKey.Of(a)
	z, by := zoneOf(c, t, name)
	if !a.Has("zone") {
		if other, who := zoneOf(c, t, "upper"); len(other.members) > len(z.members) {
			z, by = other, who
		}
	}
	if len(z.members) == 0 {
		return z, pdk.Errorf("an MPE zone has its master on channel 1 or 16 and members beside it, but %s plays there: give it another channel by modify track", by).TryQuery("tracks")
	}
	if voices > len(z.members) {
		return z, args.Instead(pdk.Errorf("the %s zone has room for %s: then comes %s", z.name, pdk.Count(len(z.members), "voice"), by), a, "voices", strconv.Itoa(len(z.members)))
	}
	if voices > 0 {
		z.members = z.members[:voices]
	}
	return z, nil
}

func runMPE(c *ctx, a pdk.Args) error {
	t := pdk.Must(args.PlayingTrack(c, a, 0))
	if c.Model.Format() == 2 {
		return pdk.Errorf("each track of a format 2 file has all channels to itself, which MPE does not support")
	}
	width := widthKey.Of(a)
	if s := t.Sums(); slices.Contains(s.Channels(), theory.DrumChannel) {
		return pdk.Errorf("%s plays drums, which have no pitch to bend", c.Model.Name(t)).TryQuery("tracks")
	}
	z := pdk.Must(zoneArg(c, a, t))
	sums, sent := t.Sums(), args.SentBy(t)
	left := sums.Channels()
	x, notes := z.deal(t)
	if notes == 0 {
		return pdk.Errorf("%s has no notes to deal to channels: write them first", c.Model.Name(t)).TryQuery("tracks")
	}
	set := &song.Insert{}
	parameter := func(channel, number, value int) {
		for _, m := range [][2]int{{101, 0}, {100, number}, {6, value}, {101, 127}, {100, 127}} {
			set.Add(t, smf.Event{Status: 0xB0 | byte(channel-1), A: byte(m[0]), B: byte(m[1])})
		}
	}
	parameter(z.master, 6, len(z.members)) // the MPE configuration message
	program := t.Program()
	for _, channel := range z.members {
		parameter(channel, 0, width)
		if program != nil { // for players that do not know zones
			set.Add(t, smf.Event{Status: 0xC0 | byte(channel-1), A: program.A})
		}
	}
	args.Do(c, x, "Channels of an MPE zone for "+c.Model.Name(t))
	pdk.Check(c.Do(set, "MPE zone "+z.name+" on "+c.Model.Name(t)))
	c.Changed("MPE on %s: %s zone, master ch:%d, %s from ch:%d to ch:%d, bend range %d; %s dealt", c.Model.Name(t), z.name, z.master,
		pdk.Count(len(z.members), "voice"), z.members[0], z.members[len(z.members)-1], width, pdk.Count(notes, "note"))
	args.WarnLeft(c, t, left, sent)
	return nil
}

// deal assigns each note of a track to the member that has been silent longest, and
// everything else to the master.
func (z zone) deal(t *song.Track) (x *song.Set, notes int) {
	x = &song.Set{}
	to := func(e *song.Event, channel int) {
		if e.Channel() != channel {
			x.Change(e).Status = e.Status&0xF0 | byte(channel-1)
		}
	}
	until := map[int]int64{}
	for e := range t.Events() {
		switch {
		case !e.IsChannel() || e.Mate != nil && !e.IsNote():
		case e.IsNote():
			member := slices.MinFunc(z.members, func(p, q int) int { return cmp.Compare(until[p], until[q]) })
			to(e, member)
			to(e.Mate, member)
			until[member] = max(until[member], e.Mate.Tick)
			notes++
		default:
			to(e, z.master)
		}
	}
	return x, notes
}

// Members marks the channels of the zones that a track configures, by number.
func Members(t *song.Track) (out [17]bool) {
	var parameter [17][2]int // the selected registered parameter, by channel
	for e := range t.Events() {
		if e.Kind() != song.KindCC {
			continue
		}
		channel := e.Channel()
		switch e.A {
		case 101:
			parameter[channel][0] = int(e.B)
		case 100:
			parameter[channel][1] = int(e.B)
		case 6: // of parameter 6, it is the MPE configuration message
			step := map[int]int{1: 1, 16: -1}[channel]
			if parameter[channel] != [2]int{0, 6} || step == 0 {
				continue
			}
			for i := range int(min(e.B, 15)) + 1 {
				out[channel+step*i] = e.B > 0
			}
		}
	}
	return out
}
