package abi

import (
	"slices"
	"testing"
)

func TestRecentIsTheLargestCountOfTheSelectors(t *testing.T) {
	for _, tt := range []struct {
		selectors []Select
		want      int
	}{
		{nil, 0},
		{[]Select{{Type: "all"}}, 0},
		{[]Select{{Type: "recent"}}, 1},
		{[]Select{{Type: "recent", Value: "3"}, {Type: "recent", Value: "7", Negated: true}, {Type: "recent"}}, 7},
		{[]Select{{Type: "recent", Value: "many"}}, 0},
		{[]Select{{Type: "recent", Value: "-2"}}, 0},
	} {
		if got := (&Op{Selectors: tt.selectors}).Recent(); got != tt.want {
			t.Errorf("%v: %d, want %d", tt.selectors, got, tt.want)
		}
	}
}

func TestTouchedReturnsTheIDsOrElseThoseOfTheEvents(t *testing.T) {
	for name, tt := range map[string]struct {
		result Result
		want   []string
	}{
		"several events":          {Result{Events: []Event{{IDs: []string{"a", "b"}}, {IDs: []string{"b", "c", "a"}}}}, []string{"a", "b", "c"}},
		"one event with a repeat": {Result{Events: []Event{{IDs: []string{"d", "e", "d"}}}}, []string{"d", "e"}},
		"one event":               {Result{Events: []Event{{IDs: []string{"d"}}}}, []string{"d"}},
		"given":                   {Result{IDs: []string{"f"}, Events: []Event{{IDs: []string{"g"}}}}, []string{"f"}},
		"no events":               {Result{}, nil},
	} {
		if got := tt.result.Touched(); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func TestAResourceBehindWordsIsThatOfOpsThatBeginWithThem(t *testing.T) {
	clip := &Op{Positionals: []Positional{{Text: "Clip"}, {Text: "./a.mp4"}}}
	for _, tt := range []struct {
		behind []string
		op     *Op
		want   bool
	}{
		{nil, clip, true},
		{nil, &Op{}, true},
		{[]string{"audio", "clip"}, clip, true},
		{[]string{"audio"}, clip, false},
		{[]string{"clip"}, &Op{}, false},
	} {
		if got := (&Resource{Behind: tt.behind}).Of(tt.op); got != tt.want {
			t.Errorf("behind %q, %v: %v", tt.behind, tt.op.Positionals, got)
		}
	}
}
