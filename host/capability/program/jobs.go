package program

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fcp-host/fcp-host/host/files"
)

// Work is what a job does: it runs a program and then puts outputs where the user's command said.
type Work struct {
	Title string // for lists, such as the name of the file
	For   string // the document that it was begun for
	Run   Run    // its Progress is told as well
	Saves []Save
	Roots *files.Roots // where the saves are allowed

	Duration time.Duration                        // of what it makes, 0 where that is not known
	Wrote    func(path string, stamp files.Stamp) // is told of each file that was written, before the job is at its end; may be nil
}

// Save puts an output to a path.
type Save struct {
	Output int    // counted from 0
	Path   string // from Roots.Resolve
	Over   files.Over
}

// State is where a job is.
type State string

// The states of a job, in their order; the last three are final.
const (
	Queued    State = "queued"
	Running   State = "running"
	Saving    State = "saving"
	Done      State = "done"
	Failed    State = "failed"
	Cancelled State = "cancelled"
)

// Status is what is known of a job. It is the reader's own.
type Status struct {
	ID       int // counted from 1 in each session
	Title    string
	For      string
	State    State
	Progress map[string]string // the last that the program told
	Began    time.Time         // zero while it is queued
	Ended    time.Time         // zero before its end
	Duration time.Duration     // of what it makes, 0 where that is not known
	Saved    []string          // the paths that were written, also where a later one failed
	Bytes    int64             // that they hold
	Err      error             // why it failed or was cancelled
	Stderr   string            // the end of what the program said
}

// Part is how much is done, from 0 to 1; ok is false where that is not known.
func (s Status) Part() (part float64, ok bool) {
	us, err := strconv.ParseInt(s.Progress["out_time_us"], 10, 64)
	if s.State == Done || s.State == Saving {
		return 1, true
	}
	if err != nil || s.Duration <= 0 {
		return 0, false
	}
	return min(max(float64(us)/float64(s.Duration.Microseconds()), 0), 1), true
}

// Final reports whether nothing more will happen.
func (s Status) Final() bool { return s.State == Done || s.State == Failed || s.State == Cancelled }

const (
	maxQueued = 32 // jobs of all sessions that wait
	maxOpen   = 8  // jobs of a session that are not at their end
	keptJobs  = 20 // of a session that are
)

// Jobs runs work for sessions, a few at once. A session sees its own.
type Jobs struct {
	runner *Runner
	ctx    context.Context
	cancel context.CancelFunc
	turns  chan struct{} // holds one for each job that runs
	after  time.Duration
	all    sync.WaitGroup

	mu       sync.Mutex // guards what follows, and the jobs' statuses
	queued   int
	sessions map[string]*sessionJobs
}

type sessionJobs struct {
	last int
	jobs []*Job
}

// Job is a piece of work under way.
type Job struct {
	jobs   *Jobs
	cancel context.CancelFunc
	after  time.Duration
	done   chan struct{} // closed at its end
	saves  []Save

	status Status // guarded by jobs.mu
}

// TakenError says that a file is being made already.
type TakenError struct {
	Title string
	ID    int // of the job that makes it, 0 where it is one of another session's
}

func (e *TakenError) Error() string {
	if e.ID == 0 {
		return "it is being made by a job of another client"
	}
	return fmt.Sprintf("it is being made by job %d", e.ID)
}

// NewJobs runs at most that many jobs at once, 2 where it is 0. after is how long Job.Await waits, 20 s where it is 0.
func NewJobs(r *Runner, most int, after time.Duration) *Jobs {
	if most <= 0 {
		most = 2
	}
	if after <= 0 {
		after = 20 * time.Second
	}
	ctx, cancel := context.WithCancel(context.Background())
	return &Jobs{runner: r, ctx: ctx, cancel: cancel, turns: make(chan struct{}, most), after: after, sessions: map[string]*sessionJobs{}}
}

// Start begins work or puts it into the queue. It looks at the targets first: where one may not be replaced, nothing is run. The files of
// the work's inputs are its own from then on, on an error, too.
func (j *Jobs) Start(session string, w Work) (*Job, error) {
	job, ctx, err := j.enter(session, w)
	if err != nil {
		w.Close()
		return nil, err
	}
	go func() {
		defer j.all.Done()
		job.do(ctx, w)
	}()
	return job, nil
}

