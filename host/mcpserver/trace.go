package mcpserver

import (
	"context"

	"github.com/fcp-host/fcp-host/host/timing"
	"github.com/mark3labs/mcp-go/mcp"
)

// noteTrace notes the client's own trace from a message's _meta, which has it in W3C Trace Context fields (SEP-414).
func noteTrace(ctx context.Context, meta *mcp.Meta) {
	call := timing.Of(ctx)
	if meta == nil || !call.HasListener() {
		return
	}
	parent, _ := meta.AdditionalFields["traceparent"].(string)
	state, _ := meta.AdditionalFields["tracestate"].(string)
	call.SetCaused(timing.Trace{Parent: parent, State: state})
}
