// Package clients knows where MCP clients keep their servers, and adds one to such a file without touching what else is in it.
package clients

import (
	"path/filepath"
)

// Machine is what the paths of clients' files depend on.
type Machine struct {
	OS     string              // as runtime.GOOS
	Home   string              // the user's home folder
	Getenv func(string) string // the environment
	Exists func(string) bool   // reports whether a file or folder exists
}

// Server is an MCP server over stdio, as a client starts it.
type Server struct {
	Name    string   // its key in the client's file
	Command string   // a program: an absolute path, or a name on the PATH
	Args    []string // the program's arguments
}

// Client is a program that starts MCP servers.
type Client struct {
	Name    string // its name on a command line: claude-desktop
	Title   string // its makers' name for it: Claude Desktop
	Project string // its file in a project, relative to the project's folder; "" if it has none
	Next    string // what to do after the file has changed
	Folder  string // in words: the files that a server without a root may open
	Format  Format // of its files

	file func(Machine) string // the path of the user's file
	args func(m Machine, project bool) []string
}

// File returns the path of the user's file.
func (c Client) File(m Machine) string { return c.file(m) }

// Args returns the arguments that let the server open and save the user's files, in the user's file or the project's;
// none if the client starts it in the right folder, or declares its folders as roots.
func (c Client) Args(m Machine, project bool) []string {
	if c.args == nil {
		return nil
	}
	return c.args(m, project)
}

// All returns the known clients.
func All() []Client {
	const restart = "restart it"
	const started = "the folder in which you start it"
	const open = "the folders that are open in it"
	plain := JSON{Path: []string{"mcpServers"}}
	typed := JSON{Path: []string{"mcpServers"}, Before: []Member{{"type", "stdio"}}}
	return []Client{
		{Name: "claude-code", Title: "Claude Code", Folder: started, Project: ".mcp.json", Next: "start a new session; /mcp lists it", Format: typed,
			file: func(m Machine) string {
				if dir := m.Getenv("CLAUDE_CONFIG_DIR"); dir != "" {
					return filepath.Join(dir, ".claude.json")
				}
				return filepath.Join(m.Home, ".claude.json")
			}},
		{Name: "claude-desktop", Title: "Claude Desktop", Folder: "the folder in which it starts programs", Next: "quit it and start it again", Format: plain, args: documents,
			file: func(m Machine) string { return filepath.Join(m.settings(), "Claude", "claude_desktop_config.json") }},
		{Name: "cursor", Title: "Cursor", Folder: open, Project: filepath.Join(".cursor", "mcp.json"), Next: "see its settings, MCP", Format: plain, args: workspace,
			file: func(m Machine) string { return filepath.Join(m.Home, ".cursor", "mcp.json") }},
		{Name: "vscode", Title: "VS Code", Folder: open, Project: filepath.Join(".vscode", "mcp.json"), Next: "MCP: List Servers starts it", args: workspace,
			Format: JSON{Path: []string{"servers"}, Before: []Member{{"type", "stdio"}}},
			file:   func(m Machine) string { return filepath.Join(m.settings(), "Code", "User", "mcp.json") }},
		{Name: "codex", Title: "Codex", Folder: started, Project: filepath.Join(".codex", "config.toml"), Next: "start a new session; /mcp lists it", Format: TOML{Table: "mcp_servers"},
			file: func(m Machine) string {
				if dir := m.Getenv("CODEX_HOME"); dir != "" {
					return filepath.Join(dir, "config.toml")
				}
				return filepath.Join(m.Home, ".codex", "config.toml")
			}},
		{Name: "copilot", Title: "GitHub Copilot CLI", Folder: started, Next: "start a new session; /mcp lists it",
			Format: JSON{Path: []string{"mcpServers"}, Before: []Member{{"type", "local"}}, After: []Member{{"tools", []string{"*"}}}},
			file: func(m Machine) string {
				if dir := m.Getenv("COPILOT_HOME"); dir != "" {
					return filepath.Join(dir, "mcp-config.json")
				}
				return filepath.Join(m.Home, ".copilot", "mcp-config.json")
			}},
		{Name: "gemini", Title: "Gemini CLI", Folder: started, Project: filepath.Join(".gemini", "settings.json"),
			Next: "start it in a folder and trust that (/permissions), since gemini mcp list says Disabled until then; /mcp lists it", Format: plain,
			file: func(m Machine) string { return filepath.Join(m.Home, ".gemini", "settings.json") }},
		{Name: "lm-studio", Title: "LM Studio", Folder: "the folder in which it starts programs", Next: "turn it on in the program tab", Format: plain, args: documents,
			file: func(m Machine) string { return filepath.Join(m.Home, ".lmstudio", "mcp.json") }},
		{Name: "opencode", Title: "OpenCode", Folder: started, Project: "opencode.json", Next: "start a new session",
			Format: JSON{Path: []string{"mcp"}, Before: []Member{{"type", "local"}}, After: []Member{{"enabled", true}}, OneList: true},
			file: func(m Machine) string {
				dir := filepath.Join(m.xdg("XDG_CONFIG_HOME", ".config"), "opencode")
				if file := filepath.Join(dir, "opencode.jsonc"); m.Exists(file) {
					return file
				}
				return filepath.Join(dir, "opencode.json")
			}},
		{Name: "windsurf", Title: "Windsurf", Folder: "the folder in which it starts programs", Next: "refresh its list of MCP servers", Format: plain, args: documents,
			file: func(m Machine) string { return filepath.Join(m.Home, ".codeium", "windsurf", "mcp_config.json") }},
		{Name: "zed", Title: "Zed", Folder: open, Project: filepath.Join(".zed", "settings.json"), Next: restart,
			Format: JSON{Path: []string{"context_servers"}, Before: []Member{{"source", "custom"}}},
			file: func(m Machine) string {
				if m.OS == "windows" {
					return filepath.Join(m.settings(), "Zed", "settings.json")
				}
				return filepath.Join(m.xdg("XDG_CONFIG_HOME", ".config"), "zed", "settings.json")
			}},
	}
}

