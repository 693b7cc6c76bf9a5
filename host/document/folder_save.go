package document

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/capability/folder"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/reply"
)

// nonNil replaces nil, which stands for no file, by the content of an empty file.
func nonNil(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}

// wanted is the content that the document's files should have.
type wanted struct {
	given    map[string][]byte // files that the domain gives; nil for a removed file
	base     map[string][]byte // the other files
	warnings []string
}

func (w *wanted) of(name string) []byte {
	if data, ok := w.given[name]; ok {
		return data
	}
	return w.base[name]
}

// wanted asks the domain by save for the content of the files.
func (h *history) wanted(ctx context.Context, save func(context.Context, *abi.SaveRequest) (*abi.SaveResponse, error)) (*wanted, error) {
	// A baseline with a snapshot has no files to compare with.
	whole := h.base.open != nil && h.base.open.Snapshot
	out, err := save(ctx, &abi.SaveRequest{Whole: whole})
	if err != nil {
		return nil, err
	}
	w := &wanted{given: make(map[string][]byte, len(out.Files)), warnings: out.Warnings}
	for _, f := range out.Files {
		if _, twice := w.given[f.Name]; twice {
			return nil, &domain.Refusal{Message: fmt.Sprintf("the %s plugin gives the file %.64q twice", h.Domain().Name(), f.Name)}
		}
		w.given[f.Name] = nil
		if !f.Removed {
			w.given[f.Name] = nonNil(f.Data)
		}
	}
	if !whole {
		w.base = h.base.files
	}
	return w, nil
}

// sameFile reports whether two files have the same bytes, or both do not exist.
func sameFile(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }

// changes lists the changes that make the folder hold what is wanted, sorted by path.
func (f *dir) changes(base *baseline, w *wanted) (out []folder.Change) {
	f.extra = 0
	change := func(name string, has, to []byte) {
		if !sameFile(has, to) {
			out = append(out, folder.Change{Path: name, Before: has, After: to})
		}
		if !sameFile(to, base.files[name]) {
			f.extra += int64(len(to))
		}
	}
	for name, has := range f.Known() {
		change(name, has, w.of(name))
	}
	for _, more := range []map[string][]byte{w.base, w.given} {
		for name := range more {
			if f.Content(name) == nil && (w.of(name) != nil) {
				change(name, nil, w.of(name))
			}
		}
	}
	slices.SortFunc(out, func(a, b folder.Change) int { return strings.Compare(a.Path, b.Path) })
	return slices.CompactFunc(out, func(a, b folder.Change) bool { return a.Path == b.Path })
}

func (f *dir) write(ctx context.Context, d *Document) (*stored, error) {
	w, err := d.wanted(ctx, d.inst.Save)
	if err != nil {
		return nil, err
	}
	out, err := f.put(d, w)
	if err != nil {
		return nil, f.conflict(d, err)
	}
	return out, nil
}

