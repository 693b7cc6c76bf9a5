package mcpserver

import (
	"context"
	"strings"
	"sync"

	"github.com/fcp-host/fcp-host/host/gate"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// subscriptions are the resources that a client subscribed to, which mcp-go's HTTP sessions do not keep.
type subscriptions struct {
	mu   sync.Mutex
	uris map[string]bool
}

func (s *subscriptions) hooks() *server.Hooks {
	h := &server.Hooks{}
	h.AddAfterSubscribe(func(ctx context.Context, _ any, m *mcp.SubscribeRequest, _ *mcp.EmptyResult) {
		if dom, _, _, err := parseURI(m.Params.URI); err == nil && gate.Of(ctx).Needs(dom, false) != "" {
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(s.uris) < 1000 && strings.HasPrefix(m.Params.URI, "fcp://") {
			s.uris[m.Params.URI] = true
		}
	})
	h.AddAfterUnsubscribe(func(_ context.Context, _ any, m *mcp.UnsubscribeRequest, _ *mcp.EmptyResult) {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.uris, m.Params.URI)
	})
	return h
}

func (s *subscriptions) has(uri string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.uris[uri]
}
