package program

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Set holds a host's programs: where to find them, the folder they run in, and their jobs. It creates nothing before
// the first run. The zero Set has no folder, so it runs nothing.
type Set struct {
	Finder Finder
	Dir    string        // the folder for the folders of runs
	Most   int           // concurrent jobs; 0 for 2
	After  time.Duration // how long Job.Await waits; 0 for 20 s
	Memory uint64        // address space of a program in bytes; 0 for 4 GiB

	mu     sync.Mutex
	found  map[string]Program // the first result of Find is kept, so that a program cannot be replaced
	runner *Runner
	jobs   *Jobs
	turns  chan struct{} // tokens of Run
	closed bool
}

// mostRuns is how many programs run at once for calls that wait for them.
const mostRuns = 4

// Find looks up a program, once for each name.
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

// bound sets a run's memory limit if it has none of its own.
func (s *Set) bound(run *Run) {
	if run.Limits.Memory == 0 {
		run.Limits.Memory = s.Memory
	}
}

// Start looks up the program and starts work like Jobs.Start.
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

// open creates the runner at the first call.
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

// Sweep removes folders that dead hosts left behind.
func (s *Set) Sweep() error {
	_, _, err := s.open()
	return err
}

// Jobs returns the jobs of all sessions; nil if none was ever started.
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
