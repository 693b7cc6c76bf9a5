package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
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
func (s *Server) unified(served []*domain.Domain) bool { return s.config.Unified || len(served) == 0 }

// update registers the tools of the domains that are served now, and removes
// those of others, once no document of theirs is open. Clients are told by mcp-go.
func (s *Server) update() {
	s.mu.Lock()
	defer s.mu.Unlock()
	catalog := s.session.Catalog()
	served := s.session.Served(catalog)
	lingers := len(served) > len(catalog.Domains)
	if catalog == s.shown && !lingers && !s.lingers {
		return
	}
	s.lingers = lingers
	want := map[string]*domain.Domain{}
	if s.unified(served) {
		want[""] = nil
	} else {
		for _, d := range served {
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
			if had := s.mcp.GetTool(m.Tool.Name); had == nil || !sameTool(had.Tool, m.Tool) { // another build may have the same
				added = append(added, m.ServerTool)
			}
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

// sameTool reports whether clients are shown the same of two tools.
func sameTool(a, b mcp.Tool) bool {
	was, err := json.Marshal(a)
	is, err2 := json.Marshal(b)
	return err == nil && err2 == nil && bytes.Equal(was, is)
}

// follow keeps the tools and the documents up to date until the session is closed
// or nothing changes any more.
func (s *Server) follow() {
	for {
		next := s.session.Catalog().Next
		s.session.Renew()
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
	if _, ok := (*s.called.Load())[name]; !ok && name != appTool {
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
