package command

import (
	"bytes"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/plugin"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/sandbox"
	"github.com/fcp-host/fcp-host/host/session"
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

// desk is a face of the host, as its user sees it.
type desk interface {
	// send gives the reply as text, and whether it is an error.
	send(kind, text string) (string, bool)
	// read takes a suggestion as it is printed behind the refusal of one kind
	// apart into what it is and what to send.
	read(kind, line string) (string, string)
}

// helpKind is the kind of suggestions that only the host makes.
const helpKind = reply.TryHelp

// tools is the desk of an MCP client: four tools whose names start so.
type tools struct {
	c                         *client
	edit, query, action, help string
}

func newTools(c *client, domain string) *tools {
	if domain == "" {
		return &tools{c, "fcp_edit", "fcp_query", "fcp_session", "fcp_help"}
	}
	return &tools{c, domain, domain + "_query", domain + "_session", domain + "_help"}
}

func (d *tools) send(kind, text string) (string, bool) {
	switch kind {
	case abi.TryOp:
		return d.c.call(d.edit, map[string]any{"ops": []string{text}})
	case abi.TryQuery:
		return d.c.call(d.query, map[string]any{"q": text})
	case helpKind:
		if text == "" {
			return d.c.call(d.help, map[string]any{})
		}
		return d.c.call(d.help, map[string]any{"topic": text})
	}
	return d.c.call(d.action, map[string]any{"action": text})
}

func (d *tools) read(kind, line string) (string, string) {
	for _, tool := range [][2]string{{d.query, abi.TryQuery}, {d.action, abi.TryAction}, {d.help, helpKind}, {d.edit, abi.TryOp}} {
		if rest, ok := strings.CutPrefix(line+" ", tool[0]+" "); ok {
			return tool[1], strings.TrimSpace(rest)
		}
	}
	return kind, line
}

// paper is the desk of a script.
type paper struct {
	x   *script
	out *bytes.Buffer
}

func newPaper(t *testing.T, dir, wasm string) *paper {
	set, err := plugin.Load(t.Context(), plugin.Options{Files: []string{wasm}, CacheDir: testwasm.CacheDir(t), Limits: sandbox.DefaultLimits()})
	if err != nil || len(set.Problems()) > 0 {
		t.Fatal(err, set.Problems())
	}
	t.Cleanup(set.Close)
	roots, err := files.NewRoots(dir)
	if err != nil {
		t.Fatal(err)
	}
	s := session.New(set, roots)
	t.Cleanup(s.Close)
	out := new(bytes.Buffer)
	return &paper{&script{ctx: t.Context(), s: s, out: stdio{out: out, err: out}, keepGoing: true, log: slog.New(slog.DiscardHandler)}, out}
}

func (d *paper) send(kind, text string) (string, bool) {
	d.x.failed = false
	d.out.Reset()
	d.x.line(map[string]string{abi.TryOp: "", abi.TryQuery: "?", helpKind: "?", abi.TryAction: ":"}[kind] + text)
	d.x.flush()
	return strings.TrimSuffix(d.out.String(), "\n"), d.x.failed
}

func (d *paper) read(kind, line string) (string, string) {
	if rest, ok := strings.CutPrefix(line, ":"); ok {
		return abi.TryAction, rest
	}
	if rest, ok := strings.CutPrefix(line, "?"); ok {
		if rest == "help" || strings.HasPrefix(rest, "help ") {
			return helpKind, rest
		}
		return abi.TryQuery, rest
	}
	return abi.TryOp, line
}

// suggestions are the lines behind try: in a reply.
func suggestions(text string) []string {
	var out []string
	open := false
	for l := range strings.Lines(text) {
		l = strings.TrimSuffix(l, "\n")
		if rest, ok := strings.CutPrefix(l, "  try: "); ok {
			out, open = append(out, rest), true
		} else if rest, ok := strings.CutPrefix(l, "       "); ok && open {
			out[len(out)-1] += "\n" + rest
		} else {
			open = false
		}
	}
	return out
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

// unlike are the words of a text that hold something of which another text says
// nothing alike.
func unlike(text, other string) (out []string) {
	said := spoken(other)
	for _, w := range strings.Fields(text) {
		if slices.ContainsFunc(spoken(w), func(part string) bool {
			return strings.ContainsFunc(part, unicode.IsLetter) &&
				!slices.ContainsFunc(said, func(s string) bool { return alike(part, s) || alike(s, part) })
		}) {
			out = append(out, w)
		}
	}
	return out
}

// strayed tells what differs between two states of a document though an op that
// was meant like the mistake has nothing to do with it.
func (s *subject) strayed(m mistake, was, now map[string]element) string {
	words := append(spoken(m.text), m.about...)
	removes := slices.ContainsFunc(words, func(w string) bool {
		return slices.ContainsFunc(s.removers, func(r string) bool { return alike(w, r) })
	})
	meant := map[string]bool{}
	all := maps.Clone(now)
	maps.Copy(all, was)
	for id, e := range all {
		for _, n := range e.names {
			meant[id] = meant[id] || slices.ContainsFunc(words, func(w string) bool { return alike(w, n) }) ||
				len(normal(n)) > 2 && strings.Contains(normal(m.text), normal(n))
		}
	}
	within := func(id string) bool {
		for n := 0; id != "" && n < 100; id, n = all[id].parent, n+1 {
			if meant[id] {
				return true
			}
		}
		return false
	}
	holds := map[string]bool{} // what grows with what lies in it
	for id := range all {
		if meant[id] {
			for up, n := all[id].parent, 0; up != "" && n < 100; up, n = all[up].parent, n+1 {
				holds[up] = true
			}
		}
	}
	labels := map[string]bool{} // of what it is about: copies have them, too
	for id, e := range was {
		if within(id) && len(e.names) > 0 {
			labels[e.names[0]] = true
		}
	}
	about := func(id string) bool {
		e := all[id]
		_, old := was[id]
		return e.always || within(id) || slices.ContainsFunc(e.ends, within) || !old && len(e.names) > 0 && labels[e.names[0]]
	}
	var out []string
	for _, id := range slices.Sorted(maps.Keys(all)) {
		before, had := was[id]
		after, has := now[id]
		switch {
		case had && has && before.text == after.text:
		case had && !has && (!removes || !about(id)):
			out = append(out, fmt.Sprintf("removes %s %q", id, before.names))
		case !about(id) && !(had && holds[id]):
			out = append(out, fmt.Sprintf("changes %s %q:\n%s\n%s", id, all[id].names, before.text, after.text))
		}
	}
	return strings.Join(out, "; ")
}

// spoken are the words of a text, with keys and values, types and names apart.
func spoken(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`:@"'/;`, r) })
}

