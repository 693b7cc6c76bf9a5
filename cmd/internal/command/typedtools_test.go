package command

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/fcp-host/fcp-host/host/filelock"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// The server answers no call of a typed tool before it has received all ten.
func TestTypedToolsReachTheirServerSideBySide(t *testing.T) {
	t.Parallel()
	var all sync.WaitGroup
	all.Add(10)
	url, saw := serveRecorded(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/n") {
			all.Done()
			all.Wait()
		}
		echoRequest(w, r)
	})
	ungranted := startArena(t, append(worldConfig(t, url, worldKey, ""), "--tools", "world")...)
	if got := ungranted.wait(ungranted.send("thing_get", map[string]any{"path": []string{"a"}})); !got.failed || !strings.Contains(got.text, "thing_get: it needs http:api, which is not granted; start fcp-host with --grant world=http:api") {
		t.Errorf("without a grant: %+v", got)
	}
	if n := saw.all(); n != 0 {
		t.Errorf("the server saw %d requests", n)
	}
	a := startArena(t, append(worldConfig(t, url, worldKey, `grant = ["http:api"]`), "--tools", "world")...)
	var ids []int
	for i := range 10 {
		ids = append(ids, a.send("thing_get", map[string]any{"path": []string{fmt.Sprint("n", i)}}))
	}
	for i, id := range ids {
		if got := a.wait(id); got.failed || !strings.Contains(got.text, fmt.Sprintf(`{"text":"200 GET /n%d"}`, i)) {
			t.Errorf("call %d: %+v", i, got)
		}
	}
	// A tool that only reads may not send.
	if got := a.wait(a.send("thing_sneak", map[string]any{"path": []string{"a"}})); !got.failed && !strings.Contains(got.text, "only reads") || saw.count("POST /a") != 0 {
		t.Errorf("a tool that says it only reads: %+v", got)
	}
	if got := a.wait(a.send("thing_post", map[string]any{"path": []string{"a"}, "text": "b"})); got.failed || saw.count("POST /a") != 1 {
		t.Errorf("a tool that does not: %+v", got)
	}
	a.checkUnharmed()
}

// refusal is a JSON-RPC error.
type refusal struct {
	Code    int
	Message string
	Data    map[string]any
}

// mustRefuse calls a typed tool that must answer with a JSON-RPC error, and returns it.
func (c *client) mustRefuse(tool string, args any) refusal {
	c.t.Helper()
	e, result := c.attempt(tool, args)
	if e == nil {
		c.t.Fatalf("%s %v is answered with %s", tool, args, result)
	}
	return *e
}

// attempt calls a typed tool and returns its JSON-RPC error, or nil and its result.
func (c *client) attempt(tool string, args any) (e *refusal, result json.RawMessage) {
	c.t.Helper()
	c.id++
	data, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": c.id, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": args}})
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := c.in.Write(append(data, '\n')); err != nil {
		c.t.Fatal(err)
	}
	for {
		line, err := c.out.ReadBytes('\n')
		if err != nil {
			c.t.Fatalf("%s: the server is gone: %v", tool, err)
		}
		var m struct {
			ID     *int
			Result json.RawMessage
			Error  *refusal
		}
		if err := json.Unmarshal(line, &m); err != nil {
			c.t.Fatal(err)
		}
		if m.ID != nil && *m.ID == c.id {
			return m.Error, m.Result
		}
	}
}

// If others change the folder while a tool works on it, the tool answers with its error code for that, and nothing is
// overwritten.
func TestTypedToolsReportChangesByOthers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, ".deck"), 0o777); err != nil {
		t.Fatal(err)
	}
	c := serveProcess(t, dir, "--plugin", testwasm.Deck(t), "--tools", "deck", "--grant", "deck=folder")
	c.request("tools/list", nil, nil) // waits until the plugin is ready
	c.must("put_text", map[string]any{"name": "a.md", "text": "A"})
	lock, err := os.Open(filepath.Join(dir, ".deck"))
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := filelock.Lock(lock, true); !ok || err != nil {
		t.Fatal(ok, err)
	}
	e := c.mustRefuse("put_text", map[string]any{"name": "a.md", "text": "B"})
	if e.Code != 1007 || e.Message != "Lock Error" || e.Data["lock_file"] != ".deck" || e.Data["suggestion"] == "" || runtime.GOOS == "linux" && e.Data["holder_pid"] != float64(os.Getpid()) {
		t.Errorf("locked: %+v", e)
	}
	lock.Close()
	// A file too large to read stays as the document knows it.
	theirs := bytes.Repeat([]byte("x"), 9<<20)
	if err := os.WriteFile(filepath.Join(dir, "a.md"), theirs, 0o666); err != nil {
		t.Fatal(err)
	}
	e = c.mustRefuse("put_text", map[string]any{"name": "a.md", "text": "C"})
	if e.Code != 1006 || e.Message != "Stale Cache" || e.Data["path"] != "a.md" || e.Data["recovery"] == "" ||
		e.Data["expected_hash"] != fmt.Sprintf("%x", sha256.Sum256([]byte("A"))) || e.Data["actual_hash"] != fmt.Sprintf("%x", sha256.Sum256(theirs)) {
		t.Errorf("stale: %+v", e)
	}
	if got := onDisk(t, dir)["a.md"]; got != string(theirs) {
		t.Errorf("a.md holds %d bytes", len(got))
	}
}

// Tools on a folder need no open, and their changes are saved at once.
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
