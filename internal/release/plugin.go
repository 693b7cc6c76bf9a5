package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"runtime"

	"github.com/fcp-host/fcp-host/internal/ends"
)

// Parts of the plugin for Claude Code and Codex. Its skills and its server need fcp-host on the PATH: a program for every
// system would make it 90 MB, and a shell could not start it by name.
type (
	pluginManifest struct {
		Name        string            `json:"name"`
		Version     string            `json:"version"`
		Description string            `json:"description"`
		Author      map[string]string `json:"author"`
		Homepage    string            `json:"homepage"`
		Repository  string            `json:"repository"`
		License     string            `json:"license"`
		Keywords    []string          `json:"keywords"`
	}
	// codexManifest names the parts that Claude Code finds by their places.
	codexManifest struct {
		pluginManifest
		Skills    string      `json:"skills"`
		Servers   string      `json:"mcpServers"`
		Interface codexListed `json:"interface"`
	}
	codexListed struct {
		Name      string   `json:"displayName"`
		Short     string   `json:"shortDescription"`
		Long      string   `json:"longDescription"`
		Developer string   `json:"developerName"`
		Category  string   `json:"category"`
		Can       []string `json:"capabilities"`
		Website   string   `json:"websiteURL"`
		Prompts   []string `json:"defaultPrompt"`
	}
)

const (
	pluginAt = "plugins/fcp-host/" // in the marketplace
	category = "Productivity"
)

// plugin makes a folder that is a marketplace for Claude Code and for Codex, with one plugin for both: the skills and
// the MCP server.
func (k *kit) plugin() { k.putPlugin(k.skills()) }

// putPlugin makes the plugin of skills, whose names are NAME/SKILL.md.
func (k *kit) putPlugin(skills []entry) {
	m := pluginManifest{Name: "fcp-host", Version: k.version, Description: summary, Author: map[string]string{"name": "The fcp-host authors", "url": k.repository},
		Homepage: k.repository, Repository: k.repository, License: "Apache-2.0", Keywords: []string{"midi", "music", "drawio", "diagram", "svg", "video", "tasks"}}
	var entries []entry
	for _, file := range []struct {
		name    string
		content any
	}{
		{".claude-plugin/marketplace.json", map[string]any{
			"name": m.Name, "description": m.Description, "owner": m.Author,
			"plugins": []any{map[string]any{"name": m.Name, "source": "./" + pluginAt[:len(pluginAt)-1], "description": m.Description}},
		}},
		{".agents/plugins/marketplace.json", map[string]any{
			"name": m.Name, "interface": map[string]string{"displayName": m.Name},
			"plugins": []any{map[string]any{
				"name": m.Name, "source": map[string]string{"source": "local", "path": "./" + pluginAt[:len(pluginAt)-1]},
				"policy": map[string]string{"installation": "AVAILABLE", "authentication": "ON_INSTALL"}, "category": category,
			}},
		}},
		{pluginAt + ".claude-plugin/plugin.json", m},
		{pluginAt + ".codex-plugin/plugin.json", codexManifest{m, "./skills/", "./.mcp.json", codexListed{
			Name: m.Name, Short: m.Description, Long: m.Description, Developer: "The fcp-host authors", Category: category, Can: []string{"Interactive", "Write"}, Website: k.repository,
			Prompts: []string{"Draw our set-up from this text as a draw.io diagram.", "Make an 8-bar bossa in D minor.", "Draw a simple logo as SVG."},
		}}},
		{pluginAt + ".mcp.json", map[string]any{"mcpServers": map[string]any{"fcp": map[string]any{"command": "fcp-host", "args": []string{}}}}},
	} {
		text := ends.Unless(marshal(file.content))
		entries = append(entries, entry{name: file.name, mode: 0o644, content: text})
	}
	for _, s := range skills {
		s.name = pluginAt + "skills/" + s.name
		entries = append(entries, s)
	}
	for _, e := range k.legal {
		if e.name == "LICENSE" { // the notices are about the program, which is not in here
			e.name = pluginAt + e.name
			entries = append(entries, e)
		}
	}
	var zip bytes.Buffer
	ends.If(writeZip(&zip, k.at, entries))
	k.put(fmt.Sprintf("fcp-host_%s_agent_plugin.zip", k.version), zip.Bytes())
}

// skills has the program for this machine write the skills of its built-in domains that need no server.
func (k *kit) skills() (list []entry) {
	for _, b := range k.platforms() {
		if b.goos != runtime.GOOS || b.goarch != runtime.GOARCH {
			continue
		}
		text, err := exec.Command(b.file, "version", "--json").Output()
		ends.In(b.file+" version", err)
		var is struct {
			Domains []struct {
				Name   string
				Remote bool
			}
		}
		ends.In(b.file+" version", json.Unmarshal(text, &is))
		for _, d := range is.Domains {
			if d.Remote {
				continue
			}
			text, err := exec.Command(b.file, "skill", d.Name).Output()
			ends.In(b.file+" skill "+d.Name, err)
			list = append(list, entry{name: "fcp-" + d.Name + "/SKILL.md", mode: 0o644, content: text})
		}
		if len(list) == 0 {
			ends.If(fmt.Errorf("%s has no domains", b.file))
		}
		return list
	}
	ends.If(fmt.Errorf("no program was built for this machine, %s/%s", runtime.GOOS, runtime.GOARCH))
	return nil
}
