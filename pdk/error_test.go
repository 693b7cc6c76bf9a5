package pdk_test

import (
	"errors"
	"fmt"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/pdk"
)

// failing is implemented by tests, fuzz tests and property tests.
type failing interface {
	Helper()
	Fatalf(format string, args ...any)
}

// readBack parses a printed token as the host does and returns its text.
func readBack(t failing, printed string) string {
	t.Helper()
	op, err := grammar.Parse("verb "+printed, grammar.Rules{})
	if err != nil || len(op.Positionals) != 1 || len(op.Params)+len(op.Selectors)+len(op.Arrows) > 0 {
		t.Fatalf("%s is not read as one positional: %+v, %v", printed, op, err)
	}
	return op.Positionals[0].Text
}

// checkQuote checks that Quote prints one text as it promises.
func checkQuote(t failing, s string) {
	t.Helper()
	q := pdk.Quote(s)
	if got := readBack(t, q); got != s {
		t.Fatalf("Quote(%q) = %s, which reads as %q", s, q, got)
	}
	op, err := grammar.Parse("verb key:"+q, grammar.Rules{})
	if err != nil || len(op.Params) != 1 || op.Params[0].Key != "key" || op.Params[0].Value != s {
		t.Fatalf("key:%s reads as %+v, %v", q, op, err)
	}
	op, err = grammar.Parse("verb @group:"+q+" @not:group:"+q, grammar.Rules{})
	if err != nil || len(op.Selectors) != 2 || op.Selectors[0].Value != s || op.Selectors[1].Value != s {
		t.Fatalf("@group:%s reads as %+v, %v", q, op, err)
	}
	items := grammar.ParseAll([]string{"verb a " + q + " b"}, grammar.Rules{})
	if len(items) != 1 || items[0].Err != nil || len(items[0].Op.Positionals) != 3 || items[0].Op.Positionals[1].Text != s {
		t.Fatalf("%s in a batch reads as %+v", q, items)
	}
	if op, err = grammar.ParseAction("new " + q); err != nil || len(op.Positionals) != 1 || op.Positionals[0].Text != s {
		t.Fatalf("new %s reads as %+v, %v", q, op, err)
	}
}

