package theory

import (
	"fmt"
	"strings"
	"testing"
)

func TestScalesHaveTheNotesOfTheBooks(t *testing.T) {
	for _, c := range []struct{ scale, notes string }{
		{"C major", "C D E F G A B"}, {"G", "G A B C D E F#"}, {"Eb-major", "Eb F G Ab Bb C D"}, {"F# ionian", "F# G# A# B C# D# E#"},
		{"Cb major", "Cb Db Eb Fb Gb Ab Bb"}, {"Am", "A B C D E F G"}, {"C aeolian", "C D Eb F G Ab Bb"}, {"F# natural minor", "F# G# A B C# D E"},
		{"D dorian", "D E F G A B C"}, {"E phrygian", "E F G A B C D"}, {"F lydian", "F G A B C D E"}, {"G mixolydian", "G A B C D E F"},
		{"B locrian", "B C D E F G A"}, {"Bb dorian", "Bb C Db Eb F G Ab"}, {"A harmonic-minor", "A B C D E F G#"}, {"G# harmonic-minor", "G# A# B C# D# E F##"},
		{"A melodic_minor", "A B C D E F# G#"}, {"C HarmonicMajor", "C D E F G Ab B"}, {"C double-harmonic", "C Db E F G Ab B"},
		{"A hungarian-minor", "A B C D# E F G#"}, {"E phrygian-dominant", "E F G# A B C D"}, {"C lydian-dominant", "C D E F# G A Bb"},
		{"C altered", "C Db Eb Fb Gb Ab Bb"}, {"C pentatonic", "C D E G A"}, {"A minor-pentatonic", "A C D E G"}, {"C blues", "C Eb F Gb G Bb"},
		{"C major-blues", "C D Eb E G A"}, {"C whole-tone", "C D E F# G# Bb"}, {"C diminished", "C D Eb F Gb Ab A B"},
		{"C half-whole", "C Db Eb E F# G A Bb"}, {"G bebop", "G A B C D E F F#"},
		{"Fb locrian", "Fb Gbb Abb Bbb Cbb Dbb Ebb"},
	} {
		s, err := ParseScale(c.scale)
		if err != nil {
			t.Errorf("%s: %v", c.scale, err)
			continue
		}
		var got []string
		for i := range s.Degrees {
			got = append(got, s.Degree(i, 4).Class.String())
		}
		if notes := strings.Join(got, " "); notes != c.notes {
			t.Errorf("%s is %s, want %s", c.scale, notes, c.notes)
		}
	}
	for _, text := range []string{"", "H major", "C foo", "C-", "Cm-dorian"} {
		if s, err := ParseScale(text); err == nil {
			t.Errorf("%q read as %v", text, s)
		}
	}
}

func TestScalesHaveTheStepsOfTheBooks(t *testing.T) {
	// Semitones from degree to degree, up to the octave, as textbooks print them.
	for name, steps := range map[string]string{
		"major": "2 2 1 2 2 2 1", "dorian": "2 1 2 2 2 1 2", "phrygian": "1 2 2 2 1 2 2", "lydian": "2 2 2 1 2 2 1", "mixolydian": "2 2 1 2 2 1 2",
		"minor": "2 1 2 2 1 2 2", "locrian": "1 2 2 1 2 2 2", "harmonic-minor": "2 1 2 2 1 3 1", "melodic-minor": "2 1 2 2 2 2 1",
		"harmonic-major": "2 2 1 2 1 3 1", "double-harmonic": "1 3 1 2 1 3 1", "hungarian-minor": "2 1 3 1 1 3 1", "phrygian-dominant": "1 3 1 2 1 2 2",
		"lydian-dominant": "2 2 2 1 2 1 2", "altered": "1 2 1 2 2 2 2", "major-pentatonic": "2 2 3 2 3", "minor-pentatonic": "3 2 2 3 2",
		"blues": "3 2 1 1 3 2", "major-blues": "2 1 1 3 2 3", "whole-tone": "2 2 2 2 2 2", "diminished": "2 1 2 1 2 1 2 1", "half-whole": "1 2 1 2 1 2 1 2",
		"bebop": "2 2 1 2 2 1 1 1", "chromatic": "1 1 1 1 1 1 1 1 1 1 1 1",
	} {
		s, err := NewScale(Class{}, name)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i := range s.Degrees {
			got = append(got, fmt.Sprint(s.Degree(i+1, 4).Number()-s.Degree(i, 4).Number()))
		}
		if g := strings.Join(got, " "); g != steps {
			t.Errorf("%s steps by %s, want %s", name, g, steps)
		}
	}
}

func TestScalesOnAllRootsHaveReadablePitches(t *testing.T) {
	for _, name := range Modes() {
		for step := range 7 {
			for alter := -2; alter <= 2; alter++ {
				s, err := NewScale(Class{step, alter}, name)
				if err != nil {
					t.Fatal(err)
				}
				c, err := NewScale(Class{}, name)
				if err != nil {
					t.Fatal(err)
				}
				for n := -9; n < 16; n++ {
					p := s.Degree(n, 4)
					if got, want := p.Number()-s.Degree(0, 4).Number(), c.Degree(n, 4).Number()-60; got != want {
						t.Fatalf("%s degree %d is %d above its root, in C %d", s, n, got, want)
					}
					if back, err := ParsePitch(p.String()); err != nil || back.Number() != p.Number() {
						t.Fatalf("%s degree %d is %s, which reads as %v (%v)", s, n, p, back, err)
					}
				}
			}
		}
	}
}

