package document

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/reply"
)

// prepared returns a document with a history, a checkpoint and a redo tail: #list T a b c, with d undone.
func prepared(t testing.TB, dom *domain.Domain) *desk {
	t.Helper()
	d := blank(t, dom)
	d.do("add a", "add b")
	d.ok(d.Checkpoint(ctx, "here"))
	d.do("add c")
	d.do("add d")
	d.ok(d.Undo(ctx, 1, false))
	return d
}

// unharmed fails the test unless the document is as it was before, and undo and
// redo still work.
func (d *desk) unharmed(before standing) {
	d.t.Helper()
	if after := d.standing(); after != before {
		d.t.Errorf("the failed call left a trace:\n got %+v\nwant %+v", after, before)
	}
	d.ok(d.Redo(ctx, 1))
	d.holds("a", "b", "c", "d")
	d.ok(d.UndoTo(ctx, "here", false))
	d.holds("a", "b")
	if got := d.replayed(); got != "#list T\na\nb" {
		d.t.Errorf("rebuilt, the document is %q", got)
	}
}

const fresh = "; a fresh instance has the document exactly as before this call"

// failures are ops that fail, each for a different reason, with what the reply says.
var failures = []struct{ name, op, says, then string }{
	{"an op that does not parse", `add "x`, "unterminated quote: the \" at column 5 has no closing \"\n  try: add \"x\"", ""},
	{"a blank op", " ", "empty op: expected a word", ""},
	{"a verb that does not exist", "ad x", "unknown verb \"ad\"\n  try: add x", ""},
	{"a verb like one that does not work so", "remov zzz", "unknown verb \"remov\"; nearest: remove ", ""},
	{"a verb that is like no other", "zzzzzz", "unknown verb \"zzzzzz\"; the verbs are ", ""},
	{"too many words", "remove a b", "remove takes at most 1 word after it, so not \"b\"\n  try: help remove", ""},
	{"a key that does not exist", "add x m:1", "add has no parameter m:; nearest: n:\n  try: add x n:1", ""},
	{"a selector that does not exist", "add @bogus", "unknown selector @bogus; the selectors are @all @recent\n  try: help add", ""},
	{"a selector where none may be", "paste @all\nx\nEND", "paste takes no selector, so not @all\n  try: paste\n       x\n       END", ""},
	{"a block without its end", "paste\nx", "paste takes lines up to a line \"END\", and there is none", ""},
	{"a value that the domain refuses", "add x n:no", "n:no is not a whole number from 1 to 100000", ""},
	{"a refusal of the domain", "remove zzz", "no line \"zzz\"\n  try: add zzz", ""},
	{"a refusal half way through an op", "half", "failed in the middle\n  try: add x", ""},
	{"a refusal that left something behind", "stray", "failed, and left something behind", ""},
	{"a suggestion that does not parse", "hint", "no hint\n  try: add y", ""},
	{"a panic", "panic", "the list plugin failed: trap: unreachable executed in fcp_apply: panic: as asked", fresh},
	{"an exit", "exit", "the list plugin failed: exited with code 3 in fcp_apply", fresh},
	{"memory without end", "hog", "the list plugin failed: out of memory in fcp_apply: an instance may have 64 MiB; work in smaller steps", fresh},
	{"a malformed answer", "malformed", "the list plugin failed: fcp_apply gave a malformed answer (an id of 257 bytes, the limit is 256)", fresh},
	{"time without end", "spin", "the list plugin failed: fcp_apply took more than 700ms of processor time and was stopped; work in smaller steps or raise the limit call", fresh},
}

func domainFor(t testing.TB, op string) *domain.Domain {
	if op == "spin" {
		return hasty(t)
	}
	return list(t)
}

// repeatedOp is an op as the error repeats it.
func repeatedOp(op string) string {
	if op == "paste\nx" {
		return "paste" // without the end line, only the header is read
	}
	return strings.TrimSpace(strings.ReplaceAll(op, "\n", " "))
}

func TestAFailedBatchLeavesNoTraceAndSaysWhichOpItWas(t *testing.T) {
	for _, f := range failures {
		t.Run(f.name, func(t *testing.T) {
			d := prepared(t, domainFor(t, f.op))
			before := d.standing()
			ops := []string{"add one", "add two", f.op, "add never", "add ever"}
			notRun := 2
			if f.name == "a block without its end" {
				notRun = 0 // it takes the lines of the following ops
			}
			r := d.bad(d.Apply(ctx, ops))
			got := unmarked(r.String())
			head := "+ one\n+ two\n! op 3 (" + repeatedOp(f.op) + "): " + f.says
			tail := fmt.Sprintf("\n! rolled back: 2 ops undone, %d not run%s\n[4 lines]", notRun, f.then)
			if !strings.HasPrefix(got, head) || !strings.HasSuffix(got, tail) {
				t.Errorf("got\n%s\nwant\n%s…%s", got, head, tail)
			}
			if r.Results[2].Op != 3 || r.Results[2].Prefix != reply.Error || r.Digest != "4 lines" || !r.Dirty || r.Document != "T" {
				t.Errorf("facts: %+v", r)
			}
			triesParse(t, d.Domain(), r)
			d.unharmed(before)
		})
	}
}

