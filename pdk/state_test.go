package pdk

import (
	"strings"
	"testing"
)

func TestATitleIsOnePrintableLine(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"Menuet", "Menuet"},
		{"Prélude № 1 👩‍🎤", "Prélude № 1 👩‍🎤"},
		{"two\nlines\tand a bell\a", "two lines and a bell "},
		{"C1 \u009d, marks \u202e, ends \u2028", "C1  , marks  , ends  "},
		{"not \xff UTF-8", "not \uFFFD UTF-8"},
		{strings.Repeat("é", 30), strings.Repeat("é", 18) + "…"},
	} {
		if got := shownLine(tt.text, 40); got != tt.want {
			t.Errorf("%q is %q, want %q", tt.text, got, tt.want)
		}
	}
}
