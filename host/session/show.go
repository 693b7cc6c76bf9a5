package session

import (
	"context"

	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/sandbox"
)

// Named returns the open document of that name and domain, or nil; dom "" means any domain.
func (k *desk) Named(dom, name string) *document.Document {
	for _, d := range k.Documents() {
		if d.Name == name && (dom == "" || d.Domain().Name() == dom) {
			return d
		}
	}
	return nil
}

// File is the path of a document as its roots show it, "" if it has none.
func (s *Session) File(d *document.Document) string {
	path := d.Summary().Path
	if path == "" {
		return ""
	}
	return reply.Line(s.rootsOf(d.Domain()).Show(path))
}

// See answers a query for a person: see document.See. If q is "", the domain is not asked.
func (s *Session) See(ctx context.Context, d *document.Document, q string, at int, revision uint64) (*document.Seen, error) {
	if q == "" {
		return d.See(ctx, nil, at, revision)
	}
	op, err := grammar.ParseQuery(q)
	if err != nil {
		return nil, err
	}
	return d.See(sandbox.OneCall(ctx), &op, at, revision)
}

// view answers the action `view`.
func (c *call) view() (*reply.Reply, error) {
	if c.s.Page == "" {
		return nil, reply.Refuse(nil, "there is no view: the person who runs fcp-host has to start it with --view")
	}
	r := &reply.Reply{Tells: true}
	r.Add(reply.Changed, "a person sees the documents at %s (only on this machine; whoever has the address can see them)", c.s.Page)
	return r, nil
}
