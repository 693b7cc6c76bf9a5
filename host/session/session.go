// Package session is one client's view of the host: which documents are open, which of them is current, and the four
// tools of every domain as methods. It implements the host's own session actions and queries.
package session

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/reply"
)

// DefaultDocuments is how many documents a session may have open unless SetLimits says otherwise.
const DefaultDocuments = 64

// DefaultWait is how long a call waits for leftovers to be read, or for a domain that is not served yet, unless
// SetLimits says otherwise. Reading a manifest is bounded by processor time, so this long a wait ends only for a
// machine or a store that does not answer.
const DefaultWait = 2 * time.Minute

// keepOpen is how many unchanged documents of a domain that have a file, and no name that the user gave, stay open beside others.
const keepOpen = 8

const maxName = 128 // bytes of a document's name

// Limits bound a session. A zero field means the default.
type Limits struct {
	Documents int           // open at a time
	History   int64         // bytes per document
	Wait      time.Duration // of a call: for leftovers to be read, and for a domain that is not served yet
}

// Session is one client's session. Its methods may be called from several goroutines; calls on one document run in the
// order of arrival.
//
// The domain name "" stands for the unified tools, and means the domain of the current document.
type Session struct {
	desk
	jobs
	source domain.Source
	roots  *files.Roots
	shelf  *document.Shelf // nil: documents are not journaled
	unkept error           // why there is no journal although one was wanted; nil otherwise
	left   leftovers
	limits Limits
	done   chan struct{} // closed by Close

	typed   []string // see SetTools
	literal bool
	rated   bool

	finding sync.Mutex // held while Folder looks for a folder and opens it

	// Settings, which may be changed before the first call:

	// Owner is the principal whose documents these are, who alone may recover or discard them in another session. ""
	// is the user of this machine, over stdio.
	Owner     string
	Local     bool               // replies show the paths of plugins, because the client runs on this machine
	Page      string             // the address at which a person sees the session's documents; "" for none
	Memory    Memory             // shared with other sessions
	Preferred map[string]string  // by extension: the domain that opens files which several domains claim and can read
	Others    func() []Elsewhere // lists the domains that the host could serve; may be nil
}

// New makes a session over the domains of source, in that order. Each call asks source again.
func New(source domain.Source, roots *files.Roots) *Session {
	s := &Session{source: source, roots: roots, done: make(chan struct{})}
	s.current, s.resuming = map[string]*document.Document{}, map[string]chan struct{}{}
	s.SetLimits(Limits{})
	return s
}

// SetLimits sets limits. It is called before the first call.
func (s *Session) SetLimits(l Limits) {
	if l.Documents <= 0 {
		l.Documents = DefaultDocuments
	}
	if l.Wait <= 0 {
		l.Wait = DefaultWait
	}
	s.limits, s.most = l, l.Documents
}

// Roots returns the general roots, which a client's own may replace.
func (s *Session) Roots() *files.Roots { return s.roots }

// rootsOf returns the roots of a domain's documents.
func (s *Session) rootsOf(d *domain.Domain) *files.Roots {
	if d != nil && d.Roots != nil {
		return d.Roots
	}
	return s.roots
}

// NewShared makes a session for clients without sessions of their own, such as those of an HTTP endpoint that send no
// session id. It has no current document: new and open answer a handle that cannot be guessed, all other calls name
// their document by it, and nothing lists the handles of others.
func NewShared(source domain.Source, roots *files.Roots) *Session {
	s := New(source, roots)
	s.desk.shared, s.jobs.each = true, true
	return s
}

// Shared reports whether the session was made by NewShared.
func (k *desk) Shared() bool { return k.shared }

// Expire closes the documents without a call for longer than idle, as Close does, and returns how many those were.
func (s *Session) Expire(idle time.Duration) int {
	limit := time.Now().Add(-idle)
	s.mu.Lock()
	var old []*document.Document
	for _, e := range slices.Clone(s.docs) {
		if e.used.Before(limit) {
			old = append(old, e.doc)
			s.removeEntry(e.doc) // so that a call that arrives now resumes it instead of finding it closed
		}
	}
	s.mu.Unlock()
	for _, d := range old {
		if s.shared {
			s.cancelJobsOf(d)
		}
		d.Suspend()
	}
	return len(old)
}

// Close closes every document. Unsaved changes stay in its journal, if there is one, for a later session to recover.
func (s *Session) Close() { s.closeAll((*document.Document).Suspend) }

// closeAll ends the session, and calls end for each document.
func (s *Session) closeAll(end func(*document.Document)) {
	s.mu.Lock()
	docs := s.docs
	if !s.closed {
		close(s.done)
	}
	s.docs, s.current, s.closed = nil, map[string]*document.Document{}, true
	s.mu.Unlock()
	s.cancelJobs(docs)
	s.Quota.Settle(-int64(len(docs)))
	var ends sync.WaitGroup // a document that is still in a call must not delay the others
	for _, e := range docs {
		ends.Go(func() { end(e.doc) })
	}
	ends.Wait()
	for _, d := range s.Domains() {
		d.Release(s)
	}
}

// toolPrefix is the prefix of the tools of a domain.
func toolPrefix(name string) string {
	if name == "" {
		return unified
	}
	return name
}

// find returns the document that a call names, or the current one. If a newer build of its domain is served, it moves
// there first unless a call works on it. verb helps to suggest a domain if there is no document: see noDocument.
func (s *Session) find(ctx context.Context, dom, name string, verb ...string) (*document.Document, error) {
	d, err := s.resume(ctx, name)
	if err != nil {
		return nil, err
	}
	if d == nil || dom != "" && d.Domain().Name() != dom {
		d, err = s.lookup(ctx, dom, name, verb...)
	}
	if d != nil && s.renew(d) {
		d.SettleIdle(ctx)
	}
	return d, err
}

