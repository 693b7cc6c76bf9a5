package pdktest_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// bag holds words with ids of their own, which a save does not keep.
type bag struct {
	Words []word
	Last  int
	calls int
}

type word struct {
	ID   int
	Text string
}

// swap replaces Old by New.
type swap struct {
	At       int
	Old, New []word
	bugs     bugs
}

func (*swap) Type() string { return "swap" }

func (e *swap) Do(b *bag) error {
	for _, w := range e.New {
		b.Last = max(b.Last, w.ID)
	}
	if e.bugs.replayForgets && b.calls == 0 {
		return nil
	}
	b.Words = slices.Replace(b.Words, e.At, e.At+len(e.Old), e.New...)
	return nil
}

func (e *swap) Undo(b *bag) error {
	old := e.Old
	if e.bugs.undoForgets && len(old) > 0 {
		old = []word{{old[0].ID, strings.ToUpper(old[0].Text)}}
	}
	b.Words = slices.Replace(b.Words, e.At, e.At+len(e.New), old...)
	return nil
}

// bugs are mistakes that can be planted in the domain. Each breaks one law.
type bugs struct {
	undoForgets, replayForgets, failureLeaks, queryChanges, saveChanges, stateDrifts bool
	saveUnstable, snapshotForgets, silent, idle, unknownKind, badExample, badTry     bool
	randomAnswer, bracketDigest, batchDiffers, openSilent                            bool
}

