package mcpserver

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/gate"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/timing"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

func encode(b []byte) string { return base64.StdEncoding.EncodeToString(b) }

// resources keeps the list of MCP resources up to date with the open documents: for each document
// fcp://DOMAIN/DOCUMENT/session and /model, and /preview if the domain has a query of that name.
type resources struct {
	s     *Server
	mu    sync.Mutex
	known map[string]bool // by URI

	// updated notifies the client that a resource changed.
	updated func(uri string)
}

// addTemplates registers the templates of the resources, which cover documents that are not open yet, too.
func (r *resources) addTemplates() {
	for _, v := range allAspects() {
		r.s.mcp.AddResourceTemplate(mcp.NewResourceTemplate(template+v.name, v.name,
			mcp.WithTemplateDescription(v.text), mcp.WithTemplateMIMEType(v.mime)), r.read)
	}
}

// aspect is one of a document's resources.
type aspect struct{ name, text, mime string }

// allAspects lists them. A preview's real media type is known with its bytes; our own domains answer PNG, because
// models read few other types.
func allAspects() []aspect {
	return []aspect{
		{"session", "an open document's file, unsaved changes, history and checkpoints", "text/plain"},
		{"model", "an open document's content, as its domain's map shows it", "text/plain"},
		{"preview", "a picture of an open document, where its domain draws one", "image/png"},
	}
}

// aspectsOf lists the aspects of a domain's documents.
func aspectsOf(d *domain.Domain) []aspect {
	all := allAspects()
	if !slices.ContainsFunc(d.Manifest.Queries, func(q abi.Query) bool { return q.Name == "preview" }) {
		return all[:2]
	}
	return all
}

func uri(dom, doc, view string) string {
	return "fcp://" + dom + "/" + url.PathEscape(doc) + "/" + view
}

// update updates the list after a call, which may have opened, closed or changed documents.
func (r *resources) update(dom string, rep *reply.Reply) {
	if r.s.session.Shared() {
		return // a list would show each client the handles of the others
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	now := map[string]bool{}
	var added []server.ServerResource
	for _, doc := range r.s.session.Documents() {
		for _, v := range aspectsOf(doc.Domain()) {
			u := uri(doc.Domain().Name(), doc.Name, v.name)
			now[u] = true
			if !r.known[u] {
				added = append(added, server.ServerResource{
					Resource: mcp.NewResource(u, doc.Name+" ("+v.name+")", mcp.WithMIMEType(v.mime)), Handler: r.read})
			}
		}
	}
	var gone []string
	for u := range r.known {
		if !now[u] {
			gone = append(gone, u)
		}
	}
	r.known = now
	if len(added) > 0 {
		r.s.mcp.AddResources(added...)
	}
	if len(gone) > 0 {
		r.s.mcp.DeleteResources(gone...)
	}
	acted := map[string]bool{} // names of documents that the call acted on
	for _, part := range parts(rep) {
		if len(part.Results) > 0 {
			acted[part.Document] = true
		}
	}
	for _, doc := range r.s.session.Documents() {
		if acted[doc.Name] && (dom == "" || doc.Domain().Name() == dom) {
			for _, v := range aspectsOf(doc.Domain()) {
				r.updated(uri(doc.Domain().Name(), doc.Name, v.name))
			}
		}
	}
}

// markMissing makes mcp-go answer a read of a missing resource with the error code of the client's protocol revision,
// which no handler can return: it changes the URI such that it fits no template.
func (r *resources) markMissing(ctx context.Context, _ any, req *mcp.ReadResourceRequest) {
	if req.Params.URI == appURI && !r.s.clientShowsApps(ctx) {
		req.Params.URI += " (for clients that show MCP Apps)"
	}
	dom, doc, name, err := parseURI(req.Params.URI)
	if err != nil {
		return // fits no template
	}
	if why := gate.Of(ctx).Needs(dom, false); why != "" {
		req.Params.URI += " (" + why + ")"
		return
	}
	for _, d := range r.s.session.Documents() {
		if d.Domain().Name() == dom && strings.EqualFold(d.Name, doc) {
			if !slices.ContainsFunc(aspectsOf(d.Domain()), func(v aspect) bool { return v.name == name }) {
				req.Params.URI += " (the document has no such view)"
			}
			return
		}
	}
	req.Params.URI += " (no such document is open)"
}

// read answers resources/read.
func (r *resources) read(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	dom, doc, view, err := parseURI(req.Params.URI)
	if err != nil {
		return nil, err
	}
	noteTrace(ctx, req.Params.Meta)
	did := timing.What{Method: string(mcp.MethodResourcesRead), Tool: string(mcp.MethodResourcesRead), Domain: dom, Document: doc, Failed: true}
	if why := gate.Of(ctx).Needs(dom, false); why != "" {
		timing.Of(ctx).SetWhat(did)
		return nil, errors.New(why)
	}
	var rep *reply.Reply
	switch view {
	case "session":
		rep = r.s.session.Query(ctx, dom, doc, "status")
	case "model":
		rep = r.s.session.Query(ctx, dom, doc, "map")
	default:
		rep = r.s.session.Query(ctx, dom, doc, "preview")
	}
	gate.Of(ctx).SetResult(string(mcp.MethodResourcesRead), doc, rep.Failed)
	did.Failed = rep.Failed
	timing.Of(ctx).SetWhat(did)
	holdPictures(ctx, rep)
	if rep.Failed {
		if r.s.config.Unified {
			dom = ""
		}
		return nil, errors.New(rep.Print(Face(dom, "")))
	}
	if view == "preview" {
		if len(rep.Content) == 0 && len(rep.Warnings) > 0 {
			return nil, fmt.Errorf("%s: %s", req.Params.URI, rep.Warnings[len(rep.Warnings)-1])
		}
		if len(rep.Content) == 0 {
			return nil, fmt.Errorf("%s: the domain's preview holds no picture", req.Params.URI)
		}
		c := rep.Content[0]
		return []mcp.ResourceContents{mcp.BlobResourceContents{URI: req.Params.URI, MIMEType: c.MIME, Blob: encode(c.Data)}}, nil
	}
	return []mcp.ResourceContents{mcp.TextResourceContents{URI: req.Params.URI, MIMEType: "text/plain", Text: rep.String()}}, nil
}

func parseURI(u string) (dom, doc, view string, err error) {
	rest, ok := strings.CutPrefix(u, "fcp://")
	parts := strings.Split(rest, "/")
	if !ok || len(parts) != 3 {
		return "", "", "", fmt.Errorf("%s is not fcp://DOMAIN/DOCUMENT/session, /model or /preview", u)
	}
	if doc, err = url.PathUnescape(parts[1]); err != nil || doc == "" {
		return "", "", "", fmt.Errorf("%s names no document", u)
	}
	return parts[0], doc, parts[2], nil
}
