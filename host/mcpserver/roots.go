package mcpserver

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// askRoots asks a client that has roots for them, unless the user gave roots. again means that they changed.
func (c *conn) askRoots(ctx context.Context, again bool) {
	c.mu.Lock()
	ask := c.legacy && c.can.Roots != nil && (again || !c.askedRoots)
	c.askedRoots = c.askedRoots || ask
	c.mu.Unlock()
	if !ask {
		return
	}
	q := c.s.session.Roots().AskClient()
	if q == nil {
		return
	}
	go func() {
		e := c.request(ctx, mcp.MethodListRoots, map[string]any{}, nil)
		if e == nil {
			q.Fail("the client is gone")
			return
		}
		if e.Error != nil {
			var failure mcp.JSONRPCErrorDetails
			_ = json.Unmarshal(e.Error, &failure) // an error of another form has no message
			if failure.Code == mcp.METHOD_NOT_FOUND {
				c.s.log.Warn("the client declares roots and does not have them; the working directory is allowed instead")
				q.Withdraw()
				return
			}
			q.Fail("the client cannot say which folders are its roots: " + reply.Line(failure.Message))
			c.s.warnOfRoots()
			return
		}
		var list *mcp.ListRootsResult
		_ = json.Unmarshal(e.Result, &list) // nil if it is something else
		c.s.answerRoots(q, list)
	}()
}

// answerRoots answers a question with a client's list; nil if it sent none.
func (s *Server) answerRoots(q *files.Question, list *mcp.ListRootsResult) {
	defer s.warnOfRoots()
	if list == nil || list.Roots == nil {
		q.Fail("the client cannot say which folders are its roots: its answer is no list of roots")
		return
	}
	uris := make([]string, len(list.Roots))
	for i, root := range list.Roots {
		uris[i] = root.URI
	}
	q.Answer(uris)
}

// warnOfRoots logs which roots of the client grant nothing.
func (s *Server) warnOfRoots() {
	for _, line := range s.session.MissingRoots() {
		s.log.Warn(line)
	}
}

// inputRoots is the id of the question for roots in a multi round-trip request, and its state.
const inputRoots = "roots"

// askRootsFirst wraps the tools for clients of protocol version 2026-07-28, which cannot be sent requests: a call is
// answered with the question for the client's roots, and the client repeats it with the answer. It asks at the first
// call, and at each call that names files, since such a client does not report changes.
func (s *Server) askRootsFirst(next server.ToolHandlerFunc) server.ToolHandlerFunc {
	return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		c, ok := server.ClientSessionFromContext(ctx).(*conn) // over HTTP, roots are folders of another machine
		info := server.RequestProtocolInfoFromContext(ctx)
		if !ok || info == nil || !info.Modern || info.ClientCapabilities == nil || info.ClientCapabilities.Roots == nil {
			return next(ctx, req)
		}
		if s.session.Roots().Given() {
			return next(ctx, req)
		}
		answer, answered := req.Params.InputResponses[inputRoots]
		repeated := answered || req.Params.RequestState == inputRoots
		c.mu.Lock()
		known := c.askedRoots
		c.askedRoots = known || repeated
		c.mu.Unlock()
		switch {
		case repeated && (answered || !known):
			list := &mcp.ListRootsResult{}
			if answer.DecodeFor(mcp.MethodListRoots) == nil {
				list = answer.Roots
			}
			s.answerRoots(s.session.Roots().AskClient(), list)
		case !repeated && (!known || namesFiles(req.GetArguments())):
			return server.NewInputRequestBuilder(inputRoots).Roots(inputRoots).ToolResult(), nil
		}
		return next(ctx, req)
	}
}

// namesFiles reports whether a call may open or write a file that it names.
func namesFiles(args map[string]any) bool {
	actions, _ := args["then"].([]any)
	return slices.ContainsFunc(append([]any{args["action"]}, actions...), func(a any) bool {
		text, _ := a.(string)
		verb, _, _ := strings.Cut(strings.TrimSpace(text), " ")
		return slices.Contains([]string{"new", "open", "save", "export", "recover"}, strings.ToLower(verb))
	})
}
