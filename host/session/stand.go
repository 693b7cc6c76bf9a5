package session

import (
	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/reply"
)

// stand writes where a document stands into r.
func stand(r *reply.Reply, sum document.Summary) {
	r.Document, r.Revision, r.Dirty, r.Digest = sum.Name, sum.Revision, sum.Dirty, sum.Digest
	r.Unpushed = sum.Ref != "" && sum.Dirty
}

// Stand writes where a document stands, or the current one, into a refusal that no
// document has seen. It reports whether there is one.
func (s *Session) Stand(dom, doc string, r *reply.Reply) bool {
	s.mu.Lock()
	d := s.current[dom]
	for _, e := range s.docs {
		if doc != "" && e.doc.Name == doc && (dom == "" || e.doc.Domain().Name() == dom) {
			d = e.doc
		}
	}
	s.mu.Unlock()
	if d != nil {
		stand(r, d.Summary())
	}
	return d != nil
}
