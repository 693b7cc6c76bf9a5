package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// confirmTime is how long a call waits for its user's answer.
const confirmTime = 5 * time.Minute

// confirm asks the user through the client, if the client supports that: a question with one box to tick, whose label
// yes says what is granted.
func (c *conn) confirm(ctx context.Context, question, yes string) (granted, asked bool) {
	c.mu.Lock()
	can := c.can.Elicitation
	if !c.legacy || can == nil || can.Form == nil && can.URL != nil { // neither field set means a form
		c.mu.Unlock()
		return false, false
	}
	c.mu.Unlock()
	late := time.NewTimer(confirmTime)
	defer late.Stop()
	e := c.request(ctx, mcp.MethodElicitationCreate, map[string]any{
		"message": question,
		"requestedSchema": map[string]any{"type": "object", "required": []string{"grant"},
			"properties": map[string]any{"grant": map[string]any{"type": "boolean", "title": yes, "default": false}}},
	}, late.C)
	var said struct {
		Action  mcp.ElicitationResponseAction `json:"action"`
		Content struct {
			Grant bool `json:"grant"`
		} `json:"content"`
	}
	if e == nil || e.Error != nil || json.Unmarshal(e.Result, &said) != nil {
		return false, false
	}
	return said.Action == mcp.ElicitationResponseActionAccept && said.Content.Grant, true
}

// request sends a request to the client and returns its answer; nil if it does not answer before ctx or the connection
// ends or late fires.
func (c *conn) request(ctx context.Context, method mcp.MCPMethod, params any, late <-chan time.Time) *envelope {
	answer := make(chan *envelope, 1)
	c.mu.Lock()
	c.questions++
	id := fmt.Sprintf("fcp-host-%d", c.questions)
	c.asked[id] = answer
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.asked, id)
		c.mu.Unlock()
	}()
	c.tell(map[string]any{"jsonrpc": mcp.JSONRPC_VERSION, "id": id, "method": method, "params": params})
	select {
	case e := <-answer:
		return e
	case <-late:
	case <-ctx.Done():
	case <-c.ended:
	case <-c.gone:
	}
	select {
	case e := <-answer: // the client answered, then closed its input
		return e
	default:
	}
	c.tell(map[string]any{"jsonrpc": mcp.JSONRPC_VERSION, "method": "notifications/cancelled", "params": map[string]any{"requestId": id}})
	return nil
}

// takeAnswer passes on the client's answer to a question, and reports whether the message was one.
func (c *conn) takeAnswer(e *envelope) bool {
	var id string
	if json.Unmarshal(e.ID, &id) != nil || e.Result == nil && e.Error == nil {
		return false
	}
	c.mu.Lock()
	answer := c.asked[id]
	delete(c.asked, id)
	c.mu.Unlock()
	if answer == nil {
		return false
	}
	answer <- e
	return true
}
