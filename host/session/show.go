package session

import (
	"context"

	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/sandbox"
)

// Named is the open document of this domain, or of any where dom is "", and name, or nil.
func (s *Session) Named(dom, name string) *document.Document {
	for _, d := range s.Documents() {
		if d.Name == name && (dom == "" || d.Domain().Name() == dom) {
			return d
		}
	}
	return nil
}

// File is where a document lies, as its roots show it, "" for nowhere.
func (s *Session) File(d *document.Document) string {
	path := d.Summary().Path
	if path == "" {
		return ""
	}
	return reply.Line(s.rootsOf(d.Domain()).Show(path))
}

// See asks a document's domain as a person's query does: see document.See. Without q the domain is not asked.
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

// Page says where a person sees the session's documents, before the first call.
func (s *Session) Page(address string) { s.page = address }

// view is `view`.
func (c *call) view() *reply.Reply {
	if no := c.takes(0); no != nil {
		return no
	}
	if c.s.page == "" {
		return reply.Errorf(nil, "nobody is shown anything: the person who runs fcp-host starts it with --view for that")
	}
	r := &reply.Reply{Tells: true}
	r.Add(reply.Changed, "a person sees the documents at %s (on this machine alone; the address is the key to it)", c.s.page)
	return r
}
