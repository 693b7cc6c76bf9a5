package server

import (
	"cmp"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/conformance"
	"github.com/fcp-host/fcp-host/internal/soak"
)

var shelf string // the built testdata/shelf

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "shelf-*")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		shelf = filepath.Join(dir, "shelf")
		if out, err := exec.Command("go", "build", "-o", shelf, "./testdata/shelf").CombinedOutput(); err != nil {
			panic(string(out))
		}
		return m.Run()
	}())
}

func judge(t *testing.T, bug string) *Report {
	t.Helper()
	r, err := Judge(t.Context(), Command{Argv: []string{shelf, bug}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *Report) result(id string) Result {
	for _, res := range r.Results {
		if res.ID == id {
			return res
		}
	}
	return Result{}
}

func (r *Report) failures() string {
	var ids []string
	for _, res := range r.Results {
		if res.Status == Failed {
			ids = append(ids, res.ID)
		}
	}
	return strings.Join(ids, " ")
}

func TestAnIndependentServerConforms(t *testing.T) {
	r := judge(t, "")
	if r.Domain != "shelf" || !r.OK() {
		var b strings.Builder
		r.Write(&b)
		t.Errorf("%s", b.String())
	}
	for id, want := range map[string]Status{"O1": Passed, "O2": Passed, "O3": Passed, "O4": Passed, "O5": Passed, "O6": Passed} {
		if got := r.result(id); got.Status != want {
			t.Errorf("%s is %s (%s), want %s", id, got.Status, got.Detail, want)
		}
	}
	verbs := map[string]bool{}
	for _, op := range r.Ops {
		v, _, _ := strings.Cut(op, " ")
		verbs[v] = true
	}
	if len(verbs) != 5 {
		t.Errorf("the shelf has five verbs that change it; learned were %v", r.Ops)
	}
}

// A broken requirement is reported with the exchange that shows it, together with those that depend on it and no others.
func TestEachBrokenRequirementIsReportedWithTheExchange(t *testing.T) {
	with := map[string]string{
		"M5": "M3 M4 M5",    // undo leaves something behind
		"M6": "M4 M5 M6",    // queries change the document, so every later comparison differs
		"M7": "M7 S2",       // the reply to an unknown verb does not start with !
		"S6": "M3 M4 M5 S6", // answers still mention what was undone
	}
	for _, id := range soak.Some(t, []string{"M1", "M2", "M3", "M4", "M5", "M6", "M7", "S1", "S2", "S3", "S4", "S5", "S6", "S7"}, 7) {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			r := judge(t, id)
			got := r.result(id)
			if failed := r.failures(); failed != cmp.Or(with[id], id) || r.OK() {
				t.Fatalf("%s failed; %s says: %s", failed, id, got.Detail)
			}
			if got.Detail == "" || len(got.Exchange) == 0 && id != "M1" && id != "S1" {
				t.Errorf("the failure says too little: %+v", got)
			}
		})
	}
}

func TestVariantsThatTheSpecificationAllowsConform(t *testing.T) {
	for _, variant := range soak.Some(t, []string{"words", "coded"}, 2) {
		t.Run(variant, func(t *testing.T) {
			t.Parallel()
			if r := judge(t, variant); !r.OK() {
				var b strings.Builder
				r.Write(&b)
				t.Error(b.String())
			}
		})
	}
}

// A bug fails only the requirements that it breaks, with a detail that names it.
func TestABugFailsOnlyTheRequirementsItBreaks(t *testing.T) {
	bugs := map[string]struct {
		failed string
		says   string
	}{
		"no-undo":     {"M3 M4 M5", "undo"},
		"lost-undo":   {"M3 M4 M5", "undo"},
		"undo-one":    {"M4", "moves by one"},
		"keeps-log":   {"M3", "after new and undo"},
		"long-name":   {"M1", "shelf_edit"},
		"silent":      {"M1 M2 M3 M4 M5 M6 M7", "without a text"},
		"late-key":    {"M2", "wherever it stands"},
		"no-tabs":     {"M2", "tabs instead of blanks"},
		"open-quote":  {"M2", "is not closed"},
		"one-quote":   {"M2", "'Zeta Eta'"},
		"half-read":   {"M3", "after save and open"},
		"any-mark":    {"M3", "a checkpoint that does not exist is accepted"},
		"to-one":      {"M4", "two operations and undo to it"},
		"logs-asks":   {"M6", "after queries, undo"},
		"bare-no":     {"S3", "the reply to an unknown verb does not end with"},
		"mute":        {"S3", "the reply to redo does not end with"},
		"verb-only":   {"S4", "misspelt names"},
		"bare-try":    {"S4", "is refused"},
		"wrong-try":   {"S4", "frobnicate it all, which is refused"},
		"idle-try":    {"S4", "changes nothing"},
		"grim-try":    {"S4", "acts on @all, which was not named"},
		"one-try":     {"S4", "put Emma"},
		"no-marks":    {"S1", "take takes @all"},
		"same-past":   {"S7", "history 3"},
		"same-book":   {"S7", "the same before and after"},
		"flat-book":   {"S7", "have the same answer"},
		"fixed-book":  {"S7", "the same before and after"},
		"secret-kind": {"O4", "does not show"},
	}
	for _, bug := range soak.Some(t, slices.Sorted(maps.Keys(bugs)), 8) {
		c := bugs[bug]
		t.Run(bug, func(t *testing.T) {
			t.Parallel()
			r := judge(t, bug)
			first := r.result(strings.Fields(c.failed)[0])
			if failed := r.failures(); failed != c.failed || !strings.Contains(first.Detail, c.says) {
				t.Errorf("%s failed; %s says: %s", failed, first.ID, first.Detail)
			}
		})
	}
}

