package theory

import "testing"

func TestInstrumentsReachTheirWellKnownEnds(t *testing.T) {
	for _, c := range []struct{ instrument, low, high string }{
		{"acoustic-grand-piano", "A0", "C8"}, {"violin", "G3", "A7"}, {"cello", "C2", "C6"}, {"acoustic-guitar-nylon", "E2", "C6"},
		{"electric-bass-finger", "B0", "G4"}, {"piccolo", "D5", "C8"}, {"bassoon", "Bb1", "F5"}, {"glockenspiel", "C5", "C8"}, {"marimba", "C2", "C7"},
	} {
		s, _, _ := FindInstrument(c.instrument)
		low, high, ok := Compass(s.Program)
		l, _ := ParsePitch(c.low)
		h, _ := ParsePitch(c.high)
		if !ok || low != l.Number() || high != h.Number() {
			t.Errorf("%s plays %d to %d, want %s to %s", c.instrument, low, high, c.low, c.high)
		}
	}
	for _, free := range []string{"lead-1-square", "pad-2-warm", "drawbar-organ", "gunshot", "choir-aahs"} {
		s, _, _ := FindInstrument(free)
		if low, high, ok := Compass(s.Program); ok {
			t.Errorf("%s is limited to %d to %d", free, low, high)
		}
	}
	for p := range 128 {
		if low, high, _ := Compass(p); low < 0 || high > 127 || high-low < 12 {
			t.Errorf("program %d plays %d to %d", p, low, high)
		}
	}
}
