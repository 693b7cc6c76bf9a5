package document

import (
	"github.com/fcp-host/fcp-host/host/budget"
)

// Room bounds the memory of a document.
type Room struct {
	History   int64          // of its history, in bytes; 0 or less means the default
	Histories *budget.Budget // shared by all documents; nil for no bound
}

// share is what a document holds of the memory for the histories of all.
type share struct {
	of     *budget.Budget // nil for no bound
	owners []string       // whose parts of the budget it counts against, too
	held   int64          // in bytes
}

// grow takes n bytes more, or returns an error that says what to do instead.
func (s *share) grow(n int64) error {
	if err := s.of.Take(n, s.owners...); err != nil {
		return &RoomError{err}
	}
	s.held += n
	return nil
}

// settle makes the share n bytes, of which the growth was taken already.
func (s *share) settle(n int64) {
	s.of.Settle(n-s.held, s.owners...)
	s.held = n
}

// RoomError reports that the histories of all documents leave no room for another one, or for more in one.
type RoomError struct{ over error }

func (e *RoomError) Error() string {
	return "the histories of open documents take too much memory (" + e.over.Error() + ", limit histories): save and close some, or start fcp-host with a larger --limit histories=SIZE"
}

// SetRoom bounds the document's memory. owner is the principal that the document belongs to, or "". After an error
// there is no room for what the document already holds, and the caller must close it.
func (d *Document) SetRoom(room Room, owner string) error {
	<-d.turn
	defer d.leave()
	d.owner = owner
	return d.takeRoom(room)
}

func (d *Document) takeRoom(room Room) error {
	d.log.SetCap(room.History)
	s := share{of: room.Histories, owners: []string{"the " + d.Domain().Name() + " plugin"}}
	if d.owner != "" {
		s.owners = append(s.owners, d.owner)
	}
	if err := s.grow(d.memory()); err != nil {
		return err
	}
	d.share = s
	return nil
}

// memory is how many bytes the host holds of the document: its baseline, its history and files that are not the
// baseline's.
func (d *Document) memory() int64 { return d.live() + d.place.where().extra }
