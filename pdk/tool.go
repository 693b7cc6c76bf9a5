package pdk

import (
	"errors"
	"fmt"

	"github.com/fcp-host/fcp-host/abi"
)

// Tool is a typed tool. A tool without On works without a document: c.Model is the
// zero M. Only a tool on a document or folder that is not ReadOnly may make edits,
// by c.Do; the text of c.Changed and the like becomes the call's line in the history.
type Tool[M any] struct {
	abi.Tool
	Run func(c *Ctx[M], args []byte) (ToolResult, error) // args is JSON that satisfies InputSchema

	// Misfit, if set, makes the error for arguments that do not satisfy InputSchema; why is the host's error text,
	// which it replaces. It is for tools without On.
	Misfit func(args []byte, why string) error
}

// ToolResult is what a tool answers.
type ToolResult struct {
	JSON []byte // satisfies OutputSchema; nil without one
	Text string // for clients that do not read structured results; if empty, they get JSON
}

// ToolError is a tool's refusal with a code and data of its own.
type ToolError struct {
	Code    int
	Message string
	Data    []byte // JSON, or nil
}

func (e *ToolError) Error() string { return e.Message }

// Tool is fcp_tool.
func (in *Instance[M]) Tool(r *abi.ToolRequest) (*abi.ToolResponse, error) {
	for i := range in.d.Tools {
		if t := &in.d.Tools[i]; t.Name == r.Name {
			if r.Misfit != "" {
				return t.misfit(r)
			}
			return in.tool(t, r)
		}
	}
	return nil, Errorf("unknown tool %q", r.Name)
}

func (t *Tool[M]) misfit(r *abi.ToolRequest) (*abi.ToolResponse, error) {
	if t.Misfit == nil {
		return nil, Errorf("the arguments do not fit: %s", r.Misfit)
	}
	return &abi.ToolResponse{Error: toolError(t.Misfit(r.Arguments, r.Misfit))}, nil
}

func (in *Instance[M]) tool(t *Tool[M], r *abi.ToolRequest) (*abi.ToolResponse, error) {
	c := &Ctx[M]{Host: &Host{call: in.call, can: r.Can, settings: r.Settings, now: r.Now, nonce: r.Nonce, files: in.files()}}
	switch {
	case t.On == "":
		c.Host.frozen = "this tool works without a document"
	case !in.open:
		return nil, errNoDocument
	case t.ReadOnly:
		c.Host.frozen = "this tool only reads"
	}
	if t.On != "" {
		c.Model = in.model
	}
	out := &abi.ToolResponse{}
	if res, err := t.Run(c, r.Arguments); err != nil {
		if back := c.rollback(); back != nil {
			return nil, fmt.Errorf("tool %s failed (%w) and could not be undone: %w", t.Name, err, back)
		}
		out.Error = toolError(err)
		out.Warnings = c.warnings
	} else {
		done := c.Result()
		out.Structured, out.Text, out.Summary = res.JSON, res.Text, done.Text
		out.Events, out.IDs, out.Warnings = done.Events, done.IDs, done.Warnings
	}
	if t.On != "" {
		out.State = in.state(in.model)
	}
	return out, nil
}

func toolError(err error) *abi.ToolError {
	out := &abi.ToolError{Message: oneLine(err.Error())}
	if e := new(ToolError); errors.As(err, &e) {
		out.Code, out.Data = e.Code, e.Data
	}
	return out
}