func TestAFailedCallOfOneOpLeavesNoTrace(t *testing.T) {
	for _, f := range failures {
		t.Run(f.name, func(t *testing.T) {
			d := prepared(t, domainFor(t, f.op))
			before := d.standing()
			got := unmarked(d.bad(d.Apply(ctx, []string{f.op})).String())
			if want := "! op 1 (" + repeatedOp(f.op) + "): " + f.says; !strings.HasPrefix(got, want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if want := f.then + "\n[4 lines]"; !strings.HasSuffix(got, want) || strings.Contains(got, "rolled back") {
				t.Errorf("got\n%s\nwant at its end\n%s", got, want)
			}
			d.unharmed(before)
		})
	}
}

// triesParse checks that every suggestion of r parses.
func triesParse(t testing.TB, d *domain.Domain, r *reply.Reply) {
	t.Helper()
	for _, res := range r.Results {
		for _, try := range res.Try {
			if try.Kind != abi.TryOp {
				continue
			}
			op, err := grammar.Parse(try.Text, d.Rules)
			if err != nil || d.Check(&op) != nil {
				t.Errorf("try: %s: %v", try.Text, err)
			}
		}
	}
}

func TestABatchThatCannotBeReversedIsRolledBackByAFreshInstance(t *testing.T) {
	for _, op := range []string{"irreversible", "sham", "lie"} {
		d := prepared(t, list(t))
		before := d.standing()
		r := d.bad(d.Apply(ctx, []string{"add one", op, "remove zzz"}))
		contains(t, r.String(), "! rolled back: 2 ops undone, 0 not run\n", "[4 lines]")
		d.unharmed(before)
	}
}

func TestTheOpsOfACallRunInOrderAndEnterTheHistoryTogether(t *testing.T) {
	d := blank(t, list(t))
	r := d.do("add a", "add b\n\nadd c", "paste\n x \n\nadd no op\nEND", `add "two words" n:2`, "remove b")
	equal(t, "reply", r.String(), "+ a\n+ b\n+ c\n+ add no op\n+ two words\n- b\n[8 lines]")
	d.holds("a", "c", " x ", "", "add no op", "two words", "two words")
	equal(t, "history", d.History(ctx, 100).Text, `1. add a  → line a
2. add b  → line b
3. add c  → line c
4. paste  x  add no op END  → 3 changes, first: line  x 
5. add "two words" n:2  → 2 changes, first: line two words
6. remove b
`)
	for i, res := range r.Results {
		if res.Op != i+1 {
			t.Errorf("line %d is op %d", i+1, res.Op)
		}
	}
	if r.Revision != 1 {
		t.Errorf("one call made %d states", r.Revision)
	}
	d.ok(d.UndoBatch(ctx, false))
	d.holds()
}

func TestARepeatedKeyTakesTheLastValueAndWarns(t *testing.T) {
	d := blank(t, list(t))
	equal(t, "reply", d.do("add x n:1 n:2").String(), "+ x\n? n: is given more than once; the last value counts\n[3 lines]")
}

func TestAnOpThatChangesNothingSaysSoAndIsNotInTheHistory(t *testing.T) {
	d := blank(t, list(t))
	equal(t, "reply", d.do("quiet").String(), "? list| as it was: this changed nothing\n[1 lines]")
	if d.Summary().Dirty || d.log.Len() != 0 {
		t.Error("it counts as a change")
	}
}

func TestAChangeThatIsNotRecordedDoesNotStay(t *testing.T) {
	d := prepared(t, list(t))
	before := d.standing()
	r := d.bad(d.Apply(ctx, []string{"sneak"}))
	contains(t, r.String(), "! the list plugin changed the document without recording how: a fault of the plugin"+fresh, "[4 lines]")
	d.unharmed(before)
}

func TestAChangeThatIsNotRecordedDoesNotStayAmongOthers(t *testing.T) {
	d := blank(t, list(t))
	r := d.do("add a", "sneak")
	equal(t, "reply", r.String(), "+ a\n? list| nothing to see: this changed nothing\n? the list plugin changed the document without recording how; that part did not stay\n[2 lines]")
	d.holds("a")
	// The events depend on an unrecorded change, so they cannot be replayed.
	before := d.standing()
	r = d.bad(d.Apply(ctx, []string{"sneak", "add b"}))
	contains(t, r.String(), "! the list plugin changed the document without recording how: a fault of the plugin"+fresh+"\n[2 lines]")
	if after := d.standing(); after != before {
		t.Errorf("the call left a trace:\n got %+v\nwant %+v", after, before)
	}
	d.do("add b", "quiet")
	d.ok(d.Each(ctx, true))
	d.bad(d.Apply(ctx, []string{"add c", "half", "add d", "stray"}))
	d.holds("a", "b", "c", "d")
	equal(t, "rebuilt", d.replayed(), "#list T\na\nb\nc\nd")
}

func TestNewWarningsOfTheDocumentAreShownOnce(t *testing.T) {
	d := blank(t, list(t))
	equal(t, "first", d.do("add warn1").String(), "+ warn1\n? list| line warn1\n[2 lines]")
	equal(t, "second", d.do("add warn2").String(), "+ warn2\n? list| line warn2\n[3 lines]")
	equal(t, "third", d.do("add calm").String(), "+ calm\n[4 lines]")
}

func TestAWarningIsRepeatedOnlyIfItsWeightGrows(t *testing.T) {
	was := abi.State{Warnings: []string{"a gap at 3", "2 overlaps, first at 4", "a plain one"}, Weights: []abi.Count{{Name: "gap", Value: 1}, {Name: "overlap", Value: 2}}}
	now := abi.State{Warnings: []string{"a gap at 7", "a gap at 7 of another", "1 overlap, first at 5", "a plain one", "another plain one"},
		Weights: []abi.Count{{Name: "gap", Value: 1}, {Name: "gap of another", Value: 1}, {Name: "overlap", Value: 1}}}
	equal(t, "moved, new, less", strings.Join(newWarnings(&was, &now), "; "), "a gap at 7 of another; another plain one")
	equal(t, "more", strings.Join(newWarnings(&now, &was), "; "), "2 overlaps, first at 4")
}

func TestInModeEachTheOtherOpsOfACallHappen(t *testing.T) {
	d := prepared(t, list(t))
	contains(t, d.ok(d.Each(ctx, true)).String(), "* batch each: ")
	contains(t, d.Status(ctx).Text, "batch: each")
	r := d.bad(d.Apply(ctx, []string{"add one", "ad x", "remove zzz", `add "x`, "half", "add two @bogus", "add three"}))
	equal(t, "reply", r.String(), `+ one
! op 2 (ad x): unknown verb "ad"
  try: add x
! op 3 (remove zzz): no line "zzz"
  try: add zzz
! op 4 (add "x): unterminated quote: the " at column 5 has no closing "
  try: add "x"
! op 5 (half): failed in the middle
  try: add x
! op 6 (add two @bogus): unknown selector @bogus; the selectors are @all @recent
  try: help add
+ three
[6 lines]`)
	d.holds("a", "b", "c", "one", "three")
	d.ok(d.UndoBatch(ctx, false))
	d.holds("a", "b", "c")
	d.ok(d.Each(ctx, false))
	contains(t, d.Status(ctx).Text, "batch: atomic")
}

func TestInModeEachACallOfFailuresAloneLeavesNoTrace(t *testing.T) {
	d := prepared(t, list(t))
	d.ok(d.Each(ctx, true))
	before := d.standing()
	d.bad(d.Apply(ctx, []string{"ad x", "stray", "remove zzz"}))
	d.unharmed(before)
}

func TestInModeEachAnOpThatFailsTheInstanceUndoesItsCall(t *testing.T) {
	for _, op := range []string{"panic", "exit", "malformed", "spin"} {
		d := prepared(t, domainFor(t, op))
		d.ok(d.Each(ctx, true))
		before := d.standing()
		got := d.bad(d.Apply(ctx, []string{"add one", "ad x", "remove zzz", op, "add never"})).String()
		contains(t, got, "+ one\n", "! op 2 (ad x): ", "! op 3 (remove zzz): ", "! op 4 ("+op+"): the list plugin failed",
			"! rolled back: 1 op undone, 1 not run"+fresh+"\n[4 lines]")
		d.unharmed(before)
	}
}

func TestRecentMeansTheSameWhenTheOpThatFailedIsLookedFor(t *testing.T) {
	d := blank(t, list(t))
	d.do("add a", "add b")
	got := d.bad(d.Apply(ctx, []string{"add c", "remove @recent", "panic"})).String()
	contains(t, got, "+ c\n- c\n! op 3 (panic): ")
	d.do("add e", "remove @recent", "remove b")
	d.holds("a")
}

func TestCallsTooLargeAreRefusedInOneLine(t *testing.T) {
	d := prepared(t, list(t))
	before := d.standing()
	tests := []struct {
		name string
		ops  []string
		says string
	}{
		{"no op", nil, "! ops is empty\n"},
		{"an op of a megabyte", []string{"add " + strings.Repeat("x", 1<<20)}, "the op is 1048580 bytes long; the limit is 65536\n"},
		{"a verb of sixty thousand letters", []string{strings.Repeat("v", 60_000)}, "): unknown verb \"vvvv"},
		{"a word too many of sixty thousand letters", []string{"remove a " + strings.Repeat("w", 60_000)}, ", so not \"www"},
		{"a key of sixty thousand letters", []string{"add " + strings.Repeat("k", 60_000) + ":1"}, "add has no parameter kkk"},
		{"a selector of sixty thousand letters", []string{"add @" + strings.Repeat("s", 60_000)}, "unknown selector @sss"},
		{"a selector value with a newline", []string{"add @a:\"b\nc\""}, `unknown selector @a:b\u000ac`},
		{"a block of two megabytes", []string{"paste\n" + strings.Repeat(strings.Repeat("x", 1000)+"\n", 2000) + "END"}, "the limit is 1048576\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := d
			d.t = t
			got := d.bad(d.Apply(ctx, tt.ops)).String()
			contains(t, got, tt.says)
			if len(got) > 1200 {
				t.Errorf("the reply has %d bytes", len(got))
			}
			for _, l := range strings.Split(got, "\n") {
				if len(l) < 3 || !strings.Contains("!?[ ", l[:1]) {
					t.Errorf("odd line %q", l)
				}
			}
		})
	}
	d.t = t
	d.unharmed(before)
}

