package document

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/eventlog"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/journal"
)

// Leftover describes a document that an earlier host left in a journal.
type Leftover struct {
	journal.Left
	Owner                       string // whose it is: a principal, or "" for the user of this machine
	Name, Title, Domain, Digest string
	Version, Build              string   // of the domain that edited it
	Path                        string   // "" when it was never saved
	Ref                         string   // of a remote document
	Can                         []string // wants that it was edited with
	Folder                      string   // where the relative paths of its host started
	Dirty                       bool
	Damaged                     bool // what was done later is lost
	Ops, Redo                   int
	Checkpoints                 []string
	Unreadable                  error // nothing else is known then
}

// Inspect reads what a journal says of its document. It starts nothing.
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
	l.Version, l.Build, l.Path, l.Folder = k.Version, k.Build, k.path, k.Folder
	if k.far != nil {
		l.Ref, l.Can = k.far.ref, k.can
	}
	l.Damaged = c.Damaged
	l.Dirty = k.log.Position() != k.saved
	l.Ops, l.Redo = k.log.Cursor(), k.log.Len()-k.log.Cursor()
	for _, c := range k.log.Checkpoints() {
		l.Checkpoints = append(l.Checkpoints, c.Name)
	}
	return l
}

// BuildError: a document was edited with another build of its domain than the
// one that is loaded.
type BuildError struct {
	Domain, Was, Is string // versions
}

func (e *BuildError) Error() string {
	if e.Was == e.Is {
		return fmt.Sprintf("it was edited with another build of %s %s than the one loaded, which may read its history differently", e.Domain, e.Was)
	}
	return fmt.Sprintf("it was edited with %s %s, and %s is loaded, which may read its history differently", e.Domain, e.Was, e.Is)
}

// StrayError: a document's history leads to another state than it did.
type StrayError struct {
	Domain, Was, Is string // digests
}

func (e *StrayError) Error() string {
	return fmt.Sprintf("its history leads the %s plugin to [%s] and not to [%s], as was answered", e.Domain, e.Is, e.Was)
}

// Left is a document that was left in a journal.
type Left struct {
	Shelf *Shelf
	ID    string // of the journal
	Room  Room
	Build bool // brings it back with another build of the domain, too
	Force bool // and to another digest
}

// Recover brings back the document that the journal holds, as it was when
// its last call was answered: history, redo tail, checkpoints, mode and file.
// The instance is built anew, and has to come to the digest that was answered.
// With force, another build of the domain may be tried, and another digest is a
// warning. After an error the journal is as it was: a *BuildError or a
// *StrayError may be forced, a *RoomError is not for long.
func Recover(ctx context.Context, d *domain.Domain, roots *files.Roots, name string, left Left) (*Document, []string, error) {
	return bringBack(ctx, func(string) (*domain.Domain, *files.Roots, error) { return d, roots, nil }, name, left)
}

// Resume is Recover for a document of which only the journal's ID is known: find
// gives the domain by its name, and where its files may be. The document keeps its
// name. What there is to warn of, such as a file that was changed meanwhile or a
// damaged journal, its next reply says.
func Resume(ctx context.Context, find func(domain string) (*domain.Domain, *files.Roots, error), left Left) (*Document, error) {
	doc, warnings, err := bringBack(ctx, find, "", left)
	if err == nil {
		doc.notes = append(doc.notes, warnings...) // nobody else has it yet
	}
	return doc, err
}

func bringBack(ctx context.Context, find func(domain string) (*domain.Domain, *files.Roots, error), name string, left Left) (*Document, []string, error) {
	t, err := left.Shelf.take(ctx, find, name, left.ID, left.Room)
	if err != nil {
		return nil, nil, err
	}
	doc, d := t.doc, t.doc.Domain()
	warnings, err := doc.revive(ctx, t.kept, left)
	if err != nil {
		doc.unbound()
		doc.journal.Close()
		doc.release()
		return nil, nil, err
	}
	doc.journal.Renew()
	// What the records say of the name, the build and the file may no longer hold.
	var unwritten error
	if t.hurt != "" || doc.dir != nil || doc.Name != t.kept.Name || d.Build != t.kept.Build || doc.stamp != t.kept.stamp {
		unwritten = doc.rewrite()
	}
	if t.hurt != "" {
		warnings = append(warnings, t.hurt+aside(doc.journal))
	}
	if t.cut {
		warnings = append(warnings, "the journal ends within a record, which is not part of this state: its call was cut off while it was written, or the file was cut since")
	}
	if unwritten != nil {
		warnings = append(warnings, unjournaled(unwritten))
	}
	return doc, warnings, nil
}

