package command

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/host/capability/program"
	"github.com/fcp-host/fcp-host/internal/judge"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// poser is the program that poses as ffmpeg and ffprobe.
func poser(t testing.TB) string {
	t.Helper()
	poserBuilt.Do(func() {
		dir := testwasm.CacheDir(t)
		made := filepath.Join(dir, fmt.Sprintf("tool-%d", os.Getpid()))
		if out, err := exec.Command("go", "build", "-o", made, "./testdata/tool").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if err := os.Rename(made, filepath.Join(dir, "tool")); err != nil {
			t.Fatal(err)
		}
	})
	return filepath.Join(testwasm.CacheDir(t), "tool")
}

var poserBuilt sync.Once

// filmed is a server that runs the tool for the world plugin.
type filmed struct {
	*arena
	cache string
	args  []string
}

// filmedArgs are the flags of such a server, with a cache folder of its own. Where grants is nil, both programs are granted.
func filmedArgs(t testing.TB, grants []string) (cache string, args []string) {
	t.Helper()
	if err := program.Available(); err != nil {
		t.Skip(err)
	}
	path := poser(t)
	config := filepath.Join(t.TempDir(), configName)
	if err := os.WriteFile(config, fmt.Appendf(nil, "[programs]\nffmpeg = %q\nffprobe = %q\n", path, path), 0o600); err != nil {
		t.Fatal(err)
	}
	return realArgs(t, config, grants)
}

// realArgs are flags for the programs that a configuration names.
func realArgs(t testing.TB, config string, grants []string) (cache string, args []string) {
	t.Helper()
	if grants == nil {
		grants = []string{"program:ffmpeg", "program:ffprobe"}
	}
	cache = filepath.Join(t.TempDir(), "cache")
	linkTree(t, testwasm.CacheDir(t), cache)
	args = []string{"--config", config, "--cache", cache, "--plugin", testwasm.World(t)}
	for _, g := range grants {
		args = append(args, "--grant", "world="+g)
	}
	return cache, args
}

// newFilmed starts one.
func newFilmed(t testing.TB, grants []string, more ...string) *filmed {
	t.Helper()
	cache, args := filmedArgs(t, grants)
	return startFilmed(t, cache, append(args, more...))
}

func startFilmed(t testing.TB, cache string, args []string) *filmed {
	t.Helper()
	s := &filmed{enter(t, args...), cache, args}
	s.request("tools/list", map[string]any{}, nil) // which waits until the plugin is compiled
	return s
}

