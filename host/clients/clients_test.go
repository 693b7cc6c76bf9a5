package clients

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/tailscale/hujson"
	"pgregory.net/rapid"
)

var plain = JSON{Path: []string{"mcpServers"}, Before: []Member{{"type", "stdio"}}}

// Each pair is a file before and after; everything but our server stays the same.
func TestAServerIsAddedChangedAndRemovedInPlace(t *testing.T) {
	ours := Server{Name: "fcp", Command: "/bin/fcp-host", Args: []string{"--root", `C:\a "b"`}}
	for _, tt := range []struct {
		name          string
		f             Format
		before, after string
		removed       string // "" where removing gives what was before
	}{
		{"nothing", plain, "", "{\n  \"mcpServers\": {\n    \"fcp\": {\n      \"type\": \"stdio\",\n      \"command\": \"/bin/fcp-host\",\n      \"args\": [\"--root\", \"C:\\\\a \\\"b\\\"\"]\n    }\n  }\n}\n", "{\n  \"mcpServers\": {}\n}\n"},
		{"other servers, tabs", plain,
			"{\n\t\"mcpServers\": {\n\t\t\"a\": {\"command\": \"x\"}\n\t},\n\t\"theme\": 1.50\n}",
			"{\n\t\"mcpServers\": {\n\t\t\"a\": {\"command\": \"x\"},\n\t\t\"fcp\": {\n\t\t\t\"type\": \"stdio\",\n\t\t\t\"command\": \"/bin/fcp-host\",\n\t\t\t\"args\": [\"--root\", \"C:\\\\a \\\"b\\\"\"]\n\t\t}\n\t},\n\t\"theme\": 1.50\n}", ""},
		{"on one line", plain, `{"a":[1, 2],"mcpServers":{"b":{}}}`, `{"a":[1, 2],"mcpServers":{"b":{},"fcp":{"type":"stdio","command":"/bin/fcp-host","args":["--root","C:\\a \"b\""]}}}`, ""},
		{"comments and commas", plain,
			"// mine\n{\n  \"mcpServers\": {\n    \"a\": {}, // of a\n  }, /* end */\n}\n",
			"// mine\n{\n  \"mcpServers\": {\n    \"a\": {}, // of a\n    \"fcp\": {\n      \"type\": \"stdio\",\n      \"command\": \"/bin/fcp-host\",\n      \"args\": [\"--root\", \"C:\\\\a \\\"b\\\"\"]\n    },\n  }, /* end */\n}\n", ""},
		{"a comment behind the last", plain,
			"{\n  \"mcpServers\": {\n    \"a\": {} // of a\n  }\n}\n",
			"{\n  \"mcpServers\": {\n    \"a\": {}, // of a\n    \"fcp\": {\n      \"type\": \"stdio\",\n      \"command\": \"/bin/fcp-host\",\n      \"args\": [\"--root\", \"C:\\\\a \\\"b\\\"\"]\n    }\n  }\n}\n", ""},
		{"ours in the middle, with more in it", plain,
			"{\"mcpServers\": {\r\n \"fcp\": {\"env\": {\"A\": \"1\"}, \"command\": \"/old/fcp-host\" , \"args\": [] /* none */},\r\n \"z\": {}}}",
			"{\"mcpServers\": {\r\n \"fcp\": {\"env\": {\"A\": \"1\"}, \"command\": \"/bin/fcp-host\" , \"args\": [\"--root\",\"C:\\\\a \\\"b\\\"\"] /* none */},\r\n \"z\": {}}}",
			"{\"mcpServers\": {\r\n \"z\": {}}}"},
		{"a comment on one line", plain, "{\"a\":1 // one\n}", "{\"a\":1, // one\n\"mcpServers\":{\"fcp\":{\"type\":\"stdio\",\"command\":\"/bin/fcp-host\",\"args\":[\"--root\",\"C:\\\\a \\\"b\\\"\"]}}}", "{\"a\":1, // one\n\"mcpServers\":{}}"},
		{"a byte order mark", plain, "\ufeff{\n    \"mcpServers\": {}\n}", "\ufeff{\n    \"mcpServers\": {\n        \"fcp\": {\n            \"type\": \"stdio\",\n            \"command\": \"/bin/fcp-host\",\n            \"args\": [\"--root\", \"C:\\\\a \\\"b\\\"\"]\n        }\n    }\n}", ""},
		{"a list for the whole command", JSON{Path: []string{"mcp"}, After: []Member{{"enabled", true}}, OneList: true}, "{}",
			"{\n  \"mcp\": {\n    \"fcp\": {\n      \"command\": [\"/bin/fcp-host\", \"--root\", \"C:\\\\a \\\"b\\\"\"],\n      \"enabled\": true\n    }\n  }\n}", "{\n  \"mcp\": {}\n}"},
		{"TOML, nothing", TOML{"mcp_servers"}, "", "[mcp_servers.fcp]\ncommand = \"/bin/fcp-host\"\nargs = [\"--root\", \"C:\\\\a \\\"b\\\"\"]\n", ""},
		{"TOML, other tables", TOML{"mcp_servers"}, "model = \"m\" # mine\n\n[mcp_servers.a]\ncommand = 'x'\n",
			"model = \"m\" # mine\n\n[mcp_servers.a]\ncommand = 'x'\n\n[mcp_servers.fcp]\ncommand = \"/bin/fcp-host\"\nargs = [\"--root\", \"C:\\\\a \\\"b\\\"\"]\n",
			""},
		{"TOML, Windows, a byte order mark", TOML{"mcp_servers"}, "\ufeffmodel = \"m\"\r\n",
			"\ufeffmodel = \"m\"\r\n\r\n[mcp_servers.fcp]\r\ncommand = \"/bin/fcp-host\"\r\nargs = [\"--root\", \"C:\\\\a \\\"b\\\"\"]\r\n", ""},
		{"TOML, a byte order mark alone", TOML{"mcp_servers"}, "\ufeff", "\ufeff[mcp_servers.fcp]\ncommand = \"/bin/fcp-host\"\nargs = [\"--root\", \"C:\\\\a \\\"b\\\"\"]\n", ""},
		{"TOML, comments of what follows", TOML{"mcp_servers"},
			"# mine\n[a]\nx = 1\n\n[mcp_servers.fcp]\ncommand = \"/bin/fcp-host\"\nargs = []\n\n# of b\n\n# too\n[b]\nx = 1\n",
			"# mine\n[a]\nx = 1\n\n[mcp_servers.fcp]\ncommand = \"/bin/fcp-host\"\nargs = [\"--root\", \"C:\\\\a \\\"b\\\"\"]\n\n# of b\n\n# too\n[b]\nx = 1\n",
			"# mine\n[a]\nx = 1\n\n# of b\n\n# too\n[b]\nx = 1\n"},
		{"TOML, comments behind the last", TOML{"mcp_servers"},
			"[a]\nx = 1\n[mcp_servers.fcp]\ncommand = \"fcp-host\"\n# the end\n", "", "[a]\nx = 1\n# the end\n"},
		{"TOML, ours with more", TOML{"mcp_servers"},
			"[mcp_servers.fcp] # ours\nstartup_timeout_sec = 3\nargs = [ # none\n  'a]', # one\n]\ncommand = '''old''' # where\n[mcp_servers.fcp.env]\nA = \"1\"\n[tui]\nx = 1\n",
			"", "[tui]\nx = 1\n"},
		{"TOML, args alone on lines", TOML{"mcp_servers"},
			"[mcp_servers.fcp] # ours\r\nstartup_timeout_sec = 3\r\nargs = [\r\n  'a', # one\r\n]\r\n  command = 'old' # where\r\n[mcp_servers.fcp.env]\r\nA = \"1\"\r\n[tui]\r\nx = 1\r\n",
			"[mcp_servers.fcp] # ours\r\nstartup_timeout_sec = 3\r\nargs = [\"--root\", \"C:\\\\a \\\"b\\\"\"]\r\n  command = \"/bin/fcp-host\" # where\r\n[mcp_servers.fcp.env]\r\nA = \"1\"\r\n[tui]\r\nx = 1\r\n",
			"[tui]\r\nx = 1\r\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.f.Set([]byte(tt.before), ours)
			if tt.after == "" {
				if err == nil && !valid(t, tt.f, got) {
					t.Fatalf("it made\n%s", got)
				}
			} else if err != nil || string(got) != tt.after {
				t.Fatalf("%v\n%s\nwant\n%s", err, got, tt.after)
			} else if s, err := tt.f.Get(got, "fcp"); err != nil || !reflect.DeepEqual(*s, ours) {
				t.Errorf("%+v %v", s, err)
			} else if again, err := tt.f.Set(got, ours); err != nil || !bytes.Equal(again, got) {
				t.Errorf("set again: %v\n%s", err, again)
			}
			if tt.after == "" {
				got = []byte(tt.before)
			}
			gone, err := tt.f.Remove(got, "fcp")
			want := tt.removed
			if want == "" {
				want = tt.before
			}
			if err != nil || string(gone) != want {
				t.Errorf("removed: %v\n%q\nwant\n%q", err, gone, want)
			}
		})
	}
}

