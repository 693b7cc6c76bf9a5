package document

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/reply"
)

// fold keeps the log within its cap: the oldest entries become part of the
// baseline. It proves on a fresh instance that nothing changes by it.
func (d *Document) fold(ctx context.Context, r *reply.Reply) {
	n := d.log.Overflow()
	if n == 0 || d.unfolded {
		return
	}
	ctx = context.WithoutCancel(ctx)
	if p := d.Domain.Plugin(); p.Left(ctx) < p.Left(context.Background())/2 {
		return // the next call has more time for it
	}
	base, in, err := d.folded(ctx, n)
	if domain.Lost(err) {
		return // through no fault of the document: the next call tries again
	}
	if err != nil {
		d.unfolded = true
		r.Warnings = append(r.Warnings, fmt.Sprintf("the history is larger than its cap and cannot be shortened (%s)", err))
		return
	}
	gone := d.log.Fold(n)
	d.base = base
	clear(d.digests)
	d.drop()
	d.inst = in
	d.reached(&d.state)
	line := fmt.Sprintf("the history reached its cap: the oldest %s can no longer be undone", reply.Count(n, "op"))
	if len(gone) > 0 {
		line += "; checkpoints gone with them: " + strings.Join(gone, ", ")
	}
	r.Warnings = append(r.Warnings, line)
	// Without this the journal tells the same document, with a longer history.
	if err := d.rewrite(); err != nil {
		r.Warnings = append(r.Warnings, unjournaled(err))
	}
}

func (d *Document) folded(ctx context.Context, n int) (baseline, *domain.Instance, error) {
	applied := slices.Collect(d.log.Applied())
	old, _, err := d.rebuild(ctx, applied[:n])
	if err != nil {
		return baseline{}, nil, err
	}
	defer old.Close()
	snap := d.Domain.Manifest.Snapshots
	data, err := old.Save(ctx, &abi.SaveRequest{Snapshot: snap})
	if err != nil {
		return baseline{}, nil, err
	}
	name := d.fileName()
	if d.base.open != nil {
		name = d.base.open.Name
	}
	base := baseline{seed: d.base.seed, open: &abi.OpenRequest{Name: name, Data: data.Data, Snapshot: snap}}
	in, out, err := base.start(ctx, d.Domain)
	if err != nil {
		return baseline{}, nil, err
	}
	state := &out.State
	if rest := applied[n:]; len(rest) > 0 {
		if state, err = in.Replay(ctx, events(rest)); err != nil {
			in.Close()
			return baseline{}, nil, err
		}
	}
	want, err := d.inst.Save(ctx, &abi.SaveRequest{})
	if faulty(err) {
		d.drop()
	}
	if err == nil {
		var got *abi.SaveResponse
		if got, err = in.Save(ctx, &abi.SaveRequest{}); err == nil && (state.Digest != d.state.Digest || !bytes.Equal(got.Data, want.Data)) {
			err = errors.New("the folded document would not be the same")
		}
	}
	if err != nil {
		in.Close()
		return baseline{}, nil, err
	}
	return base, in, nil
}
