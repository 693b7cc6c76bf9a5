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

	lane
	builds
	outer
	roots *files.Roots

	base  baseline
	log   *eventlog.Log
	inst  *domain.Instance // nil: to be rebuilt
	state abi.State

	title    string // that it was made with
	path     string // "" until it was saved or opened
	stamp    files.Stamp
	wrote    wrote
	saved    eventlog.Position // where the log stood when path was written
	each     bool              // batch mode: failed ops do not stop later ones
	revision uint64
	closed   bool
	unfolded bool    // folding was tried and refused: the domain cannot be folded
	dir      *dir    // of a folder document, whose path is the folder's
	remote   *remote // of a remote document, which has no path
	asked    bool    // the call that has the turn asked the world for something

	owner    string          // whose document it is: see Keep
	key      string          // of its journal
	journals journal.Store   // nil: the document is not made durable
	journal  journal.Journal // nil: there is none yet, the next call makes it
	behind   bool            // the journal lacks that the document was saved
	lost     atomic.Bool     // see Lost

	histories *budget.Budget // of all documents, nil for none
	held      int64          // what this one takes of it

	digests map[eventlog.Position]string // what the domain said of states, to hold undo and redo against
	notes   []string                     // warnings for the next reply

	follower atomic.Pointer[func(*Document)]
	heard    heard // to the follower
	inbox    inbox
}

// maxDigests bounds Document.digests. Past it they are forgotten, which only
// means that older states are not compared.
const maxDigests = 20_000

// baseline is what the log starts from.
type baseline struct {
	seed   uint64
	create *abi.NewRequest  // either this
	open   *abi.OpenRequest // or this
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

// seed is a function of the content, so that equal calls give equal bytes on
// any machine and at any time.
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
		title: title, log: eventlog.New(eventlog.DefaultCap), lane: newLane(),
		digests: map[eventlog.Position]string{}}
	doc.dom.Store(d)
	doc.saved = doc.log.Position()
	doc.digests[doc.saved] = out.State.Digest
	warnings := append(out.Warnings, doc.refer(ctx, out.References, file)...)
	doc.turn <- struct{}{}
	return doc, warnings, nil
}

// ErrClosed is what a document answers after it was closed.
var ErrClosed = errors.New("the document was closed meanwhile")

// setState keeps the state of the place where the log stands now.
func (d *Document) setState(state *abi.State) {
	d.state = *state
	if len(d.digests) >= maxDigests {
		clear(d.digests)
	}
	d.digests[d.log.Position()] = state.Digest
}

// note keeps a warning for the reply that is being made.
func (d *Document) note(format string, args ...any) {
	d.notes = append(d.notes, fmt.Sprintf(format, args...))
}

// dirty reports whether the document differs from what is on disk: it was
// changed since it was opened or saved, or new and changed.
func (d *Document) dirty() bool { return d.log.Position() != d.saved }

// withState writes where the document stands into r.
func (d *Document) withState(r *reply.Reply) *reply.Reply {
	d.fillState(r)
	d.watch() // behind the call: what it took in anew is known
	d.notes = append(d.notes, d.inbox.empty()...)
	r.Warnings = append(r.Warnings, d.notes...)
	d.notes = nil
	return r
}

// fillState is withState without the warnings of the reply that is being made.
func (d *Document) fillState(r *reply.Reply) {
	r.Document, r.Revision, r.Dirty = d.Name, d.revision, d.dirty()
	r.Unpushed = d.remote != nil && r.Dirty
}

// What ends the line about a call in which the instance failed.
const (
	restored = "; a fresh instance has the document exactly as before this call"
	later    = "; the document is kept as it was before this call, and built again at the next"
)

// patience is how much longer than a call may take it may take to put the document
// in order after it, and to find the op that failed it.
const patience = time.Second

// restore replaces an instance that failed, and gives the words that say so.
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

// Close gives the document's memory back and ends its journal. Unsaved changes
// are the caller's business.
func (d *Document) Close() {
	d.last()
	d.close()
}

// CloseClean closes the document unless it has unsaved changes or waits for the
// world, and reports whether it did. No call can come in between.
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
	d.unbound()
	if d.journal != nil {
		d.journal.Remove() // what stays is offered again, no more
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
	Waits                             bool   // a call waits for what its domain asked for
	Folder                            bool   // Path is a folder
	Files                             int    // of the folder
	Ref                               string // of a remote document
}

// Summary reads the document's standing.
func (d *Document) Summary() (s Summary) {
	inTurn := d.look(func() { s = d.summary() })
	s.Waits = !inTurn
	return s
}

func (d *Document) summary() Summary {
	s := Summary{Name: d.Name, Title: d.called(), Domain: d.Domain().Name(), Path: d.path, Digest: d.state.Digest, Revision: d.revision, Dirty: d.dirty()}
	if d.dir != nil {
		s.Folder, s.Files = true, d.dir.Count()
	}
	if d.remote != nil {
		s.Ref = d.remote.ref
	}
	return s
}

// failure is the reply to what the instance survived, or never saw. what says
// what was tried, "" for nothing to add.
func (d *Document) failure(err error, what string) *reply.Reply {
	var try []reply.Suggestion
	var r *domain.Refusal
	if errors.As(err, &r) {
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
