package document

import (
	"github.com/fcp-host/fcp-host/host/budget"
)

// Room bounds the memory of a document.
type Room struct {
	History   int64          // of its history, in bytes; 0 or less means the default
	Histories *budget.Budget // shared by all documents; nil for no bound
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
	held := d.memory()
	if err := room.Histories.Take(held, d.owners()...); err != nil {
		return &RoomError{err}
	}
	d.histories, d.held = room.Histories, held
	return nil
}

// releaseRoom returns the document's memory to the budget.
func (d *Document) releaseRoom() {
	d.histories.Settle(-d.held, d.owners()...)
	d.held = 0
}

// RoomError reports that the histories of all documents leave no room for another one.
type RoomError struct{ over error }

func (e *RoomError) Error() string { return overText(e.over) }

// owners are the shares of the budget that the document's memory counts against.
func (d *Document) owners() []string {
	owners := []string{"the " + d.Domain().Name() + " plugin"}
	if d.owner != "" {
		owners = append(owners, d.owner)
	}
	return owners
}

// memory is how many bytes the host holds of the document: its baseline, its history and files that are not the
// baseline's.
func (d *Document) memory() int64 { return d.live() + d.place.extra() }

// settleMemory sets the document's share of the budget to what it holds now. The caller has already asked for any
// growth.
func (d *Document) settleMemory() {
	held := d.memory()
	d.histories.Settle(held-d.held, d.owners()...)
	d.held = held
}

func overText(err error) string {
	return "the histories of open documents take too much memory (" + err.Error() + ", limit histories): save and close some, or start fcp-host with a larger --limit histories=SIZE"
}
