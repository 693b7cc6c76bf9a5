package theory

import (
	"fmt"
	"strings"
	"testing"
)

func TestPitchesAreScientificNotation(t *testing.T) {
	for text, want := range map[string]int{
		"C4": 60, "A4": 69, "C-1": 0, "G9": 127, "C0": 12, "A0": 21, "C8": 108, // the piano's ends, concert pitch
		"c4": 60, "F#3": 54, "Gb3": 54, "Bb-1": 10, "F##3": 55, "Fx3": 55, "Ebb2": 38, "B#3": 60, "Cb4": 59, "E♭4": 63, "F♯4": 66, "midi:60": 60, "midi:0": 0,
	} {
		p, err := ParsePitch(text)
		if err != nil || p.Number() != want {
			t.Errorf("%s is %d (%v), want %d", text, p.Number(), err, want)
		}
	}
	for _, text := range []string{"", "C", "H4", "4", "C10", "G#9", "Cb-1", "C4x", "C#b4", "midi:128", "midi:-1", "C+4", "C 4", "kick"} {
		if p, err := ParsePitch(text); err == nil {
			t.Errorf("%q read as %v", text, p)
		}
	}
}

func TestEveryNoteIsSpelledSoThatItReadsBackInEveryKey(t *testing.T) {
	for fifths := -7; fifths <= 7; fifths++ {
		for n := 0; n < 128; n++ {
			p := Spell(n, Key{Fifths: fifths})
			back, err := ParsePitch(p.String())
			if err != nil || back.Number() != n {
				t.Fatalf("note %d in %d fifths is spelled %s, which reads as %d (%v)", n, fifths, p, back.Number(), err)
			}
		}
	}
}

func TestSpellingFollowsTheKey(t *testing.T) {
	for _, c := range []struct{ key, notes string }{
		{"C-major", "C C# D Eb E F F# G Ab A Bb B"},
		{"F-major", "C Db D Eb E F F# G Ab A Bb B"},
		{"Eb-major", "C Db D Eb E F Gb G Ab A Bb B"},
		{"E-major", "C C# D D# E F F# G G# A A# B"},
		{"F#-major", "C C# D D# E E# F# G G# A A# B"},
		{"Gb-major", "C Db D Eb E F Gb G Ab A Bb Cb"},
		{"A-minor", "C C# D D# E F F# G G# A Bb B"},
		{"D-minor", "C C# D Eb E F F# G G# A Bb B"},
		{"G-minor", "C C# D Eb E F F# G Ab A Bb B"},
		{"C-minor", "C Db D Eb E F F# G Ab A Bb B"},
		{"F#-minor", "C C# D D# E E# F# G G# A A# B"},
	} {
		k, err := ParseKey(c.key)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for n := 60; n < 72; n++ {
			got = append(got, Spell(n, k).Class.String())
		}
		if s := strings.Join(got, " "); s != c.notes {
			t.Errorf("%s: %s, want %s", c.key, s, c.notes)
		}
	}
}

func TestNotesAreSpelledByTheChordTheySoundIn(t *testing.T) {
	for _, c := range []struct{ key, chord string }{
		{"C-major", "A7"}, {"C-major", "E7"}, {"C-major", "Bb7"}, {"C-major", "Fm7"}, {"C-major", "Ab"}, {"C-major", "Db"}, {"C-major", "C#dim7"}, {"C-major", "Eb7"},
		{"A-minor", "E7"}, {"A-minor", "A7"}, {"A-minor", "Bb"}, {"Eb-major", "G7"}, {"Eb-major", "D7"}, {"D-major", "F#7"}, {"D-major", "Bb"}, {"E-major", "C#7"},
	} {
		k, err := ParseKey(c.key)
		if err != nil {
			t.Fatal(err)
		}
		chord, err := ParseChord(c.chord)
		if err != nil {
			t.Fatal(err)
		}
		var set Classes
		for _, p := range chord.Voice(4, 0) {
			set |= ClassesOf(p.Number())
		}
		for _, p := range chord.Voice(4, 0) {
			if got := SpellAmong(p.Number(), k, set); got.Class != p.Class && p.Alter > -2 {
				t.Errorf("the %s of %s in %s is spelled %s", p.Class, c.chord, c.key, got.Class)
			}
		}
	}
}

