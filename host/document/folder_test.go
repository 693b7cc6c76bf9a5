package document

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/journal"
)

var decks sync.Map // func() (*sandbox.Plugin, *abi.Manifest, error)

var folders = &world{can: []string{abi.WantFolder}}

func TestAFolderIsADocument(t *testing.T) {
	s, warnings := openShelf(t, deck(t, folders, byHand), texts{"a.md": "A", "d/b.md": "B", ".deck/c.toml": "C", "x.txt": "X", ".hid/h.md": "H", "left/l.md": "L"})
	if len(warnings) > 0 {
		t.Error(warnings)
	}
	equal(t, "names", s.query("map").Text, ".deck/c.toml\na.md\nd/b.md")
	s.do("put a.md A2", "put new/n.md N", "drop d/b.md")
	if sum := s.Summary(); !sum.Dirty || sum.Path != s.dir {
		t.Errorf("it stands at %+v", sum)
	}
	if got := s.disk(); got["a.md"] != "A" {
		t.Error("written before it was saved")
	}
	s.says(s.ok(s.Save(ctx, "", false)), "* saved . (2 files written, 1 removed)")
	s.on(texts{"a.md": "A2", "new/n.md": "N", ".deck/c.toml": "C", "x.txt": "X", ".hid/h.md": "H", "left/l.md": "L"})
	if s.Summary().Dirty {
		t.Error("dirty after it was saved")
	}
	s.ok(s.Undo(ctx, 3, false))
	s.says(s.ok(s.Save(ctx, "", false)), "(2 files written, 1 removed)")
	s.on(texts{"a.md": "A", "d/b.md": "B", ".deck/c.toml": "C", "x.txt": "X", ".hid/h.md": "H", "left/l.md": "L"})
	s.says(s.ok(s.Save(ctx, "", false)), "(nothing to write)")
	s.says(s.bad(s.Save(ctx, "./other", false)), "! a folder is saved where it is")
	s.says(s.Status(ctx), "folder: . (3 files)", "unsaved changes: no")
}

