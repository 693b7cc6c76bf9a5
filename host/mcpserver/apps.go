package mcpserver

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/host/view"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// The view as an MCP App (SEP-1865), for clients over stdio that say that they show such: the page is a resource, the tools that start and
// change documents are linked to it, and one more tool, which models are not shown, answers what the page asks. All other clients
// see nothing of it.
const (
	uiExtension = "io.modelcontextprotocol/ui"
	appURI      = "ui://fcp/view"
	appMIME     = "text/html;profile=mcp-app"
	appTool     = "fcp_view"
)

// showsApps reports whether a client that declared these capabilities shows MCP Apps of our kind.
func showsApps(can mcp.ClientCapabilities) bool {
	ext, ok := can.Extensions[uiExtension].(map[string]any)
	if !ok {
		return false
	}
	kinds, some := ext["mimeTypes"].([]any)
	return !some || slices.Contains(kinds, any(appMIME))
}

// app is the view of the session, which is made for the first client that shows it.
func (s *Server) app() *view.View {
	s.viewing.Do(func() {
		v := s.config.View
		if v == nil {
			v = view.New(s.session)
		}
		v.Acted(s.resources.changed)
		s.viewed.Store(v)
	})
	return s.viewed.Load()
}

// linkApps adds to a list of tools what clients with MCP Apps need.
func (s *Server) linkApps(ctx context.Context, _ any, _ *mcp.ListToolsRequest, r *mcp.ListToolsResult) {
	c, ok := server.ClientSessionFromContext(ctx).(*conn)
	if !ok || !showsApps(c.GetClientCapabilities()) {
		return
	}
	s.app()
	s.mu.Lock()
	defer s.mu.Unlock()
	r.Tools = slices.Clone(r.Tools)
	for i := range r.Tools {
		for dom := range s.listed {
			if edit, _, action, _ := names(dom); r.Tools[i].Name == edit || r.Tools[i].Name == action {
				r.Tools[i].Meta = appMeta(map[string]any{"resourceUri": appURI})
			}
		}
	}
	if r.NextCursor == "" {
		t := mcp.NewToolWithRawSchema(appTool, "What the view of the documents asks. It is for the page "+appURI+" alone.", json.RawMessage(`{"type":"object"}`))
		t.Meta = appMeta(map[string]any{"resourceUri": appURI, "visibility": []string{"app"}})
		r.Tools = append(r.Tools, t)
	}
}

func appMeta(ui map[string]any) *mcp.Meta { return mcp.NewMetaFromMap(map[string]any{"ui": ui}) }

// asksApp reports whether a message is for the view, from a client that shows it.
func (c *conn) asksApp(e *envelope) bool {
	mine := e.Method == "tools/call" && e.Params.Name == appTool || e.Method == "resources/read" && e.Params.URI == appURI
	return mine && e.plain() && showsApps(c.GetClientCapabilities())
}

// appAnswer is the result of such a message.
func (c *conn) appAnswer(ctx context.Context, e *envelope) any {
	if e.Method == "resources/read" {
		return mcp.ReadResourceResult{Contents: []mcp.ResourceContents{mcp.TextResourceContents{URI: appURI, MIMEType: appMIME, Text: view.App(),
			Meta: map[string]any{"ui": map[string]any{"prefersBorder": true}}}}}
	}
	request, err := json.Marshal(e.Params.Arguments)
	if err != nil {
		request = nil
	}
	answer := string(c.s.app().Answer(ctx, request))
	return mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent(answer)}, IsError: strings.HasPrefix(answer, `{"error":`)}
}
