package theory

import (
	"strings"
	"testing"
)

func TestChordsAreNamedByTheirNotes(t *testing.T) {
	templates := Templates()
	for _, c := range []struct{ notes, key, want string }{
		{"C4 E4 G4", "C", "C"}, {"E4 G4 C5", "C", "C/E"}, {"G3 C4 E4 G4", "C", "C/G"}, {"A3 C4 E4", "C", "Am"}, {"B3 D4 F4", "C", "Bdim"},
		{"C4 E4 G#4", "C", "Caug"}, {"C4 F4 G4", "C", "Csus4"}, {"C4 D4 G4", "C", "Csus2"}, {"G3 B3 D4 F4", "C", "G7"}, {"B3 D4 F4 G4", "C", "G7/B"},
		{"C4 E4 G4 B4", "C", "Cmaj7"}, {"A3 C4 E4 G4", "C", "Am7"}, {"C4 E4 G4 A4", "C", "C6"}, {"E4 G4 A4 C5", "C", "Am7/E"}, {"B3 D4 F4 A4", "C", "Bm7b5"},
		{"D4 F4 A4 B4", "C", "Dm6"}, {"G#3 B3 D4 F4", "Am", "G#dim7"}, {"C4 Eb4 G4 B4", "Cm", "CmM7"}, {"C4 E4 G4 D5", "C", "Cadd9"}, {"C4 E4 Bb4 D5 G4", "F", "C9"},
		{"C3 E3 G3 A3 D4", "C", "C6/9"}, {"G3 B3 D4 F4 Ab4", "Cm", "G7b9"}, {"E3 G#3 B3 D4 G4", "Am", "E7#9"}, {"C4 G4", "C", "C5"}, {"C3 E3 Bb3", "F", "C7"},
		{"C3 E3 B3", "C", "Cmaj7"}, {"F#3 A#3 C#4", "F#", "F#"}, {"Gb3 Bb3 Db4", "Db", "Gb"}, {"G#3 E4 B4 D5", "Am", "E7/G#"}, {"C3 E3 G3 Bb3 D4 A4", "F", "C13"},
		{"C4", "C", ""}, {"C4 C#4 D4", "C", ""}, {"C4 C5 C6", "C", ""}, {"C4 F#4", "C", ""},
		{"C4 E4 Gb4 Bb4 Db5", "C", "F#7#11/C"}, {"B#3 D#4 G#4", "E", "G#/B#"},
	} {
		var all []int
		for _, n := range strings.Fields(c.notes) {
			p, err := ParsePitch(n)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, p.Number())
		}
		k, err := ParseKey(c.key)
		if err != nil {
			t.Fatal(err)
		}
		chord, ok := Identify(templates, ClassesOf(all...), all[0], k)
		got := chord.String()
		if !ok {
			got = ""
		}
		if got != c.want {
			t.Errorf("%s in %s is %q, want %q", c.notes, c.key, got, c.want)
		}
	}
}

func TestEveryChordIsFoundAgainByItsNotes(t *testing.T) {
	templates := Templates()
	for _, q := range ChordQualities() {
		for _, root := range strings.Fields("C Db D Eb E F F# G Ab A Bb B") {
			made, err := ParseChord(root + q)
			if err != nil {
				t.Fatal(err)
			}
			var notes []int
			for _, p := range made.Voice(4, 0) {
				notes = append(notes, p.Number())
			}
			found, ok := Identify(templates, ClassesOf(notes...), notes[0], Key{})
			if !ok {
				t.Fatalf("%s is not found", made)
			}
			var again []int
			for _, p := range found.Voice(4, 0) {
				again = append(again, p.Number())
			}
			if ClassesOf(again...) != ClassesOf(notes...) || found.Root.Semitone() != made.Root.Semitone() {
				t.Errorf("%s is found as %s, which has other notes or another root", made, found)
			}
		}
	}
}

// beats makes a step from each word: notes joined by "+", or "." for silence.
func beats(t *testing.T, text string) []Span {
	t.Helper()
	var out []Span
	for _, word := range strings.Fields(text) {
		s := Span{Bass: -1, Struck: true}
		if word != "." {
			for _, n := range strings.Split(word, "+") {
				p, err := ParsePitch(n)
				if err != nil {
					t.Fatal(err)
				}
				if s.Bass < 0 || p.Number() < s.Bass {
					s.Bass = p.Number()
				}
				s.Weight[p.Semitone()]++
				s.Chord = s.Weight[p.Semitone()] < float64(strings.Count(word, "+")+1)
			}
		}
		out = append(out, s)
	}
	return out
}

