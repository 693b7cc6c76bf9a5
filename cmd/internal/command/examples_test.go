package command

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// The examples of docs/authoring.md behave in the host as their own unit tests say.

func TestTheExampleWithHTTPReachesItsServer(t *testing.T) {
	type link struct{ URL, Title string }
	links := []link{{"https://go.dev", "Go"}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/base/bookmarks" || r.Header.Get("Authorization") != "Token secret-of-bookmarks" {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		if r.Method == "POST" {
			var l link
			json.NewDecoder(r.Body).Decode(&l)
			links = append(links, l)
			return
		}
		json.NewEncoder(w).Encode(links)
	}))
	defer server.Close()
	t.Setenv("BOOKMARKS_URL", server.URL+"/base/")
	t.Setenv("BOOKMARKS_TOKEN", "secret-of-bookmarks")
	wasm := testwasm.Build(t, "examples/bookmarks")

	c := serveProcess(t, t.TempDir(), "--plugin", wasm)
	c.request("tools/list", nil, nil) // waits longer than a call would for a module that is not in the cache
	c.session("bookmarks", "new")
	if text, failed := c.call("bookmarks_session", map[string]any{"action": "pull"}); !failed || !strings.Contains(text, "--grant bookmarks=http:server") {
		t.Errorf("without a grant: %s", text)
	}
	if got := c.must("bookmarks_query", map[string]any{"q": "search Go"}); !strings.Contains(got, "(not asked: the server") {
		t.Errorf("without a grant: %s", got)
	}

	c = serveProcess(t, t.TempDir(), "--plugin", wasm, "--grant", "bookmarks=http:server", "--tools", "bookmarks")
	c.session("bookmarks", "new")
	c.edit("bookmarks", "add https://example.com Example")
	if got := c.session("bookmarks", "pull"); !strings.Contains(got, "@ bookmarks| pulled 1 bookmarks") {
		t.Errorf("pull: %s", got)
	}
	if got := c.session("bookmarks", "push"); !strings.Contains(got, "@ bookmarks| sent 1 bookmarks: https://example.com") || len(links) != 2 {
		t.Errorf("push: %s; the server has %v", got, links)
	}
	if got := c.session("bookmarks", "undo"); !strings.Contains(got, "[1 bookmarks]") {
		t.Errorf("undo: %s", got)
	}
	if got := c.must("bookmarks_query", map[string]any{"q": "search Example"}); !strings.HasPrefix(got, "https://example.com Example\non the server: https://go.dev Go") {
		t.Errorf("search: %s", got)
	}
	if got, want := c.must("find_bookmarks", map[string]any{"text": "Go"}), `{"bookmarks":[{"url":"https://go.dev","title":"Go"},{"url":"https://example.com","title":"Example"}]}`; got != want {
		t.Errorf("the typed tool answers %s", got)
	}
	if text, failed := c.call("find_bookmarks", map[string]any{"text": 7}); !failed || !strings.Contains(text, "text") {
		t.Errorf("arguments of another type: %s", text)
	}
}

func TestTheFolderExampleWritesItsChanges(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, "mine", name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	read := func(name string) string {
		data, _ := os.ReadFile(filepath.Join(dir, "mine", name))
		return string(data)
	}
	write("plan.md", "# The plan\n")
	write(".notes/keep", "")
	wasm := testwasm.Build(t, "examples/notes")

	c := serveProcess(t, dir, "--plugin", wasm)
	c.request("tools/list", nil, nil)
	if text, failed := c.call("notes_session", map[string]any{"action": "open ./mine"}); !failed || !strings.Contains(text, "--grant notes=folder") {
		t.Errorf("without a grant: %s", text)
	}

	c = serveProcess(t, dir, "--plugin", wasm, "--grant", "notes=folder")
	c.session("notes", "open ./mine")
	c.edit("notes", `add "Shopping list" Milk`, `append "the plan" Soon`)
	if read("shopping-list.md") != "# Shopping list\n\nMilk\n" || read("plan.md") != "# The plan\nSoon\n" {
		t.Errorf("it wrote %q and %q", read("shopping-list.md"), read("plan.md"))
	}
	write("plan.md", "# A better plan\n")
	c.edit("notes", `append "a better" Later`)
	if got := read("plan.md"); got != "# A better plan\nLater\n" {
		t.Errorf("beside another editor it wrote %q", got)
	}
	c.session("notes", "undo")
	if got := read("plan.md"); got != "# A better plan\n" {
		t.Errorf("undo wrote %q", got)
	}

	c = serveProcess(t, filepath.Join(dir, "mine"), "--plugin", wasm, "--grant", "notes=folder", "--tools", "notes")
	if got := c.must("jot_note", map[string]any{"title": "Ideas", "text": "None yet."}); !strings.Contains(got, "noted Ideas") || read("ideas.md") != "# Ideas\n\nNone yet.\n" {
		t.Errorf("the typed tool answers %q and wrote %q", got, read("ideas.md"))
	}
}
