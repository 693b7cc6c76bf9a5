package session

import (
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/host/document"
)

// A document on which a call still works does not delay the release of the others.
func TestDocumentsEndConcurrently(t *testing.T) {
	c := newClient(t, "list", list(t))
	c.ok(c.act(`new "A"`))
	c.edit("add one") // otherwise the next document replaces it
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

// A document that a call has found does not expire before the call works on it.
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
