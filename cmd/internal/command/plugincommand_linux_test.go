package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestAPersonIsAskedBeforeAPluginIsAdded(t *testing.T) {
	u := newPerson(t)
	u.puts("todo.wasm", "1.0", wantingAPI)
	asks := func(keys string, args ...string) string {
		t.Helper()
		x := inTerminal(t, u.dir, nil, append([]string{"plugin"}, args...)...)
		x.see("[y/N] ")
		x.press(keys)
		var out strings.Builder
		b := make([]byte, 4096)
		for {
			n, err := x.own.Read(b) // fails when the other end is closed
			out.Write(b[:n])
			if err != nil {
				break
			}
		}
		x.cmd.Wait() // the output tells the result
		return out.String()
	}
	for _, no := range []string{"\n", "n\n", "yesterday\n", "\x04", "\x03"} {
		if got := asks(no, "add", "./todo.wasm"); !strings.Contains(got, "nothing was changed") || u.lock() != "" {
			t.Errorf("%q: %q %s", no, got, u.lock())
		}
	}
	if got := asks("y\n", "add", "./todo.wasm"); !strings.Contains(got, "added todo 1.0") {
		t.Errorf("yes: %q", got)
	}
	u.puts("todo.wasm", "0.9", nil)
	if got := asks("Yes\n", "update"); !strings.Contains(got, "todo 1.0 is 0.9") {
		t.Errorf("an older one: %q", got)
	}
}

// If the program is killed while it adds something, the plugins are either those of before or those of after, complete.
func TestAKilledAddLeavesNothingIncomplete(t *testing.T) {
	u := newPerson(t)
	u.puts("todo.wasm", "1.0", nil)
	u.does("add --yes --cache off ./todo.wasm")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(os.Getenv("XDG_DATA_HOME"), "fcp-host", "added")
	for i := range 7 {
		u.puts("todo.wasm", []string{"1.1", "1.0"}[i%2], nil)
		cmd := exec.Command(exe, "plugin", "add", "--yes", "--replace", "--cache", "off", "./todo.wasm")
		cmd.Dir, cmd.Env = u.dir, append(os.Environ(), asBinary+"=1")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() { cmd.Wait(); close(ended) }()
		// The program is killed when the folder has changed for the n-th time: at another step each time.
		was := filesOf(t, folder)
		for changes := 0; changes <= i; {
			select {
			case <-ended:
				changes = i + 1
			default:
			}
			if now := filesOf(t, folder); now != was {
				was, changes = now, changes+1
			}
		}
		cmd.Process.Kill() // has no effect if it has exited
		<-ended
		if got := u.does("verify"); !strings.Contains(got, "todo 1.0: as it was added") && !strings.Contains(got, "todo 1.1: as it was added") {
			t.Errorf("verify says %s", got)
		}
	}
	// The next change removes what the killed ones left.
	u.puts("diary.wasm", "1.0", ofDomain("diary"))
	u.does("add --yes --cache off ./diary.wasm")
	if got := u.does("verify"); strings.Contains(got, "belongs to no plugin") {
		t.Errorf("something is left: %s", got)
	}
}

// filesOf returns the files of a folder with their sizes.
func filesOf(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			b.WriteString(e.Name() + " " + info.ModTime().String() + "\n")
		}
	}
	return b.String()
}

// A limit of a few KiB on the size of files simulates a full disk.
func TestAFullDiskChangesNothing(t *testing.T) {
	u := newPerson(t)
	u.puts("todo.wasm", "1.0", nil)
	u.does("add --yes --cache off ./todo.wasm")
	before := u.lock()
	put(t, u.dir, "diary.wasm", string(append(u.puts("x.wasm", "1.0", ofDomain("diary")), section(100_000)...)))
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, code := u.execs("sh", "-c", `trap '' XFSZ; ulimit -f 8; exec "$0" "$@"`, exe, "plugin", "add", "--yes", "--cache", "off", "./diary.wasm")
	if code != exitFailed || !strings.Contains(out, "nothing is changed: ") || !strings.Contains(out, "file too large") || u.lock() != before {
		t.Errorf("%d %s", code, out)
	}
	if got := u.does("verify"); strings.Contains(got, "belongs to no plugin") || !strings.Contains(got, "todo 1.0: as it was added") {
		t.Errorf("something is left: %s", got)
	}
	u.does("add --yes --cache off ./diary.wasm", "added diary 1.0")
}

// section returns a custom section of about n bytes.
func section(n int) []byte {
	content := append([]byte{3, 'p', 'a', 'd'}, make([]byte, n)...)
	return append([]byte{0, byte(len(content)&0x7f | 0x80), byte(len(content)>>7&0x7f | 0x80), byte(len(content) >> 14)}, content...)
}
