package session

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/reply"
)

// add puts a new document in, replaces the clean one it follows, and gives the
// lines that say what stays open behind it.
func (s *Session) add(dom string, doc *document.Document, named bool, r *reply.Reply) {
	s.mu.Lock()
	if s.closed { // by another call, meanwhile
		s.mu.Unlock()
		doc.Suspend()
		return
	}
	s.quota.give(-1) // until release, it counts twice
	// What it follows is the current document of its domain; unified, the last
	// one used may be another's, which is never replaced.
	if s.shared {
		s.put(&entry{doc: doc, named: true, used: time.Now()})
		s.mu.Unlock()
		r.Results[0].Text += fmt.Sprintf("\nname it in every call: document:%s", grammar.Quote(doc.Name))
		return
	}
	old, last := s.current[doc.Domain().Name()], s.current[dom]
	i := slices.IndexFunc(s.docs, func(e *entry) bool { return e.doc == old })
	replace := i >= 0 && !s.docs[i].named
	s.put(&entry{doc: doc, named: named})
	s.point(doc)
	s.mu.Unlock()

	if replace && old.CloseClean() {
		s.remove(old, dom)
		if last == old {
			last = nil
		}
		old = nil
	}
	if last == old {
		last = nil
	}
	for _, d := range []*document.Document{old, last} {
		if d == nil {
			continue
		}
		if sum := d.Summary(); sum.Dirty {
			r.Results = append(r.Results, reply.Result{Prefix: reply.Warning,
				Text: fmt.Sprintf("%q has unsaved changes and stays open", sum.Name),
				Try:  actions("use " + grammar.Quote(sum.Name))})
		}
	}
}

// Follow has f called when a document came, changed, was saved or went, or became the current one, with the document or nil. f must
// return at once, and call nothing of the session.
func (s *Session) Follow(f func(*document.Document)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watcher = f
	for _, e := range s.docs {
		e.doc.Follow(f)
	}
}

// put adds an open document. The caller holds mu.
func (s *Session) put(e *entry) {
	s.docs = append(s.docs, e)
	if s.watcher != nil {
		e.doc.Follow(s.watcher)
		s.watcher(e.doc)
	}
}

// remove takes a closed document out and gives the one that is current for
// dom then, or nil.
func (s *Session) remove(d *document.Document, dom string) *document.Document {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.takeOut(d)
	return s.current[dom]
}

// takeOut takes a document out. The caller holds mu.
func (s *Session) takeOut(d *document.Document) {
	before := len(s.docs)
	s.docs = slices.DeleteFunc(s.docs, func(e *entry) bool { return e.doc == d })
	s.quota.give(before - len(s.docs))
	for key, cur := range s.current {
		if cur != d {
			continue
		}
		delete(s.current, key)
		for _, e := range s.docs { // the last one opened
			if key == "" || e.doc.Domain().Name() == key {
				s.current[key] = e.doc
			}
		}
	}
	if s.watcher != nil {
		s.watcher(nil)
	}
}

// point makes doc the current one. The caller holds mu.
func (s *Session) point(doc *document.Document) {
	s.current[doc.Domain().Name()] = doc
	s.current[""] = doc
	if s.watcher != nil {
		s.watcher(doc)
	}
}

// Reasons not to reserve a name.
var (
	errTaken = errors.New("the name is taken")
	errFull  = errors.New("too many documents")
	errQuota = errors.New("too many documents in all sessions")
)

// handle is a document's name among those that the same tools reach, which is
// where names are unique.
type handle struct{ dom, name string }

// reserve takes a name until release, so that no two documents that are made
// at the same time get one: want itself when it was named, else a free one
// made from it.
func (s *Session) reserve(dom, want string, named bool) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.docs)+len(s.making) >= s.limits.Documents {
		return "", errFull
	}
	meets := func(other string) bool { return dom == "" || other == "" || other == dom }
	taken := func(n string) bool {
		return slices.ContainsFunc(s.docs, func(e *entry) bool { return strings.EqualFold(e.doc.Name, n) && meets(e.doc.Domain().Name()) }) ||
			slices.ContainsFunc(s.making, func(h handle) bool { return strings.EqualFold(h.name, n) && meets(h.dom) })
	}
	name := want
	if s.shared {
		name = newHandle(want)
	} else if named {
		if taken(name) {
			return "", errTaken
		}
	} else {
		want = nameFrom(want)
		name = want
		for i := 2; taken(name); i++ {
			name = fmt.Sprintf("%s-%d", want, i)
		}
	}
	if !s.quota.take() {
		return "", errQuota
	}
	s.making = append(s.making, handle{dom, name})
	return name, nil
}

// release ends a reservation. The document that was made of it, if any, holds
// the name from then on.
func (s *Session) release(dom, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.making, handle{dom, name}); i >= 0 {
		s.making = slices.Delete(s.making, i, i+1)
		s.quota.give(1)
	}
}

// isName reports whether s is one line of printable text, and stays what it is in
// the path of a resource's URI.
func isName(s string) bool {
	return s != "." && s != ".." && strings.TrimSpace(s) != "" && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

// nameFrom makes a name of what the user or the file is called.
func nameFrom(want string) string {
	want = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, want)
	want = strings.Join(strings.Fields(want), " ")
	if len(want) > maxName-8 {
		want = strings.ToValidUTF8(want[:maxName-8], "")
	}
	if !isName(want) {
		return "Untitled"
	}
	return want
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
	if s.shared {
		return reply.Errorf(nil, "documents are not listed here: other clients have theirs open, too; keep the handles that new and open answer")
	}
	var b strings.Builder
	for _, doc := range s.Documents() {
		if dom != "" && doc.Domain().Name() != dom {
			continue
		}
		sum := doc.Summary()
		mark := " "
		if s.Current(dom) == doc {
			mark = ">"
		}
		fmt.Fprintf(&b, "%s %s (%s)", mark, grammar.Quote(sum.Name), sum.Domain)
		if sum.Path != "" {
			fmt.Fprintf(&b, " %s", reply.Line(s.rootsOf(doc.Domain()).Show(sum.Path)))
		}
		if sum.Ref != "" {
			b.WriteString(" " + reply.Line(sum.Ref))
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
