package testwasm

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// clangLine matches the comment line of a C file that says how to compile it.
var clangLine = regexp.MustCompile(`(?m)^//\s+(clang .* -o (\S+\.wasm) .*)$`)

// ClangLine returns the words of the command in the first lines of the C plugin in this folder below testdata, and the
// file it makes.
func ClangLine(t testing.TB, name string) (words []string, file string) {
	t.Helper()
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(root, "internal", "testwasm", "testdata", name, name+".c"))
	if err != nil {
		t.Fatal(err)
	}
	m := clangLine.FindSubmatch(source)
	if m == nil {
		t.Fatalf("%s.c does not say how it is compiled", name)
	}
	return strings.Fields(string(m[1])), string(m[2])
}

// C compiles the C plugin in this folder below testdata with the command in its first lines, and returns the module,
// which exists until the test ends. judge.C skips a test without clang.
func C(t testing.TB, name string) string {
	t.Helper()
	words, file := ClangLine(t, name)
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(root, "internal", "testwasm", "testdata", name))); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(words[0], append([]string{"-Wall", "-Wextra", "-Werror"}, words[1:]...)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(words, " "), err, out)
	}
	return filepath.Join(dir, file)
}
