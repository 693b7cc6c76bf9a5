package folder

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/internal/testwasm"

	"github.com/fcp-host/fcp-host/host/files"
)

func TestAFolderIsReadByItsPattern(t *testing.T) {
	p := newPlace(t, map[string]string{
		"a.md": "A", "sub/deep/b.md": "B", ".deck/cards/c.md": "C", ".deck/deck.toml": "T", "empty.md": "",
		"other.txt": "x", ".hidden.md": "x", ".git/d.md": "x", "sub/.deck/e.md": "x", "node_modules/f.md": "x",
		"sub/node_modules/g.md": "x", ".fcp-x.md": "x", ".deck/.fcp-y.md": "x",
	})
	_, s := p.open()
	want := map[string]string{"a.md": "A", "sub/deep/b.md": "B", ".deck/cards/c.md": "C", ".deck/deck.toml": "T", "empty.md": ""}
	if got := contents(s); !maps.Equal(got, want) || len(s.Unread) > 0 {
		t.Errorf("read\n%s\nunread %v, want\n%s", show(got), s.Unread, show(want))
	}
	if !slices.IsSortedFunc(s.Files, func(a, b File) int { return strings.Compare(a.Name, b.Name) }) {
		t.Errorf("not sorted: %v", s.Files)
	}
}

