package pdk_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

func TestSelectorsIntersect(t *testing.T) {
	sel := func(t *testing.T, texts string) []abi.Select { return ops(t, "v "+texts)[0].Selectors }
	tests := []struct{ selectors, want, err string }{
		{"@all", "[one three four]", ""},
		{"@long", "[three four]", ""},
		{"@not:long", "[one]", ""},
		{"@all @not:all", "[]", ""},
		{"@recent", "[four]", ""},
		{"@recent:3 @long", "[three four]", ""},
		{"@long:3", "", "@long takes no value"},
		{"@all:x", "", "@all takes no value"},
		{"@recent:0", "", "@recent:0: N is a whole number from 1"},
		{"@recent:two", "", "@recent:two: N is a whole number from 1"},
		{"@lomg", "", "unknown selector @lomg; nearest: @long"},
		{"@size:3,4", "[one four]", ""},
		{"@not:size:5,4", "[one]", ""},
		{"@size:3,x", "", "x is no size"},
		{"@size:x,y", "", "x,y is no size"},
		{"@zzz", "", "unknown selector @zzz"},
		{"", "", "no selector given; @all selects everything"},
	}
	m := &shelf{words: []string{"one", "three", "four"}}
	for _, tt := range tests {
		t.Run(tt.selectors, func(t *testing.T) {
			got, err := words.Select(m, []string{"four", "gone", "four", "three", "one"}, sel(t, tt.selectors))
			if tt.err != "" {
				if err == nil || err.Error() != tt.err {
					t.Errorf("%v, want %s", err, tt.err)
				}
				return
			}
			if err != nil || fmt.Sprint(got) != tt.want {
				t.Errorf("%v, %v; want %s", got, err, tt.want)
			}
			// With Few, @recent gives the same result without going through All.
			few := words
			few.Few = func(s *shelf, some []string) []string {
				slices.SortFunc(some, func(a, b string) int { return slices.Index(s.words, a) - slices.Index(s.words, b) })
				return some
			}
			if strings.HasPrefix(tt.selectors, "@recent") {
				few.All = nil
			}
			if got, err := few.Select(m, []string{"four", "gone", "four", "three", "one"}, sel(t, tt.selectors)); err != nil || fmt.Sprint(got) != tt.want {
				t.Errorf("with Few: %v, %v; want %s", got, err, tt.want)
			}
		})
	}
}

func TestTargetsAreNamesAndWhatSelectorsMatch(t *testing.T) {
	one := func(ref string) (string, error) {
		if ref == "" {
			return "", pdk.Errorf("no name")
		}
		return strings.ToUpper(ref), nil
	}
	tests := []struct{ op, want, err string }{
		{"v one", "[ONE]", ""},
		{"v @long", "[three]", ""},
		{"v", "", "no name"},
		{"v one two one", "[ONE TWO]", ""},
		{"v one @long", "[ONE three]", ""},
		{"v THREE @all", "[THREE one three]", ""},
		{"v one @not:all @long", "", "nothing matches @not:all @long"},
		{"v @not:all @long", "", "nothing matches @not:all @long"},
		{"v @bogus", "", "unknown selector @bogus"},
	}
	for _, tt := range tests {
		t.Run(tt.op, func(t *testing.T) {
			c := &pdk.Ctx[*shelf]{Model: &shelf{words: []string{"one", "three"}}}
			op := ops(t, tt.op)[0]
			got, err := words.Targets(c, pdk.Args{Op: &op}, one)
			if tt.err != "" {
				if err == nil || err.Error() != tt.err {
					t.Errorf("%v, want %s", err, tt.err)
				}
				return
			}
			if err != nil || fmt.Sprint(got) != tt.want {
				t.Errorf("%v, %v; want %s", got, err, tt.want)
			}
		})
	}
}

func TestASelectorTypeIsDeclaredOnceByItsSyntax(t *testing.T) {
	list := pdk.Selection[int, int]{
		All: func(n int) []int { return []int{1, 2, 3, n} },
		Table: []pdk.SelectorType[int, int]{
			{Selector: abi.Selector{Syntax: "@above:N", Summary: "greater than N"}, Match: func(_ int, value string) (func(int) bool, error) {
				n, err := strconv.Atoi(value)
				return func(e int) bool { return e > n }, err
			}},
			{Selector: abi.Selector{Syntax: "@odd", Summary: "odd"}, Match: func(int, string) (func(int) bool, error) {
				return func(e int) bool { return e%2 == 1 }, nil
			}},
		},
	}
	if got := list.Describe(); len(got) != 2 || got[0] != (abi.Selector{Type: "above", Syntax: "@above:N", Summary: "greater than N"}) || got[1].Type != "odd" {
		t.Errorf("described as %+v", got)
	}
	for _, tt := range []struct {
		sels []abi.Select
		want string
	}{
		{[]abi.Select{{Type: "above", Value: "1"}, {Type: "odd"}}, "[3 9] <nil>"},
		{[]abi.Select{{Type: "odd", Value: "3"}}, "[] @odd takes no value"},
		{[]abi.Select{{Type: "ood"}}, "[] unknown selector @ood; nearest: @odd"},
	} {
		got, err := list.Select(9, nil, tt.sels)
		if s := fmt.Sprint(got, " ", err); s != tt.want {
			t.Errorf("%v: got %s, want %s", tt.sels, s, tt.want)
		}
	}
}
