package command

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheHostFetchesTheResourcesThatOpsName(t *testing.T) {
	t.Parallel()
	s := newProgramHost(t, nil)
	s.put("a.mp4", "media")
	s.put("note.txt", "a note")
	s.put("broken.mp4", "not media")
	s.put("rights.mp4", "media")
	s.put("secret.pem", "a secret")
	s.says("world_session", `new "A"`)
	first := s.op("clip ./a.mp4", "+ probe ./a.mp4 a.mp4", `\"bytes\":5`)
	if again := s.op("clip ./a.mp4"); again[:60] != first[:60] || !strings.Contains(first, again[:strings.Index(again, "\n")]) {
		t.Errorf("it was probed again:\n%s\n%s", first, again)
	}
	s.put("a.mp4", "other media")
	s.op("clip ./a.mp4", `\"bytes\":11`)
	s.op("clip ./b.mp4", "op 1 (clip ./b.mp4): b.mp4: no such file or directory; its folder holds", "try: clip ./a.mp4")
	s.op("clip ./broken.mp4", "./broken.mp4: ffprobe failed with exit code 1", "Invalid data found")
	s.op("clip ./note.txt", "./note.txt is not a file that it accepts: .wav .mp4")
	s.op("clip ../x.mp4", "outside the allowed folders")
	s.op("clip /etc/passwd", "outside the allowed folders")
	s.op("clip a")
	if text := s.op("place ./secret.pem"); strings.Contains(text, "a secret") {
		t.Errorf("it was read: %s", text)
	}
	// A batch is applied completely or not at all, and the first error is reported.
	a := s.wait(s.send("world", map[string]any{"ops": []string{"add one", "place ./note.txt", "clip ./b.mp4", "add two"}}))
	for _, w := range []string{"op 3 (clip ./b.mp4)", "rolled back: 2 ops undone, 1 not run"} {
		if !strings.Contains(a.text, w) && w != "a note" && w != "take ./note.txt" {
			t.Errorf("it lacks %q:\n%s", w, a.text)
		}
	}
	s.says("world_session", "batch each")
	a = s.wait(s.send("world", map[string]any{"ops": []string{"place ./note.txt", "clip ./b.mp4", "place ./note.txt"}}))
	if strings.Count(a.text, "+ bytes ./note.txt note.txt") != 2 || !strings.Contains(a.text, "op 2 (clip ./b.mp4)") {
		t.Errorf("one by one:\n%s", a.text)
	}
	// A fact that was fetched once is known without the file, and is undone like any change.
	os.Remove(filepath.Join(s.dir, "note.txt"))
	s.says("world_session", "undo 2", "undid place ./note.txt")
	s.says("world_session", "redo 2", "place ./note.txt")
	s.says("world_query", "map", `bytes ./note.txt note.txt "a note"`)
}

func TestOtherDocumentsAreResourcesWithoutDeadlock(t *testing.T) {
	t.Parallel()
	s := newProgramHost(t, nil)
	s.says("world_session", `new "A" as:a`)
	s.op("add first")
	s.says("world_session", `new "B" as:b`)
	s.op("include a", `+ document a a "#world A\nfirst"`)
	s.op("include nothing")
	s.op("include b") // the document itself
	s.says("world_session", "join A", `document`, `#world A\nfirst`)
	var calls []int
	for range 8 {
		calls = append(calls, s.send("world", map[string]any{"ops": []string{"include b"}, "document": "a"}),
			s.send("world", map[string]any{"ops": []string{"include a"}, "document": "b"}))
	}
	for _, id := range calls {
		if a := s.wait(id); a.failed {
			t.Errorf("%s", a.text)
		}
	}
}

