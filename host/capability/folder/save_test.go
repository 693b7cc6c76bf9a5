package folder

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/fcp-host/fcp-host/host/files"
)

// mount mounts a file system, or skips the test if this user cannot.
func mount(t *testing.T, at string, args ...string) {
	t.Helper()
	if out, err := exec.Command("mount", append(args, at)...).CombinedOutput(); err != nil {
		t.Skipf("no file system can be mounted here: %v: %s", err, out)
	}
	t.Cleanup(func() { exec.Command("umount", "-l", at).Run() })
}

func TestASaveChangesMakesAndRemovesFiles(t *testing.T) {
	p := newPlace(t, map[string]string{"a.md": "A", "b.md": "B", "d/c.md": "C", "same.md": "S", "x.txt": "X"})
	f, _ := p.open()
	report, err := f.Save([]Change{
		change("a.md", "A", "A2"), change("b.md", "B", "-"), change("d/c.md", "C", ""), change("same.md", "S", "S"),
		change("new/deep/n.md", "-", "N"), change(".deck/cards/k.md", "-", ""), change("no.md", "-", "-"),
	})
	if err != nil || len(report.Conflicts)+len(report.Recovered) > 0 {
		t.Errorf("%+v, %v", report, err)
	}
	want := map[string]string{"a.md": "A2", "d/c.md": "", "same.md": "S", "x.txt": "X", "new/deep/n.md": "N", ".deck/cards/k.md": ""}
	p.is(want)
	if got := p.changed(f); got != "" {
		t.Errorf("its own save is seen as %s", got)
	}
	delete(want, "x.txt")
	if _, s := p.open(); !maps.Equal(contents(s), want) {
		t.Errorf("opened as\n%s", show(contents(s)))
	}
}

func TestASaveFromAnOutdatedViewIsRefused(t *testing.T) {
	for name, edit := range map[string]func(p *place){
		"written":              func(p *place) { p.put("a.md", "theirs") },
		"of the same size":     func(p *place) { p.put("a.md", "B") },
		"replaced":             func(p *place) { p.swap("a.md", "theirs") },
		"removed":              func(p *place) { p.must(os.Remove(p.path("a.md"))) },
		"made":                 func(p *place) { p.put("new.md", "theirs") },
		"the folder is gone":   func(p *place) { p.must(os.RemoveAll(p.path("d"))) },
		"the same was written": func(p *place) { p.put("a.md", "A2") },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, map[string]string{"a.md": "A", "b.md": "B", "d/c.md": "C"})
			f, _ := p.open()
			edit(p)
			want := p.all()
			_, err := f.Save([]Change{change("b.md", "B", "B2"), change("a.md", "A", "A2"), change("d/c.md", "C", "C2"), change("e/new.md", "-", "N"), change("new.md", "-", "N")})
			if !errors.Is(err, files.ErrChanged) {
				t.Errorf("got %v", err)
			}
			p.is(want)
			if _, err := os.Stat(p.path("e")); err == nil {
				t.Error("a folder was made and stays")
			}
			if _, err := os.Stat(p.path("d")); err == nil && name == "the folder is gone" {
				t.Error("a folder that somebody removed is there again")
			}
		})
	}
	p := newPlace(t, map[string]string{"a.md": "A"})
	f, _ := p.open()
	for _, c := range []Change{change("a.md", "-", "x"), change("a.md", "other", "x"), change("no.md", "x", "-")} {
		if _, err := f.Save([]Change{c}); !errors.Is(err, files.ErrChanged) || err.Error() != c.Path+" changed on disk since it was opened" {
			t.Errorf("%s: %v", spell([]Change{c}), err)
		}
	}
	if _, err := f.Save([]Change{change("a.md", "A", "B"), change("a.md", "A", "C")}); err == nil || err.Error() != "a.md is changed twice" {
		t.Errorf("got %v", err)
	}
}

