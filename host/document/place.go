package document

import (
	"context"
	"fmt"

	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/capability/folder"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/reply"
)

// place is where a document is kept: a file or, until it has one, nowhere; a folder; or a server. Its methods are called in the document's
// turn.
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
	// extra is how many bytes the place holds beside the baseline.
	extra() int64
	close()
}

// plain is a place of which nothing has to be opened, watched or closed.
type plain struct{}

func (plain) fits(context.Context, *domain.Domain, *domain.Domain) error { return nil }

func (plain) reopen(context.Context, *Document) error { return nil }

func (plain) compare(context.Context, *Document, *decoded) ([]string, error) { return nil, nil }

func (plain) refresh(context.Context, *Document) {}

func (plain) known(*Document) ([]diskRecord, []files.Stamp) { return nil, nil }

func (plain) extra() int64 { return 0 }

func (plain) close() {}

// Where says where a document is kept. The zero value is nowhere.
type Where struct {
	Path     string // of its file or folder
	Folder   bool   // whether Path is a folder
	Files    int    // how many, in a folder
	Ref      string // reference of a remote document
	revision string
	stamp    files.Stamp // of the content that was read or written there last
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

// noteSaved notes that the place has the document as it is now. If others changed files before they could be written, r is an error: the call
// is in the history, but not in those files.
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
