package document

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/eventlog"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/journal"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// dieAndRecover ends the host as if it died, runs meanwhile, and recovers the document in another host.
func (s *shelf) dieAndRecover(meanwhile func()) []string {
	s.t.Helper()
	dir, id := s.abandon()
	meanwhile()
	doc, warnings, err := Recover(ctx, s.dom, s.roots, s.Name, Left{Shelf: NewShelf(dir), ID: id})
	if err != nil {
		s.t.Fatal(err)
	}
	s.Document = doc
	return warnings
}

func TestAFolderIsRecoveredWithItsHistory(t *testing.T) {
	for _, auto := range []bool{false, true} {
		t.Run(fmt.Sprint("autosave ", auto), func(t *testing.T) {
			s, _ := openShelf(t, deck(t, folders, func(m *abi.Manifest) { m.Autosave = auto }), texts{"a.md": "A", "b.md": "B"})
			s.keep(journalDir(t, journal.Limits{}))
			s.do("put a.md A2")
			s.do("put n.md N")
			if !auto {
				s.ok(s.Save(ctx, "", false))
			}
			s.do("drop b.md")
			want := s.standing()
			if w := s.dieAndRecover(func() {}); len(w) > 0 {
				t.Error(w)
			}
			got := s.standing()
			if got.history != want.history || got.dirty != want.dirty || got.digest != want.digest {
				t.Errorf("recovered\n%v\nwas\n%v", got, want)
			}
			if s.Summary().Dirty == auto {
				t.Errorf("dirty is %v", !auto)
			}
			s.ok(s.Undo(ctx, 3, false))
			s.ok(s.Save(ctx, "", false))
			s.on(texts{"a.md": "A", "b.md": "B"})
		})
	}
}

func TestARecoveredFolderDistinguishesItsOwnChangesFromThoseOfOthers(t *testing.T) {
	s, _ := openShelf(t, deck(t, folders, byHand), texts{"a.md": "A", "b.md": "B", "c.md": "C", "d.md": "D"})
	s.keep(journalDir(t, journal.Limits{}))
	s.do("put a.md A2")
	s.ok(s.Save(ctx, "", false))
	s.do("put b.md B2", "put d.md D2")
	w := s.dieAndRecover(func() {
		s.put("c.md", "theirs")
		s.put("d.md", "theirs")
	})
	contains(t, strings.Join(w, "\n"), "changed outside, and now in the document: c.md, d.md; your unsaved changes to d.md are in the history: undo force brings them back")
	s.reads("a.md", "A2")
	s.reads("b.md", "B2")
	s.reads("d.md", "theirs")
	if !s.Summary().Dirty {
		t.Error("b.md is not saved, and the document clean")
	}
	s.ok(s.Undo(ctx, 1, true))
	s.reads("d.md", "D2")
	s.ok(s.Save(ctx, "", false))
	s.on(texts{"a.md": "A2", "b.md": "B2", "c.md": "C", "d.md": "D2"})
}

// A host may die between writing its record and the folder, or between writing the folder and recording that.
func TestAnInterruptedSaveIsNotTakenForAnEditOfOthers(t *testing.T) {
	s, _ := openShelf(t, deck(t, folders, nil), texts{"a.md": "A", "b.md": "B"})
	s.keep(journalDir(t, journal.Limits{}))
	s.do("put a.md A2")
	// Recorded but not written.
	s.Document.dom.Store(deck(t, folders, byHand))
	s.do("put a.md A3")
	s.on(texts{"a.md": "A2", "b.md": "B"})
	w := s.dieAndRecover(func() {})
	contains(t, strings.Join(w, "\n"), "the last changes had not been written to .; they are now")
	s.on(texts{"a.md": "A3", "b.md": "B"})
	s.ok(s.Undo(ctx, 2, false))
	s.on(texts{"a.md": "A", "b.md": "B"})

	// Written but not recorded.
	h, _ := openShelf(t, deck(t, folders, byHand), texts{"a.md": "A", "b.md": "B"})
	h.keep(journalDir(t, journal.Limits{}))
	h.do("put a.md A2")
	if w := h.dieAndRecover(func() { h.put("a.md", "A2") }); len(w) > 0 || h.Summary().Dirty {
		t.Errorf("dirty is %v, %q", h.Summary().Dirty, w)
	}
}

func TestAFolderThatWasMadeIsRecovered(t *testing.T) {
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
	s.keep(journalDir(t, journal.Limits{}))
	s.do("put a.md A")
	if w := s.dieAndRecover(func() {}); len(w) > 0 || s.Summary().Dirty {
		t.Error(w)
	}
	s.ok(s.Undo(ctx, 1, false))
	s.on(texts{"there.md": "T", "readme.md": "# N"})
	w := s.dieAndRecover(func() { s.put("readme.md", "theirs") })
	contains(t, strings.Join(w, "\n"), "changed outside, and now in the document: readme.md")
	s.Close()
}

