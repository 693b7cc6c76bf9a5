package verbs

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

func harmonizeVerb() verb {
	return verb{Verb: abi.Verb{
		Name: "harmonize", Category: "Notes", Syntax: "harmonize TRACK @SEL… [in:KEY] [dur:DUR] [vel:V] [oct:N] [inv:N] [voicing:…] [strum:±DUR] [rhythm:x=.…] [ch:N] [over:true]",
		Brief:   "harmonize TRACK @SEL… [in:KEY dur:1bar] [keys of chord] · under a melody",
		Summary: "chords of the key, on TRACK, under the melody that selectors name: one for each dur: (1bar), chosen to fit the melody and the chord before; over:true replaces what is there",
		Params:  slices.Concat([]abi.Param{{Key: "in", Value: "KEY"}, durParam, velParam}, shapeParams, []abi.Param{chParam, overParam}), Select: true, Min: 1, Max: 1,
		Examples: []string{"harmonize Piano @track:Piano in:C-major voicing:lead oct:3"},
	}, Run: func(c *ctx, a pdk.Args) error {
		found, err := selectedNotes(c, a)
		if err != nil {
			return err
		}
		melody := pitchedNotes(found)
		if len(melody) == 0 {
			return pdk.Errorf("harmonize needs a melody, and the op names only drums").TryQuery("tracks")
		}
		p, err := newPhrase(c, a)
		if err != nil {
			return err
		}
		m, err := c.Model.Meter(p.track)
		if err != nil {
			return err
		}
		shape, err := shapeArgs(a)
		if err != nil {
			return err
		}
		bar, _, _ := m.Locate(earliest(melody))
		p.at = m.BarTick(bar)
		p.start = p.at
		key := c.Model.SpellingKey(p.track, p.at)
		if v, ok := a.Param("in"); ok {
			if key, err = theory.ParseKey(v); err != nil {
				return instead(err, a, "in", near.Key(v)...)
			}
		}
		var lengths []int64
		var weights [][12]float64
		for at, end := p.at, latest(melody); at < end; {
			length, err := lengthParam(c, a, "dur", "1bar", p.track, at)
			if err != nil {
				return err
			}
			if len(lengths) > maxChords {
				return pdk.Errorf("that would be more than %d chords", maxChords)
			}
			lengths, weights = append(lengths, length), append(weights, melodyWeights(m, melody, at, at+length))
			at += length
		}
		var said []string
		for i, chord := range theory.Accompany(weights, key) {
			if chord == nil {
				if err := p.step(lengths[i]); err != nil {
					return err
				}
				said = append(said, "-")
				continue
			}
			all, err := shape.next(a, *chord)
			if err != nil {
				return err
			}
			if err := p.chord(all, shape, lengths[i]); err != nil {
				return err
			}
			said = append(said, chord.String())
		}
		return p.do("Harmony " + strings.Join(said, " "))
	}}
}

// maxChords limits how many chords one op makes.
const maxChords = 4096

// melodyWeights returns the weight of each pitch class of a melody between two ticks:
// its length, with more weight for notes that start on the bar or the beat.
func melodyWeights(m *song.Meter, melody []*song.Event, from, to int64) (w [12]float64) {
	for _, e := range melody {
		d := min(e.Mate.Tick, to) - max(e.Tick, from)
		if d <= 0 {
			continue
		}
		strong := 1.0
		if _, beat, sub := m.Locate(e.Tick); sub == 0 {
			strong = 1.3
			if beat == 1 {
				strong = 1.6
			}
		}
		w[e.Pitch()%12] += strong * float64(d) / float64(to-from)
	}
	return w
}
