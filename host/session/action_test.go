package session

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/host/domain"
)

func TestBeforeAnySessionEveryToolSaysHowToStart(t *testing.T) {
	c := newClient(t, "list")
	want := "! no document open\n  try: new \"Title\""
	c.says(c.edit("add x"), want)
	c.says(c.edit(), want)
	for _, q := range []string{"map", "status", "history 3", "diff checkpoint:x", "checkpoints", "nonsense"} {
		c.says(c.ask(q), want)
	}
	for _, a := range []string{"save", "save as:./x", "close", "close force", "checkpoint x", "undo", "undo 2", "undo to:x", "undo batch",
		"redo", "status", "batch each", "export upper as:./x", "use x", "include x"} {
		c.says(c.act(a), want)
	}
	c.says(c.act("documents"), "* no document open")
	c.says(c.ask("documents"), "no document open")
	c.bad(c.act("sav"), `! unknown action "sav"`, "try: save")
	if r := c.Help(ctx, "list", "", ""); r.Failed || !strings.HasPrefix(r.Text, "# List reference card\n") {
		t.Errorf("help: %s", r)
	}

	u := newClient(t, "", list(t), thing(t))
	want = "! no document open\n  try: new list \"Title\"\n  try: new thing \"Title\""
	u.says(u.edit("add x"), want)
	u.says(u.ask("map"), want)
	u.says(u.act("save"), want)
	if r := u.Help(ctx, "", "", ""); r.Failed || !strings.Contains(r.Text, "  thing (.thing .thing.list): ") {
		t.Errorf("help: %s", r)
	}

	none := newClient(t, "")
	none.source = domain.List{}
	none.says(none.edit("add x"), "! no document open, and no domain loaded; status says why")
	c.says(c.Query(ctx, "nope", "", "map"), `! no domain "nope" is loaded`)
	c.says(c.Session.Session(ctx, "nope", "", "new x"), `! no domain "nope" is loaded`)
}

func TestNewMakesAnEmptyDocument(t *testing.T) {
	tests := []struct{ action, says string }{
		{`new "My Song"`, "+ new list document \"My Song\"\n[1 lines]"},
		{`new`, "+ new list document \"Untitled\"\n[1 lines]"},
		{`new ""`, "+ new list document \"Untitled\"\n[1 lines]"},
		{`NEW x`, "+ new list document \"x\"\n[1 lines]"},
		{`new "T" first:"one two"`, "+ new list document \"T\"\n[2 lines]"},
		{`new "T" as:intro`, "+ new list document \"intro\"\n[1 lines]"},
		{`new "first:one"`, "+ new list document \"first:one\"\n[1 lines]"},
		{`new "as:x"`, "+ new list document \"as:x\"\n[1 lines]"},
		{`new "@all"`, "+ new list document \"@all\"\n[1 lines]"},
		{`new "T" first:a first:b`, "+ new list document \"T\"\n? first: is given more than once; the last value counts\n[2 lines]"},
		{"new \"a\\nb\tc\"", "+ new list document \"a b c\"\n[1 lines]"},
		{"new My Song", "! a title of several words goes in double quotes\n  try: new \"My Song\""},
		{`new "T" frist:x`, "! new takes no frist:; it takes first:TEXT\n  try: new \"T\" first:x"},
		{`new "T" @all`, "! new takes no selector\n  try: new \"T\""},
		{`new "T" as:`, "! as: needs a value right behind the colon\n  try: help new"},
		{`new "T" first:`, "! first: needs a value right behind the colon\n  try: help new"},
		{`new "T" as:""`, "! as: needs a name of 1 to 128 bytes on one line, not . or ..\n  try: documents"},
		{`new "T" as:..`, "! as: needs a name of 1 to 128 bytes on one line, not . or ..\n  try: documents"},
		{`new "T" as:"a\nb"`, "! as: needs a name of 1 to 128 bytes on one line, not . or ..\n  try: documents"},
		{`new "T`, "! unterminated quote: the \" at column 5 has no closing \"\n  try: new \"T\""},
		{``, "! empty session command: expected a word\n  try: help"},
		{`"new" x`, "! expected a session command, found the quoted text \"new\"\n  try: new x"},
	}
	for _, tt := range tests {
		c := newClient(t, "list")
		c.says(c.act(tt.action), tt.says)
	}
	c := newClient(t, "list")
	long := strings.Repeat("long ", 2000)
	r := c.ok(c.act(`new "` + long + `"`))
	if n := len(r.Document); n > maxName {
		t.Errorf("a name of %d bytes", n)
	}
	c.edit("add x")
	c.contains(c.act("save"), `try: save as:"./long-long-`)
}

