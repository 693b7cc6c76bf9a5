package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/journal"
)

// Kept is an open document that a later session of the same owner can restore.
type Kept struct {
	ID      string `json:"id"` // of its journal
	Named   bool   `json:"named,omitempty"`
	Current bool   `json:"current,omitempty"`
}

// Kept lists the open documents with a journal, in the order they were opened. Leave then leaves them for Restore.
func (s *Session) Kept() (list []Kept) {
	s.mu.Lock()
	docs, current := slices.Clone(s.docs), s.current[""]
	s.mu.Unlock()
	for _, e := range docs {
		if id := e.doc.JournalID(); id != "" {
			list = append(list, Kept{ID: id, Named: e.named, Current: e.doc == current})
		}
	}
	return list
}

// Restore opens the documents that earlier sessions of the owner left: those of list in its order, then those that are
// not listed because their session was killed, the newest last. The current document is current again; if a session
// was killed, its newest document is. If that document cannot be restored there is no current document, so that no op
// meant for it changes another. Each warning names a document that could not be restored; the action recover lists
// them.
func (s *Session) Restore(ctx context.Context, list []Kept) (warnings []string, err error) {
	left, err := s.shelf.Store().Left()
	if err != nil {
		return nil, err
	}
	slices.Reverse(left) // newest last
	own := journal.ID(s.Owner, "")
	for _, l := range left {
		if strings.HasPrefix(l.ID, own) && !slices.ContainsFunc(list, func(k Kept) bool { return k.ID == l.ID }) {
			list = append(list, Kept{ID: l.ID, Current: true})
		}
	}
	var current *document.Document
	for _, k := range list {
		i := slices.IndexFunc(left, func(l journal.Left) bool { return l.ID == k.ID })
		if i < 0 {
			continue // closed, or discarded
		}
		doc, err := document.Resume(ctx, s.finder(ctx), document.Left{Shelf: s.shelf, ID: k.ID, Room: s.room(), Build: true})
		if k.Current {
			current = doc // nil after an error
		}
		if err != nil {
			warnings = append(warnings, s.unrestored(left[i], err))
			continue
		}
		s.setFetcher(doc)
		s.mu.Lock()
		s.addEntry(&entry{doc: doc, named: k.Named, used: time.Now()})
		s.makeCurrent(doc)
		s.mu.Unlock()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if current == nil {
		clear(s.current)
	} else {
		s.makeCurrent(current)
	}
	return warnings, nil
}

// unrestored says why a document was not restored.
func (s *Session) unrestored(left journal.Left, err error) string {
	name := "a document"
	if l := document.Inspect(s.shelf.Store(), left); l.Unreadable == nil {
		name = grammar.Quote(l.Name)
	}
	return fmt.Sprintf("%s is not open: %s; it is kept, and recover lists it", name, err)
}

// finder returns a function that waits for a journal's domain and returns it, for document.Resume.
func (s *Session) finder(ctx context.Context) func(string) (*domain.Domain, *files.Roots, error) {
	return func(name string) (*domain.Domain, *files.Roots, error) {
		s.Await(ctx, name)
		d := s.domain(name)
		if d == nil {
			return nil, nil, fmt.Errorf("it needs the plugin %s, which is not loaded here", name)
		}
		return d, s.rootsOf(d), nil
	}
}
