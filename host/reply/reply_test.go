package reply

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func ops(texts ...string) (out []Suggestion) {
	for _, t := range texts {
		out = append(out, Op(t))
	}
	return out
}

func TestTheTextOfAReply(t *testing.T) {
	tests := []struct {
		name string
		r    *Reply
		want string
	}{
		{"nothing", &Reply{}, ""},
		{"a query's text stands as it is", &Reply{Text: "a\n\n  b\n"}, "a\n\n  b"},
		{"a line for each result, then warnings, then the digest",
			&Reply{Results: []Result{{Prefix: Created, Text: "one"}, {Prefix: Connection, Text: "two"}, {Prefix: Changed, Text: "three"}, {Prefix: Deleted, Text: "four"}, {Prefix: Bulk, Text: "five"}},
				Warnings: []string{"careful"}, Digest: "2t 9n"},
			"+ one\n~ two\n* three\n- four\n@ five\n? careful\n[2t 9n]"},
		{"a result's suggestions and warnings follow it",
			&Reply{Results: []Result{{Prefix: Error, Text: "no", Try: ops("add x", "add y"), Warnings: []string{"w"}}, {Prefix: Created, Text: "z"}}},
			"! no\n  try: add x\n  try: add y\n? w\n+ z"},
		{"further lines are indented",
			&Reply{Results: []Result{{Prefix: Created, Text: "a\nb\n! c\n", Try: ops("paste\nx\nEND")}}, Warnings: []string{"v\nw"}},
			"+ a\n  b\n  ! c\n  try: paste\n       x\n       END\n? v\n  w"},
		{"what would act on a terminal is shown",
			&Reply{Results: []Result{{Prefix: Created, Text: "\x1b[31m\u202e\r\u2028x\x00\xff 👩‍💻 é"}}, Digest: "\x07"},
			"+ \\u001b[31m\\u202e\\u000d\\u2028x\\u0000\uFFFD 👩‍💻 é\n[\\u0007]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.r.String(); got != tt.want {
				t.Errorf("got\n%q\nwant\n%q", got, tt.want)
			}
		})
	}
}

func TestLineIsOnePrintableLine(t *testing.T) {
	for in, want := range map[string]string{"": "", "a b": "a b", "a\nb\x1b": `a\u000ab\u001b`, "é 👩‍💻": "é 👩‍💻"} {
		if got := Line(in); got != want {
			t.Errorf("Line(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestErrorfIsAFailure(t *testing.T) {
	r := Errorf(ops("b"), "a %d", 1)
	if !r.Failed || r.String() != "! a 1\n  try: b" {
		t.Errorf("got %v %q", r.Failed, r)
	}
	ok := &Reply{}
	ok.Add(Created, "x %s", "y")
	ok.Fail(nil, "z")
	if !ok.Failed || ok.String() != "+ x y\n! z" {
		t.Errorf("got %v %q", ok.Failed, ok)
	}
}

func TestAHugeReplyCountsPlainSuccessesAndKeepsTheRest(t *testing.T) {
	r := &Reply{Digest: "d"}
	for i := range 10_000 {
		r.Results = append(r.Results, Result{Op: i + 1, Prefix: Created, Text: fmt.Sprint(i + 1)})
	}
	r.Results[5000].Prefix, r.Results[5000].Try = Error, ops("x")
	r.Results[6000].Warnings = []string{"w"}
	lines := strings.Split(r.String(), "\n")
	if len(lines) > 600 {
		t.Errorf("%d lines", len(lines))
	}
	for _, want := range []string{"+ 400\n* 4600 more ops done (lines left out)\n! 5001\n  try: x\n* 999 more ops done (lines left out)\n+ 6001\n? w\n* 3899 more ops done (lines left out)\n+ 9901\n", "+ 10000\n[d]"} {
		if !strings.Contains(r.String(), want) {
			t.Errorf("%q is not there", want)
		}
	}
	if len(r.Results) != 10_000 {
		t.Error("the results themselves were cut")
	}
}

// TestEveryLineHasItsPrefix is the law that a client reads replies by.
func TestEveryLineHasItsPrefix(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a!?\n\r ]{0,8}`))
	prefix := rapid.SampledFrom([]byte{Created, Connection, Changed, Deleted, Bulk, Warning, Error})
	rapid.Check(t, func(t *rapid.T) {
		r := &Reply{Digest: "d"}
		for range rapid.IntRange(0, 5).Draw(t, "results") {
			r.Results = append(r.Results, Result{Prefix: prefix.Draw(t, "prefix"), Text: text.Draw(t, "text"),
				Try: ops(rapid.SliceOfN(text, 0, 2).Draw(t, "try")...), Warnings: rapid.SliceOfN(text, 0, 2).Draw(t, "warnings")})
		}
		r.Warnings = rapid.SliceOfN(text, 0, 2).Draw(t, "warnings")
		lines := strings.Split(r.String(), "\n")
		if lines[len(lines)-1] != "[d]" {
			t.Fatalf("the last line is %q", lines[len(lines)-1])
		}
		for _, l := range lines[:len(lines)-1] {
			if len(l) < 2 || !strings.Contains("+~*-@?!", l[:1]) && l[0] != ' ' || l[1] != ' ' {
				t.Fatalf("a line is %q", l)
			}
		}
	})
}
