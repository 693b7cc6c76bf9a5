package main

import (
	"archive/zip"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/judge"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// Claude Code validates the marketplace and the plugin, installs it, and finds its skills and its server.
func TestJudgeThePluginIsOneForClaudeCode(t *testing.T) {
	_, modules := judge.Npm(t, "@anthropic-ai/claude-code-linux-x64")
	claude := filepath.Join(modules, "@anthropic-ai", "claude-code-linux-x64", "claude")
	k := testKit(t)
	k.binaries = []binary{{runtime.GOOS, runtime.GOARCH, testwasm.Host(t)}}
	k.plugin()
	home := t.TempDir()
	dir := filepath.Join(home, "fcp-host-plugin")
	data := k.read(t, "fcp-host_1.2.3_agent_plugin.zip")
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, r); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(claude, append([]string{"plugin"}, args...)...)
		cmd.Dir, cmd.Env = home, append(os.Environ(), "HOME="+home, "CLAUDE_CONFIG_DIR="+filepath.Join(home, ".claude"), "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("claude plugin %q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	for _, what := range []string{dir, filepath.Join(dir, "plugins", "fcp-host")} {
		if out := run("validate", "--strict", what); !strings.Contains(out, "Validation passed") {
			t.Errorf("%s: %s", what, out)
		}
	}
	run("marketplace", "add", dir)
	run("install", "fcp-host@fcp-host")
	out := run("details", "fcp-host")
	for _, part := range []string{"fcp-cuedeck", "fcp-drawio", "fcp-midi", "fcp-svg", "fcp-video", "MCP servers (1)"} {
		if !strings.Contains(out, part) {
			t.Errorf("it lacks %s:\n%s", part, out)
		}
	}
}
