package program

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/host/files"
)

// jobFolder is a folder in which jobs save.
type jobFolder struct {
	*Jobs
	t     *testing.T
	dir   string
	roots *files.Roots
}

func newJobFolder(t *testing.T, most int, after time.Duration) *jobFolder {
	t.Helper()
	s := &jobFolder{Jobs: NewJobs(newRunner(t), most, after), t: t, dir: t.TempDir()}
	t.Cleanup(s.Close)
	var err error
	if s.roots, err = files.NewRoots(s.dir); err != nil {
		t.Fatal(err)
	}
	return s
}

// work returns a run of the attacker whose first output goes to a file of that name.
func (s *jobFolder) work(name string, over files.Over, args ...string) Work {
	s.t.Helper()
	path, err := s.roots.Resolve(name)
	if err != nil {
		s.t.Fatal(err)
	}
	return Work{Title: name, Run: attacker(s.t, args...), Roots: s.roots, Saves: []Save{{Path: path, Over: over}}}
}

func (s *jobFolder) start(session string, w Work) *Job {
	s.t.Helper()
	job, err := s.Start(session, w)
	if err != nil {
		s.t.Fatal(err)
	}
	return job
}

// startAndWait starts a job and waits until its program has reported that it is ready.
func (s *jobFolder) startAndWait(session string, w Work) *Job {
	s.t.Helper()
	ready := make(chan struct{}, 1)
	w.Run.Progress = func(map[string]string) { ready <- struct{}{} }
	job := s.start(session, w)
	<-ready
	return job
}

// names lists the folder, to find what was left behind.
func (s *jobFolder) names() string {
	s.t.Helper()
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		s.t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

func (s *jobFolder) text(name string) string {
	s.t.Helper()
	data, err := os.ReadFile(filepath.Join(s.dir, name))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(data)
}

func TestAJobSavesWhatItsProgramWrote(t *testing.T) {
	s := newJobFolder(t, 0, time.Hour)
	job := s.start("a", s.work("film.mp4", files.Over{}, "write", "{out:0}", "a film"))
	status := job.Await(context.Background())
	if status.State != Done || status.Err != nil || status.ID != 1 || len(status.Saved) != 1 || status.Progress["state"] != "ready" {
		t.Errorf("%+v", status)
	}
	if s.text("film.mp4") != "a film" || s.names() != "film.mp4" {
		t.Errorf("%q in %s", s.text("film.mp4"), s.names())
	}
	if left, err := os.ReadDir(s.runner.dir); err != nil || len(left) > 0 {
		t.Errorf("%v %v are left behind", left, err)
	}
}

func TestAFileIsMadeByOneJobAtATime(t *testing.T) {
	s := newJobFolder(t, 0, time.Hour)
	first := s.startAndWait("a", s.work("film.mp4", files.Over{}, "block"))
	for session, id := range map[string]int{"a": 1, "b": 0} {
		taken := new(TakenError)
		if _, err := s.Start(session, s.work("film.mp4", files.Over{Any: true}, "block")); !errors.As(err, &taken) || taken.ID != id {
			t.Errorf("in session %s: %v", session, err)
		}
	}
	if _, err := s.Cancel("a", first.Status().ID); err != nil {
		t.Fatal(err)
	}
	if status := s.start("b", s.work("film.mp4", files.Over{}, "write", "{out:0}", "a film")).Await(context.Background()); status.State != Done {
		t.Errorf("%+v", status)
	}
}

func TestAJobReplacesOnlyFilesThatItMay(t *testing.T) {
	s := newJobFolder(t, 0, time.Hour)
	put := func(name string) {
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte("mine"), 0o644); err != nil {
			t.Error(err)
		}
	}
	put("film.mp4")
	w := s.work("film.mp4", files.Over{}, "write", "{out:0}", "a film")
	if _, err := s.Start("a", w); !errors.Is(err, files.ErrThere) {
		t.Errorf("it was begun: %v", err)
	}
	// It does not replace a file that appears while the program runs, either.
	w = s.work("late.mp4", files.Over{}, "write", "{out:0}", "a film")
	w.Run.Progress = func(map[string]string) { put("late.mp4") }
	if status := s.start("a", w).Await(context.Background()); status.State != Failed || !errors.Is(status.Err, files.ErrThere) {
		t.Errorf("%+v", status)
	}
	if s.text("film.mp4") != "mine" || s.text("late.mp4") != "mine" {
		t.Error("a file was replaced")
	}
	if status := s.start("a", s.work("film.mp4", files.Over{Any: true}, "write", "{out:0}", "a film")).Await(context.Background()); status.State != Done || s.text("film.mp4") != "a film" {
		t.Errorf("%+v", status)
	}
	if s.names() != "film.mp4 late.mp4" {
		t.Errorf("there are %s", s.names())
	}
}

