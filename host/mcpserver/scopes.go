package mcpserver

import (
	"context"
	"slices"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/gate"
	"github.com/fcp-host/fcp-host/host/session"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// A token of an issuer may be for reading, and for single domains. What a call
// needs is asked where its arguments are known, in each tool and resource; here
// is what such a token's holder is shown.

// changes reports whether a call with these arguments may change a document or a
// file. called is the kind of what its tool takes.
func (a *arguments) changes(called string) bool {
	switch called {
	case abi.TryOp:
		return true
	case abi.TryAction:
		return a.Action != nil && !session.Reads(*a.Action)
	}
	return false
}

// usable leaves out tools that the caller may not use at all. A call of one is
// answered all the same: with what it lacks. The list is good for this moment, as
// the next token may have more scopes.
func (s *Server) usable(ctx context.Context, _ any, _ *mcp.ListToolsRequest, r *mcp.ListToolsResult) {
	c := gate.Of(ctx)
	called := *s.called.Load()
	r.Tools = slices.DeleteFunc(slices.Clone(r.Tools), func(t mcp.Tool) bool {
		own := called[t.Name] // the zero value for the page's, which is about all domains
		return !c.May(own.dom, own.changes)
	})
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.Modern && !c.May("", true) {
		r.SetCacheHints(0, mcp.CacheScopePrivate)
	}
}

// permitted leaves out documents that the caller may not read.
func permitted(ctx context.Context, _ any, _ *mcp.ListResourcesRequest, r *mcp.ListResourcesResult) {
	c := gate.Of(ctx)
	r.Resources = slices.DeleteFunc(slices.Clone(r.Resources), func(r mcp.Resource) bool {
		dom, _, _, err := parse(r.URI)
		return err == nil && !c.May(dom, false)
	})
}