func TestDegreesAreThoseOfTheBooks(t *testing.T) {
	for _, c := range []struct{ key, degrees, want string }{
		{"C-major", "I ii7 iii IV V7 vi viio bVII bIII bVI bII #ivo7 Imaj7/E", "C Dm7 Em F G7 Am Bdim Bb Eb Ab Db F#dim7 Cmaj7/E"},
		{"C-minor", "i bVI bIII bVII VI III VII iv v V7 iio viio7 bII bvii", "Cm Ab Eb Bb Ab Eb Bb Fm Gm G7 Ddim Bdim7 Db Bbm"},
		{"A-minor", "i bVII VI V7 iiø viio ♭VI", "Am G F E7 Bm7b5 G#dim F"},
		{"C-major", "V7/V V/vi viio7/ii V7/IV ii7/ii", "D7 E C#dim7 C7 Em7"},
		{"Eb-major", "V7/ii iv IV+ V9sus4", "C7 Abm Abaug Bb9sus4"},
	} {
		k, err := ParseKey(c.key)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range strings.Fields(c.degrees) {
			chord, err := ParseRoman(d, k)
			if err != nil {
				t.Error(err)
			}
			got = append(got, chord.String())
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s in %s: %s, want %s", c.degrees, c.key, s, c.want)
		}
	}
}

func TestKeysHaveTheirSignatures(t *testing.T) {
	// The circle of fifths, from seven flats to seven sharps.
	major := strings.Fields("Cb Gb Db Ab Eb Bb F C G D A E B F# C#")
	minor := strings.Fields("Ab Eb Bb F C G D A E B F# C# G# D# A#")
	for i := range major {
		for _, c := range []struct {
			text string
			want Key
		}{
			{major[i], Key{i - 7, false}}, {major[i] + "-major", Key{i - 7, false}}, {major[i] + " maj", Key{i - 7, false}}, {major[i] + "M", Key{i - 7, false}},
			{minor[i] + "-minor", Key{i - 7, true}}, {minor[i] + "m", Key{i - 7, true}}, {strings.ToLower(minor[i]) + " min", Key{i - 7, true}},
		} {
			k, err := ParseKey(c.text)
			if err != nil || k != c.want {
				t.Errorf("%q is %v (%v), want %v", c.text, k, err, c.want)
			}
		}
		if got := (Key{i - 7, false}).String(); got != major[i]+"-major" {
			t.Errorf("%d fifths is %s", i-7, got)
		}
		if got := (Key{i - 7, true}).String(); got != minor[i]+"-minor" {
			t.Errorf("%d fifths is %s", i-7, got)
		}
	}
	for text, hint := range map[string]string{"G#-major": "Ab-major", "Fb": "E-major", "H-major": "", "C-dorian": "major or minor", "": "", "Cmin7": ""} {
		if k, err := ParseKey(text); err == nil || !strings.Contains(err.Error(), hint) {
			t.Errorf("%q is %v (%v), want an error with %q", text, k, err, hint)
		}
	}
}

