package plugin

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/internal/soak"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

func TestAFolderThatIsWatchedServesWhatIsInIt(t *testing.T) {
	f := newFolder(t)
	s := f.live(nil)
	serves(t, s, "")
	f.move("b.wasm", version("one", "1"))
	serves(t, s, "one 1")
	f.put("c.wasm", version("two", "1")) // in place
	serves(t, s, "one 1, two 1")
	f.put("c.wasm", version("two", "2.0"))
	serves(t, s, "one 1, two 2.0")
	f.move("b.wasm", version("three", "1")) // another domain
	serves(t, s, "three 1, two 2.0")
	f.remove("c.wasm")
	serves(t, s, "three 1")
	f.move("c.wasm", version("two", "2.0"))
	serves(t, s, "three 1, two 2.0")
}

func TestTheFirstOfTwoFilesIsServedAndTheSecondTakesOver(t *testing.T) {
	f := newFolder(t)
	f.put("b.wasm", version("one", "b"))
	s := f.live(nil)
	serves(t, s, "one b")
	f.move("a.wasm", version("one", "a"))
	now := serves(t, s, "one a")
	if got := says(now); !strings.HasSuffix(got, "b.wasm: not served: the domain one is served by "+filepath.Join(f.dir, "a.wasm")+", which comes before it\n") {
		t.Errorf("problems %q", got)
	}
	f.remove("a.wasm")
	if now := serves(t, s, "one b"); len(now.problems) > 0 {
		t.Errorf("problems %v", now.problems)
	}
}

func TestAnInvalidNewVersionLeavesTheOldOneServed(t *testing.T) {
	f := newFolder(t)
	pinned := version("pinned", "1")
	f.put("a.wasm", version("one", "1"))
	f.put("p.wasm", pinned)
	s := f.live(func(o *Options) {
		o.Grants = map[string]Grant{filepath.Join(f.dir, "p.wasm"): {Sum: fmt.Sprintf("%x", sha256.Sum256(pinned)), Limits: o.Limits}}
	})
	serves(t, s, "one 1, pinned 1")
	until := func(text string) {
		t.Helper()
		now := until(t, s, func(now *state) bool { return strings.Contains(says(now), text) })
		if got := versions(now); got != "one 1, pinned 1" {
			t.Errorf("with %q: served %s", text, got)
		}
	}
	f.move("a.wasm", []byte("junk, and not a module"))
	until("not a WebAssembly module")
	f.move("a.wasm", with("one", map[string]testwasm.Act{abi.ExportManifest: testwasm.Refuses("not for you")}))
	until("not for you; the previous version is still served")
	f.move("p.wasm", version("pinned", "2"))
	until("and the configuration wants")
	f.move("p.wasm", pinned)
	f.move("a.wasm", version("one", "2"))
	if now := serves(t, s, "one 2, pinned 1"); len(now.problems) > 0 {
		t.Errorf("problems %v", now.problems)
	}
	f.move("a.wasm", []byte("junk again, and not a module"))
	serves(t, s, "one 2, pinned 1")
	f.remove("a.wasm") // now no version has a file
	serves(t, s, "pinned 1")
}

func TestAFileIsReadOnceItIsComplete(t *testing.T) {
	f := newFolder(t)
	f.put("b.wasm", version("two", "1"))
	s := f.load(f.options())
	whole := version("one", "1")
	f.put("a.wasm", whole[:len(whole)/2])
	if !s.look(false) {
		t.Error("a file that just appeared is taken as complete")
	}
	for path, d := range s.doubts { // older than a writer's pause, younger than a broken file
		s.doubts[path] = doubt{d.is, d.since.Add(-2 * quiet)}
	}
	if !s.look(false) || len(s.Problems()) > 0 {
		t.Errorf("half a file is reported as broken: %v", s.Problems())
	}
	f.put("a.wasm", whole)
	if !s.look(false) {
		t.Error("a file that was just written is taken as complete")
	}
	s.age()
	if s.look(false) {
		t.Errorf("in doubt about %v", s.doubts)
	}
	serves(t, s, "one 1, two 1")
	f.put("a.wasm", whole[:len(whole)/3])
	s.look(false)
	s.age()
	s.look(false)
	if now := serves(t, s, "one 1, two 1"); len(now.problems) != 1 {
		t.Errorf("a file that stays broken: problems %v", now.problems)
	}
}

