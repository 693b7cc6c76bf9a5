package mxfile

import (
	"os"
	"path/filepath"
	"testing"
)

// samples lists the real files beside the repository, or skips.
func samples(t testing.TB) []string {
	t.Helper()
	dir := os.Getenv("FCP_SHARED")
	if dir == "" {
		at, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		for {
			if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
				dir = filepath.Join(at, "..", "shared")
				break
			}
			if at == filepath.Dir(at) {
				t.Fatal("no go.mod above the test")
			}
			at = filepath.Dir(at)
		}
	}
	files, _ := filepath.Glob(filepath.Join(dir, "data", "drawio", "*.xml"))
	if len(files) == 0 {
		t.Skipf("no sample files in %s; set FCP_SHARED", dir)
	}
	return files
}

func TestRealFilesAreSavedAsTheyCame(t *testing.T) {
	n := 0
	for _, path := range samples(t) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := Open(data)
		if filepath.Base(path) == "index.xml" {
			if err == nil {
				t.Error("index.xml is not a diagram, but opened")
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		n++
		out, err := f.Bytes()
		if err != nil || string(out) != string(data) {
			t.Errorf("%s: changed by opening and saving (%v)", path, err)
		}
		// The same with every page put together from its cells.
		for _, p := range f.Pages {
			p.intact = false
		}
		if out, err = f.Bytes(); err != nil || string(out) != string(data) {
			t.Errorf("%s: changed by joining its cells (%v)", path, err)
		}
	}
	t.Logf("%d files", n)
}
