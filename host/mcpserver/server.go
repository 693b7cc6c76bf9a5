// Package mcpserver is the MCP face of the host: four tools a domain (or four
// for all), resources, and the stdio transport.
package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/session"
	"github.com/fcp-host/fcp-host/host/timing"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// Config says what is served.
type Config struct {
	Version string // of the host
	Session *session.Session
	Unified bool // fcp_edit, fcp_query, fcp_session, fcp_help for all domains
	Log     *slog.Logger

	hooks *server.Hooks // of the transport, nil for none
}

// Server answers MCP requests for one session.
type Server struct {
	mcp       *server.MCPServer
	session   *session.Session
	log       *slog.Logger
	resources *resources
	queueOf   map[string]string // tool name → the queue its calls run in
	unified   bool
}

// New registers tools and resources. Nothing is started.
func New(c Config) *Server {
	s := &Server{session: c.Session, log: c.Log, queueOf: map[string]string{}, unified: c.Unified}
	s.resources = &resources{s: s, known: map[string]bool{}, updated: func(string) {}}
	if c.hooks == nil {
		c.hooks = &server.Hooks{}
	}
	c.hooks.AddBeforeReadResource(s.resources.refuse)
	options := []server.ServerOption{
		server.WithToolCapabilities(true),
		server.WithResourceCapabilities(true, true),
		server.WithInstructions(instructions(c.Session, c.Unified)),
		server.WithHooks(c.hooks),
	}
	s.mcp = server.NewMCPServer("fcp-host", c.Version, options...)
	if c.Unified {
		s.tools("", nil)
	} else {
		for _, d := range c.Session.Domains() {
			s.tools(d.Name(), d)
		}
	}
	s.resources.addTemplates()
	return s
}

func instructions(sess *session.Session, unified bool) string {
	var b strings.Builder
	b.WriteString("fcp-host edits files through short operations, one string each, instead of raw file formats.\n")
	for _, d := range sess.Domains() {
		fmt.Fprintf(&b, "- %s: %s (%s)\n", d.Name(), d.Manifest.Summary, strings.Join(d.Manifest.Extensions, " "))
	}
	if unified {
		b.WriteString("fcp_session starts a document (new DOMAIN \"Title\", open PATH), saves it, undoes; fcp_help then gives the domain's reference card; fcp_edit runs ops; fcp_query reads.\n")
	} else {
		b.WriteString("For each domain D: D_session starts a document (new \"Title\", open PATH), saves it, undoes; D runs ops, many in one call; D_query reads; D_help repeats the reference card.\n")
	}
	b.WriteString("A call's ops happen all or not at all. Your file is not written before save.")
	if left := sess.Offer(""); left != "" {
		fmt.Fprintf(&b, "\n%s. The session action recover lists them and brings them back.", left)
	}
	return b.String()
}

// Face prints suggestions for the client of a tool of dom ("" for the unified
// ones): what the same tool takes as it stands, all else behind the name of the
// tool that takes it. called is the kind of what the tool takes.
func Face(dom, called string) reply.Face {
	return func(s reply.Suggestion) string {
		to := dom
		if s.Domain != "" && dom != "" {
			to = s.Domain
		}
		edit, query, action, help := names(to)
		name := map[string]string{abi.TryOp: edit, abi.TryQuery: query, abi.TryAction: action, reply.TryHelp: help}[s.Kind]
		if s.Kind == called && to == dom && s.Kind != abi.TryAction {
			return s.Text
		}
		return strings.TrimSpace(name + " " + s.Text)
	}
}

// names gives the four tools' names for a domain, "" meaning unified.
func names(dom string) (edit, query, action, help string) {
	if dom == "" {
		return "fcp_edit", "fcp_query", "fcp_session", "fcp_help"
	}
	return dom, dom + "_query", dom + "_session", dom + "_help"
}

