package command

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/judge"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// realClient is a client from npm that does a task without a person.
type realClient struct {
	packages []string
	setup    string // its name for fcp-host setup
	config   string // the file that setup writes, below the home folder
	before   string // what is in it before
	argv     []string
	env      []string

	prefix string // of our tools' names, for its model
	cut    int    // characters of a description that its model gets
	whole  bool   // no description of ours is longer than that
	defers bool   // its model gets names, and searches for the rest
	adds   string // argument that it tells its model to add to each call
	dots   string // what it makes of "…" in descriptions
}

// realClients returns the clients whose model is m. They send no telemetry, look for no updates, and do not ask for
// permissions.
func realClients(node, modules string, m *modelAPI) map[string]realClient {
	const uncut = 1 << 20
	claude := func(folder, search string, cut int) realClient {
		return realClient{packages: []string{folder}, setup: "claude-code", config: ".claude.json", before: "{}",
			argv: []string{filepath.Join(modules, folder, "claude"), "-p", modelTask, "--allowedTools", "mcp__fcp", "--model", "claude-opus-4-5"},
			env: []string{"ANTHROPIC_BASE_URL=" + m.URL, "ANTHROPIC_API_KEY=none", "ENABLE_TOOL_SEARCH=" + search, "MCP_CONNECTION_NONBLOCKING=false", "MCP_TIMEOUT=600000", "API_TIMEOUT_MS=600000",
				"DISABLE_TELEMETRY=1", "DISABLE_AUTOUPDATER=1", "DISABLE_ERROR_REPORTING=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"},
			prefix: "mcp__fcp__", cut: cut, whole: cut > 2048, defers: search == "true", dots: "..."}
	}
	return map[string]realClient{
		"Claude Code":              claude("@anthropic-ai/claude-code-linux-x64", "false", 4096),
		"Claude Code, tool search": claude("@anthropic-ai/claude-code-linux-x64", "true", 16384),
		"Claude Code 2.1.197":      claude("claude-code-2.1.197", "false", 2048),
		"Gemini CLI": {packages: []string{"@google/gemini-cli"}, setup: "gemini", config: ".gemini/settings.json",
			before: `{"security":{"auth":{"selectedType":"gemini-api-key"}},"privacy":{"usageStatisticsEnabled":false},"general":{"enableAutoUpdate":false,"enableAutoUpdateNotification":false}}`,
			argv:   []string{node, filepath.Join(modules, ".bin", "gemini"), "-p", modelTask, "--approval-mode", "yolo", "--skip-trust", "-m", "gemini-2.5-pro"},
			env:    []string{"GOOGLE_GEMINI_BASE_URL=" + m.URL, "GEMINI_API_KEY=none"}, prefix: "mcp_fcp_", cut: uncut, whole: true, adds: "wait_for_previous"},
		"OpenCode": {packages: []string{"opencode-linux-x64-baseline"}, setup: "opencode", config: ".config/opencode/opencode.json",
			before: `{"autoupdate":false,"share":"disabled","provider":{"stand":{"npm":"@ai-sdk/openai-compatible","name":"Stand","options":{"baseURL":"` + m.URL + `/v1","apiKey":"none"},"models":{"in":{"name":"In","tool_call":true}}}}}`,
			argv:   []string{filepath.Join(modules, "opencode-linux-x64-baseline", "bin", "opencode"), "run", "-m", "stand/in", modelTask},
			env:    []string{"npm_config_registry=" + m.URL, "OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1"}, prefix: "fcp_", cut: uncut, whole: true},
	}
}

// wire is what a client and the server said to each other.
type wire struct{ in, out string }

// recordWire lets the client start the server through a script that keeps what both say.
func recordWire(t *testing.T, config string) wire {
	t.Helper()
	dir := t.TempDir()
	w := wire{filepath.Join(dir, "in"), filepath.Join(dir, "out")}
	script := filepath.Join(dir, "server")
	if err := os.WriteFile(script, fmt.Appendf(nil, "#!/bin/sh\ntee '%s' | '%s' \"$@\" | tee '%s'\n", w.in, testwasm.Host(t), w.out), 0o700); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(config)
	if err != nil || !bytes.Contains(data, []byte(testwasm.Host(t))) {
		t.Fatalf("%v\n%s", err, data)
	}
	if err := os.WriteFile(config, bytes.ReplaceAll(data, []byte(testwasm.Host(t)), []byte(script)), 0o600); err != nil {
		t.Fatal(err)
	}
	return w
}

// messages decodes the messages in one direction.
func (w wire) messages(t *testing.T, file string, each func(line []byte)) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		each(lines.Bytes())
	}
}

// servedTool is a tool as the server listed it to the client.
type servedTool struct {
	Name, Description string
	Meta              map[string]any `json:"_meta"`
}

func (w wire) tools(t *testing.T) (served []servedTool) {
	t.Helper()
	w.messages(t, w.out, func(line []byte) {
		var m struct{ Result struct{ Tools []servedTool } }
		if json.Unmarshal(line, &m) == nil && len(m.Result.Tools) > 0 {
			served = m.Result.Tools
		}
	})
	return served
}

