// Package session is one client's view of the host: which documents are open,
// which of them is current, and the four tools of every domain as methods. It
// owns the session actions and the queries that no domain sees.
package session

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/grammar"
	"github.com/fcp-host/fcp-host/host/reply"
)

// maxDocuments bounds the documents one session holds open.
const maxDocuments = 64

// Session is one client's session. Its methods may be called from several
// goroutines; calls to one document run in the order they arrive.
//
// A domain name of "" stands for the unified tools: it means the domain of the
// current document.
type Session struct {
	domains []*domain.Domain
	roots   *files.Roots

	mu      sync.Mutex
	docs    []*entry                      // in the order they were opened
	current map[string]*document.Document // by domain, and under "" for all
}

// entry is an open document. Named ones were given their name by the user and
// are never replaced.
type entry struct {
	doc   *document.Document
	named bool
}

// New makes a session over the domains given, in that order.
func New(domains []*domain.Domain, roots *files.Roots) *Session {
	return &Session{domains: domains, roots: roots, current: map[string]*document.Document{}}
}

// Domains lists the domains.
func (s *Session) Domains() []*domain.Domain { return s.domains }

// Close closes every document, saved or not.
func (s *Session) Close() {
	s.mu.Lock()
	docs := s.docs
	s.docs, s.current = nil, map[string]*document.Document{}
	s.mu.Unlock()
	for _, e := range docs {
		e.doc.Close()
	}
}

// tool is the prefix of the tools a domain is reached by.
func tool(name string) string {
	if name == "" {
		return "fcp"
	}
	return name
}

func (s *Session) domain(name string) *domain.Domain {
	for _, d := range s.domains {
		if d.Name() == name {
			return d
		}
	}
	return nil
}

// find gives the document a call means: the one named, or the current one.
func (s *Session) find(dom, name string) (*document.Document, *reply.Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if name == "" {
		if doc := s.current[dom]; doc != nil {
			return doc, nil
		}
		return nil, s.none(dom)
	}
	for _, level := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		for _, e := range s.docs {
			if level(e.doc.Name, name) && (dom == "" || e.doc.Domain.Name() == dom) {
				return e.doc, nil
			}
		}
	}
	var names, try []string
	for _, e := range s.docs {
		if dom == "" || e.doc.Domain.Name() == dom {
			names = append(names, e.doc.Name)
		}
	}
	if len(names) == 0 {
		return nil, s.none(dom)
	}
	for i, n := range append(grammar.Nearest(name, names), names...) {
		if i < 3 && !slices.Contains(try, n) {
			try = append(try, n)
		}
	}
	for i, n := range try {
		try[i] = tool(dom) + "_session use " + grammar.Quote(n)
	}
	return nil, reply.Errorf(try, "no open document is named %q", name)
}

// none is the answer to a call that needs a document when there is none.
func (s *Session) none(dom string) *reply.Reply {
	d := s.domain(dom)
	if d == nil && len(s.domains) > 0 {
		return reply.Errorf([]string{`fcp_session new ` + s.domains[0].Name() + ` "Title"`, "fcp_session open ./file" + extension(s.domains[0])}, "no document open")
	}
	if d == nil {
		return reply.Errorf(nil, "no document open, and no domain loaded")
	}
	return reply.Errorf([]string{dom + `_session new "Title"`, dom + "_session open ./file" + extension(d)}, "no document open")
}

func extension(d *domain.Domain) string {
	if e := d.Manifest.Extensions; len(e) > 0 {
		return e[0]
	}
	return ""
}

// Edit is the tool D: runs ops on a document ("" for the current one).
func (s *Session) Edit(ctx context.Context, dom, doc string, ops []string) *reply.Reply {
	d, no := s.find(dom, doc)
	if no != nil {
		return no
	}
	return d.Apply(ctx, ops)
}

