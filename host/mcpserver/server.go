// Package mcpserver is the MCP face of the host: four tools a domain (or four
// for all), resources, and the stdio transport.
package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/gate"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/session"
	"github.com/fcp-host/fcp-host/host/timing"
	"github.com/fcp-host/fcp-host/host/view"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// Config says what is served.
type Config struct {
	Version string // of the host
	Session *session.Session
	Unified bool // fcp_edit, fcp_query, fcp_session, fcp_help for all domains
	Log     *slog.Logger

	// Structured adds structuredContent to results, and its schema to the tools.
	// Clients in wide use show their model only that, without the text and the
	// pictures beside it.
	Structured bool
	// Local says that clients run on this machine: they are told where files lie.
	Local bool
	// View is what shows people the session's documents, nil for nothing.
	View *view.View

	hooks *server.Hooks // of the transport, nil for none
}

// Server answers MCP requests for one session.
type Server struct {
	mcp       *server.MCPServer
	session   *session.Session
	log       *slog.Logger
	resources *resources
	config    Config
	called    atomic.Pointer[map[string]tool] // by name; the map is immutable
	viewed    atomic.Pointer[view.View]       // what shows people the documents, nil for nothing
	viewing   sync.Once                       // sets it for a client that does
	showing   atomic.Bool                     // the client that sent initialize shows apps

	mu      sync.Mutex                // guards what follows
	listed  map[string]*domain.Domain // whose tools are registered, by name; the unified ones' under "" with nil
	typeds  map[string]*domain.Tool   // typed tools that are registered, by name
	refused []string                  // lines about those that are not
	shown   *domain.Catalog           // that the unified tools describe
	lingers bool                      // there are tools of domains that are not served, for documents that are open
}

// listTTL is how long a client may take a list for what it is, unless it is told
// that it changed. The list of resources changes with any call, and has none.
const listTTL = time.Minute

// New registers tools and resources. Nothing is started.
func New(c Config) *Server {
	if c.Local {
		c.Session.Local()
	}
	s := &Server{session: c.Session, log: c.Log, config: c}
	s.resources = &resources{s: s, known: map[string]bool{}, updated: func(string) {}}
	if c.View != nil {
		s.app()
	}
	if c.hooks == nil {
		c.hooks = &server.Hooks{}
	}
	c.hooks.AddBeforeReadResource(s.resources.refuse)
	c.hooks.AddOnError(func(ctx context.Context, _ any, _ mcp.MCPMethod, _ any, _ error) { gate.Of(ctx).Fail() })
	// A client waits for the list of tools before anything else, and not for this.
	look := sync.OnceFunc(func() { go c.Session.Look() })
	c.hooks.AddAfterListTools(func(context.Context, any, *mcp.ListToolsRequest, *mcp.ListToolsResult) { look() })
	c.hooks.AddAfterListTools(s.usable)
	c.hooks.AddAfterListResources(unlisted)
	c.hooks.AddAfterListResources(permitted)
	c.hooks.AddBeforeListTools(func(ctx context.Context, _ any, _ *mcp.ListToolsRequest) {
		select {
		case <-c.Session.Opened():
		case <-ctx.Done():
		}
		s.update()
	})
	c.hooks.AddBeforeCallTool(func(ctx context.Context, _ any, r *mcp.CallToolRequest) { s.await(ctx, r.Params.Name) })
	c.hooks.AddAfterInitialize(func(ctx context.Context, _ any, _ *mcp.InitializeRequest, r *mcp.InitializeResult) {
		r.Instructions = s.instructions(ctx)
	})
	c.hooks.AddAfterInitialize(s.met)
	c.hooks.AddAfterDiscover(func(ctx context.Context, _ any, _ *mcp.DiscoverRequest, r *mcp.DiscoverResult) {
		r.Instructions = s.instructions(ctx)
	})
	options := []server.ServerOption{
		server.WithToolCapabilities(true),
		server.WithResourceCapabilities(true, true),
		server.WithHooks(c.hooks),
		server.WithToolFilter(s.forApps),
		server.WithCompletions(),
		server.WithResourceCompletionProvider(s.resources),
		server.WithMethodCacheHints(mcp.MethodToolsList, listTTL.Milliseconds(), mcp.CacheScopePrivate),
		server.WithMethodCacheHints(mcp.MethodResourcesTemplatesList, listTTL.Milliseconds(), mcp.CacheScopePrivate),
	}
	s.mcp = server.NewMCPServer("fcp-host", c.Version, options...)
	s.resources.addTemplates()
	s.addApp()
	s.update()
	go s.follow()
	return s
}

