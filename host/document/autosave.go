package document

import (
	"context"
	"errors"
	"fmt"

	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/eventlog"
	"github.com/fcp-host/fcp-host/host/reply"
)

// autosave writes the instance's content before the staged entries are part of the log; applied lists the entries that
// lead to it. After an error nothing was written.
func (d *Document) autosave(ctx context.Context, applied func() []eventlog.Entry) (*stored, error) {
	ctx = settling(ctx)
	out, err := d.write(ctx)
	if !domain.Lost(err) {
		return out, err
	}
	d.drop()
	if d.inst, _, err = d.rebuild(ctx, applied()); err != nil {
		return nil, err
	}
	return d.write(ctx)
}

func (d *Document) write(ctx context.Context) (*stored, error) {
	if d.inst == nil {
		return nil, errNoInstance
	}
	if err := d.ensureHeld(); errors.Is(err, ErrLost) {
		return nil, errElsewhere
	}
	return d.place.write(ctx, d)
}

// unwritten is the error of a call that could not be written and was rolled back.
func (j *journaling) unwritten(err error, after string) error {
	// The journal already holds the call.
	if jerr := j.rewrite(); j.noteTaken(jerr) {
		return reply.Refuse(nil, "%s, and this call is in its history: look at the document before you repeat it%s", errElsewhere, after)
	} else if jerr != nil {
		j.behind = true
	}
	no := reply.Refuse(nil, "%s; nothing was changed, because each call is saved at once%s", err, after)
	no.Cause = err
	return no
}

// unsavedWarning is the warning about a call that could not be written, and cannot be rolled back because it changed
// something outside.
func unsavedWarning(err error) string { return fmt.Sprintf("not saved (%s): save tries again", err) }
