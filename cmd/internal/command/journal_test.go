package command

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// journalFiles lists the journals in a folder.
func journalFiles(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// end closes the server's input and waits until it has exited.
func (c *client) end() {
	c.in.Close()
	if err := c.cmd.Wait(); err != nil {
		c.t.Errorf("the server ended with %v", err)
	}
	c.cmd = nil
}

func (c *client) killAndWait() {
	c.kill()
	c.waitForExit()
}

func has(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q lacks %q", text, p)
		}
	}
}

func TestTheNextHostOffersWhatWasOpen(t *testing.T) {
	dir, journals := t.TempDir(), filepath.Join(t.TempDir(), "j")
	args := []string{"--plugin", testwasm.List(t), "--journal-dir", journals}
	c := serveProcess(t, dir, args...)
	c.session("list", `new "Song A"`)
	c.edit("list", "add one")
	c.session("list", `new "Song B"`)
	c.edit("list", "add two")
	c.session("list", "checkpoint here")
	c.session("list", "save as:./b.list")
	c.killAndWait()

	c = serveProcess(t, dir, args...)
	const offer = "? earlier sessions left \"Song "
	text, failed := c.call("list_session", map[string]any{"action": "status"})
	if failed {
		t.Error("status without a document fails")
	}
	has(t, text, "* no document open", offer, ": recover 1 brings back the first, recover lists all")
	text, _ = c.call("list", map[string]any{"ops": []string{"add x"}})
	has(t, text, "! no document open", offer)
	for _, action := range []string{`new "C"`, "open ./b.list"} {
		if text := c.session("list", action); strings.Contains(text, "session") {
			t.Errorf("%s offers it again: %s", action, text)
		}
	}
	has(t, c.session("list", "status"), offer)
	text = c.session("list", "recover")
	has(t, text, `"Song A" (list), unsaved changes, 1 op to undo`, `"Song B" (list) b.list, 1 op to undo, checkpoint here`)
	number := "1"
	if strings.Index(text, "Song A") > strings.Index(text, "Song B") {
		number = "2"
	}
	has(t, c.session("list", "recover "+number), `+ recovered "Song A" (list): 1 op to undo, unsaved changes`, "[2 lines]")
	if got := c.must("list_query", map[string]any{"q": "map"}); got != "#list Song A\none" {
		t.Errorf("recovered %q", got)
	}
	if text, failed = c.call("list_session", map[string]any{"action": "recover " + number}); !failed || !strings.Contains(text, "no such document any more") {
		t.Errorf("recovered twice: %q", text)
	}
	has(t, c.session("list", "discard all"), `- discarded "Song B"`)
	if text, failed = c.call("list_session", map[string]any{"action": "recover"}); !failed || !strings.Contains(text, "nothing to recover") {
		t.Errorf("after all: %q", text)
	}
	if strings.Contains(c.session("list", "status"), "recovered") {
		t.Error("status still offers something")
	}
	c.session("list", "close force")
	c.end()
	if files := journalFiles(t, journals); len(files) != 0 {
		t.Errorf("the folder holds %v", files)
	}
}

