package main

import (
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/fcp-host/fcp-host/internal/judge"
)

// npmRegistry serves the packages of the release like npm's registry.
func npmRegistry(t *testing.T, r *release) (url string) {
	t.Helper()
	files, err := filepath.Glob(r.file("npm-*.tgz"))
	if err != nil || len(files) != 7 {
		t.Fatalf("%q %v", files, err)
	}
	answers := map[string][]byte{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if data, ok := answers[req.URL.Path]; ok { // a scope's slash is escaped
			w.Write(data)
			return
		}
		http.NotFound(w, req)
	}))
	t.Cleanup(s.Close)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, contents := untar(t, gunzip(t, data))
		var m map[string]any
		if err := json.Unmarshal(contents["package/package.json"], &m); err != nil {
			t.Fatal(err)
		}
		sum := sha512.Sum512(data)
		name := filepath.Base(file)
		m["dist"] = map[string]string{"tarball": s.URL + "/-/" + name, "integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:])}
		about, err := json.Marshal(map[string]any{"name": m["name"], "dist-tags": map[string]any{"latest": m["version"]}, "versions": map[string]any{m["version"].(string): m}})
		if err != nil {
			t.Fatal(err)
		}
		answers["/"+m["name"].(string)], answers["/-/"+name] = about, data
	}
	return s.URL
}

func TestJudgeReleaseRunsByNpx(t *testing.T) {
	r := builtRelease(t)
	npx := judge.Program(t, "npx")
	env, home := newUserEnv(t, "npm_config_registry="+npmRegistry(t, r), "npm_config_update_notifier=false", "npm_config_audit=false", "npm_config_fund=false")
	folder := filepath.Join(home, "My Songs")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	checkProgram(t, r, must(t, folder, env, npx, "-y", "fcp-host", "version", "--json"))
	checkEditing(t, folder, folder, env, npx, "-y", "fcp-host")
	// The command that setup writes for clients starts a copy, since npx does not keep its own.
	must(t, folder, env, npx, "-y", "fcp-host", "setup", "cursor")
	text, err := os.ReadFile(filepath.Join(home, ".cursor", "mcp.json"))
	if err != nil {
		t.Fatal(err)
	}
	var c struct {
		McpServers map[string]struct {
			Command string
			Args    []string
		}
	}
	if err := json.Unmarshal(text, &c); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	s := c.McpServers["fcp"]
	if !filepath.IsAbs(s.Command) || strings.Contains(s.Command, "_npx") || len(s.Args) != 0 {
		t.Fatalf("setup wrote %s", text)
	}
	if err := os.Remove(filepath.Join(folder, "first.mid")); err != nil {
		t.Fatal(err)
	}
	checkEditing(t, folder, folder, env, s.Command)
	// Exit codes and streams are passed on.
	cmd := exec.Command(npx, "-y", "fcp-host", "version", "x")
	cmd.Dir, cmd.Env = folder, env
	if out, err := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), `fcp-host: version takes no "x"`) {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestJudgeReleaseInstallsByNpmFromItsFiles(t *testing.T) {
	r := builtRelease(t)
	npm := judge.Program(t, "npm")
	env, home := newUserEnv(t, "npm_config_update_notifier=false", "npm_config_audit=false", "npm_config_fund=false")
	prefix := filepath.Join(home, "of npm")
	args := []string{npm, "install", "-g", "--offline", "--prefix", prefix, r.file("npm-fcp-host-" + releaseVersion + ".tgz")}
	must(t, home, env, append(args, r.file("npm-fcp-host-linux-x64-"+releaseVersion+".tgz"))...)
	program := filepath.Join(prefix, "bin", "fcp-host")
	checkProgram(t, r, must(t, home, env, program, "version", "--json"))
	folder := t.TempDir()
	checkEditing(t, folder, folder, env, program)
	// A signal to the process that a client started ends the server, too: its output closes.
	cmd := exec.Command(program)
	cmd.Dir, cmd.Env = folder, env
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil { // a terminal would send it to both
		t.Fatal(err)
	}
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	var answers strings.Builder
	for buf := make([]byte, 1024); !strings.Contains(answers.String(), `"id":2`); {
		n, err := out.Read(buf)
		if err != nil {
			t.Fatalf("SIGINT to the launcher alone ended it: %v", err)
		}
		answers.Write(buf[:n])
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("SIGTERM ends it with %v", err)
	}
	// Without the package for this platform, it reports what is missing.
	alone := filepath.Join(home, "alone")
	args[5] = alone
	must(t, home, env, append(args, "--omit=optional")...)
	bare := exec.Command(filepath.Join(alone, "bin", "fcp-host"))
	bare.Env = env
	if text, err := bare.CombinedOutput(); err == nil || !strings.Contains(string(text), "install fcp-host again, without --omit=optional") {
		t.Errorf("alone it says %v %s", err, text)
	}
}
