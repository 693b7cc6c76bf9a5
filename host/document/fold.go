package document

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/reply"
)

// fold keeps the log within its cap by moving the oldest entries into the baseline. It first checks on a fresh instance
// that the document stays the same.
func (d *Document) fold(ctx context.Context, r *reply.Reply) {
	n := d.log.Overflow()
	if n == 0 || d.cannotFold {
		return
	}
	ctx = context.WithoutCancel(ctx)
	if p := d.Domain().Plugin(); p.Left(ctx) < p.Left(context.Background())/2 {
		return // left to a call with more time
	}
	base, in, err := d.buildFolded(ctx, n)
	if domain.Lost(err) {
		return // not the document's fault: the next call tries again
	}
	if err != nil {
		d.cannotFold = true
		r.Warnings = append(r.Warnings, fmt.Sprintf("the history is larger than its cap and cannot be shortened (%s)", err))
		return
	}
	gone := d.log.Fold(n)
	d.base = base
	clear(d.digests)
	d.drop()
	d.inst = in
	d.setState(&d.state)
	line := fmt.Sprintf("the history reached its cap: the oldest %s can no longer be undone", reply.Count(n, "op"))
	if len(gone) > 0 {
		line += "; checkpoints gone with them: " + strings.Join(gone, ", ")
	}
	r.Warnings = append(r.Warnings, line)
	// If this fails, the journal holds the same document with a longer history.
	if err := d.rewrite(); err != nil {
		r.Warnings = append(r.Warnings, JournalWarning(err))
	}
}

// buildFolded returns the baseline after the n oldest entries, and an instance that is built from it.
func (h *history) buildFolded(ctx context.Context, n int) (base baseline, in *domain.Instance, err error) {
	applied := slices.Collect(h.log.Applied())
	old, _, err := h.rebuild(ctx, applied[:n])
	if err != nil {
		return base, nil, err
	}
	defer old.Close()
	if base, err = h.baselineOf(ctx, old); err != nil {
		return base, nil, err
	}
	in, out, err := base.start(ctx, h.Domain())
	if err != nil {
		return base, nil, err
	}
	state := &out.State
	if rest := applied[n:]; len(rest) > 0 {
		if state, err = in.Replay(ctx, events(rest)); err != nil {
			in.Close()
			return base, nil, err
		}
	}
	want, err := h.content(ctx, h.inst)
	if isFault(err) {
		h.drop()
	}
	if err == nil {
		var got []byte
		if got, err = h.content(ctx, in); err == nil && (state.Digest != h.state.Digest || !bytes.Equal(got, want)) {
			err = errors.New("the folded document would not be the same")
		}
	}
	if err != nil {
		in.Close()
		return base, nil, err
	}
	return base, in, nil
}

// baselineOf makes a baseline of an instance's present content.
func (h *history) baselineOf(ctx context.Context, in *domain.Instance) (baseline, error) {
	snap := h.Domain().Manifest.Snapshots
	name := h.fileName()
	if h.base.open != nil {
		name = h.base.open.Name
	}
	open := &abi.OpenRequest{Name: name, Snapshot: snap, Folder: h.base.folder()}
	out := baseline{seed: h.base.seed, open: open}
	if h.base.folder() {
		var err error
		if out.files, err = allFiles(ctx, in); err != nil {
			return baseline{}, err
		}
		if !snap {
			for _, name := range slices.Sorted(maps.Keys(out.files)) {
				open.Files = append(open.Files, abi.File{Name: name, Data: out.files[name]})
			}
		}
	}
	if snap || !h.base.folder() {
		data, err := in.Save(ctx, &abi.SaveRequest{Snapshot: snap})
		if err != nil {
			return baseline{}, err
		}
		open.Data = data.Data
	}
	return out, nil
}

// allFiles reads all files of a folder document from an instance.
func allFiles(ctx context.Context, in *domain.Instance) (map[string][]byte, error) {
	out, err := in.Save(ctx, &abi.SaveRequest{Whole: true})
	if err != nil {
		return nil, err
	}
	files := make(map[string][]byte, len(out.Files))
	for _, f := range out.Files {
		if !f.Removed {
			files[f.Name] = nonNil(f.Data)
		}
	}
	return files, nil
}

// content is everything that an instance would save, as bytes to compare.
func (h *history) content(ctx context.Context, in *domain.Instance) ([]byte, error) {
	if !h.base.folder() {
		out, err := in.Save(ctx, &abi.SaveRequest{})
		if err != nil {
			return nil, err
		}
		return out.Data, nil
	}
	files, err := allFiles(ctx, in)
	if err != nil {
		return nil, err
	}
	var all []byte
	for _, name := range slices.Sorted(maps.Keys(files)) {
		all = fmt.Appendf(all, "%q %d ", name, len(files[name]))
		all = append(all, files[name]...)
	}
	return all, nil
}
