package document

import (
	"context"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/reply"
)

// Tool calls a typed tool on the document, with arguments that were admitted. Its change is one op of the history,
// under the tool's summary. answer is the domain's answer, or nil if the call failed for a reason that is in the reply.
func (d *Document) Tool(ctx context.Context, t *domain.Tool, arguments []byte) (r *reply.Reply, answer *abi.ToolResponse) {
	b := newAction(grammar.Item{Raw: t.Name}, abi.Op{Verb: t.Name, Raw: t.Name})
	call := func(in *domain.Instance) (*abi.ApplyResponse, error) {
		out, err := t.Call(ctx, in, arguments)
		if answer = out; err != nil {
			return nil, err
		}
		res := abi.Result{Kind: abi.Changed, Events: out.Events, IDs: out.IDs}
		switch {
		case out.Error != nil:
			res = abi.Result{Error: &abi.Error{Message: out.Error.Message}}
		case len(out.Events) == 0:
			res.Kind = abi.Unchanged
		}
		if out.Summary != "" {
			b.items[0].Raw = out.Summary
			res.Text = reply.Said(d.Domain().Name(), out.Summary)
		}
		return &abi.ApplyResponse{Results: []abi.Result{res}, State: out.State}, nil
	}
	r = d.edit(ctx, func() (*reply.Reply, error) { return d.perform(ctx, b, call) })
	if r.Failed && answer != nil && answer.Error == nil {
		answer = nil
	}
	return r, answer
}
