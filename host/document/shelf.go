package document

import (
	"context"

	"github.com/fcp-host/fcp-host/host/journal"
	"github.com/fcp-host/fcp-host/host/reply"
)

// Shelf holds what earlier hosts left in a store of journals. All sessions of a host share one, so that each journal is
// read once.
type Shelf struct {
	store journal.Store
	turn  chan struct{}        // holds one token: whoever has taken it reads the store
	known map[string]*Leftover // by ID, guarded by turn
}

// NewShelf makes a Shelf. It does not read the store yet.
func NewShelf(store journal.Store) *Shelf {
	s := &Shelf{store: store, turn: make(chan struct{}, 1), known: map[string]*Leftover{}}
	s.turn <- struct{}{}
	return s
}

// Store is where the journals are.
func (s *Shelf) Store() journal.Store { return s.store }

// Look lists the journals that no living host owns, newest first. It reads those that it does not know yet, which may
// take long. Once ctx is done it returns ctx's error; journals read until then stay known.
//
// An expired journal is removed, unless it holds unsaved work: that is removed only if an earlier host has told a user
// so (see MarkTold).
func (s *Shelf) Look(ctx context.Context) ([]*Leftover, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.leave()
	left, err := s.store.Left()
	if err != nil {
		return nil, err
	}
	there := make(map[string]*Leftover, len(left))
	out := make([]*Leftover, 0, len(left))
	for _, f := range left {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		l := s.known[f.ID]
		if l == nil || l.Left != f {
			l = Inspect(s.store, f)
			s.known[f.ID] = l
		}
		if s.removable(l) && s.store.Discard(f.ID) == nil {
			continue
		}
		there[f.ID] = l
		out = append(out, l)
	}
	s.known = there
	return out, nil
}

// enter waits for the turn to read a journal, until ctx is done.
func (s *Shelf) enter(ctx context.Context) error {
	select {
	case <-s.turn:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Shelf) leave() { s.turn <- struct{}{} }

// removable reports whether a journal may be removed now.
func (s *Shelf) removable(l *Leftover) bool {
	unsaved := l.Dirty || l.Damaged
	return s.Expires(l) && (!unsaved || s.store.Listed(l.Left))
}

// Expires reports whether the next host removes l unless it is recovered before; a user has to be told that, with its
// date. A journal that cannot be read stays until it is discarded: nobody can say what is in it, and a later version
// may be able to read it.
func (s *Shelf) Expires(l *Leftover) bool { return l.Unreadable == nil && s.store.Expired(l.Left) }

// MarkTold records that a user was told that l expires. If that fails, l stays for longer.
func (s *Shelf) MarkTold(l *Leftover) { _ = s.store.MarkListed(l.Left) }

// Age is for how long a leftover journal is kept, in words.
func (s *Shelf) Age() string {
	if days := int(s.store.Age().Hours()) / 24; days > 0 {
		return reply.Count(days, "day")
	}
	return s.store.Age().String()
}