func valid(t *testing.T, f Format, content []byte) bool {
	t.Helper()
	var all map[string]any
	if _, ok := f.(TOML); ok {
		_, err := toml.Decode(string(content), &all)
		return err == nil
	}
	plain, err := hujson.Standardize(bytes.TrimPrefix(content, []byte(bom)))
	return err == nil && json.Unmarshal(plain, &all) == nil
}

func TestWhatCannotBeChangedIsRefused(t *testing.T) {
	for _, tt := range []struct {
		f    Format
		in   string
		want string
	}{
		{plain, "{", "not JSON"},
		{plain, "[]", "no JSON object"},
		{plain, `{"mcpServers": []}`, "mcpServers is not an object"},
		{plain, `{"mcpServers": {"fcp": 1}}`, "mcpServers.fcp is not an object"},
		{plain, `{"mcpServers": {}, "mcpServers": {}}`, "mcpServers occurs twice"},
		{plain, `{"mcpServers": {"fcp": {}, "fcp": {}}}`, "only a person"},
		{TOML{"mcp_servers"}, "a = ", "not TOML"},
		{TOML{"mcp_servers"}, "mcp_servers = 1", "not a table"},
		{TOML{"mcp_servers"}, "mcp_servers = { fcp = { command = 'x' } }", "only a person"},
		{TOML{"mcp_servers"}, "mcp_servers.fcp.command = 'x'", "only a person"},
		{TOML{"mcp_servers"}, "mcp_servers = { a = { command = 'x' } }", "only a person"},
	} {
		if out, err := tt.f.Set([]byte(tt.in), Server{Name: "fcp", Command: "c"}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v %s", tt.in, err, out)
		}
	}
}

