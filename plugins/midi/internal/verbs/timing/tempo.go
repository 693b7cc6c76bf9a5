package timing

import (
	"bytes"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
)

// MinBPM and maxBPM limit the tempo in beats a minute. Below 3.6 the three bytes of a
// tempo event overflow.
const (
	MinBPM = 4
	MaxBPM = 1000
)

var tempoVerb = verb{Verb: abi.Verb{
	Category: "Timeline", Syntax: "tempo BPM [at:POS] [track:TRACK] | tempo BPM|xF|FROM-TO|xF-xF @range:P-P [step:DUR] [track:TRACK]",
	Brief:    "tempo BPM [at:] | BPM|xF|FROM-TO|x1-x0.5 @range:P-P [step:DUR] · ramps; x keeps own changes",
	Summary:  "quarter notes a minute, 4-1000, from 1.1 or at:; replaces one at the same place; over a range it applies only there, xF is F times the old tempo; x1-x0.5 slows down or speeds up (ritardando, accelerando) and keeps the player's own changes in proportion, up to the end of the range, or the last note if the music ends there; a ramp FROM-TO steps each beat or step: and reaches TO at the end of the range, or with its last step if the music ends there or a tempo is set there, which stays; no note moves",
	Max:      2, // 90 bpm
	Examples: []string{"tempo 120", "tempo 92.5 at:5.1", "tempo 120-140 @range:5.1-8.4", "tempo x0.5 @range:3-4", "tempo x1-x0.5 @range:5-8"},
}, Run: func(c *ctx, a pdk.Args) error {
	a = a.With(pdk.WithJoined(0)) // 90 bpm
	if from, to, ok, err := parseFactors(a.Text(0)); err != nil {
		return args.InsteadAt(err, a, 0, near.Factor(a.Text(0), minFactor, maxFactor)...)
	} else if ok && len(a.Selectors) > 0 {
		return tempoOver(c, a, tempoChange{what: "Tempo " + a.Text(0), ramp: from != to, to: func(bpm, far float64) float64 { return bpm * (from + (to-from)*far) }})
	} else if ok {
		return pdk.Errorf("tempo %s scales the tempo of a range; it needs @range:P-P", a.Text(0))
	}
	from, to, ramp, err := parseTempi(a.Text(0))
	switch {
	case err != nil:
		return args.InsteadAt(err, a, 0, NearTempo(a.Text(0))...)
	case ramp && len(a.Selectors) == 0:
		return pdk.Errorf("a ramp from %s to %s needs @range:P-P", song.PrintBPM(from), song.PrintBPM(to))
	case ramp:
		return tempoRamp(c, a, from, to)
	case len(a.Selectors) > 0:
		return tempoOver(c, a, tempoChange{what: "Tempo " + song.PrintBPM(from), to: func(_, _ float64) float64 { return from }})
	case a.Has("step"):
		return args.Suggest(pdk.Errorf("step: is for ramps"), a.With(pdk.Without("step")))
	}
	payload, _ := song.TempoPayload(from)
	return timeEvent(c, a, song.MetaTempo, payload, "Tempo "+song.PrintBPM(from))
}}

// minFactor and maxFactor limit how a tempo is scaled.
const minFactor, maxFactor = 0.01, 100

// parseFactors reads what a tempo is multiplied by, x0.8 or 80%, or the two factors of a
// ramp, x1-x0.5 or 100%-50%. ok is false if s is a tempo.
func parseFactors(s string) (from, to float64, ok bool, err error) {
	first, second, ramp := strings.Cut(s, "-")
	second = strings.TrimPrefix(second, ">")
	if !isFactor(first) && !isFactor(second) {
		return 0, 0, false, nil
	}
	if !ramp {
		second = first
	}
	read := func(s string) float64 {
		number, percent := strings.CutSuffix(strings.TrimLeft(s, "xX*"), "%")
		f, e := strconv.ParseFloat(number, 64)
		if percent {
			f /= 100
		}
		if e != nil || !(f >= minFactor && f <= maxFactor) {
			err = pdk.Errorf("tempo %q: a factor is a number from x%g to x%d, a ramp of them x1-x0.5", s, minFactor, maxFactor)
		}
		return f
	}
	from, to = read(first), read(second)
	return from, to, true, err
}

func isFactor(s string) bool {
	return s != "" && (strings.ContainsRune("xX*", rune(s[0])) || strings.HasSuffix(s, "%"))
}

// parseTempi reads a tempo, or the two of a ramp. Two that are equal are one tempo.
func parseTempi(s string) (from, to float64, ramp bool, err error) {
	if a, b, ok := strings.Cut(s, "-"); ok && a != "" {
		if from, err = ParseTempo(a); err != nil {
			return 0, 0, false, err
		}
		to, err = ParseTempo(strings.TrimPrefix(b, ">"))
		return from, to, err != nil || from != to, err
	}
	from, err = ParseTempo(s)
	return from, from, false, err
}

