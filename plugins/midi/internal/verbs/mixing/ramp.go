package mixing

import (
	"math"
	"slices"
	"strconv"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
)

// curveKey shapes a ramp.
var curveKey = value.Key[string]{Name: "curve", Type: value.OneOf("linear", "exp", "log", "s", "sine"), Default: "linear"}

// steep is the ratio of an exponential ramp's speed at its end to that at its start.
const steep = 32

// curve is the shape of a ramp: it maps progress in time to progress in value, both
// from 0 to 1.
type curve struct {
	name   string
	cycles int64 // cycles of a sine in the range
	way    func(x float64) float64
}

// curveArg reads curve: and every: for a ramp from one tick to another.
func curveArg(c *ctx, a pdk.Args, t *song.Track, first, last int64) (k curve, err error) {
	k.name = curveKey.Of(a)
	if a.Has("every") && k.name != "sine" {
		return k, args.Instead(pdk.Errorf("every: is for curve:sine, which goes there and back"), a, "curve", "sine")
	}
	exp := func(x float64) float64 { return (math.Pow(steep, x) - 1) / (steep - 1) }
	k.way = map[string]func(float64) float64{
		"linear": func(x float64) float64 { return x },
		"exp":    exp,
		"log":    func(x float64) float64 { return 1 - exp(1-x) },
		"s":      func(x float64) float64 { return (1 - math.Cos(math.Pi*x)) / 2 },
	}[k.name]
	if k.name == "sine" {
		every := pdk.Must(args.Length(c, a, "every", "1bar", t, first))
		k.cycles = (last-first)/every + 1
		k.way = func(x float64) float64 {
			return (1 - math.Cos(2*math.Pi*x*float64(last-first)/float64(every))) / 2
		}
	}
	return k, nil
}

// maxRampSteps limits a ramp of the pitch bend, which has 16384 values, to what a MIDI
// cable can carry; maxCycleSteps does the same for a cycle of a sine.
const (
	maxRampSteps  = 256
	maxCycleSteps = 32
)

// ramp sets successive values from the first tick to the last, and replaces those
// there.
func (k *control) ramp(c *ctx, t *song.Track, from, to int, first, last int64, way curve) error {
	steps := int64(max(to-from, from-to))
	steps = max(1, min(steps, maxRampSteps, last-first))
	if way.cycles > 0 {
		steps = min(way.cycles*min(2*steps, maxCycleSteps), last-first)
	}
	if steps > args.MaxCopies {
		return pdk.Errorf("that would be more than %d steps", args.MaxCopies)
	}
	text := k.name + " " + strconv.Itoa(from) + "-" + strconv.Itoa(to) + " on " + c.Model.Name(t) + " from " + c.Model.At(t, first) + " to " + c.Model.At(t, last)
	suffix := args.ChannelSuffix(t, k.channel())
	gone := &song.Remove{}
	var there []*song.Event
	for e := range t.Between(first, last+1) {
		if k.is(e) {
			gone.IDs, there = append(gone.IDs, e.ID), append(there, e)
		}
	}
	x := &song.Insert{}
	var made []smf.Event
	for i := range steps + 1 {
		far := float64(i) / float64(max(1, steps))
		e := k.message(from + int(math.Round(float64(to-from)*way.way(far))))
		e.Tick = first + args.RoundDiv((last-first)*i, max(1, steps))
		if n := len(made); n > 0 && made[n-1].A == e.A && made[n-1].B == e.B {
			continue // the curve is flat there
		}
		made = append(made, e)
		x.Add(t, e)
	}
	if slices.EqualFunc(there, made, func(o *song.Event, e smf.Event) bool { return o.Tick == e.Tick && o.A == e.A && o.B == e.B }) {
		return pdk.Unchanged("%s already goes from %d to %d there", k.name, from, to)
	}
	k.warnRivals(c, t, first, last)
	args.Do(c, gone, "Remove "+k.name+" there")
	refs := x.Refs(c.Model)
	pdk.Check(c.Do(x, text, refs...))
	c.Touch(refs...)
	c.Created("%s: %s%s", text, pdk.Count(len(x.Items), "step"), suffix)
	return nil
}

// warnRivals warns of other tracks that set the control on the same channel between two
// ticks: a synthesizer obeys all of them, one after another.
func (k *control) warnRivals(c *ctx, t *song.Track, first, last int64) {
	if c.Model.Format() == 2 {
		return
	}
	for _, o := range c.Model.Music() {
		if o == t {
			continue
		}
		for e := range o.Between(first, last+1) {
			if k.is(e) {
				c.Warn("%s sets %s of channel %d there, too, first at %s: both are heard, one after the other", c.Model.Name(o), k.name, k.channel(), c.Model.At(o, e.Tick))
				break
			}
		}
	}
}

// inForce returns the value of the control just before a tick, whichever track set it.
func (k *control) inForce(c *ctx, t *song.Track, tick int64) int {
	value, at := k.initial, int64(-1)
	for _, o := range args.TimelineTracks(c, t) {
		for e := range o.Between(0, tick+1) {
			if e.Tick >= at && k.is(e) {
				value, at = k.value(e), e.Tick
			}
		}
	}
	return value
}

func (k *control) channel() int { return int(k.message(k.low).Status&0xF) + 1 }
