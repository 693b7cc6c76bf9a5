package plugin

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/sandbox"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// gate makes the first worker that is started wait until the returned function lets it go. awaitBlocked returns once it
// waits.
func gate(t *testing.T, o *Options) (awaitBlocked, open func()) {
	t.Helper()
	return gateOf(t, o, `mkdir "$0.first" 2>/dev/null`)
}

// gateOf is gate for the workers of which a shell command is true.
func gateOf(t *testing.T, o *Options, which string) (awaitBlocked, open func()) {
	t.Helper()
	fifo := filepath.Join(t.TempDir(), "gate")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skip(err)
	}
	worker := o.Command
	if worker == nil {
		worker = []string{os.Args[0], sandbox.WorkerArg}
	}
	o.Command = append([]string{"/bin/sh", "-c", which + ` && read -r go <"$0"; exec "$@"`, fifo}, worker...)
	var f *os.File
	return func() {
			var err error
			if f, err = os.OpenFile(fifo, os.O_WRONLY, 0); err != nil { // waits for the reader
				t.Fatal(err)
			}
		}, func() {
			fmt.Fprintln(f, "go")
			f.Close()
		}
}

// begin starts a set whose two seconds are over when the returned function is called.
func (f *folder) begin(o Options) (set *Set, late func()) {
	f.t.Helper()
	c := make(chan time.Time)
	set = start(o, c)
	f.t.Cleanup(set.Close)
	return set, func() { c <- time.Time{}; <-set.Opened() }
}

// settle waits until no module is pending.
func settle(s *Set) {
	for now := s.state.Load(); now.catalog.Pending > 0; now = s.state.Load() {
		<-now.next
	}
}

func TestAModuleThatGivesNoManifestDelaysNothing(t *testing.T) {
	f := newFolder(t)
	f.put("b.wasm", thing("one"))
	known := f.load(f.options())
	known.work.Wait() // compiled, too
	known.Close()
	f.put("a.wasm", thing("two"))
	o := f.options()
	awaitBlocked, open := gate(t, &o)
	set, late := f.begin(o)
	awaitBlocked()
	if c := set.Catalog(); names(set) != "one" || c.Pending != 1 || len(c.Absent) != 1 || c.Absent[0].Name != "a.wasm" || c.Next == nil {
		t.Fatalf("served %s, %+v", names(set), c)
	}
	select {
	case <-set.Opened():
		t.Error("a client need not wait, though a manifest is missing and it is not late")
	default:
	}
	late()
	in, err := set.Catalog().Domains[0].Start(ctx, 1) // meanwhile the other one is asked
	if err != nil {
		t.Fatal(err)
	}
	in.Close()
	next := set.Catalog().Next
	open()
	<-next
	settle(set)
	if names(set) != "two one" || len(set.Problems()) != 0 {
		t.Errorf("served %s, problems %v", names(set), set.Problems())
	}
}

func TestNoListWaitsForAModuleThatMustBeCompiledForItsManifest(t *testing.T) {
	f := newFolder(t)
	f.put("a.wasm", with("one", map[string]testwasm.Act{abi.ExportManifest: testwasm.Traps()}))
	o := f.options()
	awaitBlocked, open := gateOf(t, &o, `! mkdir "$0.first" 2>/dev/null && mkdir "$0.second" 2>/dev/null`) // the first one interprets
	set := start(o, nil)
	defer set.Close()
	<-set.Opened()
	awaitBlocked()
	if c := set.Catalog(); c.Pending != 1 {
		t.Errorf("%+v", c)
	}
	open()
	settle(set)
	if p := set.Problems(); len(p) != 1 || !strings.Contains(p[0].Error(), "trap") {
		t.Errorf("problems %v", p)
	}
}

func TestModulesKnownInTimeAreServedInOrder(t *testing.T) {
	f := newFolder(t)
	f.put("a.wasm", thing("same"))
	f.put("b.wasm", with("same", map[string]testwasm.Act{"extra": testwasm.Traps()}))
	o := f.options()
	awaitBlocked, open := gate(t, &o) // the first worker is late, whichever module it is for
	set, _ := f.begin(o)
	awaitBlocked()
	if names(set) != "" {
		t.Errorf("served %s before it was known who is first", names(set))
	}
	open()
	<-set.Opened()
	if names(set) != "same" || set.Plugins()[0].Path != filepath.Join(f.dir, "a.wasm") {
		t.Errorf("served %s", names(set))
	}
}

