package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"github.com/fcp-host/fcp-host/host/timing"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// answer has mcp-go handle the message in line with the given id, and delivers the answer.
func (c *conn) answer(ctx context.Context, id json.RawMessage, line []byte) {
	c.handle(ctx, func() any {
		res := c.s.mcp.HandleMessage(ctx, line)
		if res == nil {
			return nil
		}
		return withClientID(res, id)
	})
}

// answerCall is answer for a tool call, which may be of a typed tool.
func (c *conn) answerCall(ctx context.Context, id json.RawMessage, tool string, line []byte) {
	ctx, x := withTypedCall(ctx, readMessage(line).Params.Arguments)
	c.handle(ctx, func() any {
		c.busy.Add(1)
		defer c.busy.Add(-1)
		res := c.s.mcp.HandleMessage(ctx, line)
		switch {
		case res == nil:
			return nil
		case x.failure != nil:
			return rpcAnswer{JSONRPC: mcp.JSONRPC_VERSION, ID: id, Error: x.failure}
		}
		if e, ok := res.(mcp.JSONRPCError); ok && strings.HasSuffix(e.Error.Message, server.ErrToolNotFound.Error()) {
			if why := c.s.session.WhyNoTool(tool, domainOfTool(tool)); why != "" {
				e.Error.Message = why
				return rpcAnswer{JSONRPC: mcp.JSONRPC_VERSION, ID: id, Error: &e.Error}
			}
		}
		return withClientID(res, id)
	})
}

// call runs a plain call and delivers the answer. line is its message, which typed tools read themselves.
func (c *conn) call(ctx context.Context, e *envelope, t tool, line []byte) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	id := string(e.ID)
	c.mu.Lock()
	c.calls[id] = cancel
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.calls, id)
		c.mu.Unlock()
	}()
	c.handle(ctx, func() any {
		c.busy.Add(1)
		defer c.busy.Add(-1)
		if t.typed == nil {
			return rpcAnswer{JSONRPC: mcp.JSONRPC_VERSION, ID: e.ID, Result: t.call(ctx, e.Params.Arguments, e.Params.Meta)}
		}
		res, failure := t.typed(ctx, readMessage(line).Params.Arguments, e.Params.Meta)
		if failure != nil {
			return rpcAnswer{JSONRPC: mcp.JSONRPC_VERSION, ID: e.ID, Error: failure}
		}
		return rpcAnswer{JSONRPC: mcp.JSONRPC_VERSION, ID: e.ID, Result: res}
	})
}

// handle delivers what f answers to a message, nil for nothing.
func (c *conn) handle(ctx context.Context, f func() any) {
	var data []byte
	defer func() {
		if p := recover(); p != nil {
			c.s.log.Error("message failed", "panic", p)
		}
		c.deliver(ctx, data)
		timing.Of(ctx).Log(c.s.log)
	}()
	timing.Lap(ctx, timing.Wait)
	if res := f(); res != nil {
		data = c.encode(res)
		timing.Lap(ctx, timing.Encode)
	}
}

// deliver sends the answer to one message that was taken, nil for none. It is called exactly once per message.
func (c *conn) deliver(ctx context.Context, answer []byte) {
	call := timing.Of(ctx)
	if b := batchOf(ctx); b != nil {
		call.EndWrite(len(answer))
		answer, call = b.add(answer), nil
	}
	if answer != nil {
		c.send(answer, call)
	}
}

// rpcAnswer is an answer with its id as the client wrote it, which mcp-go would decode into a Go value and encode
// differently.
type rpcAnswer struct {
	JSONRPC string                   `json:"jsonrpc"`
	ID      json.RawMessage          `json:"id"`
	Result  any                      `json:"result,omitempty"`
	Error   *mcp.JSONRPCErrorDetails `json:"error,omitempty"`
}

// withClientID makes res an rpcAnswer with the client's id.
func withClientID(res mcp.JSONRPCMessage, id json.RawMessage) any {
	if len(id) == 0 {
		return res
	}
	switch res := res.(type) {
	case mcp.JSONRPCResponse:
		return rpcAnswer{JSONRPC: res.JSONRPC, ID: id, Result: res.Result}
	case mcp.JSONRPCError:
		res.Error.Message = strings.TrimSuffix(res.Error.Message, toldTwice)
		return rpcAnswer{JSONRPC: res.JSONRPC, ID: id, Error: &res.Error}
	}
	return res
}

func (c *conn) tooLong() {
	c.tell(mcp.NewJSONRPCError(mcp.RequestId{}, mcp.INVALID_REQUEST, "the message is longer than 80 MiB; split it up", nil))
}

// tell sends a message that is not an answer.
func (c *conn) tell(v any) {
	if data := c.encode(v); data != nil {
		c.send(data, nil)
	}
}

// encode encodes v as a line, nil after an error.
func (c *conn) encode(v any) []byte {
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		c.s.log.Error("answer cannot be encoded", "error", err)
		return nil
	}
	return line.Bytes()
}

// send writes a line. call is nil if it is not an answer.
func (c *conn) send(line []byte, call *timing.Call) {
	c.write.Lock()
	defer c.write.Unlock()
	c.writes.Add(1)
	n, err := c.out.Write(line)
	c.writes.Add(1)
	if err != nil {
		c.goneOnce.Do(func() {
			c.s.log.Warn("client is gone", "error", err)
			close(c.gone)
		})
	}
	call.EndWrite(n)
}
