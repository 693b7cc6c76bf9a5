package grammar

import (
	"testing"

	"github.com/fcp-host/fcp-host/abi"
)

func TestPrinting(t *testing.T) {
	tests := []struct {
		name string
		op   abi.Op
		want string
	}{
		{"bare words stay bare", abi.Op{Verb: "add", Positionals: []abi.Positional{{Text: "Box"}, {Text: "https://x"}, {Text: `C:\x`}, {Text: "A1:F1"}, {Text: "k:"}}},
			`add Box https://x C:\x A1:F1 k:`},
		{"a quoted word stays quoted", abi.Op{Verb: "add", Positionals: []abi.Positional{{Text: "Box", Quoted: true}}}, `add "Box"`},
		{"blanks are quoted", abi.Op{Verb: "add", Positionals: []abi.Positional{{Text: "a b"}}}, `add "a b"`},
		{"an empty word is quoted", abi.Op{Verb: "add", Positionals: []abi.Positional{{}}}, `add ""`},
		{"what would be a parameter is quoted", abi.Op{Verb: "add", Positionals: []abi.Positional{{Text: "a:b"}}}, `add "a:b"`},
		{"what would be a selector is quoted", abi.Op{Verb: "add", Positionals: []abi.Positional{{Text: "@all"}}}, `add "@all"`},
		{"what would be an arrow is quoted", abi.Op{Verb: "add", Positionals: []abi.Positional{{Text: "->"}, {Text: "->"}}, Arrows: []int{1}}, `add "->" ->`},
		{"what would open a quote is quoted", abi.Op{Verb: "add", Positionals: []abi.Positional{{Text: "'tis"}, {Text: "don't"}}}, `add "'tis" don't`},
		{"a pattern's word is quoted for readers without it", abi.Op{Verb: "add", Positionals: []abi.Positional{{Text: "db:X"}}}, `add "db:X"`},
		{"parameters", abi.Op{Verb: "set", Params: []abi.KeyValue{{Key: "a", Value: "b"}, {Key: "c", Value: "d e"}, {Key: "f"}, {Key: "g", Value: "h", Quoted: true}}},
			`set a:b c:"d e" f:"" g:"h"`},
		{"values that would be positional bare", abi.Op{Verb: "set", Params: []abi.KeyValue{{Key: "a", Value: "//x"}, {Key: "c", Value: `\x`}, {Key: "A1", Value: "B2"}}},
			`set a:"//x" c:"\\x" A1:"B2"`},
		{"selectors", abi.Op{Verb: "list", Selectors: []abi.Select{{Type: "all"}, {Type: "group", Value: "Back End", Negated: true}, {Type: "r", Value: "1:5"}}},
			`list @all @not:group:"Back End" @r:1:5`},
		{"a selector's value that would open a quote", abi.Op{Verb: "list", Selectors: []abi.Select{{Type: "text", Value: `a:"b`}}}, `list @text:"a:\"b"`},
		{"newlines are escaped", abi.Op{Verb: "label", Positionals: []abi.Positional{{Text: "a\n\"b\""}}}, `label "a\n\"b\""`},
		{"what nobody sees is quoted and escaped", abi.Op{Verb: "add", Positionals: []abi.Positional{{Text: "a\u202eb"}}, Selectors: []abi.Select{{Type: "t", Value: "\u200b"}},
			Params: []abi.KeyValue{{Key: "k", Value: "\U000e0041"}}}, `add "a\u202eb" @t:"\u200b" k:"\udb40\udc41"`},
		{"a list in a selector", abi.Op{Verb: "list", Selectors: []abi.Select{{Type: "track", Value: `A b,C"d`}, {Type: "track", Value: "A,B"}}},
			`list @track:"A b,C\"d" @track:A,B`},
		{"a block", abi.Op{Verb: "drums", Positionals: []abi.Positional{{Text: "K"}}, Block: []string{"kick: x", ""}}, "drums K\nkick: x\n\nend"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := (Op{Op: tt.op, End: "end"}).String(); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestFormatKeepsWhatADomainReads(t *testing.T) {
	r := testRules(t)
	for _, s := range []string{"connect db:Cache -> svc:X", `connect svc:"Auth API" -- db:Cache`, "drums K\nend"} {
		op, err := Parse(s, r)
		if err != nil {
			t.Fatal(err)
		}
		if got := Format(op, r); got != s {
			t.Errorf("got %q, want %q", got, s)
		}
	}
	blank := Op{Op: abi.Op{Verb: "drums", Block: []string{"x"}}}
	if got, want := Format(blank, r), "drums\nx\nend"; got != want {
		t.Errorf("a block made by hand ends with its rule's line: got %q, want %q", got, want)
	}
}
