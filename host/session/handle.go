package session

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/journal"
	"github.com/fcp-host/fcp-host/host/reply"
)

// secretSize is the length of the secret at the end of a shared session's handles. The secret is also the key of the
// document's journal: any host that is given the handle, and serves the document's owner, finds the journal in the
// store.
const secretSize = 16

// newHandle derives a handle from a title or file name.
func newHandle(want string) string { return nameFrom(want) + "-" + rand.Text()[:secretSize] }

// keyOf is the journal key in a document's handle, "" if it has none.
func (k *desk) keyOf(name string) string {
	i := len(name) - secretSize
	if !k.shared || i < 1 || name[i-1] != '-' || strings.Trim(name[i:], "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") != "" {
		return ""
	}
	return strings.ToLower(name[i:])
}

// handleMatches reports whether a handle names d. Only the secret counts: what precedes it describes the document.
func (k *desk) handleMatches(handle string, d *document.Document) bool {
	key := k.keyOf(handle)
	return d.Name == handle || key != "" && key == k.keyOf(d.Name)
}

// openByHandle returns a document of a shared session by its handle, or nil if this host does not have it. A document
// that another host has taken is dropped.
func (s *Session) openByHandle(ctx context.Context, name string) *document.Document {
	s.mu.Lock()
	i := slices.IndexFunc(s.docs, func(e *entry) bool { return s.handleMatches(name, e.doc) })
	var d *document.Document
	if i >= 0 {
		d, s.docs[i].used = s.docs[i].doc, time.Now()
	}
	s.mu.Unlock()
	if d == nil {
		return nil
	}
	d.SettleIdle(ctx) // checks the lease if that is due
	if !d.Lost() {
		return d
	}
	s.cancelJobsOf(d)
	s.remove(d, "")
	d.Leave()
	return nil
}

// Elsewhere returns the host of the cluster that has the document of a handle, "" for this host or none.
func (s *Session) Elsewhere(ctx context.Context, handle string) (host string, err error) {
	key := s.keyOf(handle)
	if key == "" || s.shelf == nil || s.openByHandle(ctx, handle) != nil {
		return "", nil
	}
	cluster, ok := s.shelf.Store().(journal.Cluster)
	if !ok {
		return "", nil
	}
	host, err = cluster.Holder(journal.ID(s.Owner, key))
	if host == cluster.Host() {
		host = ""
	}
	return host, err
}

// Resume takes over a document that no host has, as a call with its handle does. It reports whether no other host has
// it.
func (s *Session) Resume(ctx context.Context, handle string) bool {
	_, err := s.resume(ctx, handle)
	return !errors.Is(err, document.ErrLost)
}

// resume returns the document of a shared session's handle. If no host has it, the session takes it from the store, as
// it was after its last answered call. resume returns nil if there is no such document.
func (s *Session) resume(ctx context.Context, name string) (*document.Document, error) {
	key := s.keyOf(name)
	if key == "" || s.shelf == nil {
		return nil, nil
	}
	for {
		if d := s.openByHandle(ctx, name); d != nil {
			return d, nil
		}
		if s.beginResume(ctx, key) {
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, reply.Refuse(nil, "cannot resume %s: %s; it is kept", quoteShort(name), err)
		}
	}
	defer s.endResume(key)
	if !s.reservePlace(name) {
		return nil, reply.Refuse(actions("close"), "%s open, which is the limit: close one first", reply.Count(s.limits.Documents, "document"))
	}
	defer s.release("", name)
	doc, err := document.Resume(ctx, s.finder(ctx), document.Left{Shelf: s.shelf, ID: journal.ID(s.Owner, key), Room: s.room(), Build: true})
	switch {
	case errors.Is(err, journal.ErrGone):
		return nil, nil
	case errors.Is(err, journal.ErrTaken):
		return nil, document.ErrLost
	case err != nil:
		return nil, reply.Refuse(nil, "cannot resume %s: %s; it is kept", quoteShort(name), err)
	}
	s.setFetcher(doc)
	s.mu.Lock()
	closed := s.closed
	if !closed {
		s.Quota.Settle(1) // until release, it counts twice
		s.addEntry(&entry{doc: doc, named: true, used: time.Now()})
	}
	s.mu.Unlock()
	if closed {
		doc.Leave()
		return nil, nil
	}
	return doc, nil
}

// beginResume reports whether the caller is to resume a document, until endResume. If another call does so already,
// beginResume waits until that call has succeeded or failed, and returns false.
func (k *desk) beginResume(ctx context.Context, key string) bool {
	k.mu.Lock()
	over := k.resuming[key]
	if over == nil {
		k.resuming[key] = make(chan struct{})
	}
	k.mu.Unlock()
	if over == nil {
		return true
	}
	select {
	case <-over:
	case <-ctx.Done():
	}
	return false
}

func (k *desk) endResume(key string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	close(k.resuming[key])
	delete(k.resuming, key)
}

// reservePlace reserves a place for a document with a known handle, until release.
func (k *desk) reservePlace(name string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.docs)+len(k.making) >= k.most || k.Quota.Take(1) != nil {
		return false
	}
	k.making = append(k.making, handle{"", name})
	return true
}

// Leave is Close that leaves every document, saved or not, to the other hosts of the cluster.
func (s *Session) Leave() {
	s.closeAll((*document.Document).Leave)
}
