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

// namesModule returns testdata/names, whose instances have the bug that their seed selects.
func namesModule(t *testing.T) []byte {
	t.Helper()
	wasm, err := os.ReadFile(testwasm.Build(t, "conformance/testdata/names"))
	if err != nil {
		t.Fatal(err)
	}
	return wasm
}

// reachModule returns testdata/reach, whose instances have the bug that their seed selects, too.
func reachModule(t *testing.T) []byte {
	t.Helper()
	wasm, err := os.ReadFile(testwasm.Build(t, "conformance/testdata/reach"))
	if err != nil {
		t.Fatal(err)
	}
	return wasm
}

// patientLimits returns limits that a plugin keeps even on a busy machine.
func patientLimits() sandbox.Limits {
	limits := sandbox.DefaultLimits()
	limits.Call = time.Minute
	return limits
}

// fewOps returns options for a check of instances with a bug, as short as it can be and still find the bugs.
func fewOps(t *testing.T, bug string) Options {
	t.Helper()
	seed := fnv.New64a()
	seed.Write([]byte(bug))
	return Options{Ops: soak.Times(30, 300), Seed: 1, Scale: soak.Times(100, 3000), CacheDir: testwasm.Modules(t), Command: testwasm.Worker(t), Limits: patientLimits(), instance: seed.Sum64()}
}

