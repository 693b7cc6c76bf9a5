package writing

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
)

var progressionVerb = verb{Keys: chordKeys, Verb: abi.Verb{
	Category: "Notes", Syntax: "progression TRACK \"SYMBOL…\" [at:POS] [dur:DUR] [vel:V] [oct:N] [inv:N] [voicing:…] [strum:±DUR] [rhythm:x=.…] [ch:N] [over:true]",
	Brief: `progression TRACK "Dm7 G7 | Imaj7 | %" [keys of chord] · or degrees (bVII); between | they share a bar, without | each has one`,
	Summary: "chords by symbol or by degree in the key (ii7 V7 I, V7/V); chords between bar lines share the bar (/ holds one longer); without bar lines each lasts a bar, dur: or its own length, Dm7:half; " +
		"% is the chord before, alone in a bar that bar; N.C. or rest is silence; rhythm: as in chord",
	Max: -1,
	Examples: []string{`progression Piano "Dm7 G7 Cmaj7"`, `progression Piano "ii7 V7/V | V7 | Imaj7 | N.C." at:5.1 oct:3 voicing:lead`, `progression Piano "C Am/C | F:half. G7 | %"`,
		`progression Piano "C Am F G" dur:half`, `progression Piano "Am7 | Fmaj7" voicing:lead rhythm:.x=.X=g=`},
}, Run: func(c *ctx, a pdk.Args) error {
	p := NewPhrase(c, a)
	shape := pdk.Must(shapeArgs(a))
	w := pdk.Must(ReadSheet(p, strings.Join(a.Texts(1), " ")))
	var said []string
	for _, h := range w.Chords {
		if h.Chord == nil {
			pdk.Check(p.Step(h.Length))
			said = append(said, "N.C.")
			continue
		}
		all := pdk.Must(shape.next(a, *h.Chord))
		pdk.Check(p.chord(all, shape, h.Length))
		said = append(said, h.Chord.String())
	}
	if len(p.Edit.Items) == 0 {
		return pdk.Errorf("progression: the text holds no chords")
	}
	return p.Do("Progression " + strings.Join(said, " "))
}}

// harmony is a chord and its length in ticks; nil is silence.
type harmony struct {
	Chord  *theory.Chord
	Length int64
}

// sheet reads a text of chords.
type sheet struct {
	*Phrase
	words  []string // chords and "|"
	Chords []harmony
}

// ReadSheet reads chords, each with its length, from where p is.
func ReadSheet(p *Phrase, text string) (*sheet, error) {
	s := &sheet{Phrase: p, words: strings.Fields(strings.ReplaceAll(text, "|", " | "))}
	if !slices.ContainsFunc(s.words, func(w string) bool { return w != "|" }) {
		return nil, pdk.Errorf("%s: the text holds no chords", p.A.Verb)
	}
	if slices.Contains(s.words, "|") {
		return s, s.readBars()
	}
	at := p.At
	for i := range s.words {
		h, own := pdk.Must2(s.word(i, at))
		if !own {
			h.Length = pdk.Must(args.Length(p.C, p.A, "dur", "1bar", p.Track, at))
		}
		s.Chords = append(s.Chords, h)
		at += h.Length
	}
	return s, nil
}

// suggestWord suggests the text with one word replaced.
func (s *sheet) suggestWord(err error, i int, symbols, durations []string) error {
	if len(symbols)*len(durations) == 0 {
		return err
	}
	w := slices.Clone(s.words)
	w[i] = strings.TrimSuffix(symbols[0]+":"+durations[0], ":")
	return args.Suggest(err, args.OneText(s.A, strings.Join(w, " ")))
}

// word reads one chord that starts at a tick. own is whether it has a length of its
// own.
func (s *sheet) word(i int, at int64) (h harmony, own bool, err error) {
	symbol, dur, own := strings.Cut(s.words[i], ":")
	switch strings.ToLower(symbol) {
	case "n.c.", "n.c", "nc", "rest", "r":
	case "%", "/":
		if len(s.Chords) == 0 {
			return h, own, pdk.Errorf("%s: %s repeats the chord before, and there is none", s.A.Verb, symbol)
		}
		h.Chord = s.Chords[len(s.Chords)-1].Chord
	default:
		chord, err := theory.ParseChord(symbol)
		if err != nil {
			var degree error
			if chord, degree = theory.ParseRoman(symbol, s.C.Model.KeyAt(s.Track, at)); degree != nil {
				return h, own, s.suggestWord(chordError(err), i, near.Chord(symbol), []string{dur})
			}
		}
		h.Chord = &chord
	}
	if own {
		if h.Length, err = s.C.Model.Duration(s.Track, dur, at); err != nil {
			return h, own, s.suggestWord(err, i, []string{symbol}, near.Duration(s.C.Model, s.Track, dur, at))
		}
	}
	return h, own, nil
}

// readBars reads chords separated by bar lines.
func (s *sheet) readBars() error {
	if s.A.Has("dur") {
		return args.Suggest(pdk.Errorf("bar lines and dur: both say how long the chords last; use one"), s.A.With(pdk.Without("dur")))
	}
	m := pdk.Must(s.C.Model.Meter(s.Track))
	at, before := s.At, 0 // index of the first chord of the previous bar
	for i := 0; i < len(s.words); i++ {
		if s.words[i] == "|" {
			continue
		}
		start := i
		for i+1 < len(s.words) && s.words[i+1] != "|" {
			i++
		}
		first := len(s.Chords)
		span := m.BarEnd(at) - at
		if start == i && s.words[i] == "%" && first > before {
			var length int64
			for _, h := range s.Chords[before:first] {
				length += h.Length
			}
			if length == span {
				s.Chords = append(s.Chords, s.Chords[before:first]...)
				before, at = first, at+span
				continue
			}
		}
		pdk.Check(s.bar(m, start, i+1, at, span))
		before, at = first, at+span
	}
	return nil
}

// bar reads the words of one bar. Chords without a length share the rest of the bar in
// whole beats; the first ones get more.
func (s *sheet) bar(m *song.Meter, from, to int, at, span int64) error {
	bar, _, _ := m.Locate(at)
	left, first := span, len(s.Chords)
	var open []int // indices of those without a length
	for i := from; i < to; i++ {
		h, own := pdk.Must2(s.word(i, at))
		if left -= h.Length; !own {
			open = append(open, len(s.Chords))
		}
		s.Chords = append(s.Chords, h)
	}
	n := int64(len(open))
	if left < n || n == 0 && left > 0 {
		return pdk.Errorf("%s: the chords of bar %d do not fill it: %s", s.A.Verb, bar, strings.Join(s.words[from:to], " ")).TryQuery("signatures")
	}
	beat := m.BeatEnd(at) - at
	for k, i := range open {
		k := int64(k)
		s.Chords[i].Length = left*(k+1)/n - left*k/n
		if left%beat == 0 && left/beat >= n {
			s.Chords[i].Length = left / beat / n * beat
			if k < left/beat%n {
				s.Chords[i].Length += beat
			}
		}
	}
	// A slash extends the chord before it.
	kept := s.Chords[:first]
	for k, h := range s.Chords[first:] {
		if s.words[from+k] == "/" && len(kept) > first {
			kept[len(kept)-1].Length += h.Length
		} else {
			kept = append(kept, h)
		}
	}
	s.Chords = kept
	return nil
}
