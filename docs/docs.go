// Package docs embeds pages of the documentation, so that tests can compare them with the code.
package docs

import (
	_ "embed"
	"strings"
)

// ABI is abi.md: the contract between host and plugin.
//
//go:embed abi.md
var ABI string

// Architecture is architecture.md: the map of the sources.
//
//go:embed architecture.md
var Architecture string

// Authoring is authoring.md: how to write a domain.
//
//go:embed authoring.md
var Authoring string

// Operations is operations.md: how to run fcp-host.
//
//go:embed operations.md
var Operations string

// Protocol is protocol.md: what a client sends, and what it gets back.
//
//go:embed protocol.md
var Protocol string

// Scale is scale.md: how to run several hosts.
//
//go:embed scale.md
var Scale string

// Files returns the files that a page shows, by name: the fenced blocks that
// follow a line `<!-- file: NAME -->`.
func Files(page string) map[string]string {
	files := map[string]string{}
	for _, part := range strings.Split(page, "\n<!-- file: ")[1:] {
		name, rest, _ := strings.Cut(part, " -->\n")
		_, rest, _ = strings.Cut(rest, "\n") // the fence
		content, _, _ := strings.Cut(rest, "\n```")
		files[name] = content + "\n"
	}
	return files
}