func TestNewClearsThePath(t *testing.T) {
	c := newClient(t, "list")
	c.act(`new "One"`)
	c.ok(c.act("save as:./one.list"))
	c.act(`new "My Song: No. 2"`)
	c.edit("add x")
	c.says(c.act("save"), "! the document has no file yet\n  try: save as:\"./My-Song-No--2.list\"")
	if got := c.file("one.list"); got != "#list One" {
		t.Errorf("the old file holds %q", got)
	}
}

func TestOpenReadsAFile(t *testing.T) {
	c := newClient(t, "list")
	c.put("a.list", "#list A\none")
	c.put("two words é.list", "#list B")
	c.put("other.txt", "#list C")
	c.says(c.act("open a.list"), "+ opened a.list as \"a\" (list)\n[2 lines]")
	c.says(c.act(`open "two words é.list"`), "+ opened two words é.list as \"two words é\" (list)\n[1 lines]")
	c.says(c.act("open ./other.txt as:intro"), "+ opened other.txt as \"intro\" (list)\n[1 lines]")
	c.says(c.act("open path:a.list"), "+ opened a.list as \"a\" (list)\n[2 lines]")
	c.says(c.act("open "+filepath.Join(c.dir, "a.list")), "+ opened a.list as \"a-2\" (list)\n[2 lines]")
}

