package document

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/capability/folder"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/eventlog"
	"github.com/fcp-host/fcp-host/host/reply"
)

// refresh takes changes that others made in the folder into the document. If it cannot, a note says so, and nothing is
// written over those files.
func (d *Document) refresh(ctx context.Context) {
	if d.dir == nil {
		return
	}
	if !d.roots.Contains(d.path) {
		d.note("%s is not read again, because it lies outside the allowed folders now", d.roots.Show(d.path))
		return
	}
	changes, report, err := d.dir.Changed()
	d.notes = append(d.notes, d.reportLines(report)...)
	if err != nil {
		d.note("changes that others made in %s could not be read: %s", d.roots.Show(d.path), err)
		return
	}
	for _, c := range changes {
		if _, before := d.dir.pending[c.Path]; !before {
			d.dir.pending[c.Path] = c.Before
		}
	}
	if len(d.dir.pending) > 0 {
		d.takeIn(ctx)
	}
}

// takeIn makes what is pending an entry of the history.
func (d *Document) takeIn(ctx context.Context) {
	ctx = context.WithoutCancel(ctx) // the next call would have to do the same
	names := slices.Sorted(maps.Keys(d.dir.pending))
	cannot := func(err error) {
		d.note("%s was changed outside, and the document cannot take the change in (%s): it stays as it was, and those files are not overwritten; close force and open it again", listSome(names), err)
	}
	w, err := d.wanted(ctx)
	if err != nil {
		if isFault(err) {
			d.drop()
		}
		cannot(err)
		return
	}
	entry, told, mine, err := d.outsideEntry(w, names)
	if err != nil {
		cannot(err)
		return
	}
	if len(entry.Events) == 0 { // the files already hold the document's content
		clear(d.dir.pending)
		return
	}
	staged := []eventlog.Entry{entry}
	var state *abi.State
	err = d.withInstance(ctx, func(in *domain.Instance) (err error) {
		state, err = in.Replay(ctx, events(staged))
		return err
	})
	if err != nil {
		d.drop()
		cannot(err)
		return
	}
	grown := d.log.Growth(staged...)
	if err := d.histories.Take(grown, d.owners()...); err != nil {
		d.rollback(ctx, staged, state)
		cannot(err)
		return
	}
	d.held += grown
	if err := d.record(ctx, recordBatch, newBatch(staged, state.Digest)); err != nil {
		d.rollback(ctx, staged, state)
		d.settleMemory()
		cannot(err)
		return
	}
	clean, lost := !d.dirty(), d.log.Len()-d.log.Cursor()
	d.log.Append(staged...)
	d.setState(state)
	d.settleMemory()
	d.revision++
	clear(d.dir.pending)
	if clean {
		d.saved = d.log.Position()
	}
	text := "changed outside, and now in the document: " + listSome(told)
	if len(mine) > 0 {
		text += fmt.Sprintf("; your unsaved changes to %s are in the history: undo force brings them back", listSome(mine))
	}
	if lost > 0 {
		text += fmt.Sprintf("; the %s can no longer be redone", reply.Count(lost, "undone op"))
	}
	d.note("%s", text)
	scratch := &reply.Reply{}
	d.fold(ctx, scratch)
	d.notes = append(d.notes, scratch.Warnings...)
}

// outsideEntry makes one entry of the pending changes to the named files. told says of each what changed; mine are the
// files of which the document had unsaved changes.
func (d *Document) outsideEntry(w *wanted, names []string) (entry eventlog.Entry, told, mine []string, err error) {
	for _, name := range names {
		o := abi.Outside{Name: name, Before: w.of(name), After: d.dir.Content(name)}
		if o.Was, o.Is = o.Before != nil, o.After != nil; sameFile(o.Before, o.After) {
			continue
		}
		data, err := abi.Marshal(&o)
		if err != nil {
			return entry, nil, nil, err
		}
		what := name
		switch {
		case !o.Was:
			what += " (new)"
		case !o.Is:
			what += " (removed)"
		}
		told = append(told, what)
		if !sameFile(o.Before, d.dir.pending[name]) {
			mine = append(mine, name)
		}
		entry.Events = append(entry.Events, eventlog.Event{Type: abi.EventOutside, Summary: reply.Line(what) + " changed outside", Data: data})
	}
	entry.Op = "(changed outside) " + listSome(told)
	return entry, told, mine, nil
}

