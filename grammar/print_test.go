package grammar

import "testing"

func TestPrinting(t *testing.T) {
	tests := []struct {
		name string
		op   Op
		want string
	}{
		{"bare words stay bare", Op{Verb: "add", Positionals: []Positional{{Text: "Box"}, {Text: "https://x"}, {Text: `C:\x`}, {Text: "A1:F1"}, {Text: "k:"}}},
			`add Box https://x C:\x A1:F1 k:`},
		{"a quoted word stays quoted", Op{Verb: "add", Positionals: []Positional{{Text: "Box", Quoted: true}}}, `add "Box"`},
		{"blanks are quoted", Op{Verb: "add", Positionals: []Positional{{Text: "a b"}}}, `add "a b"`},
		{"an empty word is quoted", Op{Verb: "add", Positionals: []Positional{{}}}, `add ""`},
		{"what would be a parameter is quoted", Op{Verb: "add", Positionals: []Positional{{Text: "a:b"}}}, `add "a:b"`},
		{"what would be a selector is quoted", Op{Verb: "add", Positionals: []Positional{{Text: "@all"}}}, `add "@all"`},
		{"what would be an arrow is quoted", Op{Verb: "add", Positionals: []Positional{{Text: "->"}, {Text: "->"}}, Arrows: []int{1}}, `add "->" ->`},
		{"what would open a quote is quoted", Op{Verb: "add", Positionals: []Positional{{Text: "'tis"}, {Text: "don't"}}}, `add "'tis" don't`},
		{"a pattern's word is quoted for readers without it", Op{Verb: "add", Positionals: []Positional{{Text: "db:X"}}}, `add "db:X"`},
		{"parameters", Op{Verb: "set", Params: []Param{{Key: "a", Value: "b"}, {Key: "c", Value: "d e"}, {Key: "f"}, {Key: "g", Value: "h", Quoted: true}}},
			`set a:b c:"d e" f:"" g:"h"`},
		{"values that would be positional bare", Op{Verb: "set", Params: []Param{{Key: "a", Value: "//x"}, {Key: "c", Value: `\x`}, {Key: "A1", Value: "B2"}}},
			`set a:"//x" c:"\\x" A1:"B2"`},
		{"selectors", Op{Verb: "list", Selectors: []Selector{{Type: "all"}, {Type: "group", Value: "Back End", Negated: true}, {Type: "r", Value: "1:5"}}},
			`list @all @not:group:"Back End" @r:1:5`},
		{"a selector's value that would open a quote", Op{Verb: "list", Selectors: []Selector{{Type: "text", Value: `a:"b`}}}, `list @text:"a:\"b"`},
		{"newlines are escaped", Op{Verb: "label", Positionals: []Positional{{Text: "a\n\"b\""}}}, `label "a\n\"b\""`},
		{"a block", Op{Verb: "drums", Positionals: []Positional{{Text: "K"}}, Block: []string{"kick: x", ""}, End: "end"}, "drums K\nkick: x\n\nend"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.op.String(); got != tt.want {
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
	blank := Op{Verb: "drums", Block: []string{"x"}}
	if got, want := Format(blank, r), "drums\nx\nend"; got != want {
		t.Errorf("a block made by hand ends with its rule's line: got %q, want %q", got, want)
	}
}
