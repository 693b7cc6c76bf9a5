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
	share

	place   place
	wrote   wrote
	through atomic.Bool // see WriteThrough
	lines   bool        // replies have a line for each op, however many there are
	each    bool        // batch mode: failed ops do not stop later ones
	closed  bool

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
	return create(ctx, d, roots, name, &file{}, baseline{seed: seed(parts...), create: r})
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
	return create(ctx, d, roots, name, &file{path: f.Path, stamp: f.Stamp},
		baseline{seed: seed(f.Stamp.Sum[:]), open: &abi.OpenRequest{Name: base, Data: f.Data}})
}

func create(ctx context.Context, d *domain.Domain, roots *files.Roots, name string, at place, base baseline) (*Document, []string, error) {
	in, out, err := base.start(ctx, d)
	if domain.Lost(err) {
		in, out, err = base.start(ctx, d)
	}
	if err != nil {
		return nil, nil, err
	}
	doc := newDocument(d, roots, name, base.title(), at, base, eventlog.New(eventlog.DefaultCap))
	doc.inst = in
	doc.setState(&out.State)
	doc.saved = doc.log.Position()
	w := at.where()
	if w.Folder {
		w.Path += string(filepath.Separator) // names are relative to the folder itself
	}
	warnings := append(out.Warnings, doc.bindReferences(ctx, d, out.References, w.Path)...)
	doc.turn <- struct{}{}
	return doc, warnings, nil
}

// newDocument makes a document without an instance. The caller has its turn.
func newDocument(on *domain.Domain, roots *files.Roots, name, title string, at place, base baseline, log *eventlog.Log) *Document {
	d := &Document{Name: name, turns: newTurns(), external: external{roots: roots}, place: at}
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

// fillState adds the document's state to r, without warnings and the digest.
func (d *Document) fillState(r *reply.Reply) {
	digest := r.Digest
	d.summary().Fill(r)
	r.Digest = digest
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
	d.settle(0)
	if d.journal != nil {
		d.journal.Remove() // if this fails, the journal is offered for recovery, which does no harm
		d.journal = nil
	}
	d.drop()
	d.Domain().Release(d)
	d.place.close()
	d.leave()
}

// Summary is what a list of documents shows.
type Summary struct {
	Name, Title, Domain, Digest string
	Where
	Revision uint64
	Dirty    bool
	Waits    bool // a call waits for the world
}

// Fill adds the document's state to r.
func (s Summary) Fill(r *reply.Reply) {
	r.Document, r.Revision, r.Dirty, r.Digest = s.Name, s.Revision, s.Dirty, s.Digest
	r.Unpushed = s.Ref != "" && s.Dirty
}

// Summary describes the document now.
func (d *Document) Summary() (s Summary) {
	inTurn := d.look(func() { s = d.summary() })
	s.Waits = !inTurn
	return s
}

func (d *Document) summary() Summary {
	return Summary{Name: d.Name, Title: d.displayTitle(), Domain: d.Domain().Name(), Where: d.place.where(), Digest: d.state.Digest, Revision: d.revision, Dirty: d.dirty()}
}

// Failure answers a call that ended with an error, which left the instance usable or never reached it.
func Failure(err error) *reply.Reply {
	var refused *reply.Refusal
	var no *domain.Refusal
	var try []reply.Suggestion
	switch {
	case errors.As(err, &refused):
		try = refused.Try
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return reply.Errorf(nil, "the call was cancelled before it ran; nothing changed")
	case domain.Disabled(err):
		try = []reply.Suggestion{reply.Action("enable")}
	case errors.As(err, &no):
		try = reply.From(no.Try)
	}
	r := reply.Errorf(try, "%s", err)
	r.Cause = err
	if refused != nil {
		r.Results = append(r.Results, refused.After...)
	}
	return r
}

// read answers with what f returns, in the document's turn.
func (d *Document) read(ctx context.Context, f func() (*reply.Reply, error)) *reply.Reply {
	if err := d.enter(ctx); err != nil {
		return Failure(err)
	}
	defer d.leave()
	r, err := f()
	if err != nil {
		r = Failure(err)
	}
	return d.withState(r)
}

// act is read for an action, whose reply ends with the digest unless it was refused.
func (d *Document) act(ctx context.Context, f func() (*reply.Reply, error)) *reply.Reply {
	return d.read(ctx, func() (*reply.Reply, error) {
		r, err := f()
		if err == nil {
			r.Digest = d.state.Digest
		}
		return r, err
	})
}

// edit is act for ops, whose reply always ends with the digest.
func (d *Document) edit(ctx context.Context, f func() (*reply.Reply, error)) *reply.Reply {
	return d.act(ctx, func() (*reply.Reply, error) {
		r, err := f()
		if err != nil {
			r = Failure(err)
		}
		return r, nil
	})
}
