package session

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/journal"
)

// estate is a folder of documents and the journals of those that were left.
type estate struct {
	folder string
	roots  *files.Roots
	dir    *journal.Dir
}

func newEstate(t testing.TB) *estate {
	t.Helper()
	e := &estate{folder: t.TempDir()}
	var err error
	if e.roots, err = files.NewRoots(e.folder); err != nil {
		t.Fatal(err)
	}
	if e.dir, err = journal.Open(filepath.Join(t.TempDir(), "journal"), 0); err != nil {
		t.Fatal(err)
	}
	return e
}

// heir is the client of a later session of owner's.
func (e *estate) heir(t testing.TB, owner string) *client {
	t.Helper()
	c := &client{t, New([]*domain.Domain{list(t)}, e.roots), "list", e.folder}
	c.Own(owner)
	c.Keep(document.NewShelf(e.dir), nil)
	t.Cleanup(c.Close)
	return c
}

// What a session leaves belongs to its owner: others neither see nor count it,
// and can neither recover nor discard it.
func TestADocumentIsRecoveredByItsOwnerAlone(t *testing.T) {
	e := newEstate(t)
	for _, owner := range []string{"", "ann", "bob"} {
		c := e.heir(t, owner)
		c.act(`new "Of ` + owner + `."`)
		c.edit("add one")
		c.Close()
	}
	for _, owner := range []string{"cid", "ann", ""} {
		c := e.heir(t, owner)
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
		if !strings.Contains(text, `1 document of an earlier session can be recovered: "Of `+owner+`."`) {
			t.Errorf("status of %q: %s", owner, text)
		}
		if r := c.act("recover"); r.Failed || !strings.Contains(r.String(), `recovered "Of `+owner+`."`) {
			t.Errorf("recover of %q: %s", owner, r)
		}
		// It is still the owner's when it is left once more.
		c.edit("add two")
		c.Close()
	}
	c := e.heir(t, "bob")
	if r := c.act("discard all"); r.Failed || strings.Count(r.String(), "- discarded") != 1 {
		t.Errorf("discard all of bob: %s", r)
	}
	c = e.heir(t, "ann")
	if r := c.act("recover"); r.Failed || !strings.Contains(r.String(), ": 2 ops to undo") {
		t.Errorf("recover of ann, again: %s", r)
	}
}

// A reply is not held up for longer than a call may take by the reading of what
// was left.
func TestAReplyDoesNotWaitForEverForWhatWasLeft(t *testing.T) {
	e := newEstate(t)
	c := e.heir(t, "")
	c.act(`new "Left"`)
	c.edit("add one")
	c.Close()
	c = e.heir(t, "")
	c.Bound(Limits{Wait: 1})
	const unread = "what earlier sessions left is still being read"
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
	c.Bound(Limits{})
	if r := c.act("status"); !strings.Contains(r.String(), `1 document of an earlier session can be recovered: "Left"`) {
		t.Errorf("later: %s", r)
	}
}
