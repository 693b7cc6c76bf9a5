package mixing

import (
	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
)

// sustain is the controller of the sustain pedal.
const sustain = 64

var pedalVerb = verb{Keys: []pdk.Parameter{args.ChKey}, Verb: abi.Verb{
	Category: "Tracks", Syntax: "pedal TRACK @range:P-P [every:DUR] [ch:N]",
	Brief:    "pedal TRACK @range:P-P [every:1bar] · down, up, down",
	Summary:  "the sustain pedal (CC 64) goes down at the start of each bar of a range, or every DUR, and up a 32nd before the next; it replaces the pedal that is there",
	Examples: []string{"pedal Piano @range:1-4", "pedal Piano @range:5-8 every:half"},
}, Run: controlOp(func(c *ctx, a pdk.Args, t *song.Track, channel int) error {
	first, last := pdk.Must2(args.RangeOnly(c, a, t))
	k := ccControl(channel, sustain)
	x, gone := &song.Insert{}, &song.Remove{}
	for e := range t.EventsFrom(first) {
		if e.Tick > last+1 || e.Tick == last+1 && e.B > 0 {
			break
		}
		if k.is(e) {
			gone.Add(e)
		}
	}
	up := int64(1)
	if ppq, err := c.Model.PPQ(); err == nil {
		up = max(1, ppq/8)
	}
	times := 0
	for at := first; at <= last; {
		length := pdk.Must(args.Length(c, a, "every", "1bar", t, at))
		end := min(at+length, last+1)
		if m, err := c.Model.Meter(t); err == nil && !a.Has("every") {
			end = min(m.BarEnd(at), last+1) // a range may start inside a bar
		}
		if times++; times > args.MaxCopies {
			return pdk.Errorf("that would be more than %d times", args.MaxCopies)
		}
		x.Add(t, smf.Event{Tick: at, Status: 0xB0 | byte(channel-1), A: sustain, B: 127})
		x.Add(t, smf.Event{Tick: max(at+1, end-up), Status: 0xB0 | byte(channel-1), A: sustain})
		at = end
	}
	args.Do(c, gone, "Remove the pedal there")
	text := "Pedal on " + c.Model.Name(t) + " from " + c.Model.At(t, first) + " to " + c.Model.At(t, last+1)
	suffix := args.ChannelSuffix(t, channel)
	args.Do(c, x, text)
	c.Created("%s: %s%s", text, pdk.Count(times, "time"), suffix)
	return nil
})}
