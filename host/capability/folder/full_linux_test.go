package folder

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// small returns a place on a file system of its own with so many pages and files, or skips the test.
func small(t *testing.T, pages, files int) *place {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d,nr_inodes=%d", pages*os.Getpagesize(), files)); err != nil {
		t.Skipf("no file system can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return &place{t, filepath.Join(dir, "work")}
}

// A disk that becomes full at any moment of a save leaves the folder as it was, or the save recorded and so done.
func TestAFullDiskDuringASaveLosesNothing(t *testing.T) {
	failed, saved := 0, 0
	for _, scarce := range []string{"space", "files"} {
		for free, most := 0, 20; free < most; free++ {
			const pages, inodes = 200, 200
			p := small(t, pages, inodes)
			p.mkdir(".deck")
			for name, text := range before {
				p.put(name, text)
			}
			// Take all but what is free.
			filler := filepath.Join(filepath.Dir(p.dir), "filler")
			p.must(os.Mkdir(filler, 0o755))
			var s unix.Statfs_t
			p.must(unix.Statfs(p.dir, &s))
			if scarce == "space" {
				p.must(os.WriteFile(filepath.Join(filler, "f"), make([]byte, max(0, int(s.Bavail)-free)*os.Getpagesize()), 0o644))
			} else {
				for n := range int(s.Ffree) - free {
					p.must(os.WriteFile(filepath.Join(filler, fmt.Sprint(n)), nil, 0o644))
				}
			}
			what := fmt.Sprintf("with %s for %d", scarce, free)
			f, _ := p.open()
			_, err := f.Save(save)
			f.Close()
			if err == nil {
				p.is(after)
				saved++
			} else {
				failed++
			}
			p.must(os.RemoveAll(filler))
			switch got := p.reopenAfterDeath(what); {
			case err == nil && !got:
				t.Errorf("%s: a save that was reported is lost", what)
			case err != nil && got != errors.Is(err, ErrUnfinished):
				t.Errorf("%s: saved is %v after %v", what, got, err)
			}
		}
	}
	if failed < 6 || saved < 10 {
		t.Errorf("%d saves failed and %d did not", failed, saved)
	}
}
