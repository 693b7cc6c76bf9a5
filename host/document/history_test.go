package document

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
)

func TestUndoAndRedoCountOps(t *testing.T) {
	d := blank(t, list(t))
	d.do("add a n:3", "add b")
	d.do("add c")
	equal(t, "undo", d.ok(d.Undo(ctx, 2, false)).String(), "* undid add c\n* undid add b\n[4 lines]")
	d.holds("a", "a", "a")
	equal(t, "redo", d.ok(d.Redo(ctx, 1)).String(), "* redid add b\n[5 lines]")
	d.holds("a", "a", "a", "b")
	equal(t, "undo of more than there is", d.ok(d.Undo(ctx, 99, false)).String(), "* undid add b\n* undid add a n:3\n[1 lines]")
	equal(t, "undo of nothing", d.bad(d.Undo(ctx, 1, false)).String(), "! nothing to undo\n[1 lines]")
	equal(t, "redo of all", d.ok(d.Redo(ctx, 99)).String(), "* redid add a n:3\n* redid add b\n* redid add c\n[6 lines]")
	equal(t, "redo of nothing", d.bad(d.Redo(ctx, 1)).String(), "! nothing to redo\n[6 lines]")
	for _, n := range []int{0, -1} {
		equal(t, "undo of fewer than one", d.bad(d.Undo(ctx, n, false)).String(), fmt.Sprintf("! a count must be 1 or more, not %d\n[6 lines]", n))
		d.bad(d.Redo(ctx, n))
	}
	d.holds("a", "a", "a", "b", "c")
}

func TestUndoBatchTakesBackTheWholeLastCall(t *testing.T) {
	d := blank(t, list(t))
	d.do("add a")
	d.do("add b", "add c", "add d")
	d.ok(d.Undo(ctx, 1, false))
	equal(t, "what is left of a call", d.ok(d.UndoBatch(ctx, false)).String(), "* undid add c\n* undid add b\n[2 lines]")
	d.ok(d.UndoBatch(ctx, false))
	d.holds()
	d.bad(d.UndoBatch(ctx, false))
}

func TestALongUndoIsCountedNotListed(t *testing.T) {
	d := blank(t, list(t))
	ops := make([]string, 100)
	for i := range ops {
		ops[i] = fmt.Sprintf("add %d", i)
	}
	d.do(ops...)
	got := d.ok(d.Undo(ctx, 100, false)).String()
	contains(t, got, "* undid add 99\n", "* undid add 80\n* undid 80 more ops\n[1 lines]")
	d.ok(d.Redo(ctx, 100))
	d.holds(strings.Split(strings.ReplaceAll(strings.Join(ops, "\n"), "add ", ""), "\n")...)
}

func TestAnAppendCutsTheRedoTailAndItsCheckpoints(t *testing.T) {
	d := blank(t, list(t))
	d.do("add a")
	d.do("add b")
	d.ok(d.Checkpoint(ctx, "late"))
	d.ok(d.Undo(ctx, 1, false))
	d.do("add c")
	d.bad(d.Redo(ctx, 1))
	equal(t, "checkpoints", d.Checkpoints(ctx).Text, "no checkpoint yet")
}

func TestCheckpointsNameStatesAndDoNotCount(t *testing.T) {
	d := blank(t, list(t))
	equal(t, "made", d.ok(d.Checkpoint(ctx, "start")).String(), "+ checkpoint \"start\"\n[1 lines]")
	d.do("add a")
	d.ok(d.Checkpoint(ctx, "one a"))
	d.do("add b")
	equal(t, "listed", d.Checkpoints(ctx).Text, "start: 2 ops ago\none a: 1 op ago\n")
	d.ok(d.Undo(ctx, 2, false)) // two ops, although there is a checkpoint between them
	d.holds()
	equal(t, "listed from before", d.Checkpoints(ctx).Text, "start: here\none a: 1 undone op ahead\n")
	d.ok(d.Redo(ctx, 2))
	equal(t, "moved", d.ok(d.Checkpoint(ctx, "start")).String(), "* checkpoint \"start\" moved here\n[3 lines]")
	d.ok(d.UndoTo(ctx, "one a", false))
	d.holds("a")
	equal(t, "cut", d.ok(d.Checkpoint(ctx, "now")).String(), "+ checkpoint \"now\"\n? the 1 undone op can no longer be redone\n[2 lines]")
	equal(t, "gone with the tail", d.Checkpoints(ctx).Text, "one a: here\nnow: here\n")
	contains(t, d.History(ctx, 10).Text, "1. add a")
}