// Adding and removing our server does not change other servers.
func TestOthersAreLeftAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		others := rapid.MapOf(rapid.StringMatching(`[a-z."\\ é]{1,6}`), rapid.StringMatching(`[ -~é\n]{0,9}`)).Draw(t, "others")
		delete(others, "fcp")
		servers := map[string]any{}
		for k, v := range others {
			servers[k] = map[string]any{"command": v, "args": []any{v}}
		}
		s := Server{Name: "fcp", Command: rapid.StringMatching(`[ -~é\n\t]{1,9}`).Draw(t, "command"), Args: rapid.SliceOf(rapid.StringMatching(`[ -~é\n]{0,5}`)).Draw(t, "args")}
		for _, f := range []Format{plain, TOML{"mcp_servers"}} {
			var in []byte
			if _, ok := f.(TOML); ok {
				var b bytes.Buffer
				if err := toml.NewEncoder(&b).Encode(map[string]any{"mcp_servers": servers, "x": 1}); err != nil {
					t.Fatal(err)
				}
				in = b.Bytes()
			} else if rapid.Bool().Draw(t, "lines") {
				in, _ = json.MarshalIndent(map[string]any{"mcpServers": servers, "x": 1}, "", " ")
			} else {
				in, _ = json.Marshal(map[string]any{"mcpServers": servers, "x": 1})
			}
			out, err := f.Set(in, s)
			if err != nil {
				t.Fatalf("%v\n%s", err, in)
			}
			is, err := f.Get(out, "fcp")
			if err != nil || is == nil || is.Command != s.Command || len(is.Args) != len(s.Args) || len(s.Args) > 0 && !reflect.DeepEqual(is.Args, s.Args) {
				t.Fatalf("%+v %v in\n%s", is, err, out)
			}
			for k, v := range others {
				if is, err := f.Get(out, k); err != nil || is == nil || is.Command != v {
					t.Fatalf("%q is %+v %v in\n%s", k, is, err, out)
				}
			}
			gone, err := f.Remove(out, "fcp")
			if err != nil || !bytes.Equal(gone, in) {
				t.Fatalf("%v\n%q\nwant\n%q", err, gone, in)
			}
		}
	})
}

func TestFilesAreWhereEachSystemHasThem(t *testing.T) {
	env := map[string]string{}
	m := Machine{OS: "linux", Home: "/h", Getenv: func(k string) string { return env[k] }, Exists: func(string) bool { return false }}
	file := func(name string) string {
		c, ok := Named(name)
		if !ok {
			t.Fatalf("no client %s", name)
		}
		return c.File(m)
	}
	check := func(name, want string) {
		t.Helper()
		if got := file(name); got != want {
			t.Errorf("%s on %s: %s, want %s", name, m.OS, got, want)
		}
	}
	check("claude-code", "/h/.claude.json")
	check("claude-desktop", "/h/.config/Claude/claude_desktop_config.json")
	check("cursor", "/h/.cursor/mcp.json")
	check("vscode", "/h/.config/Code/User/mcp.json")
	check("codex", "/h/.codex/config.toml")
	check("zed", "/h/.config/zed/settings.json")
	m.OS = "darwin"
	check("claude-desktop", "/h/Library/Application Support/Claude/claude_desktop_config.json")
	check("vscode", "/h/Library/Application Support/Code/User/mcp.json")
	m.OS = "windows"
	env["APPDATA"] = "/roam"
	check("claude-desktop", "/roam/Claude/claude_desktop_config.json")
	check("zed", "/roam/Zed/settings.json")
	env["CODEX_HOME"], env["CLAUDE_CONFIG_DIR"], env["COPILOT_HOME"] = "/cx", "/cc", "/co"
	check("codex", "/cx/config.toml")
	check("claude-code", "/cc/.claude.json")
	check("copilot", "/co/mcp-config.json")
}
