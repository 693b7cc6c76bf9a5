// Package document holds one open document: a domain's instance, its log and
// its file. It promises that a call either happened whole and is in the log, or
// did not happen; and that the instance may die at any moment without losing
// anything that was answered: the baseline plus the log is the document, the
// instance is a cache of it.
package document

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/budget"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/eventlog"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/journal"
	"github.com/fcp-host/fcp-host/host/reply"
)

// Document is one open document. Its methods may be called from anywhere; they
// run one after the other, in the order of arrival.
type Document struct {
	Name string // its handle, unique in a session

	turns
	builds
	external
	roots *files.Roots

	base  baseline
	log   *eventlog.Log
	inst  *domain.Instance // nil: rebuilt before the next call
	state abi.State

	title      string // as given when it was made
	path       string // "" until it was saved or opened
	stamp      files.Stamp
	wrote      wrote
	saved      eventlog.Position // the log's position at the last save
	through    atomic.Bool       // see WriteThrough
	lines      bool              // replies have a line for each op, however many there are
	each       bool              // batch mode: failed ops do not stop later ones
	revision   uint64
	closed     bool
	cannotFold bool    // folding failed once: not tried again
	dir        *dir    // set for a folder document; path is the folder
	remote     *remote // set for a remote document, which has no path
	asked      bool    // the call in progress sent a request to the world; guarded by turn

	owner    string          // the principal that it belongs to: see Keep
	key      string          // of the journal
	journals journal.Store   // nil: not journaled
	journal  journal.Journal // nil: not created yet; the next call creates it
	behind   bool            // the journal does not have the last save yet
	lost     atomic.Bool     // see Lost

	histories *budget.Budget // of all documents; nil for no bound
	held      int64          // this document's share, in bytes

	staged  []eventlog.Entry             // what the instance holds beyond the log while suggestions are tried
	trials  int                          // how many suggestions were run for the reply to the call in progress
	digests map[eventlog.Position]string // by position: digests to check undo and redo against
	notes   []string                     // warnings for the next reply

	follower atomic.Pointer[func(*Document)]
	heard    followerState // what the follower knows
	inbox    inbox
}

// maxDigests bounds Document.digests. When it is reached, all are forgotten: undo to an older state is then not
// checked.
const maxDigests = 20_000

// baseline is what the log starts from. Either create or open is set.
type baseline struct {
	seed   uint64
	create *abi.NewRequest
	open   *abi.OpenRequest
}

func (b *baseline) start(ctx context.Context, d *domain.Domain) (*domain.Instance, *abi.OpenResponse, error) {
	in, err := d.Start(ctx, b.seed)
	if err != nil {
		return nil, nil, err
	}
	var out *abi.OpenResponse
	if b.create != nil {
		out, err = in.New(ctx, b.create)
	} else {
		out, err = in.Open(ctx, b.open)
	}
	if err != nil {
		in.Close()
		return nil, nil, err
	}
	return in, out, nil
}

// seed derives a document's seed from its content, so that equal calls give equal bytes on any machine at any time.
func seed(parts ...[]byte) uint64 {
	h := sha256.New()
	for _, p := range parts {
		var n [8]byte
		binary.LittleEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write(p)
	}
	return binary.LittleEndian.Uint64(h.Sum(nil))
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
	doc := &Document{Name: name, roots: roots, base: base, inst: in, state: out.State,
		title: title, log: eventlog.New(eventlog.DefaultCap), turns: newTurns(),
		digests: map[eventlog.Position]string{}}
	doc.dom.Store(d)
	doc.saved = doc.log.Position()
	doc.digests[doc.saved] = out.State.Digest
	warnings := append(out.Warnings, doc.bindReferences(ctx, out.References, file)...)
	doc.turn <- struct{}{}
	return doc, warnings, nil
}

// ErrClosed is the error of calls on a document that was closed while they waited.
var ErrClosed = errors.New("the document was closed meanwhile")

// setState sets the state at the log's present position.
func (d *Document) setState(state *abi.State) {
	d.state = *state
	if len(d.digests) >= maxDigests {
		clear(d.digests)
	}
	d.digests[d.log.Position()] = state.Digest
}

// note adds a warning to the next reply.
func (d *Document) note(format string, args ...any) {
	d.notes = append(d.notes, fmt.Sprintf(format, args...))
}

// dirty reports whether the document was changed since it was opened, saved or made.
func (d *Document) dirty() bool { return d.log.Position() != d.saved }

// withState adds the document's state and its pending warnings to r.
func (d *Document) withState(r *reply.Reply) *reply.Reply {
	d.fillState(r)
	d.noteFileChanges() // after the call, which may have read some of the files again
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

// Endings of the line about a call in which the instance failed.
const (
	restored = "; a fresh instance has the document exactly as before this call"
	later    = "; the document is kept as it was before this call, and built again at the next"
)

// patience is how much processor time, beyond that of a call, the plugin may use to restore the document after it and to find the
// op that failed.
const patience = time.Second

// restore replaces a failed instance, and returns the words for the reply.
func (d *Document) restore(ctx context.Context) string {
	d.drop()
	switch _, err := d.instance(settling(ctx)); {
	case domain.Disabled(err): // the failure itself says so
		return ""
	case domain.Late(err):
		return later
	case err != nil:
		return fmt.Sprintf("; a fresh instance could not be built (%s): the document is kept and built again at the next call", err)
	}
	return restored
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
