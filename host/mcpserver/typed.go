package mcpserver

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/gate"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/timing"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// makeTypedTool makes a typed tool. Calls without a document run concurrently, others in the queue of their domain.
func (s *Server) makeTypedTool(t *domain.Tool) madeTool {
	dom := t.Domain.Name()
	queue := dom
	if s.config.Unified {
		queue = ""
	}
	face, changes := s.face(queue, ""), t.On != "" && !t.ReadOnly
	def := mcp.NewToolWithRawSchema(t.Name, t.Description, t.Input)
	def.RawOutputSchema = t.Output
	if def.Title = t.Title; def.Title == "" {
		def.Title = t.Name
	}
	def.Title = t.Domain.Manifest.Title + ": " + def.Title
	destructive, open := t.Destructive && !t.ReadOnly, t.OpenWorld()
	def.Annotations = mcp.ToolAnnotation{Title: def.Title, ReadOnlyHint: &t.ReadOnly, DestructiveHint: &destructive, IdempotentHint: &t.Idempotent, OpenWorldHint: &open}
	call := func(ctx context.Context, args json.RawMessage, meta *mcp.Meta) (res *mcp.CallToolResult, failure *mcp.JSONRPCErrorDetails) {
		defer func() {
			if p := recover(); p != nil {
				s.log.Error("tool call failed", "tool", t.Name, "panic", p)
				gate.Of(ctx).SetResult(t.Name, "", true)
				res = textResult(internalError(), face)
			}
		}()
		timing.Lap(ctx, timing.Parse)
		noteTrace(ctx, meta)
		did := timing.What{Method: string(mcp.MethodToolsCall), Tool: t.Name, Domain: dom, Failed: true}
		if why := gate.Of(ctx).Needs(dom, !t.ReadOnly); why != "" {
			gate.Of(ctx).SetResult(t.Name, "", true)
			timing.Of(ctx).SetWhat(did)
			return textResult(reply.Errorf(nil, "%s", why), face), nil
		}
		exactToken(ctx, meta)
		args = t.Without(args, isClientKey)
		ignored := t.Undeclared(args)
		args = t.Without(args, func(key string) bool { return slices.Contains(ignored, key) })
		var a *domain.Answer
		r := s.withProgress(ctx, t.Domain.Name(), meta, progressEvery, func(ctx context.Context) (r *reply.Reply) {
			r, a = s.session.Tool(ctx, t, args)
			for _, key := range ignored {
				note := fmt.Sprintf("ignored the argument %.64q, which %s does not take", key, t.Name)
				if a == nil {
					r.Warnings = append(r.Warnings, note)
				} else {
					a.Warnings = append(a.Warnings, note)
				}
			}
			return r
		})
		s.resources.update(queue, r)
		if v := s.viewed.Load(); v != nil && changes {
			v.RecordCall(dom, r)
		}
		did.Document, did.Failed = r.Document, r.Failed
		timing.Of(ctx).SetWhat(did)
		gate.Of(ctx).SetResult(t.Name, r.Document, r.Failed)
		timing.Lap(ctx, timing.Other)
		if a == nil {
			return textResult(r, face), nil
		}
		t.Structure(a)
		if res, failure = toResult(a); changes {
			s.tagDocument(ctx, dom, r, res)
		}
		return res, failure
	}
	return madeTool{tool: tool{queue: queue, dom: dom, concurrent: t.On == "", mayAsk: t.Domain.Asks(), viewed: changes, changes: !t.ReadOnly, typed: call}, ServerTool: server.ServerTool{Tool: def,
		Handler: func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			x := typedCallOf(ctx)
			res, failure := call(ctx, x.arguments, req.Params.Meta)
			if failure != nil {
				return nil, x.fail(failure)
			}
			return res, nil
		}}}
}

// textResult is the host's own refusal of a call. It has no structured content, which could not fit the tool's schema.
func textResult(r *reply.Reply, face reply.Face) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{mcp.NewTextContent(r.Print(face))}}
}

// toResult turns a tool's answer into a result or a JSON-RPC error.
func toResult(a *domain.Answer) (*mcp.CallToolResult, *mcp.JSONRPCErrorDetails) {
	if e := a.Error; e != nil {
		details := &mcp.JSONRPCErrorDetails{Code: e.Code, Message: e.Message}
		if e.Data != nil {
			details.Data = e.Data
		}
		return nil, details
	}
	text := a.Text
	if text == "" {
		text = "done"
	}
	out := &mcp.CallToolResult{IsError: a.Failed, RawStructuredContent: a.Structured, Content: []mcp.Content{mcp.NewTextContent(text)}}
	if len(a.Warnings) > 0 {
		// A separate text, since the first one may be JSON for a program.
		out.Content = append(out.Content, mcp.NewTextContent(reply.Warnings(a.Warnings)))
	}
	return out, nil
}

// typedCall is the call of a typed tool on its way through mcp-go, which would decode arguments into Go values, changing
// numbers and order, and does not support errors with a tool's own codes.
type typedCall struct {
	arguments json.RawMessage // nil for none
	failure   *mcp.JSONRPCErrorDetails
	standIn   string // message of the error that stands for the failure
}

type typedCallKey struct{}

// withTypedCall starts the call of a typed tool, whose arguments are JSON.
func withTypedCall(ctx context.Context, arguments json.RawMessage) (context.Context, *typedCall) {
	x := &typedCall{arguments: arguments}
	return context.WithValue(ctx, typedCallKey{}, x), x
}

func typedCallOf(ctx context.Context) *typedCall {
	if x, ok := ctx.Value(typedCallKey{}).(*typedCall); ok {
		return x
	}
	return &typedCall{}
}

// fail keeps the failure of a call, and returns the error that stands for it within mcp-go.
func (x *typedCall) fail(failure *mcp.JSONRPCErrorDetails) error {
	x.failure, x.standIn = failure, "failure-"+rand.Text()
	return errors.New(x.standIn)
}

// standInAndFailure returns what the call's failure looks like in mcp-go's answer, and what the client gets instead; nil
// if it did not fail.
func (x *typedCall) standInAndFailure() (standIn, failure []byte, err error) {
	if x.failure == nil {
		return nil, nil, nil
	}
	if standIn, err = json.Marshal(mcp.JSONRPCErrorDetails{Code: mcp.INTERNAL_ERROR, Message: x.standIn}); err != nil {
		return nil, nil, err
	}
	failure, err = json.Marshal(x.failure)
	return standIn, failure, err
}