func TestWhatCannotBeReplacedIsRefused(t *testing.T) {
	for _, tt := range []struct {
		name, says string
		edit       func(p *place)
		change     Change
	}{
		{"write-protected", "a.md is write-protected: make it writable; the folder is as it was",
			func(p *place) { p.must(os.Chmod(p.path("a.md"), 0o444)) }, change("a.md", "A", "A2")},
		{"write-protected and to go", "a.md is write-protected: make it writable; the folder is as it was",
			func(p *place) { p.must(os.Chmod(p.path("a.md"), 0o444)) }, change("a.md", "A", "-")},
		{"a folder", "a.md cannot be saved: it is a folder; the folder is as it was",
			func(p *place) { p.must(os.Remove(p.path("a.md"))); p.mkdir("a.md") }, change("a.md", "A", "A2")},
		{"a link", "a.md cannot be saved: it is a symbolic link; the folder is as it was",
			func(p *place) {
				p.must(os.Rename(p.path("a.md"), p.path("x")))
				p.must(os.Symlink("x", p.path("a.md")))
			}, change("a.md", "A", "A2")},
		{"below a link", "d/c.md cannot be saved: d: it is a symbolic link; the folder is as it was",
			func(p *place) { p.must(os.Rename(p.path("d"), p.path("x"))); p.must(os.Symlink("x", p.path("d"))) }, change("d/c.md", "C", "C2")},
		{"below a file", "a.md/b.md cannot be saved: a.md: it is a file; the folder is as it was",
			func(p *place) {}, change("a.md/b.md", "-", "x")},
		{"too long a name", strings.Repeat("n", 255) + ".md cannot be saved: file name too long; the folder is as it was",
			func(p *place) {}, change(strings.Repeat("n", 255)+".md", "-", "x")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t, map[string]string{"a.md": "A", "b.md": "B", "d/c.md": "C"})
			f, _ := p.open()
			tt.edit(p)
			_, err := f.Save([]Change{change("b.md", "B", "B2"), tt.change})
			if err == nil || err.Error() != tt.says {
				t.Errorf("got  %v\nwant %s", err, tt.says)
			}
			if p.text("b.md") != "B" {
				t.Error("half of it was saved")
			}
			if name := leftOver(p); name != "" {
				t.Errorf("left %s", name)
			}
		})
	}
}

// leftOver returns the name of a file of the host's own in the folder, "" if there is none.
func leftOver(p *place) (name string) {
	filepath.WalkDir(p.dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(e.Name(), ours) {
			name = path
		}
		return nil
	})
	return name
}

func TestNoFileOfADocumentIsExecutable(t *testing.T) {
	p := newPlace(t, map[string]string{"a.md": "A", "b.md": "B"})
	p.must(os.Chmod(p.path("a.md"), 0o4755))
	p.must(os.Chmod(p.path("b.md"), 0o660))
	f, _ := p.open()
	defer syscall.Umask(syscall.Umask(0o027))
	if _, err := f.Save([]Change{change("a.md", "A", "A2"), change("b.md", "B", "B2"), change("new.md", "-", "N")}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{"a.md": 0o644, "b.md": 0o660, "new.md": 0o640} {
		if info, err := os.Stat(p.path(name)); err != nil || info.Mode() != want {
			t.Errorf("%s has %v, want %v", name, info.Mode(), want)
		}
	}
}

func TestAFullFileSystemLeavesTheFolder(t *testing.T) {
	p := newPlace(t, nil)
	mount(t, p.dir, "-t", "tmpfs", "-o", "size=256k", "none")
	p.put("a.md", "A")
	p.put("b.md", "B")
	p.mkdir(".deck")
	f, _ := p.open()
	want := p.all()
	failed := 0
	for size := 0; size < 400<<10; size += 20 << 10 { // the files do not fit, or do and their record does not
		text := strings.Repeat("x", size)
		_, err := f.Save([]Change{change("b.md", "B", "-"), change("a.md", "A", text), change("d/n.md", "-", text)})
		if err == nil {
			if _, err := f.Save([]Change{change("b.md", "-", "B"), change("a.md", text, "A"), change("d/n.md", text, "-")}); err != nil {
				t.Fatal(err)
			}
			p.must(os.Remove(p.path("d")))
		} else {
			failed++
			if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "as it was") && !strings.Contains(err.Error(), "as they were") {
				t.Errorf("%d bytes: %v", size, err)
			}
		}
		p.is(want)
		if _, err := os.Stat(p.path("d")); err == nil {
			t.Errorf("%d bytes: the folder d stays", size)
		}
	}
	if failed < 5 {
		t.Errorf("%d saves failed", failed)
	}
}

