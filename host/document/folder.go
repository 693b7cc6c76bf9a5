package document

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/capability/folder"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/eventlog"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/reply"
)

// dir is the folder that a document is.
//
// Three things may differ: the files of the baseline, which only a new baseline
// changes; those on the disk, as the Folder knows them; and those of the document,
// which its domain says. A save brings the second to the third, and what others
// change there is taken into the third.
type dir struct {
	*folder.Folder
	base    map[string][]byte // the baseline's files
	pending map[string][]byte // files that others changed, which the document does not have yet, as they were before
	unread  map[string]string // files that cannot be read, and why, as was told
	extra   int64             // bytes of files that are not the baseline's
}

// pattern is what the manifest says of folders.
func pattern(d *domain.Domain) folder.Pattern {
	f := d.Manifest.Folder
	return folder.Pattern{Include: f.Include, Exclude: f.Exclude, Marker: f.Marker}
}

// needsFolder is why the domain may not work on folders, nil where it may.
func needsFolder(ctx context.Context, d *domain.Domain) error {
	if r := d.Missing(ctx, []string{abi.WantFolder}); r != nil {
		return r
	}
	return nil
}

// OpenFolder makes a document of the folder at real, a path from roots.
func OpenFolder(ctx context.Context, d *domain.Domain, roots *files.Roots, name, real string) (*Document, []string, error) {
	if err := needsFolder(ctx, d); err != nil {
		return nil, nil, err
	}
	root, err := roots.OpenDir(real)
	if err != nil {
		return nil, nil, err
	}
	f, snap, err := folder.Open(root, pattern(d), folder.Limits{})
	if err != nil {
		return nil, nil, err
	}
	base := filepath.Base(real)
	req := &abi.OpenRequest{Name: base, Folder: true, Files: filesOf(snap)}
	return createFolder(ctx, d, roots, name, base, real, baseline{seed: folderSeed(req.Files), open: req}, f, snap)
}

// NewFolder makes the folder at real a document, with what the domain puts there.
// It is made unless it is there; without force it must not be a document of the domain already.
func NewFolder(ctx context.Context, d *domain.Domain, roots *files.Roots, name, real string, r *abi.NewRequest, force bool) (doc *Document, warnings []string, err error) {
	if err := needsFolder(ctx, d); err != nil {
		return nil, nil, err
	}
	made, err := roots.MakeDir(real)
	if err != nil {
		return nil, nil, err
	}
	marker := d.Manifest.Folder.Marker
	defer func() {
		if err == nil {
			return
		}
		if marker != "" {
			roots.RemoveDir(filepath.Join(real, marker)) // stays where something is in it
		}
		if made {
			roots.RemoveDir(real)
		}
	}()
	root, err := roots.OpenDir(real)
	if err != nil {
		return nil, nil, err
	}
	if _, there := root.Lstat(marker); there == nil && marker != "" {
		marker = "" // it stays, whatever happens
	}
	if marker == "" && !force && d.Manifest.Folder.Marker != "" {
		root.Close()
		return nil, nil, fmt.Errorf("%s %w", roots.Show(real), ErrFolder)
	}
	f, snap, err := folder.Create(root, pattern(d), folder.Limits{})
	if err != nil {
		return nil, nil, err
	}
	r.Folder, r.Files = true, filesOf(snap)
	doc, warnings, err = createFolder(ctx, d, roots, name, r.Title, real, baseline{seed: folderSeed(r.Files), create: r}, f, snap)
	if err != nil {
		return nil, nil, err
	}
	<-doc.turn
	defer doc.leave()
	w, err := doc.wanted(ctx)
	var out *stored
	if err == nil {
		out, err = doc.saveFolder(w)
	}
	if err != nil {
		doc.drop()
		doc.dir.Close()
		return nil, nil, err
	}
	return doc, slices.Concat(warnings, unwritten(out.conflicts), out.warnings), nil
}

// ErrFolder says that a folder need not be made a document.
var ErrFolder = errors.New("is a folder of this kind already")

func createFolder(ctx context.Context, d *domain.Domain, roots *files.Roots, name, title, real string, base baseline, f *folder.Folder, snap folder.Snapshot) (*Document, []string, error) {
	doc, warnings, err := create(ctx, d, roots, name, title, real+string(filepath.Separator), base)
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	doc.path = real
	doc.dir = &dir{Folder: f, base: base.files(), pending: map[string][]byte{}}
	told := doc.told(snap.Report)
	return doc, append(told, warnings...), nil
}