// Reading leftovers may take a while. The server does so after it has listed its tools, or when a reply has to offer them.
func TestLeftoversAreOfferedWithOrWithoutAListOfTools(t *testing.T) {
	dir, journals := t.TempDir(), filepath.Join(t.TempDir(), "j")
	args := []string{"--plugin", testwasm.List(t), "--journal-dir", journals}
	const offer = `? an earlier session left "A": recover 1 brings it back`
	c := serveProcess(t, dir, args...)
	if text := c.session("list", `new "A"`); strings.Contains(text, "earlier session") {
		t.Errorf("offered where nothing was left: %s", text)
	}
	c.edit("list", "add one")
	c.killAndWait()
	for _, listed := range []bool{false, true, true} {
		c = serveProcess(t, dir, args...)
		var res struct{ Instructions string }
		c.request("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "test", "version": "1"}}, &res)
		has(t, res.Instructions, "The replies of new, open and status list unsaved documents of earlier sessions")
		if listed {
			c.request("tools/list", nil, nil)
		}
		has(t, c.session("list", `new "B"`), offer)
		has(t, c.session("list", "status"), offer)
		c.end()
	}
	c = serveProcess(t, dir, append(args, "--no-journal")...)
	if text := c.session("list", `new "B"`); strings.Contains(text, "earlier session") {
		t.Errorf("offered without a journal: %s", text)
	}
}

// Neither the end of the input nor SIGTERM saves: unsaved documents are left for the next host, saved ones are not.
func TestAnOrderlyShutdownKeepsUnsavedDocuments(t *testing.T) {
	dir, journals := t.TempDir(), filepath.Join(t.TempDir(), "j")
	args := []string{"--plugin", testwasm.List(t), "--journal-dir", journals}
	c := serveProcess(t, dir, args...)
	c.session("list", `new "Untouched"`)
	c.session("list", `new "Saved" as:saved`)
	c.edit("list", "add one")
	c.session("list", "save as:./s.list")
	c.session("list", `new "Open" as:open`)
	c.edit("list", "add two")
	c.end()
	if files := journalFiles(t, journals); len(files) != 1 {
		t.Errorf("the folder holds %v, want the one that was not saved", files)
	}
	c = serveProcess(t, dir, args...)
	has(t, c.session("list", "recover"), `+ recovered "open"`)
	c.edit("list", "add three")
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	c.waitForExit()
	c = serveProcess(t, dir, args...)
	has(t, c.session("list", "recover 1"), `+ recovered "open" (list): 2 ops to undo`)
	c.session("list", "close force")
	if files := journalFiles(t, journals); len(files) != 0 {
		t.Errorf("after close force the folder holds %v", files)
	}
}

func TestSeveralHostsShareAFolder(t *testing.T) {
	dir, journals := t.TempDir(), filepath.Join(t.TempDir(), "j")
	args := []string{"--plugin", testwasm.List(t), "--journal-dir", journals}
	const n = 4
	hosts := make([]*client, n)
	for i := range hosts {
		hosts[i] = serveProcess(t, dir, args...)
		hosts[i].session("list", fmt.Sprintf(`new "Host %d"`, i))
	}
	for round := range 20 {
		for i, h := range hosts {
			h.edit("list", fmt.Sprintf("add %d.%d", i, round))
		}
	}
	// Documents of a running host are not offered.
	for i, h := range hosts {
		if text := h.session("list", "status"); strings.Contains(text, "earlier session") {
			t.Errorf("host %d offers what another has open: %s", i, text)
		}
	}
	hosts[1].killAndWait()
	hosts[2].killAndWait()
	for _, i := range []int{0, 3} {
		has(t, hosts[i].session("list", "status"), "? earlier sessions left ", `"Host 1"`, `"Host 2"`)
	}
	// The host that recovers a document owns it; the other no longer sees it.
	text := hosts[0].session("list", "recover 1")
	has(t, text, "+ recovered", ": 20 ops to undo")
	has(t, hosts[3].session("list", "status"), "? an earlier session left ")
	if text, failed := hosts[3].call("list_session", map[string]any{"action": "recover 1"}); !failed {
		t.Errorf("recovered by two hosts: %s", text)
	}
	hosts[3].session("list", "discard all")
	hosts[0].session("list", "close force")
	for _, i := range []int{0, 3} {
		hosts[i].session("list", "close force")
	}
	if files := journalFiles(t, journals); len(files) != 0 {
		t.Errorf("the folder holds %v", files)
	}
}

// A full disk refuses changes and loses nothing: neither the document in the host, nor, if the host is then killed, anything
// it answered.
func TestAFullDiskLosesNothing(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell to limit a process with")
	}
	dir, journals := t.TempDir(), filepath.Join(t.TempDir(), "j")
	args := []string{"--plugin", testwasm.List(t), "--journal-dir", journals}
	testwasm.CacheDir(t)
	serveProcess(t, dir, args...).session("list", `new "Warm"`) // compiles the plugin without the limit
	limited := []string{sh, "-c", `ulimit -f 16; exec "$@"`, "sh"}
	c := serveUnder(t, dir, limited, args...)
	c.session("list", `new "Full"`)
	o := newOracle(t)
	o.do(step{action: `new "Full"`})
	refused := 0
	for i := 0; refused < 5 && i < 1000; i++ {
		s := step{ops: []string{fmt.Sprintf("add line%d n:%d", i, 1+i%7)}}
		text, failed := c.call("list", map[string]any{"ops": s.ops})
		if failed {
			refused++
			has(t, text, "! the journal cannot be written (", "so nothing was changed", "try: list_session save as:")
		} else if want := o.do(s); comparable(text) != want {
			t.Fatalf("%s: %q, want %q", s, text, want)
		}
		if got, want := c.view(), o.view(); got != want {
			t.Fatalf("after call %d the document is\n%s\nand should be\n%s", i, got, want)
		}
	}
	if refused < 5 {
		t.Fatal("the limit was never reached")
	}
	for _, action := range []string{"checkpoint a-name-that-is-long-enough-to-need-some-space-on-a-disk-that-has-none-left", "undo", "redo", "batch each"} {
		text, failed := c.call("list_session", map[string]any{"action": action})
		if failed && strings.HasPrefix(text, "! the journal cannot be written") {
			refused++
		} else if want := o.do(step{action: action}); comparable(text) != want {
			t.Errorf("%s: %q, want %q", action, text, want)
		}
		if got, want := c.view(), o.view(); got != want {
			t.Fatalf("after %s (failed: %v) the document is\n%s\nand should be\n%s", action, failed, got, want)
		}
	}
	// The document can still be saved elsewhere.
	saved := c.session("list", "save as:./full.list")
	if want, err := o.sess.Current("list").Bytes(t.Context()); err != nil || len(want) == 0 {
		t.Fatal(err)
	} else if got, _ := os.ReadFile(filepath.Join(dir, "full.list")); string(got) != string(want) {
		t.Errorf("saved %q, want %q", got, want)
	}
	if !strings.Contains(saved, "? journal: cannot be written") { // otherwise there was room for it
		o.do(step{action: "save as:./full.list"})
	}
	c.killAndWait()

	c = serveProcess(t, dir, args...)
	c.session("list", "recover 1")
	if got, want := c.view(), o.view(); got != want {
		t.Fatalf("recovered\n%s\nand should be\n%s", got, want)
	}
	c.edit("list", "add more")
}

