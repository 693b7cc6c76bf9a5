package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// A host with other roots must not offer documents of these folders.
func TestDocumentsOutsideTheRootsAreNotOffered(t *testing.T) {
	here, there, journals := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "j")
	c := serveProcess(t, here, "--plugin", testwasm.List(t), "--journal-dir", journals)
	c.session("list", `new "Secret plan"`)
	c.edit("list", "add one")
	c.session("list", `new "Saved secret"`)
	c.session("list", "save as:./secret.list")
	c.edit("list", "add two")
	c.killAndWait()
	c = serveProcess(t, there, "--plugin", testwasm.List(t), "--journal-dir", journals)
	if text := c.session("list", `new "Mine"`); strings.Contains(text, "ecret") {
		t.Errorf("offered: %s", text)
	}
	for _, action := range []string{"recover", "recover 1", "discard all"} {
		text, failed := c.call("list_session", map[string]any{"action": action})
		if !failed || strings.Contains(text, "ecret") {
			t.Errorf("%s: %s", action, text)
		}
		has(t, text, "2 documents of earlier sessions outside the allowed folders")
	}
	c.end()
	c = serveProcess(t, there, "--plugin", testwasm.List(t), "--journal-dir", journals, "--root", here)
	has(t, c.session("list", `new "Mine"`), "earlier sessions left", "Secret plan", "Saved secret")
}

func TestAFileThatChangedMeanwhileIsNotOverwritten(t *testing.T) {
	dir, journals := t.TempDir(), filepath.Join(t.TempDir(), "j")
	args := []string{"--plugin", testwasm.List(t), "--journal-dir", journals}
	file := filepath.Join(dir, "a.list")
	os.WriteFile(file, []byte("#list A\none"), 0o600)
	c := serveProcess(t, dir, args...)
	c.session("list", "open ./a.list")
	c.edit("list", "add two")
	c.killAndWait()
	os.WriteFile(file, []byte("#list A\nsomebody else's"), 0o600)
	c = serveProcess(t, dir, args...)
	has(t, c.session("list", "recover 1"), "? its file a.list was changed by somebody else meanwhile")
	text, failed := c.call("list_session", map[string]any{"action": "save"})
	if !failed || !strings.Contains(text, "changed on disk") {
		t.Errorf("save: %s", text)
	}
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	c.waitForExit()
	os.Remove(file)
	c = serveProcess(t, dir, args...)
	has(t, c.session("list", "recover 1"), "? its file a.list is gone; save writes it again")
	c.session("list", "save")
	if got, _ := os.ReadFile(file); string(got) != "#list A\none\ntwo" {
		t.Errorf("saved %q", got)
	}
}

func TestWithoutAJournalNothingIsKept(t *testing.T) {
	dir, state := t.TempDir(), t.TempDir()
	c := serveProcess(t, dir, "--plugin", testwasm.List(t), "--no-journal")
	c.session("list", `new "A"`)
	c.edit("list", "add one")
	text, failed := c.call("list_session", map[string]any{"action": "recover"})
	if !failed || !strings.Contains(text, "fcp-host runs without one") {
		t.Errorf("recover: %s", text)
	}
	c.killAndWait()

	// An unusable default folder is reported and has no other effect.
	t.Setenv("XDG_STATE_HOME", state)
	os.WriteFile(filepath.Join(state, "fcp-host"), nil, 0o600)
	c = serveProcess(t, dir, "--plugin", testwasm.List(t), "--journal-dir", "")
	has(t, c.session("list", `new "A"`), "? journal: none (", "unsaved changes are lost if fcp-host dies")
	c.edit("list", "add one")
	c.end()
	os.Remove(filepath.Join(state, "fcp-host"))
	c = serveProcess(t, dir, "--plugin", testwasm.List(t), "--journal-dir", "")
	c.session("list", `new "A"`)
	c.edit("list", "add one")
	c.killAndWait()
	if files := journalFiles(t, filepath.Join(state, "fcp-host", "journal")); len(files) != 1 {
		t.Errorf("the user's state folder holds %v", files)
	}
}