func TestTheFirstOfTwoModulesOfADomainTakesOverWhenItIsKnown(t *testing.T) {
	f := newFolder(t)
	b := f.put("b.wasm", thing("same"))
	f.load(f.options()).Close()
	a := f.put("a.wasm", with("same", map[string]testwasm.Act{"extra": testwasm.Traps()}))
	var said []string
	o := f.options()
	o.Report = func(p Problem) { said = append(said, p.Error()) }
	set, late := f.begin(o)
	late()
	for served := set.state.Load(); served.plugins[0].Path != a; served = set.state.Load() {
		if p := served.plugins; len(p) != 1 || p[0].Path != b {
			t.Fatalf("served %+v", p)
		}
		<-served.next
	}
	set.Close()
	if want := fmt.Sprintf("plugin %s: not served: the domain same is served by %s, which comes before it", b, a); len(said) != 1 || said[0] != want {
		t.Errorf("said %q, want %q", said, want)
	}
}

func TestAFailureIsRememberedUntilSomethingElseDecides(t *testing.T) {
	f := newFolder(t)
	f.put("a.wasm", with("one", map[string]testwasm.Act{abi.ExportManifest: testwasm.Refuses("not for you")}))
	first := f.load(f.options()).Problems()
	idle := f.options()
	idle.Command = []string{"/no/such/program"} // starting a worker would fail with another error
	says := func(o Options, want string) {
		t.Helper()
		set := f.load(o)
		defer set.Close()
		if p := set.Problems(); len(p) != 1 || p[0].Err.Error() != want && !(want == "" && strings.Contains(p[0].Error(), "no/such/program")) {
			t.Errorf("problems %v, want %q", p, want)
		}
	}
	if len(first) != 1 || !strings.Contains(first[0].Error(), "not for you") {
		t.Fatalf("problems %v", first)
	}
	remembered := first[0].Err.Error() + " (found at an earlier start; fcp-host doctor tries it again)"
	says(idle, remembered)
	says(idle, remembered) // what failed for another reason changes nothing
	other := idle
	other.Limits.Compile = time.Minute / 2
	says(other, "")
	was := binary
	binary = func() string { return "another build" }
	says(idle, "")
	binary = was
	says(idle, remembered)
	again := idle
	again.Retry = true
	says(again, "")
	says(idle, "") // it was forgotten
}

func TestAModuleThatTakesTooLongToCompileIsInterpreted(t *testing.T) {
	f := newFolder(t)
	f.put("a.wasm", thing("one"))
	f.load(f.options()).Close()
	if err := os.RemoveAll(filepath.Join(f.cache, "modules")); err != nil {
		t.Fatal(err)
	}
	slow := f.options()
	slow.Limits.Compile = time.Nanosecond
	for _, o := range []Options{slow, f.options()} { // what failed for lack of time is tried again at the next start
		set := f.load(o)
		set.work.Wait()
		late := o.Limits.Compile > 0
		if names(set) != "one" || len(set.Problems()) != 0 {
			t.Fatalf("served %s, problems %v", names(set), set.Problems())
		}
		box := set.Plugins()[0].Domain.Plugin()
		if why := box.Uncompiled(); strings.Contains(why, "does not compile in time") != late || box.Cached() == late {
			t.Errorf("compiled: %v, because %q", box.Cached(), why)
		}
		in, err := set.Plugins()[0].Domain.Start(ctx, 1)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := in.New(ctx, &abi.NewRequest{Title: "x"}); err != nil {
			t.Error(err)
		}
		in.Close()
		set.Close()
	}
}

func TestAClosedSetAsksNoMoreModules(t *testing.T) {
	f := newFolder(t)
	for _, name := range []string{"a", "b", "c"} {
		f.put(name+".wasm", with(name, map[string]testwasm.Act{abi.ExportManifest: testwasm.Loops()}))
	}
	o := f.options()
	o.Limits.Call = time.Hour
	set := start(o, nil)
	set.Close() // ends what would run for an hour
	if n := len(set.Problems()); n != 0 {
		t.Errorf("%d problems of modules that were not asked to the end", n)
	}
}

func TestASchemeBelongsToOneDomain(t *testing.T) {
	remote := func(name string, schemes ...string) []byte {
		m := testwasm.MinimalManifest()
		m.Domain, m.Schemes = name, schemes
		return with(name, map[string]testwasm.Act{abi.ExportManifest: testwasm.Answers(m), abi.ExportFetch: testwasm.Refuses("no")})
	}
	f := newFolder(t)
	f.put("a.wasm", remote("one", "flow", "more"))
	f.put("b.wasm", remote("two", "flow"))
	f.put("c.wasm", remote("three", "other"))
	set := f.load(f.options())
	if names(set) != "one three" || len(set.Problems()) != 1 ||
		!strings.HasSuffix(set.Problems()[0].Error(), "b.wasm: not served: its scheme flow: is that of the domain one, which is served by "+filepath.Join(f.dir, "a.wasm")+" and comes before it") {
		t.Errorf("served %s, problems %v", names(set), set.Problems())
	}
}
