package guest

import (
	"context"
	"hash/fnv"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/sandbox"
	"github.com/fcp-host/fcp-host/internal/soak"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// names gives testdata/names, whose instances misbehave in the way that their seed says.
func names(t *testing.T) []byte {
	t.Helper()
	wasm, err := os.ReadFile(testwasm.Build(t, "conformance/testdata/names"))
	if err != nil {
		t.Fatal(err)
	}
	return wasm
}

// reach gives testdata/reach, whose instances misbehave so, too.
func reach(t *testing.T) []byte {
	t.Helper()
	wasm, err := os.ReadFile(testwasm.Build(t, "conformance/testdata/reach"))
	if err != nil {
		t.Fatal(err)
	}
	return wasm
}

// patient are limits under which a machine that is busy is no fault of the plugin.
func patient() sandbox.Limits {
	limits := sandbox.DefaultLimits()
	limits.Call = time.Minute
	return limits
}

// few are options that look for as short a time as finds something.
func few(t *testing.T, bug string) Options {
	t.Helper()
	seed := fnv.New64a()
	seed.Write([]byte(bug))
	return Options{Ops: soak.Times(30, 300), Seed: 1, Scale: soak.Times(100, 3000), CacheDir: testwasm.Modules(t), Command: testwasm.Worker(t), Limits: patient(), instance: seed.Sum64()}
}

// look judges a module whose instances have the bug, if they know one of that name.
func look(t *testing.T, bug string, wasm []byte, o Options) *Report {
	t.Helper()
	r, err := Judge(t.Context(), bug, wasm, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// planted holds that each bug is found to break its promise. The looks share a process, in which each instance has one bug.
func planted(t *testing.T, wasm []byte, bugs map[string]string, some []string) {
	t.Helper()
	box, err := sandbox.NewPlugin(sandbox.Config{Name: "planted", Wasm: wasm, CacheDir: testwasm.Modules(t), Command: testwasm.Worker(t), Limits: patient()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { box.Close() })
	for _, bug := range some {
		id := bugs[bug]
		t.Run(bug, func(t *testing.T) {
			t.Parallel()
			o := few(t, bug)
			o.until, o.box = id, box
			switch {
			case bug == "loops":
				o.box, o.Limits.Call = nil, time.Second/2
			case id == "scale": // by the processor time of a process, and of what a call usually may take
				o.box, o.Scale, o.Limits.Call = nil, 0, time.Second
			}
			r := look(t, bug, wasm, o)
			for _, c := range r.Checks {
				if c.ID == id && c.OK() {
					t.Errorf("%s was not found to be broken\n%s", id, text(r))
				}
			}
			if r.OK() {
				t.Error("it passes")
			}
			if bug == "loops" && runtime.GOOS == "linux" && !strings.Contains(text(r), "it took more than 500ms of processor time and was stopped") {
				t.Errorf("it is not stopped by its processor time:\n%s", text(r))
			}
		})
	}
}

func text(r *Report) string {
	var b strings.Builder
	r.Write(&b)
	return b.String()
}

func TestAGoodPluginKeepsEveryPromiseAndOneSeedGivesOneReport(t *testing.T) {
	looked := map[string]int{}
	for i, wasm := range [][]byte{names(t), reach(t)} {
		r := look(t, "none", wasm, few(t, "none"))
		if !r.OK() {
			t.Error(text(r))
		}
		if i == 0 {
			if again := look(t, "none", wasm, few(t, "none")); !reflect.DeepEqual(again.Checks, r.Checks) {
				t.Errorf("two looks with one seed differ:\n%s\n%s", text(r), text(again))
			}
		}
		for _, c := range r.Checks {
			looked[c.ID] += c.Looked
		}
	}
	for id, n := range looked {
		if n == 0 {
			t.Errorf("%s was not looked at", id)
		}
	}
}

// What the plugin wrote on its way out stands below the fault; long operations are cut.
func TestAFaultIsToldWithWhatThePluginWrote(t *testing.T) {
	o := few(t, "traps")
	o.until = "endurance"
	r := look(t, "traps", names(t), o)
	if got := text(r); !strings.Contains(got, "stderr: panic: ") || !strings.Contains(got, "main.remove") {
		t.Error(got)
	}
}

// A damaged sample is told by its name and by what was done to it, and a page says what a report does.
func TestSamplesAreOpenedDamagedAndEdited(t *testing.T) {
	dir := t.TempDir()
	for name, data := range map[string]string{"one.names": "# One\r\nalpha\r\nbeta\r\n", "two.names": "alpha\nbeta", "bad.names": "\xff", "other.txt": "x"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o := few(t, "none")
	o.Samples, o.Scale = []string{dir}, 100
	r := look(t, "none", names(t), o)
	if !r.OK() || len(r.Samples) != 3 || r.Samples[0].Refused == "" || r.Samples[1].Refused != "" {
		t.Errorf("%+v\n%s", r.Samples, text(r))
	}
	o = few(t, "cr-dropped")
	o.Samples, o.until = []string{filepath.Join(dir, "one.names")}, "samples"
	r = look(t, "cr-dropped", names(t), o)
	if got := text(r); !strings.Contains(got, "one.names opens without a warning, and is saved otherwise, with nothing done: the bytes differ from offset 5") {
		t.Error(got)
	}
	var page strings.Builder
	if err := WriteHTML(&page, []*Report{r}); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"It breaks 1 of 21 promises", "names 1.0.0", "one.names opens without a warning", "Budgets", "prefers-color-scheme: dark"} {
		if !strings.Contains(page.String(), part) {
			t.Errorf("the page lacks %q:\n%s", part, page.String())
		}
	}
	if strings.Contains(page.String(), "<script") || strings.Contains(page.String(), "src=") {
		t.Error("the page needs something else")
	}
	o.Samples = []string{filepath.Join(dir, "none.names")}
	if _, err := Judge(t.Context(), "names", names(t), o); err == nil {
		t.Error("a sample that is not there is no error")
	}
}

// However long a look takes, its first round is the same, and so are the others as far as they come.
func TestALookGoesOnInRoundsUntilItsTimeIsOver(t *testing.T) {
	wasm := names(t)
	seconds := func(n int) *Report {
		o := few(t, "none")
		at := time.Unix(0, 0)
		o.Ops, o.For = 5, time.Duration(n)*time.Second
		o.now = func() time.Time { at = at.Add(time.Second); return at } // one at each look at the clock
		return look(t, "none", wasm, o)
	}
	one, two := seconds(0), seconds(60)
	if !one.OK() || !two.OK() || one.Rounds != 1 || two.Rounds < 2 || two.Ops < one.Ops+5 {
		t.Errorf("%d operations in %d rounds, then %d in %d\n%s", one.Ops, one.Rounds, two.Ops, two.Rounds, text(two))
	}
	if again := seconds(60); !reflect.DeepEqual(again.Checks, two.Checks) {
		t.Errorf("two looks by one clock differ:\n%s\n%s", text(two), text(again))
	}
}

// Each sample misbehaves in one way, and the check of that way says so.
func TestThePlantedBugOfEverySampleIsFound(t *testing.T) {
	bugs := map[string]string{
		"reverse-nothing":  "reverse",
		"reverse-order":    "reverse",
		"reverse-fails":    "reverse",
		"replay-counts":    "replay",
		"replay-memory":    "recovery",
		"no-event":         "events",
		"half-undone":      "reverse",
		"query-changes":    "questions",
		"save-changes":     "questions",
		"help-changes":     "questions",
		"part-miscounts":   "questions",
		"export-changes":   "questions",
		"digest-changes":   "questions",
		"failed-trace":     "refusals",
		"query-takes-all":  "refusals",
		"verb-missing":     "registry",
		"example-wrong":    "registry",
		"no-try":           "registry",
		"try-broken":       "tries",
		"try-fails":        "tries",
		"try-idle":         "tries",
		"try-deletes":      "tries",
		"try-all":          "tries",
		"try-other":        "tries",
		"try-foreign":      "tries",
		"try-asks":         "tries",
		"order-random":     "determinism",
		"save-unstable":    "save",
		"save-forgets":     "save",
		"links-unsaved":    "save",
		"stale-index":      "reverse",
		"query-remembers":  "recovery",
		"export-fails":     "registry",
		"query-missing":    "registry",
		"snapshot-forgets": "folding",
		"digest-long":      "limits",
		"digest-empty":     "limits",
		"id-long":          "limits",
		"text-prefix":      "limits",
		"digest-escape":    "limits",
		"traps":            "endurance",
		"loops":            "endurance",
		"cr-dropped":       "samples",
		"newline-added":    "samples",
		"blanks-dropped":   "samples",
		"replay-short":     "replay",
		"reverse-short":    "reverse",
		"reverse-lines":    "reverse",
		"add-slow":         "scale",
		"all-slow":         "scale",
		"file-id-long":     "limits",
		"error-raw":        "limits",
	}
	planted(t, names(t), bugs, soak.Some(t, slices.Sorted(maps.Keys(bugs)), 8))
}

func TestThePlantedBugOfWhatReachesTheWorldIsFound(t *testing.T) {
	bugs := map[string]string{
		"ask-other":      "asking",
		"ask-writes":     "asking",
		"ask-forever":    "asking",
		"ask-dies":       "endurance",
		"outside-dies":   "files",
		"outside-lost":   "files",
		"broken-refused": "files",
		"parse-late":     "files",
		"tool-untyped":   "tools",
		"tool-dies":      "endurance",
		"tool-silent":    "tools",
	}
	planted(t, reach(t), bugs, soak.Some(t, slices.Sorted(maps.Keys(bugs)), 8))
}

func TestWhatIsNoPluginIsReported(t *testing.T) {
	for name, wasm := range map[string][]byte{
		"nothing":         nil,
		"text":            []byte("not wasm"),
		"an empty module": []byte("\x00asm\x01\x00\x00\x00"),
	} {
		r := look(t, name, wasm, few(t, name))
		if r.OK() || !strings.Contains(text(r), "FAIL  manifest") {
			t.Errorf("%s: %s", name, text(r))
		}
	}
}

// ending is a context that ends when it was asked so often whether it has.
type ending struct {
	context.Context
	end  context.CancelFunc
	left atomic.Int64
}

func (e *ending) Done() <-chan struct{} {
	if e.left.Add(-1) == 0 {
		e.end()
	}
	return e.Context.Done()
}

// Wherever the time of a look ends, there is a report or an error.
func TestALookThatIsCutShortEndsInOrder(t *testing.T) {
	wasm := names(t)
	for n := 1; n < soak.Times(80, 40000); n += 1 + n/4 {
		ctx, end := context.WithCancel(t.Context())
		cut := &ending{Context: ctx, end: end}
		cut.left.Store(int64(n))
		r, err := Judge(cut, "names", wasm, Options{Ops: 30, Seed: 1, CacheDir: testwasm.Modules(t), Command: testwasm.Worker(t), Limits: sandbox.DefaultLimits(), instance: 1})
		if err == nil && r == nil {
			t.Errorf("cut short at %d: nothing", n)
		}
		end()
	}
}

// Late or dead, a document may be one that could not be made anew: its calls fail as those of any that is lost.
func TestAnInstanceThatCouldNotBeStartedAnswersWithAnError(t *testing.T) {
	var none *instance
	if err := none.call(abi.ExportState, nil, &abi.StateResponse{}); err == nil {
		t.Error("it was called")
	}
	if _, err := none.apply(false, nil, abi.Op{Verb: "add"}); err == nil {
		t.Error("it was edited")
	}
	none.close()
}