func filesOf(s folder.Snapshot) []abi.File {
	out := make([]abi.File, len(s.Files))
	for i, f := range s.Files {
		out[i] = abi.File(f)
	}
	return out
}

func folderSeed(list []abi.File) uint64 {
	parts := make([][]byte, 0, 2*len(list))
	for _, f := range list {
		parts = append(parts, []byte(f.Name), f.Data)
	}
	return seed(parts...)
}

// folder reports whether the baseline is that of a folder.
func (b *baseline) folder() bool {
	return b.open != nil && b.open.Folder || b.create != nil && b.create.Folder
}

// files are those that the baseline holds, by name. Of a snapshot they are not
// known.
func (b *baseline) files() map[string][]byte {
	var list []abi.File
	switch {
	case b.open != nil:
		list = b.open.Files
	case b.create != nil:
		list = b.create.Files
	}
	out := make(map[string][]byte, len(list))
	for _, f := range list {
		out[f.Name] = there(f.Data)
	}
	return out
}

// size is how many bytes of files the baseline holds.
func (b *baseline) size() (n int64) {
	switch {
	case b.open != nil:
		n = int64(len(b.open.Data))
		for i := range b.open.Files {
			n += int64(len(b.open.Files[i].Data))
		}
	case b.create != nil:
		for i := range b.create.Files {
			n += int64(len(b.create.Files[i].Data))
		}
		for i := range b.create.Resources {
			n += int64(len(b.create.Resources[i].Data))
		}
	}
	return n
}

// there is the content of a file that there is: nil stands for none.
func there(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}

// wanted is what the files are to hold.
type wanted struct {
	said     map[string][]byte // what the domain says, nil for no file
	base     map[string][]byte // the others
	warnings []string
}

func (w *wanted) of(name string) []byte {
	if data, ok := w.said[name]; ok {
		return data
	}
	return w.base[name]
}

// wanted asks the domain.
func (d *Document) wanted(ctx context.Context) (*wanted, error) {
	var w *wanted
	err := d.ask(ctx, func(in *domain.Instance) (err error) {
		w, err = d.wantedOf(ctx, in)
		return err
	})
	return w, err
}

func (d *Document) wantedOf(ctx context.Context, in *domain.Instance) (*wanted, error) {
	// What a snapshot was made from is not what is compared with.
	whole := d.base.open != nil && d.base.open.Snapshot
	out, err := in.Save(ctx, &abi.SaveRequest{Whole: whole})
	if err != nil {
		return nil, err
	}
	w := &wanted{said: make(map[string][]byte, len(out.Files)), warnings: out.Warnings}
	for _, f := range out.Files {
		if _, twice := w.said[f.Name]; twice {
			return nil, &domain.Refusal{Message: fmt.Sprintf("the %s plugin gives the file %.64q twice", d.Domain().Name(), f.Name)}
		}
		w.said[f.Name] = nil
		if !f.Removed {
			w.said[f.Name] = there(f.Data)
		}
	}
	if !whole {
		w.base = d.dir.base
	}
	return w, nil
}

// same reports whether two files are: both none, or with the same bytes.
func sameFile(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }

// changes is what brings the folder to what is wanted.
func (d *dir) changes(w *wanted) (out []folder.Change) {
	d.extra = 0
	change := func(name string, has, to []byte) {
		if !sameFile(has, to) {
			out = append(out, folder.Change{Path: name, Before: has, After: to})
		}
		if !sameFile(to, d.base[name]) {
			d.extra += int64(len(to))
		}
	}
	for name, has := range d.Known() {
		change(name, has, w.of(name))
	}
	for _, more := range []map[string][]byte{w.base, w.said} {
		for name := range more {
			if d.Holds(name) == nil && (w.of(name) != nil) {
				change(name, nil, w.of(name))
			}
		}
	}
	slices.SortFunc(out, func(a, b folder.Change) int { return strings.Compare(a.Path, b.Path) })
	return slices.CompactFunc(out, func(a, b folder.Change) bool { return a.Path == b.Path })
}

// stored is what a save did.
type stored struct {
	written, removed int
	disk             []diskRecord      // what the files hold from now on
	conflicts        []folder.Conflict // what was not written, since somebody changed it at that moment
	warnings         []string
}

