package command

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/internal/soak"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// A suggestion after try: works as printed and does no more than was meant. These tests derive mistakes from correct calls
// on a document, send them through the interfaces of a model and of a script, run every suggestion that is returned, and
// compare the document element by element.

// subject is a domain whose suggestions are tested.
type subject struct {
	domain string
	file   string            // name of the saved document, with the domain's extension
	build  []string          // ops that build the document from an empty one
	after  []string          // ops that run after the document was reopened; the last one is undone, so that there is something to redo
	files  map[string]string // files beside it by name

	ops, queries, actions []string // correct texts, from which mistakes are made

	mistakes []mistake // additional mistakes
	fewest   int       // minimum number of different errors

	// look reads the document: its elements by a stable id.
	look func(t testing.TB, ask func(q string) string, saved []byte) map[string]element

	removers []string // words of ops that may remove the elements that they name
	first    []string // verbs of ops that must precede the user's own: a suggestion of one has its own words
	foreign  []string // words that no suggestion may contain: those of the card's examples
}

// mistake is one thing to send, of the kind abi.TryOp, TryQuery or TryAction.
type mistake struct {
	kind, text string
	about      []string // names of elements that a suggestion may change although the text does not contain them
	means      string   // a suggestion that may use other words
	helpless   bool     // no suggestion is possible
	fresh      bool     // the history must be that of the newly opened document
}

// element is part of a document.
type element struct {
	text   string   // everything about it
	names  []string // names by which an op may mean it; the first is its own
	parent string   // id of what it lies in, "" for none
	ends   []string // ids of the elements that it connects
	always bool     // it may change along with anything else
}

// trial is a desk with the subject's document.
type trial struct {
	t     *testing.T
	s     *subject
	d     desk
	dir   string
	clean map[string]element // the elements of the newly opened document
	saved []byte
}

func newTrial(t *testing.T, s *subject, d desk, dir, new string) *trial {
	x := &trial{t: t, s: s, d: d, dir: dir}
	x.must(abi.TryAction, new)
	for _, op := range s.build {
		x.must(abi.TryOp, op)
	}
	x.must(abi.TryAction, "save as:./"+s.file)
	x.saved = x.read(s.file)
	x.open()
	x.clean = x.look()
	return x
}

func (x *trial) must(kind, text string) string {
	x.t.Helper()
	got, failed := x.d.send(kind, text)
	if failed {
		x.t.Fatalf("%s: %s", text, got)
	}
	return got
}

// open restores the document and its folder.
func (x *trial) open() {
	x.t.Helper()
	for {
		if _, failed := x.d.send(abi.TryAction, "close force"); failed {
			break
		}
	}
	names, err := filepath.Glob(filepath.Join(x.dir, "*"))
	if err != nil {
		x.t.Fatal(err)
	}
	for _, name := range names {
		if err := os.Remove(name); err != nil {
			x.t.Fatal(err)
		}
	}
	put(x.t, x.dir, x.s.file, string(x.saved))
	for name, text := range x.s.files {
		put(x.t, x.dir, name, text)
	}
	x.must(abi.TryAction, "open ./"+x.s.file)
	x.must(abi.TryAction, "checkpoint start")
	for _, op := range x.s.after {
		x.must(abi.TryOp, op)
	}
	x.must(abi.TryAction, "undo")
}

// undo reverses a text of this kind: it undoes an op that changed something according to its answer, and opens the
// document again after an action.
func (x *trial) undo(kind, answer string) {
	x.t.Helper()
	switch {
	case kind == abi.TryOp && !strings.HasPrefix(answer, "?"):
		x.must(abi.TryAction, "undo")
	case kind == abi.TryAction:
		x.open()
	}
}

func same(a, b map[string]element) bool {
	return maps.EqualFunc(a, b, func(a, b element) bool { return a.text == b.text })
}

// look returns the document's elements.
func (x *trial) look() map[string]element {
	x.t.Helper()
	name := "copy" + filepath.Ext(x.s.file)
	x.must(abi.TryAction, "save as:./"+name+" force")
	return x.s.look(x.t, func(q string) string { return x.must(abi.TryQuery, q) }, x.read(name))
}

