package pdktest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

func TestMistakesWithFilesAndLongDocumentsAreFound(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.bag": "tea milk", "b.bag": "one two three"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files := func(x bugs, pattern string) func(testing.TB) {
		return func(t testing.TB) { pdktest.Files(t, domain(x), filepath.Join(dir, pattern)) }
	}
	scale := func(x bugs) func(testing.TB) {
		return func(t testing.TB) {
			pdktest.Scale(t, domain(x), 100, func(n int) string { return fmt.Sprint("add w", n) }, "remove w7")
		}
	}
	for _, c := range []struct {
		name string
		run  func(testing.TB)
		want string
	}{
		{"files", files(bugs{}, "*.bag"), ""},
		{"files that saving changes", files(bugs{saveUnstable: true}, "a.bag"), "changes its bytes"},
		{"damaged files that saving changes without a warning", files(bugs{openSilent: true}, "a.bag"), "a.bag with two more newlines at its end opens without a warning, and saving changes its bytes"},
		{"undo that forgets", files(bugs{undoForgets: true}, "a.bag"), `undo of "remove tea"`},
		{"a failure that leaks", files(bugs{saveChanges: true}, "*.bag"), "bytes"},
		{"no files", files(bugs{}, "*.none"), "no files"},
		{"a long document", scale(bugs{}), ""},
		{"undo that forgets in a long document", scale(bugs{undoForgets: true}), `undo of "remove w7"`},
	} {
		if got := record(t, c.run); c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
