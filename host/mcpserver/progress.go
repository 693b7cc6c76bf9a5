package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/session"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// progressEvery is the interval of progress notifications, the first included, for a call of a client that asked for
// them.
const progressEvery = 2 * time.Second

// withProgress runs a call of a domain's tool, or of a unified one if dom is "", and meanwhile sends notifications to the
// client if it gave a progress token. All are sent before withProgress returns.
func (s *Server) withProgress(ctx context.Context, dom string, meta *mcp.Meta, every time.Duration, run func(context.Context) *reply.Reply) *reply.Reply {
	if meta == nil || meta.ProgressToken == nil {
		return run(ctx)
	}
	progress := &session.Progress{}
	done := make(chan struct{})
	var telling sync.WaitGroup
	telling.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		last := 0.0 // progress must increase
		for n := time.Duration(1); ; n++ {
			select {
			case <-tick.C:
				told := map[string]any{"progressToken": meta.ProgressToken, "message": runningFor(n*every, s.session.Compiling(dom))}
				now := (n * every).Seconds()
				if text, part := progress.Now(); text != "" {
					told["message"] = text
					if part >= 0 {
						now, told["total"] = 100*part, 100
					}
				}
				if now <= last {
					now = last + 0.01
				}
				told["progress"], last = now, now
				s.tell(ctx, "notifications/progress", told)
			case <-ctx.Done():
				return
			case <-done:
				return
			}
		}
	})
	defer telling.Wait()
	defer close(done)
	return run(session.WithProgress(ctx, progress))
}

// runningFor is the message about a call that runs, while the modules of some domains are being compiled.
func runningFor(d time.Duration, compiling []string) string {
	if len(compiling) == 0 {
		return fmt.Sprintf("running for %s", d)
	}
	return fmt.Sprintf("running for %s; slower than usual, because fcp-host is still compiling %s, once on this machine", d, strings.Join(compiling, ", "))
}

type tokenKey struct{}

// withToken adds a progress token to a context as the client wrote it, since a large number would change when decoded
// into a Go value.
func withToken(ctx context.Context, token json.RawMessage) context.Context {
	if len(token) == 0 {
		return ctx
	}
	return context.WithValue(ctx, tokenKey{}, token)
}

// exactToken puts that token into a call's meta.
func exactToken(ctx context.Context, meta *mcp.Meta) {
	if token, ok := ctx.Value(tokenKey{}).(json.RawMessage); ok && meta != nil {
		meta.ProgressToken = token
	}
}

// tokenOf is the progress token in a message, if meta does not have it exactly, else nil.
func tokenOf(meta *mcp.Meta, message []byte) json.RawMessage {
	if meta == nil {
		return nil
	}
	if _, number := meta.ProgressToken.(float64); !number {
		return nil
	}
	return readMessage(message).Params.Meta.Token
}

// tell sends a notification that belongs to the request of ctx, before its answer.
func (s *Server) tell(ctx context.Context, method string, params map[string]any) {
	if c, ok := server.ClientSessionFromContext(ctx).(*conn); ok {
		n := mcp.JSONRPCNotification{JSONRPC: mcp.JSONRPC_VERSION}
		n.Method, n.Params.AdditionalFields = method, params
		c.tell(n)
		return
	}
	if err := s.mcp.SendNotificationToClient(ctx, method, params); err != nil {
		s.log.Debug("a notification cannot be sent", "method", method, "error", err)
	}
}