func (s *Session) lookup(ctx context.Context, dom, name string, verb ...string) (*document.Document, error) {
	d, names := s.findOpen(dom, name)
	switch {
	case d != nil:
		return d, nil
	case s.shared:
		no := s.noDocument(ctx, dom, verb...)
		no.Text = "this connection keeps no current document: give the argument document, the handle that new and open answer"
		if name != "" {
			no.Text = fmt.Sprintf("no open document has the handle %s; it may have been closed after a time without calls", quoteShort(name))
		}
		return nil, no
	case name == "", len(names) == 0:
		return nil, s.noDocument(ctx, dom, verb...)
	}
	if d = s.byFile(dom, name); d != nil {
		return d, nil
	}
	try := actions("documents")
	for i, n := range grammar.Nearest(name, names) {
		if i == 0 {
			try = nil
		}
		try = append(try, reply.Action("use %s", grammar.Quote(n)))
	}
	return nil, reply.Refuse(try, "no open document is named %s", quoteShort(name))
}

// findOpen returns the open document of a name, "" for the current one, or nil and the names of the open ones.
func (k *desk) findOpen(dom, name string) (d *document.Document, names []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.shared && name == "" {
		return k.current[dom], nil
	}
	fits := []func(*entry) bool{func(e *entry) bool { return e.doc.Name == name }, func(e *entry) bool { return strings.EqualFold(e.doc.Name, name) }}
	if k.shared {
		fits = []func(*entry) bool{func(e *entry) bool { return name != "" && k.handleMatches(name, e.doc) }}
	}
	for _, fit := range fits {
		for _, e := range k.docs {
			if fit(e) && (dom == "" || e.doc.Domain().Name() == dom) {
				e.used = time.Now()
				return e.doc, nil
			}
		}
	}
	for _, e := range k.docs {
		if dom == "" || e.doc.Domain().Name() == dom {
			names = append(names, e.doc.Name)
		}
	}
	return nil, names
}

// byFile returns the only open document whose file has that name or path, or nil.
func (s *Session) byFile(dom, name string) (found *document.Document) {
	for _, d := range s.Documents() {
		sum := d.Summary()
		real, err := s.rootsOf(d.Domain()).Resolve(name)
		if dom != "" && sum.Domain != dom || sum.Path == "" || !strings.EqualFold(filepath.Base(sum.Path), name) && (err != nil || sum.Path != real) {
			continue
		}
		if found != nil {
			return nil
		}
		found = d
	}
	return found
}

// noDocument refuses a call that needs a document if there is none. With unified tools it suggests the domains that
// know the first of verb that any knows.
func (s *Session) noDocument(ctx context.Context, dom string, verb ...string) *reply.Refusal {
	d := s.domain(dom)
	if d == nil && dom != "" {
		return s.noDomain(dom)
	}
	domains := s.Domains()
	if d == nil && len(domains) == 0 {
		return reply.Refuse(nil, "%s, and no domain loaded; status says why", noneOpen)
	}
	try := actions(`new "Title"`)
	if d == nil {
		try = nil
		meant := domains
		for _, v := range verb {
			know := slices.DeleteFunc(slices.Clone(domains), func(d *domain.Domain) bool {
				return !d.Knows(v) && (!d.Answers(v) || d.HostAnswers(v))
			})
			if len(know) > 0 {
				meant = know
				break
			}
		}
		for _, d := range meant[:min(len(meant), abi.MaxTry)] {
			try = append(try, reply.Action("new %s \"Title\"", d.Name()))
		}
	}
	try = append(try, (&call{s: s, dom: dom}).suggestOpen(s.domain(dom))...)
	no := reply.Refuse(try, noneOpen)
	no.After = s.offer(ctx, dom, true)
	return no
}

const noneOpen = "no document open"

// nothingOpen makes an answer to status of the refusal of other calls without a document.
func (s *Session) nothingOpen(err error) *reply.Reply {
	r := document.Failure(err)
	if first := &r.Results[0]; first.Text == noneOpen {
		first.Prefix, r.Failed, r.Tells = reply.Changed, false, true
	}
	r.Results = append(r.Results, s.absent()...)
	return r
}

// actions makes each text the suggestion of an action.
func actions(texts ...string) []reply.Suggestion {
	out := make([]reply.Suggestion, len(texts))
	for i, t := range texts {
		out[i] = reply.Action("%s", t)
	}
	return out
}

// siftSuggestions drops suggestions from r that would not work. If none is left it suggests the help on topic.
func (s *Session) siftSuggestions(ctx context.Context, dom string, d *document.Document, r *reply.Reply, topic string) *reply.Reply {
	had := len(r.Results) > 0 && len(r.Results[0].Try) > 0
	d.TryOut(ctx, r)
	if had && len(r.Results[0].Try) == 0 {
		r.Results[0].Try = []reply.Suggestion{reply.Help(topic)}
	}
	return s.dropInfeasible(ctx, dom, d, r, topic)
}

// queries makes each text the suggestion of a query.
func queries(texts ...string) []reply.Suggestion {
	out := make([]reply.Suggestion, len(texts))
	for i, t := range texts {
		out[i] = reply.Query(t)
	}
	return out
}

// FillState adds the state of a document, or of the current one, to a refusal that no document has produced. It reports
// whether there is one.
func (s *Session) FillState(dom, doc string, r *reply.Reply) bool {
	d := s.Current(dom)
	if named := s.Named(dom, doc); named != nil {
		d = named
	}
	if d != nil {
		d.Summary().Fill(r)
		s.several(dom, doc, r)
	}
	return d != nil
}
