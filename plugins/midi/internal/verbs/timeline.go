package verbs

import (
	"bytes"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
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
		Brief:   "tempo BPM [at:] | BPM|xF|FROM-TO @range:P-P [step:DUR] · also within a range, or a ramp",
		Summary: "quarter notes a minute, 4-1000, from 1.1 or at:; replaces one at the same place; over a range it holds there alone, xF is F times what there was; a ramp steps each beat or step: and is at TO when the range has ended, or with its last step where the music ends; no note moves",
		Params:  []abi.Param{atParam, onlyTrack, {Key: "step", Value: "DUR"}}, Select: true, Min: 1, Max: 2,
		Examples: []string{"tempo 120", "tempo 92.5 at:5.1", "tempo 120-140 @range:5.1-8.4", "tempo x0.5 @range:3-4"},
	}, Run: func(c *ctx, a pdk.Args) error {
		a = oneWord(a) // 90 bpm
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

// oneWord returns an op with its positionals joined to one by blanks.
func oneWord(a pdk.Args) pdk.Args {
	if len(a.Positionals) < 2 {
		return a
	}
	op := *a.Op
	op.Positionals = []abi.Positional{{Text: strings.Join(a.Texts(0), " ")}}
	return pdk.Args{Op: &op}
}

// parseTempi reads a tempo, or the two of a ramp.
func parseTempi(s string) (from, to float64, ramp bool, err error) {
	if a, b, ok := strings.Cut(s, "-"); ok && a != "" {
		if from, err = ParseTempo(a); err != nil {
			return 0, 0, true, err
		}
		to, err = ParseTempo(strings.TrimPrefix(b, ">"))
		if err == nil && from == to {
			err = pdk.Errorf("tempo %s: a ramp goes from one tempo to another", s)
		}
		return from, to, true, err
	}
	from, err = ParseTempo(s)
	return from, from, false, err
}

// maxTempoSteps limits the steps of a ramp.
const maxTempoSteps = 4096

// tempoRamp sets a tempo at each step of a range, replaces those there, and sets the
// last tempo at the end of the range.
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
	if err := fits(end); err != nil {
		return err
	}
	steps := max(1, (end-first+step-1)/step)
	if steps > 1 && !startsFrom(c, t, end) {
		steps-- // the music ends there: the last step has the target tempo
	}
	if steps > maxTempoSteps {
		return instead(pdk.Errorf("that would be %d tempo changes; at most %d", steps, maxTempoSteps), a, "step", "ticks:"+strconv.FormatInt((end-first)/maxTempoSteps+1, 10))
	}
	gone := &song.Remove{}
	var there []*song.Event
	for _, o := range scope(c, t) {
		for e := range o.EventsFrom(first) {
			if e.Tick > end {
				break
			}
			if e.IsMeta(song.MetaTempo) {
				gone.IDs, there = append(gone.IDs, e.ID), append(there, e)
			}
		}
	}
	x := &song.Insert{}
	same := len(there) == int(steps)+1
	for i := range steps + 1 {
		payload, _ := song.TempoPayload(from + (to-from)*float64(i)/float64(steps))
		tick := min(end, first+i*step)
		same = same && there[i].Tick == tick && bytes.Equal(there[i].Payload, payload)
		x.Add(t, smf.Event{Tick: tick, Status: smf.Meta, A: song.MetaTempo, Payload: payload})
	}
	if same {
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
	if err := fits(end); err != nil {
		return err
	}
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
			return pdk.Errorf("that would be a tempo of %s, outside %d to %d", song.PrintBPM(bpm), minBPM, maxBPM).TryQuery("tempo")
		}
	}
	if after := tempi.At(end).BPM(); after != before && startsFrom(c, t, end) {
		wanted[end] = after
	}
	gone, set, x := &song.Remove{}, &song.Set{}, &song.Insert{}
	for _, o := range scope(c, t) {
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
	if tempi.At(first).BPM() == wanted[first] {
		delete(wanted, first)
	}
	for _, tick := range slices.Sorted(maps.Keys(wanted)) {
		payload, _ := song.TempoPayload(wanted[tick])
		x.Add(t, smf.Event{Tick: tick, Status: smf.Meta, A: song.MetaTempo, Payload: payload})
	}
	text := what + " from " + c.Model.At(t, first) + " to " + c.Model.At(t, end)
	if len(gone.IDs)+len(set.Items)+len(x.Items) == 0 {
		return pdk.Unchanged("%s is set already", text)
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
	if startsFrom(c, t, end) {
		text += ", then " + song.PrintBPM(c.Model.Tempo(t).At(end).BPM()) + " as before"
	}
	c.Changed("%s", text)
	return nil
}

// startsFrom reports whether a note of t's timeline starts at or after a tick.
func startsFrom(c *ctx, t *song.Track, tick int64) bool {
	for _, o := range scope(c, t) {
		for e := range o.EventsFrom(tick) {
			if e.IsNote() {
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

func timeSigVerb() verb {
	return verb{Verb: abi.Verb{
		Name: "time-sig", Category: "Timeline", Syntax: "time-sig N/D [at:POS] [track:TRACK]",
		Brief:   "time-sig N/D [at:]",
		Summary: "time signature from 1.1 or at:, best at the start of a bar; no note moves, bars are counted anew",
		Params:  []abi.Param{atParam, onlyTrack}, Min: 1, Max: 2,
		Examples: []string{"time-sig 3/4", "time-sig 7/8 at:9.1"},
	}, Run: func(c *ctx, a pdk.Args) error {
		a = oneWord(a)
		num, den, err := ParseTimeSig(a.Text(0))
		if err != nil {
			return insteadAt(err, a, 0, near.TimeSig(a.Text(0))...)
		}
		return timeEvent(c, a, song.MetaTimeSig, song.SignaturePayload(num, den), "Time signature "+itoa(num)+"/"+itoa(den))
	}}
}

// ParseTimeSig reads "6/8".
func ParseTimeSig(s string) (num, den int, err error) {
	n, d, ok := strings.Cut(s, "/")
	num, err1 := strconv.Atoi(n)
	den, err2 := strconv.Atoi(d)
	if !ok || err1 != nil || err2 != nil {
		return 0, 0, pdk.Errorf("time signature %q is not two numbers like 3/4", s)
	}
	if num < 1 || num > 64 {
		return 0, 0, pdk.Errorf("time signature %s: a bar has 1 to 64 beats", s)
	}
	if den < 1 || den > 64 || bits.OnesCount(uint(den)) != 1 {
		return 0, 0, pdk.Errorf("time signature %s: the beat is one of 1 2 4 8 16 32 64", s)
	}
	return num, den, nil
}

func keySigVerb() verb {
	return verb{Verb: abi.Verb{
		Name: "key-sig", Category: "Timeline", Syntax: "key-sig KEY [at:POS] [track:TRACK]",
		Brief:   "key-sig C-major|F#-minor|Bb|Am [at:]",
		Summary: "key signature (C-major, F#-minor, Bb, Am) from 1.1 or at:; no note changes",
		Params:  []abi.Param{atParam, onlyTrack}, Min: 1, Max: 2,
		Examples: []string{"key-sig G-major", "key-sig F#-minor at:17.1"},
	}, Run: func(c *ctx, a pdk.Args) error {
		a = oneWord(a)
		key, err := theory.ParseKey(a.Text(0))
		if err != nil {
			return insteadAt(err, a, 0, near.Key(a.Text(0))...)
		}
		return timeEvent(c, a, song.MetaKeySig, song.KeyPayload(key), "Key "+key.String())
	}}
}

// homeTrack returns the track that holds tempo, signatures and markers: track: if
// given, else the first one. In format 2, whose tracks are songs of their own, track:
// is required.
func homeTrack(c *ctx, a pdk.Args) (*song.Track, error) {
	if a.Has("track") {
		return trackParam(c, a, "track")
	}
	if c.Model.Format() == 2 && c.Model.TrackCount() > 1 {
		return nil, pdk.Errorf("in a file of format 2 each track has its own time: say which by track:").TryQuery("tracks")
	}
	return c.Model.Lead(), nil
}

// scope lists the tracks of the timeline that a tempo, signature or marker on t belongs
// to.
func scope(c *ctx, t *song.Track) []*song.Track {
	if c.Model.Format() == 2 {
		return []*song.Track{t}
	}
	return c.Model.Tracks()
}

// findMeta returns an event of a type at a tick, on t before all other tracks that
// share its time.
func findMeta(c *ctx, t *song.Track, typ byte, tick int64) *song.Event {
	match := func(e *song.Event) bool { return e.IsMeta(typ) }
	if e := t.Find(tick, match); e != nil {
		return e
	}
	for _, other := range scope(c, t) {
		if e := other.Find(tick, match); e != nil {
			return e
		}
	}
	return nil
}

// timeEvent adds a tempo or a signature at at: (by default the start), or changes the
// one that is there.
func timeEvent(c *ctx, a pdk.Args, typ byte, payload []byte, what string) error {
	t, err := homeTrack(c, a)
	if err != nil {
		return err
	}
	at, err := positionArg(c, a, "at", t, 0)
	if err != nil {
		return err
	}
	text := what + " at " + c.Model.At(t, at)
	old := findMeta(c, t, typ, at)
	if old != nil && bytes.Equal(old.Payload, payload) {
		return pdk.Unchanged("%s is set already", text)
	}
	if typ == song.MetaTimeSig {
		if m, err := c.Model.Meter(t); err == nil {
			if bar, beat, sub := m.Locate(at); beat > 1 || sub > 0 {
				c.Warn("the signature comes inside bar %d, which ends there; bar %d starts with it", bar, bar+1)
			}
		}
	}
	if old != nil {
		x := &song.Set{}
		x.Change(old).Payload = payload
		if err := c.Do(x, text, old.Ref()); err != nil {
			return err
		}
		c.Changed("%s", text)
		return nil
	}
	x := &song.Insert{}
	x.Add(t, smf.Event{Tick: at, Status: smf.Meta, A: typ, Payload: payload})
	if err := c.Do(x, text, x.Refs(c.Model)...); err != nil {
		return err
	}
	c.Created("%s", text)
	return nil
}

func markerVerb() verb {
	return verb{Verb: abi.Verb{
		Name: "marker", Category: "Timeline", Syntax: "marker NAME [at:POS] [track:TRACK]",
		Brief:   "marker NAME [at: track:]",
		Summary: "a named place, from then on a position: at:marker:NAME",
		Params:  []abi.Param{atParam, onlyTrack}, Min: 1, Max: 1,
		Examples: []string{"marker Verse at:5.1"},
	}, Run: func(c *ctx, a pdk.Args) error {
		name := a.Text(0)
		if strings.TrimSpace(name) == "" {
			return pdk.Errorf("a marker needs a name")
		}
		t, err := homeTrack(c, a)
		if err != nil {
			return err
		}
		at, err := positionArg(c, a, "at", t, 0)
		if err != nil {
			return err
		}
		made := findMeta(c, t, song.MetaMarker, at) == nil
		if err := putMarker(c, t, at, name); err != nil {
			return err
		}
		text := "Marker " + name + " at " + c.Model.At(t, at)
		if made {
			c.Created("%s", text)
		} else {
			c.Changed("%s", text)
		}
		return nil
	}}
}

func titleVerb() verb {
	return verb{Verb: abi.Verb{
		Name: "title", Category: "Timeline", Syntax: "title TEXT", Summary: "the song's title", Min: 1, Max: 1,
		Brief:    "title TEXT",
		Examples: []string{"title \"Blue in Green\""},
	}, Run: func(c *ctx, a pdk.Args) error {
		title := a.Text(0)
		if c.Model.Title() == title {
			return pdk.Unchanged("the title is %s already", pdk.Quote(title))
		}
		t := c.Model.Lead()
		if err := setText(c, t, t.NameEvent(), song.MetaName, 0, title, "Title "+title); err != nil {
			return err
		}
		if !t.Conductor {
			c.Warn("the first track plays, and a file's title is its first track's name: that track is now called %s", c.Model.Name(t))
		}
		c.Changed("Title %s", title)
		return nil
	}}
}
