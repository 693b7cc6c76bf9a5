package main

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/internal/ends"
)

// serverName is the server's name in the registry of MCP servers. Packages contain it, which proves to the registry
// that they belong to the server.
const serverName = "io.github.fcp-host/fcp-host"

// Parts of a server.json.
type (
	serverEntry struct {
		Schema      string            `json:"$schema"`
		Name        string            `json:"name"`
		Title       string            `json:"title"`
		Description string            `json:"description"`
		Repository  map[string]string `json:"repository"`
		Version     string            `json:"version"`
		Packages    []serverPackage   `json:"packages"`
	}
	serverPackage struct {
		Type       string            `json:"registryType"`
		BaseURL    string            `json:"registryBaseUrl,omitempty"`
		Identifier string            `json:"identifier"`
		Version    string            `json:"version,omitempty"`
		SHA256     string            `json:"fileSha256,omitempty"`
		Hint       string            `json:"runtimeHint,omitempty"`
		Transport  map[string]string `json:"transport"`
	}
)

// serverJSON writes the entry for the registry of MCP servers.
func (k *kit) serverJSON() {
	stdio := map[string]string{"type": "stdio"}
	source := "github"
	if strings.HasPrefix(k.repository, "https://gitlab.com/") {
		source = "gitlab"
	}
	e := serverEntry{
		Schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json", Name: serverName, Title: "fcp-host",
		Description: "Edit files through short operations: MIDI, draw.io, SVG, video timelines, plans in Markdown",
		Repository:  map[string]string{"url": k.repository, "source": source}, Version: k.version,
		Packages: []serverPackage{{Type: "npm", BaseURL: "https://registry.npmjs.org", Identifier: "fcp-host", Version: k.version, Hint: "npx", Transport: stdio}},
	}
	for _, name := range k.made {
		if strings.HasSuffix(name, ".mcpb") {
			sum := k.sum(name)
			e.Packages = append(e.Packages, serverPackage{Type: "mcpb", Identifier: k.downloads + "/" + name, SHA256: sum, Transport: stdio})
		}
	}
	if len(e.Description) > 100 {
		ends.If(fmt.Errorf("the registry takes no description of more than 100 characters: %s", e.Description))
	}
	text := ends.Unless(marshal(e))
	k.put("server.json", text)
}