func TestMediaAreOpenedAsANewDocumentAndSavedAsAnExport(t *testing.T) {
	t.Parallel()
	s := newProgramHost(t, nil)
	s.put("vid1.mp4", "one")
	s.put("vid2.mp4", "second")
	s.says("world_session", "open ./vid1.mp4,./vid2.mp4", `+ new world document "vid1"`, "[3 lines]")
	s.says("world_query", "map", `probe ./vid1.mp4 vid1.mp4`, `probe ./vid2.mp4 vid2.mp4`, `\"bytes\":6`)
	s.says("world_session", "open ./vid1.mp4,./vid3.mp4", "cannot open: vid3.mp4: no such file", "try: world_session open ./vid1.mp4,./vid")
	s.op("add more")
	s.says("world_session", "save as:./final.mp4", `say the format of "./final.mp4"`, `try: world_session save as:"./final.mp4" format:mp4`)
	s.says("world_session", "save as:./final.mp4 format:mp4", "+ exported final.mp4 (mp4, 6 bytes)")
	s.says("world_session", "save as:./final.mkv format:mp4", "mp4 makes .mp4 files", `save as:"./final.mp4" format:mp4`)
	s.says("world_session", "save as:./vid1.mp4 format:mp4 force", "it is one of the files that the document is made of")
	s.says("world_query", "status", "file: none yet", "unsaved changes: yes")
	if s.has("vid1.mp4") != "one" {
		t.Error("a source was overwritten")
	}
	s.says("world_session", `new "B" media:./vid1.mp4`, `+ new world document "B"`, "[2 lines]")
	s.says("world_session", `new "C" media:./none.mp4`, "cannot make a new document: none.mp4: no such file")
}

func TestARecoveredDocumentKnowsItsFilesByName(t *testing.T) {
	t.Parallel()
	s := newProgramHost(t, nil)
	s.put("a.mp4", "media")
	s.says("world_session", "open ./a.mp4")
	s.put("b.mp4", "other")
	s.op("clip ./b.mp4", "+ probe")
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	s.cmd.Wait()
	s.cmd = nil
	again := startArena(t, append(s.args, "--journal-dir", s.dir+"-journal", "--root", s.dir)...)
	next := &programHost{again, s.cache, s.args}
	next.says("world_session", "recover", `recovered "a" (world)`)
	for _, name := range []string{"./a.mp4", "./b.mp4"} { // in another folder than this host's working folder
		next.says("world_query", fmt.Sprintf("program ffprobe %s a:-show_format b:{in:0}", name), `"asked"`)
	}
}

