package mcpserver

import (
	"context"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/host/gate"
	"github.com/mark3labs/mcp-go/mcp"
)

// template is the prefix of the URIs of documents' resources.
const template = "fcp://{domain}/{document}/"

// maxCompletions is how many values the protocol allows in one answer.
const maxCompletions = 100

// CompleteResourceArgument lists the domains or open documents whose names begin with the value of one of the
// template's variables.
func (r *resources) CompleteResourceArgument(ctx context.Context, uri string, argument mcp.CompleteArgument, given mcp.CompleteContext) (*mcp.Completion, error) {
	var names []string
	switch {
	case !strings.HasPrefix(uri, template):
	case argument.Name == "domain":
		for _, d := range r.s.session.Domains() {
			if gate.Of(ctx).May(d.Name(), false) {
				names = append(names, d.Name())
			}
		}
	case argument.Name == "document" && !r.s.session.Shared(): // each client would see the handles of the others
		dom := given.Arguments["domain"]
		for _, d := range r.s.session.Documents() {
			if own := d.Domain().Name(); (dom == "" || own == dom) && gate.Of(ctx).May(own, false) {
				names = append(names, d.Name)
			}
		}
	}
	begun := strings.ToLower(argument.Value)
	names = slices.DeleteFunc(names, func(n string) bool { return !strings.HasPrefix(strings.ToLower(n), begun) })
	total := len(names)
	names = names[:min(total, maxCompletions)]
	return &mcp.Completion{Values: names, Total: total, HasMore: total > len(names)}, nil
}