func TestAJobThatFailsWritesNothingAndSaysWhy(t *testing.T) {
	s := newJobFolder(t, 0, time.Hour)
	status := s.start("a", s.work("film.mp4", files.Over{}, "fail")).Await(context.Background())
	if status.State != Failed || status.Err == nil || !strings.Contains(status.Err.Error(), "attacker failed with exit code 3") || !strings.Contains(status.Stderr, "first") {
		t.Errorf("%+v", status)
	}
	status = s.start("a", s.work("film.mp4", files.Over{}, "look", "{in:7}")).Await(context.Background())
	if status.State != Failed || status.Err == nil || !strings.Contains(status.Err.Error(), "name {in:7}") {
		t.Errorf("%+v", status)
	}
	if s.names() != "" {
		t.Errorf("there are %s", s.names())
	}
	w := s.work("film.mp4", files.Over{}, "look")
	w.Saves[0].Output = 1
	if _, err := s.Start("a", w); err == nil || !strings.Contains(err.Error(), "it has no output 1") {
		t.Error(err)
	}
}

func TestJobsWaitForTheirTurnAndAreSeenOnlyByTheirSession(t *testing.T) {
	s := newJobFolder(t, 1, time.Nanosecond)
	first := s.startAndWait("a", s.work("1.mp4", files.Over{}, "block"))
	if status := first.Await(context.Background()); status.State != Running || status.Began.IsZero() || !status.Ended.IsZero() {
		t.Errorf("%+v", status)
	}
	second := s.start("a", s.work("2.mp4", files.Over{}, "write", "{out:0}", "2"))
	third := s.start("b", s.work("3.mp4", files.Over{}, "block"))
	list := s.List("a")
	if len(list) != 2 || list[0].ID != 1 || list[1].ID != 2 || list[1].State != Queued || list[1].Title != "2.mp4" {
		t.Errorf("%+v", list)
	}
	if third.Status().ID != 1 || len(s.List("c")) != 0 {
		t.Errorf("%+v %+v", third.Status(), s.List("c"))
	}
	for session, want := range map[string]string{"a": "there is no job 3; there are 1, 2", "c": "this session has none"} {
		if _, err := s.Cancel(session, 3); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", session, err)
		}
	}
	// A queued job is cancelled before it begins.
	if status, err := s.Cancel("b", 1); err != nil || status.State != Cancelled || !status.Began.IsZero() {
		t.Errorf("%+v %v", status, err)
	}
	if status, err := s.Cancel("a", 1); err != nil || status.State != Cancelled || !strings.Contains(status.Err.Error(), "was cancelled") {
		t.Errorf("%+v %v", status, err)
	}
	<-second.Done()
	if status := second.Status(); status.State != Done || s.names() != "2.mp4" {
		t.Errorf("%+v, there are %s", status, s.names())
	}
}

func TestASessionThatEndsTakesItsJobsAlong(t *testing.T) {
	s := newJobFolder(t, 2, time.Hour)
	a := s.startAndWait("a", s.work("a.mp4", files.Over{}, "block"))
	b := s.startAndWait("b", s.work("b.mp4", files.Over{}, "block"))
	s.End("a")
	if a.Status().State != Cancelled || b.Status().State != Running || len(s.List("a")) != 0 {
		t.Errorf("%+v %+v", a.Status(), b.Status())
	}
	s.Close()
	if b.Status().State != Cancelled || s.names() != "" {
		t.Errorf("%+v, there are %s", b.Status(), s.names())
	}
	if _, err := s.Start("b", s.work("b.mp4", files.Over{}, "block")); err == nil || !strings.Contains(err.Error(), "stopping") {
		t.Error(err)
	}
}

func TestTheJobsOfASessionAreLimited(t *testing.T) {
	s := newJobFolder(t, 1, time.Hour)
	for i := range maxOpen {
		s.start("a", s.work(strconv.Itoa(i)+".mp4", files.Over{}, "block"))
	}
	if _, err := s.Start("a", s.work("a.mp4", files.Over{}, "block")); err == nil || !strings.Contains(err.Error(), "8 jobs of this session are not finished yet") {
		t.Error(err)
	}
	for id := range maxOpen {
		if _, err := s.Cancel("a", id+1); err != nil {
			t.Error(err)
		}
	}
	for range keptJobs {
		<-s.start("a", s.work("a.mp4", files.Over{Any: true}, "fail")).Done()
	}
	list := s.List("a")
	if len(list) != keptJobs || list[len(list)-1].ID != maxOpen+keptJobs {
		t.Errorf("%d are kept, the last is %d", len(list), list[len(list)-1].ID)
	}
}
