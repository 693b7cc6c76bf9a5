package files

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/iotest"
)

func TestAWriteReplacesTheFileAndKeepsItsMode(t *testing.T) {
	p := newPlace(t)
	for _, mode := range []os.FileMode{0o600, 0o644, 0o755, 0o666, 0o200} {
		path := p.put("f", "old content")
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Write(path, []byte("new"), Over{Any: true}); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != mode || p.text(path) != "new" {
			t.Errorf("mode %v became %v, content %q, %v", mode, info.Mode(), p.text(path), err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	if got := p.names(p.in); got != "sub" {
		t.Errorf("left behind: %s", got)
	}
}

func TestANewFileHasTheModeTheUserWants(t *testing.T) {
	p := newPlace(t)
	old := syscall.Umask(0o027)
	defer syscall.Umask(old)
	path := filepath.Join(p.in, "f")
	if _, err := p.Write(path, nil, Over{Any: true}); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 || info.Size() != 0 {
		t.Errorf("got %v, %v", info, err)
	}
}

func TestAWriteThroughALinkKeepsTheLink(t *testing.T) {
	p := newPlace(t)
	p.put("sub/f", "old")
	p.link("sub/f", "link")
	real, err := p.Resolve(filepath.Join(p.in, "link"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Write(real, []byte("new"), Over{Any: true}); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(filepath.Join(p.in, "link")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info, err)
	}
	if got := p.text(filepath.Join(p.in, "sub", "f")); got != "new" {
		t.Errorf("the file holds %q", got)
	}
}

func TestTheLongestNamesAFileSystemTakesCanBeWritten(t *testing.T) {
	p := newPlace(t)
	path := filepath.Join(p.in, strings.Repeat("日", 83)+".list")
	if _, err := p.Write(path, []byte("x"), Over{Any: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Write(path+"too long", []byte("x"), Over{Any: true}); err == nil || !strings.Contains(err.Error(), "file name too long") {
		t.Errorf("got %v", err)
	}
	if got := p.names(p.in); got != filepath.Base(path)+" sub" && got != "sub "+filepath.Base(path) {
		t.Errorf("left behind: %s", got)
	}
}

func TestAWriteProtectedFileIsNotReplaced(t *testing.T) {
	p := newPlace(t)
	path := p.put("f", "old")
	if err := os.Chmod(path, 0o444); err != nil {
		t.Fatal(err)
	}
	_, err := p.Write(path, []byte("new"), Over{Any: true})
	if err == nil || err.Error() != "f is write-protected; save it under another name, or make it writable" {
		t.Errorf("got %v", err)
	}
	if got := p.text(path); got != "old" || p.names(p.in) != "f sub" {
		t.Errorf("the file holds %q, the folder %s", got, p.names(p.in))
	}
}

func TestAFolderThatTakesNoFilesIsAnError(t *testing.T) {
	p := newPlace(t)
	path := p.put("sub/f", "old")
	if err := os.Chmod(filepath.Join(p.in, "sub"), 0o555); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(filepath.Join(p.in, "sub"), 0o755)
	_, err := p.Write(path, []byte("new"), Over{Any: true})
	if os.Geteuid() == 0 {
		t.Skip("root writes into every folder")
	}
	if err == nil || err.Error() != "sub/f cannot be written: permission denied" || p.text(path) != "old" {
		t.Errorf("got %v", err)
	}
}

// TestAFullDiskLeavesTheOldFile runs itself as a process that may write no
// file over 64 KiB, which fails like a full disk: in the middle of a write.
func TestAFullDiskLeavesTheOldFile(t *testing.T) {
	if path := os.Getenv("FILES_TEST_FULL"); path != "" {
		signal.Ignore(syscall.SIGXFSZ)
		lim := syscall.Rlimit{Cur: 64 << 10, Max: 64 << 10}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &lim); err != nil {
			fmt.Println("skip:", err)
			return
		}
		r, err := NewRoots(filepath.Dir(path))
		if err == nil {
			_, err = r.Write(path, make([]byte, 1<<20), Over{Any: true})
		}
		fmt.Println("error:", err)
		return
	}
	p := newPlace(t)
	path := p.put("f", "old")
	cmd := exec.Command(os.Args[0], "-test.run=^TestAFullDiskLeavesTheOldFile$")
	cmd.Env = append(os.Environ(), "FILES_TEST_FULL="+path)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if strings.Contains(string(out), "skip:") {
		t.Skipf("%s", out)
	}
	if !strings.Contains(string(out), "error: f cannot be written: file too large; the file on disk is as it was\n") {
		t.Errorf("the process said %s", out)
	}
	if p.text(path) != "old" || p.names(p.in) != "f sub" {
		t.Errorf("the file holds %d bytes, the folder %s", len(p.text(path)), p.names(p.in))
	}
}

func TestAFullFileSystemLeavesTheOldFile(t *testing.T) {
	p := newPlace(t)
	mount := filepath.Join(p.in, "sub")
	if err := exec.Command("mount", "-t", "tmpfs", "-o", "size=64k", "none", mount).Run(); err != nil {
		t.Skipf("no file system can be mounted here: %v", err)
	}
	defer exec.Command("umount", mount).Run()
	path := p.put("sub/f", "old")
	_, err := p.Write(path, make([]byte, 1<<20), Over{Any: true})
	if err == nil || err.Error() != "sub/f cannot be written: no space left on device; the file on disk is as it was" {
		t.Errorf("got %v", err)
	}
	if p.text(path) != "old" || p.names(mount) != "f" {
		t.Errorf("the file holds %d bytes, the folder %s", len(p.text(path)), p.names(mount))
	}
	if _, err := p.Write(path, []byte("small"), Over{Any: true}); err != nil || p.text(path) != "small" {
		t.Errorf("what fits: %v", err)
	}
}

func TestWriteReplacesOnlyAllowedContent(t *testing.T) {
	p := newPlace(t)
	path := filepath.Join(p.in, "f")
	mine, err := p.Write(path, []byte("mine"), Over{})
	if err != nil {
		t.Fatal(err)
	}
	theirs := stampOf([]byte("theirs"))
	for _, tt := range []struct {
		name string
		over Over
		want error
	}{
		{"no file is allowed", Over{}, ErrThere},
		{"other content is allowed", Over{Known: []Stamp{theirs, {}}}, ErrChanged},
		{"this is to be there", Over{Known: []Stamp{theirs, mine}}, nil},
		{"whatever is there", Over{Any: true}, nil},
	} {
		if err := p.Check(path, tt.over); !errors.Is(err, tt.want) {
			t.Errorf("%s: Check gives %v", tt.name, err)
		}
		if _, err := p.Write(path, []byte("other"), tt.over); !errors.Is(err, tt.want) {
			t.Errorf("%s: Write gives %v", tt.name, err)
		}
		if _, err := p.Write(path, []byte("mine"), Over{Any: true}); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Write(path, []byte("mine"), tt.over); err != nil {
			t.Errorf("%s: Write of the same gives %v", tt.name, err)
		}
	}
	if left := p.names(p.in); strings.Contains(left, ".fcp-") {
		t.Errorf("left %s", left)
	}
}

func TestOfManyConcurrentWritersOneSucceeds(t *testing.T) {
	p := newPlace(t)
	path := filepath.Join(p.in, "f")
	for round := range 100 {
		old, err := p.Write(path, fmt.Append(nil, "old ", round), Over{Any: true})
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		var wrote atomic.Int32
		for i := range 4 {
			wg.Go(func() {
				_, err := p.Write(path, fmt.Append(nil, "new ", round, i), Over{Known: []Stamp{old}})
				switch {
				case err == nil:
					wrote.Add(1)
				case !errors.Is(err, ErrChanged) && !errors.Is(err, ErrBusy), strings.Contains(err.Error(), "as it was"):
					t.Error(err) // one of them does replace it
				}
			})
		}
		wg.Wait()
		if n := wrote.Load(); n != 1 {
			t.Fatalf("round %d: %d wrote", round, n)
		}
	}
	if left := p.names(p.in); strings.Contains(left, ".fcp-") {
		t.Errorf("left %s", left)
	}
}

func TestABackupHoldsWhatWasReplaced(t *testing.T) {
	p := newPlace(t)
	r := p.Backup()
	path := filepath.Join(p.in, "f.txt")
	for _, text := range []string{"one", "two", "three"} {
		if _, err := r.Write(path, []byte(text), Over{Any: true}); err != nil {
			t.Fatal(err)
		}
	}
	if got, old := p.text(path), p.text(path+".bak"); got != "three" || old != "two" {
		t.Errorf("the file holds %q and its backup %q", got, old)
	}
	if left := p.names(p.in); left != "f.txt f.txt.bak sub" {
		t.Errorf("left %s", left)
	}
}

func TestABackupReplacesOnlyThePreviousOne(t *testing.T) {
	for _, tt := range []struct {
		name  string
		there func(p *place, bak string)
		want  string // of the folder, after two writes
	}{
		{"another's", func(p *place, bak string) { p.put(bak, "theirs") }, "f.txt f.txt.bak f.txt.bak.1 sub"},
		{"of the same size", func(p *place, bak string) { p.put(bak, "ONE") }, "f.txt f.txt.bak f.txt.bak.1 sub"},
		{"two", func(p *place, bak string) { p.put(bak, "theirs"); p.put(bak+".1", "theirs") }, "f.txt f.txt.bak f.txt.bak.1 f.txt.bak.2 sub"},
		{"a folder", func(p *place, bak string) { os.Mkdir(bak, 0o755) }, "f.txt f.txt.bak f.txt.bak.1 sub"},
		{"a link", func(p *place, bak string) { p.link("sub", "f.txt.bak") }, "f.txt f.txt.bak f.txt.bak.1 sub"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t)
			path := p.put("f.txt", "one")
			tt.there(p, path+".bak")
			before, _ := os.Lstat(path + ".bak")
			r := p.Backup()
			for _, text := range []string{"two", "three"} {
				if _, err := r.Write(path, []byte(text), Over{Any: true}); err != nil {
					t.Fatal(err)
				}
			}
			if got := p.names(p.in); got != tt.want {
				t.Errorf("the folder holds %s, want %s", got, tt.want)
			}
			if after, err := os.Lstat(path + ".bak"); err != nil || !os.SameFile(before, after) {
				t.Errorf("what was there is gone: %v", err)
			}
			names := strings.Fields(tt.want)
			if got := p.text(filepath.Join(p.in, names[len(names)-2])); got != "two" {
				t.Errorf("the backup holds %q", got)
			}
		})
	}
}

func TestABackupThatSomebodyChangedIsNotReplaced(t *testing.T) {
	p := newPlace(t)
	r := p.Backup()
	path := p.put("f.txt", "one")
	for _, text := range []string{"two", "three"} {
		if _, err := r.Write(path, []byte(text), Over{Any: true}); err != nil {
			t.Fatal(err)
		}
		p.put("f.txt.bak", "mine")
	}
	if got, new := p.text(path+".bak"), p.text(path+".bak.1"); got != "mine" || new != "two" {
		t.Errorf("the backups hold %q and %q", got, new)
	}
}

func TestAnErrorAboutABackupNamesIt(t *testing.T) {
	p := newPlace(t)
	path := p.put(strings.Repeat("f", 253), "old")
	_, err := p.Backup().Write(path, []byte("new"), Over{Any: true})
	if err == nil || !strings.Contains(err.Error(), "its backup "+filepath.Base(path)+".bak: file name too long") || p.text(path) != "old" {
		t.Errorf("got %v", err)
	}
	if got := p.names(p.in); got != filepath.Base(path)+" sub" {
		t.Errorf("left behind: %s", got)
	}
}

func TestTheNextWriteRemovesWhatADeadHostLeft(t *testing.T) {
	p := newPlace(t)
	path := p.put("f.txt", "one")
	for _, ending := range []string{".bak", ".tmp", ".lock"} {
		p.put(hidden(path)+ending, "half")
	}
	if _, err := p.Backup().Write(path, []byte("two"), Over{Any: true}); err != nil {
		t.Fatal(err)
	}
	if got := p.names(p.in); got != "f.txt f.txt.bak sub" || p.text(path+".bak") != "one" {
		t.Errorf("the folder holds %s, the backup %q", got, p.text(path+".bak"))
	}
}

func TestAFileOfAnySizeIsWrittenFromAStream(t *testing.T) {
	p := newPlace(t)
	real := filepath.Join(p.in, "film.mp4")
	large := io.LimitReader(zeros{}, MaxSize+1)
	stamp, err := p.WriteFrom(real, large, Over{})
	if err != nil || stamp.Size != MaxSize+1 {
		t.Fatal(stamp.Size, err)
	}
	// Written again it is nothing new; another of the same size is.
	if _, err := p.WriteFrom(real, io.LimitReader(zeros{}, MaxSize+1), Over{}); err != nil {
		t.Error(err)
	}
	other := io.MultiReader(strings.NewReader("x"), io.LimitReader(zeros{}, MaxSize))
	if _, err := p.WriteFrom(real, other, Over{}); !errors.Is(err, ErrThere) {
		t.Errorf("another: %v", err)
	}
	broken := io.MultiReader(strings.NewReader("new"), iotest.ErrReader(errors.New("the source broke")))
	if _, err := p.WriteFrom(real, broken, Over{Any: true}); err == nil || !strings.Contains(err.Error(), "the source broke; the file on disk is as it was") {
		t.Errorf("a source that breaks: %v", err)
	}
	f, err := p.Open(real)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() != MaxSize+1 || p.names(p.in) != "film.mp4 sub" {
		t.Errorf("%v %v in %s", info.Size(), err, p.names(p.in))
	}
	if _, err := p.Open(p.in + "/sub"); err == nil || !strings.Contains(err.Error(), "sub is a folder") {
		t.Errorf("a folder: %v", err)
	}
}

// zeros is an endless reader.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}
