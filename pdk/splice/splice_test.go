package splice

import "testing"

func TestSplicesOfOneTextAreAppliedTogether(t *testing.T) {
	const text = "one two three"
	all := All{{At: 8, Old: "three", New: "3"}, {At: 4, New: "and "}, {At: 4, Old: "two", New: ""}, {At: 13, New: "!"}}
	got, ok := all.Apply(text)
	if !ok || got != "one and  3!" {
		t.Fatalf("got %q", got)
	}
	if back, ok := all.Inverse().Apply(got); !ok || back != text {
		t.Errorf("the inverse gives %q", back)
	}
	for _, bad := range []All{{{At: 0, Old: "two"}}, {{At: 0, Old: "one"}, {At: 2, Old: "e "}}, {{At: 14}}, {{At: -1}}} {
		if got, ok := bad.Apply(text); ok || got != text {
			t.Errorf("%+v gave %q", bad, got)
		}
	}
}

func TestASpliceChecksTheOldText(t *testing.T) {
	s := Splice{At: 4, Old: "two", New: "2"}
	got, ok := s.Apply("one two")
	if back, fits := s.Inverse().Apply(got); !ok || !fits || got != "one 2" || back != "one two" {
		t.Errorf("got %q, and back %q", got, back)
	}
	if got, ok := s.Apply("one"); ok || got != "one" {
		t.Errorf("applied where it does not fit: %q", got)
	}
}