// saveFolder writes what differs. After an error nothing was written.
func (d *Document) saveFolder(w *wanted) (*stored, error) {
	if err := d.roots.Writable(d.path); err != nil {
		return nil, err
	}
	out := &stored{warnings: w.warnings}
	var changes []folder.Change
	var theirs []string
	for _, c := range d.dir.changes(w) {
		if before, ok := d.dir.pending[c.Path]; ok {
			if !sameFile(c.After, before) {
				theirs = append(theirs, c.Path)
			}
			continue
		}
		changes = append(changes, c)
		out.disk = append(out.disk, diskOf(c.Path, c.After))
		if c.After == nil {
			out.removed++
		} else {
			out.written++
		}
	}
	if len(theirs) > 0 {
		return nil, fmt.Errorf("%s %w, and the document could not take that in", listed(theirs), files.ErrChanged)
	}
	if len(changes) == 0 {
		return out, nil
	}
	report, err := d.dir.Save(changes)
	out.conflicts, report.Conflicts = report.Conflicts, nil
	out.warnings = append(out.warnings, d.told(report)...)
	switch {
	case errors.Is(err, folder.ErrUnfinished):
		out.warnings = append(out.warnings, fmt.Sprintf("%s: it is written down, and finished with the next call that can; the folder holds part of it until then", err))
	case err != nil:
		return nil, err
	}
	return out, nil
}

// unwritten says which files were not written, and where that is kept.
func unwritten(list []folder.Conflict) (lines []string) {
	for _, c := range list[:min(len(list), maxListed)] {
		line := fmt.Sprintf("%s was not written: %s", reply.Line(c.Path), c.Why)
		if c.Kept != "" {
			line += "; what it was to hold, or held, is kept as " + reply.Line(c.Kept)
		}
		lines = append(lines, line)
	}
	if more := len(list) - maxListed; more > 0 {
		lines = append(lines, fmt.Sprintf("%s more not written", reply.Count(more, "file")))
	}
	return lines
}

// told says what a look or a save found beside the changes.
func (d *Document) told(r folder.Report) (lines []string) {
	if len(r.Recovered) > 0 {
		lines = append(lines, "a save of an earlier host was finished: "+listed(r.Recovered))
	}
	lines = append(lines, unwritten(r.Conflicts)...)
	if !r.Looked {
		return lines
	}
	unread := make(map[string]string, len(r.Unread))
	var fresh []string
	for _, u := range r.Unread {
		unread[u.Name] = u.Why
		if d.dir.unread[u.Name] != u.Why {
			fresh = append(fresh, fmt.Sprintf("%s (%s)", u.Name, u.Why))
		}
	}
	d.dir.unread = unread
	if len(fresh) > 0 {
		lines = append(lines, "left out, since it cannot be read: "+listed(fresh))
	}
	return lines
}

