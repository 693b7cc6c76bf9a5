package drawing

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/fcp-host/fcp-host/internal/soak"
	"github.com/fcp-host/fcp-host/internal/testwasm"
	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// suite returns the folder of resvg's test files.
func suite(t testing.TB) string {
	t.Helper()
	root, err := testwasm.Root()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root, "..", "shared")
	if v := os.Getenv("FCP_SHARED"); v != "" {
		dir = v
	}
	return filepath.Join(dir, "data", "svg")
}

// corpus returns resvg's test files by path, each about one feature, or skips the test.
func corpus(t testing.TB) map[string][]byte {
	t.Helper()
	dir := suite(t)
	files, _ := filepath.Glob(filepath.Join(dir, "*", "*", "*.svg"))
	if len(files) == 0 {
		t.Skipf("no SVG files in %s; set FCP_SHARED", dir)
	}
	out := map[string][]byte{}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		name, _ := filepath.Rel(dir, f)
		out[name] = data
	}
	return out
}

func TestEveryFileIsSavedAsItWasOpened(t *testing.T) {
	for name, data := range corpus(t) {
		doc := pdktest.Open(t, Domain(), filepath.Base(name), data)
		if got := doc.Save(); string(got) != string(data) {
			t.Errorf("%s: changed by opening and saving", name)
		}
	}
}

// Edit, undo, redo, replay and save every eighth file; make soak does all files.
func TestEveryFileKeepsTheLaws(t *testing.T) {
	ops := []string{"add rect fill:red size:10x10", "style @all fill:red", "move @all by:3,4", "rotate @all 30", "class fresh @all stroke:blue", "group @all as:everything", "copy everything by:5,5",
		"canvas size:100x100", `title "New"`, "ungroup everything", "optimize", "undo", "remove @type:rect", "remove @all"}
	files := corpus(t)
	for _, name := range soak.Some(t, slices.Sorted(maps.Keys(files)), 8) {
		t.Run(name, func(t *testing.T) {
			pdktest.Open(t, Domain(), filepath.Base(name), files[name]).Laws(ops...)
		})
	}
}