func (x *trial) read(name string) []byte {
	x.t.Helper()
	data, err := os.ReadFile(filepath.Join(x.dir, name))
	if err != nil {
		x.t.Fatal(err)
	}
	return data
}

// tryMistake sends a mistake and runs the suggestions of its answer. It reports whether the answer was an error and how many
// suggestions it had.
func (x *trial) tryMistake(m mistake) (failed bool, tried int) {
	x.t.Helper()
	text, failed := x.d.send(m.kind, m.text)
	if !failed { // it was not a mistake
		x.undo(m.kind, text)
		return false, 0
	}
	lines := suggestions(text)
	if len(lines) == 0 && !m.helpless && !beyondHelp.MatchString(text) {
		x.t.Errorf("%s %s: nothing is suggested\n%s", m.kind, m.text, text)
	}
	for _, l := range lines {
		kind, try := x.d.read(m.kind, l)
		if fault := x.run(m, kind, try); fault != "" {
			x.t.Errorf("%s %s:\n%s\nthe suggestion %q %s", m.kind, m.text, text, l, fault)
		}
	}
	return true, len(lines)
}

// beyondHelp matches refusals for which there is nothing to suggest.
var beyondHelp = regexp.MustCompile(`no such file or directory|there is no journal`)

// run runs one suggestion as printed and returns what is wrong with it, or "".
func (x *trial) run(m mistake, kind, try string) string {
	x.t.Helper()
	if fault := x.wording(m, kind, try); fault != "" {
		return fault
	}
	if m.fresh {
		x.open()
	}
	got, failed := x.d.send(kind, try)
	if failed {
		return "fails: " + got
	}
	switch kind {
	case abi.TryQuery, helpKind:
		return ""
	case abi.TryAction:
		x.undo(kind, got)
		return ""
	}
	now := x.look()
	fault := ""
	if same(x.clean, now) {
		fault = "changes nothing: " + got
	} else {
		fault = x.s.unintendedChanges(m, x.clean, now)
	}
	x.undo(kind, got)
	return fault
}

// placeholder matches words that the user has to replace.
var placeholder = regexp.MustCompile(`\b(NAME|TEXT|PATH|REF|SEL|TYPE|VALUE|TITLE|KEY|FORMAT|LABEL|THEME|PACK|GROUP|WORD|TRACK|PITCH|POS|FILE)\b|…|\.\.\.`)

// wording compares the words of a suggestion with those of the mistake.
func (x *trial) wording(m mistake, kind, try string) string {
	if p := placeholder.FindString(try); p != "" && !strings.Contains(m.text, p) {
		return "holds the placeholder " + p
	}
	for _, w := range x.s.foreign {
		if strings.Contains(try, w) && !strings.Contains(m.text, w) {
			return "holds " + w + ", which is not of this document"
		}
	}
	if kind != abi.TryOp {
		return ""
	}
	if verb, _, _ := strings.Cut(try, " "); slices.Contains(x.s.first, verb) && !strings.HasPrefix(m.text, verb) {
		return ""
	}
	if try == m.means {
		return ""
	}
	if fresh := unlike(try, m.text); len(fresh) > 2 {
		return fmt.Sprintf("holds words that nobody said: %q", fresh)
	}
	if lost := unlike(m.text, try); len(lost) > 2 {
		return fmt.Sprintf("leaves out what was said: %q", lost)
	}
	return ""
}

// tryAll sends the subject's mistakes through the desks of a client, of the unified tools and of a script: a part of
// them through the first, fewer through the others. make soak sends all through the first, in another order each time.
func tryAll(t *testing.T, s *subject) {
	t.Helper()
	wasm := testwasm.Build(t, "plugins/"+s.domain)
	all := s.all()
	t.Run("tools", func(t *testing.T) {
		dir := t.TempDir()
		x := newTrial(t, s, newToolDesk(serveProcess(t, dir, "--plugin", wasm, "--no-journal"), s.domain), dir, `new "Start"`)
		for _, op := range s.ops {
			x.checkCorrect(abi.TryOp, op)
		}
		for _, q := range s.queries {
			x.checkCorrect(abi.TryQuery, q)
		}
		for _, a := range s.actions {
			x.checkCorrect(abi.TryAction, a)
		}
		step := soak.Times(160, 1)
		if n, want := x.sendEvery(all, step), s.fewest/step; n < want {
			t.Errorf("%d errors were made, fewer than %d", n, want)
		}
	})
	t.Run("unified", func(t *testing.T) {
		dir := t.TempDir()
		c := serveProcess(t, dir, "--plugin", wasm, "--no-journal", "--unified")
		newTrial(t, s, newToolDesk(c, ""), dir, `new `+s.domain+` "Start"`).sendEvery(all, soak.Times(400, 7))
	})
	t.Run("script", func(t *testing.T) {
		dir := t.TempDir()
		newTrial(t, s, newScriptDesk(t, dir, wasm), dir, `new "Start"`).sendEvery(all, soak.Times(400, 7))
	})
}

