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
	c.end(func(d *document.Document) {
		select {
		case both <- struct{}{}:
		case <-both:
		case <-time.After(10 * time.Second):
			t.Error("one waits for the other")
		}
		d.Suspend()
	})
}
