package pdk

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/fcp-host/fcp-host/abi"
)

// The changes of a folder, applied to the files that it was opened with, give all of its files, also after a snapshot.
func TestChangesAppliedToTheOpenedFilesGiveAllFiles(t *testing.T) {
	names := rapid.SampledFrom([]string{"a", "b", "c/d", "e"})
	texts := rapid.SampledFrom([]string{"", "x", "y"})
	rapid.Check(t, func(rt *rapid.T) {
		base := rapid.MapOf(names, texts).Draw(rt, "base")
		var list []abi.File
		for name, text := range base {
			list = append(list, abi.File{Name: name, Data: []byte(text)})
		}
		f := NewFiles(list...)
		calls := 0
		f.Changed = func(string) { calls++ }
		steps := rapid.IntRange(0, 20).Draw(rt, "steps")
		for range steps {
			name := names.Draw(rt, "name")
			if rapid.Bool().Draw(rt, "put") {
				f.Put(name, []byte(texts.Draw(rt, "text")))
			} else {
				f.Remove(name)
			}
		}
		if calls != steps {
			rt.Fatalf("Changed was called for %d of %d changes", calls, steps)
		}
		data, err := f.snapshot()
		if err != nil {
			rt.Fatal(err)
		}
		again, err := restoreFiles(data)
		if err != nil {
			rt.Fatal(err)
		}
		if got, want := fmt.Sprintf("%+v", again.Changes()), fmt.Sprintf("%+v", f.Changes()); got != want {
			rt.Fatalf("after a snapshot the changes are %s, before %s", got, want)
		}
		for _, c := range f.Changes() {
			was, had := base[c.Name]
			if had != c.Removed && had && was == string(c.Data) || !had && c.Removed {
				rt.Fatalf("%s is listed as changed", c.Name)
			}
			if base[c.Name] = string(c.Data); c.Removed {
				delete(base, c.Name)
			}
		}
		for _, f := range []*Files{f, again} {
			if len(f.Names()) != len(base) {
				rt.Fatalf("changes give %q, the files are %q", base, f.Names())
			}
			for _, name := range f.Names() {
				if string(f.Get(name)) != base[name] {
					rt.Fatalf("%s is %q, the changes make it %q", name, f.Get(name), base[name])
				}
			}
		}
	})
}

func FuzzASnapshotOfAFolderIsReadOrRefused(f *testing.F) {
	data, err := NewFiles(abi.File{Name: "a", Data: []byte("b")}).snapshot()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data[len(folderSnapshot):])
	f.Fuzz(func(t *testing.T, data []byte) {
		files, err := restoreFiles(append([]byte(folderSnapshot), data...))
		if err == nil {
			files.Changes()
		}
	})
}