func (j *Jobs) enter(session string, w Work) (*Job, context.Context, error) {
	for _, s := range w.Saves {
		if s.Output < 0 || s.Output >= len(w.Run.Outputs) {
			return nil, nil, fmt.Errorf("%s cannot be run: it has no output %d to save", w.Run.Program.Name, s.Output)
		}
		if err := w.Roots.Check(s.Path, s.Over); err != nil {
			return nil, nil, err
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	own := j.sessions[session]
	if own == nil {
		own = &sessionJobs{}
	}
	if err := j.taken(session, w.Saves); err != nil {
		return nil, nil, err
	}
	open, ended := 0, 0
	for _, other := range own.jobs {
		if other.status.Final() {
			ended++
		} else {
			open++
		}
	}
	switch {
	case j.ctx.Err() != nil:
		return nil, nil, errors.New("the host is stopping")
	case open >= maxOpen:
		return nil, nil, fmt.Errorf("%d jobs of this session are not finished yet; wait for one or cancel one", open)
	case j.queued >= maxQueued:
		return nil, nil, fmt.Errorf("%d jobs are waiting already; try again later", j.queued)
	}
	if ended >= keptJobs {
		for i, other := range own.jobs {
			if other.status.Final() {
				own.jobs = append(own.jobs[:i:i], own.jobs[i+1:]...)
				break
			}
		}
	}
	own.last++
	ctx, cancel := context.WithCancel(j.ctx)
	job := &Job{jobs: j, cancel: cancel, after: j.after, done: make(chan struct{}), saves: w.Saves, status: Status{ID: own.last, Title: w.Title, For: w.For, State: Queued, Duration: w.Duration}}
	own.jobs = append(own.jobs, job)
	j.sessions[session] = own
	j.queued++
	j.all.Add(1)
	return job, ctx, nil
}

// taken says which job that is not at its end makes one of these files. The caller holds mu.
func (j *Jobs) taken(session string, saves []Save) error {
	for whose, own := range j.sessions {
		for _, job := range own.jobs {
			for _, s := range saves {
				if job.status.Final() || !slices.ContainsFunc(job.saves, func(o Save) bool { return o.Path == s.Path }) {
					continue
				}
				e := &TakenError{Title: job.status.Title}
				if whose == session {
					e.ID = job.status.ID
				}
				return e
			}
		}
	}
	return nil
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

// Close closes the inputs of work that is not begun. There may be none.
func (w *Work) Close() {
	if w == nil {
		return
	}
	for _, in := range w.Run.Inputs {
		in.File.Close()
	}
}

// work runs the program and saves. What is cancelled before the first file is saved saves none.
func (job *Job) work(ctx context.Context, w Work) (stderr string, err error) {
	tell := w.Run.Progress
	w.Run.Progress = func(m map[string]string) {
		job.update(func(s *Status) { s.Progress = maps.Clone(m) })
		if tell != nil {
			tell(m)
		}
	}
	w.Run.Args = telling(w.Run.Program.Name, w.Run.Args)
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

// telling has ffmpeg say how far it is, and replace its outputs, which are there before it begins.
func telling(name string, args []string) []string {
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

// Status is what is known of the job now.
func (job *Job) Status() Status {
	job.jobs.mu.Lock()
	defer job.jobs.mu.Unlock()
	return job.status.clone()
}

func (s Status) clone() Status {
	s.Progress, s.Saved = maps.Clone(s.Progress), append([]string(nil), s.Saved...)
	return s
}

// Await waits for the end, but no longer than NewJobs was told and the context lasts: a caller then says the job's number and leaves it.
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

// Done is closed at the job's end.
func (job *Job) Done() <-chan struct{} { return job.done }

// List tells of a session's jobs, the oldest first: all that are not at their end, and the last of the others.
func (j *Jobs) List(session string) (list []Status) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if own := j.sessions[session]; own != nil {
		for _, job := range own.jobs {
			list = append(list, job.status.clone())
		}
	}
	return list
}

// Get is the session's job with that number.
func (j *Jobs) Get(session string, id int) (*Job, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	var there []string
	if own := j.sessions[session]; own != nil {
		for _, job := range own.jobs {
			if job.status.ID == id {
				return job, nil
			}
			there = append(there, fmt.Sprint(job.status.ID))
		}
	}
	if len(there) == 0 {
		return nil, fmt.Errorf("there is no job %d; this session has none", id)
	}
	return nil, fmt.Errorf("there is no job %d; there are %s", id, strings.Join(there, ", "))
}

// Cancel ends the session's job with that number and waits until it is at its end.
func (j *Jobs) Cancel(session string, id int) (Status, error) {
	job, err := j.Get(session, id)
	if err != nil {
		return Status{}, err
	}
	job.cancel()
	<-job.done
	return job.Status(), nil
}

// End cancels what a session that has ended still runs, and forgets its jobs.
func (j *Jobs) End(session string) {
	j.mu.Lock()
	own := j.sessions[session]
	delete(j.sessions, session)
	j.mu.Unlock()
	if own == nil {
		return
	}
	for _, job := range own.jobs {
		job.cancel()
	}
	for _, job := range own.jobs {
		<-job.done
	}
}

// Close cancels all jobs and waits for their ends. No other is started.
func (j *Jobs) Close() {
	j.mu.Lock()
	j.cancel()
	j.mu.Unlock()
	j.all.Wait()
}
