package command

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/host/clients"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// setUp runs fcp-host setup for a user whose folder is home, in dir.
func setUp(t *testing.T, home, dir string, args ...string) (out, errs string, code int) {
	t.Helper()
	cmd := exec.Command(testwasm.Host(t), append([]string{"setup"}, args...)...)
	cmd.Dir, cmd.Env = dir, []string{"HOME=" + home, "USERPROFILE=" + home, "PATH=/usr/bin:/bin"}
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	_ = cmd.Run() // the exit code is checked by the caller
	return o.String(), e.String(), cmd.ProcessState.ExitCode()
}

// The entries that setup writes start this server: reads each client's file and runs its command.
func TestSetupLetsEachClientStartTheServer(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	out, _, _ := setUp(t, home, dir)
	for _, name := range clients.Names() {
		if !strings.Contains(out, name+" ") {
			t.Errorf("the list lacks %s:\n%s", name, out)
		}
	}
	for i, c := range clients.All() {
		args := []string{c.Name}
		m := clients.Machine{OS: "linux", Home: home, Getenv: func(string) string { return "" }, Exists: func(string) bool { return false }}
		file := c.File(m)
		if c.Project != "" && i%2 == 0 {
			args, file = append(args, "--project"), filepath.Join(dir, c.Project)
		}
		out, errs, code := setUp(t, home, dir, args...)
		if code != 0 || !strings.Contains(out, "added to "+file) {
			t.Fatalf("%s: %d %s%s", c.Name, code, out, errs)
		}
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, err := c.Format.Get(content, "fcp")
		if err != nil || s == nil || !filepath.IsAbs(s.Command) {
			t.Fatalf("%s: %+v %v in\n%s", c.Name, s, err, content)
		}
		var argv []string
		for _, a := range s.Args {
			argv = append(argv, strings.ReplaceAll(a, "${workspaceFolder}", dir))
		}
		cmd := exec.CommandContext(context.Background(), s.Command, append(argv, "--no-builtin", "--plugin", testwasm.List(t), "--cache", testwasm.CacheDir(t), "--no-journal")...)
		cmd.Dir = dir
		cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n")
		answer, err := cmd.Output()
		if err != nil || !strings.Contains(string(answer), `"serverInfo"`) {
			t.Errorf("%s starts %s %q: %v %s", c.Name, s.Command, argv, err, answer)
		}
		if out, _, code = setUp(t, home, dir, args...); code != 0 || !strings.Contains(out, "already starts it") {
			t.Errorf("%s again: %d %s", c.Name, code, out)
		}
		if out, _, code = setUp(t, home, dir, append(args, "--", "--root", "/x y")...); code != 0 || !strings.Contains(out, "changed in") {
			t.Errorf("%s with arguments: %d %s", c.Name, code, out)
		}
		if out, _, code = setUp(t, home, dir, append(args, "--remove")...); code != 0 || !strings.Contains(out, "removed from") {
			t.Errorf("%s removed: %d %s", c.Name, code, out)
		}
		if content, err = os.ReadFile(file); err != nil || strings.Contains(string(content), "fcp") {
			t.Errorf("%s: %v\n%s", c.Name, err, content)
		}
	}
}

func TestSetupKeepsWhatItMayNotChange(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	file := filepath.Join(home, ".cursor", "mcp.json")
	for _, tt := range []struct{ name, content, want string }{
		{"broken", `{"mcpServers": {`, "not JSON"},
		{"another program", `{"mcpServers": {"fcp": {"command": "/usr/bin/other"}}}`, "another program"},
		{"a server of another kind", `{"mcpServers": {"fcp": {"url": "https://example.com"}}}`, "another program"},
	} {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(tt.content), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"cursor"}, {"cursor", "--remove"}} {
			_, errs, code := setUp(t, home, dir, args...)
			is, err := os.ReadFile(file)
			if code != 1 || !strings.Contains(errs, tt.want) || err != nil || string(is) != tt.content {
				t.Errorf("%s: %d %s\n%s", tt.name, code, errs, is)
			}
		}
	}
	// A symbolic link stays a link, and its target keeps its mode.
	behind := filepath.Join(home, "dotfiles.json")
	if err := os.WriteFile(behind, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(behind, file); err != nil {
		t.Fatal(err)
	}
	if out, errs, code := setUp(t, home, dir, "cursor"); code != 0 {
		t.Fatalf("%s%s", out, errs)
	}
	link, lerr := os.Lstat(file)
	info, err := os.Stat(behind)
	if lerr != nil || link.Mode()&os.ModeSymlink == 0 || err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v %v", link.Mode(), info.Mode(), err)
	}
	for _, args := range [][]string{{"emacs"}, {"cursor", "vscode"}, {"claude-desktop", "--project"}, {"--print"}, {"cursor", "--nme", "x"}} {
		if _, errs, code := setUp(t, home, dir, args...); code != 2 || errs == "" {
			t.Errorf("%v: %d %s", args, code, errs)
		}
	}
	out, _, code := setUp(t, home, dir, "vscode", "--print", "--name", "files", "--", "--plugin", "midi")
	var printed struct {
		Servers map[string]struct {
			Type, Command string
			Args          []string
		}
	}
	if err := json.Unmarshal([]byte(out), &printed); err != nil || code != 0 || printed.Servers["files"].Type != "stdio" || len(printed.Servers["files"].Args) != 2 {
		t.Errorf("%d %v\n%s", code, err, out)
	}
}
