package grammar

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fcp-host/fcp-host/abi"
)

var seeds = []string{
	"", " ", "note Piano C4 at:1.1 dur:quarter", `connect svc:"Auth API" -> db:Cache label:"a:b" style:dashed`,
	`x "a\"b\\c\n\t\u00e9\ud83c\udfb5\ud83c" 'd\'e\\' "`, `x @ @not @not: @not:not:a @a:b:c @not:g:"B E"`,
	"drums Kit\nkick: x\n\nend\nnote a", "drums 'K\nend", `"My Sheet"!A1:B2 "" k:"" k: A1:"F1"`, "x \xff\xfe\" \xc3",
	`x a:b:"c"d k:'v'"w" 'a'"b"`, "\u212a:\"x\" İ:'y'", `x C:\a c:/b _:/c https://d e://f`, "x a:1 a:2 a:3 A:4",
	"x\u00a0y\v\f\u2028z", `x tick:1 tick:"1" svc: svc:"" db:"\n"`, "x @t:\"A b\",\"C,d\",'e\"f',g @not:t:a,\"b c\" @t:\"\u202e\"", "x -> <-> -- <- \"->\" a->b k:->",
	"x \"a\rb\"\r k:'\r'", "tracker x\r\n\r\nTracker End\ntracker end", `x near:db:"U D" @c:db:'U D' db:"U D":"e f"`,
	`x a:"\\" 'b\\' "c\\\"" 'd\\\''`, `x "\ud83c\ud83c\udfb5 \udfb5\u00"`, "drums\nend", "drums K\nend\nend", "x https://a:'b c",
}

// equalOps compares what printing keeps.
func equalOps(a, b Op) bool {
	strip := func(o Op) Op {
		o.Raw, o.Warnings = "", nil
		o.Selectors = slices.Clone(o.Selectors)
		for i := range o.Selectors {
			o.Selectors[i].Raw = ""
		}
		return o
	}
	return reflect.DeepEqual(strip(a), strip(b))
}

// unquoted clears Quoted in the positionals: String may set it for a word that only a domain's pattern makes positional.
func unquoted(o Op) Op {
	o.Positionals = slices.Clone(o.Positionals)
	for i := range o.Positionals {
		o.Positionals[i].Quoted = false
	}
	return o
}

func FuzzParseNeverPanicsAndPrintsBack(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	rules := testRules(f)
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range []Rules{{}, rules} {
			op, err := Parse(s, r)
			if err != nil {
				e := err.(*Error)
				if !utf8.ValidString(e.Message) || strings.Contains(e.Message, "\n") || utf8.RuneCountInString(e.Raw) > rawRunes+1 {
					t.Fatalf("Parse(%q): bad error %+v", s, e)
				}
				for _, try := range e.Try {
					if _, err := Parse(try, Rules{}); err == nil {
						continue
					}
					if _, err := Parse(try, r); err != nil { // a block, which the rules alone know
						t.Fatalf("Parse(%q): try %q fails: %v", s, try, err)
					}
				}
				continue
			}
			if !utf8.ValidString(op.Raw) {
				t.Fatalf("Parse(%q).Raw is not UTF-8: %q", s, op.Raw)
			}
			if len(s) > MaxOpBytes/8 {
				continue // escaped, it may exceed the limit of an op
			}
			printed := Format(op, r)
			again, err := Parse(printed, r)
			if err != nil || !equalOps(op, again) {
				t.Fatalf("Parse(%q) = %+v\nFormat: %q\nread back as %+v (%v)", s, op, printed, again, err)
			}
			if Format(again, r) != printed {
				t.Fatalf("Format is not stable: %q, then %q", printed, Format(again, r))
			}
			if again, err = Parse(op.String(), r); err != nil || !equalOps(unquoted(op), unquoted(again)) {
				t.Fatalf("Parse(%q) = %+v\nString: %q\nread back as %+v (%v)", s, op, op, again, err)
			}
		}
	})
}

