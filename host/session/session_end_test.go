package session

import (
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/host/document"
)

// A document on which a call still works keeps no other one from the host that is asked for it next.
func TestDocumentsEndSideBySide(t *testing.T) {
	c := newClient(t, "list", list(t))
	c.ok(c.act(`new "A"`))
	c.edit("add one") // else the next one replaces it
	c.ok(c.act(`new "B"`))
	both := make(chan struct{})
	docs := len(c.Documents())
	if docs != 2 {
		t.Fatalf("%d documents are open", docs)
	}
	c.closeAll(func(d *document.Document) {
		select {
		case both <- struct{}{}:
		case <-both:
		case <-time.After(10 * time.Second):
			t.Error("one waits for the other")
		}
		d.Suspend()
	})
}

// A call that found its document open keeps it open, however long nobody had meant it.
func TestADocumentThatACallFoundDoesNotExpire(t *testing.T) {
	c := newClient(t, "list", list(t))
	c.shared = true
	c.ok(c.act(`new "T"`))
	doc := c.Documents()[0]
	c.docs[0].used = time.Time{}
	if c.openByHandle(t.Context(), doc.Name) != doc || c.Expire(time.Hour) != 0 || len(c.Documents()) != 1 {
		t.Error("it is closed before the call works on it")
	}
	c.docs[0].used = time.Time{}
	if c.Expire(time.Hour) != 1 || c.openByHandle(t.Context(), doc.Name) != nil {
		t.Error("it stays open")
	}
}
