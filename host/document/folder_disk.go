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
func (f *dir) refresh(ctx context.Context, d *Document) {
	if !d.roots.Contains(f.path) {
		d.note("%s is not read again, because it lies outside the allowed folders now", d.roots.Show(f.path))
		return
	}
	changes, report, err := f.Changed()
	d.notes = append(d.notes, f.reportLines(report)...)
	if err != nil {
		d.note("changes that others made in %s could not be read: %s", d.roots.Show(f.path), err)
		return
	}
	for _, c := range changes {
		if _, before := f.pending[c.Path]; !before {
			f.pending[c.Path] = c.Before
		}
	}
	if len(f.pending) > 0 {
		f.takeIn(ctx, d)
	}
}

// takeIn makes what is pending an entry of the history.
func (f *dir) takeIn(ctx context.Context, d *Document) {
	ctx = context.WithoutCancel(ctx) // the next call would have to do the same
	names := slices.Sorted(maps.Keys(f.pending))
	cannot := func(err error) {
		d.note("%s was changed outside, and the document cannot take the change in (%s): it stays as it was, and those files are not overwritten; close force and open it again", listSome(names), err)
	}
	w, err := d.wanted(ctx, d.save)
	if err != nil {
		cannot(err)
		return
	}
	entry, told, mine, err := f.outsideEntry(w, names)
	if err != nil {
		cannot(err)
		return
	}
	if len(entry.Events) == 0 { // the files already hold the document's content
		clear(f.pending)
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
	err = d.enlist(ctx, staged, nil, state)
	defer func() { d.settle(d.memory()) }()
	if err != nil {
		cannot(err)
		return
	}
	clean, lost := !d.dirty(), d.log.Len()-d.log.Cursor()
	d.append(staged, state)
	clear(f.pending)
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
func (f *dir) outsideEntry(w *wanted, names []string) (entry eventlog.Entry, told, mine []string, err error) {
	for _, name := range names {
		o := abi.Outside{Name: name, Before: w.of(name), After: f.Content(name)}
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
		if !sameFile(o.Before, f.pending[name]) {
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

// reopen opens the folder. The files on the disk now count as known.
func (f *dir) reopen(ctx context.Context, d *Document) error {
	if err := checkFolderGrant(ctx, d.Domain()); err != nil {
		return err
	}
	if d.Domain().Manifest.Folder == nil {
		return fmt.Errorf("the loaded %s plugin cannot open folders", d.Domain().Name())
	}
	if !d.roots.Contains(f.path) {
		return fmt.Errorf("its folder %s lies outside the allowed folders", d.roots.Show(f.path))
	}
	root, err := d.roots.OpenDir(f.path)
	if err != nil {
		return fmt.Errorf("its folder is gone (%w): bring it back, or make an empty one, and try again", err)
	}
	opened, snap, err := folder.Open(root, pattern(d.Domain()), d.roots.FolderKey(), folder.Limits{})
	if err != nil {
		return fmt.Errorf("its folder %s: %w", d.roots.Show(f.path), err)
	}
	d.base.read()
	f.Folder, f.pending = opened, map[string][]byte{}
	snap.Report.Unfinished = nil // finished now: recovering writes
	finished, err := f.Finish()
	d.notes = append(f.reportLines(finished), f.reportLines(snap.Report)...)
	if err != nil {
		d.note("%s", err)
	}
	return nil
}

// compare compares the folder with the journal: files may have been written but not
// recorded, recorded but not written, or changed by others.
func (f *dir) compare(ctx context.Context, d *Document, k *decoded) ([]string, error) {
	if open := d.base.open; open != nil && open.Snapshot {
		in, _, err := d.base.start(ctx, d.Domain())
		if err != nil {
			return nil, err
		}
		d.base.files, err = allFiles(ctx, in)
		in.Close()
		if err != nil {
			return nil, err
		}
	}
	w, err := d.wanted(ctx, d.save)
	if err != nil {
		return nil, err
	}
	open := false
	for _, c := range f.changes(&d.base, w) {
		was, ok := k.disk[c.Path]
		if !ok {
			was = diskOf(c.Path, d.base.files[c.Path])
		}
		now := diskOf(c.Path, c.Before)
		if was.Gone == now.Gone && was.stamp() == now.stamp() {
			open = true
		} else {
			// Only the stamp of the earlier content is known, so it is either the document's or unknown.
			f.pending[c.Path] = nil
			if has := diskOf(c.Path, c.After); was.Gone == has.Gone && was.stamp() == has.stamp() {
				f.pending[c.Path] = c.After
			}
		}
	}
	if len(f.pending) > 0 {
		f.takeIn(ctx, d)
	}
	switch {
	case !open && len(f.pending) == 0:
		d.saved = d.log.Position()
	case !d.dirty():
		d.saved = eventlog.Nowhere()
	}
	notes := d.notes
	d.notes = nil
	if d.autosaves() && d.dirty() && len(f.pending) == 0 {
		out, err := d.write(ctx)
		if err != nil {
			return append(notes, unsavedWarning(err)), nil
		}
		d.saved = d.log.Position()
		notes = append(notes, fmt.Sprintf("the last changes had not been written to %s; they are now", d.roots.Show(f.path)))
		notes = slices.Concat(notes, conflictLines(out.conflicts), out.warnings)
	}
	return notes, nil
}
