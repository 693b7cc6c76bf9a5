package document

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/journal"
)

// Leftover describes a document that an earlier host left in a journal.
type Leftover struct {
	journal.Left
	Owner                       string // the principal it belongs to, or "" for the user of this machine
	Name, Title, Domain, Digest string
	Version, Build              string   // of the domain that edited it
	Path                        string   // "" if it was never saved
	Ref                         string   // of a remote document
	Can                         []string // the wants it was edited with
	Folder                      string   // base of relative paths in its host
	Dirty                       bool
	Damaged                     bool // later changes are lost
	Ops, Redo                   int
	Checkpoints                 []string
	Unreadable                  error // set: nothing else is known
}

// Inspect reads the description of a journal's document. It starts no instance.
func Inspect(store journal.Store, left journal.Left) *Leftover {
	l := &Leftover{Left: left}
	c, err := store.Read(left.ID)
	if err != nil {
		l.Unreadable = err
		return l
	}
	k, err := decodeJournal(c)
	if err != nil {
		l.Unreadable = err
		return l
	}
	l.Owner, l.Name, l.Title, l.Domain, l.Digest = k.Owner, k.Name, k.Title, k.Domain, k.Digest
	l.Version, l.Build, l.Folder, l.Can = k.Version, k.Build, k.Folder, k.wants
	w := k.place.where()
	l.Path, l.Ref = w.Path, w.Ref
	l.Damaged = c.Damaged
	l.Dirty = k.log.Position() != k.saved
	l.Ops, l.Redo = k.log.Cursor(), k.log.Len()-k.log.Cursor()
	for _, c := range k.log.Checkpoints() {
		l.Checkpoints = append(l.Checkpoints, c.Name)
	}
	return l
}

// BuildError reports that a document was edited with another build of its domain than the one that is loaded.
type BuildError struct {
	Domain, Was, Is string // versions
}

func (e *BuildError) Error() string {
	if e.Was == e.Is {
		return fmt.Sprintf("it was edited with another build of %s %s than the one loaded, which may read its history differently", e.Domain, e.Was)
	}
	return fmt.Sprintf("it was edited with %s %s, and %s is loaded, which may read its history differently", e.Domain, e.Was, e.Is)
}

// StrayError reports that replaying a document's history led to another digest than the last one that was answered.
type StrayError struct {
	Domain, Was, Is string // digests
}

func (e *StrayError) Error() string {
	return fmt.Sprintf("its history leads the %s plugin to [%s] and not to [%s], as was answered", e.Domain, e.Is, e.Was)
}

// Left selects a leftover journal to recover.
type Left struct {
	Shelf *Shelf
	ID    string // of the journal
	Room  Room
	Build bool // recover even with another build of the domain
	Force bool // recover even with another build or to another digest
}

// Recover rebuilds the document of a leftover journal as it was after its last answered call: history, redo tail,
// checkpoints, mode and file. The new instance must reach the digest that was answered. With left.Force, another build
// of the domain is allowed, and another digest is only a warning. After an error the journal is unchanged; a
// *BuildError or a *StrayError can be forced, a *RoomError may pass with time.
func Recover(ctx context.Context, d *domain.Domain, roots *files.Roots, name string, left Left) (*Document, []string, error) {
	return recoverFrom(ctx, func(string) (*domain.Domain, *files.Roots, error) { return d, roots, nil }, name, left)
}

// Resume is Recover by the journal's ID alone: find returns the domain by its name and the roots of its files. The
// document keeps its name. Its next reply has the warnings, for example about a changed file or a damaged journal.
func Resume(ctx context.Context, find func(domain string) (*domain.Domain, *files.Roots, error), left Left) (*Document, error) {
	doc, warnings, err := recoverFrom(ctx, find, "", left)
	if err == nil {
		doc.notes = append(doc.notes, warnings...) // not shared yet, so no turn is needed
	}
	return doc, err
}

