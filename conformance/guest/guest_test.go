package guest

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/host/sandbox"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == sandbox.WorkerArg {
		os.Exit(sandbox.RunWorker())
	}
	os.Exit(m.Run())
}

// sample gives testdata/names with one way to misbehave patched in.
func sample(t *testing.T, bug string) []byte {
	t.Helper()
	wasm, err := os.ReadFile(testwasm.Build(t, "conformance/testdata/names"))
	if err != nil {
		t.Fatal(err)
	}
	const none = "bug=none................"
	if bytes.Count(wasm, []byte(none)) != 1 {
		t.Fatal("the place for the bug is not there once")
	}
	selected := "bug=" + bug + strings.Repeat(".", len(none)-len("bug=")-len(bug))
	return bytes.Replace(wasm, []byte(none), []byte(selected), 1)
}

func look(t *testing.T, name string, wasm []byte) *Report {
	t.Helper()
	limits := sandbox.DefaultLimits()
	if name == "loops" {
		limits.Call = limits.Call / 20
	}
	r, err := Judge(t.Context(), name, wasm, Options{Ops: 60, Seed: 1, CacheDir: testwasm.Cache(t), Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func text(r *Report) string {
	var b strings.Builder
	r.Write(&b)
	return b.String()
}

func TestAGoodPluginKeepsEveryPromise(t *testing.T) {
	r := look(t, "names", sample(t, "none"))
	if !r.OK() {
		t.Error(text(r))
	}
	for _, c := range r.Checks {
		if c.Looked == 0 {
			t.Errorf("%s was not looked at", c.ID)
		}
	}
}

// Each sample misbehaves in one way, and the check of that way says so.
func TestThePlantedBugOfEverySampleIsFound(t *testing.T) {
	for bug, id := range map[string]string{
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
		"text-escape":      "limits",
		"traps":            "endurance",
		"loops":            "endurance",
	} {
		t.Run(bug, func(t *testing.T) {
			t.Parallel()
			r := look(t, bug, sample(t, bug))
			for _, c := range r.Checks {
				if c.ID == id && c.OK() {
					t.Errorf("%s was not found to be broken\n%s", id, text(r))
				}
			}
			if r.OK() {
				t.Error("it passes")
			}
		})
	}
}

func TestWhatIsNoPluginIsReported(t *testing.T) {
	for name, wasm := range map[string][]byte{
		"nothing":         nil,
		"text":            []byte("not wasm"),
		"an empty module": []byte("\x00asm\x01\x00\x00\x00"),
	} {
		r := look(t, name, wasm)
		if r.OK() || !strings.Contains(text(r), "FAIL  manifest") {
			t.Errorf("%s: %s", name, text(r))
		}
	}
}

func TestOneSeedGivesOneReport(t *testing.T) {
	wasm := sample(t, "none")
	if a, b := text(look(t, "names", wasm)), text(look(t, "names", wasm)); a != b {
		t.Errorf("two looks differ:\n%s\n%s", a, b)
	}
}
