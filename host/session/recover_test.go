package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/journal"
)

// leftoverFolder is a folder of documents and a folder with the journals that earlier sessions left.
type leftoverFolder struct {
	folder string
	roots  *files.Roots
	dir    *journal.Dir
}

func newLeftoverFolder(t testing.TB) *leftoverFolder {
	t.Helper()
	e := &leftoverFolder{folder: t.TempDir()}
	var err error
	if e.roots, err = files.NewRoots(e.folder); err != nil {
		t.Fatal(err)
	}
	if e.dir, err = journal.Open(filepath.Join(t.TempDir(), "journal"), journal.Limits{}); err != nil {
		t.Fatal(err)
	}
	return e
}

// restart opens the journal folder again, as the next start of a host does.
func (e *leftoverFolder) restart(t testing.TB, limits journal.Limits) {
	t.Helper()
	var err error
	if e.dir, err = journal.Open(e.dir.Path(), limits); err != nil {
		t.Fatal(err)
	}
}

// age sets the modification time of journal files to that long ago and returns their names.
func (e *leftoverFolder) age(t testing.TB, pattern string, ago time.Duration) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(e.dir.Path(), pattern))
	if err != nil {
		t.Fatal(err)
	}
	at := time.Now().Add(-ago)
	for i, f := range found {
		if err := os.Chtimes(f, at, at); err != nil {
			t.Fatal(err)
		}
		found[i] = filepath.Base(f)
	}
	return found
}

// clientOf starts a later session of owner and returns its client.
func (e *leftoverFolder) clientOf(t testing.TB, owner string) *client {
	t.Helper()
	c := &client{t, New(domain.List{list(t)}, e.roots), "list", e.folder}
	c.Owner = owner
	c.Keep(document.NewShelf(e.dir), nil)
	t.Cleanup(c.Close)
	return c
}

// Leftovers belong to their owner: others do not see or count them, and cannot recover or discard them.
func TestADocumentIsRecoveredByItsOwnerAlone(t *testing.T) {
	e := newLeftoverFolder(t)
	for _, owner := range []string{"", "ann", "bob"} {
		c := e.clientOf(t, owner)
		c.act(`new "Of ` + owner + `."`)
		c.edit("add one")
		c.Close()
	}
	for _, owner := range []string{"cid", "ann", ""} {
		c := e.clientOf(t, owner)
		text := c.act("status").String()
		if owner == "cid" {
			if strings.Contains(text, "earlier session") {
				t.Errorf("status of somebody else: %s", text)
			}
			for _, action := range []string{"recover", "recover 1", "discard 1", "discard all"} {
				if r := c.act(action); !r.Failed || !strings.Contains(r.String(), "no earlier session left a document") {
					t.Errorf("%s of somebody else: %s", action, r)
				}
			}
			continue
		}
		if !strings.Contains(text, `an earlier session left "Of `+owner+`."`) {
			t.Errorf("status of %q: %s", owner, text)
		}
		if r := c.act("recover"); r.Failed || !strings.Contains(r.String(), `recovered "Of `+owner+`."`) {
			t.Errorf("recover of %q: %s", owner, r)
		}
		// It still belongs to the owner when it is left again.
		c.edit("add two")
		c.Close()
	}
	c := e.clientOf(t, "bob")
	if r := c.act("discard all"); r.Failed || strings.Count(r.String(), "- discarded") != 1 {
		t.Errorf("discard all of bob: %s", r)
	}
	c = e.clientOf(t, "ann")
	if r := c.act("recover"); r.Failed || !strings.Contains(r.String(), ": 2 ops to undo") {
		t.Errorf("recover of ann, again: %s", r)
	}
}

