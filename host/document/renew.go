package document

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/eventlog"
	"github.com/fcp-host/fcp-host/host/sandbox"
)

// builds says which build of its domain a document runs on, and which one it is to run on.
type builds struct {
	dom   atomic.Pointer[domain.Domain]
	next  atomic.Pointer[domain.Domain] // to move to before the next call; nil for none
	stays atomic.Pointer[stay]          // why it did not move, nil where it did
}

// stay is a build that a document did not move to.
type stay struct {
	to  *domain.Domain
	why string
}

// Domain is the domain that the document runs on. While a call works on the document it stays the same.
func (d *Document) Domain() *domain.Domain { return d.dom.Load() }

// Renew has the document move to another build of its domain, unless it tried to already, and reports whether it is to. It moves
// before the next call that works on it, or in Settle.
func (d *Document) Renew(to *domain.Domain) bool {
	if s := d.stays.Load(); s != nil && s.to == to || to == d.Domain() {
		return false
	}
	d.next.Store(to)
	return true
}

// Retry lets Renew try again what the document did not move to.
func (d *Document) Retry() { d.stays.Store(nil) }

// Settle moves the document where Renew said, in its turn.
func (d *Document) Settle(ctx context.Context) {
	if d.enter(ctx) == nil {
		d.leave()
	}
}

// SettleIdle is Settle where no call works on the document or waits for that, and nothing otherwise: the next one moves it.
func (d *Document) SettleIdle(ctx context.Context) {
	if place := d.queue(); place != nil {
		d.unqueue(place)
	} else if d.entered(ctx) == nil {
		d.leave()
	}
}

// Stays is why the document does not run on the build that Renew said, "" where it does or was not tried yet.
func (d *Document) Stays() string {
	if s := d.stays.Load(); s != nil {
		return s.why
	}
	return ""
}

// renew moves the document where Renew said, or notes why it does not move. The caller has the turn.
func (d *Document) renew() {
	to, from := d.next.Load(), d.Domain()
	if to == nil || to == from {
		return
	}
	// The call that comes next asked for none of this, and is not to run out of time by it.
	ctx := context.Background()
	in, state, err := d.builtWith(ctx, to)
	if passing(err) {
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
	if d.remote != nil {
		from.Release(d)
	}
	d.dom.Store(to)
	d.stays.Store(nil)
	d.inst, d.unfolded = in, false
	d.setState(state)
	if to.Build == from.Build {
		return
	}
	if err := d.rewrite(); err != nil { // what comes next is said to a recovery to be of the new build
		d.notes = append(d.notes, unjournaled(err))
	}
	d.note("the %s plugin was updated from %s to %s; this document runs on the new one, and is the same", to.Name(), from.BuildName(), to.BuildName())
}

// builtWith builds the document with another build of its domain. The error says why that cannot take over.
func (d *Document) builtWith(ctx context.Context, to *domain.Domain) (*domain.Instance, *abi.State, error) {
	if err := d.fits(ctx, to); err != nil {
		return nil, nil, err
	}
	applied := slices.Collect(d.log.Applied())
	in, state, err := d.rebuildOn(ctx, to, applied)
	if err != nil {
		if passing(err) {
			return nil, nil, err
		}
		return nil, nil, fmt.Errorf("the new one cannot build it (%w)", err)
	}
	if err = d.matches(ctx, in, state, applied); err != nil {
		in.Close()
		return nil, nil, err
	}
	return in, state, nil
}

// fits says what the new build must have besides the same answers: the folders, the files and the server that the document was
// given to the old one with.
func (d *Document) fits(ctx context.Context, to *domain.Domain) error {
	switch {
	case to.Roots != d.Domain().Roots:
		return errors.New("it has other folders for its documents")
	case d.remote != nil && !Scheme(to, d.remote.ref):
		return errors.New("it has no documents of this kind")
	case d.dir != nil && !reflect.DeepEqual(to.Manifest.Folder, d.Domain().Manifest.Folder):
		return errors.New("it takes other files of a folder")
	case d.dir != nil:
		return needsFolder(ctx, to)
	case d.remote != nil:
		return needsServer(ctx, to)
	}
	return nil
}

// matches holds what another build made of the document against what it is.
func (d *Document) matches(ctx context.Context, in *domain.Instance, state *abi.State, applied []eventlog.Entry) error {
	if state.Digest != d.state.Digest {
		return fmt.Errorf("rebuilt from its history by the new one it is [%s], and it is [%s]", state.Digest, d.state.Digest)
	}
	if len(applied) == 0 { // it is what the new one reads in the file
		return nil
	}
	old, err := d.instance(ctx)
	if err != nil { // there is nothing to compare with
		return nil
	}
	want, err := d.content(ctx, old)
	if err != nil {
		if faulty(err) {
			d.drop()
		}
		return nil
	}
	got, err := d.content(ctx, in)
	switch {
	case passing(err):
		return err
	case err != nil:
		return fmt.Errorf("the new one cannot save it (%w)", err)
	case !bytes.Equal(got, want):
		return errors.New("rebuilt from its history by the new one it would be saved with other content")
	}
	return nil
}

// passing reports that err says nothing of the build that was tried: its worker was killed, or there is no room for it now.
func passing(err error) bool {
	var e *sandbox.Error
	return domain.Lost(err) || errors.As(err, &e) && (e.Kind == sandbox.KindCrowded || e.Kind == sandbox.KindWorker)
}
