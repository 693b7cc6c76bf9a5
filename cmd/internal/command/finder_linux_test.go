package command

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// terminal runs a command of fcp-host in a pseudo-terminal.
type terminal struct {
	t    *testing.T
	own  *os.File // the test's end
	cmd  *exec.Cmd
	seen string
}

func inTerminal(t *testing.T, dir string, env []string, args ...string) *terminal {
	t.Helper()
	own, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	t.Cleanup(func() { own.Close() })
	if err := unix.IoctlSetPointerInt(int(own.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(own.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	defer theirs.Close()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, args...)
	cmd.Dir, cmd.Env = dir, append(append(os.Environ(), asBinary+"=1", "WAYLAND_DISPLAY=", "DISPLAY=", "VISUAL="), env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return &terminal{t: t, own: own, cmd: cmd}
}

// see waits until the command has printed a text, and drops the output up to it.
func (x *terminal) see(text string) {
	x.t.Helper()
	b := make([]byte, 4096)
	for {
		if _, after, ok := strings.Cut(x.seen, text); ok {
			x.seen = after
			return
		}
		n, err := x.own.Read(b)
		if x.seen += string(b[:n]); err != nil {
			x.t.Fatalf("%v; it showed %q, not %q", err, x.seen, text)
		}
	}
}

func (x *terminal) press(keys string) {
	x.t.Helper()
	if _, err := x.own.WriteString(keys); err != nil {
		x.t.Fatal(err)
	}
}

// waitForExit waits for the command to exit with code and returns the rest of its output.
func (x *terminal) waitForExit(code int) string {
	x.t.Helper()
	b := make([]byte, 4096)
	for {
		n, err := x.own.Read(b)
		if x.seen += string(b[:n]); err != nil {
			break // EIO: the other end is closed
		}
	}
	x.cmd.Wait()
	if got := x.cmd.ProcessState.ExitCode(); got != code {
		x.t.Errorf("it ended with %d, want %d: %q", got, code, x.seen)
	}
	return x.seen
}

// shelfAt creates a shelf and returns its folder and the environment in which its commands are available.
func shelfAt(t *testing.T) (dir string, env []string) {
	t.Helper()
	dir, home := t.TempDir(), t.TempDir()
	config := fmt.Sprintf("cache = %q\n[[plugin]]\nfile = %q\ngrant = [\"folder\"]\n", testwasm.CacheDir(t), testwasm.Shelf(t))
	for path, text := range map[string]string{
		filepath.Join(home, "fcp-host", "fcp-host.toml"): config,
		filepath.Join(dir, ".shelf", "x.md"):             "",
		filepath.Join(dir, "a.txt"):                      "# Apples\n",
		filepath.Join(dir, "b.txt"):                      "# Bread\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir, []string{"XDG_CONFIG_HOME=" + home, "XDG_STATE_HOME=" + home}
}

func TestWhatIsPickedInATerminalOpensInTheEditor(t *testing.T) {
	t.Parallel()
	dir, env := shelfAt(t)
	editor := append(env, `EDITOR=printf 'edits %s\n'`)
	x := inTerminal(t, dir, editor, "texts", "open")
	x.see("▸ 1 a.txt  Apples")
	x.see("  2 b.txt  Bread")
	x.press("\x1b[B")
	x.see("▸ 2 b.txt")
	x.press("\r")
	x.see("edits " + filepath.Join(dir, "b.txt"))
	x.waitForExit(exitOK)

	x = inTerminal(t, dir, editor, "texts", "open")
	x.see("b.txt")
	x.press("1")
	x.see("edits " + filepath.Join(dir, "a.txt"))
	x.waitForExit(exitOK)

	x = inTerminal(t, dir, append(env, "EDITOR=false"), "texts", "open")
	x.see("b.txt")
	x.press("bread\r")
	x.see("fcp-host: false: exit status 1")
	x.waitForExit(exitFailed)

	x = inTerminal(t, dir, editor, "texts", "open")
	x.see("b.txt")
	x.press("\x1b")
	x.see("nothing was chosen")
	if seen := x.waitForExit(exitFailed); strings.Contains(seen, "edits") {
		t.Errorf("it showed %q", seen)
	}
}

// Without a clipboard program the command asks the terminal to set the clipboard.
func TestATerminalServesAsTheClipboard(t *testing.T) {
	t.Parallel()
	dir, env := shelfAt(t)
	x := inTerminal(t, dir, append(env, "PATH=/nowhere"), "texts", "copy")
	x.see("\x1b]52;c;YS50eHQgIEFwcGxlcwpiLnR4dCAgQnJlYWQ=\a")
	x.see("in the clipboard by the terminal, if it allows that")
	x.waitForExit(exitOK)
}

// A watch prints changes that others make, and ends with Ctrl-C.
func TestAWatchFollowsTheFolder(t *testing.T) {
	t.Parallel()
	dir, env := shelfAt(t)
	x := inTerminal(t, dir, env, "texts", "watch")
	x.see("texts watch: .shelf/titles.md")
	if err := os.WriteFile(filepath.Join(dir, "c.txt"), []byte("# Cake\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	x.see("changed outside, and now in the document: c.txt (new)")
	x.see("texts watch: .shelf/titles.md")
	data, err := os.ReadFile(filepath.Join(dir, ".shelf", "titles.md"))
	if want := "a.txt  Apples\nb.txt  Bread\nc.txt  Cake"; err != nil || string(data) != want {
		t.Errorf("%v %q", err, data)
	}
	x.press("\x03")
	x.waitForExit(exitOK)
}

// Runs the commands of cuedeck that need a terminal.
func TestCueCommandsWorkInATerminal(t *testing.T) {
	t.Parallel()
	dir, home := t.TempDir(), t.TempDir()
	inWorkspace(t, dir, map[string]string{"docs/auth.md": "# Auth\n\nA password.\n", ".cuedeck/cards/abc123.md": card("Log in", "active")})
	inWorkspace(t, home, map[string]string{"fcp-host/fcp-host.toml": fmt.Sprintf("cache = %q\n[[plugin]]\nfile = %q\ngrant = [\"folder\"]\n", testwasm.CacheDir(t), testwasm.Build(t, "plugins/cuedeck"))})
	env := []string{"XDG_CONFIG_HOME=" + home, "XDG_STATE_HOME=" + home, "PATH=" + filepath.Dir(shell(t)), `EDITOR=echo edits`}

	x := inTerminal(t, dir, env, "cue", "open")
	x.see("1 .cuedeck/cards/abc123.md  Log in, active")
	x.see("2 docs/auth.md  Auth")
	x.press("passw\x7f\x7f\x7f\x7f\x7fauth\r")
	x.see("edits " + filepath.Join(dir, "docs", "auth.md"))
	x.waitForExit(exitOK)

	x = inTerminal(t, dir, append(env, "PATH=/nowhere"), "cue", "scene")
	x.see("\x1b]52;c;")
	x.see("\a")
	x.see("cue scene: .cuedeck/SCENE.md, about ")
	x.waitForExit(exitOK)

	x = inTerminal(t, dir, append(env, "PATH=/nowhere"), "cue", "watch")
	x.see("cue watch: .cuedeck/SCENE.md, about ")
	inWorkspace(t, dir, map[string]string{".cuedeck/cards/def456.md": card("Log out", "active")})
	x.see("changed outside, and now in the document: .cuedeck/cards/def456.md (new)")
	x.see("cue watch: .cuedeck/SCENE.md, about ")
	x.press("\x03")
	x.waitForExit(exitOK)
	data, err := os.ReadFile(filepath.Join(dir, ".cuedeck", "SCENE.md"))
	if err != nil || !strings.Contains(string(data), "### def456 Log out") {
		t.Errorf("%v\n%s", err, data)
	}
}

// shell returns the path of sh.
func shell(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	return path
}
