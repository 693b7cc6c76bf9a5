package document

import (
	"bytes"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/journal"
	"github.com/fcp-host/fcp-host/host/sandbox"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// described returns the domain that the manifest of this module describes.
func described(t testing.TB, name string, wasm []byte, limits sandbox.Limits) *domain.Domain {
	t.Helper()
	p, err := sandbox.NewPlugin(sandbox.Config{Name: name, Wasm: wasm, CacheDir: testwasm.Modules(t), Command: testwasm.Worker(t), Limits: limits})
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

// built returns the domain of this module, with a build that starts with name.
func built(t testing.TB, name string, wasm []byte) *domain.Domain {
	t.Helper()
	d := described(t, name, wasm, sandbox.Limits{Memory: 48 << 20})
	d.Build = name + strings.Repeat("0", 64-len(name))
	return d
}

// twoBuilds are two builds of the list plugin that behave alike.
func twoBuilds(t testing.TB) (a, b *domain.Domain) {
	t.Helper()
	wasm, err := os.ReadFile(testwasm.List(t))
	if err != nil {
		t.Fatal(err)
	}
	return built(t, "a", wasm), built(t, "b", testwasm.Variant(wasm, "b"))
}

func TestADocumentMovesToANewBuildAsItIs(t *testing.T) {
	a, b := twoBuilds(t)
	d := blank(t, a)
	dir := journalDir(t, journal.Limits{})
	if err := d.Keep(dir, "", ""); err != nil {
		t.Fatal(err)
	}
	d.do("add one", "add two")
	d.ok(d.Checkpoint(ctx, "here"))
	d.do("add three")
	d.ok(d.Undo(ctx, 1, false))
	before := d.standing()
	if !d.Renew(b) {
		t.Fatal("it does not move")
	}
	r := d.query("map")
	contains(t, r.String(), "? the list plugin was updated from 1.0.0 (sha256 a00000000000…) to 1.0.0 (sha256 b00000000000…); this document runs on the new one, and is the same")
	if after := d.standing(); after != before {
		t.Errorf("it was\n%+v\nand is\n%+v", before, after)
	}
	if d.Domain() != b || d.Renew(b) {
		t.Error("it did not move")
	}
	a.Retire()
	if st := a.Plugin().Stats(); st.PID != 0 {
		t.Errorf("the worker of the old build lives: %+v", st)
	}
	d.ok(d.Redo(ctx, 1))
	d.do("add four")
	d.ok(d.UndoTo(ctx, "here", false))
	d.holds("one", "two")
	d.kill()
	d.holds("one", "two")
	id := d.JournalID()
	d.Suspend()
	left, err := dir.Left()
	if err != nil || len(left) != 1 || left[0].ID != id {
		t.Fatal(err, left)
	}
	if l := Inspect(dir, left[0]); l.Build != b.Build {
		t.Errorf("a recovery takes it for one of %s", l.Build)
	}
}

// say returns a domain of testwasm.Minimal with some exports changed, and a build that starts with name.
func say(t testing.TB, name string, changes map[string]testwasm.Act) *domain.Domain {
	acts := testwasm.Minimal()
	for export, act := range changes {
		acts[export] = act
	}
	return built(t, name, testwasm.Scripted(acts))
}

func TestADocumentThatANewBuildWouldChangeStaysAndWarnsOnce(t *testing.T) {
	state := func(digest string) testwasm.Act {
		return testwasm.Answers(&abi.StateResponse{State: abi.State{Digest: digest}})
	}
	for why, changes := range map[string]map[string]testwasm.Act{
		"rebuilt from its history by the new one it is [2 things], and it is [1 thing]":                                 {abi.ExportReplay: state("2 things")},
		"rebuilt from its history by the new one it would be saved with other content":                                  {abi.ExportSave: testwasm.Answers(&abi.SaveResponse{Data: []byte("other")})},
		"the new one cannot build it (the thing plugin failed: ":                                                        {abi.ExportReplay: testwasm.Traps()},
		"the new one cannot build it (the thing plugin failed: fcp_replay refused the call: it needs a newer document)": {abi.ExportReplay: testwasm.Refuses("it needs a newer document")},
		"the new one cannot save it (the thing plugin failed: ":                                                         {abi.ExportSave: testwasm.Traps()},
	} {
		a, b := say(t, "a", nil), say(t, "b", changes)
		d := blank(t, a)
		d.do("add x")
		d.Renew(b)
		d.Settle(ctx)
		contains(t, d.do("add y").String(), "? the thing plugin was updated to 1.0.0 (sha256 b00000000000…), and this document stays on 1.0.0 (sha256 a00000000000…): "+why,
			"; save it, close it and open it again to use the new one")
		if r := d.do("add z"); strings.Contains(r.String(), "stays on") {
			t.Errorf("%s: it is said again:\n%s", why, r)
		}
		if d.Domain() != a || d.Renew(b) || !strings.Contains(d.WhyStays(), why) {
			t.Errorf("%s: stays %q", why, d.WhyStays())
		}
		contains(t, d.Status(ctx).Text, "plugin: 1.0.0 (sha256 a00000000000…), and not 1.0.0 (sha256 b00000000000…), which is loaded: "+why)
		d.Retry()
		if !d.Renew(b) {
			t.Errorf("%s: it is not tried again", why)
		}
		c := say(t, "c", map[string]testwasm.Act{"extra": testwasm.Traps()})
		d.Renew(c) // before it moved to b
		d.Settle(ctx)
		if d.Domain() != c || d.WhyStays() != "" {
			t.Errorf("%s: it did not move to the next one: %s", why, d.WhyStays())
		}
	}
}

// An unedited document is whatever the new build reads from the file.
func TestADocumentWithoutHistoryMovesToABuildThatSavesDifferently(t *testing.T) {
	a, b := say(t, "a", nil), say(t, "b", map[string]testwasm.Act{abi.ExportSave: testwasm.Answers(&abi.SaveResponse{Data: []byte("other")})})
	d := blank(t, a)
	d.Renew(b)
	if got := d.bytes(); got != "other" || d.Domain() != b {
		t.Errorf("saved %q", got)
	}
}

func TestADocumentDoesNotMoveToABuildWithOtherRoots(t *testing.T) {
	a, b := say(t, "a", nil), say(t, "b", map[string]testwasm.Act{"extra": testwasm.Traps()})
	var err error
	if b.Roots, err = files.NewRoots(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	d := blank(t, a)
	d.Renew(b)
	d.Settle(ctx)
	contains(t, d.WhyStays(), "it has other folders for its documents")
}

// Calls that arrive while the document moves between builds find it unchanged.
func TestCallsInTurnFindADocumentThatMoves(t *testing.T) {
	a, b := twoBuilds(t)
	d := blank(t, a)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 15 {
				d.do("add x")
				d.Summary()
				d.query("map")
			}
		})
	}
	all.Go(func() {
		for i := range 40 {
			if d.Renew([]*domain.Domain{b, a}[i%2]) {
				d.Settle(ctx)
			}
		}
	})
	all.Wait()
	if got, want := d.replayed(), "#list T"+strings.Repeat("\nx", 60); got != want {
		t.Errorf("it holds %d lines", bytes.Count([]byte(got), []byte("\n")))
	}
}
