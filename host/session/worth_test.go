package session

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// add makes a list of n lines of one form.
func (c *client) addLines(n int) {
	c.t.Helper()
	var ops []string
	for i := range n {
		ops = append(ops, fmt.Sprintf("add line-%d", i))
	}
	c.ok(c.edit(ops...))
}

func TestABulkAnswerIsFoldedAndSaysHowToGetAllOfIt(t *testing.T) {
	c := newClient(t, "list")
	c.act(`new "T"`)
	c.addLines(1500)
	text := c.ok(c.ask("map")).Text
	if n := utf8.RuneCountInString(text); n > foldRoom+100 {
		t.Errorf("%d characters", n)
	}
	for _, part := range []string{"#list T\nline-0\nline-1\n", "… 1401 more like it: line-99…line-1499\n", "\n… 1401 of 1501 lines folded; all of them: map from-line:1\n"} {
		if !strings.Contains(text, part) {
			t.Errorf("it lacks %q:\n%.300s … %s", part, text, text[len(text)-200:])
		}
	}
	if text := c.ok(c.ask("map from-line:1")).Text; !strings.HasPrefix(text, "#list T\nline-0\n") || strings.Count(text, "\n") != pageLines+1 {
		t.Errorf("the whole answer's first page has %d lines", strings.Count(text, "\n"))
	}
	if text := c.ok(c.ask("find line")).Text; strings.Contains(text, "folded") { // a query with words, of a domain that does not call it bulk
		t.Errorf("an answer about something named is folded: %.200s", text)
	}
}

func TestOpenPrintsAFoldedMap(t *testing.T) {
	c := newClient(t, "list")
	var b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&b, "\nline-%d", i)
	}
	c.put("a.list", "#list A"+b.String())
	text := c.ok(c.act("open a.list")).String()
	if n := utf8.RuneCountInString(text); n > mapRoom+300 || !strings.Contains(text, "  line-0\n  line-1\n") || !strings.Contains(text, "lines folded; all of them: map from-line:1\n[301 lines]") {
		t.Errorf("%d characters: %s", n, text)
	}
}

func TestOpenLeavesTheMapToTheQueryThatAsksForIt(t *testing.T) {
	c := newClient(t, "list")
	c.put("a.list", "#list A\nx\ny")
	text := c.ok(c.Actions(t.Context(), "list", "", []string{"open a.list", "map"})).String()
	if strings.Count(text, "x\n") != 1 || !strings.Contains(text, "+ opened a.list") {
		t.Errorf("the map is not there once:\n%s", text)
	}
}

func TestHelpIsAQueryBesideOthers(t *testing.T) {
	c := newClient(t, "list")
	if text := c.ok(c.ask("help add")).Text; !strings.Contains(text, "add ") {
		t.Errorf("without a document: %s", text)
	}
	c.act(`new "T"`)
	if text := c.ok(c.ask("map\nhelp words that nothing has, save")).String(); !strings.Contains(text, "> map\n#list T\n") || !strings.Contains(text, "save [") {
		t.Errorf("beside the map: %s", text)
	}
}

func TestDocumentsWithFilesStayOpenUpToALimit(t *testing.T) {
	c := newClient(t, "list")
	for i := range keepOpen + 2 {
		c.put(fmt.Sprintf("f%d.list", i), fmt.Sprintf("#list F%d", i))
	}
	for i := range keepOpen {
		c.ok(c.act(fmt.Sprintf("open f%d.list", i)))
	}
	c.ok(c.act("use f0.list")) // by its file's name
	c.contains(c.ok(c.act("open f8.list")), "- closed \"f1\", which has no unsaved changes: 8 stay open")
	if r := c.ok(c.ask("map")); r.String() != "#list F8\n[document: f8]" {
		t.Errorf("the reply does not name the document: %s", r)
	}
	if r := c.ok(c.edit("add x")); r.String() != "+ x\n[f8: 2 lines *unsaved]" {
		t.Errorf("the reply does not name the document: %s", r)
	}
	if r := c.ok(c.Query(ctx, "list", "f3.list", "map")); r.String() != "#list F3" {
		t.Errorf("a document is not found by its file's name, or named although the call did: %s", r)
	}
	c.ok(c.act("open f9.list"))
	c.ok(c.Query(ctx, "list", "f8", "map")) // has changes
	c.bad(c.Query(ctx, "list", "f1", "map"), `no open document is named "f1"`)
}