func TestChordsHaveTheNotesOfTheBooks(t *testing.T) {
	for _, c := range []struct{ symbol, notes string }{
		{"C", "C4 E4 G4"}, {"Cmaj", "C4 E4 G4"}, {"CM", "C4 E4 G4"}, {"Am", "A4 C5 E5"}, {"Amin", "A4 C5 E5"}, {"A-", "A4 C5 E5"},
		{"Bdim", "B4 D5 F5"}, {"Caug", "C4 E4 G#4"}, {"C+", "C4 E4 G#4"}, {"Dsus2", "D4 E4 A4"}, {"Dsus4", "D4 G4 A4"}, {"Dsus", "D4 G4 A4"},
		{"E5", "E4 B4"}, {"C6", "C4 E4 G4 A4"}, {"Cm6", "C4 Eb4 G4 A4"}, {"C6/9", "C4 E4 G4 A4 D5"}, {"C69", "C4 E4 G4 A4 D5"},
		{"G7", "G4 B4 D5 F5"}, {"Fmaj7", "F4 A4 C5 E5"}, {"FM7", "F4 A4 C5 E5"}, {"Dm7", "D4 F4 A4 C5"}, {"CmM7", "C4 Eb4 G4 B4"},
		{"Bdim7", "B4 D5 F5 Ab5"}, {"Cdim7", "C4 Eb4 Gb4 Bbb4"}, {"F#m7b5", "F#4 A4 C5 E5"}, {"Bø", "B4 D5 F5 A5"},
		{"G9", "G4 B4 D5 F5 A5"}, {"Cmaj9", "C4 E4 G4 B4 D5"}, {"Am9", "A4 C5 E5 G5 B5"}, {"C11", "C4 E4 G4 Bb4 D5 F5"}, {"C13", "C4 E4 G4 Bb4 D5 A5"},
		{"Cadd9", "C4 E4 G4 D5"}, {"G7b9", "G4 B4 D5 F5 Ab5"}, {"E7#9", "E4 G#4 B4 D5 F##5"}, {"Calt", "C4 E4 Gb4 G#4 Bb4 Db5 D#5"},
		{"Bbmaj7", "Bb4 D5 F5 A5"}, {"Cb", "Cb4 Eb4 Gb4"}, {"G/B", "B3 G4 B4 D5"}, {"C/G", "G3 C4 E4 G4"}, {"Dm7/C", "C4 D4 F4 A4 C5"},
		{"C6/9/G", "G3 C4 E4 G4 A4 D5"}, {"F#", "F#4 A#4 C#5"}, {"Ebm", "Eb4 Gb4 Bb4"}, {"Bb5", "Bb4 F5"}, {"AbMaj7", "Ab4 C5 Eb5 G5"},
		{"C7(b9)", "C4 E4 G4 Bb4 Db5"}, {"C(add9)", "C4 E4 G4 D5"}, {"Cmaj9#11", "C4 E4 G4 B4 D5 F#5"}, {"C7#9b13", "C4 E4 G4 Bb4 D#5 Ab5"}, {"C7b5b9", "C4 E4 Gb4 Bb4 Db5"},
		{"C7(b9,#11)", "C4 E4 G4 Bb4 Db5 F#5"}, {"C7(b9,13)", "C4 E4 G4 Bb4 Db5 A5"}, {"G13(b9)", "G4 B4 D5 F5 Ab5 E6"}, {"Cm7(11)", "C4 Eb4 G4 Bb4 F5"}, {"C7b9#9", "C4 E4 G4 Bb4 Db5 D#5"}, {"Cm(add11)", "C4 Eb4 G4 F5"},
		{"C9#5", "C4 E4 G#4 Bb4 D5"}, {"C7sus4b9", "C4 F4 G4 Bb4 Db5"}, {"Cmaj7(no3)", "C4 G4 B4"}, {"C(b5)", "C4 E4 Gb4"}, {"C7(b9)/E", "E3 C4 E4 G4 Bb4 Db5"}, {"F#m9b5", "F#4 A4 C5 E5 G#5"},
	} {
		chord, err := ParseChord(c.symbol)
		if err != nil {
			t.Errorf("%s: %v", c.symbol, err)
			continue
		}
		if c.symbol == "C7(b9)" && chord.String() != "C7b9" {
			t.Errorf("%s is called %s", c.symbol, chord)
		}
		if got := pitches(chord.Voice(4, 0)); got != c.notes {
			t.Errorf("%s is %s, want %s", c.symbol, got, c.notes)
		}
	}
	for _, symbol := range []string{"", "H", "c", "Cfoo", "C/H", "C/", "Cm7/", "7", "C#b7", "C7(b99)"} {
		if c, err := ParseChord(symbol); err == nil {
			t.Errorf("%q read as %v", symbol, c)
		}
	}
}

func pitches(all []Pitch) string {
	out := make([]string, len(all))
	for i, p := range all {
		out[i] = p.String()
	}
	return strings.Join(out, " ")
}

func TestQualitiesOnAllRootsReadBack(t *testing.T) {
	for _, q := range ChordQualities() {
		var shape []int
		for _, step := range "CDEFGAB" {
			for _, alter := range []string{"", "#", "b"} {
				c, err := ParseChord(string(step) + alter + q)
				if err != nil {
					t.Fatal(err)
				}
				if c.Quality != q {
					t.Errorf("%c%s%s read as %s", step, alter, q, c.Quality)
				}
				again, err := ParseChord(c.String())
				if err != nil || again.Quality != c.Quality || again.Root != c.Root {
					t.Errorf("%s prints as %s, which reads as %v (%v)", string(step)+alter+q, c, again, err)
				}
				var got []int
				for _, p := range c.Voice(4, 0) {
					got = append(got, p.Number()-Pitch{c.Root, 4}.Number())
				}
				if shape == nil {
					shape = got
				}
				if fmt.Sprint(got) != fmt.Sprint(shape) {
					t.Errorf("%c%s%s has the intervals %v, on other roots %v", step, alter, q, got, shape)
				}
			}
		}
	}
}

