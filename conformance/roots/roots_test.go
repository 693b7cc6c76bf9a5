package roots

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/fcp-host/fcp-host/host/files"
)

func TestAFolderKeepsThePromises(t *testing.T) {
	Test(t, func(t testing.TB) System {
		dir, err := os.MkdirTemp("/dev/shm", "fcp-roots") // where a sync costs nothing
		if err != nil {
			dir = t.TempDir()
		}
		t.Cleanup(func() { os.RemoveAll(dir) })
		return System{Other: folder(dir), Open: func(t testing.TB) *files.Roots {
			r, err := files.NewRoots(dir)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}}
	})
}

func TestATreeInMemoryKeepsThePromises(t *testing.T) {
	Test(t, func(t testing.TB) System {
		m := &Memory{}
		var cut atomic.Bool
		m.Fault = func(context.Context, string, string, bool) error {
			if cut.Load() {
				return errCut
			}
			return nil
		}
		return System{Open: m.Roots, Other: m, Cut: func(testing.TB) func() {
			cut.Store(true)
			return func() { cut.Store(false) }
		}}
	})
}

// folder accesses the files of a folder without a host; it implements Other.
type folder string

func (f folder) at(name string) string { return filepath.Join(string(f), filepath.FromSlash(name)) }

func (f folder) Put(t testing.TB, name string, data []byte) {
	os.MkdirAll(filepath.Dir(f.at(name)), 0o700)
	if err := os.WriteFile(f.at(name), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func (f folder) Get(t testing.TB, name string) ([]byte, bool) {
	data, err := os.ReadFile(f.at(name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return data, err == nil
}

func (f folder) Drop(t testing.TB, name string) {
	if err := os.Remove(f.at(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
}

func (f folder) Names(t testing.TB) (names []string) {
	err := filepath.WalkDir(string(f), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(string(f), path)
			names = append(names, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	return names
}