func TestACheckpointNeedsAName(t *testing.T) {
	d := blank(t, list(t))
	for _, name := range []string{"", "  ", strings.Repeat("x", 200), "a\nb", "\x1b[2J"} {
		r := d.bad(d.Checkpoint(ctx, name))
		contains(t, r.String(), "try: checkpoint before-changes")
	}
	equal(t, "checkpoints", d.Checkpoints(ctx).Text, "no checkpoint yet")
}

func TestUndoToSaysWhatIsWrongWithAName(t *testing.T) {
	d := blank(t, list(t))
	d.do("add a")
	equal(t, "none at all", d.bad(d.UndoTo(ctx, "x", false)).String(), "! no checkpoint \"x\"; there are none\n  try: checkpoints\n[2 lines]")
	for _, name := range []string{"p", "q", "r", "s s"} {
		d.ok(d.Checkpoint(ctx, name))
	}
	equal(t, "unknown", d.bad(d.UndoTo(ctx, "x", false)).String(), `! no checkpoint "x"; there are: p, q, r, s s
  try: checkpoints
[2 lines]`)
	equal(t, "at the cursor", d.bad(d.UndoTo(ctx, "p", false)).String(), "! already at or before \"p\"\n[2 lines]")
	d.ok(d.Undo(ctx, 1, false))
	equal(t, "after the cursor", d.bad(d.UndoTo(ctx, "p", false)).String(), "! already at or before \"p\"\n[1 lines]")
	contains(t, d.bad(d.UndoTo(ctx, "", false)).String(), "! a checkpoint needs a name\n")
	d.ok(d.Redo(ctx, 1))
	d.holds("a")
}

func TestDiffListsWhatWasDoneSinceACheckpoint(t *testing.T) {
	d := blank(t, list(t))
	d.ok(d.Checkpoint(ctx, "start"))
	equal(t, "nothing", d.Diff(ctx, "start").Text, "nothing changed since \"start\"\n")
	equal(t, "nothing since it was made", d.Diff(ctx, "").Text, "nothing changed since the last save or open\n")
	d.do("add a n:2")
	d.do("add b")
	equal(t, "since", d.Diff(ctx, "start").Text, "2 ops since \"start\":\n  1. add a n:2  → 2 changes, first: line a\n  2. add b  → line b\n")
	d.ok(d.Checkpoint(ctx, "end"))
	d.ok(d.Undo(ctx, 1, false))
	equal(t, "ahead", d.Diff(ctx, "end").Text, "1 undone op between here and \"end\":\n  1. add b  → line b\n")
	equal(t, "since it was made", d.Diff(ctx, "").Text, "1 op since the last save or open:\n  1. add a n:2  → 2 changes, first: line a\n")
	r := d.bad(d.Diff(ctx, "nope"))
	contains(t, r.String(), `no checkpoint "nope"; there are: start, end`)
}

func TestHistoryListsTheLastOps(t *testing.T) {
	d := blank(t, list(t))
	equal(t, "nothing", d.History(ctx, 10).Text, "no op yet")
	d.do("add a", "add b", "add c")
	d.ok(d.Undo(ctx, 1, false))
	equal(t, "the last", d.History(ctx, 1).Text, "2. add b  → line b\n(1 undone op can be redone)\n")
}

func TestDirtyFollowsTheStateNotTheNumberOfCalls(t *testing.T) {
	d := blank(t, list(t))
	dirty := func(want bool) {
		t.Helper()
		if d.Summary().Dirty != want {
			t.Errorf("unsaved changes: %v", !want)
		}
	}
	dirty(false)
	d.do("add a")
	dirty(true)
	d.ok(d.Undo(ctx, 1, false))
	dirty(false)
	d.ok(d.Redo(ctx, 1))
	d.ok(d.Save(ctx, "./t.list", false))
	dirty(false)
	d.ok(d.Undo(ctx, 1, false))
	dirty(true)
	d.do("add b") // as many ops as when it was saved, but others
	dirty(true)
}

