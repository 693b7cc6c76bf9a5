package timing

import (
	"fmt"
	"strings"
	"testing"
)

func TestTextsAreSplitIntoSyllables(t *testing.T) {
	for text, want := range map[string]string{"Twin-kle, twin-kle _ star": "Twin- kle, twin- kle  star", "Oh---": "Oh-  ", "a": "a", "": "", "- a": "- a", "a -": "a -", "re-": "re-"} {
		if got := strings.Join(syllables(text), " "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestTempiAreNumbersFactorsAndRamps(t *testing.T) {
	read := func(s string) string {
		if from, to, ok, err := parseFactors(s); err != nil {
			return "no factor"
		} else if ok {
			return fmt.Sprintf("x%g-x%g", from, to)
		}
		from, to, ramp, err := parseTempi(s)
		if err != nil {
			return "no tempo"
		}
		return fmt.Sprintf("%g-%g %v", from, to, ramp)
	}
	for s, want := range map[string]string{
		"120": "120-120 false", "92.5 bpm": "92.5-92.5 false", "120-140": "120-140 true", "120->140": "120-140 true", "120-120": "120-120 false", "4": "4-4 false", "1000": "1000-1000 false",
		"3.9": "no tempo", "1000.1": "no tempo", "+90": "no tempo", "-3": "no tempo", "NaN": "no tempo", "120-2000": "no tempo",
		"x0.5": "x0.5-x0.5", "80%": "x0.8-x0.8", "x1-x0.5": "x1-x0.5", "100%->50%": "x1-x0.5", "x0.01": "x0.01-x0.01", "x0.009": "no factor", "x100": "x100-x100", "x101": "no factor", "x": "no factor",
	} {
		if got := read(s); got != want {
			t.Errorf("%s is read as %s, want %s", s, got, want)
		}
	}
}

func TestANearTempoHasNoSign(t *testing.T) {
	for s, want := range map[string]string{"5000": "[1000]", "1": "[4]", "+10": "[]", "-3": "[]", "fast": "[]", "120-2000": "[]"} {
		if got := fmt.Sprint(NearTempo(s)); got != want {
			t.Errorf("near %s: %s, want %s", s, got, want)
		}
	}
}

func TestASpanOfBarsIsWithinTheSong(t *testing.T) {
	for s, want := range map[string]string{"5-8": "5 8 true", "5": "5 5 true", "1-10": "1 10 true", "1-11": "false", "0-3": "false", "4-3": "false", "a-3": "false", "": "false"} {
		first, last, ok := barSpan(s, 10)
		if got := fmt.Sprint(first, last, ok); got != want && fmt.Sprint(ok) != want {
			t.Errorf("%q is read as %s, want %s", s, got, want)
		}
	}
}

func TestTimeSignaturesHaveBeatsThatAreNoteValues(t *testing.T) {
	for s, want := range map[string]string{"3/4": "3 4", "64/64": "64 64", "1/1": "1 1", "65/4": "", "0/4": "", "4/3": "", "4/128": "", "4/0": "", "4": "", "3-4": ""} {
		num, den, err := ParseTimeSig(s)
		if got := fmt.Sprint(num, " ", den); err == nil && got != want || err != nil && want != "" {
			t.Errorf("%s is read as %s, %v, want %q", s, got, err, want)
		}
	}
	if got := WithSlash("6-8"); got != "6/8" {
		t.Errorf("6-8 becomes %s", got)
	}
}
