package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// Ten calls of a typed tool are at the server at once: it answers none before all are there.
func TestTypedToolsReachTheirServerSideBySide(t *testing.T) {
	t.Parallel()
	var all sync.WaitGroup
	all.Add(10)
	url, saw := serving(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/n") {
			all.Done()
			all.Wait()
		}
		echoed(w, r)
	})
	ungranted := enter(t, append(worldConfig(t, url, worldKey, ""), "--tools", "world")...)
	if got := ungranted.wait(ungranted.send("thing_get", map[string]any{"path": []string{"a"}})); !got.failed || !strings.Contains(got.text, "thing_get: it needs http:api, which is not granted; start fcp-host with --grant world=http:api") {
		t.Errorf("without a grant: %+v", got)
	}
	if n := saw.all(); n != 0 {
		t.Errorf("the server saw %d requests", n)
	}
	a := enter(t, append(worldConfig(t, url, worldKey, `grant = ["http:api"]`), "--tools", "world")...)
	var ids []int
	for i := range 10 {
		ids = append(ids, a.send("thing_get", map[string]any{"path": []string{fmt.Sprint("n", i)}}))
	}
	for i, id := range ids {
		if got := a.wait(id); got.failed || !strings.Contains(got.text, fmt.Sprintf(`{"text":"200 GET /n%d"}`, i)) {
			t.Errorf("call %d: %+v", i, got)
		}
	}
	// What only reads may not send.
	if got := a.wait(a.send("thing_sneak", map[string]any{"path": []string{"a"}})); !got.failed && !strings.Contains(got.text, "only reads") || saw.count("POST /a") != 0 {
		t.Errorf("a tool that says it only reads: %+v", got)
	}
	if got := a.wait(a.send("thing_post", map[string]any{"path": []string{"a"}, "text": "b"})); got.failed || saw.count("POST /a") != 1 {
		t.Errorf("a tool that does not: %+v", got)
	}
	a.unharmed()
}

// Tools on a folder are called without any open, and what they do is on the disk.
func TestTypedToolsFindTheirFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	args := []string{"--plugin", testwasm.Deck(t), "--tools", "deck"}
	names := map[string]any{}
	if text, failed := serveProcess(t, dir, args...).call("text_names", names); !failed || !strings.Contains(text, "no folder with .deck is at or above") && !strings.Contains(text, "deck=folder") {
		t.Errorf("without a folder: %s", text)
	}
	if err := os.Mkdir(filepath.Join(dir, ".deck"), 0o777); err != nil {
		t.Fatal(err)
	}
	if text, failed := serveProcess(t, dir, args...).call("text_names", names); !failed || !strings.Contains(text, "start fcp-host with --grant deck=folder") {
		t.Errorf("without a grant: %s", text)
	}
	c := serveProcess(t, dir, append(args, "--grant", "deck=folder")...)
	for i, step := range []func() (got, want string){
		func() (string, string) { return c.must("text_names", names), "[]" },
		func() (string, string) { return c.must("put_text", map[string]any{"name": "a.md", "text": "A"}), "put" },
		func() (string, string) { return onDisk(t, dir)["a.md"], "A" },
		func() (string, string) { return c.must("text_names", names), `["a.md"]` },
		func() (string, string) { c.session("deck", "undo"); return fmt.Sprint(len(onDisk(t, dir))), "0" },
		func() (string, string) {
			if err := os.WriteFile(filepath.Join(dir, "b.md"), []byte("theirs"), 0o666); err != nil {
				t.Fatal(err)
			}
			return c.must("text_names", names), `["b.md"]`
		},
	} {
		if got, want := step(); got != want {
			t.Errorf("step %d: %s, want %s", i+1, got, want)
		}
	}
}
