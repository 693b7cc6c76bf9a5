package verbs

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
)

// minBPM and maxBPM limit the tempo in beats a minute. Below 3.6 the three bytes of a
// tempo event overflow.
const (
	minBPM = 4
	maxBPM = 1000
)

func tempoVerb() verb {
	return verb{Verb: abi.Verb{
		Name: "tempo", Category: "Timeline", Syntax: "tempo BPM [at:POS] [track:TRACK] | tempo BPM|xF|FROM-TO @range:P-P [step:DUR] [track:TRACK]",
		Brief:   "tempo BPM [at:] | BPM|xF|FROM-TO @range:P-P [step:DUR] · a ramp",
		Summary: "quarter notes a minute, 4-1000, from 1.1 or at:; replaces one at the same place; over a range it applies only there, xF is F times the old tempo; a ramp steps each beat or step: and reaches TO at the end of the range, or with its last step if the music ends there or a tempo is set there, which stays; no note moves",
		Params:  []abi.Param{atParam, onlyTrack, {Key: "step", Value: "DUR"}}, Select: true, Min: 1, Max: 2,
		Examples: []string{"tempo 120", "tempo 92.5 at:5.1", "tempo 120-140 @range:5.1-8.4", "tempo x0.5 @range:3-4"},
	}, Run: func(c *ctx, a pdk.Args) error {
		a = joinWords(a) // 90 bpm
		if v := a.Text(0); len(a.Selectors) > 0 && v != "" && strings.ContainsRune("xX*", rune(v[0])) {
			f, err := strconv.ParseFloat(v[1:], 64)
			if err != nil || !(f >= 0.01 && f <= 100) {
				return insteadAt(pdk.Errorf("tempo %q: a factor is a number from x0.01 to x100", v), a, 0, near.Factor(v, 0.01, 100)...)
			}
			return tempoOver(c, a, func(bpm float64) float64 { return bpm * f }, "Tempo "+v)
		}
		from, to, ramp, err := parseTempi(a.Text(0))
		switch {
		case err != nil:
			return insteadAt(err, a, 0, near.Tempo(a.Text(0), minBPM, maxBPM)...)
		case ramp && len(a.Selectors) == 0:
			return pdk.Errorf("a ramp from %s to %s needs @range:P-P", song.PrintBPM(from), song.PrintBPM(to))
		case ramp:
			return tempoRamp(c, a, from, to)
		case len(a.Selectors) > 0:
			return tempoOver(c, a, func(float64) float64 { return from }, "Tempo "+song.PrintBPM(from))
		case a.Has("step"):
			return withoutKey(pdk.Errorf("step: is for ramps"), a, "step")
		}
		payload, _ := song.TempoPayload(from)
		return timeEvent(c, a, song.MetaTempo, payload, "Tempo "+song.PrintBPM(from))
	}}
}

