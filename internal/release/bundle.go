package main

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/fcp-host/fcp-host/internal/ends"
	mcpclient "github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
)

// Parts of the manifest of an MCP bundle (.mcpb).
type (
	bundleManifest struct {
		Version       string                `json:"manifest_version"`
		Name          string                `json:"name"`
		DisplayName   string                `json:"display_name"`
		ServerVersion string                `json:"version"`
		Description   string                `json:"description"`
		Long          string                `json:"long_description"`
		Author        map[string]string     `json:"author"`
		Repository    map[string]string     `json:"repository"`
		Server        bundleServer          `json:"server"`
		Tools         []bundleTool          `json:"tools"`
		MoreTools     bool                  `json:"tools_generated"` // for plugins that the user adds
		Keywords      []string              `json:"keywords"`
		License       string                `json:"license"`
		Compatibility map[string][]string   `json:"compatibility"`
		UserConfig    map[string]bundleKnob `json:"user_config"`
	}
	bundleServer struct {
		Type       string       `json:"type"`
		EntryPoint string       `json:"entry_point"`
		Config     bundleConfig `json:"mcp_config"`
	}
	bundleConfig struct {
		Command string            `json:"command"`
		Args    []string          `json:"args"`
		Env     map[string]string `json:"env"`
	}
	bundleTool struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	}
	bundleKnob struct {
		Type        string `json:"type"`
		Title       string `json:"title"`
		Description string `json:"description"`
		Required    bool   `json:"required"`
		Default     string `json:"default"`
	}
)

// bundles makes a bundle for Claude Desktop for each system; the macOS bundle has both architectures. A manifest
// distinguishes systems but not architectures, and a bundle of all programs would be four times as large.
func (k *kit) bundles() {
	tools := k.tools()
	for _, b := range k.binaries {
		if b.goos == "darwin" && b.goarch != "all" {
			continue
		}
		program := b.entry("server/" + b.program())
		text := ends.Unless(marshal(bundleManifest{
			Version: "0.3", Name: "fcp-host", DisplayName: "fcp-host", ServerVersion: k.version, Description: summary,
			Long:   "Ask for a song, a diagram, an icon or the cut of a film, and get a file. The formats run in a sandbox, and files stay in the folder that you choose.",
			Author: map[string]string{"name": "The fcp-host authors", "url": k.repository}, Repository: map[string]string{"type": "git", "url": k.repository},
			Server: bundleServer{"binary", program.name, bundleConfig{"${__dirname}/" + program.name, []string{"--root", "${user_config.folder}"}, map[string]string{}}},
			Tools:  tools, MoreTools: true, Keywords: []string{"midi", "drawio", "svg", "video", "markdown"}, License: "Apache-2.0",
			Compatibility: map[string][]string{"platforms": {nodeOS[b.goos]}},
			UserConfig: map[string]bundleKnob{"folder": {Type: "directory", Title: "Folder for files", Description: "Files are opened and saved in this folder and those in it, and nowhere else.",
				Required: true, Default: "${DOCUMENTS}"}},
		}))
		var zip bytes.Buffer
		entries := append([]entry{{name: "manifest.json", mode: 0o644, content: text}, program}, k.legal...)
		ends.If(writeZip(&zip, k.at, entries))
		k.put(fmt.Sprintf("fcp-host_%s_%s_%s.mcpb", k.version, b.goos, b.goarch), zip.Bytes())
	}
}

// tools asks the program for this machine for its tools.
func (k *kit) tools() (list []bundleTool) {
	for _, b := range k.platforms() {
		if b.goos != runtime.GOOS || b.goarch != runtime.GOARCH {
			continue
		}
		file := ends.Unless(filepath.Abs(b.file))
		c := ends.Unless(mcpclient.NewStdioMCPClient(file, nil, "serve", "--config", "off", "--no-journal", "--cache", "off"))
		defer c.Close()
		var hello mcp.InitializeRequest
		hello.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
		hello.Params.ClientInfo = mcp.Implementation{Name: "release", Version: k.version}
		_, err := c.Initialize(context.Background(), hello)
		ends.In(b.file+": initialize", err)
		all, err := c.ListTools(context.Background(), mcp.ListToolsRequest{})
		ends.In(b.file+": tools/list", err)
		for _, t := range all.Tools {
			first, _, _ := strings.Cut(t.Description, ". ")
			list = append(list, bundleTool{t.Name, strings.TrimSuffix(first, ".") + "."})
		}
		return list
	}
	ends.If(fmt.Errorf("no program was built for this machine, %s/%s", runtime.GOOS, runtime.GOARCH))
	return nil
}
