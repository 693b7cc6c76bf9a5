package command

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// asNobody runs this program as another user of the machine, with a script, and returns what it prints. home is that user's.
func asNobody(t *testing.T, home, script string, args ...string) string {
	t.Helper()
	const nobody = 65534
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(home, "fcp-host") // where the user may run it
	if _, err := os.Stat(binary); err != nil {
		from, err := os.Open(exe)
		if err != nil {
			t.Fatal(err)
		}
		defer from.Close()
		to, err := os.OpenFile(binary, os.O_WRONLY|os.O_CREATE, 0o755)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(to, from); err != nil {
			t.Fatal(err)
		}
		to.Close()
	}
	if err := filepath.WalkDir(home, func(path string, _ os.DirEntry, err error) error { return os.Lchown(path, nobody, nobody) }); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, args...)
	cmd.Dir, cmd.Stdin = home, strings.NewReader(script)
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), asBinary + "=1"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, _ := cmd.CombinedOutput()
	return string(out)
}

// What a host of one user left is nothing that another user's host shows, recovers, finishes or removes.
func TestAnotherUserRecoversNothing(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can be two users")
	}
	plugin, err := os.ReadFile(testwasm.List(t))
	if err != nil {
		t.Fatal(err)
	}
	dir, home := t.TempDir(), t.TempDir()
	for _, path := range []string{dir, home, filepath.Dir(dir)} {
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	put(t, home, "list.wasm", string(plugin))
	journal := filepath.Join(dir, "journal")
	c := serveProcess(t, dir, "--plugin", testwasm.List(t), "--journal-dir", journal)
	c.session("list", `new "Private"`)
	c.edit("list", "add hush-hush")
	c.killAndWait()
	held, err := filepath.Glob(filepath.Join(journal, "*"))
	if err != nil || len(held) == 0 {
		t.Fatal(held, err)
	}
	serve := func(args ...string) string {
		t.Helper()
		const call = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"list_session","arguments":{"action":%q}}}` + "\n"
		script := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n" +
			fmt.Sprintf(call, 1, "recover") + fmt.Sprintf(call, 2, "recover 1") + fmt.Sprintf(call, 3, "discard all") + fmt.Sprintf(call, 4, "status")
		return asNobody(t, home, script, append([]string{"serve", "--config", "off", "--plugin", "./list.wasm", "--no-builtin"}, args...)...)
	}
	for what, open := range map[string]os.FileMode{"its folder": 0o700, "its folder, which everybody may list": 0o755, "its folder, open to all": 0o777} {
		if err := os.Chmod(journal, open); err != nil {
			t.Fatal(err)
		}
		if said := serve("--journal-dir", journal); strings.Contains(said, "hush") || strings.Contains(said, "Private") || !strings.Contains(said, journal) {
			t.Errorf("%s: %s", what, said)
		}
	}
	// A folder that another user owns is not this user's, whatever its mode: its journals may be made up.
	if err := os.Chmod(journal, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(journal, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	out, done := hostRun(t, nil, "exec", "--config", "off", "--plugin", testwasm.List(t), "--journal-dir", journal, "-e", ":recover")
	if done || strings.Contains(out, "Private") || !strings.Contains(out, journal) {
		t.Errorf("in another user's folder: %s", out)
	}
	if err := os.Chown(journal, 0, 0); err != nil {
		t.Fatal(err)
	}
	if now, _ := filepath.Glob(filepath.Join(journal, "*")); strings.Join(now, " ") != strings.Join(held, " ") {
		t.Errorf("of %s there is %s", held, now)
	}
	d := serveProcess(t, dir, "--plugin", testwasm.List(t), "--journal-dir", journal)
	if said := d.session("list", "recover"); !strings.Contains(said, "Private") || d.must("list_query", map[string]any{"q": "map"}) != "#list Private\nhush-hush" {
		t.Errorf("its own user recovers %s", said)
	}
}
