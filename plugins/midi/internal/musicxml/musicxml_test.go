package musicxml

import (
	"fmt"
	"testing"
)

func TestTextsAreSafeInElements(t *testing.T) {
	for s, want := range map[string]string{"a<b>&\"c'": "a&lt;b&gt;&amp;&#34;c&#39;", "x\x00\x1fy\uffff": "xy", "a\tb": "a&#x9;b", "\xff": "?"} {
		if got := escapedText(s); got != want {
			t.Errorf("%q is written %q, want %q", s, got, want)
		}
	}
}

func TestDrumsHaveLinesOnTheStaff(t *testing.T) {
	for note, want := range map[int]string{36: "F 4 false", 38: "C 5 false", 39: "C 5 true", 42: "G 5 true", 44: "D 4 true", 51: "F 5 true", 57: "A 5 true", 43: "A 4 false", 47: "D 5 false", 50: "E 5 false", 53: "F 5 true", 54: "B 4 true", 34: "B 4 false"} {
		step, octave, cross := drumLine(note)
		if got := fmt.Sprint(step, " ", octave, cross); got != want {
			t.Errorf("drum %d is at %s, want %s", note, got, want)
		}
	}
}
