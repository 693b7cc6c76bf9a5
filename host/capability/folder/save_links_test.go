package folder

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// At each step of a save, a link replaces a folder or file of the document. It
// leads to files that look like the document's own.
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

// While a folder is read and saved, it is exchanged with a link again and again.
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
