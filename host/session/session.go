// Package session is one client's view of the host: which documents are open,
// which of them is current, and the four tools of every domain as methods. It
// owns the session actions and the queries that no domain sees.
package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/capability/program"
	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/resource"
)

// DefaultDocuments is how many documents a session holds open when Bound does
// not say otherwise.
const DefaultDocuments = 64

// DefaultWait is how long a call waits for what earlier sessions left, or for a
// domain that is not served yet, when Bound does not say otherwise.
const DefaultWait = 10 * time.Second

const maxName = 128 // bytes of a document's name

// Limits bound a session. A zero field means the default.
type Limits struct {
	Documents int           // open at a time
	History   int64         // of each, in bytes
	Wait      time.Duration // of a call for what earlier sessions left to be read, and for a domain that is not served yet
}

// Session is one client's session. Its methods may be called from several
// goroutines; calls to one document run in the order they arrive.
//
// A domain name of "" stands for the unified tools: it means the domain of the
// current document.
type Session struct {
	source domain.Source
	roots  *files.Roots

	preferred map[string]string // domains by extension
	limits    Limits
	shelf     *document.Shelf // nil: nothing is made durable
	unkept    error           // why not, though it should be
	owner     string          // who may recover what it keeps
	quota     *Quota          // of all its owner's sessions, nil for none
	memory    Memory
	left      leftovers
	programs  *program.Set     // nil: none is run
	probes    *resource.Probes // of all sessions
	id        string           // by which the session's jobs are known
	local     bool             // see Local
	page      string           // see Page
	typed     []string         // tools that are offered: see Offer
	literal   bool
	rated     bool

	finding sync.Mutex // held while Folder looks for a folder and opens it

	mu       sync.Mutex
	docs     []*entry                      // in the order they were opened
	making   []handle                      // of documents that are about to be open
	resuming map[string]chan struct{}      // by their keys, documents that are, closed after that
	closed   bool                          // what is made from now on is closed at once
	done     chan struct{}                 // closed by Close
	shared   bool                          // there is no current document: see NewShared
	current  map[string]*document.Document // by domain, and under "" for all
	watcher  func(*document.Document)      // see Follow; nil for nobody
}

// entry is an open document. Named ones were given their name by the user and
// are never replaced.
type entry struct {
	doc   *document.Document
	named bool
	used  time.Time // when a call last meant it
}

// New makes a session over the domains that the source has, in that order.
// Every call looks them up anew.
func New(source domain.Source, roots *files.Roots) *Session {
	return &Session{source: source, roots: roots, current: map[string]*document.Document{}, resuming: map[string]chan struct{}{}, done: make(chan struct{}),
		limits: Limits{Documents: DefaultDocuments, Wait: DefaultWait}}
}

// Bound sets limits, before the first call.
func (s *Session) Bound(l Limits) {
	if l.Documents <= 0 {
		l.Documents = DefaultDocuments
	}
	if l.Wait <= 0 {
		l.Wait = DefaultWait
	}
	s.limits = l
}

// Own makes what the session keeps its owner's, before the first call: only a
// session of the same owner is offered it, and may recover or discard it. The
// zero value is the user of this machine, over stdio.
func (s *Session) Own(owner string) { s.owner = owner }

// Share makes the session's documents count for q as well, before the first call.
func (s *Session) Share(q *Quota) { s.quota = q }

// rootsOf is where a domain's documents may be.
func (s *Session) rootsOf(d *domain.Domain) *files.Roots {
	if d != nil && d.Roots != nil {
		return d.Roots
	}
	return s.roots
}

// NewShared makes a session for clients that have none of their own, such as
// those of one HTTP endpoint that send no session id. It has no current
// document: new and open answer a handle that cannot be guessed, every other
// call names its document by that, and nothing lists the handles of others.
func NewShared(source domain.Source, roots *files.Roots) *Session {
	s := New(source, roots)
	s.shared = true
	return s
}

// Shared reports whether the session was made by NewShared.
func (s *Session) Shared() bool { return s.shared }

// Expire closes the documents that no call has meant for longer than idle, as
// Close does, and returns how many there were.
func (s *Session) Expire(idle time.Duration) int {
	limit := time.Now().Add(-idle)
	s.mu.Lock()
	var old []*document.Document
	for _, e := range slices.Clone(s.docs) {
		if e.used.Before(limit) {
			old = append(old, e.doc)
			s.takeOut(e.doc) // a call that comes now makes it anew, and does not find it closed
		}
	}
	s.mu.Unlock()
	for _, d := range old {
		if s.shared {
			s.endJob(d)
		}
		d.Suspend()
	}
	return len(old)
}

// Close closes every document. What is not saved stays in its journal, if there
// is one, for a later session to recover.
func (s *Session) Close() { s.end((*document.Document).Suspend) }

