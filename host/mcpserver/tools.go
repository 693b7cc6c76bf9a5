package mcpserver

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// unified reports whether the tools for all domains are served: where the
// configuration wants that, and where there is no domain whose tools could say
// why.
func (s *Server) unified(c *domain.Catalog) bool { return s.config.Unified || len(c.Domains) == 0 }

// update registers the tools of the domains that are served now, and removes
// those of others. Clients are told by mcp-go.
func (s *Server) update() {
	s.mu.Lock()
	defer s.mu.Unlock()
	catalog := s.session.Catalog()
	if catalog == s.shown {
		return
	}
	want := map[string]*domain.Domain{}
	if s.unified(catalog) {
		want[""] = nil
	} else {
		for _, d := range catalog.Domains {
			want[d.Name()] = d
		}
	}
	called := map[string]tool{}
	if before := s.called.Load(); before != nil {
		maps.Copy(called, *before)
	}
	var gone []string
	for dom := range s.listed {
		if _, ok := want[dom]; !ok {
			edit, query, action, help := names(dom)
			gone = append(gone, edit, query, action, help)
		}
	}
	var added []server.ServerTool
	for dom, d := range want {
		// The unified tools describe all domains, and change with each.
		if had, ok := s.listed[dom]; ok && had == d && (d != nil || slices.Equal(s.shown.Domains, catalog.Domains)) {
			continue
		}
		for _, m := range s.toolsOf(dom, d) {
			called[m.Tool.Name] = m.tool
			added = append(added, m.ServerTool)
		}
	}
	typed := map[string]*domain.Tool{}
	tools, refused := s.session.Tools(catalog)
	for _, t := range tools {
		if typed[t.Name] = t; s.typeds[t.Name] != t {
			m := s.typed(t)
			called[t.Name] = m.tool
			added = append(added, m.ServerTool)
		}
	}
	for name := range s.typeds {
		if typed[name] == nil {
			gone = append(gone, name)
		}
	}
	for _, line := range refused {
		if !slices.Contains(s.refused, line) {
			s.log.Warn(line)
		}
	}
	s.typeds, s.refused = typed, refused
	for _, name := range gone {
		delete(called, name)
	}
	s.listed, s.shown = want, catalog
	s.called.Store(&called)
	if len(added) > 0 {
		s.mcp.AddTools(added...)
	}
	if len(gone) > 0 {
		s.mcp.DeleteTools(gone...)
	}
	if len(added)+len(gone) > 0 {
		// What the templates of the resources may name has changed, too.
		s.mcp.SendNotificationToAllClients(mcp.MethodNotificationResourcesListChanged, nil)
	}
}

// follow keeps the tools up to date until the session is closed or nothing
// changes any more.
func (s *Server) follow() {
	for {
		next := s.session.Catalog().Next
		s.update()
		if next == nil {
			return
		}
		select {
		case <-next:
		case <-s.session.Done():
			return
		}
	}
}

// await lets a call of a tool that is not there wait for its domain.
func (s *Server) await(ctx context.Context, name string) {
	if _, ok := (*s.called.Load())[name]; !ok {
		s.session.Await(ctx, family(name))
		s.update()
	}
}

// family is the name of the domain whose tool has this name.
func family(tool string) string {
	for _, suffix := range []string{"_query", "_session", "_help"} {
		if dom, ok := strings.CutSuffix(tool, suffix); ok {
			return dom
		}
	}
	return tool
}
