package mcpserver

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/session"
	"github.com/mark3labs/mcp-go/mcp"
)

// Limits on what tools take of a client's context, in characters of their JSON in a list of tools. Many clients send
// this with every request to their model: the built-in domains that are served by default take at most 26,000.
const (
	maxTools      = 6100 // the four tools of a domain
	maxUnified    = 5000 // the unified tools
	maxStructured = 2000 // the schemas of their results in addition, for Config.Structured
	maxLoaded     = 6000 // the tools that a client which defers tools is asked to load at once
	maxResult     = 200_000
)

// Keys of a tool's _meta, known to clients that load tools on demand or cut results.
const (
	metaHint   = "anthropic/searchHint"         // words by which the tool is found
	metaLoad   = "anthropic/alwaysLoad"         // the tool is not to be deferred
	metaResult = "anthropic/maxResultSizeChars" // results up to this length are not to be cut
)

// toolSpec is what makeTool makes one of the four tools of.
type toolSpec struct {
	dom      string // "" for the unified tools
	def      mcp.Tool
	kind     string // the kind of suggestion that it takes
	readOnly bool
	run      func(context.Context, arguments) *reply.Reply
}

// toolsOf makes the four tools of a domain; d is nil for the unified ones.
func (s *Server) toolsOf(dom string, d *domain.Domain) []madeTool {
	specs := s.specs(dom)
	title, hint := "FCP", "edit file document"
	if d != nil {
		title, hint = d.Manifest.Title, strings.Join(d.Manifest.Keywords, " ")
	}
	open := slices.ContainsFunc(s.session.Served(s.session.Catalog()), func(d *domain.Domain) bool { return (dom == "" || d.Name() == dom) && d.OpenWorld() })
	taken := 0
	for i := range specs {
		describe(&specs[i], title, hint, open)
		taken += jsonSize(specs[i].def) + len(`,"description":""`)
	}
	taken += len(`,"` + metaLoad + `":true`) // of one of them
	var card session.Texts
	if d != nil {
		card = session.Describe(d.Manifest, dom, maxTools-taken)
	} else {
		card = s.session.DescribeAll(maxUnified - taken)
	}
	var made []madeTool
	for i, text := range []string{card.Edit, card.Query, card.Session, card.Help} {
		t := &specs[i]
		t.def.Description = text
		if s.config.Structured && (t.kind == abi.TryAction || t.kind == reply.TryHelp) { // these never answer with a picture
			t.def.RawOutputSchema = factsSchema(maxStructured / 2)
		}
		made = append(made, s.makeTool(t))
	}
	return made
}

// specs lists the four tools without their descriptions: to edit, query, manage documents and explain.
func (s *Server) specs(dom string) []toolSpec {
	edit, query, action, help := names(dom)
	const text, texts = `{"type":"string"}`, `{"type":"array","items":{"type":"string"}}`
	domainOf := ""
	if dom == "" {
		domainOf = `"domain":` + text + `,`
	}
	return []toolSpec{
		{dom: dom, kind: abi.TryOp,
			def: mcp.NewToolWithRawSchema(edit, "", schema(`"ops":`+texts+`,"then":{"type":"array","items":{"type":"string"},"description":"run after: queries, ops, save"},"document":`+text, "ops")),
			run: func(ctx context.Context, a arguments) *reply.Reply {
				if a.Ops == nil {
					return s.missingArgument(dom, a.Document, abi.TryOp, "the argument ops is missing: a list of operation strings")
				}
				return s.session.Edit(ctx, dom, a.Document, a.Ops, a.Then)
			}},
		{dom: dom, kind: abi.TryQuery, readOnly: true,
			def: mcp.NewToolWithRawSchema(query, "", schema(`"q":`+text+`,"document":`+text, "q")),
			run: func(ctx context.Context, a arguments) *reply.Reply {
				if a.Q == nil {
					return s.missingArgument(dom, a.Document, abi.TryQuery, "the argument q is missing: the query, such as map")
				}
				return s.session.QueryThen(ctx, dom, a.Document, *a.Q, a.Then)
			}},
		{dom: dom, kind: abi.TryAction,
			def: mcp.NewToolWithRawSchema(action, "", schema(`"action":`+text+`,"then":`+texts+`,"document":`+text, "action")),
			run: func(ctx context.Context, a arguments) *reply.Reply {
				if a.Action == nil {
					return s.missingArgument(dom, a.Document, abi.TryAction, "the argument action is missing: a session action, such as status")
				}
				return s.session.Actions(ctx, dom, a.Document, slices.Concat([]string{*a.Action}, a.More, a.Then))
			}},
		{dom: dom, kind: reply.TryHelp, readOnly: true,
			def: mcp.NewToolWithRawSchema(help, "", schema(domainOf+`"topic":`+text)),
			run: func(ctx context.Context, a arguments) *reply.Reply {
				return s.session.Help(ctx, dom, a.Domain, a.Topic)
			}},
	}
}

func schema(properties string, required ...string) json.RawMessage {
	text := `{"type":"object","properties":{` + properties + `}`
	if len(required) > 0 {
		text += `,"required":["` + strings.Join(required, `","`) + `"]`
	}
	return json.RawMessage(text + "}")
}

// describe adds what the tools of a domain say besides their descriptions. Annotations are only those that differ from
// their defaults.
func describe(t *toolSpec, title, hint string, open bool) {
	what := map[string]string{abi.TryOp: "edit", abi.TryQuery: "query", abi.TryAction: "session", reply.TryHelp: "help"}[t.kind]
	t.def.Title = title + ": " + what
	yes, no := true, false
	if t.readOnly {
		t.def.Annotations.ReadOnlyHint, t.def.Annotations.IdempotentHint = &yes, &yes
	}
	if t.kind == abi.TryOp {
		t.def.Annotations.DestructiveHint = &no
	}
	if !open || t.kind == reply.TryHelp {
		t.def.Annotations.OpenWorldHint = &no
	}
	if hint != "" && (t.kind == abi.TryOp || t.kind == abi.TryAction) {
		t.def.Meta = withMeta(t.def.Meta, metaHint, hint)
	}
	if t.kind == abi.TryOp || t.kind == abi.TryQuery {
		t.def.Meta = withMeta(t.def.Meta, metaResult, maxResult)
	}
}

// withMeta returns a copy of a tool's _meta with one more key.
func withMeta(m *mcp.Meta, key string, value any) *mcp.Meta {
	fields := map[string]any{}
	if m != nil {
		fields = maps.Clone(m.AdditionalFields)
	}
	fields[key] = value
	return mcp.NewMetaFromMap(fields)
}

// markLoaded asks clients that defer tools to load those that manage documents at once: from their names alone, models
// rarely find a server. Each says what its domain edits, and with what. Of those in the list, the first that take
// maxLoaded characters together are marked.
func (s *Server) markLoaded(_ context.Context, _ any, _ *mcp.ListToolsRequest, r *mcp.ListToolsResult) {
	left := maxLoaded
	for i := range r.Tools {
		t := &r.Tools[i]
		if (*s.toolByName.Load())[t.Name].kind != abi.TryAction {
			continue
		}
		marked := *t
		marked.Meta = withMeta(t.Meta, metaLoad, true)
		if size := jsonSize(marked); size <= left {
			left -= size
			*t = marked
		}
	}
}

// jsonSize is the number of characters of a tool in a list.
func jsonSize(t mcp.Tool) int {
	data, err := json.Marshal(t)
	if err != nil {
		panic(err) // impossible: a tool with a schema of ours
	}
	return utf8.RuneCount(data) + len(",")
}
