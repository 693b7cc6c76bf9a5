package mcpserver

import (
	"context"
	"errors"
	"strings"

	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/gate"
	"github.com/fcp-host/fcp-host/host/session"
	"github.com/mark3labs/mcp-go/mcp"
)

// The skill of each served domain is a resource, at the address that the extension io.modelcontextprotocol/skills gives
// it. The extension's own methods, skills/list and skills/get, are not served, so it is not declared.

const skillPrefix, skillSuffix = "skill://", "/SKILL.md"

// addSkills registers the template of the skills' resources.
func (s *Server) addSkills() {
	s.mcp.AddResourceTemplate(mcp.NewResourceTemplate(skillPrefix+"{name}"+skillSuffix, "skill",
		mcp.WithTemplateDescription("how an agent with a shell works with a domain"), mcp.WithTemplateMIMEType("text/markdown")), s.readSkill)
}

// listSkills adds the skills of the served domains to a list of resources.
func (s *Server) listSkills(ctx context.Context, _ any, _ *mcp.ListResourcesRequest, r *mcp.ListResourcesResult) {
	if r.NextCursor != "" {
		return // on the last page
	}
	for _, d := range s.session.Domains() {
		if !gate.Of(ctx).May(d.Name(), false) {
			continue
		}
		skill := skillOf(d)
		r.Resources = append(r.Resources, mcp.NewResource(skillPrefix+skill.Name+skillSuffix, skill.Name,
			mcp.WithResourceDescription(skill.Description), mcp.WithMIMEType("text/markdown")))
	}
}

func skillOf(d *domain.Domain) session.Skill { return session.NewSkill(d.Manifest, "fcp-host exec") }

// skillDomain returns the served domain whose skill has a URI, or nil.
func (s *Server) skillDomain(ctx context.Context, uri string) *domain.Domain {
	for _, d := range s.session.Domains() {
		if uri == skillPrefix+session.SkillName(d.Name())+skillSuffix && gate.Of(ctx).May(d.Name(), false) {
			return d
		}
	}
	return nil
}

// markMissingSkill makes mcp-go answer a read of a missing skill as it does for documents: see resources.markMissing.
func (s *Server) markMissingSkill(ctx context.Context, _ any, req *mcp.ReadResourceRequest) {
	if strings.HasPrefix(req.Params.URI, skillPrefix) && s.skillDomain(ctx, req.Params.URI) == nil {
		req.Params.URI += " (no domain with this skill is served)"
	}
}

// readSkill answers resources/read.
func (s *Server) readSkill(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	d := s.skillDomain(ctx, req.Params.URI)
	if d == nil { // it has just been removed
		return nil, errors.New("no domain with this skill is served")
	}
	return []mcp.ResourceContents{mcp.TextResourceContents{URI: req.Params.URI, MIMEType: "text/markdown", Text: skillOf(d).Text}}, nil
}
