package command

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/judge"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// The build command only copies a file, so that saving the source produces a new module.
func TestDevBuildsAtEachSaveUntilItIsInterrupted(t *testing.T) {
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

	write([]byte("\x00asm\x01\x00\x00\x00")) // an empty module
	until("it breaks promises")
	until("FAIL  manifest: ")

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

// An open document continues on the next build, or on the previous one if the next does not compile.
func TestJudgeADocumentThatIsOpenMovesToTheNextBuildOfDev(t *testing.T) {
	variables := judge.Toolchain(t, "c")
	dir := t.TempDir()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "new", "basket", "--lang", "c")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), asBinary+"=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("new: %v\n%s", err, out)
	}
	cmd = exec.Command(exe, "dev", "basket", "--serve", "--", "--config", "off", "--no-journal", "--limit", "list-wait=1m")
	cmd.Dir, cmd.Env = dir, append(append(os.Environ(), asBinary+"=1", "XDG_CACHE_HOME="+t.TempDir()), variables...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	c := connect(t, cmd)
	lines := bufio.NewScanner(stderr)
	until := func(text string) {
		t.Helper()
		for lines.Scan() {
			if strings.Contains(lines.Text(), text) {
				return
			}
		}
		t.Fatalf("it ended without %q", text)
	}
	source := filepath.Join(dir, "basket", "basket.c")
	change := func(from, to string) {
		t.Helper()
		text, err := os.ReadFile(source)
		if err != nil || strings.Count(string(text), from) != 1 {
			t.Fatalf("%s does not hold %q once: %v", source, from, err)
		}
		if err := os.WriteFile(source, []byte(strings.Replace(string(text), from, to, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	until("it keeps its promises")
	c.session("basket", `new "Live"`)
	if got := c.edit("basket", "add one"); !strings.Contains(got, "+ one") {
		t.Errorf("got %q", got)
	}
	change(`reply("created", format("%q", id))`, `reply("created", format("new: %q", id))`)
	until("it keeps its promises")
	c.session("basket", "reload") // waits for updates in progress
	if got := c.edit("basket", "add two"); !strings.Contains(got, "+ new: two") || !strings.Contains(got, "[2 tasks") {
		t.Errorf("got %q", got)
	}
	change("static Text create(Text title) {", "static Text create(Text title) {{")
	until("it does not build")
	if got := c.edit("basket", "add three"); !strings.Contains(got, "+ new: three") || !strings.Contains(got, "[3 tasks") {
		t.Errorf("got %q", got)
	}
	c.session("basket", "undo 3")
}
