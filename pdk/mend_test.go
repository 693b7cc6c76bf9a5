package pdk_test

import (
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

func TestAMendedOpDiffersOnlyInTheChange(t *testing.T) {
	op := &abi.Op{Verb: "connect", Positionals: []abi.Positional{{Text: "A b"}, {Text: "->"}, {Text: "C"}, {Text: "d"}}, Arrows: []int{1},
		Selectors: []abi.Select{{Type: "type", Value: "x y", Negated: true}, {Type: "all"}}, Params: []abi.KeyValue{{Key: "fill", Value: "red"}, {Key: "label", Value: "two words"}}}
	const rest = ` @not:type:"x y" @all fill:red label:"two words"`
	for want, changes := range map[string][]pdk.Change{
		`connect "A b" -> C d` + rest:                                                      nil,
		`connect "A b" -> "C d"` + rest:                                                    {pdk.WithJoined(2)},
		`connect -> C d` + rest:                                                            {pdk.WithoutWord(0)},
		`connect a b -> C d` + rest:                                                        {pdk.WithWords(0, 1, "a", "b")},
		`connect "A b" <- d` + rest:                                                        {pdk.WithArrow(1, 2, "<-")},
		`connect "A b" -> C d` + rest + " size:1":                                          {pdk.WithParam("size", "1")},
		`connect "A b" -> C d @not:type:"x y" @all fill:blue label:"two words"`:            {pdk.WithParam("fill", "blue")},
		`connect "A b" -> C d @not:type:"x y" @all stroke:red`:                             {pdk.WithKey("fill", "stroke"), pdk.Without("label")},
		`connect "A b" -> C d @not:type:"x y" @all @text:"1 2" fill:red label:"two words"`: {pdk.WithSelector("text", "1 2")},
	} {
		if got := (pdk.Args{Op: op}).Mended(changes...); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestOneOfIgnoresCaseAndSeparators(t *testing.T) {
	list := []string{"top-left", "Back"}
	for word, want := range map[string]string{"top-left": "top-left", "TopLeft": "top-left", "top_left": "top-left", "back": "Back", "": "", "-": "", "top": "", "backs": ""} {
		if got, ok := pdk.OneOf(word, list); got != want || ok != (want != "") {
			t.Errorf("%q is %q", word, got)
		}
	}
}
