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
	s.mu.Lock()
	d := s.current[dom]
	for _, e := range s.docs {
		if doc != "" && e.doc.Name == doc && (dom == "" || e.doc.Domain().Name() == dom) {
			d = e.doc
		}
	}
	s.mu.Unlock()
	if d != nil {
		fillState(r, d.Summary())
		s.several(dom, doc, r)
	}
	return d != nil
}
