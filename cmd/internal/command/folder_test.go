package command

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/internal/soak"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// onDisk returns the texts in a deck's folder.
func onDisk(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	files, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(f)] = string(data)
	}
	return out
}

func TestTheServerEditsAndSavesAFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := serveProcess(t, dir, "--plugin", testwasm.Deck(t))
	text, failed := c.call("deck_session", map[string]any{"action": "new ."})
	if !failed || !strings.Contains(text, "it needs folder, which is not granted; start fcp-host with --grant deck=folder") {
		t.Errorf("without a grant: %s", text)
	}
	if _, err := os.Stat(filepath.Join(dir, ".deck")); err == nil {
		t.Error("made without a grant")
	}
	c = serveProcess(t, dir, "--plugin", testwasm.Deck(t), "--grant", "deck=folder")
	c.session("deck", "new .")
	c.edit("deck", "put a.md A")
	if got := onDisk(t, dir)["a.md"]; got != "A" {
		t.Errorf("a.md holds %q", got)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.md"), []byte("theirs"), 0o666); err != nil {
		t.Fatal(err)
	}
	text = c.must("deck_query", map[string]any{"q": "read a.md"})
	has(t, text, "theirs", "? changed outside, and now in the document: a.md")
	text, failed = c.call("deck_session", map[string]any{"action": "undo"})
	if !failed {
		t.Error("what others did was undone without force")
	}
	has(t, text, "try: deck_session undo force")
	c.session("deck", "undo force")
	if got := onDisk(t, dir)["a.md"]; got != "A" {
		t.Errorf("a.md holds %q", got)
	}
}

func TestTwoHostsOnOneFolderSeeEachOther(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	args := []string{"--plugin", testwasm.Deck(t), "--grant", "deck=folder"}
	hosts := []*client{serveProcess(t, dir, args...), serveProcess(t, dir, args...)}
	hosts[0].session("deck", "new .")
	hosts[1].session("deck", "open .")
	var all sync.WaitGroup
	done := make([]string, 2)
	for i, c := range hosts {
		all.Go(func() {
			for n := 0; n < 25; {
				text, failed := c.call("deck", map[string]any{"ops": []string{fmt.Sprintf("append shared.md %d", i), fmt.Sprintf("put own%d.md %d", i, n)}})
				switch {
				case !failed:
					done[i] += fmt.Sprint(i)
					n++
				case !strings.Contains(text, "changed on disk since it was opened; nothing was changed"):
					t.Errorf("host %d: %s", i, text)
					return
				}
			}
		})
	}
	all.Wait()
	got := onDisk(t, dir)
	for i := range hosts {
		if n := strings.Count(got["shared.md"], fmt.Sprint(i)); n != 25 {
			t.Errorf("%d of 25 changes of host %d are left in %q", n, i, got["shared.md"])
		}
		if text := strings.Split(hosts[i].must("deck_query", map[string]any{"q": "read shared.md"}), "\n")[0]; text != got["shared.md"] {
			t.Errorf("host %d has %q, the folder %q", i, text, got["shared.md"])
		}
	}
}

// deckModel records every state that a deck was in.
type deckModel struct {
	states []map[string]string
	cursor int
}

func (m *deckModel) now() map[string]string { return m.states[m.cursor] }

func (m *deckModel) add(texts map[string]string) {
	m.states = append(m.states[:m.cursor+1], texts)
	m.cursor++
}

// do applies a call to the model as the domain and the host should.
func (m *deckModel) do(s step) {
	switch {
	case s.action == "undo force" && m.cursor > 0:
		m.cursor--
	case s.action == "redo" && m.cursor+1 < len(m.states):
		m.cursor++
	}
	var added []map[string]string
	texts := m.now()
	for _, op := range s.ops {
		words := strings.Fields(op)
		texts = maps.Clone(texts)
		switch words[0] {
		case "put":
			texts[words[1]] = words[2]
		case "append":
			texts[words[1]] += words[2]
		case "drop":
			if _, there := texts[words[1]]; !there {
				return // so the call changes nothing
			}
			delete(texts, words[1])
		}
		added = append(added, texts)
	}
	for _, texts := range added {
		m.add(texts)
	}
}

func randomDeckStep(r *rand.Rand, n int) step {
	switch r.IntN(8) {
	case 0:
		return step{action: "undo force"}
	case 1:
		return step{action: "redo"}
	}
	ops := make([]string, 1+r.IntN(4))
	for i := range ops {
		name := fmt.Sprintf("t%d.md", r.IntN(5))
		ops[i] = fmt.Sprintf("%s %s x%d.%d", []string{"put", "append", "append", "put"}[r.IntN(4)], name, n, i)
		if r.IntN(6) == 0 {
			ops[i] = "drop " + name
		}
	}
	return step{ops: ops}
}