func normal(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || unicode.IsSpace(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// alike reports whether word may mean name: it is the name, or its beginning, or
// a part of it, or near it.
func alike(word, name string) bool {
	w, n := normal(word), normal(name)
	switch {
	case w == "" || n == "":
		return w == n && word == name
	case w == n, len(w) > 1 && strings.HasPrefix(n, w), len(w) > 2 && strings.Contains(n, w):
		return true
	}
	return len(grammar.Nearest(w, []string{n})) > 0 && len(w) > 1
}

// mistakesIn makes mistakes of something that is right: it misspells, leaves out,
// adds and replaces, one thing at a time.
func mistakesIn(kind, text string) []mistake {
	tokens, err := grammar.Tokenize(text)
	if err != nil {
		panic(err)
	}
	var out []mistake
	add := func(words ...string) { out = append(out, mistake{kind: kind, text: strings.Join(words, " ")}) }
	words := make([]string, len(tokens))
	for i, tok := range tokens {
		words[i] = text[tok.Start:tok.End]
	}
	with := func(i int, w string) {
		if w != words[i] {
			add(slices.Concat(words[:i], []string{w}, words[i+1:])...)
		}
	}
	for i, w := range words {
		head, value, _ := strings.Cut(w, ":")
		switch {
		case i == 0:
			with(i, misspelt(w))
			continue
		case strings.HasPrefix(w, "@"):
			with(i, "@"+misspelt(head[1:])+w[len(head):])
			if value != "" {
				with(i, head+":"+misspelt(value))
				with(i, head+":zzzz")
				with(i, head)
			}
			continue
		case value != "" && !strings.HasPrefix(w, `"`) && !strings.HasPrefix(value, "//"):
			with(i, misspelt(head)+":"+value)
			with(i, head+":"+misspelt(value))
			with(i, head+":zzzz")
			with(i, head+":-99999999")
			with(i, head+`:""`)
		default:
			with(i, misspelt(w))
			with(i, "zzzz")
			with(i, "@all")
		}
		add(slices.Concat(words[:i], words[i+1:])...)
	}
	add(text, "surplus")
	add(text, "two surplus")
	add(text, "bogus:1")
	add(text, "@bogus")
	add(text, `"open`)
	for _, other := range []string{abi.TryOp, abi.TryQuery, abi.TryAction} {
		if other != kind {
			out = append(out, mistake{kind: other, text: text, fresh: kind == abi.TryAction})
		}
	}
	return out
}

// misspelt is a word with two of its letters swapped, or as it is where that
// makes no mistake.
func misspelt(w string) string {
	if inner, ok := strings.CutPrefix(w, `"`); ok {
		return `"` + misspelt(strings.TrimSuffix(inner, `"`)) + `"`
	}
	r := []rune(w)
	for i := len(r) / 2; i > 0; i-- {
		if i+1 < len(r) && unicode.IsLetter(r[i]) && unicode.IsLetter(r[i+1]) && r[i] != r[i+1] {
			r[i], r[i+1] = r[i+1], r[i]
			return string(r)
		}
	}
	return w
}

// all are the subject's mistakes, each once.
func (s *subject) all() []mistake {
	out := slices.Clone(s.mistakes)
	for kind, list := range map[string][]string{abi.TryOp: s.ops, abi.TryQuery: s.queries, abi.TryAction: s.actions} {
		for _, text := range list {
			out = append(out, mistakesIn(kind, text)...)
		}
	}
	seen := map[string]bool{}
	out = slices.DeleteFunc(out, func(m mistake) bool {
		again := seen[m.kind+m.text]
		seen[m.kind+m.text] = true
		return again || strings.TrimSpace(m.text) == ""
	})
	slices.SortStableFunc(out, func(a, b mistake) int { return strings.Compare(a.kind+a.text, b.kind+b.text) })
	return out
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
		step := soak.Times(40, 1)
		if n, want := x.every(all, step), s.fewest/step; n < want {
			t.Errorf("%d errors were made, fewer than %d", n, want)
		}
	})
	t.Run("unified", func(t *testing.T) {
		dir := t.TempDir()
		c := serveProcess(t, dir, "--plugin", wasm, "--no-journal", "--unified")
		newTrial(t, s, newTools(c, ""), dir, `new `+s.domain+` "Start"`).every(all, soak.Times(100, 7))
	})
	t.Run("script", func(t *testing.T) {
		dir := t.TempDir()
		newTrial(t, s, newPaper(t, dir, wasm), dir, `new "Start"`).every(all, soak.Times(100, 7))
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
