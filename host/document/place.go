package document

import (
	"context"
	"errors"
	"fmt"

	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/capability/folder"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/eventlog"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/reply"
)

// place is where a document is kept: a file or, until it has one, nowhere; a folder; or a server. Its methods are
// called in the document's turn.
type place interface {
	where() Where
	// fits returns why the document cannot move to another build of its domain.
	fits(ctx context.Context, from, to *domain.Domain) error
	// reopen opens the place of a document that is recovered, which has no instance yet.
	reopen(ctx context.Context, d *Document) error
	// compare compares the place of a recovered document with its journal, and says what others did there.
	compare(ctx context.Context, d *Document, k *decoded) ([]string, error)
	// refresh takes into the document what others changed there.
	refresh(ctx context.Context, d *Document)
	// save answers `save`, with a path or reference or "".
	save(ctx context.Context, d *Document, path string, force bool) (*reply.Reply, error)
	// write saves the running instance, without looking at the log.
	write(ctx context.Context, d *Document) (*stored, error)
	// known is what a recovery has to know of the place beside where it is.
	known(d *Document) (disk []diskRecord, sent []files.Stamp)
	close()
}

// plain is a place of which nothing has to be opened, watched or closed.
type plain struct{}

func (plain) fits(context.Context, *domain.Domain, *domain.Domain) error { return nil }

func (plain) reopen(context.Context, *Document) error { return nil }

func (plain) compare(context.Context, *Document, *decoded) ([]string, error) { return nil, nil }

func (plain) refresh(context.Context, *Document) {}

func (plain) known(*Document) ([]diskRecord, []files.Stamp) { return nil, nil }

func (plain) close() {}

// Where says where a document is kept. The zero value is nowhere.
type Where struct {
	Path     string // of its file or folder
	Folder   bool   // whether Path is a folder
	Files    int    // how many, in a folder
	Ref      string // reference of a remote document
	revision string
	stamp    files.Stamp // of the content that was read or written there last
	extra    int64       // bytes of files in a folder that differ from the baseline
}

// Placed reports whether the document has a file, a folder or a place on a server.
func (w Where) Placed() bool { return w.Path != "" || w.Ref != "" }

// line is the line of `status` about the place; show is its path as replies have it.
func (w Where) line(show string) string {
	switch {
	case w.Ref != "":
		return fmt.Sprintf("remote: %s (revision %s)", reply.Place(w.Ref), grammar.Quote(w.revision))
	case w.Folder:
		return fmt.Sprintf("folder: %s (%s)", reply.Line(show), reply.Count(w.Files, "file"))
	case w.Path != "":
		return "file: " + reply.Line(show)
	}
	return "file: none yet"
}

// stored is the result of a save.
type stored struct {
	written, removed int
	disk             []diskRecord      // what the written files of a folder hold now
	conflicts        []folder.Conflict // files that somebody else changed at that moment
	cause            *Stale            // the first of them
	warnings         []string
}

// Save writes the document to its place, or to path if that is not "", and remembers path once the bytes are on the
// disk. force overwrites a file that changed since it was opened.
func (d *Document) Save(ctx context.Context, path string, force bool) *reply.Reply {
	return d.act(ctx, func() (*reply.Reply, error) { return d.place.save(ctx, d, path, force) })
}

// Copy writes the document to path and leaves it with its own file and its unsaved changes.
func (d *Document) Copy(ctx context.Context, path string, force bool) *reply.Reply {
	return d.act(ctx, func() (*reply.Reply, error) {
		switch {
		case d.place.where().Folder:
			return d.place.save(ctx, d, path, force)
		case Scheme(d.Domain(), path):
			return nil, reply.Refuse([]reply.Suggestion{reply.Action("save as:%s", grammar.Quote(path))}, "copy: takes a path; as: stores the document under another name")
		}
		return d.saveCopy(ctx, path, force)
	})
}

// noteSaved notes that the place has the document as it is now. If others changed files before they could be
// written, r is an error: the call is in the history, but not in those files.
func (d *Document) noteSaved(ctx context.Context, out *stored, r *reply.Reply, record func(ctx context.Context, kind byte, v any) error) {
	d.saved = d.log.Position()
	r.Warnings = append(r.Warnings, out.warnings...)
	if len(out.conflicts) > 0 {
		r.Failed, r.Cause = true, out.cause
		for _, line := range conflictLines(out.conflicts) {
			r.Add(reply.Error, "%s", line)
		}
	}
	// It is written; only the record of that may be missing.
	if err := record(ctx, recordSaved, d.savedRecord(savedHere, out.disk)); err != nil {
		d.behind = true
		r.Warnings = append(r.Warnings, JournalWarning(err))
	}
}

// autosaves reports whether each call that changes the document is written to its
// file or folder.
func (d *Document) autosaves() bool {
	return (d.Domain().Manifest.Autosave || d.through.Load()) && d.place.where().Path != ""
}

// WriteThrough has each call that changes the document write it to its file or folder, as a domain's own setting does.
func (d *Document) WriteThrough() { d.through.Store(true) }

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