// Whenever a host is killed, the folder contains every answered call, and at most one unanswered call, complete. So does the
// document that the next host recovers, with its history, while others change files.
func TestAFolderHoldsWhatWasAnsweredWheneverItsHostIsKilled(t *testing.T) {
	t.Parallel()
	kills := soak.Times(6, 1000)
	rnd := rand.New(rand.NewPCG(soak.Seed(t), 14))
	dir, journals := t.TempDir(), filepath.Join(t.TempDir(), "journal")
	start := func() *client {
		return serveProcess(t, dir, "--plugin", testwasm.Deck(t), "--grant", "deck=folder", "--journal-dir", journals)
	}
	c := start()
	c.session("deck", "new .")
	m := &deckModel{states: []map[string]string{onDisk(t, dir)}}
	calls, inFlight, edits, pace := 0, 0, 0, 3*time.Millisecond
	for k := range kills {
		pending := make([]step, 1+rnd.IntN(12))
		for i := range pending {
			calls++
			pending[i] = randomDeckStep(rnd, calls)
		}
		c.sendTo("deck", pending)
		timer := time.AfterFunc(time.Duration(rnd.Int64N(int64(time.Duration(len(pending))*pace))), c.kill)
		answers := c.answers(len(pending))
		if pace = pace * 6 / 5; len(answers) > len(pending)/2 {
			pace = pace * 25 / 36
		}
		for range answers {
			m.do(pending[0])
			pending = pending[1:]
		}
		if timer.Stop() {
			c.kill()
		}
		c.waitForExit()

		edit := ""
		if rnd.IntN(3) == 0 {
			edit = fmt.Sprint("edit ", k)
			if err := os.WriteFile(filepath.Join(dir, "edited.md"), []byte(edit), 0o666); err != nil {
				t.Fatal(err)
			}
			edits++
		}
		fresh := rnd.IntN(5) == 0
		action := "recover 1"
		if fresh {
			action = "open ."
		}
		for c = start(); rnd.IntN(5) == 0; c = start() { // killed again while it recovers
			c.sendTo("deck", []step{{action: action}})
			time.AfterFunc(time.Duration(rnd.IntN(30))*time.Millisecond, c.kill)
			c.answers(1)
			c.waitForExit()
		}
		text := c.session("deck", action)
		if edit != "" && !fresh && !strings.Contains(text, "edited.md") && !strings.Contains(c.must("deck_query", map[string]any{"q": "history"}), "edited.md") {
			t.Errorf("kill %d: the edit is not reported: %s", k, text)
		}
		interrupted := strings.Contains(text, "a save of ") && strings.Contains(text, "was interrupted: the document has what it was to write")
		records, _ := filepath.Glob(filepath.Join(dir, ".deck", ".fcp-*"))
		if interrupted && len(records) == 0 {
			t.Fatalf("kill %d, %s: %s\nand the folder has no record of a save", k, action, text)
		}
		if len(records) > 0 { // opening only reads: the save finishes what was interrupted, and removes a record cut short
			text += "\n" + c.session("deck", "save")
		}
		got := onDisk(t, dir)
		matches := func() bool {
			want := maps.Clone(m.now())
			if edit != "" {
				want["edited.md"] = edit
			}
			return maps.Equal(got, want)
		}
		first := fmt.Sprint(m.now())
		for !matches() && len(pending) > 0 {
			inFlight++
			m.do(pending[0])
			pending = pending[1:]
		}
		if !matches() {
			t.Fatalf("kill %d, %s: %s\nthe folder holds\n%v\nwhich is none of the states from\n%s\nto\n%v", k, action, text, got, first, m.now())
		}
		var lines []string
		for _, name := range slices.Sorted(maps.Keys(got)) {
			lines = append(lines, name+"="+got[name])
		}
		if all := c.must("deck_query", map[string]any{"q": "all"}); strings.TrimSpace(all) != strings.Join(lines, "\n") {
			t.Fatalf("kill %d, %s: the document is\n%s\nand the folder holds\n%s", k, action, all, strings.Join(lines, "\n"))
		}
		left, _ := filepath.Glob(filepath.Join(dir, ".deck", ".fcp-*"))
		for _, name := range left { // an interrupted undo of an earlier edit was to write the file that was edited now
			if edit == "" || !strings.Contains(text, "edited.md was not written") || !strings.Contains(text, filepath.Base(name)) {
				t.Fatalf("kill %d, %s: left behind: %v", k, text, left)
			}
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
		switch {
		case fresh:
			c.call("deck_session", map[string]any{"action": "discard all"})
			m = &deckModel{states: []map[string]string{got}}
		case edit != "":
			m.add(got)
		}
	}
	t.Logf("%d kills in %d calls; %d happened without an answer, %d edits of others", kills, calls, inFlight, edits)
}

// A host stores a remote document and is killed before it records that.
func TestARemoteDocumentIsStoredOnceThoughItsHostIsKilled(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	body, moves := "a.md=A\n", 1
	var kill func()
	url, saw := serveRecorded(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		tag := fmt.Sprintf(`"r%d"`, moves)
		switch {
		case r.Method == "GET":
			w.Header().Set("ETag", tag)
			fmt.Fprint(w, body)
		case r.Header.Get("If-Match") != "" && r.Header.Get("If-Match") != tag:
			w.WriteHeader(http.StatusPreconditionFailed)
		default:
			data := make([]byte, 1<<16)
			n, _ := r.Body.Read(data)
			body = string(data[:n])
			moves++
			w.Header().Set("ETag", fmt.Sprintf(`"r%d"`, moves))
			if kill != nil {
				kill()
			}
		}
	})
	dir, journals := t.TempDir(), filepath.Join(t.TempDir(), "journal")
	config := filepath.Join(t.TempDir(), "fcp-host.toml")
	if err := os.WriteFile(filepath.Join(filepath.Dir(config), "url"), []byte(url), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, fmt.Appendf(nil, "[variables]\nDECK_URL = \"url\"\n[[plugin]]\nfile = %q\ngrant = [\"http:api\"]\n", testwasm.Deck(t)), 0o600); err != nil {
		t.Fatal(err)
	}
	start := func() *client {
		return serveProcess(t, dir, "--config", config, "--plugin", testwasm.Deck(t), "--journal-dir", journals)
	}
	c := start()
	has(t, c.session("deck", "open deck:shop"), `+ opened deck:shop as "shop" (deck), revision`)
	c.edit("deck", "put b.md B")
	kill = c.kill
	c.sendTo("deck", []step{{action: "save"}})
	c.answers(1)
	c.waitForExit()
	kill = nil
	c = start()
	has(t, c.session("deck", "recover 1"), `+ recovered "shop" (deck): 1 op to undo, unsaved changes`)
	has(t, c.session("deck", "save"), "* stored deck:shop", "it was already there")
	if n := saw.count("PUT /shop"); n != 2 || body != "a.md=A\nb.md=B\n" { // the second request was refused because of its revision
		t.Errorf("%d stores, the server has %q", n, body)
	}
	mu.Lock()
	body, moves = "theirs=T\n", moves+1
	mu.Unlock()
	c.edit("deck", "put c.md C")
	text, failed := c.call("deck_session", map[string]any{"action": "save"})
	if !failed {
		t.Error("what others stored was replaced")
	}
	has(t, text, "was changed by somebody else", "try: deck_session pull force")
	has(t, c.session("deck", "pull force"), "* pulled deck:shop")
}

