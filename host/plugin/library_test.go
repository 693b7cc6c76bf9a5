package plugin

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAModuleIsFoundByNameInTheWorkingDirectoryLast(t *testing.T) {
	base := t.TempDir()
	t.Chdir(base)
	for _, file := range []string{"first/a.wasm", "first/dir.wasm/x", "second/a.wasm", "second/b.wasm", "a.wasm", "b.wasm", "c.wasm", "d", "dir.wasm", "own.wasm"} {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	first, second := filepath.Join(base, "first"), filepath.Join(base, "second")
	l := Library{Builtin: []Builtin{{Name: "own"}}, Dirs: []string{first, filepath.Join(base, "missing"), second}}
	for name, want := range map[string]string{
		"own": "builtin:own", "own.wasm": "builtin:own", "builtin:own": "builtin:own",
		"./own.wasm": "./own.wasm", "sub/own": "sub/own", "/own": "/own", ".": ".", "..": "..",
		"a": filepath.Join(first, "a.wasm"), "a.wasm": filepath.Join(first, "a.wasm"),
		"b": filepath.Join(second, "b.wasm"), "dir": "dir.wasm",
		"c": "c.wasm", "c.wasm": "c.wasm", "d": "d", "first": "first",
		"e": "", "e.wasm": "", "builtin:a": "", "builtin:": "",
	} {
		got, err := l.Find(name)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q is %q (%v), want %q", name, got, err, want)
		}
	}
	if _, err := l.Find("e"); err == nil || !strings.Contains(err.Error(), "there are builtin:own, "+filepath.Join(first, "a.wasm")+", ") {
		t.Error(err)
	}
	if _, err := (Library{}).Find("e"); err == nil || err.Error() != "no such file or plugin" {
		t.Error(err)
	}
}

func TestAFileThatABareNameDoesNotMeanIsLogged(t *testing.T) {
	all, _ := pack(t, thing("one"))
	f := newFolder(t)
	t.Chdir(f.dir)
	o := f.options()
	o.Dirs, o.Files, o.Library.Builtin = nil, []string{"one"}, all
	f.load(o)
	if f.log.Len() > 0 {
		t.Error(f.log.String())
	}
	f.put("one.wasm", thing("other"))
	if set := f.load(o); names(set) != "one" || !strings.Contains(f.log.String(), "write ./ before its name") {
		t.Errorf("served %s, the log says %s", names(set), f.log.String())
	}
	o.Files = []string{"./one.wasm"}
	f.log.Reset()
	if set := f.load(o); names(set) != "other" || f.log.Len() > 0 {
		t.Errorf("served %s, the log says %s", names(set), f.log.String())
	}
}

func TestAnAddedPluginIsServedAsTheModuleThatWasAdded(t *testing.T) {
	all, _ := pack(t, thing("own"))
	f := newFolder(t)
	t.Chdir(f.dir)
	wasm := thing("one")
	added := Pinned{Name: "one", Path: AddedPath("one"), File: f.put("one-0123.wasm", wasm), Sum: fmt.Sprintf("%x", sha256.Sum256(wasm)), Mend: "run that"}
	o := f.options()
	o.Dirs, o.OnlyPinned = nil, true
	o.Library = Library{Builtin: all, Added: func() []Pinned { return []Pinned{added} }}
	if set := f.load(o); names(set) != "own one" || len(set.Problems()) > 0 {
		t.Errorf("served %s, problems %v", names(set), set.Problems())
	}
	f.put("one.wasm", thing("other")) // an added one comes before the working directory
	byName := o
	byName.Files = []string{"one"}
	if set := f.load(byName); names(set) != "one" {
		t.Errorf("served %s, problems %v", names(set), set.Problems())
	}
	for name, spoil := range map[string]func(){
		"its file was changed after it was added; run that":             func() { f.put("one-0123.wasm", thing("two")) },
		"its file cannot be read (no such file or directory); run that": func() { os.Remove(added.File) },
		"it is not signed": func() {
			added.Check = func(module []byte) error {
				if !bytes.Equal(module, wasm) {
					t.Error("another module is checked")
				}
				return errors.New("it is not signed")
			}
		},
		"its signer is not trusted any longer": func() { added.Err = errors.New("its signer is not trusted any longer") },
	} {
		was := added
		spoil()
		byPath := o
		byPath.Files = []string{"added:one"}
		for _, o := range []Options{o, byName, byPath} {
			if set := f.load(o); strings.Contains(names(set), "one") || len(set.Problems()) != 1 || !strings.HasSuffix(set.Problems()[0].Error(), name) {
				t.Errorf("%s: served %s, problems %v", name, names(set), set.Problems())
			}
		}
		added = was
		f.put("one-0123.wasm", wasm)
	}
}