func (s *Server) instructions(ctx context.Context) string {
	sess, catalog := s.session, s.session.Catalog()
	domains := slices.DeleteFunc(slices.Clone(catalog.Domains), func(d *domain.Domain) bool { return !gate.Of(ctx).May(d.Name(), false) })
	var b strings.Builder
	b.WriteString("fcp-host edits files through short operations, one string each, instead of raw file formats.\n")
	if len(domains) > 0 {
		b.WriteString("The domains, each with the words of its plugin in quotes:\n")
	} else {
		b.WriteString("No domain is served yet; one that comes works at once.\n")
	}
	for _, d := range domains {
		fmt.Fprintf(&b, "- %s: %s (%s)\n", d.Name(), domain.Quoted(d.Manifest.Summary), domain.Opens(d.Manifest))
	}
	for _, line := range session.Absent(catalog, 0) { // the reason may be a module's own text
		fmt.Fprintf(&b, "- %s (status says why)\n", line)
	}
	if s.unified(s.session.Served(catalog)) {
		b.WriteString("fcp_session starts a document (new DOMAIN \"Title\", open PATH), saves it, undoes; fcp_help gives the domain's reference card; fcp_edit runs ops; fcp_query reads.\n")
	} else {
		b.WriteString("For each domain D: D_session starts a document (new \"Title\", open PATH), saves it, undoes; D runs ops, many in one call; D_query reads; D_help explains.\n")
	}
	b.WriteString("A call's ops happen all or not at all. Your file is not written before save.")
	if sess.Keeps() {
		b.WriteString("\nWhat an earlier session left unsaved is offered in the replies of new, open and status, and recover brings it back.")
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
		if s.Kind == called && to == dom && s.Kind != abi.TryAction && s.Kind != reply.TryHelp {
			return s.Text
		}
		return strings.TrimSpace(name + " " + s.Text)
	}
}

// face is Face with the tool's name before what would read as a call of another
// domain's tool: a verb may be named like one.
func (s *Server) face(dom, called string) reply.Face {
	face := Face(dom, called)
	edit, query, _, _ := names(dom)
	return func(t reply.Suggestion) string {
		text := face(t)
		first, _, _ := strings.Cut(text, " ")
		if other, ok := (*s.called.Load())[first]; ok && other.queue != dom && text == t.Text {
			return map[string]string{abi.TryOp: edit, abi.TryQuery: query}[called] + " " + text
		}
		return text
	}
}

// names gives the four tools' names for a domain, "" meaning unified.
func names(dom string) (edit, query, action, help string) {
	if dom == "" {
		return "fcp_edit", "fcp_query", "fcp_session", "fcp_help"
	}
	return dom, dom + "_query", dom + "_session", dom + "_help"
}

// What the tools of a domain, and those for all domains, may take of a client's
// context: names, titles, descriptions and schemas, in characters.
const (
	maxTools   = 8000
	maxUnified = 4000
)

