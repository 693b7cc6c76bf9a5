package command

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// startCuedeck starts a server with cuedeck in dir, with a fixed clock.
func startCuedeck(t *testing.T, dir string, args ...string) *client {
	t.Helper()
	return serveProcess(t, dir, slices.Concat([]string{"--plugin", testwasm.Build(t, "plugins/cuedeck"), "--grant", "cuedeck=folder"}, args)...)
}

// cardsIn returns the content of a workspace's card files by card id.
func cardsIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	files, err := filepath.Glob(filepath.Join(dir, ".cuedeck", "cards", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		out[strings.TrimSuffix(filepath.Base(f), ".md")] = string(data)
	}
	return out
}

var newCard = regexp.MustCompile(`(?m)^\+ ([a-z0-9]{6}) `)

func TestTheServerEditsAndSavesAWorkspace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, ".gitignore", "bin\r\n")
	c := startCuedeck(t, dir, "--now", "2026-01-02T10:30:00Z")
	c.session("cuedeck", "new .")
	for name, want := range map[string]string{".cuedeck/config.toml": "token_limit", ".gitignore": "bin\r\n.cuedeck/.cache/\n", ".cuedeck/cards/.gitkeep": "", ".cuedeck/docs/.gitkeep": ""} {
		if data, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.Contains(string(data), want) {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
	text := c.edit("cuedeck", `add card "Set up the build" assignee:@dev`, `add card "Write the page" depends:"Set up the build"`)
	ids := newCard.FindAllStringSubmatch(text, -1)
	if len(ids) != 2 {
		t.Fatal(text)
	}
	first := filepath.Join(dir, ".cuedeck", "cards", ids[0][1]+".md")
	written := cardsIn(t, dir)[ids[0][1]]
	has(t, written, "title: Set up the build\n", `assignee: "@dev"`, "created: 2026-01-02T10:30:00.000Z")

	// An editor changes one card, breaks another, and writes some in an unusual form.
	theirs := strings.Replace(written, "status: todo", "status:  active   # mine", 1)
	byHand := "\ufeff---\r\nweird: [1, {a: b}] # kept\r\ntitle: 'By hand'\r\n---\r\n# By hand\r\n"
	for name, text := range map[string]string{first: theirs, filepath.Join(dir, ".cuedeck", "cards", "By hand (1).md"): byHand, filepath.Join(dir, ".cuedeck", "cards", "broken.md"): "---\nassignee: @dev\n---\n", filepath.Join(dir, "plan.md"): "# Plan\n"} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	text = c.must("cuedeck_query", map[string]any{"q": "list"})
	has(t, text, "changed outside, and now in the document", `"Set up the build" active medium @dev`, `broken: line 2: '@' is a reserved character`, `"By hand"`)
	has(t, c.must("cuedeck_query", map[string]any{"q": "history"}), "changed outside", "By hand (1).md")
	c.edit("cuedeck", `modify "Set up the build" priority:high`, `modify "By hand" status:done`)
	if got, want := cardsIn(t, dir)[ids[0][1]], strings.Replace(theirs, "priority: medium", "priority: high", 1); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := cardsIn(t, dir)["By hand (1)"], strings.Replace(byHand, "'By hand'\r\n", "'By hand'\r\nstatus: done\r\nupdated: 2026-01-02T10:30:00.000Z\r\n", 1); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if text, failed := c.call("cuedeck", map[string]any{"ops": []string{"modify broken status:done"}}); !failed {
		t.Errorf("a broken card was edited: %s", text)
	} else {
		has(t, text, "try: repair broken")
	}
	if cardsIn(t, dir)["broken"] != "---\nassignee: @dev\n---\n" {
		t.Error("a broken card was overwritten")
	}
	c.session("cuedeck", "undo 2")
	if got := cardsIn(t, dir)[ids[0][1]]; got != theirs {
		t.Errorf("undone to %q", got)
	}
	if text, failed := c.call("cuedeck_session", map[string]any{"action": "undo"}); !failed || !strings.Contains(text, "undo force") {
		t.Errorf("what the editor did was undone: %s", text)
	}

	// Nothing is written outside the workspace.
	outside := filepath.Join(filepath.Dir(dir), "out.md")
	for _, op := range []string{"add doc ../out.md", "add doc " + outside, `add doc "docs/../../out.md"`, "add doc .git/hooks/x.md", "section ../out.md append x", "add doc \"a\\\\..\\\\out.md\""} {
		if text, failed := c.call("cuedeck", map[string]any{"ops": []string{op}}); !failed {
			t.Errorf("%s: %s", op, text)
		}
	}
	for _, q := range []string{"read ../out.md", "read /etc/passwd", "describe .git/config"} {
		if text, failed := c.call("cuedeck_query", map[string]any{"q": q}); !failed {
			t.Errorf("%s: %s", q, text)
		}
	}
	if _, err := os.Stat(outside); err == nil {
		t.Error("a file outside was made")
	}
	if text, failed := c.call("cuedeck_query", map[string]any{"q": "list @created:>1h"}); failed || !strings.Contains(text, "Set up the build") {
		t.Errorf("what was made within the hour: %s", text)
	}
}

// Two hosts and an editor work on one workspace: in the end every change is on the disk and in the history of both hosts.
func TestTwoHostsAndAnEditorOnOneWorkspaceLoseNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	hosts := []*client{startCuedeck(t, dir), startCuedeck(t, dir)}
	hosts[0].session("cuedeck", "new .")
	shared := newCard.FindStringSubmatch(hosts[0].edit("cuedeck", "add card Shared"))[1]
	hosts[1].session("cuedeck", "open .")
	const each = 20
	var all sync.WaitGroup
	for i, c := range hosts {
		all.Go(func() {
			for n := 0; n < each; {
				text, failed := c.call("cuedeck", map[string]any{"ops": []string{fmt.Sprintf("note %s host%d-%d.", shared, i, n), fmt.Sprintf("add card Card-%d-%d", i, n)}})
				switch {
				case !failed:
					n++
				case !strings.Contains(text, "changed on disk since it was opened; nothing was changed"):
					t.Errorf("host %d: %s", i, text)
					return
				}
			}
		})
	}
	all.Go(func() {
		for n := range each {
			name := filepath.Join(dir, ".cuedeck", "cards", fmt.Sprintf("edited%d.md", n))
			if err := os.WriteFile(name, fmt.Appendf(nil, "---\ntitle: Edited %d\n---\n", n), 0o666); err != nil {
				t.Error(err)
			}
		}
	})
	all.Wait()
	cards := cardsIn(t, dir)
	if len(cards) != 1+3*each {
		t.Errorf("there are %d cards", len(cards))
	}
	for i, c := range hosts {
		for n := range each {
			if !strings.Contains(cards[shared], fmt.Sprintf(": host%d-%d.", i, n)) {
				t.Errorf("the note %d of host %d is lost", n, i)
			}
		}
		has(t, c.must("cuedeck_query", map[string]any{"q": "stats"}), fmt.Sprintf("%dc ", 1+3*each))
		history := c.must("cuedeck_query", map[string]any{"q": "history 200"})
		has(t, history, "changed outside", "edited", fmt.Sprintf("add card Card-%d-%d", i, each-1))
	}
}