func TestAFolderNeedsAGrant(t *testing.T) {
	dir := folderOf(t, nil)
	roots, err := files.NewRoots(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []domain.World{nil, &world{}} {
		if _, _, err := OpenFolder(ctx, deck(t, w, nil), roots, "S", dir); err == nil || !strings.Contains(err.Error(), "it needs folder") {
			t.Errorf("opened without a grant: %v", err)
		}
		if _, _, err := NewFolder(ctx, deck(t, w, nil), roots, "S", filepath.Join(dir, "n"), &abi.NewRequest{Title: "N"}, false); err == nil || roots.Exists(filepath.Join(dir, "n")) {
			t.Errorf("made without a grant: %v", err)
		}
	}
}

func TestANewFolderHoldsWhatItsDomainPutsThere(t *testing.T) {
	dir := folderOf(t, nil)
	roots, err := files.NewRoots(dir)
	if err != nil {
		t.Fatal(err)
	}
	d := deck(t, folders, nil)
	at := filepath.Join(dir, "n")
	put(t, at, "there.md", "T")
	doc, _, err := NewFolder(ctx, d, roots, "N", at, &abi.NewRequest{Title: "N"}, false)
	if err != nil {
		t.Fatal(err)
	}
	s := &shelf{desk{t, doc, at}, roots, d}
	t.Cleanup(s.Close)
	s.on(texts{"there.md": "T", "readme.md": "# N"})
	if s.Summary().Dirty {
		t.Error("it is dirty")
	}
	s.do("put a.md A")
	s.on(texts{"there.md": "T", "readme.md": "# N", "a.md": "A"})
	if _, _, err := NewFolder(ctx, d, roots, "N", at, &abi.NewRequest{}, false); err == nil || !strings.Contains(err.Error(), "n is a folder of this kind already") {
		t.Errorf("made twice: %v", err)
	}
	// A failure leaves nothing behind.
	fresh := filepath.Join(dir, "fresh")
	if _, _, err := NewFolder(ctx, deck(t, folders, func(m *abi.Manifest) { m.Folder.Include = []string{"*.toml"} }), roots, "N", fresh, &abi.NewRequest{}, false); err == nil || roots.Exists(fresh) {
		t.Errorf("left behind: %v", err)
	}
}

func TestAutosaveWritesEachCallToTheFolder(t *testing.T) {
	s, _ := openShelf(t, deck(t, folders, nil), texts{"a.md": "A"})
	clean := func() {
		t.Helper()
		if s.Summary().Dirty {
			t.Error("it is dirty")
		}
	}
	equal(t, "reply", s.do("put a.md A2", "put b.md B").String(), "* put a.md\n+ put b.md\n[2 texts 0 broken]")
	s.on(texts{"a.md": "A2", "b.md": "B"})
	clean()
	s.ok(s.Undo(ctx, 1, false))
	s.on(texts{"a.md": "A2"})
	clean()
	s.ok(s.UndoBatch(ctx, false))
	s.on(texts{"a.md": "A"})
	s.ok(s.Redo(ctx, 2))
	s.on(texts{"a.md": "A2", "b.md": "B"})
	s.bad(s.Apply(ctx, []string{"put c.md C", "drop none.md"}))
	s.on(texts{"a.md": "A2", "b.md": "B"})
	s.ok(s.Each(ctx, true))
	s.bad(s.Apply(ctx, []string{"put c.md C", "drop none.md"}))
	s.on(texts{"a.md": "A2", "b.md": "B", "c.md": "C"})
	clean()
}

// A call that cannot be written is rolled back.
func TestACallThatCannotBeWrittenIsRolledBack(t *testing.T) {
	s, _ := openShelf(t, deck(t, folders, nil), texts{"a.md": "A", "d/b.md": "B"})
	s.keep(journalDir(t, journal.Limits{}))
	s.do("put a.md A2", "put z.md Z")
	s.ok(s.Undo(ctx, 1, false))
	before, disk := s.standing(), s.disk()
	unharmed := func() {
		t.Helper()
		after := s.standing()
		if before != after {
			t.Errorf("it was\n%v\nand is\n%v", before, after)
		}
		s.on(disk)
	}
	for _, op := range []string{"put ../x.md X", "put x.txt X", "put .git/hooks/x.md X", "put left/x.md X", `put d\\x.md X`, "put A.md X", "put ./x.md X", "put /x.md X", "put .fcp-x.md X", "twice x.md", "put con.md X", "put d X",
		"large x.md 9000000"} {
		s.says(s.bad(s.Apply(ctx, []string{"put y.md Y", op})), "nothing was changed, because each call is saved at once")
		unharmed()
	}
	if err := os.Chmod(filepath.Join(s.dir, "d/b.md"), 0o444); err != nil {
		t.Fatal(err)
	}
	s.says(s.bad(s.Apply(ctx, []string{"put d/b.md B2"})), "! d/b.md is write-protected")
	unharmed()
	s.says(s.ok(s.Redo(ctx, 1)), "* redid put z.md Z")
	disk["z.md"] = "Z"
	s.on(disk)
}

func TestAFolderWhoseRootTheClientTookBackIsNeitherReadNorWritten(t *testing.T) {
	dir, other := folderOf(t, texts{"a.md": "A"}), t.TempDir()
	t.Chdir(dir)
	roots, err := files.NewRoots()
	if err != nil {
		t.Fatal(err)
	}
	roots.AskClient().Answer([]string{"file://" + filepath.ToSlash(dir)})
	d := deck(t, folders, nil)
	doc, _, err := OpenFolder(ctx, d, roots, "S", dir)
	if err != nil {
		t.Fatal(err)
	}
	s := &shelf{desk{t, doc, dir}, roots, d}
	t.Cleanup(s.Close)
	s.do("put a.md A2")
	roots.AskClient().Answer([]string{"file://" + filepath.ToSlash(other)})
	if err := os.WriteFile(filepath.Join(dir, "b.md"), []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	refused := s.bad(s.Apply(ctx, []string{"put a.md A3"})).String()
	for _, want := range []string{"is outside the allowed", "is not read again, because it lies outside the allowed folders"} {
		if !strings.Contains(refused, want) || strings.Contains(refused, "b.md") {
			t.Errorf("%s\nwant %q", refused, want)
		}
	}
	s.on(texts{"a.md": "A2", "b.md": "secret"})
	roots.AskClient().Answer([]string{"file://" + filepath.ToSlash(dir)})
	s.do("put a.md A4")
	s.on(texts{"a.md": "A4", "b.md": "secret"})
}

func TestAReadOnlyRootIsNotWritten(t *testing.T) {
	dir := folderOf(t, texts{"a.md": "A"})
	roots, err := files.NewRoots(dir)
	if err != nil {
		t.Fatal(err)
	}
	d := deck(t, folders, byHand)
	doc, _, err := OpenFolder(ctx, d, roots.ReadOnly(), "S", dir)
	if err != nil {
		t.Fatal(err)
	}
	s := &shelf{desk{t, doc, dir}, roots, d}
	t.Cleanup(s.Close)
	s.do("put a.md A2")
	s.says(s.bad(s.Save(ctx, "", false)), "cannot be written: the configuration does not let its plugin write")
	s.on(texts{"a.md": "A"})
	if _, _, err := NewFolder(ctx, d, roots.ReadOnly(), "S", filepath.Join(dir, "n"), &abi.NewRequest{}, false); err == nil {
		t.Error("made a folder")
	}
}

func TestWhatOthersChangeEntersTheHistory(t *testing.T) {
	for _, auto := range []bool{false, true} {
		t.Run(fmt.Sprint("autosave ", auto), func(t *testing.T) {
			s, _ := openShelf(t, deck(t, folders, func(m *abi.Manifest) { m.Autosave = auto }), texts{"a.md": "A", "b.md": "B"})
			s.do("put a.md A2")
			if !auto {
				s.ok(s.Save(ctx, "", false))
			}
			s.put("a.md", "theirs")
			s.put("n.md", "N")
			if err := os.Remove(filepath.Join(s.dir, "b.md")); err != nil {
				t.Fatal(err)
			}
			r := s.query("read a.md")
			equal(t, "text", r.Text, "theirs")
			s.says(r, "? changed outside, and now in the document: a.md, b.md (removed), n.md (new)")
			if s.Summary().Dirty {
				t.Error("it is dirty")
			}
			if r := s.query("map"); len(r.Warnings) > 0 {
				t.Errorf("told twice: %s", r)
			}
			s.says(s.History(ctx, 10), "2. (changed outside) a.md, b.md (removed), n.md (new)")
			s.says(s.bad(s.Undo(ctx, 1, false)), "! this would undo changes that others made in a.md, b.md, n.md; nothing was undone", "try: undo force")
			s.says(s.bad(s.Undo(ctx, 2, false)), "try: undo 2 force")
			s.says(s.bad(s.UndoBatch(ctx, false)), "try: undo batch force")
			s.ok(s.Undo(ctx, 1, true))
			s.reads("a.md", "A2")
			if !auto {
				s.on(texts{"a.md": "theirs", "n.md": "N"})
				s.ok(s.Save(ctx, "", false))
			}
			s.on(texts{"a.md": "A2", "b.md": "B"})
			s.ok(s.Redo(ctx, 1))
			s.reads("a.md", "theirs")
			s.ok(s.Undo(ctx, 1, true))
			s.put("b.md", "B2")
			s.says(s.do("append a.md !"), "? changed outside, and now in the document: b.md; the 1 undone op can no longer be redone")
			equal(t, "rebuilt", rebuilt(s), "A2!B2")
		})
	}
}

func rebuilt(s *shelf) string {
	s.drop()
	return s.query("read a.md").Text + s.query("read b.md").Text
}

// An unsaved edit is not lost when somebody else changes the same file.
func TestAnUnsavedEditIsInTheHistoryWhenOthersChangeTheFile(t *testing.T) {
	s, _ := openShelf(t, deck(t, folders, byHand), texts{"a.md": "A", "b.md": "B"})
	s.do("put a.md mine", "put b.md mine")
	s.put("a.md", "theirs")
	s.says(s.ok(s.Save(ctx, "", false)), "changed outside, and now in the document: a.md; your unsaved changes to a.md are in the history: undo force brings them back")
	s.on(texts{"a.md": "theirs", "b.md": "mine"})
	s.ok(s.Undo(ctx, 1, true))
	s.ok(s.Save(ctx, "", false))
	s.on(texts{"a.md": "mine", "b.md": "mine"})
}

func TestAnOutsideChangeThatTheDomainCannotReplayIsNotOverwritten(t *testing.T) {
	s, _ := openShelf(t, deck(t, folders, nil), texts{"a.md": "A", "b.md": "B"})
	s.do("put b.md B2")
	s.put("a.md", "poison")
	r := s.ok(s.query("read a.md"))
	equal(t, "text", r.Text, "A")
	s.says(r, "? a.md was changed outside, and the document cannot take the change in (", "poisoned, as asked", "those files are not overwritten")
	s.says(s.do("put b.md B3"), "? a.md was changed outside, and the document cannot take the change in (")
	s.on(texts{"a.md": "poison", "b.md": "B3"})
	s.says(s.bad(s.Apply(ctx, []string{"put a.md mine"})), "! a.md changed on disk since it was opened, and these changes could not be merged into the document")
	s.on(texts{"a.md": "poison", "b.md": "B3"})
	s.put("a.md", "{ that no parser reads")
	s.says(s.query("map"), "? changed outside, and now in the document: a.md")
	equal(t, "digest", s.Summary().Digest, "2 texts 1 broken")
	s.do("put a.md A2")
	s.on(texts{"a.md": "A2", "b.md": "B3"})
}

func TestAFileChangedBetweenTheLookAndTheSaveIsNotOverwritten(t *testing.T) {
	s, _ := openShelf(t, deck(t, folders, nil), texts{"a.md": "A"})
	// The domain is asked between the two.
	s.Domain().World = folders
	meanwhile := func(text string) func(*domain.Instance) (*abi.ApplyResponse, error) {
		return func(in *domain.Instance) (*abi.ApplyResponse, error) {
			b, err := prepare(s.Domain(), []string{"append a.md !"}, false)
			if err != nil {
				return nil, err
			}
			s.put("a.md", text)
			return s.run(ctx, in, b)
		}
	}
	b, err := prepare(s.Domain(), []string{"append a.md !"}, false)
	if err != nil {
		t.Fatal(err)
	}
	<-s.turn
	r, err := s.perform(ctx, b, meanwhile("theirs"))
	s.leave()
	if err != nil {
		r = Failure(err)
	}
	s.says(s.bad(r), "! a.md changed on disk since it was opened; nothing was changed")
	s.on(texts{"a.md": "theirs"})
	s.says(s.do("append a.md !"), "? changed outside, and now in the document: a.md")
	s.on(texts{"a.md": "theirs!"})
}

func TestAutosaveWritesEachCallToAFile(t *testing.T) {
	d := deck(t, nil, nil)
	s := blank(t, d)
	s.do("put a.md A")
	if !s.Summary().Dirty {
		t.Error("clean without a file")
	}
	s.ok(s.Save(ctx, "./t.deck", false))
	file := filepath.Join(s.dir, "t.deck")
	holds := func(want string) {
		t.Helper()
		data, err := os.ReadFile(file)
		if err != nil || string(data) != want {
			t.Errorf("the file holds %q (%v), want %q", data, err, want)
		}
	}
	s.do("put b.md B")
	holds("a.md=A\nb.md=B\nreadme.md=# T\n")
	s.ok(s.Undo(ctx, 1, false))
	holds("a.md=A\nreadme.md=# T\n")
	if s.Summary().Dirty {
		t.Error("it is dirty")
	}
	if err := os.WriteFile(file, []byte("theirs"), 0o666); err != nil {
		t.Fatal(err)
	}
	contains(t, s.bad(s.Apply(ctx, []string{"put b.md B"})).String(), "t.deck changed on disk since it was opened; nothing was changed")
	holds("theirs")
}