// maxTempoSteps limits the steps of a ramp.
const maxTempoSteps = 4096

// tempoRamp sets a tempo at each step of a range and replaces those there. It sets the
// last tempo at the end of the range, but with the last step if no music follows or if
// another tempo is set there, which belongs to what follows and stays.
func tempoRamp(c *ctx, a pdk.Args, from, to float64) error {
	t := pdk.Must(args.HomeTrack(c, a))
	first, last := pdk.Must2(args.RangeOnly(c, a, t))
	step := pdk.Must(args.Length(c, a, "step", "1beat", t, first))
	end := last + 1
	pdk.Check(args.CheckTick(end))
	steps := max(1, (end-first+step-1)/step)
	after, _ := song.TempoPayload(c.Model.Tempo(t).At(end).BPM())
	target, _ := song.TempoPayload(to)
	set := args.FindMeta(c, t, song.MetaTempo, end) != nil
	kept := set && !bytes.Equal(after, target)
	switch {
	case steps > 1 && (kept || !hasMusicFrom(c, t, end)):
		steps--
	case kept:
		step = (end - first + 1) / 2
	}
	if steps > maxTempoSteps {
		return args.Instead(pdk.Errorf("that would be %d tempo changes; at most %d", steps, maxTempoSteps), a, "step", "ticks:"+strconv.FormatInt((end-first)/maxTempoSteps+1, 10))
	}
	gone := &song.Remove{}
	var there []*song.Event
	for _, o := range args.TimelineTracks(c, t) {
		for e := range o.Between(first, end) {
			if e.IsMeta(song.MetaTempo) {
				gone.IDs, there = append(gone.IDs, e.ID), append(there, e)
			}
		}
	}
	x := &song.Insert{}
	var made []smf.Event
	for i := range steps + 1 {
		payload, _ := song.TempoPayload(from + (to-from)*float64(i)/float64(steps))
		if tick := first + i*step; tick < end || !set {
			made = append(made, smf.Event{Tick: min(end, tick), Status: smf.Meta, A: song.MetaTempo, Payload: payload})
			x.Add(t, made[len(made)-1])
		}
	}
	if slices.EqualFunc(there, made, func(o *song.Event, e smf.Event) bool { return o.Tick == e.Tick && bytes.Equal(o.Payload, e.Payload) }) {
		return pdk.Unchanged("the tempo already goes from %s to %s there", song.PrintBPM(from), song.PrintBPM(to))
	}
	text := "Tempo " + song.PrintBPM(from) + "-" + song.PrintBPM(to) + " from " + c.Model.At(t, first) + " to " + c.Model.At(t, end)
	args.Do(c, gone, "Remove the tempo there")
	refs := x.Refs(c.Model)
	pdk.Check(c.Do(x, text, refs...))
	c.Touch(refs...)
	if kept {
		c.Warn("then %s as before; tempo %s at:%s keeps the ramp's last tempo", song.PrintBPM(c.Model.Tempo(t).At(end).BPM()), song.PrintBPM(to), c.Model.At(t, end))
	}
	c.Created("%s: %s", text, pdk.Count(len(x.Items), "step"))
	return nil
}

// tempoChange computes the new tempi of a range.
type tempoChange struct {
	what string
	ramp bool
	to   func(bpm, far float64) float64 // far goes from 0 to 1 over a ramp, else it is 0
}

// tempoOver changes the tempo within a range and restores it after the range.
func tempoOver(c *ctx, a pdk.Args, change tempoChange) error {
	t := pdk.Must(args.HomeTrack(c, a))
	if a.Has("step") && !change.ramp {
		return args.Suggest(pdk.Errorf("step: is for ramps"), a.With(pdk.Without("step")))
	}
	first, last := pdk.Must2(args.RangeOnly(c, a, t))
	end := last + 1
	pdk.Check(args.CheckTick(end))
	reach, step := end, end-first
	if change.ramp {
		step = pdk.Must(args.Length(c, a, "step", "1beat", t, first))
		if (end-first)/step > maxTempoSteps {
			return args.Instead(pdk.Errorf("that would be %d tempo changes; at most %d", (end-first)/step, maxTempoSteps), a, "step", "ticks:"+strconv.FormatInt((end-first)/maxTempoSteps+1, 10))
		}
		reach = lastOnset(c, t, first, end)
	}
	wanted := pdk.Must(newTempi(c, t, first, end, step, func(tick int64, bpm float64) float64 {
		far := 0.0
		if change.ramp {
			far = min(1, float64(tick-first)/float64(reach-first))
		}
		return change.to(bpm, far)
	}))
	gone, set, x := replaceTempi(c, t, first, end, wanted)
	text := change.what + " from " + c.Model.At(t, first) + " to " + c.Model.At(t, reach)
	if len(gone.IDs)+len(set.Items)+len(x.Items) == 0 {
		return pdk.Unchanged("%s is already set", text)
	}
	args.Do(c, gone, text)
	args.Do(c, set, text)
	args.Do(c, x, text)
	if change.ramp {
		now := c.Model.Tempo(t)
		text += ": " + song.PrintBPM(now.At(first).BPM()) + " to " + song.PrintBPM(now.At(reach).BPM()) + ", " + pdk.Count(len(set.Items), "change") + " of the tempo scaled, " + strconv.Itoa(len(x.Items)) + " new"
	}
	if hasMusicFrom(c, t, end) {
		text += ", then " + song.PrintBPM(c.Model.Tempo(t).At(end).BPM()) + " as before"
	} else {
		text += ", where the song ends"
	}
	c.Changed("%s", text)
	return nil
}