// toolsOf makes four tools. d is nil for the unified ones.
func (s *Server) toolsOf(dom string, d *domain.Domain) []made {
	edit, query, action, help := names(dom)
	title := "FCP"
	if d != nil {
		title = d.Manifest.Title
	}
	document := `,"document":{"type":"string","description":"default: the current one"}`
	ops := schema(`"ops":{"type":"array","items":{"type":"string"}}`+
		`,"then":{"type":"array","items":{"type":"string"},"description":"queries and actions to run after the ops, such as [\"map\",\"save\"]"}`+document, `"ops"`)
	q := schema(`"q":{"type":"string"}`+document, `"q"`)
	act := schema(`"action":{"type":"string"}`+document, `"action"`)
	about := `"topic":{"type":"string","description":"any word of the card"}`
	if d == nil {
		about = `"domain":{"type":"string","description":"default: that of the current document"},` + about
	}
	topic := schema(about, "")

	taken := 8 * utf8.RuneCountInString(title+": session") // each is there twice
	for _, text := range []string{edit, query, action, help, string(ops), string(q), string(act), string(topic)} {
		taken += utf8.RuneCountInString(text)
	}
	var card session.Texts
	room := maxUnified - taken
	if d != nil {
		room = maxTools - taken
		card = session.Describe(d.Manifest, dom, room)
	} else {
		card = s.session.DescribeAll(room)
	}
	var facts json.RawMessage
	if s.config.Structured {
		for _, text := range []string{card.Edit, card.Query, card.Session, card.Help} {
			room -= utf8.RuneCountInString(text)
		}
		facts = factsSchema(room / 2) // two tools have it
	}
	return []made{s.make(dom, mcp.NewToolWithRawSchema(edit, card.Edit, ops),
		abi.TryOp, title+": edit", false, false, false, nil, func(ctx context.Context, a arguments) *reply.Reply {
			if a.Ops == nil {
				return s.missing(dom, a.Document, abi.TryOp, "the argument ops is missing: a list of operation strings")
			}
			return s.session.Edit(ctx, dom, a.Document, a.Ops, a.Then)
		}), s.make(dom, mcp.NewToolWithRawSchema(query, card.Query, q),
		abi.TryQuery, title+": query", true, false, true, nil, func(ctx context.Context, a arguments) *reply.Reply {
			if a.Q == nil {
				return s.missing(dom, a.Document, abi.TryQuery, "the argument q is missing: the query, such as map")
			}
			return s.session.Query(ctx, dom, a.Document, *a.Q)
		}), s.make(dom, mcp.NewToolWithRawSchema(action, card.Session, act),
		abi.TryAction, title+": session", false, true, false, facts, func(ctx context.Context, a arguments) *reply.Reply {
			if a.Action == nil {
				return s.missing(dom, a.Document, abi.TryAction, "the argument action is missing: a session action, such as status")
			}
			return s.session.Session(ctx, dom, a.Document, *a.Action)
		}), s.make(dom, mcp.NewToolWithRawSchema(help, card.Help, topic),
		reply.TryHelp, title+": help", true, false, true, facts, func(ctx context.Context, a arguments) *reply.Reply {
			return s.session.Help(ctx, dom, a.Domain, a.Topic)
		})}
}