func domain(x bugs) *pdk.Domain[*bag] {
	find := func(b *bag, a pdk.Args) (int, error) {
		for i, w := range b.Words {
			if w.Text == a.Text(0) {
				return i, nil
			}
		}
		err := pdk.Errorf("no word %q", a.Text(0)).Tryf("add %s", pdk.Quote(a.Text(0)))
		if x.badTry {
			err = pdk.Errorf("no word %q", a.Text(0)).Tryf("add a b c with:care")
		}
		return 0, err
	}
	add := func(c *pdk.Ctx[*bag], a pdk.Args) error {
		c.Model.calls++
		text := a.Text(0)
		if x.batchDiffers && c.Model.calls > 2 {
			text += "!"
		}
		if text == "never" {
			if x.failureLeaks {
				c.Model.Words = append(c.Model.Words, word{0, "leak"})
			}
			return pdk.Errorf("%q is never added", text)
		}
		w := word{c.Model.Last + 1, text}
		if x.idle {
			c.Created("%s", text)
			return nil
		}
		if !x.silent {
			c.Created("%s", text)
		}
		return c.Do(&swap{At: len(c.Model.Words), New: []word{w}, bugs: x}, "add "+text, strconv.Itoa(w.ID))
	}
	remove := func(c *pdk.Ctx[*bag], a pdk.Args) error {
		at, err := find(c.Model, a)
		if err != nil {
			return err
		}
		w := c.Model.Words[at]
		c.Deleted("%s", w.Text)
		return c.Do(&swap{At: at, Old: []word{w}, bugs: x}, "remove "+w.Text, strconv.Itoa(w.ID))
	}
	text := func(b *bag) string {
		var s []string
		for _, w := range b.Words {
			s = append(s, w.Text)
		}
		return strings.Join(s, " ")
	}
	read := func(s string) *bag {
		b := &bag{}
		for _, t := range strings.Fields(s) {
			b.Last++
			b.Words = append(b.Words, word{b.Last, t})
		}
		return b
	}
	d := &pdk.Domain[*bag]{
		Name: "bag", Title: "Bag", Version: "1.0.0", Summary: "words in a bag", Extensions: []string{".bag"},
		NewParams: []abi.Param{{Key: "with", Value: "WORD"}},
		New: func(r *abi.NewRequest) (*bag, error) {
			if r.Title == "" {
				return nil, pdk.Errorf("a bag has a title").Tryf(`new "Bag"`)
			}
			b := &bag{}
			for _, p := range r.Params {
				b = read(p.Value)
			}
			return b, nil
		},
		Open: func(_ string, data []byte) (*bag, []string, error) {
			if strings.ContainsRune(string(data), 0) {
				return nil, nil, pdk.Errorf("not a bag")
			}
			b := read(string(data))
			if x.saveUnstable {
				b = read(string(data) + " more")
			}
			if x.openSilent {
				return b, nil, nil
			}
			return b, []string{"a warning"}, nil
		},
		Save: func(b *bag) ([]byte, error) {
			out := text(b)
			if x.batchDiffers {
				b.calls = 0 // between ops of separate calls
			}
			if x.saveChanges {
				b.calls++
				out += strings.Repeat(" ", b.calls)
			}
			return []byte(out), nil
		},
		State: func(b *bag) abi.State {
			s := abi.State{Digest: fmt.Sprintf("%d words", len(b.Words))}
			if x.stateDrifts {
				s.Digest = fmt.Sprintf("%d words ever", b.Last)
			}
			if x.bracketDigest {
				s.Digest = "[" + s.Digest + "]"
			}
			return s
		},
		Edits: func(string) pdk.Edit[*bag] { return &swap{bugs: x} },
		Verbs: []pdk.Verb[*bag]{
			{Verb: abi.Verb{Name: "add", Syntax: "add WORD", Summary: "add a word", Min: 1, Max: 1, Examples: []string{"add tea"}}, Run: add},
			{Verb: abi.Verb{Name: "remove", Syntax: "remove WORD", Summary: "remove a word", Min: 1, Max: 1, Examples: []string{"remove tea"}}, Run: remove},
		},
		Queries: []pdk.Query[*bag]{{Query: abi.Query{Name: "map"}, Run: func(v *pdk.View[*bag], _ pdk.Args) (abi.QueryResponse, error) {
			v.Model.calls++
			if x.queryChanges {
				v.Model.Words = nil
			}
			if x.randomAnswer {
				return abi.QueryResponse{Text: strconv.Itoa(v.Model.calls)}, nil
			}
			return abi.QueryResponse{Text: text(v.Model), Content: []abi.Content{{MIME: "text/plain"}}}, nil
		}}},
		Session: []pdk.SessionAction[*bag]{{Session: abi.Session{Name: "import", File: 1}, Run: func(c *pdk.Ctx[*bag], a pdk.Args, file []byte) error {
			c.Bulk("imported %s", a.Text(0))
			return c.Do(&swap{At: len(c.Model.Words), New: read(string(file)).Words}, "import")
		}}},
		Formats: []pdk.Format[*bag]{{Format: abi.Format{Name: "txt"}, Params: []string{"end"}, Write: func(b *bag, a pdk.Args) ([]byte, error) {
			return []byte(text(b) + a.String("end", "")), nil
		}}},
	}
	snapshot := func(b *bag) ([]byte, error) { return abi.Marshal(b) }
	restore := func(_ string, data []byte) (*bag, error) {
		b := &bag{}
		err := abi.Unmarshal(data, b)
		if x.snapshotForgets && len(b.Words) > 1 {
			b.Words = b.Words[1:]
		}
		return b, err
	}
	d.Snapshot, d.Restore = snapshot, restore
	if x.badExample {
		d.Verbs[0].Examples = []string{"remove tea"}
	}
	if x.unknownKind {
		d.Verbs[0].Run = func(c *pdk.Ctx[*bag], a pdk.Args) error {
			return c.Do(&swap{New: []word{{1, "x"}}}, "x")
		}
	}
	return d
}

