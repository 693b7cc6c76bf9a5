package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// unified reports whether the unified tools are served: if configured, or if there is no domain, since then no other
// tool could say why.
func (s *Server) unified(served []*domain.Domain) bool { return s.config.Unified || len(served) == 0 }

// update registers the tools of the domains that are served now, and removes those of other domains once none of their
// documents is open. mcp-go notifies the clients.
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
	byName := map[string]tool{}
	if before := s.toolByName.Load(); before != nil {
		maps.Copy(byName, *before)
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
		// The unified tools describe all domains, so they change with each.
		if had, ok := s.listed[dom]; ok && had == d && (d != nil || slices.Equal(s.shown.Domains, catalog.Domains)) {
			continue
		}
		for _, m := range s.toolsOf(dom, d) {
			byName[m.Tool.Name] = m.tool
			if had := s.mcp.GetTool(m.Tool.Name); had == nil || !sameTool(had.Tool, m.Tool) { // unchanged in another build
				added = append(added, m.ServerTool)
			}
		}
	}
	typed := map[string]*domain.Tool{}
	tools, refused := s.session.Tools(catalog)
	for _, t := range tools {
		if typed[t.Name] = t; s.typedTools[t.Name] != t {
			m := s.makeTypedTool(t)
			byName[t.Name] = m.tool
			added = append(added, m.ServerTool)
		}
	}
	for name := range s.typedTools {
		if typed[name] == nil {
			gone = append(gone, name)
		}
	}
	for _, line := range refused {
		if !slices.Contains(s.refused, line) {
			s.log.Warn(line)
		}
	}
	s.typedTools, s.refused = typed, refused
	for _, name := range gone {
		delete(byName, name)
	}
	s.listed, s.shown = want, catalog
	s.toolByName.Store(&byName)
	if len(added) > 0 {
		s.mcp.AddTools(added...)
	}
	if len(gone) > 0 {
		s.mcp.DeleteTools(gone...)
	}
	if len(added)+len(gone) > 0 {
		// The domains that the resource templates may name have changed, too.
		s.mcp.SendNotificationToAllClients(mcp.MethodNotificationResourcesListChanged, nil)
	}
}

// sameTool reports whether two tools look the same to clients.
func sameTool(a, b mcp.Tool) bool {
	was, err := json.Marshal(a)
	is, err2 := json.Marshal(b)
	return err == nil && err2 == nil && bytes.Equal(was, is)
}

// follow keeps tools and documents up to date until the session is closed or nothing can change any more.
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

// await waits for the domain of a tool that is not registered.
func (s *Server) await(ctx context.Context, name string) {
	if _, ok := (*s.toolByName.Load())[name]; !ok && name != appTool {
		s.session.Await(ctx, domainOfTool(name))
		s.update()
	}
}

// toldTwice is what mcp-go appends to "tool 'x' not found".
const toldTwice = ": tool not found"

// withoutToldTwice is a response to a call without toldTwice in an error.
func withoutToldTwice(w http.ResponseWriter) http.ResponseWriter {
	return replacingWriter{w, func() (standIn, real []byte, err error) {
		return []byte(`' not found` + toldTwice + `"}`), []byte(`' not found"}`), nil
	}}
}

// domainOfTool is the name of the domain that a tool of this name belongs to.
func domainOfTool(tool string) string {
	for _, suffix := range []string{"_query", "_session", "_help"} {
		if dom, ok := strings.CutSuffix(tool, suffix); ok {
			return dom
		}
	}
	return tool
}
