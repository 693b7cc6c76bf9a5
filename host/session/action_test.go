package session

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/host/domain"
)

func TestBeforeAnySessionEveryToolSaysHowToStart(t *testing.T) {
	c := newClient(t, "list")
	want := "! no document open\n  try: new \"Title\""
	asked := func(what, want string) string { // for status, it is the answer
		if what == "status" {
			return strings.Replace(want, "!", "*", 1)
		}
		return want
	}
	c.says(c.edit("add x"), want)
	c.says(c.edit(), want)
	for _, q := range []string{"map", "status", "history 3", "diff checkpoint:x", "checkpoints", "nonsense"} {
		c.says(c.ask(q), asked(q, want))
	}
	for _, a := range []string{"save", "save as:./x", "close", "close force", "checkpoint x", "undo", "undo 2", "undo to:x", "undo batch",
		"redo", "status", "batch each", "export upper as:./x", "use x", "include x"} {
		c.says(c.act(a), asked(a, want))
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
		{``, "! empty session action: expected a word\n  try: help"},
		{`"new" x`, "! expected a session action, found the quoted text \"new\"\n  try: new x"},
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

func TestUnsavedChangesAreNeverDroppedSilently(t *testing.T) {
	c := newClient(t, "list")
	c.put("b.list", "#list B")
	c.act(`new "Song A"`)
	c.edit("add x")
	c.says(c.act("open b.list"), "+ opened b.list as \"b\" (list)\n  #list B\n? \"Song A\" has unsaved changes and stays open\n  try: use \"Song A\"\n[1 lines]")
	c.says(c.act("documents"), "* open documents:\n    \"Song A\" (list), unsaved changes [2 lines]\n  > \"b\" (list) b.list [1 lines]\n[1 lines]")
	c.ok(c.act(`use "Song A"`))
	c.says(c.ask("map"), "#list Song A\nx")
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
	c.says(c.Session.Session(ctx, "list", "a", "close"), "! \"a\" has unsaved changes; add document:\"a\" to what you try\n  try: save as:\"./A.list\"\n  try: close force\n[2 lines]")
	c.ok(c.Session.Session(ctx, "list", "a", "undo"))
	r := c.Session.Session(ctx, "list", "a", "close")
	c.says(r, "- closed \"a\"\n[1 lines]")
	if c.Current("list").Name != "b" {
		t.Error("the current document is another")
	}
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
		"batch":                 "! batch is atomic or each, and lines or joined\n  try: status",
		`batch "each"`:          "! batch is atomic or each, and lines or joined\n  try: status",
		"batch some":            "! batch is atomic or each, and lines or joined\n  try: status",
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
		got := strings.TrimSuffix(unmarked(r), "\n[5 lines]")
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

func TestStatusShowsTheStateOfTheDocument(t *testing.T) {
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

func TestASuggestionOfADomainAfterAnActionIsAnAction(t *testing.T) {
	c := newClient(t, "list")
	c.act("new A as:a")
	c.says(c.act("deny"), "! list| denied\n  try: help deny\n[1 lines]") // there is no such file
	c.put("x", "hi")
	c.says(c.act("deny"), "! list| denied\n  try: include ./x\n[1 lines]")
	unified := newClient(t, "")
	unified.put("x", "hi")
	unified.act("new list A as:a")
	unified.says(unified.act("deny"), "! list| denied\n  try: include ./x\n[1 lines]")
}

func TestEnableSaysWhenThereIsNothingToEnable(t *testing.T) {
	c := newClient(t, "list")
	c.says(c.act("enable"), "! the list plugin is not disabled: there is nothing to enable")
	c.says(c.act("enable other"), "! these tools enable only the list plugin\n  try: enable")
	unified := newClient(t, "")
	unified.says(unified.act("enable other"), "! no domain \"other\" is loaded\n  try: enable list")
	unified.says(unified.act("enable list"), "! the list plugin is not disabled: there is nothing to enable")
}

func TestEveryActionAndQueryOfTheHostRuns(t *testing.T) {
	sorted := func(names []string) []string { return slices.Sorted(slices.Values(names)) }
	if got, want := sorted(slices.AppendSeq(slices.Collect(maps.Keys(bare)), maps.Keys(onDocument))), sorted(append(domain.Names(domain.Actions(domain.Always, domain.Rare)), domain.PullAction, "job", "cancel")); !slices.Equal(got, want) {
		t.Errorf("the actions that run are %q, those there are %q", got, want)
	}
	answered := append(slices.Collect(maps.Keys(hostQueries)), "documents", domain.HelpQuery) // which are about none of them
	if got, want := sorted(answered), sorted(domain.Names(domain.Queries(domain.Always))); !slices.Equal(got, want) {
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
