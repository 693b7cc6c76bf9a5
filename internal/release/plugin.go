package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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
func (k *kit) plugin() error {
	skills, err := k.skills()
	if err != nil {
		return err
	}
	return k.putPlugin(skills)
}

// putPlugin makes the plugin of skills, whose names are NAME/SKILL.md.
func (k *kit) putPlugin(skills []entry) error {
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
		text, err := marshal(file.content)
		if err != nil {
			return err
		}
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
	if err := writeZip(&zip, k.at, entries); err != nil {
		return err
	}
	return k.put(fmt.Sprintf("fcp-host_%s_agent_plugin.zip", k.version), zip.Bytes())
}

// skills has the program for this machine write its skills.
func (k *kit) skills() (list []entry, err error) {
	for _, b := range k.platforms() {
		if b.goos != runtime.GOOS || b.goarch != runtime.GOARCH {
			continue
		}
		dir, err := os.MkdirTemp("", "skills-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		cmd := exec.Command(b.file, "skill", "--out", dir)
		cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+dir, "XDG_DATA_HOME="+dir) // of the release, not of who makes it
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s skill: %w\n%s", b.file, err, out)
		}
		files, err := filepath.Glob(filepath.Join(dir, "*", "SKILL.md"))
		if err != nil || len(files) == 0 {
			return nil, errors.Join(fmt.Errorf("%s skill wrote nothing", b.file), err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			list = append(list, entry{name: filepath.Base(filepath.Dir(file)) + "/SKILL.md", mode: 0o644, content: text})
		}
		return list, nil
	}
	return nil, fmt.Errorf("no program was built for this machine, %s/%s", runtime.GOOS, runtime.GOARCH)
}