// check runs every check on a module whose instances have the bug, if they know one of that name.
func check(t *testing.T, bug string, wasm []byte, o Options) *Report {
	t.Helper()
	r, err := Judge(t.Context(), bug, wasm, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// checkFindsBugs fails unless each of some bugs is found to break its promise. The checks share a process, in which each instance has one bug.
func checkFindsBugs(t *testing.T, wasm []byte, bugs map[string]string, some []string) {
	t.Helper()
	box, err := sandbox.NewPlugin(sandbox.Config{Name: "planted", Wasm: wasm, CacheDir: testwasm.Modules(t), Command: testwasm.Worker(t), Limits: patientLimits()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { box.Close() })
	for _, bug := range some {
		id := bugs[bug]
		t.Run(bug, func(t *testing.T) {
			t.Parallel()
			o := fewOps(t, bug)
			o.until, o.box = id, box
			switch {
			case bug == "loops":
				o.box, o.Limits.Call = nil, time.Second/2
			case id == "scale": // measured by the processor time of the process, so it needs one of its own, with the usual limit of a call
				o.box, o.Scale, o.Limits.Call = nil, 0, time.Second
			}
			r := check(t, bug, wasm, o)
			for _, c := range r.Checks {
				if c.ID == id && c.OK() {
					t.Errorf("%s was not found to be broken\n%s", id, text(r))
				}
			}
			if r.OK() {
				t.Error("it passes")
			}
			if bug == "describe-traps" && slices.ContainsFunc(r.Checks, func(c Check) bool { return c.ID == "bystanders" && !c.OK() }) {
				t.Errorf("a trap counts as a change of an element:\n%s", text(r))
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
	tested := map[string]int{}
	for i, wasm := range [][]byte{namesModule(t), reachModule(t)} {
		r := check(t, "none", wasm, fewOps(t, "none"))
		if !r.OK() {
			t.Error(text(r))
		}
		if i == 0 {
			if again := check(t, "none", wasm, fewOps(t, "none")); !reflect.DeepEqual(again.Checks, r.Checks) {
				t.Errorf("two checks with one seed differ:\n%s\n%s", text(r), text(again))
			}
		}
		for _, c := range r.Checks {
			tested[c.ID] += c.Looked
		}
	}
	for id, n := range tested {
		if n == 0 {
			t.Errorf("%s was not tested", id)
		}
	}
}

func TestAFaultIsReportedWithThePluginsStderr(t *testing.T) {
	o := fewOps(t, "traps")
	o.until = "endurance"
	r := check(t, "traps", namesModule(t), o)
	if got := text(r); !strings.Contains(got, "stderr: panic: ") || !strings.Contains(got, "main.remove") {
		t.Error(got)
	}
}

// The HTML page contains what the report does.
func TestSamplesAreOpenedDamagedAndEdited(t *testing.T) {
	dir := t.TempDir()
	for name, data := range map[string]string{"one.names": "# One\r\nalpha\r\nbeta\r\n", "two.names": "alpha\nbeta", "bad.names": "\xff", "other.txt": "x"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o := fewOps(t, "none")
	o.Samples, o.Scale = []string{dir}, 100
	r := check(t, "none", namesModule(t), o)
	if !r.OK() || len(r.Samples) != 3 || r.Samples[0].Refused == "" || r.Samples[1].Refused != "" {
		t.Errorf("%+v\n%s", r.Samples, text(r))
	}
	o = fewOps(t, "cr-dropped")
	o.Samples, o.until = []string{filepath.Join(dir, "one.names")}, "samples"
	r = check(t, "cr-dropped", namesModule(t), o)
	if got := text(r); !strings.Contains(got, "one.names opens without a warning, and saving it without an edit changes it: the bytes differ from offset 5") {
		t.Error(got)
	}
	var page strings.Builder
	if err := WriteHTML(&page, []*Report{r}); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"It breaks 1 of 23 promises", "names 1.0.0", "one.names opens without a warning", "Budgets", "prefers-color-scheme: dark"} {
		if !strings.Contains(page.String(), part) {
			t.Errorf("the page lacks %q:\n%s", part, page.String())
		}
	}
	if strings.Contains(page.String(), "<script") || strings.Contains(page.String(), "src=") {
		t.Error("the page refers to a script or another file")
	}
	o.Samples = []string{filepath.Join(dir, "none.names")}
	if _, err := Judge(t.Context(), "names", namesModule(t), o); err == nil {
		t.Error("a missing sample is accepted")
	}
}

// However long a check takes, its first round is the same, and so are the later rounds as far as they get.
func TestRoundsFollowUntilTheTimeIsOver(t *testing.T) {
	wasm := namesModule(t)
	seconds := func(n int) *Report {
		o := fewOps(t, "none")
		at := time.Unix(0, 0)
		o.Ops, o.For = 5, time.Duration(n)*time.Second
		o.now = func() time.Time { at = at.Add(time.Second); return at } // a second passes at each reading of the clock
		return check(t, "none", wasm, o)
	}
	one, two := seconds(0), seconds(60)
	if !one.OK() || !two.OK() || one.Rounds != 1 || two.Rounds < 2 || two.Ops < one.Ops+5 {
		t.Errorf("%d operations in %d rounds, then %d in %d\n%s", one.Ops, one.Rounds, two.Ops, two.Rounds, text(two))
	}
	if again := seconds(60); !reflect.DeepEqual(again.Checks, two.Checks) {
		t.Errorf("two checks with one clock differ:\n%s\n%s", text(two), text(again))
	}
}

func TestEachPlantedBugBreaksItsPromise(t *testing.T) {
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
		"export-takes-all": "refusals",
		"action-takes-all": "refusals",
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
		"others-renamed":   "bystanders",
		"others-dropped":   "bystanders",
		"others-selected":  "bystanders",
		"describe-traps":   "endurance",
		"error-raw":        "limits",
	}
	checkFindsBugs(t, namesModule(t), bugs, soak.Some(t, slices.Sorted(maps.Keys(bugs)), 8))
}

func TestAnOpThatMakesLaterOnesSlowBreaksItsPromise(t *testing.T) {
	bugs := map[string]string{"links-slow": "scale"}
	checkFindsBugs(t, namesModule(t), bugs, slices.DeleteFunc(soak.Some(t, []string{"", "links-slow", "", ""}, 4), func(s string) bool { return s == "" }))
}

func TestEachPlantedBugInAskingFoldersAndToolsBreaksItsPromise(t *testing.T) {
	bugs := map[string]string{
		"ask-other":      "asking",
		"ask-writes":     "asking",
		"ask-forever":    "asking",
		"ask-part":       "asking",
		"ask-dies":       "endurance",
		"outside-dies":   "files",
		"outside-lost":   "files",
		"broken-refused": "files",
		"parse-late":     "files",
		"tool-untyped":   "tools",
		"tool-dies":      "endurance",
		"tool-silent":    "tools",
	}
	checkFindsBugs(t, reachModule(t), bugs, soak.Some(t, slices.Sorted(maps.Keys(bugs)), 8))
}

func TestAFileThatIsNotAPluginIsReported(t *testing.T) {
	for name, wasm := range map[string][]byte{
		"nothing":         nil,
		"text":            []byte("not wasm"),
		"an empty module": []byte("\x00asm\x01\x00\x00\x00"),
	} {
		r := check(t, name, wasm, fewOps(t, name))
		if r.OK() || !strings.Contains(text(r), "FAIL  manifest") {
			t.Errorf("%s: %s", name, text(r))
		}
	}
}

// countdown is a context that is cancelled at the left-th call of Done.
type countdown struct {
	context.Context
	cancel context.CancelFunc
	left   atomic.Int64
}

func (e *countdown) Done() <-chan struct{} {
	if e.left.Add(-1) == 0 {
		e.cancel()
	}
	return e.Context.Done()
}

// Wherever a check is cancelled, it returns a report or an error.
func TestACancelledCheckReturnsAReportOrAnError(t *testing.T) {
	wasm := namesModule(t)
	for n := 1; n < soak.Times(80, 40000); n += 1 + n/4 {
		ctx, cancel := context.WithCancel(t.Context())
		cut := &countdown{Context: ctx, cancel: cancel}
		cut.left.Store(int64(n))
		r, err := Judge(cut, "names", wasm, Options{Ops: 30, Seed: 1, CacheDir: testwasm.Modules(t), Command: testwasm.Worker(t), Limits: sandbox.DefaultLimits(), instance: 1})
		if err == nil && r == nil {
			t.Errorf("cancelled at call %d of Done: neither a report nor an error", n)
		}
		cancel()
	}
}

// Checks hold a nil instance where a new one could not be started, and may call it.
func TestAnInstanceThatCouldNotBeStartedAnswersWithAnError(t *testing.T) {
	var none *instance
	if err := none.call(abi.ExportState, nil, &abi.StateResponse{}); err == nil {
		t.Error("the call succeeded")
	}
	if _, err := none.apply(false, nil, abi.Op{Verb: "add"}); err == nil {
		t.Error("the op succeeded")
	}
	none.close()
}

func TestThePageListsEveryPromise(t *testing.T) {
	page, err := os.ReadFile("../../docs/conformance.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range promises() {
		if row := "\n| `" + c.ID + "` | " + c.Promise; !strings.Contains(string(page), row) {
			t.Errorf("docs/conformance.md lacks a row that starts with %q", row[1:])
		}
	}
}