func TestAFolderThatIsGoneKeepsItsJournal(t *testing.T) {
	s, _ := openShelf(t, deck(t, folders, nil), texts{"a.md": "A"})
	s.keep(journalDir(t, journal.Limits{}))
	s.do("put a.md A2")
	away := s.dir + "-away"
	if err := os.Rename(s.dir, away); err != nil {
		t.Fatal(err)
	}
	s.says(s.ok(s.query("read a.md")), "? changes that others made in . could not be read: the folder was moved, removed or replaced")
	s.says(s.bad(s.Apply(ctx, []string{"put a.md A3"})), "the folder was moved, removed or replaced; nothing was changed")
	dir, id := s.abandon()
	if _, _, err := Recover(ctx, s.dom, s.roots, "S", Left{Shelf: NewShelf(dir), ID: id}); err == nil || !strings.Contains(err.Error(), "its folder is gone") {
		t.Errorf("recovered: %v", err)
	}
	if err := os.Rename(away, s.dir); err != nil {
		t.Fatal(err)
	}
	s.revive(dir, id)
	s.reads("a.md", "A2")
}

func TestAFoldersHistoryIsFolded(t *testing.T) {
	for _, snapshots := range []bool{false, true} {
		t.Run(fmt.Sprint("snapshots ", snapshots), func(t *testing.T) {
			s, _ := openShelf(t, deck(t, folders, func(m *abi.Manifest) { m.Snapshots = snapshots }), texts{"a.md": "A", "b.md": "B"})
			s.log = eventlog.New(20_000)
			s.saved = s.log.Position()
			s.keep(journalDir(t, journal.Limits{}))
			folded := false
			for i := range 60 {
				r := s.do(fmt.Sprintf("put t%d.md %s", i%7, strings.Repeat("x", 200+i)))
				folded = folded || strings.Contains(r.String(), "the history reached its cap")
				if i == 40 {
					s.put("b.md", "theirs")
				}
			}
			if !folded {
				t.Fatal("it was never folded")
			}
			s.reads("b.md", "theirs")
			want, disk := s.query("all").Text, s.disk()
			if w := s.dieAndRecover(func() {}); len(w) > 0 {
				t.Error(w)
			}
			equal(t, "recovered", s.query("all").Text, want)
			s.on(disk)
			w := s.dieAndRecover(func() { s.put("a.md", "theirs") })
			contains(t, strings.Join(w, "\n"), "changed outside, and now in the document: a.md")
			s.do("drop b.md")
			delete(disk, "b.md")
			disk["a.md"] = "theirs"
			s.on(disk)
			s.ok(s.Undo(ctx, 1, false))
			disk["b.md"] = "theirs"
			s.on(disk)
		})
	}
}

func TestAWorkerThatDiesLosesNothingOfAFolder(t *testing.T) {
	s, _ := openShelf(t, deck(t, folders, nil), texts{"a.md": "A"})
	for i := range 30 {
		s.kill()
		if i%3 == 0 {
			s.put("b.md", fmt.Sprint(i))
		}
		if r := s.Apply(ctx, []string{"append a.md !"}); r.Failed {
			t.Fatal(r)
		}
		if i%4 == 3 {
			s.kill()
			s.ok(s.Undo(ctx, 1, false))
		}
	}
	s.on(texts{"a.md": "A" + strings.Repeat("!", 23), "b.md": "27"})
	equal(t, "rebuilt", rebuilt(s), "A"+strings.Repeat("!", 23)+"27")
}

