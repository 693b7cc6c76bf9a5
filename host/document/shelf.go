package document

import (
	"context"

	"github.com/fcp-host/fcp-host/host/journal"
	"github.com/fcp-host/fcp-host/host/reply"
)

// Shelf is what earlier hosts left in a store of journals. Sessions of one host
// share one, so that a journal is read once.
type Shelf struct {
	store journal.Store
	turn  chan struct{}        // holds one token: whoever has it reads the store
	known map[string]*Leftover // by ID, guarded by turn
}

// NewShelf makes one. It reads nothing yet.
func NewShelf(store journal.Store) *Shelf {
	s := &Shelf{store: store, turn: make(chan struct{}, 1), known: map[string]*Leftover{}}
	s.turn <- struct{}{}
	return s
}

// Store is where the journals are.
func (s *Shelf) Store() journal.Store { return s.store }

// Look lists what no living host owns, the newest first. Journals that it does
// not know yet are read, which takes long where there is much of it. Once ctx is
// done it gives up with ctx's error; what was read until then is known.
//
// One that has expired is removed, unless it holds work that is not saved: that
// goes only when a user was told so by an earlier host (see Told).
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
		if s.over(l) && s.store.Discard(f.ID) == nil {
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

// over reports whether a journal may go.
func (s *Shelf) over(l *Leftover) bool {
	unsaved := l.Dirty || l.Damaged
	return s.Expires(l) && (!unsaved || s.store.Listed(l.Left))
}

// Expires reports whether the next host removes l unless it is recovered before.
// A user has to be told that, with its date. One that cannot be read stays until
// it is discarded: nobody can be told what is in it, and a later version may know.
func (s *Shelf) Expires(l *Leftover) bool { return l.Unreadable == nil && s.store.Expired(l.Left) }

// Told notes that a user was told that l expires. Where that cannot be noted, l
// stays for longer.
func (s *Shelf) Told(l *Leftover) { _ = s.store.List(l.Left) }

// Age is how long a journal is kept that nobody recovers, in words.
func (s *Shelf) Age() string {
	if days := int(s.store.Age().Hours()) / 24; days > 0 {
		return reply.Count(days, "day")
	}
	return s.store.Age().String()
}