func TestPassagesAreHarmonized(t *testing.T) {
	for _, c := range []struct{ name, beats, want string }{
		{"block chords", "C4+E4+G4 C4+E4+G4 F4+A4+C5 G3+B3+D4+F4 C4+E4+G4", "C F G7 C"},
		{"a broken chord", "C3+E4 C3+G4 C3+E4 C3+C5 G2+B3 G2+D4 G2+F4 G2+B4", "C G7"},
		{"a passing note over a held chord", "C3+E3+G3+C5 C3+E3+G3+D5 C3+E3+G3+E5", "C"},
		{"silence", ". . C4+E4+G4 .", "- C -"},
		{"jazz", "D3+F3+A3+C4 D3+F3+A3+C4 G2+F3+A3+B3 G2+F3+A3+B3 C3+E3+G3+B3 C3+E3+G3+B3", "Dm7 G9 Cmaj7"},
		{"a chord for each beat", "C3+E3+G3 F3+A3+C4 D3+F3+A3+C4 G2+B2+D3+F3", "C F Dm7 G7"},
		{"a bass that walks", "C3+E4+G4 E3+G4+C5 G3+E4+G4 C3+E4+G4", "C"},
		{"nothing", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			spans := beats(t, c.beats)
			var got []string
			at := 0
			for _, h := range Harmonize(spans, Key{}) {
				if h.From != at || h.To <= h.From {
					t.Errorf("a step is left out or counted twice: %v", h)
				}
				at = h.To
				if h.Chord == nil {
					got = append(got, "-")
				} else {
					got = append(got, h.Chord.String())
				}
			}
			if at != len(spans) {
				t.Errorf("%d steps of %d", at, len(spans))
			}
			if s := strings.Join(got, " "); s != c.want {
				t.Errorf("%s, want %s", s, c.want)
			}
		})
	}
}

func TestKeysAreFound(t *testing.T) {
	for _, c := range []struct{ notes, want string }{
		// Melodies whose keys are undisputed.
		{"C4 D4 E4 F4 G4 A4 B4 C5 G4 E4 C4", "C-major"},
		{"A4 B4 C5 D5 E5 F5 G#5 A5 E5 C5 A4", "A-minor"},
		{"Eb4 Eb4 Bb4 Bb4 C5 C5 Bb4 Ab4 Ab4 G4 G4 F4 F4 Eb4", "Eb-major"}, // Ah! vous dirai-je, maman
		{"E4 E4 F4 G4 G4 F4 E4 D4 C4 C4 D4 E4 E4 D4 D4", "C-major"},       // Freude, schöner Götterfunken
		{"F#4 G#4 A4 B4 C#5 A4 F#4 E#4 F#4", "F#-minor"},
		{"G4 D5 Bb4 A4 G4 Bb4 A4 G4 F#4 A4 D4 G4", "G-minor"}, // the fugue BWV 578
	} {
		var weight [12]float64
		for _, n := range strings.Fields(c.notes) {
			p, err := ParsePitch(n)
			if err != nil {
				t.Fatal(err)
			}
			weight[p.Semitone()]++
		}
		guesses := FindKeys(weight)
		if len(guesses) != 24 || guesses[0].Key.String() != c.want {
			t.Errorf("%s is in %v, want %s", c.notes, guesses[:3], c.want)
		}
	}
	var none, all [12]float64
	for i := range all {
		all[i] = 1
	}
	if FindKeys(none) != nil || FindKeys(all) != nil {
		t.Error("silence or all notes alike have a key")
	}
}

func TestTheRatingsOfKrumhanslAndKesslerCorrelateAsPublished(t *testing.T) {
	// Krumhansl (1990), p. 37: C major correlates .511 with C minor, .651 with A minor,
	// and .591 with both G major and F major.
	var major [12]float64
	copy(major[:], majorProfile[:])
	for name, want := range map[string]float64{"C-major": 1, "G-major": 0.591, "F-major": 0.591, "A-minor": 0.651, "C-minor": 0.511} {
		for _, g := range FindKeys(major) {
			if g.Key.String() == name && (g.Fit < want-0.0015 || g.Fit > want+0.0015) {
				t.Errorf("C major's ratings correlate %.4f with %s, published %.3f", g.Fit, name, want)
			}
		}
	}
}

func BenchmarkHarmonize(b *testing.B) {
	spans := make([]Span, 2000)
	for i := range spans {
		spans[i].Bass = 48 + i%12
		for j := range 3 {
			spans[i].Weight[(i*i+4*j)%12]++
		}
	}
	for b.Loop() {
		Harmonize(spans, Key{})
	}
}