// outsideFiles lists the files that undoing entries would set back to what they were before others changed them.
func outsideFiles(entries []eventlog.Entry) (names []string) {
	for i := range entries {
		for _, e := range entries[i].Events {
			if o := (abi.Outside{}); e.Type == abi.EventOutside && abi.Unmarshal(e.Data, &o) == nil && !slices.Contains(names, o.Name) {
				names = append(names, o.Name)
			}
		}
	}
	return names
}

// release closes the document's folder, or the domain's instance for its server.
func (d *Document) release() {
	if d.remote != nil {
		d.Domain().Release(d)
	}
	if d.dir != nil {
		d.dir.Close()
	}
}

// enterFolder opens the folder of a recovered document. The files on the disk now count as known.
func (d *Document) enterFolder(ctx context.Context) error {
	if err := checkFolderGrant(ctx, d.Domain()); err != nil {
		return err
	}
	if d.Domain().Manifest.Folder == nil {
		return fmt.Errorf("the loaded %s plugin cannot open folders", d.Domain().Name())
	}
	if !d.roots.Contains(d.path) {
		return fmt.Errorf("its folder %s lies outside the allowed folders", d.roots.Show(d.path))
	}
	root, err := d.roots.OpenDir(d.path)
	if err != nil {
		return fmt.Errorf("its folder is gone (%w): bring it back, or make an empty one, and try again", err)
	}
	f, snap, err := folder.Open(root, pattern(d.Domain()), d.roots.FolderKey(), folder.Limits{})
	if err != nil {
		return fmt.Errorf("its folder %s: %w", d.roots.Show(d.path), err)
	}
	d.dir = &dir{Folder: f, base: d.base.files(), pending: map[string][]byte{}}
	snap.Report.Unfinished = nil // finished now: recovering writes
	finished, err := f.Finish()
	d.notes = append(d.reportLines(finished), d.reportLines(snap.Report)...)
	if err != nil {
		d.note("%s", err)
	}
	return nil
}

// compareFolder compares the folder of a recovered document with its journal: files may have been written but not
// recorded, recorded but not written, or changed by others.
func (d *Document) compareFolder(ctx context.Context, k *decoded) ([]string, error) {
	if open := d.base.open; open != nil && open.Snapshot {
		in, _, err := d.base.start(ctx, d.Domain())
		if err != nil {
			return nil, err
		}
		d.dir.base, err = allFiles(ctx, in)
		in.Close()
		if err != nil {
			return nil, err
		}
	}
	w, err := d.wanted(ctx)
	if err != nil {
		return nil, err
	}
	open := false
	for _, c := range d.dir.changes(w) {
		was, ok := k.disk[c.Path]
		if !ok {
			was = diskOf(c.Path, d.dir.base[c.Path])
		}
		now := diskOf(c.Path, c.Before)
		if was.Gone == now.Gone && was.stamp() == now.stamp() {
			open = true
		} else {
			// Only the stamp of the earlier content is known, so it is either the document's or unknown.
			d.dir.pending[c.Path] = nil
			if has := diskOf(c.Path, c.After); was.Gone == has.Gone && was.stamp() == has.stamp() {
				d.dir.pending[c.Path] = c.After
			}
		}
	}
	if len(d.dir.pending) > 0 {
		d.takeIn(ctx)
	}
	switch {
	case !open && len(d.dir.pending) == 0:
		d.saved = d.log.Position()
	case !d.dirty():
		d.saved = eventlog.Nowhere()
	}
	notes := d.notes
	d.notes = nil
	if d.autosaves() && d.dirty() && len(d.dir.pending) == 0 {
		out, err := d.write(ctx)
		if err != nil {
			return append(notes, unsavedWarning(err)), nil
		}
		d.saved = d.log.Position()
		notes = append(notes, fmt.Sprintf("the last changes had not been written to %s; they are now", d.roots.Show(d.path)))
		notes = slices.Concat(notes, conflictLines(out.conflicts), out.warnings)
	}
	return notes, nil
}