// copyWithOtherHash writes a copy of a plugin that behaves the same but has another hash, because of an added custom
// section.
func copyWithOtherHash(t *testing.T, wasm string) string {
	t.Helper()
	data, err := os.ReadFile(wasm)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "other.wasm")
	if err := os.WriteFile(file, append(data, 0, 5, 4, 't', 'e', 's', 't'), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestAPluginThatChangedOrIsMissingKeepsTheDocument(t *testing.T) {
	dir, journals := t.TempDir(), filepath.Join(t.TempDir(), "j")
	list, other := testwasm.List(t), copyWithOtherHash(t, testwasm.List(t))
	c := serveProcess(t, dir, "--plugin", list, "--journal-dir", journals)
	c.session("list", `new "Doc"`)
	c.edit("list", "add one")
	c.killAndWait()

	c = serveProcess(t, dir, "--plugin", testwasm.Build(t, "plugins/midi"), "--journal-dir", journals)
	has(t, c.session("midi", `new "Song"`), `? an earlier session left "Doc", which cannot be recovered here: recover lists all`)
	has(t, c.session("midi", "recover"), `1. "Doc" (list, which is not loaded), unsaved changes`)
	// A document that can be recovered is listed before one that cannot.
	c.edit("midi", "track add P")
	c.killAndWait()
	c = serveProcess(t, dir, "--plugin", testwasm.Build(t, "plugins/midi"), "--journal-dir", journals)
	text, failed := c.call("midi_session", map[string]any{"action": "status"})
	if failed {
		t.Error("status without a document fails")
	}
	has(t, text, `? earlier sessions left "Song", and 1 that cannot be recovered here: recover 1 brings back the first, recover lists all`)
	c.session("midi", "discard 1")
	text, failed = c.call("midi_session", map[string]any{"action": "recover 2"})
	if !failed {
		t.Error("recovered without its plugin")
	}
	has(t, text, `cannot recover "Doc": it needs the plugin list 1.0.0, which is not loaded`, "the document is kept")
	if strings.Contains(text, "discard") {
		t.Errorf("it is suggested to drop it: %s", text)
	}
	c.end()

	c = serveProcess(t, dir, "--plugin", other, "--journal-dir", journals)
	text, failed = c.call("list_session", map[string]any{"action": "recover 1"})
	if !failed {
		t.Error("recovered with another build without a word")
	}
	has(t, text, "another build of list 1.0.0", "it is kept", "try: list_session recover 1 force")
	has(t, c.session("list", "recover 1 force"), `+ recovered "Doc"`, "? it was edited with another build", "[2 lines]")
	c.killAndWait()

	// From then on the document belongs to the other build.
	c = serveProcess(t, dir, "--plugin", other, "--journal-dir", journals)
	c.session("list", "recover 1")
	c.session("list", "close force")
}
