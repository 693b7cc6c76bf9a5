package command

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/host/clients"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// setUp runs fcp-host setup for a user whose folder is home, in dir.
func setUp(t *testing.T, home, dir string, args ...string) (out, errs string, code int) {
	t.Helper()
	return setUpFrom(t, testwasm.Host(t), home, dir, args...)
}

// setUpFrom is setUp by a program.
func setUpFrom(t *testing.T, program, home, dir string, args ...string) (out, errs string, code int) {
	t.Helper()
	cmd := exec.Command(program, append([]string{"setup"}, args...)...)
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
		grants := map[bool]string{true: "below " + strings.Join(s.Args[min(1, len(s.Args)):], ""), false: c.Folder + "; for others add -- --root DIR"}[len(s.Args) > 0]
		if slices.Contains(s.Args, home) {
			grants = "in your home folder " + home + "; for less, add -- --root DIR"
		}
		if !strings.Contains(out, "\nIt may open and save files in: ") || !strings.Contains(out, grants+".\nNext: ") || c.Folder == "" {
			t.Errorf("%s: it does not say that it grants %s:\n%s", c.Name, grants, out)
		}
		if !slices.Contains(args, "--project") && strings.Contains(strings.Join(s.Args, " "), "${") {
			t.Errorf("%s: the user's file has %q, and no folder may be open", c.Name, s.Args)
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

// npx removes its copies at times; a client must still find the program.
func TestSetupKeepsACopyOfAProgramThatNpxStarted(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	program, err := os.ReadFile(testwasm.Host(t))
	if err != nil {
		t.Fatal(err)
	}
	cache := filepath.Join(home, ".npm", "_npx", "0123456789abcdef")
	passing := filepath.Join(cache, "node_modules", "@fcp-host", "linux-x64", "bin", "fcp-host")
	if err := os.MkdirAll(filepath.Dir(passing), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(passing, program, 0o755); err != nil {
		t.Fatal(err)
	}
	file, kept := filepath.Join(home, ".cursor", "mcp.json"), filepath.Join(home, ".local", "share", "fcp-host", "bin", "fcp-host")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	// What earlier versions wrote.
	if err := os.WriteFile(file, []byte(`{"mcpServers":{"fcp":{"command":"npx","args":["-y","fcp-host","--root","${workspaceFolder}"]}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, errs, code := setUpFrom(t, passing, home, dir, "cursor", "--print"); code != 0 || !strings.Contains(out, kept) || !strings.Contains(errs, "copy "+passing+" to "+kept+" first") {
		t.Errorf("--print: %d %s%s", code, out, errs)
	}
	if _, err := os.Stat(kept); err == nil {
		t.Error("--print copies the program")
	}
	out, errs, code := setUpFrom(t, passing, home, dir, "cursor")
	if code != 0 || !strings.Contains(out, "copied this program to "+kept) || !strings.Contains(out, "changed in "+file) {
		t.Fatalf("%d %s%s", code, out, errs)
	}
	if err := os.RemoveAll(cache); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(file)
	if err != nil || string(content) != `{"mcpServers":{"fcp":{"command":"`+kept+`","args":[]}}}` {
		t.Errorf("%v: %s", err, content)
	}
	if out, _, code := setUpFrom(t, kept, home, dir, "cursor"); code != 0 || !strings.Contains(out, "already starts it") || strings.Contains(out, "copied") {
		t.Errorf("the copy: %d %s", code, out)
	}
}

func TestSetupKnowsWhereProgramsDoNotStay(t *testing.T) {
	for path, passing := range map[string]bool{
		"/home/a/.npm/_npx/12/node_modules/@fcp-host/linux-x64/bin/fcp-host":     true,
		"/home/a/.cache/pnpm/dlx/12/node_modules/@fcp-host/linux-x64/fcp-host":   true,
		"/tmp/bunx-1000-fcp-host@latest/node_modules/@fcp-host/fcp-host":         true,
		"/tmp/go-build123/b001/exe/fcp-host":                                     true,
		"/usr/lib/node_modules/fcp-host/node_modules/@fcp-host/linux-x64/fcp-ho": false,
		"/home/a/dlx.d/fcp-host": false,
		"/usr/bin/fcp-host":      false,
	} {
		if isPassing(path) != passing {
			t.Errorf("%s: passing %v", path, !passing)
		}
	}
}