// listed names the first of many.
func listed(names []string) string {
	const most = 5
	out := make([]string, 0, most)
	for _, n := range names[:min(len(names), most)] {
		out = append(out, reply.Line(n))
	}
	text := strings.Join(out, ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// refresh takes what others changed in the folder into the document. Where that
// cannot be done it is told, and nothing is written over it.
func (d *Document) refresh(ctx context.Context) {
	if d.dir == nil {
		return
	}
	changes, report, err := d.dir.Changed()
	d.notes = append(d.notes, d.told(report)...)
	if err != nil {
		d.note("what others changed in %s is not seen: %s", d.roots.Show(d.path), err)
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
	ctx = context.WithoutCancel(ctx) // it costs no more than the call, and the next one would meet it, too
	names := slices.Sorted(maps.Keys(d.dir.pending))
	cannot := func(err error) {
		d.note("%s was changed outside, and the document cannot take that in (%s): it is as it was before, and nothing is written over theirs; close force and open it again", listed(names), err)
	}
	w, err := d.wanted(ctx)
	if err != nil {
		if faulty(err) {
			d.drop()
		}
		cannot(err)
		return
	}
	var entry eventlog.Entry
	var told, mine []string
	for _, name := range names {
		o := abi.Outside{Name: name, Before: w.of(name), After: d.dir.Holds(name)}
		if o.Was, o.Is = o.Before != nil, o.After != nil; sameFile(o.Before, o.After) {
			continue
		}
		data, err := abi.Marshal(&o)
		if err != nil {
			cannot(err)
			return
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
	if len(entry.Events) == 0 { // they did what the document does
		clear(d.dir.pending)
		return
	}
	entry.Op = "(changed outside) " + listed(told)
	staged := []eventlog.Entry{entry}
	var state *abi.State
	err = d.ask(ctx, func(in *domain.Instance) (err error) {
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
		d.settled()
		cannot(err)
		return
	}
	clean, lost := !d.dirty(), d.log.Len()-d.log.Cursor()
	d.log.Append(staged...)
	d.reached(state)
	d.settled()
	d.revision++
	clear(d.dir.pending)
	if clean {
		d.saved = d.log.Position()
	}
	text := "changed outside, and so in the document: " + listed(told)
	if len(mine) > 0 {
		text += fmt.Sprintf("; what was unsaved of %s is in the history: undo force brings it back", listed(mine))
	}
	if lost > 0 {
		text += fmt.Sprintf("; the %s can no longer be redone", reply.Count(lost, "undone op"))
	}
	d.note("%s", text)
	scratch := &reply.Reply{}
	d.fold(ctx, scratch)
	d.notes = append(d.notes, scratch.Warnings...)
}

// outside lists the files that undoing entries would take back to what they were
// before others changed them.
func outside(entries []eventlog.Entry) (names []string) {
	for i := range entries {
		for _, e := range entries[i].Events {
			if o := (abi.Outside{}); e.Type == abi.EventOutside && abi.Unmarshal(e.Data, &o) == nil && !slices.Contains(names, o.Name) {
				names = append(names, o.Name)
			}
		}
	}
	return names
}

// folderSaved answers `save` of a folder.
func (d *Document) folderSaved(ctx context.Context, path string) *reply.Reply {
	if path != "" {
		return reply.Errorf([]reply.Suggestion{reply.Action("save")}, "a folder is saved where it is: copy %s to have another, and open that", grammar.Quote(d.roots.Show(d.path)))
	}
	const tries = 3 // others may change something at this moment
	var out *stored
	var err error
	for range tries {
		var w *wanted
		if w, err = d.wanted(ctx); err == nil {
			out, err = d.saveFolder(w)
		}
		if !errors.Is(err, files.ErrChanged) {
			break
		}
		d.refresh(ctx)
	}
	if err != nil {
		return d.readFailure(ctx, err, "cannot save")
	}
	d.saved = d.log.Position()
	r := &reply.Reply{Digest: d.state.Digest, Warnings: out.warnings}
	d.missed(out, r)
	if err := d.record(ctx, recordSaved, d.savedRecord(savedHere, out.disk)); err != nil {
		d.behind = true
		r.Warnings = append(r.Warnings, unjournaled(err))
	}
	text := "nothing to write"
	if out.written+out.removed > 0 {
		text = reply.Count(out.written, "file") + " written"
	}
	if out.removed > 0 {
		text += fmt.Sprintf(", %d removed", out.removed)
	}
	r.Add(reply.Changed, "saved %s (%s)", d.roots.Show(d.path), text)
	return r
}

// release lets go of what the document has outside.
func (d *Document) release() {
	if d.remote != nil {
		d.Domain().Release(d)
	}
	if d.dir != nil {
		d.dir.Close()
	}
}

// enterFolder opens the folder of a document that is recovered. What is known of
// its files is what is there now.
func (d *Document) enterFolder(ctx context.Context) error {
	if err := needsFolder(ctx, d.Domain()); err != nil {
		return err
	}
	if d.Domain().Manifest.Folder == nil {
		return fmt.Errorf("the %s plugin that is loaded takes no folders", d.Domain().Name())
	}
	if !d.roots.Contains(d.path) {
		return fmt.Errorf("its folder %s lies outside the allowed folders", d.roots.Show(d.path))
	}
	root, err := d.roots.OpenDir(d.path)
	if err != nil {
		return fmt.Errorf("its folder is gone (%w): bring it back, or make an empty one, and try again", err)
	}
	f, snap, err := folder.Open(root, pattern(d.Domain()), folder.Limits{})
	if err != nil {
		return fmt.Errorf("its folder %s: %w", d.roots.Show(d.path), err)
	}
	d.dir = &dir{Folder: f, base: d.base.files(), pending: map[string][]byte{}}
	d.notes = d.told(snap.Report)
	return nil
}

// compareFolder finds out what became of the folder of a recovered document: what
// the host before wrote and could not note, what it did not write, and what
// others changed meanwhile.
func (d *Document) compareFolder(ctx context.Context, k *kept) ([]string, error) {
	if open := d.base.open; open != nil && open.Snapshot {
		in, _, err := d.base.start(ctx, d.Domain())
		if err != nil {
			return nil, err
		}
		d.dir.base, err = wholeOf(ctx, in)
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
			// What was on the disk before is known by its stamp alone: what the document has, or something else.
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
			return append(notes, unsaved(err)), nil
		}
		d.saved = d.log.Position()
		notes = append(notes, fmt.Sprintf("what was done last had not been written to %s, and is now", d.roots.Show(d.path)))
		notes = slices.Concat(notes, unwritten(out.conflicts), out.warnings)
	}
	return notes, nil
}