func schema(properties, required string) json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{` + properties + `},"required":[` + required + `],"additionalProperties":false}`)
}

// made is a tool as mcp-go and as the transport call it.
type made struct {
	server.ServerTool
	tool
}

func (s *Server) make(dom string, def mcp.Tool, called, title string, readOnly, destructive, idempotent bool, facts json.RawMessage, run func(context.Context, arguments) *reply.Reply) made {
	open := called != reply.TryHelp && slices.ContainsFunc(s.session.Served(s.session.Catalog()), func(d *domain.Domain) bool { return (dom == "" || d.Name() == dom) && d.OpenWorld() })
	face, changes := s.face(dom, called), called == abi.TryOp || called == abi.TryAction
	edit, query, action, help := names(dom)
	take := taker{s: s, dom: dom, tool: def.Name, kind: called, takes: properties(def), family: []string{edit, query, action, help}}
	def.Title, def.Icons = title, []mcp.Icon{icon(called)}
	def.Annotations = mcp.ToolAnnotation{Title: title, ReadOnlyHint: &readOnly, DestructiveHint: &destructive, IdempotentHint: &idempotent, OpenWorldHint: &open}
	def.RawOutputSchema = facts
	call := func(ctx context.Context, args any, meta *mcp.Meta) (res *mcp.CallToolResult) {
		// A fault of ours must not end the connection or show a stack to the client.
		defer func() {
			if p := recover(); p != nil {
				s.log.Error("tool call failed", "tool", def.Name, "panic", p)
				gate.Of(ctx).Did(def.Name, "", true)
				res = s.result(ctx, reply.Errorf(nil, "internal error in fcp-host; the document is kept, the log on stderr says more"), face)
			}
		}()
		a, r := take.bind(args)
		timing.Lap(ctx, timing.Parse)
		traced(ctx, meta)
		if why := gate.Of(ctx).Needs(dom, a.changes(called)); why != "" {
			r = reply.Errorf(nil, "%s", why)
		} else if r == nil {
			exactToken(ctx, meta)
			r = s.progressing(ctx, meta, progressEvery, func(ctx context.Context) *reply.Reply { return run(ctx, a) })
			s.resources.changed(dom, r)
			if v := s.viewed.Load(); v != nil {
				v.Called(dom, r)
			}
			s.update() // it may be the first document of a domain that is gone meanwhile, or have closed the last one
			hold(ctx, r)
		} else {
			s.astray(dom, a.Document, called, r)
		}
		timing.Of(ctx).About(timing.What{Method: string(mcp.MethodToolsCall), Tool: def.Name, Domain: dom, Document: r.Document, Ops: len(a.Ops), Failed: r.Failed})
		gate.Of(ctx).Did(def.Name, r.Document, r.Failed)
		timing.Lap(ctx, timing.Other)
		res = s.result(ctx, r, face)
		if changes {
			s.about(ctx, dom, r, res)
		}
		return res
	}
	return made{tool: tool{queue: dom, dom: dom, asks: s.asks(dom), viewed: changes, changes: called == abi.TryOp, call: call}, ServerTool: server.ServerTool{Tool: def,
		Handler: func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return call(ctx, req.Params.Arguments, req.Params.Meta), nil
		}}}
}

// missing refuses a call without the argument that its tool is about.
func (s *Server) missing(dom, document, called, text string) *reply.Reply {
	r := reply.Errorf(nil, "%s", text)
	s.astray(dom, document, called, r)
	return r
}

// astray completes the refusal of a call with other arguments than its tool takes:
// where the document stands, and what reads.
func (s *Server) astray(dom, document, called string, r *reply.Reply) {
	try := reply.Help("")
	switch open := s.session.Stand(dom, document, r); {
	case open && called == abi.TryQuery:
		try = reply.Query("status")
	case open && called == abi.TryAction:
		try = reply.Action("status")
	}
	r.Results[0].Try = []reply.Suggestion{try}
}

// asks reports whether calls of the domain's tools, or of the unified ones, may wait for the world.
func (s *Server) asks(dom string) bool {
	return slices.ContainsFunc(s.session.Served(s.session.Catalog()), func(d *domain.Domain) bool { return (dom == "" || d.Name() == dom) && d.Asks() })
}

// tool is a tool as its calls see it.
type tool struct {
	queue string // that its calls run in, one after the other
	dom   string // whose documents it is about, "" for all domains'
	free  bool   // they run side by side instead
	asks  bool   // a call may wait for the world, and then lets those behind it go on
	// viewed says that the view shows what its calls did.
	viewed bool
	// changes says that no call of it only reads.
	changes bool
	call    func(ctx context.Context, args any, meta *mcp.Meta) *mcp.CallToolResult
	// typed is in the place of call for a typed tool. It gives a result or an error.
	typed func(ctx context.Context, args json.RawMessage, meta *mcp.Meta) (*mcp.CallToolResult, *mcp.JSONRPCErrorDetails)
}
