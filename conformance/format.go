package conformance

import (
	"encoding/json"
	"fmt"

	"github.com/fcp-host/fcp-host/host/reply"
)

// prefixes maps the kinds of results to prefixes of reply lines.
func prefixes() map[string]byte {
	return map[string]byte{
		"created": reply.Created, "connection": reply.Connection, "changed": reply.Changed,
		"deleted": reply.Deleted, "bulk": reply.Bulk, "warning": reply.Warning, "error": reply.Error,
	}
}

// Format prints a reply.
func Format(c *Case) (any, error) {
	var in struct {
		Results []struct {
			Kind, Text    string
			Warnings, Try []string
		}
		Warnings []string
		Digest   string
	}
	if err := json.Unmarshal(c.Input, &in); err != nil {
		return nil, unreadable{fmt.Errorf("the input cannot be read: %w", err)}
	}
	r := &reply.Reply{Warnings: in.Warnings, Digest: in.Digest}
	for _, res := range in.Results {
		prefix, ok := prefixes()[res.Kind]
		if !ok {
			return nil, unreadable{fmt.Errorf("no kind %q", res.Kind)}
		}
		line := reply.Result{Prefix: prefix, Text: res.Text, Warnings: res.Warnings}
		for _, t := range res.Try {
			line.Try = append(line.Try, reply.Op(t))
		}
		r.Results = append(r.Results, line)
	}
	return r.String(), nil
}