func TestInversionsTurnTheLowestNoteUp(t *testing.T) {
	for _, c := range []struct {
		symbol    string
		inversion int
		notes     string
	}{{"C", 1, "E4 G4 C5"}, {"C", 2, "G4 C5 E5"}, {"G7", 3, "F5 G5 B5 D6"}, {"C9", 1, "E4 G4 Bb4 D5 C6"}} {
		chord, err := ParseChord(c.symbol)
		if err != nil {
			t.Fatal(err)
		}
		if got := pitches(chord.Voice(4, c.inversion)); got != c.notes {
			t.Errorf("%s inversion %d is %s, want %s", c.symbol, c.inversion, got, c.notes)
		}
	}
}

func TestVelocities(t *testing.T) {
	for text, want := range map[string]int{"ppp": 16, "pp": 33, "p": 49, "mp": 64, "mf": 80, "f": 96, "ff": 112, "fff": 127, "MF": 80, "1": 1, "127": 127} {
		if v, err := ParseVelocity(text); err != nil || v != want {
			t.Errorf("%s is %d (%v), want %d", text, v, err, want)
		}
	}
	for _, text := range []string{"0", "128", "-1", "+5", "", "loud", "64.5"} {
		if v, err := ParseVelocity(text); err == nil {
			t.Errorf("%q read as %d", text, v)
		}
	}
}

func TestNoteValues(t *testing.T) {
	// In ticks of a quarter note of 480.
	for text, want := range map[string]int64{
		"whole": 1920, "half": 960, "quarter": 480, "eighth": 240, "sixteenth": 120, "16th": 120, "32nd": 60, "64th": 30, "8th": 240, "thirty-second": 60,
		"w": 1920, "h": 960, "q": 480, "e": 240, "s": 120, "1n": 1920, "4n": 480, "8n": 240, "64n": 30, "1/4": 480, "3/8": 720, "1/1": 1920, "5/16": 600,
		"dotted-quarter": 720, "double-dotted-quarter": 840, "triplet-quarter": 320, "triplet-eighth": 160, "q.": 720, "h..": 1680, "8t": 160, "4t": 320, "8.": 360,
		"8n.": 360, "eighth-triplet": 160, "Quarter": 480, "4": 480, "dotted-8": 360,
	} {
		v, ok := ParseNoteValue(text)
		if !ok || v.Ticks(480) != want {
			t.Errorf("%s is %d ticks (%v), want %d", text, v.Ticks(480), ok, want)
		}
	}
	for _, text := range []string{"", "0", "3", "-4", "1/0", "0/4", "quarters", "dotted-dotted-quarter", "q...", "+4", "1e9", "n", "t", "4x", ".", "1/4/4"} {
		if v, ok := ParseNoteValue(text); ok && text != "t" {
			t.Errorf("%q read as %v", text, v)
		}
	}
}

func TestLengthsAreNamedAsTheyAreRead(t *testing.T) {
	for ticks := int64(1); ticks < 4000; ticks++ {
		name, ok := ValueName(ticks, 480)
		if !ok {
			continue
		}
		if v, ok := ParseNoteValue(name); !ok || v.Ticks(480) != ticks {
			t.Errorf("%d ticks is named %s, which is %d", ticks, name, v.Ticks(480))
		}
	}
}