// add puts a new document in, replaces the clean one it follows, and gives the
// lines that say so.
func (s *Session) add(dom string, doc *document.Document, named bool, r *reply.Reply) {
	s.mu.Lock()
	old := s.current[dom]
	if dom == "" {
		old = s.current[doc.Domain.Name()]
	}
	s.docs = append(s.docs, &entry{doc, named})
	s.point(doc)
	var closing *document.Document
	i := slices.IndexFunc(s.docs, func(e *entry) bool { return e.doc == old })
	replace := old != nil && i >= 0 && !s.docs[i].named
	s.mu.Unlock()

	if old == nil {
		return
	}
	sum := old.Summary()
	if sum.Dirty {
		r.Results = append(r.Results, reply.Result{Prefix: reply.Warning,
			Text: fmt.Sprintf("%q has unsaved changes and stays open", sum.Name),
			Try:  []string{tool(dom) + "_session use " + grammar.Quote(sum.Name)}})
		return
	}
	if !replace {
		return
	}
	s.mu.Lock()
	if i := slices.IndexFunc(s.docs, func(e *entry) bool { return e.doc == old }); i >= 0 {
		s.docs = slices.Delete(s.docs, i, i+1)
		closing = old
	}
	s.mu.Unlock()
	if closing != nil {
		closing.Close()
	}
}

// point makes doc the current one. The caller holds mu.
func (s *Session) point(doc *document.Document) {
	s.current[doc.Domain.Name()] = doc
	s.current[""] = doc
}

// name makes a free name from what the user or the file is called. Names are
// unique among the documents that the same tools reach.
func (s *Session) name(dom, want string) string {
	want = strings.TrimSpace(want)
	if want == "" {
		want = "Untitled"
	}
	name := want
	for i := 2; s.taken(dom, name); i++ {
		name = fmt.Sprintf("%s-%d", want, i)
	}
	return name
}

func (s *Session) taken(dom, name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.docs, func(e *entry) bool {
		return strings.EqualFold(e.doc.Name, name) && (dom == "" || e.doc.Domain.Name() == dom)
	})
}

func (s *Session) full() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.docs) >= maxDocuments
}

// Documents lists what is open, in order.
func (s *Session) Documents() []*document.Document {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]*document.Document, len(s.docs))
	for i, e := range s.docs {
		out[i] = e.doc
	}
	return out
}

// Current is the current document of a domain, or nil.
func (s *Session) Current(dom string) *document.Document {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current[dom]
}

// list is `documents`.
func (s *Session) list(dom string) *reply.Reply {
	var b strings.Builder
	for _, doc := range s.Documents() {
		if dom != "" && doc.Domain.Name() != dom {
			continue
		}
		sum := doc.Summary()
		mark := " "
		if s.Current(dom) == doc {
			mark = ">"
		}
		fmt.Fprintf(&b, "%s %s (%s)", mark, grammar.Quote(sum.Name), sum.Domain)
		if sum.Path != "" {
			fmt.Fprintf(&b, " %s", s.roots.Show(sum.Path))
		}
		if sum.Dirty {
			b.WriteString(", unsaved changes")
		}
		fmt.Fprintf(&b, " [%s]\n", sum.Digest)
	}
	if b.Len() == 0 {
		return &reply.Reply{Text: "no document open"}
	}
	return &reply.Reply{Text: b.String()}
}

// pick chooses the domain for a file: by its extension, then by how it starts.
func (s *Session) pick(path string, data []byte) *domain.Domain {
	ext := strings.ToLower(filepath.Ext(path))
	for _, d := range s.domains {
		for _, e := range d.Manifest.Extensions {
			if e == ext || strings.Count(e, ".") > 1 && strings.HasSuffix(strings.ToLower(path), e) {
				return d
			}
		}
	}
	for _, d := range s.domains {
		for _, m := range d.Manifest.Magic {
			if m.Offset >= 0 && len(m.Bytes) > 0 && len(data) >= m.Offset+len(m.Bytes) && string(data[m.Offset:m.Offset+len(m.Bytes)]) == string(m.Bytes) {
				return d
			}
		}
	}
	return nil
}
