package plugin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fsnotify/fsnotify"
)

func TestLinksAndFoldersThatComeLaterAreFollowed(t *testing.T) {
	base := t.TempDir()
	dir := func(name string, files map[string][]byte) string {
		path := filepath.Join(base, name)
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
		for file, data := range files {
			if err := os.WriteFile(filepath.Join(path, file), data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return path
	}
	link := func(target, at string) {
		t.Helper()
		tmp := filepath.Join(base, "link.tmp")
		if err := os.Symlink(target, tmp); err != nil {
			t.Skip(err)
		}
		if err := os.Rename(tmp, filepath.Join(base, at)); err != nil {
			t.Fatal(err)
		}
	}
	start := func(path string) *Set {
		f := &folder{t: t, dir: filepath.Join(base, path), cache: filepath.Join(base, "cache")}
		return f.live(nil)
	}
	t.Run("a folder of links, as Kubernetes mounts it", func(t *testing.T) {
		dir("mount/..1", map[string][]byte{"a.wasm": version("one", "1")})
		dir("mount/..2", map[string][]byte{"a.wasm": version("one", "2"), "b.wasm": version("two", "2")})
		link("..1", "mount/..data")
		link("..data/a.wasm", "mount/a.wasm")
		s := start("mount")
		serves(t, s, "one 1")
		link("..2", "mount/..data")
		serves(t, s, "one 2")
		link("..data/b.wasm", "mount/b.wasm")
		serves(t, s, "one 2, two 2")
	})
	t.Run("a link to a folder", func(t *testing.T) {
		dir("v1", map[string][]byte{"a.wasm": version("one", "1")})
		dir("v2", map[string][]byte{"a.wasm": version("one", "2")})
		link("v1", "current")
		s := start("current")
		serves(t, s, "one 1")
		link("v2", "current")
		serves(t, s, "one 2")
		dir("v2", map[string][]byte{"c.wasm": version("two", "1")})
		serves(t, s, "one 2, two 1")
	})
	t.Run("a link to a file", func(t *testing.T) {
		dir("out", map[string][]byte{"built.wasm": version("one", "1")})
		dir("in", nil)
		link("../out/built.wasm", "in/a.wasm")
		s := start("in")
		serves(t, s, "one 1")
		dir("out", map[string][]byte{"built.wasm": version("one", "2")})
		serves(t, s, "one 2")
	})
	t.Run("a folder that is not there", func(t *testing.T) {
		s := start("deep/er/plugins")
		if got := says(s.state.Load()); !strings.Contains(got, "the plugin folder cannot be read: no such file or directory") {
			t.Errorf("problems %q", got)
		}
		dir("deep/er/plugins", map[string][]byte{"a.wasm": version("one", "1")})
		if now := serves(t, s, "one 1"); len(now.problems) > 0 {
			t.Errorf("problems %v", now.problems)
		}
		if err := os.RemoveAll(filepath.Join(base, "deep")); err != nil {
			t.Fatal(err)
		}
		serves(t, s, "")
		dir("deep/er/plugins", map[string][]byte{"a.wasm": version("one", "2")})
		serves(t, s, "one 2")
	})
}

// A folder that is removed before it is watched sends no event, so the set must look again by itself.
func TestAFolderThatGoesBeforeItIsWatchedIsLookedForAgain(t *testing.T) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	at, want := spots{}, spots{}
	want.at(filepath.Join(t.TempDir(), "gone")).all = true
	if again, err := at.update(want, w); !again || err != nil || len(at) > 0 {
		t.Errorf("look again %v, error %v, watched %v", again, err, at)
	}
}