// parseTempi reads a tempo, or the two of a ramp. Two that are equal are one tempo.
func parseTempi(s string) (from, to float64, ramp bool, err error) {
	if a, b, ok := strings.Cut(s, "-"); ok && a != "" {
		if from, err = ParseTempo(a); err != nil {
			return 0, 0, true, err
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
	t, err := homeTrack(c, a)
	if err != nil {
		return err
	}
	first, last, err := rangeOnly(c, a, t)
	if err != nil {
		return err
	}
	step, err := lengthParam(c, a, "step", "1beat", t, first)
	if err != nil {
		return err
	}
	end := last + 1
	if err := checkTick(end); err != nil {
		return err
	}
	steps := max(1, (end-first+step-1)/step)
	after, _ := song.TempoPayload(c.Model.Tempo(t).At(end).BPM())
	target, _ := song.TempoPayload(to)
	set := findMeta(c, t, song.MetaTempo, end) != nil
	kept := set && !bytes.Equal(after, target)
	switch {
	case steps > 1 && (kept || !hasMusicFrom(c, t, end)):
		steps--
	case kept:
		step = (end - first + 1) / 2
	}
	if steps > maxTempoSteps {
		return instead(pdk.Errorf("that would be %d tempo changes; at most %d", steps, maxTempoSteps), a, "step", "ticks:"+strconv.FormatInt((end-first)/maxTempoSteps+1, 10))
	}
	gone := &song.Remove{}
	var there []*song.Event
	for _, o := range timelineTracks(c, t) {
		for e := range o.EventsFrom(first) {
			if e.Tick >= end {
				break
			}
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
	if len(gone.IDs) > 0 {
		if err := c.Do(gone, "Remove the tempo there"); err != nil {
			return err
		}
	}
	refs := x.Refs(c.Model)
	if err := c.Do(x, text, refs...); err != nil {
		return err
	}
	c.Touch(refs...)
	if kept {
		c.Warn("then %s as before; tempo %s at:%s keeps the ramp's last tempo", song.PrintBPM(c.Model.Tempo(t).At(end).BPM()), song.PrintBPM(to), c.Model.At(t, end))
	}
	c.Created("%s: %s", text, pdk.Count(len(x.Items), "step"))
	return nil
}

// tempoOver changes the tempo within a range and restores it after the range.
func tempoOver(c *ctx, a pdk.Args, to func(bpm float64) float64, what string) error {
	t, err := homeTrack(c, a)
	if err != nil {
		return err
	}
	if a.Has("step") {
		return withoutKey(pdk.Errorf("step: is for ramps"), a, "step")
	}
	first, last, err := rangeOnly(c, a, t)
	if err != nil {
		return err
	}
	end := last + 1
	if err := checkTick(end); err != nil {
		return err
	}
	wanted, err := newTempi(c, t, first, end, to)
	if err != nil {
		return err
	}
	gone, set, x := replaceTempi(c, t, first, end, wanted)
	text := what + " from " + c.Model.At(t, first) + " to " + c.Model.At(t, end)
	if len(gone.IDs)+len(set.Items)+len(x.Items) == 0 {
		return pdk.Unchanged("%s is already set", text)
	}
	if len(gone.IDs) > 0 {
		if err := c.Do(gone, text); err != nil {
			return err
		}
	}
	if len(set.Items) > 0 {
		if err := c.Do(set, text); err != nil {
			return err
		}
	}
	if len(x.Items) > 0 {
		if err := c.Do(x, text, x.Refs(c.Model)...); err != nil {
			return err
		}
	}
	if hasMusicFrom(c, t, end) {
		text += ", then " + song.PrintBPM(c.Model.Tempo(t).At(end).BPM()) + " as before"
	} else {
		text += ", and on: nothing follows"
	}
	c.Changed("%s", text)
	return nil
}

// newTempi applies to to the tempi from one tick to another. It returns the new tempi
// by their ticks and, if music follows, the tempo to restore at the end.
func newTempi(c *ctx, t *song.Track, first, end int64, to func(bpm float64) float64) (map[int64]float64, error) {
	tempi := c.Model.Tempo(t)
	wanted := map[int64]float64{first: to(tempi.At(first).BPM())}
	before := wanted[first]
	for _, change := range tempi.Changes {
		if change.Tick > first && change.Tick < end {
			if bpm := to(change.BPM()); bpm != before {
				wanted[change.Tick], before = bpm, bpm
			}
		}
	}
	for _, bpm := range wanted {
		if !(bpm >= minBPM && bpm <= maxBPM) {
			return nil, pdk.Errorf("that would be a tempo of %s, outside %d to %d", song.PrintBPM(bpm), minBPM, maxBPM).TryQuery("tempo")
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
	for _, o := range timelineTracks(c, t) {
		for e := range o.EventsFrom(first) {
			if e.Tick > end {
				break
			}
			if !e.IsMeta(song.MetaTempo) {
				continue
			}
			bpm, keep := wanted[e.Tick]
			if !keep {
				if e.Tick < end {
					gone.IDs = append(gone.IDs, e.ID)
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
	for _, o := range timelineTracks(c, t) {
		for e := range o.EventsFrom(tick) {
			if e.IsElement() || e.Tick > tick { // what ends at the tick does not sound after it
				return true
			}
		}
	}
	return false
}

// ParseTempo reads beats a minute.
func ParseTempo(s string) (float64, error) {
	bpm, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.ToLower(s), "bpm")), 64)
	if err != nil || s[0] == '+' || math.IsNaN(bpm) || bpm < minBPM || bpm > maxBPM {
		return 0, pdk.Errorf("tempo %q is not a number of beats a minute from %d to %d", s, minBPM, maxBPM)
	}
	return bpm, nil
}