// tools registers four tools. d is nil for the unified ones.
func (s *Server) tools(dom string, d *domain.Domain) {
	edit, query, action, help := names(dom)
	title, what, card := "FCP", "any loaded domain's", ""
	if d != nil {
		title, what = d.Manifest.Title, "the "+dom+" domain's"
		card = "\n\n" + session.Card(d.Manifest, dom)
	} else {
		var b strings.Builder
		b.WriteString("\n\nThe current document decides the domain. Domains:\n")
		for _, d := range s.session.Domains() {
			fmt.Fprintf(&b, "  %s (%s): %s\n", d.Name(), strings.Join(d.Manifest.Extensions, " "), d.Manifest.Summary)
		}
		b.WriteString("fcp_session `new DOMAIN \"Title\"` or `open PATH` starts a document; fcp_help then gives its reference card.\n" +
			"Each op: VERB words… [key:value…] [@selector…]. Text with spaces goes in double quotes.\n" +
			"Replies: + created  ~ connection changed  * property or state changed  - deleted  @ bulk or layout  ? warning  ! error; the last line is the digest.")
		card = b.String()
	}
	document := `,"document":{"type":"string","description":"name of an open document; without it, the current one"}`
	s.add(dom, mcp.NewToolWithRawSchema(edit,
		"Run "+what+" operations on the open document. All ops of a call happen, or none."+card,
		schema(`"ops":{"type":"array","items":{"type":"string"},"description":"operations, run in order"}`+document, `"ops"`)),
		abi.TryOp, title+": edit", false, false, false, func(ctx context.Context, a arguments) *reply.Reply {
			if a.Ops == nil {
				return reply.Errorf(nil, "the argument ops is missing: a list of operation strings")
			}
			return s.session.Edit(ctx, dom, a.Document, a.Ops)
		})
	s.add(dom, mcp.NewToolWithRawSchema(query,
		"Read the open document without changing it: map, stats, status, describe REF, list [@SEL], find TEXT, history N, diff checkpoint:NAME, and "+what+" own queries.",
		schema(`"q":{"type":"string","description":"the query"}`+document, `"q"`)),
		abi.TryQuery, title+": query", true, false, true, func(ctx context.Context, a arguments) *reply.Reply {
			if a.Q == nil {
				return reply.Errorf(nil, "the argument q is missing: the query, such as map")
			}
			return s.session.Query(ctx, dom, a.Document, *a.Q)
		})
	var actions []string
	for _, x := range session.Actions() {
		actions = append(actions, x.Syntax)
	}
	if d != nil {
		for _, v := range d.Manifest.Session {
			actions = append(actions, v.Syntax)
		}
	}
	s.add(dom, mcp.NewToolWithRawSchema(action,
		"Start, save, close and rewind documents: "+strings.Join(actions, " · "),
		schema(`"action":{"type":"string","description":"the action"}`+document, `"action"`)),
		abi.TryAction, title+": session", false, true, false, func(ctx context.Context, a arguments) *reply.Reply {
			if a.Action == nil {
				return reply.Errorf(nil, "the argument action is missing: a session action, such as status")
			}
			return s.session.Session(ctx, dom, a.Document, *a.Action)
		})
	helpSchema := schema("", "")
	if d == nil {
		helpSchema = schema(`"domain":{"type":"string","description":"a domain's name; without it, the current document's domain"}`, "")
	}
	s.add(dom, mcp.NewToolWithRawSchema(help,
		"The reference card of "+strings.TrimSuffix(what, "'s")+", with what the open document added to it. Works before any session.", helpSchema),
		reply.TryHelp, title+": help", true, false, true, func(ctx context.Context, a arguments) *reply.Reply {
			return s.session.Help(ctx, dom, a.Domain)
		})
}