func TestAnIrreversibleOpIsUndoneByAFreshInstance(t *testing.T) {
	d := blank(t, list(t))
	d.do("add a", "irreversible", "add b")
	r := d.ok(d.Undo(ctx, 2, false))
	contains(t, r.String(), "* undid add b\n* undid irreversible\n", "? the list plugin failed: fcp_reverse refused the call: event 1 (insert): this plugin does not reverse; the document was rebuilt from its history instead\n[2 lines]")
	d.holds("a")
	d.ok(d.Redo(ctx, 2))
	d.holds("a", "irreversible", "b")
}

func TestAReverseThatDoesNothingIsNoticed(t *testing.T) {
	d := blank(t, list(t))
	d.do("add a")
	d.do("sham")
	r := d.ok(d.Undo(ctx, 1, false))
	contains(t, r.String(), "* undid sham\n? the list plugin came to [3 lines] instead of [2 lines]; the document was rebuilt from its history\n[2 lines]")
	d.holds("a")
	d.do("add b")
	d.holds("a", "b")
}

func TestAFalseDigestOnlyCausesAWarning(t *testing.T) {
	d := blank(t, list(t))
	d.do("add a", "lie")
	d.do("add b")
	r := d.ok(d.Undo(ctx, 1, false))
	contains(t, r.String(), "* undid add b\n? ")
	d.holds("a", "lie")
	d.bad(d.Apply(ctx, []string{"add x", "remove zzz"}))
	d.holds("a", "lie")
	d.ok(d.Redo(ctx, 1))
	d.holds("a", "lie", "b")
}

func TestARedoThatTrapsLeavesTheDocumentWhereItWas(t *testing.T) {
	d := blank(t, list(t))
	d.do("add a")
	d.do("add poison-replay")
	d.ok(d.Undo(ctx, 1, false))
	r := d.bad(d.Redo(ctx, 1))
	contains(t, r.String(), "! the list plugin failed: ", "replayed, as asked", "; a fresh instance failed, too (", "; nothing was redone\n[2 lines]")
	d.holds("a")
	d.do("add b")
	d.holds("a", "b")
}

func TestADocumentThatCannotBeRebuiltCanStillBeUndone(t *testing.T) {
	d := blank(t, list(t))
	d.do("add a")
	d.do("add poison-replay")
	d.drop()
	r := d.bad(d.Apply(ctx, []string{"add b"}))
	contains(t, r.String(), "! the list plugin failed: ")
	d.ok(d.Undo(ctx, 1, false))
	d.holds("a")
}

func TestTheHistoryFoldsAtItsCapAndKeepsTheBytes(t *testing.T) {
	d := blank(t, list(t)).capped(4 << 10)
	d.ok(d.Checkpoint(ctx, "start"))
	var want []string
	folded := false
	for i := range 60 {
		line := fmt.Sprintf("line %d", i)
		r := d.do(fmt.Sprintf("add %q", line))
		want = append(want, line)
		if strings.Contains(r.String(), "? the history reached its cap: the oldest") {
			if !folded {
				contains(t, r.String(), " ops can no longer be undone; checkpoints gone with them: start\n")
			}
			folded = true
		}
		d.holds(want...)
		if d.log.Bytes() > 4<<10 {
			t.Fatalf("the log has %d bytes", d.log.Bytes())
		}
		if i == 40 {
			d.ok(d.Checkpoint(ctx, "forty"))
		}
	}
	if !folded {
		t.Fatal("it never folded")
	}
	left := d.log.Cursor()
	d.ok(d.Undo(ctx, left, false))
	d.holds(want[:60-left]...)
	d.bad(d.Undo(ctx, 1, false))
	d.ok(d.Redo(ctx, left-1))
	d.holds(want[:59]...)
	if got := d.replayed(); got != "#list T\n"+strings.Join(want[:59], "\n") {
		t.Errorf("rebuilt: %q", got)
	}
	if !d.Summary().Dirty {
		t.Error("it counts as saved")
	}
}

func TestAHistoryThatCannotFoldGrowsAndWarnsOnce(t *testing.T) {
	d := blank(t, list(t)).capped(2 << 10)
	said := 0
	for range 60 {
		// Saved and opened again, a line with a line break is two lines.
		got := d.do(`add "a\nb"`).String()
		said += strings.Count(got, "? the history is larger than its cap and cannot be shortened (the folded document would not be the same)\n")
		if strings.Contains(got, "reached its cap") {
			t.Fatalf("it folded:\n%s", got)
		}
	}
	if said != 1 {
		t.Errorf("said %d times that it cannot be shortened", said)
	}
	d.ok(d.Undo(ctx, 60, false))
	d.holds()
}

