package session

import (
	"slices"
	"testing"

	"github.com/fcp-host/fcp-host/host/domain"
)

func TestWhichActionsOnlyRead(t *testing.T) {
	for action, want := range map[string]bool{"status": true, "open ./x.mid as:y": true, "close": true, "use x": true, "documents": true, "plugins": true, `open "unclosed`: true,
		"close force": false, "CLOSE FORCE": false, "save": false, "new": false, "undo": false, "redo": false, "checkpoint c": false, "batch each": false, "export svg as:./x": false,
		"recover": false, "discard all": false, "enable": false, "reload": false, "pull": false, "merge": false, "": true} {
		if got := Reads(action); got != want {
			t.Errorf("%q: %v", action, got)
		}
	}
	// A new action of the host must not count as reading before it is listed here.
	known := []string{"new", "open", "save", "close", "checkpoint", "undo", "redo", "status", "batch", "export", "use", "documents", "recover", "discard", "enable", "plugins", "reload", "view"}
	for _, name := range domain.Names(domain.Actions(domain.Always, domain.Rare)) {
		if !slices.Contains(known, name) && Reads(name) {
			t.Errorf("%s only reads", name)
		}
	}
}