func TestFilesThatADocumentMentionsAreInputsOfProgramsOnly(t *testing.T) {
	t.Parallel()
	s := newProgramHost(t, nil)
	if err := os.Mkdir(filepath.Join(s.dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	s.put("sub/clip.mp4", "clip")
	s.put("top.mp4", "top")
	s.put("secret.txt", "a secret")
	s.put("sub/d.world", "#world D\nrefers to clip.mp4\nrefers to top.mp4\nrefers to ../secret.txt\nrefers to /etc/passwd\nrefers to ../../out.mp4\nrefers to none.mp4")
	s.says("world_session", "open ./sub/d.world", "opened sub/d.world", "not there, or outside the allowed folders: ../../out.mp4 and 1 more, which the document mentions")
	probed := func(name string) string { return "program ffprobe " + name + " a:-show_format b:{in:0}" }
	s.says("world_query", probed("clip.mp4"), `"bytes":4`)
	s.says("world_query", probed("top.mp4"), `"bytes":3`)
	s.says("world_query", probed("/etc/passwd"), "no file is known as")
	for _, name := range []string{"../secret.txt", "../../out.mp4"} { // paths in a query are relative to the working folder
		s.says("world_query", probed(name), "outside the allowed folders")
	}
	s.says("world_query", probed("none.mp4"), "no such file")
	for _, tool := range []string{"world_query peek", "world_session do-peek"} { // the guest must not read its bytes
		name, action, _ := strings.Cut(tool, " ")
		if text := s.says(name, action+" clip.mp4 0 4"); strings.Contains(text, `"clip"`) {
			t.Errorf("%s: %s", tool, text)
		}
	}
}

func TestASavedFileRefersToItsMediaFromItsFolder(t *testing.T) {
	t.Parallel()
	s := newProgramHost(t, nil)
	for _, dir := range []string{"sub", "sub/deep", "other"} {
		if err := os.Mkdir(filepath.Join(s.dir, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s.put("sub/clip.mp4", "clip")
	s.put("top.mp4", "top")
	s.put("other/both.mp4", "there")
	s.put("sub/both.mp4", "another")
	outside := filepath.Join(s.dir, "top.mp4")
	text := "#world D\nrefers to clip.mp4\nrefers to ./top.mp4\nrefers to none.mp4\nrefers to ../other/both.mp4\nrefers to " + outside
	s.put("sub/d.world", text)
	s.says("world_session", "open ./sub/d.world", "opened sub/d.world")
	for path, want := range map[string]string{
		"sub/deep/d.world": "#world D\nrefers to ../clip.mp4\nrefers to ../../top.mp4\nrefers to none.mp4\nrefers to ../../other/both.mp4\nrefers to " + outside,
		"d.world":          "#world D\nrefers to ./sub/clip.mp4\nrefers to ./top.mp4\nrefers to none.mp4\nrefers to ./other/both.mp4\nrefers to " + outside,
		"other/d.world":    "#world D\nrefers to ../sub/clip.mp4\nrefers to ../top.mp4\nrefers to none.mp4\nrefers to ../other/both.mp4\nrefers to " + outside,
	} {
		s.says("world_session", "save as:./"+path, "saved "+path)
		if got := s.has(path); got != want {
			t.Errorf("%s holds\n%s\nand should hold\n%s", path, got, want)
		}
	}
}

func TestChangesOfADocumentsFilesAreReportedOnce(t *testing.T) {
	t.Parallel()
	s := newProgramHost(t, nil)
	s.put("a.mp4", "media")
	s.put("b.mp4", "other")
	s.says("world_session", "open ./a.mp4,./b.mp4")
	quiet := func(when string) {
		t.Helper()
		if text := s.says("world_query", "map"); strings.Contains(text, "?") {
			t.Errorf("%s: %s", when, text)
		}
	}
	quiet("nothing happened")
	s.put("a.mp4", "another one")
	s.says("world_query", "map", "? changed outside since this document read it, so what it knows of the file may be out of date: a.mp4")
	quiet("it was told")
	s.put("a.mp4", "and another")
	if text := s.op("clip ./a.mp4", "+ probe"); strings.Contains(text, "changed outside") {
		t.Errorf("what a call takes in is no news to it: %s", text)
	}
	if err := os.Remove(filepath.Join(s.dir, "b.mp4")); err != nil {
		t.Fatal(err)
	}
	s.op("add one", "? used by this document, but gone: b.mp4")
	quiet("it was told")
	s.put("b.mp4", "other")
	s.says("world_query", "map", "? back again: b.mp4")
	quiet("it was told")
}

func TestAResourceIsFetchedOncePerCall(t *testing.T) {
	t.Parallel()
	url, saw := serveRecorded(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "none") {
			http.NotFound(w, r)
			return
		}
		fmt.Fprintf(w, "%s %s", r.Method, r.URL.EscapedPath())
	})
	a := startArena(t, worldConfig(t, url, worldKey, `grant = ["http:api"]`)...)
	a.request("tools/list", map[string]any{}, nil)
	s := &programHost{arena: a}
	s.says("world_session", `new "A"`)
	a.must("world", map[string]any{"ops": []string{"node chat", "add x", "node chat"}})
	a.must("world", map[string]any{"ops": []string{"node chat", "node chat", "add y"}})
	s.says("world_query", "map", `fetch chat  "GET /nodes/chat"`)
	if n := saw.count("GET /nodes/chat"); n != 2 { // once per call
		t.Errorf("%d requests", n)
	}
	s.op("node none", "op 1 (node none): the server answers 404") // the domain's error text
	s.op("node ../users", "op 1 (node ../users): ")
	if n := saw.count("GET /users"); n > 0 {
		t.Error("it left its folder")
	}
	before := saw.all()
	s.says("world_session", "undo 3")
	s.says("world_session", "redo 3")
	if saw.all() != before {
		t.Error("it was fetched again to be replayed")
	}
}

func TestAFatalOpIsFoundWithoutFetchingAgain(t *testing.T) {
	t.Parallel()
	url, saw := serveRecorded(t, echoRequest)
	a := startArena(t, worldConfig(t, url, worldKey, `grant = ["http:api"]`)...)
	a.request("tools/list", map[string]any{}, nil)
	s := &programHost{arena: a}
	s.says("world_session", `new "A"`)
	endless := "add " + strings.Repeat("x", 8000) + " n:100000" // exceeds the memory of an instance
	got := a.wait(a.send("world", map[string]any{"ops": []string{"node chat", endless, "node other"}}))
	for _, want := range []string{"+ fetch chat", "! op 2 (add xxx", "the world plugin failed", "rolled back: 1 op undone, 1 not run"} {
		if !strings.Contains(got.text, want) {
			t.Errorf("it lacks %q:\n%.2000s", want, got.text)
		}
	}
	if saw.count("GET /nodes/chat") != 1 || saw.count("GET /nodes/other") != 1 {
		t.Errorf("%d requests", saw.all())
	}
	s.says("world_query", "map", "#world A")
}
