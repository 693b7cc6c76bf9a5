package program

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Job is a job in progress or ended.
type Job struct {
	jobs   *Jobs
	cancel context.CancelFunc
	after  time.Duration
	done   chan struct{} // closed when it ends
	saves  []Save

	status Status // guarded by jobs.mu
}

// do waits for a turn and does the work.
func (job *Job) do(ctx context.Context, w Work) {
	defer close(job.done)
	defer job.cancel()
	var stderr string
	var err error
	select {
	case job.jobs.turns <- struct{}{}:
		job.update(func(s *Status) {
			job.jobs.queued--
			s.State, s.Began = Running, time.Now()
		})
		stderr, err = job.work(ctx, w)
		<-job.jobs.turns
	case <-ctx.Done():
		w.Close()
		err = fmt.Errorf("%s %w", w.Run.Program.Name, ErrCancelled)
		job.update(func(*Status) { job.jobs.queued-- })
	}
	job.update(func(s *Status) {
		s.State, s.Ended, s.Err, s.Stderr = Done, time.Now(), err, stderr
		switch {
		case errors.Is(err, ErrCancelled):
			s.State = Cancelled
		case err != nil:
			s.State = Failed
		}
	})
}

// work runs the program and saves its outputs. If it is cancelled before the first file is saved, it saves none.
func (job *Job) work(ctx context.Context, w Work) (stderr string, err error) {
	tell := w.Run.Progress
	w.Run.Progress = func(m map[string]string) {
		job.update(func(s *Status) { s.Progress = maps.Clone(m) })
		if tell != nil {
			tell(m)
		}
	}
	w.Run.Args = withProgress(w.Run.Program.Name, w.Run.Args)
	p, err := job.jobs.runner.Start(ctx, w.Run)
	if err != nil {
		return "", err
	}
	defer p.Close()
	result, err := p.Wait()
	if err != nil {
		return result.Stderr, err
	}
	if ctx.Err() != nil {
		return result.Stderr, fmt.Errorf("%s %w", w.Run.Program.Name, ErrCancelled)
	}
	if w.Expect != nil {
		made, err := job.jobs.runner.countStreams(ctx, w.Run, result.Outputs[0])
		if err == nil {
			err = w.Expect.compare(made, w.Duration)
		}
		if err != nil {
			return result.Stderr, err
		}
	}
	job.update(func(s *Status) { s.State = Saving })
	for _, save := range w.Saves {
		stamp, err := w.Roots.WriteFrom(save.Path, result.Outputs[save.Output], save.Over)
		if w.Wrote != nil {
			w.Wrote(save.Path, stamp)
		}
		if err != nil {
			return result.Stderr, err
		}
		job.update(func(s *Status) { s.Saved, s.Bytes = append(s.Saved, save.Path), s.Bytes+stamp.Size })
	}
	return result.Stderr, nil
}

// withProgress adds arguments that make ffmpeg report its progress and overwrite its outputs, which already exist.
func withProgress(name string, args []string) []string {
	if name != "ffmpeg" || slices.Contains(args, "-progress") {
		return args
	}
	return append([]string{"-y", "-progress", "pipe:1"}, args...)
}

func (job *Job) update(change func(*Status)) {
	job.jobs.mu.Lock()
	defer job.jobs.mu.Unlock()
	change(&job.status)
}

// Status returns the job's current status.
func (job *Job) Status() Status {
	job.jobs.mu.Lock()
	defer job.jobs.mu.Unlock()
	return job.status.clone()
}

func (s Status) clone() Status {
	s.Progress, s.Saved = maps.Clone(s.Progress), append([]string(nil), s.Saved...)
	return s
}

// Await waits for the job's end, but at most as long as NewJobs was told and until ctx is done: then the caller reports
// the job's number and leaves it running.
func (job *Job) Await(ctx context.Context) Status {
	late := time.NewTimer(job.after)
	defer late.Stop()
	select {
	case <-job.done:
	case <-late.C:
	case <-ctx.Done():
	}
	return job.Status()
}

// Done returns a channel that is closed at the job's end.
func (job *Job) Done() <-chan struct{} { return job.done }
