package pdk

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
)

func TestARefusedOpSuggestsWhatWorks(t *testing.T) {
	var index Index[int]
	index.Put(1, "Auth Service", "svc", "")
	index.Put(2, "Cache", "db", "")
	index.Put(3, "Cache", "svc", "")
	one := func(ref string) error { _, err := index.One(ref, "shape", false); return err }
	op := abi.Op{Verb: "link", Raw: "link AuthServise -> Cache label:x", Positionals: []abi.Positional{{Text: "AuthServise"}, {Text: "->"}, {Text: "Cache"}},
		Arrows: []int{1}, Params: []abi.KeyValue{{Key: "label", Value: "a b"}}, Selectors: []abi.Select{{Type: "type", Value: "db", Negated: true}}}
	for name, c := range map[string]struct {
		err  error
		op   abi.Op
		want []string
	}{
		"a misspelt name becomes the nearest":                {one("AuthServise"), op, []string{`link "Auth Service" -> Cache @not:type:db label:"a b"`}},
		"an ambiguous name becomes each that it may mean":    {fmt.Errorf("to: %w", one("Cache")), op, []string{`link AuthServise -> "db:Cache" @not:type:db label:"a b"`, `link AuthServise -> "svc:Cache" @not:type:db label:"a b"`}},
		"so does a value for which the domain offers others": {Errorf("no").Instead("a b", "c", `"d e"`), op, []string{`link AuthServise -> Cache @not:type:db label:c`, `link AuthServise -> Cache @not:type:db label:"d e"`}},
		"the domain's own suggestion is kept":                {Errorf("no").Tryf("add x"), op, []string{"add x"}},
		"any other error suggests nothing":                   {errors.New("no"), op, nil},
		"nor does a name that is no word of the op's":        {one("Cash"), abi.Op{Verb: "link", Raw: "link"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, s := range withSuggestions(c.err, &c.op).Tries {
				got = append(got, s.Text)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestANumberOutOfRangeBecomesTheNearestInTheRange(t *testing.T) {
	op := abi.Op{Verb: "set", Params: []abi.KeyValue{{Key: "n", Value: ""}}}
	whole := func(a Args) error { _, err := a.Int("n", 5, 1, 9); return err }
	real := func(a Args) error { _, err := a.Float("n", 5, 0.5, 1.5); return err }
	truth := func(a Args) error { _, err := a.Bool("n", true); return err }
	for _, c := range []struct {
		value string
		read  func(Args) error
		want  string // "" for none: no number is close to a word
	}{
		{"12", whole, "set n:9"}, {"0", whole, "set n:1"}, {"many", whole, ""}, {"1.5", whole, ""},
		{"7.25", real, "set n:1.5"}, {"-1", real, "set n:0.5"}, {"NaN", real, ""}, {"some", real, ""},
		{"tru", truth, "set n:true"}, {"maybe", truth, ""},
	} {
		op.Params[0].Value = c.value
		got := ""
		for _, s := range withSuggestions(c.read(Args{&op}), &op).Tries {
			got += s.Text
		}
		if got != c.want {
			t.Errorf("n:%s: %q, want %q", c.value, got, c.want)
		}
	}
	for value, want := range map[string]bool{"TRUE": true, "Yes": true, "OFF": false} {
		op.Params[0].Value = value
		if got, err := (Args{&op}).Bool("n", !want); got != want || err != nil {
			t.Errorf("n:%s: %v, %v", value, got, err)
		}
	}
}

func TestAWordTooManyBecomesTheValueOfTheOnlyKeyThatTakesIt(t *testing.T) {
	d := &Domain[*int]{New: func(*abi.NewRequest) (*int, error) { return new(int), nil }, State: func(*int) abi.State { return abi.State{} },
		Verbs: Declare(NewVerb("put WORD… [n:N] [m:N] [on:true|false]", "", func(_ *Ctx[*int], a Args) error {
			Must(a.Int("n", 5, 1, 9))
			Must(a.Int("m", 5, 7, 9))
			Must(a.Bool("on", false))
			if len(a.Positionals) > 1 {
				return Errorf("one word")
			}
			return nil
		}))}
	in := NewInstance(d)
	if _, err := in.New(&abi.NewRequest{}); err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string]string{"3": "put a n:3", "yes": "put a on:yes", "8": "", "z": ""} {
		out, err := in.Apply(&abi.ApplyRequest{Ops: []abi.Op{{Verb: "put", Positionals: []abi.Positional{{Text: "a"}, {Text: word}}}}})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, s := range out.Results[0].Error.Try {
			got += s.Text
		}
		if got != want {
			t.Errorf("put a %s: suggested %q, want %q", word, got, want)
		}
	}
}
