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

// What stands behind try: works as printed and does no more than was meant. The
// tests here make mistakes of what is right on a document, send them through the
// faces that a model or a script has, run every suggestion that comes back, and
// look at what it did to the document, element by element.

// subject is a domain whose suggestions are tried.
type subject struct {
	domain string
	file   string            // what the document is saved as, with the domain's extension
	build  []string          // ops that make the document out of an empty one
	after  []string          // ops that are run when it was opened again; the last is undone, so that there is something to redo
	files  map[string]string // that lie beside it, by name

	ops, queries, actions []string // what is right on the document; mistakes are made of them

	mistakes []mistake // further ones
	fewest   int       // how many different errors all that has to make

	// look reads the document: its elements by an id that stays.
	look func(t testing.TB, ask func(q string) string, saved []byte) map[string]element

	removers []string // words of ops that may remove what they name
	first    []string // verbs of ops that must come before the user's own: a suggestion of one has its own words
	foreign  []string // words that no suggestion may hold: those of the card's examples
}

// mistake is one thing to send, of the kind abi.TryOp, TryQuery or TryAction.
type mistake struct {
	kind, text string
	about      []string // names of what a suggestion may change though the text does not hold them
	means      string   // a suggestion that may be worded otherwise
	helpless   bool     // nothing can be suggested
	fresh      bool     // the history must be as it was when the document was opened
}

// element is a part of a document.
type element struct {
	text   string   // all there is to it
	names  []string // by which an op may mean it; the first is its own
	parent string   // id of what it lies in, "" for none
	ends   []string // ids of what it joins
	always bool     // it may change with anything else
}

// trial is a desk with the subject's document before it.
type trial struct {
	t     *testing.T
	s     *subject
	d     desk
	dir   string
	clean map[string]element // the document's elements as it was opened
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

// open brings the document and its folder back as they were, whatever was done
// to them.
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

// back takes away what something of a kind did to the document, which answered
// so.
func (x *trial) back(kind, answer string) {
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

// look reads the document.
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

// make sends a mistake and runs what comes back. It reports whether it was an
// error, and how many suggestions there were.
func (x *trial) make(m mistake) (failed bool, tried int) {
	x.t.Helper()
	text, failed := x.d.send(m.kind, m.text)
	if !failed { // it was none
		x.back(m.kind, text)
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

// beyondHelp is what refusals say where nothing is there that could be named.
var beyondHelp = regexp.MustCompile(`no such file or directory|there is no journal`)

// run runs one suggestion as printed and tells what is wrong with it.
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
		x.back(kind, got)
		return ""
	}
	now := x.look()
	fault := ""
	if same(x.clean, now) {
		fault = "changes nothing: " + got
	} else {
		fault = x.s.strayed(m, x.clean, now)
	}
	x.back(kind, got)
	return fault
}

// placeholder is a word that stands for one to fill in.
var placeholder = regexp.MustCompile(`\b(NAME|TEXT|PATH|REF|SEL|TYPE|VALUE|TITLE|KEY|FORMAT|LABEL|THEME|PACK|GROUP|WORD|TRACK|PITCH|POS|FILE)\b|…|\.\.\.`)

// wording holds the words of a suggestion against those of the mistake.
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

// tryAll makes the subject's mistakes at the desks of a client, of the unified
// tools and of a script: every tenth at the first, fewer at the others; in make
// soak all at the first, in another order each time.
func tryAll(t *testing.T, s *subject) {
	t.Helper()
	wasm := testwasm.Build(t, "plugins/"+s.domain)
	all := s.all()
	t.Run("tools", func(t *testing.T) {
		dir := t.TempDir()
		x := newTrial(t, s, newTools(serveProcess(t, dir, "--plugin", wasm, "--no-journal"), s.domain), dir, `new "Start"`)
		for _, op := range s.ops {
			x.right(abi.TryOp, op)
		}
		for _, q := range s.queries {
			x.right(abi.TryQuery, q)
		}
		for _, a := range s.actions {
			x.right(abi.TryAction, a)
		}
		step := soak.Times(80, 1)
		if n, want := x.every(all, step), s.fewest/step; n < want {
			t.Errorf("%d errors were made, fewer than %d", n, want)
		}
	})
	t.Run("unified", func(t *testing.T) {
		dir := t.TempDir()
		c := serveProcess(t, dir, "--plugin", wasm, "--no-journal", "--unified")
		newTrial(t, s, newTools(c, ""), dir, `new `+s.domain+` "Start"`).every(all, soak.Times(200, 7))
	})
	t.Run("script", func(t *testing.T) {
		dir := t.TempDir()
		newTrial(t, s, newPaper(t, dir, wasm), dir, `new "Start"`).every(all, soak.Times(200, 7))
	})
}

// right makes sure that what mistakes are made of is right.
func (x *trial) right(kind, text string) {
	x.t.Helper()
	got, failed := x.d.send(kind, text)
	if failed || strings.HasPrefix(got, "?") {
		x.t.Errorf("%s %s is not right by itself: %s", kind, text, got)
	}
	if !failed {
		x.back(kind, got)
	}
}

// every makes one mistake of each step and gives the number of errors.
func (x *trial) every(all []mistake, step int) (errors int) {
	tried, from := 0, int(soak.Seed(x.t)%uint64(step))
	for i := from; i < len(all); i += step {
		failed, n := x.make(all[i])
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
		if fault := s.strayed(mistake{text: c.sent}, was, c.now); (fault != "") != c.stray {
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
