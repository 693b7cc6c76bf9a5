package document

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/eventlog"
	"github.com/fcp-host/fcp-host/host/sandbox"
)

// builds is the build of its domain that a document runs on, and the one it is to move to.
type builds struct {
	dom   atomic.Pointer[domain.Domain]
	next  atomic.Pointer[domain.Domain] // moved to before the next call; nil for none
	stays atomic.Pointer[stay]          // set if the last move failed
}

// stay is a failed move to another build.
type stay struct {
	to  *domain.Domain
	why string
}

// Domain is the build of the domain that the document runs on. It does not change during a call.
func (b *builds) Domain() *domain.Domain { return b.dom.Load() }

// Renew asks the document to move to another build of its domain, and reports whether it will: not if it failed to move
// there before. It moves before the next call, or in Settle.
func (b *builds) Renew(to *domain.Domain) bool {
	if s := b.stays.Load(); s != nil && s.to == to || to == b.Domain() {
		return false
	}
	b.next.Store(to)
	return true
}

// Retry lets Renew try a build again to which a move failed.
func (b *builds) Retry() { b.stays.Store(nil) }

// Settle waits for the turn and does the move that Renew asked for.
func (d *Document) Settle(ctx context.Context) {
	if d.enter(ctx) == nil {
		d.leave()
	}
}

// SettleIdle is Settle if no call has or waits for the turn; otherwise the next call does the move.
func (d *Document) SettleIdle(ctx context.Context) {
	if place := d.queue(); place != nil {
		d.unqueue(place)
	} else if d.begin(ctx) == nil {
		d.leave()
	}
}

// WhyStays says why the document did not move to the build that Renew asked for, "" if it did or has not tried yet.
func (b *builds) WhyStays() string {
	if s := b.stays.Load(); s != nil {
		return s.why
	}
	return ""
}

// renew does the move that Renew asked for, or notes why it fails. The caller has the turn.
func (d *Document) renew() {
	to, from := d.next.Load(), d.Domain()
	if to == nil || to == from {
		return
	}
	// The move must not use up the time of the call that triggers it.
	ctx := context.Background()
	var in *domain.Instance
	var state *abi.State
	err := d.place.fits(ctx, from, to)
	if to.Roots != from.Roots {
		err = errors.New("it has other folders for its documents")
	}
	if err == nil {
		in, state, err = d.buildOn(ctx, to)
	}
	if transient(err) {
		return // the next call tries again
	}
	d.next.CompareAndSwap(to, nil)
	if err != nil {
		d.stays.Store(&stay{to, err.Error()})
		d.note("the %s plugin was updated to %s, and this document stays on %s: %s; save it, close it and open it again to use the new one",
			to.Name(), to.BuildName(), from.BuildName(), err)
		return
	}
	d.drop()
	from.Release(d)
	d.dom.Store(to)
	d.stays.Store(nil)
	d.inst, d.cannotFold = in, false
	d.setState(state)
	if to.Build == from.Build {
		return
	}
	if err := d.rewrite(); err != nil { // later records belong to the new build
		d.notes = append(d.notes, JournalWarning(err))
	}
	d.note("the %s plugin was updated from %s to %s; this document runs on the new one, and is the same", to.Name(), from.BuildName(), to.BuildName())
}

// buildOn builds the document with another build of its domain. The error says why that build cannot take over.
func (h *history) buildOn(ctx context.Context, to *domain.Domain) (*domain.Instance, *abi.State, error) {
	applied := slices.Collect(h.log.Applied())
	in, state, err := h.rebuildOn(ctx, to, applied)
	if err != nil {
		if transient(err) {
			return nil, nil, err
		}
		return nil, nil, fmt.Errorf("the new one cannot build it (%w)", err)
	}
	if err = h.matches(ctx, in, state, applied); err != nil {
		in.Close()
		return nil, nil, err
	}
	return in, state, nil
}

// matches compares the instance of another build with the document's own.
func (h *history) matches(ctx context.Context, in *domain.Instance, state *abi.State, applied []eventlog.Entry) error {
	if state.Digest != h.state.Digest {
		return fmt.Errorf("rebuilt from its history by the new one it is [%s], and it is [%s]", state.Digest, h.state.Digest)
	}
	if len(applied) == 0 { // nothing to compare: the new build has read the file itself
		return nil
	}
	old, err := h.instance(ctx)
	if err != nil { // nothing to compare with
		return nil
	}
	want, err := h.content(ctx, old)
	if err != nil {
		if isFault(err) {
			h.drop()
		}
		return nil
	}
	got, err := h.content(ctx, in)
	switch {
	case transient(err):
		return err
	case err != nil:
		return fmt.Errorf("the new one cannot save it (%w)", err)
	case !bytes.Equal(got, want):
		return errors.New("rebuilt from its history by the new one it would be saved with other content")
	}
	return nil
}

// transient reports whether err says nothing about the build that was tried: its worker was killed, or there is no room
// for it now.
func transient(err error) bool {
	var e *sandbox.Error
	return domain.Lost(err) || errors.As(err, &e) && (e.Kind == sandbox.KindCrowded || e.Kind == sandbox.KindWorker)
}
