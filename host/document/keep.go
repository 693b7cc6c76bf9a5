package document

import (
	"context"
	"errors"
	"fmt"

	"github.com/fcp-host/fcp-host/host/eventlog"
	"github.com/fcp-host/fcp-host/host/journal"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/timing"
)

// Keep makes the document durable: its baseline now, and from here on every
// call before it is answered. Where the journal cannot be written, the document
// can still be read and saved; each call that would change it tries again, and
// is refused while it fails. The error says why, for a warning.
//
// owner is who may recover it: a principal, or "" for the user of this machine.
// The journal's key is the given one, so that who knows it finds the journal, or
// one that nobody knows, for "".
func (d *Document) Keep(store journal.Store, owner, key string) error {
	<-d.turn
	defer d.leave()
	if key == "" {
		key = journal.NewKey()
	}
	d.journals, d.owner, d.key = store, owner, key
	return d.rewrite()
}

// JournalID names the document's journal in its folder, "" where there is none.
func (d *Document) JournalID() (id string) {
	d.look(func() {
		if d.journal != nil {
			id = d.journal.ID()
		}
	})
	return id
}

// record makes v durable, as the last thing before it is true: a call whose
// record cannot be written did not happen. Without a journal it does nothing.
func (d *Document) record(ctx context.Context, kind byte, v any) error {
	if d.journals == nil {
		return nil
	}
	timing.Lap(ctx, timing.Other)
	defer timing.Lap(ctx, timing.Journal)
	r, err := encode(kind, v)
	if err != nil {
		return err
	}
	if d.journal == nil || d.journal.Broken() || d.behind || d.bloated() {
		if err := d.rewrite(); err != nil {
			return err
		}
	}
	err = d.journal.Append(r)
	if d.gone(err) {
		return err
	}
	if errors.Is(err, journal.ErrFull) || errors.Is(err, journal.ErrNoRoom) || err != nil && d.journal.Broken() {
		// What was undone and cut still takes its place, or the file is in doubt.
		if d.rewrite() == nil {
			err = d.journal.Append(r)
		}
	}
	return err
}

// jot is record for what a recovery can do without: a loss of power may take it
// away, until the next record.
func (d *Document) jot(kind byte, v any) error {
	if d.journals == nil {
		return nil
	}
	r, err := encode(kind, v)
	if err != nil {
		return err
	}
	if d.journal == nil || d.journal.Broken() || d.behind || d.journal.Note(r) != nil {
		return d.rewrite()
	}
	return nil
}

// Half of a journal may be history that was undone and cut, beyond slack bytes.
const slack = 1 << 20

// bloated reports that a new file would be much smaller than the present one.
func (d *Document) bloated() bool {
	live := d.log.Bytes() + d.base.size() + slack
	return d.journal.Size() > 2*live
}

// rewrite puts the document as it is into a new file.
func (d *Document) rewrite() error {
	if d.journals == nil {
		return nil
	}
	var failed error
	records := d.records(func(err error) { failed = err })
	var err error
	if d.journal == nil {
		var f journal.Journal
		if f, err = d.journals.Create(d.owner, d.key, records); err == nil && failed == nil {
			d.journal = f
		} else if err == nil {
			f.Remove()
		}
	} else {
		err = d.journal.Rewrite(records)
	}
	if err = errors.Join(failed, err); err == nil {
		d.behind = false
	}
	return err
}

// newBatch is the record of a call's entries that lead to digest.
func newBatch(entries []eventlog.Entry, digest string) *batchRecord {
	return &batchRecord{Entries: entryRecords(entries), Digest: &digest}
}

// unrecorded answers a call that could not be made durable and was taken back.
func (d *Document) unrecorded(err error, after string) *reply.Reply {
	try := []reply.Suggestion{d.trySave()}
	if d.gone(err) {
		return reply.Errorf(nil, "%s%s", ErrLost, after)
	}
	if errors.Is(err, journal.ErrFull) {
		return reply.Errorf(append(try, reply.Action("close")),
			"the document's history fills its journal (%d MiB), so nothing was changed: save it, close it and open it again, or start fcp-host with a larger --limit journal=SIZE%s", d.journals.Cap()>>20, after)
	}
	if errors.Is(err, journal.ErrNoRoom) {
		return reply.Errorf(append(try, reply.Action("recover")),
			"%s, so nothing was changed: recover or discard what earlier sessions left, or start fcp-host with a larger --limit%s", err, after)
	}
	if _, shared := d.journals.(journal.Cluster); shared {
		return reply.Errorf(nil, "the journal cannot be written (%s), so nothing was changed: repeat the call%s", err, after)
	}
	return reply.Errorf(try, "the journal cannot be written (%s), so nothing was changed: free space there, or start fcp-host with --no-journal%s", err, after)
}

// unjournaled is the warning about a journal that fell behind, where that
// loses nothing.
func unjournaled(err error) string {
	return fmt.Sprintf("journal: cannot be written (%s); until it can, changes are refused", err)
}

var (
	// ErrLost is what a document answers that another host has taken.
	ErrLost = errors.New("another host has the document by now, so nothing was changed: repeat the call")

	errElsewhere = errors.New("another host has the document by now")
)

// Lost reports whether another host has taken the document, or removed it: what
// this one has of it is out of date. Leave ends it.
func (d *Document) Lost() bool { return d.lost.Load() }

// gone reports whether err says that, and notes it.
func (d *Document) gone(err error) bool {
	if !errors.Is(err, journal.ErrTaken) && !errors.Is(err, journal.ErrGone) {
		return false
	}
	d.lost.Store(true)
	return true
}

// hold makes sure that no other host has the document, so that what is read of it
// is what it is. The caller has the turn.
func (d *Document) hold() error {
	switch {
	case d.lost.Load(): // even if another document of this host has its journal now
		return ErrLost
	case d.journal == nil || d.journal.Held():
		return nil
	}
	err := d.journal.Hold()
	if d.gone(err) {
		return ErrLost
	}
	return err
}

// Leave closes the document here and leaves its journal, saved or not, for a host
// that is asked for it next. What is lost stays whose it is.
func (d *Document) Leave() {
	d.last()
	if d.journal != nil {
		d.journal.Close()
		d.journal = nil
	}
	d.close()
}

// Suspend closes the document at the end of its session. A journal with unsaved
// changes stays, for the next session to recover.
func (d *Document) Suspend() {
	d.last()
	if d.dirty() && d.journal != nil {
		d.journal.Close()
		d.journal = nil
	}
	d.close()
}
