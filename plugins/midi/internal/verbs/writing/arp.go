package writing

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
)

// directions are the orders in which pitches are played.
var directions = []string{"up", "down", "updown"}

// orderPitches returns pitches in a direction: up, down, or up and down without
// repeating the ends.
func orderPitches[T any](all []T, direction string, round bool) []T {
	out := slices.Clone(all)
	switch direction {
	case "down":
		slices.Reverse(out)
	case "updown":
		low := 0
		if round {
			low = 1 // the next round starts with it
		}
		for i := len(all) - 2; i >= low; i-- {
			out = append(out, all[i])
		}
	}
	return out
}

// figures are the patterns of an arpeggio that have names.
var figures = append(directions[:3:3], "downup", "converge", "diverge", "random")

// figureKey is the pattern of an arpeggio: a name, or the numbers of notes with points for rests.
var figureKey = value.Key[string]{Name: "pattern", Default: figures[0], Type: value.Type[string]{Takes: strings.Join(figures, "|") + "|1-9…", Parse: func(s string) (string, error) {
	if isNoteRow(s) {
		return s, nil
	}
	name, err := value.OneOf(figures...).Parse(s)
	var no *value.Invalid
	if errors.As(err, &no) {
		no.Why += ", or the numbers of notes, a point for a rest, like 1323 or 13.2"
	}
	return name, err
}}}

// isNoteRow reports whether a pattern lists notes by their numbers.
func isNoteRow(pattern string) bool {
	return strings.Trim(pattern, "123456789.") == "" && strings.Trim(pattern, ".") != ""
}

// figureArg reads pattern:. play returns the indices of the notes, from the lowest, of
// one round; -1 is a rest. An index beyond the notes is in the next octave.
func figureArg(a pdk.Args) (name string, play func(n int) []int, err error) {
	if name = figureKey.Of(a); isNoteRow(name) {
		row := make([]int, len(name))
		for i := range row {
			if row[i] = -1; name[i] != '.' {
				row[i] = int(name[i] - '1')
			}
		}
		return name, func(int) []int { return row }, nil
	}
	seed := args.SeedKey.Of(a)
	if name != "random" && a.Has("seed") {
		return name, nil, args.Instead(pdk.Errorf("seed: is for pattern:random"), a, "pattern", "random")
	}
	random, last := rand.NewPCG(uint64(seed), 0x617270), -1
	return name, func(n int) []int {
		row := make([]int, n)
		for i := range row {
			row[i] = i
		}
		switch name {
		case "random": // never repeats a note
			for i := n - 1; i > 0; i-- {
				j := int(random.Uint64() % uint64(i+1))
				row[i], row[j] = row[j], row[i]
			}
			if n > 1 && row[0] == last {
				row[0], row[n-1] = row[n-1], row[0]
			}
			last = row[n-1]
		case "converge", "diverge":
			for i := range row {
				if row[i] = i / 2; i%2 == 1 {
					row[i] = n - 1 - i/2
				}
			}
			if name == "diverge" {
				slices.Reverse(row)
			}
		case "downup":
			slices.Reverse(row)
			for i := 1; i < n-1; i++ {
				row = append(row, i)
			}
		default:
			return orderPitches(row, name, true)
		}
		return row
	}, nil
}

// Keys of arp.
var (
	gateKey    = value.Key[int]{Name: "gate", Type: value.Int(1, 200), Default: 100}
	spanKey    = value.Key[int]{Name: "bars", Type: value.Int(1, 1000), Default: 1}
	octavesKey = value.Key[int]{Name: "octaves", Type: value.Int(1, 4), Default: 1}
)

var arpVerb = verb{Keys: []pdk.Parameter{figureKey, gateKey, args.SeedKey, spanKey, octavesKey, args.VelKey, args.OctKey, invKey, voicingKey, args.ChKey, args.OverKey}, Verb: abi.Verb{
	Category: "Notes", Syntax: "arp TRACK SYMBOL… [pattern:up|down|updown|downup|converge|diverge|random|13.2] [gate:1-200] [seed:N] [dur:DUR] [bars:N] [octaves:1-4] [at:POS] [vel:V] [oct:N] [inv:N] [voicing:…] [ch:N] [over:true]",
	Brief: "arp TRACK SYMBOL… [pattern:up|down|updown|random|13.2 gate:50 dur: bars: octaves:] [keys of chord]",
	Summary: "chords broken into single notes of dur: (eighths), each chord for bars: (1). pattern: an order (converge is from outside in), or the notes by number from the lowest, " +
		"with points for rests; gate: how much of its length a note sounds, in percent",
	Examples: []string{"arp Piano Cmaj7 pattern:updown dur:16th bars:2", "arp Piano Am F C G at:5.1 oct:3", "arp Piano Am7 F pattern:13.2 gate:50 dur:16th"},
}, Run: runArp}

