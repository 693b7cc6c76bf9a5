package command

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// On a full disk documents can be read and saved, and each change is refused with the reason, until there is room again.
func TestChangesAreRefusedUntilThereIsRoomForTheBaseline(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can mount a small file system")
	}
	small := t.TempDir()
	if err := syscall.Mount("tmpfs", small, "tmpfs", 0, "size=64k,mode=700"); err != nil {
		t.Skipf("a small file system cannot be mounted: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(small, 0) })
	filler := filepath.Join(small, "filler")
	full := func() {
		f, err := os.Create(filler)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for {
			if _, err := f.Write(make([]byte, 4096)); err != nil {
				return
			}
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.list"), []byte("#list A\none"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := serveProcess(t, dir, "--plugin", testwasm.List(t), "--journal-dir", small)
	full()
	has(t, c.session("list", "open ./a.list"), "opened a.list", "? journal: cannot be written (no space left on device)")
	if got := c.must("list_query", map[string]any{"q": "map"}); got != "#list A\none" {
		t.Errorf("it reads %q", got)
	}
	text, failed := c.call("list", map[string]any{"ops": []string{"add two"}})
	if !failed {
		t.Error("a change is answered without being durable")
	}
	has(t, text, "no space left on device", "nothing was changed", "[2 lines]")
	os.Remove(filler)
	c.edit("list", "add two")
	full()
	text, failed = c.call("list", map[string]any{"ops": []string{"add three n:2000"}})
	if !failed {
		t.Error("2000 lines fit where there is no room")
	}
	has(t, text, "no space left on device", "nothing was changed", "[3 lines]")
	os.Remove(filler)
	c.edit("list", "add three")
	c.killAndWait()
	c = serveProcess(t, dir, "--plugin", testwasm.List(t), "--journal-dir", small)
	c.session("list", "recover")
	if got := c.must("list_query", map[string]any{"q": "map"}); got != "#list A\none\ntwo\nthree" {
		t.Errorf("recovered %q", got)
	}
	c.session("list", "close force")
}
