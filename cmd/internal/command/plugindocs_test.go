package command

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/docs"
	"github.com/fcp-host/fcp-host/host/added"
	"github.com/fcp-host/fcp-host/internal/registry"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// The console blocks of docs/plugins.md show what the command line prints. They are run in order by a user who has
// todo.wasm; after it was added there is a newer version. Folders, the day and ports are replaced by those of the page.
func TestTranscriptsOfPluginsAreReal(t *testing.T) {
	root, err := testwasm.Root()
	if err != nil {
		t.Fatal(err)
	}
	u := newPerson(t)
	home, err := filepath.EvalSymlinks(u.dir)
	if err != nil {
		t.Fatal(err)
	}
	shop := httptest.NewServer(&registry.Registry{})
	defer shop.Close()
	at := strings.TrimPrefix(shop.URL, "http://")
	version := func(version string, change func(*abi.Manifest)) {
		u.puts("todo.wasm", version, func(m *abi.Manifest) {
			m.Extensions, m.Verbs = []string{".todo"}, append(m.Verbs, abi.Verb{Name: "done", Syntax: "done", Max: -1})
			m.Wants = []abi.Want{{Kind: abi.WantHTTP, Name: "calendar", Reason: "It sends what is due to your calendar.", Base: "https://calendar.example/v1"}}
			change(m)
		})
	}
	version("1.0", func(*abi.Manifest) {})
	page := filepath.Join(root, "docs", "plugins.md")
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	plain := strings.NewReplacer(home, "/home/you", u.dir, "/home/you", time.Now().Format(time.DateOnly), "2026-07-28", at, "127.0.0.1:5000")
	var lock string
	ran := 0
	out := regexp.MustCompile("(?s)```console\n.*?```").ReplaceAllStringFunc(string(data), func(block string) string {
		var b strings.Builder
		b.WriteString("```console\n")
		for line := range strings.Lines(block) {
			words, ok := strings.CutPrefix(strings.TrimSpace(line), "$ fcp-host ")
			if !ok {
				continue
			}
			ran++
			args := strings.Fields(strings.ReplaceAll(words, "127.0.0.1:5000", at))
			if args[1] == "update" {
				version("1.1", func(m *abi.Manifest) { m.Verbs = append(m.Verbs, abi.Verb{Name: "remind", Syntax: "remind", Max: -1}) })
			}
			said, _ := u.runs(args...)
			if args[1] == "add" { // shown with its question
				said = strings.ReplaceAll(said, "fcp-host: "+errNotAsked.Error(), "Add it? [y/N]")
				u.does("add --yes ./todo.wasm")
				lock = u.lock()
			}
			said = strings.ReplaceAll(said, "fcp-host: todo: "+errNotAsked.Error(), "Update it? [y/N]")
			b.WriteString("$ fcp-host " + words + "\n" + plain.Replace(said))
		}
		return b.String() + "```"
	})
	const file = "<!-- file: lock.toml -->\n```toml\n"
	before, rest, ok := strings.Cut(out, file)
	_, after, _ := strings.Cut(rest, "```")
	if out = before + file + plain.Replace(lock) + "```" + after; !ok || ran != 5 {
		t.Fatalf("the page has %d commands, its lock file %v", ran, ok)
	}
	switch {
	case *update:
		if err := os.WriteFile(page, []byte(out), 0o644); err != nil {
			t.Fatal(err)
		}
	case out != string(data):
		t.Errorf("plugins.md and what fcp-host says differ; run go test ./cmd/internal/command -run Transcripts -update and read the difference\n%s", out)
	}
	files := docs.Files(out)
	if _, err := added.In(u.newFolderWith("lock.toml", files["lock.toml"])).Plugins(); err != nil {
		t.Error(err)
	}
	if err := new(settings).configure(filepath.Join(u.newFolderWith(configName, files[configName]), configName)); err != nil {
		t.Error(err)
	}
}

// newFolderWith writes a file into a new folder and returns the folder.
func (u *person) newFolderWith(name, text string) string {
	u.t.Helper()
	dir := u.t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		u.t.Fatal(err)
	}
	return dir
}
