package command

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/judge"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// judges returns the paths of Node.js and of the official MCP judges.
func judges(t *testing.T) (node, bin string) {
	t.Helper()
	node, modules := judge.Npm(t, "@modelcontextprotocol/conformance", "@modelcontextprotocol/inspector")
	return node, filepath.Join(modules, ".bin")
}

// serveWeb starts the server process on HTTP, open to everybody, and returns its address.
func serveWeb(t *testing.T, args ...string) (url string) {
	t.Helper()
	return serveHTTP(t, append([]string{"--http", "127.0.0.1:0", "--http-open"}, args...)...)
}

func TestJudgeTheOfficialConformanceSuitePassesButForWhatDoesNotApply(t *testing.T) {
	t.Parallel()
	node, bin := judges(t)
	root, err := testwasm.Root()
	if err != nil {
		t.Fatal(err)
	}
	plain := serveWeb(t, "--plugin", testwasm.List(t))
	typed := serveWeb(t, "--plugin", testwasm.World(t), "--tools", "world")
	// The newest revision has no sessions and has scenarios of its own; most clients use the one before it.
	for _, c := range []struct{ name, url, revision, shows string }{
		{"2026-07-28", plain, "2026-07-28", "http-header-validation"}, {"2025-11-25", plain, "2025-11-25", "server-initialize"},
		{"2026-07-28 with typed tools", typed, "2026-07-28", "http-header-validation"}, {"2025-11-25 with typed tools", typed, "2025-11-25", "server-initialize"},
	} {
		url, revision, shows := c.url, c.revision, c.shows
		t.Run(c.name, func(t *testing.T) {
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

// The inspector's command line is an independent client.
func TestJudgeTheInspectorTalksToTheServerOverStdioAndHTTP(t *testing.T) {
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
		{"stdio", []string{"-e", asBinary + "=1", exe, "serve", "--no-journal", "--limit", "list-wait=1m", "--cache", testwasm.CacheDir(t), "--plugin", list}},
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
			if len(resources.ResourceTemplates) != 4 {
				t.Errorf("it sees the templates %v", resources.ResourceTemplates)
			}
		})
	}
}

// The inspector checks structured results against the published schemas.
func TestJudgeTheInspectorAcceptsTypedTools(t *testing.T) {
	t.Parallel()
	node, bin := judges(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	world := testwasm.World(t)
	for name, literal := range map[string][]string{"published": nil, "literal": {"--literal-schemas"}} {
		t.Run(name, func(t *testing.T) {
			inspect := func(args ...string) string {
				t.Helper()
				server := append([]string{"-e", asBinary + "=1", exe, "serve", "--no-journal", "--limit", "list-wait=1m", "--cache", testwasm.CacheDir(t), "--plugin", world, "--tools", "world", "--root", t.TempDir()}, literal...)
				cmd := exec.Command(node, append(append([]string{filepath.Join(bin, "mcp-inspector"), "--cli"}, server...), args...)...)
				cmd.Dir = t.TempDir()
				cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
				text, _ := cmd.CombinedOutput() // exits with an error if the tool fails
				return string(text)
			}
			if literal == nil {
				var tools struct{ Tools []struct{ Name string } }
				if err := json.NewDecoder(strings.NewReader(inspect("--method", "tools/list"))).Decode(&tools); err != nil || len(tools.Tools) < 15 {
					t.Errorf("it sees the tools %v, %v", tools.Tools, err)
				}
				if got := inspect("--method", "tools/call", "--tool-name", "thing_words", "--tool-arg", "text=a b"); !strings.Contains(got, `"result"`) || !strings.Contains(got, `[\"a\",\"b\"]`) {
					t.Errorf("an array is %s", got)
				}
			}
			if got := inspect("--method", "tools/call", "--tool-name", "thing_echo", "--tool-arg", "text=a"); !strings.Contains(got, `"structuredContent"`) {
				t.Errorf("an object is %s", got)
			}
			if got := inspect("--method", "tools/call", "--tool-name", "thing_fail", "--tool-arg", "text=a"); !strings.Contains(got, `failed: a`) {
				t.Errorf("a failure is %s", got)
			}
		})
	}
}

// The metrics are read by an independent parser.
func TestJudgeTheMetricsAreReadByAParserOfPrometheusText(t *testing.T) {
	t.Parallel()
	node, modules := judge.Npm(t, "parse-prometheus-text-format")
	url := serveWeb(t, "--plugin", testwasm.List(t))
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	for _, q := range []string{`new \"T\"`, `frobnicate \"T\"`} {
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_session","arguments":{"action":"` + q + `"},` + meta + `}}`
		req, err := http.NewRequestWithContext(t.Context(), "POST", url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
			"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "list_session"} {
			req.Header.Set(k, v)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil || res.StatusCode != 200 {
			t.Fatal(res, err)
		}
		io.Copy(io.Discard, res.Body)
		res.Body.Close()
	}
	res, err := http.Get(strings.TrimSuffix(url, "/mcp") + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	// read returns the value of each metric by name and labels.
	read := func(text string) (map[string]string, error) {
		cmd := exec.Command(node, "-e", `
			const families = require("parse-prometheus-text-format")(require("fs").readFileSync(0, "utf8"))
			const out = {}
			for (const f of families) for (const m of f.metrics) {
				if (f.type === "HISTOGRAM") { out[f.name] = m.count + " " + m.buckets["+Inf"]; continue }
				out[[f.type, f.name, ...Object.values(m.labels || {})].join(" ")] = m.value
			}
			console.log(JSON.stringify(out))`)
		cmd.Env = append(os.Environ(), "NODE_PATH="+modules)
		cmd.Stdin = strings.NewReader(text)
		data, err := cmd.Output()
		if err != nil {
			return nil, err
		}
		var values map[string]string
		return values, json.Unmarshal(data, &values)
	}
	values, err := read(string(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for name, want := range map[string]string{"COUNTER fcp_calls_total list_session ok": "1", "COUNTER fcp_calls_total list_session failed": "1",
		"COUNTER fcp_http_requests_total POST 200": "2", "fcp_call_seconds": "2 2", "GAUGE fcp_documents": "1", "GAUGE fcp_sessions": "0"} {
		if values[name] != want {
			t.Errorf("%s is %q, want %s; all are %v", name, values[name], want, values)
		}
	}
	if _, err := read(string(text) + "fcp_broken{a=\"b\" 1\n"); err == nil {
		t.Error("the parser takes a broken line")
	}
}

// Real clients read the configuration that setup wrote, and one that starts servers to check them gets an answer.
func TestJudgeClientsKnowTheServerThatSetupNames(t *testing.T) {
	node, modules := judge.Npm(t, "@anthropic-ai/claude-code-linux-x64", "@google/gemini-cli", "opencode-linux-x64-baseline")
	home, dir := t.TempDir(), t.TempDir()
	for name, tt := range map[string]struct {
		argv []string
		want string
	}{
		"claude-code": {[]string{filepath.Join(modules, "@anthropic-ai", "claude-code-linux-x64", "claude"), "mcp", "list"}, "Connected"},
		"gemini":      {[]string{node, filepath.Join(modules, ".bin", "gemini"), "mcp", "list"}, "(stdio)"},
		"opencode":    {[]string{filepath.Join(modules, "opencode-linux-x64-baseline", "bin", "opencode"), "mcp", "list"}, "connected"},
	} {
		if out, errs, code := setUp(t, home, dir, name, "--", "--no-journal", "--cache", testwasm.CacheDir(t)); code != 0 {
			t.Fatalf("%s%s", out, errs)
		}
		cmd := exec.Command(tt.argv[0], tt.argv[1:]...)
		cmd.Dir, cmd.Env = dir, []string{"HOME=" + home, "PATH=" + filepath.Dir(node) + ":/usr/bin:/bin"}
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "fcp") || !strings.Contains(string(out), testwasm.Host(t)) || !strings.Contains(string(out), tt.want) {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}
