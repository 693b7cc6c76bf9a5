package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// The build is a copy here, so that a save of the source is a new module.
func TestDevBuildsAtEachSaveAndEndsWhenItIsTold(t *testing.T) {
	cache := t.TempDir()
	if err := os.Symlink(testwasm.CacheDir(t), filepath.Join(cache, "fcp-host")); err != nil {
		t.Skip(err)
	}
	good, err := os.ReadFile(testwasm.Build(t, "examples/notes"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	source := filepath.Join(dir, "source")
	write := func(content []byte) {
		t.Helper()
		if err := os.WriteFile(source, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(good)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "dev", dir, "--build", "cp source notes.wasm")
	cmd.Env = append(os.Environ(), asBinary+"=1", "XDG_CACHE_HOME="+cache)
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stdout)
	until := func(text string) {
		t.Helper()
		for lines.Scan() {
			if strings.Contains(lines.Text(), text) {
				return
			}
		}
		t.Fatalf("it ended without %q", text)
	}
	until("watching " + dir)
	until("built notes.wasm, ")
	until("it keeps its promises (")

	write([]byte("\x00asm\x01\x00\x00\x00")) // a module without anything
	until("it breaks promises")
	until("FAIL  manifest")

	if err := os.Remove(source); err != nil {
		t.Fatal(err)
	}
	until("it does not build (cp source notes.wasm: exit status 1)")
	until("cp: ")

	if err := os.Mkdir(filepath.Join(dir, "deep"), 0o755); err != nil {
		t.Fatal(err)
	}
	until("it does not build")
	write(good)
	until("it keeps its promises (")

	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}
