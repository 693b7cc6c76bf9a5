package document

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/sandbox"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

func TestAWorkerKilledBetweenCallsIsNotNoticed(t *testing.T) {
	calls := []struct {
		name string
		call func(d *desk) *reply.Reply
	}{
		{"an op", func(d *desk) *reply.Reply { return d.Apply(ctx, []string{"add e"}) }},
		{"a query", func(d *desk) *reply.Reply { return d.query("map") }},
		{"a save", func(d *desk) *reply.Reply { return d.Save(ctx, "./t.list", false) }},
		{"an export", func(d *desk) *reply.Reply { return first(d.Export(ctx, "upper", nil, "./t.txt", false)) }},
		{"an undo", func(d *desk) *reply.Reply { return d.Undo(ctx, 1, false) }},
		{"a redo", func(d *desk) *reply.Reply { return d.Redo(ctx, 1) }},
		{"an undo to a checkpoint", func(d *desk) *reply.Reply { return d.UndoTo(ctx, "here", false) }},
		{"a checkpoint", func(d *desk) *reply.Reply { return d.Checkpoint(ctx, "there") }},
		{"the status", func(d *desk) *reply.Reply { return d.Status(ctx) }},
		{"a session action", func(d *desk) *reply.Reply {
			op := command(d.t, "include x")
			return first(d.Session(ctx, &op, "x", []byte("y"), Target{}))
		}},
	}
	for _, c := range calls {
		t.Run(c.name, func(t *testing.T) {
			calm, killed := prepared(t, list(t)), prepared(t, list(t))
			want := unmarked(calm.ok(c.call(calm)).String())
			killed.kill()
			equal(t, "reply", killed.ok(c.call(killed)).String(), want)
			equal(t, "bytes", killed.bytes(), calm.bytes())
			equal(t, "history", killed.History(ctx, 100).Text, calm.History(ctx, 100).Text)
		})
	}
	t.Run("help", func(t *testing.T) {
		d := prepared(t, list(t))
		d.kill()
		if got := fmt.Sprintf("%v", d.Help(ctx)); got != "[{Lines [4] }]" {
			t.Errorf("got %s", got)
		}
	})
}

func TestAWorkerKilledDuringCallsLosesNothing(t *testing.T) {
	d := blank(t, list(t))
	now, done := make(chan int), make(chan struct{})
	defer func() { close(now); <-done }()
	go func() {
		defer close(done)
		for wait := range now {
			for range wait {
				runtime.Gosched()
			}
			d.kill()
		}
	}()
	var want []string
	failed := 0
	for i := range 40 {
		now <- i * i * 10
		ops := []string{fmt.Sprint("add a", i), fmt.Sprint("add b", i), fmt.Sprint("remove a", i)}
		if r := d.Apply(ctx, ops); r.Failed {
			contains(t, r.String(), "the list plugin failed: ", fresh)
			failed++
		} else {
			want = append(want, fmt.Sprint("b", i))
		}
		if i%5 == 4 {
			d.ok(d.Undo(ctx, 3, false))
			d.ok(d.Redo(ctx, 3))
		}
		d.holds(want...)
	}
	t.Logf("%d calls failed", failed)
	if got, now := d.replayed(), d.bytes(); got != now {
		t.Errorf("rebuilt: %q, was %q", got, now)
	}
}

func TestTrapsInReadsLeaveTheDocumentAsItWas(t *testing.T) {
	d := prepared(t, list(t))
	before := d.standing()
	contains(t, d.bad(d.query("panic")).String(), "! the list plugin failed: trap", "as asked"+fresh)
	contains(t, d.bad(d.query("find")).String(), "! list| find takes one text\n  try: find x")
	if r := d.query("find"); len(r.Results[0].Try) != 1 {
		t.Errorf("a suggestion that does not parse is printed: %q", r.Results[0].Try)
	}
	d.unharmed(before)

	d.do("add poison-save")
	before.bytes = ""
	contains(t, d.bad(d.Save(ctx, "./t.list", false)).String(), "! cannot save: the list plugin failed: trap", "saved, as asked"+fresh)
	if _, err := d.Bytes(ctx); err == nil {
		t.Error("bytes without an error")
	}
	d.do("remove poison-save", "add secret")
	equal(t, "a refusal to save", d.bad(d.Save(ctx, "./t.list", false)).String(), "! cannot save: list| this list is not for disks\n  try: remove secret")
	d.do("remove secret")
	d.holds("a", "b")
}