func TestAMarkerThatIsNoFolderMakesNoDocument(t *testing.T) {
	d := deck(t, folders, nil)
	for name, make := range map[string]func(dir string) error{
		"a link":   func(dir string) error { return os.Symlink(t.TempDir(), filepath.Join(dir, ".deck")) },
		"a file":   func(dir string) error { return os.WriteFile(filepath.Join(dir, ".deck"), nil, 0o666) },
		"no":       func(dir string) error { return nil },
		"its twin": func(dir string) error { return os.Mkdir(filepath.Join(dir, ".DECK"), 0o777) },
	} {
		dir, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if err := make(dir); err != nil {
			t.Fatal(err)
		}
		roots, err := files.NewRoots(dir)
		if err != nil {
			t.Fatal(err)
		}
		if doc, _, err := OpenFolder(ctx, d, roots, "S", dir); err == nil {
			t.Errorf("%s: opened", name)
			doc.Close()
		}
		if name == "a link" || name == "a file" {
			if _, _, err := NewFolder(ctx, d, roots, "S", dir, &abi.NewRequest{}, false); err == nil {
				t.Errorf("%s: made", name)
			}
			if _, err := os.Lstat(filepath.Join(dir, ".deck")); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// Exceeding a folder's limits is reported, at once or later.
func TestAFolderThatGrowsTooLargeIsReported(t *testing.T) {
	s, _ := openShelf(t, deck(t, folders, nil), texts{"a.md": "A"})
	big := strings.Repeat("x", 8<<20)
	for i := range 6 {
		s.put(fmt.Sprintf("b%d.md", i), big)
	}
	s.put("a.md", "theirs")
	r := s.ok(s.query("read a.md"))
	equal(t, "text", r.Text, "A")
	s.says(r, "? changes that others made in . could not be read: too large to be one document")
	s.says(s.bad(s.Apply(ctx, []string{"put a.md mine"})), "a.md changed on disk since it was opened; nothing was changed")
	if _, _, err := OpenFolder(ctx, s.dom, s.roots, "T", s.dir); err == nil || !strings.Contains(err.Error(), "too large to be one document") {
		t.Errorf("opened: %v", err)
	}
	if err := os.Remove(filepath.Join(s.dir, "b0.md")); err != nil {
		t.Fatal(err)
	}
	s.says(s.ok(s.query("read a.md")), "theirs", "? changed outside")
}

// A domain may return anything as its files: if one name is invalid, nothing of the save is written, and no link is
// followed.
func TestLinksDoNotLeadOutOfAFolder(t *testing.T) {
	outside := t.TempDir()
	put(t, outside, "secret.md", "secret")
	s, _ := openShelf(t, deck(t, folders, nil), texts{"a.md": "A", "d/b.md": "B"})
	link := func(to, name string) {
		t.Helper()
		if err := os.Symlink(to, filepath.Join(s.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	link(filepath.Join(outside, "secret.md"), "l.md")
	link(outside, "e")
	s.says(s.query("all"), "a.md=A\nd/b.md=B", "? left out, since it cannot be read: l.md (it is a symbolic link)")
	s.ok(s.Apply(ctx, []string{"put a.md B", "put a.md A", "put a.md C"}))
	s.ok(s.Apply(ctx, []string{"put a.md A"}))
	if r := s.query("all"); strings.Contains(r.String(), "left out") {
		t.Errorf("it is told again: %s", r)
	}
	for _, op := range []string{"put l.md mine", "put e/new.md mine"} {
		s.says(s.bad(s.Apply(ctx, []string{op})), "nothing was changed")
	}
	// A folder of the document is replaced by a link to one with the same file.
	put(t, outside, "b.md", "B")
	if err := os.RemoveAll(filepath.Join(s.dir, "d")); err != nil {
		t.Fatal(err)
	}
	link(outside, "d")
	s.bad(s.Apply(ctx, []string{"put d/b.md mine"}))
	s.bad(s.Apply(ctx, []string{"put d/n.md mine"}))
	left, err := os.ReadDir(outside)
	if err != nil || len(left) != 2 {
		t.Errorf("outside there are %v (%v)", left, err)
	}
	for name, want := range (texts{"secret.md": "secret", "b.md": "B"}) {
		if data, _ := os.ReadFile(filepath.Join(outside, name)); string(data) != want {
			t.Errorf("%s holds %q", name, data)
		}
	}
}

func TestUnracedAFolderOfTooManyFilesIsRefused(t *testing.T) {
	testwasm.Unraced(t)
	dir := folderOf(t, nil)
	for i := range 20_001 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i, ".md")), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	roots, err := files.NewRoots(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := OpenFolder(ctx, deck(t, folders, nil), roots, "S", dir); err == nil || !strings.Contains(err.Error(), "too large to be one document: it holds more than 20000 files") {
		t.Errorf("opened: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "0.md")); err != nil {
		t.Fatal(err)
	}
	doc, _, err := OpenFolder(ctx, deck(t, folders, nil), roots, "S", dir)
	if err != nil {
		t.Fatal(err)
	}
	defer doc.Close()
	if n := doc.Summary().Files; n != 20_000 {
		t.Errorf("%d files", n)
	}
}

// A full disk must not take half of a call.
func TestACallThatFillsTheDiskIsRolledBack(t *testing.T) {
	dir := folderOf(t, nil)
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=256k", "none", dir).CombinedOutput(); err != nil {
		t.Skipf("cannot mount: %v: %s", err, out)
	}
	t.Cleanup(func() { exec.Command("umount", dir).Run() })
	put(t, dir, ".deck/deck.toml", "T")
	put(t, dir, "a.md", "A")
	roots, err := files.NewRoots(dir)
	if err != nil {
		t.Fatal(err)
	}
	d := deck(t, folders, nil)
	doc, _, err := OpenFolder(ctx, d, roots, "S", dir)
	if err != nil {
		t.Fatal(err)
	}
	s := &shelf{desk{t, doc, dir}, roots, d}
	defer s.Close()
	s.keep(journalDir(t, journal.Limits{}))
	disk, failed := s.disk(), 0
	for size := 20 << 10; size < 400<<10; size += 40 << 10 {
		r := s.Apply(ctx, []string{"put b.md B", fmt.Sprintf("large a.md %d", size)})
		if r.Failed {
			failed++
			s.says(r, "no space left on device", "nothing was changed")
		} else {
			s.ok(s.UndoBatch(ctx, false))
		}
		s.on(disk)
		s.reads("a.md", "A")
		if s.Summary().Dirty {
			t.Error("it is dirty")
		}
	}
	if failed < 3 {
		t.Errorf("%d calls failed", failed)
	}
}