// checkCorrect fails the test unless a text, from which mistakes are made, works as it is.
func (x *trial) checkCorrect(kind, text string) {
	x.t.Helper()
	got, failed := x.d.send(kind, text)
	if failed || strings.HasPrefix(got, "?") {
		x.t.Errorf("%s %s is not right by itself: %s", kind, text, got)
	}
	if !failed {
		x.undo(kind, got)
	}
}

// sendEvery sends every step-th mistake and returns the number of errors.
func (x *trial) sendEvery(all []mistake, step int) (errors int) {
	tried, from := 0, int(soak.Seed(x.t)%uint64(step))
	for i := from; i < len(all); i += step {
		failed, n := x.tryMistake(all[i])
		if failed {
			errors++
		}
		tried += n
	}
	if !same(x.clean, x.look()) {
		x.t.Error("the document is not as it was before all of this")
	}
	x.t.Logf("%d mistakes, %d errors, %d suggestions run", (len(all)-from+step-1)/step, errors, tried)
	return errors
}

func TestASuggestionThatStraysIsFound(t *testing.T) {
	s := &subject{removers: []string{"remove"}, first: []string{"load"}, foreign: []string{"Sample"}}
	was := map[string]element{
		"box":   {text: "box", names: []string{"Web Server"}},
		"part":  {text: "part", names: []string{"Door"}, parent: "box"},
		"other": {text: "other", names: []string{"Cellar"}},
		"edge":  {text: "edge", names: []string{""}, ends: []string{"box", "other"}},
		"order": {text: "order", always: true},
	}
	with := func(id, text string) map[string]element {
		now := maps.Clone(was)
		e := now[id]
		e.text = text
		now[id] = e
		return now
	}
	without := func(id string) map[string]element {
		now := maps.Clone(was)
		delete(now, id)
		return now
	}
	for _, c := range []struct {
		sent  string
		now   map[string]element
		stray bool
	}{
		{"style Web bold", with("box", "bold"), false},
		{"style Cellra bold", with("other", "bold"), false},
		{"style Web bold", with("part", "bold"), false},
		{"style Web bold", with("edge", "bold"), false},
		{"style Web bold", with("order", "new"), false},
		{"style Door bold", with("box", "grown"), false},
		{"style Web bold", with("other", "bold"), true},
		{"style bold", with("box", "bold"), true},
		{"style Web bold", without("box"), true},
		{"remove Web", without("box"), false},
		{"remove Web", without("edge"), false},
		{"remove Web", without("other"), true},
	} {
		if fault := s.unintendedChanges(mistake{text: c.sent}, was, c.now); (fault != "") != c.stray {
			t.Errorf("%s: %q", c.sent, fault)
		}
	}
	x := &trial{t: t, s: s}
	for _, c := range []struct {
		sent, try string
		good      bool
	}{
		{"style Web bald", "style Web bold", true},
		{"add Web Server", `add "Web Server"`, true},
		{"add crate X at:1,2 size:3x4", "load crates", true},
		{"style Web", "style NAME bold", false},
		{"style Web", "style Sample bold", false},
		{"style Web", "move Cellar to:left by:right", false},
		{"add svc Web at:here size:big theme:blue", "add svc Web", false},
	} {
		if fault := x.wording(mistake{text: c.sent}, abi.TryOp, c.try); (fault == "") != c.good {
			t.Errorf("%s, try %s: %q", c.sent, c.try, fault)
		}
	}
}
