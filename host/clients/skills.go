package clients

import (
	"fmt"
	"path/filepath"
)

// SkillFolder is where a client looks for skills, each in a folder of its own with a file SKILL.md.
type SkillFolder struct {
	Name    string // of the client on a command line
	Title   string
	Project string // in a project, relative to the project's folder

	user func(Machine) string
}

// User returns the path of the user's folder.
func (f SkillFolder) User(m Machine) string { return f.user(m) }

// SkillFolders lists the clients that read skills. "agents" is the folder that several of them share.
func SkillFolders() []SkillFolder {
	home := func(words ...string) func(Machine) string {
		return func(m Machine) string { return filepath.Join(append([]string{m.Home}, words...)...) }
	}
	variable := func(name string, words ...string) func(Machine) string {
		return func(m Machine) string {
			if dir := m.Getenv(name); dir != "" {
				return filepath.Join(dir, "skills")
			}
			return home(words...)(m)
		}
	}
	return []SkillFolder{
		{"agents", "Agents that share ~/.agents", filepath.Join(".agents", "skills"), home(".agents", "skills")},
		{"claude-code", "Claude Code", filepath.Join(".claude", "skills"), variable("CLAUDE_CONFIG_DIR", ".claude", "skills")},
		{"codex", "Codex", filepath.Join(".agents", "skills"), home(".agents", "skills")},
		{"copilot", "GitHub Copilot", filepath.Join(".github", "skills"), variable("COPILOT_HOME", ".copilot", "skills")},
		{"cursor", "Cursor", filepath.Join(".cursor", "skills"), home(".cursor", "skills")},
		{"gemini", "Gemini CLI", filepath.Join(".gemini", "skills"), home(".gemini", "skills")},
		{"opencode", "OpenCode", filepath.Join(".opencode", "skills"), func(m Machine) string {
			return filepath.Join(m.xdg("XDG_CONFIG_HOME", ".config"), "opencode", "skills")
		}},
		{"vscode", "VS Code", filepath.Join(".github", "skills"), home(".copilot", "skills")},
	}
}

// SkillFolderOf returns the folder of a client by its name.
func SkillFolderOf(name string) (SkillFolder, error) {
	var names []string
	for _, f := range SkillFolders() {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return SkillFolder{}, fmt.Errorf("no client %q that reads skills is known; there are %v; --out DIR writes them anywhere", name, names)
}