func recoverFrom(ctx context.Context, find func(domain string) (*domain.Domain, *files.Roots, error), name string, left Left) (*Document, []string, error) {
	t, err := left.Shelf.take(ctx, find, name, left.ID, left.Room)
	if err != nil {
		return nil, nil, err
	}
	doc, d, was := t.doc, t.doc.Domain(), t.doc.place.where()
	warnings, err := doc.revive(ctx, t.decoded, left)
	if err != nil {
		doc.settle(0)
		doc.journal.Close()
		d.Release(doc)
		doc.place.close()
		return nil, nil, err
	}
	doc.journal.Renew()
	// The name, the build and the file in the records may be out of date.
	var unwritten error
	if t.damage != "" || was.Folder || doc.Name != t.decoded.Name || d.Build != t.decoded.Build || doc.place.where() != was {
		unwritten = doc.rewrite()
	}
	if t.damage != "" {
		warnings = append(warnings, t.damage+damagedFileNote(doc.journal))
	}
	if t.cut {
		warnings = append(warnings, "the journal ends within a record, which is not part of this state: its call was cut off while it was written, or the file was cut since")
	}
	if unwritten != nil {
		warnings = append(warnings, JournalWarning(unwritten))
	}
	return doc, warnings, nil
}

// takenJournal is a document whose journal was read, without an instance.
type takenJournal struct {
	doc     *Document
	decoded *decoded
	damage  string // what of the journal is damaged; "" for nothing
	cut     bool   // the journal ends within a record
}

// take reads a leftover journal and makes this host its owner. Journals are read one at a time: the memory for a
// document must be granted before the next journal is read.
func (s *Shelf) take(ctx context.Context, find func(domain string) (*domain.Domain, *files.Roots, error), name, id string, room Room) (t *takenJournal, err error) {
	if s.enter(ctx) != nil {
		return nil, errors.New("another journal is still being read")
	}
	defer s.leave()
	f, c, err := s.store.Take(id)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	k, err := decodeJournal(c)
	if err != nil {
		return nil, err
	}
	d, roots, err := find(k.Domain)
	if err != nil {
		return nil, err
	}
	t = &takenJournal{decoded: k, cut: c.Cut > 0 && !c.Damaged}
	switch {
	case c.Damaged:
		t.damage = damage(c)
	case c.Header:
		t.damage = "the header of the journal is damaged; all records after it are undamaged and part of this state"
	}
	if name == "" {
		name = k.Name
	}
	t.doc = k.document(d, roots, name)
	if err := t.doc.place.reopen(ctx, t.doc); err != nil {
		return nil, err
	}
	t.doc.journals, t.doc.journal = s.store, f
	if err := t.doc.takeRoom(room); err != nil {
		d.Release(t.doc)
		t.doc.place.close()
		return nil, err
	}
	return t, nil
}

// document makes a Document of the records, without an instance. The caller has its turn.
func (k *decoded) document(d *domain.Domain, roots *files.Roots, name string) *Document {
	base := baseline{seed: k.Seed, create: k.Create, open: k.Open}
	at := k.place
	if base.folder() {
		at = &dir{path: at.where().Path}
	}
	doc := newDocument(d, roots, name, k.Title, at, base, k.log)
	doc.owner, doc.saved, doc.revision, doc.each = k.Owner, k.saved, k.Revision, k.each
	doc.bind(k.Named)
	return doc
}

// damagedFileNote says where the damaged file of a rewritten journal is kept.
func damagedFileNote(f journal.Journal) string {
	if f.Kept() == "" {
		return ""
	}
	return fmt.Sprintf("; the damaged file is kept as %s in the journal folder", f.Kept())
}

// revive builds the instance of a recovered document, and puts its turn in place.
func (d *Document) revive(ctx context.Context, k *decoded, left Left) (warnings []string, err error) {
	if k.Build != d.Domain().Build {
		other := &BuildError{Domain: k.Domain, Was: k.Version, Is: d.Domain().Manifest.Version}
		if !left.Build && !left.Force {
			return nil, other
		}
		if left.Force {
			warnings = append(warnings, other.Error()+": look at it before you save")
		}
	}
	in, state, err := d.rebuild(ctx, slices.Collect(d.log.Applied()))
	if err != nil {
		return nil, err
	}
	if state.Digest != k.Digest {
		other := &StrayError{Domain: k.Domain, Was: k.Digest, Is: state.Digest}
		if !left.Force {
			in.Close()
			return nil, other
		}
		warnings = append(warnings, other.Error()+": look at it before you save")
	}
	d.inst = in
	d.setState(state)
	more, err := d.place.compare(ctx, d, k)
	if err != nil {
		d.drop()
		return nil, err
	}
	d.turn <- struct{}{}
	return append(warnings, more...), nil
}

// When is the time of the last call as text.
func (l *Leftover) When() string { return l.Time.UTC().Format(time.DateTime) + " UTC" }
