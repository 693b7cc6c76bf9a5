package session

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/journal"
	"github.com/fcp-host/fcp-host/host/reply"
)

// A handle of a shared session ends with a secret, which is the key of the document's journal, too: whichever host is given the handle,
// and serves the document's owner, finds the journal in the store.
const secretSize = 16

// newHandle makes a handle of what the document is called.
func newHandle(want string) string { return nameFrom(want) + "-" + rand.Text()[:secretSize] }

// keyOf is the key of a document's journal, "" where nobody has to find it.
func (s *Session) keyOf(name string) string {
	i := len(name) - secretSize
	if !s.shared || i < 1 || name[i-1] != '-' || strings.Trim(name[i:], "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") != "" {
		return ""
	}
	return strings.ToLower(name[i:])
}

// means reports whether a handle is a document's. It is the secret that counts: what stands before it says what the document is called.
func (s *Session) means(handle string, d *document.Document) bool {
	key := s.keyOf(handle)
	return d.Name == handle || key != "" && key == s.keyOf(d.Name)
}

// open gives a document of a shared session by its handle, nil where this host does not have it. One that another host has taken
// meanwhile is let go.
func (s *Session) open(ctx context.Context, name string) *document.Document {
	s.mu.Lock()
	i := slices.IndexFunc(s.docs, func(e *entry) bool { return s.means(name, e.doc) })
	var d *document.Document
	if i >= 0 {
		d, s.docs[i].used = s.docs[i].doc, time.Now()
	}
	s.mu.Unlock()
	if d == nil {
		return nil
	}
	d.SettleIdle(ctx) // asks the store, where that is due
	if !d.Lost() {
		return d
	}
	s.endJob(d)
	s.remove(d, "")
	d.Leave()
	return nil
}

// Elsewhere is the host of the store's cluster that has the document with a handle, "" for this one or none.
func (s *Session) Elsewhere(ctx context.Context, handle string) (host string, err error) {
	key := s.keyOf(handle)
	if key == "" || s.shelf == nil || s.open(ctx, handle) != nil {
		return "", nil
	}
	cluster, ok := s.shelf.Store().(journal.Cluster)
	if !ok {
		return "", nil
	}
	host, err = cluster.Holder(journal.ID(s.owner, key))
	if host == cluster.Host() {
		host = ""
	}
	return host, err
}

// Resume takes a document that no host has, as a call that names it by its handle does, and reports whether no other host has it.
func (s *Session) Resume(ctx context.Context, handle string) bool {
	no := s.resume(ctx, handle)
	return no == nil || no.Cause != document.ErrLost
}

// resume has a shared session take a document that no host has, from the store, as it was when its last call was answered. Where there is
// no such document it does nothing.
func (s *Session) resume(ctx context.Context, name string) *reply.Reply {
	key := s.keyOf(name)
	if key == "" || s.shelf == nil || s.open(ctx, name) != nil {
		return nil
	}
	if !s.first(ctx, key) { // a call that came before has resumed it, or could not
		return nil
	}
	defer s.resumed(key)
	if !s.occupy(name) {
		return reply.Errorf(actions("close"), "%s open, the most there may be: close one first", reply.Count(s.limits.Documents, "document"))
	}
	defer s.release("", name)
	find := func(dom string) (*domain.Domain, *files.Roots, error) {
		s.Await(ctx, dom)
		d := s.domain(dom)
		if d == nil {
			return nil, nil, fmt.Errorf("it needs the plugin %s, which is not loaded here", dom)
		}
		return d, s.rootsOf(d), nil
	}
	doc, err := document.Resume(ctx, find, document.Left{Shelf: s.shelf, ID: journal.ID(s.owner, key), Room: s.room(), Build: true})
	switch {
	case errors.Is(err, journal.ErrGone):
		return nil
	case errors.Is(err, journal.ErrTaken):
		no := reply.Errorf(nil, "%s", document.ErrLost)
		no.Cause = document.ErrLost
		return no
	case err != nil:
		return reply.Errorf(nil, "cannot resume %s: %s; it is kept", shown(name), err)
	}
	s.serve(doc)
	s.mu.Lock()
	closed := s.closed
	if !closed {
		s.quota.give(-1) // until release, it counts twice
		s.put(&entry{doc: doc, named: true, used: time.Now()})
	}
	s.mu.Unlock()
	if closed {
		doc.Leave()
	}
	return nil
}

// first reports whether a call is the only one that resumes a document, until resumed. Otherwise it waits for the one that does.
func (s *Session) first(ctx context.Context, key string) bool {
	s.mu.Lock()
	over := s.resuming[key]
	if over == nil {
		s.resuming[key] = make(chan struct{})
	}
	s.mu.Unlock()
	if over == nil {
		return true
	}
	select {
	case <-over:
	case <-ctx.Done():
	}
	return false
}

func (s *Session) resumed(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.resuming[key])
	delete(s.resuming, key)
}

// occupy takes a place for a document whose handle is known, until release.
func (s *Session) occupy(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.docs)+len(s.making) >= s.limits.Documents || !s.quota.take() {
		return false
	}
	s.making = append(s.making, handle{"", name})
	return true
}

// Leave is Close that leaves every document, saved or not, to the hosts of the store's cluster.
func (s *Session) Leave() {
	s.end((*document.Document).Leave)
}
