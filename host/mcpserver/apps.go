package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/host/gate"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/view"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// The view as an MCP App (SEP-1865), for clients that declare support: the page is a resource, the tools that start and
// change documents link to it, and one more tool, which is not shown to models, answers the page's requests. Other
// clients see none of this.
const (
	uiExtension = "io.modelcontextprotocol/ui"
	appURI      = "ui://fcp/view"
	appMIME     = "text/html;profile=mcp-app"
	appTool     = "fcp_view"
	appDocument = "fcp-host/document" // key in a result's _meta: the document that it is about
)

// showsApps reports whether a client with these capabilities shows MCP Apps of our kind.
func showsApps(can mcp.ClientCapabilities) bool {
	ext, ok := can.Extensions[uiExtension].(map[string]any)
	if !ok {
		return false
	}
	kinds, some := ext["mimeTypes"].([]any)
	return !some || slices.Contains(kinds, any(appMIME))
}

// clientShowsApps reports whether the client of a request shows apps, by the request itself or by initialize.
func (s *Server) clientShowsApps(ctx context.Context) bool {
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.Modern {
		return info.ClientCapabilities != nil && showsApps(*info.ClientCapabilities)
	}
	return s.showing.Load()
}

// noteClient notes from initialize whether the client shows apps. A shared session has no initialize.
func (s *Server) noteClient(_ context.Context, _ any, r *mcp.InitializeRequest, _ *mcp.InitializeResult) {
	s.showing.Store(!s.session.Shared() && showsApps(r.Params.Capabilities))
}

// appView returns the session's view, which is made for the first client that shows it.
func (s *Server) appView() *view.View {
	s.viewing.Do(func() {
		v := s.config.View
		if v == nil {
			v = view.New(s.session)
		}
		v.OnAction(s.resources.update)
		s.viewed.Store(v)
	})
	return s.viewed.Load()
}

// addApp registers the page and the tool that answers it.
func (s *Server) addApp() {
	t := mcp.NewToolWithRawSchema(appTool, "Answers the view of the documents. Only the page "+appURI+" calls it.",
		schema(`"do":{"type":"string"},"domain":{"type":"string"},"name":{"type":"string"},"page":{"type":"integer"},"at":{"type":"integer"},"revision":{"type":"integer"},"action":{"type":"string"},"area":{"type":"string"}`, "do"))
	t.Meta = withMeta(nil, "ui", map[string]any{"resourceUri": appURI, "visibility": []string{"app"}})
	s.mcp.AddTool(t, func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return s.answerApp(ctx, r.Params.Arguments), nil
	})
	s.mcp.AddResource(mcp.NewResource(appURI, "the view"), func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: appURI, MIMEType: appMIME, Text: view.App(), Meta: map[string]any{"ui": map[string]any{"prefersBorder": true}}}}, nil
	})
}

// answerApp answers a request of the page.
func (s *Server) answerApp(ctx context.Context, arguments any) *mcp.CallToolResult {
	request, err := json.Marshal(arguments)
	if err != nil {
		request = nil // answered with an error
	}
	var about view.Request
	_ = json.Unmarshal(request, &about) // Answer reports what is wrong with it
	var answer string
	if why := gate.Of(ctx).Needs("", !about.Reads()); why != "" { // the view shows all documents
		answer = string(view.Refusal(why))
	} else {
		answer = string(s.appView().Answer(ctx, request))
	}
	if !gate.Of(ctx).Hold(copies * int64(len(answer))) {
		answer = string(view.Refusal(fmt.Sprintf("an answer of %s is held back, since too many bytes are being sent (limit bodies)", reply.Count(len(answer), "byte"))))
	}
	failed := strings.HasPrefix(answer, `{"error":`)
	gate.Of(ctx).SetResult(appTool, about.Name, failed)
	return &mcp.CallToolResult{Content: []mcp.Content{mcp.NewTextContent(answer)}, IsError: failed}
}

// filterApps adds links to the page to a list of tools for clients that show apps, and removes the page's own tool for
// all others.
func (s *Server) filterApps(ctx context.Context, tools []mcp.Tool) []mcp.Tool {
	if !s.clientShowsApps(ctx) {
		return slices.DeleteFunc(tools, func(t mcp.Tool) bool { return t.Name == appTool })
	}
	s.appView()
	all := *s.toolByName.Load()
	for i := range tools {
		if all[tools[i].Name].viewed {
			tools[i].Meta = withMeta(tools[i].Meta, "ui", map[string]any{"resourceUri": appURI})
		}
	}
	return tools
}

// hideAppPage removes the page from a list of resources. Clients find it through the tools.
func hideAppPage(_ context.Context, _ any, _ *mcp.ListResourcesRequest, r *mcp.ListResourcesResult) {
	r.Resources = slices.DeleteFunc(slices.Clone(r.Resources), func(r mcp.Resource) bool { return r.URI == appURI })
}

// tagDocument tells the page which document a result is about.
func (s *Server) tagDocument(ctx context.Context, dom string, r *reply.Reply, res *mcp.CallToolResult) {
	if res == nil || r.Document == "" || !s.clientShowsApps(ctx) {
		return
	}
	if d := s.session.Named(dom, r.Document); d != nil {
		res.Meta = mcp.NewMetaFromMap(map[string]any{appDocument: map[string]any{"domain": d.Domain().Name(), "name": d.Name}})
	}
}