func TestAFailedOpenChangesNothing(t *testing.T) {
	c := newClient(t, "list")
	c.put("good.list", "#list G\nline")
	c.put("bad.list", "MThd")
	c.put("blank.list", "")
	if err := os.Mkdir(filepath.Join(c.dir, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	c.ok(c.act("open good.list"))
	c.ok(c.edit("add x"))
	c.ok(c.act("checkpoint here"))
	before := c.standing()
	tests := []struct{ action, says string }{
		{"open nope.list", "! cannot open: nope.list: no such file or directory; its folder holds \"bad.list\", \"blank.list\", \"good.list\""},
		{"open goood.list", "! cannot open: goood.list: no such file or directory; its folder holds \"bad.list\", \"blank.list\", \"good.list\"\n  try: open \"./good.list\""},
		{"open .", "! cannot open: . is a folder; it holds \"bad.list\", \"blank.list\", \"good.list\"\n  try: open \"./bad.list\""},
		{"open nope/x.list", "! cannot open: nope/x.list: there is no folder " + c.dir + "/nope"},
		{"open folder", "! cannot open: folder is a folder"},
		{"open ../x.list", "! cannot open: " + filepath.Dir(c.dir) + "/x.list is outside the allowed folders (" + c.dir + "); start fcp-host with --root to allow another"},
		{"open /etc/passwd", "! cannot open: /etc/passwd is outside the allowed folders (" + c.dir + "); start fcp-host with --root to allow another"},
		{"open bad.list", "! cannot open bad.list: bad.list is not a list: it does not start with #list (offset 0)"},
		{"open blank.list", "! cannot open blank.list: blank.list is not a list: it does not start with #list (offset 0)"},
		{"open", "! open needs a path\n  try: open \"./bad.list\"\n  try: open \"./blank.list\""},
		{`open ""`, "! open needs a path\n  try: open \"./bad.list\"\n  try: open \"./blank.list\""},
		{"open two words.list", "! a path with spaces goes in double quotes\n  try: help open"},
		{"open good.list as:", "! as: needs a value right behind the colon\n  try: help open"},
		{"open good.list as:good", "! a document named \"good\" is open already\n  try: use \"good\""},
		{"open good.list as:GOOD", "! a document named \"GOOD\" is open already\n  try: use \"GOOD\""},
		{"open good.list force:1", "! open takes no force:, only as: path:\n  try: open good.list"},
		{"open good.list @all", "! open takes no selector\n  try: open good.list"},
	}
	for _, tt := range tests {
		c.says(c.act(tt.action), tt.says)
		if after := c.standing(); after != before {
			t.Fatalf("%s left a trace:\n got %s\nwant %s", tt.action, after, before)
		}
	}
}

func TestUnsavedChangesAreNeverDroppedSilently(t *testing.T) {
	c := newClient(t, "list")
	c.put("b.list", "#list B")
	c.act(`new "Song A"`)
	c.edit("add x")
	c.says(c.act("open b.list"), "+ opened b.list as \"b\" (list)\n? \"Song A\" has unsaved changes and stays open\n  try: use \"Song A\"\n[1 lines]")
	c.says(c.act("documents"), "* open documents:\n    \"Song A\" (list), unsaved changes [2 lines]\n  > \"b\" (list) b.list [1 lines]\n[1 lines]")
	c.ok(c.act(`use "Song A"`))
	c.says(c.ask("map"), "#list Song A\nx")
}

func TestACleanDocumentIsReplacedUnlessItWasNamed(t *testing.T) {
	c := newClient(t, "list")
	c.put("a.list", "#list A")
	names := func() string {
		var out []string
		for _, d := range c.Documents() {
			out = append(out, d.Name)
		}
		return strings.Join(out, " ")
	}
	c.act("new One")
	c.act("new Two")
	if names() != "Two" {
		t.Errorf("open: %s", names())
	}
	c.act("open a.list as:intro")
	c.act("new Three")
	c.act("new Four")
	if names() != "intro Four" {
		t.Errorf("open: %s", names())
	}
	c.edit("add x")
	c.says(c.act("new Five"), "+ new list document \"Five\"\n? \"Four\" has unsaved changes and stays open\n  try: use \"Four\"\n[1 lines]")
	c.edit("add y")
	c.ok(c.act("undo"))
	c.act("new Six") // Five is as it was
	if names() != "intro Four Six" {
		t.Errorf("open: %s", names())
	}
	c.ok(c.act("use Four"))
	c.ok(c.act("save as:./four.list"))
	c.act("new Seven")
	if names() != "intro Six Seven" {
		t.Errorf("open: %s", names())
	}
}

func TestSave(t *testing.T) {
	c := newClient(t, "list")
	c.put("other.list", "other")
	c.put("read.list", "#list R")
	if err := os.Chmod(filepath.Join(c.dir, "read.list"), 0o444); err != nil {
		t.Fatal(err)
	}
	c.act(`new "T"`)
	c.edit("add x")
	c.says(c.act("save"), "! the document has no file yet\n  try: save as:\"./T.list\"")
	for action, says := range map[string]string{
		"save as:":               "! as: needs a value right behind the colon\n  try: help save",
		`save as:""`:             "! save as: needs a path\n  try: save as:\"./T.list\"",
		`save ""`:                "! save as: needs a path\n  try: save as:\"./T.list\"",
		"save a b":               "! save takes one path; a path with spaces goes in double quotes\n  try: save as:\"a b\"",
		"save a as:b":            "! save takes one path; a path with spaces goes in double quotes\n  try: help save",
		"save to:x":              "! save takes no to:, only as:\n  try: save as:x",
		"save @all":              "! save takes no selector\n  try: save as:\"./T.list\"",
		"save as:../x.list":      "! cannot save: " + filepath.Dir(c.dir) + "/x.list is outside the allowed folders (" + c.dir + "); start fcp-host with --root to allow another",
		"save as:./nope/x.list":  "! cannot save: nope/x.list: there is no folder " + c.dir + "/nope",
		"save as:.":              "! . is a folder",
		"save as:read.list":      "! read.list is write-protected; save it under another name, or make it writable",
		"save as:read.list flip": "! save takes one path; a path with spaces goes in double quotes\n  try: save as:\"read.list flip\"",
	} {
		c.says(c.act(action), says)
		c.says(c.act("save"), "! the document has no file yet\n  try: save as:\"./T.list\"") // nothing was remembered
	}
	c.says(c.act("save as:./t.list"), "* saved t.list (9 bytes)\n[2 lines]")
	c.edit("add y")
	c.says(c.act("save"), "* saved t.list (11 bytes)\n[3 lines]")
	c.says(c.act("save"), "* saved t.list (11 bytes)\n[3 lines]")
	c.says(c.act(`save "a b.list"`), "* saved a b.list (11 bytes)\n[3 lines]")
	c.says(c.act(`save as:other.list`), "! other.list is there already, and this document did not write it; nothing was written; save as:\"other.list\" force replaces it\n  try: save as:\"other-2.list\"\n[3 lines]")
	c.says(c.act(`save as:other.list force`), "* saved other.list (11 bytes)\n? other.list existed and was replaced\n[3 lines]")
	c.says(c.act(`save "force"`), "* saved force (11 bytes)\n? list files are named .list: by this name, programs may not know what it is\n[3 lines]") // quoted text is never a keyword
	c.edit("add z")
	c.says(c.act(`save t.list`), "* saved t.list (13 bytes)\n[4 lines]") // it wrote that itself
	if c.file("t.list") != "#list T\nx\ny\nz" || c.file("other.list") != "#list T\nx\ny" || c.file("read.list") != "#list R" {
		t.Error("the files hold something else")
	}
}

func TestAFileThatChangedOnDiskIsNotOverwrittenWithoutForce(t *testing.T) {
	c := newClient(t, "list")
	c.put("t.list", "#list T")
	c.ok(c.act("open t.list"))
	c.edit("add x")
	c.put("t.list", "#list U")
	want := "! t.list changed on disk since it was opened; nothing was written\n  try: save force\n  try: save as:\"t-2.list\""
	c.says(c.act("save"), want)
	c.says(c.act("save as:./t.list"), want)
	if c.file("t.list") != "#list U" {
		t.Error("it was overwritten")
	}
	c.says(c.act("save force"), "* saved t.list (9 bytes)\n[2 lines]")
	c.says(c.act("save"), "* saved t.list (9 bytes)\n[2 lines]")
	if err := os.Chtimes(filepath.Join(c.dir, "t.list"), time.Now(), time.Unix(1e9, 0)); err != nil {
		t.Fatal(err)
	}
	c.says(c.act("save"), "* saved t.list (9 bytes)\n[2 lines]") // touched is not changed
	if err := os.Remove(filepath.Join(c.dir, "t.list")); err != nil {
		t.Fatal(err)
	}
	c.says(c.act("save"), "* saved t.list (9 bytes)\n[2 lines]")
}

func TestNamesFromOutsideCannotForgeLines(t *testing.T) {
	c := newClient(t, "list")
	c.put("a\n! b\x1b[2J.list", "#list A")
	r := c.ok(c.act(`open "a\n! b\u001b[2J.list"`))
	c.contains(r, "+ opened a\n  ! b\\u001b[2J.list as \"a ! b [2J\" (list)\n")
	c.contains(c.ask("status"), "\nfile: a\\u000a! b\\u001b[2J.list\n")
	c.contains(c.ask("documents"), ` a\u000a! b\u001b[2J.list [1 lines]`)
	c.edit("add \"x\\n! y\\u001b\"")
	for _, r := range []string{c.ask("history").String(), c.act("undo").String(), c.bad(c.act(`checkpoint "a\n! b"`)).String(), c.act("status").String()} {
		for _, l := range strings.Split(r, "\n") {
			if strings.HasPrefix(l, "! b") || strings.HasPrefix(l, "! y") || strings.Contains(l, "\x1b") {
				t.Errorf("forged: %q", r)
			}
		}
	}
}

func TestTheSameFileTwice(t *testing.T) {
	c := newClient(t, "list")
	c.put("t.list", "#list T")
	c.act("open t.list")
	c.edit("add x")
	c.says(c.act("open t.list"), "+ opened t.list as \"t-2\" (list)\n? \"t\" has unsaved changes and stays open\n  try: use \"t\"\n? \"t\" holds unsaved changes of the same file\n[1 lines]")
	c.edit("add y")
	c.ok(c.act("save"))
	c.ok(c.act("use t"))
	c.bad(c.act("save"), "t.list changed on disk since it was opened")
}

func TestClose(t *testing.T) {
	c := newClient(t, "list")
	c.act("new A as:a")
	c.act("new B as:b")
	c.edit("add x")
	c.says(c.act("close"), "! \"b\" has unsaved changes\n  try: save as:\"./B.list\"\n  try: close force")
	c.says(c.act("close a"), "! close takes nothing but force; it closes the current document\n  try: documents")
	c.says(c.act(`close "force"`), "! close takes nothing but force; it closes the current document\n  try: documents")
	c.bad(c.act("close force now"), "close: \"now\" is one word too many")
	c.bad(c.act("close all:1"), "close takes no all:")
	c.says(c.act("close force"), "- closed \"b\" and dropped its unsaved changes\n* now editing \"a\" (list)\n[1 lines]")
	c.says(c.act("close"), "- closed \"a\"")
	c.bad(c.act("close"), "no document open")
	// One that is not current may be named beside the action.
	c.act("new A as:a")
	c.act("new B as:b")
	c.ok(c.Edit(ctx, "list", "a", []string{"add x"}, nil))
	c.says(c.Session.Session(ctx, "list", "a", "close"), "! \"a\" has unsaved changes; give document:\"a\" with what you try, too\n  try: save as:\"./A.list\"\n  try: close force\n[2 lines]")
	c.ok(c.Session.Session(ctx, "list", "a", "undo"))
	r := c.Session.Session(ctx, "list", "a", "close")
	c.says(r, "- closed \"a\"\n[1 lines]")
	if c.Current("list").Name != "b" {
		t.Error("the current document is another")
	}
}

func TestUseAndDocuments(t *testing.T) {
	c := newClient(t, "list")
	c.act("new A as:alpha")
	c.edit("add x")
	c.act(`new B as:"beta two"`)
	c.says(c.act("documents"), "* open documents:\n    \"alpha\" (list), unsaved changes [2 lines]\n  > \"beta two\" (list) [1 lines]\n[1 lines]")
	c.says(c.act("use alpha"), "* now editing \"alpha\" (list)\n[2 lines]")
	c.says(c.act("use ALPHA"), "* now editing \"alpha\" (list)\n[2 lines]")
	c.says(c.act(`use "beta two"`), "* now editing \"beta two\" (list)\n[1 lines]")
	c.says(c.act("use alpa"), "! no open document is named \"alpa\"\n  try: use \"alpha\"")
	c.says(c.act("use"), "! use needs the name of an open document\n  try: documents")
	c.says(c.act("use beta two"), "! a name of several words goes in double quotes\n  try: use \"beta two\"\n  try: documents")
	c.says(c.act("documents all"), "! documents: \"all\" is one word too many; text with spaces goes in double quotes\n  try: documents")
	if r := c.Edit(ctx, "list", "alpha", []string{"add y"}, nil); r.Failed || r.Document != "alpha" || r.Digest != "3 lines" {
		t.Errorf("beside the ops: %s", r)
	}
	c.bad(c.Edit(ctx, "list", "gamma", []string{"add y"}, nil), `no open document is named "gamma"`)
}

func TestNamesAreUniqueWhereTheSameToolsReach(t *testing.T) {
	c := newClient(t, "list", list(t), thing(t))
	c.act("new X as:x")
	c.act("new x") // another of its domain
	if got := c.Current("list").Name; got != "x-2" {
		t.Errorf("got %s", got)
	}
	if r := c.Session.Session(ctx, "thing", "", "new X"); r.Failed || r.Document != "X" {
		t.Errorf("in another domain: %s", r)
	}
	if r := c.Session.Session(ctx, "", "", "new thing X"); r.Failed || r.Document != "X-3" { // x-2 is taken, too
		t.Errorf("unified: %s", r)
	}
}

func TestDocumentsMadeAtTheSameTimeGetDifferentNames(t *testing.T) {
	c := newClient(t, "list")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			r := c.Session.Session(ctx, "list", "", "new Same")
			if r.Failed {
				t.Error(r)
			}
			c.Edit(ctx, "list", r.Document, []string{"add x"}, nil)
		})
	}
	wg.Wait()
	seen := map[string]bool{}
	for _, d := range c.Documents() {
		if seen[d.Name] {
			t.Errorf("two are named %s", d.Name)
		}
		seen[d.Name] = true
	}
}