// Named returns the client of that name.
func Named(name string) (Client, bool) {
	for _, c := range All() {
		if c.Name == name {
			return c, true
		}
	}
	return Client{}, false
}

// Names returns the names of all clients.
func Names() (names []string) {
	for _, c := range All() {
		names = append(names, c.Name)
	}
	return names
}

// Workspace returns arguments for the folder of a project that is open in an editor: the editor replaces the variable.
func Workspace() []string { return []string{"--root", "${workspaceFolder}"} }

// workspace returns Workspace for a project's file. In the user's file, editors do not replace the variable while no
// folder is open, and they declare the open folders as roots anyway.
func workspace(_ Machine, project bool) []string {
	if !project {
		return nil
	}
	return Workspace()
}

// documents returns the user's folder of documents, for clients that do not start servers in a folder of the user's.
func documents(m Machine, _ bool) []string {
	if dir := filepath.Join(m.Home, "Documents"); m.Exists(dir) {
		return []string{"--root", dir}
	}
	return []string{"--root", m.Home}
}

// settings returns the folder for settings of desktop programs.
func (m Machine) settings() string {
	switch m.OS {
	case "darwin":
		return filepath.Join(m.Home, "Library", "Application Support")
	case "windows":
		if dir := m.Getenv("APPDATA"); dir != "" {
			return dir
		}
		return filepath.Join(m.Home, "AppData", "Roaming")
	}
	return m.xdg("XDG_CONFIG_HOME", ".config")
}

// xdg returns a folder of the XDG Base Directory Specification.
func (m Machine) xdg(name, otherwise string) string {
	if dir := m.Getenv(name); filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(m.Home, otherwise)
}
