package program

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Set is the programs of a host: where they are found, the folder that they run in, their jobs. Nothing is made before the first
// program is to run. The zero Set has no folder, and so runs none.
type Set struct {
	Finder Finder
	Dir    string        // where the folders of runs are made
	Most   int           // jobs at once, 0 for 2
	After  time.Duration // how long Job.Await waits, 0 for 20 s
	Memory uint64        // address space of a program, 0 for 4 GiB

	mu     sync.Mutex
	found  map[string]Program // as it was found first: nobody slips in another one
	runner *Runner
	jobs   *Jobs
	turns  chan struct{} // of Run
	closed bool
}

// mostRuns is how many programs run at once whose callers wait for them.
const mostRuns = 4

// Find looks up a program, once.
func (s *Set) Find(name string) (Program, error) {
	if err := Available(); err != nil {
		return Program{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if p, ok := s.found[name]; ok {
		return p, nil
	}
	p, err := s.Finder.Find(name)
	if err != nil {
		return p, err
	}
	if s.found == nil {
		s.found = map[string]Program{}
	}
	s.found[name] = p
	return p, nil
}

// Run runs a program to its end, a few at once.
func (s *Set) Run(ctx context.Context, run Run) (*Result, error) {
	w := Work{Run: run}
	p, err := s.Find(run.Program.Name)
	if err != nil {
		w.Close()
		return nil, err
	}
	run.Program = p
	s.bound(&run)
	r, _, err := s.open()
	if err != nil {
		w.Close()
		return nil, err
	}
	select {
	case s.turns <- struct{}{}:
		defer func() { <-s.turns }()
	case <-ctx.Done():
		w.Close()
		return nil, fmt.Errorf("%s %w", run.Program.Name, ErrCancelled)
	}
	process, err := r.Start(ctx, run)
	if err != nil {
		return nil, err
	}
	defer process.Close()
	return process.Wait()
}

// bound gives a run the memory of all, where it says nothing of its own.
func (s *Set) bound(run *Run) {
	if run.Limits.Memory == 0 {
		run.Limits.Memory = s.Memory
	}
}

// Start begins work as Jobs.Start does, and looks up its program.
func (s *Set) Start(session string, w Work) (*Job, error) {
	p, err := s.Find(w.Run.Program.Name)
	if err != nil {
		w.Close()
		return nil, err
	}
	w.Run.Program = p
	s.bound(&w.Run)
	_, jobs, err := s.open()
	if err != nil {
		w.Close()
		return nil, err
	}
	return jobs.Start(session, w)
}

// open makes the runner, where there is none.
func (s *Set) open() (*Runner, *Jobs, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.runner == nil && s.Dir == "" {
		return nil, nil, errors.New("there is no folder to run programs in; name one with --cache")
	}
	if s.runner == nil {
		r, err := NewRunner(s.Dir)
		if err != nil {
			return nil, nil, err
		}
		s.runner, s.jobs, s.turns = r, NewJobs(r, s.Most, s.After), make(chan struct{}, mostRuns)
		if s.closed {
			s.jobs.Close()
		}
	}
	return s.runner, s.jobs, nil
}

// Sweep removes what runs of a host that died have left.
func (s *Set) Sweep() error {
	_, _, err := s.open()
	return err
}

// Jobs are the jobs of all sessions, nil where none was ever begun.
func (s *Set) Jobs() *Jobs {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.jobs
}

// Close cancels all jobs and waits for their ends.
func (s *Set) Close() {
	s.mu.Lock()
	s.closed = true
	jobs := s.jobs
	s.mu.Unlock()
	if jobs != nil {
		jobs.Close()
	}
}