func TestSixtyFourDocumentsAreTheMost(t *testing.T) {
	c := newClient(t, "thing", thing(t), list(t))
	for i := range DefaultDocuments {
		c.ok(c.Session.Session(ctx, "thing", "", fmt.Sprintf("new D as:d%d", i)))
	}
	want := "! 64 documents open, the most there may be: close one first\n  try: documents\n  try: close"
	c.says(c.Session.Session(ctx, "thing", "", "new E"), want)
	c.put("x.thing", "x")
	c.says(c.Session.Session(ctx, "thing", "", "open x.thing"), want)
	// The tool that can close one is that of a domain that has one open.
	c.says(c.Session.Session(ctx, "list", "", "new E"), want)
	c.ok(c.Session.Session(ctx, "thing", "", "close"))
	c.ok(c.Session.Session(ctx, "thing", "", "new E"))
}

func TestUndoRedoAndCheckpointsAsActions(t *testing.T) {
	c := newClient(t, "list")
	c.act("new T")
	c.edit("add a", "add b")
	c.ok(c.act(`checkpoint "before it"`))
	c.edit("add c")
	c.edit("add d")
	n := "N is a whole number from 1\n  try: history 10"
	for action, says := range map[string]string{
		"undo 0": "! undo \"0\": " + n, "undo -1": "! undo \"-1\": " + n, "undo x": "! undo \"x\": " + n, `undo ""`: "! undo \"\": " + n,
		"undo 1.5": "! undo \"1.5\": " + n, "undo 99999999999999999999": "! undo \"99999999999999999999\": " + n,
		`undo "batch"`:          "! undo \"batch\": " + n,
		"undo to":               "! undo \"to\": " + n,
		"undo to:":              "! a checkpoint needs a name\n  try: checkpoints",
		`undo to:""`:            "! a checkpoint needs a name\n  try: checkpoints",
		"undo to:x":             "! no checkpoint \"x\"; there are: before it\n  try: checkpoints",
		"undo 2 to:x":           "! undo takes a number or to:, not both\n  try: help undo",
		`undo 2 to:"before it"`: "! undo takes a number or to:, not both\n  try: undo to:\"before it\"",
		"undo 1 2":              "! undo: \"2\" is one word too many; text with spaces goes in double quotes\n  try: help undo",
		"undo from:x":           "! undo takes no from:, only to:\n  try: help undo",
		"undo @all":             "! undo takes no selector\n  try: help undo",
		"redo":                  "! nothing to redo",
		"redo 0":                "! redo \"0\": N is a whole number from 1\n  try: history 10",
		"redo to:x":             "! redo takes no to:\n  try: help redo",
		"checkpoint":            "! a checkpoint needs a name\n  try: checkpoint before-changes",
		`checkpoint ""`:         "! a checkpoint needs a name\n  try: checkpoint before-changes",
		"checkpoint a b":        "! checkpoint: \"b\" is one word too many; text with spaces goes in double quotes\n  try: checkpoint \"a b\"",
		"batch":                 "! batch is atomic or each\n  try: status",
		`batch "each"`:          "! batch is atomic or each\n  try: status",
		"batch some":            "! batch is atomic or each\n  try: status",
		"status now":            "! status: \"now\" is one word too many; text with spaces goes in double quotes\n  try: status",
		"export":                "! export needs a format; there are upper\n  try: help export",
		"export upper":          "! export needs a file to write to\n  try: export upper as:\"./T.txt\"",
		"export upper as:":      "! as: needs a value right behind the colon\n  try: help export",
		"export uper as:x":      "! unknown export format \"uper\"; there are upper\n  try: export upper as:\"x\"",
		"export a b":            "! unknown export format \"a\"; there are upper\n  try: help export",
		"export upper as:.":     "! . is a folder",
		"include":               "! include needs a path: include PATH\n  try: help include",
		"include nope":          "! cannot read: nope: no such file or directory\n  try: help include",
		"include ../x":          "! cannot read: " + filepath.Dir(c.dir) + "/x is outside the allowed folders (" + c.dir + "); start fcp-host with --root to allow another\n  try: help include",
		"und":                   "! unknown action \"und\"\n  try: undo",
		"bom":                   "! unknown action \"bom\"\n  try: boom",
		"frobnicate":            "! unknown action \"frobnicate\"; there are new open save close checkpoint undo redo status batch export use documents recover discard enable plugins reload view include boom deny\n  try: help",
	} {
		r := c.act(action)
		got := strings.TrimSuffix(r.String(), "\n[5 lines]")
		if !r.Failed || got != says {
			t.Errorf("%s: got\n%s\nwant\n%s", action, got, says)
		}
	}
	c.says(c.act("export upper b.txt"), "+ exported b.txt (upper, 15 bytes)\n[5 lines]") // as save takes a path
	c.says(c.act("undo 2"), "* undid add d\n* undid add c\n[3 lines]")
	c.says(c.act("redo"), "* redid add c\n[4 lines]")
	c.says(c.act(`undo to:"before it"`), "* undid add c\n[3 lines]")
	c.says(c.act("redo 99"), "* redid add c\n* redid add d\n[5 lines]")
	c.says(c.act("undo batch"), "* undid add d\n[4 lines]")
}

