package mcpserver

import (
	"embed"

	"github.com/mark3labs/mcp-go/mcp"
)

//go:embed icons
var icons embed.FS

// icon is the icon of a kind of tool, small enough to be part of the list of tools.
func icon(kind string) mcp.Icon {
	data, err := icons.ReadFile("icons/" + kind + ".png")
	if err != nil {
		panic(err) // impossible: embedded, and a test reads each
	}
	return mcp.Icon{Src: "data:image/png;base64," + encode(data), MIMEType: "image/png", Sizes: []string{"32x32"}}
}
