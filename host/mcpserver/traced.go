package mcpserver

import (
	"context"

	"github.com/fcp-host/fcp-host/host/timing"
	"github.com/mark3labs/mcp-go/mcp"
)

// traced notes where the client is in a trace of its own, which a message says in
// its _meta by the names of W3C Trace Context (SEP-414).
func traced(ctx context.Context, meta *mcp.Meta) {
	call := timing.Of(ctx)
	if meta == nil || !call.Listened() {
		return
	}
	parent, _ := meta.AdditionalFields["traceparent"].(string)
	state, _ := meta.AdditionalFields["tracestate"].(string)
	call.Caused(timing.Trace{Parent: parent, State: state})
}