func TestStatusTellsWhereTheSessionStands(t *testing.T) {
	c := newClient(t, "list")
	c.act(`new "My Song" as:song`)
	c.edit("add x")
	c.act("checkpoint one")
	c.act("batch each")
	want := `document: song (list)
title: My Song
file: none yet
unsaved changes: yes
batch: each
history: 1 op to undo, 0 to redo
checkpoints: 1 (one)
revision: 1
[2 lines]`
	c.says(c.ask("status"), want)
	c.says(c.act("status"), "* "+strings.ReplaceAll(strings.TrimSuffix(want, "\n[2 lines]"), "\n", "\n  ")+"\n[2 lines]")
	c.act("save as:./song.list")
	c.contains(c.ask("status"), "file: song.list\nunsaved changes: no\n")
}

func TestExportWritesAnotherFormatAndChangesNothing(t *testing.T) {
	c := newClient(t, "list")
	c.act("new T")
	c.edit("add x")
	c.says(c.act("export upper as:./t.txt"), "+ exported t.txt (upper, 9 bytes)\n[2 lines]")
	c.says(c.act("export upper as:./t.txt"), "+ exported t.txt (upper, 9 bytes)\n[2 lines]")
	c.put("theirs.txt", "theirs")
	c.says(c.act("export upper as:./theirs.txt"), "! theirs.txt is there already, and this document did not write it; nothing was written; export upper as:\"theirs.txt\" force replaces it\n  try: export upper as:\"theirs-2.txt\"\n[2 lines]")
	c.says(c.act("export upper as:./theirs.txt force"), "+ exported theirs.txt (upper, 9 bytes)\n? theirs.txt existed and was replaced\n[2 lines]")
	if c.file("t.txt") != "#LIST T\nX" {
		t.Errorf("exported %q", c.file("t.txt"))
	}
	c.contains(c.ask("status"), "file: none yet\nunsaved changes: yes")
	c.ok(c.act("save as:./t.list"))
	c.says(c.act("export upper as:t.list"), "! t.list is the document's own file\n  try: save")
	// Another document of the domain is no place for an export, also with force; other extensions are the user's affair.
	c.put("film.list", "a film")
	c.says(c.act("export upper as:./film.list force"), "! upper makes .txt files\n  try: export upper as:\"./film.txt\"")
	if c.file("film.list") != "a film" {
		t.Errorf("the export replaced it with %q", c.file("film.list"))
	}
	c.ok(c.act("export upper as:./big.text"))
	c.ok(c.act("export upper as:./BIG.TXT"))
	other := newClient(t, "thing", thing(t))
	other.act("new T")
	other.says(other.act("export svg as:x"), "! the thing domain exports no other format\n  try: save as:\"./T.thing\"")
}

