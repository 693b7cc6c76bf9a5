package document

import (
	"errors"
	"testing"

	"github.com/fcp-host/fcp-host/host/capability/folder"
	"github.com/fcp-host/fcp-host/host/reply"
)

// If somebody else changes the file before a call is written, the reply is an error.
func TestACallWhoseFileSomebodyElseWroteMeanwhileFails(t *testing.T) {
	s, _ := openShelf(t, deck(t, folders, nil), texts{"a.md": "A", "b.md": "B"})
	s.do("put a.md A2")
	s.put("a.md", "theirs")
	out := &stored{written: 1, conflicts: []folder.Conflict{{Path: "a.md", Why: "it was changed during the save", Kept: ".kept-a.md"}}}
	out.cause = s.place.(*dir).blocked(s.Document, out.conflicts[0])
	r := &reply.Reply{}
	<-s.turn
	s.noteSaved(ctx, out, r, s.recordLazily)
	s.leave()
	var stale *Stale
	if !r.Failed || !errors.As(r.Cause, &stale) || stale.Path != "a.md" || stale.Kept != ".kept-a.md" || stale.Actual != sum([]byte("theirs")) {
		t.Errorf("%+v: %+v", r, r.Cause)
	}
	contains(t, r.String(), "! a.md was not written: it was changed during the save; the other version is kept as .kept-a.md")
}
