// Package document holds one open document: a domain's instance, its log and
// its file. It promises that a call either happened whole and is in the log, or
// did not happen; and that the instance may die at any moment without losing
// anything that was answered: the baseline plus the log is the document, the
// instance is a cache of it.
package document

import (
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/budget"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/eventlog"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/reply"
)

// Document is one open document. Its methods may be called from anywhere; they
// run one after the other, in the order of arrival.
type Document struct {
	Name string // its handle, unique in a session

	turns
	history
	journaling
	external

	path    string // "" until it was saved or opened
	stamp   files.Stamp
	wrote   wrote
	through atomic.Bool // see WriteThrough
	lines   bool        // replies have a line for each op, however many there are
	each    bool        // batch mode: failed ops do not stop later ones
	closed  bool
	dir     *dir    // set for a folder document; path is the folder
	remote  *remote // set for a remote document, which has no path
	asked   bool    // the call in progress sent a request to the world; guarded by turn

	histories *budget.Budget // of all documents; nil for no bound
	held      int64          // this document's share, in bytes

	follower atomic.Pointer[func(*Document)]
	heard    followerState // what the follower knows
	inbox
}

// New makes an empty document. name is its handle.
func New(ctx context.Context, d *domain.Domain, roots *files.Roots, name string, r *abi.NewRequest) (*Document, []string, error) {
	parts := [][]byte{[]byte(r.Title)}
	for _, p := range r.Params {
		parts = append(parts, []byte(p.Key), []byte(p.Value))
	}
	for i := range r.Resources {
		parts = append(parts, r.Resources[i].Data)
	}
	return create(ctx, d, roots, name, r.Title, "", baseline{seed: seed(parts...), create: r})
}

// File is what a document is opened from.
type File struct {
	Path  string // resolved
	Data  []byte // belongs to the document from Open on
	Stamp files.Stamp
}

// Open makes a document from a file.
func Open(ctx context.Context, d *domain.Domain, roots *files.Roots, name string, f File) (*Document, []string, error) {
	base := filepath.Base(f.Path)
	doc, warnings, err := create(ctx, d, roots, name, base, f.Path,
		baseline{seed: seed(f.Stamp.Sum[:]), open: &abi.OpenRequest{Name: base, Data: f.Data}})
	if err != nil {
		return nil, nil, err
	}
	doc.path, doc.stamp, doc.saved = f.Path, f.Stamp, doc.log.Position()
	return doc, warnings, nil
}

func create(ctx context.Context, d *domain.Domain, roots *files.Roots, name, title, file string, base baseline) (*Document, []string, error) {
	in, out, err := base.start(ctx, d)
	if domain.Lost(err) {
		in, out, err = base.start(ctx, d)
	}
	if err != nil {
		return nil, nil, err
	}
	doc := newDocument(d, roots, name, title, base, eventlog.New(eventlog.DefaultCap))
	doc.inst = in
	doc.setState(&out.State)
	doc.saved = doc.log.Position()
	warnings := append(out.Warnings, doc.bindReferences(ctx, d, out.References, file)...)
	doc.turn <- struct{}{}
	return doc, warnings, nil
}

// newDocument makes a document without an instance and a place. The caller has its turn.
func newDocument(on *domain.Domain, roots *files.Roots, name, title string, base baseline, log *eventlog.Log) *Document {
	d := &Document{Name: name, turns: newTurns(), external: external{roots: roots}}
	d.dom.Store(on)
	d.title, d.base, d.log, d.digests = title, base, log, map[eventlog.Position]string{}
	d.connect, d.whole, d.live = d.connectWorld, d.records, func() int64 { return d.log.Bytes() + d.base.size() }
	return d
}

// ErrClosed is the error of calls on a document that was closed while they waited.
var ErrClosed = errors.New("the document was closed meanwhile")

// withState adds the document's state and its pending warnings to r.
func (d *Document) withState(r *reply.Reply) *reply.Reply {
	d.fillState(r)
	d.notes = append(d.notes, d.noteFileChanges()...) // after the call, which may have read some of the files again
	d.notes = append(d.notes, d.inbox.take()...)
	r.Warnings = append(r.Warnings, d.notes...)
	d.notes = nil
	return r
}

// fillState adds the document's state to r, without warnings.
func (d *Document) fillState(r *reply.Reply) {
	r.Document, r.Revision, r.Dirty = d.Name, d.revision, d.dirty()
	r.Unpushed = d.remote != nil && r.Dirty
}

// Close frees the document's memory and removes its journal, even with unsaved changes.
func (d *Document) Close() {
	d.takeFinalTurn()
	d.close()
}

// CloseClean closes the document unless it has unsaved changes or a call on it waits for the world, and reports whether
// it did.
func (d *Document) CloseClean() bool {
	select {
	case <-d.turn:
	case d.looks <- func() {}:
		return false
	}
	if d.dirty() {
		d.leave()
		return false
	}
	d.close()
	return true
}

func (d *Document) close() {
	d.closed = true
	d.releaseRoom()
	if d.journal != nil {
		d.journal.Remove() // if this fails, the journal is offered for recovery, which does no harm
		d.journal = nil
	}
	d.drop()
	d.release()
	d.leave()
}

// Summary is what a list of documents shows.
type Summary struct {
	Name, Title, Domain, Path, Digest string
	Revision                          uint64
	Dirty                             bool
	Waits                             bool   // a call waits for the world
	Folder                            bool   // whether Path is a folder
	Files                             int    // how many, in a folder
	Ref                               string // reference of a remote document
}

// Placed reports whether the document has a file, a folder or a place on a server.
func (s Summary) Placed() bool { return s.Path != "" || s.Ref != "" }

// Summary describes the document now.
func (d *Document) Summary() (s Summary) {
	inTurn := d.look(func() { s = d.summary() })
	s.Waits = !inTurn
	return s
}

func (d *Document) summary() Summary {
	s := Summary{Name: d.Name, Title: d.displayTitle(), Domain: d.Domain().Name(), Path: d.path, Digest: d.state.Digest, Revision: d.revision, Dirty: d.dirty()}
	if d.dir != nil {
		s.Folder, s.Files = true, d.dir.Count()
	}
	if d.remote != nil {
		s.Ref = d.remote.ref
	}
	return s
}

// Failure answers a call whose error left the instance usable, or that never reached it. what names the attempt; ""
// adds nothing.
func Failure(err error, what string) *reply.Reply {
	var try []reply.Suggestion
	if r, ok := errors.AsType[*domain.Refusal](err); ok {
		try = reply.From(r.Try)
	}
	if domain.Disabled(err) {
		try = []reply.Suggestion{reply.Action("enable")}
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return reply.Errorf(nil, "the call was cancelled before it ran; nothing changed")
	}
	if what != "" {
		what += ": "
	}
	return reply.Errorf(try, "%s%s", what, err)
}