func TestADocumentIsUsedAsByTheHost(t *testing.T) {
	doc := pdktest.New(t, domain(bugs{}), `"My Bag" with:tea`)
	if got, want := doc.Do("add milk", "add \"two words\"\nadd x"), "+ milk\n+ two words\n+ x"; got != want {
		t.Errorf("Do answers %q, want %q", got, want)
	}
	if got := doc.Query("map"); got != "tea milk two words x" || doc.Digest() != "4 words" {
		t.Errorf("%q, %q", got, doc.Digest())
	}
	doc.Undo(2)
	doc.Redo(1)
	if got := string(doc.Save()); got != "tea milk two words" {
		t.Errorf("after undo 2 and redo 1: %q", got)
	}
	if got := doc.Fail("remove sugar", "no word"); got != "no word \"sugar\"\ntry: add sugar" {
		t.Errorf("Fail answers %q", got)
	}
	for op, want := range map[string]string{
		"drop x": "unknown verb", "add": "needs 1 words", "add a b": "at most 1", "add a with:b": "no parameter with:",
		"add a @all": "no selector", `add "open`: "unterminated quote", "add never": "never added",
	} {
		doc.Fail(op, want)
	}
	if got := doc.Session("import more.bag", []byte("salt pepper")); got != "@ imported more.bag" {
		t.Errorf("Session answers %q", got)
	}
	if got := string(doc.Export("txt end:.")); got != "tea milk two words salt pepper." {
		t.Errorf("Export gives %q", got)
	}
	if got := doc.QueryContent("map"); len(got) != 1 {
		t.Errorf("QueryContent gives %v", got)
	}
	doc.QueryFails("where", "unknown query")
	doc.QueryFails("map @bogus", "unknown selector")
	again := doc.Reopen()
	if string(again.Save()) != string(doc.Save()) || len(again.Warnings) != 1 || again.State().Digest != "6 words" {
		t.Errorf("%q %q %+v", again.Save(), again.Warnings, again.State())
	}
	pdktest.NewFails(t, domain(bugs{}), "", "a bag has a title", "try:")
	pdktest.OpenFails(t, domain(bugs{}), "a.bag", []byte{0}, "not a bag")
}

func TestAnHonestDomainKeepsTheLaws(t *testing.T) {
	pdktest.Laws(t, domain(bugs{}), "add a", "add b", "remove a", "remove zebra", "add never", "add c", "remove c")
	failures := pdktest.Open(t, domain(bugs{}), "x.bag", []byte("a b c")).Laws("remove b", "remove b", "add d")
	if len(failures) != 1 || !strings.HasPrefix(failures[0], "remove b: no word") {
		t.Errorf("failures: %q", failures)
	}
	rapid.Check(t, func(rt *rapid.T) {
		op := rapid.Custom(func(rt *rapid.T) string {
			return rapid.SampledFrom([]string{"add ", "remove "}).Draw(rt, "verb") + rapid.SampledFrom([]string{"a", "b", "c"}).Draw(rt, "word")
		})
		ops := append([]string{"add a"}, rapid.SliceOfN(op, 0, 12).Draw(rt, "ops")...)
		pdktest.Open(t, domain(bugs{}), "x.bag", []byte("b")).Laws(ops...)
	})
}

// recorder is a test that is expected to fail.
type recorder struct {
	testing.TB
	said []string
}

type stop struct{}

func (r *recorder) Helper() {}

func (r *recorder) Error(args ...any) { r.said = append(r.said, fmt.Sprint(args...)) }