// Operations that the user names are used in addition to those found in the server's texts.
func TestNamedOperationsAreUsedInAddition(t *testing.T) {
	r, err := Judge(t.Context(), Command{Argv: []string{shelf, ""}}, []string{"put Dune", "put Ulysses", "put Walden", "define epic base:novel"})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"O1", "O2", "O3", "O4", "O5", "O6"} {
		if got := r.result(id); got.Status != Passed {
			t.Errorf("%s is %s (%s)", id, got.Status, got.Detail)
		}
	}
	if got := r.result("O4").Detail; !strings.Contains(got, "define epic") {
		t.Errorf("O4 tested %s", got)
	}
}

// A broken undo fails M3 to M5, and the other requirements are tested all the same.
func TestWithoutUndoTheOtherRequirementsAreTested(t *testing.T) {
	for bug, open := range map[string]string{"no-undo": "S6", "lost-undo": "S6", "M5": ""} {
		for _, res := range judge(t, bug).Results {
			if (res.Status == NotApplicable) != (res.ID == open) {
				t.Errorf("%s: %s is %s: %s", bug, res.ID, res.Status, res.Detail)
			}
		}
	}
}

func TestTryLinesAreReadInEveryForm(t *testing.T) {
	p := &probe{s: &Server{names: [4]string{"midi", "midi_query", "midi_session", "midi_help"}}}
	for text, want := range map[string]offer{
		"! no\n  try: note Piano C4":                      {edit, "note Piano C4"},
		"! no\n  try: midi note Piano C4":                 {edit, "note Piano C4"},
		"! no\n  try: midi_query tracks\n[0t]":            {query, "tracks"},
		"! no\n  try: midi_session new \"Title\"":         {session, `new "Title"`},
		"! no\n  try: midi_help":                          {help, ""},
		"!where to? Try: `save as:./x`":                   {edit, "save as:./x"},
		"! no\n  try: tracker P\n    C4:q\n    END\n[0t]": {edit, "tracker P\nC4:q\nEND"},
	} {
		if got := p.offers(said{conformance.Answer{Text: text}, edit}); len(got) != 1 || got[0] != want {
			t.Errorf("%q offers %v, not %v", text, got, want)
		}
	}
	if got := p.offers(said{conformance.Answer{Text: "! no\n  try: map\n  try: midi add C4"}, query}); !slices.Equal(got, []offer{{query, "map"}, {edit, "add C4"}}) {
		t.Errorf("two lines offer %v", got)
	}
	if got := p.offers(said{conformance.Answer{Text: "! retry: never"}, edit}); len(got) != 0 {
		t.Errorf("no line offers %v", got)
	}
}

func TestAServerThatEndsEarlyIsReportedWithItsStderr(t *testing.T) {
	r := judge(t, "ends")
	if len(r.Ops) == 0 || r.OK() {
		t.Errorf("it passes, with the operations %q", r.Ops)
	}
	if d := r.result("M5").Detail; !strings.Contains(d, "the server ended") || !strings.Contains(d, "fell down") {
		t.Errorf("M5 says %s", d)
	}
}

func TestAReportPrintsArrowsAsTheyWereSent(t *testing.T) {
	r := &Report{Results: []Result{{ID: "M2", Status: Failed, Exchange: []Exchange{{Tool: "d", Sent: []string{"link A -> B"}}}}}}
	var b strings.Builder
	if r.Write(&b); !strings.Contains(b.String(), `> d ["link A -> B"]`) {
		t.Error(b.String())
	}
}

func TestACommandThatIsNotAServerIsAnError(t *testing.T) {
	for _, argv := range [][]string{nil, {"/does/not/exist"}, {"go", "version"}} {
		if _, err := Judge(t.Context(), Command{Argv: argv}, nil); err == nil {
			t.Errorf("%v is accepted", argv)
		}
	}
}

func TestACommandLineIsSplitLikeAShellWould(t *testing.T) {
	for line, want := range map[string][]string{
		"a b  c":              {"a", "b", "c"},
		`a "b c" 'd "e"'`:     {"a", "b c", `d "e"`},
		`a --x="b c" ""`:      {"a", "--x=b c", ""},
		`python3 -m "my.mod"`: {"python3", "-m", "my.mod"},
	} {
		if got, err := Split(line); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", line, got, err)
		}
	}
	for _, line := range []string{"", "  ", `a "b`} {
		if got, err := Split(line); err == nil {
			t.Errorf("%q is split into %q", line, got)
		}
	}
}

func TestOpsAreFoundInReferenceCards(t *testing.T) {
	for card, want := range map[string]string{
		"  note TRACK PITCH at:POS dur:DUR [vel:V] [ch:N]": "note Alpha C4 at:1.1 dur:quarter",
		"  put BOOK · add a book":                          "put Alpha",
		"Use `add svc Auth` to add.":                       "add svc Auth",
		`Example: put "The Tin Drum"`:                      `put "The Tin Drum"`,
		"- connect SRC -> DST [label:TEXT]":                "connect Alpha -> Beta",
		"track add|remove NAME [program:N]":                "track add Alpha",
		"retitle BOOK as:NEW":                              "retitle Alpha as:Gamma",
		"put <book>":                                       "put Alpha",
		"remove NAME|SEL":                                  "remove Alpha",
		"define NAME base:TYPE | define theme NAME":        "define Alpha base:Alpha",
	} {
		if got := candidates(card); !slices.Contains(got, want) {
			t.Errorf("%q gives %q, not %q", card, got, want)
		}
	}
}