func TestInstrumentsAreThoseOfGeneralMIDI(t *testing.T) {
	for name, program := range map[string]int{
		"acoustic-grand-piano": 0, "Acoustic Grand Piano": 0, "electric_guitar_clean": 27, "violin": 40, "trumpet": 56, "tenor-sax": 66, "flute": 73,
		"gunshot": 127, "piano": 0, "strings": 48, "organ": 16, "sax": 66, "double-bass": 43, "steel-drums": 114, "lead-2-sawtooth": 81, "brass": 61,
	} {
		s, _, ok := FindInstrument(name)
		if !ok || s.Program != program || s.Guessed || s.Drums {
			t.Errorf("%s is %+v (%v), want program %d", name, s, ok, program)
		}
	}
	for name, program := range map[string]int{"standard-kit": 0, "jazz-kit": 32, "brushes": 40, "808": 25, "Drum Kit": 0} {
		if s, _, ok := FindInstrument(name); !ok || !s.Drums || s.Program != program {
			t.Errorf("%s is %+v (%v), want kit %d", name, s, ok, program)
		}
	}
	for name, want := range map[string]string{"grand-piano-acoustic": "", "honky": "honky-tonk-piano", "calliope": "lead-3-calliope", "pipe": "piccolo"} {
		s, _, ok := FindInstrument(name)
		if ok != (want != "") || s.Name != want || ok && !s.Guessed {
			t.Errorf("%s is %+v (%v), want the guess %q", name, s, ok, want)
		}
	}
	if _, near, ok := FindInstrument("acoustic"); ok || len(near) < 2 {
		t.Errorf("a part of several names was taken for one, or none was named: %v", near)
	}
	seen := map[string]bool{}
	for i, n := range Instruments() {
		if n == "" || seen[n] {
			t.Errorf("program %d has the name %q, empty or for the second time", i, n)
		}
		seen[n] = true
		if s, _, ok := FindInstrument(n); !ok || s.Program != i {
			t.Errorf("%s is found as program %d, want %d", n, s.Program, i)
		}
	}
	for _, a := range instrumentAliases {
		if a.program < 0 || a.program > 127 || seen[a.name] {
			t.Errorf("alias %s of %d", a.name, a.program)
		}
	}
}

func TestDrumsAreThoseOfGeneralMIDI(t *testing.T) {
	for name, note := range map[string]int{"kick": 36, "Bass-Drum-1": 36, "acoustic-snare": 38, "snare": 38, "hihat": 42, "closed hi hat": 42, "open-hi-hat": 46,
		"crash": 49, "ride": 51, "cowbell": 56, "open-triangle": 81, "acoustic-bass-drum": 35, "tambourine": 54, "splash-cymbal": 55, "claves": 75} {
		if n, ok := Drum(name); !ok || n != note {
			t.Errorf("%s is %d (%v), want %d", name, n, ok, note)
		}
	}
	if len(drums) != 81-35+1 {
		t.Errorf("%d drums, General MIDI has notes 35 to 81", len(drums))
	}
	for _, name := range []string{"", "-", "C4", "foo"} {
		if n, ok := Drum(name); ok {
			t.Errorf("%q is the drum %d", name, n)
		}
	}
	for n := 0; n < 128; n++ {
		if name := DrumName(n); name != "" {
			if back, ok := Drum(name); !ok || back != n {
				t.Errorf("%d is named %s, which is %d", n, name, back)
			}
		}
	}
}

func TestControllersHaveTheirNumbers(t *testing.T) {
	for name, n := range map[string]int{"volume": 7, "pan": 10, "expression": 11, "sustain": 64, "modulation": 1, "mod": 1, "reverb": 91, "chorus": 93, "breath": 2,
		"portamento": 65, "cutoff": 74, "brightness": 74, "all-notes-off": 123, "Bank-Select": 0, "bank-lsb": 32, "0": 0, "127": 127, "pedal": 64} {
		if got, err := ParseController(name); err != nil || got != n {
			t.Errorf("%s is %d (%v), want %d", name, got, err, n)
		}
	}
	for _, name := range []string{"", "128", "-1", "volum"} {
		if got, err := ParseController(name); err == nil {
			t.Errorf("%q is %d", name, got)
		}
	}
	for n := 0; n < 128; n++ {
		if got, err := ParseController(ControllerName(n)); err != nil || got != n {
			t.Errorf("%d is named %s, which is %d (%v)", n, ControllerName(n), got, err)
		}
	}
}

func FuzzSymbols(f *testing.F) {
	for _, s := range []string{"C4", "F#m7b5/Bb", "q.", "Bb-1", "1/4", "C6/9", "midi:60", "♭"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if p, err := ParsePitch(s); err == nil {
			if back, err := ParsePitch(p.String()); err != nil || back.Number() != p.Number() {
				t.Errorf("pitch %q prints as %s, which does not read back", s, p)
			}
		}
		if c, err := ParseChord(s); err == nil {
			if back, err := ParseChord(c.String()); err != nil || pitches(back.Voice(4, 0)) != pitches(c.Voice(4, 0)) {
				t.Errorf("chord %q prints as %s, which does not read back", s, c)
			}
		}
		if k, err := ParseKey(s); err == nil {
			if back, err := ParseKey(k.String()); err != nil || back != k {
				t.Errorf("key %q prints as %s, which does not read back", s, k)
			}
		}
		ParseNoteValue(s)
		FindInstrument(s)
		Drum(s)
	})
}