func schema(properties, required string) json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{` + properties + `},"required":[` + required + `],"additionalProperties":false}`)
}

// arguments are those of all four tools.
type arguments struct {
	Ops       []string
	Q, Action *string // nil where they are missing
	Document  string
	Domain    string
}

func (s *Server) add(dom string, tool mcp.Tool, called, title string, readOnly, destructive, idempotent bool, run func(context.Context, arguments) *reply.Reply) {
	closed := false
	takes, face := properties(tool), Face(dom, called)
	tool.Annotations = mcp.ToolAnnotation{Title: title, ReadOnlyHint: &readOnly, DestructiveHint: &destructive, IdempotentHint: &idempotent, OpenWorldHint: &closed}
	s.queueOf[tool.Name] = dom
	s.mcp.AddTool(tool, func(ctx context.Context, req mcp.CallToolRequest) (res *mcp.CallToolResult, err error) {
		// A fault of ours must not end the connection or show a stack to the client.
		defer func() {
			if p := recover(); p != nil {
				s.log.Error("tool call failed", "tool", tool.Name, "panic", p)
				res, err = result(reply.Errorf(nil, "internal error in fcp-host; the document is kept, the log on stderr says more"), face), nil
			}
		}()
		a, r := bind(req, tool.Name, takes)
		timing.Lap(ctx, timing.Parse)
		if r == nil {
			r = run(ctx, a)
			s.resources.changed(dom, r)
		}
		timing.Of(ctx).About(tool.Name, r.Document, len(a.Ops))
		timing.Lap(ctx, timing.Other)
		return result(r, face), nil
	})
}

// properties are the names of a tool's arguments, sorted.
func properties(tool mcp.Tool) []string {
	var s struct {
		Properties map[string]any `json:"properties"`
	}
	if err := json.Unmarshal(tool.RawInputSchema, &s); err != nil {
		panic(err) // schema wrote it
	}
	return slices.Sorted(maps.Keys(s.Properties))
}

// bind reads the arguments, and says in words what is wrong with them. One that
// the tool does not take is no less wrong than one of the wrong kind: an op
// meant for a document must not reach another because its name was misspelt.
func bind(req mcp.CallToolRequest, tool string, takes []string) (arguments, *reply.Reply) {
	var a arguments
	raw := req.Params.Arguments
	if raw == nil {
		return a, nil
	}
	given, ok := raw.(map[string]any)
	if !ok {
		return a, reply.Errorf(nil, "the arguments of %s must be an object, not %s", tool, kindOf(raw))
	}
	for _, key := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(takes, key) {
			what := "none"
			if len(takes) > 0 {
				what = strings.Join(takes, " and ")
			}
			return a, reply.Errorf(nil, "%s takes no argument %.64q; it takes %s", tool, key, what)
		}
		value := given[key]
		if value == nil {
			continue
		}
		if key == "ops" {
			list, ok := value.([]any)
			if !ok {
				return a, reply.Errorf(nil, "the argument ops of %s must be a list of strings, not %s", tool, kindOf(value))
			}
			a.Ops = make([]string, len(list))
			for i, op := range list {
				if a.Ops[i], ok = op.(string); !ok {
					return a, reply.Errorf(nil, "the argument ops of %s must be a list of strings; each op must be a string, not %s", tool, kindOf(op))
				}
			}
			continue
		}
		text, ok := value.(string)
		if !ok {
			return a, reply.Errorf(nil, "the argument %s of %s must be a string, not %s", key, tool, kindOf(value))
		}
		switch key {
		case "q":
			a.Q = &text
		case "action":
			a.Action = &text
		case "document":
			a.Document = text
		case "domain":
			a.Domain = text
		}
	}
	return a, nil
}

// kindOf names what a JSON value is.
func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case string:
		return "a string"
	case bool:
		return "a boolean"
	case []any:
		return "an array"
	case map[string]any:
		return "an object"
	}
	return "a number"
}

// facts is a reply's structured form.
type facts struct {
	Document string   `json:"document,omitempty"`
	Revision uint64   `json:"revision"`
	Dirty    bool     `json:"dirty"`
	Digest   string   `json:"digest,omitempty"`
	Results  []fact   `json:"results,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	Text     string   `json:"text,omitempty"`
}

type fact struct {
	Op       int      `json:"op,omitempty"`
	Prefix   string   `json:"prefix"`
	Text     string   `json:"text"`
	IDs      []string `json:"ids,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	Try      []string `json:"try,omitempty"`
}

func spelled(list []reply.Suggestion, face reply.Face) (out []string) {
	for _, s := range list {
		out = append(out, face(s))
	}
	return out
}

// result turns a reply into the tool's result: text first, and the same facts
// as structured content.
func result(r *reply.Reply, face reply.Face) *mcp.CallToolResult {
	f := facts{Document: r.Document, Revision: r.Revision, Dirty: r.Dirty, Digest: r.Digest, Warnings: r.Warnings, Text: r.Text}
	for _, res := range r.Shown() {
		f.Results = append(f.Results, fact{Op: res.Op, Prefix: string(rune(res.Prefix)), Text: res.Text, IDs: res.IDs, Warnings: res.Warnings, Try: spelled(res.Try, face)})
	}
	out := &mcp.CallToolResult{IsError: r.Failed, StructuredContent: f,
		Content: []mcp.Content{mcp.NewTextContent(r.Print(face))}}
	for _, c := range r.Content {
		if strings.HasPrefix(c.MIME, "image/") {
			out.Content = append(out.Content, mcp.NewImageContent(encode(c.Data), c.MIME))
		} else {
			out.Content = append(out.Content, mcp.NewEmbeddedResource(mcp.BlobResourceContents{URI: "fcp://content", MIMEType: c.MIME, Blob: encode(c.Data)}))
		}
	}
	return out
}
