package grammar

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
)

// shape spells an op compactly: positionals (quoted ones in «», arrows in <>), selectors in [], parameters in {}.
func shape(o Op) string {
	parts := []string{o.Verb}
	arrows := map[int]bool{}
	for _, i := range o.Arrows {
		arrows[i] = true
	}
	for i, p := range o.Positionals {
		switch {
		case p.Quoted:
			parts = append(parts, "«"+p.Text+"»")
		case arrows[i]:
			parts = append(parts, "<"+p.Text+">")
		default:
			parts = append(parts, p.Text)
		}
	}
	for _, s := range o.Selectors {
		not := ""
		if s.Negated {
			not = "not "
		}
		parts = append(parts, fmt.Sprintf("[%s%s=%s]", not, s.Type, s.Value))
	}
	for _, p := range o.Params {
		q := ""
		if p.Quoted {
			q = "'"
		}
		parts = append(parts, fmt.Sprintf("{%s=%s%s}", p.Key, p.Value, q))
	}
	if o.Block != nil {
		parts = append(parts, fmt.Sprintf("%q", o.Block))
	}
	return strings.Join(parts, " | ")
}

func testRules(t testing.TB) Rules {
	t.Helper()
	r, err := CompileRules([]string{`(?:svc|db|api):.+`, `tick:\d+`}, map[string]string{"drums": "end", "Tracker": "tracker end"})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestClasses(t *testing.T) {
	tests := []struct {
		name string
		in   string
		want string
	}{
		// The verb.
		{"the first token is the verb", "undo", "undo"},
		{"the verb is lower-cased", "ADD Box", "add | Box"},
		{"the verb is lower-cased as Unicode", "ДОБАВЬ Box", "добавь | Box"},
		{"other words keep their case", "add Box Theme:Blue", "add | Box | {Theme=Blue}"},
		{"a verb with dashes", "time-sig 3/4", "time-sig | 3/4"},
		{"a verb may hold an apostrophe", "don't x", "don't | x"},
		{"an op may start with anything unquoted", "-> x", "-> | x"},

		// Selectors.
		{"a selector without a value", "remove @all", "remove | [all=]"},
		{"a selector with a value", "remove @track:Piano", "remove | [track=Piano]"},
		{"a selector splits on its first colon", "list @range:1:5:9", "list | [range=1:5:9]"},
		{"a selector's value may be quoted", `list @group:"Back End"`, "list | [group=Back End]"},
		{"a selector's value may be quoted singly", `list @group:'Back End'`, "list | [group=Back End]"},
		{"a selector's quoted value may hold colons", `list @text:"a: b"`, "list | [text=a: b]"},
		{"a negated selector", "remove @not:pitch:C4", "remove | [not pitch=C4]"},
		{"a negated selector without a value", "remove @not:recent", "remove | [not recent=]"},
		{"a negated selector's value may be quoted", `list @not:group:"Back End"`, "list | [not group=Back End]"},
		{"selectors keep their order and intersect", "remove @track:Piano @range:1.1-4.4 @not:pitch:C4",
			"remove | [track=Piano] | [range=1.1-4.4] | [not pitch=C4]"},
		{"selectors may be anywhere", "move @recent to:2.1 Piano @all", "move | Piano | [recent=] | [all=] | {to=2.1}"},
		{"a selector with an empty value", "list @track:", "list | [track=]"},
		{"a selector with an empty quoted value", `list @track:""`, "list | [track=]"},
		{"a selector's count", "remove @recent:3", "remove | [recent=3]"},
		{"a selector whose type starts like not", "list @note:C4 @nothing", "list | [note=C4] | [nothing=]"},
		{"a selector whose value is not", "list @a:not:b", "list | [a=not:b]"},
		{"a type keeps its case", "list @NOT:x", "list | [NOT=x]"},
		{"a cell range in a selector", "list @range:A1:F1", "list | [range=A1:F1]"},
		{"a qualified reference in a selector", `list @connected:db:"User DB"`, "list | [connected=db:User DB]"},
		{"@ inside a word starts nothing", "send a@b.c", "send | a@b.c"},
		{"a quoted @ is positional", `find "@all"`, "find | «@all»"},
		{"an @ in a value stays there", "send to:@all", "send | {to=@all}"},

		// Quoted words.
		{"quoted words are positional", `add svc "My Service"`, "add | svc | «My Service»"},
		{"a quoted key:value is positional", `add "a:b"`, "add | «a:b»"},
		{"a quoted key with more behind the quote is positional", `add "label":x`, "add | «label:x»"},
		{"an empty quoted word is positional", `label x ""`, "label | x | «»"},
		{"a quoted arrow is no arrow", `connect A "->" B`, "connect | A | «->» | B"},
		{"a quoted sheet name with a range", `set "My Sheet"!A1:B2`, "set | «My Sheet!A1:B2»"},
		{"a word that goes on after its quote", `add "A"b:c`, "add | «Ab:c»"},

		// The domain's patterns.
		{"a declared pattern makes a word positional", "connect svc:Auth -> db:Cache", "connect | svc:Auth | <->> | db:Cache"},
		{"a pattern sees the text without quotes", `connect svc:"Auth API" -> db:Cache`,
			"connect | svc:Auth API | <->> | db:Cache"},
		{"a pattern must match the whole word", "note x tick:12a", "note | x | {tick=12a}"},
		{"a pattern does not match inside a value", "add x near:db:Cache", "add | x | {near=db:Cache}"},
		{"a pattern does not reach a selector", "list @svc:x", "list | [svc=x]"},
		{"a matched number", "note x tick:480", "note | x | tick:480"},
		{"a pattern of another domain does nothing", "note x midi:60", "note | x | {midi=60}"},

		// Ranges and formulas.
		{"a cell range", "merge A1:F1", "merge | A1:F1"},
		{"a long cell range", "merge AA1:BB23", "merge | AA1:BB23"},
		{"the largest cells", "merge A1:XFD1048576", "merge | A1:XFD1048576"},
		{"a cell range in lower case", "merge a1:f1", "merge | a1:f1"},
		{"a row range", "hide 1:5", "hide | 1:5"},
		{"a range on a sheet", "merge Sheet2!A1:B10", "merge | Sheet2!A1:B10"},
		{"a row range on a sheet", "hide Sheet2!1:5", "hide | Sheet2!1:5"},
		{"an absolute range", "merge $A$1:$F$1", "merge | $A$1:$F$1"},
		{"a quoted cell is a value", `set A1:"F1"`, "set | {A1=F1'}"},
		{"a cell with a text is a parameter", "set A1:hello", "set | {A1=hello}"},
		{"columns alone are a parameter", "set A:F", "set | {A=F}"},
		{"four letters are no cell", "set ABCD1:F1", "set | {ABCD1=F1}"},
		{"a formula", "set x =SUM(A1:B2)", "set | x | =SUM(A1:B2)"},
		{"a formula with a key inside", "set x =a:b", "set | x | =a:b"},
		{"a formula with blanks needs quotes", `set x =SUM(A1, B2) "=SUM(A1, B2)"`, "set | x | =SUM(A1, | B2) | «=SUM(A1, B2)»"},
		{"an equals sign alone", "set x =", "set | x | ="},

		// Parameters.
		{"a parameter", "note Piano C4 at:1.1 dur:quarter", "note | Piano | C4 | {at=1.1} | {dur=quarter}"},
		{"a key may hold digits, dots, dashes and underscores", "set a1.b-c_d:x _y:z", "set | {a1.b-c_d=x} | {_y=z}"},
		{"a key starts with a letter or underscore", "set 1a:x -b:y .c:z", "set | 1a:x | -b:y | .c:z"},
		{"a key is ASCII", "set größe:x", "set | größe:x"},
		{"a parameter splits on its first colon", "at marker:a:b", "at | {marker=a:b}"},
		{"a quoted value", `add x label:"data flow"`, "add | x | {label=data flow'}"},
		{"a quoted value may hold colons", `add x label:"a:b"`, "add | x | {label=a:b'}"},
		{"a quoted part inside a value", `note at:marker:"Verse 1"`, "note | {at=marker:Verse 1'}"},
		{"a value that goes on after its quote", `add x label:"a b"c`, "add | x | {label=a bc'}"},
		{"an empty parameter", `label x text:""`, "label | x | {text='}"},
		{"a key alone is positional", "find Note:", "find | Note:"},
		{"a colon alone is positional", "find :", "find | :"},
		{"a colon first is positional", "find :x", "find | :x"},
		{"a URL is positional", "link x https://example.org/a?b=c:d", "link | x | https://example.org/a?b=c:d"},
		{"a URL as a value", "link x url:https://example.org", "link | x | {url=https://example.org}"},
		{"a quoted value that starts with // is a value", `link x url:"//cdn"`, "link | x | {url=//cdn'}"},
		{"a value with one slash is a value", "set path:/a", "set | {path=/a}"},
		{"a Windows path is positional", `open C:\new\x.mid`, `open | C:\new\x.mid`},
		{"a Windows path with slashes is positional", "open c:/new/x.mid", "open | c:/new/x.mid"},
		{"a Windows path as a value", `save as:C:\new\x.mid`, `save | {as=C:\new\x.mid}`},
		{"one letter is a key otherwise", "scale x:2 y:3", "scale | {x=2} | {y=3}"},
		{"one letter with a quoted path is a parameter", `set x:"/a"`, "set | {x=/a'}"},
		{"an underscore is no drive", "set _:/a", "set | {_=/a}"},
		{"an arrow in a value stays there", "connect A B label:a->b x:->", "connect | A | B | {label=a->b} | {x=->}"},
		{"parameters keep their order", "set z:1 a:2 m:3", "set | {z=1} | {a=2} | {m=3}"},
		{"a repeated key has its first place and last value", "set a:1 b:2 a:3", "set | {a=3} | {b=2}"},
		{"keys are case-sensitive", "set a:1 A:2", "set | {a=1} | {A=2}"},
		{"a value may be a selector's text", `set sel:"@all"`, "set | {sel=@all'}"},
		{"a value with an apostrophe", "set label:don't", "set | {label=don't}"},

		// Everything else.
		{"arrows", "connect A -> B <-> C -- D <- E", "connect | A | <->> | B | <<->> | C | <--> | D | <<-> | E"},
		{"a word that holds an arrow is none", "connect A->B --> ->x", "connect | A->B | --> | ->x"},
		{"numbers with signs", "transpose -12 +5", "transpose | -12 | +5"},
		{"fractions, sharps, equations and colours", "x 3/4 C#4 bar=baz #ff0000", "x | 3/4 | C#4 | bar=baz | #ff0000"},
		{"numbers as values", "set v:-12 w:+5 m:3/4 c:#ff0000", "set | {v=-12} | {w=+5} | {m=3/4} | {c=#ff0000}"},
		{"there are no comments", "note x # y // z ; w", "note | x | # | y | // | z | ; | w"},
		{"newlines separate in one op", "note\nPiano\r\nC4", "note | Piano | C4"},
		{"NBSP is part of a word", "note a\u00a0b", "note | a\u00a0b"},
		{"brackets and commas are text", "line x (a,b) [c] {d}", "line | x | (a,b) | [c] | {d}"},
		{"a label in angle brackets", "add List<String>", "add | List<String>"},
		{"a block in one text", "drums Kit at:1.1\n kick: x...\n\n\"raw'\nend", `drums | Kit | {at=1.1} | [" kick: x..." "" "\"raw'"]`},
		{"a block's end is trimmed, its verb any case", "TRACKER x\nend\n  tracker end \n", `tracker | x | ["end"]`},
		{"an empty block", "drums Kit\nend", "drums | Kit | []"},
		{"CR before a line's end is not part of it", "drums Kit\r\nkick: x\r\nend\r\n", `drums | Kit | ["kick: x"]`},
	}
	rules := testRules(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			op, err := Parse(tt.in, rules)
			if err != nil {
				t.Fatalf("Parse(%q): %v", tt.in, err)
			}
			if got := shape(op); got != tt.want {
				t.Errorf("Parse(%q)\n got %s\nwant %s", tt.in, got, tt.want)
			}
			again, err := Parse(Format(op, rules), rules)
			if err != nil || shape(again) != tt.want {
				t.Errorf("printed as %q, read back as %s (%v)", Format(op, rules), shape(again), err)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	long := "note " + strings.Repeat("x", MaxOpBytes)
	tests := []struct {
		name    string
		in      string
		message string
		column  int
		try     string
	}{
		{"empty", "", "empty op", 0, ""},
		{"blank", " \t\r\n ", "empty op", 0, ""},
		{"a quoted verb", `"note" Piano C4`, "expected a verb", 1, "note Piano C4"},
		{"a quoted text for a verb", `"My Service" x`, "expected a verb", 1, ""},
		{"a verb that goes on after a quote", `"no"te x`, "expected a verb", 1, "note x"},
		{"an empty quoted verb", `"" x`, "expected a verb", 1, ""},
		{"a verb quoted after a key", `k:"note" x`, "expected a verb", 1, ""},
		{"a verb that lower-casing turns into a quoted one", "\u212a:\"x\"", "expected a verb", 1, ""},
		{"@ alone", "remove @", "@ needs a selector", 8, "remove @TYPE:VALUE"},
		{"@not alone", "remove @not", "@not: needs a selector", 8, "remove @not:TYPE:VALUE"},
		{"@not: alone", "remove x @not: y", "@not: needs a selector", 10, "remove x @not:TYPE:VALUE y"},
		{"a selector without a type", "remove @:x", "@ needs a selector", 8, "remove @TYPE:VALUE"},
		{"a negated selector without a type", "remove @not::x", "@not: needs a selector", 8, "remove @not:TYPE:VALUE"},
		{"a quoted selector type", `remove @not:"a b"`, "type is never quoted", 8, `remove @not:TYPE:"a b"`},
		{"a double negation", "remove @not:not:pitch:C4", "negated once", 8, "remove @pitch:C4"},
		{"@not: of @not", "remove @not:not", "@not: needs a selector", 8, "remove @not:TYPE:VALUE"},
		{"a column in runes", "удали é @", "@ needs a selector", 9, "удали é @TYPE:VALUE"},
		{"an op that is too long", long, "65541 bytes long; the limit is 65536", 0, ""},
		{"too many words", strings.Repeat("a ", MaxTokens+1), "more than 4096 words", 0, ""},
		{"a block without its end", "drums Kit\nkick: x", `up to a line "end"`, 0, "drums Kit\nkick: x\nend"},
		{"a block without lines", "drums Kit", `up to a line "end"`, 0, ""},
		{"text after a block", "drums Kit\nend\nnote x", `text after "end"`, 0, ""},
		{"a block's header is parsed", "drums @\nend", "@ needs a selector", 7, "drums @TYPE:VALUE"},
		{"a block's header keeps its quotes to itself", "drums 'Kit\nend", "unterminated", 7, "drums 'Kit'"},
		{"a block that is too long", "drums Kit\n" + strings.Repeat("x", MaxBlockBytes) + "\nend", "the limit is 1048576", 0, ""},
	}
	rules := testRules(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			op, err := Parse(tt.in, rules)
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("Parse(%.60q): got %s and %v, want an *Error", tt.in, shape(op), err)
			}
			if !strings.Contains(e.Error(), tt.message) || strings.Contains(e.Message, "\n") {
				t.Errorf("Parse(%.60q): message %q, want %q in it", tt.in, e.Message, tt.message)
			}
			if e.Column != tt.column {
				t.Errorf("Parse(%.60q): column %d, want %d", tt.in, e.Column, tt.column)
			}
			if len(e.Raw) > 4*rawRunes+3 {
				t.Errorf("Parse(%.60q): repeats %d bytes of the op", tt.in, len(e.Raw))
			}
			if got := strings.Join(e.Try, "|"); got != tt.try {
				t.Errorf("Parse(%.60q): try %q, want %q", tt.in, got, tt.try)
			}
			for _, try := range e.Try {
				if _, err := Parse(try, Rules{}); err != nil {
					t.Errorf("try %q does not parse: %v", try, err)
				}
			}
		})
	}
}

