package verbs

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// fits refuses ticks a file cannot hold.
func fits(tick int64) error {
	if tick > smf.MaxTick {
		return pdk.Errorf("that ends beyond tick %d, the longest song a file can hold", smf.MaxTick)
	}
	return nil
}

func chordVerb() verb {
	return verb{Verb: abi.Verb{
		Name: "chord", Category: "Notes", Syntax: "chord TRACK SYMBOL… [at:POS] [dur:DUR] [vel:V] [oct:N] [inv:N] [voicing:close|open|drop2] [strum:±DUR] [ch:N]",
		Brief:   "chord TRACK SYMBOL… [at: dur: vel: oct:3 inv:1 voicing:close|open|drop2 strum:±DUR ch:] · one after another",
		Summary: "chords by symbol, several one after another; root in octave 4 unless oct:; strum: from the lowest note, -DUR from the highest",
		Params:  slices.Concat([]abi.Param{atParam, durParam, velParam}, shapeParams, []abi.Param{chParam}), Min: 2, Max: -1,
		Examples: []string{"chord Piano Cmaj7 at:1.1 dur:half", "chord Piano Dm7 G7 C/E dur:whole oct:3", "chord Piano Am9 voicing:drop2 strum:64th"},
	}, Run: func(c *ctx, a pdk.Args) error {
		p, err := newPhrase(c, a)
		if err != nil {
			return err
		}
		shape, err := shapeArgs(a)
		if err != nil {
			return err
		}
		var said []string
		var length int64
		for i := 1; i < len(a.Positionals); i++ {
			chord, err := theory.ParseChord(a.Text(i))
			if err != nil {
				return chordRefused(err, a, i)
			}
			if length, err = p.lengthAt("dur", "quarter"); err != nil {
				return err
			}
			all, err := shape.pitches(a, chord)
			if err != nil {
				return err
			}
			if err := p.chord(all, shape, length); err != nil {
				return err
			}
			said = append(said, chord.String()+" ("+spell(all)+")")
		}
		what := "Chord "
		if len(said) > 1 {
			what = "Chords "
		}
		where := " on " + c.Model.Name(p.track) + " at " + c.Model.At(p.track, p.start)
		suffix := elsewhere(p.track, p.channel)
		if err := c.Do(&p.edit, brief(what+strings.Join(a.Texts(1), " "))+where, p.edit.Refs(c.Model)...); err != nil {
			return err
		}
		c.Created("%s%s%s dur:%s vel:%d%s", what, strings.Join(said, ", "), where, c.Model.Lasting(length), p.velocity, suffix)
		return nil
	}}
}

func chordRefused(err error, a pdk.Args, i int) error {
	e := chordError(err)
	if list := near.Chord(a.Text(i)); list != nil {
		return insteadAt(e, a, i, list...)
	}
	ops := apart(a, i, isChord)
	if i > 1 { // its quality as a word of its own
		op := *a.Op
		op.Positionals = slices.Delete(slices.Clone(op.Positionals), i, i+1)
		for _, s := range near.Chord(a.Text(i-1) + " " + a.Text(i)) {
			op.Positionals[i-1] = abi.Positional{Text: s}
			ops = append(ops, &op)
		}
	}
	return suggest(underVerb(e, a, "note", i, isPitch), ops...)
}

func isPitch(s string) bool { _, err := theory.ParsePitch(s); return err == nil }
func isChord(s string) bool { _, err := theory.ParseChord(s); return err == nil }

// apart is the op with positional i as the words that it lists, where is takes
// each of them.
func apart(a pdk.Args, i int, is func(string) bool) []*abi.Op {
	var words []abi.Positional
	for _, w := range strings.FieldsFunc(a.Text(i), func(r rune) bool { return strings.ContainsRune(" ,;|[]()-+", r) }) {
		if !is(w) {
			return nil
		}
		words = append(words, abi.Positional{Text: w})
	}
	op := *a.Op
	op.Positionals = slices.Concat(op.Positionals[:i], words, op.Positionals[i+1:])
	return []*abi.Op{&op}
}

