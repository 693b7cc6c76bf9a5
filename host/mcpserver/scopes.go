package mcpserver

import (
	"context"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/gate"
	"github.com/fcp-host/fcp-host/host/session"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// A token may allow reading only, or single domains only. Each tool and resource checks what its call needs; this file
// limits what the lists show.

// changes reports whether a call with these arguments may change a document or file. kind is the kind of its tool.
func (s *Server) changes(dom, kind string, a *arguments) bool {
	switch kind {
	case abi.TryOp:
		return true
	case abi.TryAction:
		served := slices.DeleteFunc(slices.Clone(s.session.Served(s.session.Catalog())), func(d *domain.Domain) bool { return dom != "" && d.Name() != dom })
		return a.Action != nil && !session.Reads(*a.Action) || slices.ContainsFunc(slices.Concat(a.More, a.Then), func(text string) bool {
			verb, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(text)), " ")
			return !session.Reads(text) && slices.ContainsFunc(served, func(d *domain.Domain) bool {
				return session.Knows(d, verb) && !d.Answers(verb) || session.IsOp(d, text)
			})
		})
	}
	return false
}

// filterTools removes tools from a list that the caller may not use at all. (A call of one is answered with the missing
// scope.) The filtered list must not be cached, as the next token may have more scopes.
func (s *Server) filterTools(ctx context.Context, _ any, _ *mcp.ListToolsRequest, r *mcp.ListToolsResult) {
	c := gate.Of(ctx)
	tools := *s.toolByName.Load()
	r.Tools = slices.DeleteFunc(slices.Clone(r.Tools), func(t mcp.Tool) bool {
		own := tools[t.Name] // the zero value for the page's tool, which is about all domains
		return !c.May(own.dom, own.changes)
	})
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.Modern && !c.May("", true) {
		r.SetCacheHints(0, mcp.CacheScopePrivate)
	}
}

// filterResources removes documents from a list that the caller may not read.
func filterResources(ctx context.Context, _ any, _ *mcp.ListResourcesRequest, r *mcp.ListResourcesResult) {
	c := gate.Of(ctx)
	r.Resources = slices.DeleteFunc(slices.Clone(r.Resources), func(r mcp.Resource) bool {
		dom, _, _, err := parseURI(r.URI)
		return err == nil && !c.May(dom, false)
	})
}