func FuzzQuotedTextNeverBecomesSyntax(f *testing.F) {
	for _, s := range append([]string{"@all", "a:b", "->", "note", "tick:1", "drums", "=x", "1:5", `\u0041`, `a" b:c "`}, seeds...) {
		f.Add(s)
	}
	rules := testRules(f)
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > MaxOpBytes/32 { // four copies, at six bytes an escape
			t.Skip()
		}
		text = strings.ToValidUTF8(text, "\uFFFD")
		quotes := []string{Quote(text)}
		if !strings.ContainsAny(text, `\'`) {
			quotes = append(quotes, "'"+text+"'")
		}
		for _, q := range quotes {
			op, err := Parse("add x "+q+" k:"+q+" @g:"+q+" @not:g:"+q+" y", rules)
			if err != nil {
				t.Fatalf("%s: %v", q, err)
			}
			want := Op{Op: abi.Op{
				Verb: "add", Positionals: []abi.Positional{{Text: "x"}, {Text: text, Quoted: true}, {Text: "y"}},
				Params: []abi.KeyValue{{Key: "k", Value: text, Quoted: true}}, Selectors: []abi.Select{{Type: "g", Value: text}, {Type: "g", Value: text, Negated: true}},
			}}
			if !equalOps(op, want) {
				t.Fatalf("%s\n got %+v\nwant %+v", q, op, want)
			}
			if op, err := Parse(q+" x", rules); err == nil {
				t.Fatalf("%s as a verb: %+v", q, op)
			}
			items := ParseAll([]string{"add " + q + "\nadd " + q}, rules)
			if len(items) != 2 || items[0].Err != nil || items[1].Err != nil || items[1].Op.Positionals[0].Text != text {
				t.Fatalf("%s in a batch: %+v", q, items)
			}
		}
	})
}

func FuzzBatchesLoseNothing(f *testing.F) {
	for _, s := range seeds {
		f.Add(s, "end\nnote b")
	}
	rules := testRules(f)
	f.Fuzz(func(t *testing.T, a, b string) {
		items := ParseAll([]string{a, b}, rules)
		if len(items) == 0 {
			t.Fatalf("ParseAll(%q, %q) has no items", a, b)
		}
		for _, item := range items {
			if item.Err != nil {
				continue
			}
			alone, err := Parse(item.Raw, rules)
			if err != nil || !reflect.DeepEqual(alone, item.Op) {
				t.Fatalf("ParseAll(%q, %q): item %+v alone is %+v (%v)", a, b, item, alone, err)
			}
		}
		// No word of the first element is lost between its ops.
		if r := (Rules{}); !strings.ContainsAny(a, `"'`) {
			words := 0
			for _, item := range ParseAll([]string{a}, r) {
				words += len(strings.FieldsFunc(item.Raw, func(c rune) bool { return strings.ContainsRune(separators, c) }))
				if item.Err != nil && item.Err.Raw != strings.TrimSuffix(item.Err.Raw, "…") {
					t.Skip()
				}
			}
			all := strings.FieldsFunc(strings.ToValidUTF8(a, "\uFFFD"), func(c rune) bool { return strings.ContainsRune(separators, c) })
			if words != len(all) {
				t.Fatalf("ParseAll(%q) has %d words of %d", a, words, len(all))
			}
		}
	})
}

func FuzzActionsAndQueriesNeverPanic(f *testing.F) {
	for _, s := range append([]string{`find it:'s a:"x`, `new "A: b" c:d`, `find @ @not:`}, seeds...) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		action, err := ParseAction(s)
		if err == nil && action.Verb == "" {
			t.Fatalf("ParseAction(%q) has no verb", s)
		}
		query, qerr := ParseQuery(s)
		if err == nil && (qerr != nil || !equalOps(action, query)) {
			t.Fatalf("%q: an action %+v, but a query %+v (%v)", s, action, query, qerr)
		}
		Nearest(s, []string{"note", "remove", s})
	})
}
