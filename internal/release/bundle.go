package main

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

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
func (k *kit) bundles() error {
	tools, err := k.tools()
	if err != nil {
		return err
	}
	for _, b := range k.binaries {
		if b.goos == "darwin" && b.goarch != "all" {
			continue
		}
		program, err := b.entry("server/" + b.program())
		if err != nil {
			return err
		}
		text, err := marshal(bundleManifest{
			Version: "0.3", Name: "fcp-host", DisplayName: "fcp-host", ServerVersion: k.version, Description: summary,
			Long:   "Ask for a song, a diagram, an icon or the cut of a film, and get a file. The formats run in a sandbox, and files stay in the folder that you choose.",
			Author: map[string]string{"name": "The fcp-host authors", "url": k.repository}, Repository: map[string]string{"type": "git", "url": k.repository},
			Server: bundleServer{"binary", program.name, bundleConfig{"${__dirname}/" + program.name, []string{"--root", "${user_config.folder}"}, map[string]string{}}},
			Tools:  tools, MoreTools: true, Keywords: []string{"midi", "drawio", "svg", "video", "markdown"}, License: "Apache-2.0",
			Compatibility: map[string][]string{"platforms": {nodeOS[b.goos]}},
			UserConfig: map[string]bundleKnob{"folder": {Type: "directory", Title: "Folder for files", Description: "Files are opened and saved in this folder and those in it, and nowhere else.",
				Required: true, Default: "${DOCUMENTS}"}},
		})
		if err != nil {
			return err
		}
		var zip bytes.Buffer
		entries := append([]entry{{name: "manifest.json", mode: 0o644, content: text}, program}, k.legal...)
		if err := writeZip(&zip, k.at, entries); err != nil {
			return err
		}
		if err := k.put(fmt.Sprintf("fcp-host_%s_%s_%s.mcpb", k.version, b.goos, b.goarch), zip.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// tools asks the program for this machine for its tools.
func (k *kit) tools() (list []bundleTool, err error) {
	for _, b := range k.platforms() {
		if b.goos != runtime.GOOS || b.goarch != runtime.GOARCH {
			continue
		}
		file, err := filepath.Abs(b.file)
		if err != nil {
			return nil, err
		}
		c, err := mcpclient.NewStdioMCPClient(file, nil, "serve", "--config", "off", "--no-journal", "--cache", "off")
		if err != nil {
			return nil, err
		}
		defer c.Close()
		var hello mcp.InitializeRequest
		hello.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
		hello.Params.ClientInfo = mcp.Implementation{Name: "release", Version: k.version}
		if _, err := c.Initialize(context.Background(), hello); err != nil {
			return nil, fmt.Errorf("%s: initialize: %w", b.file, err)
		}
		all, err := c.ListTools(context.Background(), mcp.ListToolsRequest{})
		if err != nil {
			return nil, fmt.Errorf("%s: tools/list: %w", b.file, err)
		}
		for _, t := range all.Tools {
			first, _, _ := strings.Cut(t.Description, ". ")
			list = append(list, bundleTool{t.Name, strings.TrimSuffix(first, ".") + "."})
		}
		return list, nil
	}
	return nil, fmt.Errorf("no program was built for this machine, %s/%s", runtime.GOOS, runtime.GOARCH)
}
