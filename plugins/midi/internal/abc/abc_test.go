package abc

import (
	"testing"

	"github.com/fcp-host/fcp-host/plugins/midi/internal/score"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

func TestAnAccidentalIsWrittenWhereThePitchDiffersFromItsBar(t *testing.T) {
	var altered [7]bool
	g := theory.Key{Fifths: 1} // F is sharp
	for _, c := range []struct {
		pitch string
		want  string
	}{{"F#4", "F"}, {"F4", "=F"}, {"F#4", "^F"}, {"C4", "C"}, {"C5", "c"}, {"C6", "c'"}, {"C3", "C,"}, {"Bb2", "_B,,"}, {"C##4", "^^C"}, {"Ebb4", "__E"}} {
		p, err := theory.ParsePitch(c.pitch)
		if err != nil {
			t.Fatal(err)
		}
		if got := pitchText(&score.Note{Pitch: p, MIDI: p.Number()}, g, &altered, false); got != c.want {
			t.Errorf("%s is written %s, want %s", c.pitch, got, c.want)
		}
	}
}

func TestTextsAreSafeInFields(t *testing.T) {
	for s, want := range map[string]string{"a \"b\"\n%c": "a 'b' c", `\[x]`: "(x)", "\xff": "?", "  ": ""} {
		if got := fieldText(s); got != want {
			t.Errorf("%q is written %q, want %q", s, got, want)
		}
	}
	if got := keyText(theory.Key{Fifths: 3, Minor: true}); got != "F#m" {
		t.Errorf("F# minor is written %s", got)
	}
	if got := length(unit) + " " + length(3*unit); got != " 3" {
		t.Errorf("lengths are written %q", got)
	}
}