// lastOnset returns where a ramp over a range ends: at the end of the range or, if no
// music follows, at the last note that starts in it.
func lastOnset(c *ctx, t *song.Track, first, end int64) int64 {
	if hasMusicFrom(c, t, end) {
		return end
	}
	last := first
	for _, o := range args.TimelineTracks(c, t) {
		for e := range o.EventsFrom(first) {
			if e.IsNote() && e.Tick < end {
				last = max(last, e.Tick)
			}
		}
	}
	if last == first {
		return end
	}
	return last
}

// newTempi applies to to the tempi from one tick to another, and to the tempo on each
// line of a grid of step ticks that has none shortly before it. It returns the new tempi
// by their ticks and, if music follows, the tempo to restore at the end.
func newTempi(c *ctx, t *song.Track, first, end, step int64, to func(tick int64, bpm float64) float64) (map[int64]float64, error) {
	tempi := c.Model.Tempo(t)
	wanted, before := map[int64]float64{}, 0.0
	set := func(tick int64) {
		if bpm := to(tick, tempi.At(tick).BPM()); bpm != before {
			wanted[tick], before = bpm, bpm
		}
	}
	set(first)
	grid, last := first+step, first
	for _, change := range append(slices.Clone(tempi.Changes), song.TempoChange{Tick: end}) {
		if change.Tick <= first || change.Tick > end {
			continue
		}
		for ; grid < change.Tick; grid += step {
			if last <= grid-step/2 {
				set(grid)
			}
		}
		if change.Tick < end {
			set(change.Tick)
			last = change.Tick
		}
	}
	for _, bpm := range wanted {
		if !(bpm >= MinBPM && bpm <= MaxBPM) {
			return nil, pdk.Errorf("that would be a tempo of %s, outside %d to %d", song.PrintBPM(bpm), MinBPM, MaxBPM).TryQuery("tempo")
		}
	}
	if after := tempi.At(end).BPM(); after != before && hasMusicFrom(c, t, end) {
		wanted[end] = after
	}
	return wanted, nil
}

// replaceTempi returns the edits that replace the tempo events from one tick to another
// by the wanted ones.
func replaceTempi(c *ctx, t *song.Track, first, end int64, wanted map[int64]float64) (gone *song.Remove, set *song.Set, x *song.Insert) {
	gone, set, x = &song.Remove{}, &song.Set{}, &song.Insert{}
	for _, o := range args.TimelineTracks(c, t) {
		for e := range o.Between(first, end+1) {
			if !e.IsMeta(song.MetaTempo) {
				continue
			}
			bpm, keep := wanted[e.Tick]
			if !keep {
				if e.Tick < end {
					gone.Add(e)
				}
				continue
			}
			delete(wanted, e.Tick)
			if payload, _ := song.TempoPayload(bpm); !bytes.Equal(payload, e.Payload) {
				set.Change(e).Payload = payload
			}
		}
	}
	if c.Model.Tempo(t).At(first).BPM() == wanted[first] {
		delete(wanted, first)
	}
	for _, tick := range slices.Sorted(maps.Keys(wanted)) {
		payload, _ := song.TempoPayload(wanted[tick])
		x.Add(t, smf.Event{Tick: tick, Status: smf.Meta, A: song.MetaTempo, Payload: payload})
	}
	return gone, set, x
}

// hasMusicFrom reports whether anything on t's timeline sounds after a tick or is set
// there or later.
func hasMusicFrom(c *ctx, t *song.Track, tick int64) bool {
	for _, o := range args.TimelineTracks(c, t) {
		for e := range o.EventsFrom(tick) {
			if e.IsElement() || e.Tick > tick { // what ends at the tick does not sound after it
				return true
			}
		}
	}
	return false
}

// NearTempo returns the tempo nearest to a number without a sign.
func NearTempo(s string) []string {
	if strings.ContainsAny(s, "+-") {
		return nil
	}
	return near.Number(s, MinBPM, MaxBPM)
}

// ParseTempo reads beats a minute.
func ParseTempo(s string) (float64, error) {
	bpm, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.ToLower(s), "bpm")), 64)
	if err != nil || s[0] == '+' || math.IsNaN(bpm) || bpm < MinBPM || bpm > MaxBPM {
		return 0, pdk.Errorf("tempo %q is not a number of beats a minute from %d to %d", s, MinBPM, MaxBPM)
	}
	return bpm, nil
}