// Clients from npm run a script of calls for a stand-in of their model. This shows what they make of what the server
// sends, and the server of what they send.
func TestJudgeRealClientsPassOnWhatTheirModelNeeds(t *testing.T) {
	m := startModelAPI(t)
	for name := range realClients("", "", m) {
		t.Run(name, func(t *testing.T) {
			song := []toolCall{{"midi_session", object{"action": `new "Song" tempo:100`}}, {"midi", object{"ops": []string{"track add Piano instrument:acoustic-grand-piano", "note Piano C4 at:1.1 dur:quarter"}}}}
			turns := [][]toolCall{song, {{"list_tasks", object{}}}, {{"midi_session", object{"action": "save as:song.mid"}}}}
			search := []toolCall{{"ToolSearch", object{"query": "song chords", "max_results": 20}}}
			m := startModelAPI(t)
			node, modules := judge.Npm(t, realClients("", "", m)[name].packages...)
			c := realClients(node, modules, m)[name]
			if m.prefix, m.turns = c.prefix, turns; c.defers {
				m.turns = append([][]toolCall{search}, turns...)
			}
			home, dir := t.TempDir(), t.TempDir()
			inWorkspace(t, home, map[string]string{c.config: c.before})
			inWorkspace(t, dir, map[string]string{".cuedeck/cards/abc123.md": card("Tune it", "todo"), ".cuedeck/cards/broken.md": "---\ntitle: [\n---\n"})
			if out, errs, code := setUp(t, home, dir, c.setup, "--", "--no-journal", "--cache", testwasm.CacheDir(t), "--tools", "cuedeck", "--grant", "cuedeck=folder"); code != 0 {
				t.Fatalf("%s%s", out, errs)
			}
			w := recordWire(t, filepath.Join(home, c.config))
			cmd := exec.CommandContext(t.Context(), c.argv[0], c.argv[1:]...)
			cmd.Dir, cmd.Env = dir, m.environment(home, c.env...)
			out, err := cmd.CombinedOutput()
			requests := m.seen()
			if err != nil || !strings.Contains(string(out), "finished") || len(requests) != len(m.turns)+1 {
				t.Fatalf("%v after %d requests\n%s", err, len(requests), out)
			}
			first, last := requests[0], requests[len(requests)-1]
			said := first.system + strings.Join(first.prompts, "\n")
			t.Run("tools", func(t *testing.T) { c.checkTools(t, w.tools(t), requests) })
			if want := "D_session starts a document"; c.setup != "opencode" && !strings.Contains(said, want) {
				t.Errorf("the model never reads the server's instructions: %q is missing", want)
			}
			if c.defers {
				last.results = last.results[1:]
			}
			for i, want := range []string{`new midi document "Song"`, "+ Note C4 on Piano", "1 card that cannot be read", "saved song.mid"} {
				if i >= len(last.results) || !strings.Contains(last.results[i], want) {
					t.Errorf("result %d lacks %q: %q", i, want, last.results)
				} else if strings.Contains(last.results[i], "Resource link") {
					t.Errorf("result %d gives the model a link: %q", i, last.results[i])
				}
			}
			if data, err := os.ReadFile(filepath.Join(dir, "song.mid")); err != nil || !bytes.HasPrefix(data, []byte("MThd")) {
				t.Errorf("the file: %v %q", err, data)
			}
			w.messages(t, w.in, func(line []byte) {
				var m struct {
					Method string
					Params struct {
						Name      string
						Arguments map[string]any
					}
				}
				if json.Unmarshal(line, &m); m.Method == "tools/call" && c.adds != "" && m.Params.Arguments[c.adds] == nil {
					t.Errorf("%s: the client no longer passes %s on: %s", m.Params.Name, c.adds, line)
				}
			})
		})
	}
}

// checkTools compares the tools that the model got with those that the server listed.
func (c realClient) checkTools(t *testing.T, served []servedTool, requests []modelRequest) {
	if len(served) == 0 {
		t.Fatal("the client never listed the tools")
	}
	first, last := requests[0], requests[len(requests)-1]
	for _, tool := range served {
		if _, ok := first.tool(c.prefix + tool.Name); !ok {
			if always, _ := tool.Meta["anthropic/alwaysLoad"].(bool); always || !c.defers {
				t.Errorf("the model does not get %s", tool.Name)
			} else if !strings.Contains(strings.Join(first.prompts, "\n"), c.prefix+tool.Name+"\n") {
				t.Errorf("the model does not get the name of %s", tool.Name)
			}
		}
		got, ok := last.tool(c.prefix + tool.Name)
		if !ok {
			continue // it was not loaded
		}
		want, seen := []rune(tool.Description), []rune(got.description)
		if c.dots != "" {
			want = []rune(strings.ReplaceAll(tool.Description, "…", c.dots))
		}
		i := 0
		for i < min(len(want), len(seen)) && want[i] == seen[i] {
			i++
		}
		if i < len(want) && (c.whole || i < c.cut) || i < len(seen) && i < c.cut {
			t.Errorf("the model gets %d of %d characters of %s, and then %q instead of %q", i, len(want), tool.Name, string(seen[i:min(len(seen), i+40)]), string(want[i:min(len(want), i+40)]))
		}
		if properties, _ := got.schema["properties"].(map[string]any); c.adds != "" && properties[c.adds] == nil {
			t.Errorf("the client no longer adds %s to %s", c.adds, tool.Name)
		}
	}
	for _, name := range []string{"midi", "midi_session"} {
		if _, ok := last.tool(c.prefix + name); !ok {
			t.Errorf("a search for a song does not find %s: %q", name, requests[1].results)
		}
	}
}