func TestWhatCannotBeReadIsNamed(t *testing.T) {
	p := newPlace(t, map[string]string{"good.md": "good", "large.md": strings.Repeat("x", 101), `back\slash.md`: "x", "utf\xff.md": "x"})
	out := filepath.Join(filepath.Dir(p.dir), "secret.md")
	p.must(os.WriteFile(out, []byte("secret"), 0o600))
	p.must(os.Symlink(out, p.path("leak.md")))
	p.must(os.Symlink("good.md", p.path("link.md")))
	p.must(os.Symlink(filepath.Dir(p.dir), p.path("folder")))
	p.must(syscall.Mkfifo(p.path("fifo.md"), 0o600))
	f, s, err := Open(p.root(), deck, userKey, Limits{File: 100})
	p.must(err)
	defer f.Close()
	if got := contents(s); !maps.Equal(got, map[string]string{"good.md": "good"}) {
		t.Errorf("read\n%s", show(got))
	}
	var got []string
	for _, u := range s.Unread {
		got = append(got, u.Name+": "+u.Why)
	}
	want := []string{
		`back\slash.md: its name holds a backslash or a zero byte`,
		"fifo.md: it is not a regular file",
		"large.md: larger than 100 bytes",
		"leak.md: it is a symbolic link",
		"link.md: it is a symbolic link",
		"utf\xff.md: its name is not a relative path of UTF-8 without . and .. in it",
	}
	if !slices.Equal(got, want) {
		t.Errorf("unread\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if _, err := f.Save([]Change{change("large.md", "-", "mine")}); !errors.Is(err, files.ErrChanged) {
		t.Errorf("a file that was not read is saved: %v", err)
	}
}

// A file that can no longer be read keeps its known content.
func TestAFileThatGrowsTooLargeIsNotTakenForRemoved(t *testing.T) {
	p := newPlace(t, map[string]string{"a.md": "A", strings.Repeat("d/", maxDepth) + "b.md": "B"})
	f, _, err := Open(p.root(), deck, userKey, Limits{File: 10})
	p.must(err)
	defer f.Close()
	p.put("a.md", "A, and much more")
	for range 2 {
		changes, report, err := f.Changed()
		if err != nil || len(changes) > 0 || len(report.Unread) != 1 || report.Unread[0].Name != "a.md" {
			t.Fatalf("changed: %s, unread %v, %v", spell(changes), report.Unread, err)
		}
	}
	p.put("a.md", "A3")
	if got := p.changed(f); got != "a.md: A > A3" {
		t.Errorf("changed: %s", got)
	}
}

func TestAFileOfAnotherUserIsNamed(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	p := newPlace(t, map[string]string{"a.md": "A", "sub/b.md": "B", "c.md": "C"})
	f, _ := p.open()
	p.must(os.Chmod(p.path("a.md"), 0))
	p.must(os.Chmod(p.path("sub"), 0))
	defer os.Chmod(p.path("sub"), 0o755)
	p.put("c.md", "C2")
	changes, report, err := f.Changed()
	if err != nil || spell(changes) != "c.md: C > C2" || len(report.Unread) != 2 {
		t.Errorf("changed: %s, unread %v, %v", spell(changes), report.Unread, err)
	}
}

func TestAFolderThatIsTooLargeIsRefused(t *testing.T) {
	texts := map[string]string{}
	for i := range 11 {
		texts[fmt.Sprintf("%d.md", i)] = "0123456789"
	}
	p := newPlace(t, texts)
	for _, tt := range []struct {
		limits Limits
		says   string
	}{
		{Limits{Files: 10}, "too large to be one document: it holds more than 10 files of **/*.md, .deck/deck.toml"},
		{Limits{Entries: 10}, "too large to be one document: it holds more than 10 files and folders"},
		{Limits{Sum: 109}, "too large to be one document: its files of **/*.md, .deck/deck.toml have more than 109 bytes"},
	} {
		if _, _, err := Open(p.root(), deck, userKey, tt.limits); !errors.Is(err, ErrLimit) || err.Error() != tt.says {
			t.Errorf("%+v: %v", tt.limits, err)
		}
	}
	f, _, err := Open(p.root(), deck, userKey, Limits{Files: 11, Entries: 12, Sum: 110})
	p.must(err)
	defer f.Close()
	p.put("11.md", "")
	if _, _, err := f.Changed(); !errors.Is(err, ErrLimit) {
		t.Errorf("grown: %v", err)
	}
	p.must(os.Remove(p.path("11.md")))
	for _, c := range []Change{change("new.md", "-", ""), change("0.md", "0123456789", "0123456789+")} {
		if _, err := f.Save([]Change{c}); !errors.Is(err, ErrLimit) {
			t.Errorf("saved over its limits: %v", err)
		}
	}
	if _, err := f.Save([]Change{change("0.md", "0123456789", "-"), change("new.md", "-", "0123456789")}); err != nil {
		t.Errorf("within them: %v", err)
	}
}

func TestUnracedAHundredThousandFilesAreRefused(t *testing.T) {
	testwasm.Unraced(t)
	if testing.Short() {
		t.Skip("makes 100,000 files")
	}
	inMemory(t)
	p := newPlace(t, nil)
	for i := range 100_000 {
		first, name := fmt.Sprintf("%d/0.md", i/1000), fmt.Sprintf("%d/%d.md", i/1000, i%1000)
		if i%1000 == 0 {
			p.put(first, "x")
		} else {
			p.must(os.Link(p.path(first), p.path(name)))
		}
	}
	_, _, err := Open(p.root(), deck, userKey, Limits{})
	if err == nil || err.Error() != "too large to be one document: it holds more than 20000 files of **/*.md, .deck/deck.toml" {
		t.Errorf("got %v", err)
	}
}

func TestTheDepthOfFoldersIsLimited(t *testing.T) {
	p := newPlace(t, map[string]string{strings.Repeat("d/", maxDepth) + "a.md": "A", strings.Repeat("d/", maxDepth+1) + "b.md": "B"})
	_, s := p.open()
	if len(s.Files) != 1 || len(s.Unread) != 1 || s.Unread[0].Why != "it is nested in more than 64 folders" {
		t.Errorf("read %d files, unread %v", len(s.Files), s.Unread)
	}
}

func TestAFolderWithoutItsMarkerIsRefused(t *testing.T) {
	p := newPlace(t, map[string]string{"a.md": "A"})
	p.must(os.Remove(p.path(".deck")))
	if _, _, err := Open(p.root(), deck, userKey, Limits{}); !errors.Is(err, ErrNoMarker) || err.Error() != "not a folder of this kind: it holds no folder .deck" {
		t.Errorf("got %v", err)
	}
	for range 2 {
		f, s, err := Create(p.root(), deck, userKey, Limits{})
		p.must(err)
		f.Close()
		if len(s.Files) != 1 {
			t.Errorf("it holds %v", s.Files)
		}
	}
	p.must(os.Remove(p.path(".deck")))
	p.must(os.Symlink(t.TempDir(), p.path(".deck")))
	if _, _, err := Open(p.root(), deck, userKey, Limits{}); err == nil || err.Error() != ".deck: it is a symbolic link" {
		t.Errorf("a link as marker: %v", err)
	}
	f, s, err := Open(p.root(), Pattern{Include: []string{"*.md"}}, userKey, Limits{})
	p.must(err)
	defer f.Close()
	if _, err := f.Save([]Change{change("a.md", "A", "B")}); err != nil || len(s.Files) != 1 {
		t.Errorf("without a marker: %v, %v", s.Files, err)
	}
}

func TestAMalformedPatternIsRefused(t *testing.T) {
	p := newPlace(t, nil)
	for _, pattern := range []Pattern{
		{}, {Include: []string{"["}}, {Include: []string{"../*"}}, {Include: []string{"/a"}}, {Include: []string{"a//b"}}, {Include: []string{""}},
		{Include: []string{"*"}, Exclude: []string{"[-"}}, {Include: []string{"*"}, Marker: "a/b"}, {Include: []string{"*"}, Marker: ".."}, {Include: []string{"*"}, Marker: ".fcp-x"},
	} {
		if _, _, err := Open(p.root(), pattern, userKey, Limits{}); err == nil {
			t.Errorf("%+v was taken", pattern)
		}
	}
}

func TestWhatOthersChangedIsSeenOnce(t *testing.T) {
	p := newPlace(t, map[string]string{"a.md": "A", "b.md": "B", "c.md": "C", "d/e.md": "E", "same.md": "S"})
	f, _ := p.open()
	if got := p.changed(f); got != "" {
		t.Errorf("at first: %s", got)
	}
	p.put("a.md", "A2")
	p.swap("b.md", "B2")
	p.must(os.Remove(p.path("c.md")))
	p.must(os.RemoveAll(p.path("d")))
	p.put("new/f.md", "")
	p.swap("same.md", "S")
	if got := p.changed(f); got != "a.md: A > A2; b.md: B > B2; c.md: C > -; d/e.md: E > -; new/f.md: - > " {
		t.Errorf("changed: %s", got)
	}
	if got := p.changed(f); got != "" {
		t.Errorf("again: %s", got)
	}
	// The next save starts from the content that was seen.
	if _, err := f.Save([]Change{change("a.md", "A2", "A3"), change("c.md", "-", "C3")}); err != nil {
		t.Error(err)
	}
	if got := p.changed(f); got != "" {
		t.Errorf("its own save: %s", got)
	}
}

func TestAFileThatBecomesSomethingElseIsGone(t *testing.T) {
	p := newPlace(t, map[string]string{"a.md": "A", "b.md": "B"})
	f, _ := p.open()
	p.must(os.Remove(p.path("a.md")))
	p.put("a.md/inside.md", "I")
	p.must(os.Rename(p.path("b.md"), p.path("b.txt")))
	p.must(os.Symlink("b.txt", p.path("b.md")))
	changes, report, err := f.Changed()
	if err != nil || spell(changes) != "a.md: A > -; a.md/inside.md: - > I; b.md: B > -" || len(report.Unread) != 1 {
		t.Errorf("changed: %s, unread %v, %v", spell(changes), report.Unread, err)
	}
}

// A change that keeps the file's size and modification time is still seen.
func TestAChangeThatKeepsTheTimeIsSeen(t *testing.T) {
	for _, later := range []time.Duration{0, time.Hour} {
		p := newPlace(t, map[string]string{"a.md": "AAAA", "b.md": "BBBB"})
		f, _ := p.open()
		f.now = func() time.Time { return time.Now().Add(later) } // stamps are trusted, or not yet
		if got := p.changed(f); got != "" {
			t.Fatalf("at first: %s", got)
		}
		if trusted := f.known["a.md"].stamp != (stamp{}); trusted != (later > 0) {
			t.Fatalf("%v later the stamp is trusted: %v", later, trusted)
		}
		for n := range 100 {
			old, text := f.known["a.md"], fmt.Sprintf("%04d", n)
			info, err := os.Stat(p.path("a.md"))
			p.must(err)
			p.put("a.md", text)
			p.must(os.Chtimes(p.path("a.md"), info.ModTime(), info.ModTime()))
			if got := p.changed(f); got != fmt.Sprintf("a.md: %s > %s", old.data, text) {
				t.Fatalf("%v later, change %d: %q", later, n, got)
			}
		}
	}
}

func TestAFolderThatIsGoneIsReported(t *testing.T) {
	for name, away := range map[string]func(p *place){
		"removed":  func(p *place) { p.must(os.RemoveAll(p.dir)) },
		"moved":    func(p *place) { p.must(os.Rename(p.dir, p.dir+"2")) },
		"replaced": func(p *place) { p.must(os.Rename(p.dir, p.dir+"2")); p.mkdir(".deck"); p.put("a.md", "A") },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, map[string]string{"a.md": "A"})
			f, _ := p.open()
			away(p)
			if _, _, err := f.Changed(); !errors.Is(err, ErrGone) {
				t.Errorf("Changed: %v", err)
			}
			if _, err := f.Save([]Change{change("a.md", "A", "B")}); !errors.Is(err, ErrGone) {
				t.Errorf("Save: %v", err)
			}
		})
	}
}