// runArp plays each chord of the op as an arpeggio.
func runArp(c *ctx, a pdk.Args) error {
	p := NewPhrase(c, a)
	shape := pdk.Must(shapeArgs(a))
	pattern, play := pdk.Must2(figureArg(a))
	gate, bars, octaves := gateKey.Of(a), spanKey.Of(a), octavesKey.Of(a)
	var said []string
	for i := 1; i < len(a.Positionals); i++ {
		chord, err := theory.ParseChord(a.Text(i))
		if err != nil {
			return chordRefused(err, a, i)
		}
		span := pdk.Must(c.Model.Duration(p.Track, strconv.Itoa(bars)+"bars", p.At))
		length := pdk.Must(p.lengthAt("dur", "eighth"))
		all := pdk.Must(shape.next(a, chord))
		all = pdk.Must(overOctaves(a, all, octaves))
		end := p.At + span
		for row := play(len(all)); p.At < end; row = row[1:] {
			if len(row) == 0 {
				row = play(len(all))
			}
			d := min(length, end-p.At)
			if k := row[0]; k >= 0 {
				n := all[k%len(all)]
				if n.Octave += k / len(all); n.Number() > 127 {
					return pdk.Errorf("note %d of %s is %s, outside the range of MIDI", k+1, chord, n)
				}
				p.Note(n.Number(), p.velocity, p.At, max(1, d*int64(gate)/100))
			}
			pdk.Check(p.Step(d))
		}
		said = append(said, chord.String())
	}
	return p.Do("Arpeggio " + strings.Join(said, " ") + " " + pattern)
}

// overOctaves repeats pitches in higher octaves, octaves in total, and sorts them.
func overOctaves(a pdk.Args, all []theory.Pitch, octaves int) ([]theory.Pitch, error) {
	base := len(all)
	for o := 1; o < octaves; o++ {
		for _, n := range all[:base] {
			n.Octave += o
			if n.Number() > 127 {
				return nil, args.Instead(pdk.Errorf("octaves:%d goes up to %s, outside the range of MIDI", octaves, n), a, "octaves", strconv.Itoa(o))
			}
			all = append(all, n)
		}
	}
	if octaves > 1 {
		// The notes of a voicing wider than an octave interleave with those of the next
		// octave.
		slices.SortFunc(all, func(x, y theory.Pitch) int { return x.Number() - y.Number() })
		all = slices.CompactFunc(all, func(x, y theory.Pitch) bool { return x.Number() == y.Number() })
	}
	return all, nil
}

// Keys of scale.
var (
	directionKey = value.Key[string]{Name: "pattern", Type: value.OneOf(directions...), Default: directions[0]}
	heightKey    = value.Key[int]{Name: "octaves", Type: value.Int(1, 8), Default: 1}
)

var scaleVerb = verb{Keys: []pdk.Parameter{directionKey, heightKey, args.OctKey, args.VelKey, args.ChKey}, Verb: abi.Verb{
	Category: "Notes", Syntax: "scale TRACK ROOT MODE|ROOT-MODE [pattern:up|down|updown] [dur:DUR] [octaves:1-8] [oct:N] [at:POS] [vel:V] [ch:N]",
	Brief:    "scale TRACK ROOT MODE [keys of arp]",
	Summary:  "a scale, root to root, in notes of dur: (eighths)",
	Min:      2,
	Examples: []string{"scale Piano D dorian", "scale Piano D-dorian", "scale Piano Bb major pattern:updown octaves:2 oct:3 dur:16th at:3.1"},
}, Run: func(c *ctx, a pdk.Args) error {
	p := NewPhrase(c, a)
	scale := pdk.Must(scaleArg(c, a, p.Track))
	pattern, octaves, octave := directionKey.Of(a), heightKey.Of(a), args.OctKey.Of(a)
	length := pdk.Must(p.lengthAt("dur", "eighth"))
	run := scaleRun(scale, octave, octaves)
	if p := firstOutside(run); p != nil {
		e := pdk.Errorf("the scale reaches %s, outside the range of MIDI", p)
		for n := octaves - 1; n > 0; n-- {
			if firstOutside(scaleRun(scale, octave, n)) == nil {
				return args.Instead(e, a, "octaves", strconv.Itoa(n))
			}
		}
		return args.Instead(e, a, "oct", nearestOctave(octave, func(o int) bool { return firstOutside(scaleRun(scale, o, octaves)) == nil })...)
	}
	for _, n := range orderPitches(run, pattern, false) {
		p.Note(n.Number(), p.velocity, p.At, length)
		pdk.Check(p.Step(length))
	}
	return p.Do("Scale " + a.Text(1) + " " + a.Text(2) + " " + pattern)
}}

// scaleRun returns a scale from its root up to its root, octaves higher.
func scaleRun(scale theory.Scale, octave, octaves int) []theory.Pitch {
	var run []theory.Pitch
	for n := range octaves*len(scale.Degrees) + 1 {
		run = append(run, scale.Degree(n, octave))
	}
	return run
}

// scaleArg reads ROOT MODE, or both in one word.
func scaleArg(c *ctx, a pdk.Args, t *song.Track) (theory.Scale, error) {
	if mode := a.Text(1); len(a.Positionals) == 2 {
		if s, err := theory.NewScale(theory.Class{}, mode); err == nil && mode != "" {
			root := c.Model.KeyAt(t, 0).Tonic().String()
			return s, args.InsteadAt(pdk.Errorf("scale %s needs a root first, like %s-%s", mode, root, mode), a, 1, root+"-"+s.Mode)
		}
		scale, err := theory.ParseScale(a.Text(1))
		if err != nil {
			return scale, args.InsteadAt(err, a, 1, near.Scale(a.Text(1))...)
		}
		return scale, nil
	}
	root, ok := theory.ParseClass(a.Text(1))
	if !ok {
		return theory.Scale{}, pdk.Errorf("root %q is not a note name, like C, F# or Bb", a.Text(1))
	}
	scale, err := theory.NewScale(root, a.Text(2))
	if err != nil {
		return scale, args.InsteadAt(err, a, 2, near.Word(a.Text(2), theory.Modes())...)
	}
	return scale, nil
}