// The folded document has as many lines and bytes as this one, but others: in it, the line break of the first op makes two lines, so
// that remove takes another line away, and drift adds one line instead of two.
func TestAHistoryIsNotFoldedIfOnlyTheSizeIsTheSame(t *testing.T) {
	d := blank(t, list(t)).capped(4 << 10)
	ops := []string{`add "a\nb"`, "add seven77", "add 1", "add 2", "add 3", "add 4", "add 5", "drift", "remove seven77"}
	said := ""
	for i := range 12 {
		ops = append(ops, fmt.Sprint("add x", i))
	}
	for _, op := range ops {
		said += d.do(op).String()
	}
	contains(t, said, "? the history is larger than its cap and cannot be shortened (the folded document would not be the same)\n")
	if strings.Contains(said, "reached its cap") {
		t.Errorf("it folded:\n%s", said)
	}
}

func TestAHistoryThatCouldNotFoldForAWhileFoldsLater(t *testing.T) {
	d := blank(t, list(t)).capped(2 << 10)
	for i := range 12 {
		d.do(fmt.Sprint("add ", i))
		if i > 6 { // the log is near its cap: without a worker, folding fails
			d.kill()
		}
	}
	if d.log.Bytes() > 2<<10 || d.log.Len() == 12 {
		t.Errorf("the log has %d bytes", d.log.Bytes())
	}
	d.holds(strings.Fields("0 1 2 3 4 5 6 7 8 9 10 11")...)
}

func TestASessionActionIsLoggedAndUndoneLikeAnOp(t *testing.T) {
	d := blank(t, list(t))
	op := command(t, `include notes.txt`)
	equal(t, "reply", d.ok(first(d.Session(ctx, &op, "notes.txt", []byte("some"), Target{}))).String(), "+ list| notes.txt: some (include notes.txt)\n[2 lines]")
	contains(t, d.History(ctx, 1).Text, "1. include notes.txt  → line notes.txt: some")
	d.ok(d.Undo(ctx, 1, false))
	d.holds()
	d.ok(d.Redo(ctx, 1))
	d.holds("notes.txt: some (include notes.txt)")
}

func TestASessionActionThatFailsLeavesNoTrace(t *testing.T) {
	d := prepared(t, list(t))
	before := d.standing()
	op := command(t, "deny")
	equal(t, "refused", d.bad(first(d.Session(ctx, &op, "", nil, Target{}))).String(), "! list| denied\n  try: include ./x\n[4 lines]")
	op = command(t, "boom")
	contains(t, d.bad(first(d.Session(ctx, &op, "", nil, Target{}))).String(), "! the list plugin failed: ", "as asked"+fresh+"\n[4 lines]")
	op = command(t, "nonsense")
	contains(t, d.bad(first(d.Session(ctx, &op, "", nil, Target{}))).String(), `! the list plugin failed: fcp_session refused the call: unknown session action "nonsense"`+fresh)
	d.unharmed(before)
}

func command(t testing.TB, s string) grammar.Op {
	t.Helper()
	op, err := grammar.ParseAction(s)
	if err != nil {
		t.Fatal(err)
	}
	return op
}

func TestTheSameCallsGiveTheSameDocumentAndReplies(t *testing.T) {
	run := func() (out string) {
		d := blank(t, list(t))
		for _, ops := range [][]string{{"add a", "add b"}, {"remove zzz"}, {"quiet", "add c n:3"}, {"panic"}} {
			out += d.Apply(ctx, ops).String() + "\n"
		}
		return out + d.Undo(ctx, 2, false).String() + d.bytes() + fmt.Sprint(d.log.History(100))
	}
	if a, b := run(), run(); a != b {
		t.Errorf("first\n%s\nthen\n%s", a, b)
	}
	if seed([]byte("a"), []byte("b")) == seed([]byte("ab")) {
		t.Error("the seed does not tell parts apart")
	}
}

func TestNewTakesTheDomainsParameters(t *testing.T) {
	d := blank(t, list(t))
	doc, _, err := New(ctx, d.Domain(), d.roots, "U", &abi.NewRequest{Title: "U", Params: []abi.KeyValue{{Key: "first", Value: "one"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer doc.Close()
	for range 2 {
		if got, _ := doc.Bytes(ctx); string(got) != "#list U\none" {
			t.Errorf("the document is %q", got)
		}
		doc.drop()
	}
}