func TestManyConcurrentChangesAreAllServed(t *testing.T) {
	f := newFolder(t)
	s := f.live(nil)
	for round := range 3 {
		for i := range 300 {
			f.put(fmt.Sprintf("%03d.txt", i), []byte("not a plugin"))
		}
		var want []string
		for i := range 6 {
			name := fmt.Sprintf("d%c", 'a'+i)
			os.Remove(filepath.Join(f.dir, name+".wasm")) // if it is there
			if (i+round)%3 > 0 {
				f.put(name+".wasm", version(name, fmt.Sprint(round)))
				want = append(want, fmt.Sprintf("%s %d", name, round))
			}
		}
		serves(t, s, strings.Join(want, ", "))
	}
}

// A replaced module works until its last instance is closed; then its sandbox is freed.
func TestAReplacedModuleIsFreedWithItsLastInstance(t *testing.T) {
	f := newFolder(t)
	f.put("a.wasm", version("one", "0"))
	s := f.live(nil)
	first := serves(t, s, "one 0").catalog.Domains[0]
	if err := first.Plugin().Warm(ctx); err != nil { // an interpreted instance would be lost
		t.Fatal(err)
	}
	held, err := first.Start(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i <= 5; i++ {
		f.move("a.wasm", version("one", fmt.Sprint(i)))
		d := serves(t, s, fmt.Sprintf("one %d", i)).catalog.Domains[0]
		in, err := d.Start(ctx, 1)
		if err != nil {
			t.Fatal(err)
		}
		in.Close()
	}
	if _, err := held.State(ctx); err != nil {
		t.Errorf("the replaced module stopped working: %v", err)
	}
	if st := first.Plugin().Stats(); st.PID == 0 || st.Instances != 1 {
		t.Errorf("%+v", st)
	}
	again, err := first.Start(ctx, 2) // a call that had it before it was replaced
	if err != nil {
		t.Fatal(err)
	}
	held.Close()
	again.Close()
	if st := first.Plugin().Stats(); st.PID != 0 {
		t.Errorf("its worker lives without an instance: %+v", st)
	}
	held, again, first = nil, nil, nil
	s.work.Wait()
	alive := func() (n int) {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, w := range s.retired {
			if w.Value() != nil {
				n++
			}
		}
		return n
	}
	for i := 0; i < 100 && alive() > 0; i++ {
		runtime.GC()
	}
	if n := alive(); n > 0 || len(s.loaded) != 1 {
		t.Errorf("%d boxes of what was replaced are kept, and %d candidates", n, len(s.loaded))
	}
}

func TestRescanTriesAgainWhatFailed(t *testing.T) {
	f := newFolder(t)
	f.put("a.wasm", version("one", "1"))
	f.put("b.wasm", with("two", map[string]testwasm.Act{abi.ExportManifest: testwasm.Refuses("no")}))
	s := f.load(f.options())
	serves(t, s, "one 1")
	was := s.Catalog().Domains[0]
	f.put("c.wasm", version("three", "1"))
	if err := s.Rescan(ctx); err != nil {
		t.Fatal(err)
	}
	now := s.state.Load()
	if versions(now) != "one 1, three 1" || now.catalog.Domains[0] != was || len(now.problems) != 1 || strings.Contains(says(now), "earlier start") {
		t.Errorf("served %s, problems %s", versions(now), says(now))
	}
	f.remove("a.wasm", "b.wasm", "c.wasm")
	if err := s.Rescan(ctx); err != nil || versions(s.state.Load()) != "" {
		t.Errorf("%v, served %s", err, versions(s.state.Load()))
	}
}

func TestACallDoesNotWaitForAModuleThatTakesOver(t *testing.T) {
	f := newFolder(t)
	f.put("a.wasm", version("one", "1"))
	f.load(f.options()).Close()
	o := f.options()
	late := make(chan time.Time)
	s := start(o, late)
	t.Cleanup(s.Close)
	serves(t, s, "one 1")
	s.work.Wait()
	awaitBlocked, open := gate(t, &s.o) // from here on, workers that interpret or compile wait
	f.put("a.wasm", version("one", "2"))
	s.look(true)
	awaitBlocked()
	in, err := s.Catalog().Domains[0].Start(ctx, 1)
	if err != nil || s.Catalog().Domains[0].Manifest.Version != "1" {
		t.Fatal(err, versions(s.state.Load()))
	}
	in.Close()
	open()
	serves(t, s, "one 2")
}

// If a file breaks before its new version took over, that version still takes over.
func TestANewVersionTakesOverThoughItsFileBreaksMeanwhile(t *testing.T) {
	f := newFolder(t)
	f.put("a.wasm", version("one", "1"))
	f.put("b.wasm", version("two", "1"))
	f.load(f.options()).Close()
	f.put("b.wasm", version("one", "2")) // its manifest is known then
	f.load(f.options()).Close()
	f.put("b.wasm", version("two", "1"))
	if err := os.RemoveAll(filepath.Join(f.cache, "modules")); err != nil {
		t.Fatal(err)
	}
	s := start(f.options(), make(chan time.Time))
	t.Cleanup(s.Close)
	serves(t, s, "one 1, two 1")
	s.work.Wait()
	awaitBlocked, open := gate(t, &s.o)
	f.put("a.wasm", version("one", "2"))
	s.look(true)
	awaitBlocked()
	f.put("a.wasm", []byte("this is no module"))
	s.look(true)
	if now := s.state.Load(); versions(now) != "one 1, two 1" || now.settled {
		t.Errorf("served %s", versions(now))
	}
	open()
	if now := serves(t, s, "one 2, two 1"); !strings.Contains(says(now), "not a WebAssembly module") {
		t.Errorf("problems %s", says(now))
	}
}

// Whenever a folder comes to rest, the set serves what a new start would serve.
func TestALiveFolderServesWhatAStartWould(t *testing.T) {
	f := newFolder(t)
	s := f.load(f.options())
	seed := soak.Seed(t)
	next := func(n uint64) int {
		seed = seed*6364136223846793005 + 1442695040888963407
		return int((seed >> 33) % n)
	}
	files := []string{"a.wasm", "b.wasm", "c.wasm"}
	domains := []string{"one", "two", "onequery"} // the last is taken for a tool of the first
	for step := range soak.Times(8, 1000) {
		name := files[next(3)]
		if next(4) == 0 {
			os.Remove(filepath.Join(f.dir, name))
		} else {
			f.move(name, version(domains[next(3)], fmt.Sprint(next(3))))
		}
		if err := s.Rescan(ctx); err != nil {
			t.Fatal(err)
		}
		fresh, err := Load(ctx, f.options())
		if err != nil {
			t.Fatal(err)
		}
		want, got := fresh.state.Load(), s.state.Load()
		if versions(want) != versions(got) || says(want) != says(got) {
			t.Fatalf("step %d: served %s, a start serves %s\nproblems %sa start's %s", step, versions(got), versions(want), says(got), says(want))
		}
		fresh.Close()
	}
}

func TestASetThatIsClosedWatchesNothing(t *testing.T) {
	open := func() (n int) {
		list, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip(err)
		}
		return len(list)
	}
	f := newFolder(t)
	f.put("a.wasm", version("one", "1"))
	f.live(nil).Close()
	before := open()
	for range 20 {
		f.live(nil).Close()
	}
	if after := open(); after > before+5 {
		t.Errorf("%d descriptors, %d before", after, before)
	}
}
