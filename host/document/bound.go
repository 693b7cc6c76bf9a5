package document

import (
	"errors"

	"github.com/fcp-host/fcp-host/host/budget"
	"github.com/fcp-host/fcp-host/host/reply"
)

// Bound limits the history to capBytes (0 or less means the default), and has it
// take what it holds in memory from histories, which all documents share, nil for
// none. owner is the principal whose document it is, or "". The error says that
// there is no room for what the document holds already: it must be closed.
func (d *Document) Bound(capBytes int64, histories *budget.Budget, owner string) error {
	<-d.turn
	defer d.leave()
	d.log.SetCap(capBytes)
	d.owner = owner
	held := d.memory()
	if err := histories.Take(held, d.owners()...); err != nil {
		return errors.New(overText(err))
	}
	d.histories, d.held = histories, held
	return nil
}

// owners are those whose shares of the budget the document uses.
func (d *Document) owners() []string {
	owners := []string{"the " + d.Domain.Name() + " plugin"}
	if d.owner != "" {
		owners = append(owners, d.owner)
	}
	return owners
}

// memory is what the host itself holds of the document, in bytes: what it was
// opened from, and its history.
func (d *Document) memory() int64 {
	n := d.log.Bytes()
	if d.base.open != nil {
		n += int64(len(d.base.open.Data))
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
