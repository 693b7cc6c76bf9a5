package session

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestOpenReadsAFile(t *testing.T) {
	c := newClient(t, "list")
	c.put("a.list", "#list A\none")
	c.put("two words é.list", "#list B")
	c.put("other.txt", "#list C")
	c.says(c.act("open a.list"), "+ opened a.list as \"a\" (list)\n  #list A\n  one\n[2 lines]")
	c.says(c.act(`open "two words é.list"`), "+ opened two words é.list as \"two words é\" (list)\n  #list B\n[1 lines]")
	c.says(c.act("open ./other.txt as:intro"), "+ opened other.txt as \"intro\" (list)\n  #list C\n[1 lines]")
	c.says(c.act("open path:a.list"), "+ opened a.list as \"a-2\" (list)\n  #list A\n  one\n[2 lines]") // instead of the first
	c.says(c.act("open "+filepath.Join(c.dir, "a.list")), "+ opened a.list as \"a\" (list)\n  #list A\n  one\n[2 lines]")
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
		{"open bad.list", "! cannot open bad.list: list| bad.list is not a list: it does not start with #list (offset 0)"},
		{"open blank.list", "! cannot open blank.list: list| blank.list is not a list: it does not start with #list (offset 0)"},
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
		"save to:x":              "! save takes no to:, only as: copy:\n  try: save as:x",
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
	c.says(c.act(`save as:other.list`), "! other.list already exists, and this document did not write it; nothing was written; save as:\"other.list\" force replaces it\n  try: save as:\"other-2.list\"\n[3 lines]")
	c.says(c.act(`save as:other.list force`), "* saved other.list (11 bytes)\n? other.list existed and was replaced\n[3 lines]")
	c.says(c.act(`save "force"`), "* saved force (11 bytes)\n? list files are named .list: by this name, programs may take it for something else\n[3 lines]") // quoted text is never a keyword
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
	c.contains(r, "+ opened a\\u000a! b\\u001b[2J.list as \"a ! b [2J\" (list)\n")
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
	c.says(c.act("open t.list"), "+ opened t.list as \"t-2\" (list)\n  #list T\n? \"t\" has unsaved changes and stays open\n  try: use \"t\"\n? \"t\" holds unsaved changes of the same file\n[1 lines]")
	c.edit("add y")
	c.ok(c.act("save"))
	c.ok(c.act("use t"))
	c.bad(c.act("save"), "t.list changed on disk since it was opened")
}

func TestExportWritesAnotherFormatAndChangesNothing(t *testing.T) {
	c := newClient(t, "list")
	c.act("new T")
	c.edit("add x")
	c.says(c.act("export upper as:./t.txt"), "+ exported t.txt (upper, 9 bytes)\n[2 lines]")
	c.says(c.act("export upper as:./t.txt"), "+ exported t.txt (upper, 9 bytes)\n[2 lines]")
	c.put("theirs.txt", "theirs")
	c.says(c.act("export upper as:./theirs.txt"), "! theirs.txt already exists, and this document did not write it; nothing was written; export upper as:\"theirs.txt\" force replaces it\n  try: export upper as:\"theirs-2.txt\"\n[2 lines]")
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
	c.says(c.act(`include "deep/my notes.txt"`), "+ list| my notes.txt: hello (include \"my notes.txt\")\n[2 lines]")
	c.ok(c.act("undo"))
	c.says(c.act("deny"), "! list| denied\n  try: include ./x\n[1 lines]")
	c.bad(c.act("boom"), "the list plugin failed")
	c.says(c.ask("map"), "#list T")
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
