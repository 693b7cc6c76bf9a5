package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/fcp-host/fcp-host/host/timing"
	"github.com/mark3labs/mcp-go/mcp"
)

// answer has the message in line, whose id is id, handled, and delivers the answer.
func (c *conn) answer(ctx context.Context, id json.RawMessage, line []byte) {
	c.handle(ctx, func() any {
		res := c.s.mcp.HandleMessage(ctx, line)
		if res == nil {
			return nil
		}
		return response(res, id)
	})
}

// answerCall is answer for the call of a tool, which may be a typed one.
func (c *conn) answerCall(ctx context.Context, id json.RawMessage, line []byte) {
	ctx, x := withExchange(ctx, line)
	c.handle(ctx, func() any {
		res := c.s.mcp.HandleMessage(ctx, line)
		switch {
		case res == nil:
			return nil
		case x.failure != nil:
			return answered{JSONRPC: mcp.JSONRPC_VERSION, ID: id, Error: x.failure}
		}
		return response(res, id)
	})
}

// call makes a plain call, and delivers the answer. line is its message, which typed tools read themselves.
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
		if t.typed == nil {
			return answered{JSONRPC: mcp.JSONRPC_VERSION, ID: e.ID, Result: t.call(ctx, e.Params.Arguments, e.Params.Meta)}
		}
		x := exchange{message: line}
		res, failure := t.typed(ctx, x.arguments(), e.Params.Meta)
		if failure != nil {
			return answered{JSONRPC: mcp.JSONRPC_VERSION, ID: e.ID, Error: failure}
		}
		return answered{JSONRPC: mcp.JSONRPC_VERSION, ID: e.ID, Result: res}
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

// deliver sends what answers one message that was taken, nil for nothing. Every
// message comes to one call of it.
func (c *conn) deliver(ctx context.Context, answer []byte) {
	call := timing.Of(ctx)
	if b := batchOf(ctx); b != nil {
		call.Sent(len(answer))
		answer, call = b.add(answer), nil
	}
	if answer != nil {
		c.send(answer, call)
	}
}

// answered is an answer with its id as the client wrote it, which mcp-go would
// read as a number of Go's and write in its own way.
type answered struct {
	JSONRPC string                   `json:"jsonrpc"`
	ID      json.RawMessage          `json:"id"`
	Result  any                      `json:"result,omitempty"`
	Error   *mcp.JSONRPCErrorDetails `json:"error,omitempty"`
}

func response(res mcp.JSONRPCMessage, id json.RawMessage) any {
	if len(id) == 0 {
		return res
	}
	switch res := res.(type) {
	case mcp.JSONRPCResponse:
		return answered{JSONRPC: res.JSONRPC, ID: id, Result: res.Result}
	case mcp.JSONRPCError:
		return answered{JSONRPC: res.JSONRPC, ID: id, Error: &res.Error}
	}
	return res
}

func (c *conn) tooLong() {
	c.tell(mcp.NewJSONRPCError(mcp.RequestId{}, mcp.INVALID_REQUEST, "the message is longer than 80 MiB; split it up", nil))
}

// tell sends a message that answers none.
func (c *conn) tell(v any) {
	if data := c.encode(v); data != nil {
		c.send(data, nil)
	}
}

// encode is v as a line, nil where it cannot be one.
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

// send writes a line. call is nil for one that answers no message.
func (c *conn) send(line []byte, call *timing.Call) {
	c.write.Lock()
	defer c.write.Unlock()
	n, err := c.out.Write(line)
	if err != nil {
		c.left.Do(func() {
			c.s.log.Warn("client is gone", "error", err)
			close(c.gone)
		})
	}
	call.Sent(n)
}
