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
	"github.com/fcp-host/fcp-host/printable"
)

// add adds a new document to the session. It closes the unchanged one without a file that it replaces, and of those that have one the least
// recently used above keepOpen. It adds lines to r about documents with unsaved changes that stay open.
func (s *Session) add(dom string, doc *document.Document, named bool, r *reply.Reply) {
	s.mu.Lock()
	if s.closed { // closed by another call meanwhile
		s.mu.Unlock()
		doc.Suspend()
		return
	}
	s.quota.give(-1) // release gives back the reservation's share
	// It may replace the current document of its own domain only. With unified tools the last document used may be of
	// another domain, and is never replaced.
	if s.shared {
		s.addEntry(&entry{doc: doc, named: true, used: time.Now()})
		s.mu.Unlock()
		r.Results[0].Text += fmt.Sprintf("\nname it in every call: document:%s", grammar.Quote(doc.Name))
		return
	}
	old, last := s.current[doc.Domain().Name()], s.current[dom]
	i := slices.IndexFunc(s.docs, func(e *entry) bool { return e.doc == old })
	replace := i >= 0 && !s.docs[i].named
	s.addEntry(&entry{doc: doc, named: named})
	s.makeCurrent(doc)
	s.mu.Unlock()

	if replace && !old.Summary().Placed() && old.CloseClean() {
		s.remove(old, dom)
		if last == old {
			last = nil
		}
		old = nil
	}
	twins, unused := s.spare(doc)
	for _, d := range slices.Concat(twins, unused) {
		name := d.Name
		if !d.CloseClean() {
			continue
		}
		s.remove(d, dom)
		if slices.Contains(unused, d) {
			r.Add(reply.Deleted, "closed %q, which has no unsaved changes: %d stay open", name, keepOpen)
		}
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

// spare lists documents of the domain of doc that have a file, no changes and no name that the user gave: those of the same file as doc, and
// of the others all but the keepOpen used last.
func (s *Session) spare(doc *document.Document) (twins, unused []*document.Document) {
	s.mu.Lock()
	list := slices.DeleteFunc(slices.Clone(s.docs), func(e *entry) bool {
		return e.named || e.doc == doc || e.doc.Domain().Name() != doc.Domain().Name()
	})
	slices.SortStableFunc(list, func(a, b *entry) int { return b.used.Compare(a.used) })
	s.mu.Unlock()
	at := doc.Summary()
	kept := 1
	for _, e := range list {
		switch sum := e.doc.Summary(); {
		case sum.Dirty || !sum.Placed():
		case sum.Path == at.Path && sum.Ref == at.Ref:
			twins = append(twins, e.doc)
		case kept == keepOpen:
			unused = append(unused, e.doc)
		default:
			kept++
		}
	}
	return twins, unused
}

// several marks the reply to a call that did not name its document if the tools of dom reach more than one.
func (s *Session) several(dom, doc string, r *reply.Reply) *reply.Reply {
	if s.shared || doc != "" {
		return r
	}
	n := 0
	for _, d := range s.Documents() {
		if dom == "" || d.Domain().Name() == dom {
			n++
		}
	}
	r.Several = n > 1
	for _, next := range r.Then {
		next.Several = r.Several
	}
	return r
}

// Follow has f called when a document is added, changed, saved, removed (with nil) or made current. f must return at
// once, and must not call the session.
func (s *Session) Follow(f func(*document.Document)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watcher = f
	for _, e := range s.docs {
		e.doc.Follow(f)
	}
}

// addEntry adds an open document. The caller holds mu.
func (s *Session) addEntry(e *entry) {
	s.docs = append(s.docs, e)
	if s.writeThrough {
		e.doc.WriteThrough()
	}
	if s.watcher != nil {
		e.doc.Follow(s.watcher)
		s.watcher(e.doc)
	}
}

// remove removes a closed document and returns the document that is then current for dom, or nil.
func (s *Session) remove(d *document.Document, dom string) *document.Document {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.removeEntry(d)
	return s.current[dom]
}

// removeEntry removes a document. The caller holds mu.
func (s *Session) removeEntry(d *document.Document) {
	before := len(s.docs)
	s.docs = slices.DeleteFunc(s.docs, func(e *entry) bool { return e.doc == d })
	s.quota.give(before - len(s.docs))
	for key, cur := range s.current {
		if cur != d {
			continue
		}
		delete(s.current, key)
		for _, e := range s.docs { // the last one opened becomes current
			if key == "" || e.doc.Domain().Name() == key {
				s.current[key] = e.doc
			}
		}
	}
	if s.watcher != nil {
		s.watcher(nil)
	}
}

// makeCurrent makes doc the current document. The caller holds mu.
func (s *Session) makeCurrent(doc *document.Document) {
	s.current[doc.Domain().Name()] = doc
	s.current[""] = doc
	for _, e := range s.docs {
		if e.doc == doc {
			e.used = time.Now()
		}
	}
	if s.watcher != nil {
		s.watcher(doc)
	}
}

// Errors of Session.reserve.
var (
	errTaken = errors.New("the name is taken")
	errFull  = errors.New("too many documents")
	errQuota = errors.New("too many documents in all sessions")
)

// handle is a document's name together with the domain of the tools that reach it, within which names are unique.
type handle struct{ dom, name string }

// reserve reserves a document's name until release, so that no two documents that are being made get the same one: want
// itself if the user named it, else a free name derived from it.
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

// release ends a reservation. If a document was made, it has the name from then on.
func (s *Session) release(dom, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.making, handle{dom, name}); i >= 0 {
		s.making = slices.Delete(s.making, i, i+1)
		s.quota.give(1)
	}
}

// isName reports whether s is one line of printable text that stays the same as part of a URI's path.
func isName(s string) bool {
	return s != "." && s != ".." && strings.TrimSpace(s) != "" && printable.Hidden(s) == 0 && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

// nameFrom derives a document's name from a title or file name.
func nameFrom(want string) string {
	var b strings.Builder
	for r, shown := range printable.Runes(want) {
		if !shown || !unicode.IsPrint(r) {
			r = ' '
		}
		b.WriteRune(r)
	}
	want = strings.Join(strings.Fields(b.String()), " ")
	if len(want) > maxName-8 {
		want = strings.ToValidUTF8(want[:maxName-8], "")
	}
	if !isName(want) {
		return "Untitled"
	}
	return want
}

// Documents lists the open documents in the order they were opened.
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

// list answers `documents`.
func (s *Session) list(dom string) (*reply.Reply, error) {
	if s.shared {
		return nil, reply.Refuse(nil, "documents are not listed here: other clients have theirs open, too; keep the handles that new and open answer")
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
			b.WriteString(" " + reply.Place(sum.Ref))
		}
		if sum.Dirty {
			b.WriteString(", unsaved changes")
		}
		fmt.Fprintf(&b, " [%s]\n", sum.Digest)
	}
	if b.Len() == 0 {
		return &reply.Reply{Text: "no document open"}, nil
	}
	return &reply.Reply{Text: b.String()}, nil
}