func TestALookLeavesNoTrace(t *testing.T) {
	p := newPlace(t, map[string]string{"a.md": "A", ".deck/k.md": "K"})
	stamps := func() (out []stamp) {
		for _, name := range []string{".", ".deck", "a.md"} {
			info, err := os.Stat(p.path(name))
			p.must(err)
			out = append(out, stampOf(info))
		}
		return out
	}
	before := stamps()
	f, _ := p.open()
	p.changed(f)
	if got := stamps(); !slices.Equal(got, before) {
		t.Errorf("was %v, is %v", before, got)
	}
}

func TestAFolderIsLockedByOneAtATime(t *testing.T) {
	p := newPlace(t, map[string]string{"a.md": "A"})
	f, _ := p.open()
	state, err := f.state()
	p.must(err)
	defer state.Close()
	release, err := tryLock(state)
	p.must(err)
	if _, err := tryLock(state); !errors.Is(err, files.ErrBusy) {
		t.Errorf("locked twice: %v", err)
	}
	release()
	if release, err = lock(state); err != nil {
		t.Fatal(err)
	}
	release()
}

// It mounts a folder read-only.
func TestAFolderThatCannotBeWrittenToIsRead(t *testing.T) {
	p := newPlace(t, map[string]string{"a.md": "A"})
	mount(t, p.dir, "-o", "bind", p.dir)
	mount(t, p.dir, "-o", "remount,bind,ro")
	f, s := p.open()
	if len(s.Files) != 1 || p.changed(f) != "" {
		t.Errorf("read %v", s.Files)
	}
	if _, err := f.Save([]Change{change("a.md", "A", "B")}); err == nil || err.Error() != "a.md cannot be saved: read-only file system; the folder is as it was" {
		t.Errorf("saved: %v", err)
	}
}
