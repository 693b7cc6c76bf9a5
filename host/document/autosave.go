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
func (d *Document) autosaves() bool { return d.Domain().Manifest.Autosave && d.path != "" }

// autosave writes what the instance has, before the entries that lead there are
// part of the log: applied are all of them. After an error nothing was written.
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

// write saves the running instance, whatever the log says, to the document's file
// or folder.
func (d *Document) write(ctx context.Context) (*stored, error) {
	if d.inst == nil {
		return nil, errNoInstance
	}
	if err := d.hold(); errors.Is(err, ErrLost) {
		return nil, errElsewhere
	}
	if d.dir != nil {
		w, err := d.wantedOf(ctx, d.inst)
		if err != nil {
			return nil, err
		}
		return d.saveFolder(w)
	}
	out, err := d.inst.Save(ctx, d.saving(d.path))
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

// autosaved notes that the state the log now has was written.
func (d *Document) autosaved(out *stored, r *reply.Reply) {
	d.saved = d.log.Position()
	r.Warnings = append(r.Warnings, out.warnings...)
	d.missed(out, r)
	if err := d.jot(recordSaved, d.savedRecord(savedHere, out.disk)); err != nil {
		d.behind = true
		r.Warnings = append(r.Warnings, unjournaled(err))
	}
}

// missed makes an error of a save in which somebody else came first: the call is in
// the history, and its files do not hold what it did.
func (d *Document) missed(out *stored, r *reply.Reply) {
	if len(out.conflicts) == 0 {
		return
	}
	r.Failed = true
	for _, line := range unwritten(out.conflicts) {
		r.Add(reply.Error, "%s", line)
	}
	c := out.conflicts[0]
	s := d.stale(c.Path)
	s.Kept = c.Kept
	r.Cause = s
}

// unwritable answers a call that could not be written and was taken back.
func (d *Document) unwritable(err error, after string) *reply.Reply {
	// The journal has it already.
	if jerr := d.rewrite(); d.gone(jerr) {
		return reply.Errorf(nil, "%s, and this call is in its history: look at the document before you repeat it%s", errElsewhere, after)
	} else if jerr != nil {
		d.behind = true
	}
	r := reply.Errorf(nil, "%s; so nothing was changed, since each call is written down%s", err, after)
	r.Cause = d.conflict(err)
	return r
}

// unsaved is the warning about a call that could not be written, and must not be
// taken back: it did something that cannot be.
func unsaved(err error) string { return fmt.Sprintf("not saved (%s): save tries again", err) }