// The disk is full when a conflict needs room.
func TestASaveThatCannotBeFinishedIsFinishedLater(t *testing.T) {
	p := newPlace(t, nil)
	mount(t, p.dir, "-t", "tmpfs", "-o", "size=256k", "none")
	p.mkdir(".deck")
	p.put("a.md", "A")
	p.put("b.md", "B")
	f, _ := p.open()
	f.exchange = func(at *os.Root, from, to string) error {
		if to == "a.md" && p.text("a.md") == "A" {
			p.swap("a.md", "theirs")
			full, err := os.Create(p.path("full"))
			p.must(err)
			defer full.Close()
			for err == nil {
				_, err = full.Write(make([]byte, 4096))
			}
		}
		return exchange(at, from, to)
	}
	mine := strings.Repeat("x", 8<<10)
	if _, err := f.Save([]Change{change("a.md", "A", mine), change("b.md", "B", "B2")}); !errors.Is(err, ErrUnfinished) || !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("got %v", err)
	}
	if _, err := f.Save([]Change{change("b.md", "B2", "B3")}); err == nil || errors.Is(err, ErrUnfinished) {
		t.Errorf("the next save: %v", err) // it differs from the recorded one
	}
	p.must(os.Remove(p.path("full")))
	report, err := f.Finish()
	p.must(err)
	changes, _, err := f.Changed()
	if err != nil || spell(changes) != "a.md: "+mine+" > theirs" || len(report.Conflicts) != 1 {
		t.Fatalf("changed %s, %+v, %v", spell(changes), report, err)
	}
	if c := report.Conflicts[0]; c.Path != "a.md" || p.text(c.Kept) != mine || p.text("b.md") != "B2" {
		t.Errorf("%+v, b.md holds %s", c, p.text("b.md"))
	}
}

// Even a record of the user's own must satisfy the rules of any save.
func TestARecordWritesNothingElse(t *testing.T) {
	p := newPlace(t, map[string]string{"a.md": "A", ".git/config": "old", "x.txt": "X"})
	out := &place{t, filepath.Join(filepath.Dir(p.dir), "out")}
	out.put("a.md", "A")
	p.must(os.Symlink(out.dir, p.path("link")))
	r := newRecord([]Change{
		change("../out/a.md", "A", "evil"), change(out.path("a.md"), "A", "evil"), change("link/a.md", "A", "evil"), change("link/new.md", "-", "evil"),
		change(".git/config", "old", "evil"), change(".git/hooks/pre-commit", "-", "evil"), change("x.txt", "X", "-"), change("a.md", "other", "evil"),
	})
	data, err := r.marshal(userKey)
	p.must(err)
	p.put(userRecord(), string(data))
	f, s := p.open()
	if got := contents(s); !maps.Equal(got, map[string]string{"a.md": "A"}) {
		t.Errorf("read\n%s", show(got))
	}
	report, err := f.Finish()
	if err != nil || len(report.Conflicts) != len(r.Entries) {
		t.Errorf("%v, conflicts: %+v", err, report.Conflicts)
	}
	out.is(map[string]string{"a.md": "A"})
	p.must(os.Remove(p.path("link")))
	for name, text := range p.all() {
		if text == "evil" && !strings.HasPrefix(name, ".deck/"+conflictPrefix) {
			t.Errorf("%s was written", name)
		}
	}
	if p.text("x.txt") != "X" || p.text("a.md") != "A" {
		t.Error("a file is gone")
	}
}

