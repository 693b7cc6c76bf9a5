package folder

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/fcp-host/fcp-host/host/files"
)

// mount skips the test where this user cannot.
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

func TestWhatCannotBeReplacedIsNot(t *testing.T) {
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

// leftOver names a file of the host's own in the folder.
func leftOver(p *place) (name string) {
	filepath.WalkDir(p.dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(e.Name(), ours) {
			name = path
		}
		return nil
	})
	return name
}

func TestNothingOfADocumentCanBeRun(t *testing.T) {
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

// TestLinksSwappedInMeanwhileLeadNowhere puts one in place of a folder or file of
// the document at each step of a save. What they lead to looks as the document's
// own files do.
func TestLinksSwappedInMeanwhileLeadNowhere(t *testing.T) {
	inMemory(t)
	for _, inside := range []bool{false, true} { // a link to a folder that no document has
		for _, name := range []string{"d", "d/a.md", "d/b.md", "d/new.md", ".deck"} {
			for at := 1; ; at++ {
				p := newPlace(t, map[string]string{"d/a.md": "A", "d/b.md": "B", "keep.md": "K"})
				other := &place{t, filepath.Join(filepath.Dir(p.dir), "other")}
				if inside {
					other.dir = p.path(".git/hooks")
				}
				for _, n := range []string{"a.md", "b.md", "cards/k.md"} {
					other.put(n, strings.ToUpper(n[:1]))
				}
				target := other.dir
				if strings.HasPrefix(name, "d/") {
					target = filepath.Join(other.dir, "a.md")
				}
				want := other.all()
				f, _ := p.open()
				n := 0
				f.between = func() {
					if n++; n == at {
						os.Rename(p.path(name), p.path("away"))
						p.must(os.Symlink(target, p.path(name)))
					}
				}
				_, err := f.Save([]Change{change("d/a.md", "A", "A2"), change("d/b.md", "B", "-"), change("d/new.md", "-", "N"), change("keep.md", "K", "K2")})
				if n < at {
					break
				}
				other.is(want)
				if info, err := os.Lstat(p.path(name)); err != nil || info.Mode()&os.ModeSymlink == 0 {
					t.Errorf("step %d: the link %s is %v, %v", at, name, info, err)
				}
				if err == nil && p.text("keep.md") != "K2" || err != nil && !errors.Is(err, ErrUnfinished) && p.text("keep.md") != "K" {
					t.Errorf("step %d: %s is a link: %v, and keep.md %s", at, name, err, p.text("keep.md"))
				}
			}
		}
	}
}

// TestALinkThatComesAndGoesLeadsNowhere exchanges a folder with a link again and
// again while it is read and saved.
func TestALinkThatComesAndGoesLeadsNowhere(t *testing.T) {
	inMemory(t)
	p := newPlace(t, map[string]string{"d/a.md": "A", ".git/hooks/a.md": "A", ".git/hooks/b.md": "hook"})
	p.must(os.Symlink(".git/hooks", p.path("link")))
	root := p.root()
	defer root.Close()
	if err := inFolder(root, exchangeNames, "d", "link"); err != nil {
		t.Skipf("nothing can be exchanged here: %v", err)
	}
	hooks := &place{t, p.path(".git")}
	want := hooks.all()
	f, _ := p.open()
	stop := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				inFolder(root, exchangeNames, "d", "link")
			}
		}
	})
	for n := range 300 {
		// Either may fail, or find the folder gone.
		f.Changed()
		if k, ok := f.known["d/a.md"]; ok {
			f.Save([]Change{{"d/a.md", k.data, fmt.Append(nil, n)}, change("d/n.md", "-", "N")})
		}
		if k, ok := f.known["d/b.md"]; ok {
			t.Errorf("it was read: %s", k.data)
		}
	}
	close(stop)
	all.Wait()
	hooks.is(want)
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

// TestASaveThatCannotBeFinishedIsLater fills the disk when a conflict needs room.
func TestASaveThatCannotBeFinishedIsLater(t *testing.T) {
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
		t.Errorf("the next save: %v", err) // which is not the one that stands
	}
	p.must(os.Remove(p.path("full")))
	changes, report, err := f.Changed()
	if err != nil || spell(changes) != "a.md: "+mine+" > theirs" || len(report.Conflicts) != 1 {
		t.Fatalf("changed %s, %+v, %v", spell(changes), report, err)
	}
	if c := report.Conflicts[0]; c.Path != "a.md" || p.text(c.Kept) != mine || p.text("b.md") != "B2" {
		t.Errorf("%+v, b.md holds %s", c, p.text("b.md"))
	}
}

