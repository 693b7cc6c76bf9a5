package folder

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var deck = Pattern{Include: []string{"**/*.md", ".deck/deck.toml"}, Exclude: []string{"**/node_modules"}, Marker: ".deck"}

// userKey is the key of the user whose hosts the tests run.
var userKey = []byte("the key of the user of the tests")

// userRecord is the path of the record of a save.
func userRecord() string { return deck.Marker + "/" + (&Folder{key: userKey}).recordName() }

// place is a workspace with files.
type place struct {
	t   testing.TB
	dir string
}

// newPlace makes a place with a marker and files, by name.
func newPlace(t testing.TB, texts map[string]string) *place {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &place{t, filepath.Join(dir, "work")}
	p.mkdir(".deck")
	for name, text := range texts {
		p.put(name, text)
	}
	return p
}

// inMemory puts the folders of a test in memory if the system can, so that the test does not wait for a disk.
func inMemory(t *testing.T) {
	const memory = "/dev/shm"
	if dir, err := os.MkdirTemp(memory, ""); err == nil {
		os.Remove(dir)
		t.Setenv("TMPDIR", memory)
	}
}

func (p *place) path(name string) string { return filepath.Join(p.dir, filepath.FromSlash(name)) }

func (p *place) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) mkdir(name string) {
	p.t.Helper()
	p.must(os.MkdirAll(p.path(name), 0o755))
}

// put writes a file in place, as some editors do.
func (p *place) put(name, text string) {
	p.t.Helper()
	p.must(os.MkdirAll(filepath.Dir(p.path(name)), 0o755))
	p.must(os.WriteFile(p.path(name), []byte(text), 0o644))
}

// swap renames a new file over the old one, as other editors do.
func (p *place) swap(name, text string) {
	p.t.Helper()
	p.must(os.MkdirAll(filepath.Dir(p.path(name)), 0o755))
	tmp := p.path(name) + "~"
	p.must(os.WriteFile(tmp, []byte(text), 0o644))
	p.must(os.Rename(tmp, p.path(name)))
}

func (p *place) text(name string) string {
	p.t.Helper()
	data, err := os.ReadFile(p.path(name))
	p.must(err)
	return string(data)
}

func (p *place) root() *os.Root {
	p.t.Helper()
	root, err := os.OpenRoot(p.dir)
	p.must(err)
	return root
}

func (p *place) open() (*Folder, Snapshot) {
	p.t.Helper()
	f, s, err := Open(p.root(), deck, userKey, Limits{})
	p.must(err)
	p.t.Cleanup(func() { f.Close() })
	return f, s
}

// all returns all files, including hidden ones and the host's own.
func (p *place) all() map[string]string {
	p.t.Helper()
	out := map[string]string{}
	p.must(filepath.WalkDir(p.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(p.dir, path)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		out[filepath.ToSlash(name)] = string(data)
		return err
	}))
	return out
}

// is compares the files of the place with want.
func (p *place) is(want map[string]string) {
	p.t.Helper()
	if got := p.all(); !maps.Equal(got, want) {
		p.t.Errorf("the folder holds\n%s\nwant\n%s", show(got), show(want))
	}
}

func show(texts map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		text := texts[name]
		if len(text) > 40 {
			text = text[:40] + "…"
		}
		fmt.Fprintf(&b, "  %s = %q\n", name, text)
	}
	return b.String()
}

func contents(s Snapshot) map[string]string {
	out := map[string]string{}
	for _, file := range s.Files {
		out[file.Name] = string(file.Data)
	}
	return out
}

// change makes a Change from texts; "-" stands for no file.
func change(path, before, after string) Change {
	data := func(text string) []byte {
		if text == "-" {
			return nil
		}
		return []byte(text)
	}
	return Change{path, data(before), data(after)}
}

func spell(changes []Change) string {
	var out []string
	for _, c := range changes {
		text := func(data []byte) string {
			if data == nil {
				return "-"
			}
			return string(data)
		}
		out = append(out, fmt.Sprintf("%s: %s > %s", c.Path, text(c.Before), text(c.After)))
	}
	return strings.Join(out, "; ")
}

func (p *place) changed(f *Folder) string {
	p.t.Helper()
	changes, _, err := f.Changed()
	p.must(err)
	return spell(changes)
}