func TestLimitsAreReachable(t *testing.T) {
	for name, in := range map[string]string{
		"the longest op":  "note " + strings.Repeat("x", MaxOpBytes-5),
		"the most words":  strings.Repeat("a ", MaxTokens),
		"the most params": "set" + strings.Repeat(" k:v", MaxTokens-1),
		"the longest block": "drums K\n" + strings.Repeat(strings.Repeat("x", 1023)+"\n", MaxBlockBytes/1024) +
			"end",
	} {
		if _, err := Parse(in, testRules(t)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRawIsTheTrimmedInput(t *testing.T) {
	for in, want := range map[string]string{
		"  Note  \"a  b\" \r\n":           `Note  "a  b"`,
		"\u00a0 x":                        "\u00a0 x",
		"x \xff":                          "x \uFFFD",
		" drums K\n  kick \n end \n":      "drums K\n  kick \nend",
		"drums K\r\n\r\nsnare\r\nend\r\n": "drums K\n\nsnare\nend",
	} {
		op, err := Parse(in, testRules(t))
		if err != nil || op.Raw != want {
			t.Errorf("Parse(%q).Raw = %q (%v), want %q", in, op.Raw, err, want)
		}
	}
}

func TestARepeatedKeyIsAWarningOnce(t *testing.T) {
	op, err := Parse("set a:1 b:2 a:3 a:4", Rules{})
	if err != nil {
		t.Fatal(err)
	}
	if len(op.Warnings) != 1 || !strings.Contains(op.Warnings[0], "a:") {
		t.Errorf("got %q, want one warning that names a:", op.Warnings)
	}
	if v, ok := op.Param("a"); v != "4" || !ok {
		t.Errorf("a is %q, %v", v, ok)
	}
	if v, ok := op.Param("c"); v != "" || ok {
		t.Errorf("c is %q, %v", v, ok)
	}
	var b strings.Builder
	b.WriteString("set")
	for i := range 100 {
		fmt.Fprintf(&b, " k%d:%d", i%40, i)
	}
	if op, err = Parse(b.String(), Rules{}); err != nil {
		t.Fatal(err)
	}
	if len(op.Params) != 40 || len(op.Warnings) != 40 || op.Params[0] != (abi.KeyValue{Key: "k0", Value: "80"}) ||
		op.Params[39] != (abi.KeyValue{Key: "k39", Value: "79"}) {
		t.Errorf("with many keys: %d params, %d warnings, first %v, last %v", len(op.Params), len(op.Warnings), op.Params[0], op.Params[39])
	}
}

func TestRules(t *testing.T) {
	for _, patterns := range [][]string{{""}, {"("}, {"a)|(b"}, {`(?<=x)y`}, {"x", "["}} {
		if _, err := CompileRules(patterns, nil); err == nil {
			t.Errorf("patterns %q compile", patterns)
		}
	}
	for _, blocks := range []map[string]string{{"": "end"}, {"a b": "end"}, {"a": ""}, {"a": " "}, {"a": "x\ny"}} {
		if _, err := CompileRules(nil, blocks); err == nil {
			t.Errorf("blocks %q compile", blocks)
		}
	}
	r, err := CompileRules([]string{"a|b:c"}, map[string]string{"DRUMS": " end "})
	if err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]string{"x b:c": "x | b:c", "x ab:c": "x | {ab=c}", "x b:cd": "x | {b=cd}", "drums\nend": "drums | []"} {
		op, err := Parse(in, r)
		if got := shape(op); err != nil || got != want {
			t.Errorf("Parse(%q) = %s (%v), want %s", in, got, err, want)
		}
	}
}
