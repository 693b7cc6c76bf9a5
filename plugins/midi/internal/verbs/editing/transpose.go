package editing

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
)

// warnKeys warns about key signatures that no longer fit, because all pitched notes in
// their time were transposed.
func warnKeys(c *ctx, notes []*song.Event) {
	t := notes[0].Track
	named := pdk.Set(notes)
	keys := c.Model.Keys(t)
	var left []string
	for i, k := range keys {
		end := int64(smf.MaxTick)
		if i+1 < len(keys) {
			end = keys[i+1].Tick
		}
		moved, stays := false, false
		for _, o := range args.TimelineTracks(c, t) {
			for e := range o.Between(k.Tick, end) {
				if e.IsNote() && e.Channel() != theory.DrumChannel {
					moved = moved || named[e]
					stays = stays || !named[e]
				}
			}
		}
		if moved && !stays {
			left = append(left, k.Key.String()+" at "+c.Model.At(t, k.Tick))
		}
	}
	switch {
	case len(left) == 1:
		c.Warn("the key signature %s stays; key-sig sets another", left[0])
	case len(left) > 1:
		c.Warn("the key signatures %s stay; key-sig sets others", song.Brief(strings.Join(left, ", "), 200))
	}
}

var transposeVerb = verb{Verb: abi.Verb{
	Category: "Edit", Syntax: "transpose ±N @SEL… [in:KEY|SCALE]",
	Brief:    "transpose ±N @SEL… [in:KEY|SCALE] · semitones, or steps of in:",
	Summary:  "by semitones, or with in: by steps of a key or scale (+2 is a third up); drums stay unless a selector names them, their track, channel or pitch",
	Examples: []string{"transpose +5 @track:Piano", "transpose -12 @track:Bass @range:9-16", "transpose +2 @track:Piano in:C-major", "transpose -1 @range:5-8 in:D-dorian"},
}, Run: func(c *ctx, a pdk.Args) error {
	n, err := strconv.Atoi(a.Text(0))
	if err != nil || n < -127 || n > 127 {
		what := "semitones"
		if a.Has("in") {
			what = "steps of the scale"
		}
		return args.InsteadAt(pdk.Errorf("transpose %q: give %s from -127 to 127", a.Text(0), what), a, 0, near.Signed(a.Text(0), 127)...)
	}
	to, by := func(e *song.Event) int { return e.Pitch() + n }, ""
	if v, ok := a.Param("in"); ok {
		scale, err := theory.ParseScale(v)
		if err != nil {
			return args.Instead(err, a, "in", near.Scale(v)...)
		}
		to = func(e *song.Event) int { return scale.Move(e.Pitch(), n) }
		by = " in " + scale.String()
	}
	notes := pdk.Must(targetNotes(c, a, 1))
	notes = pdk.Must(withoutDrums(c, a, notes))
	if err := changePitches(c, notes, to, "Transpose by "+strconv.Itoa(n)+by); pdk.IsUnchanged(err) {
		return err
	} else if err != nil {
		return args.InsteadAt(err, a, 0, closestTransposition(notes, n, a.Has("in"))...)
	}
	c.Changed("Transposed %s by %+d%s", args.Describe(c, notes), n, by)
	if !a.Has("in") && n%12 != 0 {
		warnKeys(c, notes)
	}
	return nil
}}

// closestTransposition returns the transposition closest to n semitones that keeps the
// notes in MIDI's range, in octaves if n is in octaves. It returns nil for steps of a
// scale.
func closestTransposition(notes []*song.Event, n int, steps bool) []string {
	low, high := 127, 0
	for _, e := range notes {
		low, high = min(low, e.Pitch()), max(high, e.Pitch())
	}
	most := 127 - high
	if n < 0 {
		most = -low
	}
	if n%12 == 0 {
		most -= most % 12
	}
	if most == 0 || steps {
		return nil
	}
	return []string{fmt.Sprintf("%+d", most)}
}

// withoutDrums removes drum notes that the client did not ask for.
func withoutDrums(c *ctx, a pdk.Args, notes []*song.Event) ([]*song.Event, error) {
	for _, s := range a.Selectors {
		if !s.Negated && (s.Type == "track" || s.Type == "channel" && !strings.Contains(s.Value, "-") || s.Type == "pitch" || s.Type == "drums") {
			return notes, nil
		}
	}
	out := args.PitchedNotes(notes)
	if left := len(notes) - len(out); left > 0 {
		if len(out) == 0 {
			return nil, args.Suggest(pdk.Errorf("all of these are drums: to give them other sounds, name their channel"), a.With(pdk.WithSelector("channel", strconv.Itoa(theory.DrumChannel))))
		}
		c.Warn("left out: %s on channel 10; @channel:10 means them", pdk.Count(left, "drum note"))
	}
	return out, nil
}

// changePitches gives notes new pitches, either all of them or, with an error, none.
func changePitches(c *ctx, notes []*song.Event, to func(*song.Event) int, summary string) error {
	x := &song.Set{Items: make([]song.Change, 0, 2*len(notes))}
	outside := 0
	for _, e := range notes {
		p := to(e)
		if p < 0 || p > 127 {
			outside++
			continue
		}
		if p == e.Pitch() {
			continue
		}
		x.Change(e).A = byte(p)
		x.Change(e.Mate).A = byte(p)
	}
	if outside > 0 {
		return pdk.Errorf("%s would leave the range of MIDI, C-1 to G9; nothing was changed", pdk.Count(outside, "note"))
	}
	if len(x.Items) == 0 {
		return pdk.Unchanged("every note already has that pitch")
	}
	return c.Do(x, summary, args.Refs(notes)...)
}

// pitchesOf returns a function for changePitches that changes only the notes in a map.
func pitchesOf(to map[*song.Event]int) func(*song.Event) int {
	return func(e *song.Event) int {
		if p, ok := to[e]; ok {
			return p
		}
		return e.Pitch()
	}
}