func TestTwoHostsSeeEachOther(t *testing.T) {
	p := newPlace(t, map[string]string{"a.md": "A", "b.md": "B"})
	one, _ := p.open()
	two, _ := p.open()
	save := func(f *Folder, c ...Change) {
		t.Helper()
		if _, err := f.Save(c); err != nil {
			t.Error(err)
		}
	}
	save(one, change("a.md", "A", "A1"))
	save(two, change("b.md", "B", "B2"), change("n.md", "-", "N2"))
	if _, err := two.Save([]Change{change("a.md", "A", "A2")}); !errors.Is(err, files.ErrChanged) {
		t.Errorf("overwrote the other's: %v", err)
	}
	if a, b := p.changed(one), p.changed(two); a != "b.md: B > B2; n.md: - > N2" || b != "a.md: A > A1" {
		t.Errorf("one sees %s, two sees %s", a, b)
	}
	save(two, change("a.md", "A1", "A2"))
	p.is(map[string]string{"a.md": "A2", "b.md": "B2", "n.md": "N2"})
}

func TestNoSaveOfTwoHostsIsLost(t *testing.T) {
	p := newPlace(t, map[string]string{"count.md": "0", "copy.md": "0"})
	const hosts, saves = 4, 40
	var folders []*Folder
	for range hosts { // all of them before any saves, since none waits for long
		f, _ := p.open()
		folders = append(folders, f)
	}
	var all sync.WaitGroup
	for _, f := range folders {
		all.Go(func() {
			for done := 0; done < saves; {
				if _, _, err := f.Changed(); errors.Is(err, files.ErrBusy) {
					continue
				} else if err != nil {
					t.Error(err)
					return
				}
				n := string(f.known["count.md"].data)
				if copy := string(f.known["copy.md"].data); n != copy {
					t.Errorf("half of a save was seen: %s and %s", n, copy)
				}
				number, _ := strconv.Atoi(n)
				next := strconv.Itoa(number + 1)
				report, err := f.Save([]Change{change("count.md", n, next), change("copy.md", n, next)})
				switch {
				case err == nil && len(report.Conflicts) == 0:
					done++
				case !errors.Is(err, files.ErrChanged) && !errors.Is(err, files.ErrBusy):
					t.Errorf("%+v, %v", report, err)
					return
				}
			}
		})
	}
	all.Wait()
	want := fmt.Sprint(hosts * saves)
	p.is(map[string]string{"count.md": want, "copy.md": want})
}

// The document goes on from its own version, and then sees the other.
func TestAnEditMeanwhileIsAConflictAndAChange(t *testing.T) {
	p := newPlace(t, map[string]string{"a.md": "A", "b.md": "B"})
	f, _ := p.open()
	f.exchange = func(at *os.Root, from, to string) error {
		if p.text("a.md") == "A" {
			p.swap("a.md", "theirs")
		}
		return exchange(at, from, to)
	}
	report, err := f.Save([]Change{change("a.md", "A", "mine"), change("b.md", "B", "B2")})
	if err != nil || len(report.Conflicts) != 1 {
		t.Fatalf("%+v, %v", report, err)
	}
	c := report.Conflicts[0]
	if c.Path != "a.md" || c.Why != "somebody changed it meanwhile" || filepath.Dir(c.Kept) != ".deck" || filepath.Ext(c.Kept) != ".md" {
		t.Errorf("got %+v", c)
	}
	p.is(map[string]string{"a.md": "theirs", "b.md": "B2", c.Kept: "mine"})
	if got := p.changed(f); got != "a.md: mine > theirs" {
		t.Errorf("then %s", got)
	}
}

