package command

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Servers start in a folder of their own, so relative paths in the command must be resolved first.
func TestAServersCommandFindsItsFilesFromAnyFolder(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"server.py", "serve", "tool.sh"} {
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll("a.b/c", 0o755); err != nil {
		t.Fatal(err)
	}
	got := absolute([]string{"tool.sh", "serve", "server.py", "./server.py", "a.b/c", "a.b", "--x=server.py", "/etc", "other.py", "./other"})
	want := []string{"tool.sh", "serve", filepath.Join(dir, "server.py"), dir + "/./server.py", filepath.Join(dir, "a.b/c"), "a.b",
		"--x=server.py", "/etc", "other.py", "./other"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