// put writes the files that differ. After an error nothing was written.
func (f *dir) put(d *Document, w *wanted) (*stored, error) {
	if _, err := d.roots.Resolve(f.path); err != nil { // a client may have taken its root back
		return nil, err
	}
	if err := d.roots.Writable(f.path); err != nil {
		return nil, err
	}
	out := &stored{warnings: w.warnings}
	var changes []folder.Change
	var theirs []string
	for _, c := range f.changes(&d.base, w) {
		if before, ok := f.pending[c.Path]; ok {
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
		return nil, fmt.Errorf("%s %w, and these changes could not be merged into the document", listSome(theirs), files.ErrChanged)
	}
	var report folder.Report
	var err error
	if len(changes) > 0 {
		report, err = f.Save(changes)
	} else {
		report, err = f.Finish()
	}
	if out.conflicts, report.Conflicts = report.Conflicts, nil; len(out.conflicts) > 0 {
		out.cause = f.blocked(d, out.conflicts[0])
	}
	out.warnings = append(out.warnings, f.reportLines(report)...)
	switch {
	case errors.Is(err, folder.ErrUnfinished):
		out.warnings = append(out.warnings, fmt.Sprintf("%s: it is recorded, and the next save that can finishes it; until then the folder holds part of it", err))
	case err != nil:
		return nil, err
	}
	return out, nil
}

// conflictLines says which files were not written, and where the document's content of them is kept.
func conflictLines(list []folder.Conflict) (lines []string) {
	for _, c := range list[:min(len(list), maxListed)] {
		line := fmt.Sprintf("%s was not written: %s", reply.Place(c.Path), c.Why)
		if c.Kept != "" {
			line += "; the other version is kept as " + reply.Line(c.Kept)
		}
		lines = append(lines, line)
	}
	if more := len(list) - maxListed; more > 0 {
		lines = append(lines, fmt.Sprintf("%s more not written", reply.Count(more, "file")))
	}
	return lines
}

// reportLines says what reading or saving the folder found besides changes.
func (f *dir) reportLines(r folder.Report) (lines []string) {
	if len(r.Recovered) > 0 {
		lines = append(lines, "a save of an earlier host was finished: "+listSome(r.Recovered))
	}
	lines = append(lines, conflictLines(r.Conflicts)...)
	if !r.Looked {
		return lines
	}
	lines = append(lines, f.saveLines(r)...)
	unread := make(map[string]string, len(r.Unread))
	var fresh []string
	for _, u := range r.Unread {
		unread[u.Name] = u.Why
		if f.unread[u.Name] != u.Why {
			fresh = append(fresh, fmt.Sprintf("%s (%s)", u.Name, u.Why))
		}
	}
	f.unread = unread
	if len(fresh) > 0 {
		lines = append(lines, "left out, since it cannot be read: "+listSome(fresh))
	}
	return lines
}

// saveLines says, once, which saves were interrupted, and which records are nobody's that this user runs.
func (f *dir) saveLines(r folder.Report) (lines []string) {
	if len(r.Unfinished) > 0 {
		lines = append(lines, fmt.Sprintf("a save of %s was interrupted: the document has what it was to write, and the next change or save finishes it", listSome(r.Unfinished)))
	}
	if len(r.Foreign) > 0 {
		lines = append(lines, fmt.Sprintf("%s, a record of a save that no fcp-host of yours began, is left alone; remove it if no other user's save was interrupted", listSome(r.Foreign)))
	}
	if len(r.Damaged) > 0 {
		lines = append(lines, fmt.Sprintf("%s, the record of a save that was interrupted, is damaged: some files of that save may be written and others not; it is kept, with their texts; compare them, and remove it", listSome(r.Damaged)))
	}
	said := strings.Join(lines, "\n")
	if said == f.saves {
		return nil
	}
	f.saves = said
	return lines
}

// listSome names the first five of names, and counts the others.
func listSome(names []string) string {
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

func (f *dir) save(ctx context.Context, d *Document, path string, _ bool) (*reply.Reply, error) {
	if path != "" {
		return nil, reply.Refuse([]reply.Suggestion{reply.Action("save")}, "a folder is saved where it is: copy %s to have another, and open that", grammar.Quote(d.roots.Word(f.path)))
	}
	const tries = 3 // others may change files between reading and writing
	var out *stored
	var err error
	for range tries {
		var w *wanted
		if w, err = d.wanted(ctx, d.save); err == nil {
			if err = d.ensureHeld(); err == nil {
				out, err = f.put(d, w)
			}
		}
		if !errors.Is(err, files.ErrChanged) {
			break
		}
		f.refresh(ctx, d)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot save: %w", d.mend(ctx, err))
	}
	r := &reply.Reply{}
	d.noteSaved(ctx, out, r, d.record)
	text := "nothing to write"
	if out.written+out.removed > 0 {
		text = reply.Count(out.written, "file") + " written"
	}
	if out.removed > 0 {
		text += fmt.Sprintf(", %d removed", out.removed)
	}
	r.Add(reply.Changed, "saved %s (%s)", d.roots.Show(f.path), text)
	return r, nil
}

// known lists the files on the disk that differ from the baseline.
func (f *dir) known(d *Document) (disk []diskRecord, _ []files.Stamp) {
	base := d.base.files
	for name, data := range f.Known() {
		if _, open := f.pending[name]; !open && !sameFile(data, base[name]) {
			disk = append(disk, diskOf(name, data))
		}
	}
	for name := range base {
		if _, open := f.pending[name]; !open && f.Content(name) == nil {
			disk = append(disk, diskOf(name, nil))
		}
	}
	for name, data := range f.pending { // the document holds their content before the change
		if !sameFile(data, base[name]) {
			disk = append(disk, diskOf(name, data))
		}
	}
	return disk, nil
}