// A leftover that another session has recovered is reported as open there, and a discarded one as gone.
func TestALeftoverTakenByAnotherSessionIsReportedAsOpenThere(t *testing.T) {
	e := newLeftoverFolder(t)
	c := e.clientOf(t, "")
	for _, name := range []string{"A", "B"} {
		c.act(fmt.Sprintf("new %q", name))
		c.edit("add one")
	}
	c.Close()
	one, two := e.clientOf(t, ""), e.clientOf(t, "")
	one.act("status")
	two.act("status")
	one.ok(one.act("recover 1"))
	taken := one.ok(one.act("documents")).String()
	name := "A"
	if strings.Contains(taken, "B") {
		name = "B"
	}
	for _, action := range []string{"recover 1", "discard 1", "recover 1 force"} {
		want := fmt.Sprintf("%s 1: another session, of this fcp-host or another, has %q open by now", strings.Fields(action)[0], name)
		if r := two.act(action); !r.Failed || !strings.Contains(r.String(), want) {
			t.Errorf("%s: %s", action, r)
		}
	}
	one.ok(one.act("recover 2"))
	const none = "nothing to recover: no earlier session left a document"
	if r := two.act("recover"); !r.Failed || !strings.Contains(r.String(), none+"; 2 documents open in other sessions, of this fcp-host or another") {
		t.Errorf("recover: %s", r)
	}
	if r := two.act("discard all"); !r.Failed || !strings.Contains(r.String(), none) {
		t.Errorf("discard all: %s", r)
	}
	if r := one.act("recover"); !r.Failed || !strings.Contains(r.String(), none) || strings.Contains(r.String(), "other sessions") {
		t.Errorf("recover by the one who has them: %s", r)
	}
	other := e.clientOf(t, "ann")
	if r := other.act("recover"); strings.Contains(r.String(), "other sessions") {
		t.Errorf("recover of somebody else: %s", r)
	}
	one.act("close force")
	one.act("close force")
	if r := two.act("recover 1"); !r.Failed || !strings.Contains(r.String(), "recover 1: there is no such document any more") {
		t.Errorf("recover of what is gone: %s", r)
	}
}

// Reading leftovers does not delay a reply for longer than the limit Wait.
func TestAReplyDoesNotWaitForeverForLeftovers(t *testing.T) {
	e := newLeftoverFolder(t)
	c := e.clientOf(t, "")
	c.act(`new "Left"`)
	c.edit("add one")
	c.Close()
	c = e.clientOf(t, "")
	c.SetLimits(Limits{Wait: 1})
	const unread = "the documents of earlier sessions are still being read"
	for _, action := range []string{`new "Mine"`, "status"} {
		if r := c.act(action); r.Failed || !strings.Contains(r.String(), "? "+unread+": status says later what can be recovered") {
			t.Errorf("%s: %s", action, r)
		}
	}
	for _, action := range []string{"recover", "recover 1", "discard all"} {
		if r := c.act(action); !r.Failed || !strings.Contains(r.String(), "! "+unread+": try again") {
			t.Errorf("%s: %s", action, r)
		}
	}
	c.SetLimits(Limits{})
	if r := c.act("status"); !strings.Contains(r.String(), `an earlier session left "Left": recover 1 brings it back`) {
		t.Errorf("later: %s", r)
	}
}

// If there is no room for another journal, the caller is told so, and existing ones stay.
func TestWithoutRoomForAnotherJournalChangesAreRefused(t *testing.T) {
	e := newLeftoverFolder(t)
	e.restart(t, journal.Limits{Files: 2})
	c := e.clientOf(t, "")
	c.act(`new "Left"`)
	c.edit("add one")
	c.Close()
	a, b := e.clientOf(t, ""), e.clientOf(t, "")
	a.act(`new "A"`)
	a.edit("add one")
	const full = "the journal folder is full: it holds 2 journals, which is the limit (limit journals)"
	if r := b.act(`new "B"`); r.Failed || !strings.Contains(r.String(), "? journal: cannot be written ("+full+"); until it can, changes are refused") {
		t.Errorf("new: %s", r)
	}
	r := b.edit("add one")
	if !r.Failed || !strings.Contains(r.String(), "! "+full+", so nothing was changed: recover or discard what earlier sessions left") || !strings.Contains(r.String(), "try: recover") {
		t.Errorf("an op: %s", r)
	}
	a.ok(a.edit("add two"))
	b.ok(b.act("discard 1"))
	b.ok(b.edit("add one"))
	if r := a.act("status"); !strings.Contains(r.String(), "2 ops") {
		t.Errorf("A: %s", r)
	}
}