// end closes every document in a way.
func (s *Session) end(way func(*document.Document)) {
	s.mu.Lock()
	docs := s.docs
	if !s.closed {
		close(s.done)
	}
	s.docs, s.current, s.closed = nil, map[string]*document.Document{}, true
	s.mu.Unlock()
	s.endJobs(docs)
	s.quota.give(len(docs))
	var ends sync.WaitGroup // one on which a call still works keeps no other from the next host
	for _, e := range docs {
		ends.Go(func() { way(e.doc) })
	}
	ends.Wait()
	for _, d := range s.Domains() {
		d.Release(s)
	}
}

// tool is the prefix of the tools a domain is reached by.
func tool(name string) string {
	if name == "" {
		return unified
	}
	return name
}

// find gives the document a call means: the one named, or the current one, on the
// build of its domain that is served now, where it can move there and no call works
// on it. What is said about it helps where there is none: see none.
func (s *Session) find(ctx context.Context, dom, name string, verb ...string) (*document.Document, *reply.Reply) {
	if no := s.resume(ctx, name); no != nil {
		return nil, no
	}
	d, no := s.lookup(ctx, dom, name, verb...)
	if d != nil && s.renew(d) {
		d.SettleIdle(ctx)
	}
	return d, no
}

func (s *Session) lookup(ctx context.Context, dom, name string, verb ...string) (*document.Document, *reply.Reply) {
	d, names := s.named(dom, name)
	switch {
	case d != nil:
		return d, nil
	case s.shared:
		no := s.none(ctx, dom, verb...)
		no.Results[0].Text = "this connection keeps no current document: give the argument document, the handle that new and open answer"
		if name != "" {
			no.Results[0].Text = fmt.Sprintf("no open document has the handle %s; it may have been closed after a time without calls", shown(name))
		}
		return nil, no
	case name == "", len(names) == 0:
		return nil, s.none(ctx, dom, verb...)
	}
	try := actions("documents")
	for i, n := range grammar.Nearest(name, names) {
		if i == 0 {
			try = nil
		}
		try = append(try, reply.Action("use %s", grammar.Quote(n)))
	}
	return nil, reply.Errorf(try, "no open document is named %s", shown(name))
}

// named gives the open document that a name means, "" for the current one, or nil and the names that there are.
func (s *Session) named(dom, name string) (d *document.Document, names []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.shared && name == "" {
		return s.current[dom], nil
	}
	fits := []func(*entry) bool{func(e *entry) bool { return e.doc.Name == name }, func(e *entry) bool { return strings.EqualFold(e.doc.Name, name) }}
	if s.shared {
		fits = []func(*entry) bool{func(e *entry) bool { return name != "" && s.means(name, e.doc) }}
	}
	for _, fit := range fits {
		for _, e := range s.docs {
			if fit(e) && (dom == "" || e.doc.Domain().Name() == dom) {
				e.used = time.Now()
				return e.doc, nil
			}
		}
	}
	for _, e := range s.docs {
		if dom == "" || e.doc.Domain().Name() == dom {
			names = append(names, e.doc.Name)
		}
	}
	return nil, names
}

// none is the answer to a call that needs a document when there is none. The first
// of verb that a domain knows says which domains may be meant, where the tools do
// not.
func (s *Session) none(ctx context.Context, dom string, verb ...string) *reply.Reply {
	d := s.domain(dom)
	if d == nil && dom != "" {
		return s.noDomain(dom)
	}
	domains := s.Domains()
	if d == nil && len(domains) == 0 {
		return reply.Errorf(nil, "no document open, and no domain loaded; status says why")
	}
	try := actions(`new "Title"`)
	if d == nil {
		try = nil
		meant := domains
		for _, v := range verb {
			know := slices.DeleteFunc(slices.Clone(domains), func(d *domain.Domain) bool {
				return !d.Knows(v) && (!d.Answers(v) || d.Reads(v))
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
	try = append(try, (&call{s: s, dom: dom}).openables(s.domain(dom))...)
	r := reply.Errorf(try, "no document open")
	s.offer(ctx, dom, r)
	return r
}

// actions are suggestions of session actions.
func actions(texts ...string) []reply.Suggestion {
	out := make([]reply.Suggestion, len(texts))
	for i, t := range texts {
		out[i] = reply.Action("%s", t)
	}
	return out
}

// sift drops what r suggests and would not work. Where nothing is left it
// suggests to read the help on topic.
func (s *Session) sift(ctx context.Context, dom string, d *document.Document, r *reply.Reply, topic string) *reply.Reply {
	had := len(r.Results) > 0 && len(r.Results[0].Try) > 0
	d.TryOut(ctx, r)
	if had && len(r.Results[0].Try) == 0 {
		r.Results[0].Try = []reply.Suggestion{reply.Help(topic)}
	}
	return s.promised(ctx, dom, d, r, topic)
}

// queries are suggestions of queries.
func queries(texts ...string) []reply.Suggestion {
	out := make([]reply.Suggestion, len(texts))
	for i, t := range texts {
		out[i] = reply.Query(t)
	}
	return out
}