// A typed tool on a folder needs no open: it works on the document folder that contains the working folder, and saves each
// call as ops do.
func TestATypedToolOpensTheFolderAroundTheWorkingFolder(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	dir := filepath.Join(root, "below", "there")
	for _, d := range []string{dir, filepath.Join(root, ".shelf")} {
		if err := os.MkdirAll(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	c := serveProcess(t, dir, "--root", root, "--plugin", testwasm.Shelf(t), "--grant", "shelf=folder", "--tools", "shelf")
	c.must("text_put", map[string]any{"file": "a.txt", "text": "# A\n"})
	if data, _ := os.ReadFile(filepath.Join(root, "a.txt")); string(data) != "# A\n" {
		t.Errorf("a.txt holds %q", data)
	}
	if err := os.WriteFile(filepath.Join(root, "b.txt"), []byte("# B\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	has(t, c.must("text_list", map[string]any{}), `"A"`, `"B"`)
	c.session("shelf", "undo force") // undoes the change of b.txt
	c.session("shelf", "undo")
	if left, _ := filepath.Glob(filepath.Join(root, "*.txt")); len(left) > 0 {
		t.Errorf("there are %v", left)
	}
	text, failed := c.call("text_put", map[string]any{"file": "../x.txt", "text": "x"})
	if !failed || !strings.Contains(text, "nothing was changed") {
		t.Errorf("a tool wrote outside: %s", text)
	}
}