// A record that nobody with the user's key wrote is named and left alone, by reads and by saves.
func TestAPlantedRecordIsLeftAlone(t *testing.T) {
	sum := sha256.Sum256([]byte("A"))
	body, err := json.Marshal(&record{ID: "0123456789abcdef", Entries: []entry{{Path: "a.md", Before: sum[:], BeforeSize: 1, After: []byte("evil")}, {Path: "new.md", After: []byte("evil")}}})
	if err != nil {
		t.Fatal(err)
	}
	plain := sha256.Sum256(body)
	planted := map[string]string{
		".deck/.fcp-save":                  "fcp-folder-save 1 " + hex.EncodeToString(plain[:]) + "\n" + string(body),
		".deck/.fcp-save-0123456789abcdef": string(seal([]byte("the key of another user"), body)),
	}
	texts := map[string]string{"a.md": "A", "b.md": "B", ".fcp-folder-0123456789abcdef-0.tmp": "evil"}
	maps.Copy(texts, planted)
	p := newPlace(t, texts)
	f, s := p.open()
	if got := slices.Sorted(slices.Values(s.Foreign)); !slices.Equal(got, slices.Sorted(maps.Keys(planted))) || len(s.Unfinished) > 0 {
		t.Errorf("it names %q, and as its own %q", got, s.Unfinished)
	}
	p.is(texts)
	if _, err := f.Save([]Change{change("b.md", "B", "B2")}); err != nil {
		t.Error(err)
	}
	if _, err := f.Finish(); err != nil {
		t.Error(err)
	}
	texts["b.md"] = "B2"
	p.is(texts)
}

// A call that only reads sees a save whole, and finishes nothing.
func TestAReadFinishesNothing(t *testing.T) {
	inMemory(t)
	seen := 0
	for die := 1; ; die++ {
		p := newPlace(t, before)
		f, _ := p.open()
		n := 0
		f.between = func() {
			if n++; n == die {
				panic(errDied)
			}
		}
		if !dying(t, func() { f.Save(save) }) {
			break
		}
		was := p.all()
		g, s := p.open()
		if len(s.Unfinished) == 0 {
			continue
		}
		seen++
		_, _, err := g.Changed()
		p.must(err)
		p.is(was)
		if got := contents(s); !maps.Equal(got, after) || len(s.Unfinished) != len(save) {
			t.Errorf("at step %d, of %q it reads\n%s", die, s.Unfinished, show(got))
		}
		// Another user's host neither finishes it nor is kept from saving.
		other, o, err := Open(p.root(), deck, []byte("the key of another user"), Limits{})
		p.must(err)
		if _, err := other.Save([]Change{change("keep.md", "K", "K2")}); err != nil || len(o.Foreign) != 1 {
			t.Errorf("at step %d: %v, %q", die, err, o.Foreign)
		}
		other.Close()
		was["keep.md"] = "K2"
		p.is(was)
	}
	if seen < 8 {
		t.Errorf("only %d deaths after the record", seen)
	}
}

func TestTheKeyIsTheUsersAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "key")
	key, err := ReadKey(path)
	if err != nil || len(key) != keySize {
		t.Fatal(key, err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if again, err := ReadKey(path); err != nil || !bytes.Equal(again, key) {
		t.Errorf("%x and %x, %v", key, again, err)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("%v, %v", left, err)
	}
	for name, spoil := range map[string]func() error{"others read it": func() error { return os.Chmod(path, 0o644) }, "short": func() error { return errors.Join(os.Chmod(path, 0o600), os.WriteFile(path, key[:8], 0o600)) }} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		if key, err := ReadKey(path); err == nil {
			t.Errorf("%s: %x", name, key)
		}
	}
}
