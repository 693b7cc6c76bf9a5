package grammar

import (
	"slices"
	"strings"
	"testing"
)

func TestBatches(t *testing.T) {
	tests := []struct {
		name string
		ops  []string
		want []string // shape, or ! and a part of the error's message
	}{
		{"one op an element", []string{"note a", "note b"}, []string{"note | a", "note | b"}},
		{"an element is split at newlines", []string{"note a\nnote b\r\nnote c"}, []string{"note | a", "note | b", "note | c"}},
		{"blank lines are dropped", []string{"\n\nnote a\n \t\n\r\nnote b\n"}, []string{"note | a", "note | b"}},
		{"a newline in quotes splits nothing", []string{"label x \"a\nb\"\nnote c"}, []string{"label | x | «a\nb»", "note | c"}},
		{"a newline in a quoted value splits nothing", []string{"add x label:'a\nb' y\nnote c"}, []string{"add | x | y | {label=a\nb'}", "note | c"}},
		{"an apostrophe in a word opens nothing", []string{"label don't\nlabel won't"}, []string{"label | don't", "label | won't"}},
		{"a CR alone splits nothing", []string{"note a\rb"}, []string{"note | a | b"}},
		{"an empty element is an error", []string{"", "note a"}, []string{"!empty op", "note | a"}},
		{"a blank element is an error", []string{"note a", " \n\t\r\n "}, []string{"note | a", "!empty op"}},
		{"no elements", nil, nil},
		{"a failed op leaves the others", []string{"note a", "list @", "note b"}, []string{"note | a", "!@ needs a selector", "note | b"}},
		{"a failed line leaves the others", []string{"note a\n\"x\" y\nnote b"}, []string{"note | a", "!expected a verb", "note | b"}},
		{"an unterminated quote takes the rest of its element", []string{"note a\nlabel \"b\nnote c", "note d"},
			[]string{"note | a", "!the \" at column 7", "note | d"}},
		{"an op that is too long leaves the others", []string{"note a\n" + strings.Repeat("x", MaxOpBytes+1) + "\nnote b"},
			[]string{"note | a", "!65537 bytes", "note | b"}},

		{"a block in one element", []string{"drums Kit\nkick: x...\n@ \"raw\nend\nnote a"}, []string{`drums | Kit | ["kick: x..." "@ \"raw"]`, "note | a"}},
		{"a block over elements", []string{"drums Kit", "kick: x...", "", "snare: .x", "end", "note a"},
			[]string{`drums | Kit | ["kick: x..." "" "snare: .x"]`, "note | a"}},
		{"a block that begins and ends inside elements", []string{"note a\ndrums Kit\nkick: x\n", "snare: x\nend\nnote b"},
			[]string{"note | a", `drums | Kit | ["kick: x" "snare: x"]`, "note | b"}},
		{"blank lines of a block are kept", []string{"drums Kit\n\n kick\n\nend"}, []string{`drums | Kit | ["" " kick" ""]`}},
		{"a block's end is compared trimmed", []string{"drums Kit", "kick", " \tend\r"}, []string{`drums | Kit | ["kick"]`}},
		{"a block's end is compared exactly", []string{"drums Kit\nEnd\nthe end\nend"}, []string{`drums | Kit | ["End" "the end"]`}},
		{"a block's verb in any case", []string{"DRUMS Kit\nend"}, []string{"drums | Kit | []"}},
		{"a block's end of several words", []string{"tracker Piano import at:1.1\nend\ntracker end"},
			[]string{`tracker | Piano | import | {at=1.1} | ["end"]`}},
		{"two blocks", []string{"drums A\n1\nend\ndrums B\n2\nend"}, []string{`drums | A | ["1"]`, `drums | B | ["2"]`}},
		{"a block that never ends takes the batch", []string{"note a", "drums Kit", "note b", "note c"},
			[]string{"note | a", `!up to a line "end"`}},
		{"a block with a wrong header is skipped as a whole", []string{"drums @\nnote a\nend\nnote b"}, []string{"!@ needs a selector", "note | b"}},
		{"a quote in a block's header ends with it", []string{"drums 'Kit\nnote a\nend\nnote b"},
			[]string{"!unterminated quote: the ' at column 7", "note | b"}},
		{"a quote in a block's header may close on a later line", []string{"drums 'K\nit'\nkick\nend"}, []string{`drums | «K
it» | ["kick"]`}},
		{"a block that is too long is skipped as a whole",
			[]string{"drums Kit", strings.Repeat("x", MaxBlockBytes), "end", "note a"}, []string{"!the limit is 1048576", "note | a"}},
		{"a word that starts like a block's verb", []string{"drumset Kit\nnote a"}, []string{"drumset | Kit", "note | a"}},
		{"a quoted block verb is no block", []string{"\"drums\" Kit\nnote a"}, []string{"!expected a verb", "note | a"}},
	}
	rules := testRules(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, item := range ParseAll(tt.ops, rules) {
				if item.Err == nil {
					got = append(got, shape(item.Op))
					if item.Raw != item.Op.Raw {
						t.Errorf("item's raw %q, op's %q", item.Raw, item.Op.Raw)
					}
					continue
				}
				got = append(got, "!"+item.Err.Message)
				if item.Raw != item.Err.Raw {
					t.Errorf("item's raw %q, error's %q", item.Raw, item.Err.Raw)
				}
			}
			if !slices.EqualFunc(got, tt.want, func(got, want string) bool {
				part, failed := strings.CutPrefix(want, "!")
				return got == want || failed && strings.HasPrefix(got, "!") && strings.Contains(got, part)
			}) {
				t.Errorf("ParseAll(%.80q)\n got %q\nwant %q", tt.ops, got, tt.want)
			}
		})
	}
}
