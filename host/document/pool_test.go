package document

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/sandbox"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// pooled is the list plugin with its own limits.
func pooled(t *testing.T, limits sandbox.Limits) *domain.Domain {
	t.Helper()
	wasm, err := os.ReadFile(testwasm.List(t))
	if err != nil {
		t.Fatal(err)
	}
	limits.Compile = 5 * time.Minute
	p, err := sandbox.NewPlugin(sandbox.Config{Name: "list", Wasm: wasm, CacheDir: testwasm.Modules(t), Command: testwasm.Worker(t), Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	m, err := domain.Describe(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	d, err := domain.New(m, p)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestMoreDocumentsAtOnceThanInstancesAllGetTheirTurn(t *testing.T) {
	d := pooled(t, sandbox.Limits{Call: time.Minute, Instances: 2, Parallel: 2})
	var all []*desk
	for range 24 {
		all = append(all, blank(t, d))
	}
	var wg sync.WaitGroup
	for _, doc := range all {
		wg.Go(func() {
			for i := range 3 {
				if r := doc.Apply(ctx, []string{fmt.Sprint("add ", i)}); r.Failed {
					t.Error(r)
				}
			}
		})
	}
	wg.Wait()
	for _, doc := range all {
		doc.holds("0", "1", "2")
	}
	if s := d.Plugin().Stats(); s.Instances > 4 || s.Deaths > 0 {
		t.Errorf("%+v", s)
	}
}

func TestNobodyWaitsBehindALongCallOnAnotherDocument(t *testing.T) {
	d := pooled(t, sandbox.Limits{Call: time.Minute, Parallel: 2})
	long, short, last := blank(t, d), blank(t, d), blank(t, d)
	short.do("add a")
	last.do("add b")
	if s := d.Plugin().Stats(); s.Workers != 1 {
		t.Fatalf("one after the other they take %d workers", s.Workers)
	}
	ended := make(chan *reply.Reply)
	go func() { ended <- long.Apply(ctx, []string{"spin"}) }()
	for d.Plugin().Stats().Busy == 0 {
		runtime.Gosched()
	}
	short.do("add c")
	short.holds("a", "c")
	short.ok(short.Undo(ctx, 1, false))
	short.holds("a")
	last.do("add d")
	last.holds("b", "d")
	select {
	case r := <-ended:
		t.Fatalf("the long call ended: %s", r)
	default:
	}
	if s := d.Plugin().Stats(); s.Workers != 2 || s.Deaths > 0 {
		t.Errorf("%+v", s)
	}
	go d.Plugin().Close()
	if r := <-ended; !r.Failed || strings.Contains(r.String(), "too long") {
		t.Errorf("%s", r)
	}
}

func TestADocumentThatWaitsForASeatCanBeLookedAt(t *testing.T) {
	d := pooled(t, sandbox.Limits{Call: time.Minute, Instances: 2})
	a, b := blank(t, d), blank(t, d)
	b.do("add x")
	d.Seats() <- struct{}{} // the only one is another document's
	ended := make(chan *reply.Reply)
	go func() { ended <- b.Apply(ctx, []string{"add y"}) }()
	for len(b.turn) > 0 { // until the call has the document's turn
		runtime.Gosched()
	}
	var seen int
	if b.look(func() { seen = b.log.Len() }) || seen != 1 {
		t.Errorf("%d ops were seen", seen)
	}
	<-d.Seats()
	a.ok(<-ended)
	b.holds("x", "y")
}

// A call that waits for the world gives its seat back and takes one again afterwards, however deeply waits are nested.
// A call without a seat, such as a recovery, does not get one.
func TestAWaitForTheWorldLeavesNoSeatTaken(t *testing.T) {
	d := pooled(t, sandbox.Limits{Call: time.Minute, Instances: 4})
	doc := blank(t, d)
	taken := func(want int, when string) {
		t.Helper()
		if n := len(d.Seats()); n != want {
			t.Errorf("%s: %d seats are taken, not %d", when, n, want)
		}
	}
	nested := func(during, after int) {
		t.Helper()
		within, over := doc.waitOutside(ctx)
		_, inner := doc.waitOutside(within)
		taken(during, "outside")
		inner()
		over()
		taken(after, "back")
	}
	<-doc.turn
	nested(0, 0)
	doc.leave()
	if err := doc.enter(ctx); err != nil {
		t.Fatal(err)
	}
	taken(1, "in a call")
	nested(0, 1)
	doc.leave()
	taken(0, "after it")
}