// linkTree gives the files of a folder second names in another: what is compiled need not be compiled again.
func linkTree(t testing.TB, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.Name() == "programs" {
			return nil // others use the folder as well
		}
		rel, err := filepath.Rel(from, path)
		if err == nil && e.IsDir() {
			err = os.MkdirAll(filepath.Join(to, rel), 0o700)
		} else if err == nil {
			if err = os.Link(path, filepath.Join(to, rel)); os.IsNotExist(err) {
				err = nil
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// runs are the folders of programs.
func (s *filmed) runs() []string {
	s.t.Helper()
	entries, err := os.ReadDir(filepath.Join(s.cache, "programs"))
	if err != nil && !os.IsNotExist(err) {
		s.t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// film counts the processes that make a film of this length.
func film(t testing.TB, length string) (n int) {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range lines {
		if line, err := os.ReadFile(path); err == nil && strings.Contains(string(line), "out0.mp4") && strings.Contains(string(line), length) {
			n++
		}
	}
	return n
}

func (s *filmed) put(name, text string) string {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
	return path
}

func (s *filmed) has(name string) string {
	data, err := os.ReadFile(filepath.Join(s.dir, name))
	if err != nil {
		return ""
	}
	return string(data)
}

// says fails the test where an answer lacks one of these words.
func (s *filmed) says(tool, text string, words ...string) string {
	s.t.Helper()
	a := s.asked(tool, text)
	for _, w := range words {
		if !strings.Contains(a.text, w) {
			s.t.Errorf("%s %s lacks %q:\n%s", tool, text, w, a.text)
		}
	}
	return a.text
}

// until asks until an answer holds this: what a job does beside the calls takes its time on a busy machine.
func (s *filmed) until(tool, text, word string) {
	s.t.Helper()
	for end := time.Now().Add(time.Minute); ; {
		a := s.asked(tool, text)
		if strings.Contains(a.text, word) {
			return
		}
		if a.failed || time.Now().After(end) {
			s.t.Fatalf("%s %s lacks %q:\n%s", tool, text, word, a.text)
		}
	}
}

// op runs an op.
func (s *filmed) op(op string, words ...string) string {
	s.t.Helper()
	a := s.wait(s.send("world", map[string]any{"ops": []string{op}}))
	for _, w := range words {
		if !strings.Contains(a.text, w) {
			s.t.Errorf("%s lacks %q:\n%s", op, w, a.text)
		}
	}
	return a.text
}

func TestAProgramOfADomainReachesNothingOfTheHost(t *testing.T) {
	t.Parallel()
	s := newFilmed(t, nil)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s.put("secret.mp4", "a secret")
	s.says("world_session", `new "A"`)
	s.says("world_query", fmt.Sprintf(`program ffprobe arg:"attack:%s,%s"`, filepath.Join(s.dir, "secret.mp4"), l.Addr()), "did: nothing")
	if s.has("secret.mp4") != "a secret" {
		t.Error("the secret was changed")
	}
	s.says("world_query", "program ffmpeg arg:x", "a call that only reads may not use program:ffmpeg: its manifest does not say reads of it")
	s.says("world_query", "program bash arg:x", "does not list program:bash")
	s.says("world_query", "program ffprobe ./none.mp4 arg:x", `no such file`)
	s.says("world_query", "program ffprobe /etc/passwd arg:{in:0}", `no file is known as "/etc/passwd"`)
	s.says("world_session", "do-program ffprobe /etc/hosts.mp4 arg:{in:0}", `outside the allowed folders`)
	s.says("world_query", "program ffprobe ./secret.mp4 arg:{in:1}", "the arguments name {in:1}, which it does not have")
	s.says("world_session", "do-peek /etc/passwd 0 10", "outside the allowed folders")
	s.says("world_query", "peek ./secret.mp4 2 6", `"secret" of 8`)
	s.says("world_session", "do-peek ./secret.mp4 100 6", `"" of 8`)
	s.says("world_session", "do-peek ./secret.mp4 -1 6", "a stretch of a file starts at 0 or later")
	s.says("world_session", "do-peek ./secret.mp4 0 9000000", "at most 8 MiB")
	if left := s.runs(); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

func TestAJobIsWaitedForAWhileAndThenKnownByItsNumber(t *testing.T) {
	t.Parallel()
	s := newFilmed(t, nil)
	s.says("world_session", `new "A"`)
	s.says("world_query", "jobs", "no jobs")
	s.says("world_session", "job 1", "there is no job 1")
	s.says("world_session", "export mp4 as:./first.mp4", "+ exported first.mp4 (mp4, 6 bytes)")
	if s.has("first.mp4") != "a film" {
		t.Errorf("the file holds %q", s.has("first.mp4"))
	}
	s.says("world_session", "export mp4 as:./first.mp4", "+ exported first.mp4") // which this document wrote
	s.says("world_query", "jobs", "job 1: first.mp4: done", "job 2: first.mp4: done")

	s = newFilmed(t, nil, "--limit", "job-wait=100ms") // which is too short for what does not end by itself
	s.says("world_session", `new "A"`)
	s.says("world_session", "render as:./r.mp4 duration:1001", "+ rendered", "job 1: r.mp4: ", "the action job 1 waits for it, cancel 1 ends it, the query jobs lists all")
	s.op("add more", "+ more") // its instance is free
	s.until("world_query", "jobs", "job 1: r.mp4: running, 33 %")
	s.says("world_session", "job 1", "job 1: r.mp4: running")
	before := s.says("world_query", "status")
	s.says("world_session", "render", "ffmpeg is not run: the action has to name the file that it makes, with as:PATH")
	s.says("world_session", "render as:../r.mp4", "outside the allowed folders")
	if after := s.says("world_query", "status"); after != before { // what is not run leaves nothing in the document
		t.Errorf("it stood at\n%s\nand stands at\n%s", before, after)
	}
	// Two would write one file.
	s.says("world_session", "render as:./r.mp4 duration:1001 force", "r.mp4 is not written: it is being made by job 1", "try: world_session job 1", "try: world_session cancel 1")
	s.says("world_session", "render as:./second.mp4 duration:1001", "job 2: second.mp4: ")
	s.until("world_session", "job 2", "job 2: second.mp4: running")
	s.says("world_session", "render as:./third.mp4", "job 3: third.mp4: queued") // two at once
	s.says("world_session", "cancel 2", "job 2: second.mp4: cancelled")
	s.says("world_session", "cancel 1", "job 1: r.mp4: cancelled")
	s.says("world_session", "cancel 1", "it is at its end")
	s.until("world_session", "job 3", "job 3: third.mp4: done")
	s.says("world_session", "cancel x", "cancel needs the number of a job")
	if n := film(t, "1.001"); n > 0 && s.has("r.mp4") != "" {
		t.Errorf("%d processes are left, and the file is there: %q", n, s.has("r.mp4"))
	}
	if left := s.runs(); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

func TestAClosedDocumentsJobGoesOnAndIsTold(t *testing.T) {
	t.Parallel()
	s := newFilmed(t, nil, "--limit", "job-wait=100ms")
	s.says("world_session", `new "A"`)
	s.says("world_session", `new "B"`)
	s.says("world_session", "render as:./r.mp4 duration:1001", "job 1: r.mp4: ")
	s.until("world_session", "job 1", "job 1: r.mp4: running")
	s.says("world_session", `new "C"`)
	if text := s.says("world_session", "close", `closed "C"`); strings.Contains(text, "job") {
		t.Errorf("none was begun for it: %s", text)
	}
	s.says("world_session", "switch B")
	s.says("world_session", "close force", `closed "B"`, "job 1: r.mp4: running, ", "; it goes on, and cancel 1 ends it")
	s.says("world_query", "jobs", "job 1: r.mp4: running")
	s.says("world_session", "cancel 1", "job 1: r.mp4: cancelled")
}

// A client that is gone needs no answer: what it waits for ends at once.
func TestAHostWhoseClientIsGoneWaitsForNoJob(t *testing.T) {
	t.Parallel()
	s := newFilmed(t, nil, "--limit", "job-wait=1h")
	s.says("world_session", `new "A"`)
	s.send("world_session", map[string]any{"action": "render as:./r.mp4 duration:1001"})
	vanishes(t, "the host without its program", func() bool { return len(s.runs()) == 0 })
	s.in.Close()
	s.stdout.Close()
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
	s.cmd = nil
	if left := s.runs(); len(left) > 0 || s.has("r.mp4") != "" {
		t.Errorf("%v are left", left)
	}
}

func TestAFileIsReplacedOnlyByAWholeOne(t *testing.T) {
	t.Parallel()
	s := newFilmed(t, nil)
	s.put("r.mp4", "mine")
	s.says("world_session", `new "A"`)
	s.says("world_session", "render as:./r.mp4", "r.mp4 is there already, and this document did not write it; force at the end of the action replaces it")
	s.says("world_session", "export mp4 as:./r.mp4", "r.mp4 is there already", `export mp4 as:"r.mp4" force replaces it`)
	s.says("world_session", "render as:./r.mp4 duration:1003 force", "r.mp4 is not written: ffmpeg failed with exit code 3: no more film")
	s.says("world_session", "job 1", "job 1: r.mp4: failed", "no more film")
	if s.has("r.mp4") != "mine" {
		t.Errorf("the file holds %q", s.has("r.mp4"))
	}
	s.says("world_session", "export mp4 as:./r.mp4 force", "exported r.mp4 (mp4, 6 bytes)")
	if s.has("r.mp4") != "a film" {
		t.Errorf("the file holds %q", s.has("r.mp4"))
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("beside it lie %v, %v", entries, err)
	}
}

func TestNothingIsRunForAFileThatMayNotBeWritten(t *testing.T) {
	t.Parallel()
	_, args := filmedArgs(t, nil)
	config := args[1]
	f, err := os.OpenFile(config, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(f, "[[plugin]]\nfile = %q\nwrite = false\n", testwasm.World(t))
	f.Close()
	s := startFilmed(t, args[3], args)
	s.says("world_session", `new "A"`)
	s.says("world_session", "export mp4 as:./r.mp4", "r.mp4 cannot be written: the configuration does not grant its plugin to write")
	s.says("world_session", "render as:./r.mp4", "r.mp4 cannot be written: the configuration does not grant its plugin to write")
	s.says("world_query", "jobs", "no jobs")
}

func TestAJobEndsWithItsSessionAndWithTheHost(t *testing.T) {
	t.Parallel()
	s := newFilmed(t, nil, "--limit", "job-wait=100ms")
	s.says("world_session", `new "A"`)
	s.says("world_session", "render as:./r.mp4 duration:1001", "job 1: r.mp4: ")
	s.until("world_session", "job 1", "job 1: r.mp4: running")
	s.in.Close()
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
	s.cmd = nil
	if left := s.runs(); len(left) > 0 || s.has("r.mp4") != "" {
		t.Errorf("%v are left", left)
	}
}

func TestAKilledHostLeavesNoProgramAndTheNextOneSweeps(t *testing.T) {
	t.Parallel()
	s := newFilmed(t, nil, "--limit", "job-wait=100ms")
	s.says("world_session", `new "A"`)
	s.says("world_session", "render as:./r.mp4 duration:1001", "job 1: r.mp4: ")
	s.until("world_session", "job 1", "job 1: r.mp4: running, 33 %")
	left := s.runs()
	if len(left) != 1 {
		t.Fatalf("%v run", left)
	}
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	s.cmd.Wait()
	s.cmd = nil
	gone := func(what string, there func() bool) {
		t.Helper()
		for end := time.Now().Add(time.Minute); there(); {
			if time.Now().After(end) {
				t.Fatalf("%s is still there", what)
			}
		}
	}
	inside := filepath.Join(s.cache, "programs", left[0])
	gone("the program", func() bool {
		users, _ := filepath.Glob("/proc/[0-9]*/cwd")
		for _, u := range users {
			if to, err := os.Readlink(u); err == nil && strings.HasPrefix(to, inside) {
				return true
			}
		}
		return false
	})
	again := &filmed{enter(t, s.args...), s.cache, s.args}
	gone("its folder", func() bool { return len(again.runs()) > 0 })
}

func TestWordsOfOpsNameWhatTheHostGets(t *testing.T) {
	t.Parallel()
	s := newFilmed(t, nil)
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
	s.op("clip ./note.txt", "./note.txt is no file that it takes: .wav .mp4")
	s.op("clip ../x.mp4", "outside the allowed folders")
	s.op("clip /etc/passwd", "outside the allowed folders")
	s.op("clip a")
	if text := s.op("place ./secret.pem"); strings.Contains(text, "a secret") {
		t.Errorf("it was read: %s", text)
	}
	// All or none, and the first that fails is told.
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
	// What was asked for once is known without the file, and undone like all else.
	os.Remove(filepath.Join(s.dir, "note.txt"))
	s.says("world_session", "undo 2", "undid place ./note.txt")
	s.says("world_session", "redo 2", "place ./note.txt")
	s.says("world_query", "map", `bytes ./note.txt note.txt "a note"`)
}

func TestOtherDocumentsAreResourcesAndTwoNeverWaitForEachOther(t *testing.T) {
	t.Parallel()
	s := newFilmed(t, nil)
	s.says("world_session", `new "A" as:a`)
	s.op("add first")
	s.says("world_session", `new "B" as:b`)
	s.op("include a", `+ document a a "#world A\nfirst"`)
	s.op("include nothing")
	s.op("include b") // itself
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
	s := newFilmed(t, nil)
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

func TestWithoutAGrantOpsSayWhichFlagGivesIt(t *testing.T) {
	t.Parallel()
	s := newFilmed(t, []string{"program:ffprobe"})
	s.put("a.mp4", "media")
	s.says("world_session", `new "A"`)
	s.op("clip ./a.mp4", "+ probe")
	s.says("world_session", "export mp4 as:./x.mp4", "export mp4: it needs program:ffmpeg, which is not granted; start fcp-host with --grant world=program:ffmpeg")
	none := newFilmed(t, []string{"program:ffmpeg"})
	none.put("a.mp4", "media")
	none.says("world_session", `new "A"`)
	none.op("clip ./a.mp4", "op 1 (clip ./a.mp4): ./a.mp4: it needs program:ffprobe, which is not granted; start fcp-host with --grant world=program:ffprobe")
	none.says("world_session", "open ./a.mp4", "it needs program:ffprobe, which is not granted", `try: world_session new "a"`)
}

func TestARecoveredDocumentKnowsItsFilesByName(t *testing.T) {
	t.Parallel()
	s := newFilmed(t, nil)
	s.put("a.mp4", "media")
	s.says("world_session", "open ./a.mp4")
	s.put("b.mp4", "other")
	s.op("clip ./b.mp4", "+ probe")
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	s.cmd.Wait()
	s.cmd = nil
	again := enter(t, append(s.args, "--journal-dir", s.dir+"-journal", "--root", s.dir)...)
	next := &filmed{again, s.cache, s.args}
	next.says("world_session", "recover", `recovered "a" (world)`)
	for _, name := range []string{"./a.mp4", "./b.mp4"} { // they lie in another folder than this host was started in
		next.says("world_query", fmt.Sprintf("program ffprobe %s a:-show_format b:{in:0}", name), `"asked"`)
	}
}

func TestFilesThatADocumentMentionsAreInputsOfProgramsAlone(t *testing.T) {
	t.Parallel()
	s := newFilmed(t, nil)
	if err := os.Mkdir(filepath.Join(s.dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	s.put("sub/clip.mp4", "clip")
	s.put("top.mp4", "top")
	s.put("secret.txt", "a secret")
	s.put("sub/d.world", "#world D\nrefers to clip.mp4\nrefers to top.mp4\nrefers to ../secret.txt\nrefers to /etc/passwd\nrefers to ../../out.mp4\nrefers to none.mp4")
	s.says("world_session", "open ./sub/d.world", "opened sub/d.world", "not there, or outside the allowed folders: ../../out.mp4, none.mp4, which the document mentions")
	probed := func(name string) string { return "program ffprobe " + name + " a:-show_format b:{in:0}" }
	s.says("world_query", probed("clip.mp4"), `"bytes":4`)
	s.says("world_query", probed("top.mp4"), `"bytes":3`)
	s.says("world_query", probed("/etc/passwd"), "no file is known as")
	for _, name := range []string{"../secret.txt", "../../out.mp4"} { // they are words of the query, and start in the working folder
		s.says("world_query", probed(name), "outside the allowed folders")
	}
	s.says("world_query", probed("none.mp4"), "no such file")
	for _, tool := range []string{"world_query peek", "world_session do-peek"} { // its bytes are not for the guest
		name, action, _ := strings.Cut(tool, " ")
		if text := s.says(name, action+" clip.mp4 0 4"); strings.Contains(text, `"clip"`) {
			t.Errorf("%s: %s", tool, text)
		}
	}
}

func TestAFileIsToldHowItsMediaAreCalledFromItsFolder(t *testing.T) {
	t.Parallel()
	s := newFilmed(t, nil)
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

func TestWhatBecomesOfTheFilesOfADocumentIsToldOnce(t *testing.T) {
	t.Parallel()
	s := newFilmed(t, nil)
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
	s.says("world_query", "map", "? changed outside since this document took it in, so that what is known of it may be out of date: a.mp4")
	quiet("it was told")
	s.put("a.mp4", "and another")
	if text := s.op("clip ./a.mp4", "+ probe"); strings.Contains(text, "changed outside") {
		t.Errorf("what a call takes in is no news to it: %s", text)
	}
	if err := os.Remove(filepath.Join(s.dir, "b.mp4")); err != nil {
		t.Fatal(err)
	}
	s.op("add one", "? gone, and used by this document: b.mp4")
	quiet("it was told")
	s.put("b.mp4", "other")
	s.says("world_query", "map", "? there again: b.mp4")
	quiet("it was told")
}

func TestWhatAnOpFetchesIsAFactOfItsCall(t *testing.T) {
	t.Parallel()
	url, saw := serving(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "none") {
			http.NotFound(w, r)
			return
		}
		fmt.Fprintf(w, "%s %s", r.Method, r.URL.EscapedPath())
	})
	a := enter(t, worldConfig(t, url, worldKey, `grant = ["http:api"]`)...)
	a.request("tools/list", map[string]any{}, nil)
	s := &filmed{arena: a}
	s.says("world_session", `new "A"`)
	a.must("world", map[string]any{"ops": []string{"node chat", "add x", "node chat"}})
	a.must("world", map[string]any{"ops": []string{"node chat", "node chat", "add y"}})
	s.says("world_query", "map", `fetch chat  "GET /nodes/chat"`)
	if n := saw.count("GET /nodes/chat"); n != 2 { // once a call
		t.Errorf("%d requests", n)
	}
	s.op("node none", "op 1 (node none): the server answers 404") // so the domain says
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

func TestTheOpThatEndsAnInstanceIsFoundWithoutFetchingAnew(t *testing.T) {
	t.Parallel()
	url, saw := serving(t, echoed)
	a := enter(t, worldConfig(t, url, worldKey, `grant = ["http:api"]`)...)
	a.request("tools/list", map[string]any{}, nil)
	s := &filmed{arena: a}
	s.says("world_session", `new "A"`)
	endless := "add " + strings.Repeat("x", 8000) + " n:100000" // more than the memory of an instance
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

// overHTTP is a session of a server over HTTP.
type overHTTP struct {
	t       *testing.T
	url, id string
}

func newOverHTTP(t *testing.T, url string) *overHTTP {
	t.Helper()
	h := &overHTTP{t: t, url: url}
	h.send("POST", hello)
	if h.id == "" {
		t.Fatal("no session")
	}
	return h
}

func (h *overHTTP) send(method, body string) string {
	h.t.Helper()
	r, err := http.NewRequestWithContext(h.t.Context(), method, h.url, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if h.id != "" {
		r.Header.Set("Mcp-Session-Id", h.id)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		h.t.Fatal(err)
	}
	defer resp.Body.Close()
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
		h.id = id
	}
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return string(data)
}

// says calls a tool, whose answer has to hold a text.
func (h *overHTTP) says(tool, key, text, want string) {
	h.t.Helper()
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": map[string]any{key: text}}})
	if err != nil {
		h.t.Fatal(err)
	}
	if got := h.send("POST", string(line)); !strings.Contains(got, want) {
		h.t.Errorf("%s %s lacks %q: %s", tool, text, want, got)
	}
}

func TestAJobIsKnownToItsSessionAloneAndEndsWithIt(t *testing.T) {
	t.Parallel()
	cache, args := filmedArgs(t, nil)
	url := serveHTTP(t, append(args, "--http", "127.0.0.1:0", "--http-open", "--limit", "job-wait=100ms")...)
	one, other := newOverHTTP(t, url), newOverHTTP(t, url)
	one.send("POST", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	one.says("world_session", "action", `new "A"`, "new world document")
	one.says("world_session", "action", "render as:./r.mp4 duration:1001", "job 1: r.mp4: ")
	other.says("world_query", "q", "jobs", "no jobs")
	other.says("world_session", "action", "job 1", "there is no job 1; this session has none")
	other.says("world_session", "action", "cancel 1", "there is no job 1; this session has none")
	one.says("world_query", "q", "jobs", "job 1: r.mp4: ")
	one.send("DELETE", "")
	for end := time.Now().Add(time.Minute); ; {
		if left, _ := os.ReadDir(filepath.Join(cache, "programs")); len(left) == 0 {
			break
		} else if time.Now().After(end) {
			t.Fatalf("%v are left", left)
		}
	}
}

func TestAClientIsToldHowFarAJobIs(t *testing.T) {
	t.Parallel()
	s := newFilmed(t, nil, "--limit", "job-wait=5s")
	s.says("world_session", `new "A"`)
	fmt.Fprintln(s.in, `{"jsonrpc":"2.0","id":900,"method":"tools/call","params":{"name":"world_session","arguments":{"action":"render as:./r.mp4 duration:1001"},"_meta":{"progressToken":"p"}}}`)
	for {
		line, err := s.out.ReadBytes('\n')
		if err != nil {
			t.Fatal(err)
		}
		var m struct {
			ID     int
			Method string
			Params struct {
				Progress, Total float64
				Message         string
			}
		}
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatal(err)
		}
		if m.ID == 900 {
			t.Fatalf("it was not told: %s", line)
		}
		if m.Method == "notifications/progress" {
			if m.Params.Total != 100 || int(m.Params.Progress) != 33 || !strings.HasPrefix(m.Params.Message, "job 1: r.mp4: running, 33 %") {
				t.Errorf("%s", line)
			}
			break
		}
	}
	s.wait(900)
}

// What real programs do with what a plugin, or a file, has them do.
func TestJudgeFfmpegOfADomainReachesNothingButItsFiles(t *testing.T) {
	t.Parallel()
	judge.Program(t, "ffmpeg")
	judge.Program(t, "ffprobe")
	cache, args := realArgs(t, "off", nil)
	s := startFilmed(t, cache, args)
	if out, err := exec.Command("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=d=2", filepath.Join(s.dir, "a.wav")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	secret := s.put("secret.mp4", "root:x:0:0")
	s.put("list.mp4", "ffconcat version 1.0\nfile "+secret+"\nfile /etc/passwd\n")
	s.put("play.mp4", "#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n")
	s.says("world_session", `open ./a.wav`, "new world document")
	s.says("world_query", "map", `\"codec_name\": \"pcm_s16le\"`)
	s.says("world_query", "measure ./a.wav", "2.000000")
	for _, words := range [][]string{
		{"-i", "/etc/passwd"}, {"-i", "file:/etc/passwd"}, {"-i", secret}, {"-f", "concat", "-safe", "0", "-i", "/etc/passwd"}, {"-i", "concat:/etc/passwd|/etc/hostname"},
		{"-i", "subfile,,start,0,end,100,,:/etc/passwd"}, {"-i", "http://127.0.0.1:1/"}, {"-i", "tcp://127.0.0.1:1"}, {"-i", "unix:/tmp/x"}, {"-i", "../../../../etc/passwd"},
		{"-f", "lavfi", "-i", "movie=/etc/passwd"}, {"-f", "lavfi", "-i", "amovie=" + secret}, {"-f", "lavfi", "-i", "sine,ladspa=file=/etc/passwd:amp"}, {"-report", "-i", "/etc/passwd"},
		{"-f", "data", "-show_packets", "-show_data", "-i", "/etc/passwd"}, {"-i", "/proc/self/environ"}, {"-i", "/proc/1/cmdline"}, {"-i", "async:/etc/passwd"}, {"-i", "crypto:/etc/passwd"},
		{"-i", "cache:file:/etc/passwd"}, {"-show_entries", "format", "-i", "pipe:0"},
	} {
		arguments := ""
		for i, word := range words {
			arguments += fmt.Sprintf(" a%d:%q", i, word)
		}
		text := s.says("world_query", "program ffprobe"+arguments)
		if !strings.Contains(text, "ffprobe failed") || strings.Contains(text, "root:") {
			t.Errorf("ffprobe%s: %s", arguments, text)
		}
	}
	for _, name := range []string{"list.mp4", "play.mp4"} { // what an input says of other files
		for _, format := range []string{"", "a:-f b:concat c:-safe d:0 ", "a:-f b:hls c:-allowed_extensions d:ALL c2:-protocol_whitelist d2:file,crypto,data "} {
			text := s.says("world_query", "program ffprobe ./"+name+" "+format+"x:-i y:{in:0} z:-show_packets")
			if !strings.Contains(text, "failed") || strings.Contains(text, "root:") {
				t.Errorf("%s %s: %s", name, format, text)
			}
		}
	}
	// An input that poses as an option stays one.
	s.put("-i.wav", "not media")
	s.op("clip ./-i.wav", "ffprobe failed")
	s.says("world_session", "render as:./r.mp4 duration:2000", "+ exported r.mp4")
	s.says("world_query", "jobs", "job 1: r.mp4: done")
	s.op("clip ./r.mp4", `\"codec_name\": \"h264\"`)
	s.says("world_session", "save as:./final.mp4 format:mp4", "+ exported final.mp4 (mp4")
}