func TestTheDomainGetsTheBytesOfAFileAndNotItsPath(t *testing.T) {
	c := newClient(t, "list")
	if err := os.Mkdir(filepath.Join(c.dir, "deep"), 0o755); err != nil {
		t.Fatal(err)
	}
	c.put("deep/my notes.txt", "hello")
	c.put("x", "hi")
	c.act("new T")
	c.says(c.act(`include "deep/my notes.txt"`), "+ my notes.txt: hello (include \"my notes.txt\")\n[2 lines]")
	c.ok(c.act("undo"))
	c.says(c.act("deny"), "! denied\n  try: include ./x\n[1 lines]")
	c.bad(c.act("boom"), "the list plugin failed")
	c.says(c.ask("map"), "#list T")
}

func TestUnifiedToolsFollowTheCurrentDocument(t *testing.T) {
	c := newClient(t, "", list(t), thing(t))
	c.put("a.list", "#list A")
	c.put("b.thing", "whatever")
	c.put("c.thing.list", "the longer extension counts")
	c.put("d.dat", "#list by content")
	c.put("e.dat", "..THING by content")
	c.put("f.dat", "unknown")
	c.put("g.LIST", "#list by extension in capitals")
	for action, says := range map[string]string{
		"open a.list":       "+ opened a.list as \"a\" (list)",
		"open b.thing":      "+ opened b.thing as \"b\" (thing)",
		"open c.thing.list": "+ opened c.thing.list as \"c.thing\" (thing)",
		"open d.dat":        "+ opened d.dat as \"d\" (list)",
		"open e.dat":        "+ opened e.dat as \"e\" (thing)",
		"open g.LIST":       "+ opened g.LIST as \"g\" (list)",
	} {
		if got, _, _ := strings.Cut(c.ok(c.act(action)).String(), "\n"); got != says {
			t.Errorf("%s: %s", action, got)
		}
	}
	before := c.standing()
	c.says(c.act("open f.dat"), "! cannot open f.dat: no loaded domain knows this kind of file; there are list (.list), thing (.thing .thing.list)")
	want := "! new needs the domain first\n  try: new list \"Title\"\n  try: new thing \"Title\""
	c.says(c.act(`new "Title"`), want)
	// quoted text is never a keyword
	c.says(c.act(`new "list"`), "! new needs the domain first\n  try: new list \"list\"\n  try: new thing \"list\"")
	c.says(c.act("new"), want)
	c.says(c.act("new list a b"), "! a title of several words goes in double quotes\n  try: new list \"a b\"")
	if after := c.standing(); after != before {
		t.Errorf("left a trace:\n%s", after)
	}
	c.says(c.act(`new LIST "T" first:x`), "+ new list document \"T\"\n[2 lines]")
	c.says(c.edit("add y"), "+ y\n[3 lines]")
	c.says(c.act(`new thing "U"`), "+ new thing document \"U\"\n? \"T\" has unsaved changes and stays open\n  try: use \"T\"\n[0 things]")
	c.says(c.ask("map"), "nothing")
	c.bad(c.edit("remove x"), `unknown verb "remove"`)
	c.says(c.act("use T"), "* now editing \"T\" (list)\n[3 lines]")
	c.says(c.ask("map"), "#list T\nx\ny")
	c.says(c.act("close force"), "- closed \"T\" and dropped its unsaved changes\n* now editing \"U\" (thing)\n[0 things]")

	one := newClient(t, "", list(t))
	one.says(one.act(`new "list"`), "+ new list document \"list\"\n[1 lines]")
	one.says(one.act(`new Title`), "+ new list document \"Title\"\n[1 lines]")
	one.says(one.act(`new list Title2`), "+ new list document \"Title2\"\n[1 lines]")
}

