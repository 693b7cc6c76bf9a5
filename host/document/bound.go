package document

import (
	"github.com/fcp-host/fcp-host/host/budget"
	"github.com/fcp-host/fcp-host/host/reply"
)

// Room is how much a document may hold in memory.
type Room struct {
	History   int64          // bytes of its history; 0 or less means the default
	Histories *budget.Budget // what all documents hold, nil for no bound
}

// Bound holds the document to room. owner is the principal whose document it is,
// or "". The error says that there is none for what the document holds already:
// it must be closed.
func (d *Document) Bound(room Room, owner string) error {
	<-d.turn
	defer d.leave()
	d.owner = owner
	return d.bound(room)
}

func (d *Document) bound(room Room) error {
	d.log.SetCap(room.History)
	held := d.memory()
	if err := room.Histories.Take(held, d.owners()...); err != nil {
		return &RoomError{err}
	}
	d.histories, d.held = room.Histories, held
	return nil
}

// unbound gives back what the document holds.
func (d *Document) unbound() {
	d.histories.Settle(-d.held, d.owners()...)
	d.held = 0
}

// RoomError says that all histories together leave no room for another document.
type RoomError struct{ over error }

func (e *RoomError) Error() string { return overText(e.over) }

// owners are those whose shares of the budget the document uses.
func (d *Document) owners() []string {
	owners := []string{"the " + d.Domain().Name() + " plugin"}
	if d.owner != "" {
		owners = append(owners, d.owner)
	}
	return owners
}

// memory is what the host itself holds of the document, in bytes: what it was
// opened from, and its history.
func (d *Document) memory() int64 {
	n := d.log.Bytes() + d.base.size()
	if d.dir != nil {
		n += d.dir.extra
	}
	return n
}

// settled takes from the budget what the document holds now. What it grew by was
// asked for before.
func (d *Document) settled() {
	held := d.memory()
	d.histories.Settle(held-d.held, d.owners()...)
	d.held = held
}

// crowded answers a call whose events have no room among all histories.
func (d *Document) crowded(err error, after string) *reply.Reply {
	return reply.Errorf([]reply.Suggestion{d.trySave(), reply.Action("close")}, "%s, so nothing was changed%s", overText(err), after)
}

func overText(err error) string {
	return "the histories of open documents take too much memory (" + err.Error() + ", limit histories): save and close some, or start fcp-host with a larger --limit histories=SIZE"
}
