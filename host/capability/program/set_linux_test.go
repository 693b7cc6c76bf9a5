package program

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fcp-host/fcp-host/host/files"
)

// newSet has the attacker as the program "tool".
func newSet(t *testing.T) *Set {
	t.Helper()
	if err := Available(); err != nil {
		t.Skip(err)
	}
	s := &Set{Finder: Finder{Paths: map[string]string{"tool": self(t).Path}}, Dir: filepath.Join(t.TempDir(), "programs"), After: time.Hour}
	t.Cleanup(s.Close)
	return s
}

func tool(args ...string) Run {
	return Run{Program: Program{Name: "tool"}, Args: append([]string{attackArg}, args...)}
}

func TestASetCreatesNothingBeforeAProgramRuns(t *testing.T) {
	s := newSet(t)
	if _, err := s.Find("tool"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(s.Dir); !os.IsNotExist(err) || s.Jobs() != nil {
		t.Errorf("%v, %v", err, s.Jobs())
	}
	run := tool("look")
	run.Program.Path = "/bin/false" // the Set ignores it and looks up the program itself
	res, err := s.Run(t.Context(), run)
	if err != nil || string(res.Stdout) != "0 3\n" {
		t.Errorf("%+v, %v", res, err)
	}
	if left, err := os.ReadDir(s.Dir); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
}

func TestAProgramIsLookedUpOnce(t *testing.T) {
	s := newSet(t)
	first, err := s.Find("tool")
	if err != nil {
		t.Fatal(err)
	}
	s.Finder.Paths["tool"] = "/no/such/program"
	if again, err := s.Find("tool"); err != nil || again.Path != first.Path {
		t.Errorf("%+v, %v", again, err)
	}
	if _, err := s.Find("other"); err == nil || !strings.Contains(err.Error(), `program "other" is not one that the host knows`) {
		t.Errorf("%v", err)
	}
}

func TestASetSweepsWhatADeadHostLeft(t *testing.T) {
	s := newSet(t)
	left := filepath.Join(s.Dir, folderPrefix+"1")
	if err := os.MkdirAll(left, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := s.Sweep(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("it is there: %v", err)
	}
}

func TestProgramsThatCallsWaitForTakeTurns(t *testing.T) {
	s := newSet(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	for range mostRuns {
		go func() {
			_, err := s.Run(ctx, tool("block"))
			ended <- err
		}()
	}
	for { // until all have their turns
		s.mu.Lock()
		full := len(s.turns) == mostRuns
		s.mu.Unlock()
		if full {
			break
		}
	}
	late, stop := context.WithTimeout(t.Context(), time.Millisecond)
	defer stop()
	if _, err := s.Run(late, tool("look")); !errors.Is(err, ErrCancelled) {
		t.Errorf("one more: %v", err)
	}
	cancel()
	for range mostRuns {
		if err := <-ended; !errors.Is(err, ErrCancelled) {
			t.Errorf("%v", err)
		}
	}
	if _, err := s.Run(t.Context(), tool("look")); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestAClosedSetAndOneWithoutAFolderRunNothing(t *testing.T) {
	s := newSet(t)
	s.Close()
	roots, err := files.NewRoots(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Start("a", Work{Run: tool("look"), Roots: roots}); err == nil || err.Error() != "the host is stopping" {
		t.Errorf("%v", err)
	}
	s.Dir, s.runner = "", nil
	if _, err := s.Run(t.Context(), tool("look")); err == nil || !strings.Contains(err.Error(), "name one with --cache") {
		t.Errorf("%v", err)
	}
}

func TestAJobReportsItsProgress(t *testing.T) {
	for _, tt := range []struct {
		s    Status
		part float64
		ok   bool
	}{
		{Status{State: Running, Duration: time.Second, Progress: map[string]string{"out_time_us": "250000"}}, 0.25, true},
		{Status{State: Running, Duration: time.Second, Progress: map[string]string{"out_time_us": "2500000"}}, 1, true},
		{Status{State: Running, Duration: time.Second, Progress: map[string]string{"out_time_us": "-5"}}, 0, true},
		{Status{State: Running, Duration: time.Second, Progress: map[string]string{"out_time_us": "N/A"}}, 0, false},
		{Status{State: Running, Progress: map[string]string{"out_time_us": "250000"}}, 0, false},
		{Status{State: Queued, Duration: time.Second}, 0, false},
		{Status{State: Done}, 1, true},
	} {
		if part, ok := tt.s.Part(); part != tt.part || ok != tt.ok {
			t.Errorf("%+v: %v %v", tt.s, part, ok)
		}
	}
}