func (r *recorder) Errorf(format string, args ...any) {
	r.said = append(r.said, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatal(args ...any) { r.Error(args...); panic(stop{}) }

func (r *recorder) Fatalf(format string, args ...any) { r.Errorf(format, args...); panic(stop{}) }

func record(t *testing.T, f func(t testing.TB)) string {
	r := &recorder{TB: t}
	func() {
		defer func() {
			if p := recover(); p != nil && p != (stop{}) {
				panic(p)
			}
		}()
		f(r)
	}()
	return strings.Join(r.said, "\n")
}

func TestEveryPlantedBugIsFound(t *testing.T) {
	laws := func(x bugs) func(testing.TB) {
		return func(t testing.TB) {
			pdktest.Laws(t, domain(x), "add a", "add b", "remove a", "add never", "add c", "add d")
		}
	}
	tests := []struct {
		name string
		run  func(testing.TB)
		want string
	}{
		{"undo does not restore the bytes", laws(bugs{undoForgets: true}), `undo of op "remove a": the bytes differ`},
		{"replay does nothing on a fresh instance", laws(bugs{replayForgets: true}), "the log replayed on a fresh instance: the bytes differ"},
		{"a failed op changes something", laws(bugs{failureLeaks: true}), `op "add never" failed ("never" is never added) and changed the document`},
		{"a query changes the document", laws(bugs{queryChanges: true}), `query "map": the bytes differ`},
		{"a query answers at random", laws(bugs{randomAnswer: true}), `query "map" answers differently`},
		{"saving changes the document", laws(bugs{saveChanges: true}), "the bytes differ"},
		{"undo does not restore the state", laws(bugs{stateDrifts: true}), `undo of op "add a": the state differs`},
		{"what was saved opens as something else", laws(bugs{saveUnstable: true}), "save, open, save changes the bytes"},
		{"a snapshot is incomplete", laws(bugs{snapshotForgets: true}), "a snapshot opened in a fresh instance"},
		{"a batch differs from its ops", laws(bugs{batchDiffers: true}), "the same ops as one batch on a fresh instance"},
		{"an op says nothing", laws(bugs{silent: true}), `op "add a": succeeded with the kind ""`},
		{"an op does nothing", laws(bugs{idle: true}), `op "add a": succeeded without changing anything`},
		{"an op has no kind", laws(bugs{unknownKind: true}), `succeeded with the kind ""`},
		{"an example names another verb", laws(bugs{badExample: true}), `example "remove tea" of add: it names the verb remove`},
		{"the digest has brackets", laws(bugs{bracketDigest: true}), "the host adds the brackets"},
		{"every op fails", func(t testing.TB) { pdktest.Laws(t, domain(bugs{}), "remove x", "what") }, "every op failed"},
		{"a suggestion does not work", func(t testing.TB) { pdktest.New(t, domain(bugs{badTry: true}), "T").Fail("remove x") }, "a suggestion that does not work"},
		{"a failure has another text than expected", func(t testing.TB) { pdktest.New(t, domain(bugs{}), "T").Fail("remove x", "purple") }, `without saying "purple"`},
		{"an op succeeds unexpectedly", func(t testing.TB) { pdktest.New(t, domain(bugs{}), "T").Fail("add x") }, `op "add x" succeeded, but should fail: + x`},
		{"an op fails unexpectedly", func(t testing.TB) { pdktest.New(t, domain(bugs{}), "T").Do("add x", "remove y", "add z") }, `op "remove y" failed: no word "y"`},
		{"there is nothing to undo", func(t testing.TB) { pdktest.New(t, domain(bugs{}), "T").Undo(1) }, "the history has 0 ops"},
		{"there is nothing to redo", func(t testing.TB) { pdktest.New(t, domain(bugs{}), "T").Redo(1) }, "the history has 0 undone ops"},
		{"a parameter of new is not declared", func(t testing.TB) { pdktest.New(t, domain(bugs{}), "T a:b") }, "does not declare a:"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := record(t, tt.run); !strings.Contains(got, tt.want) {
				t.Errorf("said %q, want %q", got, tt.want)
			}
		})
	}
}

func TestAManifestThatAHostWouldRefuseIsRefused(t *testing.T) {
	d := domain(bugs{})
	d.Name, d.Title, d.Extensions = "Bag!", "", []string{"bag"}
	d.Verbs = append(d.Verbs, d.Verbs[0], pdk.Verb[*bag]{Verb: abi.Verb{Name: "Two Words", Min: 3, Max: 2}})
	d.Example = []string{"add tea", "drop tea"}
	got := record(t, func(t testing.TB) { pdktest.Manifest(t, d) })
	for _, want := range []string{`name "Bag!"`, "no title", `extension "bag"`, "add is registered twice", `verb "Two Words" is not one`,
		"at least 3 and at most 2", "no syntax line", "has no example", `example script, "drop tea": unknown verb`} {
		if !strings.Contains(got, want) {
			t.Errorf("said\n%s\nwithout %q", got, want)
		}
	}
}