// underVerb makes a refusal suggest the op under another verb, where positional i
// is for that.
func underVerb(e *pdk.Error, a pdk.Args, verb string, i int, is func(string) bool) *pdk.Error {
	if !is(a.Text(i)) {
		return e
	}
	op := *a.Op
	op.Verb = verb
	return e.Try(printOp(&op))
}

// chordError adds the qualities there are.
func chordError(err error) *pdk.Error {
	e := refusal(err)
	e.Message += "; qualities: " + strings.Join(theory.ChordQualities(), " ")
	return e
}

func progressionVerb() verb {
	return verb{Verb: abi.Verb{
		Name: "progression", Category: "Notes", Syntax: "progression TRACK \"SYMBOL…\" [at:POS] [dur:DUR] [vel:V] [oct:N] [inv:N] [voicing:…] [strum:±DUR] [ch:N]",
		Brief:   `progression TRACK "Dm7 G7 | Imaj7:half %" [keys of chord] · symbols or degrees of the key, a bar each`,
		Summary: "chords by symbol or by degree in the key (ii7 V7 I), a bar each unless dur:, or Dm7:half in the text; % is the one before, | is read over",
		Params:  slices.Concat([]abi.Param{atParam, durParam, velParam}, shapeParams, []abi.Param{chParam}), Min: 2, Max: -1,
		Examples: []string{`progression Piano "Dm7 G7 Cmaj7"`, `progression Piano "ii7 V7 | Imaj7" at:5.1 dur:half oct:3 voicing:open`, `progression Piano "C:half Am:half | F % G:q G7:dotted-half"`},
	}, Run: func(c *ctx, a pdk.Args) error {
		p, err := newPhrase(c, a)
		if err != nil {
			return err
		}
		shape, err := shapeArgs(a)
		if err != nil {
			return err
		}
		words := strings.Fields(strings.ReplaceAll(strings.Join(a.Texts(1), " "), "|", " "))
		another := func(err error, i int, symbols, durations []string) error {
			if len(symbols)*len(durations) == 0 {
				return err
			}
			w := slices.Clone(words)
			w[i] = strings.TrimSuffix(symbols[0]+":"+durations[0], ":")
			return suggest(err, oneText(a, strings.Join(w, " ")))
		}
		if len(words) == 0 {
			return pdk.Errorf("progression: the text holds no chords")
		}
		var said []string
		var last theory.Chord
		for i, word := range words {
			symbol, dur, own := strings.Cut(word, ":")
			chord := last
			if symbol != "%" || i == 0 {
				if chord, err = theory.ParseChord(symbol); err != nil {
					var degree error
					if chord, degree = theory.ParseRoman(symbol, c.Model.KeyAt(p.track, p.at)); degree != nil {
						return another(chordError(err), i, near.Chord(symbol), []string{dur})
					}
				}
			}
			var length int64
			if own {
				if length, err = c.Model.Duration(p.track, dur, p.at); err != nil {
					return another(err, i, []string{symbol}, near.Duration(c.Model, p.track, dur, p.at))
				}
			} else if length, err = p.lengthAt("dur", "1bar"); err != nil {
				return err
			}
			all, err := shape.pitches(a, chord)
			if err != nil {
				return err
			}
			if err := p.chord(all, shape, length); err != nil {
				return err
			}
			said, last = append(said, chord.String()), chord
		}
		return p.do("Progression " + strings.Join(said, " "))
	}}
}

// oneText is the op with all its positionals behind the first as one quoted text.
func oneText(a pdk.Args, text string) *abi.Op {
	op := *a.Op
	op.Positionals = []abi.Positional{a.Positionals[0], {Text: text, Quoted: true}}
	return &op
}
