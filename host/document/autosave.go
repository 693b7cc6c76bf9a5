package document

import (
	"context"
	"errors"
	"fmt"

	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/eventlog"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/reply"
)

// autosaves reports whether each call that changes the document is written to its
// file or folder.
func (d *Document) autosaves() bool {
	return (d.Domain().Manifest.Autosave || d.through.Load()) && d.path != ""
}

// WriteThrough has each call that changes the document write it to its file or folder, as a domain's own setting does.
func (d *Document) WriteThrough() { d.through.Store(true) }

// autosave writes the instance's content before the staged entries are part of the log; applied lists the entries that
// lead to it. After an error nothing was written.
func (d *Document) autosave(ctx context.Context, applied func() []eventlog.Entry) (*stored, error) {
	ctx = settling(ctx)
	out, err := d.write(ctx)
	if err == nil || !domain.Lost(err) {
		return out, err
	}
	d.drop()
	if d.inst, _, err = d.rebuild(ctx, applied()); err != nil {
		return nil, err
	}
	return d.write(ctx)
}

// write saves the running instance to the document's file or folder, without looking at the log.
func (d *Document) write(ctx context.Context) (*stored, error) {
	if d.inst == nil {
		return nil, errNoInstance
	}
	if err := d.ensureHeld(); errors.Is(err, ErrLost) {
		return nil, errElsewhere
	}
	if d.dir != nil {
		w, err := d.wantedOf(ctx, d.inst)
		if err != nil {
			return nil, err
		}
		return d.saveFolder(w)
	}
	out, err := d.inst.Save(ctx, d.saveRequest(d.path))
	if err != nil {
		return nil, err
	}
	stamp, err := d.roots.In(ctx).Write(d.path, out.Data, d.over(d.path, false))
	d.wrote.note(d.path, stamp, err)
	if stamp != (files.Stamp{}) {
		d.stamp = stamp
	}
	if err != nil {
		return nil, err
	}
	return &stored{written: 1, warnings: out.Warnings}, nil
}

// noteAutosave marks the log's present position as saved.
func (d *Document) noteAutosave(out *stored, r *reply.Reply) {
	d.saved = d.log.Position()
	r.Warnings = append(r.Warnings, out.warnings...)
	d.failOnConflicts(out, r)
	if err := d.recordLazily(recordSaved, d.savedRecord(savedHere, out.disk)); err != nil {
		d.behind = true
		r.Warnings = append(r.Warnings, JournalWarning(err))
	}
}

// failOnConflicts makes r an error if somebody else changed a file before the save could: the call is in the history,
// but not in those files.
func (d *Document) failOnConflicts(out *stored, r *reply.Reply) {
	if len(out.conflicts) == 0 {
		return
	}
	r.Failed = true
	for _, line := range conflictLines(out.conflicts) {
		r.Add(reply.Error, "%s", line)
	}
	c := out.conflicts[0]
	s := d.stale(c.Path)
	s.Kept = c.Kept
	r.Cause = s
}

// autosaveFailure answers a call that could not be written and was rolled back.
func (d *Document) autosaveFailure(err error, after string) *reply.Reply {
	// The journal already holds the call.
	if jerr := d.rewrite(); d.noteTaken(jerr) {
		return reply.Errorf(nil, "%s, and this call is in its history: look at the document before you repeat it%s", errElsewhere, after)
	} else if jerr != nil {
		d.behind = true
	}
	r := reply.Errorf(nil, "%s; nothing was changed, because each call is saved at once%s", err, after)
	r.Cause = d.conflict(err)
	return r
}

// unsavedWarning is the warning about a call that could not be written, and cannot be rolled back because it changed
// something outside.
func unsavedWarning(err error) string { return fmt.Sprintf("not saved (%s): save tries again", err) }
