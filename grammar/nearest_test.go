package grammar

import (
	"slices"
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	verbs := []string{"note", "move", "remove", "modify", "tempo", "time-sig", "track", "transpose", "chord", "copy"}
	tests := []struct {
		name, word string
		want       []string
	}{
		{"one letter wrong", "nota", []string{"note"}},
		{"the opposite is no misspelling", "unmove", nil},
		{"nor is this one", "detranspose", nil},
		{"one letter missing", "chor", []string{"chord"}},
		{"one letter too many", "tempoo", []string{"tempo"}},
		{"two letters swapped", "ntoe", []string{"note"}},
		{"the same start counts as one edit less", "noot", []string{"note"}},
		{"a prefix comes before what looks alike", "trans", []string{"transpose", "track"}},
		{"a short prefix", "tr", []string{"track", "transpose"}},
		{"case is ignored", "NOTE", []string{"note"}},
		{"a third of a long word", "tranzpoze", []string{"transpose"}},
		{"ties keep their order", "mo", []string{"move", "modify"}},
		{"an exact match comes first", "copy", []string{"copy"}},
		{"one letter says too little", "t", nil},
		{"nothing near", "xylophone", nil},
		{"nothing at all", "", nil},
		{"an absurd word", strings.Repeat("note", 1000), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Nearest(tt.word, verbs); !slices.Equal(got, tt.want) {
				t.Errorf("Nearest(%.20q) = %q, want %q", tt.word, got, tt.want)
			}
		})
	}
	if got := Nearest("ab", []string{"abc", "abd", "abe", "abf"}); !slices.Equal(got, []string{"abc", "abd", "abe"}) {
		t.Errorf("got %q, want the first three", got)
	}
	if got := Nearest("x", []string{strings.Repeat("x", 100)}); got != nil {
		t.Errorf("an absurd candidate: %q", got)
	}
}

func TestAnExactMatchComesBeforeSimilarWords(t *testing.T) {
	if got := Nearest("Move", []string{"moves", "mov", "move"}); !slices.Equal(got, []string{"move", "moves", "mov"}) {
		t.Errorf("got %q", got)
	}
}
