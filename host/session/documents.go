package session

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/budget"
	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/printable"
)

// desk holds the open documents of a session.
type desk struct {
	Quota        *budget.Budget // of documents; shared by all sessions of the owner; nil for no bound
	WriteThrough bool           // each call that changes a document with a file saves it

	most     int                           // documents that may be open
	shared   bool                          // no current document: see NewShared
	mu       sync.Mutex                    // guards what follows
	docs     []*entry                      // in the order they were opened
	making   []handle                      // reserved names of documents that are being made
	resuming map[string]chan struct{}      // by key: documents that are being resumed; closed at the end
	closed   bool                          // documents made from now on are closed at once
	current  map[string]*document.Document // by domain, and under "" for all
	watcher  func(*document.Document)      // see Follow; may be nil
}

// entry is an open document. A document without a file is replaced by the next unless it has changes or a name that the user gave.
type entry struct {
	doc   *document.Document
	named bool
	used  time.Time // time of the last call on it
}

// add adds a new document to the session. It closes the unchanged one without a file that it replaces, and of those that have one the least
// recently used above keepOpen. It adds lines to r about documents with unsaved changes that stay open.
func (k *desk) add(dom string, doc *document.Document, named bool, r *reply.Reply) {
	k.mu.Lock()
	if k.closed { // closed by another call meanwhile
		k.mu.Unlock()
		doc.Suspend()
		return
	}
	k.Quota.Settle(1) // release gives back the reservation's share
	// It may replace the current document of its own domain only. With unified tools the last document used may be of
	// another domain, and is never replaced.
	if k.shared {
		k.addEntry(&entry{doc: doc, named: true, used: time.Now()})
		k.mu.Unlock()
		r.Results[0].Text += fmt.Sprintf("\nname it in every call: document:%s", grammar.Quote(doc.Name))
		return
	}
	old, last := k.current[doc.Domain().Name()], k.current[dom]
	i := slices.IndexFunc(k.docs, func(e *entry) bool { return e.doc == old })
	replace := i >= 0 && !k.docs[i].named
	k.addEntry(&entry{doc: doc, named: named})
	k.makeCurrent(doc)
	k.mu.Unlock()

	if replace && !old.Summary().Placed() && old.CloseClean() {
		k.remove(old, dom)
		if last == old {
			last = nil
		}
		old = nil
	}
	twins, unused := k.spare(doc)
	for _, d := range slices.Concat(twins, unused) {
		name := d.Name
		if !d.CloseClean() {
			continue
		}
		k.remove(d, dom)
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
func (k *desk) spare(doc *document.Document) (twins, unused []*document.Document) {
	k.mu.Lock()
	list := slices.DeleteFunc(slices.Clone(k.docs), func(e *entry) bool {
		return e.named || e.doc == doc || e.doc.Domain().Name() != doc.Domain().Name()
	})
	slices.SortStableFunc(list, func(a, b *entry) int { return b.used.Compare(a.used) })
	k.mu.Unlock()
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
func (k *desk) several(dom, doc string, r *reply.Reply) *reply.Reply {
	if k.shared || doc != "" {
		return r
	}
	n := 0
	for _, d := range k.Documents() {
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
func (k *desk) Follow(f func(*document.Document)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.watcher = f
	for _, e := range k.docs {
		e.doc.Follow(f)
	}
}

// addEntry adds an open document. The caller holds mu.
func (k *desk) addEntry(e *entry) {
	k.docs = append(k.docs, e)
	if k.WriteThrough {
		e.doc.WriteThrough()
	}
	if k.watcher != nil {
		e.doc.Follow(k.watcher)
		k.watcher(e.doc)
	}
}

// remove removes a closed document and returns the document that is then current for dom, or nil.
func (k *desk) remove(d *document.Document, dom string) *document.Document {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.removeEntry(d)
	return k.current[dom]
}

// removeEntry removes a document. The caller holds mu.
func (k *desk) removeEntry(d *document.Document) {
	before := len(k.docs)
	k.docs = slices.DeleteFunc(k.docs, func(e *entry) bool { return e.doc == d })
	k.Quota.Settle(int64(len(k.docs) - before))
	for key, cur := range k.current {
		if cur != d {
			continue
		}
		delete(k.current, key)
		for _, e := range k.docs { // the last one opened becomes current
			if key == "" || e.doc.Domain().Name() == key {
				k.current[key] = e.doc
			}
		}
	}
	if k.watcher != nil {
		k.watcher(nil)
	}
}

// makeCurrent makes doc the current document. The caller holds mu.
func (k *desk) makeCurrent(doc *document.Document) {
	k.current[doc.Domain().Name()] = doc
	k.current[""] = doc
	for _, e := range k.docs {
		if e.doc == doc {
			e.used = time.Now()
		}
	}
	if k.watcher != nil {
		k.watcher(doc)
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
func (k *desk) reserve(dom, want string, named bool) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.docs)+len(k.making) >= k.most {
		return "", errFull
	}
	meets := func(other string) bool { return dom == "" || other == "" || other == dom }
	taken := func(n string) bool {
		return slices.ContainsFunc(k.docs, func(e *entry) bool { return strings.EqualFold(e.doc.Name, n) && meets(e.doc.Domain().Name()) }) ||
			slices.ContainsFunc(k.making, func(h handle) bool { return strings.EqualFold(h.name, n) && meets(h.dom) })
	}
	name := want
	if k.shared {
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
	if k.Quota.Take(1) != nil {
		return "", errQuota
	}
	k.making = append(k.making, handle{dom, name})
	return name, nil
}

// release ends a reservation. If a document was made, it has the name from then on.
func (k *desk) release(dom, name string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if i := slices.Index(k.making, handle{dom, name}); i >= 0 {
		k.making = slices.Delete(k.making, i, i+1)
		k.Quota.Settle(-1)
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
func (k *desk) Documents() []*document.Document {
	k.mu.Lock()
	defer k.mu.Unlock()
	out := make([]*document.Document, len(k.docs))
	for i, e := range k.docs {
		out[i] = e.doc
	}
	return out
}

// Current is the current document of a domain, or nil.
func (k *desk) Current(dom string) *document.Document {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.current[dom]
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