func TestACallOfAnyNumberOfOpsRunsWholeOrNotAtAll(t *testing.T) {
	d := blank(t, list(t))
	ops := make([]string, 2*abi.MaxOps+5000)
	for i := range ops {
		ops[i] = fmt.Sprintf("add %d", i)
	}
	r := d.do(ops...)
	if len(r.Results) != len(ops) || r.Digest != "25001 lines" {
		t.Fatalf("%d results, digest %s", len(r.Results), r.Digest)
	}
	ops[len(ops)-1] = "remove zzz"
	contains(t, d.bad(d.Apply(ctx, ops)).String(), "! rolled back: 24999 ops undone, 0 not run\n[25001 lines]")
	d.ok(d.UndoBatch(ctx, false))
	d.holds()
}

// A suggestion is tried out on the state within the call. The rollback reverses the staged ops, but not the trial again.
func TestTryingOutASuggestionLeavesTheStagedOpsToTheRollback(t *testing.T) {
	d := prepared(t, list(t))
	before := d.standing()
	contains(t, d.bad(d.Apply(ctx, []string{"add one", "add x m:1", "add two"})).String(), "+ one\n", "  try: add x n:1\n! rolled back: 1 op undone, 1 not run\n[4 lines]")
	d.unharmed(before)
}

// A trial takes longer on a large document, so there are fewer. A clock would give unequal replies on unequal machines.
func TestTheNumberOfTrialsDependsOnTheSizeOfTheDocumentAlone(t *testing.T) {
	for size, want := range map[int64]string{0: "add x n:1", maxTrials * trialBytes: "help add"} {
		d := prepared(t, list(t))
		d.base.open = &abi.OpenRequest{Data: make([]byte, size)} // only its size matters here
		contains(t, d.bad(d.Apply(ctx, []string{"add x m:1"})).String(), "  try: "+want+"\n")
		if (d.trials == 0) != (size > 0) {
			t.Errorf("%d trials for a document of %d bytes", d.trials, size)
		}
	}
}

// Equally near suggestions are alternatives for the caller. A large one costs as much as the op itself, so it is the only one that is run.
func TestALargeSuggestionIsTheOnlyOneThatIsRun(t *testing.T) {
	for size, want := range map[int]int{10: 2, maxRuns * runBytes: 1} {
		d := prepared(t, list(t))
		d.instance(ctx)
		list := append(asTry("add "+strings.Repeat("a", size)), asTry("add "+strings.Repeat("b", size))...)
		out, _ := (&trial{Document: d.Document, ctx: ctx, state: &d.state}).tryLine(nil, list)
		if len(out) != want || out[0] != list[0] {
			t.Errorf("%d bytes: %d suggestions, want %d", size, len(out), want)
		}
	}
}

func TestASuggestionThatDeletesSaysNoLessThanTheOp(t *testing.T) {
	d := prepared(t, list(t))
	before := d.standing()
	contains(t, d.bad(d.Apply(ctx, []string{"remove a because:old"})).String(), "remove has no parameter because:", "  try: help remove\n")
	d.unharmed(before)
}
