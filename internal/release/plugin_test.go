package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"testing"
)

func TestThePluginIsOneFolderForClaudeCodeAndCodex(t *testing.T) {
	k := testKit(t)
	k.putPlugin([]entry{{name: "fcp-midi/SKILL.md", mode: 0o644, content: []byte("---\nname: fcp-midi\n---\n")}})
	data := k.read(t, "fcp-host_1.2.3_agent_plugin.zip")
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]any{}
	var names []string
	for _, f := range r.File {
		c, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(c)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, f.Name)
		var v any
		if json.Unmarshal(text, &v) == nil {
			files[f.Name] = v
		}
	}
	want := []string{".claude-plugin/marketplace.json", ".agents/plugins/marketplace.json", "plugins/fcp-host/.claude-plugin/plugin.json", "plugins/fcp-host/.codex-plugin/plugin.json",
		"plugins/fcp-host/.mcp.json", "plugins/fcp-host/skills/fcp-midi/SKILL.md", "plugins/fcp-host/LICENSE"}
	if !slices.Equal(names, want) {
		t.Errorf("it has %q", names)
	}
	at := func(file string, path ...any) (v any) {
		v = files[file]
		for _, p := range path {
			switch p := p.(type) {
			case string:
				m, _ := v.(map[string]any)
				v = m[p]
			case int:
				l, _ := v.([]any)
				if p >= len(l) {
					return nil
				}
				v = l[p]
			}
		}
		return v
	}
	const claude, codex = "plugins/fcp-host/.claude-plugin/plugin.json", "plugins/fcp-host/.codex-plugin/plugin.json"
	for _, c := range []struct {
		got, want any
	}{
		{at(".claude-plugin/marketplace.json", "plugins", 0, "source"), "./plugins/fcp-host"},
		{at(".agents/plugins/marketplace.json", "plugins", 0, "source", "path"), "./plugins/fcp-host"},
		{at(".agents/plugins/marketplace.json", "plugins", 0, "policy", "installation"), "AVAILABLE"},
		{at(claude, "name"), "fcp-host"},
		{at(claude, "version"), "1.2.3"},
		{at(codex, "version"), "1.2.3"},
		{at(codex, "skills"), "./skills/"},
		{at(codex, "mcpServers"), "./.mcp.json"},
		{at("plugins/fcp-host/.mcp.json", "mcpServers", "fcp", "command"), "fcp-host"},
	} {
		if c.got != c.want {
			t.Errorf("got %v, want %v", c.got, c.want)
		}
	}
}
