package session

import (
	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/reply"
)

// fillState copies a document's state to r.
func fillState(r *reply.Reply, sum document.Summary) {
	r.Document, r.Revision, r.Dirty, r.Digest = sum.Name, sum.Revision, sum.Dirty, sum.Digest
	r.Unpushed = sum.Ref != "" && sum.Dirty
}

// FillState adds the state of a document, or of the current one, to a refusal that no document has produced. It reports
// whether there is one.
func (s *Session) FillState(dom, doc string, r *reply.Reply) bool {
	d := s.Current(dom)
	if named := s.Named(dom, doc); named != nil {
		d = named
	}
	if d != nil {
		fillState(r, d.Summary())
		s.several(dom, doc, r)
	}
	return d != nil
}
