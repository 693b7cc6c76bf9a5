package writing

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
)

var harmonizeVerb = verb{Keys: chordKeys, Verb: abi.Verb{
	Category: "Notes", Syntax: "harmonize TRACK @SEL… [in:KEY] [dur:DUR] [vel:V] [oct:N] [inv:N] [voicing:…] [strum:±DUR] [rhythm:x=.…] [ch:N] [over:true]",
	Brief:    "harmonize TRACK @SEL… [in:KEY dur:1bar] [keys of chord] · under a melody",
	Summary:  "chords of the key, on TRACK, under the melody that selectors name: one for each dur: (1bar), chosen to fit the melody and the chord before; over:true replaces what is there",
	Examples: []string{"harmonize Piano @track:Piano in:C-major voicing:lead oct:3"},
}, Run: func(c *ctx, a pdk.Args) error {
	found := pdk.Must(args.SelectedNotes(c, a))
	melody := args.PitchedNotes(found)
	if len(melody) == 0 {
		return pdk.Errorf("harmonize needs a melody, and the op names only drums").TryQuery("tracks")
	}
	p := NewPhrase(c, a)
	m := pdk.Must(c.Model.Meter(p.Track))
	shape := pdk.Must(shapeArgs(a))
	bar, _, _ := m.Locate(args.Earliest(melody))
	p.At = m.BarTick(bar)
	p.Start = p.At
	key := c.Model.SpellingKey(p.Track, p.At)
	if v, ok := a.Param("in"); ok {
		var err error
		if key, err = theory.ParseKey(v); err != nil {
			return args.Instead(err, a, "in", near.Key(v)...)
		}
	}
	var lengths []int64
	var weights [][12]float64
	for at, end := p.At, args.Latest(melody); at < end; {
		length := pdk.Must(args.Length(c, a, "dur", "1bar", p.Track, at))
		if len(lengths) > maxChords {
			return pdk.Errorf("that would be more than %d chords", maxChords)
		}
		lengths, weights = append(lengths, length), append(weights, melodyWeights(m, melody, at, at+length))
		at += length
	}
	var said []string
	for i, chord := range theory.Accompany(weights, key) {
		if chord == nil {
			pdk.Check(p.Step(lengths[i]))
			said = append(said, "-")
			continue
		}
		all := pdk.Must(shape.next(a, *chord))
		pdk.Check(p.chord(all, shape, lengths[i]))
		said = append(said, chord.String())
	}
	return p.Do("Harmony " + strings.Join(said, " "))
}}

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
