package pdk

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
)

func TestATitleIsOnePrintableLine(t *testing.T) {
	d := &Domain[string]{State: func(title string) abi.State { return abi.State{Title: title} }}
	for _, tt := range []struct{ text, want string }{
		{"Menuet", "Menuet"},
		{"Prélude № 1 👩‍🎤", "Prélude № 1 👩‍🎤"},
		{"two\nlines\tand a bell\a", `two lines and a bell\u0007`},
		{"marks \u202e, ends \u2028 here", `marks \u202e, ends here`},
		{"not \xff UTF-8", "not \uFFFD UTF-8"},
		{strings.Repeat("é", abi.MaxSummary), strings.Repeat("é", abi.MaxSummary/2-2) + "…"},
	} {
		if got := NewInstance(d).state(tt.text).Title; got != tt.want {
			t.Errorf("%q is %q, want %q", tt.text, got, tt.want)
		}
	}
}