func TestNotesMoveAlongTheScale(t *testing.T) {
	for _, c := range []struct {
		scale, from string
		by          int
		to          string
	}{
		{"C major", "C4", 2, "E4"}, {"C major", "E4", 2, "G4"}, {"C major", "B4", 1, "C5"}, {"C major", "C4", -1, "B3"}, {"C major", "C4", 7, "C5"},
		{"C major", "C#4", 1, "D#4"}, {"C major", "F#4", 1, "G#4"}, {"D dorian", "F4", -2, "D4"}, {"A minor-pentatonic", "A4", 3, "E5"},
		{"D harmonic-minor", "C5", 3, "E5"}, {"D harmonic-minor", "C#5", 3, "F5"}, {"A minor-pentatonic", "B4", 1, "C#5"}, {"A minor-pentatonic", "Bb4", 1, "C#5"},
		{"F# major", "E#4", 1, "F#4"}, {"Bb major", "A4", 1, "Bb4"}, {"C major", "C-1", 0, "C-1"},
	} {
		s, err := ParseScale(c.scale)
		if err != nil {
			t.Fatal(err)
		}
		from, _ := ParsePitch(c.from)
		to, _ := ParsePitch(c.to)
		if got := s.Move(from.Number(), c.by); got != to.Number() {
			t.Errorf("%s moved by %d in %s is %s, want %s", c.from, c.by, c.scale, Spell(got, Key{}), c.to)
		}
	}
	for n := range 128 {
		for by := -20; by <= 20; by++ {
			s := Key{Fifths: n%15 - 7, Minor: n%2 == 0}.Scale()
			if s.Contains(n) && s.Move(s.Move(n, by), -by) != n {
				t.Fatalf("note %d does not come back from %d degrees of %s", n, by, s)
			}
		}
	}
}

func TestTheScaleOfAKeyHasItsSignature(t *testing.T) {
	for fifths := -7; fifths <= 7; fifths++ {
		for _, minor := range []bool{false, true} {
			k := Key{fifths, minor}
			s := k.Scale()
			for i := range s.Degrees {
				c := s.Degree(i, 4).Class
				if c.Alter != k.alter(c.Step) {
					t.Errorf("%s has %s, its signature another", k, c)
				}
			}
		}
	}
}

func TestVoicings(t *testing.T) {
	for _, c := range []struct {
		symbol, voicing string
		inversion       int
		notes           string
	}{
		{"C", "close", 0, "C4 E4 G4"}, {"C", "open", 0, "C4 G4 E5"}, {"Cmaj7", "drop2", 0, "G3 C4 E4 B4"}, {"Cmaj7", "open", 0, "C4 G4 B4 E5"},
		{"Dm7", "drop2", 1, "C4 F4 A4 D5"}, {"C", "drop2", 0, "E3 C4 G4"}, {"C5", "drop2", 0, "C4 G4"},
	} {
		chord, err := ParseChord(c.symbol)
		if err != nil {
			t.Fatal(err)
		}
		v := Voicing(c.voicing)
		close := chord.Voice(4, c.inversion)
		before := pitches(close)
		if got := pitches(v.Spread(close)); got != c.notes || pitches(close) != before {
			t.Errorf("%s %s is %s, want %s", c.symbol, c.voicing, got, c.notes)
		}
	}
	for symbol, want := range map[string]string{"Dm7": "D4 F4 C5", "Cmaj9": "C4 E4 B4", "G13": "G4 B4 F5", "C": "C4 E4", "C5": "C4 G4"} {
		chord, err := ParseChord(symbol)
		if err != nil {
			t.Fatal(err)
		}
		if got := pitches(chord.Shell().Voice(4, 0)); got != want {
			t.Errorf("the shell of %s is %s, want %s", symbol, got, want)
		}
	}
}

func TestVoicesGoTheShortestWay(t *testing.T) {
	var last []Pitch
	for _, step := range []struct{ symbol, notes string }{
		{"Dm7", "D4 F4 A4 C5"}, {"G7", "D4 F4 G4 B4"}, {"Cmaj7", "C4 E4 G4 B4"}, {"Am", "C4 E4 A4"}, {"F", "C4 F4 A4"}, {"G/B", ""},
	} {
		chord, err := ParseChord(step.symbol)
		if err != nil {
			t.Fatal(err)
		}
		all := chord.Voice(4, 0)
		if last != nil {
			all = chord.Near(last, 4)
		}
		if step.symbol != "G/B" && pitches(all) != step.notes {
			t.Errorf("%s goes to %s, want %s", step.symbol, pitches(all), step.notes)
		}
		if chord.Bass != nil && all[0].Class != *chord.Bass {
			t.Errorf("%s lies over %s", step.symbol, all[0])
		}
		last = all
	}
}

// Of voicings that are as near, the lowest is taken.
func TestOfTwoWaysAsShortVoicesGoTheLowerOne(t *testing.T) {
	chord, err := ParseChord("C")
	if err != nil {
		t.Fatal(err)
	}
	from, err := ParseChord("Bb")
	if err != nil {
		t.Fatal(err)
	}
	between := from.Voice(3, 1) // D4 F4 Bb4: C4 E4 G4 is as near as E4 G4 C5
	if got := pitches(chord.Near(between, 4)); got != "C4 E4 G4" {
		t.Errorf("from %s to %s", pitches(between), got)
	}
}