// The list says that something is lost, before anything is recovered, and the reply to recover says what.
func TestTheListSaysWhatIsDamaged(t *testing.T) {
	e := newLeftoverFolder(t)
	c := e.clientOf(t, "")
	c.act(`new "Sound"`)
	c.edit("add one")
	sound := e.age(t, "*.journal", 0)[0]
	c.act(`new "Hit"`)
	c.edit("add one")
	c.edit("add two")
	c.edit("add three")
	c.Close()
	for _, name := range e.age(t, "*.journal", 0) {
		if name == sound {
			continue
		}
		file := filepath.Join(e.dir.Path(), name)
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		data[strings.Index(string(data), "add two")] ^= 1
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	e.age(t, sound, time.Hour) // it comes last
	c = e.clientOf(t, "")
	text := c.act("recover").String()
	if !strings.Contains(text, `1. "Hit" (list), unsaved changes, damaged: what was done later is lost, 1 op to undo`) || strings.Count(text, "damaged") != 1 {
		t.Errorf("the list: %s", text)
	}
	text = c.ok(c.act("recover 1")).String()
	if !strings.Contains(text, `+ recovered "Hit" (list): 1 op to undo`) || !strings.Contains(text, "? the journal is damaged: 1 record of it cannot be read, and what was answered after that is not part of this state: add three; the damaged file is kept as ") {
		t.Errorf("recovered: %s", text)
	}
}

// silent is a store whose Left closes asked and then waits until it receives from let.
type silent struct {
	*journal.Dir
	asked, let chan struct{}
}

func (s *silent) Left() ([]journal.Left, error) {
	close(s.asked)
	<-s.let
	return nil, nil
}

func TestASilentStoreDelaysNoOtherCall(t *testing.T) {
	e := newLeftoverFolder(t)
	store := &silent{e.dir, make(chan struct{}), make(chan struct{})}
	s := New(domain.List{list(t)}, e.roots)
	defer s.Close()
	s.Keep(document.NewShelf(store), nil)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.Edit(ctx, "list", "", []string{"add one"}, nil) // there is no document: what was left is offered
	}()
	<-store.asked
	if n := len(s.Documents()); n != 0 { // it must not wait
		t.Errorf("%d documents", n)
	}
	close(store.let)
	<-ended
}

// A client that resumes a document by its handle did not ask for a recovery, but gets its warnings.
func TestAResumedDocumentReportsWhatHappenedToItsFile(t *testing.T) {
	e := newLeftoverFolder(t)
	shared := func() *client {
		c := &client{t, NewShared(domain.List{list(t)}, e.roots), "list", e.folder}
		c.Keep(document.NewShelf(e.dir), nil)
		return c
	}
	c := shared()
	if r := c.Session.Session(ctx, "list", "", `new "T"`); r.Failed {
		t.Fatal(r)
	}
	doc := c.Documents()[0].Name
	for _, action := range []string{"save as:./t.list", "status"} {
		if r := c.Session.Session(ctx, "list", doc, action); r.Failed {
			t.Fatal(r)
		}
	}
	if r := c.Edit(ctx, "list", doc, []string{"add one"}, nil); r.Failed {
		t.Fatal(r)
	}
	c.Leave()
	if err := os.Remove(filepath.Join(e.folder, "t.list")); err != nil {
		t.Fatal(err)
	}
	c = shared()
	defer c.Close()
	r := c.Edit(ctx, "list", doc, []string{"add two"}, nil)
	if r.Failed || !strings.Contains(r.String(), "t.list is gone; save writes it again") {
		t.Errorf("resumed, it says %s", r)
	}
	if r := c.Edit(ctx, "list", doc, []string{"add three"}, nil); r.Failed || strings.Contains(r.String(), "is gone") {
		t.Errorf("it says it again: %s", r)
	}
}

// noticed is a context that closes waits when somebody first waits for its end.
type noticed struct {
	context.Context
	once  *sync.Once
	waits chan struct{}
}

func (c noticed) Done() <-chan struct{} {
	c.once.Do(func() { close(c.waits) })
	return c.Context.Done()
}

// A call that waits for another call to resume its document resumes it itself if the other one fails.
func TestADocumentThatAnotherCallFailsToResumeIsResumed(t *testing.T) {
	e := newLeftoverFolder(t)
	shared := func() *client {
		c := &client{t, NewShared(domain.List{list(t)}, e.roots), "list", e.folder}
		c.Keep(document.NewShelf(e.dir), nil)
		return c
	}
	c := shared()
	if r := c.Session.Session(ctx, "list", "", `new "T"`); r.Failed {
		t.Fatal(r)
	}
	doc := c.Documents()[0].Name
	c.Leave()
	c = shared()
	defer c.Close()
	key := c.keyOf(doc)
	if !c.beginResume(ctx, key) {
		t.Fatal("nobody resumes it")
	}
	waiting := noticed{ctx, new(sync.Once), make(chan struct{})}
	ended := make(chan bool)
	go func() { ended <- c.Resume(waiting, doc) }()
	<-waiting.waits
	c.endResume(key)
	if !<-ended || len(c.Documents()) != 1 {
		t.Errorf("%d documents are open", len(c.Documents()))
	}
}