func TestADocumentEditedWhileItIsClosedIsNotDropped(t *testing.T) {
	c := newClient(t, "list")
	for range 30 {
		c.ok(c.Session.Session(ctx, "list", "", "new T"))
		d := c.Current("list")
		var wg sync.WaitGroup
		acknowledged := false
		wg.Go(func() { acknowledged = !c.Edit(ctx, "list", d.Name, []string{"add x"}, nil).Failed })
		r := c.Session.Session(ctx, "list", d.Name, "close")
		wg.Wait()
		if acknowledged && !r.Failed {
			t.Fatal("a change was acknowledged and then dropped")
		}
		if r.Failed {
			c.ok(c.Session.Session(ctx, "list", d.Name, "close force"))
		}
	}
}

func TestWhatADomainSuggestsAfterAnActionIsOne(t *testing.T) {
	c := newClient(t, "list")
	c.act("new A as:a")
	c.says(c.act("deny"), "! denied\n  try: help deny\n[1 lines]") // there is no such file
	c.put("x", "hi")
	c.says(c.act("deny"), "! denied\n  try: include ./x\n[1 lines]")
	unified := newClient(t, "")
	unified.put("x", "hi")
	unified.act("new list A as:a")
	unified.says(unified.act("deny"), "! denied\n  try: include ./x\n[1 lines]")
}

