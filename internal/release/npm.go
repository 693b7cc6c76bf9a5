package main

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/internal/ends"
)

//go:embed files/launcher.js
var launcher []byte

//go:embed files/npm.md
var npmReadme []byte

const summary = "Lets language models edit files through short operations: an MCP server with MIDI, draw.io, SVG, video and more"

// npmManifest is a package.json.
type npmManifest struct {
	Name        string            `json:"name"`
	Version     string            `json:"version"`
	Description string            `json:"description"`
	License     string            `json:"license"`
	Repository  map[string]string `json:"repository"`
	McpName     string            `json:"mcpName,omitempty"` // by which the registry of MCP servers identifies the owner
	Keywords    []string          `json:"keywords,omitempty"`
	Bin         map[string]string `json:"bin,omitempty"`
	Engines     map[string]string `json:"engines,omitempty"`
	OS          []string          `json:"os,omitempty"`
	CPU         []string          `json:"cpu,omitempty"`
	Unplugged   bool              `json:"preferUnplugged,omitempty"` // a program cannot run from an archive
	Optional    map[string]string `json:"optionalDependencies,omitempty"`
	Publish     map[string]string `json:"publishConfig"`
}

// Node.js's names of platforms.
var (
	nodeOS  = map[string]string{"windows": "win32", "darwin": "darwin", "linux": "linux"}
	nodeCPU = map[string]string{"amd64": "x64", "arm64": "arm64"}
)

// npm makes one package for each platform, and the main one: it depends on all of them, and npm installs the one that
// fits.
func (k *kit) npm() {
	main := k.npmManifest("fcp-host")
	main.McpName, main.Keywords = serverName, []string{"mcp", "mcp-server", "midi", "drawio", "svg"}
	main.Bin, main.Engines = map[string]string{"fcp-host": "bin/fcp-host.js"}, map[string]string{"node": ">=18"}
	main.Optional = map[string]string{}
	for _, b := range k.platforms() {
		m := k.npmManifest(fmt.Sprintf("@fcp-host/%s-%s", nodeOS[b.goos], nodeCPU[b.goarch]))
		m.Description = fmt.Sprintf("The program of fcp-host for %s on %s; install fcp-host instead", b.goos, b.goarch)
		m.OS, m.CPU, m.Unplugged = []string{nodeOS[b.goos]}, []string{nodeCPU[b.goarch]}, true
		main.Optional[m.Name] = k.version
		program := b.entry("bin/" + b.program())
		k.npmPackage(m, program)
	}
	k.npmPackage(main, entry{name: "bin/fcp-host.js", mode: 0o755, content: launcher}, entry{name: "README.md", mode: 0o644, content: npmReadme})
}

func (k *kit) npmManifest(name string) *npmManifest {
	return &npmManifest{Name: name, Version: k.version, Description: summary, License: "Apache-2.0",
		Repository: map[string]string{"type": "git", "url": "git+" + k.repository + ".git"}, Publish: map[string]string{"access": "public"}}
}

// npmPackage writes an archive with the name that npm pack uses.
func (k *kit) npmPackage(m *npmManifest, files ...entry) {
	text := ends.Unless(marshal(m))
	files = append(append([]entry{{name: "package.json", mode: 0o644, content: text}}, files...), k.legal...)
	for i := range files {
		files[i].name = "package/" + files[i].name
	}
	data := ends.Unless(tarGz(k.at, files))
	k.put("npm-"+strings.NewReplacer("@", "", "/", "-").Replace(m.Name)+"-"+k.version+".tgz", data)
}
