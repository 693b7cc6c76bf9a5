package reply

import (
	"fmt"
	"regexp"
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
			"+ a\n  b\n  | ! c\n  try: paste\n       x\n       END\n? v\n  w"},
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

// Lines that differ only in names and places are joined in the reply to more than 12 ops, with all names.
func TestLinesOfManyOpsAreJoined(t *testing.T) {
	add := func(r *Reply, prefix byte, format string, args ...any) {
		r.Results = append(r.Results, Result{Op: len(r.Results) + 1, Prefix: prefix, Text: fmt.Sprintf(format, args...)})
	}
	r := &Reply{Digest: "d"}
	for i := range 7 {
		add(r, Created, "svc Orders%d @(%d,200 140x60)", i, i*200)
	}
	for i, name := range []string{"Users DB", "Stock DB", "Sales DB", "Logs DB"} {
		add(r, Created, "db %s @(%d,400 120x80)", name, i*200)
	}
	add(r, Changed, "title \"Shop\"")
	lines := r.String()
	if want := "+ svc Orders1 @(200,200 140x60)\n"; !strings.Contains(lines, want) {
		t.Errorf("12 ops lack the line %q:\n%s", want, lines)
	}
	add(r, Connection, "Orders1->Users \"reads\" solid")
	add(r, Connection, "Orders2->Stock \"reads\" solid")
	add(r, Connection, "Orders3->Sales \"writes\" solid")
	r.Results[4].Warnings = []string{"it stands apart"}
	r.Results[9].Prefix = Error
	r.Results[9].Try = ops("x")
	want := `+ svc Orders0 @(0,200 140x60)
+ 5 more svc: Orders1…Orders3, Orders5, Orders6
+ svc Orders4 @(800,200 140x60)
? it stands apart
+ db Users DB @(0,400 120x80)
+ 2 more db: Stock DB, Logs DB
! db Sales DB @(400,400 120x80)
  try: x
* title "Shop"
~ Orders1->Users "reads" solid
~ 2 more: Orders2->Stock, Orders3->Sales
[d]`
	if got := r.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if len(r.Results) != 15 {
		t.Error("the results themselves were joined")
	}
	r.Lines = true
	if n := strings.Count(r.String(), "\n"); n != 17 {
		t.Errorf("batch lines prints %d lines", n)
	}
}

// What one line says beside the others is not hidden, even if it stands in the line of its op.
func TestALineThatSaysMoreIsNotJoined(t *testing.T) {
	r := &Reply{}
	for i := range 14 {
		r.Results = append(r.Results, Result{Op: i + 1, Prefix: Created, Text: fmt.Sprintf("clip%c on V1 %ds-%ds", 'a'+i, i, i+1)})
	}
	r.Results[5].Text += " (5.3s is rounded to 5s)"
	r.Results[9].Text += " clamped"
	want := "+ clipa on V1 0s-1s\n+ 11 more: clipb, clipc, clipd, clipe, clipg, cliph, clipi, clipk, clipl, clipm, clipn\n+ clipf on V1 5s-6s (5.3s is rounded to 5s)\n+ clipj on V1 9s-10s clamped"
	if got := r.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestNamesOfSeveralWordsAreJoinedWhole(t *testing.T) {
	r := &Reply{}
	for i, name := range []string{"Order Service", "Order DB", "Order Queue", "User Service", "User DB", "User Queue", "Mail Service"} {
		r.Results = append(r.Results, Result{Op: 2*i + 1, Prefix: Created, Text: fmt.Sprintf("svc %s @(%d,0)", name, i), Told: []string{"svc", name}},
			Result{Op: 2*i + 2, Prefix: Connection, Text: name + "->Web Gateway solid", Told: []string{name, "->", "Web Gateway"}})
	}
	for i, name := range []string{"User DB", "User Queue"} {
		r.Results = append(r.Results, Result{Op: 15 + i, Prefix: Changed, Text: name + ": fill:#f00", Told: []string{name, "#f00"}})
	}
	r.Results = append(r.Results, Result{Op: 17, Prefix: Changed, Text: "Order DB: fill:#f00", Told: []string{"Order DB", "#f00"}})
	want := "+ svc Order Service @(0,0)\n~ Order Service->Web Gateway solid\n+ 6 more svc: Order DB, Order Queue, User Service, User DB, User Queue, Mail Service\n" +
		"~ 6 more: Order DB->Web Gateway, Order Queue->Web Gateway, User Service->Web Gateway, User DB->Web Gateway, User Queue->Web Gateway, Mail Service->Web Gateway\n* User DB: fill:#f00\n* 2 more: User Queue, Order DB"
	if got := r.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// What an op deleted besides what it was told is not hidden, even if it looks like a number.
func TestWhatElseWasDeletedIsNotJoined(t *testing.T) {
	r := &Reply{}
	for i := range 14 {
		r.Results = append(r.Results, Result{Op: i + 1, Prefix: Deleted, Text: fmt.Sprintf("N%d and 1 edge: N%d->N%d", i, i, 3*i+1)})
	}
	if got := r.String(); strings.Count(got, "\n") != 13 || !strings.Contains(got, "\n- N5 and 1 edge: N5->N16\n") {
		t.Errorf("got\n%s", got)
	}
}

func TestJoinedNamesAreBounded(t *testing.T) {
	r := &Reply{}
	for i := range 2000 {
		r.Results = append(r.Results, Result{Op: i + 1, Prefix: Created, Text: fmt.Sprintf("svc N%d-%d @(0,%d)", i*i, i, i)})
	}
	text := r.String()
	if n := len(text); n > 1000 || !regexp.MustCompile(`, and \d+ more$`).MatchString(text) {
		t.Errorf("%d characters: %s", n, text)
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

func TestASizeIsRoundedToItsUnit(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 bytes", 1: "1 byte", 9_999: "9999 bytes", 10_000: "10 KB", 10_499: "10 KB", 10_500: "11 KB", 9_999_499: "9999 KB",
		10_000_000: "10 MB", 10_499_999: "10 MB", 10_500_000: "11 MB",
	} {
		if got := Size(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