func TestARecordThatIsNoneHarmsNothing(t *testing.T) {
	good, err := newRecord([]Change{change("a.md", "A", "B")}).marshal()
	if err != nil {
		t.Fatal(err)
	}
	sealed := func(body string) string { return string(seal([]byte(body))) }
	for _, tt := range []struct{ name, record, says string }{
		{"empty", "", ""},
		{"half", string(good[:len(good)/2]), ""},
		{"damaged", string(good[:len(good)-3]) + "xxx", ""},
		{"no JSON", sealed("["), ""},
		{"a path as its id", sealed(`{"id":"../../x","entries":[]}`), ""},
		{"a newer version", "fcp-folder-save 2 x\n{}", "another version of fcp-host began to save the folder, and has to finish that"},
	} {
		p := newPlace(t, map[string]string{"a.md": "A", ".deck/" + recordName: tt.record})
		f, _, err := Open(p.root(), deck, Limits{})
		if tt.says != "" {
			if err == nil || err.Error() != tt.says {
				t.Errorf("%s: %v", tt.name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		f.Close()
		p.is(map[string]string{"a.md": "A"})
	}
}

// A record that somebody planted is held to the rules of any save.
func TestAPlantedRecordWritesNothingElse(t *testing.T) {
	p := newPlace(t, map[string]string{"a.md": "A", ".git/config": "old", "x.txt": "X"})
	out := &place{t, filepath.Join(filepath.Dir(p.dir), "out")}
	out.put("a.md", "A")
	p.must(os.Symlink(out.dir, p.path("link")))
	r := newRecord([]Change{
		change("../out/a.md", "A", "evil"), change(out.path("a.md"), "A", "evil"), change("link/a.md", "A", "evil"), change("link/new.md", "-", "evil"),
		change(".git/config", "old", "evil"), change(".git/hooks/pre-commit", "-", "evil"), change("x.txt", "X", "-"), change("a.md", "other", "evil"),
	})
	data, err := r.marshal()
	p.must(err)
	p.put(".deck/"+recordName, string(data))
	_, s := p.open()
	if len(s.Conflicts) != len(r.Entries) {
		t.Errorf("conflicts: %+v", s.Conflicts)
	}
	out.is(map[string]string{"a.md": "A"})
	p.must(os.Remove(p.path("link")))
	for name, text := range p.all() {
		if text == "evil" && !strings.HasPrefix(name, ".deck/"+kept) {
			t.Errorf("%s was written", name)
		}
	}
	if p.text("x.txt") != "X" || p.text("a.md") != "A" {
		t.Error("a file is gone")
	}
}

func TestAnEditOfWhatWasSavedIsNoConflict(t *testing.T) {
	for _, text := range []string{"theirs", "A"} { // A: as it was before
		p := newPlace(t, map[string]string{"a.md": "A"})
		f, _ := p.open()
		f.exchange = func(at *os.Root, from, to string) error {
			defer p.put("a.md", text)
			return exchange(at, from, to)
		}
		report, err := f.Save([]Change{change("a.md", "A", "mine")})
		if err != nil || len(report.Conflicts) > 0 {
			t.Errorf("%+v, %v", report, err)
		}
		p.is(map[string]string{"a.md": text})
		if got := p.changed(f); got != "a.md: mine > "+text {
			t.Errorf("then %s", got)
		}
	}
}

// One right before ours, and one right after: the first was taken away for ours.
func TestOfTwoEditsAtOnceNoneIsLost(t *testing.T) {
	for _, dies := range []bool{false, true} {
		p := newPlace(t, map[string]string{"a.md": "A", "b.md": "B"})
		f, _ := p.open()
		f.exchange = func(at *os.Root, from, to string) error {
			if to == "a.md" {
				p.swap("a.md", "first")
				defer p.swap("a.md", "second")
			}
			return exchange(at, from, to)
		}
		f.between = func() {
			if matches, _ := filepath.Glob(p.path(kept + "*")); dies && len(matches) > 0 {
				panic(errDied)
			}
		}
		var report Report
		var err error
		if dying(t, func() { report, err = f.Save([]Change{change("a.md", "A", "mine"), change("b.md", "B", "B2")}) }) {
			_, s := p.open()
			report = s.Report
		}
		if err != nil || len(report.Conflicts) != 1 || report.Conflicts[0].Path != "a.md" {
			t.Fatalf("dies: %v: %+v, %v", dies, report, err)
		}
		p.is(map[string]string{"a.md": "second", "b.md": "B2", report.Conflicts[0].Kept: "first"})
	}
}
