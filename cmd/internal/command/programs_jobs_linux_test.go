package command

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestAJobIsWaitedForAWhileAndThenKnownByItsNumber(t *testing.T) {
	t.Parallel()
	s := newProgramHost(t, nil)
	s.says("world_session", `new "A"`)
	s.says("world_query", "jobs", "no jobs")
	s.says("world_session", "job 1", "there is no job 1")
	s.says("world_session", "export mp4 as:./first.mp4", "+ exported first.mp4 (mp4, 6 bytes)")
	if s.has("first.mp4") != "a film" {
		t.Errorf("the file holds %q", s.has("first.mp4"))
	}
	s.says("world_session", "export mp4 as:./first.mp4", "+ exported first.mp4") // this document wrote the file
	s.says("world_query", "jobs", "job 1: first.mp4: done", "job 2: first.mp4: done")

	s = newProgramHost(t, nil, "--limit", "job-wait=100ms") // too short for a job that does not end by itself
	s.says("world_session", `new "A"`)
	s.says("world_session", "render as:./r.mp4 duration:1001", "rendered", "job 1: r.mp4: ", "the action job 1 waits for it, cancel 1 ends it, the query jobs lists all")
	s.op("add more", "+ more") // the document's instance is free
	s.until("world_query", "jobs", "job 1: r.mp4: running, 33 %")
	s.says("world_session", "job 1", "job 1: r.mp4: running")
	before := s.says("world_query", "status")
	s.says("world_session", "render", "ffmpeg is not run: the action must name the file that it makes, with as:PATH")
	s.says("world_session", "render as:../r.mp4", "outside the allowed folders")
	if after := s.says("world_query", "status"); after != before { // a refused job leaves nothing in the document
		t.Errorf("it stood at\n%s\nand stands at\n%s", before, after)
	}
	// Two jobs must not write one file.
	s.says("world_session", "render as:./r.mp4 duration:1001 force", "r.mp4 is not written: it is being made by job 1", "try: world_session job 1", "try: world_session cancel 1")
	s.says("world_session", "render as:./second.mp4 duration:1001", "job 2: second.mp4: ")
	s.until("world_session", "job 2", "job 2: second.mp4: running")
	s.says("world_session", "render as:./third.mp4", "job 3: third.mp4: queued") // two run at a time
	s.says("world_session", "cancel 2", "job 2: second.mp4: cancelled")
	s.says("world_session", "cancel 1", "job 1: r.mp4: cancelled")
	s.says("world_session", "cancel 1", "it has already ended")
	s.until("world_session", "job 3", "job 3: third.mp4: done")
	s.says("world_session", "cancel x", "cancel needs the number of a job")
	if n := countFilms(t, "1.001"); n > 0 && s.has("r.mp4") != "" {
		t.Errorf("%d processes are left, and the file is there: %q", n, s.has("r.mp4"))
	}
	if left := s.runs(); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

func TestAClosedDocumentsJobGoesOnAndIsReported(t *testing.T) {
	t.Parallel()
	s := newProgramHost(t, nil, "--limit", "job-wait=100ms")
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

// A disconnected client needs no answer: its jobs end at once.
func TestAHostWhoseClientIsGoneWaitsForNoJob(t *testing.T) {
	t.Parallel()
	s := newProgramHost(t, nil, "--limit", "job-wait=1h")
	s.says("world_session", `new "A"`)
	s.send("world_session", map[string]any{"action": "render as:./r.mp4 duration:1001"})
	waitUntilGone(t, "the host without its program", func() bool { return len(s.runs()) == 0 })
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

func TestAJobEndsWithItsSessionAndWithTheHost(t *testing.T) {
	t.Parallel()
	s := newProgramHost(t, nil, "--limit", "job-wait=100ms")
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

func TestAKilledHostLeavesNoProgramAndTheNextOneCleansUp(t *testing.T) {
	t.Parallel()
	s := newProgramHost(t, nil, "--limit", "job-wait=100ms")
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
	again := &programHost{startArena(t, s.args...), s.cache, s.args}
	gone("its folder", func() bool { return len(again.runs()) > 0 })
}

func TestAJobIsKnownToItsSessionAloneAndEndsWithIt(t *testing.T) {
	t.Parallel()
	cache, args := programArgs(t, nil)
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

func TestAClientGetsTheProgressOfAJob(t *testing.T) {
	t.Parallel()
	s := newProgramHost(t, nil, "--limit", "job-wait=5s")
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