// taken is a document whose journal was read, and that has no instance yet.
type taken struct {
	doc  *Document
	kept *kept
	hurt string // what is damaged of the journal, "" where nothing is
	cut  bool   // the journal ends within a record
}

// take reads a journal that was left, and has this host own it. Of all that a
// host reads at a time, one is in memory: what it holds, the document is to have
// room for when the next one is read.
func (s *Shelf) take(ctx context.Context, find func(domain string) (*domain.Domain, *files.Roots, error), name, id string, room Room) (*taken, error) {
	if s.enter(ctx) != nil {
		return nil, errors.New("another journal is still being read")
	}
	defer s.leave()
	f, c, err := s.store.Take(id)
	if err != nil {
		return nil, err
	}
	k, err := decodeJournal(c)
	if err != nil {
		f.Close()
		return nil, err
	}
	d, roots, err := find(k.Domain)
	if err != nil {
		f.Close()
		return nil, err
	}
	t := &taken{kept: k, cut: c.Cut > 0 && !c.Damaged}
	switch {
	case c.Damaged:
		t.hurt = damage(c)
	case c.Header:
		t.hurt = "the header of the journal is damaged; what stands behind it is whole, and all of it is here"
	}
	if name == "" {
		name = k.Name
	}
	t.doc = k.document(d, roots, name)
	if k.far != nil {
		if err := needsServer(ctx, d); err != nil {
			f.Close()
			return nil, err
		}
	}
	if t.doc.base.folder() {
		if err := t.doc.enterFolder(ctx); err != nil {
			f.Close()
			return nil, err
		}
	}
	t.doc.journals, t.doc.journal = s.store, f
	if err := t.doc.bound(room); err != nil {
		f.Close()
		t.doc.release()
		return nil, err
	}
	return t, nil
}

// document is the one that the records tell of, without an instance. Who has it
// has its turn.
func (k *kept) document(d *domain.Domain, roots *files.Roots, name string) *Document {
	doc := &Document{Name: name, owner: k.Owner, roots: roots, log: k.log, lane: newLane(),
		base:  baseline{seed: k.Seed, create: k.Create, open: k.Open},
		title: k.Title, path: k.path, remote: k.far, stamp: k.stamp, saved: k.saved, each: k.each, revision: k.Revision,
		digests: map[eventlog.Position]string{}}
	doc.dom.Store(d)
	doc.bind(k.Named)
	return doc
}

// aside says where a damaged file went that was replaced.
func aside(f journal.Journal) string {
	if f.Kept() == "" {
		return ""
	}
	return fmt.Sprintf("; the damaged file is kept as %s in the journal folder", f.Kept())
}

// revive gives a document its instance, and the turn to whoever comes next.
func (d *Document) revive(ctx context.Context, k *kept, left Left) (warnings []string, err error) {
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
	if d.dir != nil {
		more, err := d.compareFolder(ctx, k)
		if err != nil {
			d.drop()
			return nil, err
		}
		d.turn <- struct{}{}
		return append(warnings, more...), nil
	}
	d.turn <- struct{}{}
	return append(warnings, d.compare(ctx)...), nil
}

// compare looks at the file of a recovered document. A host that was killed
// between writing the file and recording it left its own bytes there.
func (d *Document) compare(ctx context.Context) []string {
	if d.path == "" {
		return nil
	}
	show, roots := d.roots.Show(d.path), d.roots.In(ctx)
	if !d.roots.Contains(d.path) {
		return []string{fmt.Sprintf("its file %s lies outside the allowed folders: save it as another", show)}
	}
	if roots.Gone(d.path) {
		d.saved = eventlog.Nowhere()
		return []string{fmt.Sprintf("its file %s is gone; save writes it again", show)}
	}
	if err := roots.Check(d.path, d.over(d.path, false)); !errors.Is(err, files.ErrChanged) {
		return nil
	}
	if data, stamp, err := roots.Read(d.path); err == nil {
		if out, err := d.inst.Save(ctx, d.saving(d.path)); err == nil && string(out.Data) == string(data) {
			d.stamp, d.saved = stamp, d.log.Position()
			return nil
		}
	}
	return []string{fmt.Sprintf("its file %s was changed by somebody else meanwhile", show)}
}

// When is the time of the last call, as a list shows it.
func (l *Leftover) When() string { return l.Time.UTC().Format(time.DateTime) + " UTC" }
