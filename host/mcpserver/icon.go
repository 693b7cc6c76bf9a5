package mcpserver

import (
	_ "embed"

	"github.com/mark3labs/mcp-go/mcp"
)

//go:embed icon.png
var iconPNG []byte

// icon is the server's icon. The tools have none: each would carry it in every list.
func icon() mcp.Icon {
	return mcp.Icon{Src: "data:image/png;base64," + encode(iconPNG), MIMEType: "image/png", Sizes: []string{"32x32"}}
}
