package document

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync/atomic"

	"github.com/fcp-host/fcp-host/host/eventlog"
	"github.com/fcp-host/fcp-host/host/journal"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/timing"
)

// journaling is the document's journal, which has each call before it is answered.
type journaling struct {
	owner    string          // the principal that the document belongs to: see Keep
	key      string          // of the journal
	journals journal.Store   // nil: not journaled
	journal  journal.Journal // nil: not created yet; the next call creates it
	behind   bool            // the journal does not have the last save yet
	lost     atomic.Bool     // see Lost

	whole func(fail func(error)) iter.Seq[journal.Record] // the document as records
	live  func() int64                                    // size of its data
}

// Keep makes the document durable: its baseline now, and each later call before it is answered. If the journal cannot
// be written, the document can still be read and saved; each call that would change it tries again, and is refused
// while that fails. The error is for a warning.
//
// owner is who may recover the document: a principal, or "" for the user of this machine. Whoever knows the journal's
// key can find the journal; for key "" a secret one is made.
func (d *Document) Keep(store journal.Store, owner, key string) error {
	<-d.turn
	defer d.leave()
	if key == "" {
		key = journal.NewKey()
	}
	d.journals, d.owner, d.key = store, owner, key
	return d.rewrite()
}

// JournalID is the ID of the document's journal in its store, "" if there is none.
func (d *Document) JournalID() (id string) {
	d.look(func() {
		if d.journal != nil {
			id = d.journal.ID()
		}
	})
	return id
}

// record writes v to the journal, before the log changes. After an error the caller must roll back the call. Without a
// journal it does nothing.
func (j *journaling) record(ctx context.Context, kind byte, v any) error {
	if j.journals == nil {
		return nil
	}
	timing.Lap(ctx, timing.Other)
	defer timing.Lap(ctx, timing.Journal)
	r, err := encode(kind, v)
	if err != nil {
		return err
	}
	if j.journal == nil || j.journal.Broken() || j.behind || j.bloated() {
		if err := j.rewrite(); err != nil {
			return err
		}
	}
	err = j.journal.Append(r)
	if j.noteTaken(err) {
		return err
	}
	if errors.Is(err, journal.ErrFull) || errors.Is(err, journal.ErrNoRoom) || err != nil && j.journal.Broken() {
		// The journal may be full of entries that were undone and cut, or in doubt: rewrite it.
		if j.rewrite() == nil {
			err = j.journal.Append(r)
		}
	}
	return err
}

// recordLazily is record for what a recovery can do without: until the next record, a loss of power may lose it.
func (j *journaling) recordLazily(_ context.Context, kind byte, v any) error {
	if j.journals == nil {
		return nil
	}
	r, err := encode(kind, v)
	if err != nil {
		return err
	}
	if j.journal == nil || j.journal.Broken() || j.behind || j.journal.Note(r) != nil {
		return j.rewrite()
	}
	return nil
}

// slack is added to the size of the live data, in bytes, so that a small journal is not rewritten often.
const slack = 1 << 20

// bloated reports whether the journal is more than twice as large as the live data and slack together.
func (j *journaling) bloated() bool { return j.journal.Size() > 2*(j.live()+slack) }

// rewrite replaces the journal's records by the document as it is now. It creates the journal if there is none.
func (j *journaling) rewrite() error {
	if j.journals == nil {
		return nil
	}
	var failed error
	records := j.whole(func(err error) { failed = err })
	var err error
	if j.journal == nil {
		var f journal.Journal
		if f, err = j.journals.Create(j.owner, j.key, records); err == nil && failed == nil {
			j.journal = f
		} else if err == nil {
			f.Remove()
		}
	} else {
		err = j.journal.Rewrite(records)
	}
	if err = errors.Join(failed, err); err == nil {
		j.behind = false
	}
	return err
}

// newBatch is the record of the entries of a call that led to digest.
func newBatch(entries []eventlog.Entry, digest string) *batchRecord {
	return &batchRecord{Entries: entryRecords(entries), Digest: &digest}
}

// unrecorded is the error of a call that could not be journaled and was rolled back.
func (j *journaling) unrecorded(err error, after string, save reply.Suggestion) error {
	try := []reply.Suggestion{save}
	if j.noteTaken(err) {
		return reply.Refuse(nil, "%s%s", ErrLost, after)
	}
	if errors.Is(err, journal.ErrFull) {
		return reply.Refuse(append(try, reply.Action("close")),
			"the document's history fills its journal (%d MiB), so nothing was changed: save it, close it and open it again, or start fcp-host with a larger --limit journal=SIZE%s", j.journals.Cap()>>20, after)
	}
	if errors.Is(err, journal.ErrNoRoom) {
		return reply.Refuse(append(try, reply.Action("recover")),
			"%s, so nothing was changed: recover or discard what earlier sessions left, or start fcp-host with a larger --limit%s", err, after)
	}
	if _, shared := j.journals.(journal.Cluster); shared {
		return reply.Refuse(nil, "the journal cannot be written (%s), so nothing was changed: repeat the call%s", err, after)
	}
	return reply.Refuse(try, "the journal cannot be written (%s), so nothing was changed: free space there, or start fcp-host with --no-journal%s", err, after)
}

// JournalWarning is the warning about a journal that could not be written, when that loses nothing.
func JournalWarning(err error) string {
	return fmt.Sprintf("journal: cannot be written (%s); until it can, changes are refused", err)
}

var (
	// ErrLost is the error of calls on a document that another host has taken.
	ErrLost = errors.New("another host has the document by now, so nothing was changed: repeat the call")

	errElsewhere = errors.New("another host has the document by now")
)

// Lost reports whether another host has taken or removed the document's journal: this host's copy is out of date, and
// Leave ends it.
func (j *journaling) Lost() bool { return j.lost.Load() }

// noteTaken reports whether err says that another host has taken or removed the journal, and sets lost.
func (j *journaling) noteTaken(err error) bool {
	if !errors.Is(err, journal.ErrTaken) && !errors.Is(err, journal.ErrGone) {
		return false
	}
	j.lost.Store(true)
	return true
}

// ensureHeld makes sure that this host still owns the document, so that its copy is up to date. The caller has the
// turn.
func (j *journaling) ensureHeld() error {
	switch {
	case j.lost.Load(): // even if another document of this host has the journal now
		return ErrLost
	case j.journal == nil || j.journal.Held():
		return nil
	}
	err := j.journal.Hold()
	if j.noteTaken(err) {
		return ErrLost
	}
	return err
}

// letGo leaves the journal to the next host.
func (j *journaling) letGo() {
	if j.journal != nil {
		j.journal.Close()
		j.journal = nil
	}
}

// Leave closes the document here but keeps its journal, saved or not, for the host that is asked for it next. A journal
// that another host has taken stays with that host.
func (d *Document) Leave() {
	d.takeFinalTurn()
	d.letGo()
	d.close()
}

// Suspend closes the document at the end of its session. A journal with unsaved
// changes stays, for the next session to recover.
func (d *Document) Suspend() {
	d.takeFinalTurn()
	if d.dirty() {
		d.letGo()
	}
	d.close()
}