// The last line of an action that lists something is about the document, too.
func TestAListSaysWhichDocumentIsUnsaved(t *testing.T) {
	c := newClient(t, "list")
	c.put("a.list", "#list A\none")
	c.ok(c.act("open a.list"))
	c.ok(c.act(`new "B" as:b`))
	c.ok(c.edit("add x"))
	for _, action := range []string{"documents", "plugins", "status"} {
		if r := c.ok(c.Actions(ctx, "list", "", []string{action})); !strings.HasSuffix(r.String(), "\n[b: 2 lines *unsaved]") {
			t.Errorf("%s: %s", action, r)
		}
	}
}

func TestThenFollowsAnActionToo(t *testing.T) {
	c := newClient(t, "list")
	c.put("a.list", "#list A\none")
	r := c.ok(c.Actions(ctx, "list", "", []string{"open a.list", "find one", "checkpoint c"}))
	if r.String() != "+ opened a.list as \"a\" (list)\n  #list A\n  one\n  one\n+ checkpoint \"c\"\n[2 lines]" {
		t.Error(r)
	}
	c.bad(c.then([]string{"add x"}, []string{"find", "map", "save", "find x"}), "! then \"find\": list| find takes one text", "\n#list A\none\nx\nx\n", "! kept: what was done before; not run: \"save\"")
	if c.file("a.list") != "#list A\none" {
		t.Error("it was saved after a failure")
	}
	c.bad(c.Edit(ctx, "list", "", []string{"add y", "ad"}, []string{"map", "save"}), "! rolled back: 1 op undone, 0 not run\n! not run: \"map\", \"save\"\n")
	c.bad(c.Actions(ctx, "list", "", []string{"open none.list", "save copy:b.list", "map"}), "! not run: \"save copy:b.list\", \"map\"\n")
	c.bad(c.QueryThen(ctx, "list", "", "map", []string{"save"}), "this tool only reads; nothing was done")
	if r := c.ok(c.QueryThen(ctx, "list", "", "map", []string{"find x"})); len(r.Then) != 2 {
		t.Error(r)
	}
}

func TestACopyLeavesTheDocumentWhereItIs(t *testing.T) {
	c := newClient(t, "list")
	c.put("a.list", "#list A")
	c.ok(c.act("open a.list"))
	c.ok(c.edit("add x"))
	if r := c.ok(c.act("save copy:./b.list")); r.String() != "* saved b.list (9 bytes), a copy; the document stays a.list\n[2 lines *unsaved]" {
		t.Error(r)
	}
	c.bad(c.act("save copy:./b.list as:./c.list"), "save copy: takes one path and no other")
	c.bad(c.act("save copy:./a.list"), "a.list is the document's own file")
	c.put("there.list", "#list Z")
	c.bad(c.act("save copy:./there.list"), "already exists")
	c.ok(c.act("save"))
	if c.file("a.list") != "#list A\nx" || c.file("b.list") != "#list A\nx" || c.file("there.list") != "#list Z" {
		t.Errorf("a.list %q, b.list %q", c.file("a.list"), c.file("b.list"))
	}
}

func TestWriteThroughSavesWithEachCall(t *testing.T) {
	c := newClient(t, "list")
	c.WriteThrough = true
	c.put("a.list", "#list A")
	c.ok(c.act("open a.list"))
	if r := c.ok(c.edit("add x")); r.String() != "+ x\n[2 lines]" || c.file("a.list") != "#list A\nx" {
		t.Errorf("%s: the file holds %q", r, c.file("a.list"))
	}
	c.ok(c.act("undo"))
	if c.file("a.list") != "#list A" {
		t.Errorf("after undo the file holds %q", c.file("a.list"))
	}
	c.put("a.list", "#list A\ntheirs")
	c.bad(c.edit("add y"), "nothing was changed, because each call is saved at once")
	if c.file("a.list") != "#list A\ntheirs" {
		t.Errorf("what others wrote is gone: %q", c.file("a.list"))
	}
}

func TestBatchLinesPrintsEachOp(t *testing.T) {
	c := newClient(t, "list")
	c.act(`new "T"`)
	var ops []string
	for i := range 20 {
		ops = append(ops, fmt.Sprintf("add line-%d", i))
	}
	if r := c.ok(c.edit(ops...)); r.String() != "+ line-0\n+ 19 more: line-1…line-19\n[21 lines *unsaved]" || len(r.Results) != 20 {
		t.Errorf("%d results: %s", len(r.Results), r)
	}
	c.contains(c.ok(c.act("batch lines")), "* batch lines: a line for each op")
	c.contains(c.ok(c.ask("status")), "batch: atomic, lines")
	if r := c.ok(c.edit(ops...)); strings.Count(r.String(), "\n") != 20 {
		t.Errorf("got %s", r)
	}
	c.ok(c.act("batch joined"))
	if r := c.ok(c.edit(ops...)); strings.Count(r.String(), "\n") != 2 {
		t.Errorf("got %s", r)
	}
}