func TestAQueryWithoutEndIsStopped(t *testing.T) {
	d := prepared(t, hasty(t))
	before := d.standing()
	contains(t, d.bad(d.query("spin")).String(), "! the list plugin failed: fcp_query took more than 700ms of processor time and was stopped", fresh)
	d.unharmed(before)
}

func TestADocumentDoesNotPayForAnotherOfTheSamePlugin(t *testing.T) {
	victim, culprit := prepared(t, hasty(t)), prepared(t, hasty(t))
	before := victim.standing()
	for _, op := range []string{"spin", "panic", "hog", "exit"} {
		culprit.bad(culprit.Apply(ctx, []string{op}))
		equal(t, "after "+op, victim.query("find b").String(), "b")
	}
	victim.unharmed(before)
}

func TestADocumentMovesFromTheInterpreterToTheCompiledModule(t *testing.T) {
	wasm, err := os.ReadFile(testwasm.List(t))
	if err != nil {
		t.Fatal(err)
	}
	p, err := sandbox.NewPlugin(sandbox.Config{Name: "list", Wasm: wasm, CacheDir: t.TempDir(), Command: testwasm.Worker(t), Interim: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	m, err := domain.Describe(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	dom, err := domain.New(m, p)
	if err != nil {
		t.Fatal(err)
	}
	d := prepared(t, dom)
	before := d.standing()
	contains(t, d.bad(d.Apply(ctx, []string{"add x m:1"})).String(), "  try: add x n:1\n")
	if err := p.Warm(ctx); err != nil {
		t.Fatal(err)
	}
	contains(t, d.bad(d.Apply(ctx, []string{"add one", "add x m:1"})).String(), "  try: add x n:1\n")
	d.unharmed(before)
	if d.inst.NeedsRecycle() {
		t.Error("the document is still interpreted")
	}
}

// An instance that is lost while suggestions are tried is replaced by one with the ops of the call.
func TestATrialSurvivesTheLossOfItsInstance(t *testing.T) {
	d := prepared(t, list(t))
	before := d.standing()
	d.staged = nil
	<-d.turn
	d.inst.Close() // as if its worker had ended
	kind, _ := (&trial{Document: d.Document, ctx: ctx, state: &d.state}).works(asTry("add y")[0], nil)
	d.leave()
	if kind != abi.Created {
		t.Errorf("the trial says %q", kind)
	}
	d.unharmed(before)
}

func TestAnInstanceIsRecycledInTime(t *testing.T) {
	d := prepared(t, list(t))
	first := d.inst
	replaced := 0
	for i := range 5_300 {
		if i%3 == 0 {
			d.ok(d.Redo(ctx, 1))
			d.ok(d.Undo(ctx, 1, false))
		} else {
			d.ok(d.query("map"))
		}
		if d.inst != first {
			first = d.inst
			replaced++
		}
	}
	if replaced != 1 {
		t.Errorf("replaced %d times", replaced)
	}
	d.holds("a", "b", "c")
}

func TestAPluginThatIsNotDeterministicIsReported(t *testing.T) {
	d := blank(t, list(t))
	d.do("add a", "drift")
	equal(t, "live", d.query("map").Text, "#list T\na\ndrift\ndrift")
	d.drop()
	r := d.query("map")
	contains(t, r.String(), "? the list plugin is not deterministic: rebuilt from its history, the document is [3 lines] and was [4 lines]; check it before saving")
	if r := d.query("map"); len(r.Warnings) > 0 {
		t.Errorf("said twice: %s", r)
	}
}

func TestTwoWorkOnOneDocumentInTurn(t *testing.T) {
	d := blank(t, list(t))
	var wg sync.WaitGroup
	for who := range 2 {
		wg.Go(func() {
			for i := range 60 {
				if r := d.Apply(ctx, []string{fmt.Sprintf("add %d-%d", who, i), "add x", "remove x"}); r.Failed {
					t.Error(r)
				}
				if r := d.query("map"); r.Failed || strings.Contains(r.Text, "x") {
					t.Errorf("half a call shows: %s", r)
				}
			}
		})
	}
	wg.Wait()
	lines := strings.Split(d.bytes(), "\n")[1:]
	next := [2]int{}
	for _, l := range lines {
		var who, i int
		if _, err := fmt.Sscanf(l, "%d-%d", &who, &i); err != nil || next[who] != i {
			t.Fatalf("line %q out of order in %q", l, lines)
		}
		next[who]++
	}
	if next != [2]int{60, 60} {
		t.Errorf("there are %v lines", next)
	}
	equal(t, "replayed", d.replayed(), "#list T\n"+strings.Join(lines, "\n"))
}

func TestACallCancelledInTheQueueDoesNotRun(t *testing.T) {
	d := prepared(t, list(t))
	before := d.standing()
	<-d.turn // somebody else's call runs
	c, cancel := context.WithCancel(ctx)
	answers := make(chan *reply.Reply)
	calls := []func(context.Context) *reply.Reply{
		func(c context.Context) *reply.Reply { return d.Apply(c, []string{"add x"}) },
		func(c context.Context) *reply.Reply { return d.Undo(c, 1, false) },
		func(c context.Context) *reply.Reply { return d.Save(c, "./t.list", false) },
		func(c context.Context) *reply.Reply { return d.Checkpoint(c, "x") },
		func(c context.Context) *reply.Reply { return d.Status(c) },
	}
	for _, call := range calls {
		go func() { answers <- call(c) }()
	}
	cancel()
	for range calls {
		equal(t, "answer", (<-answers).String(), "! the call was cancelled before it ran; nothing changed")
	}
	d.leave()
	d.unharmed(before)
}

// impatient is a context that is cancelled once it was looked at often enough,
// to hit the moments between the host's steps.
type impatient struct {
	context.Context
	looks *int
}

func (c impatient) Err() error {
	if *c.looks--; *c.looks < 0 {
		return context.Canceled
	}
	return nil
}

func TestACallCancelledWhileItRunsLeavesNoTrace(t *testing.T) {
	for _, ops := range [][]string{{"add x", "add y"}, {"add x", "irreversible"}, {"remove zzz"}} {
		met := map[string]bool{}
		for looks := range 10 {
			d := prepared(t, list(t))
			before := d.standing()
			n := looks
			r := d.Apply(impatient{ctx, &n}, ops)
			first, _, _ := strings.Cut(r.String(), "\n")
			met[first] = true
			if !r.Failed {
				break
			}
			d.unharmed(before)
		}
		for _, want := range []string{"! the call was cancelled before it ran; nothing changed", "! the call was cancelled; the document is as it was before it"} {
			if !met[want] {
				t.Errorf("%q was never cancelled so that it said %s: %v", ops, want, met)
			}
		}
	}
}

func TestAClosedDocumentSaysSo(t *testing.T) {
	d := prepared(t, list(t))
	if d.CloseClean() {
		t.Fatal("closed with unsaved changes")
	}
	d.Close()
	equal(t, "answer", d.bad(d.Apply(ctx, []string{"add x"})).String(), "! the document was closed meanwhile")
	if _, err := d.Bytes(ctx); err != ErrClosed {
		t.Errorf("bytes: %v", err)
	}
	d.Close()
}

func TestACallOfMoreThanAMessageHoldsCrossesInPieces(t *testing.T) {
	d := prepared(t, list(t))
	first := d.inst
	// 520 ops of 4,000 words each hold more elements than a message may.
	word := strings.Repeat(" w", 4000)
	ops := make([]string, 520)
	for i := range ops {
		ops[i] = "add" + word
	}
	if n := len(ops) * 4000; n < abi.MaxElements {
		t.Fatalf("%d elements are not too many", n)
	}
	contains(t, d.ok(d.Apply(ctx, ops)).String(), "\n[524 lines]")
	if d.inst != first {
		t.Error("the instance was given up")
	}
}