func TestAQuotedTextReadsBackAsItself(t *testing.T) {
	for _, s := range []string{"", " ", "a b", `"`, `'`, `\`, `\n`, "\n", "\r", "\t", "\x00", "\x1b[31m", "\u007f", "\u0085", "\u00a0", "\u2028", "\ufeff", "\ufffd",
		"@all", "@", "->", "<-", "<->", "--", "-12", "+5", "key:value", "a:b:c", "A1:F1", "1:5", "=SUM(A1)", "Sheet1!A1:B2", "https://x", "//x", "/x", `C:\x`, "don't",
		"say \"hi\"", `\u0041`, "#ff0000", "C#4", "3/4", "ÄÖÜ", "日本語", "🎹", "end\\", "x\\\"", "verb", "#n1", "a!b", "a=b"} {
		checkQuote(t, s)
	}
	rapid.Check(t, func(t *rapid.T) {
		checkQuote(t, rapid.OneOf(rapid.String(), rapid.StringOf(rapid.RuneFrom([]rune("a@:\"'\\ \n\r\t-<>=!/\u00a0n1u0")))).Draw(t, "s"))
	})
}

func FuzzQuote(f *testing.F) {
	f.Add(`a "b" \ c:d`)
	f.Fuzz(func(t *testing.T, s string) {
		if utf8.ValidString(s) && len(s) < 4000 {
			checkQuote(t, s)
		}
	})
}

func TestPlainWordsStayBare(t *testing.T) {
	for _, s := range []string{"Piano", "C#4", "3/4", "web-server", "Größe", "#n1", "x_1", "120"} {
		if q := pdk.Quote(s); q != s {
			t.Errorf("Quote(%q) = %s", s, q)
		}
	}
}

func TestAnErrorIsItsMessageAndItsSuggestions(t *testing.T) {
	tests := []struct {
		name string
		err  error
		want string
	}{
		{"any error is a message", errors.New("broken"), "broken"},
		{"suggestions follow", pdk.Errorf("tempo %d", 0).Tryf("tempo 120").Tryf("tempo %d", 90), "tempo 0\ntry: tempo 120\ntry: tempo 90"},
		{"no more than the limit", pdk.Errorf("x").Tryf("a").Tryf("b").Tryf("c").Tryf("d"), "x\ntry: a\ntry: b\ntry: c"},
		{"a wrapped error keeps both", fmt.Errorf("bar 3: %w", pdk.Errorf("bad").Tryf("good")), "bar 3: bad\ntry: good"},
		{"a message stays on its line", pdk.Errorf("a\r\ntry: evil\nb").Tryf("c\nd"), "a try: evil b\ntry: c d"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := pdk.Text(tt.err); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func args(t *testing.T, op string) pdk.Args {
	t.Helper()
	o, err := grammar.Parse(op, grammar.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	return pdk.Args{Op: &o.Op}
}

func TestArgsReadAnOp(t *testing.T) {
	a := args(t, `connect A -> "B C" n:5 f:2.5 on:yes empty:""`)
	if a.Text(0) != "A" || a.Text(2) != "B C" || a.Text(3) != "" {
		t.Errorf("texts: %q", a.Texts(0))
	}
	if got := a.Texts(1); len(got) != 2 || a.Texts(3) != nil {
		t.Errorf("Texts(1) = %q, Texts(3) = %q", got, a.Texts(3))
	}
	if !a.IsArrow(1) || a.IsArrow(0) {
		t.Error("the arrow is positional 1")
	}
	if !a.Has("empty") || a.Has("none") || a.String("empty", "x") != "" || a.String("none", "x") != "x" {
		t.Error("an empty value is a value")
	}
	if n, err := a.Int("n", 1, 0, 9); n != 5 || err != nil {
		t.Errorf("n: %d, %v", n, err)
	}
	if n, err := a.Int("none", 1, 5, 9); n != 1 || err != nil {
		t.Errorf("a default is not checked: %d, %v", n, err)
	}
	if f, err := a.Float("f", 1, 0, 9); f != 2.5 || err != nil {
		t.Errorf("f: %g, %v", f, err)
	}
	if b, err := a.Bool("on", false); !b || err != nil {
		t.Errorf("on: %v, %v", b, err)
	}
}

func TestAValueOutOfRangeIsAnErrorThatNamesTheRange(t *testing.T) {
	for _, tt := range []struct {
		op, want string
		read     func(a pdk.Args) error
	}{
		{"x n:10", "n:10 is not a whole number from 0 to 9", func(a pdk.Args) error { _, err := a.Int("n", 0, 0, 9); return err }},
		{"x n:1.5", "n:1.5 is not a whole number from 0 to 9", func(a pdk.Args) error { _, err := a.Int("n", 0, 0, 9); return err }},
		{"x n:99999999999999999999", "n:99999999999999999999 is not a whole number from 0 to 9", func(a pdk.Args) error { _, err := a.Int("n", 0, 0, 9); return err }},
		{"x f:NaN", "f:NaN is not a number from 0 to 1.5", func(a pdk.Args) error { _, err := a.Float("f", 0, 0, 1.5); return err }},
		{"x f:Inf", "f:Inf is not a number from 0 to 1.5", func(a pdk.Args) error { _, err := a.Float("f", 0, 0, 1.5); return err }},
		{"x f:1e999", "f:1e999 is not a number from 0 to 1.5", func(a pdk.Args) error { _, err := a.Float("f", 0, 0, 1.5); return err }},
		{"x b:maybe", "b:maybe is neither true nor false", func(a pdk.Args) error { _, err := a.Bool("b", true); return err }},
	} {
		if err := tt.read(args(t, tt.op)); err == nil || err.Error() != tt.want {
			t.Errorf("%s: %v, want %s", tt.op, err, tt.want)
		}
	}
}