func TestEnableSaysWhenThereIsNothingToEnable(t *testing.T) {
	c := newClient(t, "list")
	c.says(c.act("enable"), "! the list plugin is not disabled: there is nothing to enable")
	c.says(c.act("enable other"), "! these tools enable the list plugin alone\n  try: enable")
	unified := newClient(t, "")
	unified.says(unified.act("enable other"), "! no domain \"other\" is loaded\n  try: enable list")
	unified.says(unified.act("enable list"), "! the list plugin is not disabled: there is nothing to enable")
}

func TestEveryActionAndQueryOfTheHostRuns(t *testing.T) {
	sorted := func(names []string) []string { return slices.Sorted(slices.Values(names)) }
	if got, want := slices.Sorted(maps.Keys(runs)), sorted(append(slices.Clone(domain.ReservedActions()), domain.PullAction)); !slices.Equal(got, want) {
		t.Errorf("the actions that run are %q, those there are %q", got, want)
	}
	answered := append(slices.Collect(maps.Keys(hostQueries)), "documents") // which is about none of them
	if got, want := sorted(answered), sorted(domain.ReservedQueries()); !slices.Equal(got, want) {
		t.Errorf("the queries that are answered are %q, those there are %q", got, want)
	}
}

func TestNamesAreMatchedWithoutRegardToCase(t *testing.T) {
	c := newClient(t, "", list(t))
	for _, step := range []struct{ action, want string }{
		{`NEW List "A" AS:a`, "+ new list document \"a\""},
		{"Batch EACH", "* batch each"}, {"batch Atomic", "* batch atomic"},
		{"checkpoint Start", "+ checkpoint \"Start\""},
		{"save AS:./a.list", "* saved a.list"}, {"Save FORCE", "* saved a.list"},
		{"export UPPER As:./u.txt", "+ exported u.txt (upper"},
		{`open Path:./a.list aS:b`, "+ opened a.list as \"b\""},
		{"USE A", "* now editing \"a\""},
	} {
		if got := c.ok(c.act(step.action)).String(); !strings.HasPrefix(got, step.want) {
			t.Errorf("%s: %s", step.action, got)
		}
	}
	c.ok(c.edit("ADD x"))
	c.contains(c.ok(c.ask("Diff CHECKPOINT:start")), `1 op since "Start"`)
	c.contains(c.ok(c.ask("map FROM-LINE:2")), "x")
	c.contains(c.ok(c.act("undo TO:START")), "* undid ADD x")
	c.ok(c.act("redo"))
	c.ok(c.act("Undo BATCH"))
	c.ok(c.act("checkpoint start"))
	c.ok(c.edit("add y"))
	c.contains(c.bad(c.act("undo to:STaRT")), "STaRT") // there are two it could be
	c.ok(c.act("close FORCE"))
}
